#!/usr/bin/env python3
"""Shared recordings of Nsight Systems, JAX and TensorFlow have the figures that plain SQL and a reader of the wire
format in Python find: counts, times and bytes of kernels, copies and memory sets, by process or device and by name.

$GPUGATE is the program, $GPUGATE_SHARED the shared data; exit 77 skips.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

from _reference import recordings

PROGRAM, SHARED = os.environ.get("GPUGATE"), os.environ.get("GPUGATE_SHARED")
KINDS = ("kernel", "memcpy", "memset")


def reference(name, path):
    done = subprocess.run([sys.executable, pathlib.Path(SHARED, "oracle", name), path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def digests(path, *options):
    done = subprocess.run([PROGRAM, "digest", path, *options, "-o", "-"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"FAILED: {path.name}: exit {done.returncode}: {done.stderr}")
    d = json.loads(done.stdout)
    return d.get("digests", [d])


def sums(rows):
    """{kind: [count, ns, bytes]} of the kernels of a digest."""
    out = {kind: [0, 0, 0] for kind in KINDS}
    for r in rows:
        s = out[r["kind"]]
        s[0], s[1], s[2] = s[0] + r["count"], s[1] + r["total_ns"], s[2] + r.get("bytes", 0)
    return out


def demand(path, what, got, want):
    if got != want:
        sys.exit(f"FAILED: {path.name}: {what}: {got}, the reference says {want}")


def nsys(path):
    want = reference("nsysref.py", path)["processes"]
    got = digests(path)
    demand(path, "processes", len(got), len(want))
    # in the order of the GPUs: of the shared files none gives a process with a larger id a smaller one
    for d, p in zip(got, sorted(want, key=lambda p: (p["devices"], p["pid"]))):
        have = sums(d["kernels"])
        for kind in KINDS:
            w = p.get(kind, dict(count=0, time=0, bytes=0))
            demand(path, f"process {p['pid']}, {kind}", have[kind], [w["count"], w["time"], w["bytes"]])
        names = {n["name"]: n["time"] for n in p.get("names", [])}
        kept = {r["name"]: r["total_ns"] for r in d["kernels"] if r["kind"] == "kernel" and not r.get("names")}
        demand(path, f"process {p['pid']}, kernels", kept, {n: names.get(n) for n in kept})
    if len(want) > 1:
        for d, p in zip(got, sorted(want, key=lambda p: (p["devices"], p["pid"]))):
            (alone,) = digests(path, "--process", str(p["pid"]))
            demand(path, f"--process {p['pid']}", alone, d)
    return sum(p[k]["count"] for p in want for k in KINDS if k in p)


def main():
    if not PROGRAM or not SHARED:
        sys.exit(77)
    for path in recordings("nsys", "*.sqlite"):
        print(f"{path.name}: {nsys(path)} GPU activities as by SQL")


if __name__ == "__main__":
    main()
