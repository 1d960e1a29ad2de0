#!/usr/bin/env python3
"""Laws of reading files in parallel, for --jobs 1, 2, 8 and more than there are files:

 - digests, figures, warnings, errors and exit codes are the same for any number
 - everything that is wrong is said, in the order of the arguments, and the first decides
 - some hundred files are read within 64 descriptors, whatever --jobs asks for

$GPUGATE is the program; exit 77 skips.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

GEN = pathlib.Path(__file__).resolve().parents[1] / "gen"
PROGRAM = os.environ.get("GPUGATE")
JOBS = (1, 2, 8, 64)


def make(tool, *options):
    subprocess.run([sys.executable, GEN / f"{tool}.py", *map(str, options)], check=True)


def gpugate(*args, limit=None):
    def set_limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False, preexec_fn=set_limit if limit else None)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def same(*args, code=0):
    """What the command prints, the same for every number of jobs."""
    want = gpugate(*args, "--jobs", 1)
    assert want[0] == code, want
    for jobs in JOBS[1:]:
        for _ in range(3):
            got = gpugate(*args, "--jobs", jobs)
            assert got == want, (jobs, got, want)
    return want[1:]


def results(dir):
    make("ranks", "--ranks", 5, "--steps", 3, "--seed", 1, "--out", dir / "job")
    make("snapshot", "--seed", 1, "--steps", 2, "--layers", 1, "--out", dir / "job" / "memory-rank3.json.gz")
    (dir / "job" / "worker.log").write_text("epoch 1\n")
    (dir / "job" / "run.yaml").write_text("batch_size: 8\n")
    (dir / "job" / "rank0.digest.json.gz.71-0.tmp").write_bytes(b"\x1f\x8b")
    files = sorted(f for f in (dir / "job").iterdir() if f.suffix == ".gz")
    written = set()
    for jobs in JOBS:
        for runs in ([dir / "job"], files, files[::-1]):
            assert gpugate("digest", *runs, "--jobs", jobs, "-o", dir / "out.json")[0] == 0
            written.add((dir / "out.json").read_bytes())
    assert len(written) == 1
    assert b'"batch_size"' in written.pop()
    out, err = same("metrics", dir / "job")
    assert "rank 4" in out and "ignored" in err and "worker.log" in err and "71-0.tmp" in err
    assert gpugate("digest", dir / "job", "-o", dir / "x", "--jobs", 0)[0] == 2
    assert gpugate("digest", dir / "job", "-o", dir / "x", "--jobs", 1025)[0] == 2
    assert gpugate("digest", "-", "-", "-o", dir / "x")[0] == 2


def errors(dir):
    make("ranks", "--ranks", 3, "--steps", 2, "--seed", 1, "--plain", "--out", dir)
    whole = (dir / "rank1.json").read_bytes()
    (dir / "rank7.json").write_bytes(whole[: len(whole) // 2])
    (dir / "rank8.json").write_bytes(b"[{]")
    (dir / "rank9.json").write_bytes(b"\x1f\x8b\x08")
    args = [dir / f"rank{i}.json" for i in (9, 0, 8, 1, 7, 5)]
    _, err = same("metrics", *args, code=3)
    lines = [line for line in err.splitlines() if "note:" not in line]
    assert [f"rank{i}.json" in line for i, line in zip((9, 8, 7, 5), lines)] == [True] * 4 and len(lines) == 4, err
    (dir / "run.yaml").write_text("batch_size: {}\n")
    _, err = same("metrics", dir / "rank0.json", dir / "rank8.json", code=2)
    assert "run.yaml" in err.splitlines()[0] and "rank8.json" in err.splitlines()[1], err


def descriptors(dir):
    make("ranks", "--ranks", 1, "--steps", 2, "--seed", 1, "--plain", "--out", dir / "one")
    gpugate("digest", dir / "one" / "rank0.json", "-o", dir / "one.json")
    text = (dir / "one.json").read_text()
    (dir / "many").mkdir()
    for rank in range(300):
        (dir / "many" / f"{rank}.json").write_text(text.replace('"rank": 0', f'"rank": {rank}'))
    outs = set()
    for limit, jobs in ((None, 1), (64, 1), (64, 1024), (24, 8), (1024, 1024)):
        p = gpugate("merge", dir / "many", "--expect-ranks", 300, "--jobs", jobs, "-o", dir / "all.json", limit=limit)
        assert p == (0, "", ""), p
        outs.add((dir / "all.json").read_bytes())
    assert len(outs) == 1


def main():
    if not PROGRAM:
        sys.exit(77)
    for law in (results, errors, descriptors):
        with tempfile.TemporaryDirectory() as name:
            try:
                law(pathlib.Path(name))
            except AssertionError as e:
                raise SystemExit(f"{law.__name__}: {e!r}") from e
        print(f"ok {law.__name__}")


if __name__ == "__main__":
    main()
