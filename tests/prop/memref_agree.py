#!/usr/bin/env python3
"""Memory figures equal those of the slow reference, to the byte.

usage: memref_agree.py [GPUGATE] [--seed N] [--count N] [SNAPSHOT…]

Compares `gpugate metrics SNAPSHOT --json -` with oracle/memref.py of the shared
data: on every shared snapshot (or on the SNAPSHOTs given), on what its
make_snapshot.py writes under each of its options and under random ones. Growth per
step, which the reference lacks, is worked out here. $GPUGATE is the program,
$GPUGATE_SHARED for the shared data; without either the test is skipped (exit 77).
"""
import argparse
import decimal
import fractions
import gzip
import itertools
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from _reference import differences, recordings

# Metric -> key of the reference.
FIGURES = {
    "memory.peak_allocated": "peak_allocated", "memory.peak_reserved": "peak_reserved",
    "memory.end_allocated": "allocated", "memory.end_reserved": "reserved",
    "memory.alloc_count": "alloc_count", "memory.churn_bytes": "churn_bytes",
    "memory.segment_count": "segment_count", "memory.segment_churn": "segment_churn",
    "memory.oom_count": "oom_count",
}
PERCENTAGES = {
    "memory.fragmentation_pct": "fragmentation_pct",
    "memory.fragmentation_at_peak_pct": "fragmentation_at_peak_pct",
    "memory.inactive_pct": "inactive_pct", "memory.free_split_pct": "free_split_pct",
    "memory.rounding_pct": "rounding_pct",
}
# The reference rounds doubles.
PCT_TOLERANCE = decimal.Decimal("0.000001")

SMALL = "--layers 3 --hidden 256 --batch 2 --seq 128 --vocab 2000".split()
OPTIONS = [
    "--steps 2", "--steps 5", "--steps 6 --leak 8MiB", "--steps 5 --fragmentation 0.6",
    "--steps 5 --capacity 90MiB", "--steps 9 --capacity 70MiB --leak 1MiB --expandable",
    "--steps 4 --comm-stream 5 --pending 3", "--steps 4 --empty-cache", "--steps 4 --expandable",
    "--steps 4 --expandable --empty-cache --fragmentation 0.5", "--steps 3 --devices 4 --device 2",
    "--steps 4 --style mid", "--steps 4 --style old", "--steps 4 --style old --max-entries 300",
    "--steps 3 --max-entries 0", "--steps 6 --max-entries 777 --leak 2MiB", "--steps 3 --no-frames",
    "--steps 4 --param-bytes 2 --act-bytes 4 --seed 5",
]


def reference(shared, path):
    done = subprocess.run([sys.executable, str(shared / "oracle" / "memref.py"), str(path)],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout, parse_float=decimal.Decimal)


def program(gpugate, path):
    done = subprocess.run([gpugate, "metrics", str(path), "--json", "-"], capture_output=True)
    if done.returncode != 0:
        raise ValueError(f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()}")
    rows = json.loads(done.stdout.decode("utf-8"), parse_float=decimal.Decimal)["metrics"]
    return {(row["metric"], str(row["device"])): row for row in rows if row["metric"].startswith("memory.")}


def rounded(size):
    return -(-size // 512) * 512


def away_from_zero(value):
    half = fractions.Fraction(1, 2)
    return int(value + half) if value >= 0 else -int(-value + half)


def growth(path):
    """Device -> slope of the allocated level at step ends, in whole bytes."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as f:
        snapshot = json.loads(f.read())
    slopes = {}
    if isinstance(snapshot, list):
        return slopes
    for device, trace in enumerate(snapshot.get("device_traces", [])):
        ends = sorted(a["time_us"] for a in snapshot.get("external_annotations", [])
                      if a["device"] == device and a["stage"] == "END" and a["name"].startswith("Optimizer.step#"))
        times = [e["time_us"] for e in trace if "time_us" in e]
        ends = [t for t in ends if times and t >= times[0]]
        level = sum(b["size"] for s in snapshot["segments"] if s.get("device", 0) == device
                    for b in s["blocks"] if b["state"] == "active_allocated")
        levels = []
        for entry in reversed(trace):
            while ends and ends[-1] >= entry.get("time_us", 0):
                ends.pop()
                levels.append(level)
            if entry["action"] == "alloc":
                level -= rounded(entry["size"])
            elif entry["action"] == "free_requested":
                level += rounded(entry["size"])
        levels.reverse()
        if 3 <= len(levels) <= 1000:
            pairs = itertools.combinations(enumerate(levels), 2)
            slopes[str(device)] = away_from_zero(statistics.median(
                fractions.Fraction(y - x, k - i) for (i, x), (k, y) in pairs))
    return slopes


def of_reference(shared, path):
    slopes = growth(path)
    return {f"{metric} {device}": value for device, row in reference(shared, path).items()
            for metric, value in [("memory.growth_per_step", slopes.get(device)),
                                  *((metric, row[key]) for metric, key in (FIGURES | PERCENTAGES).items())]}


def of_program(have):
    out = {f"{metric} {device}": have.get((metric, device), {"value": None})["value"] for device in {d for _, d in have}
           for metric in [*FIGURES, *PERCENTAGES, "memory.growth_per_step"]}
    foreign = {f"{metric} {device}": row["source"] for (metric, device), row in have.items()
               if metric in FIGURES | PERCENTAGES and row["source"] != "snapshot"}
    return {**out, "not of the snapshot": foreign}


def same(what, want, have):
    if "_pct" in what and None not in (want, have) and "null" not in (want, have):
        return abs(decimal.Decimal(want.strip('"')) - decimal.Decimal(have.strip('"'))) <= PCT_TOLERANCE
    return want == have


def disagreements(gpugate, shared, path, keep=False):
    try:
        have = of_program(program(gpugate, path))
    except ValueError as e:
        return [str(e)]
    return differences([shared / "oracle" / "memref.py", __file__], path, have,
                       lambda: {**of_reference(shared, path), "not of the snapshot": {}}, keep, same)


def random_options(seed):
    rng = random.Random(seed)
    options = ["--seed", str(seed), "--steps", str(rng.choice([1, 2, 3, 4, 7])), "--layers", str(rng.randint(1, 4)),
               "--hidden", str(rng.choice([64, 128, 320])), "--style", rng.choice(["new", "new", "mid", "old"])]
    for option, values in (("--fragmentation", ["0.2", "0.9"]), ("--leak", ["1000", "3MiB"]),
                           ("--capacity", ["40MiB", "100MiB"]), ("--max-entries", ["0", "50", "1000"]),
                           ("--comm-stream", ["3"]), ("--pending", ["2"]), ("--device", ["0", "2"])):
        if rng.random() < 0.3:
            options += [option, rng.choice(values)]
    return options + [o for o in ("--expandable", "--empty-cache", "--no-frames") if rng.random() < 0.25]


def made(shared, folder, options):
    path = pathlib.Path(folder) / "made.json"
    subprocess.run([sys.executable, str(shared / "data" / "make_snapshot.py"), str(path), *SMALL, *options],
                   check=True, capture_output=True)
    return path


def show(name, lines):
    print(f"{'FAIL' if lines else 'ok  '} {name}", flush=True)
    for line in lines[:10]:
        print(f"     {line[:500]}")
    return bool(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugate", nargs="?", default=os.environ.get("GPUGATE"))
    parser.add_argument("snapshot", nargs="*", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    args = parser.parse_intermixed_args()
    shared = os.environ.get("GPUGATE_SHARED")
    if not args.gpugate or not shared:
        print("skipped: needs $GPUGATE (the program) and $GPUGATE_SHARED (the shared data)")
        return 77
    shared = pathlib.Path(shared)
    bad = sum(show(path.name, disagreements(args.gpugate, shared, path, keep=True))
              for path in args.snapshot or recordings("snapshots", "*.json.gz"))
    if args.snapshot:
        return 1 if bad else 0
    every = [o.split() for o in OPTIONS] + [random_options(args.seed + i) for i in range(args.count)]
    with tempfile.TemporaryDirectory() as folder:
        for options in every:
            bad += show(" ".join(options), disagreements(args.gpugate, shared, made(shared, folder, options)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
