#!/usr/bin/env python3
"""Checks on a bare Ubuntu 24.04 that ci/quickstart installs what is missing, builds without a warning and without
pkg-config, and finds the planted regression. (container.py builds on a bare Debian 12.)

If $GPUGATE is not set, the test is skipped (exit 77). The program that it names is not used.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import _root


def main():
    if not os.environ.get("GPUGATE"):
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="gpugate-ubuntu") as name:
        dir = pathlib.Path(name)
        root = dir / "root"
        _root.make_root("noble", dir / "root.tar")
        root.mkdir()
        subprocess.run(["tar", "-C", root, "-xf", dir / "root.tar", "--exclude=./dev"], check=True)
        (root / "dev").mkdir(exist_ok=True)
        for node, minor in (("null", 3), ("urandom", 9)):
            os.mknod(root / "dev" / node, 0o20666, os.makedev(1, minor))
            os.chmod(root / "dev" / node, 0o666)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        _root.copy_source(root / "src")
        p = subprocess.run(["chroot", root, "bash", "-c", "cd /src && ci/quickstart && ! command -v pkg-config pkgconf"],
                           env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, capture_output=True, text=True, check=False)
        assert p.returncode == 0, p.stdout + p.stderr
        assert "The gate works" in p.stdout, p.stdout
        log = (root / "src/build/quickstart.log").read_text()
        assert "warning:" not in log, log
    print("ok ubuntu")


if __name__ == "__main__":
    main()
