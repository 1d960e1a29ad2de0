#!/usr/bin/env python3
"""A small kernel in two joined profiler cycles counts as equally small as in one cycle: if the candidate has it just above
the size from which kernels are kept by name, it is "too small to tell" rather than new, whatever the baseline consists of.

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("GPUGATE")
RULES = """version: 1
rules:
  - {id: k, metric: kernel.time, for_each: {top: 20}, fail: {increase: 50%}, on_new: fail}
"""


def trace(path, first, big_us, small_us):
    """A trace of three steps of one rank, with a large and a small kernel in each."""
    events, now = [], 0.0
    for step in range(first, first + 3):
        kernels = [("gemm", big_us), ("tiny", small_us)]
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": now,
                       "dur": big_us + small_us + 300})
        start = now + 100
        for i, (name, dur) in enumerate(kernels):
            args = {"correlation": 10 * step + i + 1}
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": now + 10 + 10 * i,
                           "dur": 5, "args": args})
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start, "dur": dur,
                           "args": {**args, "device": 0, "stream": 7, "grid": [1, 1, 1], "block": [32, 1, 1]}})
            start += dur + 10
        now += big_us + small_us + 400
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
                                "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1}, "traceEvents": events}))
    return path


def gpugate(*args, expect=0):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False)
    assert p.returncode == expect, f"exit {p.returncode}, not {expect}: {args}\n{p.stdout}{p.stderr}"
    return p.stdout


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        (dir / "rules.yaml").write_text(RULES)
        c1, c2 = trace(dir / "c1.json", 0, 100000, 45), trace(dir / "c2.json", 10, 100000, 45)
        cand = trace(dir / "cand.json", 0, 80000, 41)
        for made_of in ([c1], [c1, c2, "--join-cycles"], [c2, c1, "--join-cycles"]):
            options = ("--baseline", dir / "base.json", "--rules", dir / "rules.yaml")
            gpugate("approve", "--new", *made_of, *options, "--force")
            gpugate("check", cand, *options, "--json", dir / "result.json")
            checks = json.loads((dir / "result.json").read_text())["checks"]
            tiny = [c for c in checks if "tiny" in json.dumps(c)]
            assert [c["verdict"] for c in tiny] == ["skipped"] and "too small to tell" in json.dumps(tiny), tiny
    print("ok")


if __name__ == "__main__":
    main()
