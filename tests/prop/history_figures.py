#!/usr/bin/env python3
"""The history of result files, on files in which one figure after another is planted to rise, to fall or to stay, of several directions: rates, times,
sizes, shares and what has no direction; flat, of vLLM, and of sweeps with many cases; with and without rules that say a direction:

 - `history` has each figure of the files, by the name and in the unit of `check`, and a change exactly where one was planted
 - a change is worse, better or neither by the direction in which `check` limits the same figure; the first word says if any is worse
 - figures that head a report come first, those without a direction last; of a sweep, the terminal shows as many rows as of anything, and how to see all
 - all runs lack the same figures where there is no room for all
 - a figure has one course although rules stored it by several queries
 - a figure that no run has which is stored whole, as an earlier version of the benchmark wrote it, is judged by its name
 - a change for the worse that was repaired is told, but does not make the history worse, and is not bisected
 - `--bisect` takes a change for the worse of such a figure; with its script, `git bisect run` finds the commit that made it, and skips one whose
   benchmark fails; a run that lacks the figure is neither good nor bad

$GPUGATE is the program; needs git; exit 77 skips.
"""
import json
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

from _expect import expect, finish, wrong

PROGRAM = os.path.abspath(os.environ.get("GPUGATE", ""))
RUNS, LEAST = 14, 4     # runs of a history, and of each of its levels
LARGE = 2000000         # 2 %, as `history` gives a change: a smaller one is noise, which shows one now and then
FLAT = {"tokens_per_second": 2100.0, "requests_per_s": 11.0, "step_time_ms": 120.0, "latency_p99_s": 0.031, "peak_memory_gib": 61.0, "accuracy": 0.76,
        "cache_hit_rate": 0.41, "gemm_tflops": 310.0, "quux": 7.5, "zork_level": 12.25, "energy_j": 5200.0}
VLLM = {"mean_ttft_ms": 111.2, "p99_ttft_ms": 165.5, "mean_tpot_ms": 40.5, "std_tpot_ms": 2.4, "median_itl_ms": 38.4, "output_throughput": 210.5,
        "request_throughput": 0.98, "total_token_throughput": 430.1}
ASKED = {"backend": "vllm", "model_id": "meta/Llama-3-8B", "tokenizer_id": "meta/Llama-3-8B", "num_prompts": 200, "request_rate": 1.0, "burstiness": 1.0,
         "max_concurrency": None}
SWEEP = {f"m{m}.k{k}/{name}": value * m for m in (1, 2, 4, 8) for k in (128, 512) for name, value in (("gemm_tflops", 40.0), ("time_us", 2.2), ("quux", 3.1))}
OWN = """version: 2
rules:
  zork: {metric: input.zork_level, better: higher, fail: {worse: 5%}}
  other-way: {metric: input.gemm_*, better: lower, fail: {worse: 5%}}
"""


class Place:
    def __init__(self, folder):
        self.folder, self.nr, self.rules = folder, 0, ()

    def run(self, code, *words):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "COLUMNS": "80",
               "SOURCE_DATE_EPOCH": str(1790000000 + self.nr * 86400)}
        p = subprocess.run([PROGRAM, *map(str, words), *self.rules], cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        if code is not None and p.returncode != code:
            wrong.append(f"{words}: exit {p.returncode}, not {code}: {p.stdout}{p.stderr}")
        return p.stdout

    def store(self, figures, commit):
        (self.folder / "r.json").write_text(json.dumps(figures))
        self.run(0, *(("store",) if self.nr else ("approve", "--new")), "r.json", "--workload", "w", "--context", f"commit={commit}")
        self.nr += 1

    def history(self, *words):
        self.run(0, "history", "w", "--json", "h.json", "--html", "h.html", *words)
        return json.loads((self.folder / "h.json").read_text())


def series(rng, figures, asked):
    """Files of the runs, and for each figure the run from which its level is another one and by how much; None: it stays."""
    files, planted = [dict(asked) for _ in range(RUNS)], {}
    for i, (name, value) in enumerate(figures.items()):
        at, by = rng.randrange(LEAST, RUNS - LEAST + 1), (1 + rng.uniform(.08, .2) * rng.choice((1, -1)))
        planted[name] = None if i % 3 == 2 else (at, by)
        for k, file in enumerate(files):
            noise = 1 + .002 * rng.uniform(-1, 1)
            file[name] = value * noise * (by if planted[name] and k >= at else 1)
    return files, planted


def directions(place, file):
    """What `check` says of each figure: +1 if more is worse, -1 if less, and its name and unit; what it does not judge is absent."""
    (place.folder / "c.json").write_text(json.dumps(file))
    place.run(None, "check", "c.json", "--workload", "w", "--json", "check.json")
    checks = json.loads((place.folder / "check.json").read_text())["checks"]
    signs = {"increase": 1, "decrease": -1}
    return {c["metric"]: (signs[c["limit"].split()[0]], c["message"], c["unit"]) for c in checks if c["metric"].startswith("input.") and c["verdict"] != "skipped"}


def agrees(what, place, files, planted):
    for i, file in enumerate(files):
        place.store(file, f"{i + 0x1000000:x}")
    have, judged = place.history(), directions(place, files[0])
    lines = [json.loads(line) for line in (place.folder / "baselines/w.history.jsonl").read_text().splitlines()]
    stored = {v["label"] or v["query"].split(" ")[0][6:] for line in lines for v in line["values"]}
    names = [f["metric"][len("input."):] for f in have["figures"]]
    expect(f"{what}: figures", sorted(names), sorted(stored))
    of = {name: next(own for own in planted if name.endswith(own)) for name in names}
    page = (place.folder / "h.html").read_text()
    for f, name in zip(have["figures"], names):
        at, by = planted[of[name]] or (None, 1)
        sign, message, unit = judged.get(f["metric"], (0, None, None))
        points = [(p["first"], p["is_worse"], p["is_better"]) for p in have["points"] if p["figure"] == f["place"] and abs(p["change_pct"]) > LARGE]
        expect(f"{what}: changes of {name}", points, [(at, sign * (by - 1) > 0, sign * (by - 1) < 0)] if at else [])
        if message:
            expect(f"{what}: unit of {name}", f["unit"], unit)
            shown = message.split(" rose from ")[0].split(" fell from ")[0].split(" is unchanged")[0]
            expect(f"{what}: '{shown}' is shown", shown.split(" of ")[0] in page, True)
    judges = [f["metric"] in judged for f in have["figures"]]
    expect(f"{what}: those without a direction are last", judges, sorted(judges, reverse=True))
    expect(f"{what}: word", place.run(0, "history", "w").split()[0], "worse" if any(p["is_worse"] for p in have["points"]) else "no")
    return judged, names


def agreement(place, seed):
    rng = random.Random(seed)
    figures, asked = ((FLAT, {}), (VLLM, ASKED), (SWEEP, {}))[seed % 3]
    order = list(figures.items())
    rng.shuffle(order)
    if seed % 2:
        (place.folder / "own.yaml").write_text(OWN)
        place.rules = ("--rules", "own.yaml")
    files, planted = series(rng, dict(order), asked)
    judged, names = agrees(f"seed {seed}", place, files, planted)
    expect(f"seed {seed}: directions", len({sign for sign, *_ in judged.values()}), 2)
    expect(f"seed {seed}: what is not judged is there too", len(judged) < len(names) or seed % 2 == 1, True)


def rows(place):
    """A sweep in which everything became slower, at 80 columns."""
    for i in range(RUNS):
        rng = random.Random(i)
        place.store({f"b{k}.s{s}/tokens_per_s": 50 * k * (1 + .001 * rng.random()) * (.9 if i >= 7 else 1) for k in range(1, 9) for s in (1, 2, 4, 8)}, f"{i + 0x1000000:x}")
    text = place.run(0, "history", "w")
    table = text.split("\nFigures that changed\n")[1].splitlines()
    expect("rows of a sweep", sum(line.startswith("  b") for line in table), 20)
    expect("how to see the rest", ("\n  12 more figures\n" in text, text.endswith("--verbose lists all figures.\n")), (True, True))
    changed = text.split("\nWhat changed\n")[1].split("\nWhat to do\n")[0]
    expect("the list of what changed", (changed.count("tokens_per_s"), "and 26 more figures" in changed), (6, True))
    (place.folder / "s.yaml").write_text("version: 1\ncases: [{workload: w, runs: r.json}]\n")
    pages = place.run(0, "history", "--suite", "s.yaml", "--verbose")
    expect("of a suite", ("\n- w: b1.s1/tokens_per_s: " in pages, "\n  w     b1.s1/tokens_per_s " in pages), (True, True))
    expect("all of them", sum(line.startswith("  b") for line in place.run(0, "history", "w", "--verbose").splitlines()), 32)


def queries(place):
    """Rules that name a figure come and go: it has one course, in which no run counts twice; what no stored run has is judged by its name."""
    (place.folder / "own.yaml").write_text(OWN)
    for i in range(RUNS):
        place.rules = ("--rules", "own.yaml") if i % 3 == 1 else ()
        gone = {"old_latency_ms": 9 + i * .001 + (i >= 5)} if 0 < i < RUNS - 2 else {}
        place.store({"gemm_tflops": 310 + i * .01 - (30 if i >= 7 else 0), **gone}, f"{i + 0x1000000:x}")
    place.rules = ()
    have = place.history()
    expect("courses", [f["metric"] for f in have["figures"]], ["input.gemm_tflops", "input.old_latency_ms"])
    expect("their changes", [(p["figure"], p["first"], p["is_worse"]) for p in have["points"]], [(0, 7, True), (1, 5, True)])
    place.rules = ("--rules", "own.yaml")
    expect("by a rule", [(p["figure"], p["first"], p["is_worse"], p["is_better"]) for p in place.history("--metric", "input.gemm*")["points"]], [(0, 7, False, True)])


def room(place):
    """All runs have the same figures of a large sweep, except the last few, as numbers differ in length."""
    for i in range(6):
        rng = random.Random(i)
        place.store({f"b{k}.s{s}/{name}": rng.random() * 10 ** rng.randrange(4) for k in range(9) for s in range(9) for name in ("tokens_per_s", "p99_ms")}, f"{i:07x}")
    figures = place.history()["figures"]
    lines = [json.loads(line) for line in (place.folder / "baselines/w.history.jsonl").read_text().splitlines()]
    names = [{v["label"] for v in line["values"]} for line in lines]
    expect("enough figures for the limit to matter", (len(figures) > 60, lines[0]["cut"] > 60), (True, True))
    expect("figures that some runs lack", len(set.union(*names)) - len(set.intersection(*names)) < 6, True)


def repaired(place):
    """A change for the worse that was repaired is told, but only an older one that stands makes the history worse, and is bisected."""
    for lost, baseline in ((0, "a.json"), (100, "b.json")):
        place.nr, place.rules = 0, ("--baseline", baseline)
        for i in range(3 * RUNS):
            place.store({"quick_ms": 20 + i * .001 + (5 if RUNS <= i < 2 * RUNS else 0), "tokens_per_s": 900 + i * .01 - (lost if i >= LEAST else 0)}, f"{i + 0x1000000:x}")
        text, script = " ".join(place.run(0, "history").split()), place.run(0 if lost else 3, "history", "--bisect")
        since = f"{LEAST + 0x1000000:x}"
        expect("word", text.startswith(f"worse · history of w: tokens_per_s 11.10 % lower since {since}" if lost else "no worse · "), True)
        expect("both changes are told", text.count("- quick_ms: "), 2)
        expect("the script", f"# git bisect start {since} " in script, bool(lost))


def bisecting(place, figures, asked, name, by, culprit):
    """A repository of 36 commits of which main stored every third; from the `culprit` on the figure is another."""
    repo, bin = place.folder / "repo", place.folder / "bin"
    repo.mkdir()
    bin.mkdir()
    (bin / "gpugate").symlink_to(PROGRAM)
    env = {"PATH": f"{bin}:{os.environ['PATH']}", "HOME": str(repo), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}

    def sh(line):
        return subprocess.run(line, shell=True, cwd=repo, env=env, check=True, capture_output=True, text=True).stdout.strip()

    sh("git init --quiet . && git config user.name Ann && git config user.email ann@example.com")
    commits, rng = [], random.Random(culprit)
    for i in range(36):
        file = dict(asked, **{key: value * (1 + .002 * rng.uniform(-1, 1)) * (by if key == name and i >= culprit else 1) for key, value in figures.items()})
        (repo / "result.json").write_text(json.dumps(file) if i != culprit - 1 else "broken")
        sh(f"git add result.json && git commit --quiet -m c{i}")
        commits.append(sh("git rev-parse HEAD"))
        if i % 3 == 0 and i != culprit - 1:
            place.store(file, commits[-1])
    (place.folder / "bisect.sh").write_text(place.run(0, "history", "w", "--bisect"))
    script = shlex.quote(str(place.folder / "bisect.sh"))
    first = -(-culprit // 3) * 3
    command = "git bisect run sh %s 'grep -q . result.json && ! grep -q broken result.json && cp result.json out.json' out.json" % script
    said = sh(f"git bisect start {commits[first]} {commits[first - 6]} && {command}; git bisect log")
    expect(f"{name}: the commit", f"first bad commit: [{commits[culprit]}]" in said or commits[culprit] in said.split("possible")[-1], True)
    sh("git bisect reset")
    other = next(key for key in figures if key != name)
    (repo / "lacks.json").write_text(json.dumps(dict(asked, **{other: figures[other]})))
    codes = [subprocess.run(["sh", str(place.folder / "bisect.sh"), command, run], cwd=repo, env=env, capture_output=True, check=False).returncode
             for command, run in ((f"git show {commits[0]}:result.json >out.json", "out.json"), (f"git show {commits[-1]}:result.json >out.json", "out.json"),
                                  ("true", "lacks.json"), ("true", "none.json"), ("false", "out.json"))]
    expect(f"{name}: exit codes", codes, [0, 1, 125, 125, 125])


def main():
    if not PROGRAM or not os.path.exists(PROGRAM):
        return 77
    tests = [lambda p, s=seed: agreement(p, s) for seed in range(6)]
    tests += [rows, queries, room, repaired,
              lambda p: bisecting(p, VLLM, ASKED, "output_throughput", .9, 20),
              lambda p: bisecting(p, FLAT, {}, "latency_p99_s", 1.1, 16),
              lambda p: bisecting(p, SWEEP, {}, "m8.k512/gemm_tflops", .93, 23)]
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(Place(pathlib.Path(folder)))
    finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
