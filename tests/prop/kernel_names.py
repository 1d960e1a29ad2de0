#!/usr/bin/env python3
"""Display names of all kernels in the recordings: they are unique, half of them have at most 40 characters, and few
need a hash, both for the kernels of one recording and for all kernels in one report.

$DISPLAY_NAMES is tests/names/display_names.c, $GPUGATE_SHARED the folder of the recordings; without either, exit 77
skips.
"""
import gzip
import json
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys

PROGRAM, SHARED = os.environ.get("DISPLAY_NAMES"), os.environ.get("GPUGATE_SHARED")
EVENT = re.compile(rb'"cat"\s*:\s*"kernel"\s*,[^{}]*?"name"\s*:\s*("(?:[^"\\]|\\.)*")'
                   rb'|"name"\s*:\s*("(?:[^"\\]|\\.)*")[^{}]{0,80}?"cat"\s*:\s*"kernel"')
MANGLED = re.compile(rb"_Z[A-Za-z0-9_]{8,}")
CHARS, HASHES = 40, 0.1


def of_trace(path):
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return {json.loads(m[1] or m[2]) for m in EVENT.finditer(data)}


def of_export(path):
    """Names of kernels in an export of Nsight Systems, in three sets: short, demangled and mangled; a report shows names of one set."""
    names, base = {}, sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    for column in ("shortName", "demangledName", "mangledName"):
        try:
            rows = base.execute(f"SELECT DISTINCT s.value FROM StringIds s JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.{column} = s.id")
            names[column] = {r[0] for r in rows if r[0]}
        except sqlite3.Error:
            continue
    return names


def recordings():
    for path in sorted(pathlib.Path(SHARED).rglob("*")):
        if re.search(r"\.json(\.gz)?$", path.name) and path.is_file():
            yield path.name, of_trace(path)
        elif path.suffix == ".sqlite":
            for column, names in of_export(path).items():
                yield f"{path.name} {column}", names
        elif path.suffix == ".pb":
            yield path.name, {m[0].decode() for m in MANGLED.finditer(path.read_bytes())}


def shown(names):
    p = subprocess.run([PROGRAM], input="".join(n + "\n" for n in names), check=True, capture_output=True, text=True)
    return p.stdout.splitlines()


def look(what, names):
    names = sorted(n for n in names if n.strip() and "\n" not in n)
    texts = shown(names)
    assert len(texts) == len(names), what
    assert len(set(texts)) == len(names), (what, [t for t in texts if texts.count(t) > 1][:4])
    hashed = [t for t in texts if re.search("~[0-9a-f]{8}$", t)]
    assert len(hashed) <= max(4, HASHES * len(names)), (what, len(names), len(hashed), hashed)
    return texts


def main():
    if not PROGRAM or not SHARED:
        print("skipped: needs $DISPLAY_NAMES and $GPUGATE_SHARED")
        return 77
    every, told = set(), 0
    for what, names in recordings():
        if names:
            told += len(look(what, names))
            every |= set() if what.endswith(("shortName", "mangledName")) else set(names)
    assert every, "no names of kernels"
    half = statistics.median(len(t) for t in look("all", every))
    assert half <= CHARS, half
    print(f"ok   {told} names of kernels in the recordings, {len(every)} of them different; half have at most {half} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
