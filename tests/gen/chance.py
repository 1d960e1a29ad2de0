#!/usr/bin/env python3
"""Writes small random traces as the ranks of one job, DIR/rank<N>.json. They are the random traces with which tests/prop compares
the program and slow references, and one kind more. Steps, calls, kernels, frames and annotations nest, cross and repeat at random,
and some are missing. The same options give the same bytes.

  chance.py --out DIR --kind steps --seeds 1:12 [--stretch 2=1.3]
  chance.py --out DIR --kind runs --seeds 1:12 [--slow gemm_a=1.1] [--new NAME] [--drop NAME] [--whole]

KIND is steps, functions, collectives, phases, operations or code (modules, operators, frames and calls that nest), or runs.
--stretch R=F multiplies all durations of rank R by F (with runs: all durations on the GPU).

The kind runs makes a run of one model for each seed, DIR/run<SEED>.json; the runs differ by noise of the machine and of each kernel.
--slow makes a kernel slower (machine: all kernels), --new and --drop change the set of kernels, --whole writes whole microseconds,
and --job makes the runs the ranks of one job.
"""
import argparse
import json
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "prop"))
import comm_agree  # noqa: E402
import flops  # noqa: E402
import function_agree  # noqa: E402
import phases_agree  # noqa: E402
import ref_agree  # noqa: E402


class Code:
    """Modules whose operators launch kernels, forward and backward; with Python frames, with call stacks, or with neither."""

    NAMES = ["aten::mm", "aten::add", "aten::linear", "aten::copy_", "MmBackward0"]
    KERNELS = ["gemm", "elementwise<int>", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "triton_poi_fused_0", "void reduce<float>"]

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.form = self.rng.choice(["frames", "frames", "stacks", "neither"])
        self.events, self.id, self.sequence, self.correlation = [], 0, 0, 0

    def add(self, cat, name, tid, start, end, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": start / 10, "dur": (end - start) / 10,
                            "args": args})

    def call(self, tid, at):
        rng = self.rng
        self.correlation += 1
        if rng.random() < 0.15:
            self.add("cuda_runtime", rng.choice(["cudaStreamSynchronize", "cudaDeviceSynchronize"]), tid, at, at + rng.randint(0, 30),
                     correlation=self.correlation)
            return
        cat = rng.choice(["kernel"] * 4 + ["gpu_memcpy", "gpu_memset"])
        name = {"kernel": "cudaLaunchKernel", "gpu_memcpy": "cudaMemcpyAsync", "gpu_memset": "cudaMemsetAsync"}[cat]
        self.add("cuda_runtime", name, tid, at, at + rng.randint(1, 4), correlation=self.correlation)
        args = {"device": rng.choice([0, 0, 0, 1]), "stream": rng.choice([7, 7, 20]), "correlation": self.correlation}
        if cat == "kernel":
            args |= {"grid": [rng.randint(1, 300), rng.randint(1, 2), 1], "block": [rng.choice([32, 128]), 1, 1],
                     "est. achieved occupancy %": rng.choice([0, 12, 50, 100])}
            what = rng.choice(self.KERNELS)
            if "nccl" in what:
                args |= {"Collective name": "allreduce", "In msg nelems": rng.randint(1, 99), "Out msg nelems": rng.randint(1, 99),
                         "Group size": 2, "dtype": rng.choice(["Float", "BFloat16"]), "Process Group Name": "0",
                         "Process Group Description": "default_pg"}
        else:
            what = {"gpu_memcpy": rng.choice(["Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pageable)"]),
                    "gpu_memset": "Memset (Device)"}[cat]
            args["bytes"] = rng.choice([0, 512, 4096, 1 << 20])
        if rng.random() < 0.95:
            start = at + rng.randint(2, 60)
            self.add(cat, what, args["stream"], start, start + max(1, rng.randint(0, 60)), **args)

    def tree(self, tid, start, end, depth, parent):
        """Adds random events within [start, end), which may contain one another."""
        rng, at = self.rng, start
        while at < end and rng.random() < 0.85:
            low = rng.randint(at, min(end, at + 30))
            high = rng.randint(low, end)
            what = rng.random()
            if depth == 0 or what < 0.35:
                self.call(tid, low)
                at = low + 5
                continue
            self.id += 1
            own = self.id
            if what < 0.55 and self.form == "frames":
                name = rng.choice(["nn.Module: Linear_%d", "train.py(%d): step", "/venv/torch/nn/x.py(%d): forward", "model.py(%d): loss"])
                self.add("python_function", name % rng.randint(0, 2), tid, low, high,
                         **{"Python id": own, "Python parent id": parent, "Python module id": rng.randint(0, 2)})
                self.tree(tid, low, high, depth - 1, own)
            elif what < 0.65:
                self.add("user_annotation", rng.choice(["block_1", "block_2", "attention", "Optimizer.step#Adam.step", "## forward ##"]),
                         tid, low, high)
                self.tree(tid, low, high, depth - 1, parent)
            else:
                self.sequence += rng.random() < 0.7
                args = {"External id": own, "Sequence number": rng.randint(0, self.sequence), "Fwd thread id": 0 if tid == 1 else 1}
                if self.form == "stacks" and rng.random() < 0.5:
                    args["Call stack"] = ";".join(f"{f}({rng.randint(1, 3)}): {g}" for f, g in rng.choices(
                        [("train.py", "step"), ("model.py", "forward"), ("/venv/torch/nn/x.py", "call")], k=rng.randint(1, 3)))
                self.add("cpu_op", ("autograd::engine::evaluate_function: " if tid == 2 and depth > 2 else "") + rng.choice(self.NAMES),
                         tid, low, high, **args)
                self.tree(tid, low, high, depth - 1, parent)
            at = high

    def document(self):
        rng, at = self.rng, 1000
        for step in range(rng.choice([0, 1, 3, 4])):
            end = at + rng.randint(200, 900)
            self.add("user_annotation", f"ProfilerStep#{step}", 1, at, end)
            at = end + rng.choice([0, 0, 7])
        for tid in (1, 2):
            for start in range(900, at + 400, 300):
                self.tree(tid, start, start + 300, 5, None)
        if rng.random() < 0.5:
            self.events += [{"ph": ph, "cat": "fwdbwd", "name": "fwdbwd", "id": rng.randint(1, 9), "pid": 1, "tid": 1 + (ph == "f"), "bp": "e",
                             "ts": e["ts"]} for e in self.events if e["cat"] == "cpu_op" for ph in ("s" if e["tid"] == 1 else "f")]
        rng.shuffle(self.events)
        return {"schemaVersion": 1, "with_stack": 1, "traceEvents": self.events}


class Runs:
    """Four steps of one model. WORK lists (operator, kernel, µs, launches per step)."""

    WORK = [("aten::mm", "gemm_a", 400, 2), ("aten::mm", "gemm_b", 120, 1), ("aten::bmm", "gemm_c", 250, 1), ("aten::add", "elementwise_add", 60, 3),
            ("aten::_softmax", "softmax_warp", 90, 1), ("aten::layer_norm", "layer_norm", 55, 2), ("aten::gelu", "elementwise_gelu", 75, 1),
            ("aten::sum", "reduce_sum", 30, 1), ("aten::fill_", "elementwise_fill", 2, 1),
            ("c10d::allreduce_", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 110, 1), ("aten::copy_", "Memcpy HtoD (Pinned -> Device)", 40, 1)]

    def __init__(self, seed, o, stretched):
        self.rng, self.o, self.events = random.Random(f"runs {seed}"), o, []
        self.slow = {name: float(factor) for name, factor in (s.split("=") for s in o.slow)}
        self.slow["machine"] = self.slow.get("machine", 1) * stretched

    def factor(self, kernel):
        return self.slow.get(kernel, 1) * self.slow["machine"] * self.own[kernel]

    def span(self, cat, name, pid, tid, start, dur, **args):
        whole = (lambda ns: ns // 1000) if self.o.whole else (lambda ns: ns / 1000)
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": whole(start),
                            "dur": whole(start + dur) - whole(start) if self.o.whole else dur / 1000, "args": args})

    def launch(self, step, number, op, kernel, us):
        """Adds one operator of a step with the module around it and the GPU work that it launches. Every third operator belongs
        to the backward pass, on a separate thread."""
        self.correlation += 1
        tid = 2 if number % 3 == 2 else 1
        memory, comm, now = kernel.startswith("Memcpy"), kernel.startswith("nccl"), self.now
        if tid == 1:
            self.frames += 3
            for i, name in enumerate((f"train.py({10 + number}): step", f"nn.Module: Block_{number % 2}", f"model.py({number}): forward")):
                self.span("python_function", name, 1, 1, now - 400 + 100 * i, 9800 - 200 * i,
                          **{"Python id": self.frames + i, "Python parent id": self.frames + i - 1 if i else None})
        else:
            self.span("cpu_op", "autograd::engine::evaluate_function: MmBackward0", 1, 2, now - 200, 9600)
        self.span("cpu_op", op, 1, tid, now, 9000)
        self.span("cuda_runtime", "cudaMemcpyAsync" if memory else "cudaLaunchKernel", 1, tid, now + 2000, 4000, correlation=self.correlation)
        self.now += 10_000
        dur = int(us * 1000 * self.factor(kernel) * self.rng.gauss(1, 0.004))
        self.gpu = max(self.gpu + 800, self.now)
        args = {"device": self.rank or 0, "stream": 20 if comm else 7, "correlation": self.correlation}
        args |= {"bytes": 1 << 20} if memory else {"grid": [132 - number, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 40 + number}
        if comm:
            args |= {"Collective name": "allreduce", "In msg nelems": 1 << 18, "Out msg nelems": 1 << 18, "dtype": "BFloat16",
                     "Group size": self.world, "Process Group Name": "0", "Process Group Description": "default_pg"}
        self.span("gpu_memcpy" if memory else "kernel", kernel, self.rank or 0, args["stream"], self.gpu, dur, **args)
        self.gpu += dur

    def step(self, step, work):
        begin = self.now
        self.span("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, 1, self.now, 8000 + 500 * step)
        self.now += 12_000
        launches = [w for w in work for _ in range(w[3])]
        for number, (op, kernel, us, _) in enumerate(launches):
            if number == len(launches) - 3:
                self.span("user_annotation", "Optimizer.step#Adam.step", 1, 1, self.now - 500, 30_000)
            self.launch(step, number, op, kernel, us)
        self.span("cuda_runtime", "cudaStreamSynchronize", 1, 1, self.now, max(1000, self.gpu - self.now))
        self.now = int(max(self.now, self.gpu) + 100_000 * self.rng.gauss(1, 0.2))
        self.span("user_annotation", f"ProfilerStep#{step}", 1, 1, begin, self.now - begin)

    def document(self, rank=None, world=1):
        rng, self.rank, self.world = self.rng, rank, world
        self.now = self.gpu = 1_000_000
        self.correlation = self.frames = 0
        work = [w for w in self.WORK if w[1] not in self.o.drop] + [("aten::mm", name, 35, 2) for name in self.o.new]
        machine = rng.gauss(1, 0.012)
        self.own = {w[1]: machine * random.Random(f"{rng.random()} {w[1]}").gauss(1, 0.006) for w in work}
        for step in range(4):
            self.step(step, work)
        head = {} if rank is None else {"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world}}
        return {"schemaVersion": 1, "deviceProperties": [{"id": i, "name": "NVIDIA H100 80GB HBM3"} for i in range(world)], **head,
                "traceEvents": self.events}


def made_by(maker):
    """Returns a function that takes a seed, and returns the trace that an object of the class `maker` makes from it."""
    def document(seed, folder):
        path = folder / "scratch.json"
        maker(seed).write(path)
        text = path.read_text(encoding="utf-8")
        path.unlink()
        return json.loads(text)
    return document


KINDS = {"steps": made_by(ref_agree.Maker), "functions": made_by(function_agree.Maker), "code": lambda seed, _: Code(seed).document(),
         "collectives": lambda seed, _: json.loads(comm_agree.random_trace(seed)),
         "phases": lambda seed, _: json.loads(phases_agree.random_trace(seed)), "operations": lambda seed, _: flops.random_trace(seed)}


def stretch(document, factor):
    for e in document if isinstance(document, list) else document["traceEvents"]:
        if "dur" in e:
            e["dur"] = round(e["dur"] * factor, 3)


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--kind", choices=[*KINDS, "runs"], required=True)
    p.add_argument("--seeds", required=True, metavar="FIRST:END")
    p.add_argument("--stretch", action="append", default=[], metavar="RANK=FACTOR")
    for name in ("--slow", "--new", "--drop"):
        p.add_argument(name, action="append", default=[])
    p.add_argument("--whole", action="store_true")
    p.add_argument("--job", action="store_true")
    o = p.parse_args(argv)
    o.out.mkdir(parents=True, exist_ok=True)
    factors = {int(r): float(f) for r, f in (s.split("=") for s in o.stretch)}
    seeds = range(*map(int, o.seeds.split(":")))
    for rank, seed in enumerate(seeds):
        factor = factors.get(rank, 1)
        if o.kind == "runs":
            document = Runs(seed, o, factor).document(*((rank, len(seeds)) if o.job else ()))
        else:
            document = KINDS[o.kind](seed, o.out)
            stretch(document, factor)
        name = f"run{seed}.json" if o.kind == "runs" and not o.job else f"rank{rank}.json"
        (o.out / name).write_text(json.dumps(document), encoding="utf-8")


if __name__ == "__main__":
    main()
