#!/usr/bin/env python3
"""Threats by artifacts, baselines, rules, disks and untrusted people: each threat has a test function, which is named after it
and runs the program as users do. An error is one line that names file and place, with the exit code of its kind;
nothing is left behind. Tests elsewhere that cover a threat are named, and must exist.

usage: robustness.py [THREAT…]     ($GPUGATE is the program; exit 77 skips)
"""
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from _bench import MIB, PROGRAM, SLOT, Bench, events, is_sanitized, kernel, trace, with_slot
from _part import part
from _json_cases import BROKEN, BROKEN_DOCUMENTS, NOT_UTF8, SOUND, TOLERATED

TESTS = pathlib.Path(__file__).resolve().parents[1]


def found(result):
    return {t["finding"] for t in result["trust"]}


# --- Threats: the bytes of input files --------------------------------------------------------------


def decompression_bomb(b):
    nr = 4 if is_sanitized() else 16
    spaces = gzip.compress(b" " * (16 * MIB), 9)
    head, tail = trace()[:-1], b"}"
    bomb = gzip.compress(head) + spaces * nr + gzip.compress(tail)
    b.file("bomb.json.gz", bomb)
    children = []

    def measured(*args):
        pid = os.posix_spawn(PROGRAM, [PROGRAM, *args], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
        children.append(os.wait4(pid, 0))
        return children[-1][2].ru_maxrss

    os.chdir(b.dir)
    most = measured("digest", "bomb.json.gz", "-o", "d.json")
    assert children[-1][1] == 0, children
    # With a sanitizer this limit of memory does not hold, since freed memory is kept for a while.
    assert is_sanitized() or most < 64 << 10, f"{most} KiB for 256 MiB that are 0.3 MB"
    size = len(head) + len(tail) + nr * 16 * MIB
    b.fine("digest", "bomb.json.gz", "-o", "d.json", "--max-input", size)
    b.refused("digest", "bomb.json.gz", "-o", "d.json", "--max-input", size - 1, says=f"bomb.json.gz: byte {size - 1}: more than the limit")
    b.refused("digest", "bomb.json.gz", "-o", "d.json", "--max-input", 5, says="byte 5: more than the limit")


def gzip_members(b):
    text = trace()
    want = b.digest(text)["kernels"]
    parts = [text[i:i + 999] for i in range(0, len(text), 999)]
    assert b.digest(b"".join(map(gzip.compress, parts)))["kernels"] == want
    assert b.digest(b"".join(map(gzip.compress, [b"", *parts, b""])))["kernels"] == want
    whole = gzip.compress(text, mtime=0)
    for end in (2, 3, 9, 10, 11, len(whole) // 2, len(whole) - 9, len(whole) - 8, len(whole) - 4, len(whole) - 1):
        b.digest_refused(whole[:end], "cut short")
    b.digest_refused(whole + whole[:5], "cut short")
    for at, name in ((-5, "data check"), (-1, "length check"), (20, "")):
        bad = bytearray(whole)
        bad[at] ^= 0x55
        b.digest_refused(bytes(bad), f"byte \\d+: damaged gzip data: .*{name}")
    for tail in (b"\0", b"garbage", b"\0" * 512, b"\x1fx"):
        done = b.fine("digest", b.file("t.json", whole + tail), "-o", "d.json")
        assert b"warning: t.json: trailing garbage" in done.stderr, done.stderr
    assert not b.fine("digest", b.file("t.json", whole), "-o", "d.json").stderr


def json_cut_short(b):
    text = trace(more=[{"ph": "i", "name": "end", "ts": 1}])
    ends = sorted({*range(1, 60), *range(60, len(text) - 60, 211), *range(len(text) - 60, len(text))})
    for end in ends:
        b.digest_refused(text[:end], f"t.json: byte {end}: the input ends")
    for more in (b"x", b"]", b"}", b"{}", b" 1", b"\0"):
        b.digest_refused(text + more, f"byte {len(text) + len(more) - len(more.lstrip())}: extra data")
    b.digest_refused(text[:-2] + b"}", "unexpected '}'")
    b.baseline()
    cut = text[:text.rindex(b'"k3"')]
    result, _ = b.check(cut, code=3)
    assert "the input ends" in result["error"]
    result, _ = b.check(cut, "--allow-truncated", code=3)
    assert "truncated" in found(result), result["trust"]
    counts = [k["count"] for k in b.digest(cut, "--allow-truncated")["kernels"]]
    assert sorted(counts) == [4, 5, 5, 5], counts


def faults_of_real_profilers(b):
    b.baseline()
    for slot in with_slot():
        for text in TOLERATED:
            result, _ = b.check(slot.replace(SLOT, text))
            faults = [t for t in result["trust"] if t["finding"] == "json-faults"]
            assert len(faults) == 1, (text, result["trust"])
    many = next(with_slot()).replace(SLOT, b"[" + b",".join(TOLERATED * 50) + b"]")
    faults = [t["message"] for t in b.check(many)[0]["trust"] if t["finding"] == "json-faults"]
    assert len(faults) == 1 and re.search("[0-9]{3}", faults[0]), faults
    for key in ("ts", "dur"):
        for text in ("NaN", "nan", "-Infinity"):
            b.digest_refused(trace([{**kernel(3), key: "@here@"}]).replace(SLOT, text.encode()), rf"byte \d+: .*{key}")


def other_invalid_json(b):
    for text in BROKEN + BROKEN_DOCUMENTS:
        b.digest_refused(text, r"^gpugate: t\.json: (byte \d+|a pickle|a text in UTF-16)")
    slots = list(with_slot())
    for i, text in enumerate(BROKEN):
        for slot in (slots[i % len(slots)], slots[(i + 1) % len(slots)]):
            says = b.digest_refused(slot.replace(SLOT, text))
            start = slot.index(SLOT)
            at = int(re.search(r"byte (\d+)", says)[1])
            assert start <= at, f"{text}: an error before its place: {says}"
    for text in SOUND + NOT_UTF8:
        for slot in slots:
            b.digest(slot.replace(SLOT, text))
    snapshot = b'{"segments": [], "device_traces": [[]], "allocator_settings": {"x": "@here@"}}'
    b.digest(snapshot.replace(SLOT, b"[1]"))
    for text in BROKEN[::3]:
        b.digest_refused(snapshot.replace(SLOT, text))


def nesting(b):
    """The document, its list, the event and its arguments are already four levels."""
    slot = next(with_slot())
    b.digest(slot.replace(SLOT, b"[" * 508 + b"]" * 508))
    b.digest_refused(slot.replace(SLOT, b"[" * 509 + b"]" * 509), "nested deeper than 512")
    b.digest(slot.replace(SLOT, b'{"a":' * 508 + b"1" + b"}" * 508))
    for deep in (b"[" * MIB, b'{"a":' * MIB, b"[" * MIB + b"]" * MIB):
        b.digest_refused(slot.replace(SLOT, deep), "nested deeper than 512")
        b.digest_refused(deep, "nested deeper than 512")
        b.file("deep.json", b'{"schema": "gpugate-baseline-1", "x": ' + deep)
        b.refused("baseline", "log", "--baseline", "deep.json", code=4, says=r"byte \d+: ")
        b.file("deep.json", b'{"schema": "gpugate-digest-1", "x": ' + deep)
        b.refused("report", "deep.json", says=r"byte \d+: ")
    rules = "version: 1\nrules:\n  - {id: a, metric: step.cuda_time, fail: "
    for deep in ("[" * 100000, "{a: " * 30000, "[" * 40 + "]" * 40):
        b.rules_refused(rules + deep, r"r\.yaml:3:\d+: .*32")


def invalid_utf8(b):
    names = [text.decode("latin-1")[1:-1] for text in NOT_UTF8] + ["\x00", "a\x00b", "a\x00c"]
    text = trace([kernel(100 + i, f"@name{i}@") for i in range(len(names))] +
                 [kernel(200, "\ud801"), kernel(201, "\udfff"), kernel(202, "\ud801x")])
    for i, name in enumerate(names):
        escaped = json.dumps(name).encode() if "\0" in name else b'"' + name.encode("latin-1") + b'"'
        text = text.replace(f'"@name{i}@"'.encode(), escaped)
    shown = b.metrics(text)["kernels"]
    assert len(shown) == 4 + len(names) + 3, [k["name"] for k in shown]
    assert sum("\ufffd" in k["name"] for k in shown) == len(names) + 3
    digest = b.digest(text)
    b.fine("digest", "d.json", "-o", "d2.json")
    assert (b.dir / "d.json").read_bytes() == (b.dir / "d2.json").read_bytes(), "names are merged or lost"
    assert len(digest["kernels"]) == len(shown)
    b.fine("report", "t.json", "--markdown", "m.md", "--html", "h.html", "--json", "r.json", "--verbose")
    for name in ("m.md", "h.html", "r.json", "d.json"):
        (b.dir / name).read_bytes().decode("utf-8")
    # A long name is cut between two characters, never within one.
    for pad in range(4):
        text = trace([kernel(300, "x" * pad + "\U0001f600" * 4000)])
        b.metrics(text)
        b.fine("report", "t.json", "--markdown", "m.md", "--max-bytes", 900)
        (b.dir / "m.md").read_bytes().decode("utf-8")


def numbers(b):
    def with_number(key, text, args=False):
        event = kernel(3)
        (event["args"] if args else event)[key] = "@here@"
        return trace([event]).replace(SLOT, text)

    for key in ("ts", "dur"):
        for text in (b"1e999", b"-1e999", b"9" * 400, b"9223372036854775.808", b"1e18", b"true", b'"x"'):
            b.digest_refused(with_number(key, text), rf"byte \d+: .*{key}")
        b.digest(with_number(key, b"9223372036854.775807"))
        b.digest(with_number(key, b"0." + b"1" * 400))
    for text in (b"1e999", b"9" * 400, b"-1"):
        assert b.run("digest", b.file("t.json", with_number("device", text, True)), "-o", "d.json").returncode in (0, 3)
    for key in ("pid", "tid"):
        for text in (b"99999999999999999999999999", b"-9" + b"9" * 30, b'"main"', b"1.5"):
            b.digest(with_number(key, text))
    for text in (b"18446744073709551616", b"9" * 30):
        b.digest(with_number("correlation", text, True))
    b.refused("digest", "t.json", "-o", "d.json", "--rank", "99999999999999999999", code=2, says="--rank")
    b.rules_refused("version: 1\nrules:\n  - {id: a, metric: step.cuda_time, fail: {max: 1e999ms}}\n")
    b.rules_refused("version: 1\nrules:\n  - {id: a, metric: step.cuda_time, fail: {max: " + "9" * 400 + "ms}}\n")


def missing_dur(b):
    def without(key, **more):
        event = {**kernel(30, "odd"), **more}
        event.pop(key, None)
        return trace([event])

    def of_small_kernels(text):
        """(count, total time) of each sum of small kernels; the sums include a kernel without a duration."""
        return [(k["count"], k["total"]) for k in b.metrics(text)["kernels"] if "names" in k]

    assert of_small_kernels(without("dur")) == [(1, 0)]
    assert of_small_kernels(without("", dur=-7.5)) == [(1, 0)]
    assert "negative-durations" in found(b.check(without("", dur=-7.5))[0])
    assert of_small_kernels(without("ts")) == []
    assert "malformed-events" in found(b.check(without("ts"))[0])


def duplicate_keys(b):
    whole = trace()
    b.digest_refused(whole[:-1] + b', "traceEvents": []}', "'traceEvents' is there twice")
    last = trace([kernel(3, "@here@")]).replace(SLOT, b'"first", "name": "last"')
    shown = {k["name"] for k in b.metrics(last)["kernels"]}
    assert "last" in shown and "first" not in shown, shown
    rules = "version: 1\n{}rules:\n  - {{id: a, metric: step.cuda_time, {}fail: {{max: 1ms}}}}\n"
    b.rules_refused(rules.format("version: 1\n", ""), r"r\.yaml:2:1: ")
    b.rules_refused(rules.format("", "id: b, "), r"r\.yaml:3:\d+: ")
    stored = (b.dir / b.baseline()).read_bytes()
    for key, byte in ((b'"schema"', b'"schema": "gpugate-baseline-1",\n'), (b'"workload"', b'"workload": "other",\n')):
        b.file("twice.json", stored.replace(key, byte + key, 1))
        b.refused("baseline", "log", "--baseline", "twice.json", code=4, says=r"twice\.json: byte \d+: ")


def colliding_names(b):
    """2^17 names of the same length and the same sum of bytes are read within seconds, whatever the hash function."""
    nr = 1 << 17
    many = [kernel(100 + i, f"{i:017b}".replace("1", "Aa").replace("0", "BB"), ts=float(i), dur=1.0) for i in range(nr)]
    b.file("t.json", trace(many))
    b.fine("digest", "t.json", "-o", "d.json")


def indices_from_input(b):
    huge = (2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64, -1, -2**63)
    for key in ("device", "stream", "correlation", "External id", "context"):
        for value in huge:
            data = trace([kernel(3, **{key: value})])
            code = b.run("digest", b.file("t.json", data), "-o", "d.json", before=less_memory).returncode
            assert code in (0, 3), (key, value, code)
    memory = {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 1}
    for key in ("Device Id", "Addr", "Bytes", "Total Allocated", "Total Reserved", "Device Type"):
        for value in huge:
            args = {"Device Id": 0, "Device Type": 1, "Bytes": 512, "Addr": 1024, "Total Allocated": 512, "Total Reserved": 1024, key: value}
            code = b.run("digest", b.file("t.json", trace([{**memory, "args": args}])), "-o", "d.json", before=less_memory).returncode
            assert code in (0, 3), (key, value, code)
    for value in huge:
        snapshot = {"segments": [{"device": value, "address": 512, "total_size": 512, "stream": value, "segment_type": "small",
                                  "blocks": [{"address": 512, "size": 512, "requested_size": 5, "state": "active_allocated", "frames": []}]}],
                    "device_traces": [[]]}
        code = b.run("digest", b.file("t.json", json.dumps(snapshot)), "-o", "d.json", before=less_memory).returncode
        assert code in (0, 3), (value, code)


def less_memory():
    """Limits memory to what reading needs: an array as large as values of the file claim does not fit."""
    if not is_sanitized():
        resource.setrlimit(resource.RLIMIT_AS, (512 * MIB, 512 * MIB))


# --- Threats: rules and stored files -----------------------------------------------------------------

RULE = "version: 1\nrules:\n  - {id: a, metric: step.cuda_time, fail: {increase: 5%}}\n"


def yaml(b):
    b.fine("lint", b.file("r.yaml", RULE))
    for text, place in ((RULE.replace("5%", "&x 5%"), "3:"), (RULE.replace("5%", "*x"), "3:"), (RULE.replace("5%", "!!str 5%"), "3:"),
                        (RULE.replace("5%", "!x 5%"), "3:"), (RULE + "---\nversion: 1\n", "[45]:"), (RULE + "<<: {a: 1}\n", "4:"),
                        (RULE + "version: 1\n", "4:"), (RULE.replace("id: a", "id: a, id: b"), "3:"), ("%YAML 9.9\n---\n" + RULE, "1:"),
                        (RULE.replace("a,", "a\0,"), ""), (RULE.encode().replace(b"a,", b"\xff,"), ""), (RULE + "\t- x: y", "4:"),
                        ("&a [*a]\n", "1:"), ("a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "1:"), ("", ""), ("- 1\n", "1:"), ("x", "1:")):
        b.rules_refused(text, rf"^gpugate: r\.yaml:{place}")
    b.rules_refused("[" * 100000, r"r\.yaml:1:\d+: ", cpu=20)
    pad = RULE + "#" * (MIB - len(RULE))
    b.fine("lint", b.file("r.yaml", pad))
    b.rules_refused(pad + "#", r"^gpugate: r\.yaml: ")
    anchors = RULE + "".join(f"x{i}: &a{i} 1\n" for i in range(20000))
    b.rules_refused(anchors, r"r\.yaml:4:", cpu=20)


LENIENCIES = [b"NaN", b"-01", b"2.", b"'1'", b"1e999", b"Infinity", b"1 /**/", b"1 // x\n", b"0x1", b"+1", b".5", b"1,", b"tru", b"nul"]


def json_c_leniencies(b):
    stored = (b.dir / b.baseline()).read_bytes()
    b.fine("digest", "good.json", "-o", "d.json")
    digest = (b.dir / "d.json").read_bytes()
    for name, data, code, command in (("b.json", stored, 4, ("baseline", "log", "--baseline")), ("e.json", digest, 3, ("report",))):
        number = re.search(rb'"count":\s*\d+', data)
        for text in LENIENCIES:
            key = number[0].split(b":")[0]
            b.file(name, data[:number.start()] + key + b":" + text + data[number.end():])
            b.refused(*command, name, code=code, says=rf"{name}: byte \d+: ", what=text)
        b.file(name, data[:number.start()] + number[0] + b"," + number[0] + data[number.end():])
        b.refused(*command, name, code=code, says=rf"{name}: byte \d+: ")
        b.file(name, data.rstrip() + b"x")
        b.refused(*command, name, code=code, says=rf"{name}: byte {len(data.rstrip())}: ")
        for end in range(1, len(data) - 1, max(1, len(data) // 40)):
            b.file(name, data[:end])
            done = b.run(*command, name)
            assert done.returncode in (code, 3), (name, end, done)


def gzread(b):
    """Plain and gzipped data are recognized by content, and a cut gzip file is never taken as plain: see gzip_members."""
    b.fine("digest", b.file("plain.json.gz", trace()), "-o", "d.json")
    b.fine("digest", b.file("zipped.json", gzip.compress(trace())), "-o", "d.json")
    for name in ("base.json", "base.json.gz"):
        b.baseline()
        b.file(name, gzip.compress((b.dir / "base.json").read_bytes()))
        done = b.run("baseline", "show", "--baseline", name)
        assert done.returncode in (0, 4), done
    for path in (TESTS.parent / "src").rglob("*.[ch]"):
        assert not re.search(r"\bgz(open|dopen|read|gets|getc)\b", path.read_text(encoding="utf-8")), path


def pickle(b):
    import pickle as python

    class Evil:
        def __reduce__(self):
            return os.system, ("touch " + str(b.dir / "ran"),)

    evil = python.dumps({"segments": [Evil()], "device_traces": [[]]})
    sound = python.dumps({"segments": [], "device_traces": [[]]}, 4)
    b.fine("digest", b.file("p.pickle", sound), "-o", "d.json")
    for protocol in range(6):
        evil = python.dumps({"segments": [Evil()], "device_traces": [[]]}, protocol)
        b.refused("digest", b.file("p.pickle", evil), "-o", "e.json", says=r"p\.pickle: byte \d+: ")
    for end in range(1, len(sound), 3):
        done = b.run("digest", b.file("p.pickle", sound[:end]), "-o", "e.json")
        assert done.returncode == 3, (end, done)
    memo = b"\x80\x04" + b"K\x01" + b"r\xff\xff\xff\xff" + b"j\xff\xff\xff\xff" + b"."  # LONG_BINPUT, LONG_BINGET
    assert b.run("digest", b.file("p.pickle", memo), "-o", "e.json", before=less_memory).returncode == 3
    assert not (b.dir / "ran").exists(), "code of a pickle was run"


def unknown_keys(b):
    for text, says in ((RULE + "waiver: []\n", "waivers"), (RULE.replace("fail:", "fial:"), "fail"), (RULE.replace("increase", "incraese"), "increase"),
                       (RULE.replace("cuda_time", "cuda_tme"), "step.cuda_time"), (RULE.replace("5%", "5 parsec"), "")):
        assert says in b.rules_refused(text).split("did you mean")[-1]
    b.rules_refused("version: 1\nrules: []\n")
    b.rules_refused("version: 1\n", r"r\.yaml")
    b.rules_refused("rules:\n  - {id: a, metric: step.cuda_time, fail: {max: 1ms}}\n", r"r\.yaml")
    b.refused("chekc", "x", code=2, says="did you mean 'check'")
    b.refused("check", "x", "--basline", "y", code=2, says="did you mean '--baseline'")
    b.baseline()
    nothing = RULE.replace("metric: step.cuda_time", "metric: kernel.time, select: {kernel: 'no such*'}")
    b.file("r.yaml", nothing)
    b.refused("check", "good.json", "--baseline", "base.json", "--rules", "r.yaml", code=2, says=r"r\.yaml:3:\d+: .*selects nothing")


def missing_things(b):
    b.baseline()
    gone = [e for e in events() if e["cat"] != "kernel"]
    cases = {
        "an empty trace": {"traceEvents": []},
        "metadata only": {"traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "x"}}]},
        "no kernels": {"traceEvents": gone},
        "no steps": {"traceEvents": [e for e in events() if e["cat"] != "user_annotation"]},
        "no launches": {"traceEvents": [e for e in events() if e["cat"] != "cuda_runtime"]},
    }
    for name, document in cases.items():
        _, done = b.check(json.dumps(document).encode(), "--ignore-environment")
        assert done.returncode in (1, 3), f"{name}: exit {done.returncode}: {done.stdout.decode()}"
        assert b.run("check", "c.json", "--baseline", "absent.json").returncode in (3, 4)
    b.file("r.yaml", RULE + "steps: {min: 4}\n")
    b.check(trace(), "--rules", "r.yaml", code=0)
    b.check(json.dumps({"traceEvents": events(3)}).encode(), "--rules", "r.yaml", "--ignore-environment", code=3)
    b.file("r.yaml", RULE.replace("step.cuda_time", "memory.peak_allocated"))
    _, done = b.check(trace(), "--rules", "r.yaml")
    assert done.returncode in (1, 3, 4), "a figure that neither side has passes"
    b.file("r.yaml", RULE.replace("metric: step.cuda_time", "metric: memory.peak_allocated, on_missing: skip"))
    _, done = b.check(trace(), "--rules", "r.yaml")
    assert done.returncode == 3, "a gate in which all is skipped passes"
    b.refused("check", "good.json", "--baseline", "base.json", "--expect-ranks", "2", says="rank")


def own_artifact(b):
    b.baseline()
    files = {"--markdown": "m.md", "--junit": "j.xml", "--html": "h.html", "--json": "own.json"}
    done = b.fine("check", "good.json", "--baseline", "base.json", *[w for pair in files.items() for w in pair])
    for text in (done.stdout, *[(b.dir / f).read_bytes() for f in files.values()]):
        assert b"own artifact" in text, text[:400]


def other_hardware(b):
    b.baseline()
    def other(**top):
        return json.dumps({**json.loads(trace()), **top}).encode()

    cases = {"GPU": other(deviceProperties=[{"id": 0, "name": "GPU B", "totalGlobalMem": 1 << 36}]),
             "world size": other(distributedInfo={"rank": 0, "world_size": 8})}
    for name, data in cases.items():
        result, done = b.check(data, code=4)
        assert done.stderr.startswith(b"gpugate: "), name
        _, done = b.check(data, "--ignore-environment")
        assert done.returncode in (0, 1, 3), (name, done)
    stored = (b.dir / "base.json").read_bytes()
    for schema in (b"gpugate-baseline-2", b"gpugate-baseline-99", b"gpugate-digest-1", b"other"):
        b.file("s.json", stored.replace(b"gpugate-baseline-1", schema, 1))
        b.refused("check", "good.json", "--baseline", "s.json", code=4, says="s.json")


# --- Threats: paths, streams, machines -----------------------------------------------------------------


def path_traversal(b):
    b.file("good.json", trace())
    for name in ("../x", "a/b", "/etc/x", ".x", "..", ".", "", "a\nb", "a\x1bb", "a\\b/../c", "x" * 300):
        b.refused("approve", "--new", "good.json", "--workload", name, code=2, says="--workload")
        b.rules_refused(f"workload: {json.dumps(name)}\n{RULE}")
    b.file("rules/gpugate.yaml", 'baseline: "store/{gpu}-{workload}.json"\nworkload: w\n' + RULE)
    for name in ("../../../escape", "a/b", "..", "\u202e", "/etc/passwd", ".hidden", "x" * 150):
        data = json.loads(trace())
        data["deviceProperties"][0]["name"] = name
        b.file("t.json", json.dumps(data))
        b.fine("approve", "--new", "t.json", "--force")
    made = {p.parent for p in b.dir.rglob("*.json")}
    assert made == {b.dir, b.dir / "store"} and not list(b.dir.parent.glob("escape*")), made


def symbolic_links(b):
    b.file("good.json", trace())
    (b.dir / "victim").write_text("precious")
    (b.dir / "out").mkdir()

    def plant():
        os.symlink(b.dir / "victim", b.dir / "out" / f"d.json.{os.getpid()}-0.tmp")

    b.fine("digest", "good.json", "-o", "out/d.json", before=plant)
    assert (b.dir / "victim").read_text() == "precious" and not (b.dir / "out" / "d.json").is_symlink()
    (b.dir / "real").mkdir()
    (b.dir / "link.json").symlink_to("real/base.json")
    b.file("real/base.json", "{}")
    b.fine("approve", "--new", "good.json", "--baseline", "link.json", "--force")
    assert (b.dir / "link.json").is_symlink() and b.run("baseline", "show", "--baseline", "real/base.json").returncode == 0
    (b.dir / "loop.json").symlink_to("loop.json")
    b.refused("digest", "good.json", "-o", "loop.json", code=5, says="loop.json: cannot be written")
    b.refused("approve", "--new", "good.json", "--baseline", "loop.json", code=5, says="loop.json")
    b.refused("report", "loop.json", says="loop.json: cannot be opened")
    (b.dir / "lock").mkdir()
    (b.dir / "lock" / ".b.json.lock").symlink_to(b.dir / "victim")
    b.refused("approve", "--new", "good.json", "--baseline", "lock/b.json", code=5, says="lock")
    assert (b.dir / "victim").read_text() == "precious"
    (b.dir / "rules").mkdir()
    (b.dir / "rules" / "gpugate.yaml").symlink_to("gone.yaml")
    b.refused("check", "good.json", "--baseline", "link.json", code=2, says="rules/gpugate.yaml")


def failed_standard_output(b):
    base = b.baseline()
    b.file("r.yaml", RULE)
    commands = [("--help",), ("--version",), ("explain", "metrics"), ("report", "good.json", "--verbose"), ("report", "good.json", "--verbose", "--json", "-"), ("lint", "r.yaml"),
                ("explain", "step.cuda_time"), ("check", "good.json", "--baseline", base), ("report", "good.json"), ("diff", "good.json", "good.json"),
                ("report", "good.json", "--html", "-"), ("report", base), ("baseline", "log", "--baseline", base),
                ("baseline", "verify", "--baseline", base), ("digest", "good.json", "-o", "-"),
                ("approve", "--new", "good.json", "--baseline", base, "--force"), ("baseline", "prune", "--keep", "0", "--baseline", base)]
    for command in commands:
        with open("/dev/full", "wb") as full:
            b.refused(*command, code=5, says="standard output: cannot be written", stdout=full)
        reader, writer = os.pipe()
        os.close(reader)
        b.refused(*command, code=5, says="standard output: cannot be written", stdout=writer)
        os.close(writer)
        b.refused(*command, code=5, says="standard output: cannot be written", before=lambda: os.close(1))
        # Without standard streams nothing can be printed. Files get the descriptors 0 to 2 then: no message goes into them.
        done = b.run(*command, before=lambda: (os.close(0), os.close(1), os.close(2)))
        assert done.returncode == 5, (command, done)
        assert b.run("baseline", "verify", "--baseline", base).returncode == 0, command


def streams_and_odd_files(b):
    base, data = b.baseline(), trace()
    want = b.metrics(data)["kernels"]
    for stream in (data, gzip.compress(data)):
        done = b.run("metrics", "-", "--json", "-", stdin=None, input=stream)
        assert done.returncode == 0 and json.loads(done.stdout)["kernels"] == want
    os.mkfifo(b.dir / "fifo")

    def feed():
        with open(b.dir / "fifo", "wb") as f:
            for i in range(0, len(data), 777):
                f.write(data[i:i + 777])

    writer = threading.Thread(target=feed)
    writer.start()
    done = b.fine("metrics", "fifo", "--json", "-")
    writer.join()
    assert json.loads(done.stdout)["kernels"] == want
    b.file("empty.json", b"")
    (b.dir / "dir").mkdir()
    for name, says in (("/dev/zero", "byte 0: neither JSON nor gzip"), ("/dev/null", "byte 0"), ("empty.json", "byte 0|is empty"),
                       ("absent", "cannot be opened"), ("dir", "dir"), ("", "''"), ("good.json/x", "cannot be opened")):
        b.refused("digest", name, "-o", "d.json", says=says, cpu=20)
        if name:
            b.refused("baseline", "log", "--baseline", name, code=4, says=name, cpu=20)
            b.refused("lint", name, code=4 if name.endswith(".json") else 2, says=name, cpu=20)
            b.refused("check", "good.json", "--baseline", base, "--categories", name, code=2, says=name, cpu=20)
    done = b.run("digest", "-", "-o", "d.json", before=lambda: os.close(0))
    assert done.returncode == 3, done
    for out in ("dir", "absent/x", "good.json/x"):
        b.refused("digest", "good.json", "-o", out, code=5, says="cannot be written")
    b.refused("digest", "good.json", "-o", "good.json", code=2, says="would be written over")
    b.refused("report", "good.json", "--json", "new.json", "--markdown", "./new.json", code=2, says="would be written over")
    unnamed_inputs(b, base)
    b.refused("report", "-", "-", code=2, says="twice")


def unnamed_inputs(b, base):
    """Inputs that were found rather than named are never overwritten: files of a folder, the default rules and baseline."""
    own = b.dir / "own"
    for folder in (own / "run", own / "rules", own / "baselines"):
        folder.mkdir(parents=True)
    shutil.copy(b.dir / "good.json", own / "run" / "rank0.json")
    shutil.copy(b.dir / base, own / "baselines" / "default.json")
    (own / "rules" / "gpugate.yaml").write_text("version: 1\nrules: [{id: t, metric: step.cuda_time, fail: {increase: 5%}}]\n")
    for path in ("run/rank0.json", "rules/gpugate.yaml", "baselines/default.json"):
        before = (own / path).read_bytes()
        done = subprocess.run([PROGRAM, "check", "run", "--json", path], cwd=own, capture_output=True, check=False)
        assert done.returncode == 5 and b"it is an input of this command" in done.stderr, done
        assert (own / path).read_bytes() == before, path
    shutil.copy(own / "run" / "rank0.json", own / "again.json")
    os.link(own / "again.json", own / "hard.json")
    os.symlink("../again.json", own / "run" / "soft")
    for out in ("again.json", "hard.json", "run/soft"):
        done = subprocess.run([PROGRAM, "check", "run/rank0.json", "--repeat", "again.json", "--json", out], cwd=own, capture_output=True, check=False)
        assert done.returncode == 5 and b"it is an input of this command" in done.stderr, done
        assert (own / "again.json").read_bytes() == (own / "run" / "rank0.json").read_bytes(), out
    (own / "run" / "soft").unlink()
    os.symlink("there.json", own / "link.json")
    subprocess.run([PROGRAM, "digest", "run", "-o", "link.json"], cwd=own, check=True)
    assert (own / "link.json").is_symlink() and (own / "there.json").exists(), "a link that led nowhere was replaced"


def many_ranks(b):
    """16,384 digests in a folder are read within 1,024 file descriptors."""
    b.file("one.json", trace(distributedInfo={"rank": 0, "world_size": 16384}))
    b.fine("digest", "one.json", "-o", "one.digest")
    text = (b.dir / "one.digest").read_text()
    (b.dir / "many").mkdir()
    nr = 1280 if is_sanitized() else 16384
    for rank in range(nr):
        own = re.sub(r'"source_hash": "\w+"', f'"source_hash": "{rank + 1:016x}"', text)
        (b.dir / "many" / f"{rank}.json").write_text(own.replace('"rank": 0', f'"rank": {rank}', 1))

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))

    b.fine("merge", "many", "--expect-ranks", nr, "--jobs", "1024", "-o", "all.json.gz", before=few, cpu=500)
    b.fine("approve", "--new", "all.json.gz", "--baseline", "b.json", "--accept", "absent-rank", before=few, cpu=500)
    b.fine("check", "all.json.gz", "--baseline", "b.json", "--expect-ranks", nr, before=few, cpu=500)


# Tests elsewhere that cover a threat completely: {threat: (file, name of the test)}.
ELSEWHERE = {
    "colliding_names": [("unit/test_intern.c", "many_names_in_seconds"), ("unit/test_intern.c", "hash_is_keyed"), ("unit/test_intern.c", "text_limit")],
    "numbers": [("unit/test_trace.c", "numbers"), ("unit/test_trace.c", "ids"), ("unit/test_number.c", "parse")],
    "pickle": [("unit/test_pickle.c", "at_and_past_every_limit"), ("unit/test_pickle.c", "refused_by_name_and_offset"),
               ("unit/test_pickle.c", "billion_laughs"), ("unit/test_pickle.c", "deep_nesting")],
    "yaml": [("unit/test_rules_file.c", "test_depth"), ("unit/test_rules_file.c", "test_hostile_sizes")],
    "nesting": [("unit/test_trace_whole.c", "nesting"), ("unit/test_digest_json.c", "test_limits")],
    "names_in_xml": [("prop/hostile_names.py", "junit"), ("prop/junit_schema.py", "faults")],
    "names_in_markdown": [("prop/hostile_names.py", "markdown"), ("prop/markdown_gfm.py", "kernels")],
    "names_in_html": [("prop/hostile_names.py", "page"), ("extended/browser.py", "policy")],
    "names_on_a_terminal": [("prop/hostile_names.py", "terminal")],
    "concurrent_updates": [("prop/baseline_writers.py", "many_appends"), ("prop/baseline_writers.py", "killed_writer")],
    "failing_disk": [("prop/fault_files.py", "trial"), ("prop/fault_files.py", "order_faults")],
    "allocation_failure": [("prop/fault_memory.py", "trial")],
    "locale": [("prop/reproducible.py", "settings")],
    "many_ranks": [("prop/jobs.py", "descriptors")],
}
HERE = [decompression_bomb, gzip_members, json_cut_short, faults_of_real_profilers, other_invalid_json, nesting, invalid_utf8, numbers,
        missing_dur, duplicate_keys, colliding_names, indices_from_input, yaml, json_c_leniencies, gzread, pickle, unknown_keys,
        missing_things, own_artifact, other_hardware, path_traversal, symbolic_links, failed_standard_output, streams_and_odd_files,
        many_ranks]


def tested_elsewhere(threat):
    for file, name in ELSEWHERE.get(threat, []):
        text = (TESTS / file).read_text(encoding="utf-8")
        assert re.search(rf"^(static void|def) {name}\(", text, re.M), f"there is no {name} in tests/{file}"


def prove(threat):
    """The error of the test function that is named after the threat; None if it passes."""
    try:
        tested_elsewhere(threat)
        for function in HERE:
            if function.__name__ == threat:
                with tempfile.TemporaryDirectory() as dir:
                    function(Bench(dir))
    except AssertionError as e:
        return str(e) or repr(e)
    return None


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    threats = sys.argv[1:] or part(sorted({f.__name__ for f in HERE} | set(ELSEWHERE)))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    bad = 0
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), max_tasks_per_child=1) as pool:
        for threat, wrong in zip(threats, pool.map(prove, threats)):
            print(f"{'FAIL' if wrong else 'ok  '} {threat}{': ' + wrong if wrong else ''}", flush=True)
            bad += wrong is not None
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
