#!/usr/bin/env python3
"""Laws of reading files in parallel, for --jobs 1, 2, 8 and more than there are files:

 - digests, figures, warnings, errors and exit codes are the same for each of these numbers
 - all errors are reported, in the order of the arguments, and the first decides the exit code
 - a single file gives the same result, too, if several threads read it: this holds for files that are complete, compressed,
   read from a pipe, cut off or faulty, in every form that the generator knows, and for the recordings under $GPUGATE_SHARED if
   it is set
 - some hundred files are read within 64 descriptors, whatever --jobs asks for

$GPUGATE is the program; exit 77 skips.
"""
import gzip
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from _gen import generate
from _reference import recordings as shared

PROGRAM = os.environ.get("GPUGATE")
JOBS = (1, 2, 8, 64)


def gpugate(*args, limit=None):
    def set_limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False, preexec_fn=set_limit if limit else None)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def same(*args, code=0):
    """Output of the command, which must be the same for every number of jobs."""
    want = gpugate(*args, "--jobs", 1)
    assert want[0] == code, want
    for jobs in JOBS[1:]:
        for _ in range(3):
            got = gpugate(*args, "--jobs", jobs)
            assert got == want, (jobs, got, want)
    return want[1:]


def results(dir):
    generate("ranks", dir / "job", "--ranks", 5, "--steps", 3, "--seed", 1)
    generate("snapshot", dir / "job" / "memory-rank3.json.gz", "--seed", 1, "--steps", 2, "--layers", 1)
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
    out, err = same("report", dir / "job")
    assert "rank 4" in out and "ignored" in err and "worker.log" in err and "71-0.tmp" in err
    assert gpugate("digest", dir / "job", "-o", dir / "x", "--jobs", 0)[0] == 2
    assert gpugate("digest", dir / "job", "-o", dir / "x", "--jobs", 1025)[0] == 2
    assert gpugate("digest", "-", "-", "-o", dir / "x")[0] == 2


def errors(dir):
    generate("ranks", dir, "--ranks", 3, "--steps", 2, "--seed", 1, "--plain")
    whole = (dir / "rank1.json").read_bytes()
    (dir / "rank7.json").write_bytes(whole[: len(whole) // 2])
    (dir / "rank8.json").write_bytes(b"[{]")
    (dir / "rank9.json").write_bytes(b"\x1f\x8b\x08")
    args = [dir / f"rank{i}.json" for i in (9, 0, 8, 1, 7, 5)]
    _, err = same("report", *args, code=3)
    lines = [line for line in err.splitlines() if "note:" not in line]
    assert [f"rank{i}.json" in line for i, line in zip((9, 8, 7, 5), lines)] == [True] * 4 and len(lines) == 4, err
    (dir / "run.yaml").write_text("batch_size: {}\n")
    _, err = same("report", dir / "rank0.json", dir / "rank8.json", code=2)
    assert "run.yaml" in err.splitlines()[0] and "rank8.json" in err.splitlines()[1], err


def shared_file(dir):
    generate("trace", dir / "rank0.json", "--seed", 1, "--steps", 40)
    text = (dir / "rank0.json").read_bytes()
    assert len(text) > 4 << 20, len(text)
    (dir / "packed.json.gz").write_bytes(gzip.compress(text, 1))
    (dir / "cut.json").write_bytes(text[: len(text) * 2 // 3])
    (dir / "cut.json.gz").write_bytes(gzip.compress(text, 1)[:-70000])
    at = text.index(b'"ts"', text.index(b'"kernel"', len(text) // 2))
    (dir / "wrong.json").write_bytes(text[:at] + b'"ts": 1e99, "was"' + text[at + 4:])
    at = text.index(b',', len(text) // 2)
    (dir / "broken.json").write_bytes(text[:at] + b',,' + text[at + 1:])
    same("report", dir / "rank0.json")
    same("report", dir / "packed.json.gz")
    for name in ("cut.json", "cut.json.gz"):
        same("report", dir / name, code=3)
        same("report", dir / name, "--allow-truncated")
    for name in ("wrong.json", "broken.json"):
        same("report", dir / name, code=3)
    same("report", dir / "rank0.json", "--quick", 1000)
    same("report", dir / "rank0.json", "--max-input", 1 << 20, code=3)
    written = set()
    for jobs in JOBS:
        assert subprocess.run([PROGRAM, "digest", "-", "-o", dir / "out.json", "--jobs", str(jobs)], input=text,
                              check=False, capture_output=True).returncode == 0
        written.add((dir / "out.json").read_bytes())
    assert len(written) == 1


def forms(dir):
    for options in (["--nccl", "--world-size", 8, "--rank", 2, "--indent"], ["--string-ids", "--old-cats", "--shuffle"],
                    ["--array", "--int-ts", "--memory-first", "--overlap", 5], ["--shuffle", "--nccl", "--world-size", 2]):
        generate("trace", dir / "rank0.json", "--seed", 3, "--steps", 12, *options)
        assert (dir / "rank0.json").stat().st_size > 2 << 20
        written = set()
        for jobs in JOBS:
            assert gpugate("digest", dir / "rank0.json", "-o", dir / "out.json", "--jobs", jobs) == (0, "", "")
            written.add((dir / "out.json").read_bytes())
        assert len(written) == 1, options


def recordings(dir):
    for trace in shared("traces", "*json*"):
        results = set()
        for jobs in (1, 2, 5):
            p = gpugate("digest", trace, "--jobs", jobs, "-o", dir / "out.json")
            results.add((p, (dir / "out.json").read_bytes() if p[0] == 0 else b""))
        assert len(results) == 1, trace


def descriptors(dir):
    generate("ranks", dir / "one", "--ranks", 1, "--steps", 2, "--seed", 1, "--plain")
    gpugate("digest", dir / "one" / "rank0.json", "-o", dir / "one.json")
    text = (dir / "one.json").read_text()
    (dir / "many").mkdir()
    for rank in range(300):
        (dir / "many" / f"{rank}.json").write_text(text.replace('"rank": 0', f'"rank": {rank}'))
    outs = set()
    for limit, jobs in ((None, 1), (64, 1), (64, 1024), (24, 8), (1024, 1024)):
        p = gpugate("digest", dir / "many", "--expect-ranks", 300, "--jobs", jobs, "-o", dir / "all.json", limit=limit)
        assert p == (0, "", ""), p
        outs.add((dir / "all.json").read_bytes())
    assert len(outs) == 1


def main():
    if not PROGRAM:
        sys.exit(77)
    for law in (results, errors, shared_file, forms, recordings, descriptors):
        with tempfile.TemporaryDirectory() as name:
            try:
                law(pathlib.Path(name))
            except AssertionError as e:
                raise SystemExit(f"{law.__name__}: {e!r}") from e
        print(f"ok {law.__name__}")


if __name__ == "__main__":
    main()
