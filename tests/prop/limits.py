#!/usr/bin/env python3
"""Every limit of a reader: an input at the limit is read; an input beyond the limit is refused in bounded memory by one line
that names the file and the limit, with the exit code of its kind, and nothing is written.

Limits are read from the source. Every message of the source about too much or too many must belong to a row here: of LIMITS,
or of ELSEWHERE, which names a test with a smaller limit if the real one would take gigabytes.

usage: limits.py [ROW…]      ($GPUGATE is the program; exit 77 skips)
"""
import gzip
import json
import pathlib
import re
import resource
import sys
import tempfile

from _bench import MIB, PROGRAM, Bench, is_sanitized, trace
from _part import ALL
import nsys
import xspace

TESTS = pathlib.Path(__file__).resolve().parents[1]
SRC = TESTS.parent / "src"

MEMORY = 3 << 30  # bytes of address space that the program may use, although each input has only some megabytes


def limit(file, name):
    """The value of a constant or a member of a table of limits."""
    path = next(p for p in (SRC / file, *SRC.glob(f"*/{file}")) if p.exists())
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"\b{name}(?: = | )((?:\([a-z0-9_]+_t\)|INT32_MAX|[0-9(< )])+)", text)
    assert found, f"there is no {name} in src/{file}"
    return eval(re.sub(r"\([a-z0-9_]+_t\)", "", found[1]).strip(), {"INT32_MAX": 2**31 - 1})  # pylint: disable=eval-used


# --- Inputs with n of something -------------------------------------------------------------------------------------------


def metrics(n):
    return json.dumps({f"k{i}": i for i in range(n)})


def long_name(n):
    return json.dumps({"k" * n: 1})


def digits(n):
    return json.dumps({"k": 9}).replace("9", "9" * n)


def gbench(n, **more):
    """A result of Google Benchmark with n figures: each case has two times, one of the wall clock and one of the processor."""
    rows = [{"name": f"A/{i}", "time_unit": "us", "real_time": 1.5, **({} if i == n // 2 else {"cpu_time": 2})} for i in range((n + 1) // 2)]
    return json.dumps({"context": {}, "benchmarks": rows if n % 2 else [{**r, "cpu_time": 2} for r in rows], **more})


def count(v):
    rows = v.values() if isinstance(v, dict) else v if isinstance(v, list) else ()
    return 1 + sum(map(count, rows))


def values(n):
    least = count(json.loads(gbench(2, x=[])))
    return gbench(2, x=[]).replace("[]}", "[" + ",".join("0" * (n - least)) + "]}")


def bytes_of(n):
    text = gbench(2).encode()
    return gzip.compress(text, 1) + gzip.compress(b" " * (n - len(text)), 1)


def columns(n):
    return ",".join(["N", "Triton (GB/s)", *(f"c{i}" for i in range(n - 2))]) + "\n" + ",".join(["4096.0", "9.6", *["1"] * (n - 2)]) + "\n"


def csv_values(n):
    """A table with n values. A row counts as four: the row itself and its three cells. If n is not a multiple of four, a last
    row with two empty cells goes beyond n."""
    return "N,Triton (GB/s),Torch (GB/s)\n" + "".join(f"{i},1.5,2\n" for i in range(n // 4)) + ("9,,\n" if n % 4 else "")


def nvidia(n):
    return "timestamp, index, power.draw [W], clocks.current.sm [MHz]\n" + "".join(
        f"2026/07/14 08:12:{s}.696, {i}, 69.85 W, 345 MHz\n" for s in (38, 48) for i in range(n))


def rocm(n):
    return json.dumps({f"card{i}": {"sclk clock speed:": "(1700Mhz)", "Temperature (Sensor edge) (C)": "53.0"} for i in range(n)})


def flight(n):
    entry = '{"profiling_name":"nccl:all_reduce","process_group":["0",""],"collective_seq_id":1,"state":"completed"}'
    return '{"entries":[' + ",".join([entry] * n) + "]}"


def flight_members(n):
    return '{"entries":[],"pg_config":{"0":{"ranks":"[' + ",".join("0" * n) + ']"}}}'


def plane(n):
    """An XSpace file whose second plane claims to have n bytes, and ends there."""
    return xspace.message(1, xspace.message(2, b"/device:GPU:0")) + xspace.varint(1 << 3 | 2) + xspace.varint(n)


def processes(n):
    with tempfile.TemporaryDirectory() as dir:
        path = pathlib.Path(dir) / "x.sqlite"
        export = nsys.Export(path, 4096)
        for i in range(n):
            export.gpu_work({"ts": 10.0 * i, "dur": 5.0, "name": "k", "cat": "kernel", "args": {"device": i, "stream": 7, "correlation": i}})
        export.gpus(set(range(n)))
        export.close()
        import sqlite3
        db = sqlite3.connect(path)
        db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = ? + (deviceId << 24)", (nsys.VM,))
        db.commit()
        db.close()
        return path.read_bytes()


def devices(n):
    segment = {"device": 0, "address": 4096, "total_size": 512, "stream": 0, "segment_type": "small", "blocks": []}
    return json.dumps({"segments": [segment], "device_traces": [[]] * n})


def token(n):
    return gzip.compress(trace([{"ph": "i", "name": "@", "ts": 1}]).replace(b"@", b"x" * (n - 2)), 1)


def yaml_bytes(n):
    return RULE + "#" * (n - len(RULE))


def yaml_depth(n):
    return "[" * n + "]" * n


def reason(n):
    return RULE + f"waivers: [{{rule: a, until: 2999-01-01, reason: {'r' * n}}}]\n"


def rule_id(n):
    return RULE.replace("id: a", f"id: {'a' * n}")


def rules(n):
    return "version: 1\nrules:\n" + "".join(f"  - {{id: r{i}, metric: step.cuda_time, fail: {{increase: 5%}}}}\n" for i in range(n))


def profiles(n):
    return RULE + "profiles: {" + ", ".join(f"p{i}: {{steps: {{min: 2}}}}" for i in range(n)) + "}\n"


def cases(n):
    return "version: 1\nname: s\ncases:\n" + "".join(f"  - {{workload: w{i}, runs: absent{i}.json, baseline: b.json}}\n" for i in range(n))


def history(n):
    """A history of n lines: one line with a run, and blank lines, which count too."""
    return (TESTS / "fuzz" / "corpus" / "history" / "two-runs.jsonl").read_text().split("\n")[0] + "\n" + "\n" * (n - 1)


def run_of(n):
    """A stored run of n ranks."""
    one = (TESTS / "fuzz" / "corpus" / "digest" / "window.json").read_text()
    first, rest = re.split(r'"rank": ?-?\d+', one)
    return gzip.compress(('{"schema": "gpugate-run-1", "digests": [' + ",".join(f'{first}"rank": {i}{rest}' for i in range(n)) + "]}").encode(), 1)


def fold_columns(n):
    """A folded run with n empty columns, which are more than its rows need."""
    whole = json.loads((TESTS / "fuzz" / "corpus" / "digest" / "folded.json").read_text())
    whole["fold"]["columns"] = [[]] * n
    return json.dumps(whole)


def override_patterns(n):
    """A rule with n patterns, half of them in 'except' and half in 'overrides': the limit is for the sum of both."""
    some_of, rest = ", ".join(f"k{i}" for i in range(n // 2)), ", ".join(f"o{i}" for i in range(n - n // 2))
    return RULE.replace("step.cuda_time", "kernel.time, for_each: {top: 5}").replace(
        "fail:", f"except: [{some_of}], overrides: [{{match: [{rest}], fail: {{increase: 9%}}}}], fail:")


def categories(n):
    rows = [f"- {{category: c{k}, class: compute, match: [{', '.join(f'm{k}x{i}y' for i in range(k * 500, min(n, k * 500 + 500)))}]}}\n"
            for k in range((n + 499) // 500)]
    return "".join(rows)


def path(n):
    return f"- {{match: '*', name: x, take: [{{at: {'a' * n}}}]}}\n"


def folders(n):
    """A suite that makes n cases, one for each folder."""
    return n, "version: 1\nname: s\ncases:\n  - {workload: '{name}', each: 'd/*', runs: 'absent/{name}', baseline: b.json}\n"


def shards(n):
    """The result of the first of n shards of a suite."""
    with tempfile.TemporaryDirectory() as dir:
        b = Bench(dir)
        b.file("s.yaml", cases(1))
        b.run("suite", "s.yaml", "--shard", "1/1", "--json", "part.json")
        return json.dumps({**json.loads((b.dir / "part.json").read_text(encoding="utf-8")), "shards": n, "shard": 1})


def recent(n):
    """A baseline of an earlier version, which contains n runs besides its pin."""
    base = json.loads((TESTS / "fuzz" / "corpus" / "baseline" / "one-rank.json").read_text())
    base["recent"] = [{**base["recent"][0], "source_hash": f"{i:016x}"} for i in range(n)]
    return json.dumps(base)


def a_history_of(n):
    return gzip.compress(b"\n" + b" " * (n - 1), 1)


RULE = "version: 1\nrules:\n  - {id: a, metric: step.cuda_time, fail: {increase: 5%}}\n"
DIGEST, LINT, MERGE = ("digest", "{}", "-o", "d.json"), ("lint", "{}"), ("suite", "--merge", "{}")

# {subject: (source file of the limit, name of the limit, function that makes an input, name of the file, command, message
# beyond the limit)}. A seventh element is the message at the limit, if that input is refused for another reason.
LIMITS = {
    "figures of a metrics file": ("results/result_file.h", "INPUTS_MAX", metrics, "in.json", DIGEST, "is one figure too many: a metrics file has at most"),
    "the name of a figure": ("metric/metric.h", "INPUT_NAME_MAX", long_name, "in.json", DIGEST, "is not a name of a figure: use 1 to"),
    "digits of a figure": ("base/decimal.h", "DECIMAL_SIGNIFICANT", digits, "in.json", DIGEST, "significant digits, which cannot all be kept: round it"),
    "figures of a result": ("results/result_file.h", "RESULT_FIGURES_MAX", gbench, "in.json", DIGEST, "figures in a result file"),
    "values of a result": ("results/value.h", "VALUE_NUMBER", values, "in.json", DIGEST, "values in a result file"),
    "values of a table": ("results/value.h", "VALUE_NUMBER", csv_values, "in.csv", DIGEST, "values in a result file", "figures in a result file"),
    "bytes of a result": ("results/value.h", "VALUE_BYTES", bytes_of, "in.json", DIGEST, "in.json: "),
    "columns of a table": ("results/value.h", "CSV_COLUMNS", columns, "in.csv", DIGEST, "in.csv: "),
    "GPUs of nvidia-smi": ("results/result_file.h", "MACHINE_GPUS_MAX", nvidia, "machine.csv", DIGEST, "more than 256 GPUs"),
    "GPUs of rocm-smi": ("results/result_file.h", "MACHINE_GPUS_MAX", rocm, "machine.json", DIGEST, "more than 256 GPUs"),
    "entries of a dump": ("flight/dump.c", "MAX_ENTRIES", flight, "nccl_trace_rank_0.json", ("report", "{}"), "too many entries", "no rank hangs"),
    "members of groups": ("flight/dump.c", "MAX_MEMBERS", flight_members, "nccl_trace_rank_0.json", ("report", "{}"),
                          "more than 16777216 members of process groups", "no rank hangs"),
    "bytes of a plane": ("xspace/xspace.c", "plane_bytes", plane, "in.xplane.pb", DIGEST, "a field is longer than 2 GiB", "cut short"),
    "processes of an export": ("nsys/nsys_processes.c", "PROCESSES_MAX", processes, "in.sqlite", DIGEST, "processes used GPUs; record fewer in one file"),
    "devices of a snapshot": ("replay/replay.c", "MAX_DEVICES", devices, "in.json", DIGEST, "devices"),
    "a text": ("io/jscan.c", "TOKEN_LIMIT", token, "in.json.gz", DIGEST, "a string or number longer than"),
    "bytes of rules": ("rules/yaml_reader.h", "DOCUMENT_MAX_BYTES", yaml_bytes, "r.yaml", LINT, "is larger than 1 MiB"),
    "depth of rules": ("rules/yaml_reader.h", "DOCUMENT_MAX_DEPTH", yaml_depth, "r.yaml", LINT, "nested deeper than 32 levels", "r.yaml:1:"),
    "a text of rules": ("rules/keys.h", "MAX_TEXT", reason, "r.yaml", LINT, "is longer than 16384 bytes"),
    "an id": ("rules/keys.h", "MAX_ID", rule_id, "r.yaml", LINT, "is 1 to"),
    "rules": ("rules/keys.h", "MAX_ITEMS", rules, "r.yaml", LINT, "has more than 1000 items"),
    "patterns of a rule": ("rules/keys.h", "MAX_ITEMS", override_patterns, "r.yaml", LINT, "'except' and 'overrides' have more than"),
    "profiles": ("rules/keys.h", "MAX_PROFILES", profiles, "r.yaml", LINT, "has more than"),
    "texts of categories": ("rules/categories_file.c", "MAX_MATCHES", categories, "c.yaml", ("digest", "t.json", "-o", "d.json", "--categories", "{}"),
                            "more than 2000 texts"),
    "a path of a format": ("results/path.c", "500", path, "f.yaml", ("digest", "m.json", "-o", "d.json", "--formats", "{}"), "is longer than 500 bytes", "no figure at"),
    "cases in a file": ("rules/keys.h", "MAX_ITEMS", cases, "s.yaml", ("suite", "{}"), "has more than 1000 items", "no results: "),
    "cases of folders": ("suite/expand.h", "SUITE_CASES", folders, "s.yaml", ("suite", "{}"), "the suite has more than 10000 cases", "no results: "),
    "shards": ("suite/expand.h", "SUITE_CASES", shards, "part.json", MERGE, "is of more than 10000 shards", "of 10000 is missing"),
    "lines of a history": ("store/history_file.h", "HISTORY_LINES", history, "b.history.jsonl", ("history", "--baseline", "b.json"), "lines: take the oldest out"),
    "bytes of a history": ("store/row_read.c", "bytes", a_history_of, "b.history.jsonl", ("history", "--baseline", "b.json"), "too large for a history", "line 2: byte"),
    "ranks of a run": ("store/row_read.c", "ranks", run_of, "in.json", ("merge", "{}", "-o", "d.json"), "is one digest too many"),
    "columns of a fold": ("store/row_read.c", "rows", fold_columns, "in.json", ("merge", "{}", "-o", "d.json"), "has too many columns", "do not fit its rows"),
    "runs in a baseline": ("model/history.h", "BASELINE_RECENT", recent, "r.json", ("baseline", "log", "--baseline", "{}"), "is one run too many"),
}
SLOW = {"cases of folders", "bytes of a history", "ranks of a run"}  # only with ALL_CASES
CODES = {DIGEST: 3, LINT: 2, MERGE: 3, "suite": 2, "digest": 2, "merge": 3, "report": 3, "history": 4, "baseline": 4}

# {words of a message: the test that reaches the message}, for messages that no row of LIMITS reaches.
ELSEWHERE = {
    "not searched for figures": ("prop/figures.py", "long_lines"),
    "too many different": ("unit/test_intern.c", "text_limit"),
    "nested deeper than %u": ("prop/robustness.py", "nesting"),
    "nested too deeply": ("unit/test_pickle.c", "deep_nesting"),
    "a pickle longer than": ("unit/test_pickle.c", "at_and_past_every_limit"),
    "more than %zu %s": ("unit/test_snapshot.c", "at_and_past_every_limit"),
    "%s come to more than": ("unit/test_snapshot.c", "at_and_past_every_limit"),
    "blocks and history entries": ("unit/test_replay.c", "test_limits"),
    "memory profile: more than": ("unit/test_xprof.c", "test_limits"),
    "memory timeline: more than": ("unit/test_timeline.c", "test_limit"),
    "is one row too many": ("unit/test_digest_json.c", "test_limits"),
    "has too many steps": ("unit/test_digest_json.c", "test_limits"),
    "has too many bases": ("unit/test_digest_steps.c", "test_errors"),
    "has too many digests": ("prop/fold.py", "refuses"),
    "is too many ranks": ("unit/test_digest_json.c", "test_baseline"),
    "is too large": ("unit/test_rules_file.c", "test_refused"),
    "too many digits to be scaled": ("unit/test_results.c", "test_limits"),
    "more than %d significant digits": ("unit/test_rules_file.c", "test_refused"),
    "more than %d decimals": ("unit/test_rules_file.c", "test_refused"),
    "and more than %d entries below it": ("prop/folders.py", "beyond"),
    "artifacts of rank": ("prop/merge.py", "many_cycles"),
    "a row that is longer than the file": ("unit/test_database.c", "test_any_damage"),
    "deeper than a table can be": ("unit/test_database.c", "test_any_damage"),
    "planes of the host have more than": ("unit/test_xspace.c", "test_limits"),
    "add up to more than": ("prop/arithmetic.py", "refusal"),
    "more than 292 years": ("prop/arithmetic.py", "refusal"),
    "sizes in the snapshot add up": ("unit/test_replay.c", "test_hostile"),
    # Limits of counters of 24 and 32 bits, which only inputs of gigabytes exceed.
    "split the trace": None, "more than 2^32 segments": None, "more than 2^24": None,
    # messages that are not about a limit of a reader
    "throttled for more than": None,
    "longer than it runs": None, "also by more than": None, "nothing can decrease": None, "too many arguments": None,
}


# --- Checks of an input at its limit and beyond, and of the messages in the source ---------------------------------------


def place(b):
    """Writes a trace, figures and a baseline, which the commands of many rows of LIMITS read besides the row's own file."""
    b.file("t.json", trace())
    b.file("m.json", '{"tokens_per_s": 1.5}')
    b.file("b.json", (TESTS / "fuzz" / "corpus" / "baseline" / "one-rank.json").read_bytes())


def of(row, n):
    file, name, make, path_, args, says, *at = row
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder)
        place(b)
        data = make(n)
        if isinstance(data, tuple):
            for i in range(data[0]):
                (b.dir / "d" / f"f{i}").mkdir(parents=True)
            data = data[1]
        b.file(path_, data)
        words = [a.replace("{}", path_) for a in args]
        code = CODES.get(args) or CODES[args[0]]

        def bounded():
            if not is_sanitized():
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        done = b.run(*words, before=bounded)
        return done.returncode, done.stderr.decode("utf-8"), code, sorted(p.name for p in b.dir.iterdir())


def faults(what):
    row = LIMITS[what]
    most = 500 if row[1] == "500" else limit(*row[:2])
    says, at = row[5], row[6] if len(row) > 6 else None
    code, text, refused, _ = of(row, most)
    wrong = []
    if not at and code not in (0, 1):
        wrong.append(f"{most}: exit {code}: {text[:300]}")
    if at and (re.search(says, text) or not re.search(at, text)) and code != 3:
        wrong.append(f"{most}: '{at}' is not said: exit {code}: {text[:300]}")
    code, text, refused, left = of(row, most + 1)
    lines = [line for line in text.splitlines() if not line.startswith("gpugate: note: ")]
    if code != refused or not re.search(says, text) or len(lines) != 1 or not lines[0].startswith("gpugate: ") or row[3] not in lines[0]:
        wrong.append(f"{most + 1}: exit {code}, not {refused} and '{says}': {text[:300]}")
    if "d.json" in left:
        wrong.append(f"{most + 1}: d.json was written")
    return [f"{what}: {line}" for line in wrong]


def messages():
    """Lines about messages of the source that no row covers, and about tests that do not exist."""
    said = [row[5] for row in LIMITS.values()]
    wrong = []
    for file in sorted(SRC.rglob("*.c")):
        for text in re.findall(r'"([^"\n]*(?:more than [%\d]|too many|longer than|larger than|deeper than|nested too|too large)[^"\n]*)"',
                               file.read_text(encoding="utf-8")):
            if not any(k in text for k in ELSEWHERE) and not any(re.search(re.sub(r"\d+", ".+", s), text) for s in said):
                wrong.append(f"{file.name}: no test of '{text}'")
    for test in filter(None, ELSEWHERE.values()):
        text = (TESTS / test[0]).read_text(encoding="utf-8")
        if not re.search(rf"^(static void|def) {test[1]}\(", text, re.M):
            wrong.append(f"there is no {test[1]} in tests/{test[0]}")
    return wrong


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    bad = [] if sys.argv[1:] else messages()
    for line in bad:
        print(f"FAIL {line}")
    for what in sys.argv[1:] or [w for w in LIMITS if ALL or w not in SLOW]:
        wrong = faults(what)
        print(f"{'FAIL' if wrong else 'ok  '} {what}", *wrong, sep="\n     " if wrong else "")
        bad += wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
