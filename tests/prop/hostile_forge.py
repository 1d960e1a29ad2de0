#!/usr/bin/env python3
"""The scripts of ci/forge withstand everything that others can choose: names of branches, files and folders of runs,
reasons, and titles of files that a pull request changes; and they cope with branches that move, are forced or vanish
meanwhile.

 - hostile text is never executed, never leads outside of the folder, and never becomes an option; report, approval, answer and
   status are made all the same
 - the token is in no argument of a process, no output, no file of the repository and no artifact
 - the scripts end well if an approval and an append run at the same time, if the branch of histories is forced to another
   commit or removed during an append, and if a branch is removed during an approval

$GPUGATE is the program; needs git and jq; exit 77 skips.
"""
import os
import pathlib
import shutil
import sys
import tempfile

import approve
import tour
from _expect import expect, finish
from _forge import TOKEN
from _gen import generate
from approve import meanwhile
from tour import FORGE

BRANCHES = ("-upload-pack=touch$IFS'pwned'", "a$(touch${IFS}pwned)b", "q`touch${IFS}pwned`\"'", "semi;touch${IFS}pwned;#&|", "schön/ünïcödé/日本語",
            "l" * 200, "--", "refs/heads/main", "HEAD")
FILES = ("-o owned.json.gz", "a $(touch pwned) b.json.gz", "q`touch pwned`\"'.json.gz", "new\nline.json.gz", "日本語 \u202e.json.gz", "n" * 240 + ".json.gz",
         "--output=owned.json.gz")
REASONS = ("-m $(touch pwned)", "`touch pwned` \"; touch pwned; '", "--author=x --accept=y", "%s %n $'\\n' ${GPUGATE_TOKEN}", "r" * 2000, "日本語 \u202e @all [skip ci] <!-- gpugate:train -->")
CHANGED = ("rules/$(touch pwned)\n::error::x.yaml", "-rf", "baselines/\"`x`'.json")


class Hostile(tour.Week):
    def __init__(self, folder):
        self.bin, self.said = folder / "bin", folder / "arguments"
        self.bin.mkdir()
        for name in ("curl", "git", "jq", "unzip", "env", "sed"):
            (self.bin / name).write_text(f'#!/bin/bash\nprintf "%s\\n" "$0 $*" >>"{self.said}"\nexec {shutil.which(name)} "$@"\n')
            (self.bin / name).chmod(0o755)
        super().__init__(folder)

    def env(self, **more):
        env = super().env(**more)
        return {**env, "PATH": f"{self.bin}:{env['PATH']}"}


def names(w):
    w.git(w.clone, "checkout", "--quiet", "-B", "main")
    runs = w.clone / "odd"
    for i, branch in enumerate(BRANCHES):
        w.forge.reset()
        w.forge.permission, w.forge.changed = {"user3": "write"}, [{"filename": name} for name in CHANGED]
        w.time += tour.DAY
        w.forge.now = w.stamp(0)
        shutil.rmtree(runs, ignore_errors=True)
        runs.mkdir()
        for name in (FILES[i % len(FILES)],):
            generate("trace", runs / "x.json.gz", "--seed", i, "--steps", 3, "--slow-kernel", f"*={1 + i / 5}").rename(runs / name)
        w.git(w.clone, "push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
        commit = w.git(w.clone, "rev-parse", "HEAD")
        w.run([FORGE / "gate"], GPUGATE_RUNS="odd/*", GPUGATE_FOLDER="gpugate-train", GPUGATE_COMMIT=commit)
        out = w.clone / "gpugate-train"
        w.run([FORGE / "post", "--api", "github", "--url", w.forge.address, "--repository", "o/r", "--request", "7", "--comment", "always", "--status", commit,
               out / "report.md", out / "result.json"])
        expect(f"{branch}: comment", len(w.forge.bodies()), 1)
        expect("what it changes", "changes its rules and baselines" in w.forge.bodies()[0], True)
        w.measured, w.at = commit, w.stamp(0)
        reason = REASONS[i % len(REASONS)]
        answer = w.approve(3, f"/gpugate accept {reason}", branch)
        expect(f"{branch}: answer", "Accepted by @user3" in answer, True)
        tip = w.git(w.origin, "rev-parse", f"refs/heads/{branch}")
        expect(f"{branch}: status", w.forge.statuses.get((tip, "gpugate/train")), "success")
        body = w.git(w.origin, "log", "-1", "--format=%B", tip)
        expect("its subject", (body.splitlines()[0], "[skip ci]" in body), ("baselines: approve a run of train", False))
        w.git(w.clone, "fetch", "--quiet", "origin", f"refs/heads/{branch}")
        w.git(w.clone, "reset", "--quiet", "--hard", "FETCH_HEAD")
    expect("nothing was run", [str(p) for name in ("pwned", "owned*") for p in w.folder.rglob(name)], [])


def token(w):
    expect("arguments were seen", w.said.stat().st_size > 10000, True)
    holders = []
    for path in (w.said, *w.folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and TOKEN.encode() in path.read_bytes():
            holders.append(str(path))
    expect("files with the token", holders, [])


def moving(folder):
    """Branches that move while runs are pushed, with histories on a branch of their own and beside the baselines."""
    r = approve.Repository(folder)
    past = {"GPUGATE_HISTORY_BRANCH": "gpugate-baselines"}

    def lines():
        return len(r.git(r.origin, "show", "gpugate-baselines:" + approve.HISTORY).splitlines())
    seed = iter(range(20, 60))
    for _ in range(3):
        clone = r.clone("main")
        r.accept(clone, r.gate(clone, r.trace(next(seed))), "main", "append", says="to gpugate-baselines", **past)
    expect("runs", lines(), 4)
    old = r.git(r.origin, "rev-parse", "gpugate-baselines~2")
    # the branch of histories is set back by two runs just before a run is pushed: the run is added to what is left on the branch
    clone, other = r.clone("main"), r.clone("main")
    out = r.gate(clone, r.trace(next(seed)))
    meanwhile(clone, f"cd {other} && git push -q --force origin {old}:refs/heads/gpugate-baselines")
    r.accept(clone, out, "main", "append", says="has moved: once more", **past)
    expect("after it was forced", (lines(), r.git(r.origin, "rev-parse", "gpugate-baselines~1")), (3, old))
    # the branch of histories is removed just before a run is pushed: the push creates the branch again
    clone, other = r.clone("main"), r.clone("main")
    out = r.gate(clone, r.trace(next(seed)))
    meanwhile(clone, f"cd {other} && git push -q origin :refs/heads/gpugate-baselines")
    r.accept(clone, out, "main", "append", says="to gpugate-baselines", **past)
    expect("after it was removed", lines() >= 2, True)
    # an approval on the branch that an append is about to push to
    clone, other = r.clone("main"), r.clone("main")
    slow, same = r.gate(other, r.trace(next(seed), "--slow-kernel", "*=1.5"), code=1), r.gate(clone, r.trace(next(seed)))
    approval = folder / "approval2.json"
    approval.write_text('{"who": "ann", "reason": "meant"}')
    meanwhile(clone, f"cd {other} && GPUGATE_BRANCH=main GPUGATE_FOLDER={slow} {FORGE}/accept promote {approval} >/dev/null")
    r.accept(clone, same, "main", "append", says="has moved: once more")
    expect("both", (r.baseline("main")["provenance"]["who"], [v for v, _ in r.history("main")][-1] != "approved", len(r.history("main"))), ("ann", True, 3))
    # an append reaches the branch before the approval, not after it; the appended run makes the gate less sure
    clone, other = r.clone("main"), r.clone("main")
    slow, same = r.gate(clone, r.trace(next(seed), "--slow-kernel", "*=2.5"), code=1), r.gate(other, r.trace(next(seed), "--slow-kernel", "*=1.5"), code=3)
    meanwhile(clone, f"cd {other} && GPUGATE_BRANCH=main GPUGATE_FOLDER={same} {FORGE}/accept append >/dev/null")
    r.promote(clone, slow, "main", who="bob", says="has moved: once more")
    expect("both again", (r.baseline("main")["provenance"]["who"], len(r.history("main"))), ("bob", 5))
    # the branch of the pull request is deleted meanwhile: promote must fail and say so
    clone, other = r.clone("gone"), r.clone("main")
    r.git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/gone")
    out = r.gate(clone, r.trace(next(seed), "--slow-kernel", "*=9"), code=1)
    meanwhile(clone, f"cd {other} && git push -q origin :refs/heads/gone")
    r.promote(clone, out, "gone", code=1, says="cannot be fetched: it is not there")


def main():
    if not tour.PROGRAM:
        sys.exit(77)
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    with tempfile.TemporaryDirectory() as name:
        w = Hostile(pathlib.Path(name).resolve())
        names(w)
        token(w)
    with tempfile.TemporaryDirectory() as name:
        moving(pathlib.Path(name).resolve())
    finish()


if __name__ == "__main__":
    main()
