#!/usr/bin/env python3
"""Planted memory faults fail the right check, which names the site; the parts of its breakdown add up.

usage: memory_gate.py [GPUGATE]

Snapshots are written by make_snapshot.py of the shared data: a leak, a peak that is 2 % higher and fragmentation, each is
compared with an unchanged training loop, which is also compared with itself. $GPUGATE is the program, $GPUGATE_SHARED for
the shared data; without either the test is skipped (exit 77). """
import decimal
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RULES = """
version: 1
workload: memory
rules:
  - {id: peak, metric: memory.peak_allocated, fail: {increase: 1%}}
  - {id: reserved, metric: memory.peak_reserved, fail: {increase: 1%}}
  - {id: end, metric: memory.end_allocated, fail: {increase: 1%}}
  - {id: growth, metric: memory.growth_per_step, fail: {increase: 64KiB}}
  - {id: fragmentation, metric: memory.fragmentation_pct, fail: {increase: 2pp}}
"""
LOOP = "--layers 12 --hidden 512 --steps 6".split()
# For each planted fault: the checks that must fail, and the site that one of them must name.
PLANTED = {
    "nothing": ([], [], None, None),
    "leak": (["--leak", "8MiB"], ["end", "growth"], "growth", "train/cache.py:remember"),
    "peak": (["--seq", "540"], ["peak"], "peak", "train/model.py:forward"),
    "fragmentation": (["--fragmentation", "0.6"], ["fragmentation"], "fragmentation", "train/cache.py:remember"),
}


def sums(parts, change, level=0):
    """Error lines: one for each level whose parts do not add up to the change of the part above them."""
    wrong = []
    here = [i for i, p in enumerate(parts) if p["level"] == level]
    if sum(parts[i]["change"] for i in here) != change:
        wrong.append(f"level {level}: parts do not add up to {change}")
    for i, end in zip(here, here[1:] + [len(parts)]):
        if end > i + 1:
            wrong += sums(parts[i + 1:end], parts[i]["change"], level + 1)
    return wrong


def run(*args):
    return subprocess.run(args, capture_output=True, text=True)


def check(gpugate, shared, folder, name):
    options, failing, named, site = PLANTED[name]
    candidate, result = folder / f"{name}.json.gz", folder / f"{name}.result.json"
    snapshot(shared, candidate, options)
    files = ["--rules", str(folder / "rules.yaml"), "--baseline", str(folder / "baseline.json")]
    run(gpugate, "check", str(candidate), *files, "--json", str(result), "--junit", str(folder / "j.xml"),
        "--markdown", str(folder / "m.md"))
    checks = {c["id"]: c for c in json.loads(result.read_text(), parse_float=decimal.Decimal)["checks"]}
    wrong = [f"{i}: {checks[i]['verdict']}" for i in failing if checks[i]["verdict"] != "fail"]
    if not failing:
        wrong += [f"{i}: {c['verdict']}" for i, c in checks.items() if c["verdict"] != "pass"]
    if named and site not in checks[named]["message"]:
        wrong.append(f"{named} names no {site}: {checks[named]['message']}")
    if named and (site not in (folder / "j.xml").read_text() or site not in (folder / "m.md").read_text().replace("\u200b", "")):
        wrong.append(f"a report does not name {site}")
    for i, c in checks.items():
        if c["verdict"] == "fail":
            wrong += [f"{i}: {line}" for line in sums(c["attribution"], c["change"])]
    return wrong


def snapshot(shared, path, options):
    run(sys.executable, str(shared / "data" / "make_snapshot.py"), str(path), *LOOP, *options).check_returncode()


def main():
    gpugate = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("GPUGATE")
    shared = os.environ.get("GPUGATE_SHARED")
    if not gpugate or not shared:
        print("skipped: needs $GPUGATE (the program) and $GPUGATE_SHARED (the shared data)")
        return 77
    bad = False
    with tempfile.TemporaryDirectory() as name:
        folder, shared = pathlib.Path(name), pathlib.Path(shared)
        (folder / "rules.yaml").write_text(RULES)
        snapshot(shared, folder / "base.json.gz", [])
        run(gpugate, "approve", "--new", str(folder / "base.json.gz"), "--rules", str(folder / "rules.yaml"),
            "--baseline", str(folder / "baseline.json")).check_returncode()
        for planted in PLANTED:
            wrong = check(gpugate, shared, folder, planted)
            print(f"{'FAIL' if wrong else 'ok  '} {planted}")
            for line in wrong:
                print(f"     {line}")
            bad = bad or wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
