#!/usr/bin/env python3
"""Checks the pages of --html with parsers, without a browser (tests/extended/browser.py uses one).

 - the policy allows the page's own style sheet and script by their hashes, and nothing else; there is no style attribute,
   no handler, no address of another server
 - elements nest and close; each row of a table has as many cells as the head; each picture has a text alternative
 - a page has the same bytes whatever the locale, the time zone and the number of threads
 - pages are bounded: for two thousand kernels and for long runs they have rows and points up to the limits, and say how many
   are left out

$GPUGATE is the program; without it the test is skipped (exit 77).
"""
import base64
import gzip
import hashlib
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
VOID = {"meta", "br", "path", "rect", "wbr"}
HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</style>", "</td></table>", "' onload='x"]


class Page(html.parser.HTMLParser):
    """Reports elements that do not nest, and collects what the checks need."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.policy, self.inline, self.rows, self.points = [], None, {}, [], []
        self.feed(text)
        self.close()
        assert not self.stack, self.stack

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        assert len(a) == len(attrs), attrs
        assert not any(k.startswith("on") or k in ("style", "src", "action") for k in a), (tag, attrs)
        assert a.get("href", "#").startswith("#"), attrs
        if a.get("http-equiv"):
            self.policy = a["content"]
        if tag == "table":
            self.rows.append([])
        elif tag == "tr":
            self.rows[-1].append(0)
        elif tag in ("td", "th"):
            self.rows[-1][-1] += 1
        elif tag == "path":
            self.points.append(len(re.findall("[ML]", a["d"])))
        elif tag == "svg" and a.get("aria-hidden") != "true" and "svg" not in self.stack:
            assert a["role"] == "img" and len(a["aria-labelledby"].split()) == 2, attrs
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in VOID, tag
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.stack and self.stack.pop() == tag, (tag, self.stack)

    def handle_data(self, data):
        if self.stack and self.stack[-1] in ("style", "script"):
            self.inline[self.stack[-1]] = data


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def parse(path):
    text = path.read_bytes().decode("utf-8")
    assert not re.search(r"https?:|//[a-z]|url\(|@import", text), re.search(r".{40}(https?:|//[a-z]|url\(|@import).{40}", text)
    page = Page(text)
    assert page.policy == ("default-src 'none'; base-uri 'none'; form-action 'none'; "
                           f"style-src 'sha256-{digest(page.inline['style'])}'; "
                           f"script-src 'sha256-{digest(page.inline['script'])}'"), page.policy
    for table in page.rows:
        assert len(set(table)) == 1 and len(table) <= 501, table
    assert all(n <= 501 for n in page.points), max(page.points)
    return text, page


def run(*args, expect=0, **env):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False,
                       env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600", **env})
    assert p.returncode == expect, f"exit {p.returncode}, not {expect}: {args}\n{p.stdout}{p.stderr}"


def make(tool, out, *options, seed=1):
    return generate(tool, out, "--seed", seed, *options)


def sides(dir):
    for name, trace, snapshot in (("a", (), ()), ("b", ("--slow-kernel", "*flash_bwd*=1.4"), ("--leak", 8 << 20))):
        (dir / name).mkdir()
        make("trace", dir / name / "t.json.gz", "--steps", 4, *trace)
        make("snapshot", dir / name / "s.json.gz", "--steps", 4, "--peak", 500, *snapshot)
    run("approve", "--new", dir / "a", "--baseline", dir / "a.json")
    return [(("check", dir / "b", "--baseline", dir / "a.json"), 1), (("check", dir / "a", "--baseline", dir / "a.json"), 0),
            (("diff", dir / "a", dir / "b"), 0), (("report", dir / "b"), 0),
            (("check", dir / "b", "--baseline", dir / "no&<b>.json"), 4), (("report", dir / "no"), 3),
            (("check", dir / "b", "--rules", dir / "no.yaml"), 2)]


def every_kind(dir):
    for args, code in sides(dir):
        pages = []
        for env in ({"LC_ALL": "C", "TZ": "UTC"}, {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Kathmandu"}):
            out = dir / f"page{len(pages)}.html"
            run(*args, "--html", out, "--jobs", 1 + 3 * len(pages), expect=code, **env)
            pages.append(parse(out)[0])
        assert pages[0] == pages[1], args
        if code in (0, 1):
            assert "<figure" in pages[0] and "<desc" in pages[0], args
            assert "no levels over time" not in pages[0], args
            both = args[0] in ("check", "diff")
            assert ("allocated, baseline" in pages[0]) == ("fragmentation, baseline" in pages[0]) == both, args


def event(name, ts, **args):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": 1.0,
            "args": {"device": 0, "stream": 7, **args}}


def bounded(dir):
    """A run with very many kernels, some with hostile names, and more steps than a chart has points."""
    many = [event(f"{HOSTILE[i % 5]} {i}", 10.0 * i, correlation=i) for i in range(2000)]
    steps = [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1, "ts": 10.0 * i,
              "dur": 9.0 + i % 7 / 10} for i in range(2000)]
    for name, factor in (("x", 1), ("y", 2)):
        events = [{**e, "dur": e["dur"] * factor} for e in many] + steps
        (dir / f"{name}.json.gz").write_bytes(gzip.compress(json.dumps({"traceEvents": events}).encode()))
    run("diff", dir / "x.json.gz", dir / "y.json.gz", "--html", dir / "many.html")
    text, page = parse(dir / "many.html")
    assert max(page.points) >= 500, page.points
    assert "more in the JSON" in text
    assert len(text) < 1 << 20, len(text)


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        every_kind(pathlib.Path(name))
        bounded(pathlib.Path(name))


main()
