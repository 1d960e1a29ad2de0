#!/usr/bin/env python3
"""Figures of XProf's memory profiles and of memory timelines equal those of slow references, to the byte.

usage: records_agree.py [GPUGATE] [--seed N] [--count N] [FILE…]

The references use only the files, according to the documented formats. They are compared with `gpugate metrics FILE --json
-` for what tests/gen/records.py writes under many options, and for the memory timelines of the shared data; figures that a
format does not contain must be absent. The same records in another spelling, compressed, or from standard input give the
same figures. $GPUGATE is the program; without it the test is skipped (exit 77), without $GPUGATE_SHARED its real files are,
by name. """
import argparse
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

from _gen import generate
from _reference import recordings

CATEGORIES = ["parameter", "optimizer state", "input", "temporary", "activation", "gradient", "autograd detail", "unknown"]
PEAK, END, ALLOCS, FREES, CHURN, GROWTH = ("memory." + m for m in (
    "peak_allocated", "end_allocated", "alloc_count", "free_count", "churn_bytes", "growth_per_step"))


def content(path):
    with (gzip.open if path.name.endswith(".gz") else open)(path, "rb") as f:
        return json.loads(f.read())


# --- References: each returns {memory: (figures, bytes by category at the peak, bytes by site at the peak)} ---


def rows_reference(rows):
    figures = {ALLOCS: 0, FREES: 0, CHURN: 0}
    now, taken, before = dict.fromkeys(CATEGORIES, 0), False, sum(r[0] < 0 for r in rows)
    peak = dict(now)
    for i, (_, action, size, category) in enumerate(rows, 1):
        now[CATEGORIES[category]] += size
        figures[ALLOCS] += action == 2
        figures[FREES] += action == 4
        figures[CHURN] += size if action == 2 else 0
        taken = action == 3 and not taken
        if i >= before and not taken and sum(now.values()) >= sum(peak.values()):
            peak = dict(now)
    figures |= {PEAK: sum(peak.values()), END: sum(now.values())}
    return {"timeline": (figures, {c: b for c, b in peak.items() if b}, None)}


def sizes_reference(times, sizes):
    assert len(times) == len(sizes)
    peak = max(reversed(sizes), key=sum)
    figures = {PEAK: sum(peak), END: sum(sizes[-1])}
    return {"timeline": (figures, {c: b for c, b in zip(CATEGORIES, peak[1:]) if b}, None)}


def camel(value):
    """Converts the names of a message to lowerCamelCase, and leaves out the options of the JSON mapping."""
    if isinstance(value, list):
        return [camel(v) for v in value]
    if not isinstance(value, dict):
        return value
    return {(h := k.split("_"))[0] + "".join(w.capitalize() for w in h[1:]) if k.islower() else k: camel(v)
            for k, v in value.items()}


def number(message, *path):
    for key in path:
        message = message.get(key, {})
    return int(message) if message != {} else 0


def used(s):
    return number(s, "aggregationStats", "heapAllocatedBytes") + number(s, "aggregationStats", "stackReservedBytes")


def slope(points):
    slopes = [fractions.Fraction(y - x, b - a) for (a, x), (b, y) in itertools.combinations(points, 2)]
    value, half = statistics.median(slopes), fractions.Fraction(1, 2)
    return int(value + half) if value >= 0 else -int(-value + half)


def xprof_reference(profile):
    out = {}
    memories = next(v for k, v in profile.items() if k in ("memoryProfilePerAllocator", "memory_profile_per_allocator"))
    for name, message in memories.items():
        m = camel(message)
        timeline = m.get("sampledTimelineSnapshots") or ([] if profile.get("version") else m["memoryProfileSnapshots"])
        peak = used({"aggregationStats": m["profileSummary"]["peakStats"]})
        figures = {PEAK: peak}
        moved = [(s["activityMetadata"].get("memoryActivity"), number(s, "activityMetadata", "allocationBytes"),
                  number(s, "activityMetadata", "requestedBytes")) for s in timeline]
        signed = [b if kind == "ALLOCATION" else -b for kind, b, _ in moved]
        if len(timeline) < 1000 and used(timeline[0]) + sum(signed[1:]) == used(timeline[-1]):
            figures |= {END: used(timeline[-1]), ALLOCS: sum(k == "ALLOCATION" for k, _, _ in moved),
                        FREES: sum(k == "DEALLOCATION" for k, _, _ in moved),
                        CHURN: sum(r for k, _, r in moved if k == "ALLOCATION")}
            last = {number(s, "activityMetadata", "stepId"): used(s) for s in timeline}
            ends = sorted(last.items())[:-1]
            if len(ends) >= 3:
                figures[GROWTH] = slope(ends)
        sites, categories = {}, {}
        for a in m["activeAllocations"]:
            index = number(a, "snapshotIndex")
            of = m["memoryProfileSnapshots"][index]["activityMetadata"] if index >= 0 \
                else m["specialAllocations"][number(a, "specialIndex")]
            size = number(of, "allocationBytes") * number(a, "numOccurrences")
            detail = of.get("dataType", "").replace("INVALID", "") + of.get("tensorShape", "").replace("unknown", "")
            site = (of["regionType"], of["tfOpName"], detail)
            sites[site] = sites.get(site, 0) + size
            categories[site[0]] = categories.get(site[0], 0) + size
        rest = peak - sum(sites.values())
        if rest:
            sites[("unexplained", "", "")] = categories["unexplained"] = rest
        out[name] = (figures, categories, sites)
    return out


def reference(data):
    if isinstance(data, dict):
        return xprof_reference(data)
    rows = len(data) != 2 or not isinstance(data[1][0], list)
    return rows_reference(data) if rows else sizes_reference(*data)


# --- Figures that the program prints -----------------------------------------------------------------------


def program(gpugate, path, stdin=None):
    done = subprocess.run([gpugate, "metrics", str(path), "--json", "-"], input=stdin, capture_output=True)
    if done.returncode != 0:
        raise ValueError(f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()}")
    out, data = {}, json.loads(done.stdout)
    for row in data["metrics"]:
        out.setdefault(str(row["device"]), ({}, {}, {}))[0][row["metric"]] = row["value"]
    for row in data["memory_items"]:
        _, categories, sites = out[str(row["device"])]
        if row["list"] == "category" and row["bytes"]:
            categories[row["category"]] = row["bytes"]
        elif row["list"] == "peak":
            sites[(row["category"], row.get("file", ""), row.get("function", ""))] = row["bytes"]
    return out


def differences(gpugate, path):
    want, lines = reference(content(path)), []
    try:
        have = program(gpugate, path)
    except ValueError as e:
        return [str(e)]
    if set(have) != set(want):
        return [f"memories: reference {sorted(want)}, program {sorted(have)}"]
    for name, (figures, categories, sites) in want.items():
        for what, x, y in zip(("figures", "categories", "sites"), (figures, categories, sites), have[name]):
            if x is not None and x != y:
                lines.append(f"{name}: {what}: reference {x}, program {y}")
    return lines


# --- Compared recordings --------------------------------------------------------------------------

OPTIONS = ["", "--steps 1", "--steps 3 --leak 3000", "--steps 9 --leak 100000 --layers 2", "--steps 4 --peak 40 --empty",
           "--steps 2 --first-step 700"]
# 13 activities per layer and step; with more than 1000, the tool keeps only a sample
XPROF = ["--steps 5 --old", "--steps 4 --snake", "--steps 4 --numbers --sparse", "--steps 4 --reverse --leak 5000",
         "--capacity 0 --stack 0", "--held 0", "--steps 60 --leak 4000", "--steps 70 --layers 9 --peak 3"]
SAME = ["--old", "--snake --numbers", "--sparse --reverse"]


def random_options(seed, form):
    rng = random.Random(seed)
    options = ["--steps", str(rng.choice([1, 2, 5, 9, 40])), "--layers", str(rng.randint(1, 6)),
               "--first-step", str(rng.choice([0, 17]))]
    options += [o for o in ("--leak 12345", "--peak 9", "--empty") if rng.random() < 0.4]
    if form == "xprof":
        options += [o for o in ("--old", "--snake", "--numbers", "--sparse", "--reverse", "--held 777") if rng.random() < 0.3]
    return f"--seed {seed} " + " ".join(options)


def made(path, form, options):
    seed = [] if "--seed" in options else ["--seed", "1"]
    return generate("records", path, "--form", form, *seed, *options.split())


def show(name, lines):
    print(f"{'FAIL' if lines else 'ok  '} {name}", flush=True)
    for line in lines[:6]:
        print(f"     {line[:600]}")
    return bool(lines)


def generated(gpugate, folder, seed, count):
    bad = 0
    for form in ("xprof", "raw", "sizes"):
        every = OPTIONS + (XPROF if form == "xprof" else []) + [random_options(seed + i, form) for i in range(count)]
        for options in every:
            path = made(folder / "made.json", form, options)
            bad += show(f"{form} {options}", differences(gpugate, path))
        plain = made(folder / "made.json", form, "--steps 4 --leak 9000")
        want = program(gpugate, plain)
        bad += show(f"{form} from standard input", [] if program(gpugate, "-", plain.read_bytes()) == want else ["differs"])
        if form == "xprof": # the key by which the format is recognized comes after the first bytes that the program looks at
            late = folder / "late.json"
            late.write_text(json.dumps({"hloModules": [{"name": "m" * 9000}], **content(plain)}), encoding="utf-8")
            bad += show("xprof with its key late", [] if program(gpugate, late) == want else ["differs"])
        for options in SAME if form == "xprof" else [""]:
            other = made(folder / "made.json.gz", form, "--steps 4 --leak 9000 " + options)
            bad += show(f"{form} compressed, as {options or 'it is'}", [] if program(gpugate, other) == want else ["differs"])
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugate", nargs="?", default=os.environ.get("GPUGATE"))
    parser.add_argument("file", nargs="*", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=12)
    args = parser.parse_intermixed_args()
    if not args.gpugate:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    real = args.file or recordings("traces", "*memory-timeline*")
    bad = sum(show(path.name, differences(args.gpugate, path)) for path in real)
    if not args.file:
        with tempfile.TemporaryDirectory() as folder:
            bad += generated(args.gpugate, pathlib.Path(folder), args.seed, args.count)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
