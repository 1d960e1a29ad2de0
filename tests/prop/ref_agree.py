#!/usr/bin/env python3
"""Figures equal those of the slow reference, to the nanosecond.

usage: ref_agree.py [GPUGATE] [--seed N] [--count N] [TRACE…]

Compares `gpugate metrics TRACE --json -` with oracle/ref.py of the shared data:
on every shared trace (or on the TRACEs given), then on small random traces. A
random trace that disagrees is named by its seed: --seed N --count 1 makes it
again. $GPUGATE is the program, $GPUGATE_SHARED for the shared data;
without either the test is skipped (exit 77).
"""
import argparse
import collections
import concurrent.futures
import contextlib
import decimal
import gzip
import hashlib
import importlib.util
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from _reference import differences, recordings

STEP_METRICS = (
    "time period latency period_compute period_exposed_comm period_exposed_memory idle_time cuda_time kernel_time memcpy_time"
    " memset_time compute_time comm_time busy_time span exposed_comm_time kernel_count memcpy_bytes launch_time sync_time sync_count"
    " dataloader_time").split()
REFERENCE_NAMES = {"idle_time": "period_idle"}  # {name in the program: name in the reference}, if they differ; the reference's idle_time is another figure
# If all values of a metric are 0, it may be absent: one of COMM_METRICS and CALL_METRICS always (calls may not be recorded), one of HOST_METRICS never,
# others in a run without GPU work. An activity that begins and ends at 0 is not timed, which the reference says only of clocks that begin later.
COMM_METRICS = {"comm_time", "exposed_comm_time"}
CALL_METRICS = {"launch_time", "sync_time", "sync_count"}
HOST_METRICS = {"time", "period", "latency", "dataloader_time"}
WINDOW_METRICS = ("busy_time", "idle_time", "compute_time", "non_compute_time")
MOST_KERNELS, SMALL = 400, 2000  # a digest lists at most MOST_KERNELS kernels by name, each with at least 1/SMALL of the kernel time
RANK_KEYS = ("gpu_events", "with_launch", "carried_over", "dropped", "unattributed", "attribution")


def load_ref(shared):
    """The reference as a module, whose functions are called: its main() would only print JSON."""
    spec = importlib.util.spec_from_file_location("ref", shared / "oracle" / "ref.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reference(ref, path):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        ref.main(str(path))
    return json.loads(out.getvalue(), parse_float=decimal.Decimal)


def reference_apart(shared, path):
    """The answer of the reference for one trace. It runs in a process of its own, so that several traces are read in
    parallel."""
    done = subprocess.run([sys.executable, str(shared / "oracle" / "ref.py"), str(path)],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout, parse_float=decimal.Decimal)


def program(gpugate, path):
    done = subprocess.run([gpugate, "metrics", str(path), "--json", "-"], capture_output=True)
    if done.returncode != 0:
        raise ValueError(f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return json.loads(done.stdout.decode("utf-8"), parse_float=decimal.Decimal)


def text(name):
    """A name as the program prints it: NUL, and bytes that are not UTF-8, as U+FFFD."""
    return name.encode("utf-8", "surrogatepass").decode("utf-8", "replace").replace("\0", "\ufffd")


def kernel_row(k):
    """A row as a list for comparison. Sums of small kernels begin with their number. A hash distinguishes names that differ
    only in unprintable bytes."""
    name = hashlib.sha256(text(k["name"]).encode()).hexdigest()[:12]
    return [k.get("names", 0), k["kind"], name, k["count"], k["total"], k["max"]]


def dropped_if_zero(key, has_gpu):
    """True if a step's metric may be absent when all its values are 0."""
    return key in COMM_METRICS | CALL_METRICS or (key not in HOST_METRICS and not has_gpu)


def view(attributes, steps, window, utilization, overlap, kernels, memory):
    """The values to compare. `steps`: {metric: [(step, value)]}, empty for a trace without steps."""
    out = {f"step.{key}": rows for key, rows in steps.items()
           if any(value for _, value in rows) or not dropped_if_zero(key, bool(kernels))}
    out |= {f"window.{key}": window[key] for key in WINDOW_METRICS}
    out |= {f"gpu.utilization_pct {device}": value for device, value in utilization.items()}
    out |= {} if overlap is None else {"comm.overlap_pct": overlap}
    out["rows of kernels"] = sorted(kernel_row(k) for k in kernels)
    return {**out, **memory, **attributes, "ranks": 1}


def step_values(steps, key):
    """Steps without a value, such as the first period of several, are left out, as the program does."""
    return [(row["step"], row[key]) for row in steps if row[key] is not None]


def of_reference(want):
    comm = sum(w["comm_union"] for w in want["window"].values())
    return view({key: want[key] for key in RANK_KEYS},
                {key: step_values(want["steps"], REFERENCE_NAMES.get(key, key)) for key in STEP_METRICS} if want["steps"] else {},
                {key: {d: w[key] for d, w in want["window"].items()} for key in WINDOW_METRICS},
                {d: w["period_utilization_pct"] for d, w in want["window"].items()},
                decimal.Decimal(100 * sum(w["overlap"] for w in want["window"].values())) / comm if comm else None,
                want["kernels"],
                {f"memory.{key}": {d: m[key] for d, m in want["memory"].items()} for key in ("peak_allocated", "peak_reserved")})


def of_program(have):
    by_name = collections.defaultdict(list)
    for row in have["metrics"]:
        by_name[row["metric"]].append(row)
    by_device = lambda name: {str(row["device"]): row["value"] for row in by_name[name]}
    rank, steps = have["ranks"][0], {}
    if rank["attribution"] != "none":
        steps = {key: [(s["step"], s["value"]) for row in by_name[f"step.{key}"][:1] for s in row["samples"]] for key in STEP_METRICS}
        steps = {key: rows for key, rows in steps.items() if rows}
    out = view({key: rank[key] for key in RANK_KEYS}, steps, {key: by_device(f"window.{key}") for key in WINDOW_METRICS},
               by_device("gpu.utilization_pct"), next((row["value"] for row in by_name["comm.overlap_pct"]), None), have["kernels"],
               {f"memory.{key}": by_device(f"memory.{key}") for key in ("peak_allocated", "peak_reserved")})
    return {**out, "ranks": len(have["ranks"])}



def same_kernels(want, have):
    """Check that the program's rows are those of the reference, except small kernels, which are in its sums."""
    rows = collections.Counter(tuple(k) for k in want)
    small = rows - collections.Counter(tuple(k) for k in have if not k[0])
    sums = [k for k in have if k[0]]
    left = sum((collections.Counter(tuple(k) for k in have if not k[0]) - rows).values())
    every = sum(k[4] for k in want if k[1] == "kernel")
    return (left == 0
            and [small.total(), sum(k[3] * n for k, n in small.items()), sum(k[4] * n for k, n in small.items())]
            == [sum(k[at] for k in sums) for at in (0, 3, 4)]
            and max((k[5] for k in small), default=0) == max((k[5] for k in sums), default=0)
            and (len(want) > MOST_KERNELS or all(k[1] == "kernel" and k[4] * SMALL < every for k in small)))


def same(what, want, have):
    """Compares texts of values; None means no value. Percentages may differ by 10^-6, since the two round differently. An absent
    percentage counts as 0. The overlap of communication may be absent on either side."""
    if what == "comm.overlap_pct" and None in (want, have):
        return True
    if what == "rows of kernels":
        return same_kernels(json.loads(want), json.loads(have))
    if "_pct" in what:
        want, have = (decimal.Decimal((v or "0").strip('"')) for v in (want, have))
        return abs(want - have) <= decimal.Decimal("0.000001")
    return want == have


# --- random traces ---

class Maker:
    """A small trace from a seed, with everything that real traces contain, and with odd values that they lack."""

    KERNELS = ["gemm", "ncclKernel_AllReduce", "void at::native::elementwise<int>", "triton_poi_fused_0",
               "RCCL_thing", "gemm_é", "copy\ud800", ""]
    CALLS = ["cudaLaunchKernel", "cudaGraphLaunch", "hipExtLaunchKernel", "cuLaunchCooperativeKernel",
             "cudaDeviceSynchronize", "hipStreamSynchronize", "cuEventSynchronize", "xcudaStreamSynchronize",
             "cudaMemcpyAsync", "cuCtxSynchronize_v2"]
    OPS = ["aten::add", "aten::mm", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "ProfilerStep",
           "xProfilerStep#1", "aten::linear"]

    def __init__(self, seed):
        self.rng = random.Random(seed)
        rng = self.rng
        self.base = rng.choice([1, 1000, 1700000000000000, 5000000000000])
        self.horizon = rng.choice([30, 300, 20000])
        self.digits = rng.choice([0, 0, 1, 3, 5])
        self.ids_as_text = rng.random() < 0.3
        self.events = []

    def time(self, low, high):
        value = decimal.Decimal(self.rng.randint(low * 10**self.digits, high * 10**self.digits)) / 10**self.digits
        return value

    def ident(self, value):
        return str(value) if self.ids_as_text and self.rng.random() < 0.5 else value

    def dur(self):
        rng = self.rng
        what = rng.random()
        if what < 0.1:
            return decimal.Decimal(0)
        if what < 0.15:
            return -self.time(0, 5)
        return self.time(0, max(1, self.horizon // rng.choice([3, 10, 50])))

    def event(self, cat, name, args=None, dur=None):
        rng = self.rng
        e = {"ph": "X", "cat": cat, "name": name, "pid": self.ident(rng.randint(1, 2) if cat in ("cpu_op", "operator") and "ProfilerStep" not in name else 1),
             "tid": self.ident(rng.randint(1, 3)), "ts": self.base + self.time(0, self.horizon)}
        if rng.random() < 0.95:
            e["dur"] = self.dur() if dur is None else dur
        if args is not None:
            e["args"] = args
        self.events.append(e)
        return e

    def steps(self):
        rng = self.rng
        nr = rng.choice([0, 0, 1, 2, 3, 5, 9])
        numbers = rng.sample(range(100), nr) if rng.random() < 0.7 else [rng.randint(0, 3) for _ in range(nr)]
        distinct = len(set(numbers)) == nr
        for i, number in enumerate(numbers):
            e = self.event(rng.choice(["user_annotation", "cpu_op", "Operator"]), f"ProfilerStep#{number}",
                           dur=self.time(0, max(1, self.horizon // rng.choice([1, 2, 4]))))
            if not distinct:    # the program joins markers of one number that have most of their time in common
                e["ts"] += 2 * i * self.horizon

    def host(self):
        rng = self.rng
        self.low = rng.choice([0, 5, 50])
        for _ in range(rng.choice([0, 5, 40, 80])):
            args = {}
            if rng.random() < 0.9:
                args["correlation"] = self.ident(rng.randint(self.low, self.low + 40) or 1)    # 0: not known
            elif rng.random() < 0.3:
                args["correlation"] = rng.choice([None, "x7", -3, 2**70])
            self.event(rng.choice(["cuda_runtime", "cuda_driver", "Runtime"]), rng.choice(self.CALLS), args)
        for _ in range(rng.choice([0, 10, 30])):
            self.event(rng.choice(["cpu_op", "Operator", "user_annotation"]), rng.choice(self.OPS))

    def gpu(self):
        rng = self.rng
        devices, streams = rng.choice([1, 1, 2, 4]), rng.choice([1, 2, 5])
        for _ in range(rng.choice([0, 1, 10, 60, 120])):
            cat = rng.choice(["kernel"] * 5 + ["Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "memset"])
            args = {"device": self.ident(rng.randrange(devices)), "stream": self.ident(rng.randrange(streams))}
            if rng.random() < 0.95:
                args["correlation"] = self.ident(rng.randint(max(0, self.low - 10), self.low + 50) or 1)
            elif rng.random() < 0.5:
                args["correlation"] = rng.choice([None, "x7", "x8", -3, -9, 2**70])
            if rng.random() < 0.1:
                del args["stream"]
            if "mem" in cat.lower() and rng.random() < 0.9:
                args[rng.choice(["bytes", "Bytes"])] = rng.choice([0, 1, 4096, 2**33])
            if cat == "kernel" and rng.random() < 0.8:
                args.update(grid=[rng.randint(1, 2), 1, 1], block=[64, 1, 1])
                args["est. achieved occupancy %"] = rng.choice([0, 12, 50.5])
            self.event(cat, rng.choice(self.KERNELS), args)

    def memory(self):
        rng = self.rng
        for _ in range(rng.choice([0, 0, 20])):
            args = {"Device Type": rng.choice([0, 1, 6]), "Device Id": rng.choice([-1, 0, 1, 2]),
                    "Total Allocated": rng.randint(0, 9) * 512, "Total Reserved": rng.randint(9, 12) * 512,
                    "Bytes": rng.randint(-512, 512), "Addr": 1}
            if rng.random() < 0.2:
                del args["Total Allocated"]
            self.events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1,
                                "tid": 1, "ts": self.base + self.time(0, self.horizon), "args": args})

    def noise(self):
        rng = self.rng
        for _ in range(rng.choice([0, 3])):
            self.events.append({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p"}})
            self.events.append({"ph": "X", "cat": "gpu_user_annotation", "name": "backward", "pid": 0,
                                "tid": 7, "ts": self.base, "dur": 3})
            self.events.append({"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 4, "pid": 1, "tid": 1, "ts": self.base})

    def write(self, path):
        self.steps()
        self.host()
        self.gpu()
        self.memory()
        self.noise()
        # an activity without a duration that begins with the recording, before its launch, is not timed
        gpu = lambda e: re.search("kernel|memcpy|memset", e["cat"], re.I)
        first = min((e["ts"] for e in self.events if e["ph"] == "X" and not gpu(e)), default=0)
        for e in self.events:
            if e["ph"] == "X" and gpu(e) and e.get("dur", 0) <= 0:
                e["ts"] = max(e["ts"], first + 1)
        self.rng.shuffle(self.events)
        document = self.events if self.rng.random() < 0.3 else {"schemaVersion": 1, "traceEvents": self.events}
        data = dumps(document).encode("ascii")
        with (gzip.open if path.suffix == ".gz" else open)(path, "wb") as f:
            f.write(data)


def dumps(value):
    """JSON in which a Decimal keeps its digits, as a profiler writes them."""
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {dumps(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumps, value)) + "]"
    return json.dumps(value)


# --- random and shared traces ---

def disagreements(gpugate, path, reference, keep=()):
    """Lines on differences between the program and the reference. `keep`: paths of the reference's source files. If they are given,
    a stored answer of the reference is used as long as neither these files nor the trace change."""
    try:
        return differences(keep, path, of_program(program(gpugate, path)), lambda: of_reference(reference(path)), bool(keep), same)
    except (ValueError, subprocess.CalledProcessError) as e:
        return [str(e)]


def show(lines):
    for line in lines[:10]:
        print(f"     {line[:500]}")


def shared_traces(gpugate, shared, paths):
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda p: disagreements(gpugate, p, lambda q: reference_apart(shared, q), [shared / "oracle" / "ref.py"]), paths)
        for path, lines in zip(paths, results):
            print(f"{'FAIL' if lines else 'ok  '} {path.parent.name}/{path.name}", flush=True)
            show(lines)
            bad += bool(lines)
    return bad


def random_traces(gpugate, ref, seeds):
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            path = pathlib.Path(folder) / f"seed{seed}.json{'.gz' if seed % 4 == 0 else ''}"
            Maker(seed).write(path)
            lines = disagreements(gpugate, path, lambda p: reference(ref, p))
            if lines:
                bad += 1
                print(f"FAIL seed {seed}")
                show(lines)
            path.unlink()
    print(f"random traces: {len(seeds)}, {bad} differ")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugate", nargs="?", default=os.environ.get("GPUGATE"))
    parser.add_argument("trace", nargs="*", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    args = parser.parse_intermixed_args()
    shared = os.environ.get("GPUGATE_SHARED")
    if not args.gpugate or not shared:
        print("skipped: needs $GPUGATE (the program) and $GPUGATE_SHARED (the shared data)")
        return 77
    shared = pathlib.Path(shared)
    bad = random_traces(args.gpugate, load_ref(shared), range(args.seed, args.seed + args.count))
    paths = args.trace or [p for p in recordings("traces", "*.json*") if not p.name.startswith("nottrace-")]
    bad += shared_traces(args.gpugate, shared, paths)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
