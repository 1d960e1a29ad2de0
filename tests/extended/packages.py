#!/usr/bin/env python3
"""Checks the build of docs/install.md, the files that it installs, and the packages that cpack makes:

 - an installation below a prefix and one below DESTDIR have the same files, and write nothing elsewhere; the program has no
   RPATH, and no file contains a path of the build
 - the .deb has no error or warning of lintian, its program is hardened, its libraries are dependencies
 - the program that the .deb unpacks to runs and gates the example, and its manual page is one that `man` renders
 - the .tar.gz has one folder, whose program runs from any place

Exit 77 skips without $GPUGATE, which is not used: this test builds a program of its own.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import _root

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENV = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"}
# Places where users of a distribution expect the files.
WANTED = ("bin/gpugate", "share/man/man1/gpugate-check.1", "share/bash-completion/completions/gpugate",
          "share/fish/vendor_completions.d/gpugate.fish", "share/doc/gpugate/README.md", "share/doc/gpugate/docs/install.md",
          "share/gpugate/rules/default.yaml", "share/gpugate/rules/categories.yaml", "share/gpugate/schemas/gpugate-rules-1.json",
          "share/gpugate/ci/slurm/submit", "share/gpugate/ci/kubernetes/check.yaml", "share/gpugate/ci/github/post/action.yml",
          "share/gpugate/ci/gitlab/pipeline.yml", "share/gpugate/ci/record/gpugate_record.py")
SOURCE = "gpugate-source-"  # prefix of the name of the folder in which a copy of the source is built; no package may contain it


def run(*words, code=0, **options):
    p = subprocess.run([str(w) for w in words], env={**ENV, **options.pop("env", {})}, capture_output=True, text=True, check=False, **options)
    assert p.returncode == code, f"{' '.join(map(str, words))}: exit {p.returncode}, not {code}:\n{p.stdout}{p.stderr}"
    return p.stdout


def files(folder):
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir()}


def has(have, suffix=".1"):
    missing = {w.removesuffix(".1") + suffix if w.endswith(".1") else w for w in WANTED} - have
    assert not missing, f"not installed: {missing}"
    assert not [f for f in have if "__pycache__" in f or f.startswith("share/gpugate/ci/test")], have


def works(program):
    """Check that the installed program runs and gates, and does not contain the path of its build."""
    assert run(program, "--version").startswith("gpugate ")
    for word in ("RPATH", "RUNPATH"):
        assert word not in run("readelf", "-d", program)
    assert SOURCE.encode() not in program.read_bytes(), "the path of the source is in the program"
    with tempfile.TemporaryDirectory() as folder:
        candidate = pathlib.Path(folder, "candidate.json.gz")
        run(sys.executable, ROOT / "tests/gen/trace.py", "--seed", "2", "--out", candidate, "--slow-kernel", "*flash_bwd_dq_dk_dv*=1.6")
        run(program, "check", candidate, "--baseline", ROOT / "baselines/example.json", code=1, cwd=folder)


def built(source, dir):
    """Runs the commands of the page in a copy of the source; files are installed below dir/page."""
    _root.copy_source(source)
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    block = re.search(r"^```\n(ci/install-deps build\n.*?)^```$", page, re.M | re.S)[1]
    for command in block.splitlines():
        run("bash", "-euc", command.replace("sudo ", ""), cwd=source,
            env={"DESTDIR": str(dir / "page"), "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count())})
    return source / "build"


def installed(build, dir):
    run("cmake", "--install", build, "--prefix", dir / "prefix")
    have = files(dir / "prefix")
    has(have)
    works(dir / "prefix/bin/gpugate")
    run("cmake", "--install", build, env={"DESTDIR": str(dir / "dest")})
    assert files(dir / "dest") == files(dir / "page") == {f"usr/local/{f}" for f in have}
    assert (dir / "prefix/share/gpugate/ci/slurm/submit").stat().st_mode & 0o111


def debian(build, dir):
    (deb,) = build.glob("gpugate_*.deb")
    lint = run("lintian", *(["--allow-root"] if os.geteuid() == 0 else []), "--fail-on", "error,warning", deb)
    assert not lint, lint
    depends = run("dpkg-deb", "-f", deb, "Depends")
    inflate = ["libisal2"] if "ISA-L" in run(build / "gpugate", "--version") else []
    for library in ("libc6", "libjson-c", "libyaml-0", "zlib1g", *inflate):
        assert library in depends, depends
    root = dir / "root"
    run("dpkg-deb", "-x", deb, root)
    have = files(root / "usr")
    has(have, ".1.gz")
    assert {"share/zsh/vendor-completions/_gpugate", "share/doc/gpugate/copyright", "share/doc/gpugate/changelog.gz"} <= have
    program = root / "usr/bin/gpugate"
    works(program)
    headers = run("readelf", "-hlWd", program)
    for mark in ("DYN (Position-Independent Executable file)", "GNU_RELRO", "NOW"):
        assert mark in headers, f"not hardened: no {mark}"
    symbols = run("readelf", "--dyn-syms", "-W", program)
    assert "__stack_chk_fail" in symbols and re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")), "not hardened"
    for page in sorted((root / "usr/share/man/man1").iterdir()):
        name = page.name.removesuffix(".1.gz")
        assert f"{name} - " in re.sub(r"–|—", "-", run("man", "-l", page, env={"MANWIDTH": "80"})), name


def archive(build, dir):
    (name,) = build.glob("gpugate-*.tar.gz")
    with tarfile.open(name) as tar:
        members = tar.getmembers()
        assert {m.name.split("/")[0] for m in members} == {name.name.removesuffix(".tar.gz")}, members
        assert not [m for m in members if m.name.startswith("/") or ".." in m.name]
    run("tar", "-C", dir, "-xzf", name)
    top = dir / name.name.removesuffix(".tar.gz")
    has(files(top))
    assert "share/zsh/site-functions/_gpugate" in files(top)
    works(top / "bin/gpugate")


def main():
    if not os.environ.get("GPUGATE"):
        sys.exit(77)
    missing = [c for c in ("dpkg-shlibdeps", "file", "lintian", "man", "readelf") if not shutil.which(c)]
    if missing:
        sys.exit(f"packages.py: {', '.join(missing)}: missing: ci/install-deps extended")
    with tempfile.TemporaryDirectory(prefix="gpugate-packages") as name, tempfile.TemporaryDirectory(prefix=SOURCE) as source:
        dir = pathlib.Path(name)
        build = built(pathlib.Path(source), dir)
        os.umask(0o077)     # this umask must have no effect on the modes of packaged files
        run("cpack", cwd=build)
        os.umask(0o022)
        for law in (installed, debian, archive):
            law(build, dir)
            print(f"ok {law.__name__}")


if __name__ == "__main__":
    main()
