#!/usr/bin/env python3
"""500 cases as one gate: `suite` says the same about a case as `check` with its share of the false-alarm budget; shards in
any order, and any number of threads, give the same bytes; the memory does not grow with the cases.

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
CASES = 500
SLOW = {7, 123, 499}
# Rules whose verdicts do not depend on how many cases share the budget of false alarms.
RULES = "version: 1\nrules:\n  - {id: compute, metric: step.compute_time, fail: {increase: 10%}}\n"


def run(dir, *args):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False, cwd=dir,
                       env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"})
    return p.returncode, p.stdout, p.stderr


def peak(dir, *args):
    """Largest resident set in KiB of all processes of a command."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    done = subprocess.run([sys.executable, "-c", code, PROGRAM, *map(str, args)], capture_output=True, text=True, check=True, cwd=dir,
                          env={**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1"})  # the sanitizer must release freed memory soon, or the memory would seem to grow
    return int(done.stdout)


def suite(nr):
    return "version: 1\nname: many\ncases:\n" + "".join(
        f"  - {{workload: case-{i}, runs: {'slow' if i in SLOW else 'same'}.json.gz, baseline: base.json, rules: rules.yaml}}\n"
        for i in range(nr))


def check_verdicts(dir):
    code, text, err = run(dir, "suite", "all.yaml", "--json", "all.json", "--junit", "all.xml", "--markdown", "all.md",
                          "--html", "all.html", "--jobs", "4")
    assert code == 1 and not err, (code, err)
    assert text.startswith("fail · many: 3 of 500 cases failed (every kernel is slower)\n"), text[:200]
    result = json.loads((dir / "all.json").read_text(encoding="utf-8"))
    failed = {c["place"] for c in result["cases"] if c["verdict"] == "fail"}
    assert failed == SLOW and len(result["cases"]) == CASES, failed
    one = {}
    for name in ("same", "slow"):
        run(dir, "check", f"{name}.json.gz", "--rules", "rules.yaml", "--baseline", "base.json", "--json", "one.json")
        one[name] = json.loads((dir / "one.json").read_text(encoding="utf-8"))
    for c in result["cases"]:
        want = one["slow" if c["place"] in SLOW else "same"]
        assert (c["verdict"], c["exit_code"]) == (want["verdict"], want["exit_code"]), c
    assert len((dir / "all.md").read_bytes()) <= 60000
    assert (dir / "all.xml").read_text(encoding="utf-8").count("<testcase ") == CASES


def check_shards(dir):
    for i in range(1, 5):
        run(dir, "suite", "all.yaml", "--shard", f"{i}/4", "--json", f"part{i}.json", "--jobs", str(i))
    outputs = [("--json", "json"), ("--junit", "xml"), ("--markdown", "md"), ("--html", "html")]
    code, _, err = run(dir, "suite", "--merge", *(f"part{i}.json" for i in (3, 1, 4, 2)),
                       *(x for option, end in outputs for x in (option, f"merged.{end}")))
    assert code == 1 and not err, (code, err)
    for _, end in outputs:
        assert (dir / f"merged.{end}").read_bytes() == (dir / f"all.{end}").read_bytes(), end
    (dir / "few.yaml").write_text(suite(499))
    run(dir, "suite", "few.yaml", "--shard", "2/4", "--json", "few.json")
    code, _, err = run(dir, "suite", "--merge", "part1.json", "few.json", "part3.json", "part4.json", "--json", "none.json")
    assert code == 3 and "of another suite" in err, (code, err)
    assert json.loads((dir / "none.json").read_text(encoding="utf-8"))["verdict"] == "error"


def check_budget(dir):
    """With a limit below the noise, each of 500 cases may cause a 500th of the false alarms that a single gate may cause. With
    fewer than five runs of main it is not known."""
    shutil.copy(dir / "base.json", dir / "five.json")
    for seed in range(4, 8):
        generate("trace", dir / f"main{seed}.json.gz", "--seed", seed, "--steps", 3)
        run(dir, "store", f"main{seed}.json.gz", "--baseline", "five.json", "--rules", "rules.yaml")
    (dir / "tight.yaml").write_text(RULES.replace("10%", "0.01%"))
    (dir / "tight_all.yaml").write_text(suite(CASES).replace("rules.yaml", "tight.yaml").replace("base.json", "five.json"))
    run(dir, "check", "same.json.gz", "--rules", "tight.yaml", "--baseline", "five.json", "--json", "one.json")
    run(dir, "suite", "tight_all.yaml", "--shard", "100/100", "--json", "part.json")
    alone = json.loads((dir / "one.json").read_text(encoding="utf-8"))["false_alarms_per_1000"] * 1000
    cases = json.loads((dir / "part.json").read_text(encoding="utf-8"))["cases"]
    assert alone > 100 and len(cases) == 5, (alone, cases)
    for c in cases:
        assert c["false_alarms"] <= alone / CASES * 1.5 + 1, (c, alone)


def check_memory(dir):
    (dir / "one.yaml").write_text(suite(8))
    one, all_ = (peak(dir, "suite", name, "--jobs", "1") for name in ("one.yaml", "all.yaml"))
    assert all_ < one * 1.25 + 4096, f"{one} KiB of 8 cases, {all_} KiB of {CASES}"


def check_descriptors(dir):
    """If no process can be started, the suite ends with a message."""
    p = subprocess.run([PROGRAM, "suite", "one.yaml"], cwd=dir, capture_output=True, text=True, check=False, timeout=60,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4)))
    assert p.returncode not in (0, 1) and p.stderr, p


def main():
    if not PROGRAM or not shutil.which(PROGRAM):
        print("no program")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        dir = pathlib.Path(folder)
        for name, seed, factor in (("base", 1, "1"), ("same", 2, "1"), ("slow", 3, "1.3")):
            generate("trace", dir / f"{name}.json.gz", "--seed", seed, "--steps", 3, "--slow-kernel", f"*={factor}")
        (dir / "rules.yaml").write_text(RULES)
        code, _, err = run(dir, "approve", "--new", "base.json.gz", "--baseline", "base.json", "--rules", "rules.yaml")
        assert code == 0, err
        (dir / "all.yaml").write_text(suite(CASES))
        check_verdicts(dir)
        check_shards(dir)
        check_budget(dir)
        check_memory(dir)
        check_descriptors(dir)
    return 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
