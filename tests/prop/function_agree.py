#!/usr/bin/env python3
"""Functions of a digest equal those of a slow reference, to the nanosecond.

usage: function_agree.py [GPUGATE] [--seed N] [--count N] [TRACE…]

The reference (_function_reference.py) forms the union of every function's time and takes away what functions of higher
classes cover (metrics.md, function.exclusive_pct); for Python functions also the time of their callees. It then sums up
small functions like a digest. Compared are all rows of small random traces, then of the shared traces (or of the TRACEs
given). A random trace that differs is named by its seed: --seed N --count 1 makes it again. $GPUGATE is the program;
without it the test is skipped (exit 77); without $GPUGATE_SHARED the shared traces are left out. """
import argparse
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from _function_reference import CLASSES, reference
from _reference import differences, recordings, text

REFERENCE = pathlib.Path(__file__).with_name("_function_reference.py")

# --- functions from the program's digest ---

def program(gpugate, path, folder):
    out = folder / "digest.json"
    done = subprocess.run([gpugate, "digest", str(path), "-o", str(out)], capture_output=True)
    if done.returncode != 0:
        raise ValueError(f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()}")
    digest = json.loads(out.read_text(encoding="utf-8"))
    tables, paths = {cls: {} for cls in CLASSES}, []
    for f in digest.get("digests", [digest])[0].get("functions", []):
        cls, names = f["cls"], f.get("names", 0)
        key = None if names else f["name"]
        if cls == "python":
            parent = f.get("parent", -1)
            assert parent < len(paths), "a caller stands behind its callee"
            key = (paths[parent] if parent >= 0 else ()) + (key,)
        paths.append(key)
        assert key not in tables[cls], f"two rows of {key}"
        tables[cls][key] = {k: f.get(k, 0 if k == "names" else -1)
                            for k in ("count", "total_ns", "exclusive_ns", "median_ns", "rate", "rate_mad", "names")}
    return tables


def rows_of(tables):
    """The tables as lists: JSON has no keys that are tuples, so a row becomes [key, values]."""
    return {cls: sorted(([key, row] for key, row in tables.get(cls, {}).items()), key=text) for cls in CLASSES}


def disagreements(gpugate, path, folder, keep=False):
    """The number of rows that the program makes, and lines about where the reference differs."""
    try:
        have = rows_of(program(gpugate, path, folder))
        return sum(map(len, have.values())), differences([REFERENCE], path, have, lambda: rows_of(reference(path)), keep)
    except (ValueError, AssertionError) as e:
        return 0, [str(e)]


# --- random traces ---

class Maker:
    """A small trace from a seed: calls that nest, overlap and repeat, with correct, wrong or missing ids."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.horizon = self.rng.choice([20, 200, 3000])
        self.events = []

    def add(self, cat, name, tid, start, dur, args=None):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": start, "dur": dur, "args": args or {}})

    def span(self):
        start = max(1, self.rng.randint(0, self.horizon))  # what begins and ends at 0 is not timed
        return start, self.rng.choice([0, 1, self.rng.randint(0, max(1, self.horizon // self.rng.choice([2, 10, 50])))])

    def gpu(self):
        rng = self.rng
        for _ in range(rng.choice([0, 5, 40])):
            cat = rng.choice(["kernel"] * 3 + ["gpu_memcpy", "Memset"])
            name = rng.choice(["gemm", "add", "ncclDevKernel_AllReduce", "rccl_x"] if cat == "kernel" else ["HtoD", "DtoD"])
            args = {"device": rng.randrange(2), "stream": rng.randrange(3)}
            if cat != "kernel":
                args["bytes"] = rng.choice([0, 1, 4096, 2**33])
            elif "nccl" in name and rng.random() < 0.7:
                args.update({"Collective name": "allreduce", "In msg nelems": rng.randint(0, 99),
                             "Out msg nelems": rng.randint(0, 99), "dtype": rng.choice(["Float", "BFloat16", "odd"])})
            self.add(cat, name, 7, *self.span(), args)
        for _ in range(rng.choice([0, 3, 20])):
            self.add("cuda_runtime", rng.choice(["cudaLaunchKernel", "cudaDeviceSynchronize"]), rng.randint(1, 3), *self.span())
        for _ in range(rng.choice([1, 1, 3])):
            self.add(rng.choice(["cpu_op", "user_annotation"]), "aten::add", 1, *self.span())

    def tree(self, tid, start, end, depth, parent):
        """Random calls within [start, end], in the form in which a profiler writes them."""
        rng = self.rng
        if depth == 0 or start > end:
            return
        at = start
        for _ in range(rng.randint(0, 4)):
            low = rng.randint(at, end)
            high = rng.randint(low, end)
            self.id += 1
            own = self.id
            missed = rng.random() < self.missed     # the profiler missed the end of the call, which then lasts as long as its caller
            self.frame(tid, low, end if missed else high, own, parent)
            self.tree(tid, low, high, depth - 1, own)
            at = high

    def frame(self, tid, low, high, own, parent):
        rng = self.rng
        name = rng.choice(["f", "g", "h", "<get of dict object at 0x7f%x>" % rng.randrange(3), "step"])
        args = {"Python id": own, "Python parent id": parent}
        if self.form == "none":
            args = {}
        elif self.form == "wrong" and rng.random() < 0.1:
            args["Python id"] = rng.randint(1, 9)
        elif self.form == "cut" and rng.random() < 0.1:
            return
        self.add("python_function", name, tid, low, high - low, args)
        before = self.events[-2]
        if self.form == "swapped" and before["cat"] == "python_function" and before["args"].get("Python parent id", 0) == parent:
            before["args"]["Python id"], args["Python id"] = own, before["args"]["Python id"]

    def python(self):
        rng = self.rng
        self.missed = rng.choice([0, 0, 0.2])
        for tid in range(rng.choice([0, 1, 1, 2, 4])):
            self.id = 0
            self.form = rng.choice(["ids", "ids", "none", "wrong", "cut", "swapped"])
            self.tree(tid, -5, self.horizon + 5, rng.choice([2, 5, 8]), None)

    def write(self, path):
        self.gpu()
        self.python()
        if self.rng.random() < 0.3:
            # in another order of events, only names distinguish caller and callee if both have equal times
            self.rng.shuffle(self.events)
        with (gzip.open if path.suffix == ".gz" else open)(path, "wt") as f:
            json.dump({"traceEvents": self.events}, f)


def random_traces(gpugate, seeds, folder):
    bad = rows = 0
    for seed in seeds:
        path = folder / f"seed{seed}.json"
        Maker(seed).write(path)
        nr, lines = disagreements(gpugate, path, folder)
        rows += nr
        if lines:
            bad += 1
            print(f"FAIL seed {seed}")
            show(lines)
    print(f"random traces: {len(seeds)}, {rows} rows, {bad} differ")
    return bad


def show(lines):
    for line in lines[:8]:
        print(f"     {line[:600]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugate", nargs="?", default=os.environ.get("GPUGATE"))
    parser.add_argument("trace", nargs="*", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    args = parser.parse_intermixed_args()
    if not args.gpugate:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bad = random_traces(args.gpugate, range(args.seed, args.seed + args.count), folder)
        for path in args.trace or recordings("traces", "*.json*"):
            if path.name.startswith("nottrace-"):
                continue
            nr, lines = disagreements(args.gpugate, path, folder, keep=True)
            print(f"{'FAIL' if lines else 'ok  '} {path.name}: {nr} rows", flush=True)
            show(lines)
            bad += bool(lines)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
