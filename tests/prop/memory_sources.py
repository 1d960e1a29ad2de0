#!/usr/bin/env python3
"""Memory is compared by the source that all ranks of both sides have, and not judged where there is none.

Each of two ranks of each side has memory of its trace, a snapshot, both or neither; each pair of such sides is compared, one by
one source as whole files, others as digests, or with a run of another form in the history. The figures that are compared are
always those of the preferred source that all have: a snapshot, else the trace. Without one the check is inconclusive, and so it
is if one side has memory of one rank and the other side of another.

$GPUGATE is the program; exit 77 skips.
"""
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("GPUGATE")
RULES = "version: 1\nrules:\n  - {id: m, metric: memory.peak_allocated, fail: {increase: 50%}, on_missing: skip}\n"
FORMS = list(itertools.product(("", "t", "s", "ts"), repeat=2))     # what memory each of the two ranks has
MIB = 1 << 20


def trace(rank, peak):
    """A trace of three steps; `peak`: bytes of its memory, or 0."""
    events = []
    for s in range(3):
        at = 1000 * (s + 1)
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{s}", "pid": 1, "tid": 1, "ts": at, "dur": 900})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 1, "dur": 2,
                       "args": {"correlation": s + 1}})
        events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": at + 5, "dur": 800 + rank,
                       "args": {"device": 0, "stream": 7, "correlation": s + 1}})
        if peak:
            events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": at + 9,
                           "args": {"Total Allocated": peak, "Total Reserved": 2 * peak, "Bytes": MIB, "Addr": 4096 * s,
                                    "Device Id": 0, "Device Type": 1}})
    return {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2, "backend": "nccl"}, "traceEvents": events}


def snapshot(peak):
    block = {"size": peak, "requested_size": peak, "address": 1 << 40, "state": "active_allocated", "frames": []}
    segment = {"device": 0, "address": 1 << 40, "total_size": peak, "allocated_size": peak, "active_size": peak,
               "requested_size": peak, "stream": 0, "segment_type": "large", "blocks": [block]}
    actions = [{"action": a, "addr": 1 << 40, "size": peak, "stream": 0, "frames": [], "time_us": 10 + i}
               for i, a in enumerate(("segment_alloc", "alloc"))]
    return {"segments": [segment], "device_traces": [actions], "allocator_settings": {}}


def run(*args):
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True)


def make(folder, form, peaks, stored):
    """The files of a run in a new folder, or their digests."""
    folder.mkdir(parents=True)
    for rank, has in enumerate(form):
        files = [folder / f"rank{rank}.json"]
        files[0].write_text(json.dumps(trace(rank, peaks["t"] if "t" in has else 0)))
        if "s" in has:
            files.append(folder / f"rank{rank}_snapshot.json")
            files[1].write_text(json.dumps(snapshot(peaks["s"])))
        if stored:
            made = run("digest", *files, "-o", folder / f"d{rank}.json.gz")
            assert made.returncode == 0, made.stderr
            for f in files:
                f.unlink()
    return folder


def common(*forms):
    """The source by which these runs are compared: "s", "t", or "" if there is none; None without any memory."""
    ranks = [set(has) for form in forms for has in form if has]
    shared = set.intersection(*ranks) if ranks else None
    return None if shared is None else "s" if "s" in shared else "t" if shared else ""


def judge(folder, base, cand, past, stored):
    """Faults of one comparison, as sentences. `past`: the form of a run of the history, or None."""
    peaks = {"b": {"t": 100 * MIB, "s": 120 * MIB}, "c": {"t": 200 * MIB, "s": 300 * MIB}, "p": {"t": 110 * MIB, "s": 140 * MIB}}
    folder.mkdir()
    (folder / "r.yaml").write_text(RULES)
    args = ["--workload", "w", "--baseline", folder / "w.json", "--rules", folder / "r.yaml"]
    made = run("approve", "--new", make(folder / "b", base, peaks["b"], stored), *args, "--accept", "memory-source-differs")
    if past:
        made = run("store", make(folder / "p", past, peaks["p"], stored), *args, "--accept", "memory-source-differs")
    if made.returncode and "not taken" not in made.stderr:  # a run whose memory cannot be judged is not taken
        yield f"no baseline: {made.stderr}"
        return
    past = None if made.returncode else past
    got = run("check", make(folder / "c", cand, peaks["c"], stored), *args, "--json", folder / "o.json")
    if got.returncode not in (0, 1, 3):
        yield f"exit {got.returncode}: {got.stderr}"
        return
    report = json.loads((folder / "o.json").read_text())
    check, by = report["checks"][0], common(base, cand)
    told = any("compared by the traces" in w for w in report["warnings"])
    if not any(base) or not any(cand):
        if check["verdict"] in ("pass", "fail", "improved", "warn"):
            yield f"{check['verdict']} without memory on both sides"
        return
    others = any(b and not c for b, c in zip(base, cand)) and any(c and not b for b, c in zip(base, cand))
    if not by or others:
        if check["verdict"] != "inconclusive":
            yield f"{check['verdict']} {'with memory of other ranks' if by else 'without a common source'}"
        return
    ranks = [sum(map(bool, form)) for form in (base, cand, past or base)]
    if check["verdict"] != ("missing" if ranks[1] < ranks[0] else "fail"):
        yield f"{check['verdict']} where memory doubled"
    want = peaks["b"][by]
    if past and ranks[2] >= ranks[0] and by in (common(past) or "") + ("t" if common(past) == "s" and all("t" in has for has in past if has) else ""):
        want = (want + peaks["p"][by]) // 2
    if (check["baseline"], check["candidate"]) != (want, peaks["c"][by]):
        yield f"{check['baseline']} → {check['candidate']} were compared, not {want} → {peaks['c'][by]}"
    if told != (by == "t" and any(has == "ts" for has in base + cand)):
        yield f"the report {'says' if told else 'does not say'} that the traces were compared"


def main():
    wrong, walked, chance = [], 0, random.Random(35)
    with tempfile.TemporaryDirectory() as tmp:
        pairs = chance.sample(list(itertools.product(FORMS, FORMS)), 120)
        for nr, (base, cand) in enumerate(pairs):
            past = chance.choice(FORMS) if nr % 2 else None
            name = f"{base} against {cand}, past {past}, {'digests' if nr % 3 == 0 else 'files'}"
            wrong += [f"{name}: {fault}" for fault in judge(pathlib.Path(tmp) / str(nr), base, cand, past, nr % 3 == 0)]
            walked += 1
    for line in wrong:
        print(line)
    print(f"{walked} comparisons, {len(wrong)} wrong")
    sys.exit(bool(wrong) or not walked)


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit(77)
    main()
