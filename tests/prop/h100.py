#!/usr/bin/env python3
"""Recordings of an H100 (tests/data/h100) get the answers that are right of them.

- No unchanged run of a job fails against the others.
- Every planted regression is found in every run: the gate does not pass, and names what was planted.
- A run at its power cap is judged if the baseline's ran at it too.

--figures: prints the table of noise of tests/data/h100/README.md, from pairs.jsonl. $GPUGATE is the program; exit 77 skips.
"""
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "h100"
PROGRAM = os.environ.get("GPUGATE")
# Words of what was planted, one of which the report has to have. A job that is not sure to fail has exit code 3 too, where
# its step is held by the host.
PLANTED = {
    "gpt": ("more memory at the peak", "softmax"),
    "gpt-compiled": ("direct_copy_kernel_cuda(float)> is launched more often",),
    "resnet50": ("direct_copy_kernel_cuda(double)> is new", "are new: unrolled_elementwise<direct_copy_kernel_cuda(double)>"),
    "moe": ("gemm f32",),
}


def runs(job, side):
    return sorted(p for p in (DATA / "digests").glob(f"{job}-{side}-[1-9].json.gz"))


def gpugate(folder, *args):
    p = subprocess.run([PROGRAM, *map(str, args)], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return p.returncode, p.stdout + p.stderr


def main_of(folder, job, paths):
    """Makes a baseline of the first run, and appends the others."""
    (folder / "rules").mkdir(parents=True, exist_ok=True)
    for i, path in enumerate(paths):
        code, said = gpugate(folder, "store" if i else "approve", path, "--workload", job)
        assert code == 0, said


def check(folder, job, path):
    code, said = gpugate(folder, "check", path, "--workload", job, "--json", "out.json", "--color", "never")
    return code, " ".join(said.split()), json.loads((folder / "out.json").read_text())


def unchanged(folder, job):
    """Each run as the candidate of all others. Memory and counts must pass, times must not fail."""
    paths = runs(job, "base")
    for path in paths:
        place = folder / path.name
        place.mkdir()
        main_of(place, job, [p for p in paths if p != path])
        code, said, _ = check(place, job, path)
        assert code in (0, 3) and "fail ·" not in said, (path.name, code, said)
        if job.startswith("gpt"):
            assert code == 0, (path.name, said)


def planted(folder, job):
    main_of(folder, job, runs(job, "base"))
    for path in runs(job, "cand"):
        code, said, _ = check(folder, job, path)
        assert code in (1, 3), (path.name, said)
        assert any(words in said for words in PLANTED[job]), (path.name, said)


def capped(folder):
    """Two runs of one job at the power cap for all of the time that was watched: said, and judged."""
    first, second = runs("gpt-compiled", "base")[:2]
    main_of(folder, "gpt-compiled", [first])
    code, said, result = check(folder, "gpt-compiled", second)
    assert code == 0 and "ran at the power cap for 100.00 %" in said, said
    assert [t["finding"] for t in result["trust"]] == ["throttled"], result["trust"]


def figures():
    of = {}
    for line in (DATA / "pairs.jsonl").read_text().splitlines():
        row = json.loads(line)
        of.setdefault(row["job"], {}).setdefault(row["number"], {})[row["side"]] = row
    for job in sorted(of):
        pairs = [p for n, p in of[job].items() if n >= 0 and len(p) == 2]
        for what in (lambda r: r["gpu_ns"], lambda r: statistics.median(r["steps_ms"])):
            logs = [[math.log(what(p[side])) for side in "ab"] for p in pairs]
            single = statistics.stdev(x for pair in logs for x in pair)
            shared = 1 - statistics.stdev(b - a for a, b in logs) ** 2 / (2 * single**2)
            print(f"{job:14} {100 * single:6.2f} % {100 * shared:5.0f} % shared", end="   ")
        print()


def main():
    if sys.argv[1:] == ["--figures"]:
        return figures()
    if not PROGRAM:
        print("h100: set GPUGATE to the program")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for job in PLANTED:
            for law in (unchanged, planted):
                folder = root / law.__name__ / job
                folder.mkdir(parents=True)
                law(folder, job)
        (root / "capped").mkdir()
        capped(root / "capped")
        print(f"{len(PLANTED)} jobs: unchanged runs do not fail, planted regressions do not pass")
    return None


if __name__ == "__main__":
    main()
