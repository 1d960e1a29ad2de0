#!/usr/bin/env python3
"""Traces of JAX and XProf: figures equal those of a slow reference, and a run has the same figures in every format.

usage: xprof.py [GPUGATE] [--seed N] [--count N]

Small random traces are read by the program and by the reference below; one that disagrees is named by its seed:
--seed N --count 1 makes it again. $GPUGATE is the program; without it the test is skipped (exit 77).
"""
import argparse
import collections
import decimal
import gzip
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import _gen
from _part import some
from _reference import recordings
import xspace

HERE = pathlib.Path(__file__).resolve().parent

D = decimal.Decimal
LAUNCH = re.compile(r"LaunchKernel|GraphLaunch|LaunchCooperative")
SYNC = re.compile(r"^(cuda|hip|cu)(Device|Stream|Event|Ctx)Synchronize")


# --- slow reference for figures of traces of JAX -----------------------------------------------------------

def ns(us):
    return int((D(str(us)) * 1000).to_integral_value(rounding=decimal.ROUND_HALF_UP))


def union(intervals):
    out = []
    for a, b in sorted(i for i in intervals if i[1] > i[0]):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


def covered(intervals, lo, hi):
    return sum(max(0, min(b, hi) - max(a, lo)) for a, b in union(intervals))


def words(text):
    return dict(w.split(":", 1) for w in text.split(" ") if ":" in w)


def kernel_name(name, args):
    """A kernel's name; kernels that XLA generated are named after their operation."""
    name = re.sub(r"( \[clone \.kd\]|\.kd)$", "", name)
    module, op = args.get("hlo_module"), args.get("hlo_op", "")
    return f"{module}/{op}" if module and re.sub(r"\W", "_", op) == name else name


def load(events):
    """Returns four lists with the data that figures need: GPU activities, calls, annotations, and steps on GPUs."""
    processes = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    gpu, calls, notes, steps = [], [], [], []
    for e in events:
        if e.get("ph") != "X":
            continue
        process, thread, args = processes.get(e["pid"], ""), threads.get((e["pid"], e["tid"])), e.get("args", {})
        a, name = ns(e["ts"]), e["name"]
        row = {"a": a, "b": a + ns(e["dur"]), "name": name, "corr": None if "correlation_id" not in args else str(args["correlation_id"])}
        m = re.search(r"(?:^| )/device:GPU:(\d+)$", process)
        if m and thread == "Steps":
            steps.append({**row, "dev": m[1], "key": str(args.get("group_id", name))})
        elif m and (thread is None or thread.startswith("Stream #")):
            if "MemoryResidency_details" in args or name.startswith("UM_"):
                continue
            kind, size = "kernel", 0
            if "kernel_details" not in args:
                kind = "memcpy" if "memcpy_details" in args or name.startswith("Memcpy") else \
                    "memset" if "Memset_details" in args or name.startswith("Memset") else "kernel"
            if kind == "memcpy":
                size = int(words(args.get("memcpy_details", "")).get("size", 0))
            gpu.append({**row, "name": kernel_name(name, args) if kind == "kernel" else name, "dev": m[1], "kind": kind, "size": size})
        elif process.endswith("/host:CPU") and not name.startswith("$"):
            call = row["corr"] not in (None, "0")
            (calls if call else notes).append({**row, "number": None if call else args.get("step_num")})
    return gpu, calls, notes, steps


def number_of(name):
    m = re.search(r"(\d+)$", name)
    return int(m[1]) if m else -1


def own_marks(steps, notes):
    """Returns the steps on the lines of GPUs, one for each group. If every step was annotated once on the host, the
    annotation's times count."""
    marks = {}
    for s in steps:
        m = marks.setdefault(s["key"], {"a": s["a"], "b": s["b"], "n": number_of(s["name"]), "key": s["key"]})
        m["a"], m["b"] = min(m["a"], s["a"]), max(m["b"], s["b"])
    host = [n for n in notes if n["number"] is not None]
    numbers = [int(n["number"]) for n in host]
    wanted = [m["n"] for m in marks.values()]
    if len(set(numbers)) == len(numbers) and len(set(wanted)) == len(wanted) and set(wanted) <= set(numbers):
        for m in marks.values():
            n = host[numbers.index(m["n"])]
            m["a"], m["b"] = n["a"], n["b"]
    return list(marks.values())


def attribute(gpu, calls, notes, steps):
    """Returns the steps in order, each with its activities, and the way in which activities were attributed to them."""
    if steps:
        marks, by = own_marks(steps, notes), "timestamp"
    else:
        marks = [{"a": n["a"], "b": n["b"], "n": int(n["number"])} for n in notes if n["number"] is not None]
        by = "launch"
    marks = sorted(marks, key=lambda m: (m["a"], m["b"]))
    launches = {}
    for c in calls:
        launches[c["corr"]] = min(c["a"], launches.get(c["corr"], c["a"]))
    if not gpu or by == "launch" and sum(g["corr"] in launches for g in gpu) * 2 < len(gpu):
        by = "timestamp"
    for m in marks:
        m["gpu"] = []
    for g in gpu:
        if steps:
            before = [s for s in steps if s["dev"] == g["dev"] and s["a"] <= g["a"]]
            last = max(reversed(before), key=lambda s: s["a"], default=None)
            own = [m for m in marks if last and g["a"] < last["b"] and m["key"] == last["key"]]
        else:
            at = launches.get(g["corr"]) if by == "launch" else g["a"]
            own = [m for m in marks if at is not None and m["a"] <= at < m["b"]]
        if own:
            own[0]["gpu"].append(g)
    if len({m["n"] for m in marks}) < len(marks) or any(m["n"] < 0 for m in marks):
        for i, m in enumerate(marks):
            m["n"] = i
    return marks, by


def reference(events):
    gpu, calls, notes, steps = load(events)
    marks, by = attribute(gpu, calls, notes, steps)
    out = {"kernels": collections.Counter(), "gpu_events": len(gpu), "attribution": by if marks else "none"}
    for g in gpu:
        out["kernels"][g["kind"], g["name"]] += g["b"] - g["a"]
    devices = sorted({g["dev"] for g in gpu})
    of = {d: [(g["a"], g["b"]) for g in gpu if g["dev"] == d] for d in devices}
    for d in devices:
        span = max(b for _, b in of[d]) - min(a for a, _ in of[d])
        busy = covered(of[d], min(a for a, _ in of[d]), max(b for _, b in of[d]))
        out["window.busy_time", d], out["window.idle_time", d] = busy, span - busy
    over, mine = None, {g["dev"] for m in marks for g in m["gpu"]}
    for m in marks:
        total = lambda kinds: sum(g["b"] - g["a"] for g in m["gpu"] if g["kind"] in kinds)
        begun = [c for c in calls if m["a"] <= c["a"] < m["b"]]
        row = {"time": m["b"] - m["a"], "cuda_time": total(("kernel", "memcpy", "memset")), "kernel_time": total(("kernel",)),
               "memcpy_time": total(("memcpy",)), "memset_time": total(("memset",)), "busy_time": 0,
               "kernel_count": sum(g["kind"] == "kernel" for g in m["gpu"]), "span": 0,
               "memcpy_bytes": sum(g["size"] for g in m["gpu"]),
               "launch_time": sum(c["b"] - c["a"] for c in begun if LAUNCH.search(c["name"])),
               "sync_time": sum(c["b"] - c["a"] for c in begun if SYNC.search(c["name"])),
               "sync_count": sum(bool(SYNC.search(c["name"])) for c in begun)}
        for d in {g["dev"] for g in m["gpu"]}:
            own = [(g["a"], g["b"]) for g in m["gpu"] if g["dev"] == d]
            lo, hi = min(a for a, _ in own), max(b for _, b in own)
            row["busy_time"] += covered(own, lo, hi)
            row["span"] = max(row["span"], hi - lo)
        end = max([m["b"]] + [g["b"] for g in m["gpu"]])
        begin, known = (m["a"], len(marks) == 1) if over is None else (over, True)
        over = max(begin, end)
        row["latency"] = end - m["a"]
        if known:  # the first of several steps has no period
            row["period"] = over - begin
            row["idle_time"] = sum(over - begin - covered(of[d], begin, over) for d in mine)
        for key, value in row.items():
            out["step." + key, m["n"]] = value
    return out


# --- figures that the program computes ----------------------------------------------------------------------

def gpugate(*args, status=0):
    done = subprocess.run([GPUGATE, *map(str, args)], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"{args}: exit {done.returncode}: {done.stderr}")
    return done


def program(path, *options):
    doc = json.loads(gpugate("metrics", path, "--json", "-", *options).stdout)
    rank = doc["ranks"][0]
    out = {"kernels": collections.Counter(), "gpu_events": rank["gpu_events"], "attribution": rank["attribution"]}
    for k in doc["kernels"]:
        out["kernels"][k["kind"], k["name"]] += k["total"]
    for row in doc["metrics"]:
        if row["metric"].startswith("step.") and "samples" in row:
            out |= {(row["metric"], s["step"]): s["value"] for s in row["samples"]}
        elif row["metric"] in ("window.busy_time", "window.idle_time"):
            out[row["metric"], str(row["device"])] = row["value"]
    return out


def differences(want, have):
    """Lines about figures in which the program differs from the reference; the program may leave out a figure that is 0."""
    return [f"{k}: reference {v}, program {have.get(k)}" for k, v in want.items() if have.get(k, 0 if v == 0 else None) != v]


# --- random traces -----------------------------------------------------------------------------------

class Maker:
    """Makes a small random trace from a seed, with features of every tool that writes such traces, and with errors."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.horizon = self.rng.choice([20, 200, 5000])
        self.digits = self.rng.choice([0, 3, 6])
        self.steps_line, self.annotated = self.rng.random() < 0.5, self.rng.random() < 0.7
        self.prefix = self.rng.choice(["", "", "h-1 "])
        self.first, self.rows, self.names = self.rng.randint(0, 99), [], []
        self.numbers = list(range(self.first, self.first + self.rng.choice([1, 2, 3, 6])))

    def us(self, low, high):
        return D(self.rng.randint(int(low * 10**self.digits), int(high * 10**self.digits))) / 10**self.digits

    def event(self, pid, tid, name, a, dur, args):
        e = {"ph": "X", "pid": pid, "tid": tid, "ts": a, "dur": dur, "name": name}
        if args:
            e["args"] = {k: v if self.rng.random() < 0.2 else str(v) for k, v in args.items()}
        keys = list(e)
        if self.rng.random() < 0.3:
            self.rng.shuffle(keys)
        self.rows.append({k: e[k] for k in keys})

    def activity(self, pid, tid, name):
        rng, args = self.rng, {"correlation_id": self.rng.randint(5, 60)}
        if name.startswith("Memcpy"):
            args["memcpy_details"] = f"kind_src:host kind_dst:device size:{rng.randint(0, 2**40)} dest:0 async:1"
        elif name.startswith("Memset"):
            args["Memset_details"] = f"kind:device num_bytes:{rng.randint(0, 99)} async:1"
        elif rng.random() < 0.9:
            args["kernel_details"] = f"regs:3 grid:{rng.randint(1, 3)},1,1 block:32,1,1 occ_pct:{rng.choice(['100', '16.6667', '0'])}"
        if rng.random() < 0.05:
            args = {"MemoryResidency_details": "kind:device num_bytes:8"}
        # on a clock finer than 1 µs, an activity of 0 was not timed
        self.event(pid, tid, name, max(self.us(0, self.horizon), 1), max(self.us(0, self.horizon / 8), D(1) / 10**self.digits), args)

    def gpu(self, pid, device):
        rng = self.rng
        label = lambda what, name, **more: {"ph": "M", "pid": pid, **more, "name": what, "args": {"name": name}}
        self.names.append(label("process_name", f"{self.prefix}/device:GPU:{device}"))
        for tid in range(rng.randint(1, 3)):
            if rng.random() < 0.8:
                self.names.append(label("thread_name", f"Stream #{tid + 20}(Compute)", tid=tid))
            for _ in range(rng.choice([0, 3, 20])):
                self.activity(pid, tid, rng.choice(["gemm", "void k<int>(float*)", "ncclDevKernel_AllGather", "MemcpyH2D",
                                                    "MemcpyD2D", "Memset 2", "CudaGraphExec:3"]))
        for tid, name in ((90, "XLA Ops"), (91, "Framework Name Scope - from #20"), (92, "XLA Modules")):
            self.names.append(label("thread_name", name, tid=tid))
            self.event(pid, tid, "fusion", self.us(0, self.horizon), self.us(0, self.horizon), {"group_id": 0})
        if self.steps_line:
            self.names.append(label("thread_name", "Steps", tid=99))
            starts = sorted({self.us(0, self.horizon) for _ in range(len(self.numbers) * 2)})
            group = rng.random() < 0.7
            for a in starts:
                n = rng.choice(self.numbers)
                self.event(pid, 99, f"train {n}", a, self.us(0, self.horizon / 2), {"group_id": n - self.first} if group else {})

    def host(self):
        rng = self.rng
        self.names.append({"ph": "M", "pid": 701, "name": "process_name", "args": {"name": f"{self.prefix}/host:CPU"}})
        for _ in range(rng.choice([0, 60, 200])):
            args = {"correlation_id": rng.randint(0, 70)} if rng.random() < 0.9 else {}
            self.event(701, rng.randint(1, 3), rng.choice(["cuLaunchKernel", "cuGraphLaunch (CudaGraph:3)", "hipStreamSynchronize",
                       "cuCtxSynchronize", "cuMemcpyHtoDAsync_v2", "NVTX:a", "$a.py:1 f"]), self.us(0, self.horizon), self.us(0, 9), args)
        for n in self.numbers:
            if self.annotated and rng.random() < 0.95:
                self.event(701, 1, "train", self.us(0, self.horizon), self.us(1, self.horizon / 2), {"step_num": n})

    def events(self):
        for device in range(self.rng.randint(1, 3)):
            self.gpu(device + 1, device)
        self.host()
        self.rng.shuffle(self.rows)
        return self.names + self.rows + [{}]


def dumps(value):
    """JSON in which a Decimal keeps its digits."""
    if isinstance(value, D):
        return format(value, "f")
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{dumps(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumps, value)) + "]"
    return json.dumps(value)


def random_traces(folder, seeds):
    bad, attributions = 0, collections.Counter()
    for seed in seeds:
        events = Maker(seed).events()
        path = folder / f"seed{seed}.trace.json"
        path.write_text(dumps({"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}, "traceEvents": events}))
        want = reference(events)
        attributions[want["attribution"]] += 1
        if want["gpu_events"] == 0:  # without GPU events the program says that it understands nothing, or refuses the file
            assert subprocess.run([GPUGATE, "report", path], capture_output=True).returncode in (0, 3)
            continue
        lines = differences(want, program(path))
        for line in lines[:8]:
            print(f"FAIL seed {seed}: {line}")
        bad += bool(lines)
        path.unlink()
    print(f"random traces: {len(seeds)}, {bad} differ; attribution {dict(attributions)}")
    assert bad == 0
    assert len(seeds) < 50 or (attributions["launch"] and attributions["timestamp"])


# --- one run in all formats ----------------------------------------------------------------------------

def generate(path, *options):
    _gen.generate("xprof", path, *options)
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as f:
        return json.load(f, parse_float=D)["traceEvents"]


def forms(folder):
    """JAX's own file, XProf's file with derived lines, the viewer's file, and the file for Perfetto."""
    for options in ([], ["--gpus", "2", "--lag", "2"], ["--gpus", "3", "--lag", "3", "--seed", "5"]):
        first = None
        for form in ([], ["--derived"], ["--derived", "--viewer"], ["--viewer"], ["--derived", "--no-host"], ["--no-steps"]):
            path = folder / "form.trace.json.gz"
            events = generate(path, *options, *form)
            have, want = program(path), reference(events)
            assert not differences(want, have), (options, form, differences(want, have)[:5])
            attribution = have.pop("attribution")
            first = first or have
            assert attribution == ("none" if form == ["--no-steps"] else "timestamp" if "--derived" in form else "launch")
            if "--no-host" not in form and "--no-steps" not in form:
                assert have == first, (options, form)
            assert have["kernels"] == first["kernels"] and have["gpu_events"] == first["gpu_events"]
        perfetto = folder / "perfetto_trace.json"
        perfetto.write_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": generate(path, *options)}, default=float))
        assert program(perfetto)["kernels"] == first["kernels"]
        named = program(path, "--marker", "train")
        assert {k: v for k, v in named.items() if k != "attribution"} == first
        assert program(path, "--marker", "fwd*")["attribution"] == "none"
    print("forms: the same figures in each")


def converted(folder, what, events, *options):
    """A trace and the XSpace of the same run, in whole nanoseconds, since a trace rounds times and durations separately."""
    events = [{**e, **{k: round(D(str(e[k])), 3) for k in ("ts", "dur") if k in e}} for e in events]
    trace, space = folder / "form.trace.json.gz", folder / "form.xplane.pb"
    trace.write_bytes(gzip.compress(xspace.trace(events)))
    have = program(trace, *options)
    for form in ({}, {"host_first": True}, {"base_ns": 1790000000}):
        space.write_bytes(xspace.encode([e for e in events if e], **form))
        got = program(space, *options)
        assert got == have, (what, form, differences(have, got)[:5], differences(got, have)[:5])


def comparable(path):
    d = json.loads(gpugate("digest", path, "-o", "-").stdout)
    for key in ("trace", "source_hash", "events", "device_memory", "environment"):
        d.pop(key, None)
    d["kernels"].sort(key=lambda k: (k["kind"], k["name"]))
    return d


def spaces(folder):
    """An XSpace gives the same run as the trace that XProf makes of it, for generated traces and for the shared files."""
    for options in ([], ["--gpus", "2", "--lag", "2"], ["--derived"], ["--gpus", "3", "--derived", "--no-host"], ["--no-steps"]):
        converted(folder, options, [e for e in generate(folder / "form.trace.json.gz", *options)])
    for seed in range(40):
        events = [e for e in Maker(seed).events() if e and not e.get("args", {}).get("step_num") == "x"]
        if reference(events)["gpu_events"]:  # a trace without GPU events would be refused
            converted(folder, seed, events)
    # TensorFlow's markers have a name instead of step_num
    path, events = folder / "form.xplane.pb", [e for e in generate(folder / "form.trace.json.gz") if e]
    path.write_bytes(xspace.encode(events))
    want = comparable(path)
    for e in events:
        if e.get("args", {}).pop("step_num", None):
            e["name"] = "StepMarker"
    path.write_bytes(xspace.encode(events))
    got = comparable(path)
    assert got["total_steps"] == want["total_steps"] == 4 and got["kernels"] == want["kernels"], got["total_steps"]
    for path in recordings("xplane", "*.xplane.pb*"):
        trace = folder / "shared.trace.json.gz"
        trace.write_bytes(gzip.compress(xspace.trace(xspace.decode(path.read_bytes())), 1))
        want, got = comparable(trace), comparable(path)
        bad = [key for key in want | got if want.get(key) != got.get(key)]
        assert not bad, (path.name, bad, [(got.get(k), want.get(k)) for k in bad[:1]])
    print("XSpace files: the figures of their traces")


def limits(folder):
    """An incomplete file is never taken as a complete one."""
    path = folder / "cut.trace.json.gz"
    generate(path, "--derived")
    data = path.read_bytes()
    path.write_bytes(data[:len(data) // 2])
    assert "cut.trace.json.gz: byte" in gpugate("report", path, status=3).stderr
    assert "cut short" in gpugate("report", path, "--allow-truncated").stderr
    # the writer keeps the earliest million events
    head = ('{"traceEvents":[{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},'
            '{"ph":"X","pid":1,"tid":3,"ts":1,"dur":2,"name":"k"}')
    for extra, truncated in ((999998, False), (999999, True)):
        path.write_bytes(gzip.compress((head + ',{"ph":"X","pid":9}' * extra + ",{}]}").encode(), 1))
        doc = json.loads(gpugate("metrics", path, "--json", "-").stdout)
        assert doc["ranks"][0].get("truncated", False) == truncated, (extra, doc["ranks"][0])
    space = xspace.encode([e for e in generate(folder / "form.trace.json.gz", "--steps", "2") if e])
    for field, said, truncated in ((2, "CUPTI could not be loaded", False), (3, "7 events dropped because total device(activity) events reaches max;", True)):
        (folder / "said.xplane.pb").write_bytes(space + xspace.message(field, said.encode()))
        done = gpugate("metrics", folder / "said.xplane.pb", "--json", "-")
        assert said in done.stderr and json.loads(done.stdout)["ranks"][0].get("truncated", False) == truncated, done
    path.write_text(head.replace("GPU", "TPU") + "]}")
    assert "a trace of TPUs; give one of GPUs" in gpugate("report", path, status=3).stderr
    print("limits: cut, capped, of TPUs")


def spaces_refused(folder):
    """An XSpace that is incomplete or not of GPUs gives one line and exit 3; damaged bytes give the same, or a digest."""
    path, rng = folder / "x.xplane.pb", random.Random(1)
    events = [e for e in generate(folder / "form.trace.json.gz", "--steps", "2") if e]
    raw = xspace.encode(events)

    def refused(b, *words):
        path.write_bytes(b)
        said = gpugate("report", path, status=3).stderr
        assert said.count("\n") == 1 and all(w in said for w in words), (words, said)

    ends, at = set(), 0
    for number, value in xspace.fields(raw):  # a file that is cut between two planes looks like a complete file
        at += len(xspace.message(number, value))
        ends.add(at)
    for n in {rng.randrange(1, len(raw)) for _ in range(60)} - ends:
        refused(raw[:n])
    refused(xspace.encode([e if e["name"] != "process_name" else {**e, "args": {"name": e["args"]["name"].replace("GPU", "TPU")}}
                           for e in events]), "a profile of TPUs; give one of GPUs")
    refused(xspace.message(1, xspace.Plane(1, "/host:CPU").bytes()), "no GPU was recorded")
    gpu = xspace.message(1, xspace.Plane(1, "/device:GPU:0").bytes())
    refused(gpu + gpu, "two planes are one GPU")
    refused(gzip.compress(raw)[:-9], "x.xplane.pb")
    nr = 0
    runs = some(range(300), 4)
    for _ in runs:
        b = bytearray(raw)
        for _ in range(rng.choice([1, 1, 3, 9])):
            b[rng.randrange(len(b))] = rng.choice([0, 1, 8, 10, 18, 127, 128, 255, rng.randrange(256)])
        path.write_bytes(b)
        done = subprocess.run([GPUGATE, "report", path], capture_output=True, text=True)
        assert done.returncode in (0, 3) and (done.returncode == 0 or done.stderr.count("\n") == 1), done
        nr += done.returncode == 3
    path.unlink()
    print(f"XSpace files: cut, of TPUs, without GPUs; {nr} of {len(runs)} damaged ones refused")


def hosts(folder):
    """Each host of a job writes a file: their order by name gives the ranks."""
    job = folder / "job"
    job.mkdir()
    for seed, host in enumerate(("node-b", "node-a", "node-c")):
        events = [e for e in generate(folder / "form.trace.json.gz", "--seed", str(seed), "--gpus", str(seed + 1)) if e]
        (job / f"{host}.xplane.pb").write_bytes(xspace.encode(events))
    doc = json.loads(gpugate("digest", job, "-o", "-").stdout)
    got = [(d["rank"], d["trace"], len(d["devices"])) for d in doc["digests"]]
    assert got == [(0, "node-a.xplane.pb", 2), (1, "node-b.xplane.pb", 1), (2, "node-c.xplane.pb", 3)], got
    (job / "node-a.xplane.pb").rename(job / "rank4.xplane.pb")
    assert "rank 0 is there twice" in gpugate("digest", job, "-o", "-", status=3).stderr
    print("hosts: ranks by their names")


def gate(folder):
    """A kernel that became slower is found."""
    a, b = folder / "a.trace.json.gz", folder / "b.trace.json.gz"
    generate(a)
    generate(b, "--seed", "2", "--slow-kernel", "cutlass")
    done = gpugate("diff", a, b)
    assert re.search("slower +gemm bf16 256x128", done.stdout), done.stdout
    print("diff: the slower kernel is named")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugate", nargs="?", default=os.environ.get("GPUGATE"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    o = parser.parse_args()
    if not o.gpugate:
        print("skipped: no program ($GPUGATE)")
        return 77
    global GPUGATE
    GPUGATE = o.gpugate
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        random_traces(folder, some(range(o.seed, o.seed + o.count), 3))
        forms(folder)
        spaces(folder)
        spaces_refused(folder)
        hosts(folder)
        limits(folder)
        gate(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
