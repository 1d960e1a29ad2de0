#!/usr/bin/env python3
"""Laws of figures that benchmarks write, on generated files of several formats and of one's own.

- Units: a figure in any unit of its dimension, on either side, gives the same verdict; in a unit of another dimension it is
  not judged, and both units are named.
- What was not measured: each value of a file replaced by -1, null, "nan", "", a text, a number with a remark: never improved
  and never a pass in silence, unless the value is not a figure of the file.
- A table that is cut off at any byte behind its first row is refused, or has the figures of its whole lines.
- Plain numbers are judged without any rules, by the direction that name and unit tell; others are named once.
- An absolute path in the name of a case changes nothing, also against a baseline that was stored with it.
- Work: figures of a case whose work is another than in the baseline are not judged, what was counted may differ by 5 %, what the tool
  chooses by any amount; `same_work` leaves a member out.
- Formats with `only` describe one file together; folders of a sweep are cases.
- Figures that moved together are one finding and one table, and the heading names a rate if nothing is wrong.
- A file in the shape of each tool's gives the figures with their units; a figure that is worse by a factor is not passed, a better one is.
- Lines of logs are read as their pattern says, whatever stands between them; a line that is cut off counts as none. A pattern that libc cannot
  take in linear time is refused with its place.
- Reports name figures as people do, each of a case differently, and a rule takes that name, too; the figure that heads a report does not depend
  on the alphabet.
- The directions of names and units are those of a list that was written by hand.

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("GPUGATE")
UNITS = {"time": (("ns", 1), ("us", 1e3), ("\u00b5s", 1e3), ("usec", 1e3), ("ms", 1e6), ("s", 1e9), ("seconds", 1e9), ("min", 6e10)),
         "bytes": (("B", 1), ("bytes", 1), ("KiB", 1024), ("MB", 1e6), ("MiB", 2**20), ("GiB", 2**30)),
         "rate": (("B/s", 1), ("kB/s", 1e3), ("GB/s", 1e9), ("GiB/s", 2**30))}
FORMAT = """version: 1
inputs: {results: [{match: "*.json", records: "rows[*]", case: "{name}", take: [{at: value, as: v, unit_at: unit}]}]}
rules: [{id: figures, metric: "input.*", fail: {worse: 10%}}]
"""
DIRECTIONS = {
    "higher": ["tokens_per_s", "output_throughput", "tokensPerSecond", "images_per_sec", "goodput", "mem_bandwidth_gbps", "mfu", "val/accuracy",
               "TFLOPS", "qps", "free_memory"],
    "lower": ["p99_ttft_ms", "step_time", "latency.p50", "iteration-time", "peak_mem", "peak_mem_gib", "val_loss", "perplexity", "meanLatency",
              "err", "wer", "power", "energy_j", "time_us", "error_rate"],
    None: ["score", "value", "transferred", "batch_size", "n", "std_itl_ms", "latency_delta_ms", "timestamp", "throughput_time", "steps", "seed",
           "sometimes"]}
DIRECTIONS["higher"] = [n for n in DIRECTIONS["higher"] if n not in ("mem_bandwidth_gbps", "free_memory")]
DIRECTIONS[None] += ["mem_bandwidth_gbps", "free_memory"]  # two words that say two things


def run(*args, cwd):
    p = subprocess.run([PROGRAM, *map(str, args)], cwd=cwd, capture_output=True, text=True, check=False)
    assert p.returncode in (0, 1, 3), (args, p.returncode, p.stdout, p.stderr)
    return p


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


class Gate:
    """A folder with a baseline of one file, against which other contents of the file are checked."""

    def __init__(self, folder, name, content, rules=None):
        self.folder, self.name = folder, name
        self.rules = ("--rules", write(folder / "rules.yaml", rules)) if rules else ()
        write(folder / "b" / name, content)
        p = run("baseline", "create", "b", "--workload", "w", "--baseline", "b.gpugate", "--force", *self.rules, cwd=folder)
        assert p.returncode == 0, p.stderr

    def check(self, content):
        """Exit code, verdicts of the checks, and all that is printed."""
        write(self.folder / "c" / self.name, content)
        (self.folder / "r.json").unlink(missing_ok=True)
        p = run("check", "c", "--workload", "w", "--baseline", "b.gpugate", "--json", "r.json", "--verbose", *self.rules, cwd=self.folder)
        result = json.loads((self.folder / "r.json").read_text()) if (self.folder / "r.json").exists() else {}
        return p.returncode, {c["metric"]: c["verdict"] for c in result.get("checks", [])}, " ".join((p.stdout + p.stderr).split())


def units(folder, rng):
    for dimension, words in UNITS.items():
        base = [(rng.choice(words), 10 ** rng.uniform(3, 7)) for _ in range(4)]
        gate = Gate(folder, "m.json", {"rows": [{"name": f"c{i}", "unit": u, "value": v / size} for i, ((u, size), v) in enumerate(base)]}, FORMAT)
        for factor in (0.5, 1, 1.05, 1.2, 2):
            seen = set()
            for word, size in words:
                rows = [{"name": f"c{i}", "unit": word, "value": v * factor / size} for i, (_, v) in enumerate(base)]
                code, verdicts, _ = gate.check({"rows": rows})
                seen.add((code, *sorted(verdicts.items())))
            assert len(seen) == 1, (dimension, base, factor, seen)
            worse = factor > 1.1 if dimension != "rate" else factor < 0.9
            assert (seen.pop()[0] != 0) == worse, (dimension, factor)
        for other, others in UNITS.items():
            for word in (rng.choice(others)[0], "") if other != dimension else ():
                code, verdicts, text = gate.check({"rows": [{"name": f"c{i}", "unit": word, "value": 1} for i in range(4)]})
                assert code == 3 and set(verdicts.values()) == {"inconclusive"}, (dimension, word, verdicts)
                assert "measure different things" in text, text


SERVE = {"backend": "vllm", "model_id": "m", "num_prompts": 8, "completed": 8, "request_rate": 4.0, "total_output_tokens": 900,
         "request_throughput": 4.5, "output_throughput": 900.5, "mean_ttft_ms": 12.5, "p99_ttft_ms": 29.5, "mean_itl_ms": 3.25}
GOOGLE = {"context": {}, "benchmarks": [{"name": f"BM{i}", "run_type": "iteration", "iterations": 9, "real_time": 5.5 + i, "cpu_time": 5.25,
                                         "time_unit": "ms"} for i in range(2)]}
FLAT = {"tokens_per_s": 81234.5, "step_time_ms": 12.5, "peak_mem_gib": 40.5, "val/accuracy": 0.75, "loss": 2.5}
BAD = (-1, -1e-9, None, "nan", "", "N/A", "failed", "12.4 (failed)", "1,900", "2026-01-01", "5 GHz", "5 parsecs", float("nan"), float("inf"))


def places(value, at=()):
    """The places of all numbers of a JSON value, and of the texts beside them."""
    if isinstance(value, (dict, list)):
        for k, v in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(v, (*at, k))
    elif isinstance(value, (int, float)):
        yield at


def replaced(value, at, new):
    copy = json.loads(json.dumps(value))
    inner = copy
    for k in at[:-1]:
        inner = inner[k]
    inner[at[-1]] = new
    return copy


def not_measured(folder):
    for content, no_figures in ((SERVE, {"num_prompts", "completed", "request_rate", "total_output_tokens"}), (GOOGLE, {"iterations"}), (FLAT, set())):
        gate = Gate(folder, "m.json", content)
        code, verdicts, text = gate.check(content)
        assert code == 0 and len(verdicts) > 3, (verdicts, text)
        for at in places(content):
            for bad in BAD:
                code, verdicts, text = gate.check(replaced(content, at, bad))
                assert "improved" not in verdicts.values(), (at, bad, verdicts)
                assert at[-1] in no_figures or code == 3 or (code == 1 and bad in (-1, -1e-9)), (at, bad, code, text)


def cut(folder):
    text = "epoch,step,loss_ms\n" + "".join(f"0,{i},{12.25 + i / 100:.2f}\n" for i in range(9))
    whole = {n: float(f["value"]) for n, f in ((f["metric"], f) for f in figures(folder, text)[1])}
    assert whole == {"input.loss_ms": 12.33}, whole
    rows = [float(line.split(",")[2]) for line in text.splitlines()[1:]]
    for n in range(text.index("\n0,1,"), len(text)):  # one row has nothing to be compared with
        code, found = figures(folder, text[:n])
        assert code == 3 or (len(found) == 1 and float(found[0]["value"]) in rows), (n, code, found)


def figures(folder, text):
    write(folder / "cut.csv", text)
    p = run("metrics", "cut.csv", "--json", "-", cwd=folder)
    return p.returncode, json.loads(p.stdout)["metrics"] if p.returncode == 0 else []


def paths(folder):
    for place in ("/data/models/m", "/home/x/m/", "m"):
        gate = Gate(folder, "m.json", {**SERVE, "model_id": place})
        for other in ("/mnt/m", "/mnt/a/m/", "m"):
            code, verdicts, text = gate.check({**SERVE, "model_id": other})
            assert code == 0, (place, other, text)
            assert "/data" not in "".join(verdicts) and "/mnt" not in "".join(verdicts), verdicts
    gate = Gate(folder, "m.json", SERVE)
    stored = (folder / "b.gpugate").read_text()
    assert '"m.r4.0.cnone/' in stored, stored
    (folder / "b.gpugate").write_text(stored.replace('"m.r4.0.cnone/', '"/data/models/m.r4.0.cnone/'))  # as earlier versions named the case
    code, verdicts, text = gate.check({**SERVE, "mean_ttft_ms": 125})
    assert code in (1, 3) and verdicts["input.m.r4.0.cnone/mean_ttft_ms"] in ("fail", "undecided"), (verdicts, text)
    assert set(verdicts.values()) <= {"pass", "fail", "undecided", "skipped"}, verdicts


def work(folder):
    content = {**SERVE, "num_prompts": 1000, "completed": 1000, "total_input_tokens": 50000, "total_output_tokens": 90000}
    worse = {"mean_ttft_ms": 25.5, "output_throughput": 100.5}
    rules = "version: 1\nrules: [{id: figures, metric: 'input.*', same_work: [num_prompts, completed], fail: {worse: 10%}}]\n"
    for rule in (None, rules):
        gate = Gate(folder, "m.json", content, rule)
        for other, differs in (({"num_prompts": 500, "completed": 500}, not rule), ({"total_output_tokens": 95000}, True), ({"total_output_tokens": 86000}, False),
                               ({"completed": 991}, False), ({"burstiness": 2}, False), ({"duration": 5}, False)):
            for change in ({}, worse, {"mean_ttft_ms": 5.5}):
                code, verdicts, text = gate.check({**content, **other, **change})
                some = ", ".join(f"{k} {content[k]} \u2192 {v}" for k, v in other.items() if k in content)
                assert (f"did other work than the baseline: {some}" in text) == (differs or bool(rule and "num_prompts" in other)), (other, text)
                assert not differs or (code == 3 and {v for m, v in verdicts.items() if m.startswith("input.")} == {"inconclusive"}), (other, change, code, verdicts)
                assert differs or (code == 0) == (change is not worse), (other, change, code, text)
        assert gate.check({**content, "completed": 989})[0] == 3
    many = json.loads(json.dumps(GOOGLE))
    gate = Gate(folder, "m.json", many)
    many["benchmarks"][0]["iterations"] = 1000
    assert gate.check(many)[0] == 0


PARTS = """version: 1
inputs:
  results:
    - {match: "m.json", only: {kind: a}, case: "{name}", take: [{at: v, as: up, better: higher}]}
    - {match: "m.json", only: {kind: b}, case: "{name}", take: [{at: v, as: down, better: lower}]}
rules: [{id: figures, metric: "input.*", fail: {worse: 10%}}]
"""


def parts(folder):
    rows = [{"kind": k, "name": f"{k}{i}", "v": 10 + i} for k in "abc" for i in range(2)]
    gate = Gate(folder, "m.json", rows, PARTS)
    code, verdicts, text = gate.check(rows)
    assert code == 0 and len(verdicts) == 4 and "2 of 6 records are of none of its formats" in text, (verdicts, text)
    for k, factor in (("a", 0.5), ("b", 2)):
        code, verdicts, _ = gate.check([{**r, "v": r["v"] * (factor if r["kind"] == k else 1)} for r in rows])
        assert code in (1, 3) and sum(v in ("fail", "undecided") for v in verdicts.values()) == 2, verdicts
    assert gate.check([r for r in rows if r["kind"] == "c"])[0] == 3
    for n in (16, 64):
        write(folder / "sweep" / f"concurrency_{n}" / "m.json", {"elapsed_time": n, "num_requests": 8, "requests_per_second": 2, "tokens_per_second": n})
    for given in (["sweep"], sorted((folder / "sweep").glob("*/m.json"))):
        p = run("metrics", *given, cwd=folder)
        assert p.returncode == 0 and "concurrency_16/tokens_per_second" in p.stdout and "concurrency_64/" in p.stdout, p.stdout + p.stderr


NCCL = "# nThread 1 nGpus 8\n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n" + "".join(
    f"  {2 ** k}        {2 ** k // 4}     float     sum      -1    {10.5 + k:.2f}   {k}.67   {k}.51      0    {10.25 + k:.2f}   {k}.92   {k}.97    {wrong}\n"
    for k, wrong in ((20, "0"), (21, "N/A"))) + "# Out of bounds values : 0 OK\n"
MEGATRON = "".join(
    f" [2026-01-02 03:04:{i:02}] iteration {i:8}/      10 | consumed samples: {128 * i:12} | elapsed time per iteration (ms): {9000 if i == 1 else 500 + i}.5 | "
    f"throughput per GPU (TFLOP/s/GPU): {400 - i}.1 | learning rate: 1.000000E-04 | global batch size:   128 | lm loss: {11 - i / 10:E} | loss scale: 1.0 |\n"
    for i in range(1, 6))
TITAN = "".join(
    f"[rank0]:[titan] 2026-01-02 03:04:05,678 - root - INFO - \x1b[31mstep: {i:2}  \x1b[32mloss: {12 - i / 10:7.4f}  \x1b[38;2;180;60;0mgrad_norm: 4.1  "
    f"\x1b[38;2;54;234;195mmemory: 40.51GiB(38.6%)  \x1b[34mtps: {7000 + i:,}  \x1b[36mtflops: 1,{400 + i}.25  \x1b[35mmfu: 41.{i}0%\x1b[39m\n" for i in range(1, 6))
OWN = """version: 1
inputs:
  results:
    - match: "*.log"
      read: text
      pattern: 'batch (?<batch>[0-9]+): (?<ms>[0-9.]+) ms, (?<rate>[0-9.]+) img/s'
      case: "b{batch}"
      take: [{at: ms, unit: ms}, {at: rate, unit: img/s}]
rules: [{id: figures, metric: "input.*", fail: {worse: 10%}}]
"""
LOGS = (("nccl.log", NCCL, {"float.sum.1048576/time": 30.5, "float.sum.1048576/busbw": 20.51, "float.sum.2097152/in_place_busbw": 21.97}),
        ("meg.log", MEGATRON, {"iteration_ms.median": 504, "tflops.median": 396.6, "lm_loss": 10.5}),
        ("titan.log", TITAN, {"tps.median": 7003.5, "tflops.median": 1403.75, "mfu.median": 41.35, "memory": 40.51, "loss": 11.5}),
        ("nvbandwidth.txt", "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n 0     55.63\n\nSUM host_to_device_memcpy_ce 55.63\n", {"host_to_device_memcpy_ce/sum": 55.63}),
        ("pr_time_benchmarks.csv", "add_loop_eager,compile_time_instruction_count,3041938567\nadd_loop_inductor,compile_time_instruction_count,28100300123\n",
         {"add_loop_inductor/compile_time_instruction_count": 28100300123}),
        ("hpl.out", "T/V                N    NB     P     Q               Time                 Gflops\n" + "-" * 80 +
         "\nWR11C2R4       29184   192     2     2              90.34              1.835e+02\n", {"n29184.nb192.p2.q2/gflops": 183.5}))


def numbers(folder, name, text):
    write(folder / name, text)
    p = run("metrics", name, "--json", "-", cwd=folder)
    return {m["metric"][len("input."):]: m["value"] for m in json.loads(p.stdout)["metrics"]} if p.returncode == 0 else None


def logs(folder):
    for name, text, some in LOGS:
        found = numbers(folder, name, text)
        assert all(abs(found[k] - v) < 1e-9 * v for k, v in some.items()), (name, found)
        noisy = "".join(f"{line}\nINFO of another {line[:7]}\n" for line in text.splitlines())
        assert numbers(folder, name, noisy) == found, name
        for n in range(0, len(text), 61):  # a line that is cut off counts as none
            assert numbers(folder, name, text[:n]) == numbers(folder, name, text[:text.rfind("\n", 0, n) + 1]), (name, n)
    gate = Gate(folder / "own", "x.log", "start\nbatch 8: 12.5 ms, 640.5 img/s\n", OWN)
    code, verdicts, text = gate.check("start\nbatch 8: 25 ms, 320 img/s\n")
    assert code in (1, 3) and set(verdicts) == {"input.b8/ms", "input.b8/rate"} and "improved" not in verdicts.values(), (verdicts, text)
    assert gate.check(MEGATRON)[0] == 3
    gate = Gate(folder / "megatron", "m.log", MEGATRON)
    code, verdicts, text = gate.check(MEGATRON)
    assert code == 0 and "not judged" not in text, text
    code, verdicts, text = gate.check("".join(MEGATRON.splitlines(True)[:4]))
    assert code == 3 and "step 5 \u2192 4" in text, text
    for pattern in ("(a)", "(?<a", "(?:a)(?<b>x)", r"(?<a>x)\1", "(?<a>x{2,9})", "(?<a>x", "(?<a>(((((x+)+)+)+)+))", "(?<a>x+++++)", "(?<a>x)" * 50):
        write(folder / "rules.yaml", OWN.replace("batch (?<batch>[0-9]+): (?<ms>[0-9.]+) ms, (?<rate>[0-9.]+) img/s", pattern))
        p = subprocess.run([PROGRAM, "lint", "rules.yaml"], cwd=folder, capture_output=True, text=True, check=False)
        assert p.returncode == 2 and p.stderr.count("\n") == 1 and "rules.yaml:6:" in p.stderr, (pattern, p)


NCU = '"ID","Process ID","Kernel Name","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"\n' + "".join(
    f'"{i}","77","gemm(float *, int)","0","9.0","{section}","{name}","{unit}","{value}"\n' for i in range(2) for section, name, unit, value in (
        ("GPU Speed Of Light Throughput", "DRAM Throughput", "%", "41.25"), ("GPU Speed Of Light Throughput", "Duration", "us", "1,234.5"),
        ("GPU Speed Of Light Throughput", "Compute (SM) Throughput", "%", "61.5"), ("Launch Statistics", "Registers Per Thread", "register/thread", "128"),
        ("Launch Statistics", "Grid Size", "", "256")))
# {file: (contents, {figure: (value, unit, better)})}, in the shape of what the tool writes
FILES = {
    "550_150_summary.json": ({"version": "2023-08-31", "name": "m_550_150_summary", "model": "org/m", "mean_input_tokens": 550, "mean_output_tokens": 150,
                              "num_concurrent_requests": 2, "results_ttft_s_mean": 0.5, "results_ttft_s_quantiles_p99": 0.75, "results_ttft_s_stddev": 0.125,
                              "results_end_to_end_latency_s_mean": 3.5, "results_end_to_end_latency_s_quantiles_p50": 3.25,
                              "results_request_output_throughput_token_per_s_mean": 50.5, "results_mean_output_throughput_token_per_s": 99.5,
                              "results_number_errors": 0, "results_num_completed_requests": 40},
                             {"org/m.c2.in550.out150/results_ttft_s_mean": (0.5, "s", "lower"), "org/m.c2.in550.out150/output_throughput": (99.5, "tok/s", "higher")}),
    "individual.json": ([{"error_code": None, "ttft_s": 0.5 + i / 8, "end_to_end_latency_s": 2.5, "number_output_tokens": 150} for i in range(3)],
                        {"ttft_s.median": (0.625, "s", "lower")}),
    "lm_eval.json": ({"results": {"hellaswag": {"alias": "hellaswag", "acc,none": 0.5, "acc_stderr,none": 0.005},
                                  "wikitext": {"alias": "wikitext", "word_perplexity,none": 12.5, "word_perplexity_stderr,none": "N/A"}},
                      "versions": {"hellaswag": 1}, "n-shot": {"hellaswag": 0}},
                     {"hellaswag/acc_none": (0.5, "1", "higher"), "wikitext/word_perplexity_none": (12.5, "1", "lower")}),
    "benchmark_report.json": ({"load": None, **{k: {"memory": {"unit": "MB", "max_global_vram": 30000.5}, "latency": {
        "unit": "s", "values": [0.5, 0.25], "count": 2, "mean": 0.375, "stdev": 0.125, "p50": 0.375, "p99": 0.5},
        "throughput": {"unit": "tokens/s", "value": 2048.5}, "energy": None} for k in ("prefill", "decode")}},
        {"prefill/latency_mean": (0.375, "s", "lower"), "decode/throughput": (2048.5, "tok/s", "higher"), "decode/max_global_vram": (30000.5, "MB", "lower")}),
    "bmf.json": ({"attention": {"latency": {"value": 88.5, "lower_value": 87.5}, "throughput": {"value": 5.5}}},
                 {"attention/latency": (88.5, "1", "lower"), "attention/throughput": (5.5, "1", "higher")}),
    "customSmallerIsBetter.json": ([{"name": "My bench", "unit": "ms", "value": 50.5, "range": "3"}, {"name": "Rate", "unit": "ops/sec", "value": 7.5}],
                                   {"My_bench/value": (50.5, "ms", "lower"), "Rate/value": (7.5, "op/s", "higher")}),
    "jmh.json": ([{"benchmark": "org.B.p", "mode": "avgt", "params": {"size": n, "kind": "A"}, "primaryMetric": {"score": 7.5, "scoreUnit": "ms/op"}} for n in ("10", "20")]
                 + [{"benchmark": "org.B.a", "mode": mode, "primaryMetric": {"score": 5.5, "scoreError": 0.1, "scoreUnit": unit}}
                  for mode, unit in (("thrpt", "ops/s"), ("avgt", "us/op"))], {"org.B.p.avgt.size20.kindA/score": (7.5, "ms/op", "lower"), "org.B.a.thrpt/score": (5.5, "op/s", "higher"), "org.B.a.avgt/score": (5.5, "us/op", "lower")}),
    "perf_script_test_results.csv": (
        "network_name,network_hash,sm_clk,perf_case_name,test_name,perf_metric,total_time__sec,state,command,threshold,metric_type\n"
        + "".join(f'm-bench-bf16,h,1980,A/h,h,{v},12.5,valid,"bench --tp 1, x",0.1,{k}\n' for k, v in (("TOKEN_THROUGHPUT", 2048.5), ("FIRST_TOKEN_TIME", 31.25))),
        {"m-bench-bf16/TOKEN_THROUGHPUT": (2048.5, "1", "higher"), "m-bench-bf16/FIRST_TOKEN_TIME": (31.25, "1", "lower")}),
    "kern_sum.csv": ("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
                     '60.5,600500,10,60050.0,60000.5,50000,70000,100.5,"gemm(float *, int)"\n39.5,400500,20,20025.0,20000.5,10000,30000,100.5,relu\n',
                     {"relu/total_time": (400500, "ns", "lower"), "relu/instances": (20, "1", "lower")}),
    "kernel_stats.csv": ('"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"\n"gemm",10,600500,60050.5,60.5,5,6,1.5\n',
                         {"gemm/total_time": (600500, "ns", "lower"), "gemm/mean": (60050.5, "ns", "lower")}),
    "ncu.csv": ("==PROF== Connected to process 77\n" + NCU, {"1.gemm_float____int_/duration": (1234.5, "us", "lower"), "0.gemm_float____int_/registers": (128, "1", "lower"),
                                                             "0.gemm_float____int_/dram_throughput": (41.25, "%", "higher")}),
}


def formats(folder):
    for name, (content, some) in FILES.items():
        write(folder / name, content)
        p = run("metrics", name, "--json", "-", cwd=folder)
        found = {m["metric"][len("input."):]: (m["value"], m["unit"]) for m in json.loads(p.stdout)["metrics"]} if p.returncode == 0 else p.stderr
        assert all(found[k] == (v, u) for k, (v, u, _) in some.items()), (name, found)
        gate = Gate(folder / name.replace(".", "_"), name, content)
        code, verdicts, text = gate.check(content)
        assert code == 0 and all("input." + k in verdicts for k in some), (name, code, verdicts, text)
        others = [k for k in found if "input." + k not in verdicts and not re.search(r"std|\.n$|_per_s_mean|throughput_token", k)]
        assert len(others) == 0 or all(k in text for k in others[:1]), (name, others, text)  # judged, or named as not judged
        whole = content if isinstance(content, str) else json.dumps(content)
        for n in range(1, len(whole), 1 + len(whole) // 19):  # a file that is cut off is refused, lacks figures, or has all of them
            code, cut_verdicts, _ = gate.check(whole[:n])
            assert code == 3 or (code == 0 and set(cut_verdicts) == set(verdicts)), (name, n, code, cut_verdicts)
        for figure, (value, _, better) in some.items():
            old = f"{value:,}" if name == "ncu.csv" else str(value)
            for factor, worse in ((0.25, better == "higher"), (4, better == "lower")):
                new = json.dumps(content).replace(f": {old}", f": {value * factor}") if not isinstance(content, str) else content.replace(old, f"{value * factor}")
                code, verdicts, text = gate.check(new)
                verdict = verdicts.get("input." + figure)
                assert (verdict in ("fail", "undecided")) == worse, (name, figure, factor, verdict, text)


def standard_error(folder):
    """The standard error of an accuracy says whether a fall is sure."""
    def content(accuracy, error):
        return {"results": {"t": {"alias": "t", "acc,none": accuracy, "acc_stderr,none": error}}, "versions": {}, "n-shot": {}}
    for error, verdict in ((0.001, "fail"), (0.25, "undecided")):
        gate = Gate(folder, "m.json", content(0.75, error))
        assert gate.check(content(0.6, error))[1]["input.t/acc_none"] == verdict, error


def table(folder):
    """Figures that moved together are one finding and one table; the figure of the heading does not depend on the alphabet."""
    content = {**SERVE, "mean_tpot_ms": 20.5, "median_tpot_ms": 20.25, "p99_tpot_ms": 25.5}
    gate = Gate(folder, "m.json", content)
    code, verdicts, text = gate.check({**content, **{k: v * 3 for k, v in content.items() if "tpot" in k}})
    assert code == 1 and "3 of 8 figures are worse: mean TPOT +200.00 %, median TPOT +200.00 %, p99 TPOT +200.00 %" in text, text
    assert "Figures of m.r4.0.cnone" in text and "5 more figures changed by less than 1 %" in text, text
    assert len(json.loads((folder / "r.json").read_text())["findings"]) == 1, text
    assert "step-period" not in text, text
    rows = [{**content, "request_rate": rate} for rate in (1.25, 1.5)]
    gate = Gate(folder / "several", "m.json", rows)
    code, verdicts, text = gate.check([{**r, "mean_ttft_ms": 125} for r in rows])
    assert code == 1 and "2 of 16 figures in 2 cases are worse: mean TTFT +900.00 %" in text, text
    assert "Figures of m figure case" in text and "mean TTFT r1.5.cnone" in text, text
    gate = Gate(folder, "m.json", FLAT)
    code, verdicts, text = gate.check({**FLAT, "loss": 2.5025})
    assert code == 0 and "tokens_per_s (unchanged" in text.split("What")[0], text


HEADS = {"m.json": (SERVE, "output tokens/s of m.r4.0.cnone"), "g.json": (GOOGLE, "real time of BM0"), "f.json": (FLAT, "tokens_per_s"),
         "i.json": ({"latency.p50": 5.5, "val/accuracy": 0.5}, "latency.p50")}


def titles(folder):
    """What a report calls a figure is one figure's name; each is a name for a rule."""
    for name, content in {**{n: c for n, (c, _) in HEADS.items()}, **{n: c for n, (c, _) in FILES.items()}, **{n: c for n, c, _ in LOGS}}.items():
        gate = Gate(folder / name.replace(".", "_"), name, content)
        rows = [json.loads(line.rstrip(",")) for line in (gate.folder / "b.gpugate").read_text().splitlines() if line.startswith('{"') and '"title"' in line]
        called = {}
        for row in rows:
            key, title = row["name"], row["title"]
            case = key[:-len(title) - 1] if key.endswith(title) else key.rpartition("/")[0]
            called.setdefault(f"{case}/{title}" if case else title, []).append(key)
        assert rows and all(len(keys) == 1 for keys in called.values()), (name, called)
        label, (key,) = random.Random(name).choice(sorted(called.items()))
        for metric in (label, "*" + label[1:]):
            write(gate.folder / "one.yaml", f"version: 1\nrules: [{{id: one, metric: {json.dumps('input.' + metric)}, fail: {{change: 10%}}}}]\n")
            p = run("check", "b", "--workload", "w", "--baseline", "b.gpugate", "--rules", "one.yaml", "--json", "r.json", cwd=gate.folder)
            judged = [c["metric"] for c in json.loads((gate.folder / "r.json").read_text())["checks"] if c["verdict"] != "skipped"]
            assert "input." + key in judged and (metric != label or len(judged) == 1), (name, metric, key, judged, p.stderr)
    for name, (content, head) in HEADS.items():
        gate = Gate(folder / name.replace(".", "_"), name, content)
        code, _, text = gate.check(content)
        assert code == 0 and f" {head} (unchanged)" in text, (head, text)
    same = PARTS.replace('only: {kind: a}, case: "{name}", take: [{at: v, as: up, better: higher}]', "take: [{at: a, title: t, better: lower}, {at: b, title: t, better: lower}]")
    text = Gate(folder / "same", "m.json", {"a": 1.5, "b": 2.5}, same).check({"a": 3, "b": 4})[2]
    assert "figures are worse: a +100.00 %, b +60.00 %" in text, text
    for names in (("a_ms", "b_ms", "c_ms"), ("c_ms", "a_ms", "b_ms")):  # the first of the file, and what fails
        gate = Gate(folder / "order", "o.json", {n: 10.5 + i for i, n in enumerate(names)})
        assert f" {names[0]} (unchanged)" in gate.check({n: 10.5 + i for i, n in enumerate(names)})[2]
        text = gate.check({n: (10.5 + i) * (1, 3, 5)[i] for i, n in enumerate(names)})[2]
        assert f"fail \u00b7 w: {names[2]} 400.00 % higher" in text and f"ms {names[2]} (+400.00 %" in text, text


def directions(folder):
    names = {n: better for better, some in DIRECTIONS.items() for n in some}
    gate = Gate(folder, "x.json", {n: 10 for n in names})
    for factor, wrong in ((2, "lower"), (0.5, "higher")):
        code, verdicts, text = gate.check({n: 10 * factor for n in names})
        judged = {m[len("input."):]: v for m, v in verdicts.items() if m.startswith("input.")}
        assert code in (1, 3) and set(judged) == {n for n, better in names.items() if better}, set(judged) ^ {n for n, b in names.items() if b}
        for name, verdict in judged.items():
            good = verdict == "improved" if names[name] != wrong else verdict in ("fail", "undecided")
            assert good, (name, factor, verdict)
        assert len(re.findall("of which the better direction is not known", text)) == 1, text


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as dir:
        for part in (lambda f: units(f, random.Random(20261126)), not_measured, cut, paths, work, parts, logs, formats, standard_error, table, titles, directions):
            folder = pathlib.Path(tempfile.mkdtemp(dir=dir))
            part(folder)
    print("ok")


if __name__ == "__main__":
    main()
