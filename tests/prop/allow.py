#!/usr/bin/env python3
"""`allow` lets one kernel, operator, module or figure of memory grow, and nothing else:

 - a kernel that takes longer by no more than `up_to` fails neither itself nor what contains it, by whatever name it is allowed
 - one that takes longer by more, another kernel, and a change beside it fail as without `allow`
 - it covers no more of a figure than the kernel has grown: what the rest of the figure grew by is judged as if the kernel had stayed
 - an operator or module is excused in each figure whose breakdown knows its share, in no other; memory in its own figure
 - wall time grows by as much of what computes as the kernel has grown; what noise may have caused is excused as a failure is
 - it ends on its day
 - `lint` and reports say what can excuse nothing: a name that no item has, with the nearest, and what no rule judges; a gate of absolute limits
   alone, which needs no baseline, does not

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


def with_modules(b, name, slow):
    """A trace of two modules with two operators each, of one kernel; `slow` has factors of their times."""
    events, cid = [{"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "python"}}], 0
    for step in range(6):
        t = step * 10000
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": t, "dur": 9900})
        for m, module in enumerate(("Encoder_0", "Head_0")):
            at = t + 100 + m * 4000
            events.append({"ph": "X", "cat": "python_function", "name": f"nn.Module: {module}", "pid": 1, "tid": 1, "ts": at, "dur": 3000, "args": {"Python id": cid + 1000, "Python parent id": None, "Python module id": m}})
            for o, op in enumerate(("aten::mm", "aten::add")):
                cid += 1
                events.append({"ph": "X", "cat": "cpu_op", "name": op, "pid": 1, "tid": 1, "ts": at + 10 + o * 1000, "dur": 500, "args": {"External id": cid}})
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 20 + o * 1000, "dur": 10, "args": {"correlation": cid, "External id": cid}})
                events.append({"ph": "X", "cat": "kernel", "name": f"k_{op[6:]}_{m}", "pid": 0, "tid": 7, "ts": at + 40 + o * 1000, "dur": 600 * slow.get((module, op), 1),
                               "args": {"correlation": cid, "device": 0, "stream": 7, "External id": cid}})
    b.file(name, json.dumps({"traceEvents": events, "deviceProperties": [{"id": 0, "name": "X"}], "distributedInfo": {"rank": 0, "world_size": 1}}))


def origins(b):
    """An operator and a module may take longer: in their own figures, and in the step, whose breakdown knows them."""
    rules = """version: 2
only: true
rules:
  compute: {metric: step.compute_time, noise: {k: 0}, fail: {increase: 1%%}}
  operators: {metric: op.self_gpu_time, for_each: {top: 20}, noise: {k: 0}, fail: {increase: 5%%}}
  modules: {metric: module.gpu_time, for_each: {top: 20}, noise: {k: 0}, fail: {increase: 5%%}}
  kernels: {metric: kernel.time, for_each: {top: 20}, noise: {k: 0}, fail: {increase: 900%%}}
allow: [{%s, up_to: %s, until: 2999-01-01, reason: x}]
"""
    with_modules(b, "a.json", {})
    with_modules(b, "op.json", {("Encoder_0", "aten::mm"): 1.3})
    with_modules(b, "both.json", {("Encoder_0", "aten::mm"): 1.3, ("Head_0", "aten::add"): 1.3})
    b.file("r.yaml", rules % ("op: x", "1%"))
    b.fine("approve", "--new", "a.json", "--rules", "r.yaml", "--baseline", "b.json")
    rows = (("op.json", "op: 'aten::mm'", "40%", {"operators[aten::mm]", "compute", "modules"}, set()),
            ("op.json", "op: 'aten::mm'", "5%", set(), {"operators[aten::mm]", "compute", "modules"}),
            ("op.json", "op: 'aten::add'", "40%", set(), {"operators[aten::mm]", "compute", "modules"}),
            ("op.json", "module: Encoder", "40%", {"operators[aten::mm]", "compute", "modules"}, set()),
            ("op.json", "module: Head", "40%", set(), {"operators[aten::mm]", "compute", "modules"}),
            ("both.json", "module: Encoder", "40%", {"operators[aten::mm]", "modules"}, {"compute", "modules", "operators[aten::add]"}),
            ("both.json", "op: 'aten::add'", "40%", {"operators[aten::add]", "modules"}, {"compute", "modules", "operators[aten::mm]"}))
    for run, thing, up_to, waived, failed in rows:
        b.file("r.yaml", rules % (thing, up_to))
        done = b.run("check", run, "--rules", "r.yaml", "--baseline", "b.json", "--json", "-")
        checks = json.loads(done.stdout)["checks"]
        found = {v: {c["id"] if c["rule"] == "operators" else c["rule"] for c in checks if c["verdict"] == v} for v in ("waived", "fail")}
        assert found == {"waived": waived, "fail": failed} and done.returncode == bool(failed), (run, thing, up_to, found, done.stderr, [(c["id"], c["message"]) for c in checks])


def memory(b):
    rules = "version: 2\nonly: true\nrules: {peak: {metric: memory.peak_allocated, fail: {increase: 1%%}}, end: {metric: memory.end_allocated, fail: {increase: 1%%}}}\nallow: [{%s, up_to: %s, until: 2999-01-01, reason: x}]\n"
    b.make("snapshot", "a.json.gz", "--seed", 1)
    b.make("snapshot", "more.json.gz", "--seed", 2, "--peak", 3)
    b.fine("approve", "--new", "a.json.gz", "--baseline", "b.json")
    for thing, up_to, code in (("memory: memory.peak_allocated", "5%", 0), ("memory: memory.peak_allocated", "2%", 1), ("memory: memory.end_allocated", "5%", 1),
                               ("kernel: x", "5%", 1), ("memory: memory.fragmentation_pct", "5%", 2), ("memory: step.compute_time", "5%", 2),
                               ("memory: memory.peak_allocatd", "5%", 2), ("memory: memory.peak_allocated, op: x", "5%", 2)):
        b.file("r.yaml", rules % (thing, up_to))
        done = b.run("check", "more.json.gz", "--rules", "r.yaml", "--baseline", "b.json")
        assert done.returncode == code, (thing, up_to, done)
        said = b.run("lint", "r.yaml")
        assert (said.returncode == 0) == (code < 2) and (code < 2 or said.stderr.startswith(b"gpugate: r.yaml:4:")), said


def wall(b):
    """Wall time contains what computes, and so the kernel."""
    slow = "--seed", 1, "--steps", 4, "--slow-kernel"
    b.make("trace", "a.json.gz", "--seed", 1, "--steps", 4)
    b.make("trace", "one.json.gz", *slow, "*flash_bwd_dq*=1.5")
    b.make("trace", "both.json.gz", *slow, "*flash_bwd_dq*=1.5", "--slow-kernel", "*nvjet*=1.15")
    b.fine("baseline", "create", "a.json.gz", "--baseline", "b.json")
    for run, name, up_to, code in (("one", DISPLAY, "60%", 0), ("one", "'*nvjet*'", "60%", 1), ("one", DISPLAY, "10%", 1), ("both", DISPLAY, "60%", 1)):
        b.file("r.yaml", "version: 2\nonly: true\nrules: {wall: {metric: step.period, noise: {k: 0}, fail: {increase: 1%}}}\n"
               f"allow: [{{kernel: {name}, up_to: {up_to}, until: 2999-01-01, reason: x}}]\n")
        done = b.run("check", f"{run}.json.gz", "--rules", "r.yaml", "--baseline", "b.json")
        assert done.returncode == code, (run, name, up_to, done)


def flaky(b):
    """A kernel that varies by itself, by more than what one run can tell from noise, need not be decided if it may grow by as much."""
    for i, factor in enumerate((1.0, 1.4, 0.8, 1.5, 0.9, 1.3)):
        b.make("trace", "m.json.gz", "--seed", i + 1, "--steps", 4, "--slow-kernel", f"*SoftMax*={factor}")
        b.fine("baseline", "append" if i else "create", "m.json.gz", "--baseline", "b.json")
    b.make("trace", "c.json.gz", "--seed", 20, "--steps", 4, "--slow-kernel", "*SoftMax*=1.5")
    for up_to, code in (("60%", 0), ("10%", 3)):
        b.file("r.yaml", f"version: 2\nallow: [{{kernel: 'cunn_SoftMax*', up_to: {up_to}, until: 2999-01-01, reason: x}}]\n")
        done = b.run("check", "c.json.gz", "--rules", "r.yaml", "--baseline", "b.json")
        assert done.returncode == code and (code == 0) == (b"SoftMax" in done.stdout.partition(b"- waived: top-kernels")[2]), (up_to, done)


def idle(b):
    """What excuses nothing is said with the reason; each line of `wanted` is one entry of `allow` or a waiver and what is said of it."""
    b.make("trace", "a.json.gz", "--seed", 1, "--steps", 4)
    b.fine("approve", "--new", "a.json.gz", "--baseline", "b.json")
    day = "until: 2999-01-01, reason: x"
    misspelt = DISPLAY.replace("loop", "lop")
    wanted = {f"{{kernel: {misspelt}, up_to: 9%, {day}}}": f"no kernel has this name; did you mean '{DISPLAY}',",
              f"{{op: 'aten::mmm', up_to: 9%, {day}}}": "no op has this name; did you mean 'aten::mm',",
              f"{{kernel: {DISPLAY}, up_to: 9%, {day}}}": None}
    for only, said in ((False, wanted), (True, {entry: "no rule judges what it names" for entry in wanted})):
        own = "only: true\nrules: {m: {metric: memory.peak_reserved, fail: {increase: 5%}}}\n" if only else ""
        for entry, because in said.items():
            b.file("r.yaml", f"version: 2\n{own}allow: [{entry}]\n")
            lint = b.fine("lint", "r.yaml", "--baseline", "b.json").stderr.decode()
            report = json.loads(b.fine("check", "a.json.gz", "--rules", "r.yaml", "--baseline", "b.json", "--json", "-").stdout)["warnings"]
            assert (f"excuses nothing: {because}" in lint) == (because is not None) and lint.count("excuses nothing") == (because is not None), (entry, lint)
            told = [w for w in report if "excuses nothing" in w]
            assert len(told) == (because is not None) and all(f"excuses nothing: {because}" in w for w in told), (entry, report)
            assert ("excuses nothing" in b.fine("lint", "r.yaml").stderr.decode()) == only, entry
    b.file("r.yaml", f"version: 2\nwaivers: [{{rule: top-kernels, select: {{kernel: {misspelt}}}, {day}}}]\n")
    assert f"did you mean '{DISPLAY}'" in b.fine("lint", "r.yaml", "--baseline", "b.json").stderr.decode()
    for entry in wanted:
        b.file("r.yaml", f"version: 2\nrules: {{m: {{metric: memory.peak_allocated, fail: {{max: 900GiB}}}}}}\nallow: [{entry}]\n"
               f"waivers: [{{rule: top-kernels, {day}}}]\n")
        assert not json.loads(b.fine("check", "a.json.gz", "--rules", "r.yaml", "--json", "-").stdout)["warnings"], entry


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
        b.fine("approve", "--new", "a.json.gz", "--baseline", "b.json")
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
        assert b"excuses nothing" not in done.stdout, done   # what may grow is unchanged in most runs
        done = verdicts(b, "one.json.gz", f"kernel: {DISPLAY}", "1%")[0]
        assert b"the waiver is exceeded: it holds up to 1%" in done.stdout, done
    with tempfile.TemporaryDirectory() as folder:
        origins(Bench(folder))
    with tempfile.TemporaryDirectory() as folder:
        memory(Bench(folder))
    with tempfile.TemporaryDirectory() as folder:
        idle(Bench(folder))
    for law in (wall, flaky):
        with tempfile.TemporaryDirectory() as folder:
            law(Bench(folder))
    print("ok   one thing may grow, and nothing else")
    return 0


if __name__ == "__main__":
    sys.exit(main())
