#!/usr/bin/env python3
"""Activities of replayed graphs have the operator, module and line of the calls that their capture recorded, exactly as planted; and
operators their operations.

 - any number of graphs and replays, kernels, copies and memory sets, of CUDA (nodes may have numbers) and HIP (calls have names)
 - the order of nodes that run side by side is known by their numbers, else none of them is joined
 - a recorded pair of SGLang, by a reading of its own
 - graphs of which no capture has the kinds, the count and the names, those that captures of different places fit, and those of which
   more fit a capture than it can have recorded, keep the place of their launch; shares and reasons are told

$GPUGATE is the program; exit 77 skips.
"""
import collections
import gzip
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

import graph_capture
from graph_capture import PROGRAM, gpugate

CALLS = {"kernel": "LaunchKernel", "gpu_memcpy": "MemcpyAsync", "gpu_memset": "MemsetAsync"}
Node = collections.namedtuple("Node", "op modules place line kind kernel dur size again")
SERVES = Node("", (), "serve.py:replay", 7, None, None, None, None, False)    # where graphs are launched


class Trace(graph_capture.Trace):
    pythons = 0

    def within(self, node, work):
        """Runs `work` inside the frames and the operator of a node."""
        start = self.at
        self.at += len(node.modules) + 2
        work()
        end, self.at = self.at + 1, start
        file, function = node.place.split(":")
        frames = [f"nn.Module: {m}" for m in node.modules] + [f"{file}({node.line}): {function}"]
        for i, name in enumerate(frames):
            self.pythons += 1
            self.event("python_function", name, round(end - self.at + len(frames) - i, 3),
                       **{"Python id": self.pythons, "Python parent id": self.pythons - 1 if i else None})
        if node.op:
            self.event("cpu_op", node.op, round(end - self.at, 3), **{"Input Dims": [[node.size, 8], [8, 4]], "Input type": ["float"] * 2})
        self.at = end + len(frames) + 1

    def call(self, node, told):
        named = {"kernel": node.kernel} if told and node.kind == "kernel" else {}
        self.event("cuda_runtime", self.api + CALLS[node.kind], 2, correlation=next(self.ids), **named)

    def capture(self, nodes, forks, told):
        """Records nodes; the calls of those at the indices `told` name their kernels."""
        self.event("cuda_runtime", self.api + "StreamBeginCapture", 0.5, correlation=next(self.ids))
        for i, n in enumerate(nodes):
            if n.again:
                continue
            end = next((k for k in range(i + 1, len(nodes)) if not nodes[k].again), len(nodes))
            self.within(n, lambda i=i, end=end: [self.call(nodes[k], k in told) for k in range(i, end)])
            if forks and not i:
                self.event("cuda_runtime", self.api + "StreamWaitEvent", 0.5, correlation=next(self.ids))
        self.event("cuda_runtime", self.api + "StreamEndCapture", 0.5, correlation=next(self.ids))

    def replay(self, nodes, order, streams=(7,), numbers=False):
        id = next(self.ids)
        self.within(SERVES, lambda: self.event("cuda_runtime", self.api + "GraphLaunch", 3, correlation=id))
        for k, i in enumerate(order):
            n = nodes[i]
            number = {"graph node id": (5 << 32) + 10 + i, "graph id": 5} if numbers else {}
            self.event(n.kind, n.kernel, n.dur, streams[k % len(streams)], 0, device=0, stream=streams[k % len(streams)], correlation=id,
                       **({"bytes": 64} if n.kind != "kernel" else {}), **number)
            self.at += n.dur


def nodes_of(r, names):
    kinds = ["kernel"] + r.choices(list(CALLS), (8, 1, 1), k=r.randint(0, 8))
    nodes = [Node(r.choice(("aten::op0", "aten::op1", "aten::mm")), (("Model", "Block_%d" % r.randrange(9), "Linear_3"), ("Model",), ())[r.randrange(3)],
                 f"model{r.randrange(3)}.py:forward", r.randint(1, 9), kind, f"kernel_{r.randrange(names)}" if kind == "kernel" else
                 {"gpu_memcpy": "Memcpy DtoD (Device -> Device)", "gpu_memset": "Memset (Device)"}[kind],
                 round(r.randint(1, 9999) / 1000, 3), r.randint(1, 64), False) for kind in kinds]
    for i in range(1, len(nodes)):
        if r.random() < .3:     # one call of an operator has several nodes
            nodes[i] = nodes[i - 1]._replace(again=True, **{k: getattr(nodes[i], k) for k in ("kind", "kernel", "dur")})
    return nodes


def works_of(nodes, told):
    return [(n.kind, n.kernel if i in told and n.kind == "kernel" else None) for i, n in enumerate(nodes)]


def form_of(capture):
    return tuple(works_of(capture[0], capture[2]))


def without_number(name):
    return name.split("_")[0]


def place_of(n):
    return n.op, "\n".join(map(without_number, n.modules)), n.place, n.line


class Case:
    """A trace of captures and replays, and the time by place and by reason that it has to give."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.trace = Trace(0, 1, r.choice(("cuda", "hip")))
        self.hip = self.trace.api == "hip"
        self.graphs = [nodes_of(r, 3) for _ in range(r.randint(1, 4))]
        self.forks = [r.random() < .2 for _ in self.graphs]
        self.numbers = not self.hip and r.random() < .4
        self.flops = self.uncounted = 0     # of replays; replays without
        self.want, self.share = collections.Counter(), collections.Counter()
        if r.random() < .7:     # the same work from other lines, or from another instance of the module
            nodes = self.graphs[0]
            self.graphs.append(r.choice(([n._replace(line=n.line + 10) for n in nodes], [n._replace(size=n.size + 1) for n in nodes],
                                         [n._replace(modules=("Draft_0", *n.modules)) for n in nodes],
                                         [n._replace(modules=tuple(without_number(m) + "_99" for m in n.modules)) for n in nodes])))
            self.forks.append(r.random() < .2)

    def run(self, beside):
        """Captures and replays them; with `beside`, the captures are in other traces, which are returned."""
        captures = [(nodes, forks, [i for i in range(len(nodes)) if self.hip and (i or self.r.random() < .8)])
                    for nodes, forks in zip(self.graphs, self.forks)]
        traces = [Trace(0, 1, self.trace.api) for _ in range(self.r.randint(1, 3) if beside else 0)] or [self.trace]
        for capture in captures:
            self.r.choice(traces).capture(*capture)
        plan = [self.replay(captures) for _ in range(self.r.randint(1, 6))]
        steps = self.r.randint(3, 5)
        self.expect(captures, plan * steps)
        for i in range(steps):
            self.trace.step(i, lambda: [self.trace.replay(*replay) for replay in plan])
        return [t for t in traces if beside and t.events]

    def replay(self, captures):
        """A replay: nodes, the order in which they run, streams, and whether nodes have numbers."""
        r = self.r
        nodes, forked, _ = captures[r.randrange(len(captures))]
        other = r.random()
        if other < .1:      # a graph that was updated
            nodes = [n._replace(kernel="kernel_new") if n.kind == "kernel" else n for n in nodes]
        elif other < .2:    # a graph that was not captured, or of which a part was lost
            nodes = r.choice((nodes[:-1] or nodes * 2, nodes_of(r, 9)))
        order = list(range(len(nodes)))
        sides = forked or r.random() < .1
        if sides:
            r.shuffle(order)
        return nodes, order, (7, 8) if sides else (7,), self.numbers

    def expect(self, captures, replays):
        """What has to be told of the replays, and the time by place."""
        count_of = collections.Counter(form_of(c) for c in captures)
        sequences = collections.defaultdict(set)    # of each form
        found = []
        for nodes, order, streams, numbers in replays:
            ran = nodes if numbers else [nodes[i] for i in order]
            fitting = [c for c in captures if len(c[0]) == len(ran)]
            ordered = numbers or len(streams) == 1 or len(ran) == 1
            if ordered:
                fitting = [c for c in fitting if works_of(c[0], c[2]) == works_of(ran, c[2])]
            why = None
            if not fitting:
                why = "unlike"
            elif not ordered or (any(forks for _, forks, _ in fitting) and not numbers):
                why = "unordered"
            else:
                for c in fitting:
                    sequences[form_of(c)].add(tuple((n.kind, n.kernel) for n in ran))
            found.append((ran, fitting, why))
        for ran, fitting, why in found:
            if not why:
                sure = all(len(sequences[form_of(c)]) <= count_of[form_of(c)] for c in fitting)
                same = all(list(map(place_of, c)) == list(map(place_of, fitting[0][0])) for c, _, _ in fitting)
                why = "joined" if sure and same else "ambiguous"
            sizes = {tuple(n.size if n.op == "aten::mm" and not n.again else 0 for n in c) for c, _, _ in fitting}
            if why == "joined" and len(sizes) == 1:
                self.flops += sum(2 * 8 * 4 * size for size in sizes.pop())
            else:
                self.uncounted += 1
            for i, n in enumerate(ran):
                self.share[why] += round(n.dur * 1000)
                self.want[place_of(fitting[0][0][i] if why == "joined" else SERVES), n.kind] += round(n.dur * 1000)


def digest(*run):
    with tempfile.TemporaryDirectory() as dir:
        path = pathlib.Path(dir) / "joined.digest"
        gpugate("digest", *run, "-o", path)
        return json.loads(path.read_text())


def places_in(d):
    got = collections.Counter()
    for c in d["code"]:
        kind = {"kernel": "kernel", "memcpy": "gpu_memcpy", "memset": "gpu_memset"}[c["kind"]]
        got[(c.get("op", ""), c.get("module", ""), c.get("place", ""), c.get("line", -1)), kind] += c["total_ns"]
    return got


def check(case, d):
    got = places_in(d)
    assert got == case.want, (got - case.want, case.want - got)
    t = d["trust"]
    told = {k: t.get(f"{k}_ns", 0) for k in ("joined", "unordered", "ambiguous")}
    told["unlike"] = t["replayed_ns"] - sum(told.values())
    flops = {f["op"]: f for f in d.get("flops", [])}
    assert flops.get("aten::mm", {}).get("flops", 0) == case.flops, (flops, case.flops)
    assert not flops or flops.get("GPU graphs", {}).get("uncounted", 0) == case.uncounted, (flops, case.uncounted)
    assert +collections.Counter(told) == case.share, (told, case.share)
    return case.share


def in_one(seed, dir):
    case = Case(seed)
    case.run(False)
    return check(case, digest(case.trace.write(dir / "both.json")))


def shuffled(seed, dir):
    """Where calls come before the capture's begin in the file, names of kernels are not read: less may be joined, but nothing wrongly."""
    case = Case(seed)
    case.run(False)
    random.Random(seed).shuffle(case.trace.events)
    d = digest(case.trace.write(dir / "shuffled.json"))
    more = places_in(d) - case.want
    assert all(place == place_of(SERVES) for place, _ in more), more
    return {**case.share, "joined": d["trust"].get("joined_ns", 0)}


def in_several(seed, dir):
    """The captures lie beside the replays, or in the folder of captures; those of another rank are not used."""
    case = Case(seed)
    captures = case.run(True)
    to = dir / random.Random(seed).choice((".", "capture_traces"))
    run = [case.trace.write(dir / "decode_rank0.pt.trace.json")]
    run += [t.write(to / f"bs_{i}_rank0.json.gz") for i, t in enumerate(captures)]
    other = Trace(1, 2, case.trace.api)
    other.capture(case.graphs[0], False, ())
    other.write(dir / "bs_0_rank1.json.gz")
    d = digest(dir)
    assert d == digest(*run), "a folder is its files"
    return check(case, d)


def names_around(spans, at):
    return "\n".join(name for start, end, name in spans if start <= at < end)


def real():
    """A capture of SGLang and a replay of the same program: all 544 kernels, each by the operators and modules around its call."""
    data = pathlib.Path(os.environ.get("GPUGATE_SHARED") or "/dev/null") / "data"
    capture, replay = data / "more/traces/sglang-capture-bs32-mi300x.json.gz", data / "traces/sglang-qwen3-decode-mi300x.json.gz"
    if not capture.exists():
        return
    events, ran = (json.loads(gzip.open(p).read())["traceEvents"] for p in (capture, replay))
    begin, end = (next(e["ts"] for e in events if e["name"] == f"hipStream{x}Capture") for x in ("Begin", "End"))
    calls = sorted(e["ts"] for e in events if e.get("cat") == "cuda_runtime" and "Launch" in e["name"] and begin < e["ts"] < end)
    ops, modules = [], []
    for e in sorted((e for e in events if e.get("ph") == "X"), key=lambda e: (e["ts"], -e["dur"])):
        span = e["ts"], e["ts"] + e["dur"]
        if e["cat"] == "cpu_op":
            ops.append((*span, e["name"]))
        elif e["cat"] == "python_function" and e["name"].startswith("nn.Module: "):
            modules.append((*span, e["name"].removeprefix("nn.Module: ").rpartition("_")[0]))
    launch = next(e["args"]["correlation"] for e in ran if e["name"] == "hipGraphLaunch")
    kernels = sorted((e for e in ran if e.get("cat") == "kernel" and e["args"]["correlation"] == launch), key=lambda e: e["ts"])
    want = collections.Counter()
    for at, k in zip(calls, kernels, strict=True):
        want[names_around(ops, at), names_around(modules, at)] += round(k["dur"] * 1000)
    with tempfile.TemporaryDirectory() as dir:
        for run, sign in ((replay,), -1), ((replay, capture), 1):
            copies = [shutil.copy(p, dir) for p in run]
            d = digest(*copies)
            for c in d["code"]:
                if c["kind"] == "kernel" and (sign > 0 or not c.get("place", "").endswith("cuda_graph_runner.py:replay")):
                    want[c.get("op", ""), c.get("module", "")] -= sign * c["total_ns"]
    assert not any(want.values()), {k: v for k, v in want.items() if v}
    assert d["trust"]["joined_ns"] == d["trust"]["replayed_ns"] == sum(round(k["dur"] * 1000) for k in kernels)


def main():
    if not PROGRAM:
        print("skipped: GPUGATE is not set")
        return 77
    for law in in_one, in_several, shuffled:
        seen = collections.Counter()
        for seed in range(120):
            with tempfile.TemporaryDirectory() as name:
                try:
                    seen.update(law(seed, pathlib.Path(name)))
                except AssertionError as e:
                    raise AssertionError(f"{law.__name__} {seed}: {e}") from e
        assert all(seen[k] for k in ("joined", "unordered", "ambiguous", "unlike")), seen
        print("ok", law.__name__, dict(seen))
    real()
    return 0


if __name__ == "__main__":
    sys.exit(main())
