#!/usr/bin/env python3
"""The built-in rule slow-steps: the share of a run's steps that are longer than its median step by more than a sixth.

The share is counted from the lengths that the traces were made with. Main's runs with as many slow steps pass, one slow step of a few, of which
main has none, only warns in a single run, and fails by three pairs if each of the change's runs has one. Rules that meant the p95 still do, and runs of main that
were stored without the share are read.

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("GPUGATE")
faults = []


def want(what, is_so, wanted):
    if is_so != wanted:
        faults.append(f"{what}: {is_so}, not {wanted}")


def trace(path, lengths, seed=0):
    """A trace whose steps take `lengths` in ms, each of which works for 5 ms."""
    chance, at, events = random.Random(seed), 1000.0, []
    for i, ms in enumerate(lengths):
        us = 1000 * ms * chance.uniform(0.995, 1.005)
        kernel = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": at + 60, "dur": 5000 * chance.uniform(0.998, 1.002),
                  "args": {"device": 0, "stream": 7, "correlation": i + 1}}
        launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 50, "dur": 5, "args": {"correlation": i + 1}}
        events += [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1, "ts": at, "dur": us}, launch, kernel]
        at += us
    path.write_text(json.dumps({"traceEvents": events}))
    return str(path)


class Main:
    def __init__(self, place, runs, slow, steps=8, rules="version: 2\nworkload: w\n"):
        self.place, self.steps, self.nr = place, steps, 0
        (place / "rules.yaml").write_text(rules)
        self.call("approve", self.run(slow), "--new")
        for _ in range(runs - 1):
            self.call("store", self.run(slow))

    def call(self, command, *args):
        p = subprocess.run([PROGRAM, command, *args, "--rules", "rules.yaml", "--baseline", "b.json"], cwd=self.place, capture_output=True, text=True, timeout=60)
        if p.returncode and command != "check":
            faults.append(f"{command}: exit {p.returncode}: {p.stderr.strip()}")
        return p

    def run(self, slow):
        """A run with so many slow steps."""
        self.nr += 1
        at = random.Random(self.nr).sample(range(1, self.steps), slow)
        return trace(self.place / f"run{self.nr}.json", [15 if i in at else 10 for i in range(self.steps)], self.nr)

    def check(self, *args):
        p = self.call("check", *args, "--json", "-")
        return next(c for c in json.loads(p.stdout)["checks"] if c["id"] == "slow-steps")


def shares(place):
    for seed in range(12):
        chance = random.Random(seed)
        lengths = [chance.choice((10, 10, 10, 11.5, 11.8, 13, 30)) for _ in range(2 * chance.randint(2, 20) + 1)]
        main = Main(place / f"share{seed}", 1, 0, 30)
        slow = sum(ms > statistics.median(lengths) * 7 / 6 for ms in lengths)
        # the first step has no period, since it is not known when the one before it ended
        found = main.check(trace(main.place / "it.json", [10, *lengths], seed))["candidate"]
        want(f"the share of {lengths}", round(found, 3), round(100 * slow / len(lengths), 3))


def chances(place):
    main = Main(place / "never", 6, 0)
    want("no slow step", main.check(main.run(0))["verdict"], "pass")
    want("one slow step of 8", main.check(main.run(1))["verdict"], "warn")
    want("three slow steps of 8", main.check(main.run(3))["verdict"], "fail")

    def pairs(slow):
        runs = [main.run(n) for n in slow]
        return main.check(main.run(1), *[a for r in runs for a in ("--repeat", r, "--control", main.run(0))])["verdict"]
    want("each of three has one", pairs((1, 1, 1)), "fail")
    want("one of three has one", pairs((0, 1, 0)) in ("pass", "warn"), True)
    main = Main(place / "always", 6, 1)
    want("as many as main", main.check(main.run(1))["verdict"], "pass")
    want("fewer than main", main.check(main.run(0))["verdict"] in ("pass", "improved"), True)
    history = next(main.place.glob("*history*"))
    lines = [json.loads(line) for line in history.read_text().splitlines()]
    before = json.dumps(lines)
    for line in lines:
        values = next(line[k] for k in line if isinstance(line[k], list) and any("slow_steps_pct" in json.dumps(v) for v in line[k]))
        values[:] = [v for v in values if "slow_steps_pct" not in json.dumps(v)]
    want("the share was stored", json.dumps(lines) != before, True)
    history.write_text("".join(json.dumps(line) + "\n" for line in lines))
    want("runs that were stored without it", main.check(main.run(1))["verdict"], "pass")


def old_rules(place):
    for nr, (entry, metric, limit) in enumerate((
            ("{fail: {increase: 40%}}", "step.period", "increase 40%"), ("{warn: {increase: 40%}}", "step.period", "increase 25%"),
            ("{stat: p99}", "step.period", "increase 25%"), ("{metric: step.period, stat: max, fail: {increase: 9%}, warn: off}", "step.period", "increase 9%"),
            ("{fail: {increase: 20pp}}", "slow_steps_pct", "increase 20pp"), ("{noise: {k: 3}}", "slow_steps_pct", "increase 10pp"),
            ("{fail: {increase: 5ms}}", "step.period", "increase 5ms"), ("{fail: {max: 2s}}", "step.period", "max 2s"))):
        main = Main(place / f"old{nr}", 1, 0, rules=f"version: 2\nworkload: w\nrules:\n  slow-steps: {entry}\n")
        check = main.check(main.run(0))
        want(entry, (check["metric"], check["limit"], check["verdict"]), (metric, limit, "pass"))
        if "pp" not in limit:
            text = subprocess.run([PROGRAM, "explain", "slow-steps", "--rules", "rules.yaml"], cwd=main.place, capture_output=True, text=True, timeout=60).stdout
            want(f"{entry}: what noise may explain", "only warns" in text, False)
    main = Main(place / "profile", 1, 0, rules="version: 2\nworkload: w\nprofiles: {nightly: {rules: {slow-steps: {fail: {increase: 40%}}}}}\n")
    for args, limit in (((), "increase 25%"), (("--profile", "nightly"), "increase 40%")):
        check = main.check(main.run(0), *args)
        want(f"profile {args}", (check["metric"], check["limit"]), ("step.period", limit))


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        for inner in ("never", "always", *(f"share{i}" for i in range(12)), "profile", *(f"old{i}" for i in range(8))):
            (place / inner).mkdir()
        for law in (shares, chances, old_rules):
            law(place)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
