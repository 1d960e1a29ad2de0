#!/usr/bin/env python3
"""Write the export of Nsight Systems (`nsys export --type sqlite`) that a recording of the same run would have
given: kernels, copies, memory sets, runtime calls and annotations of a trace (Kineto), and sampled GPU metrics.

  nsys.py trace.json.gz --out run.sqlite

Tables and columns are those of the Nsight Systems User Guide, "SQLite Schema Reference" (schema 3.16).
"""
import argparse
import decimal
import gzip
import json
import pathlib
import random
import re
import sqlite3

VM = 1 << 48  # in a serialized id, the bits above the process id: those of the virtual machine
PID, OTHER_PID = 4242, 4243
COPIES = ["<unknown>", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"]
KINDS = ["Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"]
GPU_WORK = """start INTEGER NOT NULL, end INTEGER NOT NULL, -- Event timestamps (ns), not "always, ordered"
    deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
    streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER"""
SCHEMA = f"""
CREATE TABLE StringIds (
    -- Consolidation of repetitive string values (each one once).

    id                          INTEGER   NOT NULL   PRIMARY KEY,      -- ID reference value.
    value                       TEXT      NOT NULL                     -- String value.
);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT,
    isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, smCount INTEGER,
    uuid TEXT, chipName TEXT, cuDevice INTEGER);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER NOT NULL, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL,
    uuid TEXT, numMultiprocessors INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({GPU_WORK},
    demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER,
    registersPerThread INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER,
    gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
    blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY ({GPU_WORK}, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL,
    srcKind INTEGER, dstKind INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET ({GPU_WORK}, value INTEGER NOT NULL, bytes INTEGER NOT NULL,
    graphNodeId INTEGER, memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
    eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,
    returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
    category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
    domainId INTEGER, uint64Value INTEGER, doubleValue REAL, jsonText TEXT);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL,
    typeName TEXT NOT NULL, metricId INTEGER NOT NULL, metricName TEXT NOT NULL);
CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER NOT NULL, metricId INTEGER NOT NULL,
    value INTEGER NOT NULL);
"""


def events(path):
    """Events of the trace that a recording by nsys would have, too."""
    raw = pathlib.Path(path).read_bytes()
    raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    trace = json.loads(raw, parse_float=decimal.Decimal)
    return trace if isinstance(trace, list) else trace["traceEvents"]


def ns(us):
    return int((decimal.Decimal(us) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


COPY, SET = re.compile(r"Memcpy (\S+) \((.*) -> (.*)\)"), re.compile(r"Memset \((.*)\)")


def has_a_row(e):
    """False for copies and memory sets whose names are not those of CUDA."""
    kinds = (COPY.fullmatch(e["name"]) or SET.fullmatch(e["name"])) if "mem" in e["cat"] else None
    return "mem" not in e["cat"] or kinds is not None and all(k in COPIES + KINDS for k in kinds.groups())


class Export:
    def __init__(self, path, page_size=4096):
        pathlib.Path(path).unlink(missing_ok=True)
        self.db = sqlite3.connect(path)
        self.db.execute(f"PRAGMA page_size={page_size}")
        self.db.executescript(SCHEMA)
        self.strings, self.threads = {}, {}
        for row in (("EXPORT_SCHEMA_VERSION", "3.16.1"), ("EXPORT_PRODUCT_VERSION", "2024.6.2.225")):
            self.add("META_DATA_EXPORT", name=row[0], value=row[1])

    def add(self, table, **values):
        self.db.execute(f"INSERT INTO {table} ({','.join(values)}) VALUES ({','.join('?' * len(values))})",
                        list(values.values()))

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 7
            self.add("StringIds", id=self.strings[text], value=text)
        return self.strings[text]

    def tid(self, pid, tid):
        return VM | PID << 24 | self.threads.setdefault((str(pid), str(tid)), len(self.threads) + 1)

    def gpus(self, devices, name="NVIDIA H100 80GB HBM3"):
        """Writes the GPUs: GPU 3 - i is device i of our process in CUDA; for another process it is device 0."""
        for d in sorted(devices, reverse=True):
            self.add("TARGET_INFO_GPU", vmId=VM, id=3 - d, name=name, totalMemory=85 * 10**9, cuDevice=99)
            self.add("TARGET_INFO_CUDA_DEVICE", gpuId=3 - d, cudaId=0, pid=OTHER_PID)
            self.add("TARGET_INFO_CUDA_DEVICE", gpuId=3 - d, cudaId=d, pid=PID)

    def gpu_work(self, e):
        args, kind = e["args"], e["cat"].lower().removeprefix("gpu_")
        row = dict(start=ns(e["ts"]), end=ns(e["ts"]) + ns(e.get("dur", 0)), deviceId=args["device"], contextId=1,
                   streamId=args["stream"], correlationId=args.get("correlation"), globalPid=VM | PID << 24)
        if kind == "kernel":
            names = {c: self.string(e["name"]) for c in ("demangledName", "shortName")}
            grid, block = args.get("grid", [1, 1, 1]), args.get("block", [1, 1, 1])
            shared = args.get("shared memory")
            shape = dict(zip(("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"), grid + block))
            self.add("CUPTI_ACTIVITY_KIND_KERNEL", **row, **names, registersPerThread=args.get("registers per thread"),
                     staticSharedMemory=shared and shared % 1000, dynamicSharedMemory=shared and shared - shared % 1000,
                     localMemoryPerThread=args.get("local memory"), **shape)
        elif kind == "memcpy":
            copy = COPY.fullmatch(e["name"])
            self.add("CUPTI_ACTIVITY_KIND_MEMCPY", **row, bytes=args.get("bytes", 0), copyKind=COPIES.index(copy[1]),
                     srcKind=KINDS.index(copy[2]), dstKind=KINDS.index(copy[3]))
        else:
            self.add("CUPTI_ACTIVITY_KIND_MEMSET", **row, value=0, bytes=args.get("bytes", 0),
                     memKind=KINDS.index(SET.fullmatch(e["name"])[1]))

    def call(self, e):
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=ns(e["ts"]), end=ns(e["ts"]) + ns(e.get("dur", 0)), eventClass=0,
                 globalTid=self.tid(e["pid"], e["tid"]), correlationId=e["args"].get("correlation"),
                 nameId=self.string(e["name"] + "_v11000"), returnValue=0)

    def range(self, name, start, end, tid, domain=0, event_type=59, registered=False):
        text = dict(textId=self.string(name)) if registered else dict(text=name)
        self.add("NVTX_EVENTS", start=start, end=end, eventType=event_type, globalTid=tid, domainId=domain, **text)

    def metric(self, gpu, metric_id, name, samples):
        type_id = 1 << 48 | 1 << 32 | gpu
        self.add("TARGET_INFO_GPU_METRICS", typeId=type_id, sourceId=1, typeName="GPU Metrics [H100]",
                 metricId=metric_id, metricName=name)
        self.db.executemany("INSERT INTO GPU_METRICS VALUES (?,?,?,?)", [(t, type_id, metric_id, v) for t, v in samples])

    def close(self):
        self.db.commit()
        self.db.close()


def convert(source, out, page_size=4096, metrics=True, seed=1, dram=40):
    """Writes the export of the trace `source` to `out`; annotations alternate between text and registered strings."""
    rng = random.Random(seed)
    export = Export(out, page_size)
    devices, times = set(), []
    for e in source:
        cat = e.get("cat", "").lower()
        if e.get("ph") != "X":
            continue
        if cat.removeprefix("gpu_") in ("kernel", "memcpy", "memset"):
            devices.add(e["args"]["device"])
            times.append(ns(e["ts"]))
            export.gpu_work(e)
        elif cat in ("cuda_runtime", "cuda_driver", "runtime"):
            export.call(e)
        elif cat == "user_annotation":
            start = ns(e["ts"])
            export.range(e["name"], start, start + ns(e["dur"]), export.tid(e["pid"], e["tid"]), registered=start % 2 == 0)
    export.gpus(devices)
    if metrics and times:
        at = range(min(times), max(times), 100_000)  # 10 kHz
        levels = {"SMs Active": 80, "DRAM Read Bandwidth": dram, "NVLink TX Responses User Data": 5, "PCIe RX Throughput": 2}
        for gpu in (3 - d for d in devices):
            for i, (name, level) in enumerate(levels.items()):
                export.metric(gpu, i + 1, f"{name} [Throughput %]", [(t, min(100, max(0, int(rng.gauss(level, 6))))) for t in at])
            export.metric(gpu, 9, "GPC Clock Frequency [MHz]", [(min(times), 1_755_000_000)])
    export.close()


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("trace")
    p.add_argument("--out", required=True)
    p.add_argument("--page-size", type=int, default=4096)
    p.add_argument("--seed", type=int, default=1, help="of the samples of metrics")
    p.add_argument("--dram", type=int, default=40, help="per cent of DRAM bandwidth that is read")
    o = p.parse_args(argv)
    convert(events(o.trace), o.out, o.page_size, seed=o.seed, dram=o.dram)


if __name__ == "__main__":
    main()
