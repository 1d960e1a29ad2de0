#!/usr/bin/env python3
"""Verdicts of the default rules on recorded traces: unchanged runs pass, changed ones fail in the metrics that changed.

$GPUGATE is the program, $GPUGATE_SHARED the folder of the recordings; without either, exit 77 skips.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, SHARED = os.environ.get("GPUGATE"), os.environ.get("GPUGATE_SHARED")


def check(dir, baseline, candidate, code, *options):
    """Compare `candidate` with a baseline made of `baseline`; returns the result as JSON."""
    subprocess.run([PROGRAM, "approve", "--new", baseline, "--baseline", dir / "base", "--force", "--accept", "absent-rank"],   # dlrm has 4 of 8
                   check=True, capture_output=True)
    p = subprocess.run([PROGRAM, "check", candidate, "--baseline", dir / "base", "--json", dir / "result", *options],
                       capture_output=True, text=True, check=False)
    if p.returncode != code:
        sys.exit(f"{candidate} against {baseline}: exit {p.returncode}, not {code}\n{p.stdout}{p.stderr}")
    return json.loads((dir / "result").read_text(encoding="utf-8"))


def of(result, verdict):
    return [c["id"] for c in result["checks"] if c["verdict"] == verdict]


def assert_adds_up(check):
    """Check that the rows of every level add up to the row above, and those of the first level to the change."""
    stack = [[None, check["change"], 0]]
    for part in check["attribution"] + [{"level": -1, "change": 0}]:
        while len(stack) > part["level"] + 1 and stack:
            level, whole, total = stack.pop()
            if total:
                assert whole == total, (check["id"], level, whole, total)
        if stack:
            stack[-1][2] += part["change"]
        stack.append([part["level"], part["change"], 0])


def other_machine(dir, traces):
    pair = traces / "hta-diff-control-a100-rank3of8.json.gz", traces / "hta-diff-test-v100-rank1of2.json.gz"
    refused = check(dir, *pair, 4)
    assert {"gpu.name", "world_size"} <= {e["key"] for e in refused["environment"] if not e["match"]}
    result = check(dir, *pair, 1, "--ignore-environment")
    cuda = next(c for c in result["checks"] if c["metric"] == "step.cuda_time")
    assert (cuda["baseline"], cuda["candidate"]) == (86404500, 150992500), cuda
    assert not result["trust"], result["trust"]
    for c in result["checks"]:
        if c["attribution"]:
            assert_adds_up(c)
    drift = {d["drift"] for d in result["drift"]}
    assert {"new", "gone"} <= drift, drift


def unchanged(dir, traces):
    one, two = (traces / f"resnet50-v100-nw0-session{i}.pt.trace.json.gz" for i in (1, 2))
    for a, b in ((one, two), (two, one)):
        # the data loader of the second session is slower: only wall time may show it
        assert set(of(check(dir, a, b, 0), "warn")) <= {"step-period", "slow-steps", "step-latency"}
    one, two = (traces / f"norm-test-mi300x-run{i}.json.gz" for i in (1, 2))
    # compute rises by 3.4 %, which is not distinguishable from noise with one run each: undecided, with a plan
    plan = check(dir, one, two, 3)["plan"]
    assert plan["undecided"] and plan["pairs"], plan
    check(dir, two, one, 0)


def sessions(dir, traces):
    """One program in three processes: other kernels of the same operators never fail; a slower data loader is reported, and is undecided
    beyond twice the spread that is assumed of a job whose pace the host sets (27.77 %)."""
    one, two = (traces / f"resnet50-v100-nw0-session{i}.pt.trace.json.gz" for i in (1, 2))
    other = traces.parent / "more" / "traces" / "resnet50-v100-nw4-session1.pt.trace.json.gz"
    for a, b, slower in ((one, other, False), (two, other, False), (other, one, True), (other, two, True)):
        much = (a, b) == (other, one)
        result = check(dir, a, b, 3 if much else 0)
        assert of(result, "fail") + of(result, "undecided") == (["step-period"] if much else []), (a, b, of(result, "fail"), of(result, "undecided"))
        assert any("not what takes its place" in c["message"] for c in result["checks"]), "cuDNN has chosen other kernels"
        period = next(c for c in result["checks"] if c["id"] == "step-period")
        assert (period["verdict"] in ("warn", "undecided")) == slower and abs(period["change_pct"]) > 14, (a, b, period["message"])


def inflated(dir, trace, name, *options):
    out = dir / name
    subprocess.run([sys.executable, SHARED + "/data/inflate_trace.py", trace, out, *options], check=True, capture_output=True)
    return out


def faster(dir, traces):
    """An improvement never fails, however large: all work in 28 % of the time."""
    one = traces / "norm-test-mi300x-run1.json.gz"
    slow, fast = (inflated(dir, one, f"{name}.json", "--steps", "4", *o) for name, o in (("slow", ("--slow-all", "3.57")), ("fast", ())))
    result = check(dir, slow, fast, 0)
    assert not of(result, "fail") + of(result, "undecided"), of(result, "fail")
    assert "step-compute-time" in of(result, "improved"), of(result, "improved")


def renamed(dir, traces):
    """A GEMM that takes twice as long under another name is not accepted as a replacement."""
    one, gemm = traces / "resnet50-v100-nw0-session1.pt.trace.json.gz", "volta_sgemm_64x64_nt"
    slow = inflated(dir, one, "slow.json", "--steps", "6", "--slow-kernel", "volta_sgemm_other=2", "--rename-kernel", f"{gemm}=volta_sgemm_other")
    assert of(check(dir, one, slow, 1), "fail"), "the operator or the new kernel fails"


RANK_RULES = ("transfer-time", "stragglers", "compute-skew", "missing-steps")


def many_ranks(dir, traces):
    """The default rules on ranks: none applies to a single rank, and ranks that differ as usual pass."""
    one = traces / "resnet50-v100-nw0-session1.pt.trace.json.gz"
    verdicts = {c["id"]: c["verdict"] for c in check(dir, one, one, 0)["checks"]}
    assert {verdicts[rule] for rule in RANK_RULES} == {"skipped"}, verdicts
    job = traces / "dlrm-v100-8rank"
    result = check(dir, job, job, 0)
    verdicts = {c["id"]: c["verdict"] for c in result["checks"]}
    assert {verdicts[rule] for rule in RANK_RULES} == {"pass"}, verdicts
    assert not of(result, "fail") + of(result, "warn"), verdicts


def slow_kernel(dir, traces):
    one = traces / "resnet50-v100-nw0-session1.pt.trace.json.gz"
    slow = inflated(dir, one, "slow.json", "--steps", "6", "--slow-kernel", "volta_sgemm_64x64_nt=2.5")
    result = check(dir, one, slow, 1)
    assert of(result, "fail") == ["operators[aten::cudnn_convolution_backward_weight]",
                                  "top-kernels[volta_sgemm_64x64_nt]"], of(result, "fail")
    assert "step-compute-time" in of(result, "undecided"), of(result, "undecided")  # one stored run may be of another clock


def main():
    if not PROGRAM or not SHARED:
        sys.exit(77)
    for case in (other_machine, unchanged, sessions, faster, renamed, many_ranks, slow_kernel):
        with tempfile.TemporaryDirectory() as dir:
            case(pathlib.Path(dir), pathlib.Path(SHARED) / "data" / "traces")
        print(f"ok {case.__name__}")


if __name__ == "__main__":
    main()
