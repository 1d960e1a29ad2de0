#!/usr/bin/env python3
"""Memory that runs out: for every command that writes, the Nth malloc, calloc or realloc fails, once or from then on, in
the program, its threads and its libraries. The program then ends with exit code 5 and one line that says so (or succeeds,
if it can do without that memory), never in a crash. Each output is complete, no file is left behind, and the same command
run again succeeds.

A command makes 10,000 to 40,000 such calls: the first ones are tried, and a sample of the others, --runs N in all.

usage: fault_memory.py [--runs N] [--seed N] [CASE…]
$GPUGATE is the program, $GPUGATE_SHIM the shim; exit 77 skips.
"""
import argparse
import pathlib
import random
import sys
import tempfile

from _fault import OLD, REPORTS, Case, Place, cases, each, file_faults, inputs, message_faults, refer, skip_without
from _gen import GEN, generate

FIRST, RUNS = 20, 15


def more_cases(made):
    """Inputs of different kinds, each with the library that reads it."""
    names = ("a.json.gz", "c.json.gz", "memory.json.gz", "memory.pickle", "rules.yaml", "d0.json.gz", "d1.json.gz")
    files = {n: made[n] for n in names}
    return [
        Case("two threads", ["digest", "d0.json.gz", "d1.json.gz", "--jobs", "2", "-o", "all.json"], ["all.json"], 0, files),
        Case("a snapshot", ["report", "memory.json.gz", "--html", "h.html", "--json", "r.json"], ["h.html", "r.json"], 0,
             {**files, "h.html": OLD}),
        Case("a pickle", ["digest", "memory.pickle", "-o", "d.json"], ["d.json"], 0, files),
        Case("a pickle of a hang", ["report", "nccl_trace_rank_0", "--json", "r.json"], ["r.json"], 3,
             {"nccl_trace_rank_0": (GEN.parent / "fuzz/corpus/flight_pickle/mismatch-0.pickle").read_bytes()}),
        Case("an error", ["check", "rules.yaml", "--rules", "rules.yaml", "--junit", "j.xml", "--markdown", "m.md", "--json",
                                      "r.json", "--html", "h.html", "--openmetrics", "o.txt"], list(REPORTS), 3, files),
    ]


def trial(task):
    case, number, forever = task
    with Place(case) as p:
        done = p.run("memory", f"{number}{'+' if forever else ''}")
        same = done.returncode == case.code and done.stdout == case.stdout
        if same and all(p.read(n) == data for n, data in case.reference.items()):
            return []
        wrong = [] if done.returncode == 5 else [f"exit {done.returncode}: {done.stderr.decode(errors='replace')[:2000]}"]
        wrong += message_faults(done.stderr, "memory") + file_faults(p, strict=False)
        left = p.names() - set(case.files) - set(case.outputs)
        wrong += [f"left behind: {sorted(left)}"] if left else []
        if case.args[0] not in ("approve", "store"):
            done = p.run()
            if done.returncode != case.code or any(p.read(n) != data for n, data in case.reference.items()):
                wrong.append(f"the next run ends with {done.returncode}: {done.stderr.decode()}")
        return [f"{case.name}: allocation {number}{' and all after it' if forever else ''}: {line}" for line in wrong]


def numbers(case, o):
    with Place(case) as p:
        p.run("memory")
        count = len(p.calls())
    rest = range(FIRST + 1, count + 1)
    return [*range(1, FIRST + 1), *random.Random(f"{o.seed}{case.name}").sample(rest, min(o.runs, len(rest)))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("cases", nargs="*")
    o = parser.parse_args()
    skip_without()
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        generate("snapshot", dir / "memory.json.gz", "--seed", 1, "--steps", 2, "--layers", 1)
        generate("snapshot", dir / "memory.pickle", "--seed", 1, "--steps", 2, "--layers", 1, "--pickle", 4)
        made = inputs(dir)
        all_cases = cases(made) + more_cases(made)
    bad = []
    for case in all_cases:
        if o.cases and case.name not in o.cases:
            continue
        refer(case)
        tasks = [(case, n, forever) for n in numbers(case, o) for forever in (False, True)]
        wrong = each(tasks, trial)
        print(f"{'FAIL' if wrong else 'ok  '} {case.name}: {len(tasks)} faults", flush=True)
        for line in wrong[:20]:
            print(f"     {line}")
        bad += wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
