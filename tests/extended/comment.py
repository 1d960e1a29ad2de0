#!/usr/bin/env python3
"""Checks the Markdown comment of a pull request as GitHub shows it: rendered by cmark-gfm, under the stylesheet of
github-markdown-css, in Chromium, at the width of a comment and on a telephone, in both themes.

 - nothing is clipped, whether parts are collapsed or expanded: no table, code span or line is wider than the comment. This is
   checked for every kind of report, also with names of 300 characters
 - the comment on one finding, before anything is expanded, is at most 450 pixels high if it is 830 pixels wide

usage: comment.py [SCREENSHOTS]     (a folder for pictures)
$GPUGATE is the program; without it the test is skipped (exit 77). Needs npm, and its registry once.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from _browser import Browser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "prop"))
from _gen import generate  # noqa: E402

PROGRAM = os.environ.get("GPUGATE")
RENDER = "cmark-gfm --unsafe -e table -e autolink -e strikethrough -e tasklist".split()
COMMENT, TELEPHONE = 830, 400
HIGHEST = 450  # pixels: as many as what is judged, and what would confirm it, need with paths of some length

# Elements whose content is cut off, or must be scrolled: they are narrower than their content.
CLIPPED = """
const wrong = [];
for (const e of document.querySelectorAll('.markdown-body, .markdown-body *')) {
  if (!e.checkVisibility()) continue;
  const style = getComputedStyle(e);  // tables and commands may be pushed about in their own frames on a telephone
  if (['TABLE', 'PRE'].includes(e.tagName) && style.overflowX === 'auto' && innerWidth <= 400) continue;
  if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth && style.display !== 'inline')
    wrong.push(e.tagName + ' ' + e.clientWidth + ' of ' + e.scrollWidth + ': ' + e.textContent.trim().slice(0, 60));
}
return wrong;
"""


def run(*args, expect=0):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False)
    assert p.returncode == expect, f"exit {p.returncode}, not {expect}: {args}\n{p.stdout}{p.stderr}"


def make(tool, out, *options, seed=1):
    return generate(tool, out, "--seed", seed, *options)


def comments(dir):
    """Makes the comments to check, {name: path of the Markdown}: one for every kind of report, and some with long names."""
    out = {}

    def of(name, *args, expect=1):
        out[name] = dir / f"{name}.md"
        run(*args, "--markdown", out[name], expect=expect)

    base = make("trace", dir / "base.json.gz", "--steps", 6)
    slow = make("trace", dir / "slow.json.gz", "--steps", 6, "--slow-kernel", "*flash_bwd*=1.4", seed=2)
    several = make("trace", dir / "several.json.gz", "--steps", 6, "--slow-kernel", "*norm*=1.5", "--slow-kernel", "*gemm*=1.2", seed=2)
    long = make("trace", dir / "long.json.gz", "--steps", 6, "--long-name", 300, "--hostile-names", "--slow-kernel", "*=1.2", seed=2)
    uniform = make("trace", dir / "uniform.json.gz", "--steps", 6, "--slow-kernel", "*=1.3", seed=2)
    run("approve", "--new", base, "--baseline", dir / "b.json")
    for name, trace in (("one", slow), ("several", several), ("long", long), ("uniform", uniform)):
        of(name, "check", trace, "--baseline", dir / "b.json")
    of("pass", "check", base, "--baseline", dir / "b.json", expect=0)
    of("first", "check", base, "--baseline", dir / "none.json", expect=4)
    for name, options in (("ranks-base", ()), ("ranks", ("--slow-rank", "2=1.3"))):
        make("ranks", dir / name, "--ranks", 4, "--steps", 6, *options)
    run("approve", "--new", dir / "ranks-base", "--baseline", dir / "r.json")
    of("ranks", "check", dir / "ranks", "--baseline", dir / "r.json")
    run("approve", "--new", make("snapshot", dir / "m.json.gz"), "--baseline", dir / "m.json")
    of("leak", "check", make("snapshot", dir / "leak.json.gz", "--leak", 8 << 20, seed=2), "--baseline", dir / "m.json")
    of("diff", "diff", base, long, expect=0)
    of("report", "report", long, expect=0)
    (dir / "suite.yaml").write_text("version: 1\ncases:\n" + "".join(
        f"  - {{workload: {trace.name[:-8]}-{'x' * 40}, runs: {trace}, baseline: {dir / 'b.json'}}}\n" for trace in (base, slow, long)))
    of("suite", "suite", dir / "suite.yaml")
    run("approve", "--new", base, "--baseline", dir / "h.json", "--commit", "1a2b3c4")
    for i in range(20):
        fast = () if i < 10 else ("--slow-kernel", "*=1.2")
        run("store", make("trace", dir / "h.json.gz", "--steps", 4, "--long-name", 200, *fast, seed=i + 2), "--baseline", dir / "h.json")
    of("history", "history", "--baseline", dir / "h.json", expect=0)
    return out


def page(dir, name, markdown):
    body = subprocess.run(RENDER, input=markdown.read_text(), capture_output=True, text=True, check=True).stdout
    css = (dir / "node_modules/github-markdown-css/github-markdown.css").read_text()
    out = dir / f"{name}.html"
    out.write_text(f'<!DOCTYPE html><meta charset="utf-8"><style>{css}\nbody {{ margin: 0 }}</style>'
                   f'<article class="markdown-body">{body}</article>', encoding="utf-8")
    return out


def look(browser, dir, folder):
    wrong = []
    for name, markdown in comments(dir).items():
        browser.open(page(dir, name, markdown))
        for width in (COMMENT, TELEPHONE):
            for theme in ("light", "dark"):
                browser.look(width, theme)
                if folder:
                    browser.picture(folder / f"comment-{name}-{width}-{theme}.png")
            wrong += [(name, width, what) for what in browser.js(CLIPPED)]
            if width == COMMENT:
                browser.js("document.querySelectorAll('details').forEach(d => d.open = true)")
                wrong += [(name, "unfolded", what) for what in browser.js(CLIPPED)]
                browser.js("document.querySelectorAll('details').forEach(d => d.open = false)")
            px = browser.js("return Math.ceil(document.querySelector('.markdown-body').getBoundingClientRect().height)")
            if name in ("one", "ranks") and width == COMMENT and px > HIGHEST:
                wrong.append((name, width, f"{px} pixels high"))
    assert not wrong, "\n".join(map(str, wrong))


def main():
    if not PROGRAM or not shutil.which("cmark-gfm"):
        sys.exit(77)
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        p = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir,
                            "github-markdown-css"], capture_output=True, text=True, check=False)
        if p.returncode:
            sys.exit(f"comment.py: npm cannot install github-markdown-css:\n{p.stdout}{p.stderr}")
        browser = Browser(dir)
        try:
            look(browser, dir, folder)
        finally:
            browser.close()


main()
