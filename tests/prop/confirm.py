#!/usr/bin/env python3
"""A failure of one run is confirmed before it is final: ci/forge/gate with a stand-in benchmark, in a clone with a change and its
base, carries out the pairs that the plan asks for.

The benchmark writes a time, a count or a trace with memory. How slow each of its runs is, and how much memory it takes, is said by the
worlds below: `luck` is the state of the machine in each run in the order in which they are made, `code` what the change costs.

usage: confirm.py      ($GPUGATE is the program; needs git and jq; exit 77 skips)
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from _expect import expect, finish
from _gen import GEN, generate

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GPUGATE")
PAIR = ["base", "candidate"]
SIDES = ["candidate"] + 3 * PAIR     # one run, then three pairs
FIRST = SIDES[:3]                    # one pair is enough to pass
BENCHMARK = f"""\
import json, os, pathlib, random, sys
log = pathlib.Path(os.environ["LOG"])
made = log.read_text().splitlines() if log.exists() else []
log.write_text("\\n".join([*made, os.environ["GPUGATE_SIDE"]]) + "\\n")
code, luck = json.loads(pathlib.Path("code.json").read_text()), json.loads(os.environ["LUCK"])
if code.get("broken"):
    sys.exit("does not build")
state = luck[len(made)] if len(made) < len(luck) else {{}}
ms = 20 * code.get("time", 1) * state.get("time", 1) * (1 + 0.01 * random.Random(len(made)).uniform(-1, 1))
pathlib.Path("out").mkdir(exist_ok=True)
for case, share in (("a", 1), ("b", 0.5)):
    if case in os.environ.get("GPUGATE_CASES", "").split() or not os.environ.get("GPUGATE_CASES"):
        pathlib.Path("out", case + ".json").write_text(json.dumps({{"t_ms": round(ms * share * code.get(case, 1), 4), "n": len(made)}}))
if os.environ["KIND"] == "trace.json":
    sys.path.insert(0, "{GEN}")
    import trace
    peak = code.get("memory", 1) * state.get("memory", 1)
    trace.main(["--seed", str(len(made)), "--steps", "3", "--no-launches", "--peak-memory", str(peak), *code.get("more", []), "--out", "out/trace.json"])
"""
RULES = """\
version: 1
defaults: {on_missing: skip}
rules:
  - {id: t, metric: input.t_ms, better: lower, warn: {increase: 5%%}, fail: {increase: 10%%}%s}
  - {id: memory, metric: memory.peak_allocated, fail: {increase: 1%%}%s}
  - {id: count, metric: step.kernel_count, fail: {increase: 0}}
"""
SUITE = """\
version: 1
name: two
cases:
  - {workload: a, runs: out/a.json}
  - {workload: b, runs: out/b.json}
"""
SLOW, BIG = {"time": 1.5}, {"memory": 1.2}
# name: what is recorded; the change; the state of the machine in each run; the sides that run; exit code; whether a failure is final
WORLDS = {
    "slow by chance": ("a.json", {}, [SLOW], FIRST, 0, True),
    "slow by chance, and a little slower": ("a.json", {"time": 1.07}, [SLOW], SIDES, 0, True),
    "slower": ("a.json", {"time": 1.5}, [], SIDES, 1, True),
    "another machine from now on": ("a.json", {}, [SLOW] * 7, FIRST, 0, True),
    "slower, on another machine": ("a.json", {"time": 1.5}, [SLOW] * 7, SIDES, 1, True),
    "more memory by chance": ("trace.json", {}, [BIG], SIDES, 0, True),
    "more memory, the base too now and then": ("trace.json", {}, [BIG, {}, BIG, BIG, BIG, {}, BIG], SIDES, 0, True),
    "more memory": ("trace.json", {"memory": 1.2}, [], SIDES, 1, True),
    "one launch more": ("trace.json", {"more": ["--new-kernel", "extra=1"]}, [], SIDES[:1], 1, True),
}


class Clone:
    """A clone whose main has five stored runs, and a branch with a change."""

    def __init__(self, folder):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def run(self, *words, **env):
        return subprocess.run(list(map(str, words)), cwd=self.folder, capture_output=True, text=True, check=False,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
                                   "GPUGATE": os.path.abspath(PROGRAM), "LOG": str(self.folder / ".log"), **env})

    def commit(self, code):
        (self.folder / "code.json").write_text(json.dumps(code))
        self.run("git", "add", "--all")
        self.run("git", "-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "--quiet", "--allow-empty", "-m", "code")

    def begin(self, what, base, key="", files=("a.json",)):
        """Makes main with the code `base`, whose five runs are stored."""
        self.run("git", "init", "--quiet", "-b", "main")
        (self.folder / "benchmark.py").write_text(BENCHMARK)
        (self.folder / "rules.yaml").write_text(RULES % (key, key))
        (self.folder / "gpugate-suite.yaml").write_text(SUITE)
        (self.folder / ".gitignore").write_text("out*\n.log\nbaselines\n")
        self.commit(base)
        (self.folder / "out").mkdir()
        if files[0] == "trace.json":
            generate("trace", self.folder / "out/trace.json", "--seed", 99, "--steps", 3, "--no-launches")
        runs = 1 if files[0] == "trace.json" else 6
        for i in range(runs):
            for case, file in enumerate(files):
                if file != "trace.json":
                    (self.folder / "out" / file).write_text(json.dumps({"t_ms": (20 - 10 * case) * (1 + 0.005 * (-1) ** i + 0.001 * i), "n": -i}))
                p = self.run(os.path.abspath(PROGRAM), "store" if i else "approve", f"out/{file}", "--rules", "rules.yaml",
                             "--workload", "ab"[case] if len(files) > 1 else "job")
                expect(f"{what}: main's run {i}", (p.returncode, p.stderr if p.returncode else ""), (0, ""))

    def gate(self, luck, file="a.json", **env):
        p = self.run(ROOT / "ci/forge/gate", LUCK=json.dumps(luck), **{
            "GPUGATE_BENCHMARK": "python3 benchmark.py", "GPUGATE_RUNS": f"out/{file}", "GPUGATE_WORKLOAD": "job", "GPUGATE_RULES": "rules.yaml",
            "GPUGATE_FOLDER": "out-gate", "GPUGATE_BASE": "main", "KIND": file, **env})
        log = self.folder / ".log"
        made = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        folder = self.folder / "out-gate"
        if p.returncode:
            sys.exit(f"the gate ended with {p.returncode}: {p.stdout[-400:]}{p.stderr[-800:]}")
        return made, (folder / "exit-code").read_text().strip(), json.loads((folder / "result.json").read_text()), p.stderr


def worlds(folder):
    for name, (file, change, luck, sides, code, final) in WORLDS.items():
        c = Clone(folder / "clone")
        c.begin(name, {}, files=(file,))
        c.run("git", "checkout", "--quiet", "-b", "change")
        c.commit(change)
        made, exit_code, result, said = c.gate(luck, file)
        expect(f"{name}: runs", made, sides)
        expect(f"{name}: exit code", exit_code, str(code))
        expect(f"{name}: final", result.get("confirmed"), final)
        expect(f"{name}: what is said", len(re.findall("gate: to be confirmed, pairs of runs to make: 3, one at first\n", said)), int(len(sides) > 1))
        text = (c.folder / "out-gate" / "report.md").read_text()
        expect(f"{name}: the report", "one run" in text, False)
        expect(f"{name}: confirmed", "\nconfirmed by 3 pairs with the base" in text, code == 1 and sides == SIDES)


def not_carried_out(folder):
    """Where no pairs can be made, the failure stands, and says that it is to be confirmed."""
    c = Clone(folder / "clone")
    c.begin("no pairs", {})
    c.run("git", "checkout", "--quiet", "-b", "change")
    c.commit({"time": 1.5})

    def stands(what, said, runs, **env):
        made, code, result, err = c.gate([], **env)
        expect(f"{what}: runs", made, runs)
        expect(f"{what}: verdict", (code, result.get("verdict"), result.get("confirmed"), result.get("plan", {}).get("pairs")), ("1", "fail", False, 3))
        expect(f"{what}: said", said in err, True)
        text = (c.folder / "out-gate" / "report.md").read_text()
        expect(f"{what}: the report", text.count("to be confirmed by 3 pairs with the base"), 1)
        plan = (c.folder / "out-gate" / "plan.env").read_text()
        expect(f"{what}: plan.env", ("GPUGATE_CONFIRMED=false\n" in plan, "GPUGATE_PLAN_PAIRS=3\n" in plan), (True, True))
    stands("no such base", "git does not know the base", SIDES[:1], GPUGATE_BASE="nowhere")
    stands("too many", "the plan asks for 6 more runs, and 5 are allowed", SIDES[:1], GPUGATE_MORE="5")
    c.run("git", "checkout", "--quiet", "main")
    c.commit({"broken": True})
    c.run("git", "checkout", "--quiet", "change")
    stands("the base does not build", "one more run of the base could not be made", SIDES[:2])
    # a file by hand: nothing can be run again
    p = c.run(os.path.abspath(PROGRAM), "check", "out-gate/run.json.gz", "--rules", "rules.yaml", "--workload", "job", "--plan", "plan.json")
    expect("by hand", (p.returncode, "to be confirmed by 3 pairs" in p.stdout), (1, True))
    expect("its plan", [json.loads((c.folder / "plan.json").read_text())[k] for k in ("pairs", "unconfirmed", "undecided")], [3, 1, 0])


STAND_IN = """\
#!/usr/bin/env python3
import json, os, pathlib, sys
value = dict(zip(sys.argv, sys.argv[1:]))
if sys.argv[1] == "digest":
    sys.exit(pathlib.Path(value["--output"]).write_text(sys.argv[2] + pathlib.Path(sys.argv[2]).read_text()) * 0)
pairs = sum(a.startswith("--control") for a in sys.argv)
reports = pathlib.Path(value["--reports"])
for name in ("report.md", "junit.xml", "report.html"):
    (reports / name).write_text("report")
is_open = pairs < 2
answer = {"verdict": "undecided" if is_open else "pass", "plan": {"runs": 0, "pairs": is_open * (8 - pairs), "undecided": is_open, "unconfirmed": 0}}
(reports / "result.json").write_text(json.dumps(answer))
sys.exit(3 * is_open)
"""


def as_many_as_fit(folder):
    """A plan of more pairs than are allowed is carried out as far as it may be; fewer than three pairs are not worth it."""
    c = Clone(folder / "clone")
    c.begin("as many", {})
    c.run("git", "checkout", "--quiet", "-b", "change")
    c.commit({"time": 1.01})
    (c.folder / "stand-in").write_text(STAND_IN)
    (c.folder / "stand-in").chmod(0o755)
    for more, pairs in ((16, 8), (10, 5), (7, 3), (5, 0)):
        made, code, _, _ = c.gate([], GPUGATE_MORE=str(more), GPUGATE=str(c.folder / "stand-in"))
        expect(f"{more} more runs", (made, code), (SIDES[:1] + pairs * PAIR, "0" if pairs else "3"))


def on_main(folder):
    """Main's own runs are confirmed against the parent, not against themselves."""
    c = Clone(folder / "clone")
    c.begin("main", {})
    c.commit({"time": 1.5})
    for base in ("", "main"):
        made, code, result, _ = c.gate([], GPUGATE_BASE=base)
        expect("main: confirmed against its parent", (made, code, result["confirmed"]), (SIDES, "1", True))


def at_once(folder):
    """`confirm: never`, and a limit that no noise concerns, are final with the first run."""
    c = Clone(folder / "clone")
    c.begin("never", {}, ", confirm: never")
    c.run("git", "checkout", "--quiet", "-b", "change")
    c.commit({"time": 1.5})
    made, code, result, _ = c.gate([])
    expect("never", (made, code, result["confirmed"]), (SIDES[:1], "1", True))
    p = c.run(os.path.abspath(PROGRAM), "check", "out/a.json", "--control", "out/a.json", "--workload", "job", "--limit", "input.t_ms:max=1")
    expect("one pair confirms nothing", (p.returncode, "confirmed by" in p.stdout), (1, False))


def shown(folder):
    """What main has shown often enough among its newest runs of the newest level does not fail: the pairs decide. "H" is a run that fails;
    three in a row are a new level."""
    low, high = [10.0, 10.1, 10.05], [13.0, 13.1, 13.05]
    rows = {
        "twice of ten": ("hlhlllllll", 13.0, 3), "once of ten": ("lhllllllll", 13.0, 1), "less far": ("hlhlllllll", 13.2, 1),
        "before the newest 20": ("hlh" + 21 * "l", 13.0, 1), "3 of 20": ("hlh" + 17 * "l", 13.0, 3), "2 of 20": ("hl" + 17 * "l" + "h", 13.0, 3),
        "a gain undone": (8 * "h" + 12 * "l", 13.0, 1), "a level that came back": ("hhhhlllllhhhlllllll", 13.0, 3),
        "failed twice between others": ("lllllHlHll", 13.0, 3), "failed twice at last": ("llllllllHH", 13.0, 3),
        "a new level": ("lllllllHHH", 13.0, 1),
    }
    for name, (levels, value, code) in rows.items():
        c = Clone(folder / "runs")
        (c.folder / "rules.yaml").write_text(RULES % ("", ""))
        for i, level in enumerate(levels):
            (c.folder / f"{i}.json").write_text(json.dumps({"t_ms": (low if level == "l" else high)[i % 3] - i * 1e-4}))
            p = c.run(os.path.abspath(PROGRAM), "store" if i else "approve", f"{i}.json", "--rules", "rules.yaml", *(["--force"] if i and level != "H" else []))
            expect(f"{name}: run {i}", (p.returncode, "for the noise only" in p.stderr), (0, level == "H"))
        (c.folder / "new.json").write_text(json.dumps({"t_ms": value - 0.01}))
        p = c.run(os.path.abspath(PROGRAM), "check", "new.json", "--rules", "rules.yaml", "--json", "out.json")
        out = json.loads((c.folder / "out.json").read_text())
        expect(name, (p.returncode, out["plan"]["pairs"], out["confirmed"]), (code, 3, code == 3))
        expect(f"{name}: said", "runs of main were as far: 3 pairs" in out["checks"][0]["message"], code == 3)


def suite(folder):
    """The cases of a suite that fail are made again, and of these those that warn by the first pair."""
    c = Clone(folder / "clone")
    c.begin("suite", {}, files=("a.json", "b.json"))
    c.run("git", "checkout", "--quiet", "-b", "change")
    for change, pairs, verdicts in (({}, (1, 1), ["pass", "pass"]), ({"a": 1.07}, (3, 1), ["warn", "pass"]), ({"b": 1.07}, (1, 3), ["pass", "warn"])):
        c.commit(change)
        made, code, result, _ = c.gate([SLOW], file="a.json out/b.json", GPUGATE_SUITE="gpugate-suite.yaml", GPUGATE_WORKLOAD="")
        expect(f"suite {change}", (made, code, [x["verdict"] for x in result["cases"]]), (SIDES[:1] + max(pairs) * PAIR, "0", verdicts))
        expect(f"suite {change}: pairs", tuple(len(list((c.folder / "out-gate/cases" / case).glob("control-*"))) for case in "ab"), pairs)


def main():
    if not PROGRAM or not shutil.which("git") or not shutil.which("jq"):
        return 77
    with tempfile.TemporaryDirectory() as tmp:
        for part in (worlds, not_carried_out, as_many_as_fit, on_main, at_once, shown, suite):
            part(pathlib.Path(tmp) / part.__name__)
    finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
