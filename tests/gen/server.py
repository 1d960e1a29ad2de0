#!/usr/bin/env python3
"""Write a synthetic trace of an inference server in the form of the PyTorch profiler (Kineto): steps that
read prompts, steps that generate, and steps that do both, annotated as the server does it. The same options
give the same bytes; the seed changes durations by a few per cent and never the sequence of events.

  server.py --server vllm --seed 1 --out base.json.gz
  server.py --server sglang --seed 2 --out candidate.json.gz --slow decode=1.2
"""
import argparse
import gzip
import json
import pathlib
import random

# Kind of step: number of requests whose prompt it reads, of requests that generate, and of tokens in the prompts.
KINDS = {"prefill": (2, 0, 3000), "decode": (0, 24, 0), "mixed": (1, 23, 900), "idle": (0, 0, 0)}
MODES = {"prefill": "EXTEND", "decode": "DECODE", "mixed": "MIXED", "idle": "IDLE"}
# Kernels of a layer: name, ns in a prefill, ns in a decode.
KERNELS = [("void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>(Flash_fwd_params)", 90000, 21000),
           ("nvjet_tst_128x64_64x9_1x2_h_bz_coopA_TNT", 210000, 38000),
           ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 60000, 9000),
           ("void vllm::act_and_mul_kernel<c10::BFloat16>(c10::BFloat16*, c10::BFloat16 const*, int)", 30000, 4000)]
LAYERS, ORDER = 4, "prefill decode decode mixed decode decode decode decode".split()


def annotation(server, kind):
    """The name that the server gives the step.

    Source: vllm/v1/worker/gpu_worker.py, annotate_profile(), as of 0.11, 0.14 and with detailed_trace_annotation;
    sglang/srt/utils/profile_utils.py, build_step_span_name()."""
    context, generation, tokens = KINDS[kind]
    if server == "vllm-2025":
        return f"execute_new_{context}_cached_{generation}"
    if server == "vllm-detailed":
        return (f"execute_{tokens + generation}_context_{context}(sq{tokens}sk{tokens}sqsq{tokens**2}sqsk{tokens**2})"
                f"_generation_{generation}(sq{generation}sk{generation * 700}sqsq{generation}sqsk{generation * 700})")
    if server == "vllm":
        return f"execute_context_{context}({tokens})_generation_{generation}({generation})"
    return f"step[{MODES[kind]} bs={context + generation}{f' toks={tokens}' if kind == 'prefill' else ''}]"


def events(o, seed):
    rng, out, now, gpu, correlation = random.Random(seed), [], 1_000_000, 1_000_000, 0

    def add(cat, name, pid, tid, start, dur, **args):
        out.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start / 1000, "dur": dur / 1000,
                    "args": args})

    for i in range(o.steps):
        kind = ORDER[i % len(ORDER)]
        begin, factor = now, o.slow.get(kind, 1.0)
        now += 20_000
        for _ in range(LAYERS):
            for name, prefill, decode in KERNELS:
                correlation += 1
                dur = int((decode if kind == "decode" else prefill) * factor * rng.uniform(0.98, 1.02))
                add("cuda_runtime", "cudaLaunchKernel", 1, 1, now, 5000, correlation=correlation)
                gpu = max(gpu, now + 6000)
                add("kernel", name, 0, 7, gpu, dur, device=0, stream=7, correlation=correlation, grid=[132, 1, 1],
                    block=[128, 1, 1])
                gpu += dur + 1000
                now += 7000
        correlation += 1
        add("cuda_runtime", "cudaMemcpyAsync", 1, 1, now, 4000, correlation=correlation)
        add("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 0, 7, gpu, 2000, device=0, stream=7, correlation=correlation,
            bytes=4096)
        gpu += 2500
        now = max(now + 10_000, gpu)
        for server in o.server.split("+"):
            add("user_annotation", annotation(server, kind), 1, 1, begin, now - begin)
            begin += 1000
            now -= 1000
        now += 40_000
    return out


def write(o, path, rank):
    d = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85024112640}],
         "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": o.ranks},
         "traceEvents": events(o, o.seed + 1000 * rank)}
    path.write_bytes(gzip.compress(json.dumps(d).encode(), 6, mtime=0))


def main(argv=None):
    def factor(text):
        kind, _, value = text.partition("=")
        if kind not in KINDS:
            raise argparse.ArgumentTypeError(f"'{kind}' is no kind of step: {', '.join(KINDS)}")
        return kind, float(value)
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--ranks", type=int, default=1, help="more than one: a trace for each, in the folder OUT")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--steps", type=int, default=24)
    p.add_argument("--server", default="vllm",
                   help="vllm, vllm-detailed, vllm-2025 or sglang; A+B: the steps of B lie within those of A")
    p.add_argument("--slow", type=factor, action="append", default=[], metavar="KIND=FACTOR",
                   help="kernels of such steps take so much longer")
    o = p.parse_args(argv)
    o.slow = dict(o.slow)
    if o.ranks == 1:
        write(o, o.out, 0)
        return
    o.out.mkdir(parents=True)
    for rank in range(o.ranks):
        write(o, o.out / f"rank{rank}.json.gz", rank)


if __name__ == "__main__":
    main()
