#!/usr/bin/env python3
"""Options of check and keys of the rules from end to end: profiles, waivers by date, --fail-on, --repeat, and their texts
in lint, explain and the reports.

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
LAST_DAY = 20849 * 86400  # last day on which the waiver holds, 2027-01-31, in seconds
RULES = """version: 1
workload: options
rules:
  - {id: compute, metric: step.compute_time, fail: {increase: 30%}, warn: {increase: 1%}}
  - {id: top, metric: kernel.time, for_each: {top: 3}, fail: {increase: 1000%, and: 1ms}}
profiles:
  nightly: {rules: {compute: {fail: {increase: 5%}}, top: {for_each: {top: 5}}}, steps: {min: 4}}
  long: {steps: {min: 40}}
"""
WAIVER = 'waivers:\n  - {rule: "comp*", until: 2027-01-31, reason: "known, issue 7"}\n'


class Folder:
    def __init__(self, dir):
        self.dir = pathlib.Path(dir)
        self.result = self.dir / "result.json"

    def trace(self, name, seed, factor="1"):
        return generate("trace", self.dir / name, "--seed", seed, "--steps", 4, "--slow-kernel", f"*nvjet_tst_128x256*={factor}")

    def rules(self, text):
        path = self.dir / "rules.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *args, day=0):
        env = {**os.environ, "SOURCE_DATE_EPOCH": str(LAST_DAY + 86400 * day)}
        p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False, env=env, cwd=self.dir)
        return p.returncode, p.stdout, p.stderr

    def check(self, code, *args, **kw):
        """The JSON result of a check, which must end with `code`."""
        got, out, err = self.run("check", *args, "--rules", "rules.yaml", "--baseline", "base", "--json", self.result, **kw)
        assert got == code, (got, code, args, out, err)
        return {**json.loads(self.result.read_text(encoding="utf-8")), "text": out, "error": err}


def verdicts(result):
    return {c["id"]: c["verdict"] for c in result["checks"]}


def profiles(f):
    f.rules(RULES)
    slow = f.trace("slow.json.gz", 2, "1.5")
    plain, nightly = f.check(0, slow), f.check(1, slow, "--profile", "nightly")
    assert (verdicts(plain)["compute"], verdicts(nightly)["compute"]) == ("warn", "fail")
    assert (len(plain["checks"]), len(nightly["checks"])) == (4, 6)
    assert "5%" in nightly["checks"][0]["limit"]
    assert f.check(3, slow, "--profile", "long")["trust"][0]["finding"] == "too-few-steps"
    assert "did you mean 'nightly'?" in f.check(2, slow, "--profile", "nigthly")["error"]
    code, out, _ = f.run("lint", "rules.yaml")
    assert code == 0 and "profile 'nightly': compute.fail.increase 5%, top.for_each.top 5, steps.min 4\n" in out, out
    code, out, _ = f.run("explain", "compute", "--rules", "rules.yaml", "--profile", "nightly")
    assert code == 0 and "more than 5% above" in out.replace("\n    ", " "), out


def limits(f):
    """Each --limit is a rule with an id of its own, also where the rules have such ids already."""
    own = "".join(f"  - {{id: {name}, metric: step.period, fail: {{increase: 900%}}}}\n" for name in ("limit-step.period-2", "limit-step.period"))
    f.rules(RULES.replace("rules:\n", "rules:\n" + own, 1))
    ids = [c["id"] for c in f.check(0, f.trace("same.json.gz", 3), "--limit", "step.period:+700%")["checks"]]
    assert ids.count("limit-step.period-3") == 1, ids


def waivers(f):
    f.rules(RULES + WAIVER)
    slow, same = f.trace("slow.json.gz", 2, "3"), f.trace("same.json.gz", 3)
    waived = f.check(0, slow)
    assert verdicts(waived)["compute"] == "waived" and waived["summary"]["waived"] == 1
    assert "until 2027-01-31: known, issue 7" in waived["checks"][0]["message"]
    assert "ends today" in waived["text"] and "ends in 3 days" in f.check(0, slow, day=-3)["text"]
    assert "ends in" not in f.check(0, slow, day=-15)["text"]
    assert "excuses nothing in this run" in f.check(0, same)["text"]
    over = f.check(2, slow, day=1)["error"]
    assert over.startswith("gpugate: rules.yaml:10:12: the waiver for 'comp*' ended on 2027-01-31"), over
    code, _, err = f.run("lint", "rules.yaml", day=1)
    assert code == 2 and "rules.yaml:10:12:" in err, (code, err)
    code, out, _ = f.run("lint", "rules.yaml")
    assert code == 0 and "waiver for 'comp*', until 2027-01-31: known, issue 7\n" in out, out


def fail_on(f):
    f.rules(RULES)
    runs = {"pass": f.trace("same.json.gz", 3), "warn": f.trace("warn.json.gz", 2, "1.2"), "fail": f.trace("fail.json.gz", 2, "3")}
    for level, codes in (("fail", (0, 0, 1)), ("warn", (0, 1, 1)), ("never", (0, 0, 0))):
        for (verdict, run), code in zip(runs.items(), codes):
            result = f.check(code, run, "--fail-on", level)
            assert (result["verdict"], result["exit_code"]) == (verdict, code), result["text"]
    assert "the verdict does not decide" in " ".join(f.check(0, runs["fail"], "--fail-on", "never")["text"].split())  # lines are wrapped
    f.check(3, runs["fail"], "--fail-on", "never", "--profile", "long")
    f.check(3, f.dir / "absent", "--fail-on", "never")
    f.check(2, runs["fail"], "--fail-on", "nothing")


def repeats(f):
    f.rules(RULES)
    runs = [f.trace(f"c{i}.json.gz", 10 + i, factor) for i, factor in enumerate(("3", "1", "1"))]
    f.check(1, runs[0])
    result = f.check(0, runs[0], "--repeat", runs[1], "--repeat", runs[2])
    assert verdicts(result)["compute"] in ("pass", "warn"), verdicts(result)
    assert "is the same as another run" in f.check(3, runs[0], "--repeat", runs[0])["error"]
    f.check(3, runs[0], "--repeat", f.dir / "absent")
    f.check(3, runs[0], "--repeat", runs[1], "--expect-ranks", "2")


def main():
    if not PROGRAM:
        sys.exit(77)
    for case in (profiles, limits, waivers, fail_on, repeats):
        with tempfile.TemporaryDirectory() as dir:
            f = Folder(dir)
            base = f.trace("base.json.gz", 1)
            f.rules(RULES)
            code, out, err = f.run("approve", "--new", base, "--rules", "rules.yaml", "--baseline", "base")
            assert code == 0, (out, err)
            try:
                case(f)
            except AssertionError as e:
                sys.exit(f"{case.__name__}: {e!r}")
        print(f"ok {case.__name__}")


if __name__ == "__main__":
    main()
