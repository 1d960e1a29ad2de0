#!/usr/bin/env python3
"""Commands before and after the first baseline:

 - without a baseline, a check shows the run, prints the command that makes the run the baseline, and ends with 4; the JUnit
   file has an error. The printed command creates the baseline. A suite says the same about its case
 - `approve --repeat` begins the history, `--history DIR` keeps it elsewhere, for every command that reads it;
   commit and name come from git, and a modified tree is marked
 - `init --from-noise` narrows limits as far as the noise allows, and a run of the same code passes them
 - a report warns if the runs of main have left the approved run for the worse by more than the limit
 - if main is already slower without approval, a change under review is not blamed for it, but is not excused for more; a
   check outside of a review, or with a main branch that was never slow, fails

$GPUGATE is the program; needs git; exit 77 skips.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from _expect import expect, finish, wrong
from _gen import generate

PROGRAM = os.path.abspath(os.environ.get("GPUGATE", ""))
DAY, FIRST = 86400, 1790000000
SLOW = ("--slow-kernel", "*flash_bwd*=1.6")


class Place:
    def __init__(self, folder):
        self.folder, self.day = folder, 0
        self.sh("git init --quiet . && git config user.name Ann && git config user.email ann@example.com && git commit --quiet --allow-empty -m first")

    def env(self):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
                "SOURCE_DATE_EPOCH": str(FIRST + self.day * DAY)}

    def sh(self, line):
        return subprocess.run(line, shell=True, cwd=self.folder, env=self.env(), check=True, capture_output=True, text=True).stdout.strip()

    def run(self, code, *words):
        p = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, env=self.env(), capture_output=True, text=True, check=False)
        if p.returncode != code:
            wrong.append(f"{words}: exit {p.returncode}, not {code}: {p.stdout}{p.stderr}")
        return p

    def trace(self, seed, *options):
        return generate("trace", self.folder / f"t{seed}.json", "--seed", seed, "--steps", 4, *options).name

    def result(self, code, *words):
        self.run(code, "check", *words, "--json", "r.json", "--junit", "r.xml", "--markdown", "r.md")
        return json.loads((self.folder / "r.json").read_text())


def first(p):
    r = p.result(4, p.trace(1), "--workload", "w")
    expect("verdict", (r["verdict"], r["exit_code"], r["error"]), ("missing", 4, None))
    expect("figures", any(c["metric"] == "step.compute_time" and c["candidate"] for c in r["checks"]), True)
    expect("JUnit", 'errors="1"' in (p.folder / "r.xml").read_text(), True)
    text = (p.folder / "r.md").read_text()
    command = re.search(r"```sh\n(gpugate approve --new [^`]*)\n```", text.replace(" \\\n", ""))
    expect("the figures and the command", (re.search(r"\*\*\d+\.\d+.ms\*\*", text) is not None, bool(command)), (True, True))
    (p.folder / "s.yaml").write_text("version: 1\ncases: [{workload: w, runs: t1.json}]\n")
    p.run(4, "suite", "s.yaml", "--json", "s.json", "--markdown", "s.md")
    expect("in a suite", json.loads((p.folder / "s.json").read_text())["cases"][0]["verdict"], "missing")
    text = (p.folder / "s.md").read_text().replace("\u00a0", " ")
    figures = re.search(r"to compare with: (\S+ ms) compute per step, .* peak memory \|", text)
    expect("its key figures", figures and f"| {figures[1]} compute per step |" in text, True)
    p.run(0, *shlex.split(command[1])[1:])
    p.result(0, p.trace(2), "--workload", "w")
    p.run(3, "check", "nothing.json", "--workload", "w")
    p.run(3, "check", "nothing.json", "--workload", "other")


def provenance(p):
    head = p.sh("git rev-parse HEAD")
    have = json.loads((p.folder / "baselines/w.json").read_text())["provenance"]
    expect("from git", (have["commit"], have["who"]), (head, "Ann"))
    p.sh("echo 1 >code.py && git add code.py && git commit --quiet -m code && echo 2 >code.py")
    p.run(0, "approve", "--new", "t1.json", "--workload", "dirty")
    have = json.loads((p.folder / "baselines/dirty.json").read_text())["provenance"]["commit"]
    expect("a changed tree", have, p.sh("git rev-parse HEAD") + "-dirty")
    p.run(0, "approve", "--new", "t1.json", "--workload", "said", "--commit", "c1", "--who", "Bob")
    have = json.loads((p.folder / "baselines/said.json").read_text())["provenance"]
    expect("what is said", (have["commit"], have["who"]), ("c1", "Bob"))


def histories(p):
    p.run(0, "approve", "--new", p.trace(1), "--repeat", p.trace(2), "--repeat", p.trace(3), "--workload", "n", "--history", "past")
    kept = p.folder / "past" / "baselines" / "n.history.jsonl"
    runs = [json.loads(line) for line in kept.read_text().splitlines()]
    expect("its runs", [(r["verdict"], r["accepted"]) for r in runs], [("approved", False), ("approved", True), ("approved", True)])
    expect("beside the baseline", (p.folder / "baselines" / "n.history.jsonl").exists(), False)
    for seed in range(4, 9):
        p.run(0, "store", p.trace(seed), "--workload", "n", "--history", "past")
    expect("runs", len(kept.read_text().splitlines()), 8)
    expect("of a check, without the approved run", p.result(0, p.trace(20), "--workload", "n", "--history", "past")["baseline_runs"], 7)
    expect("without it", p.result(0, "t20.json", "--workload", "n")["baseline_runs"], 1)
    expect("history", "over 8 runs" in p.run(0, "history", "n", "--history", "past").stdout, True)


def limits(p):
    said = p.run(0, "init", "--from-noise", "--workload", "n", "--history", "past", "--home", "none").stdout
    expect("said", "closer limits of " in said, True)
    text = (p.folder / "rules/gpugate.yaml").read_text()
    line = re.search(r"  step-compute-time: \{fail: \{increase: (.*?)%\}, warn: off\}  # 3% before: the spread of 8 runs is ±(.*?) %\n", text)
    expect("its limit", bool(line) and 1 <= float(line[1]) < 3 and 3 * float(line[2]) <= float(line[1]), True)
    p.run(0, "lint", "rules/gpugate.yaml")
    p.result(0, p.trace(21), "--workload", "n", "--history", "past")
    p.run(4, "init", "--from-noise", "--workload", "none-there", "--force", "--home", "none")


def slow_main(p):
    (p.folder / "r.yaml").write_text("version: 1\nworkload: m\nrules:\n  - {id: time, metric: step.compute_time, fail: {increase: 3%}}\n"
                                     "  - {id: ops, metric: op.self_gpu_time, for_each: {top: 5}, fail: {increase: 10%}}\n")
    rules = "--rules", "r.yaml"
    p.run(0, "approve", "--new", p.trace(1), *rules)
    for i in range(2, 17):
        p.day = i
        if i == 9:
            r = p.result(1, p.trace(40, *SLOW), *rules, "--review")
            expect("main was never slow", r["verdict"], "fail")
        p.run(0, "store", p.trace(i, *(SLOW if i >= 9 else ())), *rules, "--commit", f"c{i}")
    p.day = 17
    r = p.result(0, p.trace(41, *SLOW), *rules, "--review")
    waived = [c for c in r["checks"] if c["verdict"] == "waived"]
    expect("waived", [c["rule"] for c in waived], ["time", "ops"])
    expect("since", all("main is there already, since c9 of " in c["message"] for c in waived), True)
    # a slowdown that main already has is not noise: if it counted as noise, the checks `time` and `ops` would be undecided
    expect("of no review", p.result(1, "t41.json", *rules)["verdict"], "fail")
    expect("and more of its own", p.result(1, p.trace(42, "--slow-kernel", "*flash_bwd*=2.6"), *rules, "--review")["summary"]["waived"], 0)


def moved(p):
    """Runs of main that nobody approved, by how much they differ from the approved one."""
    (p.folder / "left.yaml").write_text("version: 1\nworkload: left\nrules:\n  - {id: time, metric: step.compute_time, fail: {increase: 10%}}\n"
                                        "  - {id: count, metric: step.kernel_count, fail: {change: 0}}\n")
    rules = "--rules", "left.yaml"
    for n, (factor, words) in enumerate((("1.02", []), ("1.3", ["'time'"]), ("0.7", []))):
        base = *rules, "--baseline", f"left{n}.json"
        p.run(0, "approve", "--new", p.trace(1), *base)
        for seed in range(50, 56):
            p.run(0, "store", p.trace(seed + 10 * n, "--slow-kernel", f"*={factor}"), *base, "--force")
        r = p.result(0, p.trace(80 + n, "--slow-kernel", f"*={factor}"), *base, "--fail-on", "never")
        said = [w for w in r["warnings"] if "have left the approved run" in w]
        expect(f"{factor}: warnings", [w.split("limit of ")[1].split(" (")[0] for w in said], words)


def main():
    if not os.environ.get("GPUGATE"):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        p = Place(pathlib.Path(name))
        for test in (first, provenance, histories, limits, slow_main, moved):
            test(p)
    finish()


if __name__ == "__main__":
    main()
