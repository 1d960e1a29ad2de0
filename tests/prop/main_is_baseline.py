#!/usr/bin/env python3
"""Main is the baseline: the first weeks of a repository without a stored baseline, through measure.yml's action and act.yml, with the stand-in of
_forge.py, a git repository and a benchmark that really runs.

 - day one: what a pull request shows is judged by one pair, and its status is success; a push to main stores the baseline
 - nothing but the branch of histories decides that it is day one: neither a renamed workload, nor files of the pull request, nor runs of the base in
   an artifact, nor a baseline of a commit that is not of main
 - while main has less than five runs, undecided is success and a confirmed failure fails; from five on, undecided is not
 - attempts of one commit are judged together; not those of another, nor what another workflow has left under the same name
 - an approval names the commit. It counts for its request, in a merge queue too, and from the merge on, also for a fork and for two requests merged
   at once; not once its comment was edited or deleted, nor for what main shows beyond it. The first run of main within it is the baseline
 - the rules of main say who may approve
 - another GPU gets a baseline of its own beside the first
 - a merge group is judged by the branch that it would be merged to, and stores nothing

$GPUGATE is the program; exit 77 skips, also without PyYAML.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from _expect import expect, finish
import _forge
from _gen import GEN, generate
from post_files import ACT, CHECK, GITHUB, PROGRAM, ROOT, Runner, git

BENCHMARK = """set -e
n=$(cat "$COUNT"); echo $((n + 1)) >"$COUNT"
python3 {gen}/trace.py --seed "$n" --steps 3 $(cat options) --out trace.json.gz
"""
NONE_FITS = "not judged: there is no baseline that fits"
SLOW = "--slow-kernel *flash_bwd*=4\n"


class World:
    """A repository o/r whose benchmark runs with the options of the file `options`."""

    def __init__(self, folder):
        self.folder, self.forge, self.clone, self.origin = folder, _forge.Forge(), folder / "clone", folder / "o" / "r"
        self.nr, self.acted, self.merged, self.number, self.head_repo, self.forge.origin = 0, 0, 0, 7, 1, self.origin
        git(folder, "init", "--quiet", "--bare", "-b", "main", self.origin)
        git(folder, "clone", "--quiet", f"file://{self.origin}", self.clone)
        (self.clone / "benchmark.sh").write_text(BENCHMARK.replace("{gen}", str(GEN)).replace("$COUNT", str(folder / "count")))
        (folder / "count").write_text("1")
        (self.clone / "options").write_text("\n")
        self.commit("first")
        git(self.clone, "push", "--quiet", "origin", "HEAD:refs/heads/main")

    def commit(self, message):
        git(self.clone, "add", "--all")
        git(self.clone, "commit", "--quiet", "--allow-empty", "-m", message)

    def change(self, options, **files):
        """Makes the branch topic, one commit ahead of main."""
        git(self.clone, "fetch", "--quiet", "origin")
        git(self.clone, "checkout", "--quiet", "-B", "topic", "origin/main")
        (self.clone / "options").write_text(options)
        for name, text in files.items():
            (self.clone / name).write_text(text)
        self.commit(f"change {self.nr}")
        git(self.clone, "push", "--quiet", "--force", "origin", "HEAD:refs/heads/topic")

    def merge(self, tree="HEAD^{tree}", head="HEAD"):
        """Squashes the request into main, and checks it out."""
        self.merged += 1
        git(self.clone, "fetch", "--quiet", "origin")
        (pull,) = [p for p in self.forge.pulls if p["number"] == self.number]
        commit = git(self.clone, "commit-tree", "-p", "origin/main", "-m", "squashed", git(self.clone, "rev-parse", tree))
        git(self.clone, "push", "--quiet", "origin", f"{commit}:refs/heads/main")
        pull["head"]["sha"] = git(self.clone, "rev-parse", head)
        pull.update(state="closed", merged=True, merged_at=f"2027-01-03T{self.merged:02}:00:00Z", merge_commit_sha=commit)
        git(self.clone, "checkout", "--quiet", "--detach", commit)

    def run_of_main(self):
        """A push to main; returns the verdict of the job, its exit code, and the jobs and the state of act.yml."""
        out, code, _ = self.measure("push", more="0")
        return out["verdict"], code, *self.act("push", branch="main")[:2]

    def approve(self, text, hour, author=3):
        """The answer of act.yml to a comment: exit code, the comment's number, and the reply."""
        at = f"2027-01-02T{hour}:00:00Z"
        number = self.forge.comment(author, text, created_at=at, updated_at=at)
        job = Runner(self.folder, self.forge, {"issue": {"number": self.number}}, "issue_comment")
        _, code, _ = job.action(GITHUB / "accept", self.clone, {"workload": "resnet50", "program": PROGRAM})
        return code, number, self.forge.bodies()[-1]

    def measure(self, name, workload="resnet50", more="6", benchmark="bash benchmark.sh", env=None, **inputs):
        """The job of measure.yml; returns its outputs, exit code and output."""
        self.nr += 1
        owner = "o" if self.head_repo == 1 else "x"
        pull = {"number": self.number, "state": "open", "user": {"login": "user3"}, "base": {"sha": git(self.origin, "rev-parse", "main"), "ref": "main", "repo": {"id": 1, "full_name": "o/r"}},
                "head": {"sha": git(self.clone, "rev-parse", "HEAD"), "ref": "topic",
                         "repo": {"id": self.head_repo, "full_name": f"{owner}/r", "owner": {"login": owner}}}}
        if name == "pull_request":
            self.forge.pulls = [pull, *(p for p in self.forge.pulls if p["number"] != self.number)]
        self.runner = Runner(self.folder, self.forge, {"pull_request": pull} if name == "pull_request" else {}, name)
        self.runner.env = env or ({"GITHUB_BASE_REF": "main"} if name == "pull_request" else {})
        if name == "pull_request":  # as Actions does
            git(self.clone, "checkout", "--quiet", "--detach", "origin/main")
            git(self.clone, "merge", "--quiet", "--no-ff", "-m", "merge", pull["head"]["sha"])
        out, code, log = self.runner.action(ROOT, self.clone, {"benchmark": benchmark, "runs": "trace.json.gz", "workload": workload, "more": more,
                                                               "comment": "never", "program": PROGRAM, **inputs}, {"sha": pull["head"]["sha"]})
        git(self.clone, "clean", "--quiet", "-fd")
        git(self.clone, "checkout", "--quiet", "--detach", pull["head"]["sha"])
        return out, code, log

    def act(self, name, workload="resnet50", branch="topic", files=None):
        """act.yml after that job; returns the jobs that ran, and state and text of the status."""
        theirs = self.head_repo if name == "pull_request" else 1
        commit, ours = git(self.clone, "rev-parse", "HEAD"), {"id": theirs, "full_name": "o/r", "owner": {"login": "o" if theirs == 1 else "x"}}
        self.forge.leave(100 + self.nr, 1000 + self.nr, commit, {**self.runner.uploaded[1], **(files or {})}, theirs, f"gpugate-{workload}")
        self.forge.runs = [{"id": 100 + self.nr, "head_sha": commit, "path": CHECK}]
        event = {"repository": {"id": 1, "default_branch": "main"}, "workflow_run": {
            "id": 100 + self.nr, "event": name, "path": CHECK, "head_sha": commit, "head_branch": branch, "head_repository": ours,
            "conclusion": "success"}}
        self.forge.statuses.clear()
        runner = Runner(self.folder, self.forge, event, "workflow_run")
        runner.env = {"GITHUB_SERVER_URL": "https://forge.example"}
        self.acted += 1
        self.act_run = runner.run = 5000 + self.acted
        ran, self.log = runner.workflow("act", {"workload": workload, "comment": "always"}, self.origin)
        self.judged = runner.uploaded
        return ran, self.forge.statuses.get((commit, f"gpugate/{workload}")), self.forge.descriptions.get((commit, f"gpugate/{workload}"))

    def lost(self, kind, event, branch="topic"):
        """act.yml after a job that has left less than a run; returns state and text of the status, and the first lines of the comment."""
        uploaded, self.forge.comments[:] = self.runner.uploaded, []
        self.runner.uploaded = "", {} if kind == "nothing" else {"report.md": b"<!-- gpugate:resnet50 -->\nbuy this"}
        ran, state, text = self.act(event, branch=branch)
        self.runner.uploaded = uploaded
        return ran, state, text, [body.splitlines()[1] for body in self.forge.bodies()]

    def body(self, workload="resnet50"):
        (body,) = [text for text in self.forge.bodies() if text.startswith(f"<!-- gpugate:{workload} -->")]
        return body

    def digest(self, seed):
        trace = self.folder / "trace.json.gz"
        generate("trace", trace, "--seed", seed, "--steps", 3)
        subprocess.run([PROGRAM, "digest", trace, "--output", self.folder / "digest.json.gz"], check=True, capture_output=True)
        return (self.folder / "digest.json.gz").read_bytes()

    def kept(self):
        """Files of the branch of histories."""
        return git(self.origin, "ls-tree", "-r", "--name-only", "gpugate-baselines").splitlines()


def day_one(w):
    w.change(SLOW)
    out, code, log = w.measure("pull_request")
    expect("day one", (code, out["exit-code"], sorted(n for n in w.runner.uploaded[1] if n.endswith(".gz"))),
           (0, "0", ["control-1.json.gz", "repeat-1.json.gz", "run.json.gz"]))
    expect("its status", w.act("pull_request"), (["post"], "success", "not judged: main has no run yet"))
    body = w.body()
    expect("what the pair shows", ("compute per step 21." in body.splitlines()[1], "3 kernels (attention) are slower" in body, "The status is success" in body),
           (True, True, True))
    expect("which commit is its base", f"control-1.json.gz` at [`{git(w.origin, 'rev-parse', 'main')[:10]}`]" in body, True)
    expect("where the reports are", body.splitlines()[-1], f"[All reports](https://forge.example/o/r/actions/runs/{w.act_run}/artifacts/{w.act_run})")
    expect("no annotation of main", "::error" in w.log, False)
    out, code, _ = w.measure("pull_request", benchmark="test \"$GPUGATE_SIDE\" = candidate; bash benchmark.sh")
    expect("a base that does not run", (code, out["verdict"]), (0, "missing"))
    expect("nothing is stored by it", w.act("pull_request")[0], ["post"])

    git(w.clone, "checkout", "--quiet", "--detach", "origin/main")
    out, code, _ = w.measure("push")
    expect("the first run of main", (code, out["verdict"]), (0, "missing"))
    expect("is stored", w.act("push", branch="main"), (["post", "store"], "success", "not judged: main has no run yet"))
    expect("as the baseline", w.kept(), ["baselines/resnet50.json"])


def forged(w):
    """What a pull request could do to be taken for the first."""
    w.change("\n")
    out, code, _ = w.measure("pull_request", workload="other")
    expect("a renamed workload", (code, out["exit-code"]), (4, "4"))
    expect("its status", w.act("pull_request", workload="other"), (["post"], "error", NONE_FITS))
    control = {"control-1.json.gz": w.digest(91), "repeat-1.json.gz": w.digest(92)}
    expect("with runs of the base", w.act("pull_request", workload="other", files=control)[1:], ("error", NONE_FITS))
    expect("with a file of its own", w.act("pull_request", workload="other", files={"neutral": b"not judged: main has no run yet\n"})[1:], ("error", NONE_FITS))
    git(w.clone, "checkout", "--quiet", "--detach", "origin/main")
    expect("another branch in Jenkins", w.measure("push", workload="other", env={"BRANCH_NAME": "topic"})[1], 4)
    out, code, _ = w.measure("push", workload="other")
    expect("main begins another", (code, w.act("push", workload="other", branch="main")[0]), (0, ["post", "store"]))
    expect("beside the first", w.kept(), ["baselines/other.json", "baselines/resnet50.json"])
    expect("a push elsewhere", w.act("push", branch="topic")[:2], (["post"], None))

    # a baseline on the branch of histories whose commit is not of main
    tree = w.folder / "forger"
    git(w.folder, "clone", "--quiet", "--branch", "gpugate-baselines", f"file://{w.origin}", tree)
    path = tree / "baselines" / "other.json"
    real = path.read_text()
    path.write_text(real.replace(json.loads(real)["provenance"]["commit"], "f" * 40))
    git(tree, "commit", "--quiet", "-am", "forged")
    git(tree, "push", "--quiet", "origin", "HEAD:gpugate-baselines")
    w.change("\n")
    out, code, log = w.measure("pull_request", workload="other")
    expect("a forged baseline", (code, "baselines/other.json is left out: its commit is not of main" in log), (4, True))


def learning(w):
    w.change(SLOW)
    out, code, _ = w.measure("pull_request")
    expect("a confirmed failure", (code, out["verdict"], out["confirmed"]), (1, "fail", "true"))
    expect("its status", w.act("pull_request")[1:], ("failure", "verdict: fail"))
    head = git(w.clone, "rev-parse", "HEAD")
    expect("where the page is", "[All reports, with each figure's history](https://forge.example/o/r/actions/runs/" in w.body(), True)
    expect("what the comment offers", f"`/gpugate approve {head[:12]} REASON`" in w.body(), True)

    open_branch = " · [`gpugate-baselines` is not protected](https://forge.example/o/r/settings/rules)"
    for protected, rules, said in ((False, [], True), (False, [{"type": "deletion"}], True), (False, [{"type": "update"}], False), (True, [], False)):
        w.forge.protected, w.forge.rules = protected, rules
        w.act("pull_request")
        expect(f"a branch of histories with {protected, rules}", open_branch in w.body(), said)

    # one run is not enough for a change of 5 %, and five are not that differ by more
    small = "--slow-kernel *=1.05\n"
    w.change(small)
    out, code, _ = w.measure("pull_request", more="0")
    expect("undecided", (code, out["verdict"], out["exit-code"]), (0, "undecided", "0"))
    expect("its status", w.act("pull_request")[1:], ("success", "undecided: main has 1 of 5 runs"))
    git(w.clone, "checkout", "--quiet", "--detach", "origin/main")
    for i in range(2, 6):
        (w.clone / "options").write_text(f"--slow-kernel *={1 + i % 2 * 0.08}\n")
        w.measure("push", more="0")
        expect(f"run {i} of main", w.act("push", branch="main")[0], ["post", "store"])
    git(w.clone, "checkout", "--quiet", "options")
    lines = git(w.origin, "show", "gpugate-baselines:baselines/resnet50.history.jsonl").splitlines()
    expect("stored", (len(lines), w.kept()[:2]), (5, ["baselines/other.json", "baselines/resnet50.history.jsonl"]))
    w.change(small)
    out, code, _ = w.measure("pull_request", more="0")
    expect("undecided of a known main", (code, out["verdict"], w.act("pull_request")[1]), (3, "undecided", "error"))


def crashed(w):
    """A benchmark that fails leaves no run; the status and the comment say so."""
    w.change("\n")
    out, code, log = w.measure("pull_request", benchmark="bash benchmark.sh; exit 7")
    expect("a benchmark that fails", (code, out["verdict"], "gate: the benchmark ended with 7: not judged" in log), (3, "error", True))
    lost = "not judged: the check has left no run"
    expect("its status", w.act("pull_request")[1:], ("error", lost))
    for kind in ("nothing", "words"):
        expect(f"a check that left {kind}", w.lost(kind, "pull_request"), (["post"], "error", lost, [f"### \u274c gpugate \u00b7 error \u00b7 resnet50: {lost}"]))
    git(w.clone, "checkout", "--quiet", "--detach", "origin/main")
    w.measure("push", benchmark="exit 7")
    expect("on main", w.lost("nothing", "push", branch="main"), (["post"], "error", lost, []))


def again(w):
    """Attempts of one commit are judged together: a lucky run does not undo what an earlier one has shown."""
    def attempt(benchmark, state, runs, pairs=0, more="0", rerun=True):
        w.nr -= rerun   # which makes another attempt of the same run
        w.measure("pull_request", more=more, benchmark=benchmark)
        git(w.clone, "checkout", "--quiet", "options")
        have = w.act("pull_request")[1]
        expect(f"attempt {benchmark}", (have, judged_runs(w)), (state, [runs, pairs]))
    lucky, slow = "echo >options; bash benchmark.sh", "bash benchmark.sh"
    w.change(SLOW)
    attempt(slow, "failure", 1, rerun=False)
    expect("the same attempt once more", (w.act("pull_request")[1], judged_runs(w)), ("failure", [1, 0]))
    attempt(lucky, "failure", 2)
    expect("one that has left nothing", w.lost("nothing", "pull_request")[1], "error")
    attempt("echo '--lost-kernels 20' >options; bash benchmark.sh", "error", 3)
    for number, event, path in ((1, "push", ACT), (2, "pull_request", CHECK), (3, "workflow_run", CHECK)):
        w.forge.leave(9000 + number, 9000 + number, "f" * 40, {"run.json.gz": w.digest(90 + number), "result.json": b'{"verdict": "pass"}'}, name=w.judged[0])
        w.forge.acts.append({"id": 9000 + number, "path": path, "event": event})
    attempt(lucky, "success", 3, rerun=False)
    head = git(w.clone, "rev-parse", "HEAD")
    w.forge.permission["user3"] = "write"
    w.change(SLOW)
    attempt(slow, "failure", 4, 3, more="6", rerun=False)
    paired = [w.judged[1][f"repeat-{i}.json.gz"] for i in (1, 2, 3)]
    attempt(lucky, "failure", 5, 3)
    expect("the pairs are the last", [w.judged[1][f"repeat-{i}.json.gz"] for i in (2, 3, 4)] == paired, True)
    expect("another commit", git(w.clone, "rev-parse", "HEAD") != head, True)


def judged_runs(w):
    """How many runs of the change and of its base were judged."""
    return [sum(name.startswith(kinds) for name in w.judged[1]) for kinds in (("run.json.gz", "repeat-"), ("control-",))]


def queue(w):
    w.change(SLOW)
    out, _, _ = w.measure("merge_group", more="0")
    head = git(w.clone, "rev-parse", "HEAD")
    expect("a merge group", (out["verdict"], w.act("merge_group", branch=f"gh-readonly-queue/main/pr-7-{head}")[:2]), ("fail", (["post"], "failure")))
    expect("another branch", w.act("merge_group", branch="topic")[:2], (["post"], None))


def records(w):
    return [name for name in w.kept() if name.startswith("pending/")]


def pin(w):
    return json.loads(git(w.origin, "show", "gpugate-baselines:baselines/resnet50.json"))["provenance"]


def judged(w, options, **files):
    """The state of the status of a new request."""
    w.change(options, **files)
    w.measure("pull_request", more="0")
    return w.act("pull_request")[1]


def approval(w):
    w.forge.permission["user3"] = "write"
    judged(w, SLOW)
    head, topic = git(w.clone, "rev-parse", "HEAD"), git(w.origin, "rev-parse", "topic")
    code, _, said = w.approve("/gpugate approve 0123456789ab of another commit", 11)
    expect("of another commit", (code, "approves another commit" in said), (1, True))
    code, _, said = w.approve("/gpugate approve why not", 12)
    expect("without a commit", (code, "nobody who may has approved" in said), (1, True))
    expect("nothing is kept", records(w), [])
    code, comment, said = w.approve(f"/gpugate approve {head[:12]} deterministic attention", 13)
    expect("approved", (code, f"counts for commit {head[:12]} and after its merge" in said, git(w.origin, "rev-parse", "topic")), (0, True, topic))
    expect("kept", records(w), ["pending/7/resnet50/approval.json", "pending/7/resnet50/tree/baselines/resnet50.json"])
    expect("its status", w.forge.statuses[head, "gpugate/resnet50"], "success")

    w.measure("pull_request")
    expect("measured again", w.act("pull_request")[1], "success")
    w.measure("merge_group", more="0")
    queue = f"gh-readonly-queue/main/pr-%d-{head}"
    expect("in the queue", [w.act("merge_group", branch=queue % number)[1] for number in (7, 8)], ["success", "failure"])
    w.number = 8
    expect("another request", judged(w, SLOW), "failure")
    w.number = 7
    w.forge.pulls = [p for p in w.forge.pulls if p["number"] == 7]
    written = next(c for c in w.forge.comments if c["id"] == comment)
    git(w.clone, "checkout", "--quiet", "--detach", head)
    for what, change in (("edited", {"updated_at": "2027-01-02T14:00:00Z"}), ("of somebody else", {"user": {"login": "user4", "id": 4}}), ("deleted", {"id": 1})):
        before = dict(written)
        written.update(change)
        w.measure("pull_request", more="0")
        expect(what, w.act("pull_request")[1], "failure")
        written.update(before)

    before = pin(w)["commit"]
    w.merge()
    expect("main after the merge", w.run_of_main(), ("pass", 0, ["post", "store"], "success"))
    expect("its baseline", (pin(w)["commit"] == git(w.clone, "rev-parse", "HEAD"), pin(w)["reason"], pin(w)["who"], pin(w)["commit"] != before, records(w)),
           (True, "deterministic attention (#7)", "user3", True, []))
    expect("the next request", judged(w, SLOW), "success")


def beyond(w):
    """Main shows more than was approved; then nothing of it."""
    judged(w, "--slow-kernel *flash_bwd*=8\n")
    w.approve(f"/gpugate approve {git(w.clone, 'rev-parse', 'HEAD')[:12]} slower", 15)
    before = pin(w)["commit"]
    w.merge()
    expect("within", w.run_of_main()[0], "pass")
    within = pin(w)["commit"]
    judged(w, "--slow-kernel *flash_bwd*=12\n")
    w.approve(f"/gpugate approve {git(w.clone, 'rev-parse', 'HEAD')[:12]} slower still", 16)
    (w.clone / "options").write_text("--slow-kernel *flash_bwd*=20\n")
    w.commit("more than was approved")
    w.merge()
    expect("another head", (w.run_of_main()[0], pin(w)["commit"], records(w)), ("fail", within, []))
    git(w.clone, "checkout", "--quiet", "--detach", "origin/main~1")
    judged(w, "--slow-kernel *flash_bwd*=12\n")
    w.approve(f"/gpugate approve {git(w.clone, 'rev-parse', 'HEAD')[:12]} slower still", 17)
    w.merge()
    (w.clone / "options").write_text("--slow-kernel *flash_bwd*=20\n")
    expect("beyond", (w.run_of_main()[0], pin(w)["commit"], len(records(w))), ("fail", within, 2))
    git(w.clone, "checkout", "--quiet", "options")
    expect("within at last", (w.run_of_main()[0], pin(w)["reason"], before != within, records(w)), ("pass", "slower still (#7)", True, []))


def counting(w, commit):
    """What `pending` says at a commit of main."""
    where = w.folder / "waiting"
    git(w.folder, "clone", "--quiet", "--branch", "gpugate-baselines", f"file://{w.origin}", where)
    head = git(w.clone, "rev-parse", "HEAD")
    git(w.clone, "checkout", "--quiet", "--detach", commit)
    p = subprocess.run([ROOT / "ci" / "forge" / "pending", where / "pending"], cwd=w.clone, capture_output=True, text=True, check=True, env={
        "PATH": os.environ["PATH"], "GITHUB_ACTIONS": "true", "GITHUB_API_URL": w.forge.address, "GITHUB_REPOSITORY": "o/r", "GPUGATE_TOKEN": _forge.TOKEN,
        "GPUGATE_WORKLOAD": "resnet50"})
    git(w.clone, "checkout", "--quiet", "--detach", head)
    shutil.rmtree(where)
    return p.stdout.strip()


def forks(w):
    w.head_repo = 2
    judged(w, "--slow-kernel *flash_bwd*=20\n")
    code, _, said = w.approve(f"/gpugate approve {git(w.clone, 'rev-parse', 'HEAD')[:12]} of a fork", 18)
    expect("a fork", (code, "counts for commit" in said, len(records(w))), (0, True, 2))
    w.merge()
    expect("of commits with and without the merge", [counting(w, f"origin/main{of}") for of in ("", "~1")], ["counts 7/resnet50", ""])
    w.head_repo = 1
    expect("a fork on main", (w.run_of_main(), pin(w)["reason"]), (("pass", 0, ["post", "store"], "success"), "of a fork (#7)"))


def two(w):
    """Two requests that were approved are merged before main is measured again."""
    main, parts = "--slow-kernel *flash_bwd*=20", (" --slow-kernel *SoftMaxForward*=3", " --peak-memory 1.2")
    for number, part in ((7, parts[0]), (8, parts[1])):
        w.number = number
        expect("one of two", judged(w, main + part + "\n"), "failure")
        w.approve(f"/gpugate approve {git(w.clone, 'rev-parse', 'HEAD')[:12]} request {number}", 19)
    head = git(w.clone, "rev-parse", "HEAD")
    (w.clone / "options").write_text(f"{main}{parts[0]}{parts[1]}\n")
    w.commit("both")
    for w.number in (8, 7):
        w.merge(head=head if w.number == 8 else w.forge.pulls[1]["head"]["sha"])
    w.run_of_main()
    expect("both", (pin(w)["commit"] == git(w.clone, "rev-parse", "HEAD"), pin(w)["reason"], records(w)), (True, "request 8 (#8); request 7 (#7)", []))
    expect("the next request", judged(w, f"{main}{parts[0]}{parts[1]}\n"), "success")


def withdrawn(w):
    judged(w, "--slow-kernel *flash_bwd*=40\n")
    _, comment, _ = w.approve(f"/gpugate approve {git(w.clone, 'rev-parse', 'HEAD')[:12]} never mind", 20)
    w.forge.comments[:] = [c for c in w.forge.comments if c["id"] != comment]
    before = pin(w)["commit"]
    w.merge()
    expect("withdrawn", (w.run_of_main()[0], pin(w)["commit"]), ("fail", before))


def committed(w):
    """The repository gets a baseline of its own with the request: that counts, and the run of main is stored as ever."""
    judged(w, "--slow-kernel *flash_bwd*=30\n")
    w.approve(f"/gpugate approve {git(w.clone, 'rev-parse', 'HEAD')[:12]} and committed", 20)
    before = pin(w)["commit"]
    (w.clone / "baselines").mkdir()
    (w.clone / "baselines" / "resnet50.json").write_text(git(w.origin, "show", f"gpugate-baselines:{records(w)[1]}") + "\n")
    w.commit("a baseline")
    w.merge(head="HEAD~1")
    expect("a committed baseline", (w.run_of_main()[0], pin(w)["commit"]), ("pass", before))
    newest = json.loads(git(w.origin, "show", "gpugate-baselines:baselines/resnet50.history.jsonl").splitlines()[-1])
    expect("its run", (newest["provenance"]["commit"], newest["verdict"], records(w)), (git(w.clone, "rev-parse", "HEAD"), "pass", []))
    git(w.clone, "rm", "--quiet", "baselines/resnet50.json")
    w.commit("none")
    git(w.clone, "push", "--quiet", "origin", "HEAD:refs/heads/main")


def approvers(w):
    """The rules of main say who may approve: not those of the request, and not its author."""
    git(w.clone, "checkout", "--quiet", "--detach", "origin/main")
    (w.clone / "rules").mkdir()
    rules = w.clone / "rules" / "gpugate.yaml"
    rules.write_text("version: 2\napprovers: [user3, User4]\n")
    w.commit("approvers")
    git(w.clone, "push", "--quiet", "origin", "HEAD:refs/heads/main")
    judged(w, "--slow-kernel *flash_bwd*=60\n", **{"rules/gpugate.yaml": "version: 2\napprovers: [user5]\n"})
    head = git(w.clone, "rev-parse", "HEAD")
    before = git(w.origin, "rev-parse", "gpugate-baselines")
    for hour, (author, code, says) in enumerate(((3, 1, "'user3' made this request"), (5, 1, "'user5' is not among the approvers in rules/gpugate.yaml"), (4, 0, "Approved by @user4")), 20):
        w.forge.permission[f"user{author}"] = "write"
        have, _, said = w.approve(f"/gpugate approve {head[:12]} by {author}", hour, author)
        expect(f"approved by {author}", (have, says in said, git(w.origin, "rev-parse", "gpugate-baselines") != before), (code, True, code == 0))


def another_gpu(w):
    """Another GPU has a baseline of its own: not judged until main has run on it, and the first one stays."""
    own = "baselines/resnet50-NVIDIA-H200-80GB-HBM3-1.json"
    before, benchmark = pin(w), "bash benchmark.sh; zcat trace.json.gz | sed s/H100/H200/g | gzip >other.gz; mv other.gz trace.json.gz"
    w.change("\n")
    expect("another GPU", (w.measure("pull_request", more="0", benchmark=benchmark)[1], w.act("pull_request")[1:]), (4, ("error", NONE_FITS)))
    code, _, said = w.approve(f"/gpugate approve {git(w.clone, 'rev-parse', 'HEAD')[:12]} a new machine", 20, author=4)
    expect("its approval", (code, "counts for commit" in said, records(w)[-1:]), (0, True, [f"pending/7/resnet50/tree/{own}"]))
    git(w.clone, "checkout", "--quiet", "--detach", "origin/main")
    w.measure("push", more="0", benchmark=benchmark)
    expect("its first run of main", (w.act("push", branch="main")[0], own in w.kept(), pin(w)),
           (["post", "store"], True, before))
    w.change("\n")
    expect("the next request", (w.measure("pull_request", more="0", benchmark=benchmark)[1], w.act("pull_request")[1]), (0, "success"))


def main():
    if not os.environ.get("GPUGATE"):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        world = World(pathlib.Path(name))
        for part in (day_one, forged, learning, crashed, again, queue, approval, beyond, forks, two, withdrawn, approvers, committed, another_gpu):
            part(world)
        world.forge.server.shutdown()
    finish()


if __name__ == "__main__":
    main()
