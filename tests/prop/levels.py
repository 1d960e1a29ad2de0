#!/usr/bin/env python3
"""The reference follows a better level of main within three runs, for any figure, spread and gain.

Histories are stored run by run: main at one level, then runs at another one. What undoes a gain fails from the third run on that has it, and not after
the first; main's own code never fails; noise is that of single runs, whatever main gained. A worse level, a gain that only one job has shown, and
a level that main comes back to are not followed.

$GPUGATE is the program; exit 77 skips.
"""
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("GPUGATE")
# figure, whether more of it is better, what its rule says of that
FIGURES = (("step_ms", False, ""), ("tokens_per_s", True, ""), ("rating_x", True, "better: higher, "), ("cost_x", False, "better: lower, "),
           ("count_x", False, "better: lower, noise: {k: 0}, "))
faults = []


class Main:
    """Main, whose runs spread by `spread` around a level; more than 1 is better."""

    def __init__(self, place, figure, spread, seed, runs):
        self.figure, self.spread, self.chance, self.place, self.nr = figure, spread, random.Random(seed), pathlib.Path(place), 0
        name, _, says = figure
        (self.place / "rules.yaml").write_text(f"version: 1\nworkload: w\nrules: [{{id: t, metric: input.{name}, {says}fail: {{worse: 3%}}}}]\n")
        self.call("approve", self.run(1), "--new")
        for _ in range(runs - 1):
            self.call("store", self.run(1))

    def call(self, command, *args):
        p = subprocess.run([PROGRAM, command, *args, "--rules", "rules.yaml", "--baseline", "b.json"], cwd=self.place, capture_output=True, text=True, timeout=60)
        if p.returncode and command != "check":
            faults.append(f"{self.told}: {command}: exit {p.returncode}: {p.stderr.strip()}")
        return p

    @property
    def told(self):
        return f"{self.figure[0]}, spread {self.spread}"

    def run(self, level):
        """A run: between one and two spreads off, so that none of a few is off by chance alone."""
        self.nr += 1
        factor = level * (1 + self.spread * (-1) ** self.nr * self.chance.uniform(0.5, 1.5))
        path = self.place / f"run{self.nr}.json"
        path.write_text(json.dumps({self.figure[0]: round(100 * (factor if self.figure[1] else 1 / factor), 6), "n": self.nr}))
        return path.name

    def check(self, level):
        p = self.call("check", self.run(level), "--json", "-")
        (check,) = json.loads(p.stdout)["checks"]
        return check["verdict"], check["noise"]["noise"]

    def want(self, what, is_so, wanted):
        if is_so != wanted:
            faults.append(f"{self.told}: {what}: {is_so}, not {wanted}")


def gains(place, figure, spread, gain, seed, runs):
    main = Main(place, figure, spread, seed, runs)
    _, noise = main.check(1)
    for stored in range(1, 6):
        main.call("store", main.run(1 + gain))
        after, now = main.check(1 + gain)
        main.want(f"{stored} runs after a gain of {gain} its own code fails", after == "fail", False)
        undone, _ = main.check(1)
        if stored != 2:
            main.want(f"{stored} runs after a gain of {gain} undone fails", undone == "fail", stored >= 3)
        if stored >= 3 and noise:
            main.want(f"{stored} runs after a gain of {gain} the noise {now} of {noise} is that of runs", now <= 3 * noise, True)


def not_followed(place, figure, seed):
    """What is no better level of main."""
    main = Main(place, figure, 0.005, seed, 8)
    repeats = [arg for _ in range(3) for arg in ("--repeat", main.run(1.2))]
    main.call("store", main.run(1.2), *repeats)
    main.want("four runs of one job", main.check(1)[0], "pass")
    main = Main(place / "worse", figure, 0.005, seed, 8)
    for _ in range(4):
        main.call("store", main.run(1 / 1.1), "--force")
    main.want("a worse level passes", main.check(1 / 1.1)[0] == "pass", False)
    main.want("the level before a worse one", main.check(1)[0], "pass")
    main = Main(place / "back", figure, 0.005, seed, 6)
    for level in (1.1,) * 4 + (1,) * 4 + (1.1,) * 4:
        main.call("store", main.run(level), "--force")
    main.want("a level that main comes back to", main.check(1.01)[0], "fail" if "k: 0" in figure[2] else "undecided")


def main():
    if not PROGRAM:
        sys.exit(77)
    for seed, (figure, (spread, gain)) in enumerate(itertools.product(FIGURES, ((0.001, 0.05), (0.005, 0.1), (0.015, 0.3), (0, 0.05)))):
        with tempfile.TemporaryDirectory() as place:
            gains(place, figure, spread, gain, seed, 5 + seed % 7)
    for seed, figure in enumerate(FIGURES):
        with tempfile.TemporaryDirectory() as place:
            for inner in ("worse", "back"):
                os.mkdir(os.path.join(place, inner))
            not_followed(pathlib.Path(place), figure, seed)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
