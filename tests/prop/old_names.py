#!/usr/bin/env python3
"""Old names of commands are read in this version, and approving begins no second line by mistake:

 - an old name does what its new name does: same exit code, same standard output, and one more line on standard error, which says the new name
 - no help names an old name
 - `approve` makes a baseline where nothing knows the workload; where the rules or a history know it and its file is not there, it ends with 4 and
   writes nothing, unless --new says that this is the first; where there is a baseline, --new ends with 5 and leaves it

$GPUGATE is the program; exit 77 skips.
"""
import os
import pathlib
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


def unnamed():
    texts = [run(".", "--help")[1]] + [run(".", c.lower(), "--help")[1] for c in {row[2] for row in TABLE}]
    for _, old, *_ in TABLE:
        expect(f"help with {old}", [t for t in texts if re.search(rf"(gpugate |^  ){old}\b", t, re.M)], [])


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
        same(folder)
        unnamed()
        begins(folder, random.Random(39))
    print("\n".join(wrong) or f"{len(TABLE)} old names")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
