#!/usr/bin/env python3
"""Old names of commands and old options are read in this version, and approving begins no second line by mistake:

 - an old name does what its new name does: same exit code, same standard output, and one more line on standard error, which says the new name
 - no help names an old name
 - an old option does what its new spelling does, in the rules file where that is its place: same exit code, same standard output and same files
 - `approve` makes a baseline where nothing knows the workload; where the rules or a history know it and its file is not there, it ends with 4 and
   writes nothing, unless --new says that this is the first; where there is a baseline, --new ends with 5 and leaves it

$GPUGATE is the program; exit 77 skips.
"""
import os
import pathlib
import pickle
import random
import re
import shutil
import subprocess
import sys
import tempfile

from _gen import generate

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GPUGATE")
TABLE = re.findall(r'X\((\w+), "([a-z ]+)", CMD_(\w+), "([^"]+)"', (ROOT / "src/cli/cli/options.h").read_text().split("#define OLD_COMMAND_ROWS")[1])
CLEAN = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")} | {"SOURCE_DATE_EPOCH": "1767225600"}
# the arguments of a call, as the old and as the new name takes them
CALLS = {
    "baseline create": [("run.json --baseline -", "run.json --new --baseline -"), ("next.json --baseline b.json --force", "next.json --new --baseline b.json --force")],
    "baseline promote": [("next.json --baseline b.json --reason r",) * 2, ("next.json --baseline b.json",) * 2],
    "baseline append": [("next.json --baseline b.json",) * 2, ("run.json --baseline b.json",) * 2, ("next.json --baseline absent.json",) * 2],
    "baseline prune": [("--keep 0 --baseline b.json",) * 2],
    "baseline verify": [("b.json",) * 2, ("run.json",) * 2],
    "baseline show": [("--baseline b.json", "b.json --verbose"), ("", "--verbose")],
    "baseline log": [("--baseline b.json", "--baseline b.json --verbose"), ("", "--verbose")],
    "bisect": [("--baseline b.json", "--baseline b.json --bisect"), ("--baseline b.json --metric step.time", "--baseline b.json --metric step.time --bisect")],
    "merge": [("run.digest next.digest -o all.digest",) * 2, ("run.json -o all.digest",) * 2],
    "formats": [("", "formats"), ("result.json",) * 2, ("--formats absent.yaml", "formats --formats absent.yaml")],
    "metrics": [("", "explain metrics"), ("run.json", "run.json --verbose")],
}
ALL = " ".join(f"--{option} o/{file}" for option, file in {"markdown": "report.md", "json": "result.json", "junit": "junit.xml", "html": "report.html", "plan": "plan.json",
                                                           "openmetrics": "metrics.txt", "codequality": "codequality.json"}.items())
BOTH = "check next.json --baseline b.json --rules r.yaml"
# (old command, new command, keys of the rules r.yaml that the new one has and the old one lacks), for each option that is read and not shown
OPTIONS = {
    "print": ("lint r.yaml --print", "lint r.yaml --verbose", ""),
    "categories": ("report run.json --verbose --categories c.yaml", "report run.json --verbose", "tables: {categories: c.yaml}"),
    "sites": ("report snap.pickle --verbose --sites s.yaml", "report snap.pickle --verbose", "tables: {sites: s.yaml}"),
    "formats": ("report figures.json --verbose --formats f.yaml", "report figures.json --verbose", "tables: {formats: f.yaml}"),
    "diagnosis": ("report run.json --verbose --diagnosis d.yaml", "report run.json --verbose", "tables: {diagnosis: d.yaml}"),
    "unmarked": ("report bare.json --verbose --unmarked period", "report bare.json --verbose", "steps: {unmarked: period}"),
    "join-cycles": ("report run.json later.json --join-cycles", "report run.json later.json", "steps: {cycles: join}"),
    "allow-pickle": ("report snap.pickle --allow-pickle", "report snap.pickle", ""),
    "max-input": ("report run.json --max-input 100000000", "report run.json", ""),
    "quick": ("report run.json --quick 1000000", "report run.json", ""),
    "suite": ("digest --suite suite.yaml -o o", "digest suite.yaml -o o", ""),
    "case": ("approve --new --suite suite.yaml --case two --reason r", "approve --new suite.yaml --workload two --reason r", ""),
    "merge": ("suite --merge part1.json part2.json", "suite part1.json part2.json", ""),
    "since": ("history --since 2020-01-01", "history", ""),
    "p": ("history --p 0.001", "history", ""),
    "changed-from": (f"{BOTH} --changed-from git", f"{BOTH} --changed git", ""),
    "ignore-environment": ("check other.json --baseline b.json --ignore-environment", "check other.json --baseline b.json", "environment: {must_match: []}"),
    "ci": ("init run.json --ci none --workload default", "init run.json --home none --workload default", ""),
    "from-noise": ("init run.json --home none --workload default --from-noise", "init run.json --home none --workload default", ""),
    "commit": ("approve run.json --baseline n.json --commit abc", "approve run.json --baseline n.json --context commit=abc", ""),
    "before": ("store --baseline b.json --before 2020-01-01", "store --baseline b.json --keep 200", ""),
    "bootstrap": ("check run.json --baseline n.json --bootstrap", "check run.json --baseline n.json --new", ""),
    "propose": ("check slow.json --baseline b.json --propose p.json", "approve slow.json --baseline b.json --reason r --accept *", ""),
    "plan": (f"{BOTH} {ALL}", f"{BOTH} --reports o", ""),
    "openmetrics": (f"report run.json {' '.join(ALL.split()[i] for i in (0, 1, 2, 3, 6, 7, 10, 11))}", "report run.json --reports o", ""),
    "codequality": (f"{BOTH} {ALL}", f"{BOTH} --reports o", ""),
    "junit-strict": (f"{BOTH} --junit j.xml --junit-strict", f"{BOTH} --junit j.xml", ""),
    "max-bytes": (f"{BOTH} --markdown m.md --max-bytes 60000", f"{BOTH} --markdown m.md", ""),
    "color": ("report run.json --color never", "report run.json", ""),
}
# of these only that both work is compared: what they write has the names of other commands or files, or says more
ALIKE = {"ignore-environment", "commit", "before", "propose"}
wrong = []


def expect(what, have, want):
    if have != want:
        wrong.append(f"{what}: {have}"[:500] + f", not {want}"[:500])


def run(folder, *args):
    p = subprocess.run([PROGRAM, *args], cwd=folder, capture_output=True, text=True, check=False, env=CLEAN)
    return p.returncode, p.stdout, p.stderr.splitlines()


def same(folder):
    for _, old, command, new in TABLE:
        for before, after in CALLS[old]:
            results = []
            for words in ([*old.split(), *before.split()], after.split() if after[:8] == "explain " else [command.lower(), *after.split()]):
                work = folder / "work"
                shutil.copytree(folder / "kept", work)
                results.append((*run(work, *words), {p.name: p.read_bytes() for p in work.rglob('*.*') if p.is_file()}))
                shutil.rmtree(work)
            (code, out, err, files), (code2, out2, err2, files2) = results
            expect(f"{old} {before}", (code, out, files), (code2, out2, files2))
            note = [line for line in err if "is an old name of" in line]
            expect(f"{old} {before}: note", note, [f"gpugate: note: '{old}' is an old name of '{new}'"])
            expect(f"{old} {before}: messages", [line for line in err if line not in note], err2)


def same_options(folder):
    options = (ROOT / "src/cli/cli/options.h").read_text().split("#define OPTION_ROWS")[1].split("static inline bool option_shown")[0]
    rows = re.findall(r'X\(\w+,\s+"([a-z-]+)",[^"]*(?:"[^"]*",)?[^"]*"((?:[^"\\]|\\.)*)', re.sub(r"\\\n", " ", options))
    expect("old options", {name for name, meaning in rows if not meaning}, set(OPTIONS))
    for option, (old, new, rules) in OPTIONS.items():
        results = []
        for words, more in ((old, ""), (new, rules)):
            work = folder / "work"
            shutil.copytree(folder / "kept", work)
            (work / "r.yaml").write_text(f"version: 2\n{more}\n")
            with_rules = ["--rules", "r.yaml"] if rules else []
            code, out, err = run(work, *words.split(), *with_rules)
            files = {str(p.relative_to(work)): p.read_bytes() for p in work.rglob("*.*") if p.is_file() and p.name != "r.yaml"}
            results.append((code, out, files, err))
            shutil.rmtree(work)
        (code, *before), (code2, *after) = results
        if option in ALIKE:
            expect(f"--{option}", (code if option != "propose" else bool(before[1].get("p.json")), code2), (code2 if option != "propose" else True, code2))
        else:
            for what, a, b in zip(("code", "output", "files", "messages"), (code, *before), (code2, *after)):
                expect(f"--{option}: {what}", a, b)
        if not code2 in (0, 1):
            wrong.append(f"--{option}: {new}: exit {code2}: {after[2]}")
        if rules:
            work = folder / "work"
            shutil.copytree(folder / "kept", work)
            (work / "r.yaml").write_text("version: 2\n")
            code, out, _ = run(work, *new.split(), "--rules", "r.yaml")
            shutil.rmtree(work)
            if (code, out) == (code2, after[0]):
                wrong.append(f"{rules}: changes nothing of {new}")


def unnamed():
    texts = [run(".", "--help")[1]] + [run(".", c.lower(), "--help")[1] for c in {row[2] for row in TABLE}]
    for _, old, *_ in TABLE:
        expect(f"help with {old}", [t for t in texts if re.search(rf"(gpugate |^  ){old}\b", t, re.M)], [])


def prepare(kept):
    """What the calls of OPTIONS read."""
    generate("trace", kept / "slow.json", "--seed", 6, "--steps", 3, "--slow-kernel", "*=1.5")
    generate("trace", kept / "bare.json", "--seed", 3, "--steps", 8, "--no-steps")
    generate("trace", kept / "later.json", "--seed", 4, "--steps", 3, "--first-step", 500)
    generate("trace", kept / "other.json", "--seed", 5, "--steps", 3, "--world-size", 4)
    block = {"address": 0, "size": 512, "requested_size": 512, "state": "active_allocated", "frames": [{"filename": "m.py", "line": 3, "name": "quantize"}]}
    segment = {"address": 0, "total_size": 1024, "stream": 0, "device": 0, "segment_type": "small", "allocated_size": 512, "active_size": 512, "blocks": [block]}
    (kept / "snap.pickle").write_bytes(pickle.dumps({"segments": [segment], "device_traces": [[]]}))
    (kept / "figures.json").write_text('{"timing": {"step_ms": 12.5}, "own": 3}')
    tables = ROOT / "rules"
    (kept / "c.yaml").write_text((tables / "categories.yaml").read_text().replace("category: GEMM", "category: products"))
    (kept / "s.yaml").write_text((tables / "sites.yaml").read_text().replace("category: quantisation", "category: own"))
    (kept / "d.yaml").write_text(re.sub(r"title: .*", "title: own title", (tables / "diagnosis.yaml").read_text()))
    (kept / "f.yaml").write_text("- {name: own, has: [own], read: json, take: [{at: own, as: own, unit: ms, better: lower}]}\n")
    (kept / "suite.yaml").write_text("version: 1\nname: s\ncases:\n  - {workload: one, runs: run.json, baseline: one.json}\n  - {workload: two, runs: next.json, baseline: two.json}\n")
    run(kept, "approve", "--new", "suite.yaml", "--reason", "r")
    for i in (1, 2):
        run(kept, "suite", "suite.yaml", "--shard", f"{i}/2", "--json", f"part{i}.json")
    (kept / "one.json").unlink(missing_ok=True)
    (kept / "two.json").unlink(missing_ok=True)
    run(kept, "store", "run.json", "--baseline", "b.json")
    run(kept, "store", "next.json", "--baseline", "baselines/default.json", "--force")
    (kept / "o").mkdir()


def begins(folder, dice):
    """Whether `approve` takes a run, for every combination of what knows the workload."""
    for i in range(24):
        work = folder / f"begin{i}"
        work.mkdir()
        shutil.copy(folder / "kept/run.json", work)
        named, history, there, new = dice.choice(("", "workload: w", "baseline: 'b/{workload}.json'")), i & 1, i & 2, i & 4
        path = work / ("b/default.json" if "baseline" in named else f"baselines/{'w' if named else 'default'}.json")
        path.parent.mkdir()
        if named:
            (work / "rules.yaml").write_text(f"version: 2\n{named}\n")
        if there:
            shutil.copy(folder / "kept/b.json", path)
        if history:
            path.with_suffix(".history.jsonl").write_text("")
        before = path.read_bytes() if there else None
        code, _, err = run(work, "approve", "run.json", *(["--rules", "rules.yaml"] if named else []), *(["--new"] if new else []))
        want = (5 if new else 2) if there else 0 if new or not (named or history) else 4
        what = f"{named!r}, history {history}, there {there}, --new {new}"
        expect(what, code, want)
        expect(f"{what}: written", (path.read_bytes() if path.exists() else None) != before, want == 0)
        expect(f"{what}: says how", want != 4 or any("approve RUN --new" in line for line in err), True)


def main():
    if not PROGRAM:
        sys.exit(77)
    expect("old names", {row[1] for row in TABLE}, set(CALLS))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        kept = folder / "kept"
        kept.mkdir()
        generate("trace", kept / "run.json", "--seed", 1, "--steps", 3)
        generate("trace", kept / "next.json", "--seed", 2, "--steps", 3)
        expect("approve", run(kept, "approve", "run.json", "--baseline", "b.json")[0], 0)
        for name in ("run", "next"):
            run(kept, "digest", f"{name}.json", "-o", f"{name}.digest", *(["--rank", "1"] if name == "next" else []))
        (kept / "result.json").write_text('{"timing": {"step_ms": 12.5}}')
        (kept / "baselines").mkdir()
        shutil.copy(kept / "b.json", kept / "baselines/default.json")
        prepare(kept)
        same(folder)
        same_options(folder)
        unnamed()
        begins(folder, random.Random(39))
    print("\n".join(wrong) or f"{len(TABLE)} old names")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
