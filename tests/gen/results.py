"""Files in the shape of those that benchmarks write, at least one for each format of rules/formats.yaml.

FILES: {name of the file: (contents, {figure: (value, unit, better)})}, with some figures as they must be read.
LOGS: (name of the file, text, {figure: value}).
"""
import json

NCCL = "# nThread 1 nGpus 8\n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n" + "".join(
    f"  {2 ** k}        {2 ** k // 4}     float     sum      -1    {10.5 + k:.2f}   {k}.67   {k}.51      0    {10.25 + k:.2f}   {k}.92   {k}.97    {wrong}\n"
    for k, wrong in ((20, "0"), (21, "N/A"))) + "# Out of bounds values : 0 OK\n"
MEGATRON = "".join(
    f" [2026-01-02 03:04:{i:02}] iteration {i:8}/      10 | consumed samples: {128 * i:12} | elapsed time per iteration (ms): {9000 if i == 1 else 500 + i}.5 | "
    f"throughput per GPU (TFLOP/s/GPU): {400 - i}.1 | learning rate: 1.000000E-04 | global batch size:   128 | lm loss: {11 - i / 10:E} | loss scale: 1.0 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    for i in range(1, 6)) + "".join(
    f"[Rank {i}] (after 5 iterations) memory (MB) | allocated: 9554.87939453125 | max allocated: {12003.5 + i} | reserved: 12232.0 | max reserved: 12232.0\n" for i in (8, 0))
TITAN = "".join(
    f"[rank0]:[titan] 2026-01-02 03:04:05,678 - root - INFO - \x1b[31mstep: {i:2}  \x1b[32mloss: {12 - i / 10:7.4f}  \x1b[38;2;180;60;0mgrad_norm: 4.1  "
    f"\x1b[38;2;54;234;195mmemory: 40.51GiB(38.6%)  \x1b[34mtps: {7000 + i:,}  \x1b[36mtflops: 1,{400 + i}.25  \x1b[35mmfu: 41.{i}0%\x1b[39m\n" for i in range(1, 6))
LOGS = (("nccl.log", NCCL, {"float.sum.1048576/time": 30.5, "float.sum.1048576/busbw": 20.51, "float.sum.2097152/in_place_busbw": 21.97}),
        ("meg.log", MEGATRON, {"iteration_ms.median": 504, "tflops.median": 396.6, "lm_loss": 10.5, "rank0.max_allocated": 12003.5, "rank8.max_allocated": 12011.5}),
        ("titan.log", TITAN, {"tps.median": 7003.5, "tflops.median": 1403.75, "mfu.median": 41.35, "memory": 40.51, "loss": 11.5}),
        ("nvbandwidth.txt", "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n 0     55.63\n\nSUM host_to_device_memcpy_ce 55.63\n", {"host_to_device_memcpy_ce/sum": 55.63}),
        ("pr_time_benchmarks.csv", "add_loop_eager,compile_time_instruction_count,3041938567\nadd_loop_inductor,compile_time_instruction_count,28100300123\n",
         {"add_loop_inductor/compile_time_instruction_count": 28100300123}),
        ("hpl.out", "T/V                N    NB     P     Q               Time                 Gflops\n" + "-" * 80 +
         "\nWR11C2R4       29184   192     2     2              90.34              1.835e+02\n", {"n29184.nb192.p2.q2/gflops": 183.5}),
        ("nvidia_hpl.out", "T/V                N    NB     P     Q         Time          Gflops (   per GPU)\n" + "-" * 80 +
         "\nWC0           264192  1024     4     2        62.84       1.956e+05 ( 2.445e+04)\n", {"n264192.nb1024.p4.q2/gflops": 195600, "n264192.nb1024.p4.q2/time": 62.84}),
        ("old_nccl.log", "# nThread 1 nGpus 8 minBytes 8\n     1048576        262144   float     sum    35.68   29.39   51.43  5e-07    35.30   29.70   51.98  5e-07\n",
         {"float.sum.1048576/time": 35.68, "float.sum.1048576/in_place_busbw": 51.98}))

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
    "asv.json": ({"commit_hash": "a1b2", "env_name": "py3.12", "date": 1759853715000, "python": "3.12", "params": {"machine": "host-a"},
                  "result_columns": ["result", "params", "version", "started_at", "duration"],
                  "results": {"suite.Ops.time_add": [[0.0078125], [], "v1", 1759853715000, 2.5], "suite.peakmem_all": [[50331648], [], "v2", 1759853715000, 2.5]}, "version": 2},
                 {"suite.Ops.time_add": (0.0078125, "s", "lower"), "suite.peakmem_all": (50331648, "B", "lower")}),
    "asv_params.json": ({"commit_hash": "a1b2", "env_name": "py3.12", "date": 1759853715000, "params": {"machine": "host-a"},
                         "result_columns": ["result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b", "stats_q_25", "stats_q_75", "stats_number",
                                            "stats_repeat", "samples", "profile"],
                         "results": {"suite.Ops.time_add": [[0.0078125, 0.25], [["10", "20"]], "v1", 1759853715000, 2.5, [0.0077, float("-inf")], [0.0080, float("inf")], [0.0078, 0.25],
                                                            [0.0079, 0.25], [9, 1], [10, 1]], "suite.Ops.track_acc": [[0.75], [], "v2", 1759853715000, 2.5]}, "version": 2},
                        {"suite.Ops.time_add.10": (0.0078125, "s", "lower"), "suite.Ops.time_add.20": (0.25, "s", "lower"), "suite.Ops.track_acc": (0.75, "1", "higher")}),
    "bmf.json": ({"attention": {"latency": {"value": 88.5, "lower_value": 87.5}, "throughput": {"value": 5.5}}},
                 {"attention/latency": (88.5, "1", "lower"), "attention/throughput": (5.5, "1", "higher")}),
    "customSmallerIsBetter.json": ([{"name": "My bench", "unit": "ms", "value": 50.5, "range": "3"}, {"name": "Rate", "unit": "ops/sec", "value": 7.5}],
                                   {"My_bench/value": (50.5, "ms", "lower"), "Rate/value": (7.5, "op/s", "higher")}),
    "jmh.json": ([{"benchmark": "org.B.p", "mode": "avgt", "params": {"size": n, "kind": "A"}, "primaryMetric": {"score": 7.5, "scoreUnit": "ms/op"}} for n in ("10", "20")]
                 + [{"benchmark": "org.B.a", "mode": mode, "primaryMetric": {"score": 5.5, "scoreError": 0.1, "scoreUnit": unit}}
                  for mode, unit in (("thrpt", "ops/s"), ("avgt", "us/op"))], {"org.B.p.avgt.size20.kindA/score": (7.5, "ms/op", "lower"), "org.B.a.thrpt/score": (5.5, "op/s", "higher"), "org.B.a.avgt/score": (5.5, "us/op", "lower")}),
    "B-report-full.json": ({"Title": "B", "HostEnvironmentInfo": {"ProcessorName": "x"}, "Benchmarks": [
        {"DisplayInfo": f"B.{m}: DefaultJob", "Namespace": "n", "Type": "B", "Method": m, "Parameters": "", "FullName": f"n.B.{m}",
         "Statistics": {"N": 15, "Min": 95.5, "Median": 100.5, "Mean": 101.5, "Max": 110.5, "StandardDeviation": 2.5, "ConfidenceInterval": {"N": 15, "Mean": 101.5, "Margin": 0.5},
                        "Percentiles": {"P0": 95.5, "P50": 100.5, "P95": 108.5}},
         "Memory": {"Gen0Collections": 1, "BytesAllocatedPerOperation": 32}} for m in "AC"]},
        {"n.B.A/mean": (101.5, "ns", "lower"), "n.B.C/p95": (108.5, "ns", "lower"), "n.B.C/allocated": (32, "B/op", "lower")}),
    "perf_script_test_results.csv": (
        "network_name,network_hash,sm_clk,perf_case_name,test_name,perf_metric,total_time__sec,state,command,threshold,metric_type\n"
        + "".join(f'm-bench-bf16,h,1980,A/h,h,{v},12.5,valid,"bench --tp 1, x",0.1,{k}\n' for k, v in (("TOKEN_THROUGHPUT", 2048.5), ("FIRST_TOKEN_TIME", 31.25))),
        {"m-bench-bf16/TOKEN_THROUGHPUT": (2048.5, "1", "higher"), "m-bench-bf16/FIRST_TOKEN_TIME": (31.25, "1", "lower")}),
    "kern_sum.csv": ("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
                     '60.5,600500,10,60050.0,60000.5,50000,70000,100.5,"gemm(float *, int)"\n39.5,400500,20,20025.0,20000.5,10000,30000,100.5,relu\n',
                     {"relu/total_time": (400500, "ns", "lower"), "relu/instances": (20, "1", "lower")}),
    "old_kern_sum.csv": ('Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,StdDev,Name\n60.5,600500,10,60050.0,50000,70000,100.5,relu\n', {"relu/total_time": (600500, "ns", "lower")}),
    "api_sum.csv": ("Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n90.5,600500,10,60050.0,60000.5,50000,70000,100.5,cudaMalloc\n",
                    {"cudaMalloc/total_time": (600500, "ns", "lower"), "cudaMalloc/median": (60000.5, "ns", "lower")}),
    "mem_time_sum.csv": ("Time (%),Total Time (us),Count,Avg (us),Med (us),Min (us),Max (us),StdDev (us),Operation\n90.5,600.5,10,60.05,60.5,50,70,1.5,[CUDA memset]\n",
                         {"_CUDA_memset_/total_time": (600.5, "us", "lower")}),
    "nvtx_sum.csv": ("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Style,Range\n90.5,600500,10,60050.0,60000.5,50000,70000,100.5,PushPop,forward\n",
                     {"forward/total_time": (600500, "ns", "lower")}),
    "hyperfine.csv": ("command,mean,stddev,median,user,system,min,max\nrun --fast,0.1015,0.0005,0.1014,0.0008,0.0012,0.1009,0.1027\nrun,0.25,0.0005,0.2014,0.0008,0.0012,0.2009,0.2027\n",
                      {"run_--fast/median": (0.1014, "s", "lower"), "run/mean": (0.25, "s", "lower")}),
    "google.csv": ("name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message\n"
                   + "".join(f'"BM/{n}",{90000 // n},{n * 12.5},{n * 11.5},us,{5.5e9 / n},,,,\n' for n in (8, 64)),
                   {"BM/8/real_time": (100, "us", "lower"), "BM/64/bytes_per_second": (5.5e9 / 64, "B/s", "higher")}),
    "pytest.csv": ("name,min,max,mean,stddev,rounds,iterations\ntests/test_a.py::test_x,0.25,0.75,0.375,0.125,9,1\n", {"tests/test_a.py__test_x/mean": (0.375, "s", "lower")}),
    "pooling.json": ({"endpoint_type": "openai-embeddings", "backend": "openai-embeddings", "model_id": "org/e", "num_prompts": 100, "request_rate": "inf", "burstiness": 1.0, "max_concurrency": None,
                      "duration": 5.5, "completed": 100, "failed": 0, "total_input_tokens": 51200, "request_throughput": 18.5, "total_token_throughput": 9309.5, "mean_e2el_ms": 2500.5, "median_e2el_ms": 2500.25,
                      "std_e2el_ms": 100.5, "p99_e2el_ms": 4800.5}, {"org/e.rinf/mean_e2el_ms": (2500.5, "ms", "lower"), "org/e.rinf/request_throughput": (18.5, "req/s", "higher")}),
    "kernel_stats.csv": ('"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"\n"gemm",10,600500,60050.5,60.5,5,6,1.5\n',
                         {"gemm/total_time": (600500, "ns", "lower"), "gemm/mean": (60050.5, "ns", "lower")}),
    "ncu.csv": ("==PROF== Connected to process 77\n" + NCU, {"1.gemm_float____int_/duration": (1234.5, "us", "lower"), "0.gemm_float____int_/registers": (128, "1", "lower"),
                                                             "0.gemm_float____int_/dram_throughput": (41.25, "%", "higher")}),
}

FILES |= {
    "nccl.json": ({"version": 1, "env": ["A=b"], "nccl_version": 22703, "config": {"nthreads": 1, "ngpus": 8, "devices": [{"rank": i, "hostname": "host-a", "device_info": "NVIDIA H100"} for i in range(8)]},
                   "results": [{"size": 2 ** k, "count": 2 ** k // 4, "type": "float", "redop": "sum", "root": "    -1",
                                "out_of_place": {"time": 10.5 + k, "alg_bw": k + 0.5, "bus_bw": k * 2 + 0.5, "nwrong": 0},
                                "in_place": {"time": 10.25 + k, "alg_bw": k + 0.75, "bus_bw": k * 2 + 0.75, "nwrong": None}} for k in (20, 21)],
                   "out_of_bounds": {"count": 0, "okay": True}, "average_bus_bandwidth": {"bandwidth": 41.125, "okay": "unchecked"}},
                  {"float.sum.1048576/busbw": (40.5, "GB/s", "higher"), "float.sum.2097152/in_place_time": (31.25, "us", "lower"), "float.sum.2097152/time": (31.5, "us", "lower")}),
    "estimates.json": ({of: {"confidence_interval": {"confidence_level": 0.95, "lower_bound": v * 0.75, "upper_bound": v * 1.5}, "point_estimate": v, "standard_error": v / 256}
                        for of, v in (("mean", 1000.5), ("median", 990.25), ("median_abs_dev", 3.5), ("std_dev", 5.75))} | {"slope": None},
                       {"mean": (1000.5, "ns", "lower"), "median": (990.25, "ns", "lower")}),
    "criterion.jsonl": ("".join(json.dumps({"reason": "benchmark-complete", "id": name, "report_directory": "target/x", "iteration_count": [30, 60], "measured_values": [124200.0, 248400.0],
                                             "unit": "ns", "throughput": [], **{of: {"estimate": v + k, "lower_bound": 1.125, "upper_bound": 9999.125, "unit": "ns"}
                                                                                for k, of in enumerate(("typical", "mean", "median", "median_abs_dev", "slope"))}, "change": None}) + "\n"
                                for name, v in (("norm", 70.5), ("fft/8", 400.25))) + json.dumps({"reason": "group-complete", "group_name": "fft", "benchmarks": ["fft/8"], "report_directory": "target/x"}) + "\n",
                        {"norm/typical": (70.5, "ns", "lower"), "fft/8/mean": (401.25, "ns", "lower")}),
    "llama.json": ([{"model_filename": "m.gguf", "model_type": "llama 7B", "n_batch": 2048, "n_prompt": p, "n_gen": n, "n_depth": 0, "avg_ns": 1000000, "stddev_ns": 100, "avg_ts": v, "stddev_ts": v / 64,
                     "samples_ns": [1000000], "samples_ts": [v]} for p, n, v in ((512, 0, 500.5), (0, 128, 50.25))],
                   {"llama_7B.p512.n0.d0/tokens_per_s": (500.5, "tok/s", "higher"), "llama_7B.p0.n128.d0/tokens_per_s": (50.25, "tok/s", "higher")}),
    "llama.csv": ("model_filename,model_type,n_batch,n_prompt,n_gen,n_depth,test_time,avg_ns,stddev_ns,avg_ts,stddev_ts\n" + "".join(
        f'"m.gguf","llama 7B","2048","{p}","{n}","0","2026-01-02T03:04:05Z","1000000","100","{v:.6f}","1.500000"\n' for p, n, v in ((512, 0, 500.5), (0, 128, 50.25))),
                  {"llama_7B.p512.n0.d0/tokens_per_s": (500.5, "tok/s", "higher")}),
}


def _guidellm(config, **strategies):
    """A benchmark for each strategy: {name: (its members, mean latency in s)}."""
    def of(v):
        one = {"mean": v, "median": v * 0.875, "std_dev": v / 8, "count": 64, "min": v / 2, "percentiles": {"p001": v / 2, "p99": v * 1.5}}
        return {"successful": one, "errored": {**one, "mean": 0, "median": 0}, "total": one}
    return {"metadata": {"version": 1}, "args": {"max_seconds": 60, "rate": [1, 4]}, "benchmarks": [
        {"type_": "generative_benchmark", config: {"run_index": i, "strategy": {"type_": name.strip("_0123456789"), **members}}, "duration": 60.25, "metrics": {
            "request_totals": {"successful": 64, "errored": 0, "incomplete": i, "total": 64 + i}, "requests_per_second": of(1.5 + i), "output_tokens_per_second": of(640.5 + i),
            "request_latency": of(v), "time_to_first_token_ms": of(45.5 + i), "prompt_token_count": of(256.0), "output_token_count": of(128.0), "request_concurrency": of(2.5)}}
        for i, (name, (members, v)) in enumerate(strategies.items())]}


def _pyperf(unit, *names):
    def runs(v):
        return [{"metadata": {"duration": 0.5, "calibrate_loops": 8}, "warmups": [[1, v * 4]]}] + [
            {"metadata": {"duration": 0.75, "uptime": 900.5 + i, "mem_max_rss": 1000000}, "values": [v, v * 1.5, v * 1.25], "warmups": [[8, v * 2]]} for i in range(3)]
    one = len(names) == 1
    return {"version": "1.0", "metadata": {"hostname": "host-a", "loops": 8, "unit": unit, **({"name": names[0]} if one else {})},
            "benchmarks": [{**({} if one else {"metadata": {"name": name}}), "runs": runs(0.25 * (i + 1) if unit == "second" else 4096)} for i, name in enumerate(names)]}


def _serve(**more):
    return {"num_prompts": 8, "completed": 8, "total_input_tokens": 4096, "total_output_tokens": 900, "request_rate": 4.0, "max_concurrency": 4,
            "request_throughput": 4.5, "output_throughput": 900.5, **more}


def _aiperf(**more):
    def of(unit, avg):
        return {"unit": unit, "avg": avg, "p50": avg * 0.875, "p90": avg * 1.25, "p99": avg * 1.5}
    return {"request_throughput": {"unit": "requests/sec", "avg": 4.5}, "request_latency": of("ms", 500.5), "time_to_first_token": of("ms", 31.25),
            "output_token_throughput": {"unit": "tokens/sec", "avg": 900.5}, "input_sequence_length": {"unit": "tokens", "avg": 512.0},
            "request_count": {"unit": "requests", "avg": 8.0}, **more}


def _several(mean, unit):
    """A figure of several runs."""
    return {"mean": mean, "std": mean / 64, "min": mean * 0.75, "max": mean * 1.25, "cv": 1 / 64, "se": mean / 128, "ci_low": mean * 0.875, "ci_high": mean * 1.125, "unit": unit}


def _nvbench(mean):
    def row(tag, value):
        return {"tag": tag, "data": [{"name": "value", "type": "float64", "value": str(value)}]}
    return {"meta": {}, "devices": [{"id": 0, "name": "H100"}], "benchmarks": [{"name": "copy", "states": [
        {"name": f"Device=0 N={n}", "device": 0, "is_skipped": False, "summaries": [
            row("nv/cold/sample_size", 499), row("nv/cold/time/cpu/mean", mean * 1.5), row("nv/cold/time/cpu/stdev/relative", 0.005),
            row("nv/cold/time/gpu/mean", mean * n), row("nv/cold/bw/global/bytes_per_second", 7.5e11), row("nv/cold/bw/item_rate", 2.5e9), row("nv/cold/time/gpu/stdev/relative", 0.0005)]} for n in (1, 2)]}]}


def _mllog():
    rows = [("submission_benchmark", "dlrm", 5), ("global_batch_size", 64, 6), ("run_start", None, 1000), ("tracked_stats", {"throughput": 7.5}, 1500),
            ("tracked_stats", {"throughput": 8.5}, 1800), ("eval_accuracy", 0.75, 1900), ("run_stop", None, 2000)]
    return "".join(f":::MLLOG {json.dumps({'key': k, 'value': v, 'time_ms': 1759853715000 + t, 'metadata': {'status': 'success'}})}\n" for k, v, t in rows)


def _series(start, step, nr=6):
    return {"start_step": 1, "end_step": 50, "step_interval": 5, "values": {str(max(1, 5 * i)): start + step * i for i in range(nr)}}


FILES |= {
    "guidellm.json": (_guidellm("config", synchronous=({}, 1.25), constant_1=({"rate": 1.5, "max_concurrency": 512}, 1.75), constant_4=({"rate": 4.5}, 2.25), concurrent=({"streams": 8}, 3.25)),
                      {"constant.r1.5/mean_request_latency": (1.75, "s", "lower"), "constant.r4.5/mean_request_latency": (2.25, "s", "lower"), "concurrent.rnone.c8/output_tokens_per_second": (643.5, "tok/s", "higher"),
                       "synchronous.rnone/mean_time_to_first_token_ms": (45.5, "ms", "lower")}),
    "guidellm_0.3.json": (_guidellm("args", constant=({"rate": 1.0}, 1.75), poisson=({"rate": 4.0}, 2.25)),
                          {"poisson.r4.0/mean_request_latency": (2.25, "s", "lower"), "constant.r1.0/requests_per_second": (1.5, "req/s", "higher")}),
    "pyperf.json": (_pyperf("second", "sort", "list.append"), {"sort/value.median": (0.3125, "s", "lower"), "list.append/value.median": (0.625, "s", "lower")}),
    "pyperf_one.json": (_pyperf("byte", "telco"), {"telco/value.median": (5120, "B", "lower")}),
    "vllm.json": (_serve(backend="vllm", model_id="m", burstiness=1.0, mean_ttft_ms=12.5, std_ttft_ms=1.5, median_ttft_ms=12.25, p99_ttft_ms=29.5, mean_itl_ms=3.25),
                  {"m.r4.0.c4/mean_ttft_ms": (12.5, "ms", "lower"), "m.r4.0.c4/output_throughput": (900.5, "tok/s", "higher")}),
    "inferencex.json": (_serve(model_id="org/m", burstiness=1.0, mean_ttft=0.75, median_ttft=0.5, p99_ttft=1.25, median_e2el=5.5, mean_e2el=5.75, std_ttft=0.125),
                        {"org/m.r4.0.c4/median_e2el": (5.5, "s", "lower"), "org/m.r4.0.c4/output_throughput": (900.5, "tok/s", "higher")}),
    "latency.json": ({"avg_latency": 5.5, "latencies": [5.25, 5.75, 5.5], "percentiles": {"50": 5.5, "99": 5.75}},
                     {"avg_latency": (5.5, "s", "lower"), "latency_p99": (5.75, "s", "lower")}),
    "throughput.json": ({"elapsed_time": 50.5, "num_requests": 100, "total_num_tokens": 41300, "requests_per_second": 2.5, "tokens_per_second": 1024.5},
                        {"tokens_per_second": (1024.5, "tok/s", "higher"), "elapsed_time": (50.5, "s", "lower")}),
    "v3.json": ([{"benchmark": {"name": "vLLM"}, "model": {"name": "m"}, "metric": {"name": name, "benchmark_values": [v]}}
                 for name, v in (("median_ttft_ms", 31.5), ("tokens_per_second", 1024.5))],
                {"vLLM.m/median_ttft_ms": (31.5, "ms", "lower"), "vLLM.m/tokens_per_second": (1024.5, "tok/s", "higher")}),
    "sglang.jsonl": (dict(list(_serve(backend="sglang", dataset_name="random", random_input_len=512, random_output_len=128, total_output_tokens_retokenized=898,
                            mean_ttft_ms=12.5, median_ttft_ms=12.25, std_ttft_ms=1.5, p99_ttft_ms=29.5, mean_e2e_latency_ms=500.5, accept_length=3.5).items())[1:]),
                     {"sglang.random.in512.out128.r4.0.c4/mean_e2e_latency_ms": (500.5, "ms", "lower")}),
    "result.jsonl": ({"run_name": "default", "batch_size": 1, "input_len": 1024, "output_len": 16, "prefill_latency": 0.0625, "prefill_throughput": 16384.5,
                      "median_decode_latency": 0.0078125, "total_latency": 0.1875, "overall_throughput": 5546.5},
                     {"default.b1.in1024.out16/prefill_latency": (0.0625, "s", "lower"), "default.b1.in1024.out16/overall_throughput": (5546.5, "tok/s", "higher")}),
    "server.jsonl": ({"run_name": "default", "batch_size": 8, "input_len": 1024, "output_len": 16, "latency": 0.75, "input_throughput": 16384.5,
                      "output_throughput": 512.5, "last_ttft": 0.25},
                     {"default.b8.in1024.out16/last_ttft": (0.25, "s", "lower"), "default.b8.in1024.out16/output_throughput": (512.5, "tok/s", "higher")}),
    "task.jsonl": ({"task": "gsm8k", "backend": "srt", "num_gpus": 1, "latency": 25.5, "accuracy": 0.75, "num_requests": 200, "other": {"num_questions": 200, "parallel": 64}},
                   {"gsm8k.srt/latency": (25.5, "s", "lower"), "gsm8k.srt/accuracy": (0.75, "1", "higher")}),
    "google.json": ({"context": {"host_name": "host-a", "date": "2026-01-01T00:00:00"}, "benchmarks": [
        {"name": f"BM{i}", "run_type": "iteration", "iterations": 9, "real_time": 5.5 + i, "cpu_time": 5.25, "time_unit": "ms", "bytes_per_second": 1.5e9} for i in range(2)]},
        {"BM0/real_time": (5.5, "ms", "lower"), "BM1/bytes_per_second": (1.5e9, "B/s", "higher")}),
    "google_aggregates.json": ({"context": {"host_name": "host-a"}, "benchmarks": [
        {"name": f"BM/{n}_{of}", "family_index": 0, "run_name": f"BM/{n}", "run_type": "aggregate", "repetitions": 5, "threads": 1, "aggregate_name": of,
         "aggregate_unit": unit, "iterations": 5, "real_time": v * n, "cpu_time": v * n * 0.875, "time_unit": "ns" if unit == "time" else "", "tokens_per_second": 1.5e9 / n if unit == "time" else 0.25}
        for n in (8, 64) for of, unit, v in (("mean", "time", 12.75), ("median", "time", 12.5), ("stddev", "time", 0.0625), ("cv", "percentage", 0.00390625))]},
        {"BM/8/real_time": (100, "ns", "lower"), "BM/64/tokens_per_second": (1.5e9 / 64, "tok/s", "higher")}),
    "nvbench.json": (_nvbench(0.0078125), {"copy.Device_0_N_1/gpu_ms": (7.8125, "ms", "lower"), "copy.Device_0_N_2/global_bandwidth": (750.0, "GB/s", "higher")}),
    "pytest.json": ({"benchmarks": [{"fullname": "tests/test_a.py::test_x[0]", "name": "test_x[0]", "stats": {
        "min": 0.25, "median": 0.375, "mean": 0.5, "stddev": 0.125, "rounds": 9}}]}, {"tests/test_a.py__test_x_0_/median": (0.375, "s", "lower")}),
    "hyperfine.json": ({"results": [{"command": "run --fast", "mean": 1.25, "median": 1.5, "min": 1.125, "times": [1.125, 1.5, 1.75], "exit_codes": [0, 0, 0]}]},
                       {"run_--fast/median": (1.5, "s", "lower")}),
    "torchbench.json": ({"name": "cpu", "environ": {"pytorch_git_version": "a1b2"}, "metrics": {"resnet50-eval_latency": 31.25, "bert_throughput": 7.5}},
                        {"resnet50-eval_latency": (31.25, "1", "lower"), "bert_throughput": (7.5, "1", "higher")}),
    "golden_values.json": ({"lm loss": _series(10.5, -0.125), "num-zeros": _series(2098.0, 16.0), "mem-allocated-bytes": _series(3375511040.0, 0.0),
                            "iteration-time": _series(0.6875, 0.015625)},
                           {"mem-allocated-bytes": (3375511040, "B", "lower"), "iteration-time.median": (0.734375, "s", "lower")}),
    "mllog.txt": (_mllog(), {"run_time_ms": (1000, "ms", "lower"), "throughput.median": (8, "1/s", "higher")}),
    "trainer_state.json": ({"global_step": 20, "log_history": [{"epoch": 1.0, "loss": 2.5, "step": 10}, {"epoch": 2.0, "loss": 2.25, "step": 20},
                                                               {"epoch": 2.0, "eval_accuracy": 0.75, "eval_runtime": 5.75, "eval_samples_per_second": 70.5, "step": 20}]},
                           {"eval_samples_per_second": (70.5, "samples/s", "higher"), "eval_accuracy": (0.75, "1", "higher"), "eval_runtime": (5.75, "s", "lower")}),
    "all_results.json": ({"epoch": 3.0, "eval_accuracy": 0.75, "eval_samples": 408, "eval_samples_per_second": 233.5, "train_loss": 0.375, "train_runtime": 100.5,
                          "train_samples": 3668, "train_samples_per_second": 110.5, "total_flos": 9.5e15},
                         {"train_runtime": (100.5, "s", "lower"), "eval_samples_per_second": (233.5, "samples/s", "higher"), "eval_accuracy": (0.75, "1", "higher")}),
    "nvbandwidth.json": ({"nvbandwidth": {"CUDA Runtime Version": 12080, "GPU Device list": ["0: NVIDIA H100"], "testcases": [
        {"name": "host_to_device_memcpy_ce", "status": "Passed", "bandwidth_description": "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
         "bandwidth_matrix": [["55.5", "56.5"]], "average": 56.0, "max": 56.5, "min": 55.5, "sum": 112.0},
        {"name": "host_device_latency_sm", "status": "Passed", "bandwidth_description": "memory latency SM CPU(row) <-> GPU(column) (ns)",
         "bandwidth_matrix": [["655.5"]], "average": 655.5, "max": 655.5, "min": 655.5, "sum": 655.5}]}},
        {"host_to_device_memcpy_ce/sum": (112, "GB/s", "higher"), "host_device_latency_sm/average": (655.5, "ns", "lower")}),
    "aiperf.json": (_aiperf(input_config={"models": {"items": [{"name": "m"}]}, "phases": [{"concurrency": 4, "request_rate": None}]},
                            http_req_dns_lookup={"unit": "ms", "avg": 0.5}),
                    {"time_to_first_token.avg": (31.25, "ms", "lower"), "output_token_throughput.avg": (900.5, "tok/s", "higher")}),
    "profile_export_aiperf_sweep.json": ({"aiperf_version": "0.8.0", "metadata": {"aggregation_type": "sweep", "num_combinations": 2}, "per_combination_metrics": [
        {"parameters": {"concurrency": n}, "metrics": {"request_throughput_avg": _several(100.5 * n, "requests/sec"), "time_to_first_token_p99": _several(12.5 * n, "ms"),
                                                       "output_token_throughput_avg": _several(900.5 * n, "tokens/sec")}} for n in (2, 4)]},
        {"sweep.concurrency2/time_to_first_token_p99": (25, "ms", "lower"), "sweep.concurrency4/output_token_throughput_avg": (3602, "tok/s", "higher")}),
    "profile_export_aiperf_aggregate.json": ({"schema_version": "1.0", "metadata": {"aggregation_type": "confidence", "num_profile_runs": 3, "num_successful_runs": 3}, "metrics": {
        "request_throughput_avg": _several(100.5, "requests/sec"), "time_to_first_token_p99": _several(12.5, "ms")}},
        {"time_to_first_token_p99": (12.5, "ms", "lower"), "request_throughput_avg": (100.5, "req/s", "higher")}),
    "profile_export_aiperf_sweep_by_value.json": (
        {"aggregation_type": "sweep", "num_profile_runs": 6, "metadata": {"aggregation_type": "sweep", "parameter_name": "concurrency", "parameter_values": [10, 20]},
         "per_value_metrics": {str(n): {"request_throughput_avg": _several(9.5 * n, "requests/sec"), "ttft_p99_ms": _several(12.5 * n, "ms")} for n in (10, 20)},
         "best_configurations": {"best_throughput": {"value": 20, "metric": 190.0, "unit": "requests/sec"}}, "pareto_optimal": [10, 20], "trends": {}},
        {"concurrency10/ttft_p99_ms": (125, "ms", "lower"), "concurrency20/request_throughput_avg": (190, "req/s", "higher")}),
    "profile_export_aiperf_aggregate.csv": (
        "metric,mean,std,min,max,cv,se,ci_low,ci_high,t_critical,unit\nrequest_throughput_avg,100.50,5.20,95.00,108.00,0.0520,0.4000,98.00,102.00,2.7700,requests/sec\n"
        "ttft_p99_ms,120.50,8.10,110.00,130.00,0.0670,0.4000,118.00,122.00,2.7700,ms\n\nAggregation Type,confidence\nTotal Runs,3\n",
        {"ttft_p99_ms": (120.5, "ms", "lower"), "request_throughput_avg": (100.5, "req/s", "higher")}),
    "profile_export_genai_perf.csv": (
        "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\n"
        'Time To First Token (ms),"1,146.31",249.48,"3,485.23","3,457.97","3,349.56","3,215.06","1,330.93",640.07,286.52\n'
        'Input Sequence Length (tokens),"3,000.05","2,999.00","3,001.00","3,001.00","3,001.00","3,001.00","3,000.00","3,000.00","3,000.00"\n'
        "HTTP Request DNS Lookup (ms),0.50,0.25,0.75,0.75,0.75,0.75,0.50,0.50,0.25\n\n"
        "Metric,Value\nOutput Token Throughput (tokens/sec),598.78\nRequest Throughput (requests/sec),3.42\n\n"
        "Endpoint,GPU_Index,GPU_Name,Metric,avg\nhost,0,H100,GPU Utilization (%),85\n",
        {"p50_Time_To_First_Token": (640.07, "ms", "lower"), "Output_Token_Throughput": (598.78, "tok/s", "higher")}),
    "genai_perf.json": ({"records": _aiperf()}, {"time_to_first_token.avg": (31.25, "ms", "lower"), "request_throughput.avg": (4.5, "req/s", "higher")}),
    "trtllm.json": ({"engine": {"model": "m", "dtype": "bf16", "quantization": "FP8"}, "world_info": {"tp_size": 2, "pp_size": 1}, "dataset": {"avg_isl": 128.0},
                     "request_info": {"num_requests": 100, "avg_output_length": 64.0},
                     "performance": {"request_throughput_req_s": 7.5, "system_output_throughput_tok_s": 480.5, "avg_request_latency_ms": 250.5},
                     "streaming_metrics": {"avg_ttft_ms": 31.25, "ttft_percentiles": {"p99": 62.5}}},
                    {"m.tp2.pp1.in128.0/system_output_throughput_tok_s": (480.5, "tok/s", "higher"), "m.tp2.pp1.in128.0/ttft_p99_ms": (62.5, "ms", "lower")}),
    "metrics.csv": ("epoch,step,train_loss,it_time_ms\n" + "".join(f"0,{i},{2.5 - i / 8},{12.25 + i}\n" for i in range(5)), {"it_time_ms": (16.25, "ms", "lower")}),
    "perf_report.csv": (",N,Triton (GB/s),Torch (GB/s)\n" + "".join(f"{i},{2.0 ** (10 + i)},{500.5 + i},{400.25 + i}\n" for i in range(3)),
                        {"N_1024.0/Triton": (500.5, "GB/s", "higher")}),
}
