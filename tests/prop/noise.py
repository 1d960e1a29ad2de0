#!/usr/bin/env python3
"""Noise, from traces to messages: what gate and lint can say with a baseline of several runs.

usage: noise.py [GPUGATE]

Traces of one program that differ by fixed amounts are appended to a baseline run by run. $GPUGATE is the program; without
it the test is skipped (exit 77). """
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RULES = """\
version: 1
workload: noise
rules:
  - id: compute
    metric: step.compute_time
    fail: {increase: %s}
  - id: kernels
    metric: kernel.time
    for_each: {top: 5}
    fail: {increase: 10%%}
  - {id: count, metric: step.kernel_count, fail: {change: 0}}
"""
# how much longer each run takes than the first one, in tenths of a percent; the spread is 1.99 %
RUNS = [0, 20, -20, 10, -10, 31, -31, 5, -5, 22, -25]


def trace(permille):
    """A trace of six steps with three kernels each, all longer by `permille` tenths of a percent."""
    events, at, launch = [], 1000.0, 0
    for step in range(6):
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1,
                       "ts": at, "dur": 20000})
        start = at + 50
        for name, us in (("gemm", 6000), ("softmax", 3000), ("gelu", 1000)):
            launch += 1
            dur = round(us * (1000 + permille) / 1000 + step * 0.5, 3)
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                           "ts": start - 10, "dur": 5, "args": {"correlation": launch}})
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start, "dur": dur,
                           "args": {"device": 0, "stream": 7, "correlation": launch}})
            start += dur + 1
        at += 20000
    return {"traceEvents": events}


class Bench:
    def __init__(self, program, place):
        self.program, self.place, self.faults = program, place, []
        self.rules = self.file("rules.yaml", RULES % "5%")
        self.baseline = str(place / "baseline.json")

    def file(self, name, text):
        (self.place / name).write_text(text)
        return str(self.place / name)

    def trace(self, permille):
        return self.file(f"run{permille}.json", json.dumps(trace(permille)))

    def run(self, *args, want=0):
        p = subprocess.run([self.program, *args], capture_output=True, text=True, timeout=120)
        if p.returncode != want:
            self.faults.append(f"{' '.join(args)}: exit {p.returncode}, not {want}: {p.stderr.strip()}")
        return p

    def check(self, permille, *more, want=0):
        """The checks of a run, by id."""
        p = self.run("check", self.trace(permille), "--rules", self.rules, "--baseline", self.baseline, "--json", "-",
                     *more, want=want)
        return {c["id"]: c for c in json.loads(p.stdout)["checks"]}

    def want(self, what, holds):
        if not holds:
            self.faults.append(what)

    def says(self, text, *parts):
        for part in parts:
            self.want(f"{text!r} does not say {part!r}", part in text)


def one_run(b):
    b.run("approve", "--new", b.trace(RUNS[0]), "--rules", b.rules, "--baseline", b.baseline)
    p = b.run("lint", b.rules, "--baseline", b.baseline)
    b.says(p.stdout, "mostly assumed, 1 past run")
    compute = b.check(55, want=3)["compute"]
    b.want("of one run the noise is assumed: a small change stays open", compute["verdict"] == "undecided")


def many_runs(b):
    for permille in RUNS[1:]:
        b.run("store", b.trace(permille), "--rules", b.rules, "--baseline", b.baseline)
    p = b.run("lint", b.rules, "--baseline", b.baseline)
    b.says(p.stdout, "compute: runs spread by ", "(measured, 11 past runs)", "unchanged runs would fail", "a change fails from",
           "with 1 candidate run: in 1,000 runs of unchanged code about", "with 5 candidate runs: in 1,000 runs of unchanged code")
    b.says(p.stderr, "rules.yaml:4:9: the limit of 'compute' (increase 5%) is below the noise of ±")
    b.want("an exact metric has no noise", "\n  count: " not in p.stdout)


def verdicts(b):
    compute = b.check(51, want=3)["compute"]
    b.want(f"a change beyond the limit but within the noise is undecided, not {compute['verdict']}", compute["verdict"] == "undecided")
    b.want("the largest of the baseline's own runs passes", b.check(31)["compute"]["verdict"] == "pass")
    b.want("twice the limit fails", b.check(110, want=1)["compute"]["verdict"] == "fail")
    # of three candidate runs the median is judged, and the noise is smaller than with one run
    more = ("--repeat", b.trace(61), "--repeat", b.trace(200))
    b.want("the median of three runs fails", b.check(62, *more, want=1)["compute"]["verdict"] == "fail")
    more = ("--repeat", b.trace(1), "--repeat", b.trace(-1))
    b.want("one run of three does not fail", b.check(200, *more)["compute"]["verdict"] == "pass")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("GPUGATE")
    if not program:
        print("skipped: no program given: noise")
        return 77
    with tempfile.TemporaryDirectory() as place:
        b = Bench(program, pathlib.Path(place))
        for part in (one_run, many_runs, verdicts):
            part(b)
    for fault in b.faults:
        print(fault)
    return 1 if b.faults else 0


if __name__ == "__main__":
    sys.exit(main())
