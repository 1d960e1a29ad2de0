#!/usr/bin/env python3
"""GPU time by place in the code equals that of the slow reference, to the nanosecond.

usage: code_agree.py [GPUGATE] [TRACE…]

Compares the table "code" and the annotations of `gpugate digest TRACE` with oracle/coderef.py of the shared data on every
shared trace (or on the TRACEs given): GPU time and launches by operator, innermost operator, module, annotation and place. The
program leaves out a last step that was cut short, and treats steps as annotations even if the trace, like traces of 2021,
records them as operators: the reference is given a trace in which this is done. $GPUGATE is the program, $GPUGATE_SHARED
for the shared data; without either the test is skipped (exit 77).
"""
import argparse
import collections
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys

import yaml

from _reference import differences, recordings

ROOT = pathlib.Path(__file__).resolve().parents[2]
BETWEEN = "\n"
SUM = "sum of small ones"


def load(shared, name):
    sys.path.insert(0, str(shared / "oracle"))
    spec = importlib.util.spec_from_file_location(name, shared / "oracle" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def as_program_sees(ref, events, cut):
    """Converts a trace for the reference: steps become annotations, and a last step that was cut short is removed."""
    steps = []
    for e in events:
        if isinstance(e, dict) and ref.STEP.match(str(e.get("name", ""))) and e.get("ph") == "X" and "ts" in e:
            if str(e.get("cat", "")).lower() in ref.HOST:
                e = {**e, "cat": "user_annotation"}
                steps.append(e)
        yield e
    if cut:
        max(steps, key=lambda e: ref.ns(e["ts"]))["cat"] = "cut"


def reference(coderef, path, skip, cut):
    ref = coderef.ref
    plain = ref.load
    ref.load = lambda p: list(as_program_sees(ref, plain(p), cut))
    try:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            coderef.main(str(path), skip)
    finally:
        ref.load = plain
    found = json.loads(out.getvalue())
    return {kind: {row["name"]: [row["time"], row["count"]] for row in found[kind]} for kind in ("op", "op_self", "module", "range", "place")}


def digest(gpugate, path):
    done = subprocess.run([gpugate, "digest", str(path), "-o", "-"], capture_output=True)
    if done.returncode != 0:
        raise ValueError(f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return json.loads(done.stdout.decode("utf-8"))


def of_program(d):
    """Makes the tables of the reference from the rows of a digest."""
    out = {kind: collections.defaultdict(lambda: [0, 0]) for kind in ("op", "op_self", "module", "range", "place")}

    def add(kind, name, row):
        out[kind][name][0] += row["total_ns"]
        out[kind][name][1] += row["count"]

    for row in d.get("code", []):
        if row["kind"] == "sync":
            continue
        ops, modules = (row[what].split(BETWEEN) if what in row else [] for what in ("op", "module"))
        for name in set(ops):
            add("op", name, row)
        if ops:
            add("op_self", ops[-1], row)
        for i in range(len(modules)):
            add("module", " > ".join(modules[:i + 1]), row)
        add("place", row.get("place", ""), row)
    for row in d.get("ranges", []):
        add("range", SUM if row.get("names") else row["name"], row)
    return {kind: dict(rows) for kind, rows in out.items()}


def disagreements(gpugate, coderef, path, skip, keep):
    try:
        d = digest(gpugate, path)
    except ValueError as e:
        return [str(e)]
    steps = d["steps"]
    cut = d["usable_steps"] < len(steps.get("number", []))
    return differences(keep, path, of_program(d), lambda: reference(coderef, path, skip, cut), True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugate", nargs="?", default=os.environ.get("GPUGATE"))
    parser.add_argument("trace", nargs="*", type=pathlib.Path)
    args = parser.parse_intermixed_args()
    shared = os.environ.get("GPUGATE_SHARED")
    if not args.gpugate or not shared:
        print("skipped: needs $GPUGATE (the program) and $GPUGATE_SHARED (the shared data)")
        return 77
    shared, rules = pathlib.Path(shared), ROOT / "rules" / "sites.yaml"
    coderef = load(shared, "coderef")
    skip = [str(s).lower() for s in yaml.safe_load(rules.read_text(encoding="utf-8"))["skip"]]
    keep = [shared / "oracle" / "ref.py", shared / "oracle" / "coderef.py", rules]
    paths = args.trace or [p for p in recordings("traces", "*.json*") if not p.name.startswith("nottrace-")]
    bad = 0
    for path in paths:
        lines = disagreements(args.gpugate, coderef, path, skip, keep)
        print(f"{'FAIL' if lines else 'ok  '} {path.parent.name}/{path.name}", flush=True)
        for line in lines[:10]:
            print(f"     {line[:500]}")
        bad += bool(lines)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
