#!/usr/bin/env python3
"""A directory as tools write it is read as the ranks that are in it, and what is not one is named.

 - the trace of a server's front end, merged traces, execution traces, metadata and logs beside the ranks are set aside, each
   by name; the ranks' figures are those of the ranks alone
 - a rank's number is what the trace says, else what the name of the file says in any of the usual forms
 - of a directory that holds no recording itself, the only one below it that does is read; several are named
 - a trace that holds the steps or the launches of several processes is refused, and the message says how many ranks it holds
 - ranks, and a snapshot, of another day are named; so are ranks that the job declared and nobody recorded

$GPUGATE is the program; exit 77 skips.
"""
import functools
import gzip
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
DAY_NS = 86_400_000_000_000
seeds = itertools.count()   # two ranks have no equal times


def gpugate(*args, codes=(0,)):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False)
    assert p.returncode in codes, f"exit {p.returncode}, not {codes}: gpugate {' '.join(map(str, args))}\n{p.stdout}{p.stderr}"
    return p


def metrics(*run):
    """The ranks of a run, each with its trace; its figures without them; its findings that make figures unreliable; what is said."""
    p = gpugate("report", *run, "--verbose", "--json", "-")
    out = json.loads(p.stdout)
    return ({r["rank"]: r["trace"] for r in out["figures"]["ranks"]}, out["figures"]["metrics"],
            {(f["rank"], f["finding"]) for f in out["trust"] if f["spoils"]}, p.stderr)


def trace(path, change=None, *options):
    """A small trace; `change` gets its document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    generate("trace", path.with_suffix(".tmp.json"), "--seed", next(seeds), "--steps", 3, "--no-memory", *options)
    doc = json.loads(path.with_suffix(".tmp.json").read_text(encoding="utf-8"))
    path.with_suffix(".tmp.json").unlink()
    if change:
        change(doc)
    data = json.dumps(doc).encode()
    path.write_bytes(gzip.compress(data, 1, mtime=0) if path.suffix == ".gz" else data)
    return path


def unranked(doc):
    del doc["distributedInfo"]


def host_only(doc):
    unranked(doc)
    doc["traceEvents"] = [e for e in doc["traceEvents"] if e.get("cat") == "cpu_op"]


def merged(docs, pid):
    """One document of several traces, as SGLang's merge_profiles and scripts like it write it."""
    out = dict(docs[0], traceEvents=[])
    out.pop("distributedInfo", None)
    for rank, doc in enumerate(docs):
        out["traceEvents"] += [dict(e, pid=pid(rank, e["pid"])) for e in doc["traceEvents"] if "pid" in e]
    return out


def load(path):
    return json.loads((gzip.open if path.suffix == ".gz" else open)(path, "rb").read())


def roles(dir):
    """Files of other roles beside ranks that state their rank, or whose names say it, change no figure."""
    for stated in (True, False):
        plain = dir / f"plain{stated}"
        for r in range(3):
            trace(plain / f"dp0_pp0_tp{r}_dcp0_ep{r}_rank{r}.17729.pt.trace.json.gz", None if stated else unranked,
                  "--rank", r, "--world-size", 3)
        want = metrics(plain)
        assert list(want[0]) == [0, 1, 2] and not want[2] and not want[3], want
        busy = dir / f"busy{stated}"
        shutil.copytree(plain, busy)
        asides = ["gpu-3_2999.async_llm.17729.pt.trace.json.gz", "front.json", "merged-17.trace.json.gz", "et.json", "meta.json",
                  "log.txt"]
        if stated:      # a number in the name of a host counts only where no rank says its own
            asides.append("rank-1-host_2999.async_llm.17729.pt.trace.json.gz")
        for name in asides:
            if "async" in name or name == "front.json":
                trace(busy / name, host_only)
        docs = [load(p) for p in sorted(plain.iterdir())]
        (busy / asides[2]).write_bytes(gzip.compress(json.dumps(merged(docs, "[TP{:02}] {}".format)).encode(), 1))
        (busy / "et.json").write_text(json.dumps({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "time": "2026", "start_ts": 1, "nodes": [
            {"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1, "attrs": []}]}), encoding="utf-8")
        (busy / "meta.json").write_text(json.dumps({"model": "m", "args": {"tp": 3}, "hosts": ["a", "b"]}), encoding="utf-8")
        (busy / "log.txt").write_text("done\n", encoding="utf-8")
        got = metrics(busy)
        assert got[:3] == want[:3], (got[0], got[2])
        for name in asides:
            assert sum(name in line and "ignored: " in line for line in got[3].splitlines()) == 1, (name, got[3])
    alone = trace(dir / "alone" / "front.json", host_only)  # without ranks beside it, it is what there is to read
    assert metrics(alone.parent)[0] == {0: "front.json"}
    lost = trace(dir / "lost" / "rank1.json", host_only)     # a rank whose GPU was not recorded stays a rank
    trace(lost.parent / "rank0.json", unranked)
    assert list(metrics(lost.parent)[0]) == [0, 1]


def names(dir):
    """The rank in the name of a file, where the trace has none."""
    forms = {"rank{}.json": 3, "t_rank-{}.json": 3, "rank_{}_trace.json": 2, "t.rank{}.pt.trace.json": 3, "Rank={}.json": 2,
             "1772-TP-{}.trace.json.gz": 4, "17-TP-{}-DP-0-PP-0-EP-{}.trace.json": 2, "dp0_pp0_tp{}.17.json": 3, "host-tp-x.TP{}.json": 2}
    for i, (form, nr) in enumerate(forms.items()):
        for r in range(nr):
            trace(dir / str(i) / form.format(r + 1, r + 1), unranked)   # none of them is 0, which is what is assumed without a name
        got = metrics(dir / str(i))[0]
        assert got == {r + 1: form.format(r + 1, r + 1) for r in range(nr)}, (form, got)
    grid = [f"dp{d}_pp{p}_tp{t}.json" for d, p, t in itertools.product(range(2), range(2), range(2))]
    for name in grid:
        trace(dir / "grid" / name, unranked)
    assert metrics(dir / "grid")[0] == dict(enumerate(grid))
    for r in range(4):
        generate("snapshot", dir / f"snapshot_{r}.pickle", "--seed", r, "--pickle", 4, "--steps", 2)
        (dir / "snapshots").mkdir(exist_ok=True)
        (dir / f"snapshot_{r}.pickle").rename(dir / "snapshots" / f"snapshot_{r}.pickle")
    assert list(metrics(dir / "snapshots")[0]) == [0, 1, 2, 3]
    assert list(metrics(dir / "snapshots" / "snapshot_3.pickle")[0]) == [0], "of one snapshot, the number may be that of a step"
    for r in range(3):                                      # beside several traces, it is the rank of one of them
        trace(dir / "one" / f"rank{r}.json", unranked)
    generate("snapshot", dir / "one" / "snapshot_1.pickle", "--seed", 1, "--pickle", 4, "--steps", 2)
    ranks = json.loads(gpugate("report", dir / "one", "--verbose", "--json", "-").stdout)["figures"]["ranks"]
    assert [r["rank"] for r in ranks if r["snapshot"]] == [1], ranks
    contrary = trace(dir / "contrary" / "rank7.json", None, "--rank", 2, "--world-size", 8)
    assert list(metrics(contrary)[0]) == [2], "what the trace says comes first"
    twice = dir / "twice"
    trace(twice / "a.json")
    trace(twice / "b.json", lambda d: d.update(baseTimeNanoseconds=d["baseTimeNanoseconds"] + DAY_NS))
    error = gpugate("report", twice, codes=(3,)).stderr
    assert "rank 0 is there twice" in error and error.count("a trace of 3 steps") == 2 and "the former counts" in error, error


def above(dir):
    """A directory above the ones with recordings: the only one is read, and several are named."""
    run = dir / "out" / "profile" / "iteration_10"
    (dir / "out" / "logs").mkdir(parents=True)
    (dir / "out" / "logs" / "train.json").write_text('{"loss": [1, 2]}', encoding="utf-8")
    for r in range(2):
        trace(run / f"rank{r}_trace.json", None, "--rank", r, "--world-size", 2)
    want = metrics(run)
    for top in (dir / "out", dir / "out" / "profile"):
        got = metrics(top)
        assert got[:3] == want[:3] and "iteration_10'" in got[3], got[3]
        (top / "config.json").write_text('{"dim": [8]}', encoding="utf-8")  # another file does not hide them
        assert metrics(top)[:3] == want[:3]
    shutil.copytree(run, run.parent / "iteration_20")
    for top in (dir / "out", dir / "out" / "profile"):
        error = gpugate("report", top, codes=(3,)).stderr
        assert "iteration_10'" in error and "iteration_20'" in error and "'logs'" not in error, error
    (dir / "none" / "inner").mkdir(parents=True)
    assert "no trace, snapshot, digest or result file in this directory\n" in gpugate("report", dir / "none", codes=(3,)).stderr
    (dir / "none" / "loop").symlink_to(dir / "none")
    gpugate("report", dir / "none", codes=(3,))


def beyond(dir):
    """No directory is taken for the only one with recordings where not all entries are looked at."""
    run = dir / "out" / "m" / "run"
    trace(run / "rank0.json")
    want = metrics(run)
    for folder, entries in (("a", 5000), ("z", 6000)):
        assert metrics(dir / "out")[:3] == want[:3], folder
        (dir / "out" / folder).mkdir()
        for i in range(entries):
            (dir / "out" / folder / f"{i}.log").touch()
    error = gpugate("report", dir / "out", codes=(3,)).stderr
    assert "more than 10000 entries" in error and len(error.splitlines()) == 1, error


def several(dir):
    """One file of several processes is refused by name and number of ranks, whatever separates them."""
    docs = [load(trace(dir / f"r{r}.json", None, "--rank", r, "--world-size", 4)) for r in range(4)]
    bare = [load(trace(dir / f"n{r}.json", None, "--no-steps")) for r in range(4)]
    silent = [load(trace(dir / f"s{r}.json", None, "--no-launches")) for r in range(4)]
    ways = "[TP{:02}] {}".format, lambda rank, pid: f"{rank}/{pid}", lambda rank, pid: pid + 100_000 * (rank + 1) if isinstance(pid, int) else pid
    for nr, (i, of), (k, pid) in itertools.product((2, 4), enumerate((docs, bare, silent)), enumerate(ways)):
        path = dir / f"merged{nr}{i}{k}.json"
        path.write_text(json.dumps(merged(of[:nr], pid)), encoding="utf-8")
        error = gpugate("report", path, codes=(3,)).stderr
        assert error.count("\n") == 1 and f"holds {nr} ranks" in error, (path, error)
    assert not metrics(dir / "r0.json")[3]


def days(dir):
    """Ranks of another day are named, with the same and with other steps; those of one time and of unknown times are not."""
    def at(shift, absolute):
        def change(doc):
            base = doc.pop("baseTimeNanoseconds") + shift
            if absolute:
                for e in doc["traceEvents"]:
                    if "ts" in e:
                        e["ts"] = round(e["ts"] + base / 1000, 3)
            else:
                doc["baseTimeNanoseconds"] = base
        return change

    @functools.cache
    def recorded(rank, first):
        return trace(dir / "recorded.json", None, "--rank", rank, "--world-size", 4, "--first-step", first).read_text(encoding="utf-8")
    cases = itertools.product((30_000_000_000, 90_000_000_000, DAY_NS), (1, 3), (100, 200), (True, False))
    for i, (shift, old, first, absolute) in enumerate(cases):
        (dir / str(i)).mkdir()
        for r in range(4):
            doc = json.loads(recorded(r, first if r < old else 100))
            at(0 if r < old else shift, absolute)(doc)
            (dir / str(i) / f"rank{r}.json").write_text(json.dumps(doc), encoding="utf-8")
        got = {(r, what) for r, what in metrics(dir / str(i))[2] if what in ("stale-rank", "ends-early", "missing-steps")}
        if shift > 60_000_000_000:
            assert {a for a in got if a[1] == "stale-rank"} == {(r, "stale-rank") for r in range(old)}, (i, shift, old, first, got)
            assert first == 200 or len(got) == old, got
        else:
            assert not any(what == "stale-rank" for _, what in got) and bool(got) == (first == 200), (shift, got)
    base = dir / "now"
    for r in range(4):
        trace(base / f"rank{r}.json", None, "--rank", r, "--world-size", 4)
    assert not metrics(base)[2]
    for lost in (1, 2):
        (base / f"rank{lost + 1}.json").unlink()
        assert metrics(base)[2] == {(None, "absent-rank")}, "the job declared four ranks"
        first = dir / f"lost{lost}.json"
        assert "--accept absent-rank" in gpugate("approve", "--new", base, "--baseline", first, codes=(3,)).stderr
        gpugate("approve", "--new", base, "--baseline", first, "--accept", "absent-rank")
        gpugate("check", base, "--baseline", first)
    (dir / "two.yaml").write_text("version: 1\ninputs: {expect_ranks: 2}\nrules:\n  - {id: a, metric: step.time, fail: {increase: 50%}}\n",
                                  encoding="utf-8")
    gpugate("check", base, "--rules", dir / "two.yaml", "--baseline", dir / "two.json", "--bootstrap")
    gpugate("check", base, "--rules", dir / "two.yaml", "--baseline", dir / "two.json")
    (base / "rank1.json").unlink()
    assert not metrics(base)[2], "a single recording is not taken for those of a job"


def snapshots(dir):
    """A snapshot of another day beside the trace is named, and spoils nothing but memory."""
    start = load(trace(dir / "t.json"))
    start_us = min(e["ts"] for e in start["traceEvents"] if "ts" in e) + start["baseTimeNanoseconds"] / 1000
    generate("snapshot", dir / "s.json", "--seed", 1, "--steps", 2)
    snapshot = load(dir / "s.json")
    begun = min(e["time_us"] for t in snapshot["device_traces"] for e in t)
    for shift_s, stale in (0, False), (30, False), (-30, False), (90, True), (-90, True), (-86_400, True):
        doc = json.loads(json.dumps(snapshot))
        for e in itertools.chain(*doc["device_traces"], doc.get("external_annotations", ())):
            e["time_us"] += int(start_us) - begun + shift_s * 1_000_000
        (dir / "s.json").write_text(json.dumps(doc), encoding="utf-8")
        got = metrics(dir / "t.json", dir / "s.json")[2]
        assert (0, "stale-rank") in got if stale else not got, (shift_s, got)


def main():
    if not PROGRAM:
        print("skipped: GPUGATE is not set")
        return 77
    for law in (roles, names, above, beyond, several, days, snapshots):
        with tempfile.TemporaryDirectory() as name:
            law(pathlib.Path(name))
        print(f"ok {law.__name__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
