#!/usr/bin/env python3
"""Writes memory records of other profilers: the JSON of XProf's memory profile tool, or the memory
timeline of torch.profiler in its two forms, of one small model that trains. The same options give the
same bytes; the seed changes times only.

  records.py --form xprof --seed 1 --out base.memory_profile.json.gz
  records.py --form raw --seed 2 --out candidate.raw.json.gz --leak 8388608
  records.py --form sizes --seed 1 --out base.json

The parts, in the order of the file: the training, XProf's file, torch's files, the options.
"""
import argparse
import gzip
import json
import random
import sys

KIB, MIB = 1 << 10, 1 << 20

# --- The training --------------------------------------------------------------------------------

# torch/profiler/_memory_profiler.py: the order of _CATEGORY_TO_COLORS
PARAMETER, STATE, INPUT, TEMPORARY, ACTIVATION, GRADIENT, DETAIL, UNKNOWN = range(8)


class Tensor:
    def __init__(self, number, requested, category, op, region, shape):
        self.address, self.requested, self.category = 0x7F0000000000 + (number << 24), requested, category
        self.bytes, self.op, self.region, self.shape = -(-requested // 256) * 256, op, region, shape


class Training:
    """A training run: `before` are tensors that exist at its start; `events` are (ns, action, tensor, category of the
    new version, step)."""

    def __init__(self, o):
        self.o, self.random = o, random.Random(o.seed)
        self.now, self.step, self.made = 1767225600_000000000, 0, 0
        self.before, self.events = [], []

    def event(self, action, tensor, category=None):
        self.now += self.random.randint(300, 90000)
        self.events.append((self.now, action, tensor, category, self.step))

    def tensor(self, elements, category, op, region="output"):
        self.made += 1
        return Tensor(self.made, 4 * elements, category, op, region, f"[{elements}]")

    def new(self, *what):
        tensor = self.tensor(*what)
        self.event("create", tensor)
        return tensor

    def drop(self, *tensors):
        for tensor in tensors:
            self.event("destroy", tensor)

    def train(self):
        layers = range(self.o.layers)
        self.before = [self.tensor(100_003 + i, PARAMETER, f"layer_{i}/kernel", "persist/dynamic") for i in layers]
        leaked = []
        for self.step in range(self.o.first_step, self.o.first_step + self.o.steps):
            batch = self.new(250_000, INPUT, "IteratorGetNext", "dynamic")
            kept = [self.new(400_000 + 7 * i, ACTIVATION, f"layer_{i}/MatMul") for i in layers]
            extra = [self.new(int(50_000 * self.o.peak), ACTIVATION, "attention/Softmax")] if self.o.peak else []
            gradients = []
            for i in reversed(layers):
                scratch = self.new(90_000, TEMPORARY, f"gradients/layer_{i}/MatMul", "temp")
                gradients.append(self.new(100_003 + i, GRADIENT, f"gradients/layer_{i}/MatMul_1"))
                self.drop(scratch, kept.pop())
            for i in layers:
                self.event("version", self.before[i], PARAMETER)
            self.event("version", batch, UNKNOWN)
            batch.category = UNKNOWN
            if self.o.leak:
                leaked.append(self.new(self.o.leak // 4, DETAIL, "metrics/Concat"))
            self.drop(*gradients, *extra, batch)
            if self.o.empty and self.step % 2:
                self.drop(self.new(0, TEMPORARY, "Shape", "temp"))
        return self


# --- XProf's file --------------------------------------------------------------------------------
# xplane_to_memory_profile.cc of openxla/xprof: the parts of a snapshot that are kept, and the list of active
# allocations at the peak. Messages are made here with all fields; with o.sparse, Writer leaves out those that are 0 or empty.


def stats(heap, o):
    limit = o.capacity
    return {"stackReservedBytes": o.stack, "heapAllocatedBytes": heap, "freeMemoryBytes": limit - o.stack - heap if limit else 0,
            "fragmentation": 0.25, "peakBytesInUse": 0}


def activity(kind, t, step):
    return {"memoryActivity": kind, "requestedBytes": t.requested, "allocationBytes": t.bytes, "address": t.address,
            "tfOpName": t.op, "stepId": step, "regionType": t.region, "dataType": "float", "tensorShape": t.shape}


def allocator(training, o):
    heap = sum(t.bytes for t in training.before) + o.held
    snapshots, lifetime = [], heap + o.stack
    start = training.events[0][0]
    for ns, action, t, _, step in training.events:
        if action == "version":
            continue
        heap += t.bytes if action == "create" else -t.bytes
        lifetime = max(lifetime, heap + o.stack)
        s = {"timeOffsetPs": (ns - start) * 1000, "aggregationStats": stats(heap, o),
             "activityMetadata": activity("ALLOCATION" if action == "create" else "DEALLOCATION", t, step)}
        s["aggregationStats"]["peakBytesInUse"] = lifetime
        snapshots.append(s)

    def level(s):
        return s["aggregationStats"]["heapAllocatedBytes"] + o.stack

    top = max(level(s) for s in snapshots)
    peak = [s for s in snapshots if level(s) == top][-1]
    summary = {"peakBytesUsageLifetime": lifetime, "peakStats": {**peak["aggregationStats"], "peakBytesInUse": level(peak)},
               "peakStatsTimePs": peak["timeOffsetPs"], "memoryCapacity": level(peak) + peak["aggregationStats"]["freeMemoryBytes"]}
    return {**active(snapshots, peak, o), "profileSummary": summary}


def active(snapshots, peak, o):
    """Lists the active allocations of the step of the peak, the special allocations, and the snapshots that are kept."""
    step, live, freed = peak["activityMetadata"]["stepId"], {}, 0
    unmapped = peak["aggregationStats"]["heapAllocatedBytes"]
    for i, s in enumerate(snapshots):
        a = s["activityMetadata"]
        if s["timeOffsetPs"] > peak["timeOffsetPs"]:
            break
        if a["stepId"] != step:
            continue
        if a["memoryActivity"] == "ALLOCATION":
            live[a["address"]] = i
            unmapped -= a["allocationBytes"]
        else:
            freed += a["allocationBytes"] if live.pop(a["address"], None) is None else 0
            unmapped += a["allocationBytes"]
    specials = [{"memoryActivity": "ALLOCATION", "requestedBytes": size, "allocationBytes": size, "address": 0, "tfOpName": op,
                 "stepId": step, "regionType": region, "dataType": "INVALID", "tensorShape": "unknown"}
                for size, op, region in ((unmapped - freed, "unused preallocated device memory", "persist/dynamic"),
                                         (o.stack, "stack", "stack")) if size > 0]
    rows = [(i, snapshots[i]["activityMetadata"]) for i in live.values()] + [(-1 - i, a) for i, a in enumerate(specials)]

    def key(row):
        a = row[1]
        return -a["allocationBytes"], -a["requestedBytes"], a["tfOpName"], a["regionType"], a["dataType"], a["tensorShape"]

    allocations, kept = [], []
    for row in sorted(rows, key=key):
        if allocations and key(row) == key(last):
            allocations[-1]["numOccurrences"] += 1
            continue
        last, index = row, row[0]
        if index >= 0:
            if not o.old:
                index = len(kept)
            kept.append(snapshots[row[0]])
        allocations.append({"snapshotIndex": index, "specialIndex": -1 if row[0] >= 0 else -1 - row[0], "numOccurrences": 1})
    if o.old:
        return {"memoryProfileSnapshots": snapshots, "activeAllocations": allocations, "specialAllocations": specials}
    return {"memoryProfileSnapshots": kept, "activeAllocations": allocations, "specialAllocations": specials,
            "sampledTimelineSnapshots": sample(snapshots, 1000)}


def sample(snapshots, limit):
    if len(snapshots) <= limit:
        return snapshots
    width = len(snapshots) // limit
    first = limit * (width + 1) - len(snapshots)
    bounds = [width * i for i in range(first)] + [width * first + (width + 1) * i for i in range(limit - first + 1)]
    return [max(snapshots[a:b], key=lambda s: s["aggregationStats"]["heapAllocatedBytes"]) for a, b in zip(bounds, bounds[1:])]


class Writer:
    """Writes messages of protobuf as JSON; options ask for keys with underscores, bare numbers, no empty members, members in reverse."""
    NUMBERS = {"numHosts", "version"}

    def __init__(self, o):
        self.o = o

    def key(self, name):
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in name) if self.o.snake else name

    def value(self, name, value):
        if isinstance(value, int) and not (self.o.numbers or name in self.NUMBERS):
            return str(value)
        return self.message(value) if isinstance(value, dict) else [self.value(name, v) for v in value] if isinstance(value, list) else value

    def message(self, fields):
        pairs = [(self.key(k), self.value(k, v)) for k, v in fields.items()
                 if not (self.o.sparse and v in (0, "", [], 0.0))]
        return dict(reversed(pairs) if self.o.reverse else pairs)


def xprof(training, o):
    w = Writer(o)
    device = allocator(training, o)
    o.capacity, o.stack, o.held = 0, 0, 3 * MIB
    host = allocator(Training(argparse.Namespace(**{**vars(o), "layers": 1, "leak": 0, "peak": 40})).train(), o)
    memories = {"GPU_0_bfc": w.message(device), "gpu_host_bfc": w.message(host)}
    tail = {"numHosts": 1, "memoryIds": sorted(memories), **({} if o.old else {"version": 1, "hloModules": []})}
    pairs = [(w.key("memoryProfilePerAllocator"), memories), *w.message(tail).items()]
    return dict(reversed(pairs) if o.reverse else pairs)


# --- torch's files -------------------------------------------------------------------------------
# MemoryProfileTimeline of torch/profiler/_memory_profiler.py


def raw(training, _):
    rows = [[-1, 1, t.bytes, t.category] for t in training.before]
    category = {}
    for ns, action, t, new, _ in training.events:
        was = category.setdefault(t, INPUT if t.category == UNKNOWN else t.category)
        if action == "create":
            rows.append([ns, 2, t.bytes, was])
        elif action == "destroy":
            rows.append([ns, 4, -t.bytes, was])
        else:
            rows += [[ns, 3, -t.bytes, was], [ns, 3, t.bytes, new]]
            category[t] = new
    return rows


def sizes(training, o):
    times, levels = [], []
    for ns, _, size, category in raw(training, o):
        t = ns if ns < 0 else ns // 1000
        if not times or t != times[-1]:
            times.append(t)
            levels.append(list(levels[-1]) if levels else [0] * 9)
        levels[-1][category + 1] += size
    first = min((t for t in times if t > 0), default=-1)
    return [[first if t < 0 else t for t in times], levels]


# --- The options ---------------------------------------------------------------------------------


def options(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--form", choices=("xprof", "raw", "sizes"), required=True)
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--out", required=True, metavar="FILE", help="compressed where the name ends in .gz")
    p.add_argument("--steps", type=int, default=5)
    p.add_argument("--layers", type=int, default=4)
    p.add_argument("--first-step", type=int, default=0, metavar="N", help="its number")

    g = p.add_argument_group("planted changes")
    g.add_argument("--leak", type=int, default=0, metavar="BYTES", help="kept at each step")
    g.add_argument("--peak", type=float, default=0.0, metavar="N", help="so many 200 kB more in use at the peak")
    g.add_argument("--empty", action="store_true", help="tensors of no bytes too")

    g = p.add_argument_group("XProf's form")
    g.add_argument("--stack", type=int, default=MIB, metavar="BYTES", help="reserved for the stack")
    g.add_argument("--held", type=int, default=2 * MIB, metavar="BYTES", help="by others, from before")
    g.add_argument("--capacity", type=int, default=64 * MIB, metavar="BYTES", help="limit of the allocator; 0: none")
    g.add_argument("--old", action="store_true", help="version 0: all snapshots in one list")
    g.add_argument("--snake", action="store_true", help="names of fields as in the proto")
    g.add_argument("--numbers", action="store_true", help="64-bit integers as numbers")
    g.add_argument("--sparse", action="store_true", help="without fields that are 0 or empty")
    g.add_argument("--reverse", action="store_true", help="the keys in the other order")
    return p.parse_args(argv)


def main(argv=None):
    o = options(argv)
    made = {"xprof": xprof, "raw": raw, "sizes": sizes}[o.form](Training(o).train(), o)
    data = json.dumps(made, separators=(",", ":") if o.form == "xprof" else (", ", ": ")).encode()
    with open(o.out, "wb") as f:
        f.write(gzip.compress(data, 6, mtime=0) if o.out.endswith(".gz") else data)


if __name__ == "__main__":
    sys.exit(main())
