#!/usr/bin/env python3
"""Shared recordings of Nsight Systems, JAX and TensorFlow have the figures that plain SQL, and a reader of the wire format
in Python, find: counts, times and bytes of kernels, copies and memory sets, by process or device and by name.

$GPUGATE is the program, $GPUGATE_SHARED the shared data; exit 77 skips.
"""
import collections
import json
import os
import pathlib
import re
import sqlite3
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


def code_sums(d, what):
    """{value of the key `what`: ns} of the work that was launched there. Rows of calls that only wait are left out."""
    out = collections.Counter()
    for r in d.get("code", []):
        if r["kind"] != "sync":
            out[r.get(what, "")] += r["total_ns"]
    return out


def innermost(sums):
    out = collections.Counter()
    for name, ns in sums.items():
        out[name.split("\n")[-1]] += ns
    return out


def around(path, pid):
    """{innermost NVTX range around the launch: ns}, by simple SQL."""
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    tables = {r[0] for r in db.execute("SELECT name FROM sqlite_master")}
    out = collections.Counter()
    work = [t for t in ("KERNEL", "MEMCPY", "MEMSET") if f"CUPTI_ACTIVITY_KIND_{t}" in tables]
    texts = dict(db.execute("SELECT id, value FROM StringIds"))
    domains, ranges = {}, []
    if "NVTX_EVENTS" in tables:
        for a, b, kind, text, text_id, tid, domain in db.execute(
                "SELECT start, end, eventType, text, textId, globalTid, domainId FROM NVTX_EVENTS"):
            if tid is None or tid >> 24 & 0xffffff != pid:
                continue
            name = text if text is not None else texts.get(text_id)
            if kind == 75:
                domains[domain] = name
            elif kind in (59, 60, 70, 71) and b is not None:
                ranges.append((tid, a, b, name, domain))
    for t in work:
        for dur, at, tid in db.execute(f"""SELECT g.end - g.start, r.start, r.globalTid FROM CUPTI_ACTIVITY_KIND_{t} g
                JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = g.correlationId AND r.globalTid >> 24 = g.globalPid >> 24
                WHERE g.globalPid >> 24 & 0xffffff = {pid}"""):
            open_at = [(-a, b, name, domain) for th, a, b, name, domain in ranges if th == tid and a <= at < b]
            _, _, name, domain = min(open_at, default=(0, 0, "", None))
            name = f"{name}@{domains[domain]}" if domain in domains else name
            out[re.sub(r"(?<=.)[ _:#=-]*\d+$", "", name)] += dur
    return out


def modules(path):
    """{hlo_module: ns}, which the reference reads but does not print."""
    sys.path.insert(0, str(pathlib.Path(SHARED, "oracle")))
    import xplaneref
    out = collections.Counter()
    for p in xplaneref.load(str(path)):
        for line in p["lines"] if p["name"].startswith("/device:GPU") else []:
            for _, at, dur, st in xplaneref.events(p, line) if line["name"].startswith("Stream") else []:
                out[st.get("hlo_module", "")] += xplaneref.ns(at + dur) - xplaneref.ns(at)
    return out


def demand(path, what, got, want):
    if got != want:
        sys.exit(f"FAILED: {path.name}: {what}: {got}, the reference says {want}")


def nsys(path):
    want = reference("nsysref.py", path)["processes"]
    got = digests(path)
    demand(path, "processes", len(got), len(want))
    # in the order of the GPUs: in the shared files, larger process ids have larger GPU numbers
    for d, p in zip(got, sorted(want, key=lambda p: (p["devices"], p["pid"]))):
        have = sums(d["kernels"])
        for kind in KINDS:
            w = p.get(kind, dict(count=0, time=0, bytes=0))
            demand(path, f"process {p['pid']}, {kind}", have[kind], [w["count"], w["time"], w["bytes"]])
        names = {n["name"]: n["time"] for n in p.get("names", [])}
        kept = {r["name"]: r["total_ns"] for r in d["kernels"] if r["kind"] == "kernel" and not r.get("names")}
        demand(path, f"process {p['pid']}, kernels", kept, {n: names.get(n) for n in kept})
        if not d["steps"].get("number"):
            demand(path, f"process {p['pid']}, ranges as modules", innermost(code_sums(d, "module")), +around(path, p["pid"]))
    if len(want) > 1:
        for d, p in zip(got, sorted(want, key=lambda p: (p["devices"], p["pid"]))):
            (alone,) = digests(path, "--process", str(p["pid"]))
            demand(path, f"--process {p['pid']}", alone, d)
    return sum(p[k]["count"] for p in want for k in KINDS if k in p)


def plain(name):
    """A kernel's name without the additions of XLA and of ROCm's loader: no HLO module, no '.kd', and '_' as in C."""
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
    if not d["steps"].get("number"):  # if the trace has steps, the digest leaves out work that is in no step, unlike the reference
        demand(path, "operators of GPU time", code_sums(d, "op"), +ops)
        demand(path, "modules of GPU time", code_sums(d, "module"), modules(path))
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
