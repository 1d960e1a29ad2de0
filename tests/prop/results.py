#!/usr/bin/env python3
"""Files that benchmarks write are read with the right names, values, units and directions, and judged.

- Each file of $GPUGATE_SHARED/results gives the figures of the table below; the numbers of figures and cases are those that
  Python finds in the file.
- A run of such files passes against itself, fails if a figure became worse, reports a missing case, and cannot be judged if
  a server served nothing, a figure was not measured, or a case occurs twice. Every error is one line and exit 3.
- The rules that are built in judge every figure by its direction; samples within a run say how sure a change is.
- Small numbers are kept: neither 2.2e-07 nor a limit of 0.0000003 becomes 0.
- Files of other tools are refused by name.
- A run whose GPU was throttled is inconclusive, unless the rules say otherwise.

$GPUGATE is the program; exit 77 skips.
"""
import gzip
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("GPUGATE")
SHARED = os.environ.get("GPUGATE_SHARED")
LLAMA = "Meta-Llama-3-8B-Instruct.r1.0/"
# {file: (number of figures, {name: (value, unit, direction)})}; the direction is the change at which the built-in rules fail.
TABLE = {
    "googlebench--tools_gbench_Inputs_test1_run1.json": (28, {"BM_100xFaster/real_time": ("10000", "ns", "increase")}),
    "googlebench--tools_gbench_Inputs_test3_run0.json": (4, {"BM_Two/real_time": ("8.5", "ns", "increase")}),
    "hf-trainer--trainer_state.json": (None, {"eval_g0_accuracy": ("0.5935162094763092", "1", "decrease"),
                                              "eval_g0_samples_per_second": ("78.721", "samples/s", "decrease")}),
    "hyperfine--hyperfine.json": (14, {
        "cargo_run_--release_--bin_1brc_measurements_1000000000.txt/median": ("11.81813333352", "s", "increase"),
        "cargo_run_--release_--bin_1brc_measurements_1000000000.txt/time.n": ("3", "1", None)}),
    "inferencex--_decode_slo_glm-5_results_glm5_fp8_vllm_tp8_isl1024_osl128_conc64.json": (9, {
        "zai-org/GLM-5-FP8.rinf.c64/median_ttft": ("0.9015302835032344", "s", "increase"),
        "zai-org/GLM-5-FP8.rinf.c64/output_throughput": ("663.0380225369481", "tok/s", "decrease")}),
    "inferencex--decode_slo_glm-5_results_glm5_fp8_vllm_tp8_isl10240_osl128_conc16.json": (9, {
        "zai-org/GLM-5-FP8.rinf.c16/median_ttft": ("3.1382447043433785", "s", "increase")}),
    "megatron--_pp1_dist_optimizer_no_mmap_bin_files_golden_values_dev_dgx_gb200.json": (8, {
        "mem-allocated-bytes": ("581489664", "B", "increase")}),
    "megatron--sts_test_cases_bert_bert_mcore_tp1_pp2_golden_values_dev_dgx_a100.json": (8, {
        "iteration-time.median": ("0.688995", "s", "increase"), "iteration-time.n": ("10", "1", None),
        "lm_loss": ("9.6868", "1", "increase")}),
    "mlperf--University-of-Florida_results_hpg.dgxb200x8.n1_dlrm_dcnv2_result_4.txt": (6, {
        "run_time_ms": ("198554", "ms", "increase"), "throughput.median": ("16709473.67202613", "1/s", "decrease")}),
    "nvbench--python_scripts_test_ref.json": (None, {"simple.Device_0/gpu_ms": ("1.0034715849794225", "ms", "increase")}),
    "nvbench--python_scripts_test_cmp.json": (None, {}),
    "pytestbench--f14a7887a6bbaa9731b9a8760555d_20150814_190343_uncommitted-changes.json": (3, {
        "tests/test_normal.py__test_xfast_parametrized_0_/median": ("2.2016643907464864e-07", "s", "increase")}),
    "sglang-onebatch--result.jsonl": (6, {"default.b1.in1024.out16/prefill_latency": ("0.0737820602953434", "s", "increase")}),
    "sglang-serve--sglang_outputs_deepseek_dp_mla_output.jsonl": (5, {
        "sglang.random.in1.out512.rinf/median_ttft_ms": ("10014.104524045251", "ms", "increase")}),
    "sglang-serve--sglang_outputs_llama_3_3_70b_online_output.jsonl": (None, {
        "sglang.random.in1024.out1024.r1.0/output_throughput": ("537.4142851849319", "tok/s", "decrease")}),
    "sglang-serve--sglang_outputs_llama_405b_online_output.jsonl": (None, {}),
    "sglang-serve--sglang_outputs_llama_3_3_70b_offline_output.jsonl": "is there twice",
    "vllm-offline--results_latency_llama8B_tp1.json": (11, {"avg_latency": ("7.419569773475329", "s", "increase"),
                                                            "latency.n": ("15", "1", None)}),
    "vllm-offline--results_serving_llama8B_tp1_qps_1.json": (12, {LLAMA + "p99_ttft_ms": ("213.18521428853268", "ms", "increase")}),
    "vllm-offline--results_throughput_llama8B_tp1.json": (3, {"tokens_per_second": ("1190.9743920852", "tok/s", "decrease")}),
    "vllm-serve--benchmarks_tem_res_serving_llama8B_tp1_1.json": (12, {
        LLAMA + "std_itl_ms": ("13.03413605547094", "ms", None), LLAMA + "mean_ttft_ms": ("111.23647520318627", "ms", "increase")}),
}
MACHINES = {
    "nvidia-smi-csv--internal_captures_linux-x86_64__nvidia-h100-80gb-hbm3__590.48.01.txt": {
        ("machine.sm_clock", "0"): 1980000000, ("machine.power", "0"): 631950, ("machine.temperature", "0"): 59},
    "rocm-smi-json--plugins_inputs_amd_rocm_smi_testdata_mi100_rocm602.json": {
        ("machine.sm_clock", "0"): 300000000, ("machine.power", "0"): 36000, ("machine.temperature", "1"): 58},
}
SERVE = {"backend": "vllm", "model_id": "m", "num_prompts": 8, "completed": 8, "request_rate": "inf", "max_concurrency": None,
         "request_throughput": 4.5, "mean_ttft_ms": 12.5, "p99_ttft_ms": 2.9e-07}


def run(*args, cwd=None, code=0):
    p = subprocess.run([PROGRAM, *map(str, args)], cwd=cwd, capture_output=True, text=True, check=False)
    if p.returncode != code:
        sys.exit(f"FAILED: {args}: exit {p.returncode}, not {code}: {p.stdout[-2000:]}{p.stderr}")
    return p


def refused(*args, words, cwd=None):
    p = run(*args, cwd=cwd, code=3)
    if p.stderr.count("\n") != 1 or words not in p.stderr:
        sys.exit(f"FAILED: {args}: without '{words}', or not one line: {p.stderr}")


def figures(path, cwd=None):
    text = run("metrics", path, "--json", "-", cwd=cwd).stdout
    return json.loads(text, parse_float=str, parse_int=str)["metrics"]


def check_file(path, expected, folder):
    if isinstance(expected, str):
        return refused("report", path, words=expected)
    number, some = expected
    found = {f["metric"][len("input."):]: f for f in figures(path)}
    assert number in (None, len(found)), (path.name, len(found), sorted(found))
    limits = {}
    if any(direction for _, _, direction in some.values()):
        common = ("--workload", "w", "--baseline", "b.json")
        run("approve", "--new", path, *common, "--force", cwd=folder)
        run("check", path, *common, "--json", "r.json", cwd=folder)
        limits = {c["metric"][len("input."):]: c["limit"] for c in json.loads((folder / "r.json").read_text())["checks"]}
    for name, (value, unit, direction) in some.items():
        got = found[name]
        same = got["value"] == value or float(got["value"]) == float(value)
        assert same and got["unit"] == unit, (path.name, name, got)
        assert not direction or direction in limits[name], (path.name, name, limits)
    return None


def nvbench(path):
    """Names and mean GPU times of a result file of NVBench, read by Python's JSON parser."""
    out = {}
    for bench in json.loads(path.read_text())["benchmarks"]:
        for state in bench["states"]:
            for s in state["summaries"] if not state["is_skipped"] else ():
                if s["tag"] == "nv/cold/time/gpu/mean":
                    name = "".join(c if c.isalnum() or c in "._-/" else "_" for c in f"{bench['name']}.{state['name']}")
                    out[name + "/gpu_ms"] = 1000 * float(s["data"][0]["value"])
    return out


def shared(folder):
    files = pathlib.Path(SHARED) / "results"
    for name, expected in TABLE.items():
        check_file(files / name, expected, folder)
    for name in ("nvbench--python_scripts_test_ref.json", "nvbench--python_scripts_test_cmp.json"):
        own = nvbench(files / name)
        found = {f["metric"][6:]: float(f["value"]) for f in figures(files / name) if f["metric"].endswith("/gpu_ms")}
        assert found.keys() == own.keys() and len(own) == 88, (len(found), len(own))
        assert all(abs(found[k] - own[k]) <= 1e-12 * own[k] for k in own)
    for name, expected in MACHINES.items():
        found = {(f["metric"], f["device"]): f["value"] for f in figures(files / name)}
        for key, value in expected.items():
            assert int(found[key]) == value, (name, key, found)
    known = {*TABLE, *MACHINES}
    assert known == {f.name for f in files.iterdir()}, "a file of the folder is not in the table"


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


RULES = """version: 1
rules:
  - id: ttft
    metric: input.*/p99_ttft_ms
    fail: {increase: 10%, max: 0.0000003}
  - id: mean
    metric: input.*/mean_ttft_ms
    fail: {increase: 10%, max: 1s}
"""


def judged(folder):
    def check(value, code, words="", rules="r.yaml", files=()):
        write(folder / "c" / "serve.json", value)
        p = run("check", "c", *files, "--rules", rules, "--baseline", "b.json", cwd=folder, code=code)
        assert words in p.stdout + p.stderr, (words, p.stdout, p.stderr)
        return p
    write(folder / "r.yaml", RULES)
    write(folder / "b" / "serve.json", SERVE)
    run("approve", "--new", "b", "--rules", "r.yaml", "--baseline", "b.json", cwd=folder)
    check(SERVE, 0)
    check({**SERVE, "p99_ttft_ms": 3.0e-07}, 0)
    check({**SERVE, "p99_ttft_ms": 5.8e-07}, 1, "+100.00 %")
    check({**SERVE, "p99_ttft_ms": 3.1e-07}, 1, "max 0.0000003")
    check({**SERVE, "mean_ttft_ms": 1000.5}, 1)
    check({**SERVE, "model_id": "n"}, 3, "missing")
    check({**SERVE, "completed": 0}, 3, "served 0 of 8 requests")
    check(json.dumps(SERVE) + "\n" + json.dumps({**SERVE, "model_id": "n"}), 0)
    check(json.dumps(SERVE) + "\n" + json.dumps(SERVE), 3, "is there twice")
    write(folder / "bad-unit.yaml", RULES.replace("max: 1s", "max: 5GiB"))
    check(SERVE, 2, "does not fit", "bad-unit.yaml")
    for value in (float("nan"), "inf", "", "N/A", -1):
        p = check({**SERVE, "mean_ttft_ms": value}, 3, "missing in the candidate")
        assert "not measured" in " ".join(p.stdout.split()), p
    for text, words in ((json.dumps(SERVE).replace("12.5", "1.23456789012345678901"), "significant digits"),):
        write(folder / "bad.json", text)
        refused("report", "bad.json", words=words, cwd=folder)
    # in a folder, a result file is recognized under any file name
    write(folder / "d" / "log.txt", ":::MLLOG " + json.dumps({"key": "run_start", "time_ms": 1}) + "\n")
    refused("report", "d", words="the run is not valid", cwd=folder)


def default_rules(folder):
    def check(name, value, code, words=""):
        write(folder / "c" / name, value)
        p = run("check", "c", cwd=folder, code=code)
        assert words in p.stdout + p.stderr, (words, p.stdout, p.stderr)
    write(folder / "b" / "serve.json", SERVE)
    run("approve", "--new", "b", cwd=folder)
    check("serve.json", {**SERVE, "mean_ttft_ms": 12.6, "request_throughput": 4.4}, 0)
    check("serve.json", {**SERVE, "mean_ttft_ms": 25}, 1, "mean TTFT of m.rinf rose from 12.5 ms to 25 ms")
    check("serve.json", {**SERVE, "request_throughput": 2}, 1, "requests/s of m.rinf fell")
    check("serve.json", {**SERVE, "request_throughput": 9, "mean_ttft_ms": 6}, 0, "improved")
    check("serve.json", {**SERVE, "p99_ttft_ms": 0}, 3, "not judged")
    check("serve.json", {k: v for k, v in SERVE.items() if k != "p99_ttft_ms"}, 3, "missing")
    check("serve.json", {**SERVE, "std_ttft_ms": 99}, 0)  # no rule judges a standard deviation, since it is neither better nor worse
    # figures of a flat file whose names say nothing about a direction
    write(folder / "flat" / "x.json", {"rating_a": 1, "rating_b": 2})
    run("approve", "--new", "flat", "--baseline", "f.json", cwd=folder)
    text = " ".join(run("check", "flat", "--baseline", "f.json", cwd=folder, code=3).stdout.split())
    assert text.count("metric: input.rating_a, better: lower") == 1, text


def samples(folder):
    def verdict(before, after, code):
        for name, value in (("b", before), ("c", after)):
            write(folder / name / "x.json", value)
        run("approve", "--new", "b", "--force", cwd=folder)
        run("check", "c", cwd=folder, code=code)

    def latency(values):
        return {"avg_latency": 10, "latencies": values, "percentiles": {"50": 10}}

    def serve(mean, std):
        return {**SERVE, "mean_ttft_ms": mean, "std_ttft_ms": std}
    # with one stored run noise is at most 40 %: a change of 60 % of a median, or of a mean of 8 values with the standard
    # deviation of the file, fails however far apart its samples are; one of 39 % is undecided
    for spread in (0.1, 9):
        verdict(latency([10 - spread, 10, 10 + spread]), latency([16 - spread, 16, 16 + spread]), 1)
        verdict(serve(10, spread), serve(16, spread), 1)
        verdict(serve(10, spread), serve(13.9, spread), 3)


def smi(throttled_us):
    header = ("timestamp, index, clocks.current.sm [MHz], utilization.gpu [%], "
              "clocks_event_reasons_counters.sw_power_cap [us]\n")
    return header + "".join(f"2026/07/14 08:12:{s:02}.000, 0, {1900 - s} MHz, 99 %, {us} us\n" for s, us in ((0, 5), (10, 5 + throttled_us)))


def machine(folder):
    rules = "version: 1\nrules:\n  - {id: t, metric: input.*/mean_ttft_ms, fail: {increase: 10%}}\n"
    write(folder / "m" / "serve.json", SERVE)
    write(folder / "m" / "smi.csv", smi(50_000))
    write(folder / "r.yaml", rules)
    run("approve", "--new", "m", "--rules", "r.yaml", "--baseline", "mb.json", cwd=folder)
    args = ("check", "m", "--rules", "r.yaml", "--baseline", "mb.json")
    run(*args, cwd=folder)
    write(folder / "m" / "smi.csv", smi(3_000_000))
    p = run(*args, cwd=folder, code=3)
    assert "throttled for 30.00 %" in p.stdout and "sw_power_cap" in p.stdout, p.stdout
    (folder / "m" / "smi.csv").unlink()
    recorded = ({"schema": "gpugate-machine-1", "time_ns": at, "driver": "580.1", "gpus": [{"index": "0", "sm_clock_mhz": 1900, "reasons": [],
                 "counters_us": {"sw_power_cap": us}}]} for at, us in ((0, 5), (10 * 10**9, 3_000_005)))  # as ci/record/gpugate_record.py
    (folder / "m" / "machine-rank0.json.gz").write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in recorded).encode()))
    p = run(*args, cwd=folder, code=3)
    assert "throttled for 30.00 %" in p.stdout and "sw_power_cap" in p.stdout and not p.stderr.count("ignored"), p.stdout + p.stderr
    write(folder / "r.yaml", rules + "environment: {throttled: warn}\n")
    p = run(*args, cwd=folder)
    assert "throttled for 30.00 %" in p.stdout, p.stdout
    # both sides at the power cap alike: said, and judged, unless the rules are strict; the driver may count more than passed
    (folder / "m" / "machine-rank0.json.gz").unlink()
    write(folder / "m" / "smi.csv", smi(10_300_000))
    write(folder / "r.yaml", rules)
    run("approve", "--new", "m", "--rules", "r.yaml", "--baseline", "mb.json", "--force", cwd=folder)
    write(folder / "m" / "smi.csv", smi(8_100_000))
    p = run(*args, cwd=folder)
    assert "at the power cap for 81.00 %" in p.stdout, p.stdout
    write(folder / "r.yaml", rules + "environment: {throttled: inconclusive}\n")
    p = run(*args, cwd=folder, code=3)
    assert "throttled for 81.00 %" in p.stdout and "throttled for 100.00 %" in p.stdout, p.stdout


def formats(folder):
    table = run("formats").stdout
    write(folder / "f.yaml", table)
    assert run("formats", "--formats", "f.yaml", cwd=folder).stdout == table
    write(folder / "f.yaml", "- {name: x, has: [a[]}\n")
    run("formats", "--formats", "f.yaml", cwd=folder, code=2)
    own = "version: 1\ninputs:\n  results:\n    - match: \"bench/*.jsonl\"\n      case: \"{gpu}.b{batch}\"\n" \
          "      valid: [{at: status, equals: '\"ok\"'}]\n      take: [{at: timing.step_ms, better: lower}, {at: tokens_per_s}]\n" \
          "rules:\n  - {id: a, metric: input.*, fail: {change: 1%}}\n"
    write(folder / "own.yaml", own)
    row = {"gpu": "H100", "batch": 8, "status": "ok", "timing": {"step_ms": 1.25}, "tokens_per_s": "900"}
    write(folder / "bench" / "x.jsonl", "\n".join(json.dumps({**row, "batch": b}) for b in (8, 16)))
    text = run("report", "bench/x.jsonl", "--rules", "own.yaml", cwd=folder).stdout
    assert "input.H100.b16/step_ms" in text and "1.25 ms" in text and "900 tok/s" in text, text
    write(folder / "bench" / "x.jsonl", json.dumps({**row, "status": "failed"}))
    refused("report", "bench/x.jsonl", "--rules", "own.yaml", words="'status' is failed", cwd=folder)


OTHERS = {
    "events.out.tfevents.1.host": (b"\x18" + bytes(7) + b"abcd" + b"\x09" + bytes(8) + b"\x1a\x0dbrain.Event:2", "TensorBoard"),
    "report.ncu-rep": (b"NVR\0" + bytes(100), "Nsight Compute"),
    "report.nsys-rep": (b"QDSTRM\0" + bytes(100), "nsys export --type sqlite"),
    "kernels.parquet": (b"PAR1" + bytes(99), "Parquet"),
    "proton.hatchet": (b'[{"children": [], "frame": {"name": "ROOT", "type": "function"}, "metrics": {"count": 0}}]', "Proton"),
    "trace.pftrace": (b"\x0a\x20" + bytes(60), "Perfetto"),
    "nccl_trace_rank_0": (b"\x80\x02}q\0(X\x09\0\0\0pg_configq\x01}q\x02u.", "Flight Recorder"),
    "nccl.json": (b'{"version": "2.10", "pg_config": {}, "pg_status": {}, "entries": []}', "no rank hangs"),
    "trace_view.json": (b'[{"name":"process_name","ph":"M","pid":1,"args":{"name":"Ascend Hardware"}},'
                        b'{"name":"MatMul","ph":"X","pid":1,"tid":3,"ts":"1.5","dur":2.0,"args":{"Task Type":"AI_CORE"}}]', "Ascend"),
    "viz.json": (b'{"traceEvents":[{"name":"f","ph":"X","ts":1,"dur":2,"pid":1,"tid":2,"cat":"FEE"}],"viztracer_metadata":{}}', "VizTracer"),
    "utf16.json": ('{"tokens_per_s": 5.5}'.encode("utf-16"), "iconv -f UTF-16"), "utf16.csv": ("a,b_ms\nx,5.5\n".encode("utf-16"), "iconv -f UTF-16"),
    "own.csv": (b"a,b\n1,2\n", "inputs: results"),
}


def refused_by_name(folder):
    """Files of other tools that cannot be judged are refused in one line that says what to do."""
    for name, (text, words) in OTHERS.items():
        folder.joinpath(name).write_bytes(text)
        refused("report", name, words=words, cwd=folder)
    for table, words in (("rocpd_op", "rocprof"), ("CANN_API", "Ascend"), ("other", "nsys export --type sqlite")):
        path = folder / f"{table}.rpd"
        with sqlite3.connect(path) as c:
            c.execute(f"CREATE TABLE {table} (id INTEGER)")
        c.close()
        refused("report", path.name, words=words, cwd=folder)


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as dir:
        for part in (judged, default_rules, samples, machine, formats, refused_by_name):
            folder = pathlib.Path(dir) / part.__name__
            folder.mkdir()
            part(folder)
        if SHARED and (pathlib.Path(SHARED) / "results").is_dir():
            shared(pathlib.Path(dir))
        else:
            print("skipped: the shared result files, GPUGATE_SHARED is not set")
    print("ok")


if __name__ == "__main__":
    main()
