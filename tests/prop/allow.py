#!/usr/bin/env python3
"""`allow` lets one kernel take longer, and nothing else:

 - a kernel that takes longer by no more than `up_to` fails neither itself nor what contains it, by whatever name it is allowed
 - one that takes longer by more, another kernel, and a change beside it fail as without `allow`
 - it covers no more of a figure than the kernel has grown: what the rest of the figure grew by is judged as if the kernel had stayed
 - it ends on its day

$GPUGATE is the program; exit 77 skips.
"""
import json
import sys
import tempfile

from _bench import PROGRAM, Bench

DISPLAY = "flash_bwd_dq_dk_dv_loop_seqk_parallel"
RULES = """version: 2
only: true
rules:
  compute: {metric: step.compute_time, noise: {k: 0}, fail: {increase: 1.5%%}}
  operators: {metric: op.self_gpu_time, for_each: {top: 20}, noise: {k: 0}, fail: {increase: 5%%}}
  kernels: {metric: kernel.time, for_each: {top: 20}, noise: {k: 0}, fail: {increase: 10%%}}
allow: [{%s, up_to: %s, until: %s, reason: issue 12}]
"""


def verdicts(b, run, thing, up_to, until="2999-01-01"):
    b.file("r.yaml", RULES % (thing, up_to, until))
    done = b.run("check", run, "--rules", "r.yaml", "--baseline", "b.json", "--json", "-")
    checks = json.loads(done.stdout)["checks"]
    return done, {v: {c["id"].split("[")[0] + ("[]" if c["item"] else "") for c in checks if c["verdict"] == v} for v in ("fail", "waived", "undecided")}, checks


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder)
        slow = "--seed", 1, "--steps", 4, "--slow-kernel"
        b.make("trace", "a.json.gz", "--seed", 1, "--steps", 4)
        b.make("trace", "one.json.gz", *slow, "*flash_bwd_dq*=1.3")
        b.make("trace", "both.json.gz", *slow, "*flash_bwd_dq*=1.3", "--slow-kernel", "*nvjet*=1.15")
        b.fine("baseline", "create", "a.json.gz", "--baseline", "b.json")
        every = {"compute", "operators[]", "kernels[]"}
        for name in (DISPLAY, f"'*{DISPLAY}*'", "'*flash_bwd_d*'"):
            done, found, checks = verdicts(b, "one.json.gz", f"kernel: {name}", "40%")
            assert done.returncode == 0 and found["waived"] == every, (name, found, done.stderr)
        for name, up_to in ((DISPLAY, "10%"), ("'*nvjet*'", "40%"), ("no_such_kernel", "40%")):
            done, found, checks = verdicts(b, "one.json.gz", f"kernel: {name}", up_to)
            assert done.returncode == 1 and "kernels[]" in found["fail"] and "operators[]" in found["fail"], (name, found)
        done, found, checks = verdicts(b, "both.json.gz", f"kernel: {DISPLAY}", "40%")
        compute = next(c for c in checks if c["rule"] == "compute")
        assert done.returncode == 1 and "compute" in found["fail"] and "; 'allow' covers +" in compute["message"], (found, compute)
        waived = [c["item"] for c in checks if c["verdict"] == "waived"]
        assert waived and all("flash" in item for item in waived), waived
        # without the kernel, the rest of the step has grown by (rest): it passes below that, and fails above
        kernel = next(c for c in checks if c["rule"] == "kernels" and DISPLAY in c["item"])
        rest = 100 * (compute["change"] - kernel["change"]) / compute["baseline"]
        for limit, code in ((rest * 1.02, "waived"), (rest * 0.98, "fail")):
            b.file("r.yaml", (RULES % (f"kernel: {DISPLAY}", "40%", "2999-01-01")).replace("1.5%", f"{limit:.4f}%"))
            done = b.run("check", "both.json.gz", "--rules", "r.yaml", "--baseline", "b.json", "--json", "-")
            got = next(c for c in json.loads(done.stdout)["checks"] if c["rule"] == "compute")["verdict"]
            assert got == code, (limit, got)
        done = verdicts(b, "one.json.gz", f"kernel: {DISPLAY}", "40%", "2020-01-01")[0]
        assert done.returncode == 2 and b"ended on 2020-01-01" in done.stderr, done
        for wrong in (f"kernel: {DISPLAY}, op: x", "reson: x", f"kernel: {DISPLAY}, rule: x"):
            done = verdicts(b, "one.json.gz", wrong, "40%")[0]
            assert done.returncode == 2, (wrong, done)
        done = verdicts(b, "a.json.gz", f"kernel: {DISPLAY}", "40%")[0]
        assert b"excuses nothing in this run" in done.stdout, done
    print("ok   one kernel may take longer, and nothing else")
    return 0


if __name__ == "__main__":
    sys.exit(main())
