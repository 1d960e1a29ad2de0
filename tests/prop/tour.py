#!/usr/bin/env python3
"""A first week with the gate, performed with the scripts of ci/forge, a git repository and the fake API of GitHub
(_forge.py): docs/tour.md must be its transcript, word for word.

 - the start without a baseline: a comment with the figures, an approval, its answer, a status of the commit, and a comment that
   the gate passes
 - five runs of main on a branch of histories; a regression, and approvals by people with and without permission
 - an undecided run, which runs again in pairs with its base until there is a verdict
 - a run on another kind of GPU, and one on a slow machine, which pairs do not confirm
 - approvals that are refused: of an older run, on a branch whose code has changed since the run or that was forced to another
   commit, and a second approval of one run

usage: tour.py [--update]      ($GPUGATE is the program; needs git and jq; exit 77 skips)
--update writes the page anew.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from _expect import expect, finish, wrong
import _forge
from _forge import TOKEN

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORGE = ROOT / "ci" / "forge"
PAGE = ROOT / "docs" / "tour.md"
PROGRAM = os.environ.get("GPUGATE")
DAY = 86400
MONDAY = 1798502400     # 2026-12-28
BENCHMARK = f"""\
import gzip, os, pathlib, sys
sys.path.insert(0, "{ROOT}/tests/prop")
from _gen import generate
count = pathlib.Path(os.environ["COUNT"])
run = int(count.read_text()) + 1
count.write_text(str(run))
options = pathlib.Path("model.txt").read_text().split() + os.environ.get("MACHINE", "").split()
generate("trace", "trace.json.gz", "--seed", run, "--steps", 5, *options)
trace = gzip.decompress(pathlib.Path("trace.json.gz").read_bytes())
pathlib.Path("trace.json.gz").write_bytes(gzip.compress(trace.replace(b"NVIDIA H100 80GB HBM3", os.environ["GPU"].encode())))
"""
RULES = """\
version: 1
workload: train
baseline: baselines/{workload}-{gpu}.json
rules:
  - {id: step-compute-time, metric: step.compute_time, fail: {increase: 0.5%}}
  - {id: memory, metric: memory.peak_allocated, fail: {increase: 1%}}
"""


class Week:
    """State of the tour: the repository o/r with its pull request 7, the current day, and the page that is being written."""

    def __init__(self, folder):
        self.folder, self.forge, self.page, self.time = folder, _forge.Forge(), [], MONDAY
        self.gpu, self.machine, self.commits = "NVIDIA H100 80GB HBM3", "", {}
        (folder / "count").write_text("0")
        (folder / ".gitconfig").write_text("[user]\nname = dev\nemail = dev@example.com\n[init]\ndefaultBranch = main\n[advice]\ndetachedHead = false\n")
        self.origin, self.clone = folder / "origin.git", folder / "clone"
        self.git(folder, "init", "--quiet", "--bare", self.origin)
        self.git(folder, "clone", "--quiet", f"file://{self.origin}", self.clone)
        (self.clone / "rules").mkdir()
        for name, text in (("benchmark.py", BENCHMARK), ("rules/gpugate.yaml", RULES), ("model.txt", "\n"), (".gitignore", "trace.json.gz\ngpugate-train/\n")):
            (self.clone / name).write_text(text)
        self.push("main", "a training job and its benchmark")
        self.forge.permission = {"user3": "write", "user4": "admin", "user5": "read"}

    def env(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "GPUGATE": os.path.abspath(PROGRAM), "GIT_CONFIG_NOSYSTEM": "1",
                "GPUGATE_WORKLOAD": "train", "SOURCE_DATE_EPOCH": str(self.time), "GIT_AUTHOR_DATE": f"{self.time} +0000",
                "GIT_COMMITTER_DATE": f"{self.time} +0000", "COUNT": str(self.folder / "count"), "GPU": self.gpu, "MACHINE": self.machine,
                "GPUGATE_HISTORY_BRANCH": "gpugate-baselines", "GPUGATE_TOKEN": TOKEN, **more}

    def run(self, words, where=None, code=0, **env):
        p = subprocess.run(list(map(str, words)), cwd=where or self.clone, env=self.env(**env), capture_output=True, text=True, check=False)
        if code is not None and p.returncode != code:
            wrong.append(f"{pathlib.Path(words[0]).name} {words[1:3]}: exit {p.returncode}, not {code}: {p.stdout[-1500:]}{p.stderr[-1500:]}")
        if TOKEN in p.stdout + p.stderr:
            wrong.append(f"{words}: the token is printed")
        return p

    def git(self, where, *words):
        return self.run(["git", *words], where).stdout.strip()

    def head(self, branch):
        return self.git(self.origin, "rev-parse", branch)

    def push(self, branch, message, *force):
        self.git(self.clone, "add", "--all")
        self.git(self.clone, "commit", "--quiet", "--allow-empty", "-m", message)
        self.git(self.clone, "push", "--quiet", *force, "origin", f"HEAD:refs/heads/{branch}")

    def branch(self, name, model=None, message=""):
        """Makes a branch of the current main with a change of the model."""
        self.git(self.clone, "fetch", "--quiet", "origin")
        self.git(self.clone, "checkout", "--quiet", "-B", name, "origin/main")
        if model is not None:
            (self.clone / "model.txt").write_text(model + "\n")
            self.push(name, message)
        self.forge.comments.clear()

    def gate(self, verdict, **env):
        """Runs the check of a pull request, and the job that posts; returns the scripts' messages besides the report."""
        commit = self.git(self.clone, "rev-parse", "HEAD")
        past = self.run([FORGE / "history", self.folder / "past"], GITHUB_OUTPUT="").stdout.strip()
        p = self.run([FORGE / "gate"], GPUGATE_BENCHMARK="python3 benchmark.py", GPUGATE_RUNS="trace.json.gz", GPUGATE_FOLDER="gpugate-train",
                     GPUGATE_COMMIT=commit, GPUGATE_HISTORY=past, GPUGATE_ARGS="" if commit == self.head("main") else "--review", **env)
        out = self.clone / "gpugate-train"
        self.forge.now = self.stamp(0)
        expect("verdict", json.loads((out / "result.json").read_text())["verdict"], verdict)
        self.run([FORGE / "post", "--api", "github", "--url", self.forge.address, "--repository", "o/r", "--request", "7", "--comment", "always",
                  "--status", commit, out / "report.md", out / "result.json"])
        self.measured, self.at = commit, self.stamp(0)
        return p.stderr

    def stamp(self, after):
        return subprocess.run(["date", "-u", "-d", f"@{self.time + after}", "+%Y-%m-%dT%H:%M:%SZ"], capture_output=True, text=True, check=True).stdout.strip()

    def approve(self, user, text, branch, code=0, after=60, edited=None):
        """Adds a comment by `user`, and runs the job that answers it."""
        at = self.stamp(after)
        self.forge.comment(user, text, created_at=at, updated_at=edited or at)
        self.forge.now = at
        before = len(self.forge.comments)
        self.run([FORGE / "approve", "--api", "github", "--url", self.forge.address, "--repository", "o/r", "--request", "7", "--after", self.at], code=code,
                 GPUGATE_FOLDER="gpugate-train", GPUGATE_BRANCH=branch, GPUGATE_HEAD=self.measured)
        new = [c["body"] for c in self.forge.comments[before:]]
        expect(f"answers to {text!r}", len(new), 1)
        expect("sign", self.forge.reactions[-1], (self.forge.comments[before - 1]["id"], "+1" if code == 0 else "confused"))
        return new[0] if new else ""

    def status(self, branch):
        return self.forge.statuses.get((self.head(branch), "gpugate/train"))

    def append(self):
        self.run([FORGE / "accept", "append"], GPUGATE_FOLDER="gpugate-train", GPUGATE_BRANCH="main")

    def merge(self, branch):
        self.git(self.clone, "fetch", "--quiet", "origin")
        self.git(self.clone, "push", "--quiet", "origin", f"origin/{branch}:refs/heads/main")

    # ---- writing of docs/tour.md ----

    def say(self, text):
        self.page.append(text.strip("\n") + "\n")

    def quote(self, body, brief=False, heading=False):
        """The part of a comment that is visible before anything is expanded, and the collapsed parts; if brief, what comes before the names of the runs."""
        lines = [line for line in body.strip("\n").splitlines() if not line.startswith("<!-- ")]
        if heading:
            lines = lines[:1]
        if brief:
            lines = lines[:next(i for i, line in enumerate(lines) if re.match(r"(baseline|candidate) `", line)) - 1]
        shown, depth, folded = [], 0, ""
        for line in lines:
            opens = line.startswith("<details>")
            if opens and depth == 0:
                folded = "▸ " + re.sub(r"<[^>]*>", "", line)
                shown += [folded, ""]
            depth += opens - (line == "</details>")
            if depth == 0 and line != "</details>":
                shown.append(line)
        self.say(re.sub(r"\n(> ?\n)+(?=> ?\n)", "\n", "\n".join(f"> {line}".rstrip() for line in shown)))

    def text(self):
        """The text of the page, in which commits and paths are replaced by fixed ones."""
        text = "\n".join(self.page).replace(str(self.clone) + "/", "").replace(str(self.folder) + "/", "")
        ids = {}

        def name(match):
            key = match[0][:10]
            ids.setdefault(key, hashlib.sha1(str(len(ids)).encode()).hexdigest())
            return ids[key][:len(match[0])]
        return re.sub(r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{40}\b|(?<=commit )[0-9a-f]{12}\b|(?<= at `)[0-9a-f]{10}\b|(?<=main at )[0-9a-f]{10}\b|(?<=/gpugate approve )[0-9a-f]{12}\b", name, text)


# ---- the days of the week that the page describes ----

def cold_start(w):
    w.say("""
# A first week

What the gate says in a team's first week: `tests/prop/tour.py` plays it through with today's program and scripts. The rules are two: compute time may
grow by 0.5 %, peak memory by 1 %. The workflows of `gpugate init` are on main already. This team lets the gate block from the first day;
[most only let it report](pull-requests.md#in-which-order) at first.

## Monday: there is no baseline

""")
    w.say("Main has no run yet. So the first pull request is measured beside its base, and its status is success whatever that shows:")
    w.branch("gate", "", "the gate")
    w.gate("pass", GPUGATE_BASE="HEAD^")
    expect("cold", w.status("gate"), "success")
    w.quote(w.forge.bodies()[0])
    w.say("After the merge the run of main is stored, and is the baseline. Nobody has to approve the first one.")
    w.merge("gate")
    w.branch("main")
    w.gate("missing")
    w.append()


def main_runs(w):
    w.say("""
## Tuesday: main makes its noise known

Every push to main runs the benchmark too, and stores it. After five more runs `gpugate history` shows six, the baseline first:
""")
    w.time += DAY
    for _ in range(5):
        w.branch("main")
        w.gate("pass")
        w.append()
        w.time += 3600
    expect("main has no commits of machines", [s for s in w.git(w.origin, "log", "--format=%s", "main").splitlines() if "append" in s], [])
    expect("their branch", w.git(w.origin, "log", "--format=%s", "gpugate-baselines").splitlines(), ["baselines: append a run of train [skip ci]"] * 6 + ["baselines: histories of runs"])
    past = w.run([FORGE / "history", w.folder / "past"], GITHUB_OUTPUT="").stdout.strip()
    out = w.run([w.env()["GPUGATE"], "history", "--baseline", "baselines/train-NVIDIA-H100-80GB-HBM3.json", "--history", past]).stdout
    w.say("```\n" + out.split("\n\nRuns")[0].strip("\n") + "\n```")


def regression(w):
    w.say("""
## Wednesday: a regression

A pull request makes the backward pass of attention slower by half. So that no slow machine fails a pull request, the gate
[confirms](verdicts.md#confirmation) that by three pairs:
""")
    w.time += DAY
    w.branch("attention", "--slow-kernel *flash_bwd*=1.5", "deterministic attention")
    said(w, w.gate("fail", GPUGATE_BASE="HEAD^"))
    expect("failed", w.status("attention"), "failure")
    w.say("The pairs say the same, and only they decide from here on:")
    w.quote(w.forge.bodies()[0])
    w.say("It is meant, and its author says so, but may not:")
    w.quote(w.approve(5, "/gpugate accept it is deterministic now", "attention", code=1))
    w.say("Somebody who may does. The reason and the name are in the commit and in the baseline:")
    w.quote(w.approve(4, "/gpugate accept deterministic attention, issue 1234", "attention"))
    expect("approved", w.status("attention"), "success")
    body = w.git(w.origin, "log", "-1", "--format=%B", "attention")
    expect("reason and name", body.strip(), "baselines: approve a run of train\n\ndeterministic attention, issue 1234 (#7)\n\nApproved-by: user4")
    expect("a second approval", "Nothing to accept" in w.approve(3, "/gpugate accept me too", "attention", after=90), True)
    w.merge("attention")
    w.branch("main")
    w.gate("pass")
    w.append()


def said(w, messages):
    """Shows which further runs the gate has made."""
    plan = [line for line in messages.splitlines() if line.startswith("gate: ")]
    expect("more runs were made", bool(plan), True)
    w.say("```\n" + "\n".join(plan) + "\n```")


def undecided(w):
    w.say("""
## Thursday: one run does not decide

Another change costs a little more than the limit of 0.5 %. One run cannot tell it from chance. So the gate makes as many pairs as would decide:
""")
    w.time += DAY
    w.branch("small", "--slow-kernel *flash_bwd*=1.58", "a check of inputs")
    said(w, w.gate("fail", GPUGATE_BASE="HEAD^", GPUGATE_MORE="40"))
    w.quote(w.forge.bodies()[0], brief=True)


def another_gpu(w):
    w.say("""
## Friday: another GPU, and a machine that is slow

The rules keep a [baseline for each GPU](troubleshooting.md#a-new-gpu), so the first run on another GPU has none yet:
""")
    w.time += DAY
    w.gpu = "NVIDIA H200"
    w.branch("other", "--slow-kernel *flash_bwd*=1.5", "a branch for the other machines")
    w.gate("missing")
    w.quote(w.forge.bodies()[0], heading=True)
    w.approve(3, "/gpugate accept first run on the H200", "other")
    expect("both", sorted(w.git(w.origin, "ls-tree", "--name-only", "other", "baselines/").splitlines()),
           ["baselines/train-NVIDIA-H100-80GB-HBM3.json", "baselines/train-NVIDIA-H200.json"])
    w.gpu, w.machine = "NVIDIA H100 80GB HBM3", "--slow-kernel *=1.08"
    w.say("And one of the machines runs hot. The pull request only changes a text, and every kernel is slower:")
    w.branch("readme", "--slow-kernel *flash_bwd*=1.5", "README: a typo")
    w.gate("fail", GPUGATE_BASE="nowhere")
    w.quote(w.forge.bodies()[0], brief=True)
    w.say("Its base is as slow on this machine, so that one pair turns the comment green:")
    said(w, w.gate("pass", GPUGATE_BASE="HEAD^"))
    w.quote(w.forge.bodies()[0], heading=True)
    w.machine = ""


def refusals(w):
    """Approvals that do not count, and the answer to each."""
    w.time += DAY
    w.branch("late", "--slow-kernel *flash_bwd*=2", "slower")
    w.gate("fail")
    old = w.approve(3, "/gpugate accept before it was measured", "late", code=1, after=-60)
    expect("older than the run", "the newest approval is older than the report of this run" in old, True)
    expect("edited", "the comment of 'user3' was edited" in w.approve(3, "/gpugate accept put into my mouth", "late", code=1, edited=w.stamp(120)), True)
    (w.clone / "model.txt").write_text("--slow-kernel *flash_bwd*=3\n")
    w.push("late", "baselines: and more code")
    other = w.approve(3, "/gpugate accept of the commit before", "late", code=1, after=180)
    expect("other code by now", "the branch has other code than the run was made from" in other, True)
    w.git(w.clone, "reset", "--quiet", "--hard", "origin/main")
    w.push("late", "something else", "--force")
    expect("forced to another commit", "other code" in w.approve(3, "/gpugate accept of what is gone", "late", code=1, after=240), True)
    expect("nothing was accepted", "baselines" in w.git(w.origin, "log", "-1", "--format=%s", "late"), False)


def no_ci_system(w):
    """The tour's last part: ci/slurm/gate.sbatch checks a pull request and then main."""
    text = (ROOT / "ci" / "slurm" / "gate.sbatch").read_text()
    for key, value in (("forge", FORGE), ("api", f"(--api github --url {w.forge.address} --repository o/r)"), ("export GPUGATE_WORKLOAD", "train"),
                       ("export GPUGATE_FOLDER", "gpugate-train")):
        text, nr = re.subn(rf"^{key}=.*$", f"{key}={value}", text, flags=re.M)
        expect(f"gate.sbatch sets {key}", nr, 1)
    script = w.folder / "gate.sbatch"
    script.write_text(text)
    w.time += DAY
    w.branch("bare", "--slow-kernel *flash_bwd*=2.5", "slower without a CI system")
    w.run(["bash", script], code=1, REQUEST="7")
    expect("its comment and status", (len(w.forge.bodies()), w.status("bare")), (1, "failure"))
    head, at = w.head("bare"), w.stamp(60)
    w.forge.comment(4, f"/gpugate approve {head[:12]} meant", created_at=at, updated_at=at)
    w.run(["bash", script], REQUEST="7", APPROVE="1")
    expect("approved", (w.head("bare") == head, w.status("bare")), (False, "success"))
    w.branch("main")
    before = w.head("gpugate-baselines")
    w.run(["bash", script])
    expect("its run is history", w.head("gpugate-baselines") == before, False)


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        w = Week(pathlib.Path(name).resolve())
        for day in (cold_start, main_runs, regression, undecided, another_gpu, refusals, no_ci_system):
            day(w)
        text = w.text()
    if "--update" in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or text != PAGE.read_text(encoding="utf-8"):
        wrong.append("docs/tour.md is out of date: run tests/update docs, and read the diff")
    finish()


if __name__ == "__main__":
    main()
