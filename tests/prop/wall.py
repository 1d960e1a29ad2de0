#!/usr/bin/env python3
"""The wall time of a step has the limit that its spread allows.

Runs are generated whose GPU is busy all the time, or idle for a half of each step. The wall time of each run is that of the step
times a factor. Where the GPU is busy, the limit is 3 %, as for GPU time. Where it is idle, the host has a part in the time: with few runs
of main 13 % are assumed, and a change within twice that only warns; with ten runs the limit follows what they show. A figure of a file is
assumed to spread by 5 %, until five runs that are alike show that it has less noise.

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
STEPS = 12


def trace(path, idle, factor, seed):
    """A trace of steps of 10 ms; a share `idle` of each is not GPU time, and all of it takes `factor` times as long."""
    chance = random.Random(seed)
    events, at = [], 0.0
    for s in range(STEPS):
        work = 10000 * (1 - idle) * (1 + chance.gauss(0, 1e-4)) * (factor if not idle else 1)
        period = (10000 * factor if idle else work / (1 - 0.01))
        events += [
            {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{s}", "pid": 1, "tid": 1, "ts": round(at, 3), "dur": round(period - 1, 3)},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": round(at + 1, 3), "dur": 2,
             "args": {"correlation": s + 1}},
            {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": round(at + 5, 3), "dur": round(work, 3),
             "args": {"device": 0, "stream": 7, "correlation": s + 1}}]
        at += period
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}))
    return path


def figure(path, factor):
    path.write_text(json.dumps({"tokens_per_s": round(51200.5 / factor, 3)}))
    return path


def gate_of_figure(folder, past, now):
    """The verdict on a rate that is `now` times lower than main's, by a rule of 5 %."""
    folder.mkdir()
    run = lambda *args: subprocess.run([PROGRAM, *map(str, args)], cwd=folder, capture_output=True, text=True)
    (folder / "r.yaml").write_text("version: 2\nrules: {rate: {metric: input.tokens_per_s, fail: {decrease: 5%}}}\n")
    for i, factor in enumerate(past):
        made = run(*(("store",) if i else ("approve", "--new")), figure(folder / f"m{i}.json", factor), "--baseline", "b.json", "--rules", "r.yaml")
        assert made.returncode == 0, made.stderr
    run("check", figure(folder / "now.json", now), "--baseline", "b.json", "--rules", "r.yaml", "--json", "o.json")
    return json.loads((folder / "o.json").read_text())["verdict"]


def gate(folder, idle, past, now):
    """What step-period says of a run whose wall time is `now` times that of main, whose runs have the factors `past`."""
    folder.mkdir()
    run = lambda *args: subprocess.run([PROGRAM, *map(str, args)], cwd=folder, capture_output=True, text=True)
    for i, factor in enumerate(past):
        made = run(*(("store",) if i else ("approve", "--new")), trace(folder / f"m{i}.json", idle, factor, i), "--baseline", "b.json")
        assert made.returncode == 0, made.stderr
    got = run("check", trace(folder / "now.json", idle, now, 99), "--baseline", "b.json", "--json", "o.json")
    checks = json.loads((folder / "o.json").read_text())["checks"]
    check = next(c for c in checks if c["rule"] == "step-period")
    return check["verdict"], check["limit"], got.returncode


def beside_latency(folder, more):
    """A run whose launches wait 5 ms for the GPU, while one of two kernels takes `more` ns longer, is reported, and not as due to the kernel."""
    folder.mkdir()
    for name, wait, plus in (("b", 0, 0), ("c", 5000, more / 1000)):
        events = []
        for s in range(6):
            at = 1e6 + 3000 * s
            events += [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{s}", "pid": 1, "tid": 1, "ts": at, "dur": 2990}]
            for k, (kernel, begin, dur) in enumerate((("gemm", 9, 300), ("softmax", 400, 40 + plus))):
                events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 2 + k, "dur": 1,
                            "args": {"correlation": 2 * s + k + 1}},
                           {"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": at + begin + wait, "dur": dur,
                            "args": {"device": 0, "stream": 7, "correlation": 2 * s + k + 1}}]
        (folder / f"{name}.json").write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}))
    run = lambda *args: subprocess.run([PROGRAM, *args], cwd=folder, capture_output=True, text=True)
    assert run("approve", "--new", "b.json", "--baseline", "base.json").returncode == 0
    got = run("check", "c.json", "--baseline", "base.json")
    return got.returncode in (0, 1, 3) and "step.latency rose" in " ".join(got.stdout.split()) and "softmax" not in got.stdout


def main():
    chance = random.Random(36)
    ten = lambda spread: [1 + chance.gauss(0, spread) for _ in range(10)]
    rows = [  # idle, runs of main, the candidate, verdict, the largest limit in percent
        ("busy, one run", 0, [1], 1.02, "pass", 5), ("busy, one run", 0, [1], 1.06, "undecided", 5),
        ("busy, ten runs of 0.3 %", 0, ten(0.003), 1.05, "fail", 3), ("busy, ten runs of 0.3 %", 0, ten(0.003), 1.02, "pass", 3),
        ("idle, one run", 0.5, [1], 1.2, "warn", 30), ("idle, one run", 0.5, [1], 1.35, "undecided", 30), ("idle, one run", 0.5, [1], 1.6, "fail", 30),
        ("idle, ten runs of 0.3 %", 0.5, ten(0.003), 1.22, "fail", 5), ("idle, ten runs of 10 %", 0.5, ten(0.1), 1.15, "warn", 25),
    ]
    wrong = 0
    with tempfile.TemporaryDirectory() as tmp:
        for i, (name, idle, past, now, want, most) in enumerate(rows):
            verdict, limit, code = gate(pathlib.Path(tmp) / str(i), idle, past, now)
            percent = float(limit.split()[1].rstrip("%"))
            good = verdict == want and (want == "warn" or percent <= most) and code in {"pass": (0,), "warn": (0,), "undecided": (3,), "fail": (1,)}[want]
            print(f"{name}, +{100 * now - 100:.0f} %: {verdict} (exit {code}), limit {limit}{'' if good else f': WRONG, {want} is right'}")
            wrong += not good
        for more in (1, 2, 3, 4, 8):
            good = beside_latency(pathlib.Path(tmp) / f"latency{more}", more)
            print(f"a kernel {more} ns longer{'' if good else ': WRONG, no report'}")
            wrong += not good
        of_figures = [  # runs of main, the candidate, verdict
            ("one run", [1], 1.08, "undecided"), ("one run", [1], 1.02, "pass"), ("five runs of 0.3 %", ten(0.003)[:5], 1.08, "fail"),
            ("five runs of 0.3 %", ten(0.003)[:5], 1.03, "pass"), ("ten runs of 0.05 %", ten(0.0005), 1.062, "fail"),
            ("ten runs of 5 %", ten(0.05), 1.08, "undecided")]
        for i, (name, past, now, want) in enumerate(of_figures):
            verdict = gate_of_figure(pathlib.Path(tmp) / f"f{i}", past, now)
            print(f"a rate, {name}, {100 / now - 100:.1f} %: {verdict}{'' if verdict == want else f': WRONG, {want} is right'}")
            wrong += verdict != want
    print(f"{len(rows) + len(of_figures)} gates, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main() if PROGRAM else 77)
