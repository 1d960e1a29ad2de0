#!/usr/bin/env python3
"""Steps are found again after their annotations are removed.

usage: period.py [TRACE…]

Of each trace with two steps or more the step annotations, then all user annotations, are removed. `--unmarked period` must
then find as many steps, whose median step.cuda_time is within 1 % of what the annotations gave. Work that runs only once
stays one window, however often its layers repeat.

This is checked on the TRACEs if any are given; otherwise on generated traces and on the traces of the shared data, which are
also made longer. Without $GPUGATE_SHARED the shared traces are skipped, by name. $GPUGATE is the program; exit 77 skips.
"""
import concurrent.futures
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from functools import partial

from _gen import generate
from _part import part
from _reference import recordings

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("GPUGATE")
SHARED = os.environ.get("GPUGATE_SHARED")

GENERATED = {                       # options of tests/gen/trace.py, and the number of whole steps in the trace
    "two": (["--steps", "2"], 2),
    "seven": (["--steps", "7"], 7),
    "ranks": (["--steps", "5", "--nccl", "--world-size", "2"], 5),
    "carried over": (["--steps", "5", "--carried-over", "40"], 5),
    "dropped": (["--steps", "5", "--dropped", "0.5"], 5),
    "by start": (["--steps", "5", "--no-launches"], 5),
    "whole us": (["--steps", "3", "--int-ts", "--shuffle"], 3),
    "cut short": (["--steps", "5", "--short-last-step"], 4),
    "once": (["--steps", "1"], 0),
}
INFLATED = ["ns-v100-rank0of1-5steps.pt.trace.json.gz", "torchbench-10steps-memcpy-a.json"]
# Traces without annotations, or with too little to find steps; and the expected number of steps.
KNOWN = {
    "linear-2080ti-nostep.json.gz": 40,     # the trace has 40 calls of Optimizer.step; the first step lacks a third of its work
    "norm-test-mi300x-run1.json.gz": 3,
    "norm-test-mi300x-run2.json.gz": 3,
    "hta-tinypair-base-rank1.json.gz": 0,   # a shortened trace of 18 GPU activities: 9 in one step, 6 in another, too few to find steps
    "hta-tinypair-test-rank1.json.gz": 0,
}


def load(path):
    data = (gzip.open if path.suffix == ".gz" else open)(path, "rb").read()
    return json.loads(data.decode("utf-8", "replace"))


def strip(trace, out, every):
    """`trace` without annotations of steps or, with `every`, without any user annotation."""
    events = trace if isinstance(trace, list) else trace["traceEvents"]
    gone = ("user_annotation", "gpu_user_annotation") if every else ()
    events[:] = [e for e in events if not (isinstance(e, dict) and (
        e.get("cat") in gone or str(e.get("name")).startswith("ProfilerStep#")))]
    out.write_text(json.dumps(trace))


def measured(path, *options):
    """The way in which steps were found, and step.cuda_time of each step with GPU work."""
    done = subprocess.run([PROGRAM, "metrics", path, "--json", "-", *options], capture_output=True, text=True)
    if done.returncode:
        return "", []
    d = json.loads(done.stdout)
    times = [s["value"] for m in d["metrics"] if m["metric"] == "step.cuda_time" for s in m.get("samples", [])]
    return d["ranks"][0]["steps_by"], [t for t in times if t]


def median(v):
    v = sorted(v)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def faults(path, work, name, count=None):
    """Check a trace without its step annotations; `count`: expected number of steps, 0 if none can be found."""
    by, want = measured(path)
    if not want:
        return []
    if by == "marker" and count is None:
        count = len(want) if len(want) > 1 else 0
    out, trace = [], load(path)
    for every in (False, True) if count else (True,):
        bare = work / f"{name}-{every}.json"
        strip(trace, bare, every)
        by_now, got = measured(bare, "--unmarked", "period")
        bare.unlink()
        if not count:
            if by_now != "window":
                out.append(f"{name}: {len(got)} steps by {by_now}, where there is one window")
            continue
        if by_now != "period" or len(got) != count:
            out.append(f"{name}: {len(got)} steps by {by_now}, not {count}")
        elif by == "marker" and abs(median(got) - median(want)) > 0.01 * median(want):
            out.append(f"{name}: median {median(got)} ns, {median(want)} ns by the annotations")
    return out


def path_of(work, name):
    return work / f"{name.replace(' ', '-')}.json"


def inflated(work, name, of, *options):
    path, data = path_of(work, name), pathlib.Path(SHARED) / "data"
    subprocess.run([sys.executable, data / "inflate_trace.py", data / "traces" / of, path, *options], check=True, stderr=subprocess.DEVNULL)
    return path


def main():
    if not PROGRAM:
        print("skipped: GPUGATE is not set")
        return 77
    with tempfile.TemporaryDirectory() as tmp:
        work = pathlib.Path(tmp)
        # Functions that make or find a trace; its name; the number of steps.
        cases = [(partial(pathlib.Path, f), pathlib.Path(f).name, None) for f in sys.argv[1:]]
        if not cases:
            cases = [(partial(generate, "trace", path_of(work, name), "--seed", 5, *options), name, count)
                     for name, (options, count) in GENERATED.items()]
            cases += [(partial(pathlib.Path, f), f"{f.parent.name}/{f.name}", KNOWN.get(f.name)) for f in recordings("traces", "*.json*")]
            if SHARED:
                cases += [(partial(inflated, work, f"{steps} of {f}", f, "--steps", str(steps), "--jitter", "0.02"), f"{steps} of {f}", steps)
                          for f in INFLATED for steps in (2, 3, 20)]
        cases = part(cases)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = sum(pool.map(lambda c: faults(c[0](), work, c[1].replace("/", "-"), c[2]), cases), [])
    for f in found:
        print(f)
    print(f"{len(cases)} traces, {len(found)} faults")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
