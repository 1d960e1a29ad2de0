"""Functions of a trace, slow and plain: the union of the time of each, without what higher classes cover."""
import collections
import decimal
import gzip
import json
import re

CLASSES = ["compute", "memory", "communication", "runtime", "python"]
KINDS = {"kernel": "kernel", "gpu_memcpy": "memory", "memcpy": "memory", "gpu_memset": "memory", "memset": "memory",
         "cuda_runtime": "runtime", "cuda_driver": "runtime", "runtime": "runtime", "cpu_op": "host", "operator": "host",
         "user_annotation": "host", "python_function": "python"}
COMM = "nccl rccl msccl nvshmem cross_device_reduce oneccl deep_ep deepep".split()
SIZES = {"Float": 4, "BFloat16": 2, "Half": 2, "Long": 8, "Int": 4, "Byte": 1, "Double": 8}
PART, MOST, MOST_PATHS, DEPTH = 1000, 200, 300, 128


# --- intervals, as sorted lists of disjoint pairs ---

def union(intervals):
    out = []
    for a, b in sorted(intervals):
        if b <= a:
            continue
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


def length(iv):
    return sum(b - a for a, b in iv)


def without(x, y):
    """What of `x` lies outside `y`."""
    out, k = [], 0
    for a, b in x:
        while k and y[k - 1][1] > a:
            k -= 1
        while k < len(y) and y[k][1] <= a:
            k += 1
        i = k
        while i < len(y) and y[i][0] < b:
            if y[i][0] > a:
                out.append([a, y[i][0]])
            a = max(a, y[i][1])
            i += 1
        if a < b:
            out.append([a, b])
    return out


def half_away(num, den):
    q, r = divmod(abs(num), den)
    return (q + (2 * r >= den)) * (1 if num >= 0 else -1)


def median(values):
    v = sorted(values)
    return half_away(v[(len(v) - 1) // 2] + v[len(v) // 2], 2)


def ns(us):
    return int((decimal.Decimal(us) * 1000).to_integral_value(rounding=decimal.ROUND_HALF_UP))


# --- the trace ---

Call = collections.namedtuple("Call", "kind name start end rate thread id parent")


def rate_of(kind, args, dur):
    size = 0
    if kind == "memory":
        size = int(args.get("bytes", args.get("Bytes", 0)) or 0)
    elif args.get("Collective name"):
        nelems = max(int(args.get("In msg nelems", -1)), int(args.get("Out msg nelems", -1)))
        size = nelems * SIZES.get(args.get("dtype"), 0)
    return half_away(size * 10**9, dur) if size > 0 and dur > 0 else -1


def load(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as f:
        document = json.loads(f.read().decode("utf-8", "replace"), parse_float=decimal.Decimal, strict=False)
    calls = []
    for e in document if isinstance(document, list) else document["traceEvents"]:
        if not isinstance(e, dict) or e.get("ph") != "X" or "ts" not in e:
            continue
        kind = KINDS.get(str(e.get("cat", "")).lower())
        if not kind:
            continue
        args = e.get("args") if isinstance(e.get("args"), dict) else {}
        name = str(e.get("name", ""))
        if kind == "kernel":
            kind = "communication" if any(c in name.lower() for c in COMM) else "compute"
        start, dur = ns(e["ts"]), max(0, ns(e.get("dur", 0)))
        calls.append(Call(kind, name, start, start + dur, rate_of(kind, args, dur), (str(e.get("pid")), str(e.get("tid"))),
                          args.get("Python id"), args.get("Python parent id")))
    return calls


# --- Python: who calls whom ---

def inside(x, y):
    return y.start <= x.start and x.end <= y.end


def callers_by_id(calls):
    """A list with the index of each call's caller (or None), from the ids in the trace. None instead of the list if these ids
    contradict the order or the nesting of the calls."""
    ids = [c.id for c in calls]
    if any(not isinstance(i, int) or not 0 <= i < 2**32 - 1 for i in ids) or len(set(ids)) < len(ids):
        return None
    out, chain = [], []
    for i, c in enumerate(calls):
        if i and c.start < calls[i - 1].start:
            return None
        found = [k for k in chain if calls[k].id == c.parent]
        if found:
            chain = chain[: chain.index(found[0]) + 1]
            if not inside(c, calls[chain[-1]]):
                return None
        elif c.parent in ids:
            return None
        else:
            chain = []
        out.append(chain[-1] if chain else None)
        chain.append(i)
    return out


def callers_by_time(calls):
    out, chain = [], []
    for i, c in enumerate(calls):
        while chain and (calls[chain[-1]].end <= c.start or not inside(c, calls[chain[-1]])):
            chain.pop()
        out.append(chain[-1] if chain else None)
        chain.append(i)
    return out


def python_rows(calls, window, higher):
    """Path → row; a path is a tuple of names."""
    order = {}
    for c in calls:
        order.setdefault(c.name, len(order))
    threads = collections.defaultdict(list)
    for c in calls:
        threads[c.thread].append(c)
    own, durs = collections.defaultdict(list), collections.defaultdict(list)
    for frames in threads.values():
        frames.sort(key=lambda c: (c.id if isinstance(c.id, int) else -1))
        callers = callers_by_id(frames)
        if callers is None:
            frames.sort(key=lambda c: (c.start, -c.end, order[c.name]))
            callers = callers_by_time(frames)
        callees, paths = collections.defaultdict(list), []
        for i, c in enumerate(frames):
            above = paths[callers[i]] if callers[i] is not None else ()
            if callers[i] is not None:
                callees[callers[i]].append((c.start, c.end))
            if len(above) < DEPTH:
                paths.append(above + (re.sub(r" at 0x[0-9a-fA-F]+", "", c.name),))
                durs[paths[-1]].append(c.end - c.start)
            else:
                paths.append(above)
        for i, c in enumerate(frames):
            own[paths[i]] += without([[max(c.start, window[0]), min(c.end, window[1])]], union(callees[i]))
    return {p: row(durs[p], length(without(union(own[p]), higher)), []) for p in durs}


def row(durs, exclusive, rates):
    rates = [r for r in rates if r >= 0]
    middle = median(rates) if rates else -1
    return {"count": len(durs), "total_ns": sum(durs), "exclusive_ns": exclusive, "median_ns": median(durs), "rate": middle,
            "rate_mad": median([abs(r - middle) for r in rates]) if rates else -1, "names": 0}


# --- what is small, in sums ---

def add(total, more):
    for key in ("count", "total_ns", "exclusive_ns"):
        total[key] += more[key]
    total["names"] += 1


def empty():
    return {"count": 0, "total_ns": 0, "exclusive_ns": 0, "median_ns": 0, "rate": -1, "rate_mad": -1, "names": 0}


def kept(weights, window_ns, most):
    """The keys that stay; of equal weights those whose names come first, callers before callees."""
    large = [k for k in sorted(weights) if weights[k] * PART >= window_ns]
    return set(sorted(large, key=lambda k: -weights[k])[:most])


def fold(rows, window_ns):
    stay = kept({n: r["total_ns"] for n, r in rows.items()}, window_ns, MOST)
    out = {n: r for n, r in rows.items() if n in stay}
    for n, r in rows.items():
        if n not in stay:
            add(out.setdefault(None, empty()), r)
    return out


def fold_python(rows, window_ns):
    below = collections.Counter()
    for path, r in rows.items():
        for i in range(1, len(path) + 1):
            below[path[:i]] += r["exclusive_ns"]
    stay = kept(below, window_ns, MOST_PATHS)
    out = {p: r for p, r in rows.items() if p in stay}
    for path, r in rows.items():
        if path not in stay:
            while path and path not in stay:
                path = path[:-1]
            add(out.setdefault(path + (None,), empty()), r)
    return out


def reference(path):
    calls = load(path)
    timed = [c for c in calls if c.kind != "python"]
    if not timed:
        return {}
    window = min(c.start for c in timed), max(c.end for c in timed)
    out, higher = {}, []
    for cls in CLASSES:
        mine = [c for c in calls if c.kind == cls]
        if cls == "python":
            out[cls] = fold_python(python_rows(mine, window, higher), window[1] - window[0])
            continue
        by_name = collections.defaultdict(list)
        for c in mine:
            by_name[c.name].append(c)
        rows = {name: row([c.end - c.start for c in v], length(without(union((c.start, c.end) for c in v), higher)),
                          [c.rate for c in v]) for name, v in by_name.items()}
        out[cls] = fold(rows, window[1] - window[0])
        higher = union([tuple(h) for h in higher] + [(c.start, c.end) for c in mine])
    return out
