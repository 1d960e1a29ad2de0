#!/usr/bin/env python3
"""Registers, shared and local memory of kernels are those of the recordings, and a change of them is told once.

- In each shared trace and export of Nsight Systems, a kernel has the largest value of each that its launches have; without one, none.
- Files in another order, profiler cycles joined, ranks folded and a digest written and read again change none of them.
- Runs of the same code, generated or recorded, never warn; where one side lacks them, nothing is judged.
- More registers of one kernel warn once, with the kernel and both numbers; if the kernel is slower too, they are the reason that its finding gives.
- A kernel that is launched more often may have another largest launch: nothing is said of it.

$GPUGATE is the program, $GPUGATE_SHARED the folder of the recordings; without the first, exit 77 skips.
"""
import gzip
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

from _gen import generate
from _part import some
from _reference import recordings

PROGRAM, SHARED = os.environ.get("GPUGATE"), os.environ.get("GPUGATE_SHARED")
KEYS = ("registers", "shared_memory", "local_memory")
ARGS = {"registers per thread": "registers", "shared memory": "shared_memory"}
FLASH = "void pytorch_flash::flash_bwd_dq*"


def run(*args, codes=(0,)):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode in codes, (args, done.returncode, done.stdout, done.stderr)
    return done.stdout


def of_digest(path):
    """What the digest of a recording says of each kernel that it lists by its name."""
    doc = json.loads(run("digest", path, "-o", "-"))
    kernels = [k for d in doc.get("digests", [doc]) for k in d["kernels"] if k["kind"] == "kernel"]
    assert not any(key in k for k in kernels if k.get("names") for key in KEYS), path
    return largest((k["name"], {key: k[key] for key in KEYS if key in k}) for k in kernels if not k.get("names"))


def largest(rows):
    """Rows are pairs of a kernel and a dict of what one launch says."""
    most = {}
    for name, says in rows:
        most.setdefault(name, {})
        for key, value in says.items():
            most[name][key] = max(value, most[name].get(key, 0))
    return most


def of_trace(path):
    data = path.read_bytes()
    doc = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, strict=False)
    events = doc.get("traceEvents", []) if isinstance(doc, dict) else doc
    return largest((e["name"], {ARGS[key]: value for key, value in e.get("args", {}).items() if key in ARGS}) for e in events
                   if e.get("ph") == "X" and str(e.get("cat")).lower() == "kernel" and "ts" in e)


def of_export(path):
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    rows = db.execute("SELECT value, registersPerThread, staticSharedMemory + dynamicSharedMemory, localMemoryPerThread "
                      "FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName").fetchall()
    return largest((row[0], dict(zip(KEYS, row[1:]))) for row in rows)


def equal(path, want):
    have = of_digest(path)
    for name, says in have.items():
        assert name not in want or says == want[name], (path, name, says, want[name])
    return sum(name in want and bool(says) for name, says in have.items())


def recorded():
    kernels = files = 0
    for kind, pattern, read in ("traces", "*.json*", of_trace), ("nsys", "*.sqlite", of_export):
        for path in some(recordings(kind, pattern), 2):
            try:
                want = read(path)
            except (ValueError, sqlite3.Error):
                continue    # a trace that is cut off
            if not want:
                continue
            nr = equal(path, want)
            kernels, files = kernels + nr, files + bool(nr)
    print(f"{kernels} kernels of {files} recordings have the resources of their launches")
    assert not SHARED or files > 5


def check(dir, base, cand):
    """The checks of the rule, and the findings, of `cand` against `base`."""
    run("approve", "--new", base, "--baseline", dir / "base", "--force", "--accept", "absent-rank")
    run("check", cand, "--baseline", dir / "base", "--json", dir / "result", codes=(0, 1, 2, 3))
    result = json.loads((dir / "result").read_text(encoding="utf-8"))
    (own,) = [c for c in result["checks"] if c["rule"] == "kernel-resources"]
    return own, result


def made(dir, name, *options):
    return generate("trace", dir / f"{name}.json.gz", "--steps", 4, *options)


def unchanged(dir):
    for seed in range(8):
        own, _ = check(dir, made(dir, "a", "--seed", seed), made(dir, "b", "--seed", 100 + seed))
        assert own["verdict"] == "pass" and own["candidate"] == 0, own
    folder = pathlib.Path(SHARED or ".", "data")
    twins = [(folder / kind / name.format(a), folder / kind / name.format(b)) for kind, name, one, two in (
        ("traces", "resnet50-v100-nw0-session{}.pt.trace.json.gz", 1, 2), ("traces", "norm-test-mi300x-run{}.json.gz", 1, 2),
        ("more/traces", "tutorial-h100-steps{}.pt.trace.json.gz", "1to3", "6to8")) for a, b in ((one, two), (two, one)) if SHARED]
    for base, cand in twins:
        own, _ = check(dir, base, cand)
        assert own["verdict"] in ("pass", "skipped") and not own["candidate"], own
    print(f"{8 + len(twins)} pairs of the same code: no warning")


def planted(dir):
    base = made(dir, "base", "--seed", 1)
    own, result = check(dir, base, made(dir, "slow", "--seed", 2, "--slow-kernel", f"{FLASH}=1.4", "--registers", f"{FLASH}=255"))
    assert own["verdict"] == "warn" and own["candidate"] == 1 and "64 → 255 registers" in own["message"], own
    told = [f for f in result["findings"] if "registers" in json.dumps(f, ensure_ascii=False)]
    assert len(told) == 1 and "is slower" in told[0]["title"] and "likely because it uses 64 → 255 registers" in told[0]["title"], told
    assert own["id"] in told[0]["checks"], told
    own, result = check(dir, base, made(dir, "only", "--seed", 3, "--registers", f"{FLASH}=40"))
    assert own["verdict"] == "warn" and "64 → 40 registers" in own["message"], own
    assert [f["checks"] for f in result["findings"]] == [[own["id"]]], result["findings"]
    own, result = check(dir, base, made(dir, "faster", "--seed", 2, "--slow-kernel", f"{FLASH}=0.7", "--registers", f"{FLASH}=96"))
    assert own["verdict"] == "warn" and not any("is slower" in f["title"] for f in result["findings"]), result["findings"]
    own, result = check(dir, base, made(dir, "alike", "--seed", 2, "--slow-kernel", f"{FLASH}=1.4"))
    assert own["verdict"] == "pass" and "registers" not in json.dumps(result["findings"]), result["findings"]
    more = made(dir, "more", "--seed", 2, "--registers", f"{FLASH}=255", "--extra-launches", f"{FLASH}=2")
    assert check(dir, base, more)[0]["verdict"] == "pass"
    bare = made(dir, "bare", "--seed", 2, "--no-resources")
    for a, b in (base, bare), (bare, base), (bare, bare):
        own, _ = check(dir, a, b)
        assert own["verdict"] == "skipped" and own["candidate"] is None, own
    assert not any(of_digest(bare).values())
    print("planted changes are found, once, and told as the reason; without resources on both sides nothing is judged")


def metrics_of(*runs):
    """Figures of kernels as a rule sees them: the values of absolute limits."""
    with tempfile.TemporaryDirectory() as tmp:
        rules, out = pathlib.Path(tmp, "rules.yaml"), pathlib.Path(tmp, "out")
        rules.write_text("version: 1\nsteps: {cycles: join}\nrules:\n" + "".join(
            f"  - {{id: {key}, metric: kernel.{key}, fail: {{max: {limit}}}, on_missing: skip}}\n" for key, limit in zip(KEYS, ("0", "0B", "0B"))),
            encoding="utf-8")
        run("check", *runs, "--new", "--rules", rules, "--json", out, codes=(0, 1, 2, 3))
        return {(c["rule"], c["item"]): c["candidate"] for c in json.loads(out.read_text(encoding="utf-8"))["checks"]}


def ways(dir):
    """The ranks have different registers: the largest is the run's, in whatever way its files are given."""
    ranks = [made(dir, f"rank{i}", "--seed", i, "--rank", i, "--world-size", 3, "--nccl", "--registers", f"{FLASH}={nr}")
             for i, nr in enumerate((120, 255, 88))]
    want = metrics_of(*ranks)
    assert [v for (rule, item), v in want.items() if rule == "registers" and "flash_bwd_dq" in item] == [255], want
    assert metrics_of(*ranks[::-1]) == want
    for name, files, options in ("merged", ranks[::-1], []), ("folded", ranks[1:] + ranks[:1], ["--fold"]):
        run("digest", *files, "-o", dir / name, *options)
        assert metrics_of(dir / name) == want, (name, metrics_of(dir / name), want)
    cycles = [made(dir, f"cycle{i}", "--seed", i, "--first-step", first, "--registers", f"{FLASH}={nr}")
              for i, (first, nr) in enumerate(((100, 255), (200, 64)))]
    want = metrics_of(*cycles)
    assert [v for (rule, item), v in want.items() if rule == "registers" and "flash_bwd_dq" in item] == [255], want
    (dir / "join.yaml").write_text("version: 2\nsteps: {cycles: join}\n", encoding="utf-8")
    run("digest", *cycles, "--rules", dir / "join.yaml", "-o", dir / "both")
    assert metrics_of(*cycles[::-1]) == metrics_of(dir / "both") == want
    print("the order of files, joining and folding change nothing")


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as tmp:
        planted(pathlib.Path(tmp))
        ways(pathlib.Path(tmp))
        unchanged(pathlib.Path(tmp))
    recorded()


if __name__ == "__main__":
    main()
