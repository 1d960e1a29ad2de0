#!/usr/bin/env python3
"""The digest of a rank stays below 100 KB, compressed, however large the recording is; one of thousands of steps below 250 KB.

usage: digest_size.py [GPUGATE] [FILE…]

Makes a trace of 2,000 collectives, 5,000 kernel names and 20,000 Python call paths in 100 steps and a snapshot of 900
sites, and digests both as one rank; everything must be in its rows or sums. Makes a trace of 5,000 steps of kernels, copies and
gaps of random times, whose figures must all be in the columns of its digest. Then digests every shared trace and snapshot
(or the FILEs given) and prints the sizes. Without $GPUGATE the test is skipped (exit 77), without $GPUGATE_SHARED it ends
with the generated rank. """
import argparse
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from _reference import recordings

LIMIT = 100_000     # bytes
MANY_LIMIT = 250_000 # bytes of a digest of MANY steps, whose columns are mostly noise
STEPS, COLLECTIVES, KERNELS, PATHS, SITES = 100, 2000, 5000, 20000, 900
MANY = 5000         # number of steps in the recording of a server
WORDS = "add mul copy cat mean pow rsqrt softmax embedding dropout gelu index view clone fill where sum".split()


def skewed(rng, nr, total):
    """`nr` durations in ns that add up to about `total`: 700 just large enough to be kept, and a long tail of small ones."""
    weights = [rng.uniform(0.9, 1.5) / (1 if i < 700 else 50) for i in range(nr)]
    return [max(1, int(w * total / sum(weights))) for w in weights]


def kernel_name(rng, i):
    """A kernel name, as long and as random as compilers make them."""
    words = "_".join(rng.choices(WORDS, k=5))
    if i % 2:
        return f"triton_poi_fused_{words}_{rng.getrandbits(40):x}_{i}"
    return (f"void at::native::(anonymous namespace)::{words}_kernel<{rng.randrange(512)}, {rng.randrange(16)}, "
            f"at::native::func_wrapper_t<c10::BFloat16, at::native::{rng.choice(WORDS)}_functor<{rng.getrandbits(32)}>"
            f", std::array<char*, {i}ul> >(int, unsigned int, char*, long)")


class Trace:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.events = []

    def add(self, cat, name, pid, tid, start, dur, args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": round(start / 1000, 3),
                            "dur": round(dur / 1000, 3), "args": args})

    def gpu(self, step_ns):
        rng, correlation = self.rng, 0
        names = [kernel_name(rng, i) for i in range(KERNELS)]
        durs = skewed(rng, KERNELS, STEPS * step_ns * 8 // 10)
        launches = [(i, (STEPS * k // n + i) % STEPS, d // n) for i, d in enumerate(durs)
                    for n in [min(STEPS, 1 + d // 20000)] for k in range(n)]
        launches += [(-1, i % STEPS, 40000 + rng.randrange(9000)) for i in range(COLLECTIVES)]
        by_step = [[] for _ in range(STEPS)]
        for i, step, dur in launches:
            by_step[step].append((i, dur))
        for step, row in enumerate(by_step):
            rng.shuffle(row)
            start, now = step * step_ns, step * step_ns
            self.add("user_annotation", f"ProfilerStep#{step}", 1, 1, start, step_ns - 1000, {})
            for i, dur in row:
                correlation += 1
                args = {"device": 0, "stream": 7, "correlation": correlation, "grid": [rng.randrange(1, 4096), 1, 1],
                        "block": [128, 1, 1], "est. achieved occupancy %": rng.randrange(100)}
                name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
                if i < 0:
                    size = rng.randrange(1 << 24)
                    args.update({"Collective name": "allreduce", "In msg nelems": size, "Out msg nelems": size, "Group size": 8,
                                 "dtype": "BFloat16", "Process Group Name": str(rng.randrange(3)),
                                 "Process Group Description": "default_pg"})
                else:
                    name = names[i]
                self.add("cuda_runtime", "cudaLaunchKernel", 1, 1, start + rng.randrange(step_ns // 2), 2000,
                         {"correlation": correlation})
                self.add("kernel", name, 0, 7, now, dur, args)
                self.add("cpu_op", f"aten::{rng.choice(WORDS)}_{rng.randrange(35)}", 1, 2, now, max(1000, dur), {})
                now += dur

    def python(self, window_ns):
        """A tree of calls with distinct paths, whose leaves take skewed times."""
        rng = self.rng
        parent = [None] + [rng.randrange(i) for i in range(1, PATHS)]
        below = skewed(rng, PATHS, window_ns)
        own = below[:]
        rng.shuffle(own)
        total = own[:]
        for i in range(PATHS - 1, 0, -1):
            total[parent[i]] += total[i]
        at = [0] * PATHS
        for i in range(PATHS):
            start = at[i] = at[parent[i]] if i else 0
            if i:
                at[parent[i]] += total[i]
            self.add("python_function", f"site/module_{rng.randrange(300)}/layer.py({i}): {rng.choice(WORDS)}_forward", 1, 3,
                     start, total[i], {"Python id": i + 1, "Python parent id": parent[i] + 1 if i else None})

    def write(self, path):
        step_ns = 40_000_000
        self.gpu(step_ns)
        self.python(STEPS * step_ns)
        with gzip.open(path, "wt", compresslevel=1) as f:
            json.dump({"distributedInfo": {"rank": 0, "world_size": 8}, "traceEvents": self.events}, f)


def write_snapshot(path, rng):
    """Blocks of many sites, never freed, whose sizes differ by up to a factor of two."""
    blocks, entries, address = [], [], 0x7F0000000000
    for i in range(SITES):
        size = 512 * rng.randrange(1000, 2000)
        frames = [{"filename": f"/srv/model/part_{i % 97}/{rng.choice(WORDS)}_{i}.py", "name": f"{rng.choice(WORDS)}_{i}",
                   "line": rng.randrange(2000)}]
        blocks.append({"address": address, "size": size, "requested_size": size, "state": "active_allocated", "frames": frames})
        entries.append({"action": "alloc", "addr": address, "size": size, "stream": 0, "time_us": i * 10, "frames": frames})
        address += size
    total = sum(b["size"] for b in blocks)
    segment = {"device": 0, "address": 0x7F0000000000, "total_size": total, "allocated_size": total, "active_size": total,
               "requested_size": total, "stream": 0, "segment_type": "large", "is_expandable": False, "blocks": blocks}
    with gzip.open(path, "wt", compresslevel=1) as f:
        json.dump({"segments": [segment], "device_traces": [entries]}, f)


def digest(gpugate, folder, *paths):
    """Digests the files; returns the compressed size of the result and its digests."""
    out = folder / "digest.json.gz"
    done = subprocess.run([gpugate, "digest", *map(str, paths), "-o", str(out)], capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"exit {done.returncode}: {done.stderr.strip()}")
    document = json.loads(gzip.decompress(out.read_bytes()))
    return out.stat().st_size, document.get("digests", [document])


def complaints(trace, snapshot, events):
    """Check that the digest of the generated rank lacks nothing."""
    gpu = [e for e in events if e["cat"] == "kernel"]
    python = [e for e in events if e["cat"] == "python_function"]
    expected = [
        ("collectives", COLLECTIVES, len(trace["collectives"])),
        ("kernels of all rows", KERNELS + 1, sum(k.get("names", 1) for k in trace["kernels"])),
        ("launches of all kernels", len(gpu), sum(k["count"] for k in trace["kernels"])),
        ("time of all kernels", sum(round(e["dur"] * 1000) for e in gpu), sum(k["total_ns"] for k in trace["kernels"])),
        ("call paths of all rows", PATHS, sum(f.get("names", 1) for f in trace["functions"] if f["cls"] == "python")),
        ("calls of all functions", len(python), sum(f["count"] for f in trace["functions"] if f["cls"] == "python")),
        ("bytes of all sites", snapshot["memories"][0]["peak_allocated"],
         sum(i["bytes"] for i in snapshot["memory_items"] if i["list"] == "peak")),
    ]
    return [f"{what}: {want} expected, {have} found" for what, want, have in expected if want != have]


def counts(digests):
    keys = "kernels ops functions threads collectives memory_items".split()
    return ", ".join(f"{sum(len(d.get(k, ())) for d in digests)} {k.replace('_', ' ')}" for k in keys)


def generated(gpugate, folder):
    trace = Trace(1)
    trace.write(folder / "rank0.json.gz")
    write_snapshot(folder / "rank0.snapshot.json.gz", trace.rng)
    size, digests = digest(gpugate, folder, folder / "rank0.json.gz", folder / "rank0.snapshot.json.gz")
    lines = complaints(next(d for d in digests if d.get("trace")), next(d for d in digests if d.get("snapshot")), trace.events)
    if size > LIMIT:
        lines.append(f"{size} bytes are more than {LIMIT}")
    print(f"{'FAIL' if lines else 'ok  '} generated: {size} bytes ({counts(digests)})")
    for line in lines:
        print(f"     {line}")
    return bool(lines)


def server_steps(rng):
    """Events of many steps, each with four kernels and a copy; and the figures of each step, in ns."""
    events, steps, correlation, now = [], [], 0, 1_000_000_000

    def add(cat, name, pid, tid, start, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start / 1000, "dur": dur / 1000, "args": args})

    for step in range(MANY):
        begin, figures = now, {"number": step + 3, "step.memcpy_time": 0, "step.kernel_time": 0}
        for k in range(5):
            correlation += 1
            copy, dur = k == 4, round(rng.gauss(400_000, 8000)) if k < 4 else rng.randrange(1000, 9000)
            add("cuda_runtime", "cudaMemcpyAsync" if copy else "cudaLaunchKernel", 1, 1, now, 5000, correlation=correlation)
            add("gpu_memcpy" if copy else "kernel", "Memcpy HtoD (Pinned -> Device)" if copy else f"k{k}", 0, 7, now + 8000, dur,
                correlation=correlation, device=0, stream=7)
            figures["step.memcpy_time" if copy else "step.kernel_time"] += dur
            now += dur + rng.randrange(12000, 30000)
        figures["step.cuda_time"] = figures["step.busy_time"] = figures["step.memcpy_time"] + figures["step.kernel_time"]
        figures["step.time"] = now - begin
        add("user_annotation", f"ProfilerStep#{step + 3}", 1, 1, begin, now - begin)
        steps.append(figures)
        now += rng.randrange(5000, 40000)
    return events, steps


def many_steps(gpugate, folder):
    events, steps = server_steps(random.Random(2))
    path = folder / "server.json.gz"
    with gzip.open(path, "wt", compresslevel=1) as f:
        json.dump({"traceEvents": events}, f)
    size, [document] = digest(gpugate, folder, path)
    columns = document["steps"]
    lines = [f"{key} of step {i}: {figures[key]} expected, {columns[key][i]} found" for i, figures in enumerate(steps)
             for key in figures if columns[key][i] != figures[key]][:5]
    if size > MANY_LIMIT:
        lines.append(f"{size} bytes are more than {MANY_LIMIT}")
    print(f"{'FAIL' if lines else 'ok  '} {MANY} steps: {size} bytes")
    for line in lines:
        print(f"     {line}")
    return bool(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugate", nargs="?", default=os.environ.get("GPUGATE"))
    parser.add_argument("file", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    if not args.gpugate:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bad += generated(args.gpugate, folder)
        bad += many_steps(args.gpugate, folder)
        for path in args.file or recordings("traces", "*.json*") + recordings("snapshots", "*.json*"):
            if path.name.startswith(("nottrace-", "chrome-counters")):
                continue
            size, digests = digest(args.gpugate, folder, path)
            print(f"{'FAIL' if size > LIMIT else 'ok  '} {path.name}: {size} bytes ({counts(digests)})")
            bad += size > LIMIT
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
