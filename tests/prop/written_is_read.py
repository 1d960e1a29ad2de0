#!/usr/bin/env python3
"""gpugate can read whatever it writes. Runs of many ranks with process groups like those of tensor, pipeline and data
parallel jobs go through digest, merge, approve, lint, store and check; a digest of more steps than a
stored file may hold is refused by the writer, and no file is left.

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
RULES = """version: 1
rules:
  - {id: compute, metric: step.compute_time, ranks: max, fail: {increase: 5%}}
  - {id: kernels, metric: kernel.time, for_each: {top: 20}, warn: {increase: 50%}}
"""


def gpugate(*args, expect=0):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False)
    if p.returncode != expect:
        sys.exit(f"exit {p.returncode}, not {expect}: gpugate {' '.join(map(str, args))}\n"
                 f"{p.stdout.decode()}{p.stderr.decode()}")
    return p


def run_of(digest, ranks, dir):
    """Makes a run of `ranks` ranks from one digest: each block of 8 ranks is a process group, and so are ranks with equal
    remainders modulo the number of blocks."""
    os.makedirs(dir)
    for rank in range(ranks):
        d = json.loads(json.dumps(digest))
        d.update(rank=rank, world_size=ranks, source_hash=f"{rank:016x}")
        rows = []
        for row in d["comms"]:
            if row["group"] == "mesh_tp":
                row["group_name"] = f"tp{rank // 8}"
                rows.append({**row, "group": "mesh_pp", "group_name": f"pp{rank % (ranks // 8)}"})
            rows.append(row)
        d["comms"] = rows
        d["collectives"] = []
        (dir / f"rank{rank}.json").write_text(json.dumps(d))


def many_ranks(dir):
    gen = generate("ranks", dir / "gen", "--ranks", 4, "--seed", 1, "--steps", 3, "--groups", 2)
    gpugate("digest", gen / "rank0.json.gz", "-o", dir / "one.json")
    digest = json.loads((dir / "one.json").read_text())
    rules = dir / "rules.yaml"
    rules.write_text(RULES)
    for ranks in (8, 2048):
        run, base, merged = dir / f"r{ranks}", dir / f"b{ranks}.json", dir / f"m{ranks}.json"
        run_of(digest, ranks, run)
        gpugate("merge", run, "-o", merged)
        gpugate("approve", "--new", merged, "--rules", rules, "--baseline", base)
        gpugate("baseline", "verify", base)
        gpugate("check", merged, "--rules", rules, "--baseline", base)
        gpugate("approve", merged, "--rules", rules, "--baseline", base, "--reason", "the same")
        gpugate("baseline", "verify", base)


def too_many_steps(dir):
    """A digest with more steps than the limit of a million is not written, as it could not be read again."""
    nr = 1_000_001
    trace = dir / "steps.json"
    with open(trace, "w") as f:
        f.write('{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{"device":0,"stream":7,"correlation":1}},'
                '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":1}}')
        for i in range(nr):
            f.write(f',{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{i}","pid":1,"tid":1,"ts":{i * 4},"dur":4}}')
        f.write("]}")
    out = dir / "steps.digest.json"
    p = gpugate("digest", trace, "-o", out, expect=5)
    assert b"is not written, as it could not be read again" in p.stderr, p.stderr
    assert not out.exists()


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as tmp:
        too_many_steps(pathlib.Path(tmp))
        many_ranks(pathlib.Path(tmp))


if __name__ == "__main__":
    main()
