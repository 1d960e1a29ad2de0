"""Plants causes of regressions in a recorded PyTorch trace; the generators make only traces of their own. Each function changes
the
events of a Trace in place; times are in µs, and later events on the host are moved by the planted time."""
import bisect
import collections
import gzip
import importlib.util
import json
import sys

GPU = {"kernel", "gpu_memcpy", "gpu_memset"}
RUNTIME = {"cuda_runtime", "cuda_driver", "runtime"}
NCCL = ("nccl", "rccl")


class Trace:
    """Events of a trace, and the launch of each GPU activity."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        doc = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        self.doc = {} if isinstance(doc, list) else doc
        self.events = doc if isinstance(doc, list) else doc["traceEvents"]
        for e in self.events:
            for key in ("ts", "dur"):
                if key in e:
                    e[key] = float(e[key])
        self.top = max((int(e.get("args", {}).get("correlation", 0) or 0) for e in self.events
                        if isinstance(e.get("args"), dict)), default=0)

    def save(self, path):
        self.events.sort(key=lambda e: e.get("ts", -1))
        self.doc["traceEvents"] = self.events
        with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as f:
            json.dump(self.doc, f)

    def gpu(self, what=lambda e: True):
        return [e for e in self.events if str(e.get("cat")).lower() in GPU and e.get("ph") == "X" and what(e)]

    def kernels(self, name=""):
        return self.gpu(lambda e: e["cat"].lower() == "kernel" and name in e["name"])

    def calls(self):
        """Runtime calls by their correlation id."""
        return {correlation(e): e for e in self.events
                if str(e.get("cat")).lower() in RUNTIME and correlation(e) is not None}

    def steps(self):
        """Host intervals of the steps."""
        return sorted((e["ts"], e["ts"] + e["dur"]) for e in self.events
                      if str(e.get("name")).startswith("ProfilerStep#") and "gpu" not in str(e.get("cat")))

    def main_thread(self):
        return collections.Counter((e["pid"], e["tid"]) for e in self.calls().values()).most_common(1)[0][0]

    def new_id(self):
        self.top += 1
        return self.top


def correlation(e):
    args = e.get("args")
    return args.get("correlation") if isinstance(args, dict) else None


def copy_of(e, **more):
    return {**e, "args": dict(e.get("args") or {}), **more}


class Holes:
    """Time inserted at given points of a trace; until(t) is how much time has been inserted up to the time t."""

    def __init__(self, points):
        points = sorted(points)
        self.at = [p for p, _ in points]
        self.before = [0.0]
        for _, length in points:
            self.before.append(self.before[-1] + length)

    def until(self, t):
        return self.before[bisect.bisect_right(self.at, t)]

    def below(self, t):
        return self.before[bisect.bisect_left(self.at, t)]


def hold_host(trace, points):
    """Lets the host do nothing for a while at each of the points (time, µs). Events around a point get longer,
    later events move, and GPU activities move with their launch."""
    holes, calls = Holes(points), trace.calls()
    launch = {id(e): calls[correlation(e)]["ts"] for e in trace.gpu() if correlation(e) in calls}
    for e in trace.events:
        if "ts" not in e or e.get("ph") == "M":
            continue
        if str(e.get("cat")).lower() in GPU or "gpu" in str(e.get("cat")):
            e["ts"] += holes.until(launch.get(id(e), e["ts"]))
        elif e.get("ph") in ("s", "f"):
            e["ts"] += holes.until(e["ts"])
        else:
            start, end = e["ts"], e["ts"] + e.get("dur", 0.0)
            e["ts"] = start + holes.until(start)
            if "dur" in e:
                e["dur"] = max(0.0, end + holes.below(end) - e["ts"])
    queue(trace)


def queue(trace):
    """Delays GPU activities that overlap on one stream, so that they run one after the other."""
    end = {}
    for e in sorted(trace.gpu(), key=lambda e: e["ts"]):
        stream = e["pid"], e["tid"]
        e["ts"] = max(e["ts"], end.get(stream, 0.0))
        end[stream] = e["ts"] + e["dur"]


def hold_all(trace, points):
    """Like hold_host(), but `points` are times of the GPU: events that start after a point, on host or GPU, come later. A host
    event that is running at a point gets longer; a GPU activity that is running does not."""
    holes = Holes(points)
    for e in trace.events:
        if "ts" in e and e.get("ph") != "M":
            start, end = e["ts"], e["ts"] + e.get("dur", 0.0)
            e["ts"] = start + holes.until(start)
            if "dur" in e and str(e.get("cat")).lower() not in GPU:
                e["dur"] = max(0.0, end + holes.below(end) - e["ts"])


# ---- causes of regressions on the host ----

def data_loader(trace, us, every=1):
    """Makes batches come later; if the trace has no annotation of the loader, each step gets one at its start."""
    inside = [e for e in trace.events if "enumerate(DataLoader)" in str(e.get("name")) and "dur" in e]
    if inside:
        points = [(e["ts"] + e["dur"] / 2, us) for e in sorted(inside, key=lambda e: e["ts"])]
    else:
        add_data_loader(trace, 20.0)
        points = [(start + 11.0, us) for start, _ in trace.steps()]
    hold_host(trace, points[::every])


def add_data_loader(trace, us):
    """Adds an annotation of the data loader, which lasts `us`, at the start of each step. To compare the loading times of
    two traces without such annotations, add them to both."""
    pid, tid = trace.main_thread()
    starts = [start for start, _ in trace.steps()]
    hold_host(trace, [(start + 0.5, us) for start in starts])
    for start, _ in trace.steps():
        trace.events.append({"ph": "X", "cat": "user_annotation", "pid": pid, "tid": tid, "ts": start + 0.4,
                             "name": "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "dur": us,
                             "args": {}})


def free_moments(trace, nr):
    """Times at which `nr` launches of the main thread end in each step, spread over the step."""
    out, main = [], trace.main_thread()
    ends = sorted(e["ts"] + e["dur"] + 0.2 for e in trace.calls().values()
                  if "aunch" in e["name"] and (e["pid"], e["tid"]) == main)
    for start, end in trace.steps():
        inside = ends[bisect.bisect_right(ends, start):bisect.bisect_left(ends, end)]
        out += [inside[len(inside) * (i + 1) // (nr + 1)] for i in range(nr) if inside]
    return out


def syncs(trace, nr, us):
    """Adds `nr` synchronizations of `us` each to every step."""
    moments = free_moments(trace, nr)
    pid, tid = trace.main_thread()
    hold_host(trace, [(t, us + 1.0) for t in moments])
    for i, t in enumerate(moments):
        trace.events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": pid, "tid": tid,
                             "ts": t + i * (us + 1.0) + 0.5, "dur": us,
                             "args": {"cbid": 131, "correlation": trace.new_id()}})


def read_back(trace, nr, us):
    """Adds `nr` reads of a single value to every step (tensor.item()): a copy of four bytes, and a wait of `us` for it."""
    moments = free_moments(trace, nr)
    more_copies(trace, nr, 1.5, 4, "Memcpy DtoH (Device -> Pageable)")
    pid, tid = trace.main_thread()
    held = sorted(e["ts"] + e["dur"] for e in trace.calls().values() if correlation(e) > trace.top - len(moments))
    hold_host(trace, [(t + 0.1, us) for t in held])
    for i, t in enumerate(held):
        trace.events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": pid, "tid": tid,
                             "ts": t + i * us + 0.2, "dur": us - 0.2, "args": {"cbid": 131, "correlation": trace.new_id()}})


def graphed(trace):
    """Makes one replay of a CUDA graph of each step: no operators, a single launch, and GPU activities without pauses."""
    calls, work, late = trace.calls(), [], 0.0
    steps = trace.steps()
    of = [e for e in trace.gpu() if correlation(e) in calls]
    for start, end in steps:
        work.append(sorted((e for e in of if start <= calls[correlation(e)]["ts"] < end), key=lambda e: e["ts"]))
    inside = {id(e) for list in work for e in list}
    marks = sorted((e for e in trace.events if str(e.get("name")).startswith("ProfilerStep#") and "gpu" not in str(e["cat"])),
                   key=lambda e: e["ts"])
    trace.events = [e for e in trace.events if id(e) in inside or e.get("ph") == "M"] + marks
    pid, tid = marks[0]["pid"], marks[0]["tid"]
    now = marks[0]["ts"]
    for mark, list in zip(marks, work):
        number, at = trace.new_id(), now + 60.0
        trace.events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": pid, "tid": tid, "ts": now + 10.0,
                             "dur": 40.0, "args": {"cbid": 311, "correlation": number}})
        for e in list:
            e["ts"], e["args"]["correlation"] = at, number
            e["args"].pop("External id", None)
            at += e["dur"] + 0.5
        mark["ts"], mark["dur"], now = now, at + 20.0 - now, at + 30.0


def slow_host(trace, factor):
    """Makes everything on the host take `factor` times as long."""
    calls = trace.calls()
    first = min(e["ts"] for e in trace.events if "ts" in e and e.get("ph") != "M")
    for e in trace.gpu():
        call = calls.get(correlation(e))
        if call:
            e["ts"] += (call["ts"] - first) * (factor - 1)
        else:
            e["ts"] = first + (e["ts"] - first) * factor
    for e in trace.events:
        if "ts" in e and e.get("ph") != "M" and str(e.get("cat")).lower() not in GPU:
            e["ts"] = first + (e["ts"] - first) * factor
            if "dur" in e:
                e["dur"] *= factor
    queue(trace)


# ---- causes of regressions on the GPU ----

def more_launches(trace, name, times=2):
    """Repeats each launch of kernels whose name contains `name`, so that there are `times` of them."""
    calls, new = trace.calls(), []
    of = {correlation(k): k for k in trace.kernels(name)}
    points = []
    for c, k in of.items():
        if c in calls:
            call = calls[c]
            points.append((call["ts"] + call["dur"] + 0.1, (call["dur"] + 0.2) * (times - 1)))
    hold_host(trace, points)
    for c, k in of.items():
        for i in range(1, times if c in calls else 1):
            number, call = trace.new_id(), calls[c]
            new.append(copy_of(call, ts=call["ts"] + i * (call["dur"] + 0.1)))
            new[-1]["args"]["correlation"] = number
            new.append(copy_of(k, ts=k["ts"] + i * k["dur"]))
            new[-1]["args"]["correlation"] = number
    trace.events += new
    queue(trace)


def new_kernel(trace, after, name, us):
    """Adds a kernel `name` of `us` after each launch of a kernel whose name contains `after`."""
    more_launches(trace, after)
    seen = set()
    for k in sorted(trace.kernels(after), key=lambda k: correlation(k)):
        if correlation(k) > trace.top - len(trace.kernels(after)) // 2 and correlation(k) not in seen:
            seen.add(correlation(k))
    for k in trace.kernels(after):
        if correlation(k) in seen:
            k["name"], k["dur"] = name, us
    queue(trace)


def new_kernels(trace, name, parts):
    """Puts, in place of each kernel whose name contains `name`, other kernels: `parts` are their names, and their durations as
    shares of the old one's."""
    calls, new = trace.calls(), []
    of = [(k, calls[correlation(k)]) for k in trace.kernels(name) if correlation(k) in calls]
    took = [call["dur"] for _, call in of]
    hold_host(trace, [(call["ts"] + 0.01, (us + 0.2) * (len(parts) - 1)) for (_, call), us in zip(of, took)])
    longer = sum(share for _, share in parts) - 1
    hold_all(trace, [(k["ts"] + k["dur"] - 0.001, k["dur"] * longer) for k, _ in of if longer > 0])
    for (k, call), launch in zip(of, took):     # within the operator of the old launch
        at, us, call["dur"] = k["ts"], k["dur"], launch
        for i, (part, share) in enumerate(parts):
            number = trace.new_id() if i else correlation(k)
            e = copy_of(k) if i else k
            e.update(name=part, ts=at, dur=us * share)
            e["args"]["correlation"] = number
            at += us * share
            if i:
                new += [e, copy_of(call, ts=call["ts"] + i * (call["dur"] + 0.1))]
                new[-1]["args"]["correlation"] = number
    trace.events += new


def renamed_operators(trace, old, new):
    """Renames the host's operators whose name contains `old`."""
    for e in trace.events:
        if e.get("cat") == "cpu_op" and old in e["name"]:
            e["name"] = e["name"].replace(old, new)


def larger(trace, name, factor):
    """Doubles, or so, the input of kernels whose name contains `name`: their grid and their time."""
    hold_all(trace, [(k["ts"] + k["dur"] - 0.001, k["dur"] * (factor - 1)) for k in trace.kernels(name)])
    for k in trace.kernels(name):
        k["dur"] *= factor
        grid = k["args"]["grid"]
        k["args"]["grid"] = [round(grid[0] * factor), *grid[1:]]


def recompute(trace, *names):
    """Computes activations again for the backward pass: kernels whose names contain `names` are launched twice."""
    for name in names:
        more_launches(trace, name)
    stretch(trace)


def clip_gradients(trace, before):
    """Computes the norm of the gradients before kernels whose name contains `before`, and waits for it once in a step."""
    norm = ("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::"
            "TensorListMetadata<1>, at::native::(anonymous namespace)::LpNormFunctor<float, (at::native::NormType)1>")
    old = trace.kernels(before)[0]["name"]
    new_kernels(trace, before, [(norm, 0.6), (old, 1.0)])
    read_back(trace, 1, 4000.0)


# ---- causes of regressions in communication ----

def collectives(trace):
    return sorted(trace.kernels("nccl"), key=lambda k: k["ts"])


def scale_messages(trace, factor):
    for k in collectives(trace):
        for key in ("In msg nelems", "Out msg nelems"):
            if key in k["args"]:
                k["args"][key] = int(k["args"][key] * factor)


def small_buckets(trace, nr, us):
    """Splits each collective into `nr` of a share of its bytes, each of which takes `us` longer than its share of the time."""
    for k in collectives(trace):
        k["dur"] = k["dur"] / nr + us
    scale_messages(trace, 1 / nr)
    hold_all(trace, [(k["ts"] + k["dur"], (nr - 1) * k["dur"]) for k in collectives(trace)])
    more_launches(trace, "nccl", nr)


def larger_messages(trace, factor):
    """Makes collectives move more bytes and take longer; what came after one comes later."""
    hold_all(trace, [(k["ts"] + k["dur"], k["dur"] * (factor - 1)) for k in collectives(trace)])
    for k in collectives(trace):
        k["dur"] *= factor
    scale_messages(trace, factor)


def one_stream(trace):
    """Launches collectives on the stream of computation, where they overlap with nothing."""
    lost_overlap(trace)
    stream = collections.Counter((k["pid"], k["tid"]) for k in trace.kernels()).most_common(1)[0][0]
    for k in collectives(trace):
        k["pid"], k["tid"] = stream
        k["args"]["stream"] = stream[1]
    queue(trace)


# ---- copies ----

def scale_copies(trace, factor):
    """Makes copies from and to the host move more bytes and take longer."""
    for e in trace.gpu(lambda e: e["cat"].lower() == "gpu_memcpy"):
        e["dur"] *= factor
        if "bytes" in e["args"]:
            e["args"]["bytes"] = int(e["args"]["bytes"] * factor)
    queue(trace)


def pageable(trace, factor):
    """Makes copies from pinned memory copies from pageable memory: as many bytes, slower, and the host waits for them."""
    calls = trace.calls()
    copies = trace.gpu(lambda e: "HtoD (Pinned" in e["name"])
    hold_host(trace, [(calls[correlation(e)]["ts"] + calls[correlation(e)]["dur"] - 0.1, e["dur"] * factor) for e in copies
                      if correlation(e) in calls])
    for e in copies:
        e["name"], e["dur"] = e["name"].replace("Pinned", "Pageable"), e["dur"] * factor
    queue(trace)


def more_copies(trace, nr, us, size, name="Memcpy HtoD (Pageable -> Device)"):
    """Adds `nr` copies of `size` bytes to each step, or memsets if the name is that of one."""
    kind = "Memset" if name.startswith("Memset") else "Memcpy"
    moments = free_moments(trace, nr)
    pid, tid = trace.main_thread()
    device = trace.kernels()[0]
    stream = collections.Counter((k["pid"], k["tid"]) for k in trace.kernels()).most_common(1)[0][0]
    hold_host(trace, [(t, us + 6.0) for t in moments])
    for i, t in enumerate(moments):
        number, at = trace.new_id(), t + i * (us + 6.0) + 0.5
        trace.events.append({"ph": "X", "cat": "cuda_runtime", "name": f"cuda{kind}Async", "pid": pid, "tid": tid,
                             "ts": at, "dur": us + 5.0, "args": {"cbid": 41, "correlation": number}})
        trace.events.append({"ph": "X", "cat": f"gpu_{kind.lower()}", "name": name,
                             "pid": stream[0], "tid": stream[1], "ts": at + 2.0, "dur": us,
                             "args": {"device": device["args"].get("device", 0), "stream": stream[1],
                                      "correlation": number, "bytes": size, "memory bandwidth (GB/s)": size / us / 1e3}})
    queue(trace)


def lost_overlap(trace):
    """Removes overlap with communication: compute that starts during a collective waits for its end, and all later work starts
    later, too."""
    comm = [e for e in trace.kernels() if any(n in e["name"].lower() for n in NCCL)]
    starts = sorted(e["ts"] for e in trace.gpu() if not any(n in e["name"].lower() for n in NCCL))
    points, end = [], 0.0
    for e in sorted(comm, key=lambda e: e["ts"]):
        at = bisect.bisect_right(starts, max(e["ts"], end))
        end = max(end, e["ts"] + e["dur"])
        if at < len(starts) and starts[at] < e["ts"] + e["dur"]:
            points.append((starts[at] - 0.001, e["ts"] + e["dur"] - starts[at]))
    hold_all(trace, points)
    queue(trace)


def batch(trace, factor):
    """Makes the batch larger: grids, copies and kernel times grow by one factor, small kernels less than large ones."""
    for e in trace.kernels():
        e["dur"] *= 1 + (factor - 1) * min(1.0, e["dur"] / 20.0)
        grid = e["args"].get("grid")
        if grid and not any(n in e["name"].lower() for n in NCCL):
            e["args"]["grid"] = [max(1, round(grid[0] * factor)), *grid[1:]]
    scale_copies(trace, factor)
    stretch(trace)


def stretch(trace):
    """Moves steps apart, so that the GPU's work of each step comes after that of the previous step."""
    steps, calls = trace.steps(), trace.calls()
    busy = [0.0] * len(steps)
    starts = [s for s, _ in steps]
    for e in trace.gpu():
        call = calls.get(correlation(e))
        i = bisect.bisect_right(starts, call["ts"] if call else e["ts"]) - 1
        if i >= 0:
            busy[i] = max(busy[i], e["ts"] + e["dur"])
    points, late = [], 0.0
    for i in range(1, len(steps)):
        behind = busy[i - 1] - starts[i] - late
        if behind > 0:
            points.append((starts[i] - 0.01, behind))
            late += behind
    if points:
        hold_host(trace, points)


def slow_steps(trace, every, us):
    """Lets the host do something else for `us`, once every `every` steps."""
    hold_host(trace, [(start + (end - start) / 2, us) for start, end in trace.steps()[every - 1::every]])


# ---- causes of regressions of memory ----

def optimizer_states(loop, no, step):
    """Two more states for each parameter, which stay."""
    step(no)
    if no == 0:
        loop.state += [loop.a.malloc(p.want, loop.frames("adam")) for p in loop.params * 2]


def kept_activations(loop, no, step):
    """Outputs of linear layers that were freed at once are kept until the end of the step."""
    kept, free = [], loop.a.free
    loop.a.free = lambda block, frames, **more: kept.append(block) if "linear.py" in frames[0]["filename"] else free(
        block, frames, **more)
    step(no)
    loop.a.free = free
    for block in kept:
        free(block, loop.frames("backward"))


def another_stream(loop, no, step):
    """A large block on another stream, which is freed at once and which no tensor of the training can take."""
    if no == 0:
        loop.a.free(loop.a.malloc(400 << 20, loop.frames("data"), stream=5), loop.frames("data"))
    step(no)


def growing_workspace(loop, no, step):
    """A workspace that is allocated anew, and is larger in each step."""
    step(no)
    for block in loop.leaked:
        loop.a.free(block, loop.frames("cache"))
    loop.leaked = [loop.a.malloc((no + 1) * (12 << 20), loop.frames("cache"))]


def snapshot(generator, out, change, *options):
    """Writes a snapshot of the generator in whose training loop each step is changed."""
    spec = importlib.util.spec_from_file_location("make_snapshot", generator)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    whole = made.Loop

    class Loop(whole):
        def step(self, no):
            change(self, no, super().step)
    made.Loop = Loop
    before, sys.argv = sys.argv, [str(generator), str(out), *options]
    made.main()
    sys.argv = before
