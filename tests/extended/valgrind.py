#!/usr/bin/env python3
"""Runs the command lines of tests/golden under valgrind: no invalid or uninitialized read, no memory leak.

$GPUGATE is the program, built without sanitizers; exit 77 skips without it.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "run"
PROGRAM = os.environ.get("GPUGATE")
CASES = ("check_fail", "exit_input", "memory", "openmetrics", "ranks", "report_run", "runs", "waived")
# Reports of valgrind go to files, so that the program's own output can be compared.
WRAPPER = """#!/bin/sh
exec valgrind -q --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=99 \\
    --log-file="{folder}/%p" "{program}" "$@"
"""


def main():
    if not PROGRAM:
        print("skipped: $GPUGATE is not set")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrapper = folder / "gpugate"
        wrapper.write_text(WRAPPER.format(folder=folder, program=os.path.abspath(PROGRAM)))
        wrapper.chmod(0o755)
        p = subprocess.run([sys.executable, GOLDEN, *CASES], env={**os.environ, "GPUGATE": str(wrapper)}, check=False)
        logs = [f for f in folder.iterdir() if f != wrapper]
        found = "".join(f.read_text(errors="replace") for f in logs)
        print(found, f"{len(logs)} runs of the program", sep="")
        sys.exit(p.returncode != 0 or found != "" or not logs)


main()
