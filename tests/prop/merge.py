#!/usr/bin/env python3
"""Laws of merging the files of ranks, on generated jobs:

 - the order and the tree of merges make no difference: the file is byte for byte that of a single merge of all artifacts, also
   if parts are given twice or gzipped, and with snapshots and metrics files beside some of the traces
 - every command that reads runs accepts such a file, and finds the figures of the artifacts
 - digests are copied as they are spelled; if there are two spellings of one digest, or if context is added, the digest is
   written anew
 - two different digests of a rank are exit 3 and leave no file
 - if --expect-ranks or the rules say how many ranks there are, absent and additional ranks are named, with exit 3
 - two traces of one rank with different steps are refused; with `cycles: join` they become one digest with the steps of both
   and sums of their figures, in any order and any tree of merges

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
PLAIN = "version: 1\nrules:\n  - {id: time, metric: step.compute_time, fail: {increase: 50%}}\n"


def gpugate(*args, expect=0):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False)
    if p.returncode != expect:
        sys.exit(f"exit {p.returncode}, not {expect}: gpugate {' '.join(map(str, args))}\n"
                 f"{p.stdout.decode()}{p.stderr.decode()}")
    return p


def refused(dir, message, *args, expect=3):
    """Check that the command fails with `message` as its only error, and writes nothing."""
    p = gpugate(*args, "-o", dir / "no.json", expect=expect)
    assert message in p.stderr.decode(), p.stderr.decode()
    assert not (dir / "no.json").exists()


def figures(*runs, options=()):
    return json.loads(gpugate("metrics", *runs, *options, "--json", "-").stdout)


class Forest:
    """Files with parts of a run, which are merged two or more at a time until one is left."""

    def __init__(self, dir, leaves, dice, options=()):
        self.dir, self.dice, self.options, self.nr = dir, dice, options, 0
        self.nodes = list(leaves)

    def merge(self, parts):
        self.nr += 1
        out = self.dir / f"node{self.nr}.json{self.dice.choice(['', '.gz'])}"
        gpugate("merge", *parts, "-o", out, *self.options)
        return out

    def fold(self):
        while len(self.nodes) > 1:
            self.dice.shuffle(self.nodes)
            parts = [self.nodes.pop() for _ in range(min(len(self.nodes), self.dice.randint(2, 4)))]
            again = self.dice.sample(parts, self.dice.randint(0, 1)) + (
                [self.dice.choice(self.nodes)] if self.nodes and self.dice.random() < 0.3 else [])
            self.nodes.append(self.merge(self.dice.sample(parts + again, len(parts + again))))
        out = self.dir / "tree.json"
        gpugate("merge", *self.nodes, *self.nodes, "-o", out, *self.options)
        return out.read_bytes()


def job(dir, seed):
    """Traces of six ranks, snapshots of two of them, and metrics files of the run and of one rank."""
    generate("ranks", dir / "job", "--ranks", 6, "--steps", 3, "--seed", seed)
    for rank in (1, 4):
        generate("snapshot", dir / "job" / f"memory-rank{rank}.json.gz", "--seed", seed + rank, "--steps", 2, "--layers", 1)
    (dir / "job" / "bench.json").write_text('{"tokens_per_s": 123.4, "loss": -0.25}')
    (dir / "job" / "bench-rank4.json").write_text('{"tokens_per_s": 120}')
    return sorted((dir / "job").iterdir())


def trees(dir, seed):
    dice = random.Random(seed)
    artifacts = job(dir, seed)
    gpugate("digest", dir / "job", "-o", dir / "whole.json")
    gpugate("digest", *dice.sample(artifacts, len(artifacts)), "-o", dir / "whole.json.gz")
    whole = (dir / "whole.json").read_bytes()
    leaves = []
    for a in artifacts:
        leaves.append(dir / f"{a.name.split('.')[0]}.digest.json{dice.choice(['', '.gz'])}")
        gpugate("digest", a, "-o", leaves[-1])
    # one digest of all artifacts of rank 4, besides the digests of its single artifacts
    gpugate("digest", *[a for a in artifacts if "rank4" in a.name], "-o", dir / "rank4.json")
    leaves.append(dir / "rank4.json")
    assert Forest(dir, leaves + [dir / "whole.json.gz"], dice).fold() == whole
    for _ in range(3):
        assert Forest(dir, leaves, dice).fold() == whole
    assert Forest(dir, artifacts[2:] + leaves[:2], dice).merge(artifacts[2:] + leaves[:2])
    a, b = figures(dir / "job"), figures(dir / "whole.json")
    assert a == b
    assert len(a["ranks"]) == 6 and a["ranks"][4]["snapshot"] == "memory-rank4.json.gz"
    # the file name of a run's context does not matter, only its content
    (dir / "named").mkdir()
    gpugate("merge", *leaves, "-o", dir / "named" / "run.json")
    assert (dir / "named" / "run.json").read_bytes() == whole
    assert figures(dir / "named") == figures(dir / "named" / "run.json") == b
    gpugate("merge", leaves[0], "-o", dir / "one.json")
    gpugate("digest", artifacts[leaves.index(leaves[0])], "-o", dir / "same.json")
    assert (dir / "one.json").read_bytes() == (dir / "same.json").read_bytes()
    assert json.loads((dir / "one.json").read_text())["schema"] == "gpugate-digest-1"
    assert json.loads(whole)["schema"] == "gpugate-run-1"


def losses(dir, seed):
    artifacts = job(dir, seed)
    ranks = [a for a in artifacts if a.name.startswith("rank")]
    other = dir / "other"
    generate("ranks", other, "--ranks", 6, "--steps", 3, "--seed", seed + 50)
    for i, a in enumerate(ranks):
        gpugate("digest", a, "-o", dir / f"{i}.json")
    gpugate("digest", other / "rank2.json.gz", "-o", dir / "2b.json")
    digests = [dir / f"{i}.json" for i in range(6)]
    refused(dir, "rank 2 is there twice", "merge", *digests, dir / "2b.json")
    gpugate("merge", *digests[:3], "-o", dir / "left.json")
    gpugate("merge", dir / "2b.json", *digests[3:], "-o", dir / "right.json")
    refused(dir, "rank 2 is there twice", "merge", dir / "left.json", dir / "right.json")
    refused(dir, "rank 4 of 6 is missing", "merge", *digests[:4], digests[5], "--expect-ranks", 6)
    refused(dir, "ranks 0, 2 to 4 and 6 to 7 of 8 are missing", "digest", ranks[1], ranks[5], "--expect-ranks", 8)
    refused(dir, "5 ranks were expected, and there are 6: ranks 0 to 5", "merge", *digests, "--expect-ranks", 5)
    refused(dir, "--expect-ranks", "merge", *digests, "--expect-ranks", 0, expect=2)
    gpugate("merge", *digests, "--expect-ranks", 6, "-o", dir / "all.json")
    gpugate("approve", "--new", dir / "all.json", "--baseline", dir / "base")
    (dir / "plain.yaml").write_text(PLAIN)
    (dir / "six.yaml").write_text(PLAIN + "inputs: {expect_ranks: 6}\n")
    against = ("--baseline", dir / "base")
    gpugate("check", dir / "all.json", *against, "--rules", dir / "six.yaml")
    gpugate("check", dir / "all.json", *against, "--rules", dir / "plain.yaml", "--expect-ranks", 6)
    for options in (("--rules", dir / "six.yaml"), ("--rules", dir / "plain.yaml", "--expect-ranks", 6)):
        p = gpugate("check", *digests[:3], *digests[4:], *against, *options, expect=3)
        assert "rank 3 of 6 is missing" in p.stderr.decode(), p.stderr.decode()
    gpugate("check", dir / "all.json", *against, "--rules", dir / "six.yaml", "--expect-ranks", 7, expect=3)


def texts(dir, seed):
    """A merge copies the text of a digest. It writes the digest anew only if two files hold the digest in different spellings, or if the
    merge changes it."""
    dice = random.Random(seed)
    generate("ranks", dir / "job", "--ranks", 4, "--steps", 2, "--seed", seed)
    plain, spelled = [], []
    for i in range(4):
        plain.append(dir / f"rank{i}.json")
        gpugate("digest", dir / "job" / f"rank{i}.json.gz", "-o", plain[-1])
        spelled.append(dir / f"spelled{i}.json")
        spelled[-1].write_text(json.dumps(json.loads(plain[-1].read_text()), indent=dice.choice([1, 3])))
    gpugate("digest", dir / "job", "-o", dir / "whole.json")
    whole = (dir / "whole.json").read_bytes()
    trees = {Forest(dir, dice.sample(plain[:2] + spelled, 6), dice).fold() for _ in range(3)}
    assert len(trees) == 1
    tree = trees.pop()
    assert tree != whole and json.loads(tree) == json.loads(whole)
    for i in range(4):
        text = spelled[i].read_bytes() if i > 1 else plain[i].read_bytes().rstrip(b"\n")
        assert text in tree, i
    assert Forest(dir, plain + spelled, dice).fold() == whole
    gpugate("merge", *spelled, "--context", "batch_size=8", "-o", dir / "with.json")
    gpugate("digest", dir / "job", "--context", "batch_size=8", "-o", dir / "as.json")
    (dir / "beside").mkdir()
    for path in spelled:
        (dir / "beside" / path.name).write_bytes(path.read_bytes())
    (dir / "beside" / "run.yaml").write_text("batch_size: 8\n")
    gpugate("merge", dir / "beside", "-o", dir / "of.json")
    for name in ("with.json", "of.json"):
        assert (dir / name).read_bytes() == (dir / "as.json").read_bytes(), name


def total(run, key):
    out = {}
    for k in run["kernels"]:
        assert k["rank"] == 0
        out[k["kind"], k["name"]] = k[key]
    return out


def values(run, metric):
    return [(m.get("device"), m["value"]) for m in run["metrics"] if m["metric"] == metric]


def cycles(dir, seed):
    steps = ("--steps", 3, "--rank", 0, "--world-size", 2, "--nccl")
    traces = [dir / f"cycle{i}.json.gz" for i in range(3)]
    for i, trace in enumerate(traces):
        generate("trace", trace, "--seed", seed + i, "--first-step", 100 * (3 - i), *steps)
    generate("trace", dir / "overlap.json.gz", "--seed", seed, "--first-step", 101, *steps)
    refused(dir, "join them with 'steps: {cycles: join}' in the rules", "digest", *traces)
    (dir / "join.yaml").write_text("version: 2\nsteps: {cycles: join}\n")
    join = "--rules", dir / "join.yaml"
    refused(dir, "they have steps with the same number", "digest", traces[2], dir / "overlap.json.gz", *join)
    gpugate("digest", *traces, *join, "-o", dir / "whole.json")
    leaves = [dir / f"c{i}.json" for i in range(3)]
    for trace, leaf in zip(traces, leaves):
        gpugate("digest", trace, "-o", leaf)
    forest = Forest(dir, leaves + leaves[:1], random.Random(seed), join)
    assert forest.fold() == (dir / "whole.json").read_bytes()

    gpugate("approve", "--new", dir / "whole.json", "--baseline", dir / "cycles.gate.json")
    (dir / "plain.yaml").write_text(PLAIN + "steps: {cycles: join}\n")
    gpugate("check", *traces, "--baseline", dir / "cycles.gate.json", "--rules", dir / "plain.yaml")

    whole = figures(dir / "whole.json")
    assert whole == figures(*reversed(traces), options=join)
    parts = [figures(t) for t in reversed(traces)]  # in the order of the steps: the last trace has the first steps
    for m in whole["metrics"]:
        if "samples" in m:
            want = [s for p in parts for n in p["metrics"] if n["metric"] == m["metric"] for s in n["samples"]]
            assert m["samples"] == want, m["metric"]
    for key, add in (("count", sum), ("total", sum), ("max", max)):
        want = [total(p, key) for p in parts]
        names = {n for w in want for n in w}
        assert total(whole, key) == {n: add(w.get(n, 0) for w in want) for n in names}, key
    for metric in ("window.busy_time", "window.idle_time", "window.compute_time", "memory.alloc_count"):
        assert [v for _, v in values(whole, metric)] == [sum(v for p in parts for _, v in values(p, metric))], metric
    for metric in ("memory.peak_allocated", "memory.peak_reserved"):
        assert [v for _, v in values(whole, metric)] == [max(v for p in parts for _, v in values(p, metric))], metric
    for key in ("gpu_events", "with_launch", "events", "carried_over"):
        assert whole["ranks"][0][key] == sum(p["ranks"][0][key] for p in parts), key


def many_cycles(dir, seed):
    """The largest number of cycles that can be joined, and one more: a file that repeats a rank endlessly does not block
    the tool."""
    generate("trace", dir / "t.json", "--seed", seed, "--steps", 2)
    gpugate("digest", dir / "t.json", "-o", dir / "one.json")
    one = json.loads((dir / "one.json").read_text())
    for nr, expect in ((256, 0), (257, 3)):
        cycles = [{**one, "steps": {**one["steps"], "number": [2 * i, 2 * i + 1]}} for i in range(nr)]
        (dir / "many.json").write_text(json.dumps({"schema": "gpugate-run-1", "digests": cycles}))
        p = gpugate("report", dir / "many.json", expect=expect)
        assert expect == 0 or "more than 256 artifacts of rank 0" in p.stderr.decode(), p.stderr


def main():
    if not PROGRAM:
        sys.exit(77)
    for law in (trees, texts, losses, cycles, many_cycles):
        for seed in (1, 2):
            with tempfile.TemporaryDirectory() as name:
                try:
                    law(pathlib.Path(name), seed)
                except AssertionError as e:
                    raise SystemExit(f"{law.__name__}, seed {seed}: {e!r}") from e
        print(f"ok {law.__name__}")


if __name__ == "__main__":
    main()
