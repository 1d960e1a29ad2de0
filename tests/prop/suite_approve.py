#!/usr/bin/env python3
"""A suite on pull requests, from its first run on, with the scripts of ci/forge, a git repository and the stand-in for the
APIs of GitHub and, for the first part, of GitLab (_forge.py):

 - without any baseline, one comment accepts one case, and the next comment all other cases; each comment is answered, and the
   status of the commit follows
 - runs of main go into the histories of all cases
 - if two cases regress, first one is accepted, later the other; a person without permission gets an answer that says so; of two
   approvals at the same time, the later one finds nothing left to accept
 - only an undecided case runs again, as its plan says; a benchmark that makes no new files leaves the case undecided
 - all this works for names of cases with characters that are special in a shell, in Markdown or for unzip

$GPUGATE is the program; needs git and jq; exit 77 skips.
"""
import json
import pathlib
import sys
import tempfile

import tour
from _expect import expect, finish
from _part import ALL
from approve import meanwhile
from tour import FORGE, ROOT

NAMES = ("attn", "-x $(touch pwned) `b` 'c\"é")
SUITE = """\
version: 1
name: nightly
cases:
  - {workload: train, runs: results/train.json.gz}
  - {workload: "k-{name}", each: "results/k/*/"}
"""
RULES = """\
version: 1
rules:
  - {id: step-time, metric: step.compute_time, fail: {increase: 0.5%}}
  - {id: launches, metric: step.kernel_count, fail: {change: 0}}
"""
# The benchmark: makes each case's trace with the options in model/CASE.txt; when the gate runs it again, only for the
# requested cases.
BENCHMARK = f"""\
import os, pathlib, sys
sys.path.insert(0, "{ROOT}/tests/prop")
from _gen import generate
count = pathlib.Path(os.environ["COUNT"])
asked = os.environ.get("GPUGATE_CASES", "").splitlines()
with open(os.environ["COUNT"] + ".log", "a") as log:
    log.write(os.environ["GPUGATE_SIDE"] + ": " + (", ".join(asked) or "all") + "\\n")
for name, path in (("train", "train.json.gz"), *(("k-" + n, f"k/{{n}}/a.json.gz") for n in {NAMES!r})):
    if asked and name not in asked:
        continue
    run = int(count.read_text()) + 1
    count.write_text(str(run))
    out = pathlib.Path("results", path)
    out.parent.mkdir(parents=True, exist_ok=True)
    model = pathlib.Path("model.txt").read_text()
    options = [o for line in model.splitlines() for o in line.split()[1:] if line.split()[0] == name[:6]]
    generate("trace", out, "--seed", os.environ.get("SEED", run), "--steps", 5, *options)
"""


class Suite(tour.Week):
    def __init__(self, folder, api):
        self.api = api
        super().__init__(folder)
        for name, text in (("benchmark.py", BENCHMARK), ("rules/gpugate.yaml", RULES), ("gpugate-suite.yaml", SUITE), (".gitignore", "results/\ngpugate-train/\n")):
            (self.clone / name).write_text(text)
        self.push("main", "a suite")
        self.where = ["--api", api, "--url", self.forge.address, "--repository", {"github": "o/r", "gitlab": "5"}[api], "--request", "7"]
        if api == "gitlab":
            self.forge.permission = {"user3": 30, "user4": 50, "user5": 20}

    def env(self, **more):
        return super().env(**{"GPUGATE_SUITE": "gpugate-suite.yaml", "GPUGATE_WORKLOAD": "suite-nightly", **more})

    def gate(self, verdict, **env):
        commit = self.git(self.clone, "rev-parse", "HEAD")
        past = self.run([FORGE / "history", self.folder / "history"], GITHUB_OUTPUT="").stdout.strip()
        p = self.run([FORGE / "gate"], GPUGATE_BENCHMARK="python3 benchmark.py", GPUGATE_RUNS="results", GPUGATE_FOLDER="gpugate-train",
                     GPUGATE_COMMIT=commit, GPUGATE_HISTORY=past, **env)
        out = self.clone / "gpugate-train"
        self.forge.now = self.stamp(0)
        self.result = json.loads((out / "result.json").read_text())
        expect("verdict", self.result["verdict"], verdict)
        self.run([FORGE / "post", *self.where, "--comment", "always", "--workload", "suite-nightly", "--status", commit, out / "report.md", out / "result.json"])
        self.measured, self.at = commit, self.stamp(0)
        return p.stderr

    def answer(self, user, text, branch, code=0, says="", after=60, **env):
        at = self.stamp(after)
        self.forge.comment(user, text, created_at=at, updated_at=at)
        self.forge.now = at
        before = len(self.forge.comments)
        p = self.run([FORGE / "approve", *self.where, "--after", self.at], code=code, GPUGATE_FOLDER="gpugate-train", GPUGATE_BRANCH=branch,
                     GPUGATE_HEAD=self.measured, **env)
        new = "".join(c["body"] for c in self.forge.comments[before:])
        expect(f"{self.api}: answer to {text!r}", says in new, True) if says in new else expect(f"{self.api}: answer to {text!r}", new + p.stderr, says)

    def status(self, branch):
        return self.forge.statuses.get((self.head(branch), "gpugate/suite-nightly"))

    def baselines(self, branch):
        names = self.git(self.origin, "ls-tree", "-r", "-z", "--name-only", branch, "--", "baselines")
        return sorted(pathlib.Path(name).name for name in names.split("\0") if name)

    def log(self):
        log = self.folder / "count.log"
        text = log.read_text() if log.exists() else ""
        log.unlink(missing_ok=True)
        return text.splitlines()


def cold_start(w):
    w.branch("gate", "train", "the suite")
    w.gate("missing")
    body = w.forge.bodies()[0]
    expect("how", "The status is success" in body, True)
    expect("cold", w.status("gate"), "success")
    w.answer(5, "/gpugate accept all of it", "gate", code=1, says="'user5' may not write here")
    expect("nothing yet", w.baselines("gate"), [])
    w.answer(3, f"/gpugate accept k-{NAMES[1]} the odd one", "gate", says="has the baseline of `k-")
    expect("one", w.baselines("gate"), [f"k-{NAMES[1]}.json"])
    w.answer(3, "/gpugate accept k-attn and this", "gate", after=70, says="has the baseline of `k-attn`")
    w.answer(4, "/gpugate accept the others", "gate", after=80, says="has the baseline of `train`")
    expect("all", w.baselines("gate"), [f"k-{NAMES[1]}.json", "k-attn.json", "train.json"])
    expect("green", (w.status("gate"), len(w.forge.bodies())), ("success", 5))
    expect("the comment too", "✅" in w.forge.bodies()[0], True)
    expect("message", w.git(w.origin, "log", "-1", "--format=%B", "gate").splitlines()[2:], ["the others (#7)", "", "Cases: train", "Approved-by: user4"])
    w.answer(4, "/gpugate accept once more", "gate", after=90, says="Nothing to accept: no case")
    expect("nothing was run", [p for p in w.folder.rglob("pwned")], [])
    w.merge("gate")


def main_runs(w):
    w.time += tour.DAY
    for i in range(4):
        w.branch("main")
        w.gate("pass")
        p = w.run([FORGE / "accept", "append"], GPUGATE_FOLDER="gpugate-train", GPUGATE_BRANCH="main")
        expect("appended", "committed" in p.stdout, True)
        w.time += 3600
    expect("histories", w.baselines("gpugate-baselines"), sorted(f"{name}.{kind}" for name in ("train", "k-attn", f"k-{NAMES[1]}") for kind in ("history.jsonl", "reference")))
    expect("runs", len(w.git(w.origin, "show", "gpugate-baselines:baselines/k-attn.history.jsonl").splitlines()), 5)
    expect("none on main", w.baselines("main"), [f"k-{NAMES[1]}.json", "k-attn.json", "train.json"])


def regression(w):
    w.time += tour.DAY
    w.branch("slower", "train --slow-kernel *flash_bwd*=1.5\nk-attn --slow-kernel *flash_bwd*=1.6\n", "slower")
    w.gate("fail")
    expect("two", sorted(c["name"] for c in w.result["cases"] if c["verdict"] == "fail"), ["k-attn", "train"])
    expect("rules", {c["rule"] for c in w.result["checks"] if c.get("rule")}, {"step-time"})
    w.answer(5, "/gpugate accept k-attn I may not", "slower", code=1, says="'user5' may not write here")
    w.answer(3, "/gpugate accept k-attn deterministic attention", "slower", says="has the baseline of `k-attn`")
    expect("the other still fails", w.status("slower"), "failure" if w.api == "github" else "failed")
    w.answer(3, "/gpugate accept k-attn again", "slower", after=70, says="Nothing to accept")
    # two approvals at the same time, one for a single case and one for all cases
    other = w.folder / "other"
    w.git(w.folder, "clone", "--quiet", f"file://{w.origin}", other)
    approval = w.folder / "approval.json"
    approval.write_text(json.dumps({"who": "user4", "reason": "train is meant (#7)"}))
    meanwhile(w.clone, f"cd '{other}' && GPUGATE_BRANCH=slower GPUGATE_FOLDER='{w.clone}/gpugate-train' '{FORGE}/accept' promote '{approval}' >/dev/null")
    w.answer(4, "/gpugate accept all that is left", "slower", after=80, says="Nothing to accept")
    expect("green", w.status("slower"), "success")
    expect("by the one who was first", json.loads(w.git(w.origin, "show", "slower:baselines/train.json"))["provenance"]["reason"], "train is meant (#7)")
    w.merge("slower")


def undecided(w):
    w.time += tour.DAY
    w.branch("small", "train --slow-kernel *flash_bwd*=1.6\nk-attn --slow-kernel *flash_bwd*=1.6\n", "a little slower")
    w.log()
    said = w.gate("fail", GPUGATE_BASE="HEAD^", GPUGATE_MORE="60")
    plan, ran = [line for line in said.splitlines() if " to make: " in line], w.log()
    expect("its plan", bool(plan), True)
    expect("runs", (ran[0], set(ran[1:])), ("candidate: all", {"base: train", "candidate: train"}))
    expect("in turn", ran[1:3], ["base: train", "candidate: train"])
    cases = w.clone / "gpugate-train" / "cases"
    expect("only that case", {p.name for p in (cases / "k-attn").iterdir()}, {"run.json.gz"})
    nr = len(list((cases / "train").glob("control-*")))
    expect("as many as were made", (nr, len(list((cases / "train").glob("repeat-*")))), (len(ran) // 2,) * 2)
    w.answer(3, "/gpugate accept meant", "small", says="has the baseline of `train`")
    expect("green", w.status("small"), "success")
    # without a base commit no pairs can be made, and a benchmark that leaves its files as they were has made no new
    # run: the verdict stays
    w.branch("late", "train --slow-kernel *flash_bwd*=1.6\nk-attn --slow-kernel *flash_bwd*=1.6\n", "the same")
    said = w.gate("undecided", GPUGATE_MORE="0")
    env = dict(line.split("=", 1) for line in (w.clone / "gpugate-train" / "plan.env").read_text().splitlines())
    asks = [c for c in w.result["cases"] if c["verdict"] == "undecided"]
    expect("the plan of the suite", (w.result.get("plan_runs", 0), w.result.get("plan_pairs", 0)),
           tuple(max(c[key] for c in asks) for key in ("plan_runs", "plan_pairs")))
    expect("as variables", int(env["GPUGATE_PLAN_PAIRS"]) + int(env["GPUGATE_PLAN_RUNS"]) > 0, True)
    expect("says what it lacks", "0 are allowed" in said, True)
    said = w.gate("undecided", GPUGATE_BASE="HEAD^", GPUGATE_MORE="60", SEED="5")
    expect("nothing new", "no other run" in said and "stays as it is" in said, True)


def main():
    if not tour.PROGRAM:
        sys.exit(77)
    whole = (cold_start, main_runs, regression, undecided)
    for api, parts in {"github": whole, "gitlab": whole if ALL else (cold_start,)}.items():  # one part is enough for GitLab: only what is posted depends on the API
        with tempfile.TemporaryDirectory() as name:
            w = Suite(pathlib.Path(name).resolve(), api)
            for part in parts:
                part(w)
    finish()


if __name__ == "__main__":
    main()
