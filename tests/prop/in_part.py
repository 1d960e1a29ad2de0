#!/usr/bin/env python3
"""What is missing in part is missing: figures that only some ranks, or some of several runs, of the candidate have.

- A kind of events is removed from some ranks of the candidate, of the baseline, or of a repeated run, whole and folded: exit 3 if
  fewer or other ranks have the figures than in the baseline, else 0; of a folded run, fewer.
- Unchanged code passes against each kind of baseline, with a history of each kind: of whole and of folded runs.

$GPUGATE is the program; exit 77 skips.
"""
import itertools
import json
import sys
import tempfile

from _bench import PROGRAM, Bench
from _gen import generate

RANKS = 3
KINDS = {
    "memory": lambda e: "Total Allocated" in (e.get("args") or {}),
    "operators": lambda e: e.get("cat") in ("cpu_op", "operator"),
}


class Jobs:
    """Runs of RANKS ranks, each in a folder or folded."""

    def __init__(self, b):
        self.b, self.made = b, {}

    def trace(self, seed, rank, options):
        key = (seed, rank, options)
        if key not in self.made:
            generate("trace", self.b.dir / "rank.json", "--seed", 10 * seed + rank, "--steps", 5, "--rank", rank, "--world-size", RANKS, *options)
            self.made[key] = (self.b.dir / "rank.json").read_text()
        return json.loads(self.made[key])

    def run(self, name, seed, kind=None, lacks=(), options=()):
        for rank in range(RANKS):
            t = self.trace(seed, rank, options)
            if rank in lacks:
                t["traceEvents"] = [e for e in t["traceEvents"] if not KINDS[kind](e)]
            self.b.file(f"{name}/rank{rank}.json", json.dumps(t))
        return name

    def fold(self, name):
        digests = [f"{name}-{rank}.gz" for rank in range(RANKS)]
        for rank, digest in enumerate(digests):
            self.b.fine("digest", f"{name}/rank{rank}.json", "-o", digest)
        self.b.fine("merge", "--fold", *digests, "-o", f"{name}.gz")
        return f"{name}.gz"


def judge(b, where, want, *args):
    done = b.run("check", *args)
    assert done.returncode == want, (where, done.returncode, want, done.stdout.decode()[-2500:], done.stderr.decode())


def parts(b, jobs):
    nr = 0
    for kind, before in itertools.product(KINDS, ((), (1,))):
        b.fine("approve", "--new", jobs.run("base", 1, kind, before), "--baseline", "base.json", "--force")
        for after in ((), (0,), (1,), (1, 2), (0, 1, 2)):
            run = jobs.run("run", 2, kind, after)
            fewer = 3 if len(after) > len(before) else 0
            # the shares of the GPU time with a known operator must agree, whichever side has more
            other = 3 if set(after) - set(before) else fewer
            want = 3 if kind == "operators" and after != before else other
            folded = 3 if kind == "operators" and len(after) != len(before) else fewer
            judge(b, (kind, before, after), want, run, "--baseline", "base.json")
            judge(b, (kind, before, after, "folded"), folded, jobs.fold(run), "--baseline", "base.json")
            whole = jobs.run("whole", 3, kind, before)
            judge(b, (kind, before, after, "one of two runs"), other, whole, "--repeat", run, "--baseline", "base.json")
            nr += 3
    print(f"in part: {nr} runs judged")


def histories(b, jobs):
    runs = {seed: jobs.run(f"r{seed}", seed) for seed in (1, 2, 3)}
    slow = jobs.run("slow", 4, options=("--slow-kernel", "*=1.3"))
    forms = {name: (name, jobs.fold(name)) for name in [*runs.values(), slow]}
    for pin, past, form in itertools.product((0, 1), repeat=3):
        b.fine("approve", "--new", forms["r1"][pin], "--baseline", "base.json", "--force")
        b.fine("store", forms["r2"][past], "--baseline", "base.json", "--force")
        where = [("whole", "folded")[i] for i in (pin, past, form)]
        judge(b, where, 0, forms["r3"][form], "--baseline", "base.json")
        judge(b, [*where, "slow"], 1, forms["slow"][form], "--baseline", "base.json")
    print("histories: 8 of whole and folded runs")


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder)
        jobs = Jobs(b)
        parts(b, jobs)
        histories(b, jobs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
