#!/usr/bin/env python3
"""Writes the dumps of the Flight Recorder that the ranks of a job of data and tensor parallelism leave.

usage: flight.py --out FOLDER [--ranks 4] [--steps 3] [--json] [--stuck R] [--mismatch R] [--silent R]

Each step is a broadcast in pairs of ranks ("tp", a group of its own for each pair), then an all-reduce of all. --stuck: the
rank stops before the last all-reduce; --mismatch: it enters an all-gather in its place; --silent: it stops and leaves
no dump. Without these options, all collectives have completed.
The shape is that of FlightRecorder.hpp of PyTorch 2.8; the pickle has tuples where the JSON has lists.
"""
import argparse
import json
import pathlib
import pickle


def groups(rank, ranks):
    pair = rank // 2
    return {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(ranks)))},
            str(1 + pair): {"name": str(1 + pair), "desc": "tp", "ranks": str([2 * pair, 2 * pair + 1])}}


def entry(id, group, seq, kind, size, state, line):
    return {"record_id": id, "pg_id": int(group[0]), "process_group": group, "collective_seq_id": seq, "p2p_seq_id": 0, "op_id": id,
            "profiling_name": f"nccl:{kind}", "time_created_ns": 1_700_000_000_000_000_000 + 1000 * id, "duration_ms": 0.5,
            "input_sizes": ((size, 4),), "input_dtypes": ["Float"], "output_sizes": ((size, 4),), "output_dtypes": ["Float"],
            "state": state, "retired": state == "completed", "timeout_ms": 600000, "is_p2p": False,
            "time_discovered_started_ns": None, "time_discovered_completed_ns": None,
            "frames": [{"name": kind, "filename": "/venv/torch/distributed/distributed_c10d.py", "line": 2806},
                       {"name": "step", "filename": "train.py", "line": line},
                       {"name": "main", "filename": "train.py", "line": 99}]}


def dump(rank, o):
    entries = []
    faulty = o.stuck is not None or o.silent is not None or o.mismatch is not None
    for step in range(o.steps):
        last = faulty and step == o.steps - 1
        entries.append(entry(len(entries), (str(1 + rank // 2), "tp"), step + 1, "broadcast", 8, "completed", 40))
        if last and rank in (o.stuck, o.silent):
            break
        kind = "_all_gather_base" if last and rank == o.mismatch else "all_reduce"
        entries.append(entry(len(entries), ("0", "default_pg"), step + 1, kind, 16, "started" if last else "completed", 50))
    return {"version": "2.10", "pg_config": groups(rank, o.ranks),
            "pg_status": {"0": {"last_enqueued_collective": o.steps, "last_started_collective": o.steps, "last_completed_collective": o.steps}},
            "entries": entries}


def main(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--ranks", type=int, default=4)
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--json", action="store_true")
    for fault in ("stuck", "mismatch", "silent"):
        p.add_argument(f"--{fault}", type=int)
    o = p.parse_args(argv)
    o.out.mkdir(parents=True, exist_ok=True)
    for rank in range(o.ranks):
        if rank == o.silent:
            continue
        path = o.out / f"nccl_trace_rank_{rank}"
        if o.json: # PyTorch writes the keys of its JSON in sorted order
            path.with_suffix(".json").write_text(json.dumps(dump(rank, o), sort_keys=True), encoding="utf-8")
        else:
            path.write_bytes(pickle.dumps(dump(rank, o), protocol=2))


if __name__ == "__main__":
    main()
