#!/usr/bin/env python3
"""What a user has to read does not grow unnoticed: words of README.md and docs/, of `--help` and `explain`, entries of the glossary, commands, and
options that help shows.

A word is what `wc -w` counts. A line that `--help` of several commands prints counts once, and so does one of `explain` of several metrics or rules. What
`explain` says of words is docs/glossary.md.

usage: surface.py      ($GPUGATE is the program; exit 77 skips)
A limit that is in the way: first look for what is told twice.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIMITS = {"words of README.md": 1200, "words of docs/": 18500, "words of README.md, docs/, --help and explain": 24000, "entries of docs/glossary.md": 35,
          "commands": 12, "options of check": 24, "options": 42}


def words(lines):
    return sum(len(line.split()) for line in lines)


def main():
    program = os.environ.get("GPUGATE")
    if not program:
        sys.exit(77)

    def lines(*args):
        return subprocess.run([program, *args], check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "1000"}).stdout.splitlines()
    usage = lines("--help")
    commands = re.findall(r"^  ([a-z]+(?: [a-z]+)?)(?: .*?)?  +\S", "\n".join(usage).split("exit codes")[0], re.M)
    helps = {command: lines(command, "--help") for command in commands}
    told = {line for text in helps.values() for line in text} | set(usage)
    options = {command: set(re.findall(r"^  (--[a-z-]+)", "\n".join(text), re.M)) for command, text in helps.items()}
    explained = {line.split()[0] for line in lines("explain")[2:] if "*" not in line}
    explained |= set(re.findall(r"^ +- id: (\S+)", (ROOT / "rules" / "default.yaml").read_text(encoding="utf-8"), re.M))
    said = {line for word in explained for line in lines("explain", word)}
    readme, docs = (words(text.read_text(encoding="utf-8") for text in pages) for pages in ([ROOT / "README.md"], sorted((ROOT / "docs").glob("*.md"))))
    glossary = len(re.findall(r"^### ", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.M))
    wrong = False
    for (what, limit), have in zip(LIMITS.items(), (readme, docs, readme + docs + words(told) + words(said), glossary, len(commands),
                                            len(options["check"]), len(set().union(*options.values())))):
        print(f"{have:6,} {what}, at most {limit:,}{'' if have <= limit else ': TOO MANY'}")
        wrong |= have > limit
    print(f"{words(told):6,} of them --help, {words(said):,} explain of {len(explained)} metrics and rules")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
