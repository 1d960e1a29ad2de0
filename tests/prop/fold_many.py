#!/usr/bin/env python3
"""Folded jobs of many ranks: planted faults are named, and files stay small.

Some ranks are simulated (gen/ranks.py) and copied (gen/many.py) to 512 ranks; with ALL_CASES, to 4,096. The ranks are
merged in a tree, 64 digests and then 64 folded files at a time.

 - `check` names a slow rank, a late rank, a rank behind a slow link and one that hangs, and no other
 - of the slow rank it says what an unfolded run of fewer ranks says: which function is unlike its peers', which kernel is slow
 - the folded file and its baseline are within their limits, and the file keeps at most 32 digests whole

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from _gen import generate
from _part import ALL

PROGRAM = os.environ.get("GPUGATE")
MADE, RANKS, WIDTH = 128, 4096 if ALL else 512, 64
SLOW, LATE, HUNG, LINK = 18, 11, 37, 50
FAULTS = {
    "plain": ["--seed", 1],
    "slow": ["--seed", 2, "--slow-rank", f"{SLOW}=1.3"],
    "late": ["--seed", 2, "--slow-rank", f"{SLOW}=1.3", "--late-rank", f"{LATE}=3000"],
    "hung": ["--seed", 2, "--skip-collective", f"{HUNG}=2:3"],
    "link": ["--seed", 2, "--slow-link", f"{LINK}=2"],
}
FILE_BYTES, PIN_BYTES, KEPT = 40_000_000, 2_000_000, 32


def gpugate(*args, codes=(0,)):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True)
    assert done.returncode in codes, (args, done.returncode, done.stdout, done.stderr)


def merged(dir, name, run):
    """Merges a run in a tree, and returns the folded file."""
    head, *digests = run.read_text().split("\n")[:-2]
    files = []
    for i in range(0, len(digests), WIDTH):
        files.append(dir / f"{name}-leaf{i}.json")
        files[-1].write_text(head + "".join(digests[i:i + WIDTH]).rstrip(",") + "]}")
    level = 0
    while len(files) > 1 or not level:
        groups = [files[i:i + WIDTH] for i in range(0, len(files), WIDTH)] if level else [[f] for f in files]
        files = [dir / f"{name}-level{level}-{i}.json" for i in range(len(groups))]
        for group, out in zip(groups, files):
            gpugate("merge", "--fold", *group, "-o", out)
        level += 1
    return files[0]


def folded(dir, name):
    """Simulates ranks, copies those of the second half, in which there is no fault, and folds them all."""
    made, run = dir / f"{name}.json", dir / f"{name}-all.json"
    generate("ranks", dir / name, "--ranks", MADE, "--steps", 5, "--layers", 1, "--groups", 4, *FAULTS[name])
    gpugate("digest", dir / name, "-o", made)
    generate("many", run, made, "--ranks", RANKS, "--copy", f"{MADE // 2}:")
    return made, merged(dir, name, run)


def checked(dir, run, baseline):
    report = dir / "report.json"
    gpugate("check", run, "--baseline", baseline, "--workload", "job", "--json", report, codes=(0, 1, 3))
    said = json.loads(report.read_text())
    return said, {(i["insight"], i["rank"]): i["message"] for i in said["insights"] if i["side"] == "candidate" and i["rank"] >= 0}


def kernels_of_slow(said):
    """The lines of evidence about kernels in the finding on the slow rank."""
    return [line for f in said["findings"] if f["finding"] == "slow-rank" for line in f["evidence"] if "kernel" in line.split(":")[0]]


def main():
    if not PROGRAM:
        print("no $GPUGATE")
        return 77
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        baseline, small = dir / "plain.baseline.json", dir / "small.baseline.json"
        made, whole = folded(dir, "plain")
        gpugate("approve", "--new", whole, "--workload", "job", "--baseline", baseline)
        gpugate("approve", "--new", made, "--workload", "job", "--baseline", small)
        assert whole.stat().st_size <= FILE_BYTES and baseline.stat().st_size <= PIN_BYTES, (whole.stat(), baseline.stat())
        for name in ("slow", "late", "hung", "link"):
            made, whole = folded(dir, name)
            said, named = checked(dir, whole, baseline)
            kept = json.loads(whole.read_text())["fold"]["kept"]
            stuck = {t["rank"] for t in said["trust"] if t["finding"] == "stuck"}
            slow = ("slow-rank", SLOW)
            want = {"slow": {slow}, "late": {slow, ("late-rank", LATE)}, "link": {("slow-link", LINK)}, "hung": set()}[name]
            assert set(named) == want and stuck == ({HUNG} if name == "hung" else set()), (name, named, said["trust"])
            assert len(kept) <= KEPT and {rank for _, rank in want} | stuck <= {d["rank"] for d in kept}, (name, [d["rank"] for d in kept])
            if name == "slow":
                unfolded, also = checked(dir, made, small)
                messages = [m.partition("most unlike its peers': ")[2].partition(" against")[0] for m in (named[slow], also[slow])]
                assert messages[0] and messages[0] == messages[1], messages
                lines = [kernels_of_slow(s) for s in (said, unfolded)]
                assert lines[0] and lines[0] == lines[1], lines
        print(f"the folded file has {whole.stat().st_size / 1e6:.1f} MB, its baseline {baseline.stat().st_size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
