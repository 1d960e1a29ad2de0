#!/usr/bin/env python3
"""Floating-point operations equal exactly those of PyTorch's counter for the same shapes.

A reference of few lines (_flops_reference.py) reads the same traces. It counts the operators that torch.utils.flop_counter
knows, if their thread launched work for a GPU; of such operators nested in one another, only the outermost. The traces are
random (calls nested in each other, on several threads, with shapes that do not fit, in any order of the file) and, if
$GPUGATE_SHARED is set, shared; several shared ones were recorded with with_flops=True, which adds no figure. The rates and
shares of the metrics follow from the sums, and are absent if a part of the sum is unknown.

$GPUGATE is the program; exit 77 skips.
"""
import gzip
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from _flops_reference import reference
from _reference import differences, recordings

PROGRAM = os.environ.get("GPUGATE")
REFERENCE = pathlib.Path(__file__).with_name("_flops_reference.py")
lines = []

# --- The program ------------------------------------------------------------------------------------------------


def gpugate(*args):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False)
    if p.returncode:
        sys.exit(f"exit {p.returncode}: gpugate {' '.join(map(str, args))}\n{p.stderr.decode()}")
    return p.stdout


def digest(path, out):
    gpugate("digest", path, "-o", out)
    return json.loads(out.read_text())


def metrics(path, *args):
    return {m["metric"]: m for m in json.loads(gpugate("metrics", path, "--json", "-", *args))["metrics"]}


def compare(path, folder, context=(), keep=False):
    d = digest(path, folder / "digest.json")
    got = {f"{r['op']} {r['type']}": [r["count"], r["flops"], r["uncounted"], r["gpu_ns"]] for r in d.get("flops", []) if r["count"] or r["uncounted"]}
    if d["window"] or d["usable_steps"] == d["total_steps"]:    # only digests of all steps: the reference counts steps that a digest leaves out
        lines.extend(f"{path.name}: {line}" for line in differences([REFERENCE], path, got, lambda: reference(path), keep))
    check_metrics(path, d, got, context)
    return len(got)


def check_metrics(path, d, got, context):
    found = metrics(path, *context)
    total, unknown = sum(r[1] for r in got.values()), sum(r[2] for r in got.values())
    expected = total / d["usable_steps"] if total and not unknown and d["usable_steps"] else None
    value = found.get("flops.per_step", {}).get("value")
    if (value is None) != (expected is None) or (value is not None and abs(value - expected) > 1):
        lines.append(f"{path.name}: flops.per_step is {value}, not {expected}")
    rate = found.get("flops.per_s", {}).get("value")
    if value is None or d["window"]:
        if rate is not None or "flops.peak_pct" in found:
            lines.append(f"{path.name}: a rate of {rate} without operations or steps")
        return
    usable = {s["step"] for s in found["step.time"]["samples"][: d["usable_steps"]]}
    periods = [s["value"] for s in found.get("step.period", {"samples": []})["samples"] if s["step"] in usable]
    if not any(periods):
        if rate is not None:
            lines.append(f"{path.name}: a rate of {rate} without a period")
        return
    step = statistics.median(periods)
    if abs(rate - value * 1e9 / step) > 1e-6 * rate + 1:
        lines.append(f"{path.name}: flops.per_s is {rate}, not {value * 1e9 / step}")
    if context:
        share = found["flops.peak_pct"]["value"]
        if abs(share - 100 * rate / 5e11) > 1e-6 + 1e-5 * share:
            lines.append(f"{path.name}: flops.peak_pct is {share}, not {100 * rate / 5e11}")


# --- Random traces ------------------------------------------------------------------------------------------------


def random_inputs(rng):
    """Name and args of an operator's event: a random kind of operator, mostly with valid shapes of its inputs."""
    n = lambda top=9: rng.randint(1, top)
    kind = rng.randrange(8)
    dtype = rng.choice(["float", "c10::Half", "c10::BFloat16", "double", "Scalar"])
    concrete = None
    if kind <= 2:
        m, k, j, b = n(), n(), n(), n()
        batch = [b] if rng.random() < 0.5 else []
        dims, name = [[*batch, m, k], [*batch, k, j]], "bmm" if batch else "mm"
        if rng.random() < 0.3:
            dims, name = [[j], *dims, [], []], {"bmm": "baddbmm", "mm": "addmm"}[name]
        if rng.random() < 0.1:
            dims[-1] = [n(), n()]
    elif kind == 3:
        b, h, s, k, d, v = (n() for _ in range(6))
        dims = [[b, h, s, d], [b, h, k, d], [b, h, k, v], [], []]
        name = rng.choice(["flash", "efficient", "cudnn"])
        name = f"_scaled_dot_product_{name}_attention"
        if rng.random() < 0.5:
            name, dims = name + "_backward", [[b, h, s, v], *dims]
    elif kind in (4, 5):
        space, out = rng.randint(1, 3), n()
        x = [n(), n(), *(rng.randint(8, 12) for _ in range(space))]
        transposed = rng.random() < 0.3
        w = [*((x[1], out) if transposed else (out, x[1])), *(n(3) for _ in range(space))]
        lists = [[n(3) for _ in range(space)], [n(2) for _ in range(space)], [n(2) for _ in range(space)]]
        concrete = ["", "", "", *map(str, lists), str(transposed), str([0] * space), "1"]
        dims, name = [x, w, [out], [], [], [], [], [], []], rng.choice(["convolution", "_convolution"])
        if kind == 5:
            mask = [rng.random() < 0.7, rng.random() < 0.7, True]
            grad = [x[0], out, *(n() for _ in range(space))]
            dims, name = [grad, x, w, *[[]] * 8], "convolution_backward"
            concrete = ["", "", "", "[0]", *map(str, lists), str(transposed), str([0] * space), "1", str(mask)]
        if rng.random() < 0.1:
            concrete = None
    elif kind == 6:
        return f"triton_{rng.choice(['poi', 'tem'])}_fused_mm_{n()}", {
            "Input Dims": [[n()]], "Input type": [dtype], **({"kernel_flop": rng.randint(0, 99)} if rng.random() < 0.9 else {})}
    else:
        name, dims = rng.choice(["linear", "matmul", "add"]), [[n(), n()]]
    args = {"Input Dims": dims, "Input type": [dtype] * len(dims)}
    if concrete:
        args["Concrete Inputs"] = concrete
    return "aten::" + name, args


def random_trace(seed, shapes=True):
    rng = random.Random(seed)
    events, now, correlation = [], 1000, 0
    for step in range(rng.randint(2, 5)):
        begin = now
        for _ in range(rng.randint(1, 12)):
            tid, start = rng.choice([1, 2, 3]), now
            for depth in range(rng.randint(1, 4)):
                name, args = random_inputs(rng)
                events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": tid, "ts": start + depth,
                               "dur": 40 - 2 * depth, "args": args if shapes else {}})
            for _ in range(rng.choice([0, 1, 1, 2])):
                correlation += 1
                launcher = tid if rng.random() < 0.9 else rng.choice([1, 2, 3])
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": launcher,
                               "ts": start + rng.randint(0, 45), "dur": 1, "args": {"correlation": correlation}})
                events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": now + 60, "dur": rng.randint(1, 9),
                               "args": {"device": 0, "stream": 7, "correlation": correlation}})
            now += 50
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": begin,
                       "dur": now - begin, "args": {}})
    if seed % 7 == 0:
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, "ts": 1001, "dur": 1,
                       "args": {"correlation": 99999}})
    rng.shuffle(events)
    return {"with_flops": 1, "record_shapes": int(shapes), "traceEvents": events}


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rows = 0
        for seed in range(60):
            path = folder / f"random{seed}.json"
            path.write_text(json.dumps(random_trace(seed)))
            rows += compare(path, folder, ("--context", "peak_tflops=0.5"))
        if rows < 200:
            lines.append(f"only {rows} rows were compared")
        bare = folder / "random-bare.json"
        bare.write_text(json.dumps(random_trace(1, shapes=False)))
        if "flops" in digest(bare, folder / "digest.json"):
            lines.append("a trace without shapes has operations")
        print(f"random traces: {rows} rows of operators")
        flagged, traces = 0, recordings("traces", "*.json*")
        for path in traces:
            if path.name.startswith(("nottrace", "chrome", "cpuonly-gloo")):
                continue
            text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            if b'"with_flops": 1' in text:
                flagged += 1
                if b'flops"' in text.replace(b'"with_flops"', b""):
                    lines.append(f"{path.name}: the profiler's own counts are in it after all")
            rows = compare(path, folder, keep=True)
            print(f"{path.name}: {rows} rows")
        if traces and not flagged:
            lines.append("no shared trace was recorded with with_flops=True")
    print("\n".join(lines[:40]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
