#!/usr/bin/env python3
"""A file that is cut or damaged anywhere. For every reader, a small valid file is cut at each byte, and each of its
bytes is replaced in turn; a JSON file is also read without each of its members and elements.

 - the program ends with 0 or the exit code for such files; its message is one line that names the file, and it leaves no output
   unless all went well
 - figures that differ from those of the valid file are shown only if another parser (Python's) reads other values, too; if that
   parser refuses the file, they are shown only together with the trust finding or note that says so
 - if that parser reads the same values, the figures are the same
 - if gzip data is damaged, the message is about that damage

Without ALL_CASES, it takes some of the places; with it, each byte with a neighborhood that the file does not have before,
and, of the others (repeated rows, zeros in pages), one of seven, and every member and element; it does so in three parts, each
with all readers. tests/fuzz/replay.c cuts and damages files in each reader under the sanitizers.

usage: damage.py [READER…]      ($GPUGATE is the program; exit 77 skips)
"""
import concurrent.futures
import csv
import gzip
import io
import json
import os
import pathlib
import pickle
import sqlite3
import subprocess
import sys
import tempfile

import yaml

from _bench import PROGRAM
from _part import ALL, part
import xspace

TESTS = pathlib.Path(__file__).resolve().parents[1]
CORPUS = TESTS / "fuzz" / "corpus"

RUNS = 200  # number of damaged files for each reader without ALL_CASES, half of them cut and half with a byte replaced
OTHERS = b'\0\xff"\\{],-9\n\x80:N'
RULES = """version: 1
workload: w
defaults: {on_missing: skip}
rules:
  - {id: speed, metric: input.tokens_per_s, better: higher, fail: {decrease: 5%}}
"""
SUITE = """version: 1
name: nightly
cases:
  - {workload: w, runs: m.json, baseline: b.json}
  - {workload: x, runs: m.json, baseline: b.json, rules: rules.yaml}
"""


# --- Independent parsers: they return a value that can be compared, or raise an exception --------------------------------


def as_json(data):
    return json.loads(data.decode("utf-8", "replace"), strict=False)


def as_lines(data):
    """The JSON values in the text, in sequence; line breaks between them do not matter."""
    text, decoder, out, at = data.decode("utf-8", "replace"), json.JSONDecoder(strict=False), [], 0
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
            continue
        value, at = decoder.raw_decode(text, at)
        out.append(value)
    return out


def as_recorded(data):
    """The values of a recorder's file. A last line that is cut short is left out, since the recorder may have been killed."""
    lines = data.decode("utf-8", "replace").split("\n")
    try:
        return as_lines(data)
    except ValueError:
        return as_lines("\n".join(lines[:-1]).encode()) if len(lines) > 1 and lines[-1] else as_json(b"")


def as_csv(data):
    text = data.decode("utf-8", "replace").replace("\0", "\ufffd")
    return [[c.strip() for c in row] for row in csv.reader(io.StringIO(text), strict=True, skipinitialspace=True) if row]


def as_yaml(data):
    return yaml.safe_load(data)


def as_pickle(data):
    # the unpickler that is written in Python: that in C makes tables as long as a damaged index says, of gigabytes
    class Data(pickle._Unpickler):  # pylint: disable=protected-access
        def find_class(self, module, name):
            raise pickle.UnpicklingError(name)

    try:
        return Data(io.BytesIO(data)).load()
    except UnicodeDecodeError:
        return data  # invalid UTF-8 in a name: the program replaces it by U+FFFD


def as_gzip(data):
    return gzip.decompress(data)


def as_fields(data):
    """Fields of a protobuf message; bytes that can be read as a message are replaced by its fields, to a depth of 3."""
    def walk(b, depth):
        out = []
        for number, v in xspace.fields(b):
            try:
                out.append((number, walk(v, depth + 1) if isinstance(v, bytes) and depth < 3 else v))
            except (IndexError, ValueError, TypeError):
                out.append((number, v))
        return out
    return walk(data, 0)


def as_tables(data):
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        db = sqlite3.connect(f.name)
        db.text_factory = lambda b: b.decode("utf-8", "replace")
        try:
            return list(db.iterdump())
        finally:
            db.close()


# --- Readers: the valid file, the command that reads it, and the figures that it shows -------------------------------------

SHOWN = ("source_hash", "source_bytes", "snapshot", "trace", "metrics_file")


class Reader:
    """A way to read a file: `data` is a valid file, `args` the command line with {} for the file's name, `out` the output of
    the command, `code` the exit code for a refused file."""

    def __init__(self, name, data, args, parse, file="in.json", out="d.json", code=3):
        self.name, self.data, self.args, self.parse, self.file, self.out, self.code = name, data, args, parse, file, out, code

    def figures(self, done, dir):
        """All figures that the program shows of the file, without the file's own hash."""
        if not self.out:
            return done.stdout
        if not (dir / self.out).exists():
            return None
        d = json.loads((dir / self.out).read_text(encoding="utf-8"))
        return {k: v for k, v in d.items() if k not in SHOWN}


def corpus(name):
    return (CORPUS / name).read_bytes()


DIGEST = ("digest", "{}", "-o", "d.json")


def readers(dir):
    """Yields all readers; writes to `dir` the files that their commands need beside the damaged one."""
    def gpugate(*args):
        subprocess.run([PROGRAM, *args], cwd=dir, check=True, capture_output=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"})

    (dir / "m.json").write_text('{"tokens_per_s": 100.5, "loss": 2.25}')
    (dir / "n.json").write_text('{"tokens_per_s": 101.5, "loss": 2.5}')
    (dir / "rules.yaml").write_text(RULES)
    (dir / "s.yaml").write_text(SUITE)
    held = ("--rules", "rules.yaml", "--baseline", "b.json")
    gpugate("approve", "--new", "m.json", *held)
    gpugate("store", "n.json", *held)
    gpugate("suite", "s.yaml", "--rules", "rules.yaml", "--json", "part.json")
    report = ("--json", "r.json")
    for name, file in (("trace", "trace/object.json"), ("snapshot", "snapshot/object.json"), ("timeline", "timeline/rows.json"),
                       ("metrics", "metrics/flat.json"), ("xprof", "xprof/xprof.json"), ("result, JSON", "result/gbench.json"),
                       ("digest", "digest/window.json"), ("run", "run/run-inputs.json")):
        yield Reader(name, corpus(file), DIGEST, as_json)
    for name, file in (("trace", "trace/object.json"), ("xprof", "xprof/xprof.json"), ("digest", "digest/window.json"), ("xspace", "xspace/jax")):
        yield Reader(f"{name}, gzip", gzip.compress(corpus(file), mtime=0), DIGEST, as_gzip)
    yield Reader("result, JSON lines", corpus("result/sglang.jsonl"), DIGEST, as_lines, "in.jsonl")
    yield Reader("result, CSV", corpus("result/triton.csv"), DIGEST, as_csv, "in.csv")
    yield Reader("machine, nvidia-smi", corpus("machine/nvidia.csv"), DIGEST, as_csv, "machine-rank0.csv")
    yield Reader("machine, rocm-smi", corpus("machine/rocm.json"), DIGEST, as_lines, "machine-rank0.json")
    yield Reader("machine, recorder", corpus("machine/recorder.json"), DIGEST, as_recorded, "machine-rank0.jsonl")
    yield Reader("xspace", corpus("xspace/jax"), DIGEST, as_fields, "in.xplane.pb")
    yield Reader("nsys", corpus("nsys/small.sqlite"), DIGEST, as_tables, "in.sqlite")
    yield Reader("pickle", corpus("pickle/protocol-4.pickle"), DIGEST, as_pickle, "in.pickle")
    yield Reader("flight", corpus("flight/stuck-0.json"), ("report", "{}"), as_json, "nccl_trace_rank_0.json", out=None)
    yield Reader("flight_pickle", corpus("flight_pickle/mismatch-0.pickle"), ("report", "{}"), as_pickle, "nccl_trace_rank_0", out=None)
    yield Reader("baseline", (dir / "b.json").read_bytes(), ("check", "m.json", "--rules", "rules.yaml", "--baseline", "{}", *report), as_json,
                 "other.json", "r.json", 4)
    yield Reader("history", (dir / "b.history.jsonl").read_bytes(), ("history", *held, *report), as_lines, "b.history.jsonl", "r.json", 4)
    yield Reader("rules", RULES.encode(), ("check", "m.json", "--rules", "{}", "--baseline", "b.json", *report), as_yaml, "own.yaml", "r.json", 2)
    yield Reader("suite", SUITE.encode(), ("suite", "{}", "--rules", "rules.yaml", *report), as_yaml, "own.yaml", "r.json", 2)
    yield Reader("part of a suite", (dir / "part.json").read_bytes(), ("suite", "--merge", "{}", *report), as_json, "own.json", "r.json")


# --- The damage to each file, and what the program may make of it ---------------------------------------------------------


def places(value, path=()):
    """Yields the paths of all members and elements of a document."""
    for key, v in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(v, (*path, key))


def without(value, path):
    key, *rest = path
    if rest:
        return {**value, key: without(value[key], rest)} if isinstance(value, dict) else [without(v, rest) if i == key else v for i, v in enumerate(value)]
    return {k: v for k, v in value.items() if k != key} if isinstance(value, dict) else value[:key] + value[key + 1:]


def places_in(data):
    """Yields the offsets of the bytes to damage, which the docstring of this file describes."""
    if not ALL:
        yield from range(0, len(data), max(1, 2 * len(data) // RUNS))
        return
    seen, repeated = set(), 0
    for at in range(len(data)):
        near = data[max(0, at - 12):at + 4]
        repeated += near in seen
        if near not in seen or repeated % 7 == 0:
            yield at
        seen.add(near)


def damages(reader):
    """Yields (description of the damage, damaged bytes)."""
    data = reader.data
    if reader.parse is as_json:
        whole = as_json(data)
        every = list(places(whole))
        for path in every[::1 if ALL else max(1, 2 * len(every) // RUNS)]:
            yield f"without {'.'.join(map(str, path))}", json.dumps(without(whole, path)).encode()
    for k, at in enumerate(places_in(data)):
        yield f"cut to {at} bytes", data[:at]
        byte = data[at] ^ 1 << k // 2 % 8 if k % 2 else OTHERS[k // 2 % len(OTHERS)]
        yield f"byte {at} is {byte:#x}", data[:at] + bytes([byte]) + data[at + 1:]


def parsed(reader, data):
    try:
        return reader.parse(data)
    except RecursionError:
        raise
    except Exception:  # pylint: disable=broad-except
        return REFUSED


REFUSED = object()


def run(reader, dir, data):
    """Returns the finished process and all figures that it shows; None instead of figures if the file is refused."""
    (dir / reader.file).write_bytes(data)
    done = subprocess.run([PROGRAM, *(a.replace("{}", reader.file) for a in reader.args)], cwd=dir, capture_output=True, check=False, timeout=60,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"})
    return done, reader.figures(done, dir)


def fault(reader, dir, before, sound, what, data):
    """What is wrong with the program's answer to a damaged file; "" if nothing is wrong."""
    done, shown = run(reader, dir, data)
    text = done.stderr.decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if not line.startswith(("gpugate: note: ", "gpugate: warning: "))]
    left = sorted(p.name for p in dir.iterdir())
    if done.returncode not in range(5):
        return f"exit {done.returncode}: {text[:400]}"
    if any(not line.startswith("gpugate: ") for line in text.splitlines()) or not text.replace("\n", "").isprintable():
        return f"words that are not its own: {text[:400]!r}"
    refused = done.returncode == reader.code and bool(lines)
    if refused and (len(lines) != 1 or reader.file not in lines[0]):
        return f"an error is one line that names the file: {text[:400]}"
    if left != before and (left != sorted({*before, reader.out}) or refused and reader.out == "d.json"):
        return f"left behind: {left}"
    other = parsed(reader, data)
    if refused and reader.parse is as_gzip and other is REFUSED and data[:2] == reader.data[:2] and "gzip data" not in lines[0]:
        return f"not a word of gzip data: {lines[0]}"
    if refused:
        return ""
    if shown == sound.shown or other is not REFUSED and other != sound.parsed:
        return ""
    if other is REFUSED and isinstance(shown, dict) and shown.get("trust", {}).get("json_faults"):
        return ""
    return f"other figures of what a parser {'refuses' if other is REFUSED else 'reads as the same'}"


class Sound:
    def __init__(self, shown, parsed_as):
        self.shown, self.parsed = shown, parsed_as


def faults(task):
    reader, folder = task
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        for path in pathlib.Path(folder).iterdir():
            (dir / path.name).write_bytes(path.read_bytes())
        done, shown = run(reader, dir, reader.data)
        wrong = [] if done.returncode in (0, 3) and parsed(reader, reader.data) is not REFUSED else [f"the sound file: {done}"]
        sound = Sound(shown, parsed(reader, reader.data))
        nr = refused = 0
        for what, data in part(damages(reader)):
            if reader.out:
                (dir / reader.out).unlink(missing_ok=True)
            before = sorted(p.name for p in dir.iterdir())
            said = fault(reader, dir, before, sound, what, data)
            nr += 1
            refused += not reader.out or not (dir / reader.out).exists() or "error" in json.loads((dir / reader.out).read_text(encoding="utf-8"))
            if said:
                wrong.append(f"{what}: {said}")
    return reader.name, nr, refused, wrong


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        rows = [(r, name) for r in readers(pathlib.Path(name)) if not sys.argv[1:] or r.name in sys.argv[1:]]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for what, nr, refused, wrong in pool.map(faults, rows):
                print(f"{'FAIL' if wrong else 'ok  '} {what}: {nr} damaged files, {refused} refused", flush=True)
                for line in wrong[:20]:
                    print(f"     {line}")
                bad += len(wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
