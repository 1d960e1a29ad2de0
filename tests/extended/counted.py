#!/usr/bin/env python3
"""gpugate gates gpugate: ci/bench --counted counts instructions and memory of the program and of its merge base with main, and
the check of the one against the other passes. $GPUGATE is the program, a release build; exit 77 skips without valgrind or main."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    main_is_there = subprocess.run(["git", "-C", ROOT, "rev-parse", "-q", "--verify", "main^"], capture_output=True, check=False).returncode == 0
    if not shutil.which("valgrind") or not main_is_there:
        print("skipped: no valgrind, or no history of main")
        return 77
    with tempfile.TemporaryDirectory() as dir:
        return subprocess.run([sys.executable, ROOT / "ci/bench", "--counted", "--gpugate", os.environ["GPUGATE"], "--work", dir], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
