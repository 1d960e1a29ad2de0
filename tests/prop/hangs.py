#!/usr/bin/env python3
"""From the dumps of a hanging job, the rank that causes the hang is named, and no other.

usage: hangs.py

Jobs are made with gen/flight.py. Dumps as pickle and as JSON give the same result; a cut or damaged dump is refused with
one line. In captures of a job whose end cuts its work off, the rank of a hang is named once no rank has launched for longer
than a step; no rank of a job that goes on is, however slow or late. $GPUGATE is the program; exit 77 skips. """
import decimal
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from _gen import generate
import nsys

PROGRAM = os.environ.get("GPUGATE")


def run(*args, cwd, codes=(3,)):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False, cwd=cwd)
    assert p.returncode in codes, (args, p.returncode, p.stdout, p.stderr)
    return p


def errors(p):
    return [line for line in p.stderr.splitlines() if not line.startswith(("gpugate: warning:", "gpugate: note:"))]


def job(folder):
    """For each fault and each of four ranks: the named rank is the one with the planted fault."""
    folder.joinpath("m.json").write_text('{"tokens_per_s": 1.0}', encoding="utf-8")
    run("approve", "--new", "m.json", "--baseline", "b.json", "--workload", "w", cwd=folder, codes=(0,))
    for fault, rank in itertools.product(("stuck", "mismatch", "silent"), range(4)):
        said = set()
        for form in ([], ["--json"]):
            name = f"{fault}{rank}{''.join(form)}"
            generate("flight", folder / name, f"--{fault}", rank, *form)
            (folder / name).rename(folder / "run")
            for command in (("report",), ("check", "--baseline", "b.json", "--workload", "w")):
                said.add("\n".join(errors(run(command[0], "run", *command[1:], cwd=folder))))
            (folder / "run").rename(folder / name)
        assert len(said) == 1, said
        line, = said
        words = {"stuck": "is stuck: it never entered collective 3 (all_reduce of [16, 4] Float) of process group '0' (default_pg)",
                 "mismatch": "entered _all_gather_base of [16, 4] Float at train.py:50 (step) where",
                 "silent": "left no dump"}[fault]
        assert "\n" not in line and re.search(rf"'run': rank {rank} {re.escape(words)}", line), (fault, rank, line)
        if fault == "stuck":
            assert "train.py:50 (step)" in line and f"process group '{1 + rank // 2}' at train.py:40 (step)" in line, line


def healthy(folder):
    """No rank of a job that does not hang is accused; a metrics file beside its dumps is read."""
    generate("flight", folder / "run")
    line, = errors(run("report", "run", cwd=folder))
    assert "no rank hangs, as 4 dumps" in line, line
    (folder / "run" / "metrics.json").write_text('{"tokens_per_s": 2.0}', encoding="utf-8")
    assert "tokens_per_s" in run("metrics", "run", cwd=folder, codes=(0,)).stdout
    for file in (folder / "run").glob("nccl*"):
        file.with_name("copy_rank_1").write_bytes(file.read_bytes())
    line, = errors(run("report", "run", cwd=folder))
    assert "two dumps of the Flight Recorder are of rank 1" in line, line


def unexplained(folder):
    """Work that had not ended is said of each of its ranks where no dump shows the cause: a receive without its send, or a collective that
    all ranks entered. A batch ends with its last entry: the recorder does not follow the state of the others."""
    receive = {"process_group": ["1", "tp"], "is_p2p": True, "profiling_name": "nccl:recv 1<-0", "collective_seq_id": 9, "frames": []}
    cases = {"receive": ({1: [{**receive, "state": "scheduled"}]}, {1: "recv 1<-0 of process group '1'"}),
             "batch": ({1: [{**receive, "state": "scheduled"}, {**receive, "profiling_name": "nccl:coalesced", "state": "completed"}]}, {}),
             "all": ({r: [{**receive, "process_group": ["0", ""], "is_p2p": False, "profiling_name": "nccl:all_reduce", "state": "started"}] for r in range(4)},
                     {r: "all_reduce 9 of process group '0'" for r in range(4)})}
    for name, (more, open_at) in cases.items():
        generate("flight", folder / name, "--json")
        for rank, entries in more.items():
            path = folder / name / f"nccl_trace_rank_{rank}.json"
            dump = json.loads(path.read_text())
            path.write_text(json.dumps({**dump, "entries": dump["entries"] + entries}))
        (folder / name / "metrics.json").write_text('{"tokens_per_s": 2.0}', encoding="utf-8")
        said = errors(run("metrics", name, cwd=folder, codes=(3,) if open_at else (0,)))
        assert len(said) == len(open_at) and all(f"rank {r} had not ended {what}" in line for line, (r, what) in zip(said, open_at.items())), (name, said)


def damaged(folder):
    """A cut or malformed dump is refused with an error of one line; no name in the dump can break this line."""
    generate("flight", folder / "run", "--stuck", 1)
    generate("flight", folder / "json", "--stuck", 1, "--json")
    for path in (folder / "run" / "nccl_trace_rank_0", folder / "json" / "nccl_trace_rank_0.json"):
        data = path.read_bytes()
        for end in range(1, len(data), 997):
            path.write_bytes(data[:end])
            p = run("report", path, cwd=folder)
            assert len(p.stderr.splitlines()) == 1, p.stderr
        path.write_bytes(data[:len(data) // 2])
        assert len(errors(run("report", path.parent, cwd=folder))) == 1
    dump = {"entries": [{"record_id": 0, "profiling_name": "nccl:a\nb\x1b[31m", "state": "started", "process_group": ["p\r\n", "q"],
                         "collective_seq_id": 2, "frames": [{"filename": "f\n.py", "name": "g", "line": -1}]}],
            "pg_config": {"p\r\n": {"desc": "\u202e", "ranks": "[0, 1]"}}}
    (folder / "odd.json").write_text(json.dumps(dump), encoding="utf-8")
    p = run("report", "odd.json", cwd=folder)
    assert len(p.stderr.splitlines()) == 1 and "rank 1 left no dump" in p.stderr and "\x1b" not in p.stderr, p.stderr


def captures(folder):
    """Exports of Nsight Systems of all ranks, which end at one moment; a thread that only polls goes on while the job hangs."""
    hang, never = ("--skip-collective", "1=4:1"), decimal.Decimal(10) ** 18
    for nr, (options, parts, polls) in enumerate((((), (".1", ".6"), 0), (("--slow-rank", "1=1.5"), (".1", ".5", ".9"), 0),
                                                  (("--late-rank", "1=3000"), (".1", ".3", ".9"), 0), (hang, (None,), 0), (hang, (None,), 10**6))):
        generate("ranks", folder / f"ranks{nr}", "--ranks", 4, "--steps", 5, "--seed", 7, "--plain", *options)
        ranks = [[e for e in nsys.events(folder / f"ranks{nr}" / f"rank{r}.json") if e["ph"] == "X"] for r in range(4)]
        begin = min(e["ts"] for events in ranks for e in events if e["name"].startswith("ProfilerStep#104"))
        last = max(e["ts"] for events in ranks for e in events if e.get("cat") == "cuda_runtime")
        for part in parts:
            end = begin + (last - begin) * decimal.Decimal(part) if part else never
            into = folder / f"captures{nr}-{part}"
            into.mkdir()
            for r, events in enumerate(ranks):
                seen = [{**e, "dur": min(e["dur"], end - e["ts"])} for e in events if e["ts"] < end
                        and (e.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset") or e["ts"] + e["dur"] <= end)]
                until = max(e["ts"] + e["dur"] for e in seen)
                seen += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaEventQuery", "pid": seen[0]["pid"], "tid": 999, "ts": until + at,
                          "dur": 2, "args": {}} for at in range(0, polls, 50_000)]
                nsys.convert(seen, into / f"rank{r}.sqlite", metrics=False)
            run("report", into, "--json", folder / "o.json", cwd=folder, codes=(0,))
            found = [(t["finding"], t["rank"]) for t in json.loads((folder / "o.json").read_text())["trust"]
                     if t["finding"] in ("stuck", "ends-early", "cut-short", "lost-kernels")]
            assert found == ([("stuck", 1)] if polls else []), (options, part, polls, found)


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as dir:
        for part in (job, healthy, unexplained, damaged, captures):
            folder = pathlib.Path(dir) / part.__name__
            folder.mkdir()
            part(folder)


if __name__ == "__main__":
    main()
