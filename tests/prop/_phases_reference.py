"""Phases of a trace, written down from their definition (docs/metrics.md)."""
import bisect
import collections
import decimal
import gzip
import json

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
        self.spans, self.launches, self.gpu, self.steps, self.again = [], {}, [], [], []
        nodes = []  # of autograd, which are backward where its engine was not recorded
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
            elif cat == "python_function" and "utils/checkpoint.py(" in name and "recompute_fn" in name:
                self.again.append((start, end, thread))
            elif cat in HOST:
                self.spans += [(start, end, thread, phase) for prefix, phase in NAMES if name.startswith(prefix)]
                node = int(args.get("Fwd thread id") or 0) or name.startswith("torch::autograd::AccumulateGrad")
                if node and not any(name.startswith(prefix) for prefix, _ in NAMES):
                    nodes.append((start, end, thread, "backward"))
                if name.startswith("ProfilerStep#"):
                    self.steps.append((start, end))
        self.steps.sort()
        if all(p != "backward" for *_, p in self.spans):
            self.spans += nodes

    def owners(self):
        """For each thread, the disjoint intervals in which it is in a phase; within nested phases the outermost counts. An
        optimizer that runs backward within itself counts only from the end of this backward on."""
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
    """{phase: {metric: values of the steps}}; the phase None is GPU work whose launch is not known. {} if the trace shows no
    phases."""
    found = {p for *_, p in trace.spans}
    known = trace.gpu and sum(g[2] in trace.launches for g in trace.gpu) * 2 >= len(trace.gpu)
    if not found & {"backward", "optimizer"} or (trace.steps and not known):
        return {}
    found |= ({"recompute"} if trace.again else set()) | {"forward"} | ({"communication"} if any(g[1] for g in trace.gpu) else set())
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
            if any(a <= launch[0] < b and t == launch[1] for a, b, t in trace.again):
                phase = "recompute"
        parts = ["cuda_time"] + ([f"{kind}_time"] if kind != "kernel" else
                                 ["kernel_time", "comm_time" if comm else "compute_time"])
        for m in parts:
            sums[phase][m][step] += end - start
        sums[phase]["kernel_count"][step] += kind == "kernel"
    return sums


def phases_of(path):
    """The figures as lists, by phase and metric; and step.cuda_time, all GPU time of each step, including work whose launch is
    not known."""
    want = phases(Trace(load(path)))
    out = {f"{p} {m}": v for p, of in want.items() for m, v in of.items() if p and (m != "comm_time" or p == "communication")}
    return {**out, "step.cuda_time": [sum(v) for v in zip(*(of["cuda_time"] for of in want.values()))]} if want else {}
