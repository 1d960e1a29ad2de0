#!/usr/bin/env python3
"""Writes a run of many ranks: the ranks of a merged run, and copies of some ranks under other numbers.

  gpugate digest DIR -o made.json
  many.py made.json --ranks 16384 --copy 64:1024 --out many.json

Ranks that are not in the run are copies of those of --copy (from:to; default: all), in turn. Process groups of a copy
have new names, except for groups of the whole run, which grow with the run; so copy whole groups. Clocks and durations
are those of the rank that was copied. The same options give the same bytes.
"""
import argparse
import json


def renumber(text, rank, old, new, copy):
    """The digest `text` of a run with `old` ranks, changed to be rank `rank` of a run with `new` ranks. Copies of one digest have
    different numbers `copy`; 0 is the original."""
    d = json.loads(text)
    d["rank"], d["world_size"], d["trace"] = rank, new, f"rank{rank}.json.gz"
    d["source_hash"] = f"{(int(d['source_hash'], 16) * 1099511628211 + copy) & (2 ** 64 - 1):016x}"
    for entry in d["environment"]:
        if entry["key"] == "world_size":
            entry["value"] = str(new)
    for c in d["comms"]:
        if c["group_size"] == old:
            c["group_size"] = new
        elif copy:
            c["group_name"] += f".{copy}"
    return json.dumps(d, separators=(",", ":"))


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("run")
    p.add_argument("--ranks", type=int, required=True)
    p.add_argument("--copy", default=":")
    p.add_argument("--tick", type=int, help="the clock's, in ns; in place of what the digests say")
    p.add_argument("--out", required=True)
    o = p.parse_args(argv)
    with open(o.run, encoding="utf-8") as f:
        made = json.load(f)
    digests = made["digests"]
    for d in digests if o.tick else []:
        d["trust"]["tick_ns"] = o.tick
    first, last = (int(x) if x else None for x in o.copy.split(":"))
    source = list(range(len(digests)))[first:last]
    texts = [json.dumps(d) for d in digests]
    with open(o.out, "w", encoding="utf-8") as out:
        out.write(f'{{"schema":"{made["schema"]}","minor":{made["minor"]},"digests":[')
        for rank in range(o.ranks):
            n = rank - len(digests)
            at, copy = (rank, 0) if n < 0 else (source[n % len(source)], n // len(source) + 1)
            out.write((",\n" if rank else "\n") + renumber(texts[at], rank, len(digests), o.ranks, copy))
        out.write("\n]}\n")


if __name__ == "__main__":
    main()
