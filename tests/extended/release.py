#!/usr/bin/env python3
"""Checks ci/release in a temporary repository, without container (container.py) and without .deb (packages.py):

 - there are checksums of all files, and they are right; only the owner may write files of the source archive, all are in one folder, which is named after
   the version
 - the static program needs nothing: as the only file of a root it gates the example; it is hardened
 - the package for rpm has the same files as an installation, and needs no library
 - the same commit gives the same source archive; a tag that is not the version is refused

If $GPUGATE is not set, the test is skipped (exit 77). The program that it names is not used.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import _root

ENV = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "GIT_AUTHOR_DATE": "1767225600 +0000",
       "GIT_COMMITTER_DATE": "1767225600 +0000", "GIT_CONFIG_GLOBAL": "/dev/null"}
WHO = ("-c", "user.name=release", "-c", "user.email=release@example.com")


def run(*words, code=0, **options):
    p = subprocess.run([str(w) for w in words], env=ENV, capture_output=True, text=True, check=False, **options)
    assert p.returncode == code, f"{' '.join(map(str, words))}: exit {p.returncode}, not {code}:\n{p.stdout}{p.stderr}"
    return p.stdout + p.stderr


def checksums(dist):
    lines = dict(reversed(line.split("  ", 1)) for line in (dist / "SHA256SUMS").read_text(encoding="ascii").splitlines())
    files = {p.name for p in dist.iterdir()} - {"SHA256SUMS"}
    assert lines.keys() == files, (lines, files)
    for name, sum in lines.items():
        assert hashlib.sha256((dist / name).read_bytes()).hexdigest() == sum, name
    return files


def source(dist, version):
    archive = dist / f"gpugate-{version}.tar.gz"
    with tarfile.open(archive) as tar:
        assert {m.name.split("/")[0] for m in tar.getmembers()} == {f"gpugate-{version}"}
        assert not [m.name for m in tar.getmembers() if m.mode & 0o022], "others may write what packages install"
    return hashlib.sha256(archive.read_bytes()).hexdigest()


def static(dist, dir, version):
    program = dist / f"gpugate-{version}-linux-{os.uname().machine}"
    headers = run("readelf", "-hlWd", program)
    assert "NEEDED" not in headers and "INTERP" not in headers
    for mark in ("DYN (Position-Independent Executable file)", "GNU_RELRO", "NOW"):
        assert mark in headers, f"not hardened: no {mark}"
    root = dir / "root"
    root.mkdir()
    shutil.copy(program, root / "gpugate")
    shutil.copy(_root.ROOT / "baselines/example.json", root)
    run(sys.executable, _root.ROOT / "tests/gen/trace.py", "--seed", "2", "--out", root / "slow.json.gz", "--slow-kernel", "*flash_bwd_dq_dk_dv*=1.6")
    inside = ["chroot", root] if os.geteuid() == 0 else []
    place = "" if inside else f"{root}"
    assert run(*inside, f"{place}/gpugate", "--version").startswith(f"gpugate {version} ")
    run(*inside, f"{place}/gpugate", "check", f"{place}/slow.json.gz", "--baseline", f"{place}/example.json", "--html", f"{place}/page.html", code=1)


def rpm(dist, version):
    (package,) = dist.glob("*.rpm")
    assert package.name == f"gpugate-{version}-1.{os.uname().machine}.rpm", package
    needs = [line for line in run("rpm", "-qp", "--requires", package).splitlines() if not re.match(r"rpmlib\(|rtld\(|/(usr/)?bin/", line)]
    assert not needs, needs
    files = run("rpm", "-qlp", package).splitlines()
    for name in ("bin/gpugate", "share/man/man1/gpugate-check.1", "share/gpugate/ci/slurm/submit", "share/doc/gpugate/LICENSE"):
        assert f"/usr/{name}" in files, name
    assert not {"/usr", "/usr/bin", "/usr/share", "/usr/share/man/man1", "/usr/share/zsh"} & set(files)
    assert run("rpm", "-qp", "--queryformat", "%{LICENSE}", package) == "Apache-2.0"


def main():
    if not os.environ.get("GPUGATE"):
        sys.exit(77)
    missing = [c for c in ("git", "readelf", "rpm", "rpmbuild", "strip") if not shutil.which(c)]
    if missing:
        sys.exit(f"release.py: {', '.join(missing)}: missing: ci/install-deps extended")
    with tempfile.TemporaryDirectory(prefix="gpugate-release") as name:
        dir = pathlib.Path(name)
        repository = dir / "repository"
        _root.copy_source(repository)
        version = re.search(r"^project\(gpugate VERSION (\S+)", (repository / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
        git = ("git", "-C", repository, *WHO)
        run(*git, "init", "-q")
        run(*git, "add", "-A")
        run(*git, "commit", "-qm", "a version")
        run(*git, "tag", f"v{version}")
        run(repository / "ci/release", "source", "static", "wheel", "rpm")
        dist = repository / "build/dist"
        files = checksums(dist)
        assert len(files) == 4 and [f for f in files if f.endswith(".whl")], files
        first = source(dist, version)
        static(dist, dir, version)
        rpm(dist, version)
        run(repository / "ci/release", "source")
        assert checksums(dist) == {f"gpugate-{version}.tar.gz"} and source(dist, version) == first
        run(*git, "tag", "-d", f"v{version}")
        run(*git, "tag", "v99.0.0")
        assert "tagged v99.0.0" in run(repository / "ci/release", "source", code=1)
        assert "unknown: 'iso'" in run(repository / "ci/release", "iso", code=1)
    print("ok release")


if __name__ == "__main__":
    main()
