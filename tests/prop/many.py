#!/usr/bin/env python3
"""Jobs of many ranks: planted faults in a few ranks are found and named, and each rank costs the same.

Some ranks are simulated (gen/ranks.py), a slow and a late one among them, and copied (gen/many.py) to 256 and 1,024.

 - merging files in pairs, then the results in pairs, and so on, writes the same bytes as merging all files with one command
 - `check`, by a rule that checks each rank, has one check for each rank. The slow rank alone fails, and the report names only
   the slow and the late rank, although the clocks of all ranks tick only every microsecond
 - four times the ranks take at most five times the memory; processor times are printed

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
MADE, FEW, MANY = 32, 256, 1024
SLOW, LATE = 5, 11
RULES = """version: 1
workload: job
rules:
  - id: compute
    metric: step.compute_time
    ranks: each
    fail: {increase: 10%}
"""


def gpugate(*args, codes=(0,)):
    """Processor time and resident memory of a command."""
    with subprocess.Popen([PROGRAM, *map(str, args)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as p:
        said = p.stderr.read().decode("utf-8", "replace")
        _, state, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(state)
    assert p.returncode in codes, (args, p.returncode, said)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def run_of(dir, name, ranks, *faults):
    """Makes a run of `ranks` ranks: the simulated ones, and copies of their second half, so that faults in the first half occur
    once."""
    made = dir / f"{name}.json"
    if not made.exists():
        generate("ranks", dir / name, "--ranks", MADE, "--steps", 3, "--layers", 1, "--groups", 4, *faults)
        gpugate("digest", dir / name, "-o", made)
    out = dir / f"{name}-{ranks}.json"
    generate("many", out, made, "--ranks", ranks, "--copy", f"{MADE // 2}:", "--tick", 1000)
    return out


def merged_in_tree(dir, run):
    """Merges files of 64 ranks in pairs, then the merged files in pairs, and so on, until one file is left."""
    doc = json.loads(run.read_text())
    files = []
    for i in range(0, len(doc["digests"]), 64):
        files.append(dir / f"leaf{i}.json")
        files[-1].write_text(json.dumps({**doc, "digests": doc["digests"][i:i + 64]}, separators=(",", ":")))
    while len(files) > 1:
        pairs = [files[i:i + 2] for i in range(0, len(files), 2)]
        files = [dir / f"{pair[0].stem}-{len(files)}.json" for pair in pairs]
        for pair, out in zip(pairs, files):
            gpugate("merge", *reversed(pair), "-o", out)
    return files[0]


def checked(dir, ranks):
    """Checks a run of `ranks` ranks, one slow and one late: `check` must name only these two. Returns (seconds, KiB) of
    `approve` and of `check`."""
    plain = run_of(dir, "plain", ranks, "--seed", 1)
    odd = run_of(dir, "odd", ranks, "--seed", 2, "--slow-rank", f"{SLOW}=1.3", "--late-rank", f"{LATE}=3000")
    baseline, report = dir / f"baseline-{ranks}.json", dir / f"report-{ranks}.json"
    made = gpugate("approve", "--new", plain, "--rules", dir / "rules.yaml", "--baseline", baseline)
    took = gpugate("check", odd, "--rules", dir / "rules.yaml", "--baseline", baseline, "--json", report, codes=(1,))
    said = json.loads(report.read_text())
    each = {c["item"]: c["verdict"] for c in said["checks"] if c["rule"] == "compute"}
    assert len(each) == ranks, (len(each), ranks)
    assert [k for k, v in each.items() if v == "fail"] == [f"rank {SLOW}"], each
    named = {(i["insight"], i["rank"]) for i in said["insights"] if i.get("side", "candidate") == "candidate" and i["rank"] >= 0}
    assert {("slow-rank", SLOW), ("late-rank", LATE)} <= named, named
    assert {rank for _, rank in named} <= {SLOW, LATE}, named
    return made, took


def main():
    if not PROGRAM:
        print("no $GPUGATE")
        return 77
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        (dir / "rules.yaml").write_text(RULES)
        few, many = checked(dir, FEW), checked(dir, MANY)
        for what, (seconds, memory), (more_seconds, more_memory) in zip(("approve", "check"), few, many):
            print(f"{what}: {FEW} ranks {seconds:.2f} s, {memory / 1024:.0f} MiB; "
                  f"{MANY} ranks {more_seconds:.2f} s, {more_memory / 1024:.0f} MiB")
            assert more_memory <= 5 * memory, what
        gpugate("merge", dir / f"odd-{FEW}.json", "-o", dir / "whole.json")
        assert merged_in_tree(dir, dir / f"odd-{FEW}.json").read_bytes() == (dir / "whole.json").read_bytes()
    return 0


if __name__ == "__main__":
    sys.exit(main())
