"""Floating-point operations of the operators of a trace, from their shapes."""
import ast
import collections
import fractions
import gzip
import json
import math

TYPES = {"double": "float64", "float": "float32", "c10::Half": "float16", "c10::BFloat16": "bfloat16"}
# calls of PyTorch up to 1.10, whose shapes are those of the call around them
AROUND, GRADIENTS = "aten::cudnn_convolution_backward", ["aten::cudnn_convolution_backward_input", "aten::cudnn_convolution_backward_weight"]
# attention with lengths before heads
PACKED = ["aten::_flash_attention_forward", "aten::_flash_attention_backward", "flash_attn::_flash_attn_forward",
          "flash_attn::_flash_attn_backward", "FlashAttnFunc"]
STEP_CATEGORIES = ("user_annotation", "cpu_op", "operator")
LIMIT = 1 << 63
lines = []

# --- The reference: shapes -> operations, None where they do not tell -------------------------------------------


def product(a, b):
    if len(a) not in (2, 3) or len(a) != len(b) or a[-1] != b[-2] or a[:-2] != b[:-2]:
        return None
    return 2 * math.prod(a) * b[-1]


def convolution(x, w, stride, padding, dilation, transposed):
    if transposed:
        space = x[2:]
    else:
        space = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(x[2:], w[2:], stride, padding, dilation)]
    return 2 * x[0] * math.prod(space) * math.prod(w)


def attention(q, k, v, passes, length=2):
    if not len(q) == len(k) == len(v) == 4 or q[0] != k[0] or q[3] != k[3] or k[length] != v[length]:
        return None
    return 2 * q[0] * q[1] * q[2] * k[length] * (passes[0] * q[3] + passes[1] * v[3])


def count(name, args):
    """(operations, index of the input whose type counts), or None of an operator that is not counted."""
    dims = args.get("Input Dims", args.get("Input dims")) or []
    concrete = [ast.literal_eval(c) if c and c[0] in "[TF" else c for c in args.get("Concrete Inputs") or []]
    first = {"addmm": 1, "baddbmm": 1}.get(name.removeprefix("aten::"), 0)
    try:
        if name in ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::_scaled_mm"):
            return product(dims[first], dims[first + 1]), first
        if name in ("aten::convolution", "aten::_convolution"):
            return convolution(dims[0], dims[1], *concrete[3:6], concrete[6]) if len(concrete) > 6 else None, 0
        if name == "aten::convolution_backward":
            if len(concrete) < 11:
                return None, 0
            out, x, w = dims[:3]
            space = x[2:] if concrete[7] else out[2:]
            return sum(concrete[10][:2]) * 2 * x[0] * math.prod(space) * math.prod(w), 0
        if name.startswith("aten::_scaled_dot_product_") and name.endswith("_attention"):
            return attention(*dims[:3], (1, 1)), 0
        if name.startswith("aten::_scaled_dot_product_") and name.endswith("_attention_backward"):
            return attention(*dims[1:4], (3, 2)), 1
        if name in PACKED:
            back = name.endswith("backward")
            return attention(*dims[back:back + 3], (3, 2) if back else (1, 1), 1), int(back)
    except (IndexError, TypeError):
        return None, first
    if name in GRADIENTS:
        return None, 1
    if name == "aten::_efficient_attention_forward":
        return None, 0
    if name == "aten::_efficient_attention_backward":
        return None, 1
    if name.startswith("triton_"):
        flops = args.get("kernel_flop") or 0
        return (None if name.startswith("triton_tem_") and not flops else flops), 0
    return None


def ns(text):
    return int(fractions.Fraction(str(text)) * 1000)


def reference(path):
    """{"operator type": [calls, operations, not counted, GPU time]} of what begins in steps, where there are any."""
    data = path.read_bytes()
    events = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data, parse_float=str)
    events = events["traceEvents"] if isinstance(events, dict) else events
    threads = collections.defaultdict(list)
    launches, earliest, kernels, shapes, graphs = collections.defaultdict(list), {}, [], False, 0
    marks = [(ns(e["ts"]), ns(e["ts"]) + ns(e.get("dur", 0))) for e in events if e.get("ph") == "X"
             and str(e.get("name")).startswith("ProfilerStep#") and str(e.get("cat")).lower() in STEP_CATEGORIES]
    inside = lambda t: not marks or any(first <= t < last for first, last in marks)
    for e in events:
        cat, args = str(e.get("cat", "")).lower(), e.get("args") or {}
        if e.get("ph") != "X" or "ts" not in e:
            continue
        at = (e.get("pid"), e.get("tid"))
        start = ns(e["ts"])
        if cat in ("cpu_op", "operator"):
            end = start + max(0, ns(e.get("dur", 0)))
            threads[at].append((start, -end, len(threads[at]), e["name"], args))
            shapes = shapes or bool(args.get("Input Dims") or args.get("Input dims"))
        elif cat in ("cuda_runtime", "cuda_driver", "runtime"):
            graphs += "GraphLaunch" in e["name"] and inside(start)
            if "correlation" in args:
                key = str(args["correlation"])
                if key not in earliest or start < earliest[key][0]:
                    earliest[key] = (start, at)
        elif cat in ("kernel", "gpu_memcpy", "memcpy", "gpu_memset", "memset"):
            kernels.append((str(args.get("correlation")), max(0, ns(e.get("dur", 0)))))
    outputs = {e["args"]["Sequence number"]: e["args"]["Input Dims"][0] for e in events if e.get("name") == "CudnnConvolutionBackward"
               and {"Sequence number", "Input Dims"} <= e["args"].keys()}
    for key, dur in kernels:
        if key in earliest:
            launches[earliest[key][1]].append((earliest[key][0], dur))
    rows, known = collections.defaultdict(lambda: [0, 0, 0, 0]), False
    for at, ops in threads.items():
        stack = []
        for start, end, _, name, args in sorted(ops, key=lambda o: o[:3]):
            end = -end
            while stack and (stack[-1][0] <= start or stack[-1][0] < end):
                stack.pop()
            covered = bool(stack) and stack[-1][1]
            counted, lent = count(name, args), stack[-1][2] if stack else None
            out = outputs.get(args.get("Sequence number"))
            if name in ("aten::convolution", "aten::_convolution") and counted[0] is None and out:
                counted = 2 * out[0] * math.prod(out[2:]) * math.prod(args["Input Dims"][1]), 0
            if name in GRADIENTS and lent and (lent.get("Input Dims") or lent.get("Input dims")):
                (_, grad, w), args = (lent.get("Input Dims") or lent["Input dims"])[:3], lent
                counted = 2 * grad[0] * math.prod(grad[2:]) * math.prod(w), 0
            stack.append((end, covered or counted is not None, args if name == AROUND else lent))
            if counted is None or covered or not inside(start) or counted[0] == 0:
                continue
            times = [dur for t, dur in launches[at] if start <= t < end]
            if not times:
                continue
            types = args.get("Input type") or []
            kind = TYPES.get(types[counted[1]] if len(types) > counted[1] else "", "other")
            row = rows["triton" if name.startswith("triton_") else name, kind]
            if counted[0] is None or counted[0] >= LIMIT:
                row[2] += 1
            else:
                row[0] += 1
                row[1] += counted[0]
                known = True
            row[3] += sum(times)
    if not shapes and not known:
        return {}
    if graphs:
        rows["GPU graphs", "other"] = [0, 0, graphs, 0]
    return {" ".join(key): row for key, row in rows.items()}
