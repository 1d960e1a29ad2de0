#!/usr/bin/env python3
"""Laws of figures that benchmarks write, on generated files of several formats and of one's own.

- Units: a figure in any unit of its dimension, on either side, gives the same verdict, in JSON, tables and logs; in a unit of another
  dimension it is not judged, and both units are named.
- What was not measured: each value of a file replaced by -1, null, "nan", "", a text, a number with a remark: never improved
  and never a pass in silence, unless the value is not a figure of the file.
- A table that is cut off at any byte behind its first row is refused, or has the figures of its whole lines.
- Plain numbers are judged without any rules, by the direction that name and unit tell; others are named once.
- An absolute path in the name of a case changes nothing, also against a baseline that was stored with it.
- Work: figures of a case whose work is another than in the baseline are not judged, what was counted may differ by 5 %, what the tool
  chooses by any amount; `same_work` leaves a member out.
  Runs of other work are not stored together.
- A log with commas is not a table. JSON lines that are cut, mixed or of no known format are refused by what is wrong with them.
- Checks on recordings are not worth a word where both runs are files. What to do about figures that are gone is said, with what is new.
- Formats with `only` describe one file together; folders of a sweep are cases.
- Each number that is "nan" or "inf", on the last line that has it or on all of them: the figures that it is in do not pass in silence.
- Figures that moved together are one finding and one table, and the heading names a rate if nothing is wrong.
- A file in the shape of each tool's gives the figures with their units; a figure that is worse by a factor is not passed, a better one is.
- Lines of logs are read as their pattern says, whatever stands between them; a line that is cut off counts as none. A pattern that libc cannot
  take in linear time is refused with its place.
- A value that was measured is in no name of a case. The unit that the end of a name tells is the same in all ways to write it.
- Reports name figures as people do, each of a case differently, and a rule takes that name, too; the figure that heads a report does not depend
  on the alphabet.
- Whatever becomes of a file, each figure of either side ends as judged, as not judged with the reason, or as absent.
- A table of nsys stats, in any unit of its headings, in CSV or as it is printed, gives the same verdict.
- A figure that only some steps have is judged, and missing if it is gone. The points of a sweep are cases, however they are written. A log to which
  runs were appended is read as its last one.
- The directions of names and units are those of a list that was written by hand, as are the names of amounts of work.

$GPUGATE is the program, $READ_FIGURES reads many files in one process; exit 77 skips.
"""
import fractions
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "gen"))
from results import FILES, LOGS, MEGATRON, NCCL, TITAN  # noqa: E402 (the generators are beside this folder)

from _part import ALL  # noqa: E402

PROGRAM = os.environ.get("GPUGATE")
READER = os.environ.get("READ_FIGURES")
UNITS = {"time": (("ns", 1), ("us", 1e3), ("\u00b5s", 1e3), ("usec", 1e3), ("ms", 1e6), ("s", 1e9), ("seconds", 1e9), ("min", 6e10)),
         "bytes": (("B", 1), ("bytes", 1), ("KiB", 1024), ("MB", 1e6), ("MiB", 2**20), ("GiB", 2**30)),
         "rate": (("B/s", 1), ("kB/s", 1e3), ("GB/s", 1e9), ("GiB/s", 2**30))}
FORMAT = """version: 1
inputs: {results: [{match: "*.json", records: "rows[*]", case: "{name}", take: [{at: value, as: v, unit_at: unit}]}]}
rules: [{id: figures, metric: "input.*", fail: {worse: 10%}}]
"""
DIRECTIONS = {
    "higher": ["score", "eval.score_mean", "f1_score", "tokens_per_s", "output_throughput", "tokensPerSecond", "images_per_sec", "goodput", "mem_bandwidth_gbps", "mfu", "val/accuracy",
               "TFLOPS", "qps", "free_memory", "Samples/sec", "widgets/s", "gbps",
               "tokens_per_s_mean", "mem_bw", "mem_bw_gbs", "hbm_mem_bw_pct", "ttft_slo_attainment", "energy_efficiency", "available_memory_gb",
               "time_saved_s", "free_memory_gb", "tokens_per_watt", "samples_per_joule", "uptime_s", "cuda_memory_throughput",
               "cache_hit_rate", "pass_rate", "success_rate", "read_iops", "completed", "num_successful_requests", "compression_ratio", "psnr", "eval/auc", "mean_iou", "dice", "ndcg", "mrr",
               "samples/sec/gpu", "Req/min", "requests_per_minute", "flops_utilization", "passrate", "MsgRate", "succeeded", "num_passed", "sd_xl_it_s", "speedup_vs_baseline"],
    "lower": ["errors.count", "suite.peakmem_x", "suite.timeraw_x", "http_req_duration", "brier_score", "error_score", "toxicity_score", "p99_ttft_ms", "step_time", "latency.p50", "iteration-time", "peak_mem", "peak_mem_gib", "val_loss", "perplexity", "meanLatency",
              "err", "wer", "power", "energy_j", "time_us", "error_rate", "ms", "latency_ms_p50",
              "fps_drop", "throughput_drop_pct", "bandwidth_overhead_ms", "drop_of_bandwidth", "gpu_idle_time", "expert_load_imbalance", "cache_miss_rate", "rmse", "num_preemptions", "cost_per_token", "stall_pct", "pipeline_stalls",
              "errored_requests", "aborted", "cancelled", "incomplete", "num_wrong", "num_nan", "mismatches", "jitter_ms", "sd_latency_ms", "noise_pred_ms", "ci_time_s", "cold_start_ms", "end_to_end_latency_ms",
              "total_memory_used_gb", "timeouts", "latency/min"],
    None: ["latency.count", "ttft_ms_count", "rating", "achieved_occupancy", "precision", "value", "transferred", "batch_size", "n", "std_itl_ms", "latency_delta_ms", "timestamp", "throughput_time", "steps", "seed",
           "sometimes", "free_variance", "latency_reduction_pct", "reduction_time_us", "free_time_us", "bandwidth_test_ms", "memory_utilization", "requests_within_latency_slo", "memory_clock_mhz", "loss_scale", "flops_per_token", "time_to_failure_h",
           "accuracy_loss", "throughput_std", "mean.standard_error", "CUDA_Runtime_Version",
           *"ci95_us sem_ms iqr_ms mad_ms margin_of_error_ms latency_noise_pct time_rsd time_error latency_pm latency_ci95 time_uncertainty_ms stderr_ms mean_err latency_sd sd_ms sigma_ms latency_var "
           "accuracy_ci95 acc_stderr latency_spread timeout_s latency_slo_ms target_latency_ms baseline_latency_ms power_limit_w mem_fraction_static memory_limit_gb log_interval_s "
           "message_bytes loss_weight err_tol theoretical_tflops throughput_target target_accuracy baseline_throughput arrival_rate_qps total_flops target_qps startH2dMs endComputeMs startInMs "
           "read.io_bytes latency_budget_ms expected_throughput z_score kv_cache_size_gb buffer_bytes memory_bus_width power_cap_w flops_per_iter offered_load_qps latency_samples".split()]}


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

    def __init__(self, folder, name, content, rules=None, named=False):
        self.folder, self.name, self.path = folder, name, f"c/{name}" if named else "c"
        self.rules = ("--rules", write(folder / "rules.yaml", rules)) if rules else ()
        write(folder / "b" / name, content)
        p = run("approve", "--new", f"b/{name}" if named else "b", "--workload", "w", "--baseline", "b.gpugate", "--force", *self.rules, cwd=folder)
        assert p.returncode == 0, p.stderr

    def check(self, content):
        """Exit code, verdicts of the checks, and all that is printed."""
        write(self.folder / "c" / self.name, content)
        (self.folder / "r.json").unlink(missing_ok=True)
        p = run("check", self.path, "--workload", "w", "--baseline", "b.gpugate", "--json", "r.json", "--verbose", *self.rules, cwd=self.folder)
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


OTHERS = {  # files that write the figures c0, c1, … each with its own unit, and the rules that read them
    "flat.json": (lambda rows: {n: f"{v:.15g} {u}" for n, v, u in rows}, None),
    "texts.json": (lambda rows: {"of": {n: f"{v:.15g} {u}" for n, v, u in rows}}, None),
    "units.json": (lambda rows: {n: {"value": v, "unit": u} for n, v, u in rows}, None),
    "cells.csv": (lambda rows: "name,v\n" + "".join(f"{n},{v:.15g} {u}\n" for n, v, u in rows), None),
    "index.csv": (lambda rows: ",name,v\n" + "".join(f"{i},{n},{v:.15g} {u}\n" for i, (n, v, u) in enumerate(rows)), None),
    "tabs.tsv": (lambda rows: "name\tv\n" + "".join(f"{n}\t{v:.15g} {u}\n" for n, v, u in rows), None),
    "columns.csv": (lambda rows: ",".join(f"{n} [{u}]" for n, _, u in rows) + "\n" + ",".join(f"{v:.15g}" for _, v, _ in rows) + "\n", None),
    "brackets.json": (lambda rows: {f"{n} ({u})": float(f"{v:.15g}") for n, v, u in rows}, None),
    "brackets.csv": (lambda rows: ";".join(f"{n} ({u})" for n, _, u in rows) + "\n" + ";".join(f"{v:.15g}" for _, v, _ in rows) + "\n", None),
    "run.log": (lambda rows: "begin\n" + "".join(f"{n} took {v:.15g} {u}\n" for n, v, u in rows),
                "version: 2\ninputs: {results: [{match: '*.log', read: text, pattern: '(?<name>c[0-9]) took (?<v>[0-9.e+-]+ .+)', case: '{name}', take: [{at: v}]}]}\n")}


def other_units(folder, rng):
    """The same for tables and logs, whose cells, columns or lines say the unit."""
    for name, (render, rules) in OTHERS.items():
        for dimension, words in UNITS.items():
            base = [(rng.choice(words), 10 ** rng.uniform(3, 7)) for _ in range(3)]
            gate = Gate(folder / name, name, render([(f"c{i}", v / size, u) for i, ((u, size), v) in enumerate(base)]), rules, named=True)
            for factor in (1, 0.4 if dimension == "rate" else 2.5):
                seen = set()
                for word, size in (rng.sample(words, 3), words)[ALL]:
                    write(gate.folder / "c" / name, render([(f"c{i}", v * factor / size, word) for i, (_, v) in enumerate(base)]))
                    p = run("check", f"c/{name}", "--workload", "w", "--baseline", "b.gpugate", "--json", "r.json", *gate.rules, cwd=gate.folder)
                    checks = {c["metric"]: c["verdict"] for c in json.loads((gate.folder / "r.json").read_text())["checks"] if c["verdict"] != "skipped"}
                    seen.add((p.returncode, *sorted(checks.items())))
                assert len(seen) == 1 and len(min(seen)) == 4 and (min(seen)[0] != 0) == (factor != 1), (name, dimension, base, factor, seen)


SERVE = {"backend": "vllm", "model_id": "m", "num_prompts": 8, "completed": 8, "request_rate": 4.0, "total_output_tokens": 900,
         "request_throughput": 4.5, "output_throughput": 900.5, "mean_ttft_ms": 12.5, "p99_ttft_ms": 29.5, "mean_itl_ms": 3.25}
GOOGLE = {"context": {}, "benchmarks": [{"name": f"BM{i}", "run_type": "iteration", "iterations": 9, "real_time": 5.5 + i, "cpu_time": 5.25,
                                         "time_unit": "ms"} for i in range(2)]}
FLAT = {"tokens_per_s": 81234.5, "step_time_ms": 12.5, "peak_mem_gib": 40.5, "val/accuracy": 0.75, "loss": 2.5}
BAD = (-1, -1e-9, 1e308, 1.7976931348623157e308, "1e300", None, "nan", "", "N/A", "failed", "12.4 (failed)", "1,900", "2026-01-01", "5 GHz", "5 parsecs", float("nan"), float("inf"))


def places(value, at=()):
    """The places of all numbers of a JSON value, and of the texts beside them."""
    if isinstance(value, (dict, list)):
        for k, v in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(v, (*at, k))
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        yield at


def replaced(value, at, new):
    """A copy with another value at this place, which shares everything else."""
    if not at:
        return new
    copy = value.copy()
    copy[at[0]] = replaced(value[at[0]], at[1:], new)
    return copy


def not_measured(folder):
    """Each figure of three files, with one of the wrong values each; every_key() reads all of them."""
    for content, no_figures in ((SERVE, {"num_prompts", "completed", "request_rate", "total_output_tokens"}), (GOOGLE, {"iterations"}), (FLAT, set())):
        gate = Gate(folder, "m.json", content)
        code, verdicts, text = gate.check(content)
        assert code == 0 and len(verdicts) > 3, (verdicts, text)
        for i, at in enumerate(places(content)):
            for bad in (-1, BAD[i % len(BAD)]):
                code, verdicts, text = gate.check(replaced(content, at, bad))
                assert "improved" not in verdicts.values(), (at, bad, verdicts)
                assert at[-1] in no_figures or code == 3 or (code == 1 and bad in (-1, -1e-9)), (at, bad, code, text)


def cut(_folder):
    text = "epoch,step,loss_ms\n" + "".join(f"0,{i},{12.25 + i / 100:.2f}\n" for i in range(9))
    rows = [float(line.split(",")[2]) * 1e6 for line in text.splitlines()[1:]]
    for n, found in enumerate(read("cut.csv", [text[:n] for n in range(len(text) + 1)])):
        if n >= text.index("\n0,1,"):  # one row has nothing to be compared with
            assert not found.ok or [float(f[0]) for f in found.figures.values()] in [[row] for row in rows], (n, found.figures)
    assert found.ok and found.figures["loss_ms"][0] == rows[-1], found.figures


def paths(folder):
    for place in ("/data/models/m", "/home/x/m/", "m"):
        gate = Gate(folder, "m.json", {**SERVE, "model_id": place})
        for other in ("/mnt/m", "/mnt/a/m/", "m"):
            code, verdicts, text = gate.check({**SERVE, "model_id": other})
            assert code == 0, (place, other, text)
            assert "/data" not in "".join(verdicts) and "/mnt" not in "".join(verdicts), verdicts
    gate = Gate(folder, "m.json", SERVE)
    stored = (folder / "b.gpugate").read_text()
    assert '"m.r4.0/' in stored, stored
    assert ".cnone" not in stored, stored
    for rate, now, before in ((4.0, "m.r4.0", "m.r4.0.cnone"), (4.0, "m.r4.0", "/data/models/m.r4.0.cnone"), ("Infinity", "m.rinf", "m.rInfinity.cnone"), ("inf", "m.rinf", "m.rinf.cnone")):
        content = {**SERVE, "request_rate": rate}
        rules = f"version: 2\nrules: [{{id: own, metric: 'input.{before}/mean_ttft_ms', fail: {{increase: 5%}}}}, {{id: any, metric: 'input.{before}/p99*', fail: {{increase: 5%}}}}]\n"
        for rule in (None, rules if before[0] != "/" else None):  # as earlier versions named the case, in baselines and in rules
            gate = Gate(folder, "m.json", content, rule)
            stored = (folder / "b.gpugate").read_text()
            assert f'"{now}/' in stored, stored
            (folder / "b.gpugate").write_text(stored.replace(f'"{now}/', f'"{before}/'))
            code, verdicts, text = gate.check({**content, "mean_ttft_ms": 125})
            assert code in (1, 3) and verdicts[f"input.{now}/mean_ttft_ms"] in ("fail", "undecided"), (verdicts, text)
            assert set(verdicts.values()) <= {"pass", "fail", "undecided", "skipped"}, verdicts
            if rule:
                checks = json.loads((folder / "r.json").read_text())["checks"]
                assert {c["rule"] for c in checks if c["metric"].endswith(("mean_ttft_ms", "p99_ttft_ms"))} == {"own", "any"}, (text, checks)


def older_units(folder):
    """A baseline in which the unit of a name was not known yet is judged, also in the unit that its name tells."""
    gate = Gate(folder, "m.json", {"latency_ms_p50": 12.5, "rating_p50": 5.5})
    stored = (folder / "b.gpugate").read_text()
    assert stored.count('"unit":"ms"') == 1, stored
    (folder / "b.gpugate").write_text(stored.replace('"unit":"ms"', '"unit":"1"'))
    for content, verdict in (({"latency_ms_p50": 25, "rating_p50": 5.5}, "fail"), ({"latency_ms_p50": "25 MiB", "rating_p50": 5.5}, "inconclusive")):
        code, verdicts, text = gate.check(content)
        assert verdicts["input.latency_ms_p50"] == verdict, (verdicts, text)
    gate = Gate(folder, "m.json", {"write_gb_s": 5.5, "widgets_s": 2.5})
    stored = (folder / "b.gpugate").read_text()
    assert stored.count('"unit":"GB/s"') == 1, stored
    (folder / "b.gpugate").write_text(stored.replace('"unit":"GB/s"', '"unit":"s"'))
    code, verdicts, text = gate.check({"write_gb_s": 1.5, "widgets_s": 2.5})
    assert verdicts["input.write_gb_s"] == "fail", (verdicts, text)
    gate = Gate(folder, "log.txt", FILES["mllog.txt"][0])
    stored = (folder / "b.gpugate").read_text()
    assert stored.count('"unit":"1/s"') == 3, stored
    (folder / "b.gpugate").write_text(stored.replace('"unit":"1/s"', '"unit":"1"'))
    code, verdicts, text = gate.check(FILES["mllog.txt"][0].replace(" 8.5", " 2.5").replace(" 7.5", " 2.5"))
    assert verdicts["input.throughput.median"] == "fail", (verdicts, text)


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


def work_of_formats(folder):
    """What a format says beside its figures, and around them, is the work; counters and percentiles beside those it names are figures, too."""
    aiperf = lambda **config: {"request_throughput": {"unit": "requests/sec", "avg": 10.5}, "request_latency": {"unit": "ms", "avg": 5.5}, "input_config": config}
    jmh = lambda threads, more=1.5: [{"benchmark": "a.B.c", "mode": "avgt", "threads": threads, "primaryMetric": {"score": 5.5, "scoreUnit": "ns/op", "scoreError": 0.1},
                                      "secondaryMetrics": {"gc.alloc": {"score": more, "scoreUnit": "B/op"}}}]
    evals = lambda limit, shots: {"results": {t: {"alias": t, "exact_match,none": 0.75} for t in ("gsm8k", "last")}, "versions": {"gsm8k": 3}, "n-shot": {"gsm8k": shots, "last": 2},
                                               "n-samples": {"gsm8k": {"original": 1319, "effective": limit}, "last": {"original": 9, "effective": 9}}, "config": {"model_args": "pretrained=m"}}
    nccl = lambda gpus, ranks=0, gpu="NVIDIA H100": NCCL.replace("nGpus 8\n", f"nGpus {gpus} minBytes 8\n#\n# Using devices\n" + "".join(
        f"#  Rank {i:2} Group  0 Pid {900 + i} on host-{i // 8} device {i % 8:2} [0000:{i:02x}:00] {gpu}\n" for i in range(ranks)))
    nvbench = lambda *gpus: {**FILES["nvbench.json"][0], "devices": [{"id": i, "name": gpu} for i, gpu in enumerate(gpus)]}
    google = lambda rate: {"context": {}, "benchmarks": [{"name": "B", "time_unit": "ns", "real_time": 9.5, "cpu_time": 9.5, "iterations": rate, "threads": 1, "tokens_per_second": rate}]}
    pytest = lambda size: {"benchmarks": [{"fullname": "t", "stats": {"rounds": 5, "min": 1.5, "median": 1.5, "mean": 1.5, "stddev": 0.1}, "extra_info": {"peak_mem_mib": size}}]}
    genai = lambda length: FILES["profile_export_genai_perf.csv"][0].replace('tokens),"3,000.05"', f'tokens),"{length}"')
    gbench = lambda build, threads: {"context": {"library_build_type": build}, "benchmarks": [{"name": "B", "time_unit": "ns", "real_time": 9.5, "cpu_time": 9.5, "threads": threads}]}
    versions = lambda of: {**evals(1319, 5), "versions": {"gsm8k": of, "last": 1}}
    hub = lambda dtype, arch: [{"benchmark": {"name": "a", "dtype": dtype, "extra_info": {"arch": arch}}, "model": {"name": "m"}, "metric": {"name": "x_ms", "benchmark_values": [5.5]}}]
    batch = lambda size: [{**row, "benchmark": {**row["benchmark"], "extra_info": {"batch_size": size}}} for row in hub("bf16", "h100")]
    hf = lambda **more: {**FILES["all_results.json"][0], **more}
    genai_count = lambda nr: genai("3,000.05").replace("Metric,Value\n", f"Metric,Value\nRequest Count (count),{nr}\n")
    def more(name, **of):
        content = FILES[name][0]
        return [{**r, **of} for r in content] if isinstance(content, list) else {**content, **of}
    def trtllm(**of):
        content = FILES["trtllm.json"][0]
        return {**content, "performance": {**content["performance"], "total_latency_ms": of.get("total", 9000.5)},
                "streaming_metrics": {**content["streaming_metrics"], "token_output_speed_tok_s": of.get("speed", 250.5), "ttft_percentiles": {"p50": of.get("p50", 30.5), "p99": 62.5}}}
    for name, base, other, code, says in (
            ("gbench.json", gbench("release", 1), gbench("debug", 1), 3, "release → debug"), ("gbench.json", gbench("release", 1), gbench("release", 8), 3, "threads 1 → 8"),
            ("eval.json", versions(3), versions(2), 3, " 3 → 2"), ("hub.json", hub("bf16", "h100"), hub("fp8", "h100"), 3, "bf16 → fp8"), ("hub.json", hub("bf16", "h100"), hub("bf16", "b200"), 3, "h100 → b200"),
            ("all_results.json", hf(), hf(epoch=1.0, train_runtime=33.5), 3, "epoch 3.0 → 1.0"), ("all_results.json", hf(), hf(train_samples=100), 3, "train_samples 3668 → 100"),
            ("genai.csv", genai_count("100.00"), genai_count("50.00"), 3, "100.00 → 50.00"),
            ("aiperf.json", aiperf(), {**aiperf(), "error_summary": [{"count": 2}]}, 3, "requests failed"), ("individual.json", FILES["individual.json"][0], more("individual.json", error_code=500), 3, "a request failed"),
            *((name, more(name, own_mem_gib=5.5), more(name, own_mem_gib=9.5), 1, "own_mem_gib") for name in ("latency.json", "throughput.json", "result.jsonl", "server.jsonl", "task.jsonl", "customSmallerIsBetter.json")),
            ("vllm.json", more("vllm.json", spec_decode_acceptance_rate=70.5), more("vllm.json", spec_decode_acceptance_rate=20.5), 1, "spec_decode_acceptance_rate"),
            *(("trtllm.json", trtllm(), trtllm(**of), 1, says) for of, says in (({"total": 18000.5}, "total time"), ({"speed": 50.5}, "token output speed"), ({"p50": 90.5}, "p50 TTFT"))),
            ("genai.csv", genai("3,000.05"), genai("3,010.05"), 0, "no figure is beyond"), ("genai.csv", genai("3,000.05"), genai("2,000.05"), 3, "3_000.05 → 2_000.05"), ("aiperf.json", aiperf(loadgen={"concurrency": 10}), aiperf(loadgen={"concurrency": 4}), 3, "baseline: concurrency 10 → 4"),
            ("model.json", aiperf(endpoint={"model_names": ["m"]}), aiperf(endpoint={"model_names": ["n"]}), 3, " m → n"),
            ("genai.json", aiperf(perf_analyzer={"stimulus": {"concurrency": 10}}), aiperf(perf_analyzer={"stimulus": {"concurrency": 4}}), 3, "concurrency 10 → 4"),
            ("hub.json", batch(8), batch(4), 3, "batch_size 8 → 4"), ("vllm.json", more("vllm.json", tensor_parallel_size="8"), more("vllm.json", tensor_parallel_size="4"), 3, "tensor_parallel_size 8 → 4"),
            ("sglang.jsonl", FILES["sglang.jsonl"][0], more("sglang.jsonl", total_output_tokens_retokenized=400), 3, "retokenized 898 → 400"),
            ("trainer_state.json", more("trainer_state.json", train_batch_size=8), more("trainer_state.json", train_batch_size=4), 3, "train_batch_size 8 → 4"),
            ("vllm.json", more("vllm.json", **{"request_goodput:": 4.5}), more("vllm.json", **{"request_goodput:": 1.5}), 1, "goodput requests/s"),
            ("nccl.json", FILES["nccl.json"][0], replaced(FILES["nccl.json"][0], ("config", "ngpus"), 4), 3, "ngpus 8 → 4"), ("nccl.json", FILES["nccl.json"][0], replaced(FILES["nccl.json"][0], ("out_of_bounds", "count"), 4), 3, "4 values are out of bounds"),
            ("jmh.json", jmh(1), jmh(8), 3, "threads 1 → 8"), ("jmh.json", jmh(1), jmh(1, 9.5), 1, "gc.alloc"),
            ("eval.json", evals(1319, 5), evals(10, 5), 3, "effective 1319 → 10"), ("eval.json", evals(1319, 5), evals(1319, 0), 3, " 5 → 0"),
            ("nccl.log", nccl(8), nccl(4), 3, "gpus 8 → 4"), ("nccl.log", nccl(1, 16), nccl(1, 8), 3, "last_rank 15 → 7"), ("nccl.log", nccl(8), nccl(8, 8), 0, "unchanged"),
            ("nccl.log", nccl(1, 2), nccl(1, 2, "NVIDIA B200"), 3, "gpu NVIDIA_H100 → NVIDIA_B200"), ("nvbench.json", nvbench("H100", "A"), nvbench("B200", "A"), 3, "H100 → B200"),
            ("nvbench.json", nvbench("H100", "A"), nvbench("H100", "B"), 0, "unchanged"), ("google.json", google(1000.5), google(100.5), 1, "tokens_per_second"), ("pytest.json", pytest(10.5), pytest(90.5), 1, "peak_mem_mib")):
        gate = Gate(folder / name, name, base)
        assert gate.check(base)[0] == 0, name
        got, _, text = gate.check(other)
        assert got == code and says in text, (name, got, text)
        for called in re.findall(r"than the baseline: (\S+) \S+ → ", text):  # as people say it, and what to do says it, too
            assert re.fullmatch(r"[A-Za-z][\w-]*[A-Za-z0-9]|[\w-]+\.(gsm8k|_)(\.effective)?|effective", called) and f"have the same {called}" in text, (name, called, text)


def sums(folder):
    """A sum that moved as the number of calls did is not judged, what each of them took is; their number may differ by 5 %."""
    rocprof = lambda rows: "Name,Calls,TotalDurationNs,AverageNs\n" + "".join(f"{name},{nr},{total},{mean}\n" for name, total, nr, mean in rows)
    for name, table, mean in (("k.csv", lambda rows: kernel_table(rows, "ns", False), "median"), ("k.txt", lambda rows: kernel_table(rows, "us", True), "median"), ("stats.csv", rocprof, "mean")):
        rows = [("relu", 400500, 2000, 20000.5), ("copy", 1920, 1, 1920)]
        gate = Gate(folder / name, name, table(rows), named=True)
        for nr, factor, total, each in ((1000, 1, "inconclusive", "pass"), (4000, 1, "inconclusive", "pass"), (1000, 2, "pass", "fail"), (1000, 4, "fail", "fail"), (4000, 0.25, "improved", "improved"), (1950, 1, "pass", "pass"), (2000, 2, "fail", "fail")):
            write(gate.folder / "c" / name, table([("relu", 400500 * nr / 2000 * factor, nr, 20000.5 * factor), rows[1]]))
            run("check", f"c/{name}", "--workload", "w", "--baseline", "b.gpugate", "--json", "r.json", cwd=gate.folder)
            found = {c["metric"]: c["verdict"] for c in json.loads((gate.folder / "r.json").read_text())["checks"]}
            assert (found["input.relu/total_time"], found[f"input.relu/{mean}"], found["input.copy/total_time"]) == (total, each, "pass"), (name, nr, factor, found)


    api = lambda nr, total: f"Time (%),Total Time (ns),Num Calls,Avg (ns),Function\n99.5,{total},{nr},20025.5,cudaMalloc\n"  # of no format of its own
    gate = Gate(folder / "api", "api.csv", api(2000, 400500), named=True)
    for nr, total, verdict in ((1000, 200250, "inconclusive"), (2000, 200250, "improved"), (2000, 801000, "fail")):
        assert gate.check(api(nr, total))[1]["input.cudaMalloc/Total_Time"] == verdict, (nr, total)


def aggregates(folder):
    """Aggregates of Google Benchmark are the figures that the repetitions are, by their median; how far these spread says how sure they are."""
    def content(times, repetitions, spread=0.5):
        rows = [{"name": "B", "run_type": "iteration", "real_time": t, "cpu_time": t, "time_unit": "ns"} for t in times] if repetitions else []
        for of, value in (("mean", sum(times) / 5), ("median", sorted(times)[2]), ("stddev", spread), ("cv", spread / 100), ("max", max(times))):
            rows.append({"name": f"B_{of}", "run_name": "B", "run_type": "aggregate", "repetitions": 5, "aggregate_name": of, "real_time": value, "cpu_time": value, "time_unit": "ns"})
        return {"context": {}, "benchmarks": rows}
    times = [101.5, 99.5, 100.5, 98.5, 102.5]
    whole, some = read("g.json", [content(times, True), content(times, False)])
    assert {n: f for n, f in whole.figures.items() if not n.endswith(".n")} == some.figures and len(some.figures) == 2, (whole.figures, some.figures)
    gate = Gate(folder, "g.json", content(times, False))
    for factor, spread, verdict in ((1, 0.5, "pass"), (1, 9.5, "pass"), (2, 0.5, "fail"), (1.3, 90.5, "undecided")):
        for repetitions in (False, True)[:1 + (spread < 1)]:
            _, verdicts, text = gate.check(content([t * factor for t in times], repetitions, spread))
            assert {v for m, v in verdicts.items() if m.startswith("input.")} == {verdict}, (factor, spread, repetitions, verdicts, text)
    def mixed(factor):  # of some benchmarks, aggregates only
        other = {"name": "A", "run_type": "iteration", "real_time": 5.5, "cpu_time": 5.5, "time_unit": "ns"}
        return {"context": {}, "benchmarks": [other, *content([t * factor for t in times], False)["benchmarks"]]}
    gate = Gate(folder / "mixed", "g.json", mixed(1))
    assert [gate.check(mixed(2))[1][f"input.{name}/real_time"] for name in "AB"] == ["pass", "fail"]


def stored_work(folder):
    """Runs are stored together, and added to a baseline, only if they did the same work."""
    content = {**SERVE, "num_prompts": 1000, "completed": 1000, "total_output_tokens": 90000}
    write(folder / "a" / "m.json", content)
    for name, other in (("b", {"total_output_tokens": 91000}), ("e", {}), ("c", {"num_prompts": 500, "completed": 500}), ("d", {"total_output_tokens": 80000})):
        write(folder / name / "m.json", {**content, **other, "mean_ttft_ms": 12.5 + ord(name) / 100})
        same = name in "be"
        args = ("--workload", "w", "--baseline", f"{name}.gpugate")
        p = run("approve", "--new", "a", "--repeat", name, *args, cwd=folder)
        assert (p.returncode == 0) == same and (same or "did other work than the baseline" in p.stderr), (name, p)
        assert (folder / f"{name}.gpugate").exists() == same, name
        run("approve", "--new", "a", *args, "--force", cwd=folder)
        for how in ((), ("--force",)):
            (folder / f"{name}.gpugate.history.jsonl").unlink(missing_ok=True)
            p = run("store", name, *args, *how, cwd=folder)
            assert (p.returncode == 0) == same, (name, how, p)


ROW = {"gpu": "H100", "ms": 2.5}
LINES = {  # what is wrong with them, and where it is
    "cut.jsonl": (json.dumps(ROW) + "\n" + json.dumps(ROW)[:-5], "cut.jsonl:2: byte 21: the input ends"),
    "flat.jsonl": ('{"ms": 2.5}\n{"ms": ', "flat.jsonl:2: byte 7: the input ends"),
    "mixed.jsonl": (json.dumps(ROW) + "\n\nstep 2\n" + json.dumps(ROW), "mixed.jsonl:3: byte 0: unexpected 's'"),
    "known.jsonl": (json.dumps({**SERVE}) + "\nstep 2\n", "known.jsonl:2: byte 0: unexpected 's'"),
    "lines.jsonl": (json.dumps(ROW) + "\n" + json.dumps({**ROW, "ms": 3.5}), "case 'H100' is there twice"),
    "a.log": ("Epoch 1, batch 10 (640.5 img/s)\nEpoch 1, batch 20 (650.5 img/s)\n", "'gpugate explain FILE' prints the lines"),
    "b.log": ("starting\nstep 1, loss 2.5 (640.5 img/s)\nstep 2, loss 2.4, lr 0.1 (650.5 img/s)\n", "'gpugate explain FILE' prints the lines"),
    "c.log": ("step 1, loss 2.5, 640.5 (img/s)\n", "'gpugate explain FILE' prints the lines"),
}


def lines(folder):
    write(folder / "dir" / "m.json", SERVE)
    for name, (text, words) in LINES.items():
        write(folder / name, text)
        p = run("report", name, cwd=folder)
        assert p.returncode == 3 and p.stderr.count("\n") == 1 and words in p.stderr, (name, p.stderr)
        write(folder / "dir" / name, text)
        p = run("report", "dir", cwd=folder)
        known = name == "known.jsonl"
        words = "'gpugate explain FILE' prints the lines" if name == "lines.jsonl" else words  # of a folder, files of known formats are read
        assert p.returncode == (3 if known else 0) and words in p.stderr and ("note: ignored:" in p.stderr) != known, (name, p)
        (folder / "dir" / name).unlink()


def gone(folder):
    gate = Gate(folder, "m.json", [SERVE, {**SERVE, "model_id": "n"}])
    for content, verdict, said in (([SERVE], "not judged", ("5 figures of n.r4.0 are missing in the candidate: ", "What to do: see whether the benchmark ran to its end, with the same cases")),
                                   ([SERVE, {**SERVE, "model_id": "o"}], "not judged", ("with the same cases: o.r4.0/mean_itl_ms is new",)),
                                   ([SERVE, {k: v for k, v in {**SERVE, "model_id": "n"}.items() if k != "mean_itl_ms"}], "not judged",
                                    ("mean ITL of n.r4.0 is missing in the candidate; ", "What to do: see whether")),
                                   ([SERVE, {**SERVE, "model_id": "n"}], "pass", ("10 of 10 checks within their limits; --verbose",))):
        write(folder / "c" / "m.json", content)
        p = run("check", "c", "--workload", "w", "--baseline", "b.gpugate", cwd=folder)
        text = " ".join(p.stdout.split())
        assert text.startswith(verdict) and all(s in text for s in said) and "skipped" not in text + p.stderr, text


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
    for n in (16, 64):  # as GenAI-Perf calls its folders
        write(folder / "artifacts" / f"m-7b-openai-chat-concurrency{n}" / "genai.json", FILES["genai_perf.json"][0])
    p = run("metrics", "artifacts", cwd=folder)
    assert p.returncode == 0 and "m-7b-openai-chat-concurrency16/time_to_first_token.avg" in p.stdout and "concurrency64/" in p.stdout, p.stdout + p.stderr
    serve = {k: v for k, v in SERVE.items() if k != "max_concurrency"}
    for of, content, case in (("flat", {"tokens_per_s": 5.5, "peak_mem_gib": 2.5}, ""), ("serve", serve, ".m.r4.0"), ("serve", {**serve, "max_concurrency": None}, ".m.r4.0")):
        for n in (1, 4):  # whose formats do not name cases by what the sweep varies
            write(folder / of / f"concurrency_{n}" / "x.json", content)
        own, alone = all_figures(folder, of), all_figures(folder, f"{of}/concurrency_1/x.json")
        names = {name.rpartition("/")[2] for name in alone}
        assert set(own) == {f"concurrency_{n}{case}/{k}" for n in (1, 4) for k in names} and not any("concurrency" in name for name in alone), (own, alone)
    for given in (["sweep"], sorted((folder / "sweep").glob("*/m.json"))):
        p = run("metrics", *given, cwd=folder)
        assert p.returncode == 0 and "concurrency_16/tokens_per_second" in p.stdout and "concurrency_64/" in p.stdout, p.stdout + p.stderr


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
        cuts = range(0, len(text), 17)  # a line that is cut off counts as none
        for n, a, b in zip(cuts, read(name, [text[:n] for n in cuts]), read(name, [text[:text.rfind("\n", 0, n) + 1] for n in cuts])):
            assert a.figures == b.figures, (name, n)
    gate = Gate(folder / "own", "x.log", "start\nbatch 8: 12.5 ms, 640.5 img/s\n", OWN)
    code, verdicts, text = gate.check("start\nbatch 8: 25 ms, 320 img/s\n")
    assert code in (1, 3) and set(verdicts) == {"input.b8/ms", "input.b8/rate"} and "improved" not in verdicts.values(), (verdicts, text)
    assert gate.check(MEGATRON)[0] == 3
    gate = Gate(folder / "megatron", "m.log", MEGATRON)
    code, verdicts, text = gate.check(MEGATRON)
    assert code == 0 and "input.lm_loss" in verdicts and "no better direction" not in text, text
    code, verdicts, text = gate.check("".join(MEGATRON.splitlines(True)[:4]))
    assert code == 3 and "step 5 \u2192 4" in text, text
    steps = MEGATRON.splitlines(True)[:5]  # a loss that is NaN is left out of the lines
    for first in range(6):
        without_loss = [re.sub(r"lm loss: \S+ \| ", "", line) if i >= first else line for i, line in enumerate(steps)]
        code, verdicts, text = gate.check("".join(without_loss) + MEGATRON[len("".join(steps)):])
        assert (code, verdicts["input.lm_loss"]) == ((0, "pass") if first == 5 else (3, "missing")) or first == 1, (first, code, verdicts, text)
    code, _, text = gate.check(MEGATRON.replace("nan iterations:   0", "nan iterations:   1"))
    assert code == 3 and "1 iterations had a loss that was NaN" in text, text
    memory = [line for line in MEGATRON.splitlines(True) if "memory" in line]
    assert len(memory) == 2 and gate.check(MEGATRON.replace("12003.5", "14003.5"))[1]["input.rank0.max_allocated"] == "fail"
    code, verdicts, text = gate.check("".join(memory))  # nothing tells how fast it was
    assert code == 3 and "no iteration" in text and not {"pass", "improved"} & set(verdicts.values()), (verdicts, text)
    # the newest value of a series counts, also as one of many samples; a unit may follow, a word may not
    many = [MEGATRON.splitlines(True)[1].replace(" 2/", f"{i:3}/") for i in range(2, 400)]
    broken = many[:-1] + [many[-1].replace("502.5", "nan")]
    assert Gate(folder / "many", "m.log", "".join(many)).check("".join(broken))[1]["input.iteration_ms.median"] == "missing"
    name, text, some = LOGS[2]
    assert some.keys() - read(name, [text.replace("40.51GiB", "nanGiB")])[0].figures.keys() == {"memory"}
    gate = Gate(folder / "own", "x.log", "batch 8: 12.5 ms, 640.5 img/s\n", OWN.replace("(?<ms>[0-9.]+) ms", "(?<ms>[0-9.]+).* ms"))
    assert gate.check("nanoseconds: inform\nbatch 8: 12.5 nano ms, 640.5 img/s\n")[0] == 0
    code, verdicts, text = gate.check("batch 8: 1.25e+3 ms, 640.5 img/s\n")  # the number goes on behind what the pattern takes
    assert code in (1, 3) and "improved" not in verdicts.values(), (verdicts, text)
    for pattern in ("(a)", "(?<a", "(?:a)(?<b>x)", r"(?<a>x)\1", "(?<a>x{2,9})", "(?<a>x", "(?<a>(((((x+)+)+)+)+))", "(?<a>x+++++)", "(?<a>x)" * 50):
        write(folder / "rules.yaml", OWN.replace("batch (?<batch>[0-9]+): (?<ms>[0-9.]+) ms, (?<rate>[0-9.]+) img/s", pattern))
        p = subprocess.run([PROGRAM, "lint", "rules.yaml"], cwd=folder, capture_output=True, text=True, check=False)
        assert p.returncode == 2 and p.stderr.count("\n") == 1 and "rules.yaml:6:" in p.stderr, (pattern, p)


USERS = {  # what a user writes who has read the documentation: the log, the lines of the rules, some figures
    "nccl.log": (r"""      pattern: '^ +(?<size>\d+) +\d+ +(?<type>\w+) +(?<op>\w+) +-?\d+ +(?<time>[0-9.]+) +(?<algbw>[0-9.]+) +(?<busbw>[0-9.]+) '
      case: "{op}.{size}"
      take: [{at: time, unit: us}, {at: busbw, unit: GB/s}]""", {"sum.1048576/time": (30.5, "us"), "sum.2097152/busbw": (21.51, "GB/s")}),
    "meg.log": (r"""      pattern: 'iteration +(?<step>\d+)/.*elapsed time per iteration \(ms\): (?<ms>[0-9.]+) .*lm loss: (?<loss>[0-9.E+-]+)'
      series: true
      work: [step]
      samples: [{at: ms, unit: ms, drop: 1}]
      take: [{at: loss, better: lower}]""", {"ms.median": (504, "ms"), "loss": (10.5, "1")}),
    "titan.log": (r"""      pattern: 'step: +(?<step>\d+) .*tps: +(?<tps>[0-9,]+)'
      series: true
      work: [step]
      samples: [{at: tps, unit: tok/s, thousands: true, drop: 1}]""", {"tps.median": (7003.5, "tok/s")}),
}


def users(folder):
    """Logs are read by a user's own pattern, which stands above the built-in format, and judged."""
    for name, text, _ in LOGS:
        if name not in USERS:
            continue
        lines, some = USERS[name]
        rules = f"version: 2\ninputs:\n  results:\n    - match: '*.log'\n      read: text\n{lines}\n"
        gate = Gate(folder, name, text, rules)
        p = run("metrics", f"b/{name}", "--rules", "rules.yaml", "--json", "-", cwd=folder)
        found = {m["metric"][len("input."):]: (m["value"], m["unit"]) for m in json.loads(p.stdout)["metrics"]}
        assert all(found[k] == v for k, v in some.items()), (name, found)
        assert "tflops.median" not in found and "sum.1048576/algbw" not in found, found
        code, verdicts, text_of = gate.check(text)
        assert code == 0 and all("input." + k in verdicts for k in some), (name, verdicts, text_of)
        (folder / "b" / name).unlink()
        (folder / "c" / name).unlink()


def same_lines(folder):
    """A line of a log that each of several processes prints counts once if it says the same; else the case has to name what differs between
    them, which makes each a case."""
    line = "(EngineCore_{}) INFO {}: peak memory {} GiB, throughput {} tok/s\n"
    log = lambda rates, memory=(14.5, 14.5): "".join(line.format(i, 100 + i, m, r) for i, (m, r) in enumerate(zip(memory, rates)))
    rules = """version: 2
inputs: {results: [{match: "*.log", read: text, pattern: 'EngineCore_(?<engine>\\d+)\\).* peak memory (?<memory>[0-9.]+) GiB, throughput (?<rate>[0-9.]+) tok/s', CASE
                    take: [{at: memory, unit: GiB}, {at: rate, unit: tok/s}]}]}
"""
    gate = Gate(folder / "one", "x.log", log([900.5, 900.5]), rules.replace("CASE", ""))
    assert gate.check(log([900.5, 900.5]))[0] == 0 and gate.check(log([500.5, 500.5]))[1]["input.rate"] == "fail"
    assert gate.check(log([900.5, 900.5], (24.5, 24.5)))[1]["input.memory"] == "fail"
    for rates, memory in (((900.5, 500.5), (14.5, 14.5)), ((900.5, 900.5), (14.5, 24.5)), ((900.5, "900.50001"), (14.5, 14.5))):
        code, verdicts, text = gate.check(log(rates, memory))
        assert code == 3 and "is there twice; let 'case' have what differs between its lines" in text and "improved" not in verdicts.values(), (rates, memory, verdicts, text)
    gate = Gate(folder / "each", "x.log", log([900.5, 800.5]), rules.replace("CASE", 'case: "engine{engine}",'))
    assert gate.check(log([900.5, 800.5]))[0] == 0 and gate.check(log([900.5, 500.5]))[1]["input.engine1/rate"] == "fail"


def long_lines(folder):
    """A line of a log beyond 2,000 bytes is not searched, and how many there are is said once."""
    for blanks, lost in ((2000, 0), (2001, 1), (3000, 1)):
        for times in (1, 2):
            write(folder / "m.log", MEGATRON + ("x" * blanks + "\n") * times)
            p = run("metrics", "m.log", cwd=folder)
            says = f"m.log: {times} line{' is' if times == 1 else 's are'} longer than 2000 bytes" if lost else ""
            said = " ".join(p.stdout.split())
            assert p.returncode == 0 and says in said and said.count("longer than") == lost and "longer" not in p.stderr, (blanks, times, p)


def is_tail(name, figures):
    """A percentile that is computed from samples; all files of these laws have few."""
    return name.endswith((".p90", ".p99")) and f"{name[:-3]}n" in figures


def every_figure_ends(gate, name, found, verdicts, text):
    """Each figure is judged, or named as not judged; those that may have a direction, unless they are percentiles of samples, with the rule that gives it."""
    others = {k for k in found if "input." + k not in verdicts}
    notes = " ".join(json.loads((gate.folder / "r.json").read_text())["notes"]["candidate"])
    named = re.findall(r"[^,]+", notes.partition("figures that are not judged:")[2])
    assert len(named) == len(others), (name, others, notes)
    open_ones = [k for k in others if not re.search(r"std|\.n$|sequence_length|grad_norm|num-zeros|learning_rate|epoch", k.lower()) and not is_tail(k, found)]
    given = re.search(r"not judged, as no better direction is given: .* metric: input\.(\S+), better: (lower|higher|lower or higher),", text)
    assert bool(given) == bool(open_ones) and (not given or given[1] in open_ones), (name, open_ones, text)


def reals(folder):
    """Each figure of a file that a tool wrote is judged or named; the run is not a change against itself, and one figure that is worse is found."""
    nr = 0
    for name, content in REAL.items():
        gate = Gate(folder / name[:40], "m" + pathlib.Path(name).suffix, content)
        found = all_figures(gate.folder / "b", gate.name)
        code, verdicts, text = gate.check(content)
        assert code == 0 and set(verdicts.values()) <= {"pass", "skipped"}, (name, code, verdicts)
        every_figure_ends(gate, name, found, verdicts, text)
        whole, = read(gate.name, [content])
        for at, old, _, _ in few(variants(content, [None], name), name, 3):
            for factor in (0.7, 1.5):
                _, changed = variant(content, at, round(old * factor, 9))
                now, = read(gate.name, [changed])
                if not now.ok:
                    continue
                nr += 1
                code, verdicts, text = gate.check(changed)
                for n, f in whole.figures.items():
                    g = now.figures.get(n)
                    if is_tail(n, whole.figures):
                        continue
                    if g is None or differs_in_work(f[4], g[4]):
                        assert f[3] == "-" or (code == 3 and verdicts["input." + n] in ("missing", "inconclusive")), (name, at, factor, n, code, verdicts)
                    elif f[3] != "-" and f[0] > 0 and (g[0] > f[0] * fractions.Fraction(11, 10) if f[3] == "lower" else g[0] < f[0] * fractions.Fraction(9, 10)):
                        assert code in (1, 3) and verdicts["input." + n] in ("fail", "undecided", "inconclusive"), (name, at, factor, n, verdicts)
    print(f"{nr} changes of {len(REAL)} files that tools wrote")


def without(content, rng):
    """The file without one member or element, or without one line."""
    if isinstance(content, str):
        lines = content.splitlines(True)
        del lines[rng.randrange(len(lines))]
        return "".join(lines)
    at = rng.choice(list(places(content)))[:rng.choice((None, -1))] or (min(content),) if isinstance(content, dict) else (rng.randrange(len(content)),)
    copy = json.loads(json.dumps(content))
    inner = copy
    for k in at[:-1]:
        inner = inner[k]
    del inner[at[-1]]
    return copy


def ends(folder):
    """Each figure of either side of a check ends as judged, as not judged with the reason, or as absent, whatever became of the file; or the file is
    refused with a reason, and nothing of it is judged."""
    nr, ended = 0, {}
    rng = random.Random(20261128)
    for name, content in {**CONTENTS, **REAL}.items():
        gate = Gate(folder / name[:40], "m" + pathlib.Path(name).suffix, content)
        before, = read(gate.name, [content])
        some = list(variants(content, [1.5, None, "nan", "12 parsecs", "7 ms"], name))
        changed = [row[3] for row in (rng.sample(some, min(len(some), 4)), some)[ALL]] + [without(content, rng) for _ in range(2)]
        for new, now in zip(changed, read(gate.name, changed)):
            code, verdicts, text = gate.check(new)
            result = json.loads((gate.folder / "r.json").read_text())
            nr += 1
            if not now.ok:
                assert code == 3 and not set(verdicts.values()) & {"pass", "improved", "warn", "fail"} and text, (name, code, verdicts, text)
                continue
            both = set(before.figures) | set(now.figures)
            checks = {c["metric"][len("input."):]: c for c in result["checks"] if c["metric"].startswith("input.")}
            assert set(checks) <= both, (name, set(checks) - both)
            for c in checks.values():
                ended[c["verdict"]] = ended.get(c["verdict"], 0) + 1
                assert c["message"] or c["verdict"] in ("pass", "improved"), (name, c)
            notes = " ".join(result["notes"]["candidate"]).partition("figures that are not judged:")[2]
            others = both - set(checks)
            assert len(re.findall(r"[^,]+", notes)) == len(others), (name, sorted(others), notes, new)
    assert {"pass", "improved", "fail", "missing", "inconclusive"} <= set(ended), ended
    print(f"figures of {nr} changed files ended as {ended}")


def formats(folder):
    for name, (content, some) in FILES.items():
        write(folder / name, content)
        p = run("metrics", name, "--json", "-", cwd=folder)
        found = {m["metric"][len("input."):]: (m["value"], m["unit"]) for m in json.loads(p.stdout)["metrics"]} if p.returncode == 0 else p.stderr
        assert all(found[k] == (v, u) for k, (v, u, _) in some.items()), (name, found)
        gate = Gate(folder / name.replace(".", "_"), name, content)
        code, verdicts, text = gate.check(content)
        assert code == 0 and all("input." + k in verdicts for k in some), (name, code, verdicts, text)
        every_figure_ends(gate, name, found, verdicts, text)
        whole = content if isinstance(content, str) else json.dumps(content)
        code, cut_verdicts, _ = gate.check(whole[:len(whole) * 2 // 3])  # every_cut() reads those of all bytes
        assert code == 3 or (code == 0 and set(cut_verdicts) == set(verdicts)), (name, code, cut_verdicts)
        for figure, (value, _, better) in some.items():
            old = re.compile(rf"(?<![\w.]){re.escape(f'{value:,}' if name == 'ncu.csv' else str(value))}(?![\w.])")
            for factor, worse in ((0.25, better == "higher"), (4, better == "lower")):
                new = old.sub(str(value * factor), whole)
                if new == whole or figure.endswith(".median"):
                    continue  # it is computed from others of the file
                code, verdicts, text = gate.check(new)
                verdict = verdicts.get("input." + figure)
                assert (verdict in ("fail", "undecided")) == worse, (name, figure, factor, verdict, text)


BRACKETS = {  # what the brackets at the end of a name mean: the name of the figure, its unit and its better direction
    "tokens/sec (avg)": ("tokens/sec__avg_", "tok/s", "higher"), "GB/s [eff.]": ("GB/s__eff._", "GB/s", "higher"), "tput (prefill)": ("tput__prefill_", "1", "higher"),
    "latency [p99]": ("latency__p99_", "1", "lower"), "latency [ms]": ("latency", "ms", "lower"), "x (seq/ms)": ("x", "1", "higher"), "recall(B)": ("recall_B_", "1", "higher"),
    "metrics/mAP50-95(B)": ("metrics/mAP50-95_B_", "1", "higher"), "metrics/precision(M)": ("metrics/precision_M_", "1", "higher"), "free_memory (B)": ("free_memory", "B", "higher"),
    "size (B)": ("size", "B", "lower"), "median(elapsed)": ("median_elapsed_", "1", "lower")}


def brackets(_folder):
    found, = read("x.json", [dict.fromkeys(BRACKETS, 5.5)])
    figures = {name: (unit, better) for name, (_, unit, _, better, _) in found.figures.items()}
    assert figures == {name: (unit, better) for name, unit, better in BRACKETS.values()}, figures


THINGS = ("frames", "queries", "words", "rows", "batches", "episodes", "updates", "inferences", "toks", "ktok", "its", "events", "timesteps", "gcells", "mpoints", "mkeys", "mrays", "mh")
COUNTED = {"token": "tok/s", "request": "req/s", "image": "img/s", "sample": "samples/s", "step": "steps/s", "op": "op/s"}
SIZES = ("GB", "gb", "MB", "mb", "TB", "kB", "GiB", "gib", "MiB", "TFLOP", "tflop", "GFLOP", "gflop", "PFLOP")


def units_of_names(folder):
    """The unit that the end of a name tells is the same in all ways in which people write it; a unit of time behind one thing is a time."""
    expected = {}
    for before in ("", "write_", "x.", "all "):
        for size in SIZES:
            unit = {"gb/s": "GB/s", "mb/s": "MB/s", "gib/s": "GiB/s", "tflop/s": "TFLOP/s", "gflop/s": "GFLOP/s"}.get(f"{size}/s", f"{size}/s")
            expected |= {before + size + way: unit for way in ("/s", "/sec", "/second", "_per_s", "_per_sec", "_per_second", "_s", "_s_p99", "_per_s_mean")}
        for thing, unit in COUNTED.items():
            expected |= {f"{before}{thing}s{way}": unit for way in ("/s", "/sec", "/second", "_per_s", "_per_sec", "_per_second", "_s", "_s_mean")}
            expected |= {f"{before}{thing}_{t}": u for t, u in (("s", "s"), ("sec", "s"), ("seconds", "s"), ("ms", "ms"), ("us", "us"), ("s_p50", "s"))}
        expected |= {f"{before}{thing}_{time}": "tok/s" if thing == "toks" else "1/s" for thing in THINGS for time in ("s", "sec", "s_mean")}
        for word in ("step", "total", "ttft", "e2e", "epoch", "load", "class", "hours", "elapsed", "warmup", "process", "cross", "load_times"):
            expected |= {f"{before}{word}_{t}": u for t, u in (("s", "s"), ("sec", "s"), ("ms", "ms"), ("ns", "ns"))}
        for spelled, unit in (("tok/s", "tok/s"), ("tok_s", "tok/s"), ("img_s", "img/s"), ("req/s", "req/s"), ("req_s", "req/s"), ("GFLOPS", "GFLOP/s"), ("TFLOPS", "TFLOP/s"),
                              ("GBps", "GB/s"), ("Gbps", "Gbit/s"), ("Gb/s", "Gbit/s"), ("us", "us"), ("GiB", "GiB"), ("peakGiB", "GiB"), ("tok/s/GPU", "tok/s/GPU"), ("ms/step", "ms/step"),
                              ("widgets/s", "1/s"), ("gbit_s", "Gbit/s"), ("kernels_s", "s"), ("iter_s", "s"), ("runs_s", "s"), ("requests_seconds", "s"), ("widgets_per_s", "1/s"), ("ms_per_step", "ms/step"), ("batch", "1"), ("variant_B", "1"), ("plan_C", "1")):
            expected[before + spelled] = unit
    plain = [n for n in expected if " " not in n]
    figures = {name: figure for found in read("x.json", [dict.fromkeys(plain[i::2], 5.5) for i in range(2)]) for name, figure in found.figures.items()}
    wrong = {n: (figures[n][1], expected[n]) for n in plain if figures[n][1] != expected[n]}
    assert not wrong, wrong
    for some in ([n for n in expected if " " in n][i:i + 40] for i in range(0, len(expected), 40)):
        write(folder / "x.csv", ",".join(["name", *some]) + "\na" + ",5.5" * len(some) + "\n")
        units = {m["metric"].partition("/")[2]: m["unit"] for m in json.loads(run("metrics", "x.csv", "--json", "-", cwd=folder).stdout)["metrics"]} if some else {}
        assert all(units[n.replace(" ", "_")] == expected[n] for n in some), [(n, units[n.replace(" ", "_")], expected[n]) for n in some]
    print(f"{len(expected)} names with units")


KERNELS = [("void gemm<float>(float *, int)", 3456789012, 10, 345678901.5), ("relu", 400500, 20, 20000.5), ("copy", 1920, 1, 1920)]
HEADINGS = ("ns", "us", "\u03bcs", "usec", "ms", "s")


def kernel_table(rows, unit, printed, of="Name"):
    """What nsys stats writes of kernels with --timeunit, in CSV or as it prints it."""
    def time(ns):
        return f"{ns / {'ns': 1, 'ms': 1e6, 's': 1e9}.get(unit, 1e3):,.10f}".rstrip("0").rstrip(".").replace(",", "," if printed else "")
    cells = [["Time (%)", f"Total Time ({unit})", "Instances", f"Med ({unit})", of],
             *([f"{100 / (i + 2):.1f}", time(total), f"{nr:,}" if printed else str(nr), time(median), name] for i, (name, total, nr, median) in enumerate(rows))]
    if not printed:
        return "".join(",".join(f'"{c}"' if "," in c else c for c in row) + "\n" for row in cells)
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    lines = ["  ".join([*(c.rjust(w) for c, w in zip(row[:-1], widths)), row[-1]]) for row in cells]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return f" ** CUDA GPU Kernel Summary ({of}):\n\n" + "".join(f" {line}\n" for line in lines) + "\n"


def headings(folder):
    """A table of nsys stats in any unit of its headings, in CSV or as it is printed among others, gives one verdict; printed and cut off, it is
    refused or lacks kernels; a row beside the columns is refused."""
    for base in (("ns", False), ("us", True)):
        gate = Gate(folder / base[0], "k.txt", kernel_table(KERNELS, *base), named=True)
        for factor in (0.5, 1, 1.5):
            rows = [(name, total * factor, nr, median) for name, total, nr, median in KERNELS]
            tables = [kernel_table(rows, unit, printed) for unit in HEADINGS for printed in (False, True)]
            tables += [kernel_table(rows, "ns", True, "Operation") + t + kernel_table(rows, "ns", True, "Range") for t in tables[1::2]]
            seen = set()
            for t in tables:
                write(gate.folder / "c" / "k.txt", t)
                p = run("check", "c/k.txt", "--workload", "w", "--baseline", "b.gpugate", "--json", "r.json", cwd=gate.folder)
                checks = json.loads((gate.folder / "r.json").read_text())["checks"]
                seen.add((p.returncode, *sorted((c["metric"], c["verdict"]) for c in checks if c["metric"].startswith("input."))))
            assert len(seen) == 1, (base, factor, seen)
            one, = seen
            assert one[0] == (factor > 1) and len(one) == 1 + 3 * len(KERNELS), (base, factor, one)
    text = kernel_table(KERNELS, "us", True).encode()
    whole, *found = read("k.txt", [text, *(text[:n] for n in range(len(text) - 1))])
    assert whole.figures["relu/total_time"][:3] == (400500, "us", "time"), whole.figures
    for n, cut_off in enumerate(found):
        wrong = {k: f for k, f in cut_off.figures.items() if whole.figures.get(k, f) != f} if cut_off.ok else None
        assert not wrong, (n, wrong)
    for row in ("  33.3", " 50.03,456,789,012", " 33.3     400.55      20"):
        beside, = read("k.txt", [text.replace(b"     33.3", row.encode() if row.strip() == "33.3" else row.encode() + b"     33.3")])
        assert not beside.ok, (row, beside.figures)


def standard_error(folder):
    """The standard error of an accuracy says whether a fall is sure."""
    def content(accuracy, error):
        return {"results": {"t": {"alias": "t", "acc,none": accuracy, "acc_stderr,none": error}}, "versions": {}, "n-shot": {}}
    for error, verdict in ((0.001, "fail"), (0.25, "undecided")):
        gate = Gate(folder, "m.json", content(0.75, error))
        assert gate.check(content(0.6, error))[1]["input.t/acc_none"] == verdict, error


def margin(folder):
    """The error of a score of JMH is half of its confidence interval; with one stored run noise is at most 40 %."""
    for error, now, verdict in ((0.01, 75.5, "fail"), (30, 75.5, "fail"), (30, 65.5, "undecided")):
        def content(score):
            return [{"benchmark": "org.B.a", "mode": "avgt", "primaryMetric": {"score": score, "scoreError": error, "scoreUnit": "us/op"}}]
        assert Gate(folder, "m.json", content(50.5)).check(content(now))[1]["input.org.B.a.avgt/score"] == verdict, (error, now)


def interval(folder):
    """The interval of asv says how sure a time is; one that is infinite, as of a single sample, says nothing."""
    columns = ["result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b"]
    for width, now, verdict in ((0.01, 0.6, "undecided"), (0.5, 0.6, "undecided"), (0.01, 0.9, "fail"), (3, 0.9, "fail"), (float("inf"), 0.9, "fail")):
        def content(time):
            return {"commit_hash": "a", "env_name": "e", "result_columns": columns, "results": {"s.time_x": [[time], [], "v", 1, 2.5, [time - width], [time + width]]}}
        assert Gate(folder, "m.json", content(0.5)).check(content(now))[1]["input.s.time_x"] == verdict, (width, now)
        spread = re.search(r'"name":"s.time_x".*"spread_share":(\d+)', (folder / "b.gpugate").read_text())
        assert bool(spread) == (width < 9) and (not spread or abs(int(spread[1]) / 2e9 - width / 2.58 * 2**0.5) < 1e-8), (width, spread)


def spreads(folder):
    """How far the values within a run spread counts whatever the digits of their mean, also in a baseline that holds it as earlier versions did."""
    rules = "version: 2\ninputs: {results: [{match: '*', take: [{at: accuracy, stdev: std, count: n}]}]}\n"
    for mean in (0.09, 9.01, 9, 9e6):
        for share, verdict in ((0.06, "fail"), (0.2, "undecided")):
            def content(value):
                return {"accuracy": value, "std": value * share, "n": 2}
            gate = Gate(folder, "m.json", content(mean), rules)
            stored = (folder / "b.gpugate").read_text()
            for was in (False, True)[:1 + (mean == 9.01)]:  # then in units of the last digit of the mean
                (folder / "b.gpugate").write_text(re.sub(r'"spread_share":\d+', f'"spread":{round(901 * share)}', stored) if was else stored)
                _, verdicts, text = gate.check(content(mean / 9 * 8))
                assert verdicts["input.accuracy"] == verdict, (mean, share, was, verdicts, text)


def parameters(folder):
    """Cases of asv are told by the values of their parameters: what is inserted, wherever, is new, and the others are compared with themselves."""
    columns = ["result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b"]
    def content(sizes, kinds, factor=1):
        times = [factor * size * (1 + len(kind)) / 64 for size in sizes for kind in kinds]
        params = [[str(s) for s in sizes], [repr(k) for k in kinds]]
        return {"commit_hash": "a", "env_name": "e", "result_columns": columns, "results": {"s.time_x": [times, params, "v", 1, 2.5, times, times]}}
    gate = Gate(folder, "m.json", content([10, 20], ["a", "bbb"]))
    old = {f"input.s.time_x.{s}.{k}" for s in (10, 20) for k in ("a", "bbb")}
    for sizes, kinds in (([10, 20], ["a", "bbb"]), ([5, 10, 20], ["a", "bbb"]), ([10, 15, 20], ["a", "bbb"]), ([10, 20], ["cc", "a", "bbb"]), ([20, 10], ["bbb", "a", "cc"])):
        for factor, verdict in ((1, "pass"), (3, "fail")):
            code, verdicts, text = gate.check(content(sizes, kinds, factor))
            assert code == (factor > 1) and {m: v for m, v in verdicts.items() if m in old} == dict.fromkeys(old, verdict), (sizes, kinds, factor, verdicts, text)
    assert gate.check(content([20], ["a", "bbb"]))[0] == 3
    for params in ([], [[]], [["10"], []], [[], ["10"]], [["10"]] * 99, [["1", "2"]] * 99, [[["a"]], {"a": 1}]):  # lists that do not belong to the times
        found, = read("m.json", [{**content([10], ["a"]), "results": {"s.time_x": [[0.5], params]}}])
        assert found.ok or not found.figures, params


def share_below(folder):
    """The share of samples below a limit in any unit is a figure of its own, better higher, and its own spread says whether a fall is sure."""
    for limit in ("200ms", "0.2s", "200000us", "200"):
        rules = f"version: 1\ninputs: {{results: [{{match: '*.json', samples: [{{at: 'ttft[*]', unit: ms, better: lower, share_below: {limit}}}]}}]}}\n" \
                "rules: [{id: slo, metric: 'input.*below*', fail: {worse: 10%}}]\n"
        for nr, slow, verdict in ((1000, 100, "pass"), (1000, 400, "fail"), (10, 3, "undecided")):
            gate = Gate(folder, "m.json", {"ttft": [100 + i % 50 for i in range(nr * 19 // 20)] + [300] * (nr - nr * 19 // 20)}, rules)
            code, verdicts, text = gate.check({"ttft": [100 + i % 50 for i in range(nr - slow)] + [300] * slow})
            assert verdicts == {f"input.ttft.below_{limit}": verdict}, (limit, nr, slow, verdicts, text)
            assert "95 %" in text or nr == 10, text


SHAPES = {  # files of one's own: what they are read as, and, except for logs, the figures that a check without rules judges
    "nested.json": ({"config": {"batch": 8, "gpu": "a"}, "timing": {"step_ms": 1.5, "all ms": [1.5, 2.5]}, "tokens_per_s": 900.5},
                    {"timing.step_ms": 1.5, "timing.all_ms.median": 2, "tokens_per_s": 900.5}),
    "units.json": ({"latency": {"value": 5.5, "unit": "ms"}, "rate": {"value": 900.5, "unit": "tok/s"}, "mem": {"peak": 40.5, "unit": "GiB"}},
                   {"latency": 5.5, "rate": 900.5, "mem.peak": 40.5}),
    "metrics.json": ({"run": 7, "metrics": [{"name": "latency", "value": 5.5, "unit": "ms"}, {"name": "rate", "value": 900.5, "unit": "tok/s"}]}, {"latency": 5.5, "rate": 900.5}),
    "long.csv": ("metric,value\nlatency_ms,1.5\ntokens_per_s,30\n", {"latency_ms": 1.5, "tokens_per_s": 30}),
    "sweep.csv": ("batch_size,seq_len,latency_ms_p50,Samples/sec\n1,128,5.5,200\n8,128,9.5,800\n",
                  {"batch_size1.seq_len128/latency_ms_p50": 5.5, "batch_size8.seq_len128/Samples/sec": 800}),
    "tabs.tsv": ("name\tlatency (ms)\ttok/s\nold, x\t1.5\t20\nb\t2.5\t30\n", {"old__x/latency": 1.5, "b/tok/s": 30}),
    "semicolons.csv": ("name;latency [ms];note\na;1.5;x, y, z\nb;2.5;z\n", {"a.x__y__z/latency": 1.5, "b.z/latency": 2.5}),
    "hosts.json": ({"timestamp": "2026-11-27 01:02", "host_name": "n1", "git_sha": "ab", "model": "m", "metrics": {"ms": 5.5}}, {"metrics.ms": 5.5}),
    "time.log": ("[2026-11-27 01:02:03] step 1 | 412.5 ms/step | throughput=8001\n[2026-11-27 01:02:04] step 2 | 414.5 ms/step | throughput=8003\n",
                 {"ms_step.median": 413.5, "throughput.median": 8002}),
    "meg.log": ("".join(f" iteration {i:8}/ 10 | throughput per GPU (TFLOP/s/GPU): {400 + i / 2} | took (ms): 12.5 | lm loss: 2.5 |\n" for i in range(2)), {"throughput_per_gpu_tflop_s.median": 400.25, "took_ms.median": 12.5}),
    "bw.log": ("# nodes 2\n# size  type  time  busbw\n#  (B)  (us)\n   8  float  1.5  20.5\n  16  float  2.5  30.5\n", {"size8/time": 1.5, "size16/busbw": 30.5}),
    "bare.log": ("a | 8 | 1.5 | 20.5\na | 16 | 2.5 | 30.5\n", {"c5.median": 2, "c7.median": 25.5}),
    "settings.csv": ("name,size,gpu,ms\na,1.25,3.5,1.5\nb,2.75,4.5,2.5\n", {"a/ms": 1.5, "b/ms": 2.5}),
    "list.json": ({"meta": {"a": 1}, "rows": [{"name": n, "latency_ms": 5.5 + len(n), "note": None} for n in ("a", "bb")]}, {"a/latency_ms": 6.5, "bb/latency_ms": 7.5}),
    "within.json": ({"total_time_s": 55.5, "layers": [{"name": n, "fwd": {"time_ms": 1.5 + i}} for i, n in enumerate("ab")], "repeats": [{"ms": 2.5}, {"ms": 3.5}]},
                    {"total_time_s": 55.5, "layers.a.fwd.time_ms": 1.5, "layers.b.fwd.time_ms": 2.5, "repeats.ms.median": 3}),
    "other.json": ({"rows": [{"name": "a", "ms": 1.5}, {"name": "b", "tok/s": 10, "ms": 2.5}, {"name": "c", "tok/s": 20}]}, {"a/ms": 1.5, "b/tok/s": 10, "c/tok/s": 20}),
    "lines.jsonl": ("\n".join(json.dumps({"gpu": g, "m": {"rate": {"tokens/s": 5.5}}}) for g in ("H100", "H200")), {"H100/m.rate.tokens/s": 5.5, "H200/m.rate.tokens/s": 5.5}),
    "units.csv": ("case,batch,latency (ms),busbw (GB/s),tok/s\ngemm,8,1.25,820.5,1000\ngemm,16,2.5,830.5,900\n", {"gemm.batch8/busbw": 820.5, "gemm.batch16/latency": 2.5, "gemm.batch8/tok/s": 1000}),
    "own.csv": ("name,ms,rate\na,1.5,20\nb,2.5,30\n", {"a/ms": 1.5, "b/ms": 2.5}),
    "steps.jsonl": ("\n".join(json.dumps({"step": i, "loss": 2.5 - i / 8, "tok/s": 100.5 + i}) for i in range(3)), {"loss.median": 2.375, "tok/s.median": 101.5}),
    "epoch.log": ("Epoch 1, batch 10 (640.5 img/s)\nEpoch 1, batch 20 (660.5 img/s)\n", {"img_s.median": 650.5}),
    "train.log": ("start 12\nloaded in 2.5 s\nstep 1: loss 2.5, 12.5 ms, 640.5 img/s\nstep 2: loss 2.25, 13.5 ms, 620.5 img/s\n",
                  {"loss.median": 2.375, "ms.median": 13, "img_s.median": 630.5}),
}


def all_figures(folder, name, *rules):
    p = run("metrics", name, *rules, "--json", "-", cwd=folder)
    return {m["metric"][len("input."):]: m["value"] for m in json.loads(p.stdout)["metrics"]} if p.returncode == 0 else p.stderr


def proposals(folder):
    """The lines that are proposed for a file of no known format read its figures; JSON and tables are read so without any rules, and are a gate; a
    file without figures has none."""
    for name, (content, some) in SHAPES.items():
        write(folder / name, content)
        write(folder / "rules.yaml", "version: 2\n" + run("formats", name, cwd=folder).stdout)
        found = all_figures(folder, name, "--rules", "rules.yaml")
        assert name.endswith(("json", "jsonl")) or not re.search(r"work: .*(gpu|size)", (folder / "rules.yaml").read_text()), name
        assert all(found[k] == v for k, v in some.items()), (name, found, (folder / "rules.yaml").read_text())
        plain = all_figures(folder, name)
        if name.endswith(".log"):
            assert "'gpugate explain FILE' prints the lines" in plain or name == "time.log", (name, plain)
            continue
        assert plain == found, (name, plain, found)
        p = run("approve", "--new", name, "--workload", "w", "--baseline", "own.gpugate", "--force", cwd=folder)
        assert p.returncode == 0 and f", {len(found)} figure" in p.stdout, p
        text = content if isinstance(content, str) else json.dumps(content)
        for number in sorted(set(re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", text))):
            for factor in (0.5, 2):
                write(folder / "new" / name, text.replace(number, str(float(number) * factor)))
                (folder / "r.json").unlink(missing_ok=True)
                p = run("check", f"new/{name}", "--workload", "w", "--baseline", "own.gpugate", "--json", "r.json", "--verbose", cwd=folder)
                checks = {c["metric"][len("input."):]: c["verdict"] for c in json.loads((folder / "r.json").read_text())["checks"]}
                assert set(some) <= set(checks), (name, checks)
                worse = {k for k, v in some.items() if v == float(number) and ".median" not in k and (factor < 1) == bool(re.search("tok|busbw", k) or (name in ("units.json", "metrics.json") and k == "rate"))}
                assert all(checks[k] in ("fail", "undecided") for k in worse) and (not worse or p.returncode != 0), (name, number, factor, checks)
    for name, content in CONTENTS.items():  # no proposal where the file is read already
        write(folder / name, content)
        text = run("explain", name, cwd=folder).stdout
        heads = re.findall(r"# Read by the built-in format (.+), without any rules", text)
        assert heads and text.count("\n- name: ") == len(heads) and all(f"- name: {h}\n" in text for h in heads) and "inputs:" not in text, (name, text)
        assert all(text.split(f"- name: {h}\n")[1].partition("\n#")[0].strip() in TABLE_OF_FORMATS for h in heads), (name, text)
    for content in ("", "text\n", "{}", '{"a": "b"}', "a,b\nc,d\n"):
        write(folder / "none.json", content)
        assert run("formats", "none.json", cwd=folder).returncode == 3, content
    for content in ({"rating": {"x": 5}}, [{"name": "a", "rating": 5}]):  # nothing could be judged
        write(folder / "none.json", content)
        assert "prints the lines" in run("report", "none.json", cwd=folder).stderr, content
    for content, begin in (({"rating_a": 1, "rating_b": 2}, "nothing of this run will be judged: not judged"), ({"rating_a": 1, "ms": 2}, "not judged"), ({"ms": 2}, None)):
        write(folder / "said.json", content)
        p = run("approve", "--new", "said.json", "--workload", "w", "--baseline", "own.gpugate", "--force", cwd=folder)
        said = f"warning: {begin}, as no better direction is given: rating_a"
        assert p.returncode == 0 and (said in p.stderr if begin else not p.stderr) and (not begin or "metric: input.rating_a, better: lower" in p.stderr), (content, p)


def case_columns(folder):
    """A value that was measured is in no name of a case, wherever its column stands and whatever units other columns have."""
    columns = {"case": "abc", "batch": (1, 8, 16), "latency (ms)": (1.25, 2.5, 3.75), "busbw (GB/s)": (820.5, 830.5, 840.5), "tok/s": (1000, 900, 800), "score": (0.53, 0.64, 0.75)}
    rng = random.Random(20261128)
    for _ in range(20):
        order = rng.sample(sorted(columns), len(columns) - rng.randrange(3))
        if "case" not in order and "batch" not in order:
            continue
        names = set()
        for factor in (1, 1.25):
            rows = [[columns[c][i] if c in ("case", "batch") else columns[c][i] * factor for c in order] for i in range(3)]
            write(folder / "x.csv", "\n".join(",".join(map(str, row)) for row in [order, *rows]) + "\n")
            names.add(tuple(sorted(all_figures(folder, "x.csv"))) if set(order) & {"latency (ms)", "busbw (GB/s)", "tok/s"} else ())
        assert len(names) == 1, (order, names)
    write(folder / "x.csv", "sparsity,N,Triton (GB/s),Torch (GB/s)\n0.5,128.0,1.5,2.5\n0.5,256.0,1.25,2.25\n0.75,128.0,3.5,4.5\n")
    assert "sparsity_0.75.N_128.0/Triton" in all_figures(folder, "x.csv")


def table(folder):
    """Figures that moved together are one finding and one table; the figure of the heading does not depend on the alphabet."""
    content = {**SERVE, "mean_tpot_ms": 20.5, "median_tpot_ms": 20.25, "p99_tpot_ms": 25.5}
    gate = Gate(folder, "m.json", content)
    code, verdicts, text = gate.check({**content, **{k: v * 3 for k, v in content.items() if "tpot" in k}})
    assert code == 1 and "3 of 8 figures are worse: mean TPOT +200.00 %, median TPOT +200.00 %, p99 TPOT +200.00 %" in text, text
    assert "Figures of m.r4.0" in text and "5 more figures changed by less than 1 %" in text, text
    assert len(json.loads((folder / "r.json").read_text())["findings"]) == 1, text
    assert "step-period" not in text, text
    rows = [{**content, "request_rate": rate} for rate in (1.25, 1.5)]
    gate = Gate(folder / "several", "m.json", rows)
    code, verdicts, text = gate.check([{**r, "mean_ttft_ms": 125} for r in rows])
    assert code == 1 and "2 of 16 figures in 2 cases are worse: mean TTFT +900.00 %" in text, text
    # two rules judge the figures of each case in turn
    twice = Gate(folder / "twice", "m.json", rows, "version: 1\nrules:\n" + "".join(
        f"  - {{id: {name}, metric: input.*mean_{name}_ms, fail: {{worse: 10%}}}}\n" for name in ("ttft", "tpot")))
    text = twice.check([{**r, "mean_ttft_ms": 125, "mean_tpot_ms": 200} for r in rows])[2]
    assert "4 of 4 figures in 2 cases are worse" in text, text
    text = gate.check([{**r, "request_rate": r["request_rate"] + 1} for r in rows])[2]
    # three names, each of both cases, and five more
    assert "16 figures in 2 cases, such as m.r1.25, are missing in the candidate: mean ITL, mean TPOT, mean TTFT and 10 more" in text, text
    text = gate.check([{**r, "mean_ttft_ms": 125} for r in rows])[2]
    assert "Figures of m figure case" in text and "mean TTFT r1.5" in text, text
    gate = Gate(folder, "m.json", FLAT)
    code, verdicts, text = gate.check({**FLAT, "loss": 2.5025})
    assert code == 0 and "tokens_per_s (unchanged" in text.split("What")[0], text


HEADS = {"m.json": (SERVE, "output tokens/s of m.r4.0"), "g.json": (GOOGLE, "real time of BM0"), "f.json": (FLAT, "tokens_per_s"),
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
        broken = re.sub("([_/.])", "\\1\u200b", label)  # as a comment breaks it
        for metric in (label, "*" + label[1:], broken):
            write(gate.folder / "one.yaml", f"version: 1\nrules: [{{id: one, metric: {json.dumps('input.' + metric)}, fail: {{change: 10%}}}}]\n")
            p = run("check", "b", "--workload", "w", "--baseline", "b.gpugate", "--rules", "one.yaml", "--json", "r.json", cwd=gate.folder)
            judged = [c["metric"] for c in json.loads((gate.folder / "r.json").read_text())["checks"] if c["verdict"] != "skipped"]
            assert "input." + key in judged and (metric[0] == "*" or len(judged) == 1), (name, metric, key, judged, p.stderr)
    gate = Gate(folder / "accepted", "m.json", {"step_time_ms": 12.5, "b_ms": 2.5})
    write(gate.folder / "c" / "m.json", {"step_time_ms": 25.5, "b_ms": 2.5})
    p = run("approve", "c", "--workload", "w", "--baseline", "b.gpugate", "--reason", "r", "--accept", "input.step_\u200btime_\u200bms", cwd=gate.folder)
    assert p.returncode == 0, p
    for name, (content, head) in HEADS.items():
        gate = Gate(folder / name.replace(".", "_"), name, content)
        code, _, text = gate.check(content)
        assert code == 0 and f" {head} (unchanged" in text, (head, text)
    gate = Gate(folder / "better", "m.json", {"a_ms": 12.5, "b_ms": 2.5})
    for now, said in ((9.5, "beyond its limit; a_ms 24.00 % lower, which may be noise; nothing to do"), (12.25, "beyond its limit; nothing to do"), (13, "beyond its limit; nothing to do")):
        code, _, text = gate.check({"a_ms": now, "b_ms": 2.5})
        assert code == 0 and said in text, (now, text)
    same = PARTS.replace('only: {kind: a}, case: "{name}", take: [{at: v, as: up, better: higher}]', "take: [{at: a, title: t, better: lower}, {at: b, title: t, better: lower}]")
    text = Gate(folder / "same", "m.json", {"a": 1.5, "b": 2.5}, same).check({"a": 3, "b": 4})[2]
    assert "figures are worse: a +100.00 %, b +60.00 %" in text, text
    for names in (("a_ms", "b_ms", "c_ms"), ("c_ms", "a_ms", "b_ms")):  # the first of the file, and what fails
        gate = Gate(folder / "order", "o.json", {n: 10.5 + i for i, n in enumerate(names)})
        assert f" {names[0]} (unchanged" in gate.check({n: 10.5 + i for i, n in enumerate(names)})[2]
        text = gate.check({n: (10.5 + i) * (1, 3, 5)[i] for i, n in enumerate(names)})[2]
        assert f"fail \u00b7 w: {names[2]} 400.00 % higher" in text and f"ms {names[2]} (+400.00 %" in text, text


class Read:
    """What the table of formats makes of a file: figures as {name: (value in the least unit, unit, dimension, better, work)}, or None."""

    def __init__(self, lines):
        self.ok, self.figures = lines[0].startswith("0 "), {}
        for line in lines[1:]:
            name, value, digits, unit, better, work = line.split("\t")
            dimension, size = DIMENSIONS.get(unit, (unit, 1))
            self.figures[name] = (int(value) * fractions.Fraction(10) ** -int(digits) * size, unit, dimension, better, work)


def read(name, contents):
    """Reads all contents under this name in one process."""
    parts = [c if isinstance(c, bytes) else (c if isinstance(c, str) else json.dumps(c)).encode() for c in contents]
    p = subprocess.run([READER], input=b"".join(b"%s %d\n%s" % (name.encode(), len(c), c) for c in parts), capture_output=True, check=True)
    found = [Read(block.split("\n")) for block in p.stdout.decode().split("\n\n")[:-1]]
    assert len(found) == len(parts), (name, len(found), len(parts))
    return found


def units_of_table():
    """{unit: (dimension, size)} of rules/figures.yaml."""
    text = (pathlib.Path(__file__).resolve().parents[2] / "rules" / "figures.yaml").read_text()
    part = text.split("\nunits:\n")[1].split("\nwords:\n")[0]
    return {m[1]: (m[2], int(m[3])) for m in re.finditer(r'^  "?([^":]+)"?: ([a-z-]+) ([0-9]+)', part, re.M)}


TABLE_OF_FORMATS = (pathlib.Path(__file__).resolve().parents[2] / "rules" / "formats.yaml").read_text()
DIMENSIONS = units_of_table()
CONTENTS = {**{n: c for n, (c, _) in FILES.items()}, **{n: c for n, c, _ in LOGS}}


TENTH, SCALED = "a tenth", "more by three eighths"
SHARED = pathlib.Path(os.environ.get("GPUGATE_SHARED") or "/nowhere") / "results"


def real():
    """Files that tools wrote, which the laws below walk beside those of the generator; of large ones only some places."""
    for path in sorted(SHARED.glob("*")):
        if "smi" not in path.name and "offline_output" not in path.name:  # the state of GPUs; a case that is there twice
            text = path.read_text()
            yield path.name, json.loads(text) if path.suffix == ".json" else text


REAL = dict(real())


def few(found, name, nr=8):
    """All of what is found in a file of the generator, some of it in others, and little in large ones."""
    found = list(found)
    nr = 2 if name.startswith(("nvbench", "hf-trainer")) else nr
    return found if name not in REAL or len(found) <= nr else random.Random(name).sample(found, nr)


VALUE = re.compile(r"(?<![\w.])-?\d+(,\d{3})*(\.\d+)?([Ee][-+]\d+)?(?![\w.])")


def variant(content, at, new):
    """(old value, content with another one at this place: a path in JSON, an offset in a text)."""
    if not isinstance(content, str):
        old = content
        for k in at:
            old = old[k]
        return old, replaced(content, at, {TENTH: old / 10, SCALED: old * 1.375}.get(new, new))
    m = VALUE.match(content, at)
    old = float(m[0].replace(",", ""))
    text = "null" if new is None else f"{old / 10:.6f}" if new == TENTH else str(old * 1.375) if new == SCALED else str(new)
    return old, content[:at] + text + content[m.end():]


def variants(content, news, name=""):
    """(place, old value, new value, changed content) for each number of the file, or text that begins as one."""
    for at in few([m.start() for m in VALUE.finditer(content)] if isinstance(content, str) else places(content), name):
        for new in news:
            old, changed = variant(content, at, new)
            yield at, old, new, changed


def differs_in_work(a, b):
    """True if what was asked for differs, or what was counted differs by more than 5 %: such figures are not judged."""
    for x, y in zip(a.split(), b.split()):
        if x != y and x.split("=")[0] == y.split("=")[0] and ("=" in x or not near(x.split("~")[1], y.split("~")[1])):
            return True
    return a != b and len(a.split()) != len(b.split())


def near(x, y):
    try:
        return abs(float(x) - float(y)) <= 0.05 * max(abs(float(x)), abs(float(y)))
    except ValueError:
        return False


def improves(old, new):
    """True if a check would call the figure improved; a figure that fell to 0 or below is gone, and not judged."""
    if old[2] != new[2] or "-" == new[3] or differs_in_work(old[4], new[4]) or (new[0] <= 0 < old[0]):
        return False
    return new[0] > old[0] if new[3] == "higher" else new[0] < old[0]


def lacks_a_line(name, whole, found):
    """True if a line of a log does not fit the pattern any more: it does not count."""
    return name.endswith(".log") and any(found.figures.get(n) != f for n, f in whole.figures.items() if n.endswith(".n"))


def every_key(_folder):
    """Each number of each file replaced: the figures that a plain change of it moves are then absent, or judged as worse, or as
    something else; the others are as before."""
    nr = 0
    for name, content in {**CONTENTS, **REAL}.items():
        whole, = read(name, [content])
        assert whole.ok and whole.figures, name
        news = [SCALED, TENTH, *BAD, "12.5 parsecs"]
        if name == "metrics.csv":  # an empty cell is of a step that did not log the figure
            news.remove("")
        rows = [r for i, r in enumerate(variants(content, news, name)) if ALL or r[2] in (SCALED, TENTH) or i % 5 == 0]  # the others with ALL_CASES
        for (at, old, new, _), found in zip(rows, read(name, [r[3] for r in rows])):
            nr += 1
            if new == SCALED:
                moved = {n for n, f in whole.figures.items() if found.figures.get(n, f) != f} if found.ok and not lacks_a_line(name, whole, found) else set()
                continue
            if not found.ok:
                continue
            if lacks_a_line(name, whole, found):
                continue
            if new == TENTH:  # a tenth of a time is better in truth; nothing else is, also not by a tenth of the work
                wrong = [n for n, f in found.figures.items() if n in whole.figures and improves(whole.figures[n], f) and f[3] == "higher"]
                assert not wrong, (name, at, old, wrong)
                continue
            for n, f in found.figures.items():
                before = whole.figures.get(n)
                plain = new == "1,900" and name in ("ncu.csv", "titan.log", "profile_export_genai_perf.csv")  # a number, where commas separate thousands
                assert before is None or plain or not improves(before, f), (name, at, new, n, before, f)
            kept = {n for n in moved if found.figures.get(n) == whole.figures.get(n)}
            assert not kept, (name, at, new, kept)
    print(f"{nr} values of {len(CONTENTS) + len(REAL)} files replaced")


NUMBER = re.compile(r"(?<![\w.\x1b;\[])-?\d+(,\d{3})*(\.\d+)?([Ee][-+]\d+)?(?![\w.;])")


def all_and_last(content, change, name):
    """Variants in which change() was applied to a number on the last line of its kind that has it, and on all of them; in JSON: in all members of a name."""
    if not isinstance(content, str):
        keys = {k for at in places(content) for k in at if isinstance(k, str)}
        for key in few(sorted(keys), name, 4):
            some = [at for at in places(content) if key in at]
            for chosen in (some[-1:], some):
                new = content
                for at in chosen:
                    old = new
                    for k in at:
                        old = old[k]
                    new = replaced(new, at, change(old))
                yield (key, len(chosen)), new
        return
    all_lines = content.splitlines(True)
    kinds = {}
    for i, line in enumerate(all_lines):
        kinds.setdefault(NUMBER.sub("#", re.sub(" +", " ", line)), []).append(i)
    for kind, where in few(kinds.items(), name):
        for k in range(kind.count("#")):
            for chosen in (where[-1:], where):
                lines = list(all_lines)
                for i in chosen:
                    m = list(NUMBER.finditer(lines[i]))[k:k + 1]
                    lines[i] = lines[i][:m[0].start()] + str(change(float(m[0][0].replace(",", "")))) + lines[i][m[0].end():] if m else lines[i]
                yield (kind, k, len(chosen)), "".join(lines)


def not_numbers(folder):
    nr = 0
    for name, content in {**CONTENTS, **REAL}.items():
        whole, = read(name, [content])
        gate = Gate(folder / name[:40], "m" + pathlib.Path(name).suffix, content)
        scaled = list(all_and_last(content, lambda old: round(old * 1.375) if old == int(old) else round(old * 1.375, 6), name))
        for word in ("nan", "-inf")[:1 + name.endswith(".log")]:
            rows = list(all_and_last(content, lambda old, word=word: word if isinstance(content, str) else float(word), name))
            for (at, new), moved, found in zip(rows, read(name, [c for _, c in scaled]), read(name, [c for _, c in rows])):
                if not moved.ok or not found.ok:
                    continue
                nr += 1
                some = {n for n, f in whole.figures.items() if moved.figures.get(n) != f and not n.endswith(".n")}
                kept = {n for n in some if found.figures.get(n) == whole.figures[n]}
                assert not kept, (name, at, word, kept)
                if some and (ALL or nr % 3 == 0 or name.endswith(".log")):
                    code, _, text = gate.check(new)
                    assert code in (1, 3) or "not measured" in text, (name, at, word, some, text)
    print(f"{nr} times nan in place of a number")


def every_unit(_folder):
    """A figure, written with any unit of its dimension (in a table: in its cell), is the same figure, or no figure where the format scales it or
    a line of a log does not fit any more."""
    nr = 0
    for name, content in {**CONTENTS, **REAL}.items():
        whole, = read(name, [content])
        for at, old, _, _ in variants(content, [None], name):
            here = {n: f for n, f in whole.figures.items() if f[2] != f[1] and f[0] == fractions.Fraction(str(old)) * DIMENSIONS[f[1]][1]}
            if not here:
                continue
            dimension, own = {(f[2], f[1]) for f in here.values()}.pop()
            words = [w for w, (d, _) in DIMENSIONS.items() if d == dimension]
            texts = [f"{float(fractions.Fraction(str(old)) * DIMENSIONS[own][1] / DIMENSIONS[w][1]):.15g} {w}" for w in words]
            changed = [variant(content, at, t)[1] for t in texts]
            for word, found in zip(words, read(name, changed)):
                nr += 1
                if lacks_a_line(name, whole, found):
                    continue
                for n, f in found.figures.items() if found.ok else ():
                    before = whole.figures.get(n)
                    if before and f[2] == before[2]:
                        assert abs(f[0] - before[0]) <= abs(before[0]) * fractions.Fraction(1, 10**9), (name, at, word, n, before, f)
                    assert before is None or not improves((before[0] * fractions.Fraction(99999, 100000) if before[3] == "lower" else before[0] * fractions.Fraction(100001, 100000), *before[1:]), f), (name, at, word, n)
                kept = isinstance(content, str) and name.endswith(".csv") and found.ok
                assert not kept or all(n in found.figures for n in here), (name, at, word, here)  # a cell may say its unit
    print(f"{nr} figures in other units")


def every_cut(_folder):
    """A file that is cut at any byte is refused, or each of its figures is as in the whole file, or of other work; ALL_CASES takes all bytes of a file,
    else a sixth of them and the last 100."""
    nr = 0
    for name, content in {**CONTENTS, **REAL}.items():
        text = (content if isinstance(content, str) else json.dumps(content)).encode()
        whole, = read(name, [text])
        cuts = few([n for n in range(len(text)) if ALL or n % 6 == len(name) % 6 or len(text) - n <= 100], name, 40)
        for n, found in zip(cuts, read(name, [text[:n] for n in cuts])):
            nr += 1
            for figure, f in found.figures.items() if found.ok else ():
                before = whole.figures.get(figure)
                # one row of a table, without the end of its line, has nothing that it could be compared with
                assert before is None or text[:n].count(b"\n") < 2 or before[:4] == f[:4] or before[2] != f[2] or differs_in_work(before[4], f[4]) or f[3] == "-", (name, n, figure, before, f, text[max(0, n - 40):n])
    print(f"{nr} bytes at which files are cut")


# texts that are the name of a case, or of a figure, and no path: commands, functions, units
NAMES = ("FullName", "device_info", "model_type", "command", "fullname", "name", "run_name", "run_type", "aggregate_name", "unit", "scoreUnit", "time_unit")


def every_path(_folder):
    """The folder of a model, wherever it is, is in no name; the host, the day and the commit change nothing at all."""
    nr = 0
    for name, content in {**CONTENTS, **REAL}.items():
        if isinstance(content, str):
            continue
        whole, = read(name, [content])
        for at, old in few(texts(content), name):
            free = re.search(r"host|machine|date|time$|_hash|version|started|env_name", str(at[-1])) and at[-1] != "perf_case_name"
            if free:
                found, = read(name, [replaced(content, at, "2027-12-31T01:02:03-of-host-b")])
                assert found.figures == whole.figures and found.ok, (name, at, sorted(found.figures)[:2])
            elif at[-1] not in NAMES and "Device list" not in str(at) and (name not in REAL or re.search("model|tokenizer|path|executable", str(at[-1]))) and not re.fullmatch(r"[-+.0-9]+", old):
                last = old.rpartition("/")[2]
                one, two, plain = read(name, [replaced(content, at, f"{folder}{last}") for folder in ("/data/models/", "/home/x/", "")])
                assert one.ok == two.ok and (not one.ok or one.figures == two.figures == plain.figures), (name, at, sorted(one.figures)[:2], sorted(two.figures)[:2])
            nr += 1
        for at in places(content):
            if re.search(r"^date$|started_at|^time_ms$", str(at[-1])):
                found, = read(name, [replaced(content, at, 1900000000000)])
                assert found.figures == whole.figures, (name, at)
                nr += 1
    print(f"{nr} texts and times of files replaced")


def texts(value, at=()):
    """The places of all texts of a JSON value, and the texts."""
    if isinstance(value, (dict, list)):
        for k, v in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts(v, (*at, k))
    elif isinstance(value, str):
        yield at, value


def directions(folder):
    names = {n: better for better, some in DIRECTIONS.items() for n in some if n != "batch_size"}  # which is the work
    gate = Gate(folder, "x.json", {n: 10 for n in names})
    for factor, wrong in ((2, "lower"), (0.5, "higher")):
        code, verdicts, text = gate.check({n: 10 * factor for n in names})
        judged = {m[len("input."):]: v for m, v in verdicts.items() if m.startswith("input.")}
        assert code in (1, 3) and set(judged) == {n for n, better in names.items() if better}, set(judged) ^ {n for n, b in names.items() if b}
        for name, verdict in judged.items():
            good = verdict == "improved" if names[name] != wrong else verdict in ("fail", "undecided")
            assert good, (name, factor, verdict)
        assert len(re.findall("as no better direction is given", text)) == 1, text


def directions_of_units(folder):
    """Units that the table lacks tell a direction by their shape, and by words."""
    things, times, costs = ("seq", "batches", "Gelem", "widgets"), ("s", "sec", "ms", "min", "hour", "J"), ("ms", "us", "KB", "J")
    higher = [f"{a}/{b}{c}" for a in things for b in times for c in ("", "/gpu")] + ["ns/day", "fps", "FPS", "QPS", "TOPS", "wps"]
    lower = [f"{a}/{b}" for a in costs for b in ("batch", "widget")] + ["cycles", "instructions"]
    rows = [{"name": f"c{i}", "unit": unit, "value": 10} for i, unit in enumerate(higher + lower)]
    gate = Gate(folder, "u.json", {"rows": rows}, FORMAT)
    for factor in (0.5, 2):
        _, verdicts, _ = gate.check({"rows": [{**row, "value": 10 * factor} for row in rows]})
        for row in rows:
            better = (factor > 1) == (row["unit"] in higher)
            assert (verdicts[f"input.{row['name']}/v"] == "improved") == better, (row, factor, verdicts)


def own_work(folder):
    """Settings in a flat file are the work: figures of other work are not judged, and of a setting no direction is better."""
    figures = {"tokens_per_s": 1000.5, "step_ms": 10.5}
    for i, name in enumerate(("batch_size", "num_prompts", "seq_len", "num_gpus", "concurrency", "world_size", "global_batch_size", "input_len", "tp")):
        for value in (64, 1000, 8):
            gate = Gate(folder / f"{i}.{value}", "m.json", {**figures, name: value})
            code, verdicts, text = gate.check({"tokens_per_s": 1500.5, "step_ms": 6.5, name: value // 2})
            assert code == 3 and {verdicts[f"input.{n}"] for n in figures} == {"inconclusive"} and f"other work than the baseline: {name} " in text, (name, text)
            code, verdicts, text = gate.check({"tokens_per_s": 1500.5, "step_ms": 6.5, name: value})
            assert code == 0 and {verdicts[f"input.{n}"] for n in figures} == {"improved"} and "better direction" not in text, (name, text)
    for name, old, new in (("model_id", "llama-70b", "llama-8b"), ("dtype", "bf16", "fp8"), ("backend", "nccl", "gloo")):
        gate = Gate(folder / name, "m.json", {**figures, name: old}, named=True)
        code, _, text = gate.check({"tokens_per_s": 1500.5, "step_ms": 6.5, name: new})
        assert code == 3 and f"{name} {old} → {new}" in text, (name, text)
    rows = [{"name": n, "t_ms": 10.5} for n in "ab"]
    sizes = lambda **of: [{"name": n, "m": 64, "n": 64, "k": 64, "tp": 2, **of, "t_ms": 10.5} for n in "ab"]
    for i, (old, new, says) in enumerate((({"batch_size": 8, "rows": rows}, {"batch_size": 4, "rows": rows}, "batch_size 8 → 4"), ({"quantization": "none", **figures}, {"quantization": "int4", **figures}, "quantization none → int4"),
                                          ({"config": {"dtype": "bf16"}, "rows": rows}, {"config": {"dtype": "fp8"}, "rows": rows}, "dtype bf16 → fp8"),
                                          (sizes(), sizes(k=32), "k 64 → 32"), (sizes(), sizes(tp=1), "tp 2 → 1"), ({"_step": 99, **figures}, {"_step": 9, **figures}, "_step 99 → 9"),
                                          ({"quantization": None, **figures}, {"quantization": "int4", **figures}, "quantization none → int4"), ({"model": "m", "dtype": "bf16", **figures}, {"model": "m", "dtype": None, **figures}, "dtype bf16 → none"),
                                          ({"config": {"quantization": None, "x_ms": 1.5}, **figures}, {"config": {"quantization": "fp8", "x_ms": 1.5}, **figures}, "quantization none → fp8"),
                                          *(({"system": {key: {"name": "A1"}}, **figures}, {"system": {key: {"name": "H1"}}, **figures}, f"baseline: {key} A1 → H1") for key in ("gpu", "device", "model", "dataset")))):
        gate = Gate(folder / f"own{i}", "m.json", old, named=True)
        assert gate.check(old)[0] == 0
        code, _, text = gate.check(new)
        assert code == 3 and says in text, (old, new, text)


def few_samples(folder):
    """A figure that is better, but of less than half as many samples as in the baseline, is not judged: the first may be the better ones."""
    samples = [10.5 + i % 3 for i in range(30)]
    gate = Gate(folder, "m.json", {"latency_ms": samples, "x_ms": 5.5}, named=True)
    for nr, factor, verdict in ((30, 0.5, "improved"), (16, 0.5, "improved"), (12, 0.5, "inconclusive"), (1, 0.5, "inconclusive"), (12, 1, "pass"), (12, 2, "fail")):
        _, verdicts, text = gate.check({"latency_ms": [s * factor for s in samples[:nr]], "x_ms": 5.5})
        assert {v for m, v in verdicts.items() if "input.latency" in m} == {verdict} and verdicts["input.x_ms"] == "pass", (nr, factor, verdicts)
        assert (f"samples 30 → {nr}" in text) == (verdict == "inconclusive"), (nr, factor, text)


def tails(folder):
    """A percentile of fewer than 10 / (1 - q) samples is shown, and judged only by a rule that names it; one that a tool computed is judged."""
    own = "version: 2\nrules: [{id: own, metric: input.*.p99, fail: {increase: 10%}}]\n"
    for nr, judged in ((20, ""), (99, ""), (100, "p90"), (999, "p90"), (1000, "p90 p99")):
        content = lambda slow, nr=nr: {"latency_ms": [10.5 + i % 7 / 8 if i < nr * slow else 99.5 for i in range(nr)], "x": {"p99_ms": 5.5}}
        for rules in (None, own):
            gate = Gate(folder / f"{nr}{rules is None}", "m.json", content(1), rules, named=True)
            code, verdicts, text = gate.check(content(0.88))
            found = {m.split(".")[-1] for m in verdicts if m.startswith("input.latency")}
            assert found == {"median", *judged.split(), *(["p99"] if rules else [])} and (code == 1) == bool(judged or rules), (nr, rules, verdicts)
            assert "better direction" not in text and "input.x.p99_ms" in verdicts, text


def scales(folder):
    """A share that becomes a percentage, or the other way around, is not better: neither is judged unless it is worse."""
    for key, old, new, verdict in (("accuracy", 0.76, 76.5, "inconclusive"), ("accuracy", 76.5, 0.76, "fail"), ("error", 24.5, 0.25, "inconclusive"), ("error", 0.25, 24.5, "fail"),
                                   ("accuracy", 0.5, 0.9, "improved"), ("failures", 100, 1, "improved"), ("loss", 9.5, 0.5, "improved"), ("speedup", 0.5, 500, "improved"), ("tokens_per_s", 0.5, 50, "improved")):
        gate = Gate(folder / f"{key}{old}", "m.json", {key: old, "x_ms": 5.5}, named=True)
        _, verdicts, text = gate.check({key: new, "x_ms": 5.5})
        assert verdicts[f"input.{key}"] == verdict and (f"scale {old} → {new}" in text) == (verdict == "inconclusive"), (key, old, new, verdicts, text)


def whole(folder):
    """What the shape of a format holds beside it makes the file another's: no number is left out, and units count."""
    for i, (content, at) in enumerate((({"results": {"latency": {"value": 5.5, "unit": "ms"}}}, ("results", "latency", "value")), ({"results": {"latency": {"value": 5.5}, "step": {"mean": 10.5, "unit": "ms"}}}, ("results", "step", "mean")),
                                       ({"tokens_per_s": 500.5, "bench": {"latency": {"value": 5.5}}}, ("tokens_per_s",)))):
        gate = Gate(folder / str(i), "m.json", content, named=True)
        assert gate.check(content)[0] == 0
        value = content
        for key in at:
            value = value[key]
        code, _, text = gate.check(replaced(content, at, value / 9 if "tokens" in at[0] else value * 9))
        assert code == 1, (content, text)
    gate = Gate(folder, "m.json", {"results": {"latency": {"value": 5.5, "unit": "ms"}}}, named=True)
    assert gate.check({"results": {"latency": {"value": 5.5, "unit": "s"}}})[0] == 1


def own_sums(folder):
    """In files of one's own a total time is better or worse only if it did not move as the number of what was done beside it."""
    forms = {"flat.json": (lambda c: c, "{}"), "deep.json": (lambda c: {"run": c, "x_ms": 5.5}, "run.{}"), "rows.json": (lambda c: [{"name": n, **c} for n in "ab"], "a/{}"),
             "rows.csv": (lambda c: f"name,{','.join(c)}\n" + "".join(f"{n},{','.join(map(str, c.values()))}\n" for n in "ab"), "a/{}"),
             "two.json": (lambda c: {"requests": 7, "warm": {"iterations": 3, "total_ms": 1.5}, "run": c}, "run.{}")}
    for count, total in (("completed", "total_time_s"), ("successful_requests", "duration_s"), ("iterations", "total_ms"), ("num_calls", "elapsed"), ("images", "wall_time_s"), ("samples", "total_s")):
        for name, (form, key) in forms.items():
            of = lambda nr, time: form({count: nr, total: time, "step_ms": 2.5, f"mean_{total}": time, f"p99_{total}": time})
            gate = Gate(folder / count / name, name, of(1000, 50.5), named=True)
            for nr, time, verdict in ((500, 25.5, "inconclusive"), (500, 50.5, "pass"), (500, 101.5, "fail"), (1000, 25.5, "improved"), (2000, 101.5, "inconclusive"), (2000, 25.5, "improved"), (980, 51.5, "pass")):
                code, verdicts, text = gate.check(of(nr, time))
                assert verdicts["input." + key.format(total)] == verdict and verdicts["input." + key.format("step_ms")] == "pass", (name, count, nr, time, verdicts)
                for one in ("mean", "p99"):  # of one thing that was done, however many there were
                    of_one = "fail" if time > 60 else "improved" if time < 50 else "pass"
                    assert verdicts["input." + key.format(f"{one}_{total}")] == of_one, (name, count, one, nr, time, verdicts)
                assert verdict != "inconclusive" or f"{count} 1000 → {nr}" in text, text


def none_of_samples(folder):
    """A value of a file of one's own that is NaN or infinite, and null in a list, is not measured, whatever its place: if it is one of many it is
    left out and told, with how many there are; else the figure is missing, or the file is refused for it."""
    forms = {"list.json": lambda v: {"latency_ms": v, "x_ms": 5.5}, "deep.json": lambda v: {"run": {"latency_ms": v}, "x_ms": 5.5},
             "steps.json": lambda v: [{"step": i, "latency_ms": x} for i, x in enumerate(v)],
             "steps.jsonl": lambda v: "\n".join(json.dumps({"step": i, "latency_ms": x}) for i, x in enumerate(v)),
             "steps.csv": lambda v: "step,latency_ms\n" + "".join(f"{i},{x}\n" for i, x in enumerate(v)),
             "vllm.json": lambda v: {"avg_latency": 5.5, "latencies": v, "percentiles": {"50": 5.5}}}
    for name, form in forms.items():
        values = [5.5 + i % 7 / 8 for i in range(300)]
        gate = Gate(folder / name, name, form(values), named=True)
        for bad in (float("nan"), float("inf"), float("-inf"), *([None] if name[:5] != "steps" else [])):
            for places in ([0], [150], [7, 9], range(9), range(300)):
                code, _, text = gate.check(form([bad if i in places else v for i, v in enumerate(values)]))
                shown = {"nan": "nan" if name[-3:] == "csv" else "NaN", "inf": "inf" if name[-3:] == "csv" else "Infinity"}.get(str(bad), "")
                assert code == (0 if len(places) < 3 else 3) and (bad is None and len(places) == 300 or "not measured" in text and shown in text), (name, bad, places, code, text)
                assert len(places) in (1, 300) or f"({len(places)} values), not measured" in text, (name, bad, places, text)
    for name, table in (("a.json", lambda v: [{"name": n, "ms": x} for n, x in zip("ab", v)]), ("a.csv", lambda v: "name,ms\n" + "".join(f"{n},{x}\n" for n, x in zip("ab", v)))):
        gate = Gate(folder / name, name, table([1.5, 2.5]), named=True)
        for bad in (float("nan"), float("inf")):
            for values in ([bad, 2.5], [1.5, bad], [bad, bad]):
                code, _, text = gate.check(table(values))
                assert code == 3 and "not measured" in text and "neither JSON" not in text, (name, values, text)
    rates = {"context": {}, "benchmarks": [{"name": "B", "time_unit": "ns", "real_time": 9.5, "cpu_time": 9.5, "bytes_per_second": 10.5 + i} for i in range(200)]}
    gate = Gate(folder / "google", "g.json", rates, named=True)
    code, _, text = gate.check(replaced(rates, ("benchmarks", 5, "bytes_per_second"), None))
    assert code == 0 and "'bytes_per_second' of case 'B' is null, not measured" in text, text


def absurd(folder):
    """A number that no measurement gives, whatever its direction, is not measured; a sum of FLOP, which is large, is."""
    for name, form in (("flat.json", lambda k, v: {k: v, "x_ms": 5.5}), ("rows.json", lambda k, v: [{"name": "a", k: v}, {"name": "b", k: 7.5}]), ("rows.csv", lambda k, v: f"name,{k}\na,{v}\nb,7.5\n"),
                       ("list.json", lambda k, v: {k: [v, 7.5]})):
        for key in ("latency_ms", "tok_s", "peak_mem_gib", "p99_ttft_ms", "accuracy"):
            gate = Gate(folder / name / key, name, form(key, 12), named=True)
            for value in (1e308, 1.7976931348623157e308, -1e308, 3.4e38, *([1e21] if key != "accuracy" else [])):
                code, verdicts, text = gate.check(form(key, value))
                assert code == 3 and "improved" not in verdicts.values() and "not measured" in text, (name, key, value, verdicts, text)
    samples = [5.5 + i % 7 / 8 for i in range(300)]
    gate = Gate(folder / "samples", "s.json", {"latency_ms": samples}, named=True)
    code, verdicts, text = gate.check({"latency_ms": [*samples[:-1], 1e308]})
    assert code == 0 and "not measured" in text and verdicts["input.latency_ms.median"] == "pass", (verdicts, text)
    for i, (name, nr, code) in enumerate((("ttft_ms", 50, 3), ("tpot_ms", 2, 3), ("ttft_ms", 1, 0), ("wait_ms", 50, 0), ("latency_ms", 50, 0))):  # no first token comes at once
        gate = Gate(folder / f"zero{i}", "m.json", {name: [5.5] * 100, "x_ms": 5.5}, named=True)
        got, verdicts, text = gate.check({name: [0] * nr + [5.5] * (100 - nr), "x_ms": 5.5})
        assert got == code and (f"'{name}' is '0'" in text) == (name in ("ttft_ms", "tpot_ms")), (name, nr, got, text)
    gate = Gate(folder / "flop", "f.json", {"train_flops": 3.2e25, "total_flop": 3.2e25}, named=True)
    assert "not measured" not in gate.check({"train_flops": 3.2e25, "total_flop": 3.2e25})[2]


def own_failure(folder):
    """A record that says itself that its run failed has no figures; a file of nothing else is refused."""
    for i, (key, good, bad) in enumerate((("status", "success", "failed: CUDA out of memory"), ("correct", True, False), ("passed", True, False), ("failed", False, True),
                                          ("outcome", "passed", "Error"), ("result", "ok", "FAILED"), ("error", None, "timed out after 60 s"), ("error", "no error", "CUDA out of memory"), ("failed", "no", "yes"), ("result", "No regressions", "no"),
                                          ("oom", "false", "true"), ("state", "no change", "Aborted"), ("exception", "", "RuntimeError: shape"), ("success", 1, 0), ("exit_code", 0, 137), ("allclose", True, False),
                                          ("accuracy", "pass", "fail_accuracy"), ("Disposition", "passed", "incorrect"), ("crashed", False, True), ("has_nan", False, True), ("is_valid", True, False),
                                          ("numerics_ok", True, False), ("validation", "passed", "incorrect"), ("correctness", "OK", "MISMATCH"), ("accuracy_check", "pass", "fail_accuracy"),
                                          ("test_status", "passed", "failed"), ("run_exit_code", 0, 1), ("final_state", "done", "Killed"), ("has_timed_out", False, True), ("error", {}, {"code": 500, "type": "Internal"}), ("error", [], ["a", "b"]), ("error", [], [["CUDA OOM"]]),
                                          ("status", "done", "NODE_FAIL"), ("status", "complete", "did not converge"), ("accuracy", "pass", "infra_error"), ("accuracy", "pass", "eager_two_runs_differ"), ("was_cancelled", False, True),
                                          ("completed", True, False), ("retcode", 0, 1), ("error_message", "", "CUDA error 700"))):
        gate = Gate(folder / f"{i}", "m.json", {key: good, "step_ms": 10.5}, named=True)
        assert gate.check({key: good, "step_ms": 10.5})[0] == 0, key
        code, _, text = gate.check({key: bad, "step_ms": 10.5})
        assert code == 3 and f"the run is not valid: '{key}' is " in text, (key, bad, text)
        for where, form in (("in", lambda v: {"run": {"check": {key: v}, "step_ms": 10.5}}), ("around", lambda v: {key: v, "rows": [{"name": n, "step_ms": 10.5} for n in "ab"]})):
            gate = Gate(folder / f"{i}.{where}", "m.json", form(good), named=True)
            assert gate.check(form(good))[0] == 0, (key, where)
            code, _, text = gate.check(form(bad))
            assert code == 3 and f"the run is not valid" in text and f"'{key}' is " in text, (key, where, text)
        gate = Gate(folder / f"{i}.rows", "m.json", [{"name": n, key: good, "step_ms": 10.5} for n in "ab"], named=True)
        code, verdicts, text = gate.check([{"name": n, key: bad if n == "a" else good, "step_ms": 10.5} for n in "ab"])
        a, b = ({v for m, v in verdicts.items() if m.startswith(f"input.{n}")} for n in "ab")  # a text may be a part of the case's name
        assert code == 3 and a == {"missing"} and b <= {"pass", "missing"} and f"'{key}' is " in text, (key, verdicts, text)
    for key, value in (("check_nan", True), ("run_accuracy", False), ("tests_passed", 0), ("test_error", 0.25), ("last_status", "failed"), ("check_result", False), ("output_error", "L2"), ("job_exception", "none raised"), ("test_oom", True), ("error", {"max": 0.25, "mean": 0.125}), ("status", "no error"), ("error", []), ("error", {"rel": {"max": 0.25}, "metric": "rmse"}), ("error", ["no error", "no error"]),
                       ("error_message", "Success."), ("rc", 1.5), ("status", "no_error"), ("result", "mlp_error_free"), ("status", "Did not regress"), ("status", "not_failed")):  # what was to be run, and figures
        gate = Gate(folder / key, "m.json", {key: value, "step_ms": 10.5}, named=True)
        assert gate.check({key: value, "step_ms": 10.5})[0] == 0, key
    for cell, code in (("False", 0), ("True", 3)):  # cells of a table are texts
        gate = Gate(folder / cell, "m.csv", "name,latency_ms,failed\na,2.5,False\nb,3.5,False\n", named=True)
        assert gate.check(f"name,latency_ms,failed\na,2.5,False\nb,3.5,{cell}\n")[0] == code, cell
    gate = Gate(folder / "rate", "m.csv", "name,latency_ms,error\na,2.5,0.05\n", named=True)  # a figure
    assert gate.check("name,latency_ms,error\na,2.5,0.55\n")[0] == 1
    hpl = "WC0      90000  1024     2     4             9.99             5.005e+04\n||Ax-b||_oo/(eps*N)=        7.3e-09 ...... {}\n"
    nccl = "    16777216       4194304     float     sum      -1   200.00   83.89  146.80      0   200.00   83.89  146.80      0\n# Out of bounds values : {}\n"
    for name, text, good, bad in (("hpl.log", hpl, "PASSED", "FAILED"), ("nccl.log", nccl, "0 OK", "4 FAILED")):
        gate = Gate(folder / name, name, text.format(good), named=True)
        assert gate.check(text.format(good))[0] == 0 and gate.check(text.format(bad))[0] == 3, name
    for value in ("12,5 ms", "12.5k tok/s", "12.5 (cold)", "12.5 \u00b1 0.3"):  # no number, though its name is that of a figure
        for key in ("latency", "time_ms", "step_time"):
            write(folder / "t.json", {key: value, "x_ms": 1})
            assert f"'{key}' is '{value}', not a number" in run("report", "t.json", cwd=folder).stderr, (key, value)
    for value in ("81k", "1.5M", "0:01:30", "1:30.25", "5m", "64G", "PT1M30S", "P1DT2H"):  # perhaps of a configuration: the other figures are read
        p = run("report", write(folder / "t.json", {"latency": value, "x_ms": 1}).name, cwd=folder)
        assert p.returncode == 0 and f"'latency' is '{value}' (a text), not measured" in p.stdout, (value, p.stdout)


def errors(folder):
    """Requests that failed, as the list 'errors' of a file says, are named, though most did not."""
    serve = next(c for name, (c, _) in FILES.items() if isinstance(c, dict) and "mean_ttft_ms" in c and "num_prompts" in c)
    for i, content in enumerate(({"tokens_per_s": 100.5}, {"model": "m", "rows": [{"name": "a", "x_ms": 1.5}]}, serve)):
        gate = Gate(folder / f"{i}", "m.json", {**content, "errors": ["", None, ""]}, named=True)
        assert "errors" not in gate.check({**content, "errors": ["", None, ""]})[2]
        code, _, text = gate.check({**content, "errors": ["", "out of memory", "oom"]})
        assert code == 0 and "'errors' has 2 texts, such as 'out of memory'" in text, (content, text)


def few_failed(folder):
    """Requests that failed on one side only, few enough for the figures to count, are a warning that has their numbers."""
    gate = Gate(folder, "m.json", {**SERVE, "num_prompts": 1000, "completed": 1000}, named=True)
    for completed, code in ((1000, 0), (999, 0), (991, 0), (980, 3)):
        got, _, text = gate.check({**SERVE, "num_prompts": 1000, "completed": completed})
        said = f"vLLM served {completed} of 1000 requests"
        assert got == code and (said in text) == (completed < 1000) and ("see whether the figures are of all" in text) == (completed < 1000 and not code), (completed, got, text)


def contradictions(folder):
    """A file that contradicts itself is named: of one thing, a percentile is no less than one below it, and a mean is between the least and the
    largest; rates, and what is of other things or cases, are not compared."""
    forms = {"flat.json": lambda v: {f"x_{k}_ms": x for k, x in v.items()}, "deep.json": lambda v: {"x_ms": v}, "rows.json": lambda v: [{"name": n, **{f"{k}_ms": x for k, x in v.items()}} for n in "ab"],
             "rows.csv": lambda v: f"name,{','.join(f'{k}_ms' for k in v)}\na,{','.join(map(str, v.values()))}\n"}
    good = {"min": 1.5, "p50": 5.5, "mean": 6.5, "p90": 9.5, "p99": 12.5, "max": 20.5}
    for name, form in forms.items():
        for key, value, below in ((None, 0, None), ("p99", 5.25, "p90"), ("p90", 1.75, "p50"), ("max", 12.25, "p99"), ("max", 12.45, None), ("mean", 1.25, "min"), ("mean", 21.5, "max"), ("min", 5.75, "p50"), ("mean", 13.5, None)):
            text = run("report", write(folder / name, form({**good, **({key: value} if key else {})})).name, cwd=folder).stdout
            said = re.search(r"'(\S+)' is less than '(\S+)': one of them is wrong", " ".join(text.split()))
            assert bool(said) == bool(below) and (not below or all(any(k in n for n in said.groups()) for k in (key, below))), (name, key, value, text)
    for content in ({"loss_min": -5.5, "loss_mean": -5.5, "loss_max": -5.5}, {"tok_s_p50": 90.5, "tok_s_p99": 50.5}, {"a_p50_ms": 9.5, "b_p99_ms": 1.5}, [{"name": "a", "p50_ms": 9.5}, {"name": "b", "p99_ms": 1.5}]):
        assert "is less than" not in run("report", write(folder / "x.json", content).name, cwd=folder).stdout, content


def rows_by_settings(folder):
    """Rows that differ in a setting only are cases by it, whatever setting it is."""
    for name in ("concurrency", "max_concurrency", "batch_size", "batchsize", "bs", "request_rate", "input_len", "num_prompts", "tp_size"):
        for file, render in (("r.csv", lambda rows: f"{name},ttft_ms,tok_s\n" + "".join(f"{n},{a},{b}\n" for n, a, b in rows)), ("r.jsonl", lambda rows: "".join(json.dumps({name: n, "ttft_ms": a, "tok_s": b}) + "\n" for n, a, b in rows)),
                             ("r.json", lambda rows: {"model": "m", "rows": [{name: n, "ttft_ms": a, "tok_s": b} for n, a, b in rows]})):
            rows = [(1, 5.5, 90.5), (8, 9.5, 300.5), (16, 20.5, 500.5)]
            gate = Gate(folder / name / file, file, render(rows), named=True)
            assert gate.check(render(rows[::-1]))[0] == 0, (name, file)
            code, verdicts, text = gate.check(render([rows[0], (8, 29.5, 300.5), rows[2]]))
            assert code == 1 and {m for m, v in verdicts.items() if v == "fail"} == {f"input.{name}8/ttft_ms"}, (name, file, verdicts, text)
        for nr in (1, 2, 3, 5):  # behind other columns, which are the same in all rows
            beside = dict(list({"model": "m", "dtype": "bf16", "input_len": 512, "gpu": "H100", "osl": 128}.items())[:nr])
            if name in beside:
                continue
            content = lambda v: [{**beside, name: n, "ttft_ms": a} for n, a in ((1, 5.5), (8, v), (16, 20.5))]
            gate = Gate(folder / name / str(nr), "r.json", content(9.5), named=True)
            code, verdicts, text = gate.check(content(29.5))
            judged = {m: v for m, v in verdicts.items() if m.startswith("input.")}
            assert code == 1 and len(judged) == 3 and [v for m, v in judged.items() if f"{name}8/" in m] == ["fail"], (name, nr, judged, text)


AMOUNTS = {  # names of flat figures that are amounts: work that was asked for, what was counted, and what a tool repeats until it is sure
    "asked": "num_prompts prompts n_requests numRequests batch_size global_batch_size epochs num-epochs max_new_tokens world_size ranks num_gpus nodes n_layers hidden_size vocab_size prompt_len "
             "max_seq_len num_samples num_images infer_batch_size n_elements params m k step epoch gradient_accumulation_steps max_num_batched_tokens",
    "counted": "requests request_count tokens num_tokens total_output_tokens input_tokens samples images train_samples steps total_steps frames elements n count",
    "repeated": "iters iterations num_iterations n_iter niter repeats runs rounds trials repetitions warmup_iters calls",
    "others": "seed learning_rate grad_norm block_size port", "figures": "completed tokens_per_s failed_requests step_ms images_per_sec ttft_ms max_memory_gib bytes"}


def amounts(folder):
    """An amount in a file of one's own is not judged as a figure: if it was asked for, figures of another are not judged; if it was counted, a warning
    says that it differs, or, of what is repeated until it is sure, that it is less than half; none is offered a rule with a direction."""
    for kind, names in AMOUNTS.items():
        for name in names.split():
            content = lambda nr: {"img_s": 100.5, name: nr}
            gate = Gate(folder / name, "m.json", content(512), named=True)
            assert kind == "figures" or "no better direction" not in gate.check(content(512))[2], name
            code, verdicts, text = gate.check(content(256))
            assert (code == 3 and f"did other work than the baseline: {name} 512 → 256" in text) == (kind == "asked"), (name, code, text)
            assert (code == 0 and f"counted other things than the baseline: {name} 512 → 256" in text) == (kind == "counted"), (name, code, text)
            assert (f"input.{name}" in verdicts) == (kind == "figures"), (name, verdicts)
            assert kind != "repeated" or f"counted other things than the baseline: {name} 512 → 200" in gate.check(content(200))[2], name
            assert "counted other" not in gate.check(content(500))[2], name
            if kind == "counted":  # in an object of the file, too
                gate = Gate(folder / name / "in", "m.json", {"run": content(512), "model": "m"}, named=True)
                code, _, text = gate.check({"run": content(256), "model": "m"})
                assert name in ("n", "count") or (code == 0 and f"run.{name} 512 → 256" in text and "no better direction" not in text), (name, code, text)


def any_names(folder):
    """A flat file is read whatever its names are, in a folder as by itself; names that differ only in what a name of a figure cannot have are told."""
    for i, (key, name, value) in enumerate((("a b", "a_b", 1.5), ("latency ms", "latency_ms", 1.5), ("Latency (ms)", "Latency", 1.5), ("tok/s [tok/s]", "tok/s", 1.5), ("p99: TTFT", "p99__TTFT", 1.5),
                                            ("W\u00e4rme", "W__rme", 1.5), ("x*", "x_", 1.5))):
        write(folder / f"{i}" / "x.json", {key: value})
        assert all_figures(folder, f"{i}") == all_figures(folder, f"{i}/x.json") == {name: value}, (key, all_figures(folder, f"{i}"))
        write(folder / f"{i}" / "x.json", {key: value, name: value})
        assert f"'{name}' is there twice" in all_figures(folder, f"{i}"), key


def sweeps(folder):
    """Rows that differ in a number that grows as sizes of a sweep do are cases, whatever it is called; what counts on, or is measured, makes none."""
    for name, values, sweep in (("bytes", (1024, 2048, 8192), True), ("elements", (1, 8, 16), True), ("S", (1000, 5000, 10000, 100000), True), ("N", (128, 256), True),
                                ("seen", (1000, 2000, 3000), False), ("seen", (1003, 2010, 2998, 4020), False), ("x_ms", (8, 16, 32), False), ("rating", (8, 8, 16), False), ("started", (10, 20, 40), False)):
        for file, render in (("r.csv", lambda rows: f"{name},busbw\n" + "".join(f"{n},{v}\n" for n, v in rows)), ("r.jsonl", lambda rows: "".join(json.dumps({name: n, "busbw": v}) + "\n" for n, v in rows))):
            rows = [(n, 5.5 + i) for i, n in enumerate(values)]
            found = all_figures(folder, write(folder / file, render(rows)).name)
            assert ({f"{name}{n}/busbw": v for n, v in rows} == found) == sweep and (sweep or "busbw.median" in found), (name, values, found)
    for name in ("L", "Elements", "num_tokens", "chunk", "bytes"):  # beside names that are there several times
        rows = [(of, n, 5.5 + n / 8) for of in ("add", "mul") for n in (1024, 4096, 512)]
        found = all_figures(folder, write(folder / "n.csv", f"benchmark,{name},t_ms,samples\n" + "".join(f"{of},{n},{v},{3 + i * 7}\n" for i, (of, n, v) in enumerate(rows))).name)
        assert {k: v for k, v in found.items() if k.endswith("t_ms")} == {f"{of}.{name}{n}/t_ms": v for of, n, v in rows}, (name, found)


def criterion(folder):
    """A folder of Criterion has a case for each benchmark, by what it took last, wherever the folder lies; a benchmark that is slower, or gone, is told."""
    estimates = lambda ns: json.dumps({k: {"point_estimate": ns if k != "std_dev" else 9.5, "standard_error": ns / 500} for k in ("mean", "median", "std_dev")})
    benchmarks = {"fib_20": 26000.5, "sort/quick/1000": 5000.5, "sort/merge/1000": 7000.5}
    def tree(root, **slower):
        for name, ns in benchmarks.items():
            for when, factor in (("new", slower.get(name.split("/")[0], 1)), ("base", 0.5)):
                write(root / name / when / "estimates.json", estimates(ns * factor))
                write(root / name / when / "sample.json", {"iters": [1.0, 2.0], "times": [ns, 2 * ns]})
            write(root / name / "change" / "estimates.json", {"mean": {"point_estimate": 0.5, "standard_error": 0.1}})
        return root
    wanted = {f"{name}/{of}": ns for name, ns in benchmarks.items() for of in ("mean", "median")}
    tree(folder / "a" / "target" / "criterion")
    for given in ("a/target/criterion", "a/target", "a", folder / "a" / "target" / "criterion"):
        p = run("metrics", given, "--json", "-", cwd=folder)
        found = {m["metric"][len("input."):]: m["value"] for m in json.loads(p.stdout)["metrics"]}
        assert found == wanted and "ignored" not in p.stderr, (given, found, p.stderr)
    assert set(all_figures(folder, "a/target/criterion/sort/quick/1000/new/estimates.json")) == {"sort/quick/1000/mean", "sort/quick/1000/median"}
    assert set(all_figures(folder, write(folder / "estimates.json", estimates(5.5)).name)) == {"mean", "median"}
    args = ("--workload", "w", "--baseline", "b.gpugate")
    assert run("approve", "--new", "a/target/criterion", *args, cwd=folder).returncode == 0
    tree(folder / "b" / "criterion", fib_20=1.6)
    p = run("check", "b/criterion", *args, cwd=folder)
    assert p.returncode == 1 and "median time of fib_20 60.00 % higher" in " ".join(p.stdout.split()), p.stdout
    (folder / "b" / "criterion" / "sort" / "merge" / "1000" / "new" / "estimates.json").unlink()
    assert "of sort/merge/1000 are missing" in " ".join(run("check", "b/criterion", *args, cwd=folder).stdout.split())


def alike(folder):
    """A rate and the time that it is the inverse of are worse alike: the rate heads the report, and what to do is about it; a time that is worse by
    more heads it, though the share by which the rate fell is smaller."""
    for i, factor in enumerate((1.15, 1.7, 3, 40)):
        content = lambda time, rate: {"step_ms": 12.5 * time, "tokens_per_s": round(1000 / rate, 9), "load_ms": 7.5}
        gate = Gate(folder / f"{i}", "m.json", content(1, 1), named=True)
        for more, name in ((1, "tokens_per_s"), (1.1, "step_ms")):
            text = gate.check(content(factor * more, factor))[2]
            assert re.search(rf"w: {name} [0-9.,]+ % (higher|lower)", text) and f"{name}: record a trace" in text, (factor, more, text)


def any_bytes(folder):
    """A file says the same with a byte order mark, with line ends of Windows, and, if it is a log, with what mpirun, srun, kubectl or a terminal put at each line."""
    for name, content in {**{n: c for n, (c, _) in FILES.items()}, **{n: t for n, t, _ in LOGS}}.items():
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        wanted = all_figures(folder, write(folder / name, text).name)
        log = name in {n for n, _, _ in LOGS} and not name.endswith(".csv")
        before = ("[1,0]<stdout>:", "2026-01-01T00:00:00.123Z ", "0: ", "[rank0]: ", "\x1b[32m", "worker-0 | ") if log else ()
        for changed in ("\ufeff" + text, text.replace("\n", "\r\n"), "\ufeff" + text.replace("\n", "\r\n"), "\n\n" + text, *("".join(b + line for line in text.splitlines(True)) for b in before)):
            (folder / name).write_bytes(changed.encode())
            assert all_figures(folder, name) == wanted, (name, changed[:99])


def clocks(folder):
    """The time that a run took may be a text as of a clock; the time of day is not one of its figures."""
    for i, (key, text, value) in enumerate((("elapsed", "0:01:30", 90), ("duration", "1:30", 90), ("total_time", "10:00:00.25", 36000.25), ("runtime", "00:00:07.125", 7.125), ("wall_time", "90:00", 5400))):
        for name, content in (("t.json", {key: text, "x_ms": 1.5}), ("m.json", {"model": "m", key: text, "x_ms": 1.5}), ("t.csv", f"name,{key},x_ms\na,{text},1.5\n")):
            found = all_figures(folder, write(folder / name, content).name)
            assert [v for n, v in found.items() if n.endswith(key)] == [value], (key, name, found)
    for key, text, value, worse in (("latency", "2m 30s", 150, "4m 0s"), ("took", "0m37.414s", 37.414, "2m01s"), ("real", "1h0m2s", 3602, "1h40m2s"), ("elapsed", "1d 2h", 93600, "2d 2h"),
                                    ("elapsed", "0:05:30", 330, "0:10:30"), ("Total time", "01:15.5", 75.5, "03:15.5"), ("duration", "12:00:01", 43201, "23:00:01")):
        if key != "Total time":
            assert all_figures(folder, write(folder / "t.json", {key: text, "x_ms": 1.5}).name)[key] == value, (key, text)
        for line in ("{} {}", "2026-01-02 12:00:01,123 INFO {}: {} (12 of 12)", "{}\t{}"):
            log = lambda text: f"12:30:05 start\nThroughput: 512.5 tok/s\n{line.format(key, text)}\n"
            write(folder / "t.log", log(text))
            write(folder / "rules.yaml", "version: 2\n" + run("formats", "t.log", cwd=folder).stdout)
            found = all_figures(folder, "t.log", "--rules", "rules.yaml")
            assert len(found) == 2 and [v for k, v in found.items() if k.endswith(key.lower().replace(" ", "_"))] == [value], (line, key, text, found)
            gate = Gate(folder / "log", "t.log", log(text), (folder / "rules.yaml").read_text(), named=True)
            assert gate.check(log(worse))[0] == 1, (line, key, text)
    gate = Gate(folder, "m.json", {"elapsed": "0:01:30", "x_ms": 1.5}, named=True)
    assert [gate.check({"elapsed": text, "x_ms": 1.5})[0] for text in ("0:01:31", "0:03:30", "1:30.5", 95)] == [0, 1, 0, 3]
    for key, text in (("time", "12:30:45"), ("started", "9:05"), ("start_time", "12:30:45"), ("ratio", "16:9"), ("date", "2026-01-01 12:30")):
        write(folder / "x.json", {key: text, "x_ms": 1.5})
        assert run("report", "x.json", cwd=folder).returncode == 0, key


def signals(folder):
    """A run that a signal ended has no exit code: hyperfine writes null."""
    runs = lambda *codes: {"results": [{"command": "a", "mean": 1.5, "median": 1.5, "min": 1.5, "times": [1.5] * len(codes), "exit_codes": list(codes)}]}
    gate = Gate(folder, "m.json", runs(0, 0))
    assert [gate.check(runs(0, code))[0] for code in (0, 1, None)] == [0, 3, 3]


def logs_in_brackets(folder):
    """A log whose lines begin in brackets is not JSON: it is read, or the way to read it is said."""
    titan = "".join(f"[rank0]:2026-01-01 - root - INFO - step:  {i}  loss:  7.5  memory: 30.10GiB(38.0%)  tps: 7,00{i}  tflops: 300.12  mfu: N/A\n" for i in range(1, 9))
    assert all_figures(folder, write(folder / "t.log", titan).name)["tps.median"] == 7005
    for begin in ("[2026-01-01 00:00:01,000] [INFO] ", "[rank0]: ", "[0] ", "[INFO] ", "[12/80] ", "[00:01] "):
        write(folder / "x.log", "".join(f"{begin}step {i} took {i + 1.5} ms\n" for i in range(5)))
        assert "prints the lines" in all_figures(folder, "x.log"), begin
        write(folder / "rules.yaml", "version: 2\n" + run("formats", "x.log", cwd=folder).stdout)
        assert isinstance(all_figures(folder, "x.log", "--rules", "rules.yaml"), dict), begin
    for text in ("[1,2]", "[ -1.5e+3 ]", "[1]\n", "[null]", '["x"]', "[[1]]", "[", "[tru"):
        assert "neither JSON" not in all_figures(folder, write(folder / "x.json", text).name) or text == "[tru", text


def rates_of_logs(folder):
    """What is proposed for a log calls a rate by what it is a rate of."""
    for text, name, unit in (("tokens/sec: {}", "tokens_per_sec", "tok/s"), ("Samples per second: {}", "samples_per_second", "samples/s"),
                             ("total images/sec: {}", "images_per_sec", "img/s"), ("iter time (s): {}", "time_s", "s")):
        write(folder / "x.log", "".join(f"step {i} {text.format(1000.5 + i)}\n" for i in range(9)))
        write(folder / "rules.yaml", "version: 2\n" + run("formats", "x.log", cwd=folder).stdout)
        found = json.loads(run("metrics", "x.log", "--rules", "rules.yaml", "--json", "-", cwd=folder).stdout)["metrics"]
        assert {m["metric"] for m in found} >= {f"input.{name}.median"} and {m["unit"] for m in found if m["metric"].endswith("median")} == {unit}, (text, found)


def lines_of_logs(folder):
    """What is proposed for a log reads all its figures, also those that stand in one line only: a worse one fails, one that is gone is missing."""
    rng = random.Random(20261130)
    figures = [("Throughput", "tok/s", 0.5), ("Mean latency", "ms", 2), ("P99 latency", "ms", 2), ("Peak memory", "GiB", 2), ("eval loss", "", 2), ("loss", "", 2), ("latency", "ms", 2), ("images/sec", "", 0.5),
               ("GPU power", "W", 2)]
    for before, between, after in (("", ": ", ""), ("2026-01-02 12:00:01,123 INFO ", "=", ""), ("[bench] ", " =\t", ""), ("{'", "': ", ", 'epoch': 0.5}")):
        own = rng.sample(figures, 6)
        steps = rng.choice((0, 7, 3000))  # the last makes a log of more than 64 KiB

        def log(changed="", factor=1):
            steps_of = "".join(f"{before}step {i} took {10.5 + i % 3} ms\n" for i in range(steps))
            return "CUDA 12.4, torch 2.5.1\n" + steps_of + "".join(
                f"{before}{name}{between}{12.5 * (factor if name == changed else 1)} {unit}".rstrip() + after + "\n" for name, unit, _ in own if factor or name != changed)
        write(folder / "base.log", log())
        write(folder / "rules.yaml", ("version: 2\n" + run("formats", "base.log", cwd=folder).stdout).replace("match: base.log", "match: '*.log'"))
        for name, _, worse in own:
            write(folder / "new.log", log(name, worse))
            failed = run("check", "new.log", "--control", "base.log", "--rules", "rules.yaml", cwd=folder)
            assert failed.returncode == 1, (before, name, failed.stdout, (folder / "rules.yaml").read_text())
            write(folder / "new.log", log(name, 0))
            gone = run("check", "new.log", "--control", "base.log", "--rules", "rules.yaml", cwd=folder)
            assert gone.returncode == 3 and "missing" in gone.stdout, (before, name, gone.stdout)


def numbered(folder):
    """What numbers name, in the lines of a log or beside the steps of ranks and layers, is judged for itself: one that became slower fails by its name,
    one that is gone is missing. Numbers that count the work name nothing."""
    words = {"layer": range(4), "rank-": (0, 1, 2), "GPU": range(3), "rank": range(4), "stage": (1, 2, 3), "batch_size": (8, 32, 128), "seq_len": (512, 2048, 4096), "batch": (1, 8, 64)}
    for word, numbers in words.items():
        gap = "" if word[-1] == "-" else " "
        case = lambda n: f"{word.lower().strip('-')}{n}/"
        lines = {
            "once.log": lambda rows: "".join(f"{word}{gap}{n}: {v} ms\n" for n, v in rows) + "Throughput: 512.5 tok/s\n",
            "keys.log": lambda rows: "CUDA 12.4\n" + "".join(f"[bench] {word}={n}, time={v} ms, loss=2.5\n" for n, v in rows),
            "steps.log": lambda rows: "".join(f"{word}{gap}{n} step {i}: took {v + i % 2} ms\n" for i in range(5) for n, v in rows) + "Peak memory: 12.5 GiB\n",
            "after.log": lambda rows: "".join(f"{word}{gap}{n} step {i}: took {v + i % 2} ms\n" for n, v in rows for i in range(5)),
            "beside.log": lambda rows: "".join(f"step {i} took {10.5 + i % 3} ms\n" for i in range(9)) + "".join(f"{word}{gap}{n}: {v} ms\n" for n, v in rows),
        }
        if not isinstance(numbers, tuple) or word == "stage":
            lines["steps.jsonl"] = lambda rows: "".join(json.dumps({word.lower(): n, "step": i, "took_ms": v + i % 2}) + "\n" for i in range(5) for n, v in rows)
        for file, render in lines.items():
            rows = [(n, 5.5 + 4 * i) for i, n in enumerate(numbers)]
            rules = None
            if file.endswith(".log"):
                write(folder / file, render(rows))
                rules = "version: 2\n" + run("formats", file, cwd=folder).stdout
            gate = Gate(folder / word / file, file, render(rows), rules, named=True)
            code, verdicts, text = gate.check(render(rows))
            assert code == 0 and all(sum(case(n) in m for m in verdicts) for n in numbers), (word, file, verdicts, text)
            for n in numbers:
                code, verdicts, text = gate.check(render([(k, v * (2 if k == n else 1)) for k, v in rows]))
                bad = {m for m, v in verdicts.items() if v == "fail"}
                assert code == 1 and bad and all(case(n) in m for m in bad), (word, file, n, verdicts, text)
                code, verdicts, text = gate.check(render([row for row in rows if row[0] != n]))
                assert code == 3 and any(case(n) in m for m, v in verdicts.items() if v == "missing"), (word, file, n, verdicts, text)
    # figures that are called as what names cases; counts that differ from run to run; steps before a colon
    for line in ("avg layer: {n} ms", "stage: {n} s", "expert {n}us", "Used GPU {n} GiB", "step {i} layer: {n} ms", "step {i} layer: {n}{i} ms took 5.5 ms"):
        gate = None
        for k in (1, 2):
            text = "".join(line.format(i=i, n=24 * k) + "\n" for i in range(1, 4)) + "throughput: 512.5 tok/s\n"
            write(folder / "t.log", text)
            rules = "version: 2\n" + run("formats", "t.log", cwd=folder).stdout if k == 1 else rules
            gate = gate or Gate(folder / "own", "t.log", text, rules, named=True)
            assert gate.check(text)[0] == k - 1, (line, k, rules)
    for front in ("host gpu-{}.cluster ", "gpu-{}: ", "gpu-{}.a: step 3 "):  # a number in the name of a host is neither the work nor a case
        log = lambda n, v: "".join(f"{front.format(n)}latency: {v + i} ms\n" for i in range(3))
        write(folder / "t.log", log(17, 12.5))
        gate = Gate(folder / "host", "t.log", log(17, 12.5), "version: 2\n" + run("formats", "t.log", cwd=folder).stdout, named=True)
        assert [gate.check(log(n, v))[0] for n, v in ((17, 12.5), (23, 12.5), (23, 40.5))] == [0, 0, 1], front
    for line in ("num_requests={c} throughput={r}.5 tok/s", "seq={i} took {v} ms", "step {i} batch_size={c} took {v} ms", "step {i}:{v:04} ms loss 2.5"):
        gate = None
        for k in (0, 1):
            text = "".join(line.format(i=i, c=17 + (7 + k) * i % 23, r=500 + i % 3, v=10.5 + i % 3) + "\n" for i in range(1, 40))
            write(folder / "t.log", text)
            rules = "version: 2\n" + run("formats", "t.log", cwd=folder).stdout if k == 0 else rules
            gate = gate or Gate(folder / "counts", "t.log", text, rules, named=True)
            assert gate.check(text)[0] == 0, (line, k, rules)
        assert line[0] != "s" or "step" not in line or "work: [step]" in rules, rules
    for line in ("epoch {i}: {v} ms", "batch {i}/90: {v} ms", "batch {t}: {v} ms", "run {i} took {v} ms", "layer 3: step {i} took {v} ms"):
        write(folder / "t.log", "".join(line.format(i=i, t=10 * i, v=5.5 + i % 3) + "\n" for i in range(1, 10)))
        write(folder / "rules.yaml", "version: 2\n" + run("formats", "t.log", cwd=folder).stdout)
        found = all_figures(folder, "t.log", "--rules", "rules.yaml")
        assert [v for k, v in found.items() if k.endswith(".n")] == [9], (line, found)


def run_names(folder):
    """What differs from run to run in front of a log's lines, as days, months, clocks and numbers of processes, is not a part of what is proposed. Words that
    only resemble these distinguish lines: each is judged."""
    fronts = {"I0102 12:00:01.123456 140737 trainer.py:55] ": "I1231 09:10:11.000001 77 trainer.py:55] ", "Fri Jan  2 12:00:01 2026 ": "Thu Dec 31 9:10:11 2026 ", "01/02/26 12:00:01 PM ": "12/31/26 9:10:11 AM ",
              "(Worker pid=1234) ": "(Worker pid=77) ", "gpu-node-07: ": "gpu-node-12: ", "[1234] ": "[7] ",
              "2026-01-02T12:00:01.123Z stdout F ": "2026-12-31T09:10:11Z stdout F "}
    for front, other in fronts.items():
        log = lambda front, k=1: "".join(f"{front}step {i} loss 2.5 took {10.5 * k + i % 3} ms\n" for i in range(1, 6)) + f"{front}Throughput: {512.5 / k} tok/s\n"
        write(folder / "base.log", log(front))
        write(folder / "rules.yaml", ("version: 2\n" + run("formats", "base.log", cwd=folder).stdout).replace("match: base.log", "match: '*.log'"))
        for k in (1, 2):
            write(folder / "new.log", log(other, k))
            p = run("check", "new.log", "--control", "base.log", "--rules", "rules.yaml", cwd=folder)
            assert p.returncode == k - 1, (front, k, p.stdout, p.stderr, (folder / "rules.yaml").read_text())
    for words in (("Dec", "Enc", "Pre"), ("Mar", "Apr", "May"), ("AM", "BM"), ("768x512", "1920x1080", "3840x2160"), ("add128", "add256"), ("a100x8", "h100x8"), ("I0102", "I0203")):
        log = lambda of: "".join(f"{word}: {v} ms\n" for word, v in of)
        rows = [(word, 5.5 + 4 * i) for i, word in enumerate(words)]
        write(folder / "base.log", log(rows))
        write(folder / "rules.yaml", ("version: 2\n" + run("formats", "base.log", cwd=folder).stdout).replace("match: base.log", "match: '*.log'"))
        for word in words:
            for code, of in ((1, [(w, v * (4 if w == word else 1)) for w, v in rows]), (3, [row for row in rows if row[0] != word])):
                write(folder / "new.log", log(of))
                assert run("check", "new.log", "--control", "base.log", "--rules", "rules.yaml", cwd=folder).returncode == code, (word, code, (folder / "rules.yaml").read_text())


def beside(folder):
    """A unit beside a figure is its unit; one that is not known must be the same on both sides. The one record of a list has its name."""
    for key, unit in (("latency", "latency_unit"), ("time", "time_unit"), ("value", "unit")):
        for render in (lambda v, u: {key: v, unit: u}, lambda v, u: {"model": "m", "rows": [{"name": n, key: v, unit: u} for n in "ab"]}, lambda v, u: f"name,{key},{unit}\na,{v},{u}\n"):
            file = "r.csv" if isinstance(render(1, "ms"), str) else "r.json"
            gate = Gate(folder / key, file, render(12.5, "us"), named=True)
            assert [gate.check(render(*seen))[0] for seen in ((12.5, "us"), (0.0125, "ms"), (12.5, "ms"))] == [0, 0, 1], (key, file)
    for unit, other in (("Mpix/s", "kpix/s"), ("kcyc", "Mcyc"), ("parsec", "furlong")):
        for render in (lambda u: {"model": "m", "x_ms": 1, "throughput": {"value": 12.5, "unit": u}}, lambda u: [{"name": n, "throughput": {"value": 12.5, "unit": u}} for n in "ab"], lambda u: f"name,throughput [{u}]\na,12.5\n"):
            file = "r.csv" if isinstance(render(""), str) else "r.json"
            gate = Gate(folder / "own", file, render(unit), named=True)
            assert [gate.check(render(u))[0] for u in (unit, other)] == [0, 3], (unit, file)
    for file, render in (("r.json", lambda name: [{"name": name, "step_ms": 12.5}]), ("r.jsonl", lambda name: json.dumps({"name": name, "step_ms": 12.5}) + "\n")):
        gate = Gate(folder / "one", file, render("attention"), named=True)
        assert [gate.check(render(name))[0] for name in ("attention", "add")] == [0, 3], file
    for other in ("A100", "tokens/s"):  # not the unit of these
        write(folder / "t.json", {"model": "m", "latency_ms": 12.5, "loss": 2.5, "unit": other})
        found = run("report", "t.json", "--json", "-", cwd=folder).stdout
        assert "A100" not in found or other == "A100", found
        write(folder / "n" / "t.json", {"model": "m", "latency_ms": 12.5, "loss": 2.5, "unit": "H100"})
        assert run("check", "n/t.json", "--control", "t.json", cwd=folder).returncode == 0 or other != "A100", other
    gate = Gate(folder / "blank", "r.json", {"model": "m", "latency": "12.5\u00a0ms", "x_ms": 1}, named=True)
    assert gate.check({"model": "m", "latency": "25.5\u202fms", "x_ms": 1})[0] == 1
    gate = Gate(folder / "wall", "r.json", {"wall_clock": 12.5, "x_ms": 1}, named=True)
    assert gate.check({"wall_clock": 25.5, "x_ms": 1})[0] == 1


def rendered(rows, of=None):
    """Rows as JSON lines, as a list, as a list in an object and, if no row has an object, as a table: {name: contents}."""
    keys = list(dict.fromkeys(k for row in rows for k in row))
    cell = lambda v: "" if v is None else str(v)
    table = ",".join(keys) + "\n" + "".join(",".join(cell(row.get(k)) for k in keys) + "\n" for row in rows)
    made = {"r.jsonl": "".join(json.dumps(row) + "\n" for row in rows), "l.json": rows, "o.json": {"model": "m", "history": rows}, "t.csv": table,
            "t.md": re.sub("(?m)^(.*)$", r"| \1 |", table.strip().replace(",", " | ")).replace("\n", "\n|" + "---|" * len(keys) + "\n", 1) + "\n"}
    return {k: v for k, v in made.items() if k[0] != "t" or not any(isinstance(v, (dict, list)) for row in rows for v in row.values())}


def some_steps(folder):
    """A figure that only some steps have, wherever the first of them is, is judged, and is missing if it is gone."""
    rng = random.Random(20261201)
    for name, worse, first in (("eval_accuracy", 0.5, 1200), ("peak_memory_gb", 2, 9), ("eval_loss", 2, 3), ("perf.tok_s", 0.5, 7)):
        outer, _, inner = name.partition(".")
        nr, every = first + 12, rng.choice((2, 3, 5))
        own = rng.random() < 0.5  # whether the figure has records of its own

        def rows(factor, gone=False, as_null=False):
            made = []
            for i in range(nr):
                row = {"step": i, "loss": 2.5 - i / 4096, "step_ms": 12.5}
                here = i >= first and i % every == 0 and not gone
                value = {inner: 40.5 * factor} if inner else 40.5 * factor
                made += [row, {"step": i, outer: value}] if here and own else [{**row, **({outer: value} if here else {outer: None} if as_null else {})}]
            return made

        for file in rendered(rows(1)):
            gate = Gate(folder / name / file, file, rendered(rows(1))[file], named=True)
            figure = f"input.{name}.median"
            code, verdicts, text = gate.check(rendered(rows(worse))[file])
            assert code == 1 and verdicts[figure] == "fail", (name, file, verdicts, text)
            code, verdicts, text = gate.check(rendered(rows(1, gone=True))[file])
            assert code == 3 and verdicts[figure] == "missing", (name, file, verdicts, text)
            if not own:
                assert gate.check(rendered(rows(worse, as_null=True))[file])[1][figure] == "fail", (name, file)


def points(folder):
    """The points of a sweep are cases by what distinguishes them, in whatever depth, order and notation: each is judged, and missing if it is gone."""
    for name, values in (("concurrency", (1, 8, 64)), ("bytes", (1024, 1 << 20, 1 << 30)), ("rate", (1, 5, 16)), ("batch_size", (8, 16, 24)), ("elements", (16, 64, 512))):
        of = lambda ms: list(zip(values, ms))
        kinds = {
            "nested": lambda rows: [{"config": {name: n, "mode": "x"}, "latency_ms": v} for n, v in rows],
            "inside": lambda rows: {"model": "m", "results": [{"config": {"load": {name: n}}, "latency_ms": v} for n, v in rows]},
            "beside": lambda rows: {"took_ms": 5, "benchmarks": [{"type": "b", "config": {name: n}, "metrics": {"latency_ms": v}} for n, v in rows]},
            "lists": lambda rows: {"ops": [{"op": op, "points": [{name: n, "latency_ms": v * k} for n, v in rows]} for k, op in ((1, "a"), (3, "b"))]},
        }
        for kind, render in kinds.items():
            gate = Gate(folder / name / kind, "r.json", render(of((5.5, 9.5, 40.5))), named=True)
            code, verdicts, text = gate.check(render(of((5.5, 9.5, 40.5))[::-1]))
            assert code == 0 and not {"missing", "new"} & set(verdicts.values()), (name, kind, verdicts, text)
            for i, n in enumerate(values):
                code, verdicts, text = gate.check(render(of([v * (3 if k == i else 1) for k, v in enumerate((5.5, 9.5, 40.5))])))
                bad = {m for m, v in verdicts.items() if v == "fail"}
                assert code == 1 and bad and all(re.search(rf"{name}{n}\b", m) for m in bad), (name, kind, n, verdicts, text)
                code, verdicts, text = gate.check(render([row for row in of((5.5, 9.5, 40.5)) if row[0] != n]))
                assert code == 3, (name, kind, n, verdicts, text)


def appended(folder):
    """A log to which runs were appended is read as its last run, and says so; a run that goes on from a checkpoint is one run."""
    def jsonl(steps, k):
        return "".join(json.dumps({"step": i, "loss": 2.5 - i / 64, "step_ms": 12.5 * k + i / 8, "run_id": f"r{k}"}) + "\n" for i in steps)

    def epochs(steps, k):  # the iterations begin anew with each epoch
        return "".join(json.dumps({"epoch": 1 + i // 4, "iter": 10 + i % 4, "loss": 2.5 - i / 64, "step_ms": 12.5 * k + i / 8}) + "\n" for i in steps)

    def evaluated(steps, k):  # an evaluation counts otherwise
        return jsonl(steps, k) + json.dumps({"step": 0, "eval_accuracy": 0.5 * k}) + "\n"

    def table(steps, k):
        return ("step,loss,step_ms\n" if steps[0] == 0 else "") + "".join(f"{i},{2.5 - i / 64},{12.5 * k + i / 8:.3f}\n" for i in steps)

    def titan(steps, k):
        line = TITAN.splitlines(True)[1]
        return "".join(line.replace("step:  2", f"step: {i:2}").replace("7,002", f"{7000 * k + i:,}") for i in steps)

    def megatron(steps, k):
        line, memory = MEGATRON.splitlines(True)[1], MEGATRON.splitlines(True)[-1]
        return "".join(line.replace(" 2/", f" {i}/").replace("502.5", f"{500 * k + i}.5") + (memory if i == steps[0] else "") for i in steps)

    for name, render in (("r.jsonl", jsonl), ("e.jsonl", epochs), ("v.jsonl", evaluated), ("t.csv", table), ("titan.log", titan), ("meg.log", megatron)):
        last = render(range(9), 1)
        alone = all_figures(folder, write(folder / name, last).name)
        for before in ((range(9),), (range(20),), (range(5), range(12), range(9))):
            write(folder / name, "".join(render(steps, 2 + i) for i, steps in enumerate(before)) + last)
            assert all_figures(folder, name) == alone, (name, before, all_figures(folder, name), alone)
            assert f"it holds {len(before) + 1} runs" in " ".join(run("report", name, cwd=folder).stdout.split()), (name, before)
        for steps in ((range(6), range(4, 9)), (range(5), range(5, 9))):
            write(folder / name, "".join(render(part, 1) for part in steps))
            said = run("report", name, cwd=folder)
            assert not re.search(r"it holds \d runs", " ".join((said.stdout + said.stderr).split())), (name, steps)
            more = all_figures(folder, name)
            assert all(more[k] == sum(map(len, steps)) - (alone[k] < 9) for k in more if k.endswith((".n", "ms.n")) and k in alone and "eval" not in k), (name, steps, more, alone)


def main():
    if not PROGRAM or not READER:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as dir:
        for part in (lambda f: units(f, random.Random(20261126)), lambda f: other_units(f, random.Random(20261127)), not_measured, cut, every_key, not_numbers, every_unit, every_cut, every_path, paths, older_units, work, work_of_formats, sums, aggregates, stored_work, lines, gone, parts, logs, users,
                     same_lines, long_lines, formats, standard_error, margin, interval, spreads, parameters, share_below, reals, ends, proposals, table, titles, directions, directions_of_units, own_work, few_samples, tails, scales, whole, own_sums, none_of_samples, absurd, own_failure, errors, few_failed, contradictions, rows_by_settings, amounts, any_names, sweeps, criterion, alike, any_bytes, clocks, signals, logs_in_brackets, rates_of_logs, lines_of_logs, numbered, run_names, beside, some_steps, points, appended, units_of_names, brackets, headings, case_columns):
            folder = pathlib.Path(tempfile.mkdtemp(dir=dir))
            part(folder)
    print("ok")


if __name__ == "__main__":
    main()
