#!/usr/bin/env python3
"""The output of --openmetrics can be read by Prometheus' own parser and in the way in which GitLab reads it, and agrees with the exit
code and the JSON of the same run.

GitLab (lib/gitlab/ci/parsers/metrics/generic.rb) drops from each line what follows a '#', splits the rest as
a shell does, and takes the first word for the name and the second for the value, which it compares as text.

usage: openmetrics.py       ($GPUGATE is the program; skipped without python3-prometheus-client)
"""
import decimal
import gzip
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from _gen import generate
from _packages import need

need("prometheus_client.openmetrics.parser")
from prometheus_client.openmetrics.parser import text_string_to_metric_families  # noqa: E402

GPUGATE = os.environ.get("GPUGATE")
UNITS = {"ns": ("seconds", 9), "B": ("bytes", 0), "%": ("ratio", 2), "ns/step": ("seconds_per_step", 9),
         "B/s": ("bytes_per_second", 0), "1/s": ("per_second", 0), "1/step": ("per_step", 0),
         "B/step": ("bytes_per_step", 0), "1": (None, 0), "FLOP": (None, 0), "FLOP/s": ("per_second", 0)}
STATES = ["pass", "improved", "skipped", "waived", "warn", "missing", "inconclusive", "fail", "undecided"]
bad = 0


def expect(law, what):
    global bad
    if not law:
        bad += 1
        print(f"FAILED: {what}")


def run(*arguments, code=None):
    done = subprocess.run([GPUGATE, *map(str, arguments)], capture_output=True, text=True)
    if code is not None:
        expect(done.returncode == code, f"exit {done.returncode}, not {code}: {arguments}: {done.stderr}")
    return done


def make(dir, name, *options, what="trace"):
    return generate(what, dir / name, *options)


def as_gitlab(text):
    """{name: value}, in the way in which GitLab parses the text."""
    out = {}
    for line in text.splitlines():
        words = shlex.split(re.sub("#.*$", "", line))
        if words:
            expect(len(words) == 2, f"GitLab sees {len(words)} words: {line}")
            expect(words[0] not in out, f"GitLab sees twice: {line}")
            out[words[0]] = words[1]
    return out


def families(name, text):
    """Checks that hold for every file; returns its series by family: {labels: text of the value}."""
    expect(text.endswith("# EOF\n"), f"{name}: no '# EOF' at the end")
    out, values = {}, re.findall(r"^gpugate_\w+(?:\{.*\})? (.*)$", text, re.M)
    for f in text_string_to_metric_families(text):
        expect(f.type in ("gauge", "stateset"), f"{name}: {f.name} is a {f.type}")
        expect(f.documentation, f"{name}: {f.name} has no HELP")
        expect(not f.unit or f.name.endswith("_" + f.unit), f"{name}: {f.name} has the unit {f.unit}")
        out[f.name] = {}
        for s in f.samples:
            key, value = tuple(sorted(s.labels.items())), values.pop(0)
            expect(key not in out[f.name], f"{name}: {f.name}{key} is there twice")
            expect(s.timestamp is None, f"{name}: {f.name} has a timestamp")
            expect(re.fullmatch(r"-?\d+(\.\d*[1-9])?", value), f"{name}: {f.name} is {value}")
            expect(float(value) == s.value, f"{name}: {f.name} is {value}, read as {s.value}")
            out[f.name][key] = decimal.Decimal(value)
    expect(not values, f"{name}: values that no family has: {values[:3]}")
    expect(len(as_gitlab(text)) == sum(map(len, out.values())), f"{name}: GitLab sees another number of series")
    return out


def value(found, family, **labels):
    hits = [v for key, v in found.get(family, {}).items() if labels.items() <= dict(key).items()]
    expect(len(hits) == 1, f"{family}{labels}: {len(hits)} series")
    return hits[0] if hits else None


def verdict_of(found):
    states = [dict(k)["gpugate_verdict"] for k, v in found["gpugate_verdict"].items() if v == 1]
    expect(len(states) == 1 and len(found["gpugate_verdict"]) == 7, f"verdict {states}")
    return states[0]


def close(shown, exact):
    """True if the values are equal, or equal to four significant digits."""
    return shown == exact or abs(shown - exact) <= abs(exact) / 2000


def label_of(id):
    """The id of a check in the form of a label."""
    return id.replace("#", "@") if len(id) <= 100 else None


def check_agrees(name, found, result):
    """Check that the file agrees with the gpugate-result-1 of the same run."""
    expect(verdict_of(found) == result["verdict"], f"{name}: verdict {verdict_of(found)}")
    expect(value(found, "gpugate_exit_code") == result["exit_code"], f"{name}: exit code")
    if result["error"]:
        expect(set(found) == {"gpugate_exit_code", "gpugate_verdict"}, f"{name}: figures though nothing was judged")
        return
    for verdict, nr in result["summary"].items():
        expect(value(found, "gpugate_checks", verdict=verdict) == nr, f"{name}: number of {verdict}")
    expect(sum(found["gpugate_trust_findings"].values()) == len(result["trust"]), f"{name}: findings")
    expect(len(found.get("gpugate_check_state", {})) == len(result["checks"]), f"{name}: number of checks")
    sides = 0
    for c in result["checks"]:
        label = label_of(c["id"])
        unit, shift = UNITS[c["unit"]]
        sides += sum(c[side] is not None for side in ("baseline", "candidate"))
        if label is None:
            continue
        expect(value(found, "gpugate_check_state", check=label) == STATES.index(c["verdict"]), f"{name}: {label}")
        for side in ("baseline", "candidate"):
            if c[side] is None:
                continue
            hits = [v for f in found if not unit or f.endswith("_" + unit) for k, v in found[f].items()
                    if dict(k).get("check") == label and dict(k).get("side") == side]
            expect(len(hits) == 1 and close(hits[0], decimal.Decimal(str(c[side])).scaleb(-shift)),
                   f"{name}: {label} {side} is {hits}, JSON says {c[side]} {c['unit']}")
    shown = sum(len([k for k in s if dict(k).get("side") and dict(k).get("check")]) for s in found.values())
    expect(shown == sides, f"{name}: {shown} figures of checks, JSON has {sides}")


def check(dir, name, *arguments, code):
    out, result = dir / f"{name}.txt", dir / f"{name}.json"
    for path in (out, result):
        path.unlink(missing_ok=True)
    run("check", *arguments, "--openmetrics", out, "--json", result, code=code)
    text = out.read_text(encoding="utf-8")
    found = families(name, text)
    check_agrees(name, found, json.loads(result.read_text(), parse_float=str, parse_int=int))
    again = run("check", *arguments, "--openmetrics", "-").stdout
    expect(again == text, f"{name}: another run says something else")
    return text


RULES = """version: 1
workload: 'a "b" {c="#"}'
rules:
  - {id: time, metric: step.cuda_time, fail: {increase: 5%}}
  - {id: kernels, metric: kernel.time, for_each: {top: 999}, fail: {increase: 5%}}
  - {id: shares, metric: kernel.share_pct, for_each: {top: 99}, warn: {increase: 5pp}}
  - {id: counts, metric: kernel.count, ranks: each, for_each: {top: 99}, warn: {change: 0}, on_missing: skip}
  - {id: copies, metric: memcpy.bandwidth, warn: {decrease: 5%}, on_missing: skip}
  - {id: rate, metric: throughput.steps_per_s, warn: {decrease: 1%}}
  - {id: leak, metric: memory.growth_per_step, warn: {increase: 1KiB}, on_missing: skip}
"""


def test_checks(dir):
    base = make(dir, "base.json.gz", "--seed", "1", "--steps", "5", "--hostile-names")
    slow = make(dir, "slow.json.gz", "--seed", "2", "--steps", "5", "--hostile-names", "--slow-kernel", "*=1.5",
                "--new-kernel", "k{lambda(int)#1}\\=41")
    baseline, rules, broken = dir / "baseline.json", dir / "rules.yaml", dir / "cut.json"
    rules.write_text(RULES)
    broken.write_text('{"traceEvents": [{"ph"')
    against = ("--baseline", baseline, "--rules", rules)
    run("approve", "--new", base, *against, code=0)
    check(dir, "same", base, *against, code=0)
    text = check(dir, "slow", slow, *against, code=1)
    expect("k{lambda(int)@1}" in text, "no name with a '#' was among the hostile ones")
    check(dir, "broken", broken, *against, code=3)
    check(dir, "no-baseline", base, "--baseline", dir / "absent.json", code=4)
    check(dir, "usage", base, "--fail-on", "nothing", code=2)
    run("check", base, *against, "--junit", "/dev/full", "--openmetrics", dir / "full.txt", code=5)
    full = families("full", (dir / "full.txt").read_text())
    expect(verdict_of(full) == "error" and value(full, "gpugate_exit_code") == 5, "exit 5 is not told")
    return base, slow


def test_ranks(dir):
    job = make(dir, "job", "--ranks", "4", "--seed", "1", "--hostile-names", what="ranks")
    late = make(dir, "late", "--ranks", "4", "--seed", "2", "--hostile-names", "--slow-rank", "2=1.5", what="ranks")
    run("approve", "--new", job, "--baseline", dir / "job.gate.json", code=0)
    check(dir, "ranks", late, "--baseline", dir / "job.gate.json", code=1)
    families("ranks diff", run("diff", job, late, "--openmetrics", "-", code=0).stdout)


def test_others(base, slow):
    found = families("report", run("report", base, "--openmetrics", "-", code=0).stdout)
    figures = json.loads(run("report", base, "--json", "-", code=0).stdout)["summary"]
    step = next(f["value"] for f in figures if f["id"] == "step.cuda_time")
    expect(close(value(found, "gpugate_step_cuda_time_seconds"), decimal.Decimal(step).scaleb(-9)), "report: step.cuda_time")
    found = families("diff", run("diff", base, slow, "--openmetrics", "-", code=0).stdout)
    for f in json.loads(run("diff", base, slow, "--json", "-", code=0).stdout, parse_float=str)["figures"]:
        if f["metric"] == "step.compute_time":
            for side in ("baseline", "candidate"):
                expect(close(value(found, "gpugate_step_compute_time_seconds", side=side), decimal.Decimal(f[side]).scaleb(-9)),
                       f"diff: step.compute_time of the {side}")


SHAPES = {"aten::mm": [[8, 16], [16, 32]], "aten::addmm": [[32], [8, 16], [16, 32]]}


def test_operations(dir, base):
    """The file is correct for a trace with shapes of inputs: it then has floating-point operations, the only figures in this unit."""
    with gzip.open(base) as f:
        trace = json.load(f)
    for e in trace["traceEvents"]:
        e["name"] = e["name"].replace("aten::_flash", "aten::own") # attention is renamed, so that it is not counted: its operations do not follow from shapes alone
        if e["name"] in SHAPES:
            dims = SHAPES[e["name"]]
            e["args"].update({"Input Dims": dims, "Input type": ["c10::BFloat16"] * len(dims)})
    shapes, rules, baseline = dir / "shapes.trace.json", dir / "shapes.yaml", dir / "shapes.gate.json"
    shapes.write_text(json.dumps(trace))
    names = {"flops.per_step": "flops_per_step", "flops.per_s": "flops_per_second", "flops.peak_pct": "flops_peak_ratio"}
    rules.write_text("version: 1\nrules:\n" + "".join(f"  - {{id: {f}, metric: {m}, fail: {{change: 1{'pp' if 'pct' in m else '%'}}}}}\n"
                                                     for m, f in names.items()))
    run("approve", "--new", shapes, "--baseline", baseline, "--rules", rules, code=0)
    text = check(dir, "shapes", shapes, "--baseline", baseline, "--rules", rules, code=0)
    found = families("shapes report", run("report", shapes, "--openmetrics", "-", code=0).stdout)
    for family in names.values():
        expect(f"gpugate_{family}{{" in text and len(found.get(f"gpugate_{family}", {})) == 1, f"shapes: no {family}")


def main():
    if not GPUGATE:
        print("skipped: $GPUGATE is needed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        base, slow = test_checks(dir)
        test_ranks(dir)
        test_others(base, slow)
        test_operations(dir, base)
    print("FAILED" if bad else "ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
