#!/usr/bin/env python3
"""Each figure has one value: a run printed or judged from its traces, from its digest, or from a merge of its ranks'
digests has the same figures in every metric and every list of `metrics --json`; the whole document is the same. In it, the
parts of a step's wall time add up, and idle and busy time add up to 100 % of the same interval. This holds for generated
traces, jobs and snapshots, for joined cycles and, with $GPUGATE_SHARED, for real recordings. Kernels too small to be listed
still count in the occupancy of a rank: in the run, in its digest and in its baseline.

usage: one_value.py [FILE…]

$GPUGATE is the program; exit 77 skips.
"""
import fractions
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from _gen import ANYWAY, generate

PROGRAM = os.environ.get("GPUGATE")
SHARED = os.environ.get("GPUGATE_SHARED")
REAL = ["traces/torchbench-10steps-memcpy-a.json", "traces/nccl-a100-rank0of2-3steps.json.gz",
        "traces/qwen05b-h100-single.json.gz", "traces/bert-small-mi300x-single.json.gz",
        "traces/ns-v100-rank0of1-5steps.pt.trace.json.gz", "traces/hta-diff-test-v100-rank1of2.json.gz",
        "traces/vllm-decode-graph-rocm.json.gz", "traces/dlrm-v100-8rank", "more/traces/megatron-tp8-a100-8rank",
        "snapshots/small-97events.json.gz", "snapshots/cs336-medium-train-ctx512.json.gz"]
RULES = """version: 1
rules:
  - {id: occupancy, metric: gpu.occupancy_pct, fail: {change: 0%}}
  - {id: kernels, metric: kernel.time, for_each: {top: 5}, fail: {change: 0%}, on_new: fail}
  - {id: memory, metric: memory.peak_allocated, fail: {change: 0%}, on_missing: skip}
defaults: {on_missing: skip}
"""
MADE = {
    "plain": ["trace", "--seed", "1", "--steps", "4"],
    "no steps, hostile names": ["trace", "--seed", "2", "--no-steps", "--hostile-names"],
    "damaged": ["trace", "--seed", "3", "--short-last-step", "--carried-over", "3", "--dropped", "5", "--overlap", "3"],
    "one of two ranks": ["trace", "--seed", "4", "--nccl", "--rank", "1", "--world-size", "2"],
    "job": ["ranks", "--ranks", "3", "--seed", "1", "--steps", "3", "--python", "--slow-rank", "2=1.3"],
    "server": ["server", "--seed", "1", "--steps", "30"],
    "snapshot": ["snapshot", "--seed", "1"],
}


def gpugate(*args, expect=(0,)):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False)
    assert p.returncode in expect, f"exit {p.returncode}, not {expect}: {args}\n{p.stdout}{p.stderr}"
    return p.stdout


def figures(*args):
    return json.loads(gpugate("metrics", *args, "--json", "-"))


def told(*args):
    """What the report says below its heading, which names the file."""
    return gpugate("report", *args, "--verbose").partition("\nSummary")[2]


def difference(a, b, path=""):
    """The first difference between two documents, or None."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys = sorted(a.keys() | b.keys())
        parts = [(f"{path}.{k}", a.get(k), b.get(k)) for k in keys]
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        parts = [(f"{path}[{i}]", x, y) for i, (x, y) in enumerate(zip(a, b))]
    else:
        return None if a == b else f"{path}: {str(a)[:200]} and {str(b)[:200]}"
    return next((d for p in parts for d in [difference(p[1], p[2], p[0])] if d), None)


def judged(dir, *args):
    """The list "checks" of the JSON result, in which no names of files occur."""
    gpugate("check", *args, "--baseline", dir / "base", "--rules", dir / "rules.yaml", "--json", dir / "result.json", expect=(0, 3))
    return json.loads((dir / "result.json").read_text())["checks"]


def adds_up(document):
    """Check that computation, exposed communication, memory operations and idle time add up to the period of each step, and
    that busy time is the period without idle time."""
    parts = ["step.period_compute", "step.period_exposed_comm", "step.period_exposed_memory", "step.idle_time"]
    for rank in {m["rank"] for m in document["metrics"] if m["metric"] == "step.period"}:
        of = {m["metric"]: {s["step"]: s["value"] for s in m["samples"]}
              for m in document["metrics"] if m["rank"] == rank and m["metric"] in ("step.period", *parts)}
        period, idle = of["step.period"], of["step.idle_time"]
        for step, value in period.items():
            assert sum(of[part][step] for part in parts) == value, (rank, step, of)
        busy = [m["value"] for m in document["metrics"] if m["rank"] == rank and m["metric"] == "gpu.utilization_pct"]
        if len(busy) == 1:
            have = busy[0] + 100 * sum(idle[step] for step in period) / sum(period.values())
            assert abs(have - 100) < 1e-4, (rank, busy, have)


def same(dir, run, *options):
    """A run has the same figures read from its artifacts, from one digest of all, or from merged digests of each."""
    parts = sorted(p for p in run.iterdir() if p.is_file()) if run.is_dir() else [run]
    ways = {"digest": dir / "digest.json.gz", "merged run": dir / "merged.json"}
    gpugate("digest", run, *options, "-o", ways["digest"])
    for i, part in enumerate(parts):
        gpugate("digest", part, "-o", dir / f"part{i}.json")
    gpugate("merge", *options, *[dir / f"part{i}.json" for i in range(len(parts))], "-o", ways["merged run"])
    (dir / "rules.yaml").write_text(RULES)
    gpugate("approve", "--new", run, *options, *ANYWAY, "--baseline", dir / "base", "--rules", dir / "rules.yaml", "--force")
    want, verdicts, text = figures(run, *options), judged(dir, run, *options), told(run, *options)
    assert all(c["verdict"] in ("pass", "skipped", "inconclusive", "missing") for c in verdicts), verdicts
    for way, path in ways.items():
        d = difference(want, figures(path))
        assert not d, f"{way}: {d}"
        d = difference(verdicts, judged(dir, path))
        assert not d, f"{way}, checked: {d}"
        assert text == told(path), f"{way}: the text differs"
    adds_up(want)
    return want


def tails(path, rng):
    """Writes a trace of 900 small kernels beside a large one, some of them without occupancy; returns their mean occupancy in percent."""
    events, now, weight, total = [], 1000.0, 0, fractions.Fraction(0)
    kernels = [("gemm", 400000, 60)] + [(f"elementwise_{i}", rng.randrange(1, 40), rng.choice([0, *range(1, 100)])) for i in range(900)]
    for step in range(3):
        begin = now
        for i, (name, dur, occupancy) in enumerate(kernels):
            args = {"correlation": step * 10000 + i + 1}
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": begin + i,
                           "dur": 0.5, "args": args})
            now = max(now, begin + i + 1)
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": now, "dur": dur,
                           "args": {**args, "device": 0, "stream": 7, "est. achieved occupancy %": occupancy}})
            now += dur
            weight += dur if occupancy else 0
            total += occupancy * dur
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": begin - 5,
                       "dur": now - begin + 10})
        now += 100
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
                                "traceEvents": events}))
    return float(round(total / weight * 1000000)) / 1000000


def occupancy(dir):
    want = tails(dir / "tails.json", random.Random(1))
    run = same(dir, dir / "tails.json")
    assert sum(k.get("names", 1) for k in run["kernels"]) == 901 and len(run["kernels"]) < 450
    assert [m["value"] for m in run["metrics"] if m["metric"] == "gpu.occupancy_pct"] == [want], want
    (dir / "stored.yaml").write_text("version: 1\nrules: [{id: o, metric: gpu.occupancy_pct, fail: {change: 0%}}]\n")
    gpugate("approve", "--new", dir / "tails.json", "--baseline", dir / "base", "--rules", dir / "stored.yaml", "--force")
    gpugate("check", dir / "tails.json", "--baseline", dir / "base", "--rules", dir / "stored.yaml")


def cycles(dir):
    run = dir / "cycles"
    run.mkdir()
    for i in range(2):
        generate("trace", run / f"c{i}.json", "--seed", i, "--steps", 3, "--rank", 0, "--world-size", 1, "--first-step", 10 * i)
    same(dir, run, "--join-cycles")


def of_made(dir, tool, *options):
    same(dir, generate(tool, dir / ("run" if tool == "ranks" else "run.json.gz"), *options))


def main():
    if not PROGRAM:
        sys.exit(77)
    cases = {"occupancy": (occupancy,), "cycles": (cycles,)}
    cases.update({name: (of_made, *options) for name, options in MADE.items()})
    real = [pathlib.Path(p) for p in sys.argv[1:]]
    if SHARED and not real:
        real = [p for p in (pathlib.Path(SHARED, "data", name) for name in REAL) if p.exists()]
    cases.update({str(p): (same, p) for p in real})
    for name, (law, *args) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                law(pathlib.Path(folder), *args)
            except AssertionError as e:
                raise SystemExit(f"{name}: {e}") from e
        print(f"ok {name}")


if __name__ == "__main__":
    main()
