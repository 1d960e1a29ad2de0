#!/usr/bin/env python3
"""Output fits the terminal, and names of kernels are distinguishable.

 - lines of check, diff, report and metrics have at most 60, 80 or 132 columns, for generated runs and, with
   $GPUGATE_SHARED, for three pairs of recordings, or all neighboring pairs with ALL_CASES
 - a check that finds one cause needs at most 40 lines
 - FORCE_COLOR and CLICOLOR_FORCE give colors also in files; NO_COLOR and --color never prevent colors
 - no two kernels of a recording have the same display name, and half of the names have at most 40 characters

$GPUGATE is the program; without it, exit 77 skips.
"""
import html
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import unicodedata

from _gen import generate
from _part import ALL

PROGRAM, SHARED = os.environ.get("GPUGATE"), os.environ.get("GPUGATE_SHARED")
PAIRS = (("hta-diff-control-a100-rank3of8.json.gz", "hta-diff-test-v100-rank1of2.json.gz"),
         ("resnet50-v100-nw0-session1.pt.trace.json.gz", "resnet50-v100-nw0-session2.pt.trace.json.gz"),
         ("norm-test-mi300x-run1.json.gz", "norm-test-mi300x-run2.json.gz"))


def run(*args, **env):
    clean = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")}
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False,
                       env={**clean, "SOURCE_DATE_EPOCH": "1767225600", **env})
    assert p.returncode in (0, 1, 3), f"{args}: exit {p.returncode}: {p.stderr.decode()}"
    return p.stdout.decode("utf-8")


def width(line):
    return sum(0 if unicodedata.combining(c) else 1 for c in line)


def fits(*args, widths=(60, 80, 132)):
    for columns in widths:
        for line in run(*args, COLUMNS=str(columns)).splitlines():
            # words that people copy are not broken
            assert width(line) <= columns or "'" in line or "/" in line and " " not in line.strip().removeprefix("--new ").rstrip("\\").strip(), (args, columns, line)


def pair(dir, a, b, **options):
    run("approve", "--new", a, "--baseline", dir / "base.json", "--force")
    check = "check", b, "--baseline", dir / "base.json", "--ignore-environment"
    for args in (check, (*check, "--verbose"), ("diff", a, b), ("diff", a, b, "--verbose"), ("report", b), ("metrics", b)):
        fits(*args, **options)


def every_pair(dir):
    """Pairs of each readable recording with the next one."""
    def is_run(path):
        return subprocess.run([PROGRAM, "digest", path, "--output", dir / "digest"], capture_output=True, check=False).returncode == 0
    files = [p for p in sorted(pathlib.Path(SHARED, "data").rglob("*")) if re.search(r"\.(json|gz|sqlite|pb|pickle)$", p.name) and is_run(p)]
    for a, b in zip(files, files[1:]):
        pair(dir, a, b, widths=(80,))
    print(f"ok   {len(files) - 1} pairs at 80 columns", flush=True)


def colors(a):
    assert "\033[" not in run("report", a)
    assert "\033[" in run("report", a, FORCE_COLOR="1") and "\033[" in run("report", a, CLICOLOR_FORCE="1")
    assert "\033[" not in run("report", a, FORCE_COLOR="1", NO_COLOR="1")
    assert "\033[" not in run("report", a, "--color", "never", FORCE_COLOR="1")


def names(dir, trace):
    """Names of kernels as a page shows them: complete, or short and expandable. No two kernels are shown alike."""
    run("diff", trace, trace, "--html", dir / "page.html")
    page = (dir / "page.html").read_text(encoding="utf-8")
    rows = re.search('<section id="kernels".*?(?=<details class="more" id=|</section>)', page, re.S)
    shown = {}
    for cell in re.findall('<td class="n">(.*?)</td>', rows[0], re.S) if rows else ():
        short = re.match('<details class="name"><summary>(.*?)</summary><code>(.*?)</code>', cell, re.S)
        plain = re.match("<code>(.*?)</code>", cell, re.S)
        if short or plain:
            shown.setdefault(short[1] if short else plain[1], set()).add(short[2] if short else plain[1])
    alike = {k: v for k, v in shown.items() if len(v) > 1}
    assert not alike, (trace, alike)
    return list(shown)


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        for file, options in (("a", ()), ("b", ("--slow-kernel", "*flash_bwd*=1.4", "--new-kernel", "an::other<int>(float)=70"))):
            generate("trace", dir / f"{file}.json.gz", "--steps", 3, "--seed", 1, *options)
        pair(dir, dir / "a.json.gz", dir / "b.json.gz")
        colors(dir / "a.json.gz")
        told = run("check", dir / "b.json.gz", "--baseline", dir / "base.json", COLUMNS="80").splitlines()
        assert len(told) <= 40, told
        print("ok   made runs")
        if not SHARED or not pathlib.Path(SHARED, "data", "traces").is_dir():
            print("skipped: recordings: needs $GPUGATE_SHARED")
            return 0
        traces = pathlib.Path(SHARED, "data", "traces")
        for a, b in PAIRS:
            pair(dir, traces / a, traces / b)
            print(f"ok   {a} and {b}", flush=True)
        if ALL:
            every_pair(dir)
        every = []
        for a, b in PAIRS:
            for trace in (a, b):
                every += names(dir, traces / trace)
        half = statistics.median(len(html.unescape(n)) for n in every)
        assert half <= 40, half
        print(f"ok   {len(every)} names of kernels, half of them at most {half} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
