#!/usr/bin/env python3
"""A slowdown of the kernels of one module and line is attributed to that module and line first.

usage: code_planted.py [GPUGATE] [--cases N]

In shared traces with Python frames, kernels that one module launched at one place (the forward pass, from frames around the
launch) become slower by a third; `gpugate diff` must have that module, place and operator as the first parts of the change. At least 95 of 100 cases must be so. $GPUGATE is the program, $GPUGATE_SHARED for the shared data; without
either the test is skipped (exit 77).
"""
import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ("norm-test-mi300x-run1", "norm-test-mi300x-run2", "qwen05b-h100-single", "qwen05b-mi300x-single", "bert-small-h100-single",
          "bert-small-mi300x-single")
FRAME = re.compile(r"^(.*)\((\d+)\): (.*)$")
ENOUGH = 95  # per cent


class Frames:
    """Nested Python frames of one thread."""

    def __init__(self):
        self.spans = []

    def around(self, at):
        """Names of the frames around the time `at`, outermost first."""
        return [name for start, end, name in self.spans if start <= at < end]


def places(events, skip):
    """{correlation id: (module path, place, innermost operator)} of the kernels launched within a module."""
    frames, ops, calls = collections.defaultdict(Frames), collections.defaultdict(Frames), {}
    for e in events:
        if not isinstance(e, dict) or e.get("ph") != "X":
            continue
        thread, span = (str(e.get("pid")), str(e.get("tid"))), (e["ts"], e["ts"] + e.get("dur", 0), e["name"])
        if e.get("cat") == "python_function":
            frames[thread].spans.append(span)
        elif e.get("cat") == "cpu_op":
            ops[thread].spans.append(span)
        elif e.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls.setdefault(e.get("args", {}).get("correlation"), (e["ts"], thread))
    for t in (*frames.values(), *ops.values()):
        t.spans.sort(key=lambda s: (s[0], -s[1]))
    out = {}
    for e in events:
        if not isinstance(e, dict) or e.get("cat") != "kernel" or e.get("args", {}).get("correlation") not in calls:
            continue
        correlation = e["args"]["correlation"]
        at, thread = calls[correlation]
        around, op = frames[thread].around(at), ops[thread].around(at)
        modules = [re.sub(r"_\d+$", "", f[len("nn.Module: "):]) for f in around if f.startswith("nn.Module: ")]
        texts = [f"{m.group(1)}:{m.group(3)}" for m in map(FRAME.match, reversed(around)) if m and not m.group(1).startswith("<")]
        own = [t for t in texts if not any(s in ("/" + t).lower() for s in skip)]
        if modules and op and texts:
            out[correlation] = (" > ".join(modules), (own or texts)[0], op[-1])
    return out


def first_parts(gpugate, base, slow):
    """The chain of largest parts in the breakdown of GPU time by `diff`, from the first level down."""
    done = subprocess.run([gpugate, "diff", base, slow, "--json", "-"], capture_output=True)
    report = json.loads(done.stdout)
    return [p["part"] for p in report["attribution"]][:4]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugate", nargs="?", default=os.environ.get("GPUGATE"))
    parser.add_argument("--cases", type=int, default=40)
    args = parser.parse_args()
    shared = os.environ.get("GPUGATE_SHARED")
    if not args.gpugate or not shared:
        print("skipped: needs $GPUGATE (the program) and $GPUGATE_SHARED (the shared data)")
        return 77
    skip = [str(s).lower() for s in yaml.safe_load((ROOT / "rules" / "sites.yaml").read_text(encoding="utf-8"))["skip"]]
    rng, right, cases = random.Random(1), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        slow = pathlib.Path(folder) / "slow.json"
        for number, name in enumerate(TRACES):
            base = pathlib.Path(shared, "data", "traces", f"{name}.json.gz")
            document = json.loads(gzip.open(base).read())
            where = places(document["traceEvents"], skip)
            groups = sorted(set(where.values()))
            many = (args.cases + len(TRACES) - 1 - number) // len(TRACES)
            for group in rng.sample(groups, min(many, len(groups))):
                slower = json.loads(json.dumps(document))
                for e in slower["traceEvents"]:
                    if isinstance(e, dict) and e.get("cat") == "kernel" and where.get(e.get("args", {}).get("correlation")) == group:
                        e["dur"] = e["dur"] * 4 / 3
                slow.write_text(json.dumps(slower), encoding="utf-8")
                parts = first_parts(args.gpugate, str(base), str(slow))
                named = len(parts) >= 3 and parts[0] == group[0] and parts[1].startswith(group[1]) and parts[2] == group[2]
                cases += 1
                right += named
                if not named:
                    print(f"{name}: slowed {group}, first parts {parts}")
    print(f"{right} of {cases} named by module, place and operator")
    return 0 if cases and 100 * right >= ENOUGH * cases else 1


if __name__ == "__main__":
    sys.exit(main())
