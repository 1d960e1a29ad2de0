#!/usr/bin/env python3
"""Outputs are well-formed whatever names an input contains: those of gen/names.py are used as kernels, operators,
functions, GPUs, files, frames of allocations, commits, people and reasons, steps of JAX, cases of benchmarks, names of
suites, in the outputs of every command. They are compared with outputs of the same run with harmless names of the same
length:

 - XML and HTML parse, and have the same elements, attributes and comments as with harmless names; so does the Markdown when
   GitHub's parser has rendered it (without cmark-gfm that part is skipped by name)
 - JSON parses strictly, has the same keys, and contains each name
 - on a terminal there are only printable characters, and no command of a CI system

$GPUGATE is the program; exit 77 skips.
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
import xml.etree.ElementTree

import _gen  # finds tests/gen
from _part import ALL, part
from names import every
import xspace

PROGRAM = os.environ.get("GPUGATE")
BATCH = 14
UNSHOWN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
COMMANDS = re.compile(r"^\s*::|##\[|##[a-z]+\[")  # commands of CI systems: GitHub obeys '::' at the start of a line, other systems '##[' anywhere
GFM = "cmark-gfm --unsafe -e footnotes -e table -e autolink -e strikethrough -e tasklist".split()
RULES = """version: 1
workload: names
defaults: {on_missing: skip, noise: {k: 0}}
rules:
  - {id: cuda-time, metric: step.cuda_time, fail: {increase: 1%}}
  - {id: kernels, metric: kernel.time, for_each: {top: 100}, on_new: fail, on_gone: warn, fail: {increase: 5%}}
  - {id: operators, metric: op.time, for_each: {top: 100}, on_new: warn, fail: {increase: 5%}}
  - {id: peak, metric: memory.peak_allocated, fail: {increase: 1%}}
"""


# --- Runs with hostile names ----------------------------------------------------------------------


def run_of(names, factor):
    """A trace in which everything that can have a name has one of `names`. Kernels without a name are not believed."""
    out = []
    for step in range(3):
        start = 100000.0 * step
        out.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": start, "dur": 99000.0})
        for i, name in enumerate(names):
            at, correlation = start + 6000 * i, step * 100 + i + 1
            dur = (900.0 + 100 * (len(names) - i)) * (factor if i % 2 else 1)
            out += [
                {"ph": "X", "cat": "python_function", "name": f"{name}(7): f", "pid": 1, "tid": 1, "ts": at, "dur": 5900.0,
                 "args": {"Python id": correlation, "Python parent id": None}},
                {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at + 5, "dur": 2000.0, "args": {"External id": correlation, "Input Dims": [[i]], "Input type": [name]}},
                {"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": at + 6, "args": {
                    "Bytes": 512, "Device Type": 1, "Device Id": 0, "Total Allocated": 512 * correlation, "Total Reserved": 1 << 20}},
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 10, "dur": 20.0,
                 "args": {"correlation": correlation, "External id": correlation}},
                {"ph": "X", "cat": "kernel", "name": name or "k", "pid": 0, "tid": 7, "ts": at + 40, "dur": dur,
                 "args": {"device": 0, "stream": 7, "correlation": correlation, "External id": correlation}},
            ]
    return {"deviceProperties": [{"id": 0, "name": names[0], "totalGlobalMem": 1 << 36}], "traceEvents": out,
            "distributedInfo": {"backend": names[1], "rank": 0, "world_size": 1, "pg_config": [{"pg_name": names[2], "pg_desc": names[3]}]}}


def snapshot_of(names, size):
    blocks = [{"address": (1 << 20) + (i << 21), "size": 2 << 20, "requested_size": size + i, "state": "active_allocated",
               "frames": [{"filename": name, "name": name, "line": i}]} for i, name in enumerate(names)]
    segment = {"device": 0, "address": 1 << 20, "total_size": len(names) << 21, "stream": 0, "segment_type": "large", "blocks": blocks}
    history = [{"action": "segment_alloc", "addr": segment["address"], "size": segment["total_size"], "stream": 0, "frames": []}]
    history += [{"action": "alloc", "addr": b["address"], "size": b["requested_size"], "stream": 0, "frames": b["frames"]} for b in blocks]
    return {"segments": [segment], "device_traces": [history]}


def space_of(names):
    """A profile of JAX whose steps, kernels, operators and calls have these names."""
    names = [n for n in names if n and not re.search("[\ud800-\udfff]", n)]
    rows = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}},
            {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": f"Stream #20{names[0]}"}},
            {"ph": "M", "pid": 1, "tid": 9, "name": "thread_name", "args": {"name": "Steps"}},
            {"ph": "M", "pid": 701, "name": "process_name", "args": {"name": "/host:CPU"}},
            {"ph": "M", "pid": 701, "tid": 1, "name": "thread_name", "args": {"name": names[1]}}]
    for i, name in enumerate(names):
        at = {"ph": "X", "name": name, "ts": 100.0 * i, "dur": 50.0}
        rows += [{**at, "pid": 1, "tid": 9, "args": {"group_id": i}},
                 {**at, "pid": 1, "tid": 1, "args": {"correlation_id": i + 1, "kernel_details": name or "grid:1,1,1", "name": name,
                                                     "hlo_op": name, "hlo_module": name}},
                 {**at, "pid": 701, "tid": 1, "args": {"correlation_id": i + 1}}]
    return xspace.encode(rows)


def results_of(names):
    """Results of a benchmark with one case for each of the `names`."""
    return {"context": {"host_name": names[0], "num_cpus": 4}, "benchmarks": [
        {"name": f"{n}{i}", "run_name": f"{n}{i}", "run_type": "iteration", "iterations": 5, "real_time": 1.0 + i, "cpu_time": 1.0, "time_unit": "ns"}
        for i, n in enumerate(names)]}


def machine_of(names):
    row = ", ".join(['2024/01/02 03:04:0{}.000', names[0].replace(",", ";").replace("\n", " "), "1410 MHz", "Active", "85"])
    return "\n".join(["timestamp, name, clocks.sm [MHz], clocks_throttle_reasons.hw_thermal_slowdown, temperature.gpu",
                      row.replace("{}", "5"), row.replace("{}", "6"), ""])


def texts(v):
    """Paths to the texts in a document, limited to the first two elements of every list."""
    rows = v.items() if isinstance(v, dict) else enumerate(v[:2])
    for k, x in rows:
        if isinstance(x, str):
            yield v, k
        elif isinstance(x, (dict, list)):
            yield from texts(x)


def harmless(names):
    """For each of the hostile `names`, a harmless name of the same length, but of at least 2 characters."""
    letters = (f"{i:02}".ljust(len(name), "x")[: max(len(name), 2)] for i, name in enumerate(names))
    return list(letters)


class Side:
    """Output files, terminal output and exit codes of every command on runs that contain `names`."""

    def __init__(self, dir, names):
        self.dir, self.names, self.outputs, self.terminal, self.codes = dir, names, {}, {}, {}
        dir.mkdir()
        self.argument = argument = next(n for n in names if n and "\0" not in n and not re.search("[\ud800-\udfff]", n))
        for name, factor, size in (("a", 1, 1 << 20), ("b", 2, 3 << 19)):
            (dir / name).mkdir()
            (dir / name / "t.json").write_text(json.dumps(run_of(names, factor)))
            (dir / name / "s.json").write_text(json.dumps(snapshot_of(names, size)))
        (dir / "rules.yaml").write_text(RULES)
        (dir / "broken").mkdir()
        (dir / "broken" / "t.json").write_text("{")
        words = ("--commit", argument, "--who", argument, "--reason", argument)
        files = ("--rules", "rules.yaml", "--baseline", "base.json")
        self.do("create", 0, "approve", "--new", "a", *files, *words)
        self.do("append", 0, "store", "b", *files, *words, "--force")
        self.do("check", 1, "check", "b", *files, reports="jmxhoqp", more=["--verbose", "--changed", argument, "--evidence", "ev"])
        self.do("error", 3, "check", "broken", *files, reports="jmxh")
        self.do("report", 0, "report", "b", "--rules", "rules.yaml", reports="jmh", more=["--verbose"])
        self.do("diff", 0, "diff", "a", "b", reports="jmh", more=["--verbose"])
        self.do("metrics", 0, "metrics", "b")
        self.do("figures", 0, "metrics", "b", reports="j")
        self.do("digest", 0, "digest", "b", "-o", "digest.json")
        self.do("show", 0, "baseline", "show", *files)
        self.do("log", 0, "baseline", "log", *files)
        self.more(files)
        for name in ("base.json", "digest.json", *(str(f.relative_to(dir)) for f in (dir / "ev").iterdir())):
            self.outputs[name] = (dir / name).read_text(encoding="utf-8")
        # Check that arguments which are not the name of a run are refused in one line.
        for i, what in enumerate((("explain", argument), ("check", argument), (argument,), ("check", "a", "--workload", argument))):
            self.do(f"wrong {i}", (2, 3, 4), *what)

    def more(self, files):
        """Runs commands on inputs of other formats, on a history and on a suite, all with hostile names. Each must end with a code
        that is expected."""
        dir, names = self.dir, self.names
        (dir / "x.xplane.pb").write_bytes(space_of(names))
        (dir / "results.json").write_text(json.dumps(results_of(names)))
        (dir / "m").mkdir()
        shutil.copy(dir / "a" / "t.json", dir / "m")
        (dir / "m" / "machine-rank0.csv").write_text(machine_of(names), encoding="utf-8", errors="replace")
        (dir / "small.json").write_text((dir / "digest.json").read_text(encoding="utf-8"), encoding="utf-8")
        for name in ("x.xplane.pb", "results.json", "m"):
            self.do(f"report {name}", (0, 3), "report", name, reports="jmh", more=["--verbose"])
            self.do(f"figures of {name}", (0, 3), "metrics", name, reports="j")
        self.do("history", 0, "history", *files, reports="jmh", more=["--verbose"])
        (dir / "suite.yaml").write_text("version: 1\nname: names\ncases:\n" + "".join(
            f"  - {{workload: {w}, runs: {w}, baseline: base.json}}\n" for w in ("a", "b", "broken")))
        self.do("suite", 1, "suite", "suite.yaml", "--rules", "rules.yaml", reports="jmxh", more=["--verbose"])
        self.do("suite's part", (0, 1, 3), "suite", "suite.yaml", "--rules", "rules.yaml", "--shard", "1/2", "--json", "part.json")
        self.hangs()

    def stored(self, number):
        """Replaces each text in stored files by hostile names, one at a time; every fourth text without ALL_CASES. A file that is
        refused must give one line."""
        for name, args, reports in (("base.json", ("baseline", "show", "--rules", "rules.yaml", "--baseline", "{}"), ""),
                                    ("base.json", ("baseline", "log", "--rules", "rules.yaml", "--baseline", "{}"), ""),
                                    ("base.json", ("check", "b", "--rules", "rules.yaml", "--baseline", "{}"), "jmxh"),
                                    ("digest.json", ("report", "{}", "--rules", "rules.yaml"), "jmh"),
                                    ("digest.json", ("diff", "small.json", "{}"), "jmh"),
                                    ("part.json", ("suite", "--merge", "{}"), "jmxh"),
                                    ("base.history.jsonl", ("history", "--rules", "rules.yaml", "--baseline", "base.json"), "jmh")):
            text = (self.dir / name).read_text(encoding="utf-8")
            rows = [json.loads(line) for line in text.split("\n") if line] if name.endswith("l") else [json.loads(text)]
            for i, (holder, key) in enumerate(texts(rows[:2])):
                if not ALL and i % 4 != number % 4:
                    continue
                before, holder[key] = holder[key], self.argument
                path = name if name.endswith("l") else "stored.json"
                (self.dir / path).write_text("\n".join(map(json.dumps, rows)))
                holder[key] = before
                self.do(f"{' '.join(args[:2])} of {name} {i}", (0, 1, 2, 3, 4), *(a.replace("{}", path) for a in args), reports=reports)
            (self.dir / name).write_text(text, encoding="utf-8")

    def hangs(self):
        """Dumps of ranks of which one is stuck, in groups, collectives and frames with these names."""
        names = [n for n in self.names if n and not re.search("[\ud800-\udfff]", n)]
        (self.dir / "dumps").mkdir()
        for rank in range(2):
            entries = [{"record_id": i, "profiling_name": f"nccl:{n}", "process_group": [n, names[0]], "collective_seq_id": 1, "input_dtypes": [n],
                        "input_sizes": [[4, 4]], "state": "started", "frames": [{"filename": n, "name": names[-1 - i], "line": i}]}
                       for i, n in enumerate(names)]
            groups = {n: {"name": n, "desc": names[0], "ranks": "[0, 1]"} for n in names}
            (self.dir / "dumps" / f"nccl_trace_rank_{rank}.json").write_text(json.dumps({"entries": entries[:len(names) * (1 - rank)],
                                                                                         "pg_config": groups}))
        self.do("hangs", 3, "report", "dumps", reports="jmh")
        self.do("hangs, checked", 3, "check", "dumps", "--rules", "rules.yaml", "--baseline", "base.json", reports="jmxhoqp")

    def do(self, what, codes, *args, reports="", more=()):
        names = {"j": ("--json", f"{what}.json"), "m": ("--markdown", f"{what}.md"), "x": ("--junit", f"{what}.xml"), "h": ("--html", f"{what}.html"),
                 "o": ("--openmetrics", f"{what}.txt"), "q": ("--codequality", f"{what}-quality.json"), "p": ("--plan", f"{what}-plan.json")}
        words = [w for letter in reports for w in names[letter]]
        done = subprocess.run([PROGRAM, *args, *words, *more], cwd=self.dir, capture_output=True, check=False,
                              env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"})
        text = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        assert done.returncode in (codes if isinstance(codes, tuple) else (codes,)), f"{what}: exit {done.returncode}: {text}"
        self.codes[what] = done.returncode
        self.terminal[f"{what}, standard output"], self.terminal[f"{what}, standard error"] = text
        for letter in reports:
            name = names[letter][1]
            if (self.dir / name).exists():  # a command whose arguments are refused writes no reports
                self.outputs[name] = (self.dir / name).read_bytes().decode("utf-8")
                (self.dir / name).unlink()


# --- Checks of each output -------------------------------------------------------------------------


class Shape(html.parser.HTMLParser):
    """The elements of a page, with the names of their attributes."""

    def __init__(self, text):
        super().__init__()
        self.elements = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        assert not any(k.startswith("on") for k, _ in attrs), (tag, attrs)
        self.elements.add((tag, *sorted(k for k, _ in attrs)))

    def handle_comment(self, data):
        self.elements.add(("comment", data))

    def handle_decl(self, decl):
        self.elements.add(("declaration", decl))

    def unknown_decl(self, data):
        raise AssertionError(f"<![{data}")

    def handle_pi(self, data):
        raise AssertionError(f"<?{data}")


def page(text):
    return Shape(text).elements - {("wbr",)}  # a long name may break after each `/` that it has


def markdown(text):
    if not shutil.which(GFM[0]):
        return set()
    rendered = subprocess.run(GFM, input=text.encode(), capture_output=True, check=True).stdout.decode("utf-8")
    return Shape(rendered).elements


def junit(text):
    assert not re.search("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text), "what XML 1.0 does not know"
    assert "<![CDATA[" not in text
    return {(e.tag, *sorted(e.attrib)) for e in xml.etree.ElementTree.fromstring(text).iter()}


def keys(text):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    def paths(v, path):
        if isinstance(v, dict):
            return {p for k, x in v.items() for p in paths(x, (*path, k.removesuffix("_hex")))}
        return {p for x in v for p in paths(x, path)} if isinstance(v, list) else {path}

    assert not re.search("[\x00-\x09\x0b-\x1f]", text)
    return paths(json.loads(text, parse_constant=refuse), ())


def openmetrics(text):
    series = r'(gpugate_[a-z_]+)((?:[{,][a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*)\}? [-+0-9.eE]+'
    lines = [re.fullmatch(series, line) for line in text.splitlines() if not line.startswith("#")]
    assert text.endswith("\n# EOF\n") and all(lines), text[:200]
    return {(m[1], *re.findall(r'[{,]([a-z_]+)="', re.sub(r"\\.", "", m[2]))) for m in lines}


def terminal(text):
    bad = [line for line in text.split("\n") if UNSHOWN.search(line) or COMMANDS.search(line)]
    assert not bad, bad[:3]
    return set()


FORMATS = {".html": page, ".md": markdown, ".xml": junit, ".json": keys, ".txt": openmetrics}


def marked(elements):
    """The elements without code spans, whose number depends on the characters of a name, and without the marker by which a
    comment is found."""
    mark = re.compile(r" gpugate:[A-Za-z0-9._-]+ ")
    return {e for e in elements if e != ("code",) and not (e[0] == "comment" and mark.fullmatch(e[1]))}


def same(what, read, hostile, plain):
    """Lines about elements that only the output with hostile names has."""
    try:
        got, want = read(hostile), read(plain)
    except (AssertionError, ValueError, xml.etree.ElementTree.ParseError) as e:
        return [f"{what}: {e!r}"]
    return [f"{what}: names change its form: {sorted(got - want)[:5]}"] if got - want else []


def missing(side):
    """Lines about hostile kernel names that the figures of a run lack."""
    kernels = {k["name"] for k in json.loads(side.outputs["figures.json"])["kernels"]}
    return [f"no kernel {name!r}" for name in side.names if not any(c in name for c in "\0\ud800") and name and name not in kernels]


def batch_faults(dir, names, number):
    hostile, plain = Side(dir / "hostile", names), Side(dir / "plain", harmless(names))
    wrong = missing(hostile)
    hostile.stored(number)
    plain.stored(number)
    usual = {suffix: set().union(*(read(text) for name, text in plain.outputs.items() if name.endswith(suffix)))
             for suffix, read in FORMATS.items()}
    for name, text in hostile.outputs.items():
        suffix = pathlib.Path(name).suffix
        if " of " in name:  # the replaced text may be a key by which rows are found: then other rows are shown, which must have the usual form
            wrong += same(name, lambda t: t if isinstance(t, set) else marked(FORMATS[suffix](t)) if suffix != ".json" else (keys(t), set())[1],  # pylint: disable=cell-var-from-loop
                          text, usual[suffix])
            continue
        wrong += same(name, FORMATS[pathlib.Path(name).suffix], text, plain.outputs[name])
    for name, text in hostile.terminal.items():
        wrong += same(name, terminal, text, "")
    return wrong


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    if not shutil.which(GFM[0]):
        print("skipped: Markdown as GitHub renders it: needs cmark-gfm")
    names, bad = every(), 0
    names += [f"{n} " for n in names[: -len(names) % BATCH]]
    for i in part(range(0, len(names), BATCH)):
        with tempfile.TemporaryDirectory() as dir:
            try:
                wrong = batch_faults(pathlib.Path(dir), names[i:i + BATCH], i // BATCH)
            except AssertionError as e:
                wrong = [str(e)]
        print(f"{'FAIL' if wrong else 'ok  '} {ascii(names[i][:40])} and {BATCH - 1} more", flush=True)
        for line in wrong:
            print(f"     {line}")
        bad += bool(wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
