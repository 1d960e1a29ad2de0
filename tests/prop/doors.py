#!/usr/bin/env python3
"""What goes in and out of the program at its edges, for all inputs, outputs and ways to end:

  - a byte order mark before a text changes nothing, whatever the text is, compressed or not
  - a gate that does not end with 0 has a failure or an error in its JUnit file, for a run and for a suite
  - `suite` writes no report over a file of any of its cases
  - the processes of the cases end when `suite` is ended, by whatever signal
  - --history names a folder that is there, except for the commands that make it
  - a file that may not grow (ulimit -f) is an error with exit code 5 and one line; no part of it is left

$GPUGATE is the program; exit 77 skips.
"""
import gzip
import itertools
import os
import pathlib
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

from _bench import PROGRAM, Bench

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = b"\xef\xbb\xbf"
RULES = "version: 1\nrules:\n  - {id: c, metric: step.compute_time, noise: {k: 0}, fail: {increase: 5%}}\n"
WARNING = RULES.replace("noise: {k: 0}, fail", "warn")
HISTORY = "baselines/a.history.jsonl"


def texts():
    """Inputs of all kinds that are texts: those of the fuzz targets, which include broken ones, and of the goldens."""
    for path in sorted((ROOT / "tests" / "fuzz" / "corpus").glob("*/*")):
        if path.parent.name in ("machine", "result", "metrics", "trace", "snapshot", "timeline", "flight", "digest", "run", "xprof", "stored"):
            yield path, path.read_bytes(), ["metrics"]
        elif path.parent.name == "rules":
            yield path, path.read_bytes(), ["lint"]
        elif path.parent.name == "baseline":
            yield path, path.read_bytes(), ["baseline", "show", "--baseline"]


def marks(b):
    read = set()
    for path, data, command in texts():
        if data[:1] in (b"\x1f", b"\x80", b"\0", b"\n", MARK[:1]):
            continue  # not a text
        name, seen = path.name if "." in path.name else "text", []
        for bytes_ in (data, MARK + data, gzip.compress(MARK + data)):
            if command == ["lint"] and bytes_[:1] == b"\x1f":
                continue  # rules are not compressed
            b.file(name, bytes_)
            done = b.run(*command, name)
            seen.append((done.returncode, done.stdout))
        if seen[0][0] == 0:
            read.add(path.parent.name)
            assert all(s == seen[0] for s in seen), f"{path} with a byte order mark: {seen}"
        else:
            assert all(s[0] == seen[0][0] for s in seen), f"{path} with a byte order mark: {[s[0] for s in seen]}"
        (b.dir / name).unlink()
    assert len(read) >= 10, f"only read: {read}"


def marked_history(b):
    """A baseline, its history, the suite file and the rules with marks."""
    for name in ("s.yaml", "rules/gpugate.yaml", "baselines/a.json", HISTORY):
        before = b.run("suite", "s.yaml", "--json", "-")
        data = (b.dir / name).read_bytes()
        b.file(name, MARK + data)
        after = b.run("suite", "s.yaml", "--json", "-")
        assert (before.returncode, before.stdout) == (after.returncode, after.stdout), f"{name}: {after}"
        b.file(name, data)


def junit(b, code, *args):
    (b.dir / "j.xml").unlink(missing_ok=True)
    b.fine(*args, "--junit", "j.xml", code=code)
    root = ET.parse(b.dir / "j.xml").getroot()
    bad = {tag: len(root.findall(f".//{tag}")) for tag in ("failure", "error")}
    counts = root.get("failures"), root.get("errors")
    assert counts == (str(bad["failure"]), str(bad["error"])), f"{args}: {counts}, {bad}"
    assert bool(code) == any(bad.values()), f"{args}: exit {code}, {bad}"


def agreeing(b):
    b.file("figures.json", '{"x": 1}')
    b.file("rules/warning.yaml", WARNING)
    b.fine("approve", "--new", "figures.json", "--workload", "f")
    for code, run, *options in ((3, "figures.json", "--workload", "f"), (0, "run.json.gz"), (1, "slow.json.gz"), (4, "run.json.gz", "--workload", "none"),
                                (0, "slow.json.gz", "--rules", "rules/warning.yaml"), (3, "none.json"), (2, "run.json.gz", "--history", "none"),
                                (1, "slow.json.gz", "--rules", "rules/warning.yaml", "--fail-on", "warn")):
        options = options if "--workload" in options else [*options, "--workload", "a"]
        junit(b, code, "check", run, *options)
        if code == 2:
            continue
        workload = options[options.index("--workload") + 1]
        rules = f", rules: {options[options.index('--rules') + 1]}" if "--rules" in options else ""
        b.file("one.yaml", f"version: 1\nname: n\ncases:\n  - {{workload: {workload}, runs: {run}{rules}}}\n")
        junit(b, code, "suite", "one.yaml", *(["--fail-on", "warn"] if "warn" in options else []))


def overwritten(b):
    files = [p.relative_to(b.dir) for p in sorted(b.dir.rglob("*")) if p.is_file()]
    # the baselines of the cases are found by the rules, or named by the suite file; the runs are files, or lie in a folder
    for baseline, runs in itertools.product((", baseline: baselines/a.json", ""), ("'res/*'", "res")):
        b.file("s.yaml", f"version: 1\nname: n\ncases:\n  - {{workload: a, runs: {runs}, rules: rules/gpugate.yaml{baseline}}}\n")
        for name in ("res/run.json.gz", "baselines/a.json", HISTORY, "rules/gpugate.yaml", "s.yaml"):
            before = (b.dir / name).read_bytes()
            os.link(b.dir / name, b.dir / "link")
            for option, path in (("--json", name), ("--junit", "./" + name), ("--markdown", "link"), ("--html", name)):
                done = b.run("suite", "s.yaml", option, path)
                assert done.returncode in (2, 5) and b"an input" in done.stderr, f"{option} {path}: {done}"
                assert (b.dir / name).read_bytes() == before, f"{option} {path}: written over"
                # what the suite file names is refused before a case runs
                named = name in ("s.yaml", "rules/gpugate.yaml") or (baseline and "baselines" in name) or (name.startswith("res") and runs != "res")
                assert not named or done.returncode == 2, f"{option} {path}: {done}"
            (b.dir / "link").unlink()
    left = [p.relative_to(b.dir) for p in sorted(b.dir.rglob("*")) if p.is_file()]
    assert left == files, f"left behind: {set(left) - set(files)}"
    # the baseline of one case is a run of another one
    b.file("s2.yaml", "version: 1\nname: n\ncases:\n  - {workload: a, runs: res/run.json.gz, baseline: other.json}\n"
           "  - {workload: b, runs: other.json, baseline: b.json}\n")
    before = shutil.copy(b.dir / "figures.json", b.dir / "other.json").read_bytes()
    done = b.run("approve", "--new", "--suite", "s2.yaml", "--force")
    assert done.returncode == 5 and (b.dir / "other.json").read_bytes() == before, done


def ended(b):
    """Each case reads a pipe into which nothing is written."""
    nr = 3
    b.file("wait.yaml", "version: 1\nname: n\ncases:\n" + "".join(f"  - {{workload: w{i}, runs: pipe{i}, baseline: baselines/a.json}}\n" for i in range(nr)))
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"):
        pipes = [b.dir / f"pipe{i}" for i in range(nr)]
        for p in pipes:
            os.mkfifo(p)
        suite = subprocess.Popen([PROGRAM, "suite", "wait.yaml", "--jobs", str(nr)], cwd=b.dir, stdout=subprocess.DEVNULL)
        fds = [os.open(p, os.O_WRONLY) for p in pipes]  # waits until the process of the case reads
        suite.send_signal(getattr(signal, name))
        assert suite.wait() == -getattr(signal, name), suite.returncode
        for fd in fds:
            poll = select.poll()
            poll.register(fd, 0)
            assert poll.poll(60_000), f"{name}: the process of a case still reads"  # POLLERR: nobody reads the pipe
            os.close(fd)
        for p in pipes:
            p.unlink()


def histories(b):
    case = ("--workload", "a")
    (b.dir / "past").mkdir()
    shutil.copytree(b.dir / "baselines", b.dir / "past" / "baselines")
    for args in (("check", "run.json.gz", *case), ("suite", "s.yaml"), ("history", "a"), ("bisect", "a", "--metric", "step.compute_time"),
                 ("baseline", "show", *case), ("baseline", "log", *case), ("baseline", "verify", "baselines/a.json"), ("baseline", "prune", "--keep", "1", *case),
                 ("init", "--from-noise", "--home", "none", "--force", *case), ("lint", "rules/gpugate.yaml", "--baseline", "baselines/a.json")):
        for there, folder in ((True, "past"), (False, "pst"), (False, "s.yaml")):
            done = b.run(*args, "--history", folder)
            said = b"no folder is there" in done.stderr + done.stdout
            assert said or folder != "pst", f"{args} --history {folder}: {done}"
            assert done.returncode == 2 if not there else not said, f"{args} --history {folder}: {done}"
    b.fine("store", "res/run.json.gz", *case, "--history", "fresh/one")
    assert (b.dir / "fresh/one" / HISTORY).exists()


def full(b):
    """Each output is written where files may have 0 or 64 bytes: like on a full disk, there is one line of error, and no file."""
    outputs = [("check", "slow.json.gz", "--workload", "a", option, "out") for option in ("--json", "--junit", "--markdown", "--html", "--propose")]
    outputs += [("digest", "run.json.gz", "-o", "out"), ("suite", "s.yaml", "--json", "out"), ("approve", "--new", "run.json.gz", "--baseline", "out"),
                ("report", "run.json.gz", "--html", "out"), ("store", "res/run.json.gz", "--workload", "a", "--history", "out")]
    for args, size in itertools.product(outputs, (0, 64)):
        before = sorted(b.dir.rglob("*"))
        done = b.run(*args, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))  # noqa: B023
        errors = [line for line in done.stderr.splitlines() if not line.startswith((b"gpugate: note: ", b"gpugate: warning: "))]
        assert done.returncode == 5 and len(errors) == 1 and b"File too large" in errors[0], f"{args} with {size} bytes: {done}"
        left = [p for p in sorted(b.dir.rglob("*")) if p not in before and not p.is_dir()]
        assert not left, f"{args} with {size} bytes: left behind: {left}"


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder)
        marks(b)
        b.file("rules/gpugate.yaml", RULES)
        b.file("res/keep", "")
        (b.dir / "res/keep").unlink()
        for seed, name, factor in ((1, "run", 1), (2, "res/run", 1), (3, "slow", 1.5)):
            b.make("trace", f"{name}.json.gz", "--seed", seed, "--slow-kernel", f"*={factor}")
        b.file("s.yaml", "version: 1\nname: n\ncases:\n  - {workload: a, runs: 'res/*', rules: rules/gpugate.yaml}\n")
        b.fine("approve", "--new", "run.json.gz", "--workload", "a")
        b.fine("store", "res/run.json.gz", "--workload", "a")
        marked_history(b)
        agreeing(b)
        overwritten(b)
        ended(b)
        histories(b)
        full(b)
    return 0


if __name__ == "__main__":
    sys.exit(main())
