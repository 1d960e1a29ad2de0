"""What a trace says of collectives and progress: slow and plain."""
import decimal
import gzip
import json
import re
import statistics

COMM = ("nccl", "rccl", "msccl", "nvshmem", "cross_device_reduce", "oneccl", "deep_ep", "deepep")
KINDS = [
    ("barrier", r"barrier"), ("reduce_scatter", r"reduce_?scatter"), ("all_reduce", r"all_?reduce|cross_device_reduce"),
    ("all_gather", r"all_?gather"), ("all_to_all", r"all_?to_?all"), ("send_recv", r"send_?recv"),
    ("broadcast", r"broadcast"), ("gather", r"gather"), ("scatter", r"scatter"), ("send", r"send"), ("recv", r"recv"),
    ("reduce", r"reduce"),
]
ORDER = ["other", "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather",
         "scatter", "send", "recv", "send_recv", "barrier"]
SIZES = {"Float": 4, "Int": 4, "Long": 8, "Double": 8, "Half": 2, "BFloat16": 2, "Byte": 1, "Char": 1, "Bool": 1}
CPP = {"float": "Float", "int": "Int", "long int": "Long", "long": "Long", "double": "Double",
       "c10::Half": "Half", "c10::BFloat16": "BFloat16", "unsigned char": "Byte", "signed char": "Char", "bool": "Bool"}
KEPT = 2000


def kind_of(name):
    head = re.split(r"[(<]", name)[0].lower()
    return next((kind for kind, pattern in KINDS if re.search(pattern, head)), "other")


def ns(us):
    return int((decimal.Decimal(us) * 1000).to_integral_value(rounding=decimal.ROUND_HALF_UP))


def ident(v):
    return None if v is None else str(v)


# --- What a trace says -----------------------------------------------------------------------------


class Trace:
    def __init__(self, events):
        self.gpu, self.launches, self.calls, self.host, self.marks = [], {}, [], [], []
        self.times = []
        for index, e in enumerate(events):
            args = e.get("args") if isinstance(e.get("args"), dict) else {}
            if e.get("ph") != "X" or "ts" not in e:
                continue
            start = ns(e["ts"])
            end = start + max(0, ns(e.get("dur", 0)))
            self.take(e, str(e.get("cat", "")).lower(), str(e.get("name", "")), args, start, end, index)
        self.steps()

    def take(self, e, cat, name, args, start, end, index):
        thread = (ident(e.get("pid")), ident(e.get("tid")))
        correlation = ident(args.get("correlation"))
        row = {"name": name, "start": start, "end": end, "thread": thread, "args": args, "index": index}
        if cat in ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"):
            row["kernel"] = cat == "kernel"
            row["comm"] = cat == "kernel" and any(c in name.lower() for c in COMM)
            self.gpu.append({**row, "correlation": correlation})
        elif cat in ("cuda_runtime", "cuda_driver", "runtime"):
            if correlation is not None:
                first = self.launches.setdefault(correlation, {"start": start, "thread": thread, "kernels": 0})
                if start < first["start"]:
                    first.update(start=start, thread=thread)
                first["kernels"] += bool(re.search(r"LaunchKernel|LaunchCooperative", name)) and "GraphLaunch" not in name
        elif cat in ("cpu_op", "operator", "user_annotation"):
            m = re.match(r"ProfilerStep#.*?(\d*)$", name)
            if m:
                self.marks.append((start, end, index, int(m.group(1) or -1)))
            else:
                self.host.append({**row, "op": cat != "user_annotation"})
        else:
            return
        self.times += [start, end]

    def steps(self):
        self.start = min(self.times, default=0)
        self.marks.sort()
        self.window = not self.marks and bool(self.times)
        numbers = [m[3] for m in self.marks]
        if len(set(numbers)) != len(numbers) or -1 in numbers:
            numbers = list(range(len(numbers)))
        self.spans = [(a, b) for a, b, _, _ in self.marks] or ([(self.start, max(self.times))] if self.window else [])
        self.numbers = numbers
        found = sum(g["correlation"] in self.launches for g in self.gpu)
        by_launch = bool(self.gpu) and 2 * found >= len(self.gpu)
        for g in self.gpu:
            g["launch"] = self.launches.get(g["correlation"])
            at = g["start"] if not by_launch else g["launch"]["start"] if g["launch"] else None
            g["step"] = 0 if self.window else next((i for i, (a, b) in enumerate(self.spans) if at is not None and a <= at < b), None)
        counts = [sum(g["step"] == i for g in self.gpu) for i in range(len(self.spans))]
        self.usable = len(counts)
        if not self.window and len(counts) >= 3 and 2 * counts[-1] < int(statistics.median(counts) + 0.5):
            self.usable -= 1


# --- Collectives -----------------------------------------------------------------------------------


def said(event):
    """(kind, group, its name, dtype, group size, bytes, whether in arguments) of a kernel or host event."""
    args, name = event["args"], event["name"]
    if args.get("Collective name"):
        description, dtype = str(args.get("Process Group Description") or ""), str(args.get("dtype") or "")
        named = str(args.get("Process Group Name") or args.get("Process Group ID", ""))
        group = named if description in ("", "undefined") else description
        dtype = CPP.get(dtype, dtype)
        nelems = max(int(args.get(key, -1)) for key in ("In msg nelems", "Out msg nelems"))
        kind = kind_of(str(args["Collective name"]))
        return (kind if kind != "other" else kind_of(name), group, named, dtype, int(args.get("Group size", -1)),
                nelems * SIZES[dtype] if nelems >= 0 and dtype in SIZES else -1, True)
    kind, dims, types = kind_of(name), args.get("Input Dims"), args.get("Input type")
    dtype, nbytes = "", -1
    if event.get("op") is False and dims and types and types[0] in CPP:
        dtype = CPP[types[0]]
        if len(dims) == len(types) == types.count(types[0]) and kind not in ("all_gather", "gather"):
            nbytes = 0
            for shape in dims:
                product = SIZES[dtype]
                for d in shape:
                    product *= d
                nbytes += product
    return kind, "", "", dtype, -1, nbytes, False


class Scopes:
    """Host events that enter a collective, and which of them an instant of a thread is in."""

    def __init__(self, host):
        self.list = [{**h, "said": said(h)} for h in host
                     if (h["op"] is False and h["name"].startswith("nccl:")) or h["args"].get("Collective name")]
        self.list = [s for s in self.list if s["said"][0] != "other"]
        self.list.sort(key=lambda s: (s["start"], -s["end"], s["index"]))
        for i, s in enumerate(self.list):
            outer = self.at(s["thread"], s["start"], self.list[:i])
            s["nested"] = outer is not None and outer["said"][0] == s["said"][0]
            if s["nested"] and outer["said"][6] and not s["said"][6]:
                s["said"] = outer["said"]

    def at(self, thread, instant, among=None):
        inside = [s for s in (self.list if among is None else among)
                  if s["thread"] == thread and s["start"] <= instant < s["end"]]
        return inside[-1] if inside else None


def collectives(trace, scopes):
    """[(start, step, kind, group, its name, dtype, size, bytes, duration)] in order of start."""
    out = []
    for g in trace.gpu:
        if not g["comm"] or g["step"] is None or g["step"] >= trace.usable:
            continue
        what = said(g)
        if not what[6] and g["launch"]:
            scope = scopes.at(g["launch"]["thread"], g["launch"]["start"])
            what = scope["said"] if scope else what
        out.append((g["start"] - trace.start, g["step"], *what[:6], g["end"] - g["start"]))
    return sorted(out)


def sums(rows):
    """{(kind, group, its name, dtype, size): [count, time, longest, bytes, count and time of those with bytes]}."""
    out = {}
    for _, _, *key, nbytes, dur in rows:
        s = out.setdefault(tuple(key), [0] * 6)
        sized = nbytes >= 0
        for i, v in enumerate((1, dur, 0, nbytes * sized, sized, dur * sized)):
            s[i] += v
        s[2] = max(s[2], dur)
    return out


def progress(trace, scopes):
    """Step, launches, collectives, pending launches since the last marker began."""
    if not trace.spans:
        return (-1, 0, 0, 0)
    since = trace.spans[-1][0]
    ended = {g["correlation"] for g in trace.gpu}
    begun = {c: l for c, l in trace.launches.items() if l["start"] >= since}
    return (-1 if trace.window else trace.numbers[-1], sum(l["kernels"] for l in begun.values()),
            sum(s["start"] >= since and not s["nested"] for s in scopes.list),
            sum(l["kernels"] for c, l in begun.items() if c not in ended))


def reference(path):
    data = path.read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8", "replace")
    document = json.loads(text, parse_float=decimal.Decimal, strict=False)
    events = document if isinstance(document, list) else document["traceEvents"]
    trace = Trace([e for e in events if isinstance(e, dict)])
    scopes = Scopes(trace.host)
    rows = collectives(trace, scopes)
    base = document.get("baseTimeNanoseconds", 0) if isinstance(document, dict) else 0
    return {"window": (trace.start + base, max(trace.times, default=0) - trace.start), "usable": trace.usable,
            "sums": sorted([*key, figures] for key, figures in sums(rows).items()), "collectives": rows[:KEPT], "cut": max(0, len(rows) - KEPT),
            "progress": progress(trace, scopes)}
