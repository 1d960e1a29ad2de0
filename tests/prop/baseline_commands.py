#!/usr/bin/env python3
"""The commands of stored baselines do what they say, and refuse what they should:

 - append, promote, propose and prune keep the right runs; of more than 20 recent runs, the oldest are dropped
 - a run is refused if it fails, is stored already, cannot be trusted, or has another GPU
 - the command that a report advises for accepting a run does accept the run
 - provenance comes from options, else from the environment of the CI system; hostile text does no harm
 - --bootstrap makes the first baseline only of a run within the absolute limits
 - a path that rules, a suite file or a link in the repository names is written only inside of the repository and outside of '.git',
   for every command; a path that the user types is free

$GPUGATE is the program; exit 77 skips.
"""
import gzip
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from _expect import expect, wrong
from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
RULES = """
version: 1
workload: commands
environment: {must_match: [gpu.name, model]}
defaults: {on_missing: skip}
rules:
  - {id: compute, metric: step.compute_time, fail: {increase: 5%}}
  - {id: kernels, metric: step.kernel_count, fail: {change: 0}}
  - {id: peak, metric: memory.peak_allocated, fail: {max: MAX}}
"""
CLEAN = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
CLEAN |= {"GIT_DIR": os.devnull, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}   # git must not find a repository or settings


class Place:
    """A folder with runs, rules and a baseline."""

    def __init__(self, folder):
        self.folder, self.baseline = folder, folder / "baseline.json"
        self.rules("76GiB")

    def rules(self, most):
        (self.folder / "rules.yaml").write_text(RULES.replace("MAX", most))

    def run(self, seed, *options):
        path = self.folder / f"run{seed}.json.gz"
        generate("trace", path, "--seed", seed, "--steps", 3, *options)
        return path

    def gpugate(self, *args, expect=0, says="", env=None, baseline=None):
        files = ["--rules", self.folder / "rules.yaml", "--baseline", baseline or self.baseline]
        p = subprocess.run([PROGRAM, *map(str, [*args, *files])], capture_output=True, check=False,
                           env={**CLEAN, "SOURCE_DATE_EPOCH": "1767225600", **(env or {})})
        text = (p.stdout + p.stderr).decode()
        if p.returncode != expect or says not in text:
            wrong.append(f"exit {p.returncode}, not {expect} with '{says}': {' '.join(map(str, args))}: {text}")
        return text

    def json(self, path=None):
        return json.loads((path or self.baseline).read_text())

    def history(self):
        """The runs in the history of the baseline; the first is the pin."""
        return [json.loads(line) for line in (self.folder / "baseline.history.jsonl").read_text().splitlines()]


def appended(p):
    p.gpugate("approve", "--new", p.run(0))
    for seed in range(1, 23):
        p.gpugate("store", p.run(seed), "--commit", f"c{seed}", says="run stored")
    history = p.history()
    expect("runs", [r["provenance"]["commit"] for r in history], ["", *(f"c{i}" for i in range(1, 23))])
    expect("verdicts", [(r["verdict"], r["accepted"]) for r in history], [("approved", False), *[("pass", True)] * 22])
    expect("steps", {r["steps"] for r in history}, {3})
    size = max(len(json.dumps(r, separators=(",", ":"))) for r in history)
    if size > 10000:
        wrong.append(f"a run of the history has {size} bytes")
    p.gpugate("store", p.run(5), expect=3, says="has this run already")
    p.gpugate("store", p.run(0), expect=3, says="has this run already")
    p.gpugate("store", p.run(40), "--repeat", p.run(41), "--repeat", p.run(41), expect=3,
              says="the same as another run")
    p.gpugate("store", p.run(40), "--repeat", p.run(41), says="25 runs of history")
    expect("pin", p.json()["pin"]["trace"], "run0.json.gz")


def refused(p):
    p.gpugate("store", p.run(1), expect=4, says="no baseline there")
    p.gpugate("approve", "--new", p.run(0))
    before = p.baseline.read_bytes()
    p.gpugate("approve", "--new", p.run(1), expect=5, says="there is a baseline already")
    slow = p.run(1, "--slow-kernel", "*=1.5")
    cut = p.run(2, "--lost-kernels", "20")
    p.gpugate("store", cut, "--force", expect=3, says="not taken: inconclusive")
    p.gpugate("approve", cut, "--reason", "x", "--accept", "compute", "--accept", "kernels", expect=3,
              says="cannot be the baseline")
    p.gpugate("approve", slow, expect=2, says="needs --reason")
    p.gpugate("approve", slow, "--reason", "x", expect=1, says="accept it with --accept compute")
    more = p.run(1, "--slow-kernel", "*=1.5", "--new-kernel", "more=100")
    p.gpugate("approve", more, "--reason", "x", expect=1,
              says="accept it with --accept compute --accept kernels\n")
    p.gpugate("approve", slow, "--reason", "x", "--accept", "kernels", expect=1, says="--accept compute")
    p.gpugate("approve", slow, "--reason", "x", "--accept", "computer", expect=2, says="did you mean 'compute'")
    p.gpugate("store", p.run(3), "--context", "model=other", expect=4, says="another environment")
    p.gpugate("approve", p.run(3), "--context", "model=other", "--reason", "x", expect=4,
              says="another environment")
    p.gpugate("baseline", "prune", expect=2, says="needs RUN..., or --keep N")
    p.gpugate("baseline", "prune", "--before", "soon", expect=2, says="takes a date")
    p.gpugate("store", p.run(3), expect=2, says="name its file instead of '-'", baseline="-")
    expect("a history of what was refused", (p.folder / "baseline.history.jsonl").exists(), False)
    p.gpugate("store", slow, says="counts for the noise only, not for the reference: fail: 2 of 3 checks")
    p.gpugate("check", slow, expect=1)
    p.gpugate("store", p.run(4, "--slow-kernel", "*=3"), "--force", says="3 runs of history")
    expect("reference", [(r["verdict"], r["accepted"]) for r in p.history()], [("approved", False), ("fail", False), ("fail", True)])
    expect("refused and changed", p.baseline.read_bytes(), before)


def spoiled(p):
    """A recording that spoils what rules judge is stored only if --accept names why; a sound one may replace it."""
    lost, sound = p.run(2, "--lost-kernels", "20"), p.run(0)
    for accept in ([], ["--accept", "truncated"], ["--accept", "compute"]):
        p.gpugate("approve", "--new", lost, *accept, expect=3, says="--accept lost-kernels\n")
    expect("nothing is written", p.baseline.exists(), False)
    p.gpugate("approve", "--new", lost, "--accept", "lost-kernels")
    p.gpugate("approve", sound, "--reason", "x", expect=3, says="accept it with --accept lost-kernels\n")
    p.gpugate("approve", sound, "--reason", "x", "--accept", "lost-kernels")
    p.gpugate("approve", lost, "--reason", "x", "--accept", "truncated", expect=3, says="--accept lost-kernels\n")
    p.gpugate("store", lost, expect=3, says="not taken")
    p.gpugate("store", p.run(3, "--lost-kernels", "20"), "--accept", "lost-kernels", says="3 runs of history")


def promoted(p):
    p.gpugate("approve", "--new", p.run(0), "--reason", "first")
    for seed in (1, 2):
        p.gpugate("store", p.run(seed))
    slow = p.run(3, "--slow-kernel", "*=1.5")
    p.gpugate("check", slow, "--propose", p.folder / "proposed.json", expect=1, says="proposed baseline written")
    p.gpugate("approve", slow, "--repeat", p.run(4, "--slow-kernel", "*=1.5"), "--reason", "new kernel",
              "--accept", "compute", "--commit", "abc", "--who", "me")
    expect("history", [(r["verdict"], r["accepted"], r["pin"] == r["source_hash"]) for r in p.history()],
           [("approved", False, True), *[("pass", True, False)] * 2, ("fail", True, True), ("fail", True, False)])
    b, proposed = p.json(), p.json(p.folder / "proposed.json")
    expect("provenance", {k: b["provenance"][k] for k in ("commit", "who", "reason", "time")},
           {"commit": "abc", "who": "me", "reason": "new kernel", "time": "2026-01-01T00:00:00Z"})
    expect("proposed pin", proposed["pin"], b["pin"])
    if "proposed: fail" not in proposed["provenance"]["reason"]:
        wrong.append(f"proposed for '{proposed['provenance']['reason']}'")
    p.gpugate("check", slow, baseline=p.folder / "proposed.json")
    p.gpugate("check", p.run(5, "--slow-kernel", "*=1.5"), "--propose", p.folder / "none.json")
    p.gpugate("check", p.run(6, "--lost-kernels", "20", "--slow-kernel", "*=3"), "--propose", p.folder / "none.json",
              expect=3)
    expect("proposed without need", (p.folder / "none.json").exists(), False)
    p.gpugate("check", slow, "--propose", p.baseline, expect=2, says="would be written over")


def shown(p):
    p.gpugate("approve", "--new", p.run(0), "--commit", "pinned", env={"SOURCE_DATE_EPOCH": "1735689600"})
    for seed, slow in ((1, "1.01"), (2, "1.02"), (3, "1.03"), (4, "1.04")):
        p.gpugate("store", p.run(seed, "--slow-kernel", f"*={slow}"), "--commit", f"c{seed}")
    text = p.gpugate("history", "--verbose")
    line = next(line for line in text.splitlines() if "compute per step" in line)
    expect("sparkline", line.split()[-1], "▁▂▃▅▇")
    for word in ("approved 2025-01-01 at pinned; 4 later runs accepted", "   5  2026-01-01T00:00:00Z  c4"):
        if word not in text:
            wrong.append(f"'{word}' is not in {text}")
    p.gpugate("baseline", "verify", says="the approved run (the pin) is 365 days old")
    expect("noise is known", "mostly assumed" in p.gpugate("baseline", "verify"), False)
    report = subprocess.run([PROGRAM, "report", p.baseline, "--verbose"], capture_output=True, check=True, env=CLEAN).stdout.decode()
    for words in (["accepted", "runs", "4"], ["commit", "pinned"]):
        expect(words, words in map(str.split, report.splitlines()), True)
    expect("the old name", report.split() == p.gpugate("baseline", "show").split("gpugate: note:")[0].split(), True)
    p.gpugate("baseline", "prune", "--before", "2025-01-01", says="nothing to drop")
    p.gpugate("baseline", "prune", "--before", "2026-01-01", says="1 dropped")  # the dropped run is the one that is also the pin
    p.gpugate("baseline", "prune", "--keep", "3", says="1 dropped")
    expect("noise is known", "mostly assumed" in p.gpugate("baseline", "verify"), False)
    expect("kept", [r["provenance"]["commit"] for r in p.history()], ["c2", "c3", "c4"])
    p.gpugate("baseline", "prune", "--before", "2026-01-02", says="3 dropped")
    expect("kept", p.history(), [])
    p.gpugate("baseline", "verify", says="noise is mostly assumed")
    p.baseline.write_text(p.baseline.read_text().replace('"marker": "ProfilerStep#*"', '"marker": "other*"'))
    (p.folder / "rules.yaml").write_text((p.folder / "rules.yaml").read_text().replace(
        "rules:", 'steps: {marker: "ProfilerStep#*"}\nrules:'))
    p.gpugate("baseline", "verify", expect=4, says="step marker")
    p.baseline.write_text("{}")
    p.gpugate("baseline", "verify", expect=4, says="does not begin with the key 'schema'")
    p.baseline.unlink()
    p.gpugate("baseline", "verify", expect=4, says="no baseline there")


def advised(p):
    """The command that a report suggests for accepting a run does accept it."""
    ranks = ["--world-size", "2", "--rank"]
    slow = ["--slow-kernel", "*=1.5"]
    p.gpugate("approve", "--new", p.run(0, *ranks, "0"), p.run(1, *ranks, "1"), "--context", "model=a b")
    text = p.gpugate("check", p.run(2, *slow, *ranks, "0"), p.run(3, *slow, *ranks, "1"), "--context", "model=a b", "--jobs", "2",
                     "--verbose", expect=1)
    command = text.split("Make it the baseline:\n  gpugate ", 1)[1].replace("\\\n", "").split("\n", 1)[0]
    expect("options", "--rules" in command and "--jobs" not in command, True)
    done = subprocess.run(["sh", "-c", f"{PROGRAM} {command}"], env=CLEAN, capture_output=True, check=False, text=True)
    expect("advice", (done.returncode, "baseline moved" in done.stdout), (0, True))
    expect("ranks", p.json()["pin"]["ranks"], 2)


def by_name(p):
    """--accept takes each name that reports show of a check, and takes nothing else with it."""
    with (p.folder / "rules.yaml").open("a") as f:
        f.write("  - {id: each, metric: kernel.time, for_each: {top: 10}, fail: {increase: 10%}}\n")
    p.gpugate("approve", "--new", p.run(0))
    slow = p.run(1, "--slow-kernel", "*flash_bwd_dq*=1.9", "--slow-kernel", "*nvjet*=1.5")
    result = p.folder / "result.json"
    p.gpugate("check", slow, "--json", result, expect=1)
    opened = [c for c in json.loads(result.read_text())["checks"] if c["verdict"] in ("fail", "undecided")]
    items = [c for c in opened if c["item"]]
    names = {c["id"]: [c["id"], c["item"]] for c in items}
    for c in items:
        if "flash_bwd_dq" in c["item"]:
            names[c["id"]].append("flash_bwd_dq_dk_dv_loop_seqk_parallel")
    expect("items", len(items) > 1 and any(len(n) == 3 for n in names.values()), True)
    for c in items:
        for name in names[c["id"]]:
            others = [o for o in opened if o is not c]
            left = others.pop()
            said = p.gpugate("approve", slow, "--reason", "x", "--accept", name,
                             *(w for o in others for w in ("--accept", o["id"])), expect=1 if left["verdict"] == "fail" else 3, says="not accepted")
            expect(f"{name}: what is left", f": {left['id']}: " in said and f": {c['id']}: " not in said, True)
    p.gpugate("approve", slow, "--reason", "x", "--accept", "flash_bwd_dq_dk_dv_loop", expect=2,
              says="did you mean 'flash_bwd_dq_dk_dv_loop_seqk_parallel', '")
    p.gpugate("approve", slow, "--reason", "x", *(w for c in opened for w in ("--accept", names.get(c["id"], [c["rule"]])[-1])), says="baseline moved")


SYSTEMS = {
    "GitHub Actions": ({"GITHUB_ACTIONS": "true", "GITHUB_SHA": "g1", "GITHUB_ACTOR": "octo", "GITHUB_RUN_ID": "7",
                        "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "a/b"},
                       ("g1", "octo", "GitHub Actions: https://github.com/a/b/actions/runs/7")),
    "GitHub, in part": ({"GITHUB_ACTIONS": "true", "GITHUB_RUN_ID": "7"}, ("", "", "GitHub Actions")),
    "GitLab CI": ({"GITLAB_CI": "true", "CI_COMMIT_SHA": "l1", "GITLAB_USER_LOGIN": "lab", "CI_JOB_URL": "https://l/1",
                   "GITHUB_SHA": "not this"}, ("l1", "lab", "GitLab CI: https://l/1")),
    "Jenkins": ({"JENKINS_URL": "https://j", "GIT_COMMIT": "j1", "CHANGE_AUTHOR": "jen", "BUILD_URL": "https://j/2"},
                ("j1", "jen", "Jenkins: https://j/2")),
    "none": ({"GITHUB_SHA": "x", "CI_COMMIT_SHA": "y", "GIT_COMMIT": "z"}, ("", "", "")),
    "hostile": ({"GITHUB_ACTIONS": "1", "GITHUB_SHA": "\udcff\x1b[31m\n\"\\", "GITHUB_ACTOR": "a" * 5000},
                ("\ufffd\ufffd[31m\ufffd\"\\", "a" * 191 + "~", "GitHub Actions")),
}


def provenance(p):
    for name, (env, want) in SYSTEMS.items():
        p.gpugate("approve", "--new", p.run(0), "--force", env=env)
        have = p.json()["provenance"]
        expect(name, (have["commit"], have["who"][:192], have["reason"]), want)
    p.gpugate("approve", "--new", p.run(0), "--force", "--commit", "mine", "--who", "me", "--reason", "so",
              env=SYSTEMS["GitLab CI"][0])
    expect("options", [p.json()["provenance"][k] for k in ("commit", "who", "reason")], ["mine", "me", "so"])
    p.gpugate("approve", "--new", p.run(0), "--force", "--context", "commit=ctx", env=SYSTEMS["GitLab CI"][0])
    expect("context", p.json()["provenance"]["commit"], "ctx")
    p.gpugate("approve", "--new", p.run(0), "--force", env={"SOURCE_DATE_EPOCH": "yesterday"}, expect=2)


def bootstrapped(p):
    p.rules("1MiB")
    p.gpugate("check", p.run(0), "--bootstrap", expect=1)
    expect("made of a failing run", p.baseline.exists(), False)
    p.rules("76GiB")
    result = p.folder / "result.json"
    p.gpugate("check", p.run(0), "--bootstrap", "--json", result, says="baseline written")
    verdicts = {c["id"]: c["verdict"] for c in json.loads(result.read_text())["checks"]}
    expect("verdicts", verdicts, {"compute": "skipped", "kernels": "skipped", "peak": "pass"})
    before = p.baseline.read_bytes()
    p.gpugate("check", p.run(1, "--slow-kernel", "*=1.5"), "--bootstrap", expect=1)
    expect("made anew", p.baseline.read_bytes(), before)
    p.baseline.unlink()
    p.gpugate("check", p.run(2), expect=4, says="no baseline there")
    p.gpugate("check", p.run(2), "--bootstrap", expect=5, baseline="/proc/none/b.json")
    p.baseline.write_text("{")
    p.gpugate("check", p.run(2), "--bootstrap", expect=4)


PARTS = ("..", ".", ".git", ".GIT", "new", "dir", "out", "in", "gone", "$(touch pwned)")


def placed(p):
    repo, out = p.folder / "repo", p.folder / "outside"
    work = repo / "work"
    for folder in (out, repo / ".git", repo / "kept", work / "dir"):
        folder.mkdir(parents=True)
    (work / "out").symlink_to(out)
    (work / "in").symlink_to("../kept")
    (work / "gone").symlink_to(out / "made.json")
    (out / "past").mkdir()
    shutil.copy(p.run(0), work / "t.json.gz")
    shutil.copy(p.run(1), work / "u.json.gz")

    def elsewhere():
        return {str(f): f.is_file() and f.read_bytes() for f in p.folder.rglob("*")
                if not f.is_relative_to(repo) or f.is_relative_to(repo / ".git")}

    def named(how, path):
        """Makes the files that name the path; returns the arguments that lead to them."""
        (work / "rules").mkdir(exist_ok=True)
        text = "" if how == "suite" else f"baseline: {json.dumps(path)}\n"
        (work / "rules" / "gpugate.yaml").write_text(
            f"version: 1\nworkload: w\n{text}rules:\n  - {{id: compute, metric: step.compute_time, fail: {{increase: 500%}}}}\n")
        (work / "s.yaml").write_text(f"version: 1\nname: n\ncases:\n  - {{workload: w, runs: t.json.gz, baseline: {json.dumps(path)}}}\n")
        return ["--suite", "s.yaml"] if how == "suite" else ["t.json.gz"]

    def gpugate(what, want, *args):
        before = elsewhere()
        r = subprocess.run([os.path.abspath(PROGRAM), *args], cwd=work, env={**CLEAN, "HOME": str(work)}, capture_output=True, text=True, check=False)
        if want is not None and r.returncode != want:
            wrong.append(f"{what} {args}: exit {r.returncode}, not {want}: {r.stderr}")
        if not (want == 0 and what == "typed"):
            expect(f"{what} {args}: what is elsewhere", elsewhere() == before, True)
    dice, outcomes = random.Random(33), set()
    for i in range(20):
        path = "/".join(dice.choice(PARTS) for _ in range(dice.randint(0, 4))) + f"/b{i}.json"
        path = dice.choice(("", "", f"{out}/", f"{repo}/", f"{work}/")) + path.lstrip("/")
        real = pathlib.Path(os.path.realpath(work / path))
        inside = real.is_relative_to(repo) and not any(part.lower() == ".git" for part in real.relative_to(repo).parts)
        want = (0 if ".." not in path else None) if inside else 2   # a step back from a folder that is not there fails
        outcomes.add(want)
        for how in ("rules", "suite"):
            args = named(how, path)
            gpugate(f"{how} {path}", want, "approve", "--new", *args)
            if how == "rules":
                gpugate(f"{how} {path}", None if inside else 2, "check", "t.json.gz", "--bootstrap")
                gpugate(f"{how} {path}", want, "baseline", "prune", "--keep", "9")
            gpugate(f"{how} {path}", want, "approve", *args, "--reason", "r")
            gpugate(f"{how} {path}", None if inside else 2, "store", *args, "--history", str(work / "past"))
    expect("outcomes", outcomes, {0, 2, None})
    # what lies elsewhere already is not changed; the user may name it
    gpugate("typed", 0, "approve", "--new", "t.json.gz", "--baseline", str(out / "b.json"))
    for how, path in (("rules", "out/b.json"), ("suite", "../../outside/b.json"), ("rules", str(out / "b.json"))):
        args = named(how, path)
        for words in (("store",), ("approve", "--reason", "r"), ("approve", "--force")):
            gpugate(how, 2, words[0], *args, *words[1:])
        gpugate(how, 0, "check", "t.json.gz") if how == "rules" else gpugate(how, 0, "suite", "s.yaml")
    gpugate("typed", 0, "store", "u.json.gz", "--baseline", str(out / "b.json"))
    # links of the repository: the usual folder, the history beside a baseline, a folder of histories
    args = named("rules", "baselines/{workload}.json")
    (work / "baselines").symlink_to(out)
    gpugate("the usual folder", 2, "approve", "--new", *args)
    (work / "baselines").unlink()
    gpugate("the usual folder", 0, "approve", "--new", *args)
    (work / "baselines" / "w.history.jsonl").symlink_to(out / "lines")
    gpugate("its history", 2, "store", "u.json.gz")
    (work / "baselines" / "w.history.jsonl").unlink()
    (work / "baselines" / "w.reference").symlink_to(out / "run")
    gpugate("its run of main", 2, "store", "u.json.gz")
    (work / "histories").mkdir()
    (work / "histories" / "baselines").symlink_to(out / "past")
    gpugate("a folder of histories", 2, "store", "u.json.gz", "--history", "histories")
    gpugate("a folder of histories elsewhere", 0, "store", "u.json.gz", "--history", str(work / "past"))
    # a slash behind the name of the folder changes nothing
    gpugate("kept, and named with a slash", 0, "store", "u.json.gz", "--history", f"{work / 'past'}/", "--baseline", str(work / "past/baselines/w.json"), "--force")
    expect("its history", [str(x.relative_to(work)) for x in (work / "past").rglob("w.history.jsonl")], ["past/baselines/w.history.jsonl"])
    # without a repository, the current folder is all there is
    (repo / ".git").rmdir()
    gpugate("no repository", 2, "approve", "--new", *named("suite", "../b.json"))
    expect("nothing was run", list(p.folder.rglob("pwned")), [])


def machines(p):
    """In a folder of histories each machine has a baseline of its own; --force replaces that, also a damaged one."""
    kept, other = p.folder / "past" / "baselines", p.folder / "other.json.gz"
    other.write_bytes(gzip.compress(gzip.decompress(p.run(0).read_bytes()).replace(b"H100", b"H200")))
    words = ["--workload", "w", "--history", str(kept.parent)]

    def gpugate(command, run, expected=0, *more):
        done = subprocess.run([PROGRAM, command, str(run), *words, *more], capture_output=True, check=False, env=CLEAN, cwd=p.folder)
        expect(f"{command} {run.name}", (done.returncode, (done.stdout + done.stderr).decode() if done.returncode != expected else ""), (expected, ""))

    for run in (p.run(0), other):
        gpugate("check", run, 4)
        gpugate("store", run)
    (kept / "w.json").write_text("{damaged")
    gpugate("check", p.run(1), 4)
    for _ in range(2):
        gpugate("approve", p.run(1), 0, "--force")
    gpugate("approve", other, 0, "--force")
    gpugate("check", p.run(2))
    gpugate("check", other)
    expect("files", sorted(x.name for x in kept.glob("*.json")), ["w-NVIDIA-H200-80GB-HBM3-1.json", "w.json"])
    expect("machines", [b"H200" in x.read_bytes() for x in sorted(kept.glob("*.json"))], [True, False])


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    bad = False
    for test in (appended, refused, spoiled, by_name, promoted, advised, shown, provenance, bootstrapped, placed, machines):
        wrong.clear()
        with tempfile.TemporaryDirectory() as name:
            test(Place(pathlib.Path(name)))
        print(f"{'FAIL' if wrong else 'ok  '} {test.__name__}")
        for line in wrong:
            print(f"     {line}")
        bad = bad or bool(wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
