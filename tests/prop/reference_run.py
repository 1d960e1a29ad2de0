#!/usr/bin/env python3
"""Changes are explained against a run of main as it is now, not as it was when a run was approved.

Runs are generated in which main has left the approved run: kernels became faster, got another name, came or went. A run of main's
code has nothing new, nothing gone and no drift; a run with one slower kernel names this one, with parts that add up to the change; a
run that undoes what main gained names what was gained. The run that is stored for it changes only where main did, and counts only
while the history has its line.

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("GPUGATE")
KERNELS = {"gemm_a": ("aten::mm", 900), "gemm_b": ("aten::mm", 800), "conv_a": ("aten::conv2d", 700), "norm_a": ("aten::layer_norm", 300),
           "soft_a": ("aten::softmax", 250), "gelu_a": ("aten::gelu", 150), "copy_a": ("aten::copy_", 60)}
MOVES = {  # how main has left the approved run: factors of its kernels (0: gone), and kernels that it lacked
    "faster": ({"gemm_a": 0.7, "gemm_b": 0.8}, {}),
    "renamed": ({"gemm_a": 0.8, "gelu_a": 0}, {"gelu_fused": ("aten::gelu", 150)}),
    "new and gone": ({"conv_a": 0, "norm_a": 0.5}, {"conv_new": ("aten::conv2d", 400), "norm_tail": ("aten::layer_norm", 90)}),
    "still": ({}, {}),
}


def trace(path, seed, kernels):
    chance = random.Random(seed)
    host, at, flow, events = chance.gauss(1, 0.003), 1000.0, 1, []
    for step in range(8):
        begin = at
        for name, (op, us) in kernels.items():
            us *= host * chance.gauss(1, 0.001)
            call = {"ph": "X", "pid": 1, "tid": 1}
            events += [{**call, "cat": "cpu_op", "name": op, "ts": round(at, 3), "dur": 8, "args": {"External id": flow}},
                       {**call, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": round(at + 1, 3), "dur": 5,
                        "args": {"External id": flow, "correlation": flow}},
                       {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": round(at + 10, 3), "dur": round(us, 3),
                        "args": {"device": 0, "stream": 7, "correlation": flow, "External id": flow}}]
            flow, at = flow + 1, at + us + 12
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": round(begin - 1, 3),
                       "dur": round(at - begin, 3)})
        at += 5
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}))
    return path.name


class Gate:
    def __init__(self, dir, factors, more):
        self.dir = dir
        self.main = {k: (op, us * factors.get(k, 1)) for k, (op, us) in KERNELS.items() if factors.get(k, 1)} | more
        self.stored = []  # the reference run after each run of main
        self.fine("approve", "--new", trace(dir / "pin.json", 1, KERNELS), "--commit", "a0")
        for i in range(7):
            self.fine("store", trace(dir / f"main{i}.json", 10 + i, self.main), "--commit", f"b{i}")
            self.stored.append((dir / "w.reference").read_bytes() if (dir / "w.reference").exists() else b"")

    def run(self, *args):
        return subprocess.run([PROGRAM, *args, "--baseline", "w.json"], cwd=self.dir, capture_output=True, text=True)

    def fine(self, *args):
        done = self.run(*args)
        assert done.returncode == 0, (args, done.stderr)

    def check(self, kernels):
        done = self.run("check", trace(self.dir / "now.json", 99, kernels), "--json", "r.json", "--markdown", "m.md", "--html", "m.html")
        return json.loads((self.dir / "r.json").read_text()), done


def faults(name, dir):
    factors, more = MOVES[name]
    g = Gate(dir, factors, more)
    r, _ = g.check(g.main)
    moved = [d["kernel"] for d in r["drift"] if d["drift"] != "same"]
    drift = next(c["candidate"] for c in r["checks"] if c["rule"] == "kernel-drift")
    yield "main's code fails, or has findings", r["exit_code"] == 0 and not r["findings"]
    yield f"main's code has moved kernels: {moved}", not moved
    yield f"main's code drifts by {drift} %", drift < 1
    yield f"another run is named: {r['reference_commit']}", r["reference_commit"] in [f"b{i}" for i in range(7)]

    slow = {**g.main, "soft_a": ("aten::softmax", 600)}
    r, done = g.check(slow)
    first = r["findings"][0]
    wall = next(c for c in r["checks"] if c["rule"] == "step-period")["baseline"]
    yield f"{first['share_pct']} % of another step", abs(first["cost"] / first["share_pct"] * 100 - wall) < wall / 50
    yield f"the tables are not headed by it: {done.stdout[:200]}", ">main at b" in (dir / "m.html").read_text()
    check = next(c for c in r["checks"] if c["rule"] == "step-compute-time")
    rows = check["attribution"]
    yield "a slower kernel passes", check["verdict"] == "fail"
    yield f"another finding: {[f['title'] for f in r['findings']]}", r["findings"] and "soft_a" in r["findings"][0]["title"] and len(r["findings"]) == 1
    yield "the parts do not add up", sum(p["change"] for p in rows if p["level"] == 0) == check["change"]
    wrong = [p for p in rows if p["level"] == 2 and p["part"] != "soft_a" and abs(p["change"]) > check["change"] / 20]
    yield f"kernels that did not change are parts: {wrong}", not wrong

    if factors:
        r, _ = g.check(KERNELS)
        told = " ".join(f["title"] for f in r["findings"])
        yield f"what main gained is undone, and passes: {told}", r["exit_code"] == 1
        yield f"what was gained is not named: {told}", "gemm" in told or "conv" in told

    (op, a), (_, b) = g.main["gemm_a"], g.main["gemm_b"]
    r, _ = g.check({**{k: v for k, v in g.main.items() if k not in ("gemm_a", "gemm_b")}, "gemm_tuned": (op, 1.15 * a), "gemm_tail": (op, b - 0.15 * a)})
    head = (dir / "m.md").read_text().splitlines()[1]
    yield f"a library's other choice fails, or is the headline: {head}", r["exit_code"] == 0 and "gemm" not in head
    drift = next(c["candidate"] for c in r["checks"] if c["rule"] == "kernel-drift")
    yield f"a library's other choice drifts by {drift} %", drift < 1

    settled = g.stored[4:]
    yield "the stored run changes where main did not", settled[0] and all(s == settled[0] for s in settled)

    history = dir / "w.history.jsonl"
    lines = history.read_text()
    kept = json.loads(g.stored[-1])["provenance"]["commit"]
    history.write_text("".join(line + "\n" for line in lines.splitlines() if json.loads(line)["provenance"]["commit"] != kept))
    yield "a run without its line counts", g.check(g.main)[0]["reference_commit"] is None
    history.write_text(lines)
    (dir / "w.reference").write_bytes(g.stored[-1][:-9])
    r, done = g.check(g.main)
    yield f"damage: {done.returncode}, {done.stderr}", done.returncode == 4 and "w.reference" in done.stderr and "remove" in done.stderr
    (dir / "w.reference").write_bytes(g.stored[-1])
    g.fine("approve", "main6.json", "--reason", "a test", "--force")
    yield "a run from before the approval counts", g.check(g.main)[0]["reference_commit"] is None


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    wrong = 0
    for name in MOVES:
        with tempfile.TemporaryDirectory() as folder:
            for what, fine in faults(name, pathlib.Path(folder)):
                wrong += not fine
                if not fine:
                    print(f"FAIL main is {name}: {what}")
    print(f"{len(MOVES)} ways of main, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
