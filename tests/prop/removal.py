#!/usr/bin/env python3
"""Whatever is removed from a run that is 20 % slower than its baseline, the gate does not pass: what is no longer there has not
become faster.

A baseline and a slower run (or one with more memory) are generated in each form that profilers and benchmarks write. From the
slower run one thing is removed: a field, an argument or a key everywhere, or of every n-th row; every n-th event; a category, a
kernel, a step; a table or a column; a rank's file. The damaged run is judged by the built-in rules and by rules of users, each
by itself. The law holds for each rule that fails the slower run: after the removal the exit code is not 0.

Form and removal of each that passes are printed, by kind. Kinds in OPEN are printed too, but allowed.

usage: removal.py [FORM…]      ($GPUGATE is the program; exit 77 skips. EVERY=1 takes all of some 7,000 removals, which is half an
                                hour of processor time; otherwise every 40th is taken)
"""
import collections
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import pickle
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from _bench import PROGRAM
from _gen import generate
from _part import part
import xspace

SLOWER = 1.2
FIGURES_WORSE = 3  # without a history less than that may be noise
EVERY = int(os.environ.get("EVERY", "40"))
# What passes, by form, rule and removal: work of which nothing tells that there was more (kernels of graphs, operations of XLA),
# and a range that lost a part of its launches, which are less than a point of the GPU time.
OPEN = re.compile(r"server, graphs: .*: traceEvents(/kernel: | of ).*|JAX: .*: traceEvents/\*: .*|XSpace: .*: field 1\.3\.4: .*|"
                  r".*: range\.gpu_time: (traceEvents/(cuda_runtime|user_annotation)/tid|NVTX_EVENTS\.text): .*")

# Rules of users, each of them a file by itself; {…} is what they have in common.
TOP = "for_each: {top: 10}, fail: {increase: 5%}"
USERS = {
    **{m: f"metric: {m}, fail: {{increase: 5%}}" for m in (
        "step.period", "step.cuda_time", "step.compute_time", "step.kernel_time", "window.busy_time", "memory.peak_allocated",
        "memory.peak_reserved", "memory.end_allocated")},
    "throughput": "metric: throughput.steps_per_s, fail: {decrease: 5%}",
    "waiting for ranks": "metric: comm.transfer_time, fail: {increase: 5%}",
    **{m: f"metric: {m}, {TOP}" for m in ("kernel.time", "kernel.mean", "op.gpu_time", "range.gpu_time", "category.time")},
    "figures": "metric: 'input.*', fail: {worse: 5%}",
    "figures that rise": "metric: 'input.*', fail: {increase: 5%}",
    "speed": "metric: input.tokens_per_s, better: higher, fail: {decrease: 5%}",
}


# --- Removals from JSON: a place is the path of keys, where an element of a list is named by its category -----------------


def label(element):
    return str(element["cat"]) if isinstance(element, dict) and "cat" in element else "*"


def places(node, path=()):
    """Yields (place, container, key) of everything within a value."""
    for key, value in list(node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()):
        at = (*path, key if isinstance(node, dict) else label(value))
        yield at, node, key
        yield from places(value, at)


WHICH = {"all": lambda i, n: True, "every 2nd": lambda i, n: i % 2, "every 7th": lambda i, n: i % 7 == 3,
         "the first": lambda i, n: i == 0, "the last third": lambda i, n: i >= n - n // 3}


def chosen(list_):
    """The names of the subsets of a list that are removed: fewer if the list is short."""
    return [w for w in WHICH if len(list_) > 6 or w == "all" or (w in ("the first", "every 2nd") and len(list_) > 1)]


def removals_of_json(text, events=None):
    """Yields (what is removed, function that gives the text without it); of events also each name and each step by itself."""
    found = collections.defaultdict(list)
    for at, _, _ in places(json.loads(text)):
        found[at].append(at)
    for at, list_ in found.items():
        for which in chosen(list_):
            yield f"{'/'.join(map(str, at))}: {which}", lambda at=at, which=which: without(text, at, which)
    names = sorted({e["name"] for e in json.loads(text)[events] if e.get("name") and e.get("ph") == "X"}) if events else ()
    for name in names:
        yield f"{events} of {name[:40]}", lambda name=name: json.dumps(
            {**(d := json.loads(text)), events: [e for e in d[events] if e.get("name") != name]})


def without(text, at, which):
    value = json.loads(text)
    hits = [(container, key) for a, container, key in places(value) if a == at]
    gone = [hit for i, hit in enumerate(hits) if WHICH[which](i, len(hits))]
    for container, key in reversed(gone):
        del container[key]
    return json.dumps(value)


# --- Removals from other forms ---------------------------------------------------------------------------------------------


def removals_of_lines(text):
    rows = text.splitlines()
    for i, row in enumerate(rows):
        yield f"line {i}", lambda i=i: "\n".join(rows[:i] + rows[i + 1:]) + "\n"
        for what, less in removals_of_json(row) if row.startswith("{") else ():
            yield f"line {i}, {what}", lambda i=i, less=less: "\n".join([*rows[:i], less(), *rows[i + 1:]]) + "\n"


def removals_of_csv(text):
    rows = list(csv.reader(io.StringIO(text)))

    def write(rows):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(rows)
        return out.getvalue()

    for i in range(len(rows)):
        yield f"row {i}", lambda i=i: write(rows[:i] + rows[i + 1:])
    for k in range(len(rows[0])):
        yield f"column {k}", lambda k=k: write([r[:k] + r[k + 1:] for r in rows])
        for i in range(1, len(rows)):
            yield f"cell {i}, {k}", lambda i=i, k=k: write([[*r[:k], "", *r[k + 1:]] if r is rows[i] else r for r in rows])


def removals_of_pickle(data):
    text = json.dumps(pickle.loads(data))
    for what, less in removals_of_json(text):
        yield what, lambda less=less: pickle.dumps(json.loads(less()), 4)


def removals_of_tables(data):
    """Removes tables, columns, values of a column and rows of a table from an SQLite file."""
    def edited(*commands):
        with tempfile.NamedTemporaryFile() as f:
            f.write(data)
            f.flush()
            db = sqlite3.connect(f.name, isolation_level=None)
            db.execute("PRAGMA writable_schema = ON")    # a column that is NOT NULL can lose its values
            for command in commands:
                db.execute(command)
            db.close()
            return pathlib.Path(f.name).read_bytes()

    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        db = sqlite3.connect(f.name)
        tables = {t: [c[1] for c in db.execute(f"PRAGMA table_info({t})")] for t, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
                  if db.execute(f"SELECT count(*) FROM {t}").fetchone()[0]}
        db.close()
    for table, columns in tables.items():
        yield table, lambda t=table: edited(f"DROP TABLE {t}")
        nullable = f"UPDATE sqlite_master SET sql = replace(replace(sql, 'NOT NULL', ''), 'PRIMARY KEY', '') WHERE name = '{table}'"
        for which, condition in (("every 2nd", "rowid % 2"), ("every 7th", "rowid % 7 = 3"), ("the first", f"rowid = (SELECT min(rowid) FROM {table})"),
                                 ("the last third", f"rowid > (SELECT max(rowid) * 2 / 3 FROM {table})")):
            yield f"{table}: {which}", lambda t=table, c=condition: edited(f"DELETE FROM {t} WHERE {c}")
            for column in columns:
                yield f"{table}.{column}: {which}", lambda t=table, c=condition, k=column, n=nullable: edited_twice(edited(n), f"UPDATE {t} SET {k} = NULL WHERE {c}")
        for column in columns:
            yield f"{table}.{column}", lambda t=table, k=column, n=nullable: edited_twice(edited(n), f"ALTER TABLE {t} DROP COLUMN {k}")


def edited_twice(data, command):
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        db = sqlite3.connect(f.name, isolation_level=None)
        db.execute(command)
        db.close()
        return pathlib.Path(f.name).read_bytes()


# Fields of XSpace that are messages: planes, their lines, events, statistics, and the maps of names.
MESSAGES = {(1,), (1, 3), (1, 3, 4), (1, 3, 4, 4), (1, 4), (1, 4, 2), (1, 4, 2, 5), (1, 5), (1, 5, 2), (1, 6)}


def removals_of_fields(data):
    def read(data, path=()):
        return [[n, read(v, (*path, n)) if (*path, n) in MESSAGES else v] for n, v in xspace.fields(data)]

    def write(fields):
        return b"".join(xspace.number(n, v) if isinstance(v, int) else xspace.message(n, write(v) if isinstance(v, list) else v) for n, v in fields)

    def walk(fields, path=()):
        for row in list(fields):
            yield (*path, row[0]), fields, row
            if isinstance(row[1], list):
                yield from walk(row[1], (*path, row[0]))

    def less(at, which):
        value = read(data)
        hits = [(fields, row) for a, fields, row in walk(value) if a == at]
        for i, (fields, row) in enumerate(hits):
            if WHICH[which](i, len(hits)):
                fields[:] = [r for r in fields if r is not row]
        return write(value)

    assert read(write(read(data))) == read(data)
    found = collections.Counter(at for at, _, _ in walk(read(data)))
    for at, nr in found.items():
        for which in chosen(range(nr)):
            yield f"field {'.'.join(map(str, at))}: {which}", lambda at=at, which=which: less(at, which)


# --- Forms: files of the baseline, files of the slower run, and the removals from one of these files -----------------------


def slower(text):
    """A trace of which every time is longer."""
    d = json.loads(text)
    for e in d["traceEvents"]:
        e.update({k: round(e[k] * SLOWER, 3) for k in ("ts", "dur") if k in e})
    return json.dumps(d)


def as_rocm(text):
    """The trace as PyTorch writes it on GPUs of AMD."""
    d = json.loads(re.sub(r'"(cuda|cu)([A-Z][A-Za-z]+)"', r'"hip\2"', text).replace('"cbid"', '"cid"'))
    for p in d["deviceProperties"]:
        p.update(name="AMD Instinct MI300X", warpSize=64)
    for e in d["traceEvents"]:
        if e.get("cat") == "kernel":
            e["args"] = {k: v for k, v in e["args"].items() if k in ("External id", "device", "stream", "correlation", "grid", "block")}
            e["args"]["kind"] = "Dispatch Kernel"
    return json.dumps(d)


def as_graphs(text):
    """The trace of a server that replays a graph for each layer: its kernels have the correlation of one launch."""
    d = json.loads(text)
    launches = [e["args"]["correlation"] for e in d["traceEvents"] if e["name"] == "cudaLaunchKernel"]
    first = {c: launches[i // 4 * 4] for i, c in enumerate(launches)}
    out = []
    for i, e in enumerate(d["traceEvents"]):
        c = e["args"].get("correlation")
        if e["name"] == "cudaLaunchKernel" and first[c] != c:
            continue
        if e["name"] == "cudaLaunchKernel":
            e["name"] = "cudaGraphLaunch"
        elif e["cat"] == "kernel":
            e["args"].update(correlation=first[c], **{"graph node id": i % 4 + 1, "graph id": 1})
        out.append(e)
    return json.dumps({**d, "traceEvents": out})


LONGER = re.compile("ms$|time|mean|median|duration|latency")
SMALLER = re.compile("throughput|per_s|GB/s")


def worse(value, key=""):
    """A result of which every time is longer, and every rate is smaller."""
    if isinstance(value, dict):
        return {k: worse(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [worse(v, key) for v in value]
    if not isinstance(value, float):
        return value
    return value * FIGURES_WORSE if LONGER.search(key) else value / FIGURES_WORSE if SMALLER.search(key) else value


RESULTS = {
    "vllm.json": {"backend": "vllm", "model_id": "m", "num_prompts": 200, "completed": 200, "failed": 0, "request_rate": "inf",
                  "max_concurrency": 32, "duration": 41.5, "total_input_tokens": 40960, "total_output_tokens": 25600,
                  "request_throughput": 4.8, "output_throughput": 616.8, "total_token_throughput": 1603.8, "mean_ttft_ms": 81.5,
                  "median_ttft_ms": 78.5, "p99_ttft_ms": 140.5, "mean_tpot_ms": 12.5, "median_tpot_ms": 12.2, "p99_tpot_ms": 19.5,
                  "mean_itl_ms": 12.6, "median_itl_ms": 12.3, "p99_itl_ms": 22.5},
    "gbench.json": {"context": {"date": "2026-01-01"}, "benchmarks": [
        {"name": f"{n}/{i}", "run_name": f"{n}/{i}", "run_type": "iteration", "iterations": 100, "time_unit": "us", "real_time": 15.5 + i, "cpu_time": 15.0 + i}
        for n in "AB" for i in range(3) for _ in range(2)]},
    "hyperfine.json": {"results": [{"command": c, "mean": 1.01, "stddev": 0.01, "median": 1.01, "min": 0.99, "max": 1.03,
                                    "times": [0.99, 1.0, 1.01, 1.02, 1.03], "exit_codes": [0] * 5} for c in ("train", "serve")]},
    "metrics.json": {"tokens_per_s": 1234.5, "latency_ms": 20.5, "p99_latency_ms": 41.5},
}
SGLANG = [{"backend": "sglang", "dataset_name": "random", "request_rate": r, "max_concurrency": 8, "completed": 100,
           "total_output_tokens": 6400, "total_output_tokens_retokenized": 6400, "duration": 40.5, "request_throughput": 2.5 * r,
           "output_throughput": 160.5, "mean_ttft_ms": 50.5, "median_ttft_ms": 48.5, "mean_itl_ms": 9.5} for r in (2.0, 4.0)]
TRITON = [["N", "Triton (GB/s)", "Torch (GB/s)"], *[[str(4096.0 * i), 900.5 + i, 800.5 + i] for i in range(1, 5)]]


def table(rows, factor):
    return "\n".join([",".join(rows[0]), *[",".join([r[0], *[str(v / factor) for v in r[1:]]]) for r in rows[1:]]]) + "\n"



def forms(dir):
    """Yields (name, {file: content} of the baseline, the same of the slower run, the file to damage, its removals)."""
    def trace(name, text, changed=None):
        return name, {"t.json": text}, {"t.json": changed or slower(text)}, "t.json", removals_of_json(changed or slower(text), "traceEvents")

    def digest(name, files):
        d = dir / "of-digest"
        shutil.rmtree(d, ignore_errors=True)
        write(d / "in", files)
        subprocess.run([PROGRAM, "digest", "in", "-o", "d.json"], cwd=d, check=True, capture_output=True)
        return (d / "d.json").read_text(encoding="utf-8")

    cuda = generate("trace", dir / "cuda.json", "--seed", 1, "--steps", 4, "--no-memory").read_text()
    planted = generate("trace", dir / "planted.json", "--seed", 1, "--steps", 4, "--no-memory", "--slow-kernel", f"*={SLOWER}").read_text()
    yield trace("Kineto, CUDA", cuda, planted)
    yield trace("Kineto, ROCm", as_rocm(cuda), as_rocm(planted))
    server = [generate("server", dir / f"s{i}.json", "--seed", 1, "--steps", 16, *(("--slow", f"decode={SLOWER}", "--slow", f"prefill={SLOWER}", "--slow", f"mixed={SLOWER}") if i else ())) for i in range(2)]
    server = [subprocess.run(["gzip", "-dc"], stdin=open(p, "rb"), capture_output=True, check=True).stdout.decode() for p in server]
    yield trace("server", *server)
    yield trace("server, graphs", *map(as_graphs, server))

    generate("ranks", dir / "ranks", "--ranks", 3, "--seed", 1, "--steps", 4, "--plain")
    ranks = {p.name: p.read_text() for p in sorted((dir / "ranks").iterdir())}
    slow = {name: slower(text) for name, text in ranks.items()}
    some_rank = sorted(slow)[1]
    yield "ranks", ranks, slow, some_rank, [(f"the file {some_rank}", lambda: None), *removals_of_json(slow[some_rank], "traceEvents")]

    jax = generate("xprof", dir / "jax.json", "--seed", 1).read_text()
    yield trace("JAX", jax)
    planes = [xspace.encode([e for e in json.loads(t, parse_float=xspace.decimal.Decimal)["traceEvents"] if e]) for t in (jax, slower(jax))]
    yield "XSpace", {"x.xplane.pb": planes[0]}, {"x.xplane.pb": planes[1]}, "x.xplane.pb", removals_of_fields(planes[1])

    import nsys
    exports = []
    for name in ("cuda", "planted"):
        nsys.main([str(dir / f"{name}.json"), "--out", str(dir / f"{name}.sqlite")])
        exports.append((dir / f"{name}.sqlite").read_bytes())
    yield "Nsight Systems", {"n.sqlite": exports[0]}, {"n.sqlite": exports[1]}, "n.sqlite", removals_of_tables(exports[1])

    shot = ("--seed", 1, "--steps", 3, "--layers", 2)
    small, large = (generate("snapshot", dir / f"{more}.json", *shot, "--peak", more).read_text() for more in (0, 20))
    yield "snapshot", {"s.json": small}, {"s.json": large}, "s.json", removals_of_json(large)
    small, large = (generate("snapshot", dir / f"{more}.pickle", *shot, "--pickle", 4, "--peak", more).read_bytes() for more in (0, 20))
    yield "pickle", {"s.pickle": small}, {"s.pickle": large}, "s.pickle", removals_of_pickle(large)
    memory, more = (generate("trace", dir / f"m{factor}.json", "--seed", 1, "--steps", 4, "--peak-memory", factor).read_text() for factor in (1, SLOWER))
    yield trace("memory of a trace", memory, more)

    for name, value in RESULTS.items():
        text, bad = json.dumps(value), json.dumps(worse(value))
        yield name, {name: text}, {name: bad}, name, removals_of_json(bad)
    lines = ["\n".join(map(json.dumps, rows)) + "\n" for rows in (SGLANG, worse(SGLANG))]
    yield "sglang.jsonl", {"r.jsonl": lines[0]}, {"r.jsonl": lines[1]}, "r.jsonl", removals_of_lines(lines[1])
    good, bad = table(TRITON, 1), table(TRITON, FIGURES_WORSE)
    yield "triton.csv", {"r.csv": good}, {"r.csv": bad}, "r.csv", removals_of_csv(bad)

    for name, good, bad in (("digest", {"t.json": cuda}, {"t.json": planted}), ("digests of ranks", ranks, slow), ("digest of memory", {"t.json": memory}, {"t.json": more})):
        good, bad = digest(name, good), digest(name, bad)
        yield name, {"d.json": good}, {"d.json": bad}, "d.json", removals_of_json(bad)


# --- The law ------------------------------------------------------------------------------------------------------------


def write(dir, files):
    dir.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        if data is not None:
            (dir / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def gpugate(dir, *args):
    return subprocess.run([PROGRAM, *args], cwd=dir, capture_output=True, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"}).returncode


def judge(dir, run, rules):
    """{rule: exit code} of a run. It is digested first, since each rule needs a check."""
    code = gpugate(dir, "digest", run, "-o", f"{run}.digest.json")
    if code:
        return dict.fromkeys(rules, code)
    return {rule: gpugate(dir, "check", f"{run}.digest.json", "--baseline", "base.json", *option) for rule, option in rules.items()}


def hold(name, base, slow, file, removals, dir, pool):
    """Prints the removals of a form that pass. Returns how many these are, and how many were judged."""
    write(dir / "good", base)
    write(dir / "bad", slow)
    (dir / "empty.yaml").write_text("version: 1\n")
    rules = {"built in": ()}
    for rule, text in USERS.items():
        file_name = re.sub(r"\W", "-", rule) + ".yaml"
        (dir / file_name).write_text(f"version: 1\nrules:\n  - {{id: r, {text}}}\n")
        rules[rule] = ("--rules", file_name)
    assert gpugate(dir, "digest", "good", "-o", "good.json") == 0, name
    assert gpugate(dir, "approve", "--new", "good.json", "--baseline", "base.json") == 0, name
    rules = {rule: rules[rule] for rule, code in judge(dir, "bad", rules).items() if code == 1}
    assert len(rules) > 1, f"{name}: only {list(rules)} fail the slower run"
    removals = list(removals)
    random.Random(1).shuffle(removals)
    removals = part(removals[::EVERY])

    def one(numbered):
        i, (what, less) = numbered
        write(dir / f"less{i}", {**slow, file: less()})
        answers = judge(dir, f"less{i}", rules)
        shutil.rmtree(dir / f"less{i}")
        (dir / f"less{i}.digest.json").unlink(missing_ok=True)
        return [(what, rule, code) for rule, code in answers.items() if code not in (1, 2, 3, 4)]

    passed = [w for rows in pool.map(one, enumerate(removals)) for w in rows]
    wrong = [(what, rule, code) for what, rule, code in passed if not OPEN.fullmatch(f"{name}: {rule}: {what}")]
    print(f"{name}: {len(removals)} removals, {len(rules)} rules, {len(wrong)} wrong", flush=True)
    for what in sorted({w[0] for w in passed}):
        print(f"    without {what}: " + ", ".join(f"{rule} ends with {code}" for w, rule, code in passed if w == what), flush=True)
    return len(wrong), len(removals) * len(rules)


def main(wanted):
    wrong = nr = 0
    with tempfile.TemporaryDirectory() as dir, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for i, (name, *form) in enumerate(forms(pathlib.Path(dir))):
            if not wanted or name in wanted:
                found, judged = hold(name, *form, pathlib.Path(dir) / f"form{i}", pool)
                wrong, nr = wrong + found, nr + judged
    print(f"{nr} judgments of removals, {wrong} wrong")
    return 1 if wrong or not nr else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if PROGRAM else 77)
