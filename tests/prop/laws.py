#!/usr/bin/env python3
"""Laws of the gate on generated traces, for a few seeds:

 - a run held against itself passes, with a warning that it is the baseline's own artifact
 - a digest and the trace it was made of give the same figures; a digest of a digest is the same file
 - the order of events, the form of the file and the way it is read change no figure
 - a slower candidate never gets a better verdict than a less slow one
 - hostile names leave every output well-formed

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

GEN = pathlib.Path(__file__).resolve().parents[1] / "gen" / "trace.py"
PROGRAM = os.environ.get("GPUGATE")
SEVERITY = {"pass": 0, "improved": 0, "skipped": 0, "warn": 1, "inconclusive": 2, "missing": 2, "fail": 3}


def gen(path, *options):
    subprocess.run([sys.executable, GEN, "--out", path, "--steps", "4", *options], check=True)
    return path


def gpugate(*args, expect=(0,), stdin=None):
    p = subprocess.run([PROGRAM, *map(str, args)], stdin=stdin, capture_output=True, check=False)
    if p.returncode not in expect:
        sys.exit(f"exit {p.returncode}, not {expect}: gpugate {' '.join(map(str, args))}\n"
                 f"{p.stdout.decode()}{p.stderr.decode()}")
    return p


def figures(*args, **kw):
    """All figures of a run, without what names its file."""
    d = json.loads(gpugate("metrics", *args, "--json", "-", **kw).stdout)
    for r in d["ranks"]:
        del r["trace"]
    return d


def itself(dir, seed):
    a = gen(dir / "a.json.gz", "--seed", seed)
    gpugate("baseline", "create", a, "--baseline", dir / "base", "--force")
    p = gpugate("check", a, "--baseline", dir / "base")
    assert b"warning" in p.stdout and b"own artifact" in p.stdout, p.stdout.decode()


def digest(dir, seed):
    a = gen(dir / "a.json.gz", "--seed", seed, "--nccl", "--rank", "0", "--world-size", "2")
    gpugate("digest", a, "-o", dir / "d1.json")
    gpugate("digest", dir / "d1.json", "-o", dir / "d2.json.gz")
    gpugate("digest", dir / "d2.json.gz", "-o", dir / "d3.json")
    assert (dir / "d1.json").read_bytes() == (dir / "d3.json").read_bytes()
    assert figures(a) == figures(dir / "d1.json") == figures(dir / "d2.json.gz")


def forms(dir, seed):
    a = gen(dir / "a.json", "--seed", seed)
    want = figures(a)
    with open(a, "rb") as f:
        assert figures("-", stdin=f) == want
    for form in ("--shuffle", "--indent", "--foreign-metadata"):
        got = figures(gen(dir / "b.json.gz", "--seed", seed, form))
        if form == "--shuffle":  # equal peaks and ends follow the order of the file
            for d in (got, want):
                d["metrics"] = [m for m in d["metrics"] if not m["metric"].startswith("memory.")]
        assert got == want, form
        want = figures(a)


def worse(dir, seed):
    gpugate("baseline", "create", gen(dir / "a.json.gz", "--seed", seed), "--baseline", dir / "base", "--force")
    last = {}
    for factor in ("0.5", "0.9", "1.02", "1.06", "1.2", "2"):
        c = gen(dir / "c.json.gz", "--seed", seed, "--slow-kernel", f"*nvjet_tst_128x256*={factor}")
        gpugate("check", c, "--baseline", dir / "base", "--json", dir / "r.json", expect=(0, 1))
        for check in json.loads((dir / "r.json").read_text())["checks"]:
            if check["metric"] not in ("step.compute_time", "step.cuda_time", "kernel.time"):
                continue
            now = SEVERITY[check["verdict"]]
            assert now >= last.get(check["id"], 0), (factor, check["message"])
            last[check["id"]] = now
    assert 3 in last.values()


def hostile(dir, seed):
    gpugate("baseline", "create", gen(dir / "a.json.gz", "--seed", seed), "--baseline", dir / "base", "--force")
    c = gen(dir / "c.json.gz", "--seed", seed, "--hostile-names", "--long-name", "6000")
    (dir / "rules.yaml").write_text("version: 1\nrules:\n  - {id: new, metric: kernel.time, for_each: {top: 500}, on_new: fail}\n")
    p = gpugate("check", c, "--baseline", dir / "base", "--verbose", "--junit", dir / "j.xml", "--json", dir / "r.json",
                "--markdown", dir / "m.md", "--max-bytes", 3000, "--rules", dir / "rules.yaml", expect=(1,))
    xml.etree.ElementTree.parse(dir / "j.xml")
    result = json.loads((dir / "r.json").read_text(encoding="utf-8"))
    assert result["summary"]["fail"] > 8, result["summary"]
    assert len((dir / "m.md").read_bytes()) <= 3000
    for text in (p.stdout.decode("utf-8"), (dir / "m.md").read_text(encoding="utf-8")):
        assert not [ch for ch in text if (ord(ch) < 32 and ch != "\n") or 0x202a <= ord(ch) <= 0x202e]
        assert not [line for line in text.splitlines() if line.lstrip().startswith(("::", "##[", "##vso"))]


def main():
    if not PROGRAM:
        sys.exit(77)
    for law in (itself, digest, forms, worse, hostile):
        for seed in ("1", "2"):
            with tempfile.TemporaryDirectory() as name:
                try:
                    law(pathlib.Path(name), seed)
                except AssertionError as e:
                    sys.exit(f"{law.__name__}, seed {seed}: {e!r}")
        print(f"ok {law.__name__}")


if __name__ == "__main__":
    main()
