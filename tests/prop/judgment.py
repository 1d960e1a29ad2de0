#!/usr/bin/env python3
"""The gate's judgment from traces to exit codes: all kernels slower by one factor, a renamed kernel, control runs with and
without a stored baseline, the plan of further runs, repeats in the history.

usage: judgment.py       ($GPUGATE is the program; without it exit 77 skips)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from _gen import generate

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPUGATE = os.environ.get("GPUGATE")
GEMM = "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTT"
bad = 0


def expect(law, what):
    global bad
    if not law:
        bad += 1
        print(f"FAILED: {what}")


class Bench:
    def __init__(self, place):
        self.place, self.made = place, {}

    def trace(self, seed, *options):
        name = f"run{len(self.made)}.json"
        if (seed, options) not in self.made:
            generate("trace", self.place / name, "--seed", seed, "--steps", 5, *options)
            self.made[seed, options] = name
        return self.made[seed, options]

    def run(self, code, *arguments):
        p = subprocess.run([GPUGATE, *arguments], cwd=self.place, capture_output=True, text=True)
        expect(p.returncode == code, f"exit {p.returncode}, not {code}: {' '.join(arguments)}\n{p.stdout}{p.stderr}")
        return p

    def check(self, code, *arguments):
        self.run(code, "check", *arguments, "--json", "out", "--plan", "plan")
        return json.loads((self.place / "out").read_text()), json.loads((self.place / "plan").read_text())

    def baseline(self, path, *appended):
        self.run(0, "approve", "--new", self.trace(1), "--baseline", path)
        for words in appended:
            self.run(0, "store", *words, "--baseline", path)

    def history(self, path):
        return [json.loads(line) for line in (self.place / path).read_text().splitlines()]


def of(result, verdict):
    return [c["id"] for c in result["checks"] if c["verdict"] == verdict]


def slower(by):
    return "--slow-kernel", f"*={by}"


def uniform(b):
    """If all kernels are slower by one factor, only one check and one finding fail."""
    against = "--baseline", "b.json"
    for by, code in ((1.06, 1), (1.15, 1)):
        result, _ = b.check(code, b.trace(9, *slower(by)), *against)
        expect(of(result, "fail") == ["step-compute-time"], f"x{by} fails {of(result, 'fail')}")
        expect(not [c for c in of(result, "warn") if c.startswith(("operators", "top-kernels"))], f"x{by} warns of {of(result, 'warn')}")
        expect([f["finding"] for f in result["findings"] if f["verdict"] == "fail"] == ["uniform"], f"x{by}: {result['findings']}")
    result, _ = b.check(1, b.trace(9, "--slow-kernel", f"{GEMM}=1.6"), *against)
    expect(any(c.startswith("operators") for c in of(result, "fail")), f"one kernel is not all: {of(result, 'fail')}")
    expect("uniform" not in [f["finding"] for f in result["findings"]], "one kernel is not all")
    result, _ = b.check(1, b.trace(9, "--slow-kernel", "*flash*=1.5"), *against)
    expect("uniform" not in [f["finding"] for f in result["findings"]], "some kernels, and the others as before, are not all")
    result, _ = b.check(0, b.trace(9, *slower(0.8)), *against)
    expect("step-compute-time" in of(result, "improved") and not of(result, "fail"), f"a gain: {of(result, 'improved')}")


def another_name(b):
    result, _ = b.check(1, b.trace(9, "--slow-kernel", "another_gemm=2", "--rename-kernel", f"{GEMM}=another_gemm"), "--baseline", "b.json")
    expect(any(c.startswith(("operators", "top-kernels")) for c in of(result, "fail")), f"{of(result, 'fail')}")


def pairs(b, factor, base):
    """Three candidates, slower by `factor`, that alternate with three controls; all on a machine that is slower by `base`."""
    words = [b.trace(20, *slower(round(base * factor, 3)))]
    for seed in (21, 22):
        words += ["--repeat", b.trace(seed, *slower(round(base * factor, 3)))]
    for seed in (30, 31, 32):
        words += ["--control", b.trace(seed, *slower(base))]
    return words


def controls(b):
    """The state of the machine cancels out if control runs are given, with a stored baseline and without."""
    for where in (("--baseline", "b.json"), ("--baseline", "none.json"), ()):
        none = where != ("--baseline", "b.json")
        if none and where:
            b.run(4, "check", *pairs(b, 1, 1.1), *where)  # a baseline that --baseline names must exist, even if control runs are given
            continue
        result, plan = b.check(0, *pairs(b, 1, 1.1), *where)
        expect(not of(result, "fail") and plan["undecided"] == 0, f"{where}: the machine is slower, the code is not: {of(result, 'fail')}")
        result, _ = b.check(1, *pairs(b, 1.06, 1.1), *where)
        expect("step-compute-time" in of(result, "fail"), f"{where}: {of(result, 'fail')}")
    b.check(1, b.trace(20, *slower(1.1)), "--baseline", "b.json")  # without controls, a slow machine looks like slow code


def plans(b):
    """With one run on each side, a change beyond its limit that may be noise is undecided, and the plan says how many runs
    would decide."""
    (b.place / "tight.yaml").write_text("version: 1\nrules: [{id: time, metric: step.compute_time, fail: {increase: 0.3%}}]\n")
    b.run(0, "approve", "--new", b.trace(1), "--baseline", "one.json")
    words = b.trace(9, *slower(1.006)), "--baseline", "one.json", "--rules", "tight.yaml"
    result, plan = b.check(3, *words)
    expect(result["verdict"] == "undecided" and plan["undecided"] == 1, f"{plan}")
    expect(plan["pairs"] + plan["runs"] > 0 and all(plan[k] == result["plan"][k] for k in ("runs", "pairs")), f"what would decide it: {plan}")
    b.check(0, *words, "--fail-on", "never")
    (b.place / "tight.yaml").write_text("version: 1\nrules: [{id: time, metric: step.compute_time, fail: {increase: 0.3%}, unsure: warn}]\n")
    expect(b.check(0, *words)[0]["verdict"] == "warn", "a rule may only warn of what is not sure")


def planned(b):
    """The pairs that a plan asks for decide, for good, however far the change is from its limit."""
    asked = set()
    for rate in (700, 800, 850, 880, 893, 899, 920):
        def write(name, value):
            (b.place / name).write_text(json.dumps({"tokens_per_s": value}))
            return name
        b.run(0, "approve", "--new", write("base.json", 1000.5), "--workload", "w", "--baseline", "tokens.json", "--force")
        words = ["check", write("new.json", rate + 0.5), "--workload", "w", "--baseline", "tokens.json", "--json", "plan.json", "--fail-on", "never"]
        b.run(0, *words)
        first = json.loads((b.place / "plan.json").read_text())["plan"]
        expect(first["runs"] == 0, f"{rate}: {first}")
        asked.add(first["pairs"])
        for i in range(first["pairs"]):
            words += ["--repeat", write(f"new{i}.json", rate + 0.7 + i / 10), "--control", write(f"old{i}.json", 1000.7 + i / 10)]
        b.run(0, *words)
        result = json.loads((b.place / "plan.json").read_text())
        expect(result["plan"]["pairs"] == 0 and result["verdict"] in (("fail",) if rate < 900 else ("pass", "warn")), f"{rate}: {first}, then {result['verdict']}, {result['plan']}")
    expect(asked == {0, 3}, f"pairs that were asked for: {asked}")


def repeats(b):
    """Repeats are appended as runs of one machine, unless the recordings say otherwise."""
    def word(seed, host):
        out = f"{host}{seed}.json.gz"
        b.run(0, "digest", b.trace(seed), "--context", f"host={host}", "--output", out)
        return out
    b.baseline("r.json", (b.trace(2),), (word(3, "a"), "--repeat", word(4, "a")), (word(5, "a"), "--repeat", word(6, "b")))
    lines = b.history("r.history.jsonl")
    names = [line.get("together") for line in lines]
    expect(len(lines) == 6 and names[:2] == [None, None] and names[2] and names[2] == names[3] == lines[2]["source_hash"], f"{names}")
    expect(names[4:] == [None, None], f"of two hosts: {names}")
    one = b.run(0, "lint", "rules.yaml", "--baseline", "r.json").stdout
    expect("6 past runs" in one, one)


def main():
    if not GPUGATE:
        return 77
    with tempfile.TemporaryDirectory() as place:
        b = Bench(pathlib.Path(place))
        (b.place / "rules.yaml").write_text("version: 1\nrules: [{id: time, metric: step.compute_time, fail: {increase: 3%}}]\n")
        b.baseline("b.json", *((b.trace(seed),) for seed in (2, 3, 4)))
        for part in (uniform, another_name, controls, plans, planned, repeats):
            part(b)
            print(f"{'ok' if not bad else 'after'} {part.__name__}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
