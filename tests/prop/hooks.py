#!/usr/bin/env python3
"""`lint` and `baseline verify` take several files, as the hooks of .pre-commit-hooks.yaml call them:

 - all files are checked, and each error names its file; the first error decides the exit code
 - a hook runs only on files of its kind

$GPUGATE is the program; exit 77 skips. tests/extended/hooks.py runs the hooks under pre-commit.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GPUGATE")


def hooks():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    return {k: (entry.split(), files) for k, entry, files in
            re.findall(r"^- id: (\S+)\n(?:  .*\n)*?  entry: gpugate (.*)\n(?:  .*\n)*?  files: (\S+)\n", text, re.M)}


def main():
    if not PROGRAM:
        sys.exit(77)
    known = hooks()
    assert set(known) == {"gpugate-lint", "gpugate-baseline-verify"}, known
    with tempfile.TemporaryDirectory() as folder:
        def run(hook, *files, code):
            p = subprocess.run([PROGRAM, *known[hook][0], *files], cwd=folder, capture_output=True, text=True, check=False,
                               env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"})
            assert p.returncode == code, f"{hook} {files}: exit {p.returncode}, not {code}: {p.stdout}{p.stderr}"
            return p.stdout, p.stderr

        for name in ("a.yaml", "b.yaml"):
            shutil.copy(ROOT / "rules/default.yaml", pathlib.Path(folder, name))
        for name in ("a.json", "b.json"):
            shutil.copy(ROOT / "baselines/example.json", pathlib.Path(folder, name))
        pathlib.Path(folder, "bad.yaml").write_text("version: 1\nrulez: []\n")
        pathlib.Path(folder, "bad.json").write_text("{}\n")

        out, err = run("gpugate-lint", "a.yaml", "b.yaml", code=0)
        assert "'a.yaml': " in out and "'b.yaml': " in out and not err, out + err
        out, err = run("gpugate-lint", "a.yaml", "bad.yaml", "absent.yaml", "b.yaml", code=2)
        assert "'a.yaml': " in out and "'b.yaml': " in out, out
        assert "bad.yaml:2:1: " in err and "absent.yaml" in err, err

        out, err = run("gpugate-baseline-verify", "a.json", "b.json", code=0)
        assert out.count(": sound, ") == 2, out
        assert err and all(re.search(r"warning: '[ab]\.json': ", line) for line in err.splitlines()), err
        out, err = run("gpugate-baseline-verify", "a.json", "bad.json", "absent.json", "b.json", code=4)
        assert out.count(": sound, ") == 2 and "bad.json" in err and "'absent.json': no baseline there" in err, out + err
        _, err = run("gpugate-baseline-verify", "a.json", "--baseline", "b.json", code=2)
        assert "not both" in err, err

    def taken(hook):
        paths = ("rules/gpugate.yaml", "a/rules/gpugate-nightly.yml", "rules/default.yaml", ".github/workflows/gpugate.yml",
                 "baselines/resnet50.json", "a/baselines/gpu/x.json", "package.json")
        return {p for p in paths if re.search(known[hook][1], p)}
    assert taken("gpugate-lint") == {"rules/gpugate.yaml", "a/rules/gpugate-nightly.yml"}
    assert taken("gpugate-baseline-verify") == {"baselines/resnet50.json", "a/baselines/gpu/x.json"}


if __name__ == "__main__":
    main()
