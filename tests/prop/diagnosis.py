#!/usr/bin/env python3
"""`gpugate report` says about a run what the recording shows, and no more than that.

On generated traces, and on the shared ones where $GPUGATE_SHARED is set: the figures of the summary are those of `metrics`;
the phases of a step add up to the whole, kernel by kernel; recommendations name existing metrics, are sorted by what they
save, and save at most a step; cells of a table are numbers if their column has a unit, and text otherwise. Ranks that wait for each other are
distinguished from ranks that do not. The gate recommends nothing for a run that passes, and nothing that applies to the
baseline as well. A user's own rules file replaces the built-in rules. Odd runs (windows, steps of no length, a host that
loads modules, threads that wait, times near the limit, joined cycles) get correct statements or none. A table has an
expert's judgment of real traces: what the run is bound by, what must be recommended and what must not. Idle time and
utilization of the GPU add up to the whole. No advice asks for what the recording has.

$GPUGATE is the program; exit 77 skips.
"""
import gzip
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
SHARED = os.environ.get("GPUGATE_SHARED")
PHASES = ("forward", "backward", "optimizer", "dataloader", "communication")
RULES = """version: 1
findings:
- id: own
  title: steps take time
  when: [{metric: step.time, above: %s}]
  saves: {metric: step.time, share: 50%%}
  observation: "{step.time} a {step}"
  hypothesis: h
  action: a
  confirm: step.time
  confidence: high
"""
lines = []


def expect(what, holds, *details):
    if not holds:
        lines.append(f"{what}: {' '.join(map(str, details))}")


def gpugate(*args, codes=(0,)):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False)
    expect(f"gpugate {' '.join(map(str, args))}", p.returncode in codes,
           f"exit {p.returncode}, not {codes}:", p.stderr.decode("utf-8", "replace"))
    return p


def report(run, *args):
    return json.loads(gpugate("report", run, "--json", "-", *args).stdout)


def check_form(name, r):
    expect(name, r["schema"] == "gpugate-report-1", r["schema"])
    expect(name, r["classification"]["evidence"] or r["classification"]["missing"], "says nothing")
    metrics = {line.split()[0] for line in gpugate("metrics").stdout.decode().splitlines()[1:]}
    facts = {f["id"]: f.get("value") for f in r["summary"]}
    step = facts.get("step.period", facts.get("window"))
    saves = [x["saves_ns"] for x in r["recommendations"]]
    known = [s for s in saves if s is not None]
    expect(name, known == sorted(known, reverse=True) and saves[:len(known)] == known, "order", saves)
    expect(name, all(step is not None and s <= step for s in known), "more than a step", saves, step)
    for x in r["recommendations"]:
        expect(name, re.sub(r"^input\..*", "input.*", x["confirm"]) in metrics, x["confirm"])
        expect(name, not any("–" in x[k] or "{" in x[k] for k in ("observation", "hypothesis", "action")), x)
    for t in r["tables"]:
        for row in t["rows"]:
            expect(name, len(row) == len(t["columns"]), t["id"], row)
            for cell, column in zip(row, t["columns"]):
                expect(name, cell is None or isinstance(cell, str) == (column["unit"] is None), t["id"], cell)


def check_summary(name, run, r):
    m = json.loads(gpugate("metrics", run, "--json", "-").stdout)
    if len(m["ranks"]) != 1:
        return
    for f in r["summary"]:
        values = [x for x in m["metrics"] if x["metric"] == f["id"]]
        if len(values) != 1:
            continue
        want = values[0].get("value")
        if want is None:
            want = statistics.median(s["value"] for s in values[0]["samples"])
        expect(name, abs(f["value"] - want) <= 0.5, f["id"], f["value"], want)


def check_layout(name, run, *args):
    """Four sections, each once and in this order, in every format; a recommendation names a finding."""
    titles = ["Summary", "Metrics", "Findings", "Recommendations"]
    with tempfile.TemporaryDirectory() as dir:
        comment, page = pathlib.Path(dir, "comment.md"), pathlib.Path(dir, "page.html")
        text = gpugate("report", run, "--markdown", comment, "--html", page, *args).stdout.decode()
        said = text, comment.read_text(encoding="utf-8"), page.read_text(encoding="utf-8")
    for form, said in zip((r"^(%s)(?::|$)", r"^\*\*(%s):?\*\*", r"<h2 [^>]*>(%s)</h2>"), said):
        have = re.findall(form % "|".join(titles), said, re.M)
        expect(name, have == titles, "sections", form, have)
    named = re.findall(r"^\d+\. observation: ([a-z0-9-]+)", text, re.M)
    found = text.partition("\nFindings")[2].partition("\n\n")[0]
    expect(name, named == re.findall(r"\((?!insight|trust|warning)([a-z0-9-]+)\):", found), "findings", named, found)
    return named


def kernels(r):
    t = next((t for t in r["tables"] if t["id"] == "categories"), None)
    if not t:
        return {}
    columns = [c["name"] for c in t["columns"]]
    return {row[columns.index("category")]: row[columns.index("time")] for row in t["rows"]}


def totals(r, table):
    """Totals of a list: {column: sum of rows and rest}, number of items, the largest rounding error."""
    t = next(t for t in r["tables"] if t["id"] == table)
    names = [c["name"] for c in t["columns"]]
    sums = {names[i]: rest + sum(row[i] or 0 for row in t["rows"]) for i, rest in enumerate(t["rest"]) if rest is not None}
    return sums, len(t["rows"]) + t["more"], [names[i] for i in range(len(names)) if t["rest"] and t["rest"][i] is None]


def check_lists(tmp):
    """The rows of each list in a report add up to its total, and agree with the report on a digest, which keeps small items as a sum."""
    options = [o for i in range(3000) for o in ("--new-kernel", f"void tiny_{i:04d}()=0.05")]
    run = generate("trace", tmp / "many.json", "--seed", "1", "--steps", "3", *options)
    trace = json.loads(run.read_text())
    outer = max((e for e in trace["traceEvents"] if e.get("cat") == "cpu_op"), key=lambda e: e["dur"])
    trace["traceEvents"] += [{**outer, "name": f"own::tiny_{i:03d}", "ts": outer["ts"] + i / 100, "dur": 0.005}
                             for i in range(200)]
    run.write_text(json.dumps(trace))
    gpugate("digest", run, "-o", tmp / "many.digest.json")
    digest = json.loads((tmp / "many.digest.json").read_text())
    for key in ("kernels", "ops"):
        expect("digest", sum(row.get("names", 0) for row in digest[key]) >= 200, key)
    whole, small = report(run), report(tmp / "many.digest.json")
    for table, columns in (("kernels", {"time", "count", "share"}), ("operators", {"self"})):
        for r in (whole, small):
            sums, things, blank = totals(r, table)
            of, all_of, _ = totals(whole, table)
            expect(table, set(sums) == columns and not columns & set(blank), sums, blank)
            expect(table, things == all_of, things, all_of)
            for column in columns & set(sums):
                expect(table, abs(sums[column] - of[column]) <= 1e-6 * of[column] + things, column, sums, of)
    sums, things, _ = totals(small, "kernels")
    expect("kernels", things > 3000 and abs(sums["share"] - 100) < 0.01, things, sums)
    expect("kernels", sum(k["total"] for k in json.loads(gpugate("metrics", run, "--json", "-").stdout)["kernels"]
                          if k["kind"] == "kernel") / 3 - sums["time"] < things, sums)
    text = gpugate("report", tmp / "many.digest.json").stdout.decode()
    expect("text", f"{things - 12} more" in text, things)
    page = tmp / "many.html"
    gpugate("report", tmp / "many.digest.json", "--html", page)
    expect("html", "<tfoot>" in page.read_text() and f"{things - 20} more" in page.read_text(), things)


def check_phases(name, run, whole):
    """Checks that kernel times of the phases add up to at most those of the whole step, except for 1 ns of rounding per phase."""
    sums = {}
    told = 0
    for phase in PHASES:
        p = gpugate("report", run, "--phase", phase, "--json", "-", codes=(0, 3))
        if p.returncode:
            continue
        told += 1
        r = json.loads(p.stdout)
        expect(name, r["phase"] == phase, r["phase"])
        expect(name, {t["id"] for t in r["tables"]} <= {"kernels", "categories", "operators"}, phase)
        for category, ns in kernels(r).items():
            sums[category] = sums.get(category, 0) + ns
    whole = kernels(whole)
    for category in sums:
        expect(name, sums[category] <= whole.get(category, 0) + len(PHASES), category, sums[category],
               whole.get(category))
    return told, sums, whole


def generated(tmp):
    run = generate("trace", tmp / "run.json.gz", "--seed", "1", "--steps", "4", "--nccl", "--world-size", "2")
    r = report(run)
    check_form("run", r)
    check_summary("run", run, r)
    told, sums, whole = check_phases("run", run, r)
    expect("phases", told == len(PHASES), told)
    expect("phases", sums.keys() == whole.keys(), sums, whole)
    for category, ns in whole.items():
        expect("phases", abs(sums.get(category, 0) - ns) <= len(PHASES), category, sums.get(category), ns)
    for phase, category in (("optimizer", "optimizer"), ("communication", "communication")):
        rows = kernels(report(run, "--phase", phase))
        expect(phase, set(rows) == {category}, rows)
    digest = tmp / "d.json"
    gpugate("digest", run, "-o", digest)
    gpugate("report", digest, "--phase", "backward", codes=(3,))
    expect("digest", kernels(report(digest)) == whole)
    return run


def host_trace(out, steps=0, length=1000, each=500, frames=()):
    """A trace whose host thread is always in an operator and launches a kernel of 5 us every `each` us, for `steps` marked
    steps if there are any. Frames are Python functions of another thread, one inside the other."""
    events, end = [], max(steps, 1) * 1000
    for i in range(steps):
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1,
                       "ts": i * 1000, "dur": length})
    for i, ts in enumerate(range(0, end, each)):
        about = {"pid": 1, "tid": 1, "args": {"correlation": i + 1, "External id": i + 1}}
        events.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": ts, "dur": each - 1, **about})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": ts + 1, "dur": 2, **about})
        events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": ts + 10, "dur": 5,
                       "args": {"correlation": i + 1, "device": 0, "stream": 7}})
    for i, name in enumerate(frames):
        args = {"Python id": i + 1, **({"Python parent id": i} if i else {})}
        events.append({"ph": "X", "cat": "python_function", "name": name, "pid": 1, "tid": 2, "ts": i,
                       "dur": end - 2 * i, "args": args})
    out.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "G"}],
                               "traceEvents": events}))
    return out


def table(r, name):
    return next((t for t in r["tables"] if t["id"] == name), {"rows": [], "note": ""})


def edges(tmp):
    """Reports of unusual runs, such as runs without steps, must make no false statement."""
    for name, each, bound in (("launches", 100, "launch"), ("loads", 500, "unknown")):
        r = report(host_trace(tmp / name, 4, each=each))
        expect(name, r["classification"]["bound"] == bound, r["classification"])
    window = report(host_trace(tmp / "window", each=100))
    expect("window", "per step" not in json.dumps(window["tables"]), window["tables"])
    waits = report(generate("trace", tmp / "nosteps.json", "--seed", "1", "--no-steps"))
    expect("window", not any(x["id"] == "host-synchronization" for x in waits["recommendations"]))
    evidence = report(host_trace(tmp / "zero", 4, length=0))["classification"]["evidence"]
    expect("zero", not any("no GPU activity" in x for x in evidence), evidence)
    start = ["threading.py(1032): _bootstrap", "threading.py(1075): _bootstrap_inner", "tqdm/_monitor.py(60): run"]
    for leaf, shown in (("threading.py(359): wait", False), ("<method 'acquire' of '_thread.lock' objects>", False),
                        ("work.py(3): crunch", True)):
        rows = table(report(host_trace(tmp / "frames", frames=[*start, leaf])), "functions")["rows"]
        expect("frames", any(row[-1].endswith(leaf) for row in rows) == shown, leaf, rows)
    history = [{"action": a, "addr": 4096, "size": 512, "stream": 0, "time_us": t, "frames": []}
               for t, a in ((1, "segment_alloc"), (2, "alloc"), (2**63 - 2, "free_completed"))]
    late = tmp / "late"
    late.write_text(json.dumps({"segments": [], "device_traces": [history]}))
    gpugate("report", late, "--json", tmp / "late.out", "--html", tmp / "late.html")


def cycles(tmp):
    """Traces of one rank in sequence: a phase has as many launches per step as in each single trace."""
    parts = [generate("trace", tmp / f"cycle{i}.json", "--seed", "1", "--steps", "3", "--first-step", str(10 * i))
             for i in range(2)]
    for phase in ("backward", "optimizer"):
        one = gpugate("report", parts[0], "--phase", phase, "--json", "-")
        both = gpugate("report", *parts, "--join-cycles", "--phase", phase, "--json", "-")
        counts = [{row[-1]: row[1] for row in table(json.loads(p.stdout), "kernels")["rows"]} for p in (one, both)]
        expect(f"cycles {phase}", counts[0] and counts[0] == counts[1], *counts)


def churn(tmp, run):
    """Segments that are freed and allocated in each step are a finding, and the cause where they are new; a warm-up is not."""
    generate("trace", tmp / "empties.json.gz", "--seed", 2, "--steps", 4, "--empty-cache")
    generate("snapshot", tmp / "plain.snap.json", "--seed", 1)
    generate("snapshot", tmp / "empties.snap.json", "--seed", 1, "--empty-cache")
    for path in (run, tmp / "empties.json.gz", tmp / "plain.snap.json", tmp / "empties.snap.json"):
        found = {x["id"] for x in report(path)["recommendations"]}
        expect("churn", ("allocator-churn" in found) == path.name.startswith("empties"), path.name, found)
    generate("trace", tmp / "keeps.json.gz", "--seed", 1, "--steps", 4)
    gpugate("approve", "--new", tmp / "keeps.json.gz", "--baseline", tmp / "b.json")
    result = json.loads(gpugate("check", tmp / "empties.json.gz", "--baseline", tmp / "b.json", "--json", "-", codes=(0, 1, 3)).stdout)
    expect("churn", any("cudaMalloc 4 times per step" in f["title"] and "empty_cache" in f["action"] for f in result["findings"]),
           [f["title"] for f in result["findings"]])


def own_rules(tmp, run):
    path = tmp / "own.yaml"
    path.write_text(RULES % "1us")
    found = report(run, "--diagnosis", path)["recommendations"]
    expect("own rules", [x["id"] for x in found if x["id"] == "own"] == ["own"], found)
    path.write_text(RULES % "1s")
    expect("own rules", not any(x["id"] == "own" for x in report(run, "--diagnosis", path)["recommendations"]))
    path.write_text((RULES % "1s").replace("observation", "observed"))
    p = gpugate("report", run, "--diagnosis", path, codes=(2,))
    expect("own rules", b"own.yaml:7:3: unknown key 'observed' in a finding" in p.stderr, p.stderr)


def ranks(tmp):
    for name, options in (("even", []), ("slow", ["--slow-rank", "2=1.3"])):
        job = generate("ranks", tmp / name, "--ranks", 4, "--steps", 4, "--seed", 1, *options)
        r = report(job)
        check_form(name, r)
        ids = {x["id"] for x in r["recommendations"]}
        expect(name, ("waiting-for-ranks" in ids) == (name == "slow"), ids)
        files = sorted(job.iterdir())
        backwards = json.loads(gpugate("report", *files[::-1], "--json", "-").stdout)
        expect(name, {**backwards, "run": 0} == {**r, "run": 0}, "the order of files changes the report")
    base = tmp / "base.json"
    gpugate("approve", "--new", tmp / "even", "--baseline", base)
    for name, code in (("even", 0), ("slow", 1)):
        p = gpugate("check", tmp / name, "--baseline", base, "--json", "-", codes=(code,))
        got = {x["id"] for x in json.loads(p.stdout)["recommendations"]}
        expect(f"check {name}", ("waiting-for-ranks" in got) == (name == "slow"), got)
    gpugate("approve", "--new", tmp / "slow", "--baseline", tmp / "slow.json")
    p = gpugate("check", tmp / "slow", "--baseline", tmp / "slow.json", "--json", "-", codes=(0, 1))
    expect("known already", not json.loads(p.stdout)["recommendations"], p.stdout)


# For each trace: correct bounds, recommendations that must be made, and those that must not. A GPU that is busy with GEMMs
# or communication is not launch-bound; nothing is said of steps in a trace of the set-up only; a run that uses CUDA graphs is
# not advised to use them.
COMPUTE, IDLE = ("compute",), ("unknown",)
HOST = {"launch-bound", "unexplained-idle", "start-up", "cpu-preprocessing", "input-pipeline", "cuda-graphs"}
COPIES = {"copies-over-pcie", "exposed-copies", "blocking-copies"}
EXPERT = {
    "alexnet-a100-critpath.json.gz": (IDLE, {"start-up"}, {"launch-bound", "compute-bound", "cuda-graphs"}),
    "bert-small-h100-single.json.gz": (("launch",), {"launch-bound"}, {"compute-bound", "input-pipeline"} | COPIES),
    "bert-small-mi300x-single.json.gz": (("launch",), {"launch-bound"}, {"compute-bound", "input-pipeline"} | COPIES),
    "cpuonly-a100-rank-missing.json.gz": (IDLE, set(), HOST | COPIES | {"compute-bound"}),
    "cpuonly-gloo-rank34of300-cut.pt.trace.json.gz": (IDLE, set(), HOST | COPIES | {"compute-bound"}),
    "deepseek-decode-b300.trace.json.gz": (("mixed", "unknown"), {"host-around-graphs"}, {"launch-bound", "cuda-graphs"}),
    "deepseek-decode-mi300x.trace.json.gz": (("memory",), {"memory-bound"}, HOST | COPIES),
    "eventsync-a100-tiny.json.gz": (IDLE, {"unexplained-idle"}, {"compute-bound", "cuda-graphs"}),
    "flux-aiter-mi300x-rank0of1.json.gz": (COMPUTE, {"compute-bound", "dominated-by-gemm"}, HOST | {"unfused-attention"}),
    "fsdp-a100-rank0of16-5steps.json.gz": (("synchronization",), {"blocking-copies", "exposed-communication"},
                                           {"compute-bound", "cuda-graphs", "launch-bound"}),
    "hta-diff-control-a100-rank3of8.json.gz": (("memory",), {"exposed-communication"}, {"launch-bound", "unexplained-idle"}),
    "hta-diff-test-v100-rank1of2.json.gz": (("memory",), {"exposed-communication", "memory-bound"}, HOST),
    "hta-tinypair-base-rank1.json.gz": (IDLE, {"unexplained-idle"}, {"compute-bound", "cuda-graphs"}),
    "hta-tinypair-test-rank1.json.gz": (IDLE, {"unexplained-idle"}, {"compute-bound", "cuda-graphs"}),
    "inductor-triton-mi300x.json.gz": (COMPUTE, {"dominated-by-gemm"}, HOST | {"unfused-elementwise"}),
    "linear-2080ti-nostep.json.gz": (("launch",), {"launch-bound", "start-up"}, {"compute-bound", "unexplained-idle"}),
    "minitoy-mi250-rocm62.json.gz": (IDLE, {"unexplained-idle"}, {"compute-bound", "cuda-graphs"}),
    "nccl-a100-rank0of2-3steps.json.gz": (("launch",), {"launch-bound", "layout-transposes"}, {"compute-bound"}),
    "norm-test-mi300x-run1.json.gz": (IDLE, {"start-up"}, {"launch-bound", "compute-bound", "cuda-graphs"}),
    "norm-test-mi300x-run2.json.gz": (IDLE, {"start-up"}, {"launch-bound", "compute-bound", "cuda-graphs"}),
    "ns-v100-rank0of1-5steps.pt.trace.json.gz": (COMPUTE, {"compute-bound"}, HOST | COPIES),
    "qwen05b-h100-single.json.gz": (("memory",), {"unfused-elementwise", "memory-bound"}, HOST | {"unfused-attention"}),
    "qwen05b-mi300x-single.json.gz": (COMPUTE, {"unfused-elementwise", "compute-bound"}, HOST | {"unfused-attention"}),
    "resnet50-toparray-nw4.pt.trace.json.gz": (("mixed",), {"launch-bound"}, {"compute-bound", "unfused-attention"}),
    "resnet50-v100-nw0-session1.pt.trace.json.gz": (("mixed", "input"), {"input-pipeline"}, {"launch-bound", "compute-bound"}),
    "resnet50-v100-nw0-session2.pt.trace.json.gz": (("mixed", "input"), {"input-pipeline"}, {"launch-bound", "compute-bound"}),
    "resnet50-v100-nw4-session1.pt.trace.json.gz": (COMPUTE, {"compute-bound"}, {"input-pipeline", "cuda-graphs"}),
    "sglang-qwen3-decode-mi300x.json.gz": (("synchronization",), {"blocking-copies"}, {"launch-bound", "compute-bound"}),
    "torchbench-10steps-memcpy-a.json": (("memory",), {"copies-over-pcie"}, HOST | {"compute-bound"}),
    "triton-a100-1kernel.json.gz": (IDLE, {"unexplained-idle"}, {"compute-bound", "launch-bound", "cuda-graphs"}),
    "tutorial-h100-steps1to3.pt.trace.json.gz": (("launch",), {"launch-bound", "unfused-attention"}, {"compute-bound"}),
    "tutorial-h100-steps6to8.pt.trace.json.gz": (("launch",), {"launch-bound", "unfused-attention"}, {"compute-bound"}),
    "vllm-decode-graph-rocm.json.gz": (("memory",), {"moe-routing"}, HOST | {"unfused-attention"}),
    "vllm-piecewise-graph-rocm.json.gz": (COMPUTE, {"moe-routing"}, HOST | {"unfused-attention"}),
    "dlrm-v100-8rank": (("communication",), {"exposed-communication", "waiting-for-ranks", "host-synchronization"},
                        {"compute-bound", "launch-bound"}),
    "megatron-tp8-a100-8rank": (("communication",), {"exposed-communication", "waiting-for-ranks", "unfused-attention"},
                                {"compute-bound", "launch-bound", "input-pipeline"}),
}


def check_expert(name, r):
    bounds, must, must_not = EXPERT.get(name, ((), set(), set()))
    ids = {x["id"] for x in r["recommendations"]}
    expect(name, not bounds or r["classification"]["bound"] in bounds, r["classification"])
    expect(name, must <= ids and not must_not & ids, ids, "lack", must - ids, "wrong", must_not & ids)
    idle = next((f["value"] for f in r["summary"] if f["id"] == "step.idle_time"), None)
    if idle:
        expect(name, ids, "no recommendation")


def check_known(name, run, c):
    """A GPU that is busy is compute-bound with confidence only if arithmetic is known to limit most of its kernels."""
    limits = [e for e in c["evidence"] if "by what limits them" in e]
    known = re.findall(r"([\d.]+) % arithmetic", " ".join(limits))
    if c["bound"] == "compute":
        sure = known and float(known[0]) > 50
        head = gpugate("report", run).stdout.decode().split("Summary")[1].split("\n- ")[1]
        expect(name, limits and (sure or c["confidence"] == "low"), "what limits kernels is not known", c)
        expect(name, ("is not known" in head) == (not sure) and ("compute-bound" in head) == bool(sure), head)


def check_whole(name, run):
    """In the same interval the GPU is either busy or idle: over the periods of the steps, or over the window."""
    m = json.loads(gpugate("metrics", run, "--json", "-").stdout)
    for rank in {x["rank"] for x in m["metrics"]}:
        rows = [x for x in m["metrics"] if x["rank"] == rank]
        busy = [x["value"] for x in rows if x["metric"] == "gpu.utilization_pct"]
        samples = {x["metric"]: {s["step"]: s["value"] for s in x["samples"]} for x in rows if "samples" in x}
        idle, period = samples.get("step.idle_time", {}), samples.get("step.period")
        whole = sum(period.values()) * len(busy) if period else sum(
            x["value"] for x in rows if x["metric"] in ("window.busy_time", "window.idle_time"))
        if busy and whole and sum(busy):
            got = 100 * sum(idle.values()) / whole + (sum(busy) / len(busy) if period else
                                                      100 * sum(x["value"] for x in rows if x["metric"] == "window.busy_time") / whole)
            expect(name, abs(got - 100) < 0.01, "busy and idle are", got, "%")
            expect(name, period or len(busy) > 1 or abs(busy[0] + 100 * sum(idle.values()) / whole - 100) < 0.01, busy, idle)


# what advice may ask for: the words, and how a trace shows that it has that (shapes: with what operations follow from)
THERE = {"with_stack": (rb'"cat": ?"python_function"',), "profile_memory": (rb'"\[memory\]"', b"Total Allocated"),
         "record_shapes": (rb'"Input [Dd]ims": ?\[\s*\[', rb'"Concrete Inputs": ?\[')}


def check_asks(name, files, r):
    """No advice, and nothing that is said to be unknown, asks for what the recording has; no share of nothing is said."""
    said = [(x["id"], text) for x in r["recommendations"] for text in (x["ask"], x["action"]) if text]
    said += [("missing", text) for text in r["classification"]["missing"]]
    raw = b"".join((gzip.open if f.suffix == ".gz" else open)(f, "rb").read() for f in files)
    for word, marks in THERE.items():
        if all(re.search(m, raw) for m in marks):
            expect(name, not any(word in text for _, text in said), "has", word, "and is asked for it:", *(s for s in said if word in s[1]))
    lacks = not re.search(rb'"Input [Dd]ims"', raw) and re.search(rb'"aten::(addmm|conv2d)"', raw)
    asks = [x["ask"] or "" for x in r["recommendations"] if x["id"] in ("compute-bound", "launch-bound")]
    expect(name, not lacks or all("record_shapes" in a for a in asks), "lacks shapes, and is not asked for them", asks)
    worlds = [int(n) for n in re.findall(rb'"world_size": ?(\d+)', raw)]
    if worlds and len(files) >= max(worlds):
        expect(name, not any("all ranks" in text for _, text in said), "all of", worlds[0], "ranks are there, and asked for")
    for x in r["recommendations"]:
        expect(name, not re.search(r"\b0(\.0+)? % of the trace", x["observation"]) and re.search(r"\ba \d|\bstep softmax", x["observation"]) is None, x["observation"])


def shared():
    data = pathlib.Path(SHARED) / "data"
    traces = data / "traces"
    for path in sorted(traces.iterdir()) + sorted((data / "more" / "traces").iterdir()):
        if path.name.startswith(("nottrace", "cpuonly-gloo")):
            continue
        p = gpugate("report", path, "--json", "-", codes=(0, 3))
        if p.returncode:
            continue
        r = json.loads(p.stdout)
        check_form(path.name, r)
        check_summary(path.name, path, r)
        expect(path.name, "allocator-churn" not in check_layout(path.name, path), "nobody empties the cache here")
        check_expert(path.name, r)
        check_known(path.name, path, r["classification"])
        check_asks(path.name, sorted(path.iterdir()) if path.is_dir() else [path], r)
        check_whole(path.name, path)
        if path.is_file():
            check_phases(path.name, path, r)


    for path in sorted([*data.glob("nsys/*"), *data.glob("xplane/*")]):
        check_known(path.name, path, json.loads(gpugate("report", path, "--json", "-").stdout)["classification"])
    for path in sorted([*data.glob("**/snapshots/*"), *(data.parent / "results").glob("vllm-serve--*")]):
        expect(path.name, "allocator-churn" not in check_layout(path.name, path), "nobody empties the cache here")


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as t:
        tmp = pathlib.Path(t)
        run = generated(tmp)
        check_lists(tmp)
        edges(tmp)
        cycles(tmp)
        own_rules(tmp, run)
        churn(tmp, run)
        ranks(tmp)
        check_layout("every figure", run, "--verbose")
        baseline = tmp / "baseline.json"
        gpugate("approve", "--new", run, "--baseline", baseline)
        check_layout("a baseline", baseline)
    if SHARED:
        shared()
    else:
        print("skipped: shared traces ($GPUGATE_SHARED is not set)")
    if lines:
        sys.exit("\n".join(lines))


if __name__ == "__main__":
    main()
