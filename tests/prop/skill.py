#!/usr/bin/env python3
"""skills/gpugate/SKILL.md, followed literally: its commands run, on a run that passes, one that fails and one that is undecided, the keys that it
names are there, and each exit code is told. It has at most 250 words.

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
SKILL = (pathlib.Path(__file__).resolve().parents[2] / "skills" / "gpugate" / "SKILL.md").read_text(encoding="utf-8")
LIMITS = "version: 1\nrules: [{id: time, metric: step.compute_time, fail: {increase: %s}}]\n"


def follow(command, names, cwd):
    words = [names.get(w, w) for w in command.split()]
    assert words[0] == "gpugate", command
    p = subprocess.run([PROGRAM, *words[1:]], cwd=cwd, capture_output=True, text=True, check=False)
    return p.returncode, p.stdout


def values(value, path):
    """The values at a path such as findings[].title; fails if a member is not there."""
    for part in path.split("."):
        key = part.removesuffix("[]")
        value = [v[key] for v in value]
        value = [e for v in value for e in v] if part.endswith("[]") else value
    return value


def main():
    if not PROGRAM:
        sys.exit(77)
    head, body = re.fullmatch(r"---\n(.*?)\n---\n(.*)", SKILL, re.S).groups()
    assert re.fullmatch(r"name: gpugate\ndescription: .{50,500}", head), head
    assert len(SKILL.split()) <= 250, len(SKILL.split())
    parts = [(re.search(r"```sh\n(.*)\n```", p)[1], re.findall(r"`([a-z_.\[\]]+)`", "".join(l for l in p.splitlines(True) if l.startswith("- "))))
             for p in re.split(r"\n(?:## |Exit)", body) if "```sh" in p]
    assert len(parts) == 2 and all(len(keys) > 8 for _, keys in parts), parts
    seen, codes = set(), set()
    with tempfile.TemporaryDirectory() as dir:
        folder = pathlib.Path(dir)
        generate("trace", folder / "main.json.gz", "--seed", 1, "--steps", 4)
        generate("trace", folder / "new.json.gz", "--seed", 2, "--steps", 4, "--slow-kernel", "*flash_bwd*=1.9")
        subprocess.run([PROGRAM, "approve", "--new", "main.json.gz", "--workload", "w", "--baseline", "b.json"], cwd=folder, check=True, capture_output=True)
        names = {"BASELINE": "b.json", "NAME": "w"}
        for run in ("main.json.gz", "new.json.gz"):
            for command, keys in parts:
                code, out = follow(command, {**names, "RUN": run}, folder)
                codes.add(code)
                result = json.loads(out)
                seen |= {k for k in keys if values([result], k)}
        codes.add(follow(parts[1][0], {**names, "BASELINE": "none.json", "RUN": "main.json.gz"}, folder)[0])
        (folder / "rules.yaml").write_text(LIMITS % "0.1%")
        codes.add(follow(parts[1][0] + " --rules rules.yaml", {**names, "RUN": "new.json.gz"}, folder)[0])
        code, out = follow("gpugate explain step.compute_time", {}, folder)
        assert code == 0 and out.startswith("step.compute_time"), out
    missing = {k for _, keys in parts for k in keys} - seen - {"trust", "warnings"}
    assert not missing, missing
    assert {0, 1, 4} <= codes and all(re.search(rf"\b{c}\b", body) for c in codes | {2, 3, 5}), codes


if __name__ == "__main__":
    main()
