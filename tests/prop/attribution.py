#!/usr/bin/env python3
"""Every change of a time, memory or count has a breakdown, with parts that add up exactly.

Pairs of runs in which everything differs are judged under rules that allow no change, with several statistics over steps
and ranks. Every failed check must have parts, which on every level add up to the part above; if
means of a single rank are compared, nothing may be left over. Every metric of this kind must fail in one of the pairs.

$GPUGATE is the program; exit 77 skips.
"""
import copy
import decimal
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")

# Metrics whose changes a report cannot break down into parts. It must break down those of all others.
# what a launch takes is not a sum of parts; bytes of an operator have none
RESOURCES = {"op.bytes", "kernel.registers", "kernel.shared_memory", "kernel.local_memory", "kernel.resource_changes"}
NO_PARTS = {
    "memory.oom_count": "an event of its own: nothing is counted below it",
}
# A limit of 0 as rules write it, by unit of the metric. Rates are not tested; of the percentages, only those of memory.
ZERO = {"ns": "0ns", "ns/step": "0ns", "B": "0B", "B/step": "0B", "1": "0", "1/step": "0", "%": "0pp"}
WAYS = ["", "ranks: each", "ranks: mean", "ranks: max"]
STATISTICS = {2: "mean", 3: "p90"}      # index in WAYS: statistic over steps in rules of this kind; other rules use the median


def run(*args):
    p = subprocess.run([str(a) for a in args], capture_output=True, text=True, check=False)
    return p.returncode, p.stdout, p.stderr


# --- Changes that the generators cannot make ------------------------------------------------------


def edited(path, *edits):
    d = json.loads(gzip.decompress(path.read_bytes()))
    for edit in edits:
        edit(d["traceEvents"])
    path.write_bytes(gzip.compress(json.dumps(d).encode(), 1, mtime=0))
    return path


def leak(events):
    """Changes a memory history: each [memory] event keeps more memory allocated, and the one in the middle has a peak."""
    memory = [e for e in events if e["name"] == "[memory]" and e["args"]["Device Type"] == 1]
    for i, e in enumerate(memory):
        e["args"]["Total Allocated"] += 4096 * (1000 + i) + (1 << 30) * (i == len(memory) // 2)
        e["args"]["Bytes"] += 512 * (e["args"]["Bytes"] > 0)
    memory[-1]["args"]["Bytes"] = -memory[-1]["args"]["Bytes"]


def more_calls(events):
    """Adds a synchronization call with another name after every wait of the host, larger copies, and a data loader call."""
    for e in [e for e in events if e["name"] == "cudaEventSynchronize"]:
        call = copy.deepcopy(e)
        call.update(name="cudaStreamSynchronize", ts=e["ts"] + e["dur"] + 0.1, dur=0.25)
        events.append(call)
    for e in [e for e in events if e["name"].startswith("enumerate(DataLoader)")]:
        events.append({**copy.deepcopy(e), "name": "enumerate(DataLoader)#Other", "dur": 3})
    for e in events:
        if e.get("cat") == "gpu_memcpy":
            e["args"]["bytes"] = e["args"]["bytes"] * 3 // 2


def larger_messages(events):
    for e in events:
        if "In msg nelems" in e.get("args", {}):
            for key in ("In msg nelems", "Out msg nelems"):
                e["args"][key] = e["args"][key] * 5 // 4
            e["args"]["dtype"] = "Float"


def frames(events):
    """Puts everything on a thread with operators into a module and at a line of code."""
    hosts = [e for e in events if e.get("ph") == "X" and e.get("cat") in ("cpu_op", "cuda_runtime")]
    start, end = min(e["ts"] for e in hosts) - 2, max(e["ts"] + e["dur"] for e in hosts) + 2
    for pid, tid in sorted({(e["pid"], e["tid"]) for e in hosts}):
        for i, name in enumerate(("train.py(12): step", "nn.Module: Net_0")):
            events.append({"ph": "X", "cat": "python_function", "name": name, "pid": pid, "tid": tid, "ts": start + i, "dur": end - start - 2 * i,
                           "args": {"Python id": 2 * tid + i + 1, "Python parent id": 2 * tid + i}})


# --- Runs: (baseline, its later runs, candidates), each a list of files or folders --------------------


def one_rank(dir):
    options = "--steps", "6", "--nccl"
    base = generate("trace", dir / "base.json.gz", "--seed", "1", *options)
    candidate = generate("trace", dir / "candidate.json.gz", "--seed", "2", "--steps", "7", "--nccl", "--peak-memory", "1.2",
                         "--fragmentation", "9", "--slow-kernel", "*flash*=1.4", "--extra-launches", "*nccl*=1",
                         "--extra-launches", "*elementwise*=2", "--new-kernel", "fresh=30")
    return base, [], [edited(candidate, leak, more_calls, larger_messages)]


def with_frames(dir):
    base, later, [candidate] = one_rank(dir)
    return edited(base, frames), later, [edited(candidate, frames)]


def aliased(dir):
    """Kernels of communication whose name does not tell it: the rules call them something else."""
    return with_frames(dir)


def renamed(dir):
    options = "--steps", "6", "--no-memory"
    base = generate("trace", dir / "base.json.gz", "--seed", "1", *options)
    return base, [], [generate("trace", dir / "candidate.json.gz", "--seed", "2", *options, "--rename-kernel",
                               "*flash_bwd*=another_name", "--slow-kernel", "*flash*=1.05")]


def several_runs(dir):
    """A baseline whose three later runs are the reference, and three candidate runs, whose median is judged."""
    runs = [generate("trace", dir / f"{i}.json.gz", "--seed", str(i), "--steps", "6", "--peak-memory", str(1 + i / 50)) for i in range(1, 8)]
    return runs[0], runs[1:4], runs[4:]


def one_window(dir):
    options = "--no-steps", "--steps", "3"
    base = generate("trace", dir / "base.json.gz", "--seed", "1", *options)
    candidate = generate("trace", dir / "candidate.json.gz", "--seed", "2", *options)
    return base, [], [edited(candidate, more_calls)]


def ranks(dir):
    base = generate("ranks", dir / "base", "--ranks", "4", "--seed", "1", "--groups", "2")
    return base, [], [generate("ranks", dir / "candidate", "--ranks", "4", "--seed", "2", "--groups", "2", "--steps", "6",
                               "--slow-rank", "2=1.2", "--late-rank", "1=400", "--slow-link", "3=1.5")]


def steps_missing(dir):
    """The runs of ranks(), but rank 3 of the candidate lacks the last step."""
    base, later, [candidate] = ranks(dir)

    def without_last_step(events):
        last = max((e for e in events if e["name"].startswith("ProfilerStep")), key=lambda e: e["ts"])
        events[:] = [e for e in events if e.get("ts", 0) < last["ts"]]
    edited(candidate / "rank3.json.gz", without_last_step)
    return base, later, [candidate]


def snapshots(dir):
    base = generate("snapshot", dir / "base.json.gz", "--seed", "1")
    return base, [], [generate("snapshot", dir / "candidate.json.gz", "--seed", "2", "--layers", "5", "--steps", "7",
                               "--leak", "3000000", "--peak", "7", "--fragmentation", "0.3", "--oom")]


def both_sources(dir):
    """The baseline has only a trace, the candidate also a snapshot of the same memory."""
    base = generate("trace", dir / "base.json.gz", "--seed", "1", "--steps", "5")
    folder = dir / "both"
    folder.mkdir()
    generate("trace", folder / "trace.json.gz", "--seed", "2", "--steps", "5")
    generate("snapshot", folder / "snapshot.json.gz", "--seed", "2")
    return base, [], [folder]


def server(dir):
    base = generate("server", dir / "base.json.gz", "--seed", "1")
    return base, [], [generate("server", dir / "candidate.json.gz", "--seed", "2", "--steps", "30", "--slow", "decode=1.3",
                               "--slow", "mixed=0.8")]


def servers(dir):
    """Runs with so many steps that the baseline keeps only sums and statistics of them."""
    base = generate("server", dir / "base", "--seed", "1", "--ranks", "24", "--steps", "120")
    return base, [], [generate("server", dir / "candidate", "--seed", "2", "--ranks", "24", "--slow", "decode=1.3")]


ONE_RANK = one_rank, one_window, snapshots, both_sources, server
MARKERS = {server: "execute_*", servers: "execute_*"}
# Metrics that exist for phases, and the phases that each kind of run has.
OF_PHASES = """step.time step.cuda_time step.kernel_time step.memcpy_time step.memset_time step.compute_time step.comm_time
    step.kernel_count""".split()
PHASES = {one_rank: "forward backward optimizer dataloader communication", several_runs: "backward", one_window: "forward backward",
          server: "prefill decode mixed", servers: "decode"}
SHOWN = "forward backward optimizer communication prefill decode mixed".split()

# --- Rules and checks of the parts -------------------------------------------------------------------


def selected(m, make):
    """The phases for which a metric is checked; None means whole steps."""
    of = PHASES.get(make, "").split() if m in OF_PHASES else []
    if m == "step.time":
        of = [p for p in of if make in MARKERS]
    elif m == "step.comm_time":
        of = [p for p in of if make in MARKERS or p == "communication"]
    return [None, *of]


def rules(path, metrics, make):
    lines = ["version: 1\nworkload: attribution\ndefaults: {noise: {min_runs: 3}}"]
    if make in MARKERS:
        lines.append(f"steps: {{marker: \"{MARKERS[make]}\"}}")
    lines.append("rules:")
    for m, unit in metrics.items():
        for i, way in enumerate(WAYS):
            for phase in selected(m, make):
                words = [f"id: {m}{f'-{phase}' if phase else ''}-{i}", f"metric: {m}", *([way] if way else []),
                         f"fail: {{change: {ZERO[unit]}}}", "on_missing: skip"]
                if m.startswith("step.") and i in STATISTICS:
                    words.append(f"stat: {STATISTICS[i]}")
                if phase:
                    words.append(f"select: {{phase: {phase}}}")
                lines.append(f"  - {{{', '.join(words)}}}")
    if make is aliased:
        lines[1:1] = ['kernels: {alias: [{match: "*nccl*", as: exchange}]}']
        lines += [f"  - {{id: {m}-of-class, metric: {m}, select: {{class: communication}}, fail: {{change: {ZERO[metrics[m]]}}}}}"
                  for m in ("op.gpu_time", "op.self_gpu_time")]
    path.write_text("\n".join(lines) + "\n")
    return path


def faults(parts, change, level=0):
    """Error lines: one for each level whose parts do not add up to the change of the part above them."""
    here = [i for i, p in enumerate(parts) if p["level"] == level]
    wrong = []
    if not here or here[0] or sum(parts[i]["change"] for i in here) != change:
        wrong.append(f"parts of level {level} do not add up to {change}: {parts}")
    for i, end in zip(here, here[1:] + [len(parts)]):
        if end > i + 1:
            wrong += faults(parts[i + 1:end], parts[i]["change"], level + 1)
        if not parts[i]["change"] or not parts[i]["part"]:
            wrong.append(f"a part that says nothing: {parts[i]}")
    return wrong


def of_check(c, of_one_rank):
    if c["metric"] in NO_PARTS:
        return ["has parts: take it out of the list"] if c["attribution"] else []
    if not c["attribution"]: # the host's time of a step can only be broken down by rank
        return [] if c["metric"] == "step.time" else ["no parts"]
    left = [p for p in c["attribution"] if re.fullmatch(r"\w+ − mean", p["part"])]
    of_means = [p for p in left if of_one_rank and c["rule"].endswith("-2")]
    empty = [p for p in left if p["part"].startswith(("mean ", "each "))]
    return faults(c["attribution"], c["change"]) + [f"left over: {p}" for p in of_means + empty]


def judge(dir, make, metrics):
    """The metrics of all failed checks, and lines about what is wrong with them."""
    base, later, candidates = make(dir)
    stored = ["--rules", rules(dir / "rules.yaml", metrics, make), "--baseline", dir / "baseline.json"]
    for command, artifact in [("approve", base)] + [("store", path) for path in later]:
        code, _, err = run(PROGRAM, command, artifact, *stored, "--force" if command == "store" else "--new")
        assert code == 0, err
    words = [candidates[0], *(w for path in candidates[1:] for w in ("--repeat", path))]
    code, _, err = run(PROGRAM, "check", *words, *stored, "--json", dir / "result.json", "--markdown", dir / "result.md")
    assert code == 1, (code, err)
    checks = json.loads((dir / "result.json").read_text(encoding="utf-8"), parse_float=decimal.Decimal)["checks"]
    failed = [c for c in checks if c["verdict"] == "fail" and c["change"] is not None]
    wrong = [f"{c['id']} ({c['baseline']} to {c['candidate']}): {line}" for c in failed for line in of_check(c, make in ONE_RANK)]
    return {(c["metric"], c["item"] if c["metric"] in OF_PHASES else "") for c in failed}, wrong


def main():
    if not PROGRAM:
        sys.exit(77)
    _, table, _ = run(PROGRAM, "metrics")
    metrics = {m: unit for m, unit in re.findall(r"^ *([a-z_]+\.[a-z_0-9]+) +(\S+)", table, re.M)
               if unit in ZERO and not m.startswith("machine.") and m not in RESOURCES and (unit != "%" or m.startswith("memory."))}
    failed, bad = set(), False
    for make in (one_rank, with_frames, aliased, renamed, several_runs, one_window, ranks, steps_missing, snapshots, both_sources, server, servers):
        with tempfile.TemporaryDirectory() as dir:
            seen, wrong = judge(pathlib.Path(dir), make, metrics)
        print(f"{'FAIL' if wrong else 'ok  '} {make.__name__}: {len(seen)} metrics")
        for line in wrong:
            print(f"     {line}")
        failed |= seen
        bad = bad or wrong
    missing = set(metrics) - {m for m, _ in failed} | set(SHOWN) - {p for _, p in failed}
    if missing:
        print(f"FAIL never shown: {' '.join(sorted(missing))}")
        bad = True
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
