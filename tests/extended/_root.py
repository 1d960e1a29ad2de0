"""Root file systems of other distributions, for tests that build in them. They are made as root, with mmdebstrap, from the
distribution's own servers; if that is impossible, the test is skipped by name (exit 77)."""
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIRRORS = {"bookworm": "https://deb.debian.org/debian", "noble": "https://archive.ubuntu.com/ubuntu"}


def skip(why):
    print(f"skipped: {pathlib.Path(sys.argv[0]).stem}: {why}")
    sys.exit(77)


def make_root(suite, tar):
    """The smallest root file system of `suite` that has apt, as a tar archive."""
    mirror = MIRRORS[suite]
    if os.geteuid() != 0:
        skip("a root file system takes root")
    if not shutil.which("mmdebstrap"):
        sys.exit("mmdebstrap is missing: ci/install-deps extended")
    try:
        urllib.request.urlopen(f"{mirror}/dists/{suite}/Release", timeout=20).close()
    except (OSError, urllib.error.URLError) as fault:
        skip(f"{mirror} is not to be had: {fault}")
    components = "main universe" if suite == "noble" else "main"
    # This machine may lack the distribution's keys, so that packages are not verified here: the server's certificate is trusted instead.
    # The new root has the keys, so that apt verifies packages there.
    outside, inside = ([f"{how}/ {s} {components}" for s in (suite, f"{suite}-updates")]
                       for how in (f"deb [trusted=yes] {mirror}", f"deb {mirror.replace('https', 'http')}"))
    hook = "printf '%s\\n' " + " ".join(f"'{line}'" for line in inside) + ' >"$1/etc/apt/sources.list"'
    p = subprocess.run(["mmdebstrap", "--variant=minbase", "--include=apt", f"--customize-hook={hook}", suite, str(tar), *outside],
                       capture_output=True, text=True, check=False)
    if p.returncode:
        sys.exit(f"mmdebstrap {suite}: {p.stderr[-3000:]}")


def copy_source(folder):
    """Copies all files of the project: those in version control, and new ones that .gitignore does not name."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
