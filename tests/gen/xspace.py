#!/usr/bin/env python3
"""Converts traces of XProf to XSpace files (*.xplane.pb), which the profilers of JAX and TensorFlow write, and back.
The trace that XProf makes of such a file for its trace viewer has the same processes, threads and events.

  xspace.py run.xplane.pb --out run.trace.json.gz
  xspace.py run.trace.json.gz --out run.xplane.pb

Source: tsl/profiler/protobuf/xplane.proto; xplane_to_trace_events.cc and trace_events_to_json.cc of
xla/tsl/profiler/convert (openxla/xla, 2026).
"""
import argparse
import decimal
import gzip
import json
import pathlib
import struct

HOST_PID, FIRST_GPU = 701, 1
PS = 10**6  # picoseconds in a microsecond


# --- the wire format ----------------------------------------------------------------------------------


def varint(v):
    v &= (1 << 64) - 1
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    return bytes(out + bytes([v]))


def number(field, v):
    return varint(field << 3) + varint(v)


def message(field, b):
    return varint(field << 3 | 2) + varint(len(b)) + b


def fields(b):
    """Yields the fields of a message as (number, value); a value is an int, the 4 or 8 bytes of a float, or bytes. Raises an
    IndexError or a ValueError if the bytes are not a message."""
    at, view = 0, memoryview(b)

    def take():
        nonlocal at
        v = shift = 0
        while True:
            c = view[at]
            at += 1
            v |= (c & 127) << shift
            shift += 7
            if c < 128:
                return v

    while at < len(view):
        key = take()
        if key & 7 == 0:
            yield key >> 3, take()
            continue
        n = take() if key & 7 == 2 else {1: 8, 5: 4}.get(key & 7, len(view))
        if at + n > len(view):
            raise ValueError(f"no field at byte {at}")
        yield key >> 3, bytes(view[at : at + n])
        at += n


# --- traces → planes ----------------------------------------------------------------------------------


class Plane:
    """A plane that is being written; its names are numbered in order of first use."""

    def __init__(self, ident, name):
        self.head = number(1, ident) + message(2, name.encode())
        self.lines, self.events, self.stats, self.own = {}, {}, {}, b""

    def stat(self, field, name, value):
        ident = number(1, self.stats.setdefault(name, len(self.stats) + 1))
        if isinstance(value, float):
            return message(field, ident + varint(2 << 3 | 1) + struct.pack("<d", value))
        if isinstance(value, int):
            return message(field, ident + number(4 if value < 0 or value % 2 else 3, value))
        if len(value) % 3 == 0:  # some texts are stored once and referred to by number, as profilers store shared texts
            return message(field, ident + number(7, self.stats.setdefault(value, len(self.stats) + 1)))
        return message(field, ident + message(5, value.encode()))

    def event(self, line, name, offset, duration, values):
        ident = self.events.setdefault(name, len(self.events) + 1)
        stats = b"".join(self.stat(4, k, v) for k, v in values.items())
        self.lines[line][1].append(message(4, number(1, ident) + number(2, offset) + number(3, duration) + stats))

    def bytes(self):
        def metadata(field, names):
            return b"".join(message(field, number(1, i) + message(2, number(1, i) + message(2, n.encode()))) for n, i in names.items())

        lines = b"".join(message(3, head + b"".join(events)) for head, events in self.lines.values())
        return self.head + lines + metadata(4, self.events) + metadata(5, self.stats) + self.own


def value_of(key, v):
    """Converts values that XProf prints as text back to numbers."""
    if key in ("correlation_id", "group_id", "step_num"):
        return int(v)
    return float(v) if key == "theoretical_occupancy_pct" else str(v)


def encode(events, base_ns=0, host_first=False):
    """The XSpace file of a trace in the form of XProf; events before `base_ns` have negative offsets."""
    process = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
    thread = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    planes = {pid: Plane(pid, name.split(" ")[-1]) for pid, name in process.items()}
    for e in events:
        if e.get("ph") != "X":
            continue
        plane, tid = planes[e["pid"]], e["tid"]
        if tid not in plane.lines:
            head = number(1, tid) + message(2, thread.get((e["pid"], tid), f"Stream #{tid}").encode()) + number(3, base_ns)
            plane.lines[tid] = (head, [])
        start, duration = (int((decimal.Decimal(str(e[k])) * PS).to_integral_value()) for k in ("ts", "dur"))
        plane.event(tid, e["name"], start - base_ns * 1000, duration, {k: value_of(k, v) for k, v in e.get("args", {}).items()})
    for pid, plane in planes.items():
        if "/device:GPU" in process[pid]:
            plane.own = plane.stat(6, "memory_size", 85 * 10**9) + plane.stat(6, "gpu_device_name", "NVIDIA H100 80GB HBM3")
    order = sorted(planes, reverse=host_first)
    meta = message(1, message(2, b"/host:metadata")) + message(1, Plane(9, "Task Environment").bytes())
    return meta + b"".join(message(1, planes[pid].bytes()) for pid in order) + message(4, b"a-host")


# --- planes → traces ----------------------------------------------------------------------------------


def signed(v):
    return v - (1 << 64) if v >> 63 else v


def named(entries):
    """{number: (name, values)} of the entries of a map of metadata."""
    out = {}
    for entry in entries:
        parts = dict(fields(entry))
        body = list(fields(parts.get(2, b"")))
        out[signed(parts.get(1, 0))] = (next((v.decode("utf-8", "replace") for f, v in body if f == 2), ""),
                                        [v for f, v in body if f == 5])
    return out


def texts(raw, names):
    out = {}
    for stat in raw:
        key, v = "", None
        for f, x in fields(stat):
            if f == 1:
                key = names.get(signed(x), ("",))[0]
            elif f == 2:
                v = repr(struct.unpack("<d", x)[0])
            elif f == 7:
                v = names.get(x, ("",))[0]
            else:
                v = x.decode("utf-8", "replace") if isinstance(x, bytes) else str(signed(x) if f == 4 else x)
        if key and v is not None:
            out[key] = v
    return out


def us(ps):
    return str(decimal.Decimal(ps).scaleb(-6))


class Number(float):
    """A decimal number that keeps its digits in JSON."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = text
        return self

    def __repr__(self):
        return self.text


def decode(raw):
    """The events of the trace that XProf makes of an XSpace file; unlike XProf, this function keeps picoseconds."""
    raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    labels, events = [], []
    for f, plane in fields(raw):
        body = list(fields(plane)) if f == 1 else []
        name = next((v.decode() for g, v in body if g == 2), "")
        if "/device:GPU:" not in name and name != "/host:CPU":
            continue
        pid = HOST_PID if name == "/host:CPU" else FIRST_GPU + int(name.rsplit(":", 1)[1])
        event_names, stat_names = (named(v for g, v in body if g == field) for field in (4, 5))
        labels.append({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}})
        for line in (v for g, v in body if g == 3):
            parts = list(fields(line))
            one = {g: v for g, v in parts if g != 4}
            tid = (one.get(10) or one.get(1, 0)) & 0xFFFFFFFF
            start = signed(one.get(3, 0)) * 1000
            labels.append({"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": one.get(2, b"").decode()}})
            for e in (v for g, v in parts if g == 4):
                bits = {g: v for g, v in fields(e) if g != 4}
                what, shared = event_names.get(signed(bits.get(1, 0)), ("", []))
                args = texts(shared + [v for g, v in fields(e) if g == 4], stat_names)
                events.append({"ph": "X", "pid": pid, "tid": tid, "ts": Number(us(start + signed(bits.get(2, 0)))),
                               "dur": Number(us(bits.get(3, 0))), "name": what, **({"args": args} if args else {})})
    return sorted(labels, key=lambda e: e["pid"]) + sorted(events, key=lambda e: e["pid"])


def dumps(value):
    if isinstance(value, Number):
        return value.text
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{dumps(v)}" for k, v in value.items()) + "}"
    return "[" + ",".join(map(dumps, value)) + "]" if isinstance(value, list) else json.dumps(value)


def trace(events):
    return dumps({"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}, "traceEvents": events + [{}]}).encode()


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("input", type=pathlib.Path)
    p.add_argument("--out", required=True, type=pathlib.Path)
    o = p.parse_args(argv)
    raw = o.input.read_bytes()
    if ".xplane.pb" in o.input.name:
        out = trace(decode(raw))
    else:
        text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        out = encode([e for e in json.loads(text, parse_float=decimal.Decimal)["traceEvents"] if e])
    o.out.write_bytes(gzip.compress(out, mtime=0) if o.out.suffix == ".gz" else out)


if __name__ == "__main__":
    main()
