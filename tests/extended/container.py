#!/usr/bin/env python3
"""Checks the Containerfile, built with buildah on a bare Debian 12 instead of the named image (with the same packages):

 - the build stage needs no pkg-config; the package installs with its dependencies
 - the image runs gpugate as a user without rights, gates the example, and has what the scripts of ci/ call

If $GPUGATE is not set, or without root, the test is skipped (exit 77). The program that it names is not used.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import _root

BASE = "docker.io/library/debian:12-slim"


def main():
    if not os.environ.get("GPUGATE"):
        sys.exit(77)
    if not shutil.which("buildah"):
        sys.exit("container.py: buildah is missing: ci/install-deps extended")
    with tempfile.TemporaryDirectory(prefix="gpugate-container") as name:
        dir = pathlib.Path(name)

        def buildah(*words, code=0):
            p = subprocess.run(["buildah", "--root", dir / "storage", "--runroot", dir / "run", "--storage-driver", "vfs", *map(str, words)],
                               env={"PATH": os.environ["PATH"], "HOME": name}, capture_output=True, text=True, check=False)
            assert p.returncode == code, f"{words}: exit {p.returncode}, not {code}: {p.stdout[-3000:]}{p.stderr[-3000:]}"
            return p.stdout.strip()

        _root.make_root("bookworm", dir / "root.tar")
        base = buildah("from", "scratch")
        buildah("add", base, dir / "root.tar", "/")
        buildah("commit", "--rm", base, BASE)
        (dir / "root.tar").unlink()
        _root.copy_source(dir / "source")
        buildah("bud", "--isolation", "chroot", "--pull-never", "-t", "gpugate", "-f", dir / "source/Containerfile", dir / "source")

        config = json.loads(buildah("inspect", "--type", "image", "localhost/gpugate"))["OCIv1"]["config"]
        assert (config["Entrypoint"], config["User"], config["WorkingDir"]) == (["gpugate"], "gpugate", "/work"), config
        image = buildah("from", "--pull-never", "localhost/gpugate")

        def inside(*words, code=0):
            return buildah("run", "--isolation", "chroot", image, "--", *words, code=code)
        assert inside("gpugate", "--version").startswith("gpugate ")
        assert inside("sh", "-c", "id -un; test ! -w /usr && git --version && curl --version && jq --version").startswith("gpugate\n")
        assert inside("sh", "-c", "command -v gcc cmake pkg-config || echo none") == "none"
        subprocess.run([sys.executable, _root.ROOT / "tests/gen/trace.py", "--seed", "2", "--out", dir / "candidate.json.gz",
                        "--slow-kernel", "*flash_bwd_dq_dk_dv*=1.6"], check=True)
        for file in (dir / "candidate.json.gz", _root.ROOT / "baselines/example.json"):
            buildah("copy", image, file, "/work/")
        inside("gpugate", "check", "candidate.json.gz", "--baseline", "example.json", code=1)
        buildah("rm", "--all")
        buildah("rmi", "--all", "--force")
    print("ok container")


if __name__ == "__main__":
    main()
