#!/usr/bin/env python3
"""Damage must not pass in silence: a run with planted damage is compared with the undamaged run under the built-in rules.
Each row of the table has the exit code, and what the report must name.

The runs are generated and, with $GPUGATE_SHARED, also recorded ones. $GPUGATE is the program; exit 77 skips. Each row is
printed with its name, trace and exit code. With --table nothing is checked, so that another program can be compared. """
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from _gen import ANYWAY, generate
from _part import some

PROGRAM, SHARED = os.environ.get("GPUGATE"), os.environ.get("GPUGATE_SHARED")
RECORDED = ["ns-v100-rank0of1-5steps.pt.trace.json.gz", "resnet50-v100-nw0-session1.pt.trace.json.gz"]
TABLE = "--table" in sys.argv[1:]
GPU = ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset")


def category(e):
    return str(e.get("cat", "")).lower()


def kernels(events):
    return [e for e in events if category(e) == "kernel"]


def marks(events):
    return sorted((e for e in events if str(e.get("name", "")).startswith("ProfilerStep#") and e.get("ph") == "X" and
                   category(e) in ("user_annotation", "cpu_op", "operator")), key=lambda e: float(e["ts"]))


# --- Damage to the list of events ----------------------------------------------------------------------------


def longest_lost(events):
    """Leaves out the longest kernels: 80 of them, or 1 % of all kernels if that is fewer."""
    all_ = kernels(events)
    nr = min(80, len(all_) // 100)
    lost = {id(e) for e in sorted(all_, key=lambda e: -float(e["dur"]))[:nr]}
    return [e for e in events if id(e) not in lost]


def unnamed(events):
    for e in kernels(events)[::7]:
        del e["name"]
    return events


def no_memory(events):
    return [e for e in events if "Total Allocated" not in (e.get("args") or {})]


def no_collectives(events):
    gone = {str((e.get("args") or {}).get("correlation")) for e in kernels(events) if "nccl" in e["name"].lower()}
    return [e for e in events if str((e.get("args") or {}).get("correlation")) not in gone]


def first_steps(nr):
    def cut(events):
        steps = marks(events)
        if len(steps) <= nr:
            return events
        gone, end = {id(e) for e in steps[nr:]}, float(steps[nr]["ts"])
        calls = {str((e.get("args") or {}).get("correlation")) for e in events if category(e).endswith("runtime")
                 and float(e["ts"]) < end}
        return [e for e in events if id(e) not in gone and e.get("ph") != "X" or
                (id(e) not in gone and (str((e.get("args") or {}).get("correlation")) in calls
                                        if category(e) in GPU else float(e.get("ts", 0)) < end))]
    return cut


def other_gpu(events):
    return events


def smaller_batch(events):
    for e in events:
        args = e.get("args") or {}
        if category(e) == "kernel":
            e["dur"] = round(float(e["dur"]) * 0.75, 3)
            if args.get("grid"):
                args["grid"] = [max(1, round(args["grid"][0] * 0.75)), *args["grid"][1:]]
        for key in ("bytes", "Bytes"):
            if category(e) in ("gpu_memcpy", "memcpy") and key in args:
                args[key] = args[key] * 3 // 4
    return events


def shifted(events, after, by):
    """Inserts time: everything that begins later is delayed, and events across that moment become longer."""
    for e in events:
        if "ts" not in e:
            continue
        start, dur = float(e["ts"]), float(e.get("dur", 0) or 0)
        if start >= after:
            e["ts"] = start + by
        elif start + dur > after and category(e) not in GPU:
            e["dur"] = dur + by
    return events


def host_time(events):
    return shifted(events, min(float(e["ts"]) for e in kernels(events)) - 0.5, 300e3)


def syncs(events):
    """Adds six more waits for the device to each step."""
    for step in marks(events):
        for i in range(6):
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "pid": step["pid"],
                           "tid": step["tid"], "ts": float(step["ts"]) + 1 + i, "dur": 0.5, "args": {}})
    return events


def capture(events):
    """Launches inside a stream capture launch no kernels, so none of their kernels is lost."""
    thread = {"pid": marks(events)[0]["pid"], "tid": 999, "ph": "X", "cat": "cuda_runtime", "dur": 1}
    at = float(marks(events)[0]["ts"])
    names = ["cudaStreamBeginCapture", *["cudaLaunchKernel"] * 500, "cudaStreamEndCapture"]
    return events + [{**thread, "name": n, "ts": at + 2 * i, "args": {"correlation": 900000000 + i}}
                     for i, n in enumerate(names)]


# --- The table: name, damage, expected result ----------------------------------------------------------------

ROWS = [
    ("unchanged", lambda events: events, 0, None),
    ("launches inside a capture", capture, 0, None),
    ("the longest kernels lost", longest_lost, 3, "lost-kernels"),
    ("kernels without a name", unnamed, 3, "unnamed-kernels"),
    ("no memory", no_memory, 3, "missing"),
    ("no collectives", no_collectives, 3, "missing"),
    ("one step", first_steps(1), 3, "too-few-steps"),
    ("two steps", first_steps(2), 3, "too-few-steps"),
    ("a smaller batch", smaller_batch, 3, "context-differs"),
    ("time before the first kernel", host_time, 0, "warn"),
    ("six waits more", syncs, 1, "sync-count"),
]


def run(*args):
    p = subprocess.run([str(a) for a in args], capture_output=True, text=True, check=False)
    return p.returncode, p.stdout, p.stderr


def check(dir, candidate, *more):
    code, out, err = run(PROGRAM, "check", candidate, "--baseline", dir / "base", "--json", dir / "result", *more)
    result = json.loads((dir / "result").read_text(encoding="utf-8"))
    said = {f["finding"] for f in result["trust"] if f["spoils"]}
    for c in result["checks"]:
        said.add(c["verdict"])
        if c["verdict"] in ("warn", "fail"):
            said.add(c["rule"])
    return code, said, out + err


def judge(where, name, code, law, said):
    """Runs one row of the table, prints its result, and checks it."""
    print(f"{name} ({where}): exit {code}" + (", warned" if "warn" in said else ""))
    assert law or TABLE, (where, name, code, said)


def of_trace(dir, path, rows):
    text = path.read_bytes()
    text = gzip.decompress(text) if path.suffix == ".gz" else text
    code, _, err = run(PROGRAM, "approve", "--new", path, "--baseline", dir / "base", "--force")
    assert code == 0, err
    for name, damage, want, word in rows:
        trace = json.loads(text.decode("utf-8", "replace"))
        events = trace if isinstance(trace, list) else trace["traceEvents"]
        before = len(events)
        events = damage(events)
        if len(events) == before and damage in (no_memory, no_collectives, longest_lost):
            continue  # the trace has none of the events that the damage removes
        candidate = dir / f"damaged-{path.name.split('.')[0]}.json"
        candidate.write_text(json.dumps(events if isinstance(trace, list) else {**trace, "traceEvents": events}))
        code, said, out = check(dir, candidate)
        silent = word is None and not said & {"warn", "fail"}
        judge(path.name, name, code, code == want and (silent or word in said), [*sorted(said), out])


def of_controls(dir, path):
    """A control run that is damaged, of another machine, or not a run of its own decides nothing, whether the candidate is slower or not."""
    whole = json.loads(path.read_text())

    def written(name, damage, by):
        made = json.loads(json.dumps(whole))
        made["traceEvents"] = damage(made["traceEvents"])
        for e in kernels(made["traceEvents"]):
            e["dur"] = round(float(e["dur"]) * 0.8 * by, 3)
        if damage is other_gpu:
            made["deviceProperties"][0]["name"] = "NVIDIA L4"
        (dir / name).write_text(json.dumps(made))
        return dir / name
    code, _, err = run(PROGRAM, "approve", "--new", written("base-control.json", ROWS[0][1], 1), "--baseline", dir / "base", "--force")
    assert code == 0, err
    for name, damage, want, word in [*ROWS[:1], *(row for row in ROWS if row[2] == 3 and row[3] != "missing"), ("another GPU", other_gpu, 3, "NVIDIA L4"),
                                     ("the candidate's own", None, 3, "is the same as another run")]:
        for nr, slower in ((1, 1), (1, 1.2), (3, 1), (3, 1.2)):
            runs = [written(f"new{i}.json", ROWS[0][1], slower + (i + 1) / 1e4) for i in range(nr)]
            controls = [written(f"old{i}.json", damage, 1 - (i + 1) / 1e4) if damage else runs[i] for i in range(nr)]
            more = [f"--repeat={r}" for r in runs[1:]] + [f"--control={c}" for c in controls]
            code, out, err = run(PROGRAM, "check", runs[0], "--baseline", dir / "base", *more)
            said = word in " ".join((out + err).split()) if word else code == (slower > 1)
            judge(f"{nr} control runs, candidate x{slower}", name, code, said and (code == 3) == bool(word), (out, err))
    for name in ("b", "new", "old"):  # figures of files may be equal by chance
        (dir / f"{name}-figures.json").write_text('{"tokens_per_s": 1000, "latency_ms": 12}')
    assert run(PROGRAM, "approve", "--new", dir / "b-figures.json", "--baseline", dir / "base", "--force")[0] == 0
    code, out, err = run(PROGRAM, "check", dir / "new-figures.json", "--baseline", dir / "base", "--control", dir / "old-figures.json")
    judge("a control run", "equal figures", code, code == 0, (out, err))


def of_all_alike(dir, path):
    """A common slow-down that the median step or the limits of whole steps leave out does not pass."""
    whole = json.loads(path.read_text())
    starts = [float(e["ts"]) for e in marks(whole["traceEvents"])]
    (dir / "wide.yaml").write_text("version: 2\nrules: {creep: off, %s}\n" % ", ".join(
        f"{rule}: {{warn: off, fail: {{increase: 90%}}}}" for rule in ("step-compute-time", "step-cuda-time", "step-period")))

    def written(name, every, by):
        made = json.loads(json.dumps(whole))
        for e in kernels(made["traceEvents"]):
            step = sum(start <= float(e["ts"]) for start in starts)
            e["dur"] = round(float(e["dur"]) * 0.6 * (1 if step % every else by), 3)
        (dir / name).write_text(json.dumps(made))
        return dir / name
    base = written("base-alike.json", 1, 1)
    for rules in ([], ["--rules", dir / "wide.yaml"]):
        code, _, err = run(PROGRAM, "approve", "--new", base, "--baseline", dir / "base", "--force", *rules)
        assert code == 0, err
        for every, by in ((3, 1), (3, 1.3), (3, 1.6)) if not rules else ((1, 1), (1, 1.3), (1, 1.6)):
            code, said, out = check(dir, written("alike.json", every, by), *rules)
            judge(f"every {every}. step x{by}", rules, code, (code in (1, 3)) == (by > 1) and ("operators" in said or not rules) == (by > 1 or not rules), (said, out))


def of_ranks(dir, path):
    """A rank on another GPU, or of a job of another size, is another environment, whichever rank it is."""
    whole = json.loads(path.read_text())

    def job(name, odd=None, **other):
        for rank in range(3):
            whole["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": other.get("size", 3) if rank == odd else 3}
            whole["deviceProperties"][0]["name"] = other.get("gpu", "NVIDIA H100") if rank == odd else "NVIDIA H100"
            (dir / name).mkdir(exist_ok=True)
            (dir / name / f"rank{rank}.json").write_text(json.dumps(whole))
        return dir / name
    code, _, err = run(PROGRAM, "approve", "--new", job("ranks"), "--baseline", dir / "base", "--force", "--accept", "same-recording")
    assert code == 0, err
    for odd in range(3):
        for other in ({"gpu": "NVIDIA L4"}, {"size": 8}):
            code, out, err = run(PROGRAM, "check", job("ranks", odd, **other), "--baseline", dir / "base")
            judge(f"rank {odd}", other, code, code == 4 and "another environment" in err, (out, err))


SERVERS = {"vLLM": "execute_context_0(0)_generation_{0}({0})", "vLLM with details": "execute_{0}_context_0(sq0sk0)_generation_{0}(sq{0}sk99)",
           "old vLLM": "execute_new_0_cached_{0}", "SGLang": "step[DECODE bs={0}]"}


def of_servers(dir, path):
    """Steps of a server with other numbers of requests are other work, whether they are judged as steps or as a window; the same numbers, or
    numbers that both runs have, are not. Steps of prefill do not count beside those of decode."""
    events = json.loads(path.read_text())["traceEvents"]
    steps = marks(events)

    def written(name, form, batches, prefill=0):
        for e, n in zip(steps, batches):
            e["name"] = form.format(n)
        for e in steps[:prefill]:
            e["name"] = "step[EXTEND bs=1 toks=300]"
        (dir / name).write_text(json.dumps({"traceEvents": events}))
        return dir / name
    for server, form in SERVERS.items():
        for marker in ([], ["--marker", form[:5] + "*"]):
            base = written("base-server.json", form, [32] * 6, prefill=2 if server == "SGLang" else 0)
            code, _, err = run(PROGRAM, "approve", "--new", base, "--baseline", dir / "base", "--force", *marker)
            assert code == 0, err
            for batches, other in (([32] * 6, False), ([30, 32, 31, 32, 33, 32], False), ([8] * 6, True), ([34, 35, 36, 37, 38, 34], True), ([30] * 6, True), ([31] * 6, False)):
                candidate = written("server.json", form, batches, prefill=1 if server == "SGLang" else 0)
                code, out, err = run(PROGRAM, "check", candidate, "--baseline", dir / "base", *marker)
                judge(f"{server} {marker}", f"{batches} requests", code, (code == 3 and "another batch" in " ".join(out.split())) == other and code in (0, 3), (out, err))


def of_kinds(dir):
    """Steps of a server are judged kind by kind: a kind that is slower fails though the median step is of another one, and equal code passes though
    the kinds have other shares. Where a kind has too few steps for that, figures of all steps compare only if that kind hardly counts."""
    def served(name, kinds, slower=(), gap=0.0, rank=0, tokens=300):
        events, ts = [], 1e6 + rank
        for i, kind in enumerate(kinds):
            begin, end = ts, ts + 10
            for k, (kernel, us) in enumerate((("gemm", 60), ("attention", 40), ("norm", 8), ("gemm_up", 50), ("silu", 9))):
                call, us = i * 10 + k + 1, us * (8 if kind == "EXTEND" else 1) * (1.3 if kind in slower else 1) * (1 + (i * 7 + k + rank) % 5 * 1e-4)
                events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": ts, "dur": 2, "args": {"correlation": call}},
                           {"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": end, "dur": us, "args": {"device": 0, "stream": 7, "correlation": call}}]
                ts, end = ts + 3, end + us + 1 + gap
            events.append({"ph": "X", "cat": "user_annotation", "name": f"step[{kind} bs=4{f' toks={tokens}' * (kind == 'EXTEND')}]", "pid": 1, "tid": 1, "ts": begin, "dur": end - begin - 1})
            ts = end
        (dir / name).write_text(json.dumps({"deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}))
        return dir / name

    def mixed(**nr):
        order = sorted((n * (i + 0.5) / nr[kind], kind) for kind in nr for n in [1] for i in range(nr[kind]))
        return [kind for _, kind in order]
    few, many = mixed(EXTEND=5, DECODE=20), mixed(EXTEND=20, DECODE=60)
    for base, candidate, more, want, word in (
            (few, few, {}, 0, "decode step"), (few, mixed(EXTEND=14, DECODE=11), {}, 0, "decode step"), (mixed(EXTEND=7, DECODE=5), mixed(EXTEND=5, DECODE=7), {}, 0, ""),
            (mixed(EXTEND=7, DECODE=5), mixed(EXTEND=5, DECODE=7), {"slower": ["DECODE"]}, 1, "each decode step is slower, in compute"),
            (few, mixed(EXTEND=9, DECODE=16), {"slower": ["EXTEND"]}, 1, "each prefill step is slower, in compute"),
            (few, few, {"slower": ["EXTEND"]}, 1, "each prefill step is slower, in compute"), (few, mixed(EXTEND=9, DECODE=16), {"gap": 40.0}, 1, "wall time per decode step"),
            (many, mixed(EXTEND=30, DECODE=50), {}, 0, "decode step"), (many, mixed(EXTEND=30, DECODE=50), {"slower": ["DECODE"]}, 1, "each decode step is slower"),
            (mixed(EXTEND=8, DECODE=20, MIXED=9), mixed(EXTEND=11, DECODE=20, MIXED=4), {"slower": ["MIXED"]}, 1, "each mixed step is slower, in compute"),
            (mixed(EXTEND=1, DECODE=12), mixed(EXTEND=2, DECODE=11), {}, 3, "context-differs"), (["EXTEND"] * 9, ["DECODE"] * 9, {}, 3, "context-differs"),
            (["DECODE"] * 40, mixed(EXTEND=2, DECODE=40), {}, 3, "context-differs"),
            (mixed(EXTEND=5, TARGET_VERIFY=20), ["TARGET_VERIFY"] * 25, {}, 3, "25 of verify, and there 5 of prefill, 20 of verify"),
            (mixed(EXTEND=5, DRAFT_EXTEND=20), ["DRAFT_EXTEND"] * 25, {}, 3, "25 of other, and there 5 of prefill, 20 of other"),
            (mixed(EXTEND=5, TARGET_VERIFY=20), mixed(EXTEND=9, TARGET_VERIFY=16), {"slower": ["TARGET_VERIFY"]}, 1, "each verify step is slower"),
            (mixed(EXTEND=5, DECODE=20, IDLE=40), mixed(EXTEND=5, DECODE=20, IDLE=50), {"slower": ["DECODE"]}, 1, "compute per decode step"),
            (mixed(EXTEND=5, DECODE=20, IDLE=50), mixed(EXTEND=5, DECODE=20, IDLE=40), {}, 0, "decode step"),
            (["EXTEND"] * 9, ["EXTEND"] * 9, {"tokens": 200}, 3, "has steps of 200 tokens and the baseline of 300"),
            (mixed(EXTEND=5, DECODE=20), mixed(EXTEND=9, DECODE=20), {"tokens": 295}, 0, "decode step"),
            (mixed(MIXED=1, DECODE=40), mixed(MIXED=2, DECODE=40), {}, 0, "2 steps of mixed are not judged, as the baseline has 1"),
            (mixed(MIXED=2, DECODE=40), ["DECODE"] * 40, {}, 0, "0 steps of mixed are not judged, as the baseline has 2")):
        code, _, err = run(PROGRAM, "approve", "--new", served("served.json", base), "--baseline", dir / "base", "--force", "--marker", "step[*")
        assert code == 0, err
        code, said, out = check(dir, served("now.json", candidate, **more, rank=3), "--marker", "step[*")
        judge("kinds", f"{base.count('EXTEND')} of {len(base)} → {candidate.count('EXTEND')} of {len(candidate)} {more}", code,
              code == want and word in " ".join(out.split()), [*sorted(said), out])


def of_accumulation(dir):
    """Steps of training that accumulates gradients are judged by kind, with and without work of the optimizer, or by their mean where few have some:
    the median is that of the others. Where the last step of the recording decides which kind there is more of, the runs do not compare."""
    def trained(name, every, nr, first=0, rank=0, work=1.0, update=1.0, reduce=1.0):
        events, ts = [], 1e6 + rank
        for i in range(nr):
            begin, end, kernels = ts, ts + 10, [("gemm", 400 * work), ("attention", 300 * work), ("gemm_backward", 800 * work), ("norm", 500 * work)]
            if (i + first) % every == every - 1:
                events.append({"ph": "X", "cat": "user_annotation", "name": "Optimizer.step#AdamW.step", "pid": 1, "tid": 1, "ts": ts + 24, "dur": 10})
                kernels += [("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 250 * reduce), ("multi_tensor_adam", 300 * update), ("zero", 40 * update)]
            for k, (kernel, us) in enumerate(kernels):
                us *= 1 + (i * 7 + k * 3 + rank) % 5 * 1e-3
                events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": ts, "dur": 3, "args": {"correlation": i * 10 + k + 1}},
                           {"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": end, "dur": us, "args": {"device": 0, "stream": 7, "correlation": i * 10 + k + 1}}]
                ts, end = ts + 5, end + us + 2
            events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1, "ts": begin, "dur": end - begin - 1})
            ts = end
        (dir / name).write_text(json.dumps({"deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}))
        return dir / name

    for every, nr, more, want, word in (
            (2, 12, {}, 0, "compute per update step"), (2, 12, {"first": 1}, 0, "compute per accumulation step"), (2, 12, {"update": 2}, 1, "each update step is slower, in compute"),
            (2, 12, {"reduce": 3}, 1, "each update step is slower, in communication"), (2, 12, {"work": 1.3}, 1, "each accumulation step is slower, in compute"),
            (2, 5, {}, 0, "mean compute per step"), (2, 5, {"first": 1}, 3, "context-differs"), (2, 5, {"update": 2}, 1, "multi_tensor_adam is slower"),
            (3, 6, {}, 0, "mean compute per step"), (3, 6, {"first": 1}, 0, ""), (3, 6, {"update": 2}, 1, "mean compute per step (+"), (3, 6, {"reduce": 4}, 1, "communication is slower"),
            (4, 8, {}, 0, ""), (4, 8, {"first": 2}, 0, ""), (4, 8, {"reduce": 5}, 1, "communication is slower"), (4, 8, {"work": 1.3}, 1, "mean compute per step"),
            (1, 12, {}, 0, "compute per step"), (1, 12, {"update": 1.5}, 1, "multi_tensor_adam is slower"), (1, 12, {"every": 4}, 3, "context-differs"),
            (4, 12, {"every": 1}, 3, "context-differs"), (2, 12, {"every": 4}, 0, "compute per accumulation step"), (2, 5, {"every": 1}, 3, "context-differs")):
        code, _, err = run(PROGRAM, "approve", "--new", trained("trained.json", every, nr), "--baseline", dir / "base", "--force")
        assert code == 0, err
        code, said, out = check(dir, trained("now.json", **{"every": every, "nr": nr, "rank": 3} | more))
        judge("accumulation", f"1 of {every} in {nr}, {more}", code, code == want and word in " ".join(out.split()), [*sorted(said), out])


def of_shapes(dir, path):
    """Another batch is told by the shapes of inputs where the grids do not tell it; not the other work of one operator among several."""
    whole = json.loads(path.read_text())

    def written(name, batch=None, by=1.0, alone=False):
        made = json.loads(json.dumps(whole))
        for e in made["traceEvents"]:
            rows = {"aten::mm": batch, "aten::addmm": batch if not alone else 32, "aten::add": batch if not alone else 32}.get(e["name"])
            if category(e) == "cpu_op" and batch and rows:
                a, b = [rows * 128, 1024], [1024, 4096]
                e["args"]["Input Dims"] = {"aten::mm": [a, b], "aten::addmm": [[4096], a, b], "aten::add": [a, a]}[e["name"]]
                e["args"]["Input type"] = ["c10::BFloat16"] * len(e["args"]["Input Dims"])
            elif category(e) == "kernel":
                e["dur"] = round(e["dur"] * by, 3)
        (dir / name).write_text(json.dumps(made))
        return dir / name
    for before in (32, None):
        code, _, err = run(PROGRAM, "approve", "--new", written("base-shapes.json", before, 1.01), "--baseline", dir / "base", "--force")
        assert code == 0, err
        for batch, by, alone in ((32, 1, False), (16, 1, True), (None, 1, False), (16, 0.6, False), (48, 1.5, False), (48, 1, False))[:6 if before else 1]:
            code, said, out = check(dir, written("shapes.json", batch, by, alone))
            other = batch not in (32, None) and not alone
            judge(f"shapes of batch {before}", f"batch {batch}, times x{by}{', one operator' * alone}", code,
                  (code == 3 and "context-differs" in said) if other else "context-differs" not in said and code == 0, [*sorted(said), out])


def of_windows(dir, path):
    """A recording without steps that holds fewer iterations is other work; more of them fail. So is one that ends sooner, if its kernels are not
    those of iterations: unless others took the place of what is gone."""
    whole = json.loads(path.read_text())["traceEvents"]

    def written(name, nr):
        events = first_steps(nr)(json.loads(json.dumps(whole))) if nr else whole
        gone = {id(e) for e in marks(events)}
        (dir / name).write_text(json.dumps({"traceEvents": [e for e in events if id(e) not in gone]}))
        return dir / name
    code, _, err = run(PROGRAM, "approve", "--new", written("base-window.json", 4), "--baseline", dir / "base", "--force")
    assert code == 0, err
    for nr, want in ((4, 0), (3, 3), (2, 3), (0, 1)):
        code, out, err = run(PROGRAM, "check", written("window.json", nr), "--baseline", dir / "base")
        judge("without steps", f"{nr or 6} iterations against 4", code, code == want and ("fewer iterations" in out) == (want == 3), (out, err))
    events, gone = json.loads(json.dumps(whole)), {id(e) for e in marks(whole)}
    events = [e for e, of in zip(events, whole) if id(of) not in gone]
    ordered = sorted(kernels(events), key=lambda e: float(e["ts"]))
    for i, e in enumerate(ordered):
        e["name"] = f"part {i * 9 // len(ordered)}"
    (dir / "parts.json").write_text(json.dumps({"traceEvents": events}))
    code, _, err = run(PROGRAM, "approve", "--new", dir / "parts.json", "--baseline", dir / "base", "--force")
    assert code == 0, err
    for share in (0.2, 0.4, 1):
        end = float(ordered[int(share * (len(ordered) - 1))]["ts"])
        kept = {e["args"]["correlation"] for e in ordered if float(e["ts"]) <= end}
        launched = {e["args"]["correlation"] for e in ordered}
        rest = [e for e in events if e.get("args", {}).get("correlation") in kept or e.get("args", {}).get("correlation") not in launched]
        new = [{**e, "name": e["name"].replace("part", "other")} if category(e) == "kernel" and float(e["ts"]) > end else e for e in events]
        for what, other, less in (("cut", rest, share < 1), ("replaced", new, False)):
            (dir / "window.json").write_text(json.dumps({"traceEvents": other}))
            code, out, err = run(PROGRAM, "check", dir / "window.json", "--baseline", dir / "base")
            judge("without steps", f"{what} after {share:.0%}", code, ("fewer iterations" in out) == less and (code == 3 or not less), (out, err))


def of_names(dir, path, all_names):
    """A kernel of few launches that takes more than 1 % of the time: a side that launches it and has not recorded it, or has recorded
    that it takes no time on a clock of nanoseconds, is not believed."""
    text = path.read_bytes()
    trace = json.loads(gzip.decompress(text) if path.suffix == ".gz" else text)
    events = trace if isinstance(trace, list) else trace["traceEvents"]
    time, number = {}, {}
    for e in kernels(events):
        time[e["name"]] = time.get(e["name"], 0) + float(e["dur"])
        number[e["name"]] = number.get(e["name"], 0) + 1
    share = {n: time[n] / sum(time.values()) for n in number if number[n] * 100 < sum(number.values())}
    dear = sorted((n for n in share if share[n] > 0.012), key=lambda n: -share[n])     # memory activities count as well
    assert dear
    for name in dear if all_names else some(dear, 9):
        damages = {"lost-kernels": [e for e in events if category(e) != "kernel" or e["name"] != name]}
        if any(float(e["dur"]) % 1 for e in kernels(events)):
            damages["unknown-durations"] = [{**e, "dur": 0} if category(e) == "kernel" and e["name"] == name else e for e in events]
        for said_of, rest in damages.items():
            other = dir / f"{said_of}-{path.name.split('.')[0]}.json"
            other.write_text(json.dumps(rest if isinstance(trace, list) else {**trace, "traceEvents": rest}))
            for base, candidate in ((path, other), (other, path)) if all_names else ((path, other),):
                code, _, err = run(PROGRAM, "approve", "--new", base, *ANYWAY, "--baseline", dir / "base", "--force")
                assert code == 0, err
                code, said, out = check(dir, candidate)
                judge(path.name, f"{said_of}: {share[name]:.2%} of the time in {number[name]} kernels", code,
                      said_of in said and code == 3, [*sorted(said), out])


def empty_steps(events, empty):
    """Leaves out what the steps of these numbers ran, launched and called."""
    inside = [(float(m["ts"]), float(m["ts"]) + float(m["dur"])) for i, m in enumerate(marks(events)) if i in empty]
    gone = {id(e) for e in events if e.get("ph") == "X" and category(e) in ("cpu_op", "cuda_runtime") and
            any(start <= float(e["ts"]) < end for start, end in inside)}
    calls = {e["args"].get("correlation") for e in events if id(e) in gone} - {None}
    return [e for e in events if id(e) not in gone and not (category(e) in GPU and e["args"].get("correlation") in calls)]


def of_empty_steps(dir):
    """Steps without GPU work that the other side has not are named, and not judged from a tenth of the steps on; those of both sides pass."""
    trace = json.loads(generate("trace", dir / "twelve.json", "--seed", 4, "--steps", 12).read_text())
    for empty in ([0], [6], [0, 7], [2, 3, 9], [1, 3, 5, 7, 9]):
        (dir / "empty.json").write_text(json.dumps({**trace, "traceEvents": empty_steps(trace["traceEvents"], empty)}))
        for base, candidate in (("twelve", "empty"), ("empty", "empty")):
            code, _, err = run(PROGRAM, "approve", "--new", dir / f"{base}.json", "--baseline", dir / "base", "--force")
            assert code == 0, err
            code, said, out = check(dir, dir / f"{candidate}.json")
            said_all = " ".join(out.split())
            judge(candidate, f"steps {empty} empty, baseline {base}", code, code == (3 if len(empty) > 1 and base != candidate else 0) and
                  ("empty-steps" in said_all) == (base != candidate) and f"({len(empty)} without GPU work)" in said_all, [*sorted(said), out])


def of_itself(dir):
    """The very recording is told as such; not a run that made other calls or is of another CUDA, though its kernels take the same time."""
    trace = {**json.loads((dir / "made.json").read_text()), "cuda_runtime_version": 12080, "cuda_driver_version": 12080}
    call = next(e for e in trace["traceEvents"] if e.get("name") == "cudaLaunchKernel")
    at = float(marks(trace["traceEvents"])[-1]["ts"])
    (dir / "itself.json").write_text(json.dumps(trace))
    code, _, err = run(PROGRAM, "approve", "--new", dir / "itself.json", "--baseline", dir / "base", "--force")
    assert code == 0, err
    frees = [{**call, "name": name, "ts": at + i, "dur": 0.5, "args": {"correlation": 8000000 + i}} for i, name in enumerate(("cudaFree", "cudaMalloc"))]
    for what, changed in (("nothing", {}), ("calls", {"traceEvents": trace["traceEvents"] + frees}), ("the runtime", {"cuda_runtime_version": 12010}),
                          ("the driver", {"cuda_driver_version": 12010})):
        (dir / "other.json").write_text(json.dumps({**trace, **changed}))
        code, said, out = check(dir, dir / "other.json")
        judge("itself", f"{what} changed", code, ("own artifact" in " ".join(out.split())) == (not changed), [*sorted(said), out])


def replayed(events):
    """Each step launches its kernels as one graph, whose nodes have no ids. The result also has the kernels of each step."""
    first, gone, steps = {}, set(), []
    for step in marks(events):
        calls = sorted((e for e in events if category(e) == "cuda_runtime" and "Launch" in e["name"] and
                        step["ts"] <= e["ts"] < step["ts"] + step["dur"]), key=lambda e: e["ts"])
        calls[0]["name"] = "cudaGraphLaunch"
        first.update((e["args"]["correlation"], (len(steps), calls[0]["args"]["correlation"])) for e in calls)
        gone |= {id(e) for e in calls[1:]}
        steps.append([])
    for e in kernels(events):
        step, e["args"]["correlation"] = first[e["args"]["correlation"]]
        steps[step].append(e)
    return [e for e in events if id(e) not in gone and category(e) != "ac2g"], steps


def of_graphs(dir):
    """A kernel that only some launches of a graph ran was lost in the others; one that none of them ran may be gone from the graph."""
    trace = json.loads((dir / "made.json").read_text())
    events, steps = replayed(trace["traceEvents"])
    (dir / "graphs.json").write_text(json.dumps({**trace, "traceEvents": events}))
    code, _, err = run(PROGRAM, "approve", "--new", dir / "graphs.json", "--baseline", dir / "base", "--force")
    assert code == 0, err
    names = {e["name"]: 0 for e in steps[0]}
    for e in kernels(events):
        names[e["name"]] += e["dur"]
    dear = [n for n in sorted(names, key=lambda n: -names[n]) if names[n] > 0.1 * sum(names.values())]
    for name in dear:
        for of in ([], [0, 2, 4], [1, 2, 3, 5], [5], list(range(6))):
            gone = {id(e) for i in of for e in steps[i] if e["name"] == name}
            (dir / "other.json").write_text(json.dumps({**trace, "traceEvents": [e for e in events if id(e) not in gone]}))
            code, said, out = check(dir, dir / "other.json")
            judge("graphs", f"{name[:30]} lost in steps {of}", code, (code == 3 and "lost-kernels" in said) if 0 < len(of) < 6 else
                  "lost-kernels" not in said and (code == 0 or of), [*sorted(said), out])
    for every in (2, 8, 30):        # each launch lacks other kernels, and those that are left are slower
        gone = {id(e) for i, step in enumerate(steps) for k, e in enumerate(step) if (k + i) % every == 0}
        left = [{**e, "dur": e["dur"] * 1.1} if category(e) == "kernel" else e for e in events if id(e) not in gone]
        (dir / "other.json").write_text(json.dumps({**trace, "traceEvents": left}))
        code, said, out = check(dir, dir / "other.json")
        judge("graphs", f"one of {every} kernels lost in each launch", code, code == 3 and "lost-kernels" in said, [*sorted(said), out])


def of_copied_ranks(dir):
    """If the file of a rank is that of another one, no time is judged: a rank that is slower hides so."""
    base, slow = (generate("ranks", dir / name, "--ranks", 4, "--seed", seed, *more) for name, seed, more in
                  (("whole", 1, []), ("slow", 2, ["--slow-rank", "2=1.5"])))
    code, _, err = run(PROGRAM, "approve", "--new", base, "--baseline", dir / "base", "--force")
    assert code == 0, err
    for of in (None, 0, 1, 3):
        copied = dir / f"copy-of-{of}"
        shutil.copytree(slow, copied)
        if of is not None:
            trace = json.loads(gzip.decompress((slow / f"rank{of}.json.gz").read_bytes()))
            trace["distributedInfo"]["rank"] = 2
            (copied / "rank2.json.gz").write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
        code, said, out = check(dir, copied)
        passed = {c["metric"] for c in json.loads((dir / "result").read_text(encoding="utf-8"))["checks"] if c["verdict"] == "pass"}
        judge("ranks", f"rank 2 is a copy of rank {of}", code, code == 1 if of is None else
              code == 3 and "same-recording" in said and not {m for m in passed if not m.endswith("_count")}, [*sorted(said), sorted(passed), out])


def of_devices(dir):
    """Traces in which nothing is understood are named as such, instead of giving zeros."""
    cases = {
        "empty.json": ('{"traceEvents": []}', "nothing in it is understood"),
        "other.json": ('{"traceEvents": [{"ph": "B", "cat": "PERF", "name": "a", "ts": 1}]}', "nothing in it is understood"),
        "trace_view.json": ('[{"name":"process_name","pid":7,"tid":0,"args":{"name":"Ascend Hardware"},"ph":"M"},'
                            '{"name":"aten::add","pid":1,"tid":1,"ts":"1.5","dur":2,"ph":"X","cat":"cpu_op","args":{}},'
                            '{"name":"Add","pid":7,"tid":2,"ts":"3.5","dur":2,"ph":"X","args":{"Task Type":"AI_VECTOR_CORE"}}]',
                            "an NPU of Ascend"),
        "mtia.json": ('{"traceEvents": [{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":1,"dur":2},'
                      '{"ph":"X","cat":"mtia_ccp_events","name":"k","pid":17,"tid":3,"ts":4,"dur":5}]}', "MTIA of Meta"),
        "xpu.json": ('{"traceEvents": [{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":1,"dur":2},'
                     '{"ph":"X","cat":"xpu_runtime","name":"k","pid":1,"tid":3,"ts":4,"dur":5}]}', "an XPU of Intel"),
        "xpu-kernels.json": ('{"traceEvents": [{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":9,"args":{"device":0,"stream":7,"correlation":1}},'
                             '{"ph":"X","cat":"xpu_runtime","name":"urEnqueueKernelLaunch","pid":1,"tid":3,"ts":4,"dur":1,"args":{"correlation":1}}]}', "an XPU of Intel"),
        "mps.json": ('{"traceEvents": [{"ph":"X","cat":"cpu_op","name":"aten::_mps_convolution","pid":1,"tid":1,"ts":1,'
                     '"dur":2}]}', "MPS of Apple"),
    }
    for name, (text, word) in cases.items():
        (dir / name).write_text(text)
        for command in ("metrics", "report", "check"):
            code, out, err = run(PROGRAM, command, dir / name, *(["--bootstrap"] if command == "check" else []))
            judge(name, command, code, code == 3 and word in err and not out.strip().startswith("rank"), (out, err))


def of_actions(dir):
    """What the history of a snapshot has that is not known is told in the report; a mark that the program made is known."""
    path = generate("snapshot", dir / "base-actions.json", "--seed", 4, "--steps", 5)
    code, _, err = run(PROGRAM, "approve", "--new", path, "--baseline", dir / "base", "--force")
    assert code == 0, err
    for action in ("user_defined", "alloc_ahead"):
        snapshot = json.loads(path.read_text())
        history = snapshot["device_traces"][0]
        for at in range(len(history), 0, -len(history) // 7):
            history.insert(at, {"action": action, "addr": 0, "size": 0, "stream": 0, "time_us": history[at - 1].get("time_us", 0), "frames": []})
        (dir / "actions.json").write_text(json.dumps(snapshot))
        code, said, out = check(dir, dir / "actions.json")
        told = f"actions are unknown, such as '{action}'" in " ".join(out.replace(os.sep, "").split())
        judge("snapshot", action, code, code == 0 and told == (action != "user_defined"), [*sorted(said), out])


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        os.chdir(dir)
        made = generate("trace", dir / "made.json", "--seed", 4, "--steps", 6, "--nccl")
        of_trace(dir, made, ROWS)
        of_controls(dir, made)
        of_all_alike(dir, generate("trace", dir / "eleven.json", "--seed", 5, "--steps", 11))
        of_ranks(dir, made)
        of_names(dir, made, True)
        of_servers(dir, made)
        of_kinds(dir)
        of_accumulation(dir)
        of_windows(dir, made)
        of_shapes(dir, made)
        of_empty_steps(dir)
        of_copied_ranks(dir)
        of_itself(dir)
        of_graphs(dir)
        of_devices(dir)
        of_actions(dir)
        for i, trace in enumerate(RECORDED) if SHARED else []:
            recorded = pathlib.Path(SHARED) / "data/traces" / trace
            of_trace(dir, recorded, some(ROWS[i:] + ROWS[:i], 2))
            of_names(dir, recorded, False)
        if SHARED:
            code, _, err = run(PROGRAM, "report", pathlib.Path(SHARED) / "data/traces/mtia-inference-rank0.json.gz")
            judge("mtia-inference-rank0", "report", code, code == 3 and "MTIA" in err, err)
    print("ok")


if __name__ == "__main__":
    main()
