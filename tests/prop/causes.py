#!/usr/bin/env python3
"""Planted causes: each case changes one thing in a recording, a job of several ranks or a snapshot, and the gate with its
default rules must name this cause: as its first finding in 90 % of the cases, among its first three in 97 %, and never with
exit 0, unless it warns.

$GPUGATE is the program, $GPUGATE_SHARED the folder of the recordings; without either, exit 77 skips. With --table it prints
the result of each case."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import _gen  # finds tests/gen
import plant
from _part import ALL, part, some

PROGRAM, SHARED = os.environ.get("GPUGATE"), os.environ.get("GPUGATE_SHARED")
RECORDINGS = {
    "resnet": "traces/resnet50-v100-nw0-session1.pt.trace.json.gz",
    "nccl": "traces/nccl-a100-rank0of2-3steps.json.gz",
    "fsdp": "traces/fsdp-a100-rank0of16-5steps.json.gz",
    "hta": "traces/hta-diff-control-a100-rank3of8.json.gz",
    "hta2": "traces/hta-diff-test-v100-rank1of2.json.gz",
    "ns": "traces/ns-v100-rank0of1-5steps.pt.trace.json.gz",
    "qwen": "traces/qwen05b-h100-single.json.gz",
    "megatron": "more/traces/megatron-tp8-a100-8rank/rank0.json.gz",
}
STEPS = 8
FIRST, IN_THREE = 0.90, 0.97


def generator(name, *args):
    subprocess.run([sys.executable, pathlib.Path(SHARED) / "data" / name, *map(str, args)], check=True,
                   capture_output=True)


def inflated(of, out, seed, *options):
    if of == "made":
        _gen.generate("trace", out, "--seed", seed, "--steps", STEPS)
        return
    generator("inflate_trace.py", pathlib.Path(SHARED) / "data" / RECORDINGS[of], out, "--steps", STEPS, "--jitter",
              0.01, "--seed", seed, "--gzip-level", 1, *options)


# A case: its name, its recording, the change, the finding that must name it, and words of that finding. Some allow two findings:
# a norm of gradients is a new kernel and a wait for it, of which the longer comes first; and 24 small kernels in place of one of
# the optimizer are new, as the gate pairs only kernels with as many launches.
# A workspace that grows is named second: what it gives back is fragmented, which costs more than the growth of one step.
def option(*options):
    return lambda dir, of: inflated(of, dir / "candidate.json.gz", 2, *options)


def edit(fn, *args, both=None, before=None):
    """A change of the candidate; of `both` sides before it; of the baseline, which the candidate has lost."""
    def make(dir, of):
        inflated(of, dir / "candidate.json.gz", 2)
        t = plant.Trace(dir / "candidate.json.gz")
        if both or before:
            b = plant.Trace(dir / "baseline.json.gz")
            for change, sides in (both, (t, b)), (before, (b,)):
                for side in sides if change else ():
                    change(side)
            b.save(dir / "baseline.json.gz")
        if fn:
            fn(t, *args)
        t.save(dir / "candidate.json.gz")
    return make


def spikes(factor, *steps):
    return option(*[f"--spike={s}={factor}" for s in steps])


def renamed(old, new, factor):
    return option("--rename-kernel", f"{old}={new}", "--slow-kernel", f"{new}={factor}")


def with_loader(t):
    plant.add_data_loader(t, 200.0)


VECTORIZED = "void at::native::vectorized_elementwise_kernel<4, at::native::%s<float>, std::array<char*, 3ul> >"
UNFUSED = [(VECTORIZED % f, share) for f, share in (("AddcmulFunctor", 0.9), ("SigmoidFunctor", 0.8), ("AddcdivFunctor", 0.9))]
ATTENTION = [("sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x128x64_bmm", 0.8),
             ("void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, false, false>", 1.1),
             ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x128x64_bmm", 0.8)]
SMALL = [(VECTORIZED % f, 0.1) for f in ("LerpFunctor", "AddcmulFunctor", "SqrtFunctor", "AddcdivFunctor") for _ in range(6)]
FORWARD = "implicit_convolve_sgemm<float, float, 1024", "bn_fw_tr_1C11", "clamp_min_scalar"


def slow_attention(t):
    plant.new_kernels(t, "flash_fwd", ATTENTION)
    plant.renamed_operators(t, "_flash_attention_forward", "_scaled_dot_product_attention_math")


TRACES = [
    ("slow kernel", "resnet", option("--slow-kernel", "dgrad_engine=1.3"), ["slower-kernel"], "dgrad_engine"),
    ("slow kernel", "nccl", option("--slow-kernel", "nchwToNhwcKernel=1.5"), ["slower-kernel"], "nchwToNhwc"),
    ("slow kernel", "fsdp", option("--slow-kernel", "s1688gemm_256x128=1.2"), ["slower-kernel"], "256x128"),
    ("slow kernel", "hta", option("--slow-kernel", "split_embedding_backward=1.25"), ["slower-kernel"],
     "split_embedding_backward"),
    ("slow kernel", "qwen", option("--slow-kernel", "sm90_xmma_gemm_bf16bf16=1.3"), ["slower-kernel"], "sm90_xmma"),
    ("more launches", "resnet", edit(plant.more_launches, "wgrad_alg0"), ["more-launches"], "wgrad_alg0"),
    ("more launches", "hta", edit(plant.more_launches, "split_embedding_backward"), ["more-launches"],
     "split_embedding_backward"),
    ("more launches", "ns", edit(plant.more_launches, "vectorized_elementwise"), ["more-launches"],
     "vectorized_elementwise"),
    ("slow host", "resnet", edit(plant.slow_host, 1.3), ["host"], "host"),
    ("slow host", "nccl", edit(plant.slow_host, 1.3), ["host"], "host"),
    ("slow host", "hta", edit(plant.slow_host, 1.4), ["host"], "host"),
    ("copies", "ns", edit(plant.more_copies, 6, 800.0, 8 << 20), ["copies"], "HtoD"),
    ("copies", "hta", edit(plant.scale_copies, 4), ["copies"], "cop"),
    ("copies", "resnet", edit(plant.more_copies, 10, 2000.0, 16 << 20), ["copies"], "HtoD"),
    ("lost overlap", "hta", edit(plant.lost_overlap), ["overlap"], "overlap"),
    ("lost overlap", "hta2", edit(plant.lost_overlap), ["overlap"], "overlap"),
    ("rename and slow", "resnet", renamed("dgrad_engine", "dgrad2d_fast", 1.5), ["renamed-kernel", "substitution"],
     "dgrad2d_fast"),
    ("rename and slow", "fsdp", renamed("s1688gemm_256x64", "s1688gemm_64x64", 2), ["renamed-kernel", "substitution"],
     "s1688gemm_64x64"),
    ("batch", "resnet", edit(plant.batch, 2), ["batch"], "batch"),
    ("batch", "ns", edit(plant.batch, 1.5), ["batch"], "batch"),
    ("data loader", "resnet", edit(plant.data_loader, 60000.0), ["data-loader"], "data loader"),
    ("data loader", "hta", edit(plant.data_loader, 30000.0), ["data-loader"], "data loader"),
    ("data loader", "nccl", edit(plant.data_loader, 60000.0, both=with_loader), ["data-loader"], "data loader"),
    ("syncs", "resnet", edit(plant.syncs, 6, 4000.0), ["synchronization"], "cudaStreamSynchronize"),
    ("syncs", "ns", edit(plant.syncs, 4, 3000.0), ["synchronization"], "cudaStreamSynchronize"),
    ("syncs", "hta", edit(plant.syncs, 6, 2000.0), ["synchronization"], "cudaStreamSynchronize"),
    ("syncs", "nccl", edit(plant.syncs, 10, 3000.0), ["synchronization"], "cudaStreamSynchronize"),
    ("uniform", "resnet", option("--slow-all", 1.06), ["uniform"], "clock"),
    ("uniform", "ns", option("--slow-all", 1.06), ["uniform"], "clock"),
    ("uniform", "fsdp", option("--slow-all", 1.1), ["uniform"], "clock"),
    ("uniform", "hta", option("--slow-all", 1.08), ["uniform"], "clock"),
    ("slow steps", "resnet", spikes(2, 2, 5), ["slow-steps"], "step"),
    ("slow steps", "ns", spikes(1.5, 2, 5), ["slow-steps"], "step"),
    ("slow steps", "hta", edit(plant.slow_steps, 4, 40000.0), ["slow-steps"], "step"),
    ("slow steps", "resnet", edit(plant.data_loader, 150000.0, 4), ["slow-steps"], "data loader"),
    ("precision", "qwen", renamed("bf16bf16_bf16f32_f32", "f32f32_tf32f32_f32", 2), ["renamed-kernel", "substitution"], "tf32"),
    ("lost graph", "nccl", edit(None, before=plant.graphed), ["host"], "graph"),
    ("lost fusion", "made", edit(plant.new_kernels, "triton_poi_fused_gelu_backward", UNFUSED), ["substitution"],
     "triton_poi_fused_gelu_backward"),
    ("lost flash attention", "made", edit(slow_attention), ["substitution"], "flash_fwd"),
    ("optimizer of small kernels", "made", edit(plant.new_kernels, "FusedAdam", SMALL), ["new-kernel", "substitution"],
     "optimizer"),
    ("small buckets", "nccl", edit(plant.small_buckets, 4, 150.0), ["traffic"], "smaller"),
    ("larger messages", "nccl", edit(plant.larger_messages, 2), ["traffic"], "move more"),
    ("collectives on the compute stream", "hta", edit(plant.one_stream), ["overlap"], "overlap"),
    ("recompute", "resnet", edit(plant.recompute, *FORWARD), ["more-launches"], "launched more often"),
    ("gradient clipping", "hta", edit(plant.clip_gradients, "AdamFunctor"), ["new-kernel", "synchronization"], ""),
    ("read back", "made", edit(plant.read_back, 12, 60.0), ["synchronization"], "cudaStreamSynchronize"),
    ("pageable", "hta", edit(plant.pageable, 3), ["copies"], "Pageable"),
    ("garbage collection", "nccl", edit(plant.slow_steps, 3, 90000.0), ["slow-steps"], "one in 3"),
    ("memsets", "made", edit(plant.more_copies, 20, 60.0, 64 << 20, "Memset (Device)"), ["more-launches"], "Memset"),
    ("logging", "ns", edit(plant.more_copies, 1, 9000.0, 96 << 20, "Memcpy DtoH (Device -> Pageable)"), ["copies"], "DtoH"),
    ("one shape", "fsdp", edit(plant.larger, "s1688gemm_256x128_32x3_nt", 2), ["slower-kernel"], "grid"),
]
JOBS = [
    ("slow rank", "nccl", ["--slow-rank", "5=1.2"], ["slow-rank"], "rank 5"),
    ("slow rank", "hta", ["--slow-rank", "2=1.3"], ["slow-rank"], "rank 2"),
    ("late rank", "nccl", ["--late-rank", "3=20000"], ["late-rank"], "rank 3"),
    ("late rank", "hta", ["--late-rank", "6=8000"], ["late-rank"], "rank 6"),
    ("slow link", "nccl", ["--slow-link", "4=1.6"], ["slow-link"], "rank 4"),
    ("slow link", "megatron", ["--slow-link", "1=2"], ["slow-link"], "rank 1"),
    ("lost rank", "nccl", ["--lose-rank", "6"], ["lost-rank"], "rank 6"),
    ("cut rank", "nccl", ["--cut-rank", "2=2"], ["cut-rank"], "rank 2"),
    ("cut rank", "hta", ["--cut-rank", "7=3"], ["cut-rank"], "rank 7"),
    ("slow node", "nccl", [x for r in range(4, 8) for x in ("--slow-rank", f"{r}=1.3")], ["slow-rank"], "ranks 4"),
    ("all-to-all imbalance", "hta", ["--slow-link", "3=1.5"], ["slow-link"], "rank 3"),
]
MODEL = ["--layers", "12", "--steps", "6", "--batch", "4"]
SNAPSHOTS = [
    ("leak", "model", ["--leak", "8MiB"], ["leak"], ""),
    ("leak", "model", ["--leak", "2MiB"], ["leak"], ""),
    ("fragmentation", "model", ["--fragmentation", "0.6"], ["fragmentation"], ""),
    ("fragmentation", "model", ["--fragmentation", "0.3"], ["fragmentation"], ""),
    ("batch", "model", ["--batch", "8"], ["batch"], "batch"),
    ("batch", "model", ["--seq", "768"], ["batch"], "batch"),
    ("out of memory", "model", ["--capacity", "1536MiB"], ["out-of-memory"], ""),
    ("optimizer states", "model", plant.optimizer_states, ["memory"], "optimizer"),
    ("kept activations", "model", plant.kept_activations, ["memory"], "linear"),
    ("another stream", "model", plant.another_stream, ["fragmentation"], "reserved"),
    ("growing workspace", "model", plant.growing_workspace, ["leak"], "cache.py"),
]


def make(case, dir):
    """The baseline and candidate files of a case."""
    _, of, change, _, _ = case
    if case in TRACES:
        inflated(of, dir / "baseline.json.gz", 1)
        change(dir, of)
        return [dir / "baseline.json.gz"], [dir / "candidate.json.gz"]
    if case in SNAPSHOTS:
        generator("make_snapshot.py", dir / "baseline.json.gz", *MODEL)
        try:
            if callable(change):
                plant.snapshot(pathlib.Path(SHARED) / "data" / "make_snapshot.py", dir / "candidate.json.gz", change, *MODEL)
            else:
                generator("make_snapshot.py", dir / "candidate.json.gz", *MODEL, *change)
        except subprocess.CalledProcessError:
            assert (dir / "candidate.json.gz").exists(), "a simulated allocator that ends without a snapshot"
        return [dir / "baseline.json.gz"], [dir / "candidate.json.gz"]
    template = pathlib.Path(SHARED) / "data" / RECORDINGS[of]
    for side, seed, options in (("baseline", 1, []), ("candidate", 2, change)):
        generator("make_ranks.py", template, dir / side, "--world-size", 8, "--steps", 5, "--seed", seed,
                  "--gzip-level", 1, "--jobs", 1, *options)
    return [dir / "baseline"], [dir / "candidate"]


def judge(dir, baseline, candidate):
    # some recordings are spoiled in part, and are a baseline only if that is accepted
    spoiled = [word for finding in ("dropped-kernels", "lost-kernels", "recorded-twice", "absent-rank") for word in ("--accept", finding)]
    subprocess.run([PROGRAM, "approve", "--new", *baseline, "--baseline", dir / "base", *spoiled], check=True,
                   capture_output=True)
    p = subprocess.run([PROGRAM, "check", *candidate, "--baseline", dir / "base", "--json", dir / "result"],
                       capture_output=True, text=True, check=False)
    assert p.returncode in (0, 1, 3), p.stdout + p.stderr
    return p.returncode, json.loads((dir / "result").read_text(encoding="utf-8"))


def place_of(case, findings):
    """Index of the finding that names the planted cause; None if there is none."""
    for i, f in enumerate(findings):
        words = f["title"] + " " + " ".join(w["name"] for w in f["where"]) + " " + " ".join(f["evidence"])
        if f["finding"] in case[3] and case[4].lower() in words.lower():
            return i
    return None


def main():
    if not PROGRAM or not SHARED:
        sys.exit(77)
    places, bad = [], []
    assert len(TRACES + JOBS + SNAPSHOTS) >= 35
    # Recordings are made anew for each case. Faults of whole jobs are left to ranks.py, except with ALL_CASES.
    cases = some(TRACES + SNAPSHOTS, 18) + (JOBS if ALL else [])
    for case in part(cases):
        with tempfile.TemporaryDirectory() as dir:
            code, result = judge(pathlib.Path(dir), *make(case, pathlib.Path(dir)))
        # why a recording cannot be believed comes before all causes: some of these are spoiled in part
        findings = [f for f in result["findings"] if f["finding"] != "untrusted"]
        place = place_of(case, findings)
        line = f"{case[0]} ({case[1]}): " + ("absent" if place is None else f"place {place + 1}") + f", exit {code}"
        print(line + "".join(f"\n    {f['finding']}: {f['title']}" for f in findings[:3] if place != 0))
        places.append(place)
        # one run with slow steps, which chance may explain, only warns (docs/verdicts.md, "Findings"); three pairs of them fail
        if code == 0 and result["verdict"] != "warn":
            bad.append(line)
    first = sum(p == 0 for p in places)
    three = sum(p is not None and p < 3 for p in places)
    print(f"{len(places)} causes: {first} first, {three} in the first three; {len(bad)} with exit 0")
    # one case more than FIRST and IN_THREE allow may fail, since few cases are taken without ALL_CASES, among which the share of
    # failing ones may be larger
    if bad or first < FIRST * len(places) - 1 or three < IN_THREE * len(places) - 1:
        sys.exit("\n".join(bad) or "too few causes are named")


if __name__ == "__main__":
    main()
