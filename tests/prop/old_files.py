#!/usr/bin/env python3
"""Stored files of every release can be read, checked, compared and reported by all later versions.

usage: old_files.py [--figures]

tests/golden/old/<version>/ holds digests, runs and baselines as that release wrote them, and figures.json, what its
`metrics` said of each. Every figure must still have the same value, or be absent if its meaning has changed, and every pair
below must end as it did then. --figures writes figures.json for a version without one; $GPUGATE must then be that release's
program. """
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

OLD = pathlib.Path(__file__).resolve().parent.parent / "golden" / "old"
RUNS = ("digest.json", "ranks.json", "snapshot.json", "candidate_summaries.json.gz")
# Pairs of a run and a baseline that the run passes.
PAIRS = (("digest.json", "baseline.json"), ("ranks.json", "baseline_ranks.json"),
         ("candidate_summaries.json.gz", "baseline_summaries.json"))
# {version: {figure: reason}} of figures with a different meaning today, which cannot be computed from the old files.
OF_PERIODS = "is of the periods of steps, from the moment one is over to the next, which were not recorded"
CHANGED = {"0.1": dict.fromkeys((
    "step.idle_time", "gpu.utilization_pct", "throughput.samples_per_s", "throughput.tokens_per_s", "throughput.steps_per_s", "mfu_pct",
    "flops.per_s", "flops.peak_pct"), OF_PERIODS)}


# Candidates with fewer than half of the steps of their baseline. Versions that wrote them accepted this; now it is a finding.
FEW_STEPS = ("candidate_summaries.json.gz",)
# A candidate whose generated snapshot peaks below the trace beside it, which is a finding now.
FOREIGN = ("digest.json",)


class Failure(Exception):
    """Errors of this test, as lines of text."""


def run(folder, *args, code=0):
    done = subprocess.run([os.environ["GPUGATE"], *args], cwd=folder, capture_output=True,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"})
    if done.returncode != code:
        raise Failure(f"gpugate {' '.join(args)}: exit {done.returncode}, expected {code}\n"
                      f"{(done.stdout + done.stderr).decode('utf-8', 'replace')}")
    return done.stdout.decode("utf-8")


def figures(folder, name):
    """{metric: [[labels…, value or samples], …]}, in the order of the output."""
    out = {}
    for row in json.loads(run(folder, "metrics", name, "--json", "-"))["metrics"]:
        value = row["samples"] if "samples" in row else row["value"]
        labels = {k: v for k, v in row.items() if k not in ("metric", "unit", "samples", "value")}
        out.setdefault(row["metric"], []).append([labels, value])
    return out


def check_version(folder):
    for name, wanted in json.loads((folder / "figures.json").read_text()).items():
        have = figures(folder, name)
        for metric, rows in wanted.items():
            if metric == "kernel.occupancy_pct":  # earlier versions stored 0 for an unknown occupancy, so rows with 0 do not count
                rows = [row for row in rows if row[1]]
            reason = CHANGED.get(folder.name, {}).get(metric)
            if have.get(metric) != (None if reason else rows):
                raise Failure(f"{name}: {metric} was {rows}\nand is {have.get(metric)}" + (f", but {reason}" if reason else ""))
    with tempfile.TemporaryDirectory() as work:
        for path in folder.iterdir():
            shutil.copy(path, work)
        for candidate, baseline in PAIRS:
            wrong = "too-few-steps" if candidate in FEW_STEPS else "foreign-snapshot" if candidate in FOREIGN else ""
            result = json.loads(run(work, "check", candidate, "--baseline", baseline, "--json", "-", code=3 if wrong else 0))
            if wrong and {f["finding"] for f in result["trust"] if f["spoils"]} == {wrong}:
                continue
            bad = [c["id"] for c in result["checks"] if c["verdict"] in ("fail", "missing", "inconclusive")]
            if result["verdict"] != "pass" or bad:
                raise Failure(f"{candidate} against {baseline}: {result['verdict']}, {bad}")
            run(work, "baseline", "show", "--baseline", baseline)
            run(work, "baseline", "log", "--baseline", baseline)
            run(work, "baseline", "verify", baseline)
            run(work, "approve", candidate, "--baseline", baseline, "--reason", "a new start")
            run(work, "check", candidate, "--baseline", baseline)
        for name in RUNS:
            run(work, "diff", name, name)
            run(work, "report", name)
            run(work, "merge", name, "-o", "merged.json")
            if figures(work, "merged.json") != figures(work, name):
                raise Failure(f"{name}: written again it has other figures")


def main():
    if "GPUGATE" not in os.environ:
        print("GPUGATE is not set")
        return 77
    for folder in sorted(p for p in OLD.iterdir() if p.is_dir()):
        kept = folder / "figures.json"
        if "--figures" in sys.argv[1:] and not kept.exists():
            rows = {name: figures(folder, name) for name in RUNS}
            kept.write_text(json.dumps(rows, separators=(",", ":")).replace('"],["', '"],\n["') + "\n")
        try:
            check_version(folder)
        except Failure as e:
            print(f"{folder.name}: {e}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
