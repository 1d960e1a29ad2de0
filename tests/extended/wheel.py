#!/usr/bin/env python3
"""Checks the wheel that pyproject.toml makes, without network, in virtual environments that have nothing else:

 - it has the program, statically linked, a manylinux tag, and no path of the build folder
 - `gpugate --version` runs, `from gpugate import Recorder` and `from gpugate_record import Recorder` do
 - a test with the fixture `gpu_gate` makes its baseline, passes, and fails with the headline of the finding
 - what cannot be judged (no baseline, a job that was not recorded) fails with the program's error line

Exit 77 skips without $GPUGATE, which is not used: the wheel has a program of its own.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import _root

ROOT = _root.ROOT
PYTHON = "/usr/bin/python3"  # the Python for which the distribution installs setuptools, which builds wheels
ENV = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
       "PYTHONPATH": str(ROOT / "tests/gen/standin"), "SOURCE_DATE_EPOCH": "1767225600", "PYTHONDONTWRITEBYTECODE": "1"}
TESTS = """\
import os

def test_recorded(gpu_gate):
    with gpu_gate.record(steps=5, memory=True, workload="job", keep=os.environ.get("KEEP", "all")) as rec:
        for step in range(int(os.environ.get("STEPS", 14))):
            rec.step()

def test_absent(gpu_gate):
    gpu_gate.check("none.json", workload="job")

def test_figure(gpu_gate):
    said = gpu_gate.check({"tokens_per_s": float(os.environ.get("RATE", 100))}, options=["--rules", "rate.yaml"])
    assert said["verdict"] == "pass"
"""
RULES = "version: 1\nrules:\n  - {id: rate, metric: input.tokens_per_s, fail: {decrease: 5%}}\n"


def run(*words, code=0, env=None, **options):
    p = subprocess.run([str(w) for w in words], env={**ENV, **(env or {})}, capture_output=True, text=True, check=False, **options)
    assert p.returncode == code, f"{' '.join(map(str, words))}: exit {p.returncode}, not {code}:\n{p.stdout}{p.stderr}"
    return p.stdout


def made(dir):
    """Builds the wheel from a copy of the source."""
    source = dir / "gpugate-source"
    _root.copy_source(source)
    run(PYTHON, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", dir, source, env={"PYTHONPATH": ""})
    (wheel,) = dir.glob("*.whl")
    assert wheel.name.endswith(f"-py3-none-manylinux_2_17_{os.uname().machine}.whl"), wheel
    with zipfile.ZipFile(wheel) as file:
        (program,) = [name for name in file.namelist() if name.endswith("/bin/gpugate")]
        assert not [name for name in file.namelist() if "__pycache__" in name]
        content = file.read(program)
    assert b"gpugate-source" not in content, "the path of the source is in the program"
    (dir / "program").write_bytes(content)
    assert "NEEDED" not in run("readelf", "-d", dir / "program")
    changed = [p for p in source.rglob("*") if "egg-info" in p.name]
    assert not changed, changed
    return wheel


def environment(dir, wheel, *options):
    run(PYTHON, "-m", "venv", *options, dir)
    run(dir / "bin/python", "-m", "pip", "install", "--no-deps", wheel)
    return dir / "bin"


def clean(dir, wheel):
    bin = environment(dir / "clean", wheel)
    version = run(bin / "gpugate", "--version", env={"PATH": "/nonexistent"})
    assert version.startswith("gpugate "), version
    say = "import gpugate, gpugate_record; assert gpugate.Recorder is gpugate_record.Recorder; print(gpugate.program())"
    assert run(bin / "python", "-c", say).strip() == str(bin / "gpugate")
    run(bin / "python", "-m", "pip", "uninstall", "-y", "gpugate")
    assert not (bin / "gpugate").exists()


def fixture(dir, wheel):
    bin = environment(dir / "pytest", wheel, "--system-site-packages")
    job = dir / "job"
    job.mkdir()
    (job / "test_gpu.py").write_text(TESTS, encoding="ascii")
    (job / "rate.yaml").write_text(RULES, encoding="ascii")

    def pytest(*words, code=0, **env):
        return run(bin / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", dir / "basetemp", *words, code=code,
                   cwd=job, env=env)

    # Without a baseline the first run fails; then the baselines are made; then runs are compared with them.
    first = pytest("-k", "recorded or figure", code=1)
    assert "baselines/job.json" in first and "baselines/test_figure.json" in first, first
    pytest("-k", "recorded or figure", "--gpugate-bootstrap")
    pytest("-k", "recorded or figure", STANDIN_SEED="2")
    slow = pytest("-k", "recorded", code=1, STANDIN_SEED="2", STANDIN_SLOW="*flash_bwd_dq_dk_dv*=1.6")
    assert "\nfail · job: " in slow and "is slower: " in slow and "µs per launch" in slow, slow
    for verdict, rate in (("undecided", "80"), ("fail", "40")):
        lower = pytest("-k", "figure", code=1, RATE=rate)
        assert f"\n{verdict} · test_figure: " in lower and f"tokens_per_s fell from 100 tok/s to {rate} tok/s" in lower, lower
    # With KEEP=none, the recording keeps no traces: the program in the package turns them into digests. A job that ends before
    # the steps to record are over counts as not recorded.
    pytest("-k", "recorded", KEEP="none", STANDIN_SEED="2")
    early = pytest("-k", "recorded", code=1, STEPS="3")
    assert "run1" in early and "before step" in early, early
    missing = pytest("-k", "absent", code=1)
    assert "none.json" in missing, missing


def main():
    if not os.environ.get("GPUGATE"):
        sys.exit(77)
    have = subprocess.run([PYTHON, "-c", "import setuptools, wheel, pip, ensurepip, pytest"], capture_output=True, check=False).returncode == 0
    if not have or not shutil.which("readelf"):
        sys.exit("wheel.py: pip, venv, setuptools, wheel or pytest of the distribution is missing: ci/install-deps extended")
    with tempfile.TemporaryDirectory(prefix="gpugate-wheel") as name:
        dir = pathlib.Path(name)
        wheel = made(dir)
        for law in (clean, fixture):
            law(dir, wheel)
            print(f"ok {law.__name__}")


if __name__ == "__main__":
    main()
