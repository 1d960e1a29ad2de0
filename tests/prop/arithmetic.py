#!/usr/bin/env python3
"""Times, durations and sizes near the limits of 64 bits are exact, or the file is refused by name; nothing wraps around.

Random events near these limits are compared with unlimited integers (Python's):

- exactly those events are refused that the rules of docs/verdicts.md refuse
- for accepted events, sums, counts, longest duration and window are exact, read by one thread and by several
- an export of Nsight Systems and a memory snapshot with such values end in a digest or in one line; under the sanitizers
  of the build an overflow would end the program

usage: arithmetic.py [SEED…]     ($GPUGATE is the program; exit 77 skips)
"""
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

import _gen  # finds tests/gen
from _part import ALL
import nsys

PROGRAM = os.environ.get("GPUGATE")
TRIALS = 150 if ALL else 75
MOST, LEAST = 2**63 - 1, -2**63
CATS = ("kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "cpu_op", "user_annotation")
GPU = CATS[:3]


def run(*args):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, timeout=120)
    lines = done.stderr.splitlines()
    assert done.returncode in (0, 3), f"{args}: exit {done.returncode}: {done.stderr[-1500:]}"
    assert done.returncode == 0 or (lines and all(line.startswith("gpugate: ") for line in lines)), done.stderr
    return done.returncode, done.stdout, done.stderr


def edge(rng):
    """A number near some limit, sometimes an ordinary one."""
    at = rng.choice([0, 2**31, 2**32, 2**52, 2**53, 2**62, MOST, -2**31, -2**53, -2**62, LEAST, MOST // 2, MOST // 3])
    return at + rng.randrange(-3, 4) if rng.random() < 0.8 else at // rng.randrange(1, 50)


def us(ns):
    """Converts nanoseconds to microseconds, with all digits."""
    sign, ns = ("-", -ns) if ns < 0 else ("", ns)
    return f"{sign}{ns // 1000}.{ns % 1000:03}"


# --- Traces -----------------------------------------------------------------------------------------------------------


def made(rng):
    """Random events as [cat, name, ts, dur, bytes, correlation]. Mostly the times lie in a range that the program accepts."""
    room = rng.choice([MOST, MOST, 2**62, 2**60, 2**58, 2**40])
    start = rng.choice([0, LEAST, -room // 2, MOST - room, edge(rng)])
    out = []
    for i in range(rng.randrange(1, 9)):
        ts = start + rng.randrange(room) if rng.random() < 0.9 else edge(rng)
        dur = rng.choice([rng.randrange(room // 8 + 1), rng.randrange(1000), abs(edge(rng)) if rng.random() < 0.3 else 5])
        size = rng.choice([0, 1, rng.randrange(2**62), abs(edge(rng)) if rng.random() < 0.2 else 7])
        out.append([rng.choice(CATS), f"n{i % 3}", ts, dur, size, rng.choice([i + 1, abs(edge(rng)) or 1])])
    return out


def text(rows):
    shown = []
    for i, (cat, name, ts, dur, size, correlation) in enumerate(rows):
        args = f'"device": 0, "stream": 7, "correlation": {correlation}'
        if cat == "gpu_memcpy":
            args += f', "bytes": {size}'
        shown.append(f'{{"ph": "X", "cat": "{cat}", "name": "{name}", "pid": {0 if cat in GPU else 1}, "tid": 7, "ts": {us(ts)}, '
                     f'"dur": {us(dur)}, "args": {{{args}}}}}')
    return '{"traceEvents": [\n' + ",\n".join(shown) + "\n]}"


def held(v):
    return LEAST <= v <= MOST


def timed(rows):
    """Rows but GPU activities that begin at 0 or before, and more than a second before all other events: nobody timed these."""
    early = [r for r in rows if r[0] in GPU and r[2] <= 0]
    first = min((r[2] for r in rows if r not in early), default=None)
    return [r for r in rows if r not in early or first is None or first - r[2] <= 10**9]


def long_before_launch(rows):
    """GPU activities that begin more than a second before their launch, the first call with their correlation."""
    begun = {}
    for r in rows:
        if r[0] == "cuda_runtime":
            begun[r[5]] = min(r[2], begun.get(r[5], r[2]))
    return [r for r in timed(rows) if r[0] in GPU and begun.get(r[5], r[2]) - r[2] > 10**9]


def refusal(rows):
    """Message of the first rule that the events break; None if they break none."""
    for cat, _, ts, dur, size, correlation in rows:
        if not held(ts) or not held(dur) or not held(ts + dur) or (cat == "gpu_memcpy" and not held(size)):
            return "write the trace anew"
    gpu = [r for r in rows if r[0] in GPU]
    if not held(sum(r[3] for r in gpu)):
        return "add up to more than 292 years"
    for name in {r[1] for r in gpu}:
        if not held(sum(r[4] for r in gpu if r[0] == "gpu_memcpy" and r[1] == name)):
            return "add up to more than 2^63"
    if not held(max(r[2] + r[3] for r in timed(rows)) - min(r[2] for r in timed(rows))):
        return "more than 292 years apart"
    return None


def expected(rows):
    kernels = {}
    last = max(r[2] + r[3] for r in timed(rows))
    known = [r for r in timed(rows) if r not in long_before_launch(rows)]
    for row in (r for r in rows if r[0] in GPU):
        cat, name, _, dur, size, _ = row
        k = kernels.setdefault((cat.removeprefix("gpu_"), name), [0, 0, 0, 0])
        k[:] = k[0] + 1, k[1] + dur * (row in known), max(k[2], dur), k[3] + (size if cat == "gpu_memcpy" else 0)
    first = min(r[2] for r in known)
    return kernels, first, last - first


def total(kernels):
    """Expected count, time and bytes of the GPU activities of each kind (kernel, copy, memory set), over all names."""
    out = {}
    for (kind, _), (nr, ns, _, size) in kernels.items():
        k = out.setdefault(kind, [0, 0, 0])
        k[:] = k[0] + nr, k[1] + ns, k[2] + size
    return out


def traces(dir, seed):
    taken = 0
    for trial in range(TRIALS):
        rng = random.Random(f"{seed} {trial}")
        rows = made(rng)
        (dir / "t.json").write_text(text(rows))
        code, out, said = run("digest", dir / "t.json", "-o", "-", "--marker", "no such marker")
        want = refusal(rows)
        assert (code == 3) == bool(want), f"seed {seed} {trial}: exit {code}, not '{want}': {said}\n{text(rows)}"
        if want:
            continue
        taken += 1
        d = json.loads(out)
        kernels, first, window = expected(rows)
        got = {(k["kind"], k["name"]): [k["count"], k["total_ns"], k["max_ns"], k["bytes"]] for k in d["kernels"]}
        named = {key: k for key, k in got.items() if key in kernels}  # kernels listed by name; small kernels are summed in one row
        assert named == {key: kernels[key] for key in named} and total(got) == total(kernels), f"seed {seed} {trial}: {got}, not {kernels}"
        assert (d["start_ns"], d["window_ns"]) == (first, window), f"seed {seed} {trial}: {d['start_ns']} {d['window_ns']}, not {first} {window}"
        assert run("digest", dir / "t.json", "-o", "-", "--marker", "no such marker", "--jobs", "4")[1] == out
        (dir / "d.json").write_text(out)
        run("report", dir / "d.json")
    return taken


# A case found by fuzzing: the sum of three times, in the order in which the first two overflow.
FOUND = [["gpu_memcpy", "n", -5858629848470163280, 7566047373982435280, 0, 1], ["kernel", "k", 1707417525512372000, 1600000000000000000, 0, 2],
         ["cuda_runtime", "c", 1707417525512373000, 1500000000000000000, 0, 2]]


def found(dir):
    (dir / "t.json").write_text(text(FOUND))
    code, _, said = run("digest", dir / "t.json", "-o", "-")
    assert code == 0 or "292 years" in said, said


# --- Exports of Nsight Systems, and memory snapshots ------------------------------------------------------------------


def exports(dir, seed):
    for trial in range(TRIALS // 5):
        rng = random.Random(f"export {seed} {trial}")
        path = dir / "x.sqlite"
        path.unlink(missing_ok=True)
        export = nsys.Export(path, 4096)
        for i in range(rng.randrange(1, 6)):
            export.gpu_work({"ts": 0, "dur": 1, "name": "k", "cat": "kernel", "args": {"device": 0, "stream": 7, "correlation": i}})
        export.gpus({0})
        export.close()
        db = sqlite3.connect(path)
        for (row,) in db.execute("SELECT rowid FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchall():
            values = [max(LEAST, min(MOST, edge(rng))) for _ in range(4)]
            db.execute('UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = ?, "end" = ?, gridX = ?, correlationId = ? WHERE rowid = ?', (*values, row))
        db.commit()
        db.close()
        run("digest", path, "-o", "-")


def snapshots(dir, seed):
    for trial in range(TRIALS // 5):
        rng = random.Random(f"snapshot {seed} {trial}")
        size = lambda: max(LEAST, min(2**64 - 1, edge(rng)))  # noqa: E731
        history = [{"action": rng.choice(["alloc", "free_requested", "free_completed", "segment_alloc", "segment_free"]), "addr": size(),
                    "size": size(), "stream": 0, "time_us": size(), "frames": []} for _ in range(rng.randrange(6))]
        segments = [{"device": 0, "address": size(), "total_size": size(), "allocated_size": size(), "active_size": size(), "stream": 0,
                     "segment_type": "large", "blocks": [{"address": size(), "size": size(), "requested_size": size(), "state": "active_allocated",
                                                          "frames": []}]} for _ in range(rng.randrange(4))]
        (dir / "s.json").write_text(json.dumps({"segments": segments, "device_traces": [history]}))
        run("digest", dir / "s.json", "-o", "-")


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        dir = pathlib.Path(folder)
        found(dir)
        taken = 0
        for seed in map(int, sys.argv[1:] or ["1"]):
            taken += traces(dir, seed)
            exports(dir, seed)
            snapshots(dir, seed)
        assert taken >= 10, f"only {taken} of the traces were taken"
        print(f"{taken} traces at the edges are exact")
    return 0


if __name__ == "__main__":
    sys.exit(main())
