#!/usr/bin/env python3
"""Shared recordings of Nsight Systems, JAX and TensorFlow have the figures that plain SQL and a reader of the wire
format in Python find: counts, times and bytes of kernels, copies and memory sets, by process or device and by name.

$GPUGATE is the program, $GPUGATE_SHARED the shared data; exit 77 skips.
"""
import collections
import json
import os
import pathlib
import re
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


def plain(name):
    """A kernel by what XLA and the loader of ROCm call it: without HLO module and '.kd', and with '_' as in C."""
    name = re.sub(r"( \[clone \.kd\]|\.kd)$", "", name)
    return re.sub(r"\W", "_", name.split("/", 1)[1]) if re.fullmatch(r"\w+/[\w.-]+", name) else name


def xspace(path):
    want = reference("xplaneref.py", path)
    (d,) = digests(path)
    have = sums(d["kernels"])
    for kind in KINDS:
        demand(path, kind, have[kind][:2], [sum(w[kind][what] for w in want["devices"]) for what in ("count", "time")])
    by, got, ops = collections.Counter(), collections.Counter(), collections.Counter()
    for w in want["devices"]:
        for n in w["names"]:
            by[n["kind"], plain(n["name"])] += n["time"]
        for n in w["operators"]:
            ops[n["name"]] += n["time"]
    for r in d["kernels"]:
        got[r["kind"], plain(r["name"])] += r["total_ns"]
    if not any(r.get("names") for r in d["kernels"]):
        demand(path, "names", got, by)
    demand(path, "devices", {r["id"]: r["activities"] for r in d["devices"]},
           {w["device"].rsplit(":", 1)[1]: sum(w[k]["count"] for k in KINDS) for w in want["devices"]})
    trust = d["trust"]
    demand(path, "activities without a launch", trust["gpu_events"] - trust["with_launch"], sum(w["without_launch"] for w in want["devices"]))
    demand(path, "operators", {o["name"] for o in d["ops"]}, set(ops) - {""})
    return trust["gpu_events"]


def main():
    if not PROGRAM or not SHARED:
        sys.exit(77)
    for path in recordings("nsys", "*.sqlite"):
        print(f"{path.name}: {nsys(path)} GPU activities as by SQL")
    for path in recordings("xplane", "*.xplane.pb*"):
        print(f"{path.name}: {xspace(path)} GPU activities as by a reader in Python")


if __name__ == "__main__":
    main()
