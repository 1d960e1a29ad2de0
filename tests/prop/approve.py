#!/usr/bin/env python3
"""Approvals, from the failing check to the history on main, in a git repository with a bare origin:

 - a check fails, a person with permission approves the run, `ci/forge/accept promote` commits the baseline to the
   branch, and the check of the same run passes; after the merge, `accept append` adds the run of main to the history
   beside the baseline, even if this run fails
 - two approvals at the same time: the second one is repeated on the new state of the branch, never merged as text,
   and accepts no check that was not failing when it began; two appends at the same time are both kept
 - if a push is refused for another reason, the script ends with git's message. Shell commands in a reason or in the name of a
   branch are not run, and symbolic links are not followed
 - an approval is for the files that were measured: whatever commits are called, only baselines and histories may differ from them
 - `ci/forge/history` leaves out runs whose commits are not of main, also in a shallow clone, and says so
 - `ci/forge/gate` ends with the first command of the benchmark that fails, and judges no case that the benchmark has not made
 - no path that a setting or a file of the branch names leads a baseline out of the repository, or into its '.git'
 - `ci/forge/approval` accepts only approvals of people with write permission that are newer than the run and its report (_forge.py)
 - `ci/github/fetch/fetch` finds the pull request by GitHub's data, not by the artifact, and takes only digests

$GPUGATE is the program; needs git and jq; exit 77 skips.
"""
import base64
import http.server
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import zipfile

from _expect import expect, finish, wrong
import _forge
from _forge import TOKEN
from _gen import generate

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORGE = ROOT / "ci" / "forge"
PROGRAM = os.environ.get("GPUGATE")
BASELINE, HISTORY = "baselines/train.json", "baselines/train.history.jsonl"
RULES = """
version: 1
workload: train
defaults: {on_missing: skip}
rules:
  - {id: compute, metric: step.compute_time, fail: {increase: 5%}}
  - {id: kernels, metric: step.kernel_count, fail: {change: 0}}
"""


class Repository:
    """A bare git repository as origin, and clones of it like those of CI jobs."""

    def __init__(self, folder):
        self.folder, self.origin, self.clones = folder, folder / "origin.git", 0
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", "GPUGATE": os.path.abspath(PROGRAM),
                    "GIT_CONFIG_NOSYSTEM": "1", "GPUGATE_WORKLOAD": "train", "SOURCE_DATE_EPOCH": "1767225600"}
        (folder / ".gitconfig").write_text("[user]\nname = me\nemail = me@example.com\n[init]\ndefaultBranch = main\n"
                                           "[advice]\ndetachedHead = false\n")
        self.git(folder, "init", "--quiet", "--bare", self.origin)
        first = self.clone("main")
        self.gate(first, self.trace(1), code=4)
        (first / "rules").mkdir()
        (first / "rules" / "gpugate.yaml").write_text(RULES)
        subprocess.run([PROGRAM, "approve", "--new", self.trace(1)], cwd=first, env=self.env, check=True, capture_output=True)
        (first / "model.py").write_text("x = 1\n")
        self.push(first, "main")

    def git(self, where, *words):
        p = subprocess.run(["git", *map(str, words)], cwd=where, env=self.env, capture_output=True, text=True, check=False)
        if p.returncode:
            raise AssertionError(f"git {words}: {p.stderr}")
        return p.stdout.strip()

    def clone(self, branch):
        self.clones += 1
        path = self.folder / f"clone{self.clones}"
        self.git(self.folder, "clone", "--quiet", f"file://{self.origin}", path)
        self.git(path, "checkout", "--quiet", "-B", branch)
        if self.git(self.folder, "ls-remote", self.origin, f"refs/heads/{branch}"):
            self.git(path, "reset", "--quiet", "--hard", f"origin/{branch}")
        return path

    def push(self, clone, branch, message="change"):
        self.git(clone, "add", "--all")
        self.git(clone, "commit", "--quiet", "--message", message)
        self.git(clone, "push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")

    def trace(self, seed, *options):
        path = self.folder / f"trace{seed}.json.gz"
        if not path.exists():
            generate("trace", path, "--seed", seed, "--steps", 3, *options)
        return path

    def gate(self, clone, trace, *more, code=0, **env):
        """Runs ci/forge/gate as the job of a pull request does, and returns the folder with the results."""
        out = self.folder / f"out-{clone.name}-{trace.name.split('.')[0]}"
        p = subprocess.run([FORGE / "gate"], cwd=clone, capture_output=True, text=True, check=False,
                           env={**self.env, "GPUGATE_RUNS": " ".join(map(str, [trace, *more])), "GPUGATE_FOLDER": str(out),
                                "GPUGATE_COMMIT": "abc123", **env})
        have = (out / "exit-code").read_text().strip() if p.returncode == 0 else p.stderr
        expect(f"check of {trace.name}", have, str(code))
        expect("reports", {f.name for f in out.iterdir()} - {"run.json.gz", "repeat-1.json.gz"},
               {"report.md", "result.json", "junit.xml", "report.html", "metrics.txt", "codequality.json", "plan.json", "exit-code", "plan.env"})
        return out

    def accept(self, clone, out, branch, *words, code=0, says="", **env):
        p = subprocess.run([FORGE / "accept", *words], cwd=clone, capture_output=True, text=True, check=False,
                           env={**self.env, "GPUGATE_FOLDER": str(out), "GPUGATE_BRANCH": branch, **env})
        if code not in (None, p.returncode) or says not in p.stdout + p.stderr:
            wrong.append(f"accept {words}: exit {p.returncode}, not {code} with '{says}': {p.stdout}{p.stderr}")
        return p

    def promote(self, clone, out, branch, who="ann", reason="new kernel (#7)", **more):
        path = self.folder / f"approval-{who}.json"
        path.write_text(json.dumps({"who": who, "reason": reason}))
        return self.accept(clone, out, branch, "promote", path, **more)

    def baseline(self, branch):
        return json.loads(self.git(self.origin, "show", f"{branch}:{BASELINE}"))

    def history(self, branch):
        """Verdict of each run in the history, and whether the run is part of the reference."""
        runs = map(json.loads, self.git(self.origin, "show", f"{branch}:{HISTORY}").splitlines())
        return [(run["verdict"], run["accepted"]) for run in runs]

    def subjects(self, branch):
        return self.git(self.origin, "log", "--format=%s", branch).splitlines()


def from_failure_to_green(r):
    clone = r.clone("faster")
    (clone / "model.py").write_text("x = 2\n")
    r.push(clone, "faster")
    out = r.gate(clone, r.trace(2, "--slow-kernel", "*=1.5"), code=1)
    before = r.git(clone, "status", "--porcelain")
    r.promote(clone, out, "faster", says="to faster")
    expect("the clone itself", r.git(clone, "status", "--porcelain"), before)
    expect("commits", r.subjects("faster"), ["baselines: approve a run of train", "change", "change"])
    body = r.git(r.origin, "log", "-1", "--format=%B%an", "faster")
    expect("message", body, "baselines: approve a run of train\n\nnew kernel (#7)\n\nApproved-by: ann\ngpugate")
    expect("files", r.git(r.origin, "show", "--format=", "--name-only", "faster").splitlines(), [HISTORY, BASELINE])
    expect("provenance", {k: r.baseline("faster")["provenance"][k] for k in ("who", "reason", "commit")},
           {"who": "ann", "reason": "new kernel (#7)", "commit": "abc123"})
    r.promote(clone, out, "faster", says="nothing to accept")
    again = r.clone("faster")
    r.gate(again, r.trace(2))
    r.gate(again, r.trace(3, "--slow-kernel", "*=1.5"))
    # After the merge, the run of main joins the history, but only once.
    r.git(again, "push", "--quiet", "origin", "HEAD:refs/heads/main")
    main = r.clone("main")
    out = r.gate(main, r.trace(4, "--slow-kernel", "*=1.5"))
    r.accept(main, out, "main", "append", says="to main")
    expect("history", r.history("main"), [("approved", False), ("fail", True), ("pass", True)])
    expect("no check of what the check has written", r.subjects("main")[0], "baselines: append a run of train [skip ci]")
    r.accept(main, out, "main", "append", code=3, says="has this run already")
    expect("commits of main", len(r.subjects("main")), 4)
    # A run that fails counts for the noise only: the reference does not change. This is tested on a separate branch, since the
    # larger noise would make all later checks less sure.
    r.git(main, "push", "--quiet", "origin", "origin/main:refs/heads/noisy")
    noisy, before = r.clone("noisy"), r.baseline("main")
    bad = r.gate(noisy, r.trace(5, "--slow-kernel", "*=3"), code=1)
    r.accept(noisy, bad, "noisy", "append", says="counts for the noise only")
    expect("noise", r.history("noisy")[3:], [("fail", False)])
    expect("reference", r.baseline("noisy"), before)
    # `promote` accepts an undecided run just as it accepts a failed run.
    noisy = r.clone("noisy")
    unsure = r.gate(noisy, r.trace(6, "--slow-kernel", "*=1.8"), code=3)
    expect("unsure", json.loads((unsure / "result.json").read_text())["verdict"], "undecided")
    r.promote(noisy, unsure, "noisy", who="bob", reason="meant", says="to noisy")
    expect("promoted", r.history("noisy")[4:], [("undecided", True)])


def meanwhile(clone, script, when="pre-push"):
    """Installs a hook that runs once: before the first push of this clone, or in the middle of it."""
    hook = clone / ".git" / "hooks" / when
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/bash\nrm "$0"\nunset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX\n{script}\n')
    hook.chmod(0o755)


def races(r):
    slow, slower = (r.trace(6, "--slow-kernel", "*=1.8"), r.trace(7, "--slow-kernel", "*=2.4"))
    first, second = r.clone("race"), r.clone("race")
    r.push(first, "race") if r.git(first, "status", "--porcelain") else r.git(first, "push", "--quiet", "origin", "HEAD:refs/heads/race")
    one, two = r.gate(first, slow, code=1), r.gate(second, slower, code=1)
    approval = r.folder / "approval-bob.json"
    approval.write_text(json.dumps({"who": "bob", "reason": "second"}))
    script = f"cd {second} && GPUGATE_BRANCH=race GPUGATE_FOLDER={two} {FORGE}/accept promote {approval} >/dev/null"
    meanwhile(first, script, "pre-commit")
    # `first` judged its run before the run of `second`, which is slower, became the baseline: now nothing is left to accept.
    p = r.promote(first, one, "race", who="ann", reason="first", says="has moved: once more")
    expect("both, one after the other", r.subjects("race")[:2], ["baselines: approve a run of train"] * 2)
    expect("the last approval", (r.baseline("race")["provenance"]["who"], p.stderr.count("once more")), ("ann", 1))
    expect("sound", subprocess.run([PROGRAM, "baseline", "verify", "--baseline", "/dev/stdin"], env=r.env, capture_output=True,
                                   input=r.git(r.origin, "show", f"race:{BASELINE}").encode(), check=False).returncode, 0)

    # Two approvals of the same run at the same time give a single commit.
    first, second = r.clone("race"), r.clone("race")
    three = r.gate(first, r.trace(8, "--slow-kernel", "*=4"), code=1)
    meanwhile(first, f"cd {second} && GPUGATE_BRANCH=race GPUGATE_FOLDER={three} {FORGE}/accept promote {approval} >/dev/null")
    r.promote(first, three, "race", says="nothing to accept")
    expect("approved once", (len(r.subjects("race")), r.baseline("race")["provenance"]["who"]), (len(r.subjects("main")) + 3, "bob"))

    # If another run becomes the baseline between report and approval, failures that appear only against this new baseline were seen by
    # nobody, and are not accepted.
    first, second = r.clone("race"), r.clone("race")
    four = r.gate(first, r.trace(9, "--slow-kernel", "*=4.5"), code=1)
    five = r.gate(second, r.trace(10, "--slow-kernel", "*=4.6", "--extra-launches", "*gemm*=5"), code=1)
    five = r.gate(second, r.trace(10), code=1)
    meanwhile(first, f"cd {second} && GPUGATE_BRANCH=race GPUGATE_FOLDER={five} {FORGE}/accept promote {approval} >/dev/null")
    before = len(r.subjects("race"))
    r.promote(first, four, "race", code=1, says="accept it with --accept kernels")
    expect("only the other", (len(r.subjects("race")), r.baseline("race")["provenance"]["who"]), (before + 1, "bob"))

    # Two runs of main append at the same time: the history must have both.
    first, second = r.clone("main"), r.clone("main")
    six = r.gate(first, r.trace(11, "--slow-kernel", "*=1.5"))
    seven = r.gate(second, r.trace(12, "--slow-kernel", "*=1.5"))
    had = len(r.history("main"))
    meanwhile(first, f"cd {second} && GPUGATE_BRANCH=main GPUGATE_FOLDER={seven} {FORGE}/accept append >/dev/null")
    r.accept(first, six, "main", "append", says="once more")
    expect("both runs", len(r.history("main")), had + 2)

    # The script gives up on a branch that changes all the time.
    restless = r.clone("race")
    eight = r.gate(restless, r.trace(13, "--slow-kernel", "*=6"), code=1)
    hook = restless / ".git" / "hooks" / "pre-push"
    mover = r.clone("race")
    hook.write_text("#!/bin/bash\nunset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX\n"
                    f"cd {mover} && git commit -q --allow-empty -m x && git push -q origin HEAD:refs/heads/race\n")
    hook.chmod(0o755)
    r.promote(restless, eight, "race", code=1, says="moved 10 times meanwhile")


def refusals(r):
    clone = r.clone("guarded")
    r.git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/guarded")
    out = r.gate(clone, r.trace(14, "--slow-kernel", "*=2"), code=1)
    hook = r.origin / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho guarded by rules >&2\nexit 1\n")
    hook.chmod(0o755)
    r.promote(clone, out, "guarded", code=1, says="guarded by rules")
    hook.unlink()
    r.promote(clone, out, "nowhere", code=1, says="cannot be fetched")
    # A merge request of a fork is refused: the project's branch of the same name is a different one.
    r.promote(clone, out, "", code=1, says="branch of a fork", CI_PROJECT_ID="5", CI_MERGE_REQUEST_SOURCE_PROJECT_ID="6",
              CI_MERGE_REQUEST_SOURCE_BRANCH_NAME="guarded")
    r.promote(clone, out, "--upload-pack=touch x", code=2, says="is not a branch")
    r.promote(clone, r.folder, "guarded", code=2, says="there is no such run")
    r.accept(clone, out, "guarded", "promote", "/dev/null", code=2, says="no approval")
    r.accept(clone, out, "guarded", "delete", code=2, says="usage")
    r.accept(clone, out, "guarded", "append", code=2, says="no program", GPUGATE="nothing-of-that-name")
    # Hostile texts are stored as text, and not executed.
    mark = r.folder / "pwned"
    hostile = f"$(touch {mark}) `touch {mark}` '; touch {mark}; \" [skip ci] --accept x"
    r.promote(clone, out, "guarded", who="--force", reason=hostile)
    expect("hostile reason", r.baseline("guarded")["provenance"]["reason"], hostile)
    expect("and approver", r.baseline("guarded")["provenance"]["who"], "--force")
    expect("its commit", r.git(r.origin, "log", "-1", "--format=%B", "guarded").splitlines()[2], hostile.replace("[", "(").replace("]", ")"))
    expect("nothing run", mark.exists(), False)
    # A symbolic link in the branch is not followed.
    link = r.clone("link")
    victim = r.folder / "victim.json"
    victim.write_text((link / BASELINE).read_text())
    (link / BASELINE).unlink()
    (link / BASELINE).symlink_to(victim)
    r.push(link, "link")
    text = victim.read_text()
    r.promote(link, out, "link", code=4)
    expect("what the link leads to", victim.read_text(), text)
    # An approval accepts the repeats of the run (GPUGATE_REPEAT) together with the run.
    clone = r.clone("repeat")
    r.git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/repeat")
    two = r.gate(clone, r.trace(15, "--slow-kernel", "*=2"), code=1, GPUGATE_REPEAT=str(r.trace(16, "--slow-kernel", "*=2")))
    r.promote(clone, two, "repeat", says="to repeat")
    expect("runs taken", r.history("repeat")[-2:], [("fail", True)] * 2)
    expect("an unreadable run", "run.json.gz" in {f.name for f in r.gate(clone, r.folder / "nothing.json", code=3).iterdir()}, False)


def measured(r):
    """Each kind of change between the measured commit and the branch: which of them an approval survives."""
    clone = r.clone("seen")
    r.git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/seen")
    out, head = r.gate(clone, r.trace(14, "--slow-kernel", "*=2"), code=1), r.git(clone, "rev-parse", "HEAD")
    stored, line = (clone / BASELINE).read_text(), '{"schema": "gpugate-history-1"}\n'

    def script(path):
        path.write_text("x = 9\n")

    def linked(path):
        path.unlink(missing_ok=True)
        path.symlink_to("model.py")
    for n, (same, name, change) in enumerate((
            (False, "model.py", script), (False, "model.py", pathlib.Path.unlink), (False, "baselines/model.py", script),
            (False, "baselines/sizes.json", lambda f: f.write_text("{}")), (False, "baselines/sizes.json", lambda f: f.write_text(stored + "{}")),
            (False, "model.history.jsonl", script), (False, "model.history.jsonl", lambda f: f.write_text("1\n" + line)), (False, "rules/gpugate.yaml", script),
            (False, BASELINE, linked), (False, BASELINE, lambda f: f.chmod(0o755)), (False, "a\nb\\'", script),
            (True, "other/place.json", lambda f: f.write_text(stored)), (True, "other/a b.history.jsonl", lambda f: f.write_text(line)),
            (True, "model.py", lambda f: None))):
        branch = f"seen{n}"
        one = r.clone(branch)
        (one / name).parent.mkdir(exist_ok=True)
        change(one / name)
        r.git(one, "add", "--all")
        r.git(one, "commit", "--quiet", "--allow-empty", "--message", "baselines: approve a run of train" if not same or n % 2 else "no name of ours")
        r.git(one, "push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
        before = r.git(r.origin, "rev-parse", branch)
        r.promote(one, out, branch, code=int(not same), says=f"to {branch}" if same else "other code than the run", GPUGATE_HEAD=head)
        expect(f"{name}: committed", r.git(r.origin, "rev-parse", branch) != before, same)
    # the same files by other commits
    again = r.clone("again")
    r.git(again, "commit", "--quiet", "--amend", "--message", "said otherwise")
    r.git(again, "push", "--quiet", "origin", "HEAD:refs/heads/again")
    r.promote(again, out, "again", says="to again", GPUGATE_HEAD=head)
    r.promote(again, out, "again", code=1, says="other code than the run", GPUGATE_HEAD="0" * 40)


def outside(r):
    clone = r.clone("where")
    (clone / "suite.yaml").write_text("")
    def elsewhere():
        return {str(f): f.read_bytes() for f in r.folder.rglob("*") if f.is_file() and r.origin not in f.parents and
                not any(part in ("logs", "objects", "refs", "worktrees", "index", "FETCH_HEAD", "COMMIT_EDITMSG", "ORIG_HEAD") for part in f.parts)}
    out = r.gate(clone, r.trace(14, "--slow-kernel", "*=2"), code=1)
    (out / "cases").mkdir()
    (out / "cases" / "train").mkdir()
    (out / "cases" / "train" / "run.json.gz").write_bytes((out / "run.json.gz").read_bytes())
    (r.folder / "precious").mkdir()
    (r.folder / "precious" / "control-1.json.gz").write_text("kept")
    (out / "cases" / "link").symlink_to(r.folder / "precious")
    for n, path in enumerate(("../out.json", "x/../../out.json", str(r.folder / "out.json"), str(clone / "out.json"), ".git/hooks/pre-push", "a/.GIT/config", "..")):
        branch = f"where{n}"
        (clone / "suite.yaml").write_text(f"version: 1\nname: n\ncases:\n  - {{workload: train, runs: none, baseline: {json.dumps(path)}}}\n")
        r.push(clone, branch)
        before = elsewhere()
        r.promote(clone, out, branch, code=2, says="leads out of", GPUGATE_BASELINE=path)
        r.accept(clone, out, branch, "append", code=2, says="leads out of", GPUGATE_BASELINE=path)
        r.promote(clone, out, branch, code=None, GPUGATE_SUITE="suite.yaml")
        (r.folder / "approval-ann.json").unlink()
        expect(f"{path}: what is elsewhere", {k: v for k, v in elsewhere().items()}, {k: v for k, v in before.items() if "approval-ann" not in k})
        expect(f"{path}: commits", r.subjects(branch)[0], "change")


def trusted(r):
    """Lines of a history by their commits, in a shallow clone."""
    clone = r.clone("main")
    first = r.git(clone, "rev-parse", "HEAD")
    r.git(clone, "commit", "--quiet", "--allow-empty", "--message", "another")
    r.git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/main")
    second = r.git(clone, "rev-parse", "HEAD")
    r.git(clone, "commit", "--quiet", "--allow-empty", "--message", "of a pull request")
    r.git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/request")
    theirs = r.git(clone, "rev-parse", "HEAD")

    def line(commit):
        return json.dumps({"schema": "gpugate-history-1", "provenance": {"commit": commit}})
    ours = [line(first), line(second[:7]), "not a line", line(second)]
    others = [line(commit) for commit in (theirs, theirs[:9], "", first + "-dirty", first[:6], "0" * 40, first + "\n" + first, first + " ", 7)]
    r.git(clone, "checkout", "--quiet", "--orphan", "histories")
    r.git(clone, "rm", "-rfq", ".")
    for name, lines in (("all", ours), ("mixed", [*others[:3], *ours, *others[3:]]), ("none", others), ("empty", [])):
        (clone / f"{name}.history.jsonl").write_text("".join(f"{text}\n" for text in lines))
    r.push(clone, "histories")
    shallow = r.folder / "shallow"
    r.git(r.folder, "clone", "--quiet", "--depth", "1", f"file://{r.origin}", shallow)

    def fetched(code=0, **env):
        p = subprocess.run([FORGE / "history", "past"], cwd=shallow, capture_output=True, text=True, check=False,
                           env={**r.env, "GPUGATE_HISTORY_BRANCH": "histories", **env})
        expect(f"history {env}", (p.returncode, p.stdout.strip() == str(shallow / "past")), (code, code == 0))
        return {f.name.split(".")[0]: f.read_text().splitlines() for f in (shallow / "past").iterdir()}, p.stderr
    have, said = fetched()
    expect("runs of main", have, {"all": ours, "mixed": ours, "none": [], "empty": []})
    expect("said", sorted(said.splitlines()), [f"history: warning: {name}.history.jsonl: {nr} runs are left out: their commits are not of main (the first: {theirs[:12]})"
                                               for name, nr in (("mixed", "9 of 13"), ("none", "9 of 9"))])
    expect("the clone", (r.git(shallow, "rev-list", "--count", "HEAD"), r.git(shallow, "branch", "--all").count("request")), ("1", 0))
    have, said = fetched(GPUGATE_MAIN="request")
    expect("of another branch", len(have["none"]), 2)
    fetched(1, GPUGATE_MAIN="nowhere")


def benchmarks(r):
    clone = r.clone("main")
    runs = {name: str(r.trace(seed)) for name, seed in (("old", 2), ("new", 3))}
    (clone / "s.yaml").write_text("version: 1\nname: n\ncases:\n  - {workload: a, runs: 'res/a/*', baseline: baselines/train.json}\n"
                                  "  - {workload: '{name}', each: 'res/more/*/', baseline: baselines/train.json}\n")

    def gate(what, script, want, suite=True, before="old", **env):
        subprocess.run(["rm", "-rf", "res", "out", "t.json.gz"], cwd=clone, check=True)
        for place in ("res/a", "res/more/b"):
            (clone / place).mkdir(parents=True)
            (clone / place / "t.json.gz").write_bytes(pathlib.Path(runs[before]).read_bytes())
        p = subprocess.run([FORGE / "gate"], cwd=clone, capture_output=True, text=True, check=False,
                           env={**r.env, **({"GPUGATE_SUITE": "s.yaml"} if suite else {"GPUGATE_RUNS": "t.json.gz"}), "GPUGATE_FOLDER": "out", "GPUGATE_BENCHMARK": script, **env})
        judged = (clone / "out" / "result.json").exists()
        expect(f"{what}: judged, said {p.stderr[-300:]}", (p.returncode, judged), want)
    for script in ("false\ncp {new} t.json.gz", "false | cat; cp {new} t.json.gz", "f() {{ false; cp {new} t.json.gz; }}\nf", "cp {new} t.json.gz; false"):
        gate(script, script.format(**runs), (0, True), suite=False)
        failed = json.loads((clone / "out" / "result.json").read_text())
        expect(f"{script}: nothing was measured", (failed["error"], (clone / "out" / "exit-code").read_text()), ("the benchmark ended with 1", "3\n"))
    gate("one that works", "cp {new} t.json.gz; if false; then :; fi".format(**runs), (0, True), suite=False)
    both = "cp {new} res/a/t.json.gz; cp {new} res/more/b/t.json.gz".format(**runs)
    gate("both are made", both, (0, True))
    gate("nothing is made", "true", (2, False))
    gate("one is made", both.split(";", maxsplit=1)[0], (2, False))
    gate("the other is made", both.split(";")[1], (2, False))
    gate("the same as before", both, (2, False), before="new")
    gate("the same as what was removed", "mkdir -p res/a res/more/b; " + both, (0, True), before="new", GPUGATE_RUNS="res")
    gate("nothing in place of what was removed", "true", (0, True), GPUGATE_RUNS="res")
    expect("its exit code", (clone / "out" / "exit-code").read_text(), "3\n")


def password(r):
    """The token is sent to the server as the password, and not to another server to which a redirect leads."""
    seen, led = [], []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            there = led if self.server is other else seen
            there.append(self.headers.get("Authorization"))
            if self.path.startswith("/moved.git") and there is seen:
                self.send_response(302)
                self.send_header("Location", f"http://127.0.0.1:{other.server_port}{self.path}")
            else:
                self.send_response(404 if there[-1] else 401)
                self.send_header("WWW-Authenticate", "Basic")
            self.end_headers()

        def log_message(self, *_):
            pass
    server, other = servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
    for one in servers:
        threading.Thread(target=one.serve_forever, daemon=True).start()
    clone = r.clone("main")
    out = r.gate(clone, r.trace(11))
    env = {**r.env, "GPUGATE_FOLDER": str(out), "GPUGATE_BRANCH": "main", "GPUGATE_TOKEN": TOKEN,
           "GPUGATE_REMOTE": f"http://127.0.0.1:{server.server_port}/r.git"}
    p = subprocess.run(["bash", "-x", FORGE / "accept", "append"], cwd=clone, capture_output=True, text=True, env=env, check=False)
    r.accept(clone, out, "main", "append", code=1, says="cannot be fetched", GPUGATE_TOKEN=TOKEN,
             GPUGATE_REMOTE=f"http://127.0.0.1:{server.server_port}/moved.git")
    expect("password where a redirect leads", led, [None])
    for one in servers:
        one.shutdown()
    expect("password", seen[-2], "Basic " + base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode())
    expect("token printed", (p.returncode, TOKEN in p.stdout + p.stderr, TOKEN in (clone / ".git" / "config").read_text()), (1, False, False))


# ---- permission to approve ----

def approvals(folder):
    forge, out = _forge.Forge(), folder / "approval.json"
    (folder / "bin").mkdir()
    (folder / "bin" / "sleep").write_text("#!/bin/sh\n")
    (folder / "bin" / "sleep").chmod(0o755)
    env = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "GPUGATE_TOKEN": TOKEN, "LC_ALL": "C.UTF-8"}

    def ask(api, code=0, says="", after="2027-01-01T12:00:00Z", **more):
        out.unlink(missing_ok=True)
        p = subprocess.run(["bash", FORGE / "approval", "--api", api, "--url", forge.address, "--repository",
                            {"github": "o/r", "gitlab": "5"}[api], "--request", "7", "--after", after, out],
                           env={**env, **more}, capture_output=True, text=True, check=False)
        text = p.stdout + p.stderr
        if p.returncode != code or says not in text or TOKEN in text or (code == 2) == out.exists() and says[:2] != "no":
            wrong.append(f"{api}: approval: exit {p.returncode}, not {code} with '{says}': {text}")
        have = json.loads(out.read_text()) if out.exists() else {}
        return {key: have[key] for key in ("who", "reason") if key in have} or None

    def said(author, body, at, edited=None):
        forge.comment(author, body, created_at=at, updated_at=edited or at)

    def labeled(api, author, at, on=True):
        user = {"id": author, "login": f"user{author}", "username": f"user{author}"}
        event = ({"event": "labeled" if on else "unlabeled", "actor": user} if api == "github"
                 else {"action": "add" if on else "remove", "user": user})
        forge.events.append({**event, "created_at": at, "label": {"name": "gpugate-accept"}})

    for api in ("github", "gitlab"):
        forge.reset()
        write, read = ("write", "triage") if api == "github" else (30, 20)
        forge.permission = {"user1": write, "user2": read, "user4": {"github": "admin", "gitlab": 50}[api]}
        ask(api, 1, "nobody who may has approved")
        said(1, "/gpugate accept too early", "2027-01-01T11:59:59Z")
        said(1, "please /gpugate accept this", "2027-01-01T13:00:00Z")
        said(1, "/gpugate accept", "2027-01-01T13:00:00Z")
        said(1, "/gpugate accept  \t", "2027-01-01T13:00:00Z")
        said(1, "/gpugate accepted", "2027-01-01T13:00:00Z")
        said(1, "/gpugate accept put into my mouth", "2027-01-01T13:00:00Z", edited="2027-01-01T13:30:00Z")
        ask(api, 1, "nobody who may has approved")
        said(2, "/gpugate accept may not", "2027-01-01T14:00:00Z")
        said(3, "/gpugate accept stranger", "2027-01-01T14:10:00Z")
        ask(api, 1, "'user3' may not write here")
        said(1, "/gpugate accept \x1b[1m$(id) new\u202e kernel  \nsecond line", "2027-01-01T13:00:00Z")
        expect(f"{api}: the one who may", ask(api), {"who": "user1", "reason": "[1m$(id) new kernel (#7)"})
        said(4, "/gpugate accept the newest", "2027-01-01T15:30:00.250+01:00" if api == "gitlab" else "2027-01-01T14:30:00Z")
        expect(f"{api}: the newest", ask(api), {"who": "user4", "reason": "the newest (#7)"})
        ask(api, 1, "nobody who may", after="2027-01-01T14:30:00Z")
        labeled(api, 2, "2027-01-01T16:00:00Z")
        expect(f"{api}: labeled by one who may not", ask(api)["who"], "user4")
        labeled(api, 1, "2027-01-01T16:00:01Z")
        forge.events.reverse()      # the order in which the API lists events must not matter
        expect(f"{api}: label", ask(api), {"who": "user1", "reason": "label gpugate-accept (#7)"})
        labeled(api, 1, "2027-01-01T16:00:02Z", on=False)
        expect(f"{api}: label taken off", ask(api)["who"], "user4")
        forge.fault("GET", "permission" if api == "github" else "members", 502, times=2)
        expect(f"{api}: asked again", ask(api)["who"], "user4")
        forge.fault("GET", "/comments" if api == "github" else "/notes", 404)
        ask(api, 1, "not there or the token may not see it")
        ask(api, 2, "--after is not a time", after="yesterday")
        # what was said before the report was there, or before it was brought up to date, was said of another one
        forge.reset()
        forge.permission = {"user1": write}
        said(1, "/gpugate accept of the old report", "2027-01-01T13:00:00Z")
        for marker, settings, counts in (("train", {"GPUGATE_WORKLOAD": "train"}, False), ("train", {"GPUGATE_WORKLOAD": "train-h100"}, True), ("default", {}, False),
                                    ("a-b-0123abcd", {"GPUGATE_WORKLOAD": "a b"}, False), ("train-h100", {"GPUGATE_WORKLOAD": "train"}, True),
                                    ("suite-n", {"GPUGATE_SUITE": "s.yaml", "GPUGATE_WORKLOAD": "suite-n"}, False), ("suite-n", {"GPUGATE_SUITE": "s.yaml"}, False),
                                    ("train", {"GPUGATE_SUITE": "s.yaml"}, True)):
            report = forge.comment(_forge.BOT, f"<!-- gpugate:{marker} -->\nfail", created_at="2027-01-01T12:30:00Z", updated_at="2027-01-01T14:00:00Z")
            ask(api, int(not counts), "" if counts else "older than the report of this run", **settings)
            forge.comments = [c for c in forge.comments if c["id"] != report]
        for author, body in ((_forge.OTHER, "<!-- gpugate:train -->\nforged"), (_forge.BOT, "> <!-- gpugate:train -->\nquoted"), (_forge.BOT, "<!-- gpugate-answer:train:1 -->\n")):
            forge.comment(author, body, created_at="2027-01-01T14:00:00Z", updated_at="2027-01-01T14:00:00Z")
        expect(f"{api}: reports of nobody", ask(api, GPUGATE_WORKLOAD="train"), {"who": "user1", "reason": "of the old report (#7)"})


# ---- the artifact of a pull request ----

def archive(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in files.items():
            z.writestr(name.replace("__", "/"), content)
    return data.getvalue()


def fetches(folder):
    forge = _forge.Forge()
    event, output, out = folder / "event.json", folder / "output", folder / "fetched"
    env = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "GPUGATE_TOKEN": TOKEN, "GITHUB_API_URL": forge.address,
           "GITHUB_REPOSITORY": "o/r", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(event), "GITHUB_OUTPUT": str(output),
           "GPUGATE_ARTIFACT": "gpugate-train", "GPUGATE_FOLDER": str(out), "LC_ALL": "C.UTF-8"}
    ours, theirs = {"id": 1, "full_name": "o/r"}, {"id": 2, "full_name": "x/r", "owner": {"login": "x"}}
    branch = "a b;$(id)&c"

    def pull(number, sha, repo, **more):
        return {"number": number, "state": "open", "base": {"sha": "base0", "repo": ours},
                "head": {"sha": sha, "ref": branch, "repo": repo}, **more}

    def artifact(number, run, sha, data, repo=2, **more):
        forge.files[f"/store/{number}?sig=signed"] = data
        forge.artifacts.setdefault(run, []).append({"id": number, "name": "gpugate-train", "size_in_bytes": len(data), "expired": False,
                                                    "created_at": "2027-01-01T12:00:00Z",
                                                    "workflow_run": {"id": run, "head_sha": sha, "head_repository_id": repo}, **more})

    def ask(content, code=0, says="", want=None):
        event.write_text(json.dumps(content))
        output.write_text("")
        p = subprocess.run(["bash", ROOT / "ci" / "github" / "fetch" / "fetch"], env=env, capture_output=True, text=True, check=False)
        text = p.stdout + p.stderr
        if p.returncode != code or says not in text or TOKEN in text or "signed" in text:
            wrong.append(f"fetch: exit {p.returncode}, not {code} with '{says}': {text}")
        have = dict(line.split("=", 1) for line in output.read_text().splitlines())
        for key, value in (want or {}).items():
            expect(f"fetch: {key}", have.get(key), value)

    def done(sha, **more):
        return {"workflow_run": {"id": 50, "event": "pull_request", "path": ".github/workflows/gpugate.yml", "head_sha": sha, "head_branch": branch,
                                 "head_repository": theirs, **more}}
    good = archive(**{"run.json.gz": b"digest", "repeat-1.json.gz": b"second", "report.md": b"<!-- gpugate:train -->\nbuy this",
                      "..__..__evil": b"x", "__tmp__evil": b"x"})
    forge.pulls = [pull(7, "head1", theirs), pull(8, "head1", {"id": 3, "full_name": "x/r"}), pull(9, "head2", ours)]
    artifact(90, 50, "head1", b"old")
    artifact(91, 50, "head1", good)
    ask(done("head1"), want={"request": "7", "base": "base0", "branch": branch, "commit": "head1", "fork": "true",
                             "time": "2027-01-01T12:00:00Z", "folder": str(out), "repeat": str(out / "repeat-1.json.gz")})
    expect("taken out", {f.name: f.read_bytes() for f in out.iterdir()}, {"run.json.gz": b"digest", "repeat-1.json.gz": b"second"})
    expect("outside", list(folder.glob("**/evil")), [])
    asked = next(c for c in forge.log if "/pulls?" in c).split("head=")[1].split("&per")[0]
    expect("asked for", urllib.parse.unquote(asked), f"x:{branch}")
    # Cases without a run to post: the head has moved, the pull request is somebody else's or closed, or the event is another
    # one.
    ask(done("head0"), says="no longer the head", want={"request": ""})
    ask(done("head2"), says="no longer the head", want={"request": ""})
    ask(done("head1", head_repository={"id": 1, "owner": {"login": "x"}}), says="no longer the head", want={"request": ""})
    ask(done("head1", event="push"), says="another branch than the default one", want={"request": ""})
    ask(done("head1", event="schedule"), says="not started by a pull request", want={"request": ""})
    ask({"ref": "refs/heads/main"}, 2, "not an event of a pull request")
    forge.pulls[0]["state"] = "closed"
    ask(done("head1"), says="no longer the head", want={"request": ""})
    # An approval names the pull request by number, and takes the newest run that has left an artifact.
    forge.runs = [{"path": ".github/workflows/gpugate.yml", "id": 60, "head_sha": "head2"}, {"path": ".github/workflows/gpugate.yml", "id": 61, "head_sha": "head2"}, {"path": ".github/workflows/gpugate.yml", "id": 62, "head_sha": "head2"}, {"path": ".github/workflows/gpugate.yml", "id": 63, "head_sha": "head1"}]
    artifact(92, 60, "head2", archive(**{"run.json.gz": b"older"}), repo=1)
    artifact(93, 61, "head2", archive(**{"run.json.gz": b"newer"}), repo=1)
    artifact(94, 61, "head9", good, repo=1)
    artifact(95, 62, "head2", good, repo=1, expired=True)
    artifact(96, 62, "head2", good)     # not taken: an artifact of a fork, whose branch is at head2, too
    ask({"issue": {"number": 9}}, want={"request": "9", "fork": "false", "commit": "head2", "repeat": ""})
    expect("newest", {f.name: f.read_bytes() for f in out.iterdir()}, {"run.json.gz": b"newer"})
    ask({"issue": {"number": 7}}, says="is not open", want={"request": ""})
    ask({"pull_request": {"number": 10}}, 1, "not there or the token may not see it")
    # Artifacts are refused that are too large (packed or unpacked). One that is broken, empty or not there is a check that has left no run.
    lost = {"request": "7", "base": "", "lost": "the check has left no run", "folder": str(out)}
    forge.pulls[0]["state"] = "open"
    for number, data, more, says in (
            (101, b"x", {"size_in_bytes": 67108865}, "larger than 64 MiB"),
            (102, archive(**{"run.json.gz": bytes(67108865)}), {}, "larger than 64 MiB"),
            (103, good[:60], {}, ""), (104, archive(**{"report.md": b"x"}), {}, "")):
        forge.artifacts[50] = []
        artifact(number, 50, "head1", data, **more)
        ask(done("head1"), *([1, says] if says else [0, "left no run", lost]))
    # An artifact with the cases of a suite: only files whose names can be those of a case's runs are taken.
    odd = "-x $(id) `b` 'c\"[é]*"
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as z:
        for name in ("cases/a/run.json.gz", f"cases/{odd}/run.json.gz", "cases/a/repeat-1.json.gz", "cases/a/control-12.json.gz"):
            z.writestr(name, name)
        for name in ("cases/a/report.md", "cases/../../evil/run.json.gz", "cases/..b/run.json.gz", "cases/.c/run.json.gz", "cases/d/e/run.json.gz",
                     "cases/b..c/run.json.gz", "cases/run.json.gz", "cases/" + 101 * "l" + "/run.json.gz", "cases/f\x01/run.json.gz",
                     "cases/g\nh/run.json.gz", "cases/a/repeat-0.json.gz", "cases/a/repeat-1000.json.gz", "/cases/h/run.json.gz"):
            z.writestr(name, "evil")
    forge.artifacts[50] = []
    artifact(105, 50, "head1", data.getvalue())
    ask(done("head1"), want={"request": "7"})
    cases = out / "cases"
    expect("cases", {str(f.relative_to(out)): f.read_text() for f in cases.rglob("*") if f.is_file()},
           {name: name for name in ("cases/a/run.json.gz", f"cases/{odd}/run.json.gz", "cases/a/repeat-1.json.gz", "cases/a/control-12.json.gz")})
    expect("outside", list(folder.glob("**/evil")), [])
    forge.artifacts[50] = []
    artifact(106, 50, "head1", good)
    ask(done("head1"), want={"request": "7"})
    expect("cases of another", cases.exists(), False)
    forge.fault("GET", "/store/", 403, times=99)
    ask(done("head1"), 1, "its file cannot be read, 5 times")
    forge.artifacts[50] = []
    ask(done("head1"), 0, "left no run", lost)


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        approvals(folder)
        fetches(folder)
        repository = Repository(folder)
        for test in (from_failure_to_green, races, refusals, measured, outside, trusted, benchmarks, password):
            test(repository)
    finish()


if __name__ == "__main__":
    main()
