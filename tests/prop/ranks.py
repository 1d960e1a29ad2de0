#!/usr/bin/env python3
"""A fault that is planted in one rank of a job is found and its rank named, and no other rank is accused.

usage: ranks.py [SEED…]

Jobs are made with gen/ranks.py, with subgroups, and, where $GPUGATE_SHARED is set, with make_ranks.py of the shared data
from real traces. For each planted fault, under clocks that differ, `metrics` and `check` (against an unplanted run) name
the rank and no other; an unplanted run of another seed names nobody. Waiting, transfer time and the last rank are those of
the simulation, to the nanosecond. On the real DLRM ranks a slow reference matches the collectives again, and the ranks that
only wait are not named.

$GPUGATE is the program; exit 77 skips.
"""
import collections
import contextlib
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from _gen import generate
from _part import part, some

PROGRAM = os.environ.get("GPUGATE")
SHARED = os.environ.get("GPUGATE_SHARED")
RANKS, STEPS = 8, 6
# For each fault: options of the generators, the rank, its names in `metrics` and in `check`, the exit code of `check` (None: it
# depends on the figures).
FAULTS = {
    "slow rank": (["--slow-rank", "5=1.2"], 5, {"slow-rank"}, None),
    "late rank": (["--late-rank", "3=3000"], 3, {"late-rank"}, None),
    "slow link": (["--slow-link", "2=2"], 2, {"slow-link"}, None),
    "lost rank": (["--lose-rank", "4"], 4, {"absent-rank"}, 3),
    "cut rank": (["--cut-rank", "6=4"], 6, {"ends-early"}, (1, 3)),
    "cut in the last step": (["--cut-rank", "6=5"], 6, {"cut-short"}, (1, 3)),
    "skipped collective": (["--skip-collective", "1=3:2"], 1, {"stuck"}, 3),
}
# Further findings that a fault causes on its own rank.
COMPANIONS = {"short-last-step", "lost-kernels", "lost-copies"}
lines = []


def expect(what, holds, *details):
    if not holds:
        lines.append(f"{what}: {' '.join(map(str, details))}")


def gpugate(*args, codes=(0,)):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False)
    expect(f"gpugate {' '.join(map(str, args))}", p.returncode in codes, f"exit {p.returncode}, not {codes}:",
           p.stderr.decode("utf-8", "replace"))
    return p


def accused(report):
    """{(rank, finding)}, None for the run, of every trust finding that makes metrics unreliable, and of every insight on the candidate."""
    return ({(f["rank"], f["finding"]) for f in report["trust"] if f["spoils"]}
            | {(i["rank"], i["insight"]) for i in report["insights"] if i.get("side", "candidate") == "candidate"})


def metrics(path):
    return json.loads(gpugate("metrics", path, "--json", "-").stdout)


def per_step(total, steps):
    """`total` divided by the number of steps, rounded to the nearest integer; a half is rounded up."""
    return (2 * total + steps) // (2 * steps)


def figures(report, metric):
    return {m["rank"]: m["value"] for m in report["metrics"] if m["metric"] == metric}


class Job:
    """One way to make the traces of a job's ranks; `truth` has the simulated waiting and transfer, `faults` what to plant."""

    def __init__(self, name, make, truth, clock, faults):
        self.name, self.make, self.truth, self.clock, self.faults = name, make, truth, clock, faults


def shared_job(name, template, limit):
    def make(out, seed, *options):
        command = [sys.executable, f"{SHARED}/data/make_ranks.py", f"{SHARED}/data/traces/{template}", out, "--world-size",
                   str(RANKS), "--steps", str(STEPS), "--seed", str(seed), "--stats", "--gzip-level", "1", *limit, *options]
        done = subprocess.run(command, capture_output=True, check=True)
        return json.loads(done.stdout)

    def truth(stats):
        wait, wire = [0] * RANKS, 0
        for c in stats["collectives"]:
            if c["step"] is not None and "wait_us" in c:
                wire += round(c["transfer_us"] * 1000)
                for r, us in enumerate(c["wait_us"]):
                    wait[r] += round(us * 1000)
        return wait, [wire] * RANKS

    return Job(name, make, truth, ["--clock-skew", "500"], dict(some(FAULTS.items(), 3)))


def own_job(name, *more):
    def make(out, seed, *options):
        with contextlib.redirect_stdout(io.StringIO()) as stats:
            generate("ranks", out, "--ranks", RANKS, "--steps", STEPS, "--seed", seed, "--stats", *more, *options)
        return json.loads(stats.getvalue())

    def truth(stats):
        return [r["wait_ns"] for r in stats["ranks"]], None

    return Job(name, make, truth, ["--clock-skew", "500"], FAULTS)


def check_truth(what, job, stats, report):
    """Compares the figures of waiting and transfer with the simulation. It is not called for a slow link, since the kernels of that
    rank end later than these figures explain."""
    wait, wire = job.truth(stats)
    have = figures(report, "comm.wait_time")
    for r in have:
        expect(what, have[r] == per_step(wait[r], STEPS), f"rank {r} waits {have[r]}, and did {per_step(wait[r], STEPS)}")
    have = figures(report, "comm.transfer_time")
    for r in have if wire else ():
        expect(what, have[r] == per_step(wire[r], STEPS), f"rank {r} transfers {have[r]}, and did {per_step(wire[r], STEPS)}")


def check_one(job, seed, folder):
    base, plain = folder / "base", folder / "plain"
    baseline = folder / "baseline.json"
    check_truth(f"{job.name}, seed {seed}", job, job.make(base, seed), metrics(base))
    gpugate("approve", "--new", base, "--baseline", baseline, "--workload", "ranks")

    def check(what, path, codes):
        out = folder / "report.json"
        gpugate("check", path, "--baseline", baseline, "--workload", "ranks", "--json", out, codes=codes)
        return accused(json.loads(out.read_text(encoding="utf-8")))

    what = f"{job.name}, seed {seed}, another unplanted run"
    check_truth(what, job, job.make(plain, seed + 100, *job.clock), metrics(plain))
    expect(what, not accused(metrics(plain)), accused(metrics(plain)))
    expect(what, not check(what, plain, (0,)), check(what, plain, (0,)))
    for fault, (options, rank, named, codes) in job.faults.items():
        path, what = folder / fault.replace(" ", "-"), f"{job.name}, seed {seed}, {fault}"
        stats = job.make(path, seed, *options, *job.clock)
        report = metrics(path)
        codes = (0, 1) if codes is None else codes if isinstance(codes, tuple) else (codes,)
        for where, have in (("metrics", accused(report)), ("check", check(what, path, codes))):
            others = {a for a in have if a != (None, "absent-rank") and (a[0] != rank or a[1] not in named | COMPANIONS)}
            expect(f"{what}, {where}", not others, "accused:", others)
            if fault == "lost rank" and where == "metrics":  # only the world size in the files of the other ranks shows that a rank is absent
                absent = [f["message"] for f in report["trust"] if f["finding"] == "absent-rank"]
                expect(f"{what}, {where}", absent and f"rank {rank} of {RANKS}" in absent[0], absent)
            else:
                expect(f"{what}, {where}", named <= {a[1] for a in have}, "named only:", have)
        if fault in ("slow rank", "late rank"):
            check_truth(what, job, stats, report)
            shares = figures(report, "rank.straggler_pct")
            expect(what, max(shares, key=shares.get) == rank, "stragglers:", shares)


# ---- real ranks of DLRM, matched independently

def dlrm_truth(paths):
    """Waiting, transfer and lateness of each rank, computed the slow way: kernels of one name are matched in order of start."""
    ranks = {}
    for path in paths:
        doc = json.loads(path.read_text(encoding="utf-8"))
        events = [e for e in doc["traceEvents"] if e.get("ph") == "X"]
        step = next(e for e in events if e["name"].startswith("ProfilerStep#") and e["cat"] != "gpu_user_annotation")
        begun = {e["args"]["correlation"]: e["ts"] for e in events
                 if str(e.get("cat")) in ("cuda_runtime", "cuda_driver") and "correlation" in e.get("args", {})}
        own = collections.defaultdict(list)
        for e in sorted(events, key=lambda e: e["ts"]):
            if e.get("cat") == "kernel" and "nccl" in e["name"].lower():
                launched = begun.get(e["args"]["correlation"])
                if launched is not None and step["ts"] <= launched < step["ts"] + step["dur"]:
                    own[e["name"]].append(round(e["dur"] * 1000))
        ranks[doc["distributedInfo"]["rank"]] = own
    wait, wire, late = collections.Counter(), collections.Counter(), collections.Counter()
    for name in next(iter(ranks.values())):
        for durations in zip(*(ranks[r][name] for r in sorted(ranks))):
            short = min(durations)
            for r, dur in zip(sorted(ranks), durations):
                wait[r] += dur - short
                wire[r] += short
                if dur == short and durations.count(short) == 1:
                    late[r] += statistics.median([d for k, d in zip(sorted(ranks), durations) if k != r]) - short
    return wait, wire, late


def check_dlrm(folder):
    paths = sorted(pathlib.Path(folder).glob("*.json"))
    wait, wire, late = dlrm_truth(paths)
    report = metrics(folder)
    step = {m["rank"]: m["samples"][0]["value"] for m in report["metrics"] if m["metric"] == "step.time"}
    for metric, want in (("comm.wait_time", wait), ("comm.transfer_time", wire)):
        have = figures(report, metric)
        expect(f"DLRM, {metric}", have == {r: want[r] for r in have} and len(have) == 4, have, dict(want))
    have = figures(report, "rank.straggler_pct")
    for r in step:
        expect("DLRM, rank.straggler_pct", abs(have[r] - 100 * late[r] / step[r]) < 1e-5, r, have[r], 100 * late[r] / step[r])
    named = {rank for rank, _ in accused(report)}
    expect("DLRM", not named & {1, 3}, "ranks that only wait are named:", accused(report))
    skew = figures(report, "rank.compute_skew_pct")
    expect("DLRM", max(map(abs, skew.values())) < 3, "compute is not nearly equal:", skew)


def check_far_ahead(folder, seed):
    """Hosts that run far ahead of their GPUs: most of the last launches of the stuck rank have no kernel that ended."""
    job = shared_job("fsdp", "fsdp-a100-rank0of16-5steps.json.gz", ["--steps", "3"])
    for place in ("0:3", "2:4"):
        out = folder / place.replace(":", "-")
        job.make(out, seed, "--skip-collective", f"1={place}")
        have = accused(metrics(out))
        expect(f"fsdp, seed {seed}, hang at {place}",
               (1, "stuck") in have and all(r == 1 or what in ("lost-kernels", "lost-copies") for r, what in have), have)


def main():
    if not PROGRAM:
        print("skipped: $GPUGATE is not set")
        return 77
    seeds = [int(a) for a in sys.argv[1:]] or [1]
    jobs = [own_job("generated"), own_job("generated with subgroups", "--groups", "4")]
    if SHARED:
        jobs += [shared_job("a100", "nccl-a100-rank0of2-3steps.json.gz", ["--events-limit", "4000"]),
                 shared_job("dlrm", "dlrm-v100-8rank/rank0.pt.trace.json", [])]
        checks = [lambda _: check_dlrm(f"{SHARED}/data/traces/dlrm-v100-8rank"), lambda folder: check_far_ahead(folder, seeds[0])]
        for check in part(checks):
            with tempfile.TemporaryDirectory() as folder:
                check(pathlib.Path(folder))
    else:
        print("skipped: the shared traces ($GPUGATE_SHARED is not set)")
    jobs = part(jobs)
    for job in jobs:
        for seed in seeds:
            with tempfile.TemporaryDirectory() as folder:
                check_one(job, seed, pathlib.Path(folder))
    print("\n".join(lines))
    print(f"{len(jobs)} jobs, seeds {seeds}, {sum(len(job.faults) for job in jobs)} faults: {len(lines)} disagreements")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
