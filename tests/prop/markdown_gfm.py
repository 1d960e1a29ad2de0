#!/usr/bin/env python3
"""The Markdown as GitHub renders it: no name leaves its code span, at any size limit.

Kernels with hostile names dominate one side of a check and of a diff, whose file has such a name too. The Markdown is
rendered by cmark-gfm and read as HTML: there are only known tags, the marker is the only comment, every kernel and check is
complete in a code span of its own cell, in order, and nothing outside code spans comes from a name.

$GPUGATE is the program; without it, or without cmark-gfm, the test is skipped (exit 77).
"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from _gen import generate
from names import MARKDOWN as NAMES

PROGRAM = os.environ.get("GPUGATE")
RENDER = "cmark-gfm --unsafe -e footnotes -e table -e autolink -e strikethrough -e tasklist".split()

# Patterns of the names of --hostile-names that are made so slow that the report shows them, beside NAMES.
SLOW = ["pipe|*", "<img*", "@every*", "line one*", "nul *", "lone *", "right?to*", "*%0A*", "*std::tuple<float> *"]
FILE = "`<img src=x>` | @me <!-- .json.gz"
RULES = """version: 1
workload: "hostile"
rules:
  - {id: new-kernels, metric: kernel.time, for_each: {top: 200}, on_new: fail, on_gone: warn, fail: {increase: 5%}}
  - {id: launches, metric: kernel.count, for_each: {top: 200}, on_new: warn, warn: {change: 0}}
  - {id: cuda-time, metric: step.cuda_time, fail: {increase: 1%}}
  - {id: one, metric: kernel.time, select: {kernel: "*`|`*"}, on_missing: skip, fail: {increase: 5%}}
waivers:
  - {rule: new-kernels, select: {kernel: "GH-*"}, until: 2999-12-31, reason: "`@me` | <b> https://a.example #1"}
"""
TAGS = set("p h3 strong pre code table thead tbody tr th td ul li details summary".split())


class Page(html.parser.HTMLParser):
    """A page's code spans, and its text outside of code spans; also the spans and the text of each cell of its tables."""

    def __init__(self, text):
        super().__init__()
        self.open, self.comments, self.outside, self.spans, self.tables = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS and ({k for k, _ in attrs} <= {"align"} or attrs in ([("lang", "sh")], [("class", "language-sh")])), f"<{tag} {attrs}>"
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append(([], []))
        elif tag == "code":
            self.spans.append("")
            if "td" in self.open:
                self.tables[-1][-1][-1][0].append("")

    def handle_startendtag(self, tag, attrs):
        raise AssertionError(f"<{tag} {attrs}/>")

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}>"

    def handle_comment(self, data):
        self.comments.append(data)

    def handle_data(self, data):
        data = data.replace("\u200b", "")  # character at which a long word may be broken
        cell = self.tables[-1][-1][-1] if {"td", "th"} & set(self.open) else None
        if self.open and self.open[-1] == "code":
            self.spans[-1] += data
            if cell:
                cell[0][-1] += data
        else:
            self.outside.append(data)
            if cell:
                cell[1].append(data)


def gen(path, *options):
    return generate("trace", path, "--steps", 3, "--seed", 1, *options)


def gpugate(*args, expect, env=None):
    outside = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "GITLAB_", "CI_", "JENKINS_"))}
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, check=False, env=env or outside)
    assert p.returncode in expect, f"exit {p.returncode}: {p.stdout.decode()}{p.stderr.decode()}"


def page(markdown, marker):
    text = markdown.read_text(encoding="utf-8")
    rendered = subprocess.run(RENDER, input=text.encode(), capture_output=True, check=True).stdout.decode()
    p = Page(rendered)
    assert p.comments == [f" gpugate:{marker} "], p.comments
    bad = re.findall(r"[^\w\s.,:;=()+\-±–−→%×/'·›?❌⚠\uFE0F❔✅]|www\.|//", "".join(p.outside))
    assert not bad, f"outside code spans: {bad}"
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("| ---")]
    assert len(lines) == sum(map(len, p.tables)), "a row is in no table"
    return p


def names(p, first, column, *others):
    """Code spans in column `column` of the tables whose first heading is `first`. Only `others` may have code spans, too."""
    out = []
    for table in p.tables:
        for row in table[1:] if table[0][0][1] == [first] else []:
            assert len(row) == len(table[0])
            stray = [cell for i, cell in enumerate(row) if i not in (column, *others) and cell[0]]
            assert not stray, stray
            out.append(row[column][0])
    return out


def kernels(p, drift):
    """Each row of kernels has as many code spans as names, and no part of a name outside of them."""
    told = [d for d in drift if d["drift"] != "same" or None not in (d["baseline"], d["candidate"])]
    want = [len([n for n in (d["kernel"], d.get("renamed_to")) if n]) for d in told[:10]]
    got = [len(spans) for spans in names(p, "differs", 1)]
    assert len(got) >= min(3, len(want)) and got == want[:len(got)], (got, want)


def check(dir, a, b):
    (dir / "rules.yaml").write_text(RULES, encoding="utf-8")
    gpugate("approve", "--new", a, "--baseline", dir / "base", "--force", expect=(0,))
    common = ("check", b, "--baseline", dir / "base", "--rules", dir / "rules.yaml", "--markdown", dir / "m.md")
    gpugate(*common, "--max-bytes", 1000000, "--json", dir / "r.json", expect=(0, 1))
    result = json.loads((dir / "r.json").read_text(encoding="utf-8"))
    assert len(result["checks"]) > 2 * len(NAMES), "the names are not judged"
    whole = page(dir / "m.md", "hostile")
    seen = [len(spans) for spans in names(whole, "verdict", 1, 5)]
    first = [c for c in result["checks"] if c["verdict"] in ("fail", "undecided", "inconclusive", "missing", "warn") or not c["item"]]
    assert len(seen) >= 20 and seen == [bool(c["item"]) for c in first][:len(seen)], "a check without its item"
    reasons = [c["waiver"] for c in result["checks"] if c["verdict"] == "waived"]
    assert len(reasons) == any(c["item"] == "GH-1" and c["baseline"] is None for c in result["checks"]), reasons
    told = "".join((*whole.spans, *whole.outside))  # words with characters that Markdown interprets are in code spans of their own
    assert all(word.rstrip(",;:") in told for reason in reasons for word in reason.split()), "a waiver's reason is not told"
    size = (dir / "m.md").stat().st_size
    for budget in (*range(400, 3000, 97), *range(3000, size, 2500), size - 1, size):
        gpugate(*common, "--max-bytes", budget, expect=(0, 1))
        assert (dir / "m.md").stat().st_size <= budget
        page(dir / "m.md", "hostile")


def diff(dir, a, b):
    gpugate("diff", a, b, "--markdown", dir / "m.md", "--json", dir / "r.json", expect=(0,))
    kernels(page(dir / "m.md", "diff"), json.loads((dir / "r.json").read_text(encoding="utf-8"))["drift"])


def ranks(dir, a, b):
    """Insights and the table of ranks may contain names of kernels and groups."""
    def job(name, *options):
        return generate("ranks", dir / name, "--ranks", 4, "--steps", 5, "--seed", 1, "--hostile-names", *options)
    gpugate("diff", job("ranks"), job("slow", "--slow-rank", "2=2"), "--markdown", dir / "m.md", "--json", dir / "r.json", expect=(0,))
    result = json.loads((dir / "r.json").read_text(encoding="utf-8"))
    p = page(dir / "m.md", "diff")
    said = {" ".join(n["message"].split()) for n in result["insights"]}
    shown_all = " ".join(p.spans + p.outside).split()
    told = {s.split("; most unlike")[0] for s in said}  # the text after this has display names of kernels, so it is not compared
    assert told and all(s in " ".join(shown_all) for s in told), told
    assert len(names(p, "rank", 0)) == len(result["ranks"]["rows"]) == 8


def links(dir, a, b):
    """Commits and the job are links if the CI system says their address, and only with a valid one; the command that
    accepts the change is shown if a workflow listens for it."""
    sha = "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334"
    ci = {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "42", "GITHUB_SHA": sha}
    gpugate("approve", "--new", a, "--baseline", dir / "base", "--force", expect=(0,))
    for server, linked in (("https://forge.example", True), ("javascript:alert(1)", False), ("https://x)<b>", False)):
        gpugate("check", b, "--baseline", dir / "base", "--markdown", dir / "m.md", "--html", dir / "m.html", expect=(1,),
                env={**os.environ, **ci, "GITHUB_SERVER_URL": server})
        text, html = ((dir / name).read_text(encoding="utf-8") for name in ("m.md", "m.html"))
        assert (f"[`{sha[:10]}`](https://forge.example/o/r/commit/{sha})" in text) == linked, text[:2000]
        assert ("[job](https://forge.example/o/r/actions/runs/42)" in text) == linked
        assert ('<a href="https://forge.example/o/r/actions/runs/42">job</a>' in html) == linked
        assert linked or server not in text + html


def error(dir, a, b):
    broken = dir / ("broken " + FILE)
    broken.write_bytes(b"<h1>")
    gpugate("check", broken, "--workload", "-->| `@x", "--baseline", dir / "base", "--markdown", dir / "m.md", expect=(3,))
    text = (dir / "m.md").read_text(encoding="utf-8")
    spans = "".join(page(dir / "m.md", re.search(r"gpugate:([\w.-]+) -->", text)[1]).spans)
    assert FILE[:20].replace(" ", "") in spans.replace(" ", ""), spans


def main():
    if not PROGRAM or not shutil.which(RENDER[0]):
        print("skipped: needs $GPUGATE and cmark-gfm")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        a = gen(dir / "a.json.gz")
        slow = [x for pattern in SLOW for x in ("--slow-kernel", f"{pattern}=90")]
        new = [x for i, n in enumerate(NAMES) for x in ("--new-kernel", f"{n}={700 + i}")]
        b = gen(dir / FILE, "--hostile-names", "--long-name", "6000", *new, *slow)
        for law, first, second in ((check, a, b), (check, b, a), (diff, a, b), (diff, b, a), (ranks, a, b), (error, a, b),
                                   (links, a, b)):
            try:
                law(dir, first, second)
            except AssertionError as e:
                sys.exit(f"{law.__name__} of {first.name} and {second.name}: {e}\n{(dir / 'm.md').read_text()[:3000]}")
            print(f"ok {law.__name__}")


if __name__ == "__main__":
    main()
