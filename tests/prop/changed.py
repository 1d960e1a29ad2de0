#!/usr/bin/env python3
"""Places in files that the change under review touches are marked.

 - `--changed FILE` and `--changed-from git` mark them in findings, in tables and in JSON; a file of another folder, of
   an installed package or of a longer path is not marked
 - git lists the files that changed since the target branch that a CI system names, else since the commit of the
   baseline; if git does not know that commit, a warning says so and nothing is marked
 - `--codequality` has the fields that GitLab asks for, whatever bytes names have; fingerprints are unique and stay the same
 - ci/forge/post puts the finding on its line

$GPUGATE is the program; exit 77 skips.
"""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import _gen  # finds tests/gen
from names import every

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROGRAM = os.environ.get("GPUGATE")
RULES = """version: 1
workload: w
defaults: {noise: {k: 0}}
rules:
  - {id: cuda-time, metric: step.cuda_time, fail: {increase: 5%}}
  - {id: places, metric: place.gpu_time, for_each: {top: 10}, fail: {increase: 5%}}
"""


def run_of(files, slow=None, steps=4):
    """A trace in which each file launches its own kernel from its own function."""
    out, at, ids = [], 1000.0, 0
    for step in range(steps):
        begin = at
        for i, file in enumerate(files):
            ids += 1
            dur = 2000.0 * (2 if i == slow else 1)
            out += [{"ph": "X", "cat": "python_function", "name": f"{file}({10 + i}): f{i}", "pid": 1, "tid": 1, "ts": at, "dur": 90.0,
                     "args": {"Python id": ids, "Python parent id": None}},
                    {"ph": "X", "cat": "cpu_op", "name": f"op{i}", "pid": 1, "tid": 1, "ts": at + 5, "dur": 80.0, "args": {}},
                    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 10, "dur": 20.0,
                     "args": {"correlation": ids}},
                    {"ph": "X", "cat": "kernel", "name": f"kernel_{i}", "pid": 0, "tid": 7, "ts": at + 40, "dur": dur,
                     "args": {"device": 0, "stream": 7, "correlation": ids}}]
            at += 5000
        out.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": begin - 1, "dur": at - begin})
    return {"deviceProperties": [{"id": 0, "name": "H100"}], "traceEvents": out}


def sh(dir, *args, code=0, **env):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI_", "GIT_", "CHANGE_"))}
    p = subprocess.run([str(a) for a in args], cwd=dir, env={**clean, **env}, capture_output=True, text=True, check=False)
    assert p.returncode == code, (args, p.returncode, p.stdout[-2000:], p.stderr[-2000:])
    return p


def gate(dir, *more, **env):
    """Runs a check in which one place is slower; returns (result, code quality, comment, what it printed)."""
    p = sh(dir, PROGRAM, "check", "b.json", "--rules", "rules.yaml", "--baseline", "base.json", "--json", "r.json", "--codequality", "q.json",
           "--markdown", "c.md", *more, code=1, **env)
    return (*(json.loads((dir / name).read_text()) for name in ("r.json", "q.json")), (dir / "c.md").read_text(), " ".join((p.stdout + p.stderr).split()))


def prepare(dir, files, slow, commit="none"):
    (dir / "rules.yaml").write_text(RULES)
    (dir / "a.json").write_text(json.dumps(run_of(files)))
    (dir / "b.json").write_text(json.dumps(run_of(files, slow)))
    sh(dir, PROGRAM, "approve", "--new", "a.json", "--rules", "rules.yaml", "--baseline", "base.json", "--force", "--commit", commit)


def marked(result):
    """Returns the lines of findings, and the parts of breakdowns, that are marked as changed."""
    where = {(w["file"], w["line"]) for f in result["findings"] for w in f["where"] if w.get("changed")}
    return where, {p["part"] for c in result["checks"] for p in c["attribution"] if p.get("changed")}


def matching(dir):
    files = ["/work/repo/model/attention.py", "/work/repo/train.py", "/work/repo/examples/train.py",
             "/usr/lib/python3/site-packages/model/attention.py", r"C:\repo\data\load.py"]
    yes = {0: ("model/attention.py", "./model/attention.py"), 1: ("train.py",), 2: ("examples/train.py",), 4: ("data/load.py", "load.py")}
    no = {0: ("attention", "odel/attention.py", "x/model/attention.py", "model/", ""), 3: ("site.py",), 1: ("rain.py", "repo")}
    for slow, names in yes.items():
        prepare(dir, files, slow)
        for name in names:
            result, quality, comment, _ = gate(dir, "--changed", "other.py", "--changed", name)
            have, parts = marked(result)
            assert have == {(name.removeprefix("./"), 10 + slow)}, (name, have)
            assert parts and all(f"f{slow}, line {10 + slow}" in p for p in parts), parts
            assert "changed here" in comment
            assert [(q["location"]["path"], q["location"]["lines"]["begin"]) for q in quality] == [(name.removeprefix("./"), 10 + slow)]
    for slow, names in no.items():
        prepare(dir, files, slow)
        for name in names:
            if not name:
                continue
            result, quality, comment, _ = gate(dir, "--changed", name)
            assert marked(result) == (set(), set()) and "changed here" not in comment and quality == [], (name, quality)
    # if two paths end alike, the shorter one is the file of the repository
    prepare(dir, files, 2)
    assert marked(gate(dir, "--changed", "train.py")[0])[0] == set()
    # without --changed no part is marked; with --changed, diff marks the same part as check
    assert marked(gate(dir)[0]) == (set(), set())
    diff = json.loads(sh(dir, PROGRAM, "diff", "a.json", "b.json", "--changed", "examples/train.py", "--json", "-").stdout)
    assert [p["part"] for p in diff["attribution"] if p.get("changed")] == ["/work/repo/examples/train.py:f2, line 12"], diff["attribution"]
    assert "takes git" in sh(dir, PROGRAM, "diff", "a.json", "b.json", "--changed-from", "svn", code=2).stderr


def from_git(dir):
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    repo = dir / "repo"
    (repo / "model").mkdir(parents=True)
    sh(repo, *git, "init", "-q", "-b", "main")
    for name in ("model/a.py", "model/größe b.py"):
        (repo / name).write_text("1\n")
    sh(repo, *git, "add", "model")
    sh(repo, *git, "commit", "-qm", "1")
    base = sh(repo, "git", "rev-parse", "HEAD").stdout.strip()
    sh(repo, *git, "checkout", "-qb", "change")
    (repo / "model" / "größe b.py").write_text("2\n")
    sh(repo, *git, "commit", "-qam", "2")
    sh(repo, *git, "checkout", "-q", "main")
    (repo / "model" / "a.py").write_text("3\n")  # a commit on the target branch after the change began, which is not part of the change
    sh(repo, *git, "commit", "-qam", "3")
    sh(repo, *git, "update-ref", "refs/remotes/origin/main", "main")
    sh(repo, *git, "checkout", "-q", "change")
    files = ["/w/model/a.py", "/w/model/größe b.py"]
    want = {("model/größe b.py", 11)}
    prepare(repo, files, 1, base)
    for more, env in (("git", {}), ("git:" + base, {}), ("git", {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base}), ("git", {"GITHUB_BASE_REF": "main"}),
                      ("git", {"CHANGE_TARGET": "main"}), ("git:origin/main", {})):
        result, _, _, said = gate(repo, "--changed-from", more, **env)
        assert marked(result)[0] == want and "warning" not in said, (more, env, said)
    # on the merge commit that GitHub checks out, its first parent takes the place of the unknown target branch
    sh(repo, *git, "checkout", "-q", "--detach", "main")
    sh(repo, *git, "merge", "-q", "-m", "merge", "change")
    sh(repo, *git, "update-ref", "-d", "refs/remotes/origin/main")
    assert marked(gate(repo, "--changed-from", "git", GITHUB_BASE_REF="main")[0])[0] == want
    prepare(repo, files, 0, base)
    assert marked(gate(repo, "--changed-from", "git", GITHUB_BASE_REF="main")[0])[0] == set()
    # if git cannot answer, no line is marked as changed, and there is a verdict
    prepare(repo, files, 1, "f" * 40)
    for more, env in (("git", {}), ("git:--output=x", {}), ("git:nothing", {}), ("git", {"PATH": "/nowhere"})):
        result, _, _, said = gate(repo, "--changed-from", more, **env)
        assert marked(result)[0] == set() and "git does not know" in said and not (repo / "x").exists(), (more, said)


def codequality(dir):
    """Source: docs.gitlab.com, "Code Quality report format"."""
    hostile = [n for n in every() if n and "\0" not in n][:40]
    files = [f"m/{n}.py" for n in hostile]
    for slow in range(0, len(files), 3):
        prepare(dir, files, slow)
        result, quality, _, _ = gate(dir, "--changed", "m/none.py")
        again = gate(dir)[1]
        assert quality == again, "not the same twice"
        assert isinstance(quality, list)
        for row in quality:
            assert set(row) == {"description", "check_name", "fingerprint", "severity", "location"}, row
            assert row["severity"] in {"info", "minor", "major", "critical", "blocker"}
            assert re.fullmatch("[0-9a-f]{16}", row["fingerprint"]) and row["description"] and row["check_name"]
            assert set(row["location"]) == {"path", "lines"} and set(row["location"]["lines"]) == {"begin"}
            assert isinstance(row["location"]["lines"]["begin"], int) and row["location"]["lines"]["begin"] > 0
            path = row["location"]["path"]
            assert path and not path.startswith("/") and "../" not in path, path
        prints = [q["fingerprint"] for q in quality]
        assert len(set(prints)) == len(prints)
        assert result["findings"]
    # the line changes, but not the fingerprint
    prepare(dir, ["m/a.py", "m/b.py"], 1)
    first = gate(dir)[1]
    moved = run_of(["m/a.py", "m/b.py"], 1)
    for event in moved["traceEvents"]:
        event["name"] = event["name"].replace("(11)", "(99)")
    (dir / "b.json").write_text(json.dumps(moved))
    second = gate(dir)[1]
    assert first and [q["fingerprint"] for q in first] == [q["fingerprint"] for q in second]
    assert second[0]["location"] == {"path": "m/b.py", "lines": {"begin": 99}}
    # a report is written even if a run cannot be read
    (dir / "broken.json").write_text("{")
    sh(dir, PROGRAM, "check", "broken.json", "--rules", "rules.yaml", "--baseline", "base.json", "--codequality", "e.json", code=3)
    assert json.loads((dir / "e.json").read_text()) == []


def annotation(dir):
    prepare(dir, ["/w/m/a,b:c.py", "/w/m/d.py"], 0)
    result, _, _, _ = gate(dir, "--changed", "m/a,b:c.py")
    post = ("bash", ROOT / "ci" / "forge" / "post", "--comment", "never", "--annotations", "c.md", "r.json")
    lines = sh(dir, *post, GITHUB_ACTIONS="true").stdout.splitlines()
    placed = [f for f in result["findings"] if any(w.get("changed") for w in f["where"])]
    assert len(placed) == 1
    assert lines[0].startswith("::error file=m/a%2Cb%3Ac.py,line=10,title=gpugate w%3A fail::"), lines
    assert len(lines) == 1 + sum(c["verdict"] in ("fail", "warn") and c["id"] not in placed[0]["checks"] for c in result["checks"]), lines
    plain = copy.deepcopy(result)
    for finding in plain["findings"]:
        for where in finding["where"]:
            where.pop("changed", None)
    (dir / "r.json").write_text(json.dumps(plain))
    assert not any("file=" in line for line in sh(dir, *post, GITHUB_ACTIONS="true").stdout.splitlines())


def main():
    if not PROGRAM:
        sys.exit(77)
    for law in (matching, from_git, codequality, annotation):
        if sys.argv[1:] and law.__name__ not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as name:
            law(pathlib.Path(name))
        print(f"ok {law.__name__}")


if __name__ == "__main__":
    main()
