#!/usr/bin/env python3
"""Bytes of operators, and their shares of what the GPU allows, are what a slow reading of the same traces gives.

The reference reads events into lists and counts by formulas of its own, one call at a time: of nested operators with a rule the
outermost, if its thread launched work during it. Laws: shares are at most 100 %, and a call is faster than memory only if what it
moves fits into the largest cache of a GPU; neither limits a call whose kernels have blocks for less than half of the GPU, and
that reaches less than half of a limit; bytes depend neither on the order of events nor on how the trace is written; with all
times doubled a share is half; a trace without shapes has no bytes. tests/prop/roofline.tsv has operators of shared traces that
were counted by hand.

$GPUGATE is the program; exit 77 skips. $GPUGATE_SHARED: shared traces, too.
"""
import bisect
import collections
import csv
import gzip
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM, SHARED = os.environ.get("GPUGATE"), os.environ.get("GPUGATE_SHARED")
TABLE = pathlib.Path(__file__).with_name("roofline.tsv")
CACHE = 256 << 20    # Infinity Cache, MI300X data sheet, AMD: the largest of the GPUs in the shared traces
GB_PER_S = {"NVIDIA H100 80GB HBM3": 3350, "AMD Instinct MI300X": 5300, "AMD Instinct MI300X VF": 5300,
            "Tesla V100-SXM2-16GB": 900, "Tesla V100-SXM2-32GB": 900, "NVIDIA A100-SXM4-80GB": 2039}
SIZES = {"float": 4, "c10::BFloat16": 2, "c10::Half": 2, "double": 8, "long int": 8, "long": 8, "int": 4, "bool": 1, "unsigned char": 1}
UNARY = """add_ mul_ sub_ neg pow silu rsqrt gelu relu_ tanh sigmoid clamp_min native_layer_norm _softmax threshold_backward tanh_backward
           cudnn_batch_norm cudnn_batch_norm_backward zero_ div_ exp sqrt""".split()
INPUTS = "copy_ fill_ sum mean".split()
WIDE = "add mul sub div".split()
# Outermost operators that the reference has no formula for, and that hide those in them.
OTHERS = """embedding argmax argmin all any amax amin norm cumsum where eq ne lt gt ge le
            masked_fill_ roll flip tril triu native_dropout maximum minimum log abs max_pool2d_with_indices
            _flash_attention_backward _efficient_attention_forward _efficient_attention_backward""".split()
CONVOLUTIONS = "convolution _convolution convolution_backward".split()
GRADIENTS = ["cudnn_convolution_backward_input", "cudnn_convolution_backward_weight"]    # of PyTorch up to 1.10
SDPA = [f"_scaled_dot_product_{kind}_attention" for kind in ("flash", "efficient", "cudnn")]
# length before heads; those of the package flash_attn take what they write
PACKED = ["_flash_attention_forward", "_flash_attention_backward", "flash_attn::_flash_attn_forward", "flash_attn::_flash_attn_backward", "FlashAttnFunc"]
ATTENTION = [*SDPA, *(f"{name}_backward" for name in SDPA), *PACKED]
FORMULAS = {*OTHERS, *CONVOLUTIONS, *GRADIENTS, *ATTENTION, "mm", "bmm", "addmm", *UNARY, *INPUTS, *WIDE}
lines = []


def expect(what, holds, *details):
    if not holds:
        lines.append(f"{what}: {' '.join(map(str, details))}")


def tensors(args):
    """(shape, bytes of an element, bytes that are read, is real) of each input; None of what is not a tensor."""
    dims, types = args.get("Input Dims", args.get("Input dims")) or [], args.get("Input type") or []
    strides = args.get("Input Strides") or [None] * len(dims)
    found = []
    for shape, kind, steps in zip(dims, types, strides):
        size = SIZES.get(kind)
        if size is None:
            if shape:
                return None
            found.append(None)
            continue
        read = math.prod(n for i, n in enumerate(shape) if not (steps and len(steps) == len(shape) and steps[i] == 0))
        found.append((shape, size, size * read, kind in ("float", "double") or kind.startswith("c10::")))
    return found


def broadcast(shapes):
    width = max(map(len, shapes), default=0)
    padded = [[1] * (width - len(s)) + s for s in shapes]
    return math.prod(0 if 0 in column else max(column) for column in zip(*padded))


def of_forward(found, out):
    """Bytes and operations of a convolution whose output is as large as its gradient."""
    x, w, *rest = found[:3]
    return sum(t[2] for t in (x, w, *rest) if t) + x[1] * math.prod(out), 2 * out[0] * math.prod(out[2:]) * math.prod(w[0])


def of_convolution(base, found, stated):
    """Bytes and operations of a convolution, or of its backward, from what is written of its inputs."""
    if len(stated) < 9 or base.endswith("backward") and len(stated) < 11:
        return None, None
    back = base.endswith("backward")
    (grad, x, w), rest = (found[:3], []) if back else ((None, *found[:2]), found[2:3])
    stride, padding, dilation, transposed, more, groups = (json.loads(stated[i + back].lower()) for i in range(3, 9))
    space = []
    for i, (n, k) in enumerate(zip(x[0][2:], w[0][2:])):
        s, p, d, m = (v[i if len(v) > 1 else 0] for v in (stride, padding, dilation, more or [0]))
        space.append((n - 1) * s - 2 * p + d * (k - 1) + m + 1 if transposed else (n + 2 * p - d * (k - 1) - 1) // s + 1)
    out = [x[0][0], w[0][1] * groups if transposed else w[0][0], *space]
    assert not back or out == grad[0], (out, grad)
    flops = 2 * x[0][0] * math.prod(x[0][2:] if transposed else space) * math.prod(w[0])
    if not back:
        return sum(t[2] for t in (x, w, *rest) if t) + x[1] * math.prod(out), flops
    wanted = json.loads(stated[10].lower())
    written = [math.prod(x[0]), math.prod(w[0]), out[1]]
    return grad[2] + x[2] + w[2] + x[1] * sum(n for n, asked in zip(written, wanted) if asked), flops * sum(wanted[:2])


def of_attention(name, found):
    """Two products forward; five backward, of which two are with the values."""
    back = name.endswith("backward")
    q, k, v = found[back:back + 3]
    if not all(t and len(t[0]) == 4 for t in (q, k, v)):
        return None, None
    length = 1 if name in PACKED else 2
    written = [math.prod(t[0]) for t in (q, k, v)] if back else [math.prod(q[0][:3]) * v[0][3]]
    if name.startswith("flash_attn::") and back:
        written = []
    products = (3 * q[0][3] + 2 * v[0][3]) if back else q[0][3] + v[0][3]
    return sum(t[2] for t in found if t) + q[1] * sum(written), 2 * math.prod(q[0][:3]) * k[0][length] * products


def count(name, args, around=None, out=None):
    """Bytes of one call, and operations or None; None if the reference has no formula or the shapes do not tell. Parts of a
    backward have the inputs of the call around them."""
    base, found = name.removeprefix("aten::"), tensors((around or args) if name.removeprefix("aten::") in GRADIENTS else args)
    if base in ATTENTION and found and len(found) > 2:
        return of_attention(base, found)
    if base in CONVOLUTIONS and found and len(found) > 2 and found[0] and found[1]:
        return of_forward(found, out) if out and "Concrete Inputs" not in args else of_convolution(base, found, args.get("Concrete Inputs", []))
    if base in GRADIENTS:
        known = around and found and all(found[:3])
        x, grad, w = found[:3] if known else 3 * [None]
        return (x[2] + grad[2] + w[2], 2 * math.prod(grad[0][:1] + grad[0][2:]) * math.prod(w[0])) if known else (None, None)
    return moved(name, base, args, found), None


def moved(name, base, args, found):
    if not name.startswith("aten::") or not found or len(str(args)) > 600:
        return None
    known = [t for t in found if t]
    if base in ("mm", "bmm", "addmm"):
        first = base == "addmm"
        if len(found) < first + 2 or not all(found[:first + 2]):
            return None
        a, b = found[first], found[first + 1]
        if a[0][-1] != b[0][-2]:
            return None
        return sum(t[2] for t in found[:first + 2]) + a[1] * math.prod(a[0][:-1]) * b[0][-1]
    if base in INPUTS:
        return sum(t[2] for t in known)
    if base in UNARY:
        return sum(t[2] for t in known) + (found[0][2] if found[0] else 0)
    if base in WIDE and found[0]:
        ranked = [t for t in known if t[0]] or [found[0]]
        size = max(ranked, key=lambda t: (t[3], t[1]))[1]
        return sum(t[2] for t in known) + size * broadcast([t[0] for t in known])
    return None


def read(path):
    data = path.read_bytes()
    text = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    return text["traceEvents"] if isinstance(text, dict) else text


def reference(events):
    """[(operator, bytes, operations, GPU time)] of the outermost calls that launched work in a step, or anywhere where there are no steps."""
    threads, launches, work = collections.defaultdict(list), {}, collections.defaultdict(list)
    for e in events:
        cat, args = str(e.get("cat")).lower(), e.get("args") or {}
        if e.get("ph") != "X":
            continue
        at = e.get("pid"), e.get("tid")
        if cat in ("cpu_op", "operator"):
            threads[at].append((e["ts"], e["ts"] + e.get("dur", 0), e["name"], args))
        elif cat in ("cuda_runtime", "cuda_driver", "runtime"):
            launches[args.get("correlation")] = at, e["ts"]
        elif cat in ("kernel", "gpu_memcpy", "gpu_memset"):
            work[args.get("correlation")].append((e["dur"], cat == "gpu_memcpy" and "DtoD" not in e["name"].replace(" ", "")
                                                  and "Device -> Device" not in e["name"]))
    begun = collections.defaultdict(list)
    outputs = {e["args"]["Sequence number"]: e["args"]["Input Dims"][0] for e in events if e.get("name") == "CudnnConvolutionBackward"
               and {"Sequence number", "Input Dims"} <= e["args"].keys()}
    for key, (at, ts) in launches.items():
        for dur, link in work.get(key, ()):
            begun[at].append((ts, dur, link))
    calls = []
    marks = [(e["ts"], e["ts"] + e.get("dur", 0)) for e in events if e.get("ph") == "X" and str(e.get("name")).startswith("ProfilerStep#")
             and str(e.get("cat")).lower() in ("user_annotation", "cpu_op", "operator")]
    for at, ops in threads.items():
        begun[at].sort()
        covered, around, until = -math.inf, None, -math.inf
        for start, end, name, args in sorted(ops, key=lambda o: (o[0], -o[1])):
            if name == "aten::cudnn_convolution_backward":
                around, until = args, end
            if name.removeprefix("aten::") not in FORMULAS or end <= covered:
                continue
            covered = max(covered, end)
            if marks and not any(a <= start < b for a, b in marks):
                continue
            low = bisect.bisect_left(begun[at], (start,))
            inside = begun[at][low:bisect.bisect_left(begun[at], (end,))]
            if inside and not any(link for *_, link in inside):
                calls.append((name, *count(name, args, around if end <= until else None, outputs.get(args.get("Sequence number"))), 1000 * sum(d for _, d, _ in inside)))
    return calls


def digest(path, folder):
    out = folder / "digest.json"
    p = subprocess.run([PROGRAM, "digest", path, "-o", out], capture_output=True, check=False)
    expect(path.name, p.returncode == 0, p.stderr.decode())
    return json.loads(out.read_text()) if p.returncode == 0 else {"flops": []}


def rows(d):
    return {(r["op"], r["type"]): r for r in d.get("flops", [])}


def totals(d):
    found = collections.defaultdict(lambda: [0, 0, 0, 0])
    for r in d.get("flops", []):
        for i, key in enumerate(("bytes", "unsized", "sized_ns", "flops")):
            found[r["op"]][i] += r.get(key, 0)
    return found


def check_shares(name, d):
    for r in d.get("flops", []):
        ns = r.get("sized_ns", 0)
        expect(f"{name}: {r['op']}", r.get("moved_ns", 0) <= ns and r.get("roof_ns", 0) <= ns, "more than all of its time", r)
        expect(f"{name}: {r['op']}", r.get("memory_ns", 0) + r.get("compute_ns", 0) + r.get("short_ns", 0) <= ns, "parts", r)


def random_trace(seed, gpu="NVIDIA H100 80GB HBM3", scale=1, shapes=True):
    rng = random.Random(seed)
    events, now = [], 1000
    for i in range(40):
        kind = rng.choice(["mm", "addmm", "bmm", *UNARY, *INPUTS, *WIDE])
        dtype = rng.choice(["float", "c10::BFloat16", "c10::Half", "long int", "bool"])
        n = [rng.randint(1, 300) for _ in range(4)]
        if kind in ("mm", "addmm", "bmm"):
            dims = [[n[3]] * (kind == "bmm") + n[:2], [n[3]] * (kind == "bmm") + n[1:3]]
            dims = [[n[2]], *dims] if kind == "addmm" else dims
        else:
            dims = [n[:3], rng.choice([n[:3], n[1:3], [1, n[2]], []])][:1 if kind in UNARY else 2]
        strides = [[0 if rng.random() < 0.1 else 1 for _ in d] for d in dims]
        args = {"Input Dims": dims, "Input type": [dtype] * len(dims), "Input Strides": strides} if shapes else {}
        events += [{"ph": "X", "cat": "cpu_op", "name": f"aten::{kind}", "pid": 1, "tid": 1, "ts": now, "dur": 40 * scale, "args": args},
                   {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": now + 5 * scale,
                    "dur": scale, "args": {"correlation": i + 1}},
                   {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": now + 10 * scale,
                    "dur": rng.randint(400, 4000) * scale, "args": {"device": 0, "stream": 7, "correlation": i + 1}}]
        now += 5000 * scale
    return {"deviceProperties": [{"id": 0, "name": gpu}], "traceEvents": events}


def one_call(kind, dims, us, blocks, sms=132, grid=None, tail=False, gpu="NVIDIA H100 80GB HBM3", **inputs):
    """A trace of one call, with one kernel."""
    args = {"Input Dims": dims, "Input type": ["c10::BFloat16" if d else "" for d in dims], **inputs}
    kernel = {"device": 0, "stream": 7, "correlation": 1, "grid": grid or [blocks, 1, 1], "block": [128, 1, 1]}
    device = {"deviceProperties": [{"id": 0, "name": gpu, "numSms": sms}]}
    events = [{"ph": "X", "cat": "cpu_op", "name": kind if ":" in kind or kind[0] == "F" else f"aten::{kind}", "pid": 1, "tid": 1, "ts": 0, "dur": 40, "args": args},
              {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 5, "dur": 1, "args": {"correlation": 1}},
              {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10, "dur": us, "args": kernel}]
    return {"traceEvents": events, **device} if tail else {**device, "traceEvents": events}


def check_report(name, path):
    """No share that a report shows is above 100 %: of the bandwidth, of the roofline, of the peak, of the time; except of a peak
    that the report says is wrong."""
    r = json.loads(subprocess.run([PROGRAM, "report", path, "--json", "-", "--verbose"], capture_output=True, check=False).stdout)
    shares = [(t["id"], c["name"], row[i]) for t in r["tables"] for i, c in enumerate(t["columns"]) if c["unit"] == "%" for row in t["rows"]]
    shares += [(m["metric"], m.get("op"), s["value"]) for m in r["figures"]["metrics"] if m["unit"] == "%" for s in m.get("samples", [m])]
    reason = any("beyond-peak" in json.dumps(t) for t in r["trust"])
    for share in shares:
        expect(name, not share[2] or share[2] <= 100 or reason and "peak" in f"{share[0]} {share[1]}", *share)
    return len(shares), reason


def limit_of(row):
    limits = {k: row.get(f"{v}_ns", 0) for k, v in (("memory", "memory"), ("compute", "compute"), ("latency", "short"))}
    return max(limits, key=limits.get) if any(limits.values()) else None


def check_blocks(folder):
    path, shape = folder / "blocks.json", [[4000, 1000], [4000, 1000]]    # 24 MB: 7.2 us of an H100's memory
    product = [[4096, 4096], [4096, 4096]]    # 139 us of its arithmetic
    for want, trace in (("latency", one_call("add", shape, 100, 65)), ("memory", one_call("add", shape, 100, 66)),
                        ("latency", one_call("add", shape, 100, 1, tail=True)), ("memory", one_call("add", shape, 14, 1)),
                        ("latency", one_call("add", shape, 100, 0, grid=[5, 13, 1])), ("memory", one_call("add", shape, 100, 0, grid=[1, 6, 11])),
                        ("memory", one_call("add", shape, 100, 0, grid=[1 << 31, 1 << 31, 4])), ("memory", one_call("add", shape, 100, 0, grid=[0, 1, 1])),
                        ("memory", one_call("add", shape, 100, 1, sms=0)), ("latency", one_call("mm", product, 300, 65)),
                        ("compute", one_call("mm", product, 300, 66)), ("compute", one_call("mm", product, 270, 65))):
        path.write_text(json.dumps(trace))
        flops, grid = digest(path, folder)["flops"], trace["traceEvents"][2]["args"]["grid"]
        expect("blocks", len(flops) == 1 and limit_of(flops[0]) == want, grid, want, flops)


def check_fast(folder):
    """A product in less than the peak allows."""
    path, trace = folder / "fast.json", one_call("mm", [[4096, 4096], [4096, 4096]], 50, 200)
    step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#0", "pid": 1, "tid": 1, "ts": 0, "dur": 60}
    path.write_text(json.dumps({**trace, "traceEvents": [step, *trace["traceEvents"]]}))
    expect("fast", check_report("fast", path)[1], "beyond the peak, and not said")


def check_large(folder):
    """Convolutions and attention of random shapes, one call each."""
    rng, path = random.Random(7), folder / "large.json"
    for i in range(120):
        kind, n = rng.choice([*CONVOLUTIONS, *ATTENTION]), [rng.randint(1, 9) for _ in range(12)]
        back, texts = kind.endswith("backward"), None
        if kind in CONVOLUTIONS:
            turned, groups, rank = rng.random() < 0.3, rng.randint(1, 3), rng.randint(1, 3)
            kernel, stride, dilation = ([rng.randint(1, 3) for _ in range(rank)] for _ in range(3))
            padding, more = [rng.randint(0, 1) for _ in range(rank)], [0] * rank
            x = [n[0], groups * n[1], *(rng.randint(7, 40) for _ in range(rank))]
            w = [groups * n[1], n[2], *kernel] if turned else [groups * n[2], n[1], *kernel]
            out = [x[0], groups * n[2], *((a - 1) * s - 2 * p + d * (k - 1) + 1 if turned else (a + 2 * p - d * (k - 1) - 1) // s + 1
                                          for a, k, s, p, d in zip(x[2:], kernel, stride, padding, dilation))]
            dims = [out, x, w, *[[]] * 8] if back else [x, w, rng.choice([[out[1]], []]), *[[]] * 6]
            wanted = [rng.random() < 0.7, True, rng.random() < 0.5]
            texts = [*map(str, (stride, padding, dilation, turned, more, groups)), str(wanted)]
            texts = ["", "", "", "[0]", *texts] if back else ["", "", "", *texts[:6]]
        else:
            q, k = [n[0], n[1], 10 * n[2], 8 * n[4]], [n[0], n[1], 10 * n[3], 8 * n[4]]
            v, out = [*k[:3], 8 * n[5]], [*q[:3], 8 * n[5]]
            dims = [out, q, k, v, out, q[:3], *([q, k, v] if ":" in kind else [])] if back else [q, k, v, rng.choice([[], [n[0], n[1], q[2], k[2]]] if "efficient" in kind or "cudnn" in kind else [[]])]
            dims = [d if len(d) < 3 or kind not in PACKED else [d[0], d[2], d[1], *d[3:]] for d in dims]
        strides = [[0 if rng.random() < 0.05 else 1 for _ in d] for d in dims]
        trace = one_call(kind, dims, 1000, 200, **{"Input Strides": strides, **({"Concrete Inputs": texts} if texts else {})})
        path.write_text(json.dumps(trace))
        (name, want, flops, _), rows_of = reference(trace["traceEvents"])[0], digest(path, folder).get("flops", [])
        expect(f"large {i}", [(name, want, flops)] == [(r["op"], r["bytes"] if not r.get("unsized") else None, r["flops"]) for r in rows_of], name, want, flops, rows_of, dims, texts)


def check_random(folder):
    path = folder / "random.json"
    for seed in range(20):
        trace = random_trace(seed)
        path.write_text(json.dumps(trace))
        d = digest(path, folder)
        check_shares(f"seed {seed}", d)
        want = collections.Counter()
        for name, moved, *_ in reference(trace["traceEvents"]):
            want[name] += moved
        got = {op: t[0] for op, t in totals(d).items()}
        expect(f"seed {seed}", got == dict(want), {k: (got.get(k), want[k]) for k in want if got.get(k) != want[k]})
        random.Random(seed).shuffle(trace["traceEvents"])
        path.write_text(json.dumps(trace, indent=3))
        expect(f"seed {seed}: order and form", digest(path, folder).get("flops") == d.get("flops"))
        path.write_text(json.dumps(random_trace(seed, scale=2)))
        for key, twice in rows(digest(path, folder)).items():
            once = rows(d)[key]
            expect(f"seed {seed}: twice as long", twice["sized_ns"] == 2 * once["sized_ns"] and twice["bytes"] == once["bytes"]
                   and (once.get("moved_ns", 0) == once["sized_ns"] or abs(twice.get("moved_ns", 0) - once.get("moved_ns", 0)) <= 1), key, once, twice)
        path.write_text(json.dumps(random_trace(seed, shapes=False)))
        expect(f"seed {seed}: no shapes", not digest(path, folder).get("flops"))


def check_shared(folder):
    table = list(csv.DictReader(TABLE.read_text().splitlines(), delimiter="\t"))
    shares = 0
    for path in sorted(pathlib.Path(SHARED, "data/traces").glob("*.json*")):
        if path.name.startswith(("nottrace", "chrome", "cpuonly-gloo", "mtia")):
            continue
        d = digest(path, folder)
        check_shares(path.name, d)
        shares += check_report(path.name, folder / "digest.json")[0]
        gpu = next((e["value"] for e in d.get("env", []) if e["key"] == "gpu.name"), "") if isinstance(d.get("env"), list) else d.get("env", {}).get("gpu.name", "")
        calls, want, work, unknown = reference(read(path)), collections.Counter(), collections.Counter(), set()
        for name, moved, flops, ns in calls:
            want[name] += moved or 0
            work[name] += flops or 0
            unknown |= {name} if moved is None else set()
            if moved and ns and gpu in GB_PER_S and moved / ns > GB_PER_S[gpu]:
                expect(f"{path.name}: {name}", moved <= CACHE, "faster than memory, and does not fit into a cache:", moved, ns)
        got, compared, known = totals(d), 0, set()
        for op, (moved, unsized, _, flops) in got.items():
            if op in want and op not in unknown and not unsized and (d["window"] or d["usable_steps"] == d["total_steps"]):
                compared += 1
                expect(f"{path.name}: {op}", moved == want[op] and work[op] in (0, flops), moved, flops, "not", want[op], work[op])
                known |= {op} & {"aten::" + n for n in (*CONVOLUTIONS, *GRADIENTS, *ATTENTION)}
        for row in table:
            if row["trace"] == path.name:
                found = rows(d).get((row["operator"], row["type"]), {})
                expect(f"{path.name}: {row['operator']}", found.get("bytes") == int(row["bytes"]), found.get("bytes"), "not", row["bytes"])
                expect(f"{path.name}: {row['operator']}", limit_of(found) == row["limit"], found, row["limit"])
        print(f"{path.name}: {compared} operators compared", *sorted(known))
    print(shares, "shares")
    expect("shares", shares > 100, shares)


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        check_blocks(pathlib.Path(name))
        check_large(pathlib.Path(name))
        check_fast(pathlib.Path(name))
        check_random(pathlib.Path(name))
        if SHARED:
            check_shared(pathlib.Path(name))
    print("\n".join(lines[:40]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
