#!/usr/bin/env python3
"""Time and memory grow at most like n log n with every count in an input.

- Each count is doubled twice, without ALL_CASES at once: each time, fewer than 2.4 times the instructions (cachegrind) are needed, after those for a
  count of 1 are subtracted, so that neither time nor load of the machine matter. Quadratic growth would be 4 times.
- --max-memory ends with exit 3, names the file and what grew, and leaves nothing behind.

usage: resources.py [SHAPE…]     ($GPUGATE is the program, without sanitizers; valgrind; exit 77 skips)
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from _bench import Bench, events, is_sanitized, kernel, trace
from _part import ALL, some
import nsys
import xspace

PROGRAM = os.environ.get("GPUGATE")
RATIO = 2.4


def instructions(dir, args):
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", PROGRAM, *map(str, args)],
                          cwd=dir, capture_output=True, text=True, check=False)
    found = re.search(r"I +refs: +([\d,]+)", done.stderr)
    assert found and done.returncode in (0, 1, 3), f"{args}: exit {done.returncode}: {done.stderr[-600:]}"
    return int(found[1].replace(",", ""))


# --- Shapes: functions that write a run with n items of some kind, and return how to read it ---------------------------


def of_trace(make, command="digest"):
    def write(dir, n):
        (dir / "t.json").write_text(json.dumps({"traceEvents": make(n)}))
        return [command, "t.json", "--jobs", "1", *(["-o", "d.json"] if command == "digest" else [])]
    return write


def plain(i, **args):
    return kernel(i, "k", ts=10.0 * i, dur=5.0, **args)


def behind_metadata(dir, n):
    (dir / "t.json").write_text(json.dumps({"metadata": {f"key {i}": i for i in range(n)}, "traceEvents": [plain(i) for i in range(20 * n)]}))
    return ["digest", "t.json", "--jobs", "1", "-o", "d.json"]


def steps(n):
    return [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1, "ts": 10.0 * i, "dur": 9.0}
            for i in range(n)] + [plain(i) for i in range(n)]


def nested(n):
    return [{"ph": "X", "cat": "cpu_op", "name": f"op{i % 50}", "pid": 1, "tid": 1, "ts": 1.0 * i, "dur": 4.0 * n - 2.0 * i} for i in range(n)] + \
        [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": n + 0.001 * i, "dur": 0.0005,
          "args": {"correlation": i + 1}} for i in range(n)] + [kernel(i, "k", ts=9.0 * n + 10 * i) for i in range(n)]


def flows(n):
    out = []
    for i in range(n):
        out += [{"ph": "s", "cat": "fwdbwd", "name": "f", "id": i, "pid": 1, "tid": 1, "ts": 10.0 * i},
                {"ph": "f", "cat": "fwdbwd", "name": "f", "id": i, "pid": 1, "tid": 2, "ts": 10.0 * i + 5, "bp": "e"}]
    return out + [plain(i) for i in range(n)]


def exported(change):
    def write(dir, n):
        path = dir / "x.sqlite"
        path.unlink(missing_ok=True)
        export = nsys.Export(path, 4096)
        change(export, n)
        export.close()
        return ["digest", "x.sqlite", "-o", "d.json"]
    return write


def work(i, device=0):
    return {"ts": 10.0 * i, "dur": 5.0, "name": "k", "cat": "kernel", "args": {"device": device, "stream": 7, "correlation": i}}


def gpus(export, n):
    for i in range(n):
        export.gpu_work(work(i, i))
    export.gpus(set(range(n)))


def gpu_metrics(export, n):
    gpus(export, n)
    for i in range(n):
        export.metric(i % 4, i, f"Counter {i} [Throughput %]", [(50 * i, 7)])


def ranges(export, n):
    export.range("d" * 20000, 0, None, nsys.VM | nsys.PID << 24 | 1, domain=3, event_type=75)
    for i in range(n):
        export.gpu_work(work(i))
        export.range(f"range {i}", 10000 * i, 10000 * i + 5000, nsys.VM | nsys.PID << 24 | 1, domain=3)
    export.gpus({0})


def of_digest(change, command="report"):
    """A digest in which a list has n rows; `change` modifies it as JSON."""
    def write(dir, n):
        (dir / "s.json").write_bytes(trace())
        subprocess.run([PROGRAM, "digest", "s.json", "-o", "base.json"], cwd=dir, check=True, capture_output=True)
        d = json.loads((dir / "base.json").read_text())
        change(d, n)
        (dir / "d.json").write_text(json.dumps(d))
        return [command, "d.json", *(["base.json"] if command == "diff" else [])]
    return write


def with_environment(d, n):
    known = {e["key"]: e for e in d["environment"]}
    known.update({f"k{i:06}": {"key": f"k{i:06}", "value": "v"} for i in range(n)})
    d["environment"] = [known[k] for k in sorted(known)]


def with_inputs(d, n):
    d["metrics_file"] = "m.json"
    d["inputs"] = [{"name": f"n{i:06}", "value": i, "digits": 0} for i in range(n)]


def ranks(command):
    def write(dir, n):
        shutil.rmtree(dir / "run", ignore_errors=True)
        (dir / "run").mkdir()
        (dir / "s.json").write_bytes(trace())
        subprocess.run([PROGRAM, "digest", "s.json", "-o", "one.json"], cwd=dir, check=True, capture_output=True)
        d = json.loads((dir / "one.json").read_text())
        for i in range(n):
            d["rank"], d["world_size"], d["source_hash"] = i, n, f"{i:016x}"
            (dir / "run" / f"rank{i}.json").write_text(json.dumps(d))
        return [*command, "--jobs", "1"]
    return write


def cases(dir, n):
    rows = [{"name": f"case/{i}", "run_name": f"case/{i}", "run_type": "iteration", "iterations": 5, "real_time": 1.0 + i, "cpu_time": 1.0,
             "time_unit": "ns"} for i in range(n)]
    (dir / "r.json").write_text(json.dumps({"context": {"num_cpus": 4}, "benchmarks": rows}))
    return ["digest", "r.json", "-o", "d.json"]


def snapshot(blocks):
    """Makes a memory snapshot; `blocks` gives segment, size and frames of allocation i."""
    def write(dir, n):
        segments, history = {}, []
        for i in range(n):
            segment, size, frames = blocks(i, n)
            at = segments.setdefault(segment, {"device": 0, "address": (segment + 1) << 40, "total_size": 0, "stream": 0,
                                               "segment_type": "large", "blocks": []})
            at["blocks"].append({"address": at["address"] + at["total_size"], "size": size, "requested_size": size,
                                 "state": "active_allocated", "frames": frames})
            at["total_size"] += size
            history.append({"action": "alloc", "addr": at["blocks"][-1]["address"], "size": size, "stream": 0, "frames": frames})
        maps = [{"action": "segment_alloc", "addr": s["address"], "size": s["total_size"], "stream": 0, "frames": []} for s in segments.values()]
        (dir / "s.json").write_text(json.dumps({"segments": list(segments.values()), "device_traces": [maps + history]}))
        return ["digest", "s.json", "-o", "d.json"]
    return write


def frame(i):
    return {"filename": f"f{i}.py", "name": "f", "line": 1}


def judged(rules, make):
    """A check of a run with n kernels under n rules or waivers."""
    def write(dir, n):
        (dir / "rules.yaml").write_text("version: 1\ndefaults: {on_missing: skip}\n" + rules(n))
        (dir / "t.json").write_text(json.dumps({"traceEvents": make(n)}))
        subprocess.run([PROGRAM, "approve", "--new", "t.json", "--rules", "rules.yaml", "--baseline", "b.json", "--force"], cwd=dir,
                       check=True, capture_output=True)
        return ["check", "t.json", "--rules", "rules.yaml", "--baseline", "b.json", "--jobs", "1"]
    return write


def kernels(n):
    return [dict(plain(i), name=f"kernel {i % n}") for i in range(2 * n)]


def waivers(n):
    """Every second one names a kernel that no run has, whatever n is: its warning is work of another kind."""
    names = [f"kernel {i // 2 % 50}" + i % 2 * " gone" for i in range(n)]
    return "rules: [{id: k, metric: kernel.time, fail: {increase: 5%}}]\nwaivers:\n" + "".join(
        f"  - {{rule: k, select: {{kernel: {name}}}, until: 2999-01-01, reason: r}}\n" for name in names)


def a_suite(dir, n):
    """Cases of a suite. Only the parent process is measured, since each case has its own process."""
    (dir / "suite.yaml").write_text("version: 1\nname: s\ncases:\n" + "".join(
        f"  - {{workload: w{i}, runs: absent{i}.json, baseline: b.json}}\n" for i in range(n)))
    return ["suite", "suite.yaml", "--json", "r.json", "--markdown", "m.md"]


def history_of(values):
    """Makes a history of n runs; `values` yields the stored values of each run, the oldest first."""
    def write(dir, n):
        (dir / "t.json").write_bytes(trace())
        for command in ("approve", "store"):
            subprocess.run([PROGRAM, command, "t.json", "--baseline", "b.json", "--force"], cwd=dir, check=True, capture_output=True)
        row = json.loads((dir / "b.history.jsonl").read_text().splitlines()[-1])
        (dir / "b.history.jsonl").write_text("".join(json.dumps({**row, "source_hash": f"{i + 1:016x}", "values": v}) + "\n"
                                                     for i, v in enumerate(values(n))))
        return ["history", "--baseline", "b.json"]
    return write


def level(i, n, share):
    """A figure whose level changes once: it is higher in the newest `share` runs."""
    return {"query": "step.compute_time stat=median ranks=median", "label": "", "value": 1000000 + 10 * (i % 7) + (50000 if i >= n - share else 0)}


def long_history(n):
    """A history of n runs with kernels that occur in only four runs each."""
    return ([*({"query": "kernel.time ranks=median", "label": f"k{i // 4:06}x{k}", "value": 5} for k in range(3)), level(i, n, 40)] for i in range(n))


def wide_history(n):
    """A history of 30 runs, with the times of the step and of n kernels, which all rise at run 15."""
    for i in range(30):
        yield [*({"query": "kernel.time ranks=median", "label": f"k{k:06}", "value": 5 + 3 * (i > 14)} for k in range(n)), level(i, 30, 15)]


def hang(entries):
    def write(dir, n):
        shutil.rmtree(dir / "run", ignore_errors=True)
        (dir / "run").mkdir()
        for rank, rows, groups in entries(n):
            (dir / "run" / f"nccl_trace_rank_{rank}.json").write_text(json.dumps({"entries": rows, "pg_config": groups}))
        return ["report", "run", "--jobs", "1"]
    return write


def entry(i, group="0", state="started"):
    return {"record_id": i, "profiling_name": "nccl:all_reduce", "process_group": [group, ""], "collective_seq_id": i + 1, "state": state,
            "input_sizes": [[4]], "input_dtypes": ["Float"], "frames": [{"filename": f"f{i}.py", "name": "f", "line": 1}]}


def stuck(n):
    """Two ranks; one did not enter the last of n collectives."""
    groups = {"0": {"ranks": "[0, 1]"}}
    return [(r, [entry(i, state="completed" if i < n - 1 else "started") for i in range(n - r)], groups) for r in range(2)]


def waiting(n):
    """Dumps of n ranks that wait for one rank."""
    groups = {"0": {"ranks": json.dumps(list(range(n)))}}
    return [(r, [entry(0)] if r else [], {} if r else groups) for r in range(n)]


def chained(n):
    """Dumps of two ranks in n process groups, in each of which one rank waits."""
    groups = {str(i): {"ranks": "[0, 1]"} for i in range(n)}
    return [(r, [entry(0, str(i)) for i in range(n)[r:]], groups) for r in range(2)]


def of_profile(dir, n):
    """Makes an XSpace file of n kernels on n streams, each launched by a call on the host."""
    rows = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}},
            {"ph": "M", "pid": 701, "name": "process_name", "args": {"name": "/host:CPU"}},
            {"ph": "M", "pid": 701, "tid": 1, "name": "thread_name", "args": {"name": "python"}}]
    for i in range(n):
        rows += [{"ph": "M", "pid": 1, "tid": i + 1, "name": "thread_name", "args": {"name": f"Stream #{i + 1}"}},
                 {"ph": "X", "name": f"k{i}", "ts": 100.0 * i, "dur": 50.0, "pid": 1, "tid": i + 1,
                  "args": {"correlation_id": i + 1, "kernel_details": "grid:1,1,1"}},
                 {"ph": "X", "name": "launch", "ts": 100.0 * i, "dur": 5.0, "pid": 701, "tid": 1, "args": {"correlation_id": i + 1}}]
    (dir / "x.xplane.pb").write_bytes(xspace.encode(rows))
    return ["digest", "x.xplane.pb", "-o", "d.json", "--jobs", "1"]


def of_machine(dir, n):
    row = {"schema": "gpugate-machine-1", "driver": "580", "gpus": [{"index": "0", "sm_clock_mhz": 1900, "counters_us": {"sw_power_cap": 5}}]}
    (dir / "machine-rank0.json").write_text("".join(json.dumps({**row, "time_ns": 10**9 * i}) + "\n" for i in range(n)))
    return ["digest", "machine-rank0.json", "-o", "d.json"]


def of_table(dir, n):
    (dir / "r.csv").write_text("N,Triton (GB/s),Torch (GB/s)\n" + "".join(f"{i}.0,9.6,8.8\n" for i in range(n)))
    return ["digest", "r.csv", "-o", "d.json"]


def parts(dir, n):
    """Makes the results of two shards of a suite of n cases, to be merged."""
    a_suite(dir, n)
    for i in (1, 2):
        subprocess.run([PROGRAM, "suite", "suite.yaml", "--shard", f"{i}/2", "--json", f"part{i}.json"], cwd=dir, check=False, capture_output=True)
    return ["suite", "--merge", "part1.json", "part2.json", "--json", "r.json", "--markdown", "m.md", "--html", "h.html"]


def exceptions(n):
    """A rule with n patterns, all of which are tried on every item."""
    return ("rules: [{id: k, metric: kernel.time, for_each: {top: 50}, fail: {increase: 5%}, except: [" + ", ".join(f"'no kernel {i}'" for i in range(n // 2 + 1)) +
            "], overrides: [{match: [" + ", ".join(f"'other kernel {i}'" for i in range(n // 2 + 1)) + "], fail: {increase: 9%}}]}]\n")


def changed(dir, n):
    (dir / "t.json").write_bytes(trace())
    return ["check", "t.json", "--baseline", "b.json", "--bootstrap", *(w for i in range(n) for w in ("--changed", f"src/f{i}.py"))]


SHAPES = {
    "sites": (1000, snapshot(lambda i, n: (0, 512, [frame(i)]))),
    "segments": (1000, snapshot(lambda i, n: (i, 2 << 20, [frame(0)]))),
    "depth of stacks": (1000, snapshot(lambda i, n: (0, 512, [frame(k) for k in range(n // 8)] if i < 8 else []))),
    "rules by kernels": (400, judged(lambda n: "rules: [{id: k, metric: kernel.time, fail: {increase: 5%}}]\n", kernels)),
    "rules": (60, judged(lambda n: "rules:\n" + "".join(f"  - {{id: r{i}, metric: kernel.time, select: {{kernel: 'kernel {i % 50}'}}, fail: {{increase: 5%}}}}\n"
                                                      for i in range(n)), lambda n: kernels(50))),
    "waivers": (60, judged(waivers, lambda n: kernels(50))),
    "suites": (50, a_suite),
    "runs of a history": (200, history_of(lambda n: [[level(i, n, 40)] for i in range(n)])),  # only the newest 200 runs of a history are searched for changes
    "figures of few runs": (300, history_of(long_history)),
    "items of a history": (200, history_of(wide_history)),
    "collectives of a dump": (1000, hang(stuck)),
    "ranks that wait": (60, hang(waiting)),
    "groups of a dump": (500, hang(chained)),
    "streams of an XSpace": (1000, of_profile),
    "moments of a machine": (1000, of_machine),
    "lines of a table": (500, of_table),
    "parts of a suite": (250, parts),
    "patterns of a rule": (100, judged(exceptions, lambda n: kernels(50))),
    "changed files": (2000, changed),
    "kernels": (4000, of_trace(lambda n: [plain(i) for i in range(n)])),
    "names": (2000, of_trace(lambda n: [dict(plain(i), name=f"kernel {i}") for i in range(n)])),
    "streams": (2000, of_trace(lambda n: [plain(i, stream=i) for i in range(n)])),
    "devices": (2000, of_trace(lambda n: [plain(i, device=i) for i in range(n)])),
    "threads": (2000, of_trace(lambda n: [{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": i, "ts": 10.0 * i, "dur": 5.0}
                                          for i in range(n)] + [plain(0)])),
    "steps": (2000, of_trace(steps)),
    "events behind as many keys of metadata": (500, behind_metadata),
    "depth of operators": (2000, of_trace(nested)),
    "flows": (2000, of_trace(flows)),
    "without duration": (2000, of_trace(lambda n: [{k: v for k, v in plain(i).items() if k != "dur"} for i in range(n)])),
    "GPUs of an export": (1000, exported(gpus)),
    "metrics of an export": (1000, exported(gpu_metrics)),
    "ranges of a domain": (1000, exported(ranges)),
    "environment": (1000, of_digest(with_environment, "diff")),
    "figures": (1000, of_digest(with_inputs)),
    "ranks": (64, ranks(["report", "run"])),
    "ranks of a baseline": (64, ranks(["approve", "--new", "run", "--baseline", "b.json", "--force"])),
    "cases": (1000, cases),
}


def shape_fault(name):
    n, write = SHAPES[name]
    with tempfile.TemporaryDirectory() as folder:
        dir = pathlib.Path(folder)
        counts = (n, 2 * n, 4 * n) if ALL else (n, 4 * n)
        start, *have = (instructions(dir, write(dir, k)) for k in (1, *counts))
    ratio = max((b - start) / (a - start) for a, b in zip(have, have[1:])) ** (1 if ALL else 0.5)
    line = f"{name}: {n} to {4 * n}: {', '.join(f'{x / 1e6:.0f}' for x in have)} million instructions, at most times {ratio:.2f} with each doubling"
    return line, ratio >= RATIO


# --- The memory limit ---------------------------------------------------------------------------------------------------


# For each kind of input, a number of items that take more than 16 MiB of memory.
GROWING = {"names": 60000, "sites": 60000, "collectives of a dump": 90000, "streams of an XSpace": 60000, "lines of a table": 90000,
           "environment": 100000, "ranges of a domain": 60000}


def limit_of_memory():
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder)
        b.file("big.json", json.dumps({"traceEvents": [*events(), *(dict(plain(i), name=f"kernel {i}") for i in range(60000))]}))
        b.fine("digest", "big.json", "-o", "d.json", "--max-memory", "2GiB")
        b.file("d.json", "old")
        for jobs in (1, 4):
            b.refused("digest", "big.json", "-o", "d.json", "--max-memory", "16MiB", "--jobs", jobs,
                      says=r"^gpugate: big\.json: more memory than the limit of 16 MiB: '[a-z_. ]+' grows( to [1-9]\d* MiB)?; read fewer")
        assert (b.dir / "d.json").read_text() == "old"
        b.refused("digest", "big.json", "-o", "d.json", "--max-memory", "many", code=2, says="takes a size")
    for what, n in GROWING.items():
        with tempfile.TemporaryDirectory() as folder:
            b = Bench(folder)
            args = SHAPES[what][1](b.dir, n)
            b.refused(*args, "--max-memory", "16MiB", what=what, says=r"^gpugate: .*more memory than the limit of 16 MiB: '[a-z_. ]+' grows( to [1-9]\d* MiB)?; read fewer")
            print(f"ok   the limit of memory: {what}")


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    bad = 0
    if not sys.argv[1:]:
        if is_sanitized():
            print("skipped: the sanitizers' own memory and instructions would be counted")
            return 77
        limit_of_memory()
    if not shutil.which("valgrind"):
        print("skipped: needs valgrind")
        return 77
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for line, wrong in pool.map(shape_fault, sys.argv[1:] or some(SHAPES, 3)):
            print(f"{'FAIL' if wrong else 'ok  '} {line}", flush=True)
            bad += wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
