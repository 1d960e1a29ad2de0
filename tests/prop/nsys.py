#!/usr/bin/env python3
"""An export of Nsight Systems gives the same figures as a trace of the same run.

- A trace and the export that nsys would have made of the same run (tests/gen/nsys.py) give one digest, byte for byte,
  at every page size of SQLite; so do the shared traces where $GPUGATE_SHARED is set.
- Kernels, copies and counters in databases with random layouts (columns in any order, quoted, commented and added later,
  deleted rows, long texts over many pages, indexes, views, other processes' work) are those that SQLite itself finds.
- What cannot be read exactly, or is damaged in any byte, is refused with one line.

$GPUGATE is the program; exit 77 skips.
"""
import collections
import json
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile

from _gen import generate
from _part import some
from _reference import recordings
import nsys

PROGRAM = os.environ.get("GPUGATE")
GPU = ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset")
CALLS = ("cuda_runtime", "cuda_driver", "runtime")
UNIT = " [Throughput %]"


def run(*args):
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True)


def digest(path, *options):
    done = run("digest", path, *options, "-o", "-")
    if done.returncode:
        sys.exit(f"FAILED: {path}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def refused(path, *words, status=3):
    done = run("digest", path, "-o", "-")
    if done.returncode != status or done.stderr.count("\n") != 1 or not all(w in done.stderr for w in words):
        sys.exit(f"FAILED: {path}: exit {done.returncode}, without {words}: {done.stderr}")


# --- The same run in both forms ------------------------------------------------------------------------------


def in_common(source):
    """The part of a trace that nsys also records, with the ids and names of an export; None if an export cannot hold a GPU activity."""
    threads, out = {}, []
    for e in source:
        cat, args = e.get("cat", "").lower(), e.get("args", {})
        if e.get("ph") != "X" or cat not in GPU + CALLS + ("user_annotation",):
            continue
        if any("\ud800" <= c <= "\udfff" for c in e["name"]):
            continue  # SQLite cannot store this name as text
        if nsys.ns(e.get("dur", 0)) < 0 or (cat == "user_annotation" and e["name"].startswith("nccl:")):
            continue  # annotations of nccl have shapes in a trace, but not in an export
        keep = {k: args[k] for k in ("device", "stream", "correlation", "bytes", "grid", "block", "registers per thread", "shared memory") if k in args}
        if cat not in GPU:
            keep = {k: v for k, v in keep.items() if k == "correlation"}
            tid = threads.setdefault((str(e["pid"]), str(e["tid"])), len(threads) + 1)
        else:
            tid = 0
            if not isinstance(keep.get("stream"), int) or not nsys.has_a_row(e):
                return None
            if cat == "kernel":
                keep.setdefault("grid", [1, 1, 1])
                keep.setdefault("block", [1, 1, 1])
        if not isinstance(keep.get("correlation", 0), int) or keep.get("correlation", 0) < 0:
            keep.pop("correlation")
        out.append(dict(e, pid=nsys.PID, tid=tid, args=keep))
    return out


def comparable(d):
    for key in ("trace", "source_hash", "events", "counters"):
        d.pop(key, None)
    sums = collections.Counter()  # rows are added over modules, because a range of an export is a module, while an annotation of a trace is not
    for row in d.get("code", []):
        for what in ("count", "total_ns", "bytes"):
            sums[row["kind"], row["phase"], what] += row.get(what, 0)
    d["code"] = +sums
    return d


def same_digest(dir, source, page_size):
    # A capture ends by the clock: launches without a kernel would be pending at its end, and its last step cut; in a trace they are lost.
    ran = {e["args"].get("correlation") for e in source if e["cat"].lower() in GPU}
    source = [e for e in source if "Launch" not in str(e["name"]) or e["args"].get("correlation") in ran]
    export, trace = dir / "x.sqlite", dir / "x.json"
    nsys.convert(source, export, page_size, metrics=False)
    devices = [{"id": d, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85 * 10**9}
               for d in sorted({e["args"]["device"] for e in source if e["cat"].lower() in GPU})]
    trace.write_text(json.dumps({"deviceProperties": devices, "traceEvents": source}, default=str))
    want, got = comparable(digest(trace)), comparable(digest(export))
    for key in want:
        if got.get(key) != want[key]:
            sys.exit(f"FAILED: page size {page_size}: '{key}' differs:\n{got.get(key)}\n{want[key]}")
    return len(source)


def of_generated_traces(dir):
    nr = 0
    for seed, page_size in enumerate((512, 1024, 4096, 65536)):
        generate("trace", dir / "t.json.gz", "--seed", seed, "--steps", 3, "--hostile-names")
        nr += same_digest(dir, in_common(nsys.events(dir / "t.json.gz")), page_size)
    return nr


def of_shared_traces(dir):
    nr = 0
    for path in some([p for p in recordings("traces", "*.json*") if p.stat().st_size <= 20 << 20], 5):
        try:
            source = in_common(nsys.events(path))
        except (ValueError, KeyError, AttributeError, TypeError):
            continue  # another artifact
        if source and any(e["cat"].lower() in GPU for e in source):
            nr += 1
            same_digest(dir, source, 4096)
    return nr


# --- Databases with random layouts ---------------------------------------------------------------------------------


def scramble(path, rng):
    """Rewrites the tables with the columns in another order, and with other constructs that SQLite allows."""
    db = sqlite3.connect(path)
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall():
        columns = [(name, rng.choice(['"{}"', "[{}]", "`{}`"]).format(name), "INTEGER PRIMARY KEY" if key else kind)
                   for _, name, kind, _, _, key in db.execute(f"PRAGMA table_info({table})")]
        keyed = any(kind.endswith("KEY") for _, _, kind in columns)
        rng.shuffle(columns)
        rows = db.execute(f"SELECT {','.join(quoted for _, quoted, _ in columns)} FROM {table}").fetchall()
        later = columns[-1:] if rng.random() < 0.3 and not columns[-1][2].endswith("KEY") and len(columns) > 2 else []
        first = columns[: len(columns) - len(later)]
        extra = rng.choice(["", ", CHECK (1)", ", extra_ DEFAULT (max(1, 2)), CONSTRAINT c UNIQUE (extra_)" if len(rows) < 2 else ""])
        text = " /* , ( */,\n -- a comment, with (\n".join(f"{quoted} {kind}" for _, quoted, kind in first)
        db.execute(f"DROP TABLE {table}")
        db.execute(f"CREATE TABLE {table} (\n{text}{extra})")
        for _, quoted, kind in later:
            db.execute(f"ALTER TABLE {table} ADD COLUMN {quoted} {kind}")
        rows *= 1 if keyed or rng.random() < 0.7 else 2
        into = f"{table} ({','.join(quoted for _, quoted, _ in columns)})"
        db.executemany(f"INSERT INTO {into} VALUES ({','.join('?' * len(columns))})", rows)
        if not keyed and len(rows) > 50:
            db.execute(f"DELETE FROM {table} WHERE rowid % 7 = 3")
        if rng.random() < 0.5:
            db.execute(f"CREATE INDEX \"i {table}\" ON {table} ({columns[0][1]})")
        if rng.random() < 0.3:
            db.execute(f"CREATE VIEW \"v_{table}\" AS SELECT * FROM {table}")
            db.execute(f"CREATE TRIGGER t_{table} AFTER INSERT ON {table} BEGIN SELECT 1; END")
    db.commit()
    if rng.random() < 0.3:
        db.execute("VACUUM")
    db.close()


def random_export(path, rng):
    export = nsys.Export(path, rng.choice([512, 1024, 2048, 4096, 8192, 65536]))
    names = [f"kernel_{i}<{'x' * int(rng.expovariate(1 / 300))}>" for i in range(rng.randrange(1, 40))]
    clock = 0
    for i in range(rng.randrange(1, 900)):
        clock += rng.randrange(1, 1 << rng.randrange(1, 40))
        e = {"ts": 0, "dur": 0, "name": rng.choice(names), "cat": rng.choice(["kernel"] * 4 + ["memcpy", "memset"]),
             "args": {"device": rng.randrange(2), "stream": rng.randrange(4), "bytes": rng.randrange(1 << 40),
                      "correlation": i + 1 if rng.random() < 0.9 else None}}
        if e["cat"] == "memcpy":
            e["name"] = f"Memcpy {rng.choice(nsys.COPIES)} ({rng.choice(nsys.KINDS)} -> {rng.choice(nsys.KINDS)})"
        elif e["cat"] == "memset":
            e["name"] = f"Memset ({rng.choice(nsys.KINDS)})"
        e["ts"], e["dur"] = clock / 1000, rng.randrange(1000)
        export.gpu_work(e)
    for i in range(rng.randrange(40)):  # to be left out: ranges of another process, without an end, or of another type of event
        export.range("step", i, i + 5, nsys.VM | nsys.OTHER_PID << 24 | 1)
        export.range("step", i, None, nsys.VM | nsys.PID << 24 | 1)
        export.range("step", i, i, nsys.VM | nsys.PID << 24 | 1, event_type=34)
    export.range("lib", 0, None, nsys.VM | nsys.PID << 24 | 1, domain=3, event_type=75)
    for i in range(rng.randrange(3)):
        start, end = clock // 5 + clock // 4 * i, clock // 5 + clock // 4 * (i + 1)
        export.range(f"step {i}", start, end, nsys.VM | nsys.PID << 24 | 1, domain=rng.choice([0, 3]),
                     event_type=rng.choice([59, 60, 70, 71]), registered=rng.random() < 0.5)
    export.gpus({0, 1})
    for m in range(rng.randrange(4)):
        for gpu in (1, 2, 3):  # GPU 1 is not one of the GPUs that our process uses
            export.metric(gpu, m, f"Counter {m}" + rng.choice([UNIT, UNIT, " [MHz]"]),
                          [(rng.randrange(-5, clock + 2), rng.randrange(-1, 102)) for _ in range(rng.randrange(80))])
    export.close()


NAME = "(SELECT value FROM StringIds WHERE id = demangledName)"


def named_copy(row):
    kind, source, target = (("<unknown>" if i >= len(t) or i < 0 else t[i]) for t, i in zip((nsys.COPIES, nsys.KINDS, nsys.KINDS), row))
    return f"Memcpy {kind} ({source} -> {target})"


def by_sql(path):
    """{(kind, name): [count, total, longest, bytes]} and {counter: samples}, for the whole recording."""
    db = sqlite3.connect(path)
    stats = collections.defaultdict(lambda: [0, 0, 0, 0])
    for kind, name, ns, size in [
        *(("kernel", n, t, 0) for n, t in db.execute(f'SELECT {NAME}, "end" - start FROM CUPTI_ACTIVITY_KIND_KERNEL')),
        *(("memcpy", named_copy(r[:3]), r[3], r[4]) for r in
          db.execute('SELECT copyKind, srcKind, dstKind, "end" - start, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY')),
        *(("memset", f"Memset ({nsys.KINDS[r[0]]})", r[1], r[2]) for r in
          db.execute('SELECT memKind, "end" - start, bytes FROM CUPTI_ACTIVITY_KIND_MEMSET')),
    ]:
        s = stats[kind, name]
        s[0], s[1], s[2], s[3] = s[0] + 1, s[1] + ns, max(s[2], ns), s[3] + size
    # ranges with the same times are one step
    steps = db.execute("""SELECT start, "end", max(domainId AND EXISTS (SELECT 1 FROM NVTX_EVENTS WHERE eventType = 75))
        FROM NVTX_EVENTS WHERE eventType IN (59, 60, 70, 71) AND globalTid / 0x1000000 % 0x1000000 = 4242
        AND "end" IS NOT NULL GROUP BY 1, 2""").fetchall()
    spans = [db.execute(f'SELECT min(start), max("end") FROM CUPTI_ACTIVITY_KIND_{t}').fetchone() for t in ("KERNEL", "MEMCPY", "MEMSET")]
    window = (min(s for s, _ in spans if s is not None), max(e for _, e in spans if e is not None))
    devices = {d for t in ("KERNEL", "MEMCPY", "MEMSET") for (d,) in db.execute(f"SELECT deviceId FROM CUPTI_ACTIVITY_KIND_{t}")}
    counters = collections.defaultdict(list)
    for name, value, at, gpu in db.execute("""SELECT i.metricName, m.value, m.timestamp, m.typeId % 256 FROM GPU_METRICS m
            JOIN (SELECT DISTINCT typeId, metricId, metricName FROM TARGET_INFO_GPU_METRICS) i USING (typeId, metricId)"""):
        if name.endswith(UNIT) and 3 - gpu in devices and value >= 0:
            counters[name.removesuffix(UNIT)].append((at, value))
    db.close()
    return dict(stats), steps, window, counters


def counter_rows(counters, first, last):
    rows = []
    for name, samples in sorted(counters.items()):
        values = [v * 10**6 for at, v in samples if first <= at <= last]
        if values:
            median = int(statistics.median(values))  # all values are whole millions, so the median is a whole number
            rows.append({"name": name, "samples": len(values), "median": median,
                         "mad": int(statistics.median(abs(v - median) for v in values))})
    return rows


def laid_out_at_random(dir):
    nr = 0
    for seed in some(range(60), 3):
        rng = random.Random(seed)
        path = dir / "r.sqlite"
        random_export(path, rng)
        scramble(path, rng)
        stats, steps, window, counters = by_sql(path)
        if not stats:
            refused(path, "no kernel, copy or memory set")
            continue
        d = digest(path, "--marker", "no such marker")
        rows = d.get("kernels", [])
        got = {(k["kind"], k["name"]): [k["count"], k["total_ns"], k["max_ns"], k["bytes"]] for k in rows if not k.get("names")}
        summed = [k for k in rows if k.get("names")]
        total = sum(s[1] for s in stats.values())
        want = {k: v for k, v in stats.items() if k in got}
        if got != want or sum(k["total_ns"] for k in rows) != total or len(stats) != len(got) + sum(k["names"] for k in summed):
            sys.exit(f"FAILED: seed {seed}: {got} is not {stats}")
        whole = counter_rows(counters, d["start_ns"], d["start_ns"] + d["window_ns"])
        if d.get("counters", []) != whole:
            sys.exit(f"FAILED: seed {seed}: {d.get('counters')} is not {whole}")
        for marker, want in (("step*@lib", sum(step[2] for step in steps)), ("step*", len(steps))):
            d = digest(path, "--marker", marker)
            if d["window"] == bool(want) or (want and d["total_steps"] != want):
                sys.exit(f"FAILED: seed {seed}: {d['total_steps']} steps of {marker}, not {want}")
        if steps:
            usable = sorted(steps)[: d["usable_steps"]]
            rows = counter_rows(counters, usable[0][0], usable[-1][1]) if usable else []
            if d.get("counters", []) != rows:
                sys.exit(f"FAILED: seed {seed}, in steps: {d.get('counters')} is not {rows}")
        nr += sum(s[0] for s in stats.values())
    return nr


# --- Several processes, graphs, steps ---------------------------------------------------------------------------------


KERNEL = "CUPTI_ACTIVITY_KIND_KERNEL"
TWO = f"UPDATE {KERNEL} SET globalPid = {nsys.VM | nsys.OTHER_PID << 24} WHERE start > 2000"


def communicator(pid, ranks, rank):
    said = json.dumps({"NCCL communicator ID": 7, "No. of ranks": ranks, "Rank": rank, "CUDA device": 0}, separators=(",", ":"))
    return f"""INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, jsonText)
        VALUES (1, 2, 59, 'ncclCommInitRank', {nsys.VM | pid << 24 | 1}, '{said}')"""


def mpi(pid, rank):
    return f"INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid) VALUES (1, 39, 'MPI Rank {rank}', {nsys.VM | pid << 24 | 1})"


def ranks_of(path):
    """[rank, world size, kernels] of each process in an export."""
    done = run("digest", path, "-o", "-")
    if done.returncode:
        sys.exit(f"FAILED: {path}: exit {done.returncode}: {done.stderr}")
    d = json.loads(done.stdout)
    return [[r["rank"], r.get("world_size"), sum(k["count"] for k in r["kernels"] if k["kind"] == "kernel")] for r in d.get("digests", [d])]


def expect(what, got, want):
    if got != want:
        sys.exit(f"FAILED: {what}: {got}, not {want}")


def processes(dir):
    p = dir / "p.sqlite"
    other_gpu = f"UPDATE {KERNEL} SET deviceId = 1 WHERE globalPid >> 24 & 0xFFFFFF = {nsys.OTHER_PID}"
    expect("by GPU", ranks_of(changed(p, TWO, other_gpu)), [[0, None, 2], [1, None, 2]])
    by_number = ["DELETE FROM TARGET_INFO_CUDA_DEVICE",
                 *(f"INSERT INTO TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid) VALUES ({gpu}, 0, {pid})"
                   for gpu, pid in ((5, nsys.PID), (4, nsys.OTHER_PID)))]
    expect("by the report's number of the GPU", ranks_of(changed(p, TWO, *by_number)), [[0, None, 2], [1, None, 2]])
    said = [communicator(nsys.PID, 4, 3), communicator(nsys.OTHER_PID, 4, 2), communicator(nsys.PID, 2, 0)]
    expect("by NCCL", ranks_of(changed(p, TWO, other_gpu, *said)), [[2, 4, 2], [3, 4, 2]])
    expect("by MPI", ranks_of(changed(p, TWO, mpi(nsys.PID, 1), mpi(nsys.OTHER_PID, 0))), [[0, None, 2], [1, None, 2]])
    refused(changed(p, TWO, communicator(nsys.PID, 4, 3), communicator(nsys.OTHER_PID, 4, 3)), "--process")
    expect("one process, by NCCL", ranks_of(changed(p, communicator(nsys.PID, 8, 6))), [[6, 8, 4]])
    changed(p, TWO)
    for pid in (nsys.PID, nsys.OTHER_PID):
        d = digest(p, "--process", str(pid))
        expect(f"--process {pid}", sum(k["count"] for k in d["kernels"] if k["kind"] == "kernel"), 2)
    done = run("digest", p, "--process", "17", "-o", "-")
    if done.returncode != 2 or "4242, 4243" not in done.stderr:
        sys.exit(f"FAILED: --process 17: exit {done.returncode}: {done.stderr}")
    generate("trace", dir / "t.json.gz", "--seed", 1)
    done = run("digest", dir / "t.json.gz", "--process", "17", "-o", "-")
    if done.returncode != 2 or "which" not in done.stderr:
        sys.exit(f"FAILED: --process of a trace: exit {done.returncode}: {done.stderr}")


GRAPHS = "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE ({})"
GRAPH_COLUMNS = """start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, graphId INTEGER NOT NULL,
    graphExecId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER"""


def graphs(dir):
    """A CUDA graph recorded as a whole is one activity of the step that launched it."""
    p = dir / "g.sqlite"
    rows = [f"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES ({i * 1000 + 600}, {i * 1000 + 1100}, 0, {7 + i % 2}, 9, 1, 7, {i + 1}, "
            f"{nsys.VM | nsys.PID << 24})" for i in range(4)]
    kinds = [f"DELETE FROM CUPTI_ACTIVITY_KIND_{t}" for t in ("KERNEL", "MEMCPY", "MEMSET")]
    for before in ([], kinds):
        d = digest(changed(p, GRAPHS.format(GRAPH_COLUMNS), *rows, *before))
        got = {k["name"]: (k["kind"], k["count"], k["total_ns"]) for k in d["kernels"] if k["name"].startswith("CUDA graph")}
        expect("graphs", got, {"CUDA graph 7": ("kernel", 2, 1000), "CUDA graph 8": ("kernel", 2, 1000)})
        expect("steps with graphs", [d["total_steps"], d["trust"]["unattributed"]], [4, 0])


USAGE = """CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
    address INTEGER NOT NULL, pc INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, name TEXT,
    correlationId INTEGER)"""


def usage_row(at, device, nbytes, kind=2, freed=0, pid=nsys.PID):
    return (f"INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES ({at}, {nsys.VM | pid << 24}, {device}, 1, {0x7f0000000000 + at}, 0, {nbytes}, {kind}, "
            f"{freed}, NULL, NULL)")


def device_memory(dir):
    """Device memory is what cudaMalloc and cudaFree leave, in the order of time; memory of the host and of other processes does not count. It is
    not known where some was taken before the recording: more is freed than was allocated, or the device works before its first allocation."""
    p = dir / "m.sqlite"
    for seed in range(12):
        rng = random.Random(seed)
        live, rows, levels = {0: [], 1: []}, [], {0: [0], 1: [0]}
        for at in range(2, 42):
            d = at % 2 if at < 4 else rng.randrange(2)
            free = bool(live[d]) and rng.random() < 0.4
            nbytes = live[d].pop(rng.randrange(len(live[d]))) if free else rng.randrange(1, 1 << 30)
            if not free:
                live[d].append(nbytes)
            levels[d].append(levels[d][-1] + (-nbytes if free else nbytes))
            rows.append(usage_row(at * 60, d, nbytes, rng.choice((2, 3, 5)), int(free)))
        rows += [usage_row(50 * i, 0, 1 << 40, kind, pid=pid) for i, (kind, pid) in enumerate(((0, nsys.PID), (1, nsys.PID), (4, nsys.PID), (2, nsys.OTHER_PID)))]
        before = seed % 3 == 2
        rows += [usage_row(1, 1, 1 << 20, freed=1)] if before else []
        rng.shuffle(rows)
        done = run("digest", changed(p, USAGE, *rows), "-o", "-")
        got = {m["id"]: m for m in json.loads(done.stdout)["memories"]}
        for d in (0, 1):
            m = got.get(str(d))
            expect(f"device memory {d} of seed {seed}", m and [m["peak_allocated"], m["end_allocated"], m.get("peak_reserved")],
                   None if d and before else [max(levels[d]), levels[d][-1], None])
        expect(f"memory before the recording, seed {seed}", "device 1 is not known" in done.stderr, before)
    leak = [usage_row(10, 0, 5), *(usage_row(i * 1000 + 500, 0, 1 << 20) for i in range(4))]
    expect("growth", digest(changed(p, USAGE, *leak))["memories"][0]["growth_per_step"], 1 << 20)
    expect("work before the first allocation", digest(changed(p, USAGE, *leak[1:])).get("memories", []), [])
    expect("no such events", digest(changed(p, USAGE)).get("memories", []), [])
    expect("bytes below 0, operation 7", digest(changed(p, USAGE, usage_row(1, 0, -5), usage_row(2, 0, 5, freed=7)))["trust"].get("malformed"), 2)


def diagnostics(dir):
    """That CUDA events of the process may be lost, as nsys says, is a warning; so is nothing that it says of another process or of NVTX."""
    p, table = dir / "w.sqlite", "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER NOT NULL, text TEXT NOT NULL, globalPid INTEGER)"
    for pid, what, warns in ((nsys.PID, "CUDA", True), (nsys.OTHER_PID, "CUDA", False), (nsys.PID, "NVTX", False)):
        text = f"Not all {what} events might have been collected."
        done = run("report", changed(p, table, f"INSERT INTO DIAGNOSTIC_EVENT VALUES (5, '{text}', {nsys.VM | pid << 24})"))
        expect(f"what nsys says of {what}", (done.returncode, f"'{text}'" in " ".join(done.stdout.split())), (0, warns))


def older(dir):
    """Exports of earlier versions, which lack tables and columns or name them differently, and of other tools."""
    p = dir / "o.sqlite"
    want = comparable(digest(changed(p)))
    renamed = "ALTER TABLE META_DATA_EXPORT RENAME TO EXPORT_META_DATA"
    for sql in ([renamed], [renamed, "UPDATE EXPORT_META_DATA SET value = '2.9.1' WHERE name = 'EXPORT_SCHEMA_VERSION'"],
                ["ALTER TABLE NVTX_EVENTS DROP COLUMN domainId"], ["ALTER TABLE NVTX_EVENTS DROP COLUMN jsonText"],
                [f"ALTER TABLE CUPTI_ACTIVITY_KIND_{t} DROP COLUMN globalPid" for t in ("KERNEL", "MEMCPY", "MEMSET")]):
        got = comparable(digest(changed(p, *sql)))
        if got != want:
            sys.exit(f"FAILED: after {sql}: {[key for key in want if got.get(key) != want[key]]} differ")
    for sql, known in ([], True), (["DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME"], False):    # without its calls, how often it waited is not known: never 0
        metrics = json.loads(run("metrics", changed(p, *sql), "--json", "-").stdout)["metrics"]
        if known != any(m["metric"] in ("step.sync_count", "step.launch_time") for m in metrics):
            sys.exit(f"FAILED: figures of calls after {sql}")


def steps(dir):
    """Ranges named like steps are steps, unless the marker finds steps; a range of an optimizer's step is not a step."""
    p = dir / "n.sqlite"
    for name, number in (("step {}", 4), ("Step: {}", 4), ("train_step_{}", 4), ("iteration{}", 4), ("Training Iteration #{}", 4),
                         ("iter", 4), ("optimizer step {}", 0), ("forward {}", 0), ("ProfilerStep#{}", 4), ("footstep {}", 0)):
        sql = [f"UPDATE NVTX_EVENTS SET text = '{name.format(i + 3)}' WHERE start = {i * 1000} AND eventType = 59" for i in range(4)]
        d = digest(changed(p, *sql))
        expect(f"steps of '{name}'", 0 if d["window"] else d["total_steps"], number)
        if number and "{}" in name:
            expect(f"numbers of '{name}'", d["steps"]["number"], [3, 4, 5, 6])


def operators(dir):
    """An NVTX range is a module of the work launched in it, under its name without a number at the end. Ranges of PyTorch's
    operators are operators; ranges of steps are not modules."""
    p = dir / "n.sqlite"
    for name, op in (("layer_{}", None), ("{}", None), ("batch: {}", None), (", seq = {}", None), ("aten::relu", "aten::relu"),
                     ("aten::mm, seq = {}, op_id = 5, sizes = [[8, 4], [4, 2]]", "aten::mm"), ("F{}, op_id = 3", "F{}"), ("f, sizes = []", "f")):
        sql = [f"""INSERT INTO NVTX_EVENTS (start, "end", eventType, text, globalTid)
                   SELECT start - {k * 10}, "end" + {k * 10}, 59, '{text}', globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start = {i * 1000 + 100}"""
               for i in range(4) for k, text in ((2, "around"), (1, name.format(i)))]
        d = digest(changed(p, *sql))
        short = {"layer_{}": {"layer"}, "batch: {}": {"batch"}, ", seq = {}": {", seq"}}.get(name, {name.format(i) for i in range(4)})
        modules = {"around"} if op else {f"around\n{s}" for s in short}
        expect(f"operators of '{name}'", {row.get("op") for row in d["code"]}, {op.format(i) for i in range(4)} if op else {None})
        expect(f"modules of '{name}'", {row.get("module") for row in d["code"]}, modules)
        expect(f"annotations of '{name}'", {row["name"] for row in d["ranges"]}, {"around"} if op else {"around", *(name.format(i) for i in range(4))})
    expect("none without ranges", {row.get("module") for row in digest(changed(p))["code"]}, {None})


# --- Exports that are refused ---------------------------------------------------------------------------------------


def captures(dir):
    """Launches during a stream capture run no kernels, so none of them counts as a launch that lost its kernel."""
    launches = 20 * ["cudaLaunchKernel_v7000"]
    for calls, lost in ((["cudaStreamBeginCapture_v10000", *launches[:2], "cudaStreamEndCapture_v10000"], 0), (launches, 20)):
        small(dir / "c.sqlite", calls)
        trust = digest(dir / "c.sqlite")["trust"]
        expect("launches without a kernel", trust.get("launches_without_kernel", 0), lost)


def small(path, calls=()):
    export = nsys.Export(path, 512)
    tid = nsys.VM | nsys.PID << 24 | 1
    for i in range(4):
        export.range(f"step {i}", i * 1000, i * 1000 + 900, tid)
        for kind, name in (("kernel", f"kernel {i % 2} {'<long>' * 130}"), ("memcpy", "Memcpy HtoD (Pinned -> Device)"),
                           ("memset", "Memset (Device)")):
            export.gpu_work({"ts": i + 0.2, "dur": 0.1, "name": name, "cat": kind,
                             "args": {"device": 0, "stream": 7, "correlation": i + 1, "bytes": 8}})
        export.call({"ts": i + 0.1, "dur": 0.05, "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "args": {"correlation": i + 1}})
    for i, name in enumerate(calls):
        export.call({"ts": 0.2 + i / 100, "dur": 0.005, "name": name, "pid": 1, "tid": 1, "args": {"correlation": 100 + i}})
    export.gpus({0})
    export.metric(3, 1, "SMs Active" + UNIT, [(i * 100, 50 + i) for i in range(40)])
    export.close()


def changed(path, *sql):
    small(path)
    db = sqlite3.connect(path, isolation_level=None)
    for s in sql:
        db.execute(s)
    db.close()
    return path


def bytes_changed(path, at, new):
    small(path)
    b = bytearray(path.read_bytes())
    b[at : at + len(new)] = new
    path.write_bytes(b)
    return path


def refusals(dir):
    p, kernel = dir / "s.sqlite", KERNEL
    refused(changed(p, TWO), "several processes (4242, 4243) on the same GPU", "--process", "nsys profile -o report_rank%q{RANK}")
    refused(changed(p, *(f"DROP TABLE CUPTI_ACTIVITY_KIND_{t}" for t in ("KERNEL", "MEMCPY", "MEMSET"))), "no kernel, copy or memory set")
    refused(changed(p, "DROP TABLE META_DATA_EXPORT"), "not an export of Nsight Systems")
    for table, words in (("rocpd_op", "rocprof"), ("rocpd_kernel_dispatch_0011", "rocprof"), ("CANN_API", "Ascend"),
                         ("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "nvprof")):
        refused(changed(p, "DROP TABLE META_DATA_EXPORT", f"CREATE TABLE {table} (id INTEGER)"), words)
    refused(changed(p, "UPDATE META_DATA_EXPORT SET value = '4.0.1'"), "EXPORT_SCHEMA_VERSION is neither 2.x nor 3.x")
    refused(changed(p, f"ALTER TABLE {kernel} RENAME COLUMN deviceId TO device"), f"{kernel}: no column 'deviceId'")
    refused(changed(p, f"UPDATE {kernel} SET gridX = 'a' WHERE rowid = 2"), f"{kernel}, row 2: 'gridX' is not an integer")
    refused(changed(p, f"UPDATE {kernel} SET gridX = 1.5 WHERE rowid = 3"), f"{kernel}, row 3: 'gridX' is not an integer")
    refused(changed(p, "DELETE FROM StringIds"), "without a name")
    refused(changed(p, "PRAGMA journal_mode = WAL"), "WAL")
    refused(bytes_changed(p, 56, b"\0\0\0\2"), "UTF-16")
    refused(bytes_changed(p, 16, b"\x02\x01"), "damaged")
    small(p)
    pathlib.Path(f"{p}-journal").write_bytes(b"x")
    refused(p, "not finished")
    pathlib.Path(f"{p}-journal").unlink()
    size = p.stat().st_size
    for n in (16, 99, 512, size // 2, size - 1):
        small(p)
        os.truncate(p, n)
        refused(p, "s.sqlite: ")
    many = dir / "many"
    many.mkdir()
    small(many / "rank0.sqlite")
    (many / "rank0.nsys-rep").write_bytes(b"\x01binary")
    changed(many / "other.sqlite", "DROP TABLE META_DATA_EXPORT")
    if digest(many)["rank"] != 0:  # a database that is not an export is ignored
        sys.exit("FAILED: a folder with an export")
    for name in ("rank0.nsys-rep", "other.sqlite"):
        (many / name).unlink()
    changed(many / "rank1.sqlite", TWO)
    refused(many, "several processes")
    for name in ("a.nsys-rep", "a.qdrep"):
        (dir / name).write_bytes(b"\x01\x02binary")
        refused(dir / name, "nsys export --type sqlite")


def stored(dir):
    """A digest made of a digest equals it; if two cycles of one rank are joined, the counters of the longer cycle are kept."""
    digests = []
    for i, steps in enumerate((2, 4)):
        trace, export = dir / "t.json.gz", dir / f"cycle{i}_rank0.sqlite"
        generate("trace", trace, "--seed", 1, "--first-step", 10 * i, "--steps", steps)
        nsys.convert(nsys.events(trace), export, seed=i)
        digests.append(digest(export))
    (dir / "d.json").write_text(run("digest", export, "-o", "-").stdout)
    if digest(dir / "d.json") != digests[1] or digests[1]["rank"] != 0:
        sys.exit("FAILED: a digest of a digest is another")
    done = run("metrics", dir / "cycle0_rank0.sqlite", export, "--join-cycles", "--json", "-")
    medians = {m["counter"]: m["value"] for m in json.loads(done.stdout)["metrics"] if m["metric"] == "gpu_counter.median_pct"}
    if {c["name"]: c["median"] for c in digests[1]["counters"]} != {k: round(float(v) * 10**6) for k, v in medians.items()}:
        sys.exit(f"FAILED: counters of cycles: {medians}")


def damage(dir):
    """Any damage gives either a digest, or one line and exit 3."""
    p = dir / "d.sqlite"
    small(p)
    whole, nr = p.read_bytes(), 0
    rng = random.Random(1)
    runs = some(range(400), 4)
    for _ in runs:
        b = bytearray(whole)
        for _ in range(rng.choice([1, 1, 2, 8])):
            b[rng.randrange(len(b))] = rng.choice([0, 1, 5, 13, 127, 128, 255, rng.randrange(256)])
        p.write_bytes(b)
        done = run("digest", p, "-o", "-")
        if done.returncode not in (0, 3) or (done.returncode and done.stderr.count("\n") != 1):
            sys.exit(f"FAILED: damaged: exit {done.returncode}: {done.stderr}")
        nr += done.returncode == 3
    return f"{nr} of {len(runs)}"


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as tmp:
        dir = pathlib.Path(tmp)
        print(f"{of_generated_traces(dir)} events of generated traces: the same digest from trace and export")
        print(f"{of_shared_traces(dir)} shared traces: the same")
        print(f"{laid_out_at_random(dir)} GPU activities in databases laid out at random: as SQLite finds them")
        stored(dir)
        processes(dir)
        graphs(dir)
        captures(dir)
        device_memory(dir)
        diagnostics(dir)
        older(dir)
        steps(dir)
        operators(dir)
        refusals(dir)
        print(f"{damage(dir)} damaged exports refused, the others read")


if __name__ == "__main__":
    main()
