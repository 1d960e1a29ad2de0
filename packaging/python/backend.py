"""Build backend (PEP 517) of the wheel. Builds the static program with CMake, lays it and the modules into a folder
and has setuptools make the wheel of that: what setuptools writes beside its input does not come into the source.

Setting of the build: program=FILE, a static program that is there already.
"""
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

from setuptools import build_meta

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / "packaging/python/gpugate"
# A static program needs no glibc, so the oldest that installers know will do (PEP 600).
PLATFORM = f"manylinux_2_17_{platform.machine()}"


class UnsupportedOperation(Exception):
    """Where a hook of PEP 517 has nothing to do."""


def build_sdist(_directory, _settings=None):
    raise UnsupportedOperation("the source archive is what ci/release makes of the repository")


def _built():
    """The program, built below build/wheel."""
    build = ROOT / "build/wheel"
    run = ["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release", "-DGPUGATE_LTO=ON", "-DGPUGATE_STATIC=ON",
           "-DBUILD_TESTING=OFF"]
    subprocess.run(run, check=True)
    subprocess.run(["cmake", "--build", str(build), "--parallel", str(os.cpu_count()), "--target", "gpugate"], check=True)
    return build / "gpugate"


def _lay(stage, program):
    """All that pyproject.toml names, below `stage`."""
    for name in ("pyproject.toml", "README.md", "LICENSE", "ci/record/gpugate_record.py"):
        shutil.copy(ROOT / name, stage)
    shutil.copytree(MODULES, stage / "gpugate", ignore=shutil.ignore_patterns("__pycache__"))
    version = re.search(r"^project\(gpugate VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
    (stage / "VERSION").write_text(version + "\n", encoding="ascii")
    (stage / "setup.cfg").write_text(f"[bdist_wheel]\nplat_name = {PLATFORM}\n", encoding="ascii")
    (stage / "bin").mkdir()
    subprocess.run(["strip", "-o", str(stage / "bin/gpugate"), str(program)], check=True)
    (stage / "bin/gpugate").chmod(0o755)


def build_wheel(directory, settings=None, _metadata=None):
    directory = os.path.abspath(directory)
    program = pathlib.Path((settings or {}).get("program") or _built()).resolve()
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="gpugate-wheel-") as stage:
        _lay(pathlib.Path(stage), program)
        os.chdir(stage)
        try:
            return build_meta.build_wheel(directory)
        finally:
            os.chdir(before)
