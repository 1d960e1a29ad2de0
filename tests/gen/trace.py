#!/usr/bin/env python3
"""Write a synthetic trace in the form of the PyTorch profiler (Kineto): one rank of a
transformer in bf16 training on an H100. The same options give the same bytes; the seed changes
durations by a few per cent and never the sequence of events.

  trace.py --seed 1 --out base.json.gz
  trace.py --seed 2 --out candidate.json.gz --slow-kernel '*flash_bwd*=1.3'

The parts, in the order of the file: the changes planted into the plan of a step (workload.py), the
machine that runs the plan (host threads, streams, memory), the writer.
"""
import argparse
import fnmatch
import functools
import gzip
import json
import random
import sys

from names import HOSTILE
from workload import NATIVE, WEIGHTS, Launch, step

# --- Changes that options plant into the plan of a step ------------------------------------------


def matches(plan, pattern):
    """Indices of the launches whose names match; a pattern that matches nothing is a mistake."""
    found = [i for i, l in enumerate(plan) if fnmatch.fnmatchcase(l.name, pattern)]
    return found or sys.exit(f"trace.py: no kernel matches '{pattern}'")


def plant(plan, o):
    """Applies the changes that the options ask for to the plan of a step."""
    for pattern, name in o.rename_kernel:
        for i in matches(plan, pattern):
            plan[i] = plan[i]._replace(name=name)
    for pattern in o.drop_kernel:
        gone = matches(plan, pattern)
        plan = [l for i, l in enumerate(plan) if i not in gone]
    names = [(name, float(us)) for name, us in o.new_kernel]
    if o.hostile_names:
        names += [(name, 9.0) for name in HOSTILE]
    if o.long_name:
        head = NATIVE + "elementwise_kernel<128, 4, "
        names.append((head + ("std::tuple<float> " * o.long_name)[: o.long_name - len(head) - 1] + ">", 9.0))
    middle = len(plan) // 2
    plan[middle:middle] = [Launch("kernel", name, us, "aten::planted", "autograd") for name, us in names]
    for pattern, nr in o.extra_launches:
        first = matches(plan, pattern)[0]
        plan[first:first] = [plan[first]._replace(keep=0, drop=0)] * int(nr)
    for pattern, factor in o.slow_kernel:
        for i in matches(plan, pattern):
            plan[i] = plan[i]._replace(us=plan[i].us * float(factor))
    return plan


# --- The simulated host and GPU, which run the plan of a step ------------------------------------


class Us(int):
    """A time in nanoseconds, which the writer of the trace prints in microseconds."""


PID, MAIN, AUTOGRAD, LOADER = 41172, 41172, 41390, 41401
CALLS = {"kernel": ("cudaLaunchKernel", 211), "memcpy": ("cudaMemcpyAsync", 41), "memset": ("cudaMemsetAsync", 51)}
START = 5834201773100123    # ns since baseTimeNanoseconds of the trace


class Machine:
    """Runs plans on two host threads and two streams, and records what the profiler would see."""

    def __init__(self, o):
        self.o, self.host, self.gpu, self.flows, self.memory = o, [], [], [], []
        self.now, self.free = START, {7: 0, 20: 0}
        self.correlation, self.external, self.index = 8200, 1, 0
        self.noise = {}
        self.base = int(WEIGHTS * o.peak_memory) // 512 * 512
        self.level, self.peak, self.blocks = self.base, self.base, []
        self.dropped_ns = self.lost_ns = self.gpu_ns = 0

    def jitter(self, what, mean_ns, spread):
        """A duration; every name has its own stream of noise, so that planted changes leave the others alone."""
        if what not in self.noise:
            self.noise[what] = random.Random(f"{self.o.seed}:{what!a}")
        return max(1, int(mean_ns * max(0.3, self.noise[what].gauss(1.0, spread))))

    def span(self, cat, name, tid, start, end, args):
        self.index += 1
        self.host.append({"ph": "X", "cat": cat, "name": name, "pid": PID, "tid": tid, "ts": Us(start),
                          "dur": Us(end - start), "args": {**args, "Ev Idx": self.index}})

    def annotate(self, name, start, end, tid=MAIN):
        self.external += 1
        self.span("user_annotation", name, tid, start, end, {"External id": self.external, "Record function id": 0})

    def runtime(self, name, cbid, tid, start, end, external=None):
        self.correlation += 1
        head = {} if external is None else {"External id": external}
        self.host.append({"ph": "X", "cat": "cuda_runtime", "name": name, "pid": PID, "tid": tid, "ts": Us(start),
                          "dur": Us(end - start), "args": {**head, "cbid": cbid, "correlation": self.correlation}})

    def allocate(self, nbytes, address=None):
        """Records a [memory] event; a negative size frees memory."""
        self.level += nbytes
        self.peak = max(self.peak, self.level)
        self.index += 1
        address = address or 0x7F5A40000000 + self.index * 512
        self.memory.append(({"Total Reserved": 0, "Total Allocated": self.level, "Bytes": nbytes, "Addr": address,
                             "Device Id": self.o.rank, "Device Type": 1, "Ev Idx": self.index}, self.now))
        return address

    def launch(self, l):
        tid = MAIN if l.thread == "main" else AUTOGRAD
        ops, spans = l.ops.split(">"), []
        for op in ops:
            spans.append(self.now)
            self.now += self.jitter("host", 1400, 0.15)
        if l.keep:
            size = int(l.keep * self.o.peak_memory) // 512 * 512
            self.blocks.append((size, self.allocate(size)))
        self.external += len(ops)
        call = self.now
        self.now += self.jitter("launch", 4200, 0.2)
        self.runtime(*CALLS[l.kind], tid, call, self.now, self.external)
        self.activity(l, call, tid)
        freed = int(l.drop * self.o.peak_memory)
        while self.blocks and freed >= self.blocks[-1][0]:
            size, address = self.blocks.pop()
            freed -= size
            self.allocate(-size, address)
        for i, op in enumerate(ops):
            end = self.now + 700 * (len(ops) - i)
            self.span("cpu_op", op, tid, spans[i], end, {"External id": self.external - len(ops) + 1 + i,
                                                         "Record function id": 0})
        self.now += 700 * len(ops) + 300

    def activity(self, l, call, tid, seen=True):
        """Records the GPU side of a launch, in the order of its stream; a collective comes after the work that it reduces."""
        stream = 20 if l.coll else 7
        dur = self.jitter(l.name, l.us * 1000, 0.012)
        start = max(call + self.jitter("latency", 5200, 0.1), self.free[stream] + 900, self.free[7] if l.coll else 0)
        if self.o.overlap and self.free[stream] > call:
            start = self.free[stream] - int(dur * self.o.overlap / 100)
        self.free[stream] = max(self.free[stream], start + dur)
        args = {"External id": self.external}
        place = {"device": self.o.rank, "context": 1, "stream": stream, "correlation": self.correlation}
        if l.kind == "kernel":
            warps = l.grid[0] * l.grid[1] * l.grid[2] * l.block[0] / 32 / 132
            resources = {"registers per thread": 64, "shared memory": 0} if not self.o.no_resources else {}
            resources.update({"registers per thread": int(nr) for pattern, nr in self.o.registers if fnmatch.fnmatchcase(l.name, pattern)})
            args.update({"queued": 0, **place, **resources,
                         "blocks per SM": round(warps * 32 / l.block[0], 6), "warps per SM": round(warps, 6),
                         "grid": list(l.grid), "block": list(l.block), "est. achieved occupancy %": min(100, int(warps * 100 / 64))})
        else:
            args.update({**place, "bytes": l.bytes, "memory bandwidth (GB/s)": round(l.bytes / dur, 6)})
        if l.coll:
            args.update({"Collective name": "allreduce", "In msg nelems": l.coll, "Out msg nelems": l.coll,
                         "Group size": self.o.world_size, "dtype": "BFloat16", "In split size": "[]", "Out split size": "[]",
                         "Process Group Name": "0", "Process Group Description": "default_pg",
                         "Process Group Ranks": str(list(range(self.o.world_size)))})
            self.annotate("nccl:all_reduce", call - 2000, self.now + 400, tid)
            self.gpu.append(self.event("gpu_user_annotation", "nccl:all_reduce", stream, start, dur, {"External id": self.external}))
        # Lost records are spread evenly over the trace: one is lost whenever the share of the lost
        # GPU time would else be too small.
        self.gpu_ns += dur if seen else 0
        if self.o.lost_kernels and self.lost_ns + dur // 2 <= self.gpu_ns * self.o.lost_kernels / 100:
            self.lost_ns += dur
            return
        if self.o.dropped and self.dropped_ns + dur // 2 <= self.gpu_ns * self.o.dropped / 100:
            self.dropped_ns += dur
            self.host.pop(-2 if l.coll else -1)
        self.gpu.append(self.event("kernel" if l.kind == "kernel" else "gpu_" + l.kind, l.name, stream, start, dur, args))
        self.flows.append(({"ph": "s", "id": self.correlation, "pid": PID, "tid": tid, "ts": Us(call)},
                           {"ph": "f", "id": self.correlation, "pid": self.o.rank, "tid": stream, "ts": Us(start)}))

    def event(self, cat, name, stream, start, dur, args):
        return {"ph": "X", "cat": cat, "name": name, "pid": self.o.rank, "tid": stream, "ts": Us(start), "dur": Us(dur), "args": args}

    def carry_over(self, plan):
        """Adds work from before the window, whose launches are not recorded; its ids are below all recorded ids."""
        for l in plan[-self.o.carried_over:] if self.o.carried_over else []:
            self.correlation += 1
            self.free[7] = max(self.free[7], self.now)
            self.activity(l._replace(coll=None), self.now - 5000, MAIN, seen=False)

    def step(self, number, plan, previous_end):
        start = self.now
        self.now += 21000
        loading = self.now
        self.now += self.jitter("loader", 310000, 0.25)
        self.annotate("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", loading, self.now)
        optimizing = None
        for i, l in enumerate(plan):
            if i == len(plan) // 4:     # the host waits for the loss of the previous step, so it runs one step ahead at most
                self.runtime("cudaEventSynchronize", 137, MAIN, self.now, max(self.now + 1800, previous_end + 2100))
                self.now = max(self.now + 1800, previous_end + 2100) + 500
            if l.ops.startswith("Optimizer.step"):
                optimizing = optimizing or self.now
            if optimizing and self.free[20] > self.free[7]:     # gradients are reduced before they are used
                self.free[7] = self.free[20]
            self.launch(l._replace(ops=l.ops.removeprefix("Optimizer.step#AdamW.step>")))
        if optimizing:
            self.annotate("Optimizer.step#AdamW.step", optimizing, self.now)
        for name, cbid in (("cudaFree", 22), ("cudaMalloc", 20)) if self.o.empty_cache else ():
            for _ in range(4):
                end = max(self.now + 400000, max(self.free.values()) if name == "cudaFree" else 0)  # cudaFree waits for the GPU
                self.runtime(name, cbid, MAIN, self.now, end)
                self.now = end + 1000
        while self.blocks:
            size, address = self.blocks.pop()
            self.allocate(-size, address)
        if not self.o.no_steps:
            self.annotate(f"ProfilerStep#{number}", start, self.now)
        self.now += 6000
        return max(self.free.values())


# --- The writer -------------------------------------------------------------------------------------

OLD_CATS = {"kernel": "Kernel", "gpu_memcpy": "Memcpy", "gpu_memset": "Memset", "cuda_runtime": "Runtime",
            "cpu_op": "Operator", "user_annotation": "Operator"}


@functools.cache
def text(s):
    try:
        s.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(s)    # a lone surrogate has no UTF-8 form, so it is written as an escape
    return json.dumps(s, ensure_ascii=False)


@functools.cache
def key(k):
    return f"{json.dumps(k)}: "


def value(v, o, lines=0, pad="\n"):
    """JSON as Kineto writes it: times with three decimals; on the outer `lines` levels each item is on its own line."""
    kind = type(v)
    if kind is int:
        return str(v)
    if kind is str:
        return text(v)
    if kind is Us:
        return str(v // 1000) if o.int_ts else f"{v // 1000}.{v % 1000:03d}"
    if not v or kind not in (dict, list):
        return json.dumps(v)
    inner = pad + "  " if lines else ""
    below = max(0, lines - 1)
    items = [key(k) + value(x, o, below, inner) for k, x in v.items()] if kind is dict else [value(x, o, below, inner) for x in v]
    first, last = "{}" if kind is dict else "[]"
    return first + inner + ("," + (inner or " ")).join(items) + (pad if lines else "") + last


def events(m, o):
    """All events in Kineto's order: host, GPU and runtime with their flows, labels, the window's end."""
    host = sorted((e for e in m.host if e["cat"] != "cuda_runtime"), key=lambda e: e["ts"])
    runtime = [e for e in m.host if e["cat"] == "cuda_runtime"]
    if o.no_launches:
        host, runtime = [e for e in host if e["cat"] == "user_annotation"], []
    memory = []
    if not o.no_memory:
        # Reserved memory is what the allocator held in the first step: the peak plus the fragmentation.
        reserved = int(m.peak / (1 - o.fragmentation / 100)) // 2097152 * 2097152 + 2097152
        for args, ts in m.memory:
            args["Total Reserved"] = reserved
            head = {} if o.old_cats else {"cat": "cpu_instant_event"}
            memory.append({"ph": "i", **head, "s": "t", "name": "[memory]", "pid": PID, "tid": MAIN, "ts": Us(ts), "args": args})
        for i in range(0, len(memory), 40):     # now and then memory of the host is allocated, too
            memory.append({**memory[i], "args": {"Total Reserved": 0, "Total Allocated": 65536 + i, "Bytes": 1024,
                                                 "Addr": 94200000000 + i, "Device Id": -1, "Device Type": 0, "Ev Idx": 0}})
    out = memory + host if o.memory_first else sorted(host + memory, key=lambda e: e["ts"])
    cat, name = ("async", "launch") if o.old_cats else ("ac2g", "ac2g")
    calls = {e["args"]["correlation"] for e in runtime}
    flows = [{**e, "cat": cat, "name": name, **({"bp": "e"} if e["ph"] == "f" else {})}
             for pair in m.flows if pair[0]["id"] in calls for e in pair]
    out += sorted(m.gpu + runtime + flows, key=lambda e: (e["ts"], e["ph"]))
    end = max(e["ts"] + e.get("dur", 0) for e in out)
    for pid, label, index in ((PID, "python3", 5), (o.rank, "python3", 16777216 + o.rank)):
        for what, args in (("process_name", {"name": label}), ("process_sort_index", {"sort_index": index}),
                           ("process_labels", {"labels": "CPU" if pid == PID else f"GPU {o.rank}"})):
            out.append({"name": what, "ph": "M", "ts": Us(START), "pid": pid, "tid": 0, "args": args})
    for tid in (MAIN, AUTOGRAD, LOADER):
        out.append({"name": "thread_name", "ph": "M", "ts": Us(START), "pid": PID, "tid": tid,
                    "args": {"name": f"thread {tid} (pt_main_thread)"}})
    out.append({"ph": "X", "cat": "Trace", "ts": Us(START), "dur": Us(end - START), "pid": "Spans", "tid": "PyTorch Profiler",
                "name": "PyTorch Profiler (0)", "args": {"Op count": 0}})
    out.append({"name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g", "pid": "Traces",
                "tid": "Trace PyTorch Profiler", "ts": Us(START)})
    out.append({"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": Us(end)})
    for e in out:
        shape(e, o)
    if o.shuffle:
        random.Random(f"{o.seed}:shuffle").shuffle(out)
    return out


def shape(e, o):
    """Changes an event to the form of an older or newer profiler, as the options ask."""
    if o.int_ts and "dur" in e:     # ends are rounded down to whole µs like starts, so that neighbors do not overlap
        e["dur"] = Us(((e["ts"] + e["dur"]) // 1000 - e["ts"] // 1000) * 1000)
    if o.old_cats:
        if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            e["tid"] = f"stream {e['tid']}"
        e["cat"] = OLD_CATS.get(e.get("cat"), e.get("cat"))
        if e["cat"] is None:
            del e["cat"]
    if o.string_ids and "stream" in e.get("args", {}):
        e["pid"], e["tid"] = str(e["pid"]), str(e["tid"])
        for key in ("device", "stream", "correlation"):
            e["args"][key] = str(e["args"][key])


def metadata(o):
    head = {"schemaVersion": 1, "deviceProperties": [
        {"id": i, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 84942979072, "computeMajor": 9, "computeMinor": 0,
         "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536, "warpSize": 32,
         "sharedMemPerBlock": 49152, "numSms": 132, "regsPerMultiprocessor": 65536, "sharedMemPerBlockOptin": 232448,
         "sharedMemPerMultiprocessor": 233472} for i in range(max(o.rank + 1, o.world_size))],
        "cupti_version": 24, "cuda_runtime_version": 12060, "cuda_driver_version": 12080, "profile_memory": int(not o.no_memory),
        "record_shapes": 0, "with_stack": 0, "with_flops": 0, "with_modules": 0,
        "distributedInfo": {"backend": "nccl", "rank": o.rank, "world_size": o.world_size, "pg_count": 1, "pg_config": [
            {"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": o.world_size,
             "ranks": list(range(o.world_size))}], "nccl_version": "2.21.5"}}
    if o.foreign_metadata:
        head = {"metadata": {"note": "] } , \" \\ traceEvents", "nested": [[{"traceEvents": [{"ph": "X", "cat": "kernel"}]}]],
                             "timestamp": 1767225600.25, "none": None, "on": True}, **head, "vendor": [1e3, -0.5, "\u00e9"]}
    tail = {"traceName": "trace.json", "displayTimeUnit": "ms", "baseTimeNanoseconds": 1767225600000000000 - START}
    return head, tail


def write(m, o):
    head, tail = metadata(o)
    rows = events(m, o)
    lines = 99 if o.indent else 1 if o.array else 2
    data = (value(rows if o.array else {**head, "traceEvents": rows, **tail}, o, lines) + "\n").encode("utf-8")
    with open(o.out, "wb") as f:
        if o.out.endswith(".gz"):
            with gzip.GzipFile("", "wb", 6, f, mtime=0) as z:
                z.write(data)
        else:
            f.write(data)


def pair(text):
    name, equals, number = text.rpartition("=")
    if not equals or not name or not number:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, number


def options(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--out", required=True, metavar="FILE", help="compressed where the name ends in .gz")
    p.add_argument("--steps", type=int, default=8)
    p.add_argument("--first-step", type=int, default=100)

    g = p.add_argument_group("planted changes (names as globs; each may be given several times)")
    g.add_argument("--slow-kernel", type=pair, action="append", default=[], metavar="GLOB=FACTOR")
    g.add_argument("--registers", type=pair, action="append", default=[], metavar="GLOB=N", help="per thread, in place of 64")
    g.add_argument("--new-kernel", type=pair, action="append", default=[], metavar="NAME=US", help="one launch per step")
    g.add_argument("--drop-kernel", action="append", default=[], metavar="GLOB")
    g.add_argument("--extra-launches", type=pair, action="append", default=[], metavar="GLOB=N",
                   help="N more launches per step of the first match")
    g.add_argument("--rename-kernel", type=pair, action="append", default=[], metavar="GLOB=NAME")
    g.add_argument("--peak-memory", type=float, default=1.0, metavar="FACTOR")
    g.add_argument("--fragmentation", type=float, default=3.0, metavar="PP", help="at the peak, in per cent")
    g.add_argument("--empty-cache", action="store_true", help="four segments are freed and allocated again in each step")
    g.add_argument("--long-name", type=int, default=0, metavar="N", help="one kernel with a name of N bytes")
    g.add_argument("--hostile-names", action="store_true", help="kernels whose names break careless writers")

    g = p.add_argument_group("what is recorded")
    g.add_argument("--no-memory", action="store_true", help="no [memory] events")
    g.add_argument("--no-resources", action="store_true", help="no registers and shared memory of kernels")
    g.add_argument("--no-steps", action="store_true", help="no ProfilerStep annotations")
    g.add_argument("--no-launches", action="store_true", help="no host events but annotations")
    g.add_argument("--carried-over", type=int, default=0, metavar="N", help="activities launched before the window")
    g.add_argument("--dropped", type=float, default=0, metavar="PCT", help="GPU time whose launch records are lost")
    g.add_argument("--lost-kernels", type=float, default=0, metavar="PCT", help="GPU time whose activity records are lost")
    g.add_argument("--overlap", type=float, default=0, metavar="PCT", help="GPU time that overlaps on one stream")
    g.add_argument("--short-last-step", action="store_true", help="recording ends within the last step")

    g = p.add_argument_group("distributed")
    g.add_argument("--rank", type=int, default=0)
    g.add_argument("--world-size", type=int, default=1)
    g.add_argument("--nccl", action="store_true", help="gradients are all-reduced, the last of them exposed")

    g = p.add_argument_group("form")
    g.add_argument("--array", action="store_true", help="the bare array of events")
    g.add_argument("--int-ts", action="store_true", help="whole microseconds")
    g.add_argument("--string-ids", action="store_true", help="device, stream and correlation as strings on the GPU side")
    g.add_argument("--old-cats", action="store_true", help="the categories of 2021")
    g.add_argument("--shuffle", action="store_true", help="events in no order")
    g.add_argument("--indent", action="store_true", help="a line for every value")
    g.add_argument("--memory-first", action="store_true", help="[memory] events before all others")
    g.add_argument("--foreign-metadata", action="store_true", help="foreign keys, among them a decoy, before traceEvents")
    return p.parse_args(argv)


def main(argv=None):
    o = options(argv)
    plan = plant(step(o.nccl), o)
    m = Machine(o)
    m.carry_over(plan)
    end = 0
    for i in range(o.steps):
        short = o.short_last_step and i == o.steps - 1
        end = m.step(o.first_step + i, plan[: len(plan) * 3 // 10] if short else plan, end)
    m.runtime("cudaDeviceSynchronize", 165, MAIN, m.now, max(m.now + 2000, end + 2000))
    write(m, o)


if __name__ == "__main__":
    main()
