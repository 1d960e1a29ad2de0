#!/usr/bin/env python3
"""Write a synthetic trace in the form of JAX (trace.json.gz) or of XProf's trace viewer: a jitted
training step on one or more GPUs of one process. The same options give the same bytes; the seed
changes durations by a few per cent and never the sequence of events.

  xprof.py --seed 1 --out jax.trace.json.gz
  xprof.py --seed 1 --gpus 2 --derived --out xprof.trace.json.gz

JAX's own files have the streams of the GPUs and the threads of the host, where a step is what was
annotated with step_num; --derived adds the lines that XProf makes of them: steps, modules, ops.

Source: TraceContainerToJson() of xla/tsl/profiler/convert/trace_events_to_json.cc,
TraceEventsToJson() of xprof/convert/trace_viewer/trace_events_to_json.h, derived_timeline.cc of
openxla/xprof, cupti_collector.cc of openxla/xla, all of 2026.
"""
import argparse
import gzip
import json
import random

FIRST_GPU, HOST, MAIN, POOL = 1, 701, 4711, 4800
DERIVED = 0xDEADBEEF
LINES = {"Steps": DERIVED, "Launch Stats": DERIVED + 1, "Framework Name Scope": DERIVED + 2,
         "Framework Ops": DERIVED + 3, "XLA Modules": DERIVED + 4, "XLA Ops": DERIVED + 5}
COMPUTE, COPY, COMM = 13, 14, 21
# GPU work of one step, in order: name, µs, stream, grid, block, occupancy, HLO op
PLAN = [
    ("MemcpyH2D", 40, COPY, None, None, 4194304, "copy.1"),
    ("Memset 2", 2, COMPUTE, None, None, 8192, "memset.1"),
    ("loop_add_fusion_3", 25, COMPUTE, "512,1,1", "256,1,1", "100", "loop_add_fusion.3"),
    ("void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_bf16_256x128>(Params)", 310, COMPUTE, "96,1,1", "256,1,1",
     "16.6667", "gemm_fusion_dot.7"),
    ("input_reduce_fusion_5", 18, COMPUTE, "64,1,1", "128,1,1", "93.75", "input_reduce_fusion.5"),
    ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 120, COMM, "24,1,1", "544,1,1",
     "25", "all-reduce-start.2"),
    ("loop_multiply_fusion_9", 33, COMPUTE, "256,4,1", "32,8,1", "100", "loop_multiply_fusion.9"),
    ("MemcpyD2H", 5, COPY, None, None, 4, "copy.2"),
]


class Device:
    """One GPU: the times at which its streams are free, and the activities that ran on it."""

    def __init__(self):
        self.free, self.ran = {COMPUTE: 0, COPY: 0, COMM: 0}, []


class Job:
    """A recording in progress; times are in picoseconds since the profiler began."""

    def __init__(self, o):
        self.o, self.rng = o, random.Random(o.seed)
        self.devices = [Device() for _ in range(o.gpus)]
        self.host, self.now, self.correlation = [], 1_000_000_000, 100
        for step in range(o.first_step, o.first_step + o.steps):
            self.step(step)

    def noise(self, us):
        return int(us * 1_000_000 * self.rng.uniform(0.97, 1.03)) // 1000 * 1000

    def call(self, tid, name, us, **args):
        self.host.append((tid, name, self.now, self.noise(us), args))
        self.now += self.host[-1][3]

    def step(self, number):
        begin, group = self.now, number - self.o.first_step
        self.now += 3_000_000
        for d, gpu in enumerate(self.devices):
            for name, us, stream, grid, block, what, op in PLAN:
                us = us * self.o.slow if self.o.slow_kernel and self.o.slow_kernel in name else us
                self.correlation += 1
                call = "cuLaunchKernel" if grid else "cuMemsetD8Async" if "Memset" in name else f"cuMemcpy{name[6]}to{name[8]}Async_v2"
                self.call(MAIN if d == 0 else POOL + d, call, 4, context_id="$$1", correlation_id=self.correlation,
                          device_id=d, group_id=group)
                start = max(self.now + 2_000_000, gpu.free[stream])
                gpu.free[stream] = start + self.noise(us)
                gpu.ran.append((stream, name, start, gpu.free[stream] - start, group, self.correlation, grid, block, what, op))
        self.call(MAIN, "PjRtCApiBuffer::Await", 30)
        done = max(max(gpu.free.values()) for gpu in self.devices)
        self.correlation += 1
        self.host.append((MAIN, "cuStreamSynchronize", self.now, max(done - self.now, 0) // self.o.lag + 1_000_000,
                          {"context_id": "$$1", "correlation_id": self.correlation, "device_id": 0, "group_id": group}))
        self.now += self.host[-1][3] + 2_000_000
        name = f"train {number}" if self.o.derived else "train"
        self.host.append((MAIN, name, begin, self.now - begin, {"group_id": group, "step_name": name, "step_num": number}))
        self.host.append((MAIN, "$train.py:31 train_step", begin + 1_000_000, self.now - begin - 2_000_000, {}))
        self.now += 20_000_000

    def activities(self, d):
        """Returns events for the activities on the streams of a GPU."""
        for stream, name, start, dur, group, correlation, grid, block, what, op in self.devices[d].ran:
            args = {"context_id": "$$1", "correlation_id": correlation, "hlo_module": "jit_train_step", "hlo_op": op}
            if grid:
                args |= {"kernel_details": f"regs:32 static_shared:0 dynamic_shared:0 grid:{grid} block:{block} occ_pct:{what}",
                         "theoretical_occupancy_pct": what}
            elif "Memcpy" in name:
                src, dst = ("pinned", "device") if name[6] == "H" else ("device", "pinned")
                args["memcpy_details"] = f"kind_src:{src} kind_dst:{dst} size:{what} dest:0 async:1"
            else:
                args["Memset_details"] = f"kind:device num_bytes:{what} async:1"
            yield stream, name, start, dur, args | ({"group_id": group} if self.o.derived else {})
        yield 0, "Memory Device", 0, self.now, {"MemoryResidency_details": "kind:device num_bytes:1048576 addr:0x7f00"}

    def lines(self, d):
        """Returns events of the derived lines of a GPU. An event is extended by the next one with the same name and group,
        unless another event has begun in between."""
        rows = {name: [] for name in LINES}
        for stream, _, start, dur, group, _, grid, _, _, op in sorted(self.devices[d].ran, key=lambda a: (a[2], -a[3])):
            parts = [("Steps", f"train {group + self.o.first_step}", {"step_name": f"train {group + self.o.first_step}"})]
            if grid:
                parts += [("XLA Modules", "jit_train_step(7)", {}), ("XLA Ops", op, {"long_name": f"jit_train_step/{op}"}),
                          ("Framework Ops", "dot_general", {}), ("Framework Name Scope", "jit(train_step)", {})]
            for line, name, args in parts:
                last = rows[line][-1] if rows[line] else None
                if last and last[1] == name and last[4]["group_id"] == group:
                    last[3] = max(last[3], start + dur - last[2])
                else:
                    rows[line].append([LINES[line], name, start, dur, args | {"group_id": group}])
        return [tuple(row) for line in rows.values() for row in line]


def us(ps):
    """Picoseconds as the microseconds that writers print: a double with at most 17 digits."""
    return json.loads(f"{ps / 1e6:.17g}")


def label(what, name, pid, tid=None):
    return {"ph": "M", "pid": pid, **({} if tid is None else {"tid": tid}), "name": what, "args": {"name": name}}


def events(job):
    o = job.o
    prefix = "node7 " if o.viewer else ""
    names, rows = [], []
    for d in range(o.gpus):
        pid = FIRST_GPU + d
        names.append(label("process_name", f"{prefix}/device:GPU:{d}", pid))
        names.append({"ph": "M", "pid": pid, "name": "process_sort_index", "args": {"sort_index": pid}})
        threads = {0: "Stream #0(MemoryResidency)", COMPUTE: f"Stream #{COMPUTE}(Compute,Memset)",
                   COPY: f"Stream #{COPY}(MemcpyD2H,MemcpyH2D)", COMM: f"Stream #{COMM}(Compute)"}
        if o.derived:
            threads |= {tid: line for line, tid in LINES.items()}
        for tid, line in threads.items():
            names.append(label("thread_name", line, pid, tid))
            names.append({"ph": "M", "pid": pid, "tid": tid, "name": "thread_sort_index", "args": {"sort_index": tid}})
        rows += [(pid, *e) for e in job.activities(d)]
        if o.derived:
            rows += [(pid, *e) for e in job.lines(d)]
    names.append(label("process_name", f"{prefix}/host:CPU", HOST))
    for tid in sorted({e[0] for e in job.host}):
        names.append(label("thread_name", "python" if tid == MAIN else f"pool/{tid}", HOST, tid))
    if not o.no_host:
        rows += [(HOST, *e) for e in job.host if not o.no_steps or "step_num" not in e[4]]
    for pid, tid, name, start, dur, args in rows:
        if not o.derived:
            args = {k: v for k, v in args.items() if k not in ("group_id", "step_name")}
        e = {"ph": "X", "pid": pid, "tid": tid, "ts": us(start), "dur": us(max(dur, 1)), "name": name}
        if args:
            e["args"] = {k: v if o.viewer else str(v) for k, v in sorted(args.items())}
        if o.viewer:    # XProf's trace viewer writes the keys in another order, and gives launches a category
            e = {k: e[k] for k in ("pid", "tid", "name", "ts", "dur")} | {"cat": "gpu_launch"} | \
                {k: e[k] for k in ("ph", "args") if k in e} | {"z": len(names)}
        names.append(e)
    return names if o.viewer else names + [{}]


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", required=True, help="file; gzip where it ends in .gz")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--gpus", type=int, default=1)
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--first-step", type=int, default=10)
    p.add_argument("--lag", type=int, default=1, help="a step waits for so small a part of what its GPUs still do")
    p.add_argument("--derived", action="store_true", help="with the lines that XProf derives")
    p.add_argument("--viewer", action="store_true", help="as the trace viewer writes it")
    p.add_argument("--no-host", action="store_true", help="without events of the host")
    p.add_argument("--no-steps", action="store_true", help="without annotations of steps")
    p.add_argument("--slow-kernel", help="part of the name of a kernel that takes longer")
    p.add_argument("--slow", type=float, default=1.5, help="… so many times as long")
    o = p.parse_args(argv)
    document = {"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}}
    if o.viewer:
        document |= {"codeLink": "", "useNewBackend": False, "returnedEventsSize": 0, "filteredByVisibility": False,
                     "fullTimespan": [0, 1]}
    document["traceEvents"] = events(Job(o))
    data = json.dumps(document, separators=(",", ":")).encode()
    if o.out.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    with open(o.out, "wb") as f:
        f.write(data)


if __name__ == "__main__":
    main()
