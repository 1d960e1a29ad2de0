"""Runs of the program in which a call fails (tests/fault/shim.c), shared by fault_*.py.

A case is a command line with the files of the folder in which it runs. It is run once without faults, for reference, and
then once for each plan, in which the shim makes one call fail, or kills the program at that call. """
import concurrent.futures
import errno
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from _gen import GEN, generate

PROGRAM, SHIM = os.environ.get("GPUGATE"), os.environ.get("GPUGATE_SHIM")
KILLED = -signal.SIGKILL
HANGS, HUNG = 120, "a hang"  # seconds after which a run counts as a hang: it normally takes a fraction of a second
OLD = b"old\n"
# The shim is loaded before the sanitizer, because it calls the sanitizer's functions; the sanitizer must accept this order.
SANITIZERS = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0"


class Case:
    """`files`: contents of the folder by file name; `outputs`: names of files that the command writes; `code`: its exit code."""

    def __init__(self, name, args, outputs, code=0, files=()):
        self.name, self.args, self.outputs, self.code = name, [str(a) for a in args], outputs, code
        self.files = dict(files)
        self.stdout = None
        self.reference = {}


class Place:
    """A folder in which a case runs once."""

    def __init__(self, case):
        self.case, self.dir = case, pathlib.Path(tempfile.mkdtemp(prefix="fault-"))
        self.log = pathlib.Path(f"{self.dir}.log")
        for name, data in case.files.items():
            (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
            (self.dir / name).write_bytes(data)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        shutil.rmtree(self.dir)
        self.log.unlink(missing_ok=True)

    def run(self, call=None, at=0, error="", args=None):
        plan = {"LD_PRELOAD": SHIM, "FAULT_CALL": call, "FAULT_AT": str(at), "FAULT_ERROR": str(error),
                "FAULT_LOG": str(self.log), "ASAN_OPTIONS": SANITIZERS} if call else {}
        try:
            return subprocess.run([PROGRAM, *(args or self.case.args)], cwd=self.dir, capture_output=True, check=False,
                                  timeout=HANGS, env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600", "GIT_CONFIG_GLOBAL": os.devnull,
                                                       "GIT_CONFIG_NOSYSTEM": "1", **plan})
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(self.case.args, HUNG, b"", b"gpugate: hung\n")

    def names(self):
        return {str(p.relative_to(self.dir)) for p in self.dir.rglob("*") if not p.is_dir()}

    def read(self, name):
        path = self.dir / name
        return path.read_bytes() if path.exists() else None

    def calls(self):
        """The calls that the shim has logged, as (call, path)."""
        text = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        return [tuple(line.split(" ", 1)) for line in text.splitlines()]


def refer(case):
    """Runs the case without faults, and keeps its outputs for reference."""
    with Place(case) as p:
        done = p.run()
        if done.returncode != case.code:
            raise AssertionError(f"{case.name}: exit {done.returncode}, not {case.code}: {done.stderr.decode()}")
        case.stdout = done.stdout
        case.reference = {name: p.read(name) for name in case.outputs}
        if None in case.reference.values() or p.names() != set(case.files) | set(case.outputs):
            raise AssertionError(f"{case.name}: files are {p.names()}")
    return case


def an_error(name, data):
    """True if a report is complete and says that nothing could be judged."""
    text = data.decode("utf-8")
    if name.endswith(".xml"):
        return bool(list(xml.etree.ElementTree.fromstring(text).iter("error")))
    if name.endswith(".json"):
        d = json.loads(text)
        said = d.get("error") or d["schema"] == "gpugate-plan-1"  # a plan has no member "error": only its verdict says so
        return bool(said) and d.get("verdict", "error") == "error" and d.get("exit_code", 5) > 1
    if name.endswith(".html"):
        return text.endswith("</html>\n") and "error:" in text
    if name.endswith(".txt"):
        return text.endswith("\n# EOF\n") and 'gpugate_verdict="error"} 1' in text
    if text.startswith("<!-- gpugate:suite-"):
        return any(said in text for said in ("cannot be", "is not a regular file", "out of memory"))
    return text.startswith("<!-- gpugate:") and ": not judged\n" in text and text.endswith("\n")


# The sanitizer prints this in a child process, before git is started there, if the shim refuses it memory.
OF_THE_SANITIZER = "AddressSanitizer: CHECK failed: sanitizer_linux_libcdep.cpp"


def message_faults(stderr, says=""):
    """What is wrong with the form of an error message, as a list of lines."""
    text = stderr.decode("utf-8", "replace")
    lines = text.splitlines()
    wrong = [f"a line that is none of gpugate's: {line!r}" for line in lines
             if not line.startswith("gpugate: ") and OF_THE_SANITIZER not in line]
    if any(c in text for c in "\x1b\ufffd") or "==ERROR" in text or "runtime error" in text:
        wrong.append("what a terminal should not see, or a sanitizer's words")
    if not any(says in line for line in lines if not line.startswith(("gpugate: note:", "gpugate: warning:"))):
        wrong.append(f"no line says what is wrong with '{says}': {lines}")
    return wrong


def file_faults(p, strict):
    """What is wrong with output files: each must be complete, and either the old or the new one, or a report of the error.
    `strict`: a report must not claim success."""
    wrong = []
    for name, new in p.case.reference.items():
        data = p.read(name)
        if data in (p.case.files.get(name), None) or (data == new and not strict):
            continue
        try:
            if an_error(name, data):
                continue
        except (ValueError, KeyError, xml.etree.ElementTree.ParseError):
            pass
        wrong.append(f"{name} is {'new though the run failed' if data == new else 'neither old nor new'}: {data[:80]}")
    return wrong


def each(tasks, function):
    """Runs `function` on all tasks, a few at a time; returns the faults of all, as one list of lines."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [line for lines in pool.map(function, tasks) for line in lines]


def inputs(dir, steps=2):
    """Makes the traces and stored baselines from which cases start; returns {name: bytes}."""
    def gpugate(*args, expect=0):
        done = subprocess.run([PROGRAM, *map(str, args)], cwd=dir, capture_output=True, check=False,
                              env={**os.environ, "SOURCE_DATE_EPOCH": "1767139200"})
        assert done.returncode == expect, done.stderr.decode()

    for name, seed, *options in (("a", 1), ("b", 2), ("c", 3), ("slow", 4, "--slow-kernel", "*flash_bwd*=3")):
        generate("trace", dir / f"{name}.json.gz", "--seed", seed, "--steps", steps, *options)
    generate("nsys", dir / "x.sqlite", dir / "a.json.gz", "--page-size", 32768)
    generate("xprof", dir / "x.trace.json.gz", "--steps", 2)
    generate("xspace", dir / "x.xplane.pb", dir / "x.trace.json.gz")
    generate("flight", dir / "dumps", "--ranks", 2, "--stuck", 1, "--json")
    for dump in list((dir / "dumps").iterdir()):
        dump.rename(dir / dump.name)
    (dir / "dumps").rmdir()
    for name, of in RESULTS.items():
        (dir / name).write_bytes((GEN.parent / "fuzz" / "corpus" / of).read_bytes())
    (dir / "s.yaml").write_text(SUITE)
    (dir / "rules.yaml").write_text(RULES)
    common = ("--rules", "rules.yaml", "--baseline", "base.json")
    gpugate("approve", "--new", "a.json.gz", *common)
    gpugate("store", "b.json.gz", *common)
    for part in (1, 2):
        gpugate("suite", "s.yaml", "--rules", "rules.yaml", "--shard", f"{part}/2", "--json", f"part{part}.json", expect=part - 1)
    for rank in (0, 1):
        generate("trace", dir / f"r{rank}.json.gz", "--seed", 5, "--steps", steps, "--rank", rank, "--world-size", 2)
        gpugate("digest", f"r{rank}.json.gz", "-o", f"d{rank}.json.gz")
    return {p.name: p.read_bytes() for p in dir.iterdir()}


RULES = """version: 1
workload: faults
rules:
  - {id: compute, metric: step.compute_time, fail: {increase: 20%}}
  - {id: kernels, metric: kernel.time, for_each: {top: 3}, fail: {increase: 40%, and: 1us}}
"""
LENIENT = b"""version: 1
rules: [{id: compute, metric: step.compute_time, fail: {increase: 900%}}]
"""
SUITE = """version: 1
name: nightly
cases:
  - {workload: same, runs: c.json.gz, baseline: base.json}
  - {workload: slow, runs: slow.json.gz, baseline: base.json}
"""
# Result files of benchmarks and records of the machine's state, from the fuzz corpus.
RESULTS = {"machine-rank0.csv": "machine/nvidia.csv", "r.jsonl": "result/sglang.jsonl", "r.csv": "result/triton.csv",
           "g.json": "result/gbench.json"}
DUMPS = [f"nccl_trace_rank_{i}.json" for i in (0, 1)]
EVIDENCE = ["ev/finding-1-slower-kernel.json"]
REPORTS = {"j.xml": "--junit", "m.md": "--markdown", "r.json": "--json", "h.html": "--html", "o.txt": "--openmetrics"}


def cases(made):
    """A case for every command that writes files."""
    def files(*names, old=()):
        return {**{n: made[n] for n in names}, **{n: OLD for n in old}}

    rules, base = ("--rules", "rules.yaml"), ("--baseline", "base.json")
    reports = [word for name, option in REPORTS.items() for word in (option, name)]
    held = files("rules.yaml", "base.json", "base.history.jsonl", "c.json.gz")
    return [
        Case("check", ["check", "c.json.gz", *rules, *base, *reports], list(REPORTS), 0,
             {**held, **files(old=("j.xml", "r.json"))}),
        Case("check --propose", ["check", "slow.json.gz", *rules, *base, "--json", "r.json", "--propose", "p.json"],
             ["r.json", "p.json"], 1, files("rules.yaml", "base.json", "slow.json.gz")),
        Case("check, by files that need not be there", ["check", "slow.json.gz", *base, "--json", "r.json"], ["r.json"], 0,
             {**files("base.json", "slow.json.gz"), "rules/gpugate.yaml": LENIENT, "run.yaml": b"batch_size: 8\n"}),
        Case("check --bootstrap", ["check", "c.json.gz", "--bootstrap", *rules, "--baseline", "new/base.json"],
             ["new/base.json"], 0, files("rules.yaml", "c.json.gz")),
        Case("check, with all that it writes", ["check", "slow.json.gz", *rules, *base, "--plan", "plan.json", "--codequality", "q.json",
                                                "--changed", "train.py", "--evidence", "ev"],
             ["plan.json", "q.json", *EVIDENCE], 1, {**files("rules.yaml", "base.json", "base.history.jsonl", "slow.json.gz")}),
        Case("suite", ["suite", "s.yaml", *rules, "--jobs", "1", "--json", "r.json", "--junit", "j.xml", "--markdown", "m.md", "--html", "h.html"],
             ["r.json", "j.xml", "m.md", "h.html"], 1,
             {**files("s.yaml", "rules.yaml", "base.json", "c.json.gz", "slow.json.gz", old=("m.md",))}),
        Case("suite --merge", ["suite", "--merge", "part1.json", "part2.json", "--json", "r.json", "--markdown", "m.md"],
             ["r.json", "m.md"], 1, files("part1.json", "part2.json", old=("r.json",))),
        Case("history", ["history", *rules, *base, "--json", "r.json", "--markdown", "m.md", "--html", "h.html"],
             ["r.json", "m.md", "h.html"], 0, files("rules.yaml", "base.json", "base.history.jsonl", old=("r.json",))),
        Case("digest of an XSpace", ["digest", "x.xplane.pb", "-o", "d.json.gz"], ["d.json.gz"], 0, files("x.xplane.pb")),
        Case("report of a hang", ["report", *DUMPS, "--jobs", "1", "--json", "r.json", "--markdown", "m.md", "--html", "h.html"],
             ["r.json", "m.md", "h.html"], 3, files(*DUMPS, old=("r.json",))),
        Case("digest of results", ["digest", *RESULTS, "--jobs", "1", "-o", "d.json"], ["d.json"], 0, files(*RESULTS)),
        Case("report", ["report", "c.json.gz", *rules, "--markdown", "m.md", "--json", "r.json", "--html", "h.html"],
             ["m.md", "r.json", "h.html"], 0, files("rules.yaml", "c.json.gz", old=("h.html",))),
        Case("diff", ["diff", "a.json.gz", "c.json.gz", "--html", "h.html"], ["h.html"], 0, files("a.json.gz", "c.json.gz")),
        Case("metrics", ["metrics", "c.json.gz", "--json", "figures.json"], ["figures.json"], 0,
             files("c.json.gz", old=("figures.json",))),
        Case("digest", ["digest", "c.json.gz", "-o", "d.json.gz"], ["d.json.gz"], 0, files("c.json.gz", old=("d.json.gz",))),
        Case("digest of a database", ["digest", "x.sqlite", "-o", "d.json.gz"], ["d.json.gz"], 0,
             files("x.sqlite", old=("d.json.gz",))),
        Case("merge", ["merge", "d0.json.gz", "d1.json.gz", "--expect-ranks", "2", "--jobs", "1", "-o", "all.json"],
             ["all.json"], 0, files("d0.json.gz", "d1.json.gz")),
        Case("approve --new", ["approve", "--new", "c.json.gz", *rules, "--baseline", "deep/er/base.json"],
             ["deep/er/base.json"], 0, files("rules.yaml", "c.json.gz")),
        Case("approve --new --force", ["approve", "--new", "c.json.gz", "--force", *rules, *base], ["base.json"], 0, held),
        Case("store", ["store", "c.json.gz", *rules, *base], ["base.json", "base.history.jsonl", "base.reference"], 0, held),
        Case("approve", ["approve", "c.json.gz", *rules, *base, "--reason", "a test"],
             ["base.json", "base.history.jsonl"], 0, held),
        Case("store --keep", ["store", "--keep", "1", *rules, *base], ["base.history.jsonl"], 0, held),
    ]


def errors_of(call):
    """The errors with which each call may fail in practice."""
    return {"write": (errno.ENOSPC, errno.EIO, errno.EINTR), "read": (errno.EIO, errno.EINTR),
            "open": (errno.EMFILE, errno.EACCES, errno.EROFS), "opendir": (errno.EMFILE,),
            "fsync": (errno.EIO, errno.ENOSPC), "rename": (errno.EROFS, errno.EXDEV), "mkdir": (errno.EROFS, errno.ENOSPC),
            "unlink": (errno.EROFS,), "close": (errno.EIO,), "flock": (errno.ENOLCK, errno.EINTR)}.get(call, (errno.EIO,))


def skip_without():
    if not PROGRAM or not SHIM:
        print("skipped: needs $GPUGATE (the program) and $GPUGATE_SHIM (tests/fault/shim.c)")
        sys.exit(77)
