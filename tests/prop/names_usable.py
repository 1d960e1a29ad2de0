#!/usr/bin/env python3
"""A name that an output shows selects the item that it names, and no other, when it is put into a rule, a waiver, `except` or
`overrides`: names of kernels, operators, modules, places, functions and others, as the report in JSON, JUnit, a comment, a page
and on a terminal shows them, whole or shortened. Names are those of recordings ($GPUGATE_SHARED, where it is set) and of traces
with names as patterns, alike or with characters that cannot be printed.

$GPUGATE is the program; exit 77 skips.
"""
import html.parser
import json
import os
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree

from _bench import PROGRAM, Bench, kernel
from _part import ALL

KINDS = {"kernel": "kernel.time", "op": "op.time", "module": "module.gpu_time", "place": "place.gpu_time", "range": "range.gpu_time",
         "category": "category.time", "collective": "comm.time", "function": "function.exclusive_pct",
         "counter": "gpu_counter.median_pct", "thread": "thread.time", "direction": "memcpy.bytes"}
ALWAYS_EACH = {"counter", "thread", "direction"}      # such a rule has one check for each item without being told to
TRACES = ["hta-tinypair-base-rank1.json.gz", "qwen05b-h100-single.json.gz", "norm-test-mi300x-run1.json.gz", "deepseek-decode-b300.trace.json.gz",
          "nccl-a100-rank0of2-3steps.json.gz"]
HARD = ["void f<float*>(int*)", "void f<float1>(int2)", "f*", "f?", "fa", "a b", "a\u202eb", "a\u200bb", "tab\there", "x" * 300, "x" * 300 + "y", "é" * 90,
        "void at::native::k<4, float>(int)", "void at::native::k<8, float>(int)", "void k<float>(long)", "it's", 'a "b" | `c`', "tail~0badcafe", "…", "a…b", "aXYb"]
MANY = 500


def hard_trace():
    """A trace in which kernels, operators and annotations have hard names."""
    out = []
    for step in range(2):
        at = 1e6 * step
        out.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": at, "dur": 9e5})
        for i, name in enumerate(HARD):
            n = step * 100 + i
            out += [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at + 1000 * i + 10, "dur": 900.0},
                    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 1000 * i + 20, "dur": 5.0,
                     "args": {"correlation": n + 1}},
                    kernel(n, name, at + 1000 * i + 100, 300.0 + i)]
    return json.dumps({"deviceProperties": [{"id": 0, "name": "GPU A", "totalGlobalMem": 1 << 36}], "traceEvents": out}).encode()


class Cells(html.parser.HTMLParser):
    """The rows of the tables of a page, as lists of the texts of their cells."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def of_terminal(text, checks):
    """Names of the table of checks, of rows in which the name is on one line."""
    lines = text.split("\nAll checks\n")[1].splitlines()
    at = lines[0].index("check")
    rows = [re.split("   +", line[at:])[0].strip() for line in lines[1:] if re.match(r"  \S", line)]
    follows = [not re.match(r"  \S", line) for line in [*lines[2:], ""]]
    whole = [not f for line, f in zip(lines[1:], follows) if re.match(r"  \S", line)]
    for check, row, is_whole in zip(checks, rows, whole):
        if is_whole and row.startswith(check["rule"] + " "):
            yield check, re.split("  +", row[len(check["rule"]) + 1:])[0]


def of_markdown(text, checks):
    rows = [line for line in text.splitlines() if re.match(r"\| \*\*\w+\*\* \| (\w+) `", line)]
    assert len(rows) == len(checks), (len(rows), len(checks))
    for check, row in zip(checks, rows):
        code = re.search(r"\| \w+ (`+)(?!`)(.*?)(?<!`)\1(?!`) \| ", row)[2]
        yield check, (code[1:-1] if re.fullmatch(" (`.*|.*`|.* ) ", code) else code).replace("\\|", "|")


def of_page(text, checks):
    page, named = Cells(), {}
    page.feed(text)
    rules = {c["rule"] for c in checks}
    rows = [r for r in page.rows if len(r) > 4 and r[1].split(" ")[0] in rules]
    for check, row in zip(checks, rows):
        yield check, row[1][len(check["rule"]):].strip()


def shown(b, run):
    """Pairs of a name that a report shows and the check with the item that is meant."""
    done = b.run("check", run, "--rules", "all.yaml", "--baseline", "b.json", "--verbose", "--json", "o.json", "--markdown", "o.md", "--junit", "o.xml",
                 "--html", "o.html", "--max-bytes", 10**9)
    assert done.returncode in (0, 3), done
    checks = [c for c in json.loads((b.dir / "o.json").read_text())["checks"] if c["item"]]
    ids = {c["id"]: c for c in checks}
    out = [("json", c, c["item"]) for c in checks]
    for case in xml.etree.ElementTree.parse(b.dir / "o.xml").iter("testcase"):
        if case.get("name") in ids:
            out.append(("junit", ids[case.get("name")], case.get("name").split("[", 1)[1][:-1]))
    every = json.loads((b.dir / "o.json").read_text())["checks"]
    for what, found in (("markdown", of_markdown((b.dir / "o.md").read_text(), checks)), ("page", of_page((b.dir / "o.html").read_text(), every)),
                        ("terminal", of_terminal(done.stdout.decode(), every))):
        out += [(what, c, name) for c, name in found if c["item"]]
    return checks, out


def selected(b, run, rules):
    """The items that each rule of `rules`, (kind, name), judges; None for a rule that selects nothing."""
    if len(rules) > MANY:
        return selected(b, run, rules[:MANY]) + selected(b, run, rules[MANY:])
    items = {}
    left = dict(enumerate(rules))
    while left:
        text = "version: 1\ndefaults: {on_missing: skip, noise: {k: 0}}\nenvironment: {must_match: []}\nrules:\n"
        for i, (kind, name) in left.items():
            text += f"  - {{id: r{i}, metric: {KINDS[kind]}, select: {{{kind}: {json.dumps(name)}}}, fail: {{increase: 1%}}}}\n"
        b.file("one.yaml", text.encode())
        done = b.run("check", run, "--rules", "one.yaml", "--baseline", "b.json", "--json", "o.json")
        if done.returncode == 2:
            nothing = re.search(rb"rule 'r(\d+)' selects nothing", done.stderr)
            assert nothing, done.stderr
            number = int(nothing[1])
            items[number] = None
            del left[number]
            continue
        for c in json.loads((b.dir / "o.json").read_text())["checks"]:
            items.setdefault(int(c["rule"][1:]), []).append(c["item"])
        break
    return [items[i] for i in range(len(rules))]


def look(b, what, run):
    """Checks all names of a run; returns their number and what is wrong."""
    b.fine("approve", "--new", run, "--baseline", "b.json", "--force")
    b.file("all.yaml", ("version: 1\ndefaults: {on_missing: skip, noise: {k: 0}}\nenvironment: {must_match: []}\nrules:\n" + "".join(
        f"  - {{id: {kind}, metric: {metric}{'' if kind in ALWAYS_EACH else ', for_each: {top: 10000}'}, fail: {{increase: 1%}}}}\n"
        for kind, metric in KINDS.items())).encode())
    checks, names = shown(b, run)
    rows = sorted({(c["rule"], name, c["item"]) for _, c, name in names})
    source = {(c["rule"], name): where for where, c, name in reversed(names)}
    wrong = []
    for (kind, name, item), found in zip(rows, selected(b, run, [(k, n) for k, n, _ in rows])):
        if found != [item]:
            wrong.append((source[kind, name], kind, name, item, found))
    return len(rows), wrong


def exceptions(b, names):
    """`except`, `overrides` and a waiver take the item that they name, and no other."""
    b.fine("approve", "--new", "hard.json", "--baseline", "b.json", "--force")
    bad = 0
    for name in names:
        text = json.dumps(name)
        b.file("one.yaml", f"""version: 1
defaults: {{on_missing: skip}}
environment: {{must_match: []}}
rules:
  - {{id: r, metric: kernel.time, for_each: {{top: 100}}, except: {text}, fail: {{max: 0ns}}}}
  - {{id: o, metric: kernel.time, for_each: {{top: 100}}, overrides: [{{match: {text}, fail: {{max: 1s}}}}], fail: {{max: 0ns}}}}
  - {{id: w, metric: kernel.time, for_each: {{top: 100}}, fail: {{max: 0ns}}}}
waivers: [{{rule: w, select: {{kernel: {text}}}, until: 2099-01-01, reason: test}}]
""".encode())
        b.run("check", "hard.json", "--rules", "one.yaml", "--baseline", "b.json", "--json", "o.json")
        checks = json.loads((b.dir / "o.json").read_text())["checks"]
        all_items = {c["item"] for c in checks}
        taken = [all_items - {c["item"] for c in checks if c["rule"] == "r"}, {c["item"] for c in checks if c["rule"] == "o" and c["verdict"] == "pass"},
                 {c["item"] for c in checks if c["rule"] == "w" and c["verdict"] == "waived"}]
        want = {name} if name in all_items else {i for i in all_items if i[:-9] == "".join(c if c.isprintable() else "\ufffd" for c in name)}
        if any(t != want for t in taken) or len(want) != 1:
            bad += 1
            print(f"BAD  {name!r} is taken as {taken}, {want} is meant")
    return bad


def unknown(b):
    """A rule that selects nothing names the three nearest items."""
    b.file("one.yaml", b"version: 2\nrules: {mine: {metric: kernel.time, select: {kernel: 'void k<flaot>(long)'}, fail: {increase: 1%}}}\n")
    done = b.run("check", "hard.json", "--rules", "one.yaml", "--baseline", "b.json")
    assert done.returncode == 2 and re.search(rb"selects nothing.*; did you mean '[^']*', '[^']*' or '[^']*'\?", done.stderr), done
    assert b"k<float>" in done.stderr or b"void k<float>(long)" in done.stderr, done
    b.fine("baseline", "create", "made.json.gz", "--baseline", "m.json", "--force")
    for metric, key, name in (("memory.peak_allocated", "memory", "memory 0"), ("gpu.utilization_pct", "device", "GPU 0"), ("step.cuda_time", "rank", "rank 0")):
        b.file("two.yaml", f"version: 2\nonly: true\nrules: {{mine: {{metric: {metric}, select: {{{key}: {name}}}, fail: {{max: 0}}}}}}\n".replace(
            "max: 0", {"memory": "max: 0B", "device": "max: 0%", "rank": "max: 0ns"}[key]))
        assert b.run("check", "made.json.gz", "--rules", "two.yaml", "--baseline", "m.json").returncode == 1, name
    b.file("one.yaml", b"version: 2\nonly: true\nrules: {mine: {metric: kernel.time, select: {kernel: 'k<fl*'}, fail: {max: 0ns}}}\n")
    done = b.run("check", "hard.json", "--rules", "one.yaml", "--baseline", "b.json")    # a pattern of the name that reports show
    assert done.returncode == 1, done


def accepted(b):
    """`--accept` takes a finding by its id, and by the names of what it shows; other findings stay to be accepted."""
    b.make("trace", "new.json.gz", "--seed", 4, "--steps", 3, "--slow-kernel", "*flash_bwd*=1.5", "--peak-memory", 1.5)
    b.fine("approve", "--new", "made.json.gz", "--baseline", "b.json", "--force")
    report = json.loads(b.run("check", "new.json.gz", "--baseline", "b.json", "--json", "-").stdout)
    findings = [f for f in report["findings"] if f["verdict"] in ("fail", "undecided")]
    ids = {f["finding"] for f in findings}
    assert len(findings) == len(ids) == 2, findings
    text = b.run("check", "new.json.gz", "--baseline", "b.json").stdout.decode()
    tried = 0
    for f in findings:
        others = [x for other in ids - {f["finding"]} for x in ("--accept", other)]
        names = {f["finding"], *(p["name"] for p in f["parts"] if f["finding"] == "slower-kernel")}
        names |= {w["name"] for w in f["where"] if w["level"] in ("operator", "kernel")} | set(re.findall(r"flash_bwd_\w+(?![\w…])", text) if f["finding"] == "slower-kernel" else [])
        for name in sorted(names):
            done = b.run("approve", "new.json.gz", "--baseline", "b.json", "--reason", "x", "--accept", name)
            # the name of a check is that check alone; a finding, or what only it shows, is all of its checks
            assert done.returncode == 1 and b"not accepted: " in done.stderr, (name, done)
            b.fine("approve", "new.json.gz", "--baseline", "b.json", "--reason", "x", "--accept", f["finding"], "--accept", name, *others)
            b.fine("approve", "--new", "made.json.gz", "--baseline", "b.json", "--force")
            tried += 1
    assert tried > 6, tried
    done = b.run("approve", "new.json.gz", "--baseline", "b.json", "--reason", "x", "--accept", "slower-kernal")
    assert done.returncode == 2 and b"did you mean 'slower-kernel'" in done.stderr, done
    done = b.run("approve", "new.json.gz", "--baseline", "b.json", "--reason", "x", "--accept", "backward")     # a phase is not the finding alone
    assert done.returncode == 2, done


def explained(b):
    """Each word of the glossary, each finding and the id of a check can be explained."""
    glossary = pathlib.Path(__file__).resolve().parents[2] / "docs" / "glossary.md"
    words = re.findall(r"^### (.+)$", glossary.read_text(encoding="utf-8"), re.M)
    for word in words:
        for name in {word, *word.split(", ")}:
            done = b.run("explain", name.upper())
            text = done.stdout.decode()
            assert done.returncode == 0 and f"{word}:\n  " in text and "](" not in text and not re.search(r"\((?!docs/)[^)]*\.md", text), done
    docs = glossary.with_name("verdicts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`[^`|]+`(?:, )?)+) \|", docs, re.M)
    schema = json.loads((glossary.parents[1] / "schemas" / "gpugate-rules-1.json").read_text(encoding="utf-8"))
    keys = set(schema["properties"]) | set(schema["$defs"]["rule"]["properties"]) if "$defs" in schema else set(schema["properties"])
    findings = {name for row in rows for name in re.findall("`([^`]+)`", row)}
    assert len(findings) > 30 and len(keys) > 8, (findings, keys)
    for name in findings:
        assert f"`{name}`" in b.run("explain", name).stdout.decode(), name
    for name in keys:
        assert re.search(f"^{name}, in ", b.run("explain", name).stdout.decode(), re.M), name
    causes = re.findall(r'X\(CAUSE_\w+, "(.*?)"\)', (glossary.parents[1] / "src" / "model" / "model" / "finding.h").read_text(encoding="utf-8"))
    assert len(causes) > 20 and {*causes} <= findings, {*causes} - findings
    trust = [p.read_text(encoding="utf-8") for p in sorted((glossary.parents[1] / "src" / "judge" / "trust").glob("*.c"))]
    calls = r'\b(?:trust_add|peers_name(?:_end)?|find_fallen)\([^"{}]*"([a-z-]+)"|\{ KNOWN_\w+, [^"{}]*"([a-z-]+)"'
    ids = {one or other for text in trust for one, other in re.findall(calls, text)}
    assert len(ids) > 50, ids
    unknown = sorted(name for name in ids if f"`{name}`" not in b.run("explain", name).stdout.decode())
    assert not unknown, unknown
    for name in re.findall(r"^- name: (\S+)$", b.run("formats").stdout.decode(), re.M):
        assert f"\n- name: {name}\n" in b.run("explain", name).stdout.decode(), name
    for name, metric in (("peak memory", "memory.peak_allocated"), ("wall time per step", "step.period"), ("Compute per step", "step.compute_time")):
        assert b.run("explain", name).stdout.decode().startswith(f"{metric}: "), name
    b.file("rules/gpugate.yaml", b"version: 2\nworkload: w\n")
    b.fine("baseline", "create", "hard.json")
    report = b.run("check", "hard.json", "--json", "-")
    for c in json.loads(report.stdout)["checks"]:       # its name, in full or as reports show it, and the rule that it stands in
        for name in {c["item"], c["item"] and re.sub(r"^[^[]*\[|\]$", "", c["id"])} if c["rule"] == "top-kernels" and "[" in c["id"] and "\t" not in c["item"] else ():
            said = b.run("explain", name).stdout.decode()
            assert f"kernel: {json.dumps(c['item'], ensure_ascii=False)}" in said or "kernel of baselines/w.json" in said, (name, said)
    b.file("bench.json", b'{"answered_per_s": 5.5}')
    assert b.run("explain", "answered_per_s").returncode == 2
    b.fine("approve", "bench.json", "--force")
    assert b.run("explain", "answered_per_s").stdout.startswith(b"input.answered_per_s: "), "a figure of a file"
    (b.dir / "rules" / "gpugate.yaml").unlink()
    assert b.run("explain", "lost-kernal").stderr.endswith(b"did you mean 'lost-kernels'?\n")
    assert b.run("explain", "artefact").stderr.endswith(b"did you mean 'artifact'?\n")
    assert len(words) > 30 and b.run("explain", "top-kernels[flash_fwd]").stdout.startswith(b"top-kernels: "), words


def main():
    if not PROGRAM:
        print("GPUGATE is not set: skipped")
        return 77
    runs = []
    if os.environ.get("GPUGATE_SHARED"):
        folder = pathlib.Path(os.environ["GPUGATE_SHARED"]) / "data"
        every = [p for f in ("traces", "more/traces", "nsys", "xplane", "snapshots", "more/snapshots") for p in sorted((folder / f).glob("*"))]
        runs = [(p.name, p) for p in (every if ALL else [folder / "traces" / name for name in TRACES]) if p.exists() and p.suffix not in (".pickle", ".md")]
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder)
        b.file("hard.json", hard_trace())
        b.make("trace", "made.json.gz", "--seed", 3, "--steps", 3)
        total, bad = 0, []
        for what, run in [("hard names", "hard.json"), ("generated", "made.json.gz"), *runs]:
            if b.run("approve", "--new", run, "--baseline", "b.json", "--force").returncode == 3:
                print(f"     {what} cannot be a baseline")
                continue
            nr, wrong = look(b, what, run)
            total += nr
            bad += wrong
            print(f"{'BAD ' if wrong else 'ok  '} {what}: {nr} names, {len(wrong)} do not select what they name")
            for where, kind, name, item, found in wrong[:int(os.environ.get("SHOW", 5))]:
                print(f"     {where}: {kind} {name!r} of {item[:200]!r} selects {found if found is None else [f[:100] for f in found]}")
        refused = exceptions(b, [n for n in HARD if "\t" not in n])  # no rule can hold a tab
        unknown(b)
        accepted(b)
        explained(b)
    assert total > 200, total
    return 1 if bad or refused else 0


if __name__ == "__main__":
    sys.exit(main())
