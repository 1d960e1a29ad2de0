#!/usr/bin/env python3
"""Stored files that cannot come from a run are refused: figures that contradict each other, steps without samples, a
baseline at a path that the rules must not name.

$GPUGATE is the program; exit 77 skips.
"""
import json
import sys
import tempfile

from _bench import PROGRAM, Bench, trace

EDITS = {
    "step.cuda_time is not the sum": lambda s, _: s.update({"step.cuda_time": [2 * x for x in s["step.cuda_time"]]}),
    "step.kernel_time is not the sum": lambda s, _: s.update({"step.kernel_time": [x + 1 for x in s["step.kernel_time"]],
                                                           "step.cuda_time": [x + 1 for x in s["step.cuda_time"]]}),
    "step.busy_time is above": lambda s, _: s.update({"step.busy_time": [3 * x + 3 for x in s["step.busy_time"]]}),
    "not launched as often": lambda s, _: s.update({"step.kernel_count": [10 * x for x in s["step.kernel_count"]]}),
    "never launched": lambda s, kernels: (s.update({"step.kernel_count": [0] * len(s["step.kernel_count"])}), [k.update(count=0) for k in kernels]),
    "add up to step.cuda_time": lambda _, kernels: kernels.clear(),
    # more than in the steps, though not more than in the whole recording
    "do not add up": lambda _, kernels: kernels[0].update(step_total_ns=kernels[0]["step_total_ns"] + 1),
}


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder)
        b.baseline()
        b.fine("baseline", "verify", "--baseline", "base.json")
        for says, edit in EDITS.items():
            d = json.loads((b.dir / "base.json").read_text())
            edit(d["pin"]["steps"], d["pin"]["kernels"])
            b.file("bad.json", json.dumps(d))
            b.refused("baseline", "verify", "--baseline", "bad.json", code=4, says=says)
        b.file("t.json", trace())
        b.fine("digest", "t.json", "-o", "d.json")
        d = json.loads((b.dir / "d.json").read_text())
        d["steps"] = {"count": [1000000]}
        b.refused("report", b.file("claims.json", json.dumps(d)), says="'steps.count' replaces the samples")
    return 0


if __name__ == "__main__":
    sys.exit(main())
