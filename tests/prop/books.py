#!/usr/bin/env python3
"""The account of a rank adds up, and no verdict rests on a broken entry.

Each damage changes one entry of the account of a generated recording, by shares from 0.5 % to all of it, by two of four without ALL_CASES: activities become
untimed, are recorded twice, vanish, or last too long; launches vanish; markers vanish, shrink or are split; the work of steps
completes in one burst; operators vanish. The damaged recording is held against the whole one, on either side, under rules for
all figures and under the built-in rules. Then each check that passes, improves, warns or fails rests on a figure that moved by
no more than the account lets pass; every other one is inconclusive, missing or skipped.

$GPUGATE is the program; exit 77 skips.
"""
import copy
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from _gen import generate
from _part import ALL

PROGRAM = os.environ.get("GPUGATE")
GPU = ("kernel", "gpu_memcpy", "gpu_memset")
SHARES = (0.005, 0.02, 0.2, 1)
# What passes: 1 % of the time of a fault; for a share 1 point, which two entries may both take, and rounding.
LETS_PASS = 2.1
# All work in one burst after the last marker is also what a host that runs ahead looks like, whose latency and idle time are right.
RIGHT = {"one_burst": ["step.latency", "step.idle_time"]}
DECIDED = ("pass", "improved", "warn", "fail")


def all_rules():
    """Rules for figures of every kind of entry, each with a narrow limit."""
    metrics = """step.period step.latency step.cuda_time step.kernel_time step.compute_time step.busy_time step.span step.idle_time
        step.kernel_count step.memcpy_bytes step.launch_time step.sync_time window.busy_time window.compute_time
        gpu.utilization_pct throughput.steps_per_s kernel.time kernel.count kernel.mean kernel.max
        category.time op.gpu_time op.time memcpy.bytes""".split()
    text = "version: 1\nrules:\n"
    for m in metrics:
        many = m.split(".")[0] in ("kernel", "category", "op", "memcpy")
        text += f"  - {{id: {m.replace('.', '-').replace('_', '-')}, metric: {m}, {'for_each: {top: 5}, ' if many and m != 'memcpy.bytes' else ''}" \
                f"fail: {{change: 3%}}}}\n"
    return text


# --- Damages: each takes the events and a function that picks a share of a list -------------------------------------


def activities(events):
    return [e for e in events if e.get("cat") in GPU]


def time_of(events):
    return sum(e.get("dur", 0) for e in activities(events))


def untimed(events, pick):
    for e in pick(activities(events)):
        e["ts"] = e["dur"] = 0


def untimed_near_0(events, pick):
    """As untimed, where the clock of the recording begins near 0, as that of Nsight Systems and JAX does."""
    first = min(e["ts"] for e in events if "ts" in e)
    for e in events:
        if "ts" in e:
            e["ts"] -= first - 500
    untimed(events, pick)


def hour_early(events, pick):
    for e in pick(activities(events)):
        e["ts"] -= 3.6e9


def without_duration(events, pick):
    for e in pick(activities(events)):
        del e["dur"]


def ends_before_start(events, pick):
    for e in pick(activities(events)):
        e["dur"] = -e["dur"]


def clock_behind(events, pick):
    """The clock of the GPU is behind that of the host."""
    for e in pick(activities(events)):
        e["ts"] -= 50000


def no_ends(events, pick):
    """Durations of 0, with a right start: of activities that take long, but the first of each name."""
    first = {e["name"]: e for e in reversed(activities(events)) if e["dur"] > 20}
    for e in pick([e for e in activities(events) if e["dur"] > 20]):
        e["dur"] = e["dur"] if e is first[e["name"]] else 0


def last_overflows(events, pick):
    """The duration of the last kernel overflowed; nothing follows on its stream."""
    last = max((e for e in activities(events) if e["cat"] == "kernel" and "nccl" not in e["name"]), key=lambda e: e["ts"])
    last["dur"] = 2**32 / 1000


def all_zero(events, pick):
    """As untimed, with the start of the recording as their start."""
    first = min(e["ts"] for e in events if "ts" in e)
    for e in pick(activities(events)):
        e["ts"], e["dur"] = first, 0


def twice(events, pick):
    events.extend(copy.deepcopy(pick(activities(events))))


def twice_later(events, pick):
    """Recorded twice, the second time with a start that was rounded."""
    again = copy.deepcopy(pick([e for e in activities(events) if e["cat"] == "kernel"]))
    for e in again:
        e["ts"] += 0.001
    events.extend(again)


def twice_elsewhere(events, pick):
    """Recorded twice, the second time under another stream."""
    again = copy.deepcopy(pick([e for e in activities(events) if e["cat"] == "kernel"]))
    for e in again:
        e["args"]["stream"] = e["tid"] = 77
    events.extend(again)


def all_twice(events, pick):
    """As a file merged with itself."""
    picked, steps = {e["args"]["correlation"] for e in pick(activities(events))}, markers(events)
    events.extend(copy.deepcopy([e for e in events if e.get("args", {}).get("correlation") in picked or e in steps]))


def lost(events, pick):
    drop(events, pick(activities(events)))


def graph_kernels_gone(events, pick):
    """As stock vLLM on ROCm records graphs: their launches, and no kernels."""
    of = {e["args"]["correlation"] for e in pick([e for e in events if e["name"] == "cudaGraphLaunch"])}
    drop(events, [e for e in activities(events) if e["args"].get("correlation") in of])


def graph_nodes_gone(events, pick):
    """Each launch of a graph lacks other kernels of it."""
    drop(events, pick([e for e in activities(events) if "graph node id" in e["args"]]))


def copies_lost(events, pick):
    drop(events, pick([e for e in activities(events) if e["cat"] == "gpu_memcpy"]))


def launches_gone(events, pick):
    drop(events, pick([e for e in events if e.get("cat") == "cuda_runtime" and "correlation" in e.get("args", {})]))


def too_long(events, pick):
    """Durations that overflow: they last beyond all that follows."""
    for e in pick(activities(events)):
        e["dur"] += 2e6


def markers(events):
    return [e for e in events if e.get("cat") == "user_annotation" and e["name"].startswith("ProfilerStep#")]


def markers_shrink(events, pick):
    for e in pick(markers(events)):
        e["dur"] /= 20


def markers_gone(events, pick):
    drop(events, pick(markers(events)))


def markers_of_threads(events, pick):
    """Another thread writes markers of the same steps, a little later."""
    events.extend({**e, "tid": 777, "ts": e["ts"] + 100} for e in pick(markers(events)))


def markers_joined(events, pick):
    """A step is what two were."""
    steps = sorted(markers(events), key=lambda e: e["ts"])
    for one, two in zip(steps[::2], steps[1::2]):
        one["dur"] = two["ts"] + two["dur"] - one["ts"]
    drop(events, steps[1::2])


def one_burst(events, pick):
    """All work of the last steps completes after the last marker."""
    late = pick(activities(events))
    at = max(e["ts"] + e["dur"] for e in markers(events)) + 1000
    for e in sorted(late, key=lambda e: e["ts"]):
        e["ts"] = at
        at += e["dur"]


def operators_gone(events, pick):
    drop(events, pick([e for e in events if e.get("cat") == "cpu_op"]))


def drop(events, those):
    gone = {id(e) for e in those}
    events[:] = [e for e in events if id(e) not in gone]


DAMAGES = [untimed, untimed_near_0, hour_early, clock_behind, no_ends, last_overflows, all_zero, without_duration, ends_before_start, twice, twice_later, twice_elsewhere, all_twice, lost, graph_kernels_gone, graph_nodes_gone, copies_lost, launches_gone, too_long,
           markers_shrink, markers_gone, markers_of_threads, markers_joined, one_burst, operators_gone]


def with_graphs(events):
    """Adds a graph launch with five kernels to each step."""
    kernel = next(e for e in events if e.get("cat") == "kernel")
    launch = next(e for e in events if e.get("cat") == "cuda_runtime" and "LaunchKernel" in e["name"])
    last = max(e["ts"] + e["dur"] for e in activities(events))
    for nr, step in enumerate(markers(events)):
        correlation = 10_000_000 + nr
        events.append({**launch, "name": "cudaGraphLaunch", "ts": step["ts"] + step["dur"] - 20, "dur": 5,
                       "args": {**launch["args"], "correlation": correlation}})
        at = step["ts"] + step["dur"] - 10
        for k in range(5):
            if at + 50 * k < last:
                events.append({**kernel, "name": f"graph_kernel_{k}", "ts": at + 50 * k, "dur": 45, "tid": 99,
                               "args": {**kernel["args"], "correlation": correlation, "stream": 99, "graph node id": (7 << 32) + k}})


# --- The law ---------------------------------------------------------------------------------------------------------


def run(*args):
    r = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


def account_of(path, into):
    run("metrics", path, "--json", into)
    try:
        return json.loads(into.read_text())["ranks"][0]
    except (OSError, ValueError, KeyError):
        return None


def adds_up(a, events):
    """Faults of the account of a recording, as sentences."""
    v = {k: x or 0 for k, x in a.items() if isinstance(x, int) or x is None}
    gpu = activities(events)
    inside = v["gpu_time"] - v["unattributed_time"] - v["cut_time"]
    outside = v["unattributed_time"] - v["before_time"] - v["unknown_time"]
    if v["timed"] + v["untimed"] + v["twice"] != len(gpu):
        yield f"{v['timed']} timed, {v['untimed']} untimed and {v['twice']} twice are not {len(gpu)} activities"
    if inside < 0 or outside < 0:
        yield f"a part of the GPU time is below 0: {inside} in judged steps, {outside} outside"
    first = min(e["ts"] for e in events if e.get("cat") in ("cuda_runtime", "user_annotation"))    # of what begins long before that, no time is known
    total = sum(round(max(e.get("dur", 0), 0) * 1000) for e in gpu if e["ts"] > first - 1e6)
    if abs(v["gpu_time"] - total) > len(gpu):
        yield f"{v['gpu_time']} ns of GPU time, but the durations add up to {total}"
    if v["lost"] + v["captured"] + v["pending"] + v["left_over"] > v["launches"]:
        yield "more launches are without their activities than there are"


def verdicts(folder, base, cand, rules):
    args = ["--workload", "w", "--baseline", folder / "b.json", *(["--rules", rules] if rules else [])]
    (folder / "b.json").unlink(missing_ok=True)
    status, said = run("approve", "--new", base, *args)
    if status:
        assert status == 3, said    # the books of the baseline are broken, and it is not kept
        return []
    (folder / "o.json").unlink(missing_ok=True)
    run("check", cand, *args, "--json", folder / "o.json")
    return json.loads((folder / "o.json").read_text())["checks"]


def moved(check, whole):
    """How far a figure moved, in percent of itself; that of a kernel or operator in percent of the figure of the whole step, and
    idle time in percent of the wall time that it is the rest of, since the account is of the whole. A count may move by one."""
    b, c = check["baseline"], check["candidate"]
    if b is None or c is None or abs(c - b) <= 1:
        return 0
    part = check["metric"].split(".")[0] in ("kernel", "category", "op", "memcpy")
    size = whole.get(check["metric"] if check["metric"] == "step.idle_time" else check["unit"] if part else None, b)
    return 100 * abs(c - b) / max(abs(size), 1e-9)


def wholes(checks):
    """The figures of the whole step, by the unit of the figures of kernels and operators that are parts of them, or by metric."""
    of = {"step.cuda_time": ("ns/step", "ns"), "step.kernel_count": ("1/step", "1"), "step.memcpy_bytes": ("B/step",),
          "step.period": ("step.idle_time",)}
    return {unit: max(c["baseline"] or 0, c["candidate"] or 0) for c in checks for unit in of.get(c["metric"], ())}


def main():
    seen = walked = 0
    wrong = []
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp)
        whole = generate("trace", folder / "whole.json.gz", "--seed", 5, "--steps", 6, "--no-memory")
        text = json.loads(gzip.decompress(whole.read_bytes()))
        with_graphs(text["traceEvents"])
        whole.write_bytes(gzip.compress(json.dumps(text).encode(), 1, mtime=0))
        rules = folder / "rules.yaml"
        rules.write_text(all_rules())
        only = sys.argv[1:]
        for nr, damage in enumerate(DAMAGES):
            if only and damage.__name__ not in only:
                continue
            for share in (1,) if damage is markers_joined else SHARES if ALL else SHARES[nr % 2::2]:
                trace = copy.deepcopy(text)
                chance = random.Random(f"{damage.__name__} {share}")
                damage(trace["traceEvents"], lambda those: chance.sample(those, max(1, round(share * len(those)))))
                broken = folder / "broken.json"
                broken.write_text(json.dumps(trace))
                name = f"{damage.__name__} {share:.1%}"
                account = account_of(broken, folder / "m.json")
                if account:
                    wrong += [f"{name}: {f}" for f in adds_up(account, trace["traceEvents"])]
                if damage is graph_kernels_gone:
                    decided = [c for c in verdicts(folder, broken, broken, None)
                               if c["verdict"] in DECIDED and c["metric"] == "step.cuda_time"]
                    gone = 1 - time_of(trace["traceEvents"]) / time_of(text["traceEvents"])
                    wrong += [f"{name} of both sides: {c['id']} is {c['verdict']}" for c in decided if gone > 0.01]
                for base, cand in ((whole, broken), (broken, whole)):
                    for of in (rules, None):
                        seen += 1
                        checks = verdicts(folder, base, cand, of)
                        whole_of = wholes(checks)
                        for c in checks:
                            walked += 1
                            if c["metric"] in RIGHT.get(damage.__name__, ()):
                                continue
                            if c["verdict"] in DECIDED and moved(c, whole_of) > LETS_PASS:
                                side = "candidate" if cand == broken else "baseline"
                                wrong.append(f"{name} of the {side}: {c['id']} is {c['verdict']}, and moved by {moved(c, whole_of):.2f} %:"
                                             f" {c['baseline']} → {c['candidate']}")
    for line in wrong:
        print(line)
    print(f"{seen} comparisons, {walked} checks, {len(wrong)} wrong")
    if not walked:
        print("nothing was judged")
    sys.exit(1 if wrong or not walked else 0)


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit(77)
    main()
