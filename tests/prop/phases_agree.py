#!/usr/bin/env python3
"""Figures of phases equal those of a plain reference, to the nanosecond, and add up to the step's.

usage: phases_agree.py [GPUGATE] [--seed N] [--count N] [TRACE…]

Compares `gpugate metrics TRACE --json -` with what is written down here from the definition of phases
(docs/metrics.md): on random traces, then on the shared ones (or on the TRACEs given). Of each step the
phases, with what has no launch, must add up to step.cuda_time. A random trace that disagrees is named by
its seed: --seed N --count 1 makes it again. $GPUGATE is the program, without it the test is skipped
(exit 77); without $GPUGATE_SHARED it ends with the random traces.
"""
import argparse
import bisect
import collections
import decimal
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

NAMES = [("autograd::engine::evaluate_function", "backward"), ("Optimizer.step#", "optimizer"),
         ("enumerate(DataLoader)", "dataloader"), ("nccl:", "communication"), ("gloo:", "communication"),
         ("c10d::", "communication"), ("record_param_comms", "communication")]
COMM = ("nccl", "rccl", "msccl", "nvshmem", "cross_device_reduce", "oneccl", "deep_ep", "deepep")
GPU = {"kernel": "kernel", "gpu_memcpy": "memcpy", "memcpy": "memcpy", "gpu_memset": "memset", "memset": "memset"}
HOST, CALLS = ("user_annotation", "cpu_op", "operator"), ("cuda_runtime", "cuda_driver", "runtime")
METRICS = "cuda_time kernel_time memcpy_time memset_time compute_time comm_time kernel_count".split()


def ns(us):
    return int((decimal.Decimal(us) * 1000).to_integral_value(rounding=decimal.ROUND_HALF_UP))


def load(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as f:
        d = json.loads(f.read().decode("utf-8", "replace"), parse_float=decimal.Decimal)
    return d if isinstance(d, list) else d["traceEvents"]


class Trace:
    """What a trace says, in lists."""

    def __init__(self, events):
        self.spans, self.launches, self.gpu, self.steps = [], {}, [], []
        for e in events:
            if not isinstance(e, dict) or e.get("ph") != "X" or "ts" not in e:
                continue
            cat, name, args = str(e.get("cat", "")).lower(), str(e.get("name", "")), e.get("args") or {}
            start = ns(e["ts"])
            end = start + max(0, ns(e.get("dur", 0)))
            thread, id = (str(e.get("pid")), str(e.get("tid"))), args.get("correlation")
            if cat in GPU:
                self.gpu.append((GPU[cat], any(w in name.lower() for w in COMM), None if id is None else str(id), start, end))
            elif cat in CALLS and id is not None:
                if str(id) not in self.launches or start < self.launches[str(id)][0]:
                    self.launches[str(id)] = start, thread
            elif cat in HOST:
                self.spans += [(start, end, thread, phase) for prefix, phase in NAMES if name.startswith(prefix)]
                if name.startswith("ProfilerStep#"):
                    self.steps.append((start, end))
        self.steps.sort()

    def owners(self):
        """For each thread the disjoint intervals in which it is inside of a phase: of the outermost one. An
        optimizer that runs backward inside of itself is one from the end of that on."""
        backward = [(a, b) for a, b, _, p in self.spans if p == "backward"]
        out, order = collections.defaultdict(list), ["backward", "optimizer", "dataloader", "communication"]
        spans = []
        for a, b, thread, p in self.spans:
            if p == "optimizer":
                a = max([a] + [min(e, b) for s, e in backward if s < b and e > a])
            spans.append((a, -b, order.index(p), thread))
        for a, b, p, thread in sorted(spans):
            a = max(a, out[thread][-1][1] if out[thread] else a)
            if a < -b:
                out[thread].append((a, -b, order[p]))
        return out

    def step_of(self, at):
        """Index of the step that an instant is of: the one that began first."""
        return next((i for i, (a, b) in enumerate(self.steps) if a <= at < b), None)


def phases(trace):
    """phase -> metric -> value of each step; None is what no launch is known of. {} where none are known."""
    found = {p for *_, p in trace.spans}
    known = trace.gpu and sum(g[2] in trace.launches for g in trace.gpu) * 2 >= len(trace.gpu)
    if not found & {"backward", "optimizer"} or (trace.steps and not known):
        return {}
    found |= {"forward"} | ({"communication"} if any(g[1] for g in trace.gpu) else set())
    owners = trace.owners()
    sums = {p: {m: [0] * max(1, len(trace.steps)) for m in METRICS} for p in found | {None}}
    for kind, comm, id, start, end in trace.gpu:
        launch = trace.launches.get(id)
        if trace.steps:
            step = None if launch is None else trace.step_of(launch[0])
            if step is None:
                continue
        else:
            step = 0
        phase = None
        if comm:
            phase = "communication"
        elif launch:
            own = owners[launch[1]]
            i = bisect.bisect_right(own, (launch[0], float("inf"))) - 1
            phase = own[i][2] if i >= 0 and launch[0] < own[i][1] else "forward"
        parts = ["cuda_time"] + ([f"{kind}_time"] if kind != "kernel" else
                                 ["kernel_time", "comm_time" if comm else "compute_time"])
        for m in parts:
            sums[phase][m][step] += end - start
        sums[phase]["kernel_count"][step] += kind == "kernel"
    return sums


def differences(gpugate, path):
    done = subprocess.run([gpugate, "metrics", str(path), "--json", "-"], capture_output=True, check=False)
    if done.returncode:
        return 0, [done.stderr.decode("utf-8", "replace").strip()]
    told = json.loads(done.stdout.decode("utf-8"), parse_float=decimal.Decimal)
    want = phases(Trace(load(path)))
    have = {(r["phase"], r["metric"].removeprefix("step.")): [s["value"] for s in r["samples"]] for r in told["phases"]}
    expected = {(p, m): v for p, of in want.items() for m, v in of.items()
                if p and (m != "comm_time" or p == "communication")}
    lines = [f"{key}: reference {expected.get(key)}, program {have.get(key)}" for key in sorted(expected.keys() | have.keys())
             if expected.get(key) != have.get(key)]
    whole = next(([s["value"] for s in r["samples"]] for r in told["metrics"] if r["metric"] == "step.cuda_time"), None)
    if want and whole is not None:
        added = [sum(v) for v in zip(*[have[p, "cuda_time"] for p in want if p], want[None]["cuda_time"])]
        if added != whole:
            lines.append(f"the phases add up to {added}, the steps have {whole}")
    return len(expected), lines


def random_trace(seed):
    """Annotations of every phase that nest and overlap as they like, on threads that launch all the while."""
    rng, events = random.Random(seed), []
    horizon, threads = rng.choice([40, 400, 4000]), rng.choice([1, 2, 3])

    def add(cat, name, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": rng.randint(1, threads),
                       "ts": rng.randint(0, horizon * 10) / 10, "dur": dur / 10, "args": args})
        return events[-1]

    for i in range(rng.choice([0, 1, 3])):
        add("user_annotation", f"ProfilerStep#{i}", rng.randint(0, horizon * 5))
    for _ in range(rng.choice([0, 2, 10, 40])):
        add(rng.choice(HOST), rng.choice(NAMES)[0] + rng.choice(["", "x"]), rng.randint(0, horizon * rng.choice([1, 4])))
    for i in range(rng.choice([5, 40, 80])):
        if rng.random() < 0.9:
            add("cuda_runtime", "cudaLaunchKernel", 1, correlation=100 + i)
        for _ in range(rng.choice([1, 1, 1, 2])):
            add(rng.choice(["kernel", "kernel", "gpu_memcpy", "gpu_memset"]), rng.choice(["gemm", "ncclAllReduce"]),
                rng.randint(0, 90), correlation=rng.choice([100 + i] * 9 + [i]), device=0, stream=7)
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
            nr, lines = differences(args.gpugate, path)
            figures, told = figures + nr, told + (nr > 0)
            if lines:
                bad += 1
                print(f"FAIL seed {seed}", *lines[:5], sep="\n     ")
    print(f"random traces: {args.count}, {told} tell phases, {figures} comparisons, {bad} differ")
    shared = os.environ.get("GPUGATE_SHARED")
    paths = args.trace or sorted((pathlib.Path(shared) / "data" / "traces").rglob("*.json*") if shared else [])
    for path in paths:
        if path.name.startswith("nottrace-"):
            continue
        nr, lines = differences(args.gpugate, path)
        if nr or lines:
            print(f"{'FAIL' if lines else 'ok  '} {path.name}: {nr} comparisons", *lines[:5], sep="\n     ", flush=True)
        bad += bool(lines)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
