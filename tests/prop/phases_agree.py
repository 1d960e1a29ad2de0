#!/usr/bin/env python3
"""Figures of phases equal those of a plain reference, to the nanosecond, and add up to the figures of the step.

usage: phases_agree.py [GPUGATE] [--seed N] [--count N] [TRACE…]

Compares `gpugate metrics TRACE --json -` with _phases_reference.py, which follows the definition of phases
(docs/metrics.md): on random traces, then on the shared ones (or on the TRACEs given). For each step, the phases and the
work without a known launch must add up to step.cuda_time. A random trace that disagrees is named by its seed: --seed N --count 1 makes
it again. $GPUGATE is the program, without it the test is skipped (exit 77); without $GPUGATE_SHARED it ends with the random
traces. """
import argparse
import decimal
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from _phases_reference import HOST, NAMES, phases_of
from _reference import differences, recordings

REFERENCE = pathlib.Path(__file__).with_name("_phases_reference.py")

def same(what, want, have):
    """Compares two values. The program may lack step.cuda_time: without steps it has no figure for whole steps."""
    return want == have or (what == "step.cuda_time" and have is None)


KINDS = {"update": True, "accumulation": False}


def kinds(told):
    """Steps with and without kernels of the optimizer are kinds of their own, with the values of the whole steps."""
    whole = {r["metric"]: r.get("samples", []) for r in told["metrics"]}
    updates = {s["step"] for r in told["phases"] if (r["phase"], r["metric"]) == ("optimizer", "step.kernel_count") for s in r["samples"] if s["value"]}
    rows = [r for r in told["phases"] if r["phase"] in KINDS]
    return len(rows), [f"{r['phase']} {r['metric']}: {r['samples']}" for r in rows
                       if r["samples"] != [s for s in whole[r["metric"]] if (s["step"] in updates) == KINDS[r["phase"]]]]


def disagreements(gpugate, path, keep=False):
    done = subprocess.run([gpugate, "metrics", str(path), "--json", "-"], capture_output=True, check=False)
    if done.returncode:
        return 0, [done.stderr.decode("utf-8", "replace").strip()]
    told = json.loads(done.stdout.decode("utf-8"), parse_float=decimal.Decimal)
    nr, faults = kinds(told)
    have = {f"{r['phase']} {r['metric'].removeprefix('step.')}": [s["value"] for s in r["samples"]] for r in told["phases"] if r["phase"] not in KINDS}
    nr += len(have)
    if have:
        whole = [r for r in told["metrics"] if r["metric"] == "step.cuda_time"]
        have |= {r["metric"]: [s["value"] for s in r["samples"]] for r in whole}
    return nr, faults + differences([REFERENCE], path, have, lambda: phases_of(path), keep, same)


def random_trace(seed):
    """A random trace with annotations of every phase that nest and overlap arbitrarily, on threads that launch all the time."""
    rng, events = random.Random(seed), []
    horizon, threads = rng.choice([40, 400, 4000]), rng.choice([1, 2, 3])

    def add(cat, name, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": rng.randint(1, threads),
                       "ts": rng.randint(0, horizon * 10) / 10, "dur": dur / 10, "args": args})
        return events[-1]

    for i in range(rng.choice([0, 1, 3])):
        add("user_annotation", f"ProfilerStep#{i}", rng.randint(0, horizon * 5))
    for _ in range(rng.choice([0, 0, 10])):  # nodes of autograd, of traces without its engine, too
        add("cpu_op", rng.choice(["MulBackward0", "torch::autograd::AccumulateGrad", "aten::add"]), rng.randint(0, horizon),
            **{"Fwd thread id": rng.choice([0, 1, 7])})
    names = NAMES if rng.random() < 0.5 else NAMES[1:]
    for _ in range(rng.choice([0, 2, 10, 40])):
        add(rng.choice(HOST), rng.choice(names)[0] + rng.choice(["", "x"]), rng.randint(0, horizon * rng.choice([1, 4])))
    for i in range(rng.choice([5, 40, 80])):
        if rng.random() < 0.9:
            add("cuda_runtime", "cudaLaunchKernel", 1, correlation=100 + i)
        for _ in range(rng.choice([1, 1, 1, 2])):
            add(rng.choice(["kernel", "kernel", "gpu_memcpy", "gpu_memset"]), rng.choice(["gemm", "ncclAllReduce"]),
                rng.randint(0, 90), correlation=rng.choice([100 + i] * 9 + [i + 1]), device=0, stream=7)
    rng.shuffle(events)
    return json.dumps({"traceEvents": events})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugate", nargs="?", default=os.environ.get("GPUGATE"))
    parser.add_argument("trace", nargs="*", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    args = parser.parse_intermixed_args()
    if not args.gpugate:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    bad = figures = told = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "random.json"
        for seed in range(args.seed, args.seed + args.count):
            path.write_text(random_trace(seed), encoding="ascii")
            nr, lines = disagreements(args.gpugate, path)
            figures, told = figures + nr, told + (nr > 0)
            if lines:
                bad += 1
                print(f"FAIL seed {seed}", *lines[:5], sep="\n     ")
    print(f"random traces: {args.count}, {told} tell phases, {figures} comparisons, {bad} differ")
    for path in args.trace or recordings("traces", "*.json*"):
        if path.name.startswith("nottrace-"):
            continue
        nr, lines = disagreements(args.gpugate, path, keep=True)
        if nr or lines:
            print(f"{'FAIL' if lines else 'ok  '} {path.name}: {nr} comparisons", *lines[:5], sep="\n     ", flush=True)
        bad += bool(lines)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
