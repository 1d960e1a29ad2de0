#!/usr/bin/env python3
"""Write a synthetic CUDA memory snapshot (torch.cuda.memory._snapshot()): a small transformer that
trains, over an allocator that caches as PyTorch's does. The same options give the same bytes; the
seed changes times only.

  snapshot.py --seed 1 --out base.json.gz
  snapshot.py --seed 2 --out candidate.json.gz --leak 8388608

The parts, in the order of the file: the allocator, the training loop, the writer.
"""
import argparse
import gzip
import json
import pickle
import random
import sys

KIB, MIB = 1 << 10, 1 << 20
INACTIVE, ACTIVE = "inactive", "active_allocated"


def round_up(n, step):
    return -(-n // step) * step


# --- The allocator -----------------------------------------------------------------------------
# Sizes and rules: c10/cuda/CUDACachingAllocator.cpp (kMinBlockSize, kSmallSize, kSmallBuffer,
# kLargeBuffer, kMinLargeAlloc, kRoundLarge; should_split).


class Block:
    def __init__(self, segment, address, size):
        self.segment, self.address, self.size = segment, address, size
        self.state, self.requested, self.stack = INACTIVE, 0, None


class Segment:
    def __init__(self, address, size, large, stack):
        self.address, self.size, self.large, self.stack = address, size, large, stack
        self.blocks = [Block(self, address, size)]

    def is_free(self):
        return len(self.blocks) == 1 and self.blocks[0].state == INACTIVE


class OutOfMemory(Exception):
    pass


class Allocator:
    def __init__(self, o, capacity):
        self.o, self.capacity = o, capacity
        self.random = random.Random(o.seed)
        self.now = 1767225600_000000
        self.next_address = 0x7F4200000000
        self.segments, self.entries, self.annotations = [], [], []
        self.allocated = self.reserved = self.peak_allocated = self.peak_reserved = 0

    def tick(self):
        self.now += self.random.randint(3, 90)
        return self.now

    def record(self, action, address, size, stack):
        where = {"device_free": self.capacity - self.reserved} if action == "oom" else {"addr": address}
        self.entries.append({"action": action, **where, "size": size, "stream": 0, "time_us": self.tick(), "frames": stack})

    def annotate(self, stage, name):
        self.annotations.append({"stage": stage, "name": name, "device": self.o.device, "time_us": self.tick()})

    def reserve(self, size, large, stack):
        if self.reserved + size > self.capacity:
            self.release_cached(stack)
        if self.reserved + size > self.capacity:
            return None
        segment = Segment(self.next_address, size, large, stack)
        self.next_address += round_up(size, 32 * MIB)
        self.segments.append(segment)
        self.reserved += size
        self.peak_reserved = max(self.peak_reserved, self.reserved)
        self.record("segment_alloc", segment.address, size, stack)
        return segment.blocks[0]

    def release_cached(self, stack):
        for segment in [s for s in self.segments if s.is_free()]:
            self.segments.remove(segment)
            self.reserved -= segment.size
            self.record("segment_free", segment.address, segment.size, stack)

    def malloc(self, requested, stack):
        size = max(512, round_up(requested, 512))
        large = size > MIB
        fitting = [b for s in self.segments if s.large == large for b in s.blocks if b.state == INACTIVE and b.size >= size]
        block = min(fitting, key=lambda b: (b.size, b.address), default=None)
        if not block:
            buffer = 2 * MIB if not large else 20 * MIB if size < 10 * MIB else round_up(size, 2 * MIB)
            block = self.reserve(buffer, large, stack)
        if not block:
            self.record("oom", None, requested, stack)
            raise OutOfMemory
        rest = block.size - size
        if rest > MIB if large else rest >= 512:
            blocks = block.segment.blocks
            blocks.insert(blocks.index(block) + 1, Block(block.segment, block.address + size, rest))
            block.size = size
        block.state, block.requested, block.stack = ACTIVE, requested, stack
        self.allocated += block.size
        self.peak_allocated = max(self.peak_allocated, self.allocated)
        self.record("alloc", block.address, requested, stack)
        return block

    def free(self, block, stack):
        for action in ("free_requested", "free_completed"):
            self.record(action, block.address, block.requested, stack)
        self.allocated -= block.size
        block.state, block.stack = INACTIVE, None
        blocks = block.segment.blocks
        at = blocks.index(block)
        for i in (at, at - 1):
            if i >= 0 and i + 1 < len(blocks) and blocks[i].state == blocks[i + 1].state == INACTIVE:
                blocks[i].size += blocks.pop(i + 1).size

    def begin_recording(self):
        """Begins recording: existing blocks have no stack, and earlier events are forgotten."""
        self.entries.clear()
        self.annotations.clear()
        for block in (b for s in self.segments for b in s.blocks):
            block.stack = None


# --- The training loop -------------------------------------------------------------------------

PROJECT = "/srv/ci/build/train/"
TORCH = "/usr/local/lib/python3.12/dist-packages/torch/"
NATIVE = [("at::detail::empty_generic(c10::ArrayRef<long>)", "??", 0), ("at::native::empty_cuda(c10::ArrayRef<long>)", "??", 0)]
OUTER = [("train_step", PROJECT + "loop.py", 88), ("main", PROJECT + "loop.py", 131), ("<module>", PROJECT + "loop.py", 140)]
# Stacks of allocations: the frames that OUTER calls, innermost first.
STACKS = {
    "weights": [("__init__", TORCH + "nn/modules/linear.py", 106), ("__init__", PROJECT + "model.py", 22)],
    "batch": [("next_batch", PROJECT + "data.py", 57)],
    "norm": [("rms_norm", TORCH + "nn/functional.py", 2924), ("forward", PROJECT + "model.py", 35)],
    "attention": [("scaled_dot_product_attention", TORCH + "nn/functional.py", 5501), ("attend", PROJECT + "model.py", 48)],
    "mlp": [("forward", TORCH + "nn/modules/linear.py", 125), ("mlp", PROJECT + "model.py", 61)],
    "gelu": [("forward", TORCH + "nn/modules/activation.py", 734), ("mlp", PROJECT + "model.py", 62)],
    "workspace": [("bias_table", PROJECT + "bias.py", 19)],
    "loss": [("cross_entropy", TORCH + "nn/functional.py", 3104), ("loss", PROJECT + "loop.py", 70)],
    "backward": [("_engine_run_backward", TORCH + "autograd/graph.py", 823), ("backward", TORCH + "_tensor.py", 581)],
    "state": [("_init_group", TORCH + "optim/adamw.py", 108), ("step", TORCH + "optim/adamw.py", 218)],
    "update": [("_multi_tensor_adamw", TORCH + "optim/adamw.py", 541), ("step", TORCH + "optim/adamw.py", 236)],
    "leak": [("append", PROJECT + "metrics.py", 14)],
    "pin": [("remember", PROJECT + "shapes.py", 31)],
    "bucket": [("pad", PROJECT + "shapes.py", 27)],
}


class Loop:
    def __init__(self, o, workspace, capacity):
        self.o, self.workspace = o, workspace
        self.a = Allocator(o, capacity)
        self.stacks = {name: [{"name": n, "filename": f, "line": l} for n, f, l in NATIVE + frames + OUTER]
                       for name, frames in STACKS.items()}
        self.state = []

    def new(self, what, size):
        return self.a.malloc(size, self.stacks[what])

    def drop(self, what, *blocks):
        for block in blocks:
            self.a.free(block, self.stacks[what])

    def fragment(self, share):
        """Leaves holes: blocks that are freed between others, and are too small for later requests."""
        wanted = share / (1 - share) * self.o.layers * 208 * MIB
        holes = []
        while sum(h.size for h in holes) < wanted:
            holes.append(self.new("bucket", 17 * MIB // 2))
            self.new("pin", 5 * MIB // 4)
            holes.append(self.new("bucket", 19 * MIB // 2))
        self.drop("bucket", *holes)

    def step(self, length):
        o, rows = self.o, 24 * MIB * length
        batch = self.new("batch", 513 * KIB)
        workspace = [self.new("workspace", self.workspace)] if self.workspace else []
        saved = []
        for _ in range(o.layers):
            saved += [self.new("norm", rows), self.new("attention", rows), self.new("attention", 700 * KIB)]
            temporary = self.new("mlp", rows)
            saved += [self.new("gelu", rows), self.new("mlp", rows)]
            self.drop("gelu", temporary)
        loss = self.new("loss", 100)
        logits = self.new("loss", 31 * MIB)
        gradients = []
        for i, block in enumerate(reversed(saved)):
            temporary = self.new("backward", block.requested)
            self.drop("backward", block, temporary)
            if i % 5 == 4:
                gradients += [self.new("backward", w.requested) for w in self.weights[:4]]
        self.drop("backward", logits, *workspace)
        self.optimize(gradients)
        self.drop("loss", loss)
        self.drop("batch", batch)

    def optimize(self, gradients):
        self.a.annotate("START", "Optimizer.step#AdamW.step")
        if not self.state:
            self.state = [self.new("state", w.requested) for w in self.weights for _ in range(2)]
        for w in self.weights[:4]:
            self.drop("update", self.new("update", w.requested))
        self.drop("update", *gradients)
        if self.o.leak:
            self.new("leak", self.o.leak)
        self.a.annotate("END", "Optimizer.step#AdamW.step")

    def run(self):
        o = self.o
        self.weights = [self.new("weights", size) for _ in range(o.layers) for size in (16 * MIB, 16 * MIB, 16 * MIB, 8 * KIB)]
        if o.fragmentation:
            self.fragment(o.fragmentation)
        try:
            for i in range(o.steps):
                if i == o.begin:
                    self.a.begin_recording()
                self.step(2 if o.oom and i == o.steps - 1 else 1)
                if o.empty_cache:
                    self.a.release_cached(self.stacks["update"])
        except OutOfMemory:
            pass
        return self.a


def simulate(o):
    """Runs the training; planted sizes are relative to what a run without planted changes needs."""
    capacity, workspace = 80 << 30, 0
    if o.peak or o.oom:
        plain = argparse.Namespace(**{**vars(o), "peak": 0, "oom": False})
        a = Loop(plain, 0, capacity).run()
        workspace = round(a.peak_allocated * o.peak / 100)
        capacity = a.peak_reserved + workspace if o.oom else capacity
    return Loop(o, workspace, capacity).run()


# --- The writer --------------------------------------------------------------------------------


def block_row(block, o):
    stack = block.stack or []
    if o.style == "old":
        history = [{"addr": block.address, "real_size": block.requested, "frames": stack}] if block.stack else []
        return {"size": block.size, "state": block.state, **({"history": history} if history else {})}
    return {"address": block.address, "size": block.size, "requested_size": block.requested, "state": block.state, "frames": stack}


def segment_row(segment, o):
    used = [b for b in segment.blocks if b.state == ACTIVE]
    total = sum(b.size for b in used)
    row = {"device": o.device, "address": segment.address, "total_size": segment.size, "allocated_size": total, "active_size": total}
    if o.style != "old":
        row["requested_size"] = sum(b.requested for b in used)
    row |= {"stream": 0, "segment_type": "large" if segment.large else "small"}
    if o.style == "new":
        row |= {"segment_pool_id": (0, 0), "is_expandable": False}
    if o.style != "old":
        row["frames"] = [] if o.no_history else segment.stack
    return row | {"blocks": [block_row(b, o) for b in segment.blocks]}


def document(a, o):
    if o.no_history:
        a.begin_recording()
    entries = a.entries[-o.max_entries:] if o.max_entries else a.entries
    if o.style == "old":  # without times
        entries = [{k: v for k, v in e.items() if k != "time_us"} for e in entries]
    out = {"segments": [segment_row(s, o) for s in a.segments], "device_traces": [[] for _ in range(o.device)] + [entries]}
    if o.style == "new":
        out["allocator_settings"] = {"expandable_segments": False, "max_split_size": -1, "garbage_collection_threshold": 0.0}
        out["external_annotations"] = a.annotations
    return out["segments"] if o.bare else dict(reversed(out.items())) if o.reverse else out


def write(data, o):
    with open(o.out, "wb") as f:
        if o.out.endswith(".gz"):
            with gzip.GzipFile("", "wb", 6, f, mtime=0) as z:
                z.write(data)
        else:
            f.write(data)


def options(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--out", required=True, metavar="FILE", help="compressed where the name ends in .gz")
    p.add_argument("--steps", type=int, default=5)
    p.add_argument("--layers", type=int, default=4)
    p.add_argument("--device", type=int, default=0, help="its number; those before it are idle")

    g = p.add_argument_group("planted changes")
    g.add_argument("--leak", type=int, default=0, metavar="BYTES", help="kept at each step")
    g.add_argument("--peak", type=float, default=0.0, metavar="PCT", help="more in use at the peak")
    g.add_argument("--fragmentation", type=float, default=0.0, metavar="0..0.4", help="share of what is reserved at the peak, about")
    g.add_argument("--empty-cache", action="store_true", help="free segments are given back after each step")
    g.add_argument("--oom", action="store_true", help="the last step has a batch for which memory is short")

    g = p.add_argument_group("what is recorded")
    g.add_argument("--no-history", action="store_true", help="the final state alone, without stacks")
    g.add_argument("--begin", type=int, default=-1, metavar="STEP", help="recording begins with this step, from 0")
    g.add_argument("--max-entries", type=int, default=0, metavar="N", help="the last N of the history")

    g = p.add_argument_group("form")
    g.add_argument("--style", choices=("new", "mid", "old"), default="new", help="torch 2.6, 2.1 or 2.0")
    g.add_argument("--bare", action="store_true", help="the bare list of segments")
    g.add_argument("--reverse", action="store_true", help="the keys in the other order")
    g.add_argument("--pickle", type=int, metavar="PROTOCOL", help="a pickle in place of JSON")
    o = p.parse_args(argv)
    if not 0 <= o.fragmentation <= 0.4:  # above 0.4 memory would peak before the holes are made, not in a step
        p.error("--fragmentation is from 0 to 0.4")
    return o


def main(argv=None):
    o = options(argv)
    out = document(simulate(o), o)
    write((json.dumps(out) + "\n").encode() if o.pickle is None else pickle.dumps(out, o.pickle), o)


if __name__ == "__main__":
    sys.exit(main())
