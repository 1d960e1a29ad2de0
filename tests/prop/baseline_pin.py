#!/usr/bin/env python3
"""A run compared with the baseline that was made from it has no change, in any metric of the table:

 - this holds for one rank and for many, for few steps and for many (of which a baseline keeps only statistics), and for every
   statistic
 - it also holds for phases that rules select
 - the baseline's file is small, and writing what was read of it gives the same bytes
 - the baseline keeps the levels of memory over time, with fewer points for many ranks, but always with the highest

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
STATISTICS = ["median", "mean", "min", "max", "p90", "p95", "p99", "total"]
OF_PHASES = """step.time step.cuda_time step.kernel_time step.memcpy_time step.memset_time step.compute_time step.comm_time
    step.kernel_count""".split()
RUNS = {
    "one rank": ["trace", "--seed", "1", "--steps", "6"],
    "one rank, cut short": ["trace", "--seed", "2", "--steps", "6", "--short-last-step"],
    "one rank, many steps": ["trace", "--seed", "3", "--steps", "60"],
    "one window": ["trace", "--seed", "4", "--steps", "3", "--no-steps"],
    "hostile names": ["trace", "--seed", "5", "--steps", "3", "--hostile-names"],
    "4 ranks": ["ranks", "--ranks", "4", "--steps", "4", "--seed", "1", "--python"],
    "server": ["server", "--seed", "1", "--steps", "60"],
    "32 ranks of a server": ["server", "--seed", "1", "--ranks", "32", "--steps", "90"],
    "64 ranks": ["ranks", "--ranks", "64", "--steps", "24", "--layers", "2", "--seed", "1"],
}


def gpugate(*args, expect=(0,), columns="100"):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False, env={**os.environ, "COLUMNS": columns})
    if p.returncode not in expect:
        sys.exit(f"exit {p.returncode}, not {expect}: gpugate {' '.join(map(str, args))}\n"
                 f"{p.stdout.decode()}{p.stderr.decode()}")
    return p


def table():
    """Names of all metrics."""
    lines = gpugate("metrics", columns="1000").stdout.decode().splitlines()[1:]
    return [line.split()[0] for line in lines if line and ("." in line.split()[0] or line.split()[0] == "mfu_pct")]


def rules(phase):
    """Rules that fail at any change: one for every metric, and one for every metric of the phase, if given."""
    text = ["version: 1", "environment: {must_match: [gpu.name]}", "defaults: {on_missing: skip}"]
    text += ['steps: {marker: "execute_*"}'] if phase == "decode" else []
    text.append("rules:")
    for m in OF_PHASES if phase else []:
        if m != "step.time" and m != "step.comm_time" or phase == "decode":
            text += [f"  - {{id: {m}-{stat}, metric: {m}, stat: {stat}, ranks: each, select: {{phase: {phase}}}, fail: {{change: 0%}}}}"
                     for stat in STATISTICS]
    for name in table():
        limit = {"kernel.drift_pct": "{max: 0%}", "kernel.top_overlap_pct": "{min: 100%}", "kernel.resource_changes": "{max: 0}"}.get(name, "{change: 0%}")
        key = name.replace(".", "-").replace("_", "-").replace("*", "all")
        stats = STATISTICS if name.startswith("step.") else [None]
        each = ", for_each: {top: 20}" if name in ("kernel.time", "op.time", "function.exclusive_pct") else ""
        for stat in stats:
            for ranks in ("", ", ranks: each", ", ranks: max"):
                if limit != "{change: 0%}" and ranks:
                    continue
                text.append(f"  - {{id: {key}{'-' + stat if stat else ''}{ranks[-4:].strip()}, metric: {name}"
                            f"{f', stat: {stat}' if stat else ''}{ranks}{each}, fail: {limit}}}")
    return "\n".join(text) + "\n"


def levels(folder):
    """Lines about what is wrong with pins of runs that have memory snapshots."""
    wrong = []
    for ranks, most in ((1, None), (64, 32)):
        run, path = folder / f"levels{ranks}", folder / f"levels{ranks}.json"
        generate("ranks", run, "--ranks", ranks, "--steps", 4, "--layers", 2, "--seed", 1)
        for seed in range(8):
            snapshot = folder / f"snapshot{seed}.json.gz"
            generate("snapshot", snapshot, "--seed", seed)
            for rank in range(seed, ranks, 8):
                (run / f"memory-rank{rank}.json.gz").write_bytes(snapshot.read_bytes())
        gpugate("digest", run / "memory-rank0.json.gz", "-o", folder / "memory.json")
        whole = json.loads((folder / "memory.json").read_text())["memory_levels"]
        gpugate("approve", "--new", run, "--baseline", path, "--force")
        if path.stat().st_size >= 200000:
            wrong.append(f"the pin of {ranks} ranks with snapshots has {path.stat().st_size} bytes")
        rows = [r for r in json.loads(path.read_text())["pin"]["memory_levels"] if 0 in r.get("ranks", [0])]
        points = [r["allocated"][0] if isinstance(r["allocated"], list) else r["allocated"] for r in rows]
        if len(rows) != min(most or len(whole), len(whole)) or max(points) != max(r["allocated"] for r in whole):
            wrong.append(f"the pin of {ranks} ranks has {len(rows)} levels up to {max(points)}, of {len(whole)}")
    return wrong


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    bad = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, (run, (generator, *options)) in enumerate(RUNS.items()):
            phase = {"server": "decode", "trace": "backward"}.get(generator)
            (folder / "rules.yaml").write_text(rules(phase))
            path = folder / (f"run{number}" + ("" if "--ranks" in options else ".json.gz"))
            generate(generator, path, *options)
            baseline, result = folder / f"b{number}.json", folder / f"r{number}.json"
            files = ["--rules", folder / "rules.yaml", "--baseline", baseline]
            gpugate("approve", "--new", path, *files, "--context", "samples_per_step=8",
                    "--context", "tokens_per_step=64", "--context", "flops_per_step=1e11",
                    "--context", "peak_tflops=990")
            gpugate("check", path, *files, "--json", result, "--context", "samples_per_step=8",
                    "--context", "tokens_per_step=64", "--context", "flops_per_step=1e11",
                    "--context", "peak_tflops=990", expect=(0, 1, 3))
            checks = json.loads(result.read_text())["checks"]
            wrong = [f"{c['id']}: {c['verdict']}: {c['message']}" for c in checks
                     if c["verdict"] not in ("pass", "skipped")]
            passed = sum(c["verdict"] == "pass" for c in checks)
            small = folder / "small.json"
            gpugate("approve", "--new", path, "--baseline", small, "--force")
            size = small.stat().st_size
            before = baseline.read_bytes()
            gpugate("store", path, *files, "--force", expect=(0, 3))
            gpugate("baseline", "prune", *files, "--keep", "0")
            if baseline.read_bytes() != before:
                wrong.append("the file is another after a run was added and dropped")
            if size >= 200000:
                wrong.append(f"the baseline has {size} bytes")
            if (b'"summaries"' in before) != (run in ("64 ranks", "32 ranks of a server")):
                wrong.append("steps are not kept as they should be, as samples or as statistics")
            if phase and not any((c["item"] or "").startswith(phase) and c["verdict"] == "pass" for c in checks):
                wrong.append(f"the phase '{phase}' is not judged")
            if (b'"phase_summaries"' in before) != (run == "32 ranks of a server"):
                wrong.append("phases are not kept as they should be")
            if passed < 100:
                wrong.append(f"{passed} checks passed only")
            print(f"{'FAIL' if wrong else 'ok  '} {run}: {passed} of {len(checks)} checks passed, {size} bytes")
            for line in wrong[:20]:
                print(f"     {line}")
            bad = bad or wrong
        wrong = levels(folder)
        print("\n".join(wrong) or "ok   levels of memory")
    return 1 if bad or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
