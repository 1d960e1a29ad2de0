#!/usr/bin/env python3
"""`ci/check fast` takes a file that is deleted, and whose deletion is not staged, as gone.

usage: ci_check.py
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUB = '#!/bin/bash\nfor word; do case $word in *.c | ci/*) [[ -e $word ]] || { echo "no $word" >&2; exit 1; } ;; esac; done\n'


def main():
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name) / "repository"
        tools = pathlib.Path(name) / "bin"
        for path, text in {"ci/check": (ROOT / "ci/check").read_text(), "ci/install-deps": "#!/bin/bash\n",
                           "ci/gone": "#!/bin/bash\n", "src/gone.c": "int x;\n", "src/kept.c": "int y;\n"}.items():
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text(text)
            (top / path).chmod(0o755)
        tools.mkdir()
        for tool in ("cmake", "ctest", "clang-format", "shellcheck"):
            (tools / tool).write_text(STUB)
            (tools / tool).chmod(0o755)
        environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", GIT_CONFIG_GLOBAL="/dev/null")
        for words in (["git", "init", "-q"], ["git", "add", "-A"],
                      ["git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"]):
            subprocess.run(words, cwd=top, check=True, env=environment)
        (top / "ci/gone").unlink()
        (top / "src/gone.c").unlink()
        (top / "src/kept.c").write_text("int z;\n")
        done = subprocess.run(["ci/check", "fast"], cwd=top, env=environment, capture_output=True, text=True)
        print("ok" if done.returncode == 0 else f"FAILED: exit {done.returncode}: {done.stderr}")
        return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
