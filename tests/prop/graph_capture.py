#!/usr/bin/env python3
"""A trace of stream captures, in which no graph is launched, is never judged as a run.

 - alone it is refused, by name and with what to do: with and without steps, warm-ups and stray copies, of CUDA and HIP, by every command
 - beside the replays of its rank it changes no figure but those of operators (graph_join.py); beside those of other ranks it is set
   aside by name
 - a trace that captures and replays, and one of kernels without a graph, are runs as before

$GPUGATE is the program; exit 77 skips.
"""
import gzip
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("GPUGATE")


def gpugate(*args, codes=(0,)):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False)
    assert p.returncode in codes, f"exit {p.returncode}, not {codes}: gpugate {' '.join(map(str, args))}\n{p.stdout}{p.stderr}"
    return p


class Trace:
    """Events as Kineto writes them: operators, runtime calls and kernels, by a clock that goes on."""

    def __init__(self, rank, world, api="cuda"):
        self.rank, self.world, self.api = rank, world, api
        self.at, self.ids, self.events = 1000.0, itertools.count(1), []

    def event(self, cat, name, dur, tid=10, pid=100, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": round(self.at, 3), "dur": dur, "args": args})
        self.at += 1

    def kernel(self, name, id, dur):
        self.event("kernel", name, dur, 7, 0, device=0, stream=7, correlation=id)
        self.at += dur

    def node(self, op, kernel, runs=True):
        """An operator that launches one kernel; in a capture, the kernel does not run."""
        id = next(self.ids)
        named = {"kernel": kernel} if self.api == "hip" else {}
        self.event("cpu_op", op, 5, **{"External id": id, "Input Dims": [[4, 8]], "Input type": ["float"]})
        self.event("cuda_runtime", self.api + "LaunchKernel", 2, correlation=id, **{"External id": id}, **named)
        self.at += 3
        if runs:
            self.kernel(kernel, id, 9)

    def capture(self, nodes, warmups=0):
        for _ in range(warmups):
            for n in nodes:
                self.node(*n)
        self.event("cuda_runtime", self.api + "StreamBeginCapture", 0.5, correlation=next(self.ids))
        for n in nodes:
            self.node(*n, runs=False)
        self.event("cuda_runtime", self.api + "StreamEndCapture", 0.5, correlation=next(self.ids))

    def replay(self, nodes):
        id = next(self.ids)
        self.event("cuda_runtime", self.api + "GraphLaunch", 3, correlation=id)
        for _, kernel in nodes:
            self.kernel(kernel, id, 9)

    def step(self, number, work, *args):
        start = self.at
        work(*args)
        end, self.at = self.at, start
        self.event("user_annotation", f"ProfilerStep#{number}", round(end - start + 5, 3))
        self.at = end + 20

    def write(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        doc = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "G"}], "baseTimeNanoseconds": 0, "traceEvents": self.events,
               "distributedInfo": {"backend": "nccl", "rank": self.rank, "world_size": self.world}}
        data = json.dumps(doc).encode()
        path.write_bytes(gzip.compress(data, 1, mtime=0) if path.suffix == ".gz" else data)
        return path


def graphs(seed):
    """Graphs of several batch sizes, of different lengths; their nodes by operator and kernel."""
    r = random.Random(seed)
    return [[(f"aten::op{r.randrange(5)}", f"kernel_{r.randrange(9)}") for _ in range(r.randint(1, 12))] for _ in range(r.randint(1, 4))]


def capture_of(seed, rank=0, world=1, api="cuda", warmups=0, steps=False, strays=0):
    t = Trace(rank, world, api)
    for i, nodes in enumerate(graphs(seed)):
        if steps:
            t.step(i, t.capture, nodes, warmups)
        else:
            t.capture(nodes, warmups)
    for _ in range(strays):
        id = next(t.ids)
        t.event("cuda_runtime", api + "MemsetAsync", 2, correlation=id)
        t.event("gpu_memset", "Memset (Device)", 1, 7, 0, device=0, stream=7, correlation=id, bytes=64)
    return t


def replays_of(seed, rank=0, world=1, api="cuda", captures=False):
    t = Trace(rank, world, api)
    if captures:
        for nodes in graphs(seed):
            t.capture(nodes)
    for i in range(5):
        for nodes in graphs(seed):
            t.step(i, t.replay, nodes)
    return t


def figures(*run):
    p = gpugate("report", *run, "--verbose", "--json", "-")
    out = json.loads(p.stdout)["figures"]
    return {r["rank"]: r["trace"] for r in out["ranks"]}, out["metrics"], p.stderr


def alone(dir):
    for i, (api, warmups, steps, strays) in enumerate(itertools.product(("cuda", "hip"), (0, 2), (False, True), (0, 1))):
        if steps and warmups:
            continue    # steps in which kernels run are a run that captures
        path = capture_of(i + 1, api=api, warmups=warmups, steps=steps,
                          strays=min(strays, sum(map(len, graphs(i + 1))) - 1)).write(dir / f"c{i}.pt.trace.json.gz")
        for command in (("report", path), ("metrics", path), ("digest", path, "-o", dir / "d.json.gz"), ("check", path),
                        ("approve", path, "--new", "--baseline", dir / "b.json")):
            p = gpugate(*command, codes=(3,))
            said = [line for line in p.stderr.splitlines() if "a capture: " in line]
            count = sum(map(len, graphs(i + 1)))
            assert len(said) == 1 and path.name in said[0], (command, p.stderr)
            assert f" {count} launches" in said[0] and "give the trace of the replays" in said[0], said
        assert not (dir / "d.json.gz").exists() and not (dir / "b.json").exists()


def real():
    """A capture that SGLang recorded: two of its 546 launches ran."""
    for path in pathlib.Path(os.environ.get("GPUGATE_SHARED") or "/dev/null").glob("data/more/traces/sglang-capture-*"):
        assert "a capture: 544 launches" in gpugate("report", path, codes=(3,)).stderr


def beside(dir):
    for world, seed in itertools.product((1, 2), (1, 2, 3)):
        plain, both = dir / f"plain{world}{seed}", dir / f"both{world}{seed}"
        for r in range(world):
            for to in plain, both:
                replays_of(seed, r, world).write(to / f"decode_rank{r}.pt.trace.json.gz")
            capture_of(seed, r, world).write(both / f"graph_capture_rank_{r}.17.pt.trace.json.gz")
            capture_of(seed + 1, r, world, warmups=2).write(both / f"cuda_graph_capture-Runner-TP-{r}.json.gz")
            capture_of(seed, r + world, 2 * world).write(both / f"bs_8_rank{r + world}.json.gz")
        want, got = figures(plain), figures(both)
        assert list(want[0]) == list(range(world)) and list(got[0]) == list(want[0])
        of_all = [[m for m in run[1] if "op" not in m] for run in (want, got)]
        assert of_all[0] == of_all[1], of_all
        said = [line for line in got[2].splitlines() if "ignored: " in line and "a capture: " in line]
        assert len(said) == world and all(f"bs_8_rank{r + world}." in "".join(said) for r in range(world)), got[2]


def run(dir):
    for seed, api in itertools.product((1, 2, 3), ("cuda", "hip")):
        both = replays_of(seed, api=api, captures=True).write(dir / "both.json")
        ranks, metrics, said = figures(both)
        assert list(ranks) == [0] and metrics and "capture" not in said, said
        few = capture_of(seed, api=api)     # more is captured than runs
        few.replay(graphs(seed)[0])
        assert list(figures(few.write(dir / "few.json"))[0]) == [0]
        eager = Trace(0, 1, api)
        for i in range(5):
            for op, kernel in graphs(seed)[0]:
                eager.step(i, eager.node, op, kernel)
        assert "capture" not in figures(eager.write(dir / "eager.json"))[2]
        for i, nodes in enumerate(graphs(seed)):    # a step of a run that captures, and replays only later
            eager.step(9 + i, eager.capture, nodes, 2)
        assert list(figures(eager.write(dir / "late.json"))[0]) == [0]


def main():
    if not PROGRAM:
        print("skipped: GPUGATE is not set")
        return 77
    for law in (alone, beside, run):
        with tempfile.TemporaryDirectory() as name:
            law(pathlib.Path(name))
        print(f"ok {law.__name__}")
    real()
    return 0


if __name__ == "__main__":
    sys.exit(main())
