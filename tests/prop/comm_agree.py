#!/usr/bin/env python3
"""Collectives and progress equal exactly those of a slow reference.

usage: comm_agree.py [--seed N] [--count N] [TRACE…]

Compares `gpugate digest TRACE` with _comm_reference.py: on every trace of the shared data (skipped
by name where $GPUGATE_SHARED is not set), then on small random traces. A random trace that disagrees
is named by its seed: --seed N --count 1 makes it again. $GPUGATE is the program.
"""
import argparse
import decimal
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from _comm_reference import ORDER, reference
from _reference import differences, recordings

REFERENCE = pathlib.Path(__file__).with_name("_comm_reference.py")

def program(gpugate, path):
    """Collectives and progress from the program's digest; None if it refuses the file."""
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp) / "digest.json"
        done = subprocess.run([gpugate, "digest", str(path), "-o", str(out)], capture_output=True, text=True)
        if done.returncode == 3 and "not a profiler trace" in done.stderr:
            return None
        if done.returncode != 0:
            raise ValueError(f"exit {done.returncode}: {done.stderr.strip()}")
        d = json.loads(out.read_text())
    comms = [(c["kind"], c["group"], c["group_name"], c["dtype"], c.get("group_size", -1)) for c in d.get("comms", [])]
    if comms != sorted(comms, key=lambda c: (ORDER.index(c[0]), *c[1:])):
        raise ValueError(f"rows of collectives out of order: {comms}")
    figures = ("count", "total_ns", "max_ns", "bytes", "sized_count", "sized_ns")
    p = d["progress"]
    return {"window": (d["start_ns"], d["window_ns"]), "usable": d["usable_steps"],
            "sums": sorted([*key, [c[f] for f in figures]] for key, c in zip(comms, d.get("comms", []))),
            "collectives": sorted((c["start_ns"], c["step"], *comms[c["comm"]], c.get("bytes", -1), c["dur_ns"])
                                  for c in d.get("collectives", [])),
            "cut": d["collectives_cut"],
            "progress": (p.get("step", -1), p["launches"], p["collectives"], p["pending"])}


def disagreements(gpugate, path, keep=False):
    have = program(gpugate, path)
    if have is None:
        return None
    return differences([REFERENCE], path, have, lambda: reference(path), keep)


# --- Random traces ---------------------------------------------------------------------------------

NAMES = ["allreduce", "_allgather_base", "_reduce_scatter_base", "all_to_allv", "broadcast", "coalesced", "wait", "send"]
TITLES = ["all_reduce", "_all_gather_base", "_reduce_scatter_base", "all_to_all", "broadcast", "coalesced"]


def some_args(r, which=None):
    return {"Collective name": NAMES[which] if which is not None else r.choice(NAMES), "dtype": r.choice(["Float", "Long", "Int", "QInt8", ""]),
            "In msg nelems": r.randrange(9), "Out msg nelems": r.randrange(9), "Group size": r.randrange(1, 4),
            **r.choice([{"Process Group Name": "0", "Process Group Description": r.choice(["dp", "undefined", ""])},
                        {"Process Group ID": 3}])}


def random_trace(seed):
    r = random.Random(seed)
    at = lambda most: f"{r.randrange(most)}.{r.choice(['', '5', '25', '125'])}".rstrip(".")
    events = []

    def add(cat, name, args, tid, ts=None, dur=None):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "args": args,
                       "ts": decimal.Decimal(ts or at(60)), "dur": decimal.Decimal(dur or at(20))})

    for i in range(r.choice([0, 1, 2, 3, 4, 5])):
        add("user_annotation", f"ProfilerStep#{i}", {}, 1, str(12 * i + r.randrange(4)), at(14))
    for i in range(r.randrange(30)):
        tid = r.randrange(1, 3)
        add(r.choice(["cuda_runtime"] * 3 + ["cuda_driver"]),
            r.choice(["cudaLaunchKernel", "cudaLaunchKernelExC", "cudaGraphLaunch", "cudaMemcpyAsync"]),
            {"correlation": r.randrange(30) or 1}, tid, dur="0.5")
    for i in range(r.randrange(20)):
        tid, start, dur, which = r.randrange(1, 3), at(60), at(12), r.randrange(len(TITLES))
        if r.random() < 0.6:
            add("cpu_op", "record_param_comms", some_args(r, which) if r.random() < 0.8 else {}, tid, start, dur)
        if r.random() < 0.6:
            shapes = [[r.randrange(5) for _ in range(r.randrange(3))] for _ in range(r.choice([1, 1, 1, 2]))]
            types = [r.choice(["float", "long int", "int"]) for _ in shapes]
            add("user_annotation", "nccl:" + TITLES[which], r.choice([{"Input Dims": shapes, "Input type": types}, {}]),
                tid, start if r.random() < 0.5 else None, at(8))
    for i in range(r.randrange(40)):
        args = {"correlation": r.randrange(30) or 1, "device": r.randrange(2), "stream": 7}
        name = r.choice(["gemm", "ncclDevKernel_AllReduce_x(y)", "ncclKernel_SendRecv", "rccl_generic"])
        add(r.choice(["kernel"] * 4 + ["gpu_memcpy", "gpu_memset"]), name,
            {**args, **(some_args(r) if "ccl" in name and r.random() < 0.5 else {})}, 7)
    r.shuffle(events)
    return json.dumps({"traceEvents": events}, default=float)


def check_random(gpugate, seed, count):
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        path = pathlib.Path(tmp) / "trace.json"
        for s in range(seed, seed + count):
            path.write_text(random_trace(s))
            lines = disagreements(gpugate, path)
            failed += bool(lines)
            for line in lines:
                print(f"--seed {s}: {line}")
    print(f"{count} random traces, {failed} disagree")
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("traces", nargs="*", type=pathlib.Path)
    o = parser.parse_args()
    gpugate = os.environ.get("GPUGATE")
    if not gpugate:
        print("skipped: $GPUGATE does not name the program")
        return 77
    paths, failed, seen = o.traces or recordings("traces", "*.json*"), 0, 0
    for path in paths:
        lines = disagreements(gpugate, path, keep=True)
        seen += lines is not None
        failed += bool(lines)
        for line in lines or []:
            print(f"{path.name}: {line[:2000]}")
    print(f"{seen} of {len(paths)} files are traces")
    if not o.traces:
        failed += check_random(gpugate, o.seed, o.count)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
