#!/usr/bin/env python3
"""What the cases of a suite share, in generated suites: one machine that changed, one operator in some models, two operators at
once are told once, with exactly their cases; unrelated changes, and a single case, share nothing. It never changes a verdict;
shards, and cases in another order, give the same.

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
CASES = 9
# Operators of the generated model, by a kernel that only they launch.
OPERATORS = {"aten::_flash_attention_backward": "*flash_bwd_dq_dk_dv*", "aten::native_layer_norm": "*vectorized_layer_norm*",
             "aten::_fused_adamw_": "*FusedAdam*"}
DRIVERS = "535.104.05", "580.65.06"


def run(dir, *args):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False, cwd=dir,
                       env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"})
    return p.returncode, p.stdout, p.stderr


def state(folder, mhz, driver):
    """The state of the GPU beside a run: samples of a second."""
    lines = [{"schema": "gpugate-machine-1", "time_ns": 10**18 + i * 10**9, "driver": driver,
              "gpus": [{"index": 0, "name": "H100", "sm_clock_mhz": mhz, "utilization_pct": 90, "power_mw": 600000}]} for i in range(5)]
    (folder / "machine.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")


class Suite:
    """A suite of cases, each a run of the generated model with what is planted in it."""

    def __init__(self, dir, name, planted, order=None, facts=lambda case: (1980, DRIVERS[0])):
        self.dir, self.name, self.cases = dir, name, order or sorted(planted)
        for case, options in planted.items():
            folder = dir / name / case
            folder.mkdir(parents=True, exist_ok=True)
            generate("trace", folder / "run.json.gz", "--seed", 100 + int(case[1:]), "--steps", 4, *options)
            state(folder, *facts(case))
        self.file = f"{name}.yaml"
        self.write(self.cases)

    def write(self, order):
        (self.dir / self.file).write_text("version: 1\nname: s\ncases:\n" + "".join(
            f"  - {{workload: {c}, runs: {self.name}/{c}, baseline: base/{c}.json}}\n" for c in order), encoding="utf-8")

    def judge(self, *options):
        code, text, err = run(self.dir, "suite", self.file, "--json", "r.json", "--markdown", "r.md", "--html", "r.html", *options)
        assert code in (0, 1) and not err, (code, err)
        return code, text, read(self.dir)


def read(dir):
    return json.loads((dir / "r.json").read_text(encoding="utf-8"))


def shared(result):
    """Each shared cause with the names of the cases behind it."""
    names = {c["place"]: c["name"] for c in result["cases"]}
    return [(x["id"], x.get("name"), {names[y["case"]] for y in result["sharing"] if y["shared"] == x["place"]})
            for x in result.get("shared", [])]


def slower(operator, factor=1.4):
    return ["--slow-kernel", f"{OPERATORS[operator]}={factor}"]


def told_once(dir, result):
    """What is shared stands before the cases and is not told again with them; what is not shared still is."""
    md, page = ((dir / f"r.{end}").read_text(encoding="utf-8") for end in ("md", "html"))
    seen = re.findall(r"\w\S*", re.sub(r"<details>.*?</details>", "", md, flags=re.S))
    assert len(seen) <= 100 + 30 * len(result["cases"]), len(seen)
    if result.get("shared"):
        assert md.index("What the cases share") < md.index("**Cases**")
        assert "What the cases share" in page
    behind = {}
    for x in result.get("subjects", []):
        behind.setdefault((x["case"], x["finding"]), set()).add(x["name"])
    names = {c["place"]: c["name"] for c in result["cases"]}
    for f in result["findings"]:
        of = [s for s in shared(result) if names[f["case"]] in s[2] and (
            s[0] == f["id"] and s[1] in behind.get((f["case"], f["place"]), ()) or s[0] == "machine" and f["id"] in ("uniform", "other"))]
        plain = re.sub(r"[\u200b`\\*]", "", md)
        rows = [line for line in plain.splitlines() if line.startswith("| ") and f" {names[f['case']]}" in line and "): " in line]
        told = any(f["text"][:30] in line for line in rows)
        assert told != bool(of), (f, of, rows)


def verdicts(result):
    return {c["name"]: (c["verdict"], c["exit_code"]) for c in result["cases"]}


def alone(dir, result, suite):
    """The verdict of each case is that of `check`, which knows no other case."""
    for c in result["cases"]:
        code, _, _ = run(dir, "check", f"{suite.name}/{c['name']}", "--baseline", f"base/{c['name']}.json", "--json", "one.json")
        assert (code, json.loads((dir / "one.json").read_text(encoding="utf-8"))["verdict"]) == (c["exit_code"], c["verdict"]), c


def some_way(suite, code, result):
    """Shards joined in any order give the same bytes; another order of cases gives the same causes."""
    dir = suite.dir
    for i in range(1, 4):
        run(dir, "suite", suite.file, "--shard", f"{i}/3", "--json", f"part{i}.json")
    whole = [(dir / f"r.{end}").read_bytes() for end in ("json", "md")]
    got, _, err = run(dir, "suite", "part3.json", "part1.json", "part2.json", "--json", "r.json", "--markdown", "r.md")
    assert got == code and not err and [(dir / f"r.{end}").read_bytes() for end in ("json", "md")] == whole
    order = suite.cases[:]
    random.Random(suite.name).shuffle(order)
    suite.write(order)
    other, _, again = suite.judge()
    assert other == code and verdicts(again) == verdicts(result) and shared(again) == shared(result)


def main():
    if not PROGRAM or not shutil.which(PROGRAM):
        print("no program")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        dir = pathlib.Path(folder)
        all_ = [f"c{i}" for i in range(CASES)]
        (dir / "base").mkdir()
        for case in all_:
            (dir / "ref" / case).mkdir(parents=True)
            generate("trace", dir / "ref" / case / "run.json.gz", "--seed", int(case[1:]), "--steps", 4)
            state(dir / "ref" / case, 1980, DRIVERS[0])
            code, _, err = run(dir, "approve", "--new", f"ref/{case}", "--baseline", f"base/{case}.json", "--workload", case)
            assert code == 0, err
        attention, norm, adam = OPERATORS

        # Nothing is planted.
        code, _, result = Suite(dir, "same", {c: [] for c in all_}).judge()
        assert code == 0 and not shared(result), shared(result)

        # The machine: all cases slower, and recorded facts of it changed.
        suite = Suite(dir, "machine", {c: ["--slow-kernel", "*=1.3"] for c in all_}, facts=lambda c: (1755, DRIVERS[1]))
        code, text, result = suite.judge()
        assert code == 1 and shared(result) == [("machine", None, set(all_))], shared(result)
        what = result["shared"][0]["text"]
        assert "SM clock 1,980.00 MHz → 1,755.00 MHz" in what and f"machine.driver {DRIVERS[0]} → {DRIVERS[1]}" in what, what
        assert "9 of 9 cases failed (the machine: SM clock " in text, text[:200]
        told_once(dir, result)
        alone(dir, result, suite)
        some_way(suite, code, result)

        # The same without a fact that changed: every kernel is slower, and no machine is blamed.
        code, _, result = Suite(dir, "uniform", {c: ["--slow-kernel", "*=1.3"] for c in all_}).judge()
        assert code == 1 and shared(result) == [("uniform", "every kernel", set(all_))], shared(result)
        # A clock that rose explains nothing.
        code, _, result = Suite(dir, "faster", {c: ["--slow-kernel", "*=1.3"] for c in all_}, facts=lambda c: (2100, DRIVERS[0])).judge()
        assert [x[0] for x in shared(result)] == ["uniform"], shared(result)

        # One operator in six of nine models.
        hit = set(random.Random(1).sample(all_, 6))
        suite = Suite(dir, "operator", {c: slower(norm, 2.5 + 0.2 * int(c[1:])) if c in hit else [] for c in all_})
        code, text, result = suite.judge()
        assert code == 1 and shared(result) == [("slower-kernel", norm, hit)], shared(result)
        assert "6 of 9 cases: +" in result["shared"][0]["text"] and f"6 of 9 cases failed ({norm} is slower)" in text, text
        told_once(dir, result)
        alone(dir, result, suite)
        some_way(suite, code, result)
        # Half of the cases slower, and the machine changed too: both are said.
        _, _, result = Suite(dir, "both", {c: slower(norm, 2.5) if c in hit else [] for c in all_}, facts=lambda c: (1980, DRIVERS[1])).judge()
        assert shared(result) == [("machine", None, hit), ("slower-kernel", norm, hit)], shared(result)
        # Fewer than half of them slower: the machine is not blamed.
        few = set(sorted(hit)[:3])
        _, _, result = Suite(dir, "few", {c: slower(norm, 2.5) if c in few else [] for c in all_}, facts=lambda c: (1980, DRIVERS[1])).judge()
        assert shared(result) == [("slower-kernel", norm, few)], shared(result)

        # Three unrelated changes.
        one_each = dict(zip(all_, (slower(attention), slower(norm, 2.5), slower(adam))))
        code, _, result = Suite(dir, "apart", {c: one_each.get(c, []) for c in all_}).judge()
        assert code == 1 and not shared(result) and len(result["findings"]) >= 3, shared(result)
        told_once(dir, result)

        # Two shared causes, of which a case has both, and one case of its own.
        first, second = set(all_[:4]), set(all_[3:6])
        plan = {c: [*(slower(attention) if c in first else ()), *(slower(norm, 2.5) if c in second else ()),
                    *(slower(adam) if c == "c8" else ())] for c in all_}
        suite = Suite(dir, "two", plan)
        code, _, result = suite.judge()
        assert code == 1 and shared(result) == [("slower-kernel", attention, first), ("slower-kernel", norm, second)], shared(result)
        told_once(dir, result)
        some_way(suite, code, result)

        # A single case shares nothing.
        code, _, result = Suite(dir, "single", {"c0": ["--slow-kernel", "*=1.3"]}, facts=lambda c: (1755, DRIVERS[1])).judge()
        assert code == 1 and not shared(result), shared(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
