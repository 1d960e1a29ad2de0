#!/usr/bin/env python3
"""Laws of the gate on generated traces, for a few seeds:

 - a run compared with itself passes, with a warning that it is the baseline's own artifact
 - a digest and the trace it was made of give the same figures; a digest of a digest is the same file
 - the order of events, the form of the file and the way it is read change no figure
 - a slower candidate never gets a better verdict than a less slow one: without and with the noise of a
   history, with several runs on the candidate's side, under a waiver (which excuses, and hides nothing)
 - runs that the baseline contains never regress against it, one run or several
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

from _gen import GEN, generate
from _part import part

PROGRAM = os.environ.get("GPUGATE")
SEVERITY = {"pass": 0, "improved": 0, "skipped": 0, "warn": 1, "inconclusive": 2, "missing": 2, "undecided": 2, "waived": 3, "fail": 3}
SLOW = ("0.5", "0.9", "1.02", "1.06", "1.2", "2")
HISTORY = 5


def gen(path, *options):
    return generate("trace", path, "--steps", 4, *options)


def gpugate(*args, expect=(0,), stdin=None):
    p = subprocess.run([PROGRAM, *map(str, args)], stdin=stdin, capture_output=True, check=False)
    if p.returncode not in expect:
        sys.exit(f"exit {p.returncode}, not {expect}: gpugate {' '.join(map(str, args))}\n"
                 f"{p.stdout.decode()}{p.stderr.decode()}")
    return p


def figures(*args, **kw):
    """All figures of a run, without the names of its files."""
    d = json.loads(gpugate("metrics", *args, "--json", "-", **kw).stdout)
    for r in d["ranks"]:
        del r["trace"]
    return d


def itself(dir, seed):
    a = gen(dir / "a.json.gz", "--seed", seed)
    gpugate("approve", "--new", a, "--baseline", dir / "base", "--force")
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
        if form == "--shuffle":  # figures of memory are left out: they depend on the order of events with equal times
            for d in (got, want):
                d["metrics"] = [m for m in d["metrics"] if not m["metric"].startswith("memory.")]
        assert got == want, form
        want = figures(a)


def baseline(dir, seed, runs=0):
    """Makes a baseline of unchanged code with `runs` recent runs; returns its traces."""
    held = [gen(dir / f"held{i}.json.gz", "--seed", f"{seed}{i}") for i in range(1 + runs)]
    gpugate("approve", "--new", held[0], "--baseline", dir / "base", "--force")
    for run in held[1:]:
        gpugate("store", run, "--baseline", dir / "base")
    return held


def checks(dir, runs, *options):
    """Runs `check` on a candidate that consists of `runs`; returns the checks in its result."""
    more = [word for run in runs[1:] for word in ("--repeat", run)]
    gpugate("check", runs[0], *more, "--baseline", dir / "base", "--json", dir / "r.json", *options, expect=(0, 1, 3))
    return json.loads((dir / "r.json").read_text())["checks"]


def rises(dir, seed, nr, *options):
    """Check that no verdict gets better when a candidate of `nr` runs is slower; returns the verdicts on the slowest one."""
    last = {}
    for factor in SLOW:
        runs = [gen(dir / f"c{i}.json.gz", "--seed", f"{seed}{7 + i}", "--slow-kernel", f"*nvjet_tst_128x256*={factor}")
                for i in range(nr)]
        for check in checks(dir, runs, *options):
            if check["metric"] not in ("step.compute_time", "step.cuda_time", "kernel.time"):
                continue
            now = SEVERITY[check["verdict"]]
            assert now >= SEVERITY[last.get(check["id"], "pass")], (factor, check["message"])
            last[check["id"]] = check["verdict"]
    return last


def worse(dir, seed):
    baseline(dir, seed)
    assert "fail" in rises(dir, seed, 1).values()
    baseline(dir, seed, HISTORY)
    assert "fail" in rises(dir, seed, 1).values()
    slowest = rises(dir, seed, 3)
    failing = {name.partition("[")[0] for name, verdict in slowest.items() if verdict == "fail"}
    assert failing
    waivers = "".join(f"  - {{rule: {rule}, until: 9999-12-31, reason: known}}\n" for rule in failing)
    rules = (GEN.parents[1] / "rules" / "default.yaml").read_text(encoding="utf-8")
    (dir / "rules.yaml").write_text(f"{rules}\nwaivers:\n{waivers}", encoding="utf-8")
    waived = rises(dir, seed, 3, "--rules", dir / "rules.yaml")
    assert waived == {name: "waived" if verdict == "fail" else verdict for name, verdict in slowest.items()}


def held(dir, seed):
    runs = baseline(dir, seed, HISTORY)
    for candidate in [[run] for run in runs] + [runs[1:4], runs]:
        bad = [c["message"] for c in checks(dir, candidate) if SEVERITY[c["verdict"]] > 1]
        assert not bad, bad


def hostile(dir, seed):
    gpugate("approve", "--new", gen(dir / "a.json.gz", "--seed", seed), "--baseline", dir / "base", "--force")
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
    for seed in part(("1", "2")):
        for law in (itself, held, digest, forms, worse, hostile):
            with tempfile.TemporaryDirectory() as name:
                try:
                    law(pathlib.Path(name), seed)
                except AssertionError as e:
                    sys.exit(f"{law.__name__}, seed {seed}: {e!r}")
            print(f"ok {law.__name__}, seed {seed}")


if __name__ == "__main__":
    main()
