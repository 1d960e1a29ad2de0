#!/usr/bin/env python3
"""The README's table of figures is what `gpugate metrics` prints; readme.py --update rewrites it."""
import os
import pathlib
import re
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
BEGIN, END = "<!-- metrics: begin -->\n", "<!-- metrics: end -->"


def table(program):
    text = subprocess.run([program, "metrics"], check=True, capture_output=True, text=True).stdout
    rows = ["| metric | unit | worse when | meaning |", "|---|---|---|---|"]
    for line in text.splitlines()[1:]:
        name, unit, worse, _, meaning = re.split(r" +", line, maxsplit=4)
        rows.append(f"| `{name}` | {unit} | {worse} | {meaning} |")
    return "\n".join(rows) + "\n"


def main():
    program = os.environ.get("GPUGATE")
    if not program:
        sys.exit(77)
    text = README.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    old, tail = rest.split(END)
    new = table(program)
    if "--update" in sys.argv:
        README.write_text(head + BEGIN + new + END + tail, encoding="utf-8")
    elif old != new:
        sys.exit("README.md: the table of figures is out of date: run tests/prop/readme.py --update")


if __name__ == "__main__":
    main()
