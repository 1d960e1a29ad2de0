#!/usr/bin/env python3
"""Every trust finding has a run that shows it, a run that nearly shows it, and exactly the metrics that it makes
unreliable.

Each run is compared with an unchanged one under rules for all metrics. The findings must be those of the table, with their
metrics, and a check is inconclusive if and only if a finding makes its metric unreliable.

$GPUGATE is the program; exit 77 skips.
"""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from _gen import ANYWAY, generate

PROGRAM = os.environ.get("GPUGATE")

# --- Unreliable metrics: every set is listed completely, so that a new metric must be considered here ------

STEP_GPU = """step.period_compute step.period_exposed_comm step.period_exposed_memory step.cuda_time step.kernel_time step.memcpy_time step.memset_time step.compute_time step.comm_time
    step.busy_time step.span step.idle_time step.exposed_comm_time step.kernel_count step.memcpy_bytes""".split()
STEP_HOST = "step.time step.period step.latency slow_steps_pct step.launch_time step.sync_time step.sync_count step.dataloader_time place.sync_time place.sync_count".split()
LAUNCHING = "step.latency step.launch_time step.sync_time step.sync_count place.sync_time place.sync_count".split()
KERNELS = """kernel.time kernel.count kernel.mean kernel.max kernel.share_pct kernel.occupancy_pct gpu.occupancy_pct
    kernel.registers kernel.shared_memory kernel.local_memory kernel.resource_changes kernel.drift_pct
    kernel.top_overlap_pct category.time memcpy.bytes memcpy.bandwidth op.gpu_time op.self_gpu_time module.gpu_time range.gpu_time
    place.gpu_time place.launch_count place.copy_bytes""".split()
COLLECTIVES = """comm.wait_time comm.transfer_time comm.time comm.count comm.bytes comm.alg_bandwidth
    comm.bus_bandwidth rank.straggler_pct""".split()
WINDOW = """window.busy_time window.idle_time window.compute_time window.non_compute_time comm.overlap_pct
    gpu.utilization_pct function.exclusive_pct""".split()
FLOPS = "flops.per_step flops.per_s flops.peak_pct op.bytes op.bandwidth_pct op.roofline_pct".split()
COUNTERS = "gpu_counter.median_pct gpu_counter.mad_pct".split()
RATES = "throughput.samples_per_s throughput.tokens_per_s throughput.steps_per_s mfu_pct".split()
OPS = "op.time op.self_time".split()
OF_LAUNCH = OPS + FLOPS + """op.gpu_time op.self_gpu_time module.gpu_time range.gpu_time place.gpu_time place.launch_count place.copy_bytes
    place.sync_time place.sync_count""".split()
PEAKS = """memory.peak_allocated memory.peak_reserved memory.fragmentation_at_peak_pct memory.headroom""".split()
CHURN = "memory.alloc_count memory.free_count memory.churn_bytes".split()
ENDS = """memory.end_allocated memory.end_reserved memory.fragmentation_pct memory.inactive_pct
    memory.free_split_pct memory.rounding_pct memory.segment_count""".split()
GROWTH, EVENTS = ["memory.growth_per_step"], "memory.segment_churn memory.oom_count".split()
MEMORY = PEAKS + CHURN + ENDS + GROWTH + EVENTS

GPU_PER_STEP = STEP_GPU + KERNELS + COLLECTIVES + FLOPS + ["rank.compute_skew_pct"]
PER_STEP = GPU_PER_STEP + STEP_HOST + RATES + OPS
SUMS = """step.cuda_time step.kernel_time step.memcpy_time step.memset_time step.compute_time step.comm_time
    gpu.occupancy_pct kernel.time kernel.mean kernel.share_pct kernel.drift_pct kernel.top_overlap_pct category.time memcpy.bandwidth
    comm.wait_time comm.transfer_time comm.time comm.alg_bandwidth comm.bus_bandwidth rank.straggler_pct
    rank.compute_skew_pct op.gpu_time op.self_gpu_time module.gpu_time range.gpu_time place.gpu_time""".split()
COPIES = "step.memcpy_time step.memcpy_bytes memcpy.bytes memcpy.bandwidth place.copy_bytes".split()
WALL = ["step.period", "step.latency", "slow_steps_pct", *RATES]
TIMES = SUMS + WALL + WINDOW + """step.period_compute step.period_exposed_comm step.period_exposed_memory step.busy_time step.span
    step.idle_time step.exposed_comm_time kernel.max flops.per_s flops.peak_pct""".split()
HISTORY = PEAKS + CHURN + EVENTS
OF_TRACE = PER_STEP + WINDOW + COUNTERS + ["rank.missing_steps", "thread.time"]
EVERYTHING = OF_TRACE + MEMORY + ["input.*"]

# --- Damage that the generators cannot make: to events of a trace, to a snapshot, to the text -------------


def gpu(e):
    return e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")


def without(nr, cat):
    """Drop the last `nr` kernels or launches; if `nr` is negative, keep only -`nr` of them."""
    def edit(d):
        found = [e for e in d["traceEvents"] if gpu(e)] if cat == "gpu" else \
            [e for e in d["traceEvents"] if e.get("cat") == cat]
        gone = {id(e) for e in (found[-nr:] if nr > 0 else found)}
        d["traceEvents"] = [e for e in d["traceEvents"] if id(e) not in gone]
    return edit


def kernel_changed(change):
    def edit(d):
        change(next(e for e in d["traceEvents"] if e.get("cat") == "kernel"))
    return edit


def kernels_changed(change, every):
    def edit(d):
        for e in [e for e in d["traceEvents"] if e.get("cat") == "kernel"][::every]:
            change(e)
    return edit


def unseen(nr):
    """Add frees of blocks that nobody allocated, and as many allocations that are never freed, so that levels stay
    consistent."""
    def edit(d):
        trace = next(t for t in d["device_traces"] if t)
        first = trace[0]
        made = [{**first, "action": action, "addr": 0x100000 + 0x1000 * i + at, "size": 512, "stream": 0}
                for i in range(nr) for action, at in (("alloc", 0x800), ("free_requested", 0), ("free_completed", 0))]
        trace[:0] = made
    return edit


def oldest_lost(percent):
    """Leave out the oldest entries of the history, as a history that overflows does."""
    def edit(d):
        for trace in d["device_traces"]:
            del trace[:len(trace) * percent // 100]
    return edit


def on_other_device(*blocks):
    """Adds a segment of another device, which has no history; its blocks are of these states."""
    def edit(d):
        rows = [{"address": i << 20, "size": 1 << 20, "requested_size": 1 << 20, "state": state, "frames": []} for i, state in enumerate(blocks)]
        held = sum(b["size"] for b in rows if b["state"].startswith("active"))
        d["segments"].append({**d["segments"][0], "device": 1, "address": 0, "total_size": len(rows) << 20, "allocated_size": held,
                              "active_size": held, "requested_size": held, "blocks": rows})
    return edit


def edited(path, edit):
    d = json.loads(gzip.decompress(path.read_bytes()))
    edit(d)
    path.write_bytes(gzip.compress(json.dumps(d).encode(), 1, mtime=0))


def control_character(path):
    data = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(data.replace(b'"aten::', b'"\x01ten::', 1), 1, mtime=0))


def cut(path):
    data = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(data[: len(data) * 9 // 10], 1, mtime=0))


# --- The table: case, how to make its run, further options of check, {finding: metrics} -----------------------

TRACE = [
    ("unchanged", "", {}),
    ("no GPU activity", without(0, "gpu"), {"no-gpu-activity": GPU_PER_STEP + WINDOW + WALL}),
    ("dropped", "--dropped 3", {"dropped-kernels": GPU_PER_STEP + LAUNCHING}),
    ("correlation 0", kernels_changed(lambda e: e["args"].update(correlation=0), 9),
     {"dropped-kernels": GPU_PER_STEP + LAUNCHING, "unsure-launches": OF_LAUNCH}),
    ("one of correlation 0", kernel_changed(lambda e: e["args"].update(correlation=0)), {}),
    ("dropped, but few", "--dropped 0.5", {}),
    ("carried over", "--carried-over 20", {}),
    ("kernels lost", "--lost-kernels 3", {"lost-kernels": GPU_PER_STEP + WINDOW + WALL, "lost-copies": COPIES}),
    ("copies lost", without(1, "gpu_memcpy"), {"lost-copies": COPIES}),
    ("no copies", without(0, "gpu_memcpy"), {"lost-copies": GPU_PER_STEP + WINDOW + WALL}),
    ("few kernels lost", without(3, "kernel"), {}),
    ("overlap", "--overlap 3", {"overlapping-activities": TIMES}),
    ("little overlap", "--overlap 0.5", {}),
    ("short last step", "--short-last-step", {"short-last-step": []}),
    ("no steps", "--no-steps", {"window-against-steps": PER_STEP + ["gpu.utilization_pct"]}),
    ("no launches", "--no-launches", {"attribution-differs": GPU_PER_STEP + LAUNCHING}),
    ("negative duration", kernel_changed(lambda e: e.update(dur=-1)), {"negative-durations": []}),
    ("no duration", kernel_changed(lambda e: e.pop("dur")), {}),
    ("no durations", kernels_changed(lambda e: e.pop("dur"), 1), {"unknown-durations": TIMES}),
    ("one in forty without", kernels_changed(lambda e: e.pop("dur"), 40), {"unknown-durations": TIMES}),
    ("negative durations", kernels_changed(lambda e: e.update(dur=-e["dur"]), 1),
     {"negative-durations": [], "unknown-durations": TIMES}),
    ("no time", kernel_changed(lambda e: e.pop("ts")), {"malformed-events": []}),
    ("JSON faults", control_character, {"json-faults": []}),
    ("own artifact", None, {}),
]
# Rules that require more or fewer steps than the five recorded ones.
FEW = [("steps enough", "", 5, {}), ("too few steps", "", 6, {"too-few-steps": PER_STEP}),
       ("too few with a short one", "--short-last-step", 5, {"short-last-step": [], "too-few-steps": PER_STEP}),
       ("windows are exempt", "--no-steps", 6, {})]
SNAPSHOT = [
    ("snapshot", "", {}),
    ("snapshot alone", "", {}),
    *((f"begun in step {n}", f"--begin {n}", {"history-cut": PEAKS}) for n in (1, 2, 3)),
    *((f"the oldest {percent} % lost", oldest_lost(percent), {"history-cut": PEAKS if percent < 30 else HISTORY}) for percent in (2, 10, 30, 60)),
    ("another device", on_other_device("active_allocated", "inactive"), {"memory-source-differs": MEMORY}),
    ("another device that is idle", on_other_device("inactive"), {}),
    ("no history", "--no-history", {"no-memory-history": HISTORY + GROWTH}),
    ("history cut", "--max-entries 600", {"history-cut": HISTORY}),
    *((f"overflowed: {said}", lambda d, said=said: d["allocator_settings"].update(trace_alloc_overflowed=said), {"history-cut": HISTORY} if said else {})
      for said in (True, False)),
    ("contradictions", unseen(1), {"memory-contradictions": []}),
    ("unseen frees", unseen(40), {"memory-contradictions": HISTORY + GROWTH, "unseen-frees": CHURN + GROWTH}),
]


def run(*args):
    p = subprocess.run([str(a) for a in args], capture_output=True, text=True, check=False)
    return p.returncode, p.stdout, p.stderr


def make(tool, path, options):
    """Makes the run of a case. `options` are options of the generator, or a function that changes the run's content or file."""
    words = options.split() if isinstance(options, str) else []
    more = ["--steps", "5", "--nccl"] if tool == "trace" else []
    generate(tool, path, "--seed", 4, *more, *words)
    if options in (control_character, cut):
        options(path)
    elif callable(options):
        edited(path, options)
    return path


def rules(dir, metrics, least):
    """Rules for every metric, with such wide limits that only trust findings matter."""
    lines = [f"version: 1\nsteps: {{min: {least}}}\nrules:"]
    for m, unit in metrics.items():
        limit = {"n": "1000000s", "B": "1000000GiB", "%": "1000000000%", "1": "1000000000000", "F": "1000000000000"}[unit[0]]
        lines.append(f"  - {{id: {m.strip('.*')}, metric: {m}, warn: {{max: {limit}}}, on_missing: skip}}")
    (dir / f"rules{least}.yaml").write_text("\n".join(lines) + "\n")
    return dir / f"rules{least}.yaml"


def judge(dir, rules_file, baseline, candidate, *options):
    """{id: metrics} of the findings, the metrics that could not be judged, and the report."""
    code, out, err = run(PROGRAM, "approve", "--new", *baseline, *ANYWAY, "--baseline", dir / "base", "--force")
    assert code == 0, err
    code, out, err = run(PROGRAM, "check", *candidate, "--baseline", dir / "base", "--rules", rules_file,
                         "--json", dir / "result.json", *options)
    result = json.loads((dir / "result.json").read_text(encoding="utf-8"))
    assert code in (0, 3) and result["checks"], (code, out, err)
    found = {}
    for f in result["trust"]:
        found.setdefault(f["finding"], []).append(set(f["spoils"]))
    spoiled = {c["metric"] for c in result["checks"] if "cannot be judged:" in c["message"]}
    assert all(c["verdict"] == "inconclusive" for c in result["checks"] if c["metric"] in spoiled)
    # if the baseline has a figure that the candidate lacks, the check is "missing", although the rules have `on_missing: skip`
    gone = [c for c in result["checks"] if c["verdict"] == "missing" and c["candidate"] is None and c["baseline"] is not None]
    others = [c["message"] for c in result["checks"] if c["verdict"] in ("inconclusive", "missing") and c["metric"] not in spoiled
              and c not in gone]
    assert not others, others
    assert code == (3 if spoiled or gone else 0), (code, spoiled, gone)
    # a figure that neither side recorded is not applicable, whatever findings there are
    spoiled |= {c["metric"] for c in result["checks"] if c["verdict"] == "skipped" and c["baseline"] is None
                and c["candidate"] is None and any(c["metric"] in f["spoils"] for f in result["trust"])}
    return found, spoiled, result


def expect(name, got, spoiled, findings):
    assert set(got) == set(findings), (name, sorted(got))
    for finding, metrics in findings.items():
        for found in got[finding]:
            assert found == set(metrics), (name, finding, sorted(found ^ set(metrics)))
    want = {m for metrics in findings.values() for m in metrics}
    assert spoiled == want, (name, sorted(spoiled ^ want))


def of_traces(dir, metrics):
    base = make("trace", dir / "base.json.gz", "")
    candidate = dir / "candidate.json.gz"
    for name, options, findings in TRACE:
        run_of = [base] if options is None else [make("trace", candidate, options)]
        got, spoiled, result = judge(dir, rules(dir, metrics, 1), [base], run_of)
        expect(name, got, spoiled, findings)
        if not callable(options):
            own = "own artifact" in json.dumps(result["warnings"])
            assert own == (not options), (name, result["warnings"])
        if options and isinstance(options, str):  # the same finding on the baseline makes the same metrics unreliable
            got, spoiled, _ = judge(dir, rules(dir, metrics, 1), [candidate], [base])
            expect(f"{name}, in the baseline", got, spoiled, findings)
    candidate = make("trace", candidate, "--no-steps")
    got, spoiled, _ = judge(dir, rules(dir, metrics, 1), [base], [candidate], "--unmarked", "period")
    expect("period", got, spoiled, {"period-against-marker": PER_STEP + ["gpu.utilization_pct"]})
    for name, options, least, findings in FEW:
        candidate = make("trace", candidate, options)
        got, spoiled, _ = judge(dir, rules(dir, metrics, least), [candidate if findings == {} else base], [candidate])
        expect(name, got, spoiled, findings)


def of_cut_traces(dir, metrics):
    base = make("trace", dir / "base.json.gz", "")
    candidate = make("trace", dir / "candidate.json.gz", cut)
    run(PROGRAM, "approve", "--new", base, *ANYWAY, "--baseline", dir / "base", "--force")
    code, _, err = run(PROGRAM, "check", candidate, "--baseline", dir / "base")
    assert code == 3 and "byte" in err, (code, err)
    got, spoiled, _ = judge(dir, rules(dir, metrics, 1), [base], [candidate], "--allow-truncated")
    assert got["truncated"] == [set(EVERYTHING)], sorted(got["truncated"][0] ^ set(EVERYTHING))
    assert spoiled == set(metrics)


def of_snapshots(dir, metrics):
    base = make("snapshot", dir / "base.json.gz", "")
    trace = make("trace", dir / "trace.json.gz", "--no-memory")
    for name, options, findings in SNAPSHOT:
        candidate = make("snapshot", dir / "candidate.json.gz", options)
        got, spoiled, _ = judge(dir, rules(dir, metrics, 1), [base], [candidate])
        expect(name, got, spoiled, findings)
    for sides in (([trace, base], [base]), ([base], [trace, base])):  # one side has a trace and a snapshot, the other only a snapshot
        got, spoiled, _ = judge(dir, rules(dir, metrics, 1), *sides)
        expect("no trace", got, spoiled, {"no-trace": OF_TRACE})
    with_memory = make("trace", dir / "memory.json.gz", "")
    got, spoiled, _ = judge(dir, rules(dir, metrics, 1), [with_memory], [trace, base])
    expect("other source", got, spoiled, {"memory-source-differs": MEMORY})
    got, spoiled, _ = judge(dir, rules(dir, metrics, 1), [base], [base], "--device-memory", "1GiB")
    assert got in ({}, {"out-of-memory-risk": [set()]}) and not spoiled, got


def main():
    if not PROGRAM:
        sys.exit(77)
    _, table, _ = run(PROGRAM, "metrics")
    metrics = dict(re.findall(r"^ *([a-z_]+(?:\.[a-z_0-9*]+)?) +(ns|B|1|%|FLOP)", table, re.M))
    metrics = {m: unit for m, unit in metrics.items() if not m.startswith("machine.")}  # figures of the machine's state come from a file of their own, so no trace makes them unreliable
    assert set(metrics) == set(EVERYTHING), sorted(set(metrics) ^ set(EVERYTHING))
    for case in (of_traces, of_cut_traces, of_snapshots):
        with tempfile.TemporaryDirectory() as dir:
            try:
                case(pathlib.Path(dir), metrics)
            except AssertionError as e:
                sys.exit(f"{case.__name__}: {e!r}")
        print(f"ok {case.__name__}")


if __name__ == "__main__":
    main()
