#!/usr/bin/env python3
"""Write the traces of all ranks of one training job, DIR/rank<N>.json.gz, in the form of the
PyTorch profiler. The ranks are simulated together: a collective begins on each rank when its
host, its stream and its compute allow, and ends on all of them when the last to come has had
its transfer. So a slow rank makes the others wait. The same options give the same bytes.

  ranks.py --ranks 4 --steps 5 --seed 1 --slow-rank 2=1.3 --late-rank 1=500 --out DIR

Planted faults (ranks, steps and collectives count from 0; the noise does not change with them):

  --slow-rank R=F          compute kernels of R take F times as long
  --late-rank R=US         R waits US longer for its data in each step
  --slow-link R=F          collectives of R's groups take F times the transfer; R's own kernel
                           ends F - 1 transfers after the others'
  --lose-rank R            R takes part, but there is no file of it
  --cut-rank R=S           the trace of R ends half way through its step S
  --skip-collective R=S:N  a hang: R never comes to collective N of its step S and stops there; on
                           the others that kernel and all that waits for it never end

With --groups N every N neighbors are a process group of their own, too. As PyTorch does, the
groups have one description and names of their own. --stats prints what was simulated as JSON:
per rank its compute, its waiting and how often it alone came last, and every transfer, in ns.
"""
import argparse
import json
import os
import random

import trace
from trace import HOSTILE, START, Us
from workload import ADAM, NORM, TOKENS, Launch

NEVER = 1 << 62
MAIN, AUTOGRAD = trace.MAIN, trace.AUTOGRAD
ELEMENTS = 4 << 20
STORAGE = "(ncclDevKernelArgsStorage<4096ul>)"
#         what          name in arguments       annotation                 kernel                          factor of the bytes
KINDS = {
    "allgather": ("_allgather_base", "nccl:_all_gather_base", "ncclDevKernel_AllGather_RING_LL" + STORAGE, 1),
    "reducescatter": ("_reduce_scatter_base", "nccl:_reduce_scatter_base",
                      "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL" + STORAGE, 1),
    "allreduce": ("allreduce", "nccl:all_reduce", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL" + STORAGE, 2),
    "alltoall": ("all_to_allv", "nccl:all_to_all", "ncclDevKernel_SendRecv" + STORAGE, 1),
}


class Group:
    """A process group: its ranks, in order, and its names in PyTorch."""

    def __init__(self, name, description, ranks):
        self.name, self.description, self.ranks = name, description, ranks


class Collective:
    """One collective of the plan; `wait` makes the compute after it wait for it."""

    def __init__(self, kind, elements, wait, level=0, thread="main"):
        self.kind, self.elements, self.wait, self.level = kind, elements, wait, level
        self.tid = MAIN if thread == "main" else AUTOGRAD


def gemm(us, thread="main"):
    return Launch("kernel", "nvjet_tst_256x128_64x4_2x1_v_bz_coopA_bias_TNT", us, "aten::linear>aten::addmm", thread,
                  (132, 1, 1), (384, 1, 1))


def plan(o):
    """The work of one step on every rank: sharded layers, whose weights are gathered before use, and whose gradients
    are scattered while the next layer computes."""
    rows = [Launch("memcpy", "Memcpy HtoD (Pinned -> Device)", 5.1, "aten::to>aten::copy_", bytes=TOKENS * 8)]
    for _ in range(o.layers):
        rows += [Collective("allgather", ELEMENTS, True), Launch("kernel", NORM, 15.2, "aten::native_layer_norm"),
                 gemm(186.0), gemm(212.0)]
        if o.groups:
            rows.append(Collective("allreduce", ELEMENTS // 4, True, 1))
    for _ in range(o.layers):
        rows += [gemm(390.0, "autograd"), gemm(401.0, "autograd"),
                 Collective("reducescatter", ELEMENTS, False, 0, "autograd")]
    if o.all_to_all:
        rows.append(Collective("alltoall", ELEMENTS // 8, True))
    rows.append(Collective("allreduce", 4, True))
    rows.append(Launch("kernel", ADAM, 171.2, "aten::_fused_adamw_", grid=(320, 1, 1), block=(512, 1, 1)))
    if o.hostile_names:
        # what has no name takes less than the share from which on times are not believed
        rows += [Launch("kernel", name, 90.0 if name else 9.0, name or "aten::planted") for name in HOSTILE]
    return rows


class Rank(trace.Machine):
    """One rank of the job. Times are those of the job; the offset of the rank's own clock is added when the trace is written."""

    def __init__(self, o, rank, factor, late_us):
        super().__init__(o)
        self.rank, self.factor, self.late_ns = rank, factor, int(late_us * 1000)
        self.steps, self.compute_ns, self.wait_ns, self.last = [], 0, 0, 0
        self.stopped = False

    def begin(self):
        self.steps.append(self.now)
        loading = self.now + 21000
        self.now = loading + self.jitter("loader", 110000, 0.05) + self.late_ns
        self.annotate("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", loading, self.now)

    def activity(self, l, call, tid, seen=True):
        slow = self.factor if l.kind == "kernel" else 1.0
        dur = self.jitter(l.name, l.us * 1000, 0.012)
        start = max(call + self.jitter("latency", 5200, 0.1), self.free[7] + 900)
        dur = int(dur * slow)
        self.free[7] = min(NEVER, start + dur)
        if start < NEVER:
            self.compute_ns += dur if l.kind == "kernel" else 0
            self.record(l.kind, l.name, 7, call, tid, start, dur,
                        {"grid": list(l.grid), "block": list(l.block)} if l.kind == "kernel" else {"bytes": l.bytes})

    def record(self, kind, name, stream, call, tid, start, dur, args):
        place = {"External id": self.external, "device": self.o.rank, "context": 1, "stream": stream,
                 "correlation": self.correlation}
        self.gpu.append(self.event("kernel" if kind == "kernel" else "gpu_" + kind, name, stream, start, dur, {**place, **args}))
        self.flows.append(({"ph": "s", "id": self.correlation, "pid": trace.PID, "tid": tid, "ts": Us(call)},
                           {"ph": "f", "id": self.correlation, "pid": self.o.rank, "tid": stream, "ts": Us(start)}))

    def arrive(self, c, group):
        """Records the host's side of a collective, and returns when this rank is ready for it."""
        called, marked, kernel, _ = KINDS[c.kind]
        args = {"Collective name": called, "In msg nelems": c.elements, "Out msg nelems": c.elements,
                "Group size": len(group.ranks), "dtype": "BFloat16", "In split size": "[]", "Out split size": "[]",
                "Process Group Name": group.name, "Process Group Description": group.description,
                "Process Group Ranks": str(group.ranks[:30])}
        grown = {"allgather": "Out msg nelems", "reducescatter": "In msg nelems"}.get(c.kind)
        if grown:
            args[grown] *= len(group.ranks)
        begin = self.now
        self.now += self.jitter("host", 9000, 0.1)
        call = self.now
        self.now += self.jitter("launch", 4200, 0.2)
        self.external += 2
        self.runtime("cudaLaunchKernelExC", 430, c.tid, call, self.now, self.external)
        self.span("user_annotation", marked, c.tid, begin + 3000, self.now + 800, {"External id": self.external})
        self.span("cpu_op", "record_param_comms", c.tid, begin, self.now + 1200,
                  {"External id": self.external - 1, **({} if self.o.no_arguments else args)})
        self.now += 1500
        ready = max(call + self.jitter("latency", 5200, 0.1), self.free[7], self.free[20] + 900)
        self.pending = c, kernel, call, ready, {} if self.o.no_arguments else args
        return ready

    def finish(self, end, wait_ns):
        c, kernel, call, ready, args = self.pending
        self.free[20] = min(NEVER, end)
        if c.wait:
            self.free[7] = max(self.free[7], self.free[20])
        if end < NEVER:
            self.wait_ns += wait_ns
            self.record("kernel", kernel, 20, call, c.tid, ready, end - ready, {"grid": [16, 1, 1], "block": [544, 1, 1], **args})

    def end(self, number):
        """Lets the host wait for its GPU at the end of a step; a host that waits forever does nothing more."""
        done = max(self.free.values())
        self.stopped |= done >= NEVER
        if not self.stopped:
            self.runtime("cudaDeviceSynchronize", 165, MAIN, self.now, max(self.now + 2000, done + 2000))
            self.now = max(self.now + 2000, done + 2000)
        self.annotate(f"ProfilerStep#{number}", self.steps[-1], self.now)
        if self.o.python:
            self.frames(self.steps[-1], self.now)
        self.now += 6000

    def frames(self, start, end):
        """Records the tree of Python calls of a step."""
        parent = None
        for depth, name in enumerate(("train.py(12): main", "torch/nn/modules/module.py(1739): _call_impl", "nn.Module: Block_0",
                                      "model.py(88): forward", "<built-in method linear of type object at 0x7f2c9a5d10c0>")):
            self.index += 1
            edge = (end - start) * depth // 20
            self.host.append({"ph": "X", "cat": "python_function", "name": name, "pid": trace.PID, "tid": MAIN,
                              "ts": Us(start + edge), "dur": Us(end - start - 2 * edge),
                              "args": {"Python parent id": parent, "Python id": self.index, "Ev Idx": self.index}})
            parent = self.index

    def cut(self, step):
        """Removes events that had not ended half way through a step."""
        at = (self.steps[step] + (self.steps + [self.now])[step + 1]) // 2
        for e in self.host:
            if e["name"].startswith("ProfilerStep#") and e["ts"] < at < e["ts"] + e["dur"]:
                e["dur"] = Us(at - e["ts"])
        self.host, self.gpu = ([e for e in side if e["ts"] + e["dur"] <= at] for side in (self.host, self.gpu))
        known = {e["args"]["correlation"] for e in self.gpu}
        self.flows = [f for f in self.flows if f[0]["id"] in known]

    def shift(self, skew):
        for e in self.host + self.gpu + [e for pair in self.flows for e in pair]:
            e["ts"] = Us(e["ts"] + skew)


class Job:
    """All ranks of the job, and the collectives between them."""

    def __init__(self, o):
        self.o, self.plan, self.noise, self.transfers = o, plan(o), random.Random(f"{o.seed}:wire"), []
        slow, late = dict(o.slow_rank), dict(o.late_rank)
        self.ranks = [Rank(trace_options(o, r), r, slow.get(r, 1.0), late.get(r, 0.0)) for r in range(o.ranks)]
        everyone = list(range(o.ranks))
        self.groups = [[Group("0", HOSTILE[0] if o.hostile_names else "default_pg", everyone)]]
        size = o.groups or o.ranks
        self.groups.append([Group(str(1 + i // size), "mesh_tp", everyone[i:i + size]) for i in range(0, o.ranks, size)])
        self.links, self.skips = dict(o.slow_link), {r: place for r, place in o.skip_collective}

    def collective(self, c, place):
        for group in self.groups[c.level]:
            transfer = int((8000 + c.elements * 2 * KINDS[c.kind][3] * 8 / 1600) * self.noise.gauss(1.0, 0.01))
            transfer = int(transfer * max(self.links.get(r, 1.0) for r in group.ranks))
            ready = {}
            for r in group.ranks:
                rank = self.ranks[r]
                rank.stopped |= self.skips.get(r) == place
                ready[r] = NEVER if rank.stopped else rank.arrive(c, group)
            last = max(ready.values())
            latest = [r for r in group.ranks if ready[r] == last]
            if last < NEVER:
                self.transfers.append(transfer)
                self.ranks[latest[0]].last += len(latest) == 1
            for r in group.ranks:
                behind = int(transfer * (1 - 1 / self.links[r])) if r in self.links else 0
                if not self.ranks[r].stopped:
                    self.ranks[r].finish(last + transfer + behind, last - ready[r])

    def run(self):
        for step in range(self.o.steps):
            going = [r for r in self.ranks if not r.stopped]
            for r in going:
                r.begin()
            nr = 0
            for item in self.plan:
                if isinstance(item, Collective):
                    self.collective(item, (step, nr))
                    nr += 1
                    continue
                for r in self.ranks:
                    if not r.stopped:
                        r.launch(item)
            for r in going:
                r.end(self.o.first_step + step)

    def write(self):
        clock = random.Random(f"{self.o.seed}:clock")
        for rank, step in self.o.cut_rank:
            self.ranks[rank].cut(step)
        os.makedirs(self.o.out, exist_ok=True)
        for r in self.ranks:
            skew = int(clock.uniform(-1, 1) * self.o.clock_skew * 1000)
            if r.rank not in self.o.lose_rank:
                r.shift(skew)
                trace.write(r, r.o)

    def stats(self):
        return {"transfer_ns": self.transfers, "ranks": [
            {"rank": r.rank, "compute_ns": r.compute_ns, "wait_ns": r.wait_ns, "last": r.last} for r in self.ranks]}


def trace_options(o, rank):
    """The options of trace.py's writer for one rank."""
    return argparse.Namespace(
        seed=f"{o.seed}:{rank}", out=os.path.join(o.out, f"rank{rank}.json{'' if o.plain else '.gz'}"), rank=rank,
        world_size=o.ranks, peak_memory=1.0, fragmentation=3.0, no_memory=True, no_launches=False, memory_first=False,
        old_cats=False, int_ts=False, string_ids=False, shuffle=False, foreign_metadata=False, array=False, indent=False,
        no_arguments=o.no_arguments, python=o.python)


def pair(kind):
    def read(text):
        rank, equals, value = text.partition("=")
        if not equals:
            raise argparse.ArgumentTypeError(f"'{text}' is not RANK=VALUE")
        return int(rank), kind(value)
    return read


def place(text):
    step, _, number = text.partition(":")
    return int(step), int(number)


def options(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--ranks", type=int, required=True)
    p.add_argument("--steps", type=int, default=5)
    p.add_argument("--first-step", type=int, default=100)
    p.add_argument("--layers", type=int, default=3)
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--out", required=True, metavar="DIR")
    p.add_argument("--groups", type=int, default=0, metavar="N", help="neighbors that are a process group of their own")
    p.add_argument("--all-to-all", action="store_true", help="one all-to-all per step, by send and receive")
    p.add_argument("--no-arguments", action="store_true", help="collectives without arguments, as before PyTorch 2.1")
    p.add_argument("--python", action="store_true", help="python_function events")
    p.add_argument("--clock-skew", type=float, default=0, metavar="US", help="clocks are off by up to US either way")
    p.add_argument("--plain", action="store_true", help="rank<N>.json, not compressed")
    p.add_argument("--hostile-names", action="store_true", help="kernels, operators and a group whose names break careless writers")
    p.add_argument("--stats", action="store_true")
    for name, kind, metavar in (("--slow-rank", float, "R=F"), ("--late-rank", float, "R=US"), ("--slow-link", float, "R=F"),
                                ("--cut-rank", int, "R=S"), ("--skip-collective", place, "R=S:N")):
        p.add_argument(name, type=pair(kind), action="append", default=[], metavar=metavar)
    p.add_argument("--lose-rank", type=int, action="append", default=[], metavar="R")
    o = p.parse_args(argv)
    for rank in o.lose_rank + [r for l in (o.slow_rank, o.late_rank, o.slow_link, o.cut_rank, o.skip_collective) for r, _ in l]:
        if not 0 <= rank < o.ranks:
            p.error(f"no rank {rank} among {o.ranks}")
    return o


def main(argv=None):
    o = options(argv)
    job = Job(o)
    job.run()
    job.write()
    if o.stats:
        print(json.dumps(job.stats(), indent=1))


if __name__ == "__main__":
    main()
