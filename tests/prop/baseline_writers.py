#!/usr/bin/env python3
"""Many programs that write one baseline at the same time lose nothing, and a reader never sees half a file:

 - 16 programs append a run each, every second one through a symbolic link, while other programs read
 - approvals and appends that run at the same time, also of whole suites, keep every run
 - a writer that is killed leaves no lock and no other file that matters
 - if many programs create the baseline at the same time, exactly one of them succeeds; if they store main's first runs, all do

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
WRITERS = 16
RULES = """
version: 1
workload: writers
rules:
  - {id: kernels, metric: step.kernel_count, fail: {change: 0}}
  - {id: compute, metric: step.compute_time, fail: {increase: 50%}}
"""


def start(*args):
    """Starts the program without information from git, which would describe the folder of this test."""
    return subprocess.Popen([PROGRAM, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "GIT_DIR": os.devnull})


def end(p):
    out, err = p.communicate()
    return p.returncode, (out + err).decode()


def gpugate(*args):
    return end(start(*args))


def commits(path):
    """Commits of the runs in the history. The pin, which is one of these runs, has no known commit."""
    history = path.with_suffix(".history.jsonl")
    rows = [json.loads(line) for line in history.read_text().splitlines()] if history.exists() else []
    return sorted(c for r in rows if (c := (r.get("provenance") or {}).get("commit")))


def many_appends(folder, files, runs):
    """Appends all runs at the same time, each with a program of its own, while other programs read. Returns a line for each
    fault, such as a lost run."""
    baseline, link = folder / "baseline.json", folder / "link.json"
    link.symlink_to(baseline)
    writers = [start("store", run, *files, "--baseline", link if i % 2 else baseline,
                     "--commit", f"c{i:02}") for i, run in enumerate(runs)]
    wrong, reads = [], 0
    while any(w.poll() is None for w in writers):
        code, text = gpugate("baseline", "verify", *files, "--baseline", link)
        reads += 1
        if code != 0:
            wrong.append(f"a reader saw: {text}")
    for w in writers:
        code, text = end(w)
        if code != 0:
            wrong.append(f"a writer ended with {code}: {text}")
    if commits(baseline) != [f"c{i:02}" for i in range(len(runs))]:
        wrong.append(f"runs were lost: {commits(baseline)}")
    if not link.is_symlink():
        wrong.append("the link was replaced")
    link.unlink()
    left = sorted(p.name for p in folder.iterdir() if "baseline" in p.name)
    if left != ["baseline.history.jsonl", "baseline.json", "baseline.reference"]:
        wrong.append(f"files were left: {left}")
    return wrong + ([] if reads else ["nothing was read meanwhile"])


def killed_writer(folder, files, run):
    """A process that waits for the lock is killed; then the lock of a killed process is released."""
    baseline, lock = folder / "baseline.json", folder / ".baseline.json.lock"
    before = baseline.read_bytes()
    holder = subprocess.Popen([sys.executable, "-c",
                               "import fcntl,sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); "
                               "print('held', flush=True); sys.stdin.read()", lock],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    waiting = start("store", run, *files, "--baseline", baseline, "--force")
    waiting.send_signal(signal.SIGKILL)
    end(waiting)
    wrong = [] if baseline.read_bytes() == before else ["written without the lock"]
    holder.kill()
    holder.wait()
    code, text = gpugate("store", run, *files, "--baseline", baseline, "--force", "--commit", "last")
    if code != 0 or "last" not in commits(baseline):
        wrong.append(f"a lock of the dead: exit {code}: {text}")
    if lock.exists():
        wrong.append("the lock file was left")
    return wrong


HOLD = "import fcntl,sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"


def held_lock(folder, files, run):
    """A program that must wait for the lock says so immediately, and continues when the lock is released."""
    baseline = folder / "baseline.json"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, folder / ".baseline.json.lock"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    waiting = start("store", run, *files, "--baseline", baseline, "--force", "--commit", "waited")
    said = waiting.stderr.readline().decode()
    holder.kill()
    holder.wait()
    code, text = end(waiting)
    wrong = [] if "waiting for" in said and ".baseline.json.lock" in said else [f"not a word: {said!r}"]
    return wrong + ([] if code == 0 and "waited" in commits(baseline) else [f"after the wait: exit {code}: {text}"])


def left_by_the_dead(folder, files, run):
    """The next writer removes files that killed writers of this baseline left, but none of living ones or of other baselines."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    own = folder / "left"
    own.mkdir()
    baseline = own / "b.json"
    stale = own / f"b.json.{dead.pid}-0.tmp"
    keep = [own / f"b.json.{os.getpid()}-0.tmp", own / f"c.json.{dead.pid}-0.tmp", own / "b.json.notes.tmp"]
    for path in (stale, *keep):
        path.write_text("half")
    held = own / f"b.json.{dead.pid}-1.tmp"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, held], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    code, text = gpugate("approve", "--new", run, *files, "--baseline", baseline)
    holder.kill()
    holder.wait()
    have = sorted(p.name for p in own.iterdir() if not p.name.startswith("."))
    want = sorted(p.name for p in (baseline, held, *keep))
    return [] if code == 0 and have == want else [f"exit {code}, {have}, not {want}: {text}"]


def many_creates(folder, files, runs):
    baseline = folder / "fresh" / "deep" / "b.json"
    writers = [start("approve", "--new", run, *files, "--baseline", baseline) for run in runs]
    codes = sorted(end(w)[0] for w in writers)
    wrong = [] if codes == [0] + [5] * (len(runs) - 1) else [f"exits {codes}"]
    if [p.name for p in baseline.parent.iterdir()] != ["b.json"]:
        wrong.append("files were left")
    return wrong


def first_stores(folder, files, runs):
    """Programs that store the first runs of main at the same time: one makes the baseline, and each run is kept."""
    past = folder / "past"
    writers = [start("store", run, *files, "--history", past, "--commit", f"c{i}") for i, run in enumerate(runs)]
    wrong = [f"a writer ended with {code}: {text}" for code, text in map(end, writers) if code]
    (baseline,) = past.rglob("*.json")
    want = [f"c{i}" for i in range(len(runs))]
    return wrong + ([] if commits(baseline) == want else [f"runs were lost: {commits(baseline)}"])


def promotes_and_appends(folder, files, runs):
    """Every run is in the history, and the pin is one of the approved runs."""
    own = folder / "both"
    own.mkdir()
    baseline = own / "b.json"
    gpugate("approve", "--new", runs[0], *files, "--baseline", baseline, "--commit", "first")
    words = [("approve", "--reason", "a race") if i % 2 else ("store", "--force") for i in range(8)]
    writers = [start(*command, run, *files, "--baseline", baseline, "--commit", f"c{i}")
               for i, (command, run) in enumerate(zip(words, runs[1:]))]
    wrong = [f"a writer ended with {code}: {text}" for code, text in map(end, writers) if code]
    lost = {f"c{i}" for i in range(8)} - set(commits(baseline))
    pin = json.loads(baseline.read_text())["provenance"]["commit"]
    code, text = gpugate("baseline", "verify", *files, "--baseline", baseline)
    wrong += [text] if code else []
    wrong += [f"runs were lost: {sorted(lost)}"] if lost else []
    wrong += [] if pin in {f"c{i}" for i in range(1, 8, 2)} else [f"the pin is of {pin}"]
    left = sorted(p.name for p in own.iterdir())
    return wrong + ([] if left in (["b.history.jsonl", "b.json"], ["b.history.jsonl", "b.json", "b.reference"]) else [f"files were left: {left}"])


def suites_at_once(folder, files, runs):
    """Four jobs append to the three baselines of a suite at the same time: no baseline may lose a run."""
    own = folder / "suite"
    own.mkdir()
    for i in range(3):
        gpugate("approve", "--new", runs[0], *files, "--baseline", own / f"b{i}.json", "--commit", "first", "--workload", f"w{i}")
    for n in range(4):
        (own / f"s{n}.yaml").write_text("version: 1\nname: s\ncases:\n" + "".join(
            f"  - {{workload: w{i}, runs: {runs[1 + n]}, baseline: b{i}.json}}\n" for i in range(3)))
    writers = [subprocess.Popen([PROGRAM, "store", "--suite", f"s{n}.yaml", *map(str, files), "--commit", f"c{n}", "--force"],
                                cwd=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for n in range(4)]
    wrong = [f"a writer ended with {code}: {text}" for code, text in map(end, writers) if code]
    for i in range(3):
        lost = {f"c{n}" for n in range(4)} - set(commits(own / f"b{i}.json"))
        wrong += [f"b{i}: runs were lost: {sorted(lost)}"] if lost else []
    return wrong


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "rules.yaml").write_text(RULES)
        files = ["--rules", folder / "rules.yaml"]
        runs = []
        for seed in range(WRITERS + 1):
            runs.append(generate("trace", folder / f"run{seed}.json.gz", "--seed", seed, "--steps", 2))
        code, text = gpugate("approve", "--new", runs[0], *files, "--baseline", folder / "baseline.json")
        tests = {"many appends": lambda: many_appends(folder, files, runs[1:]),
                 "a killed writer": lambda: killed_writer(folder, files, runs[0]),
                 "a lock that is held": lambda: held_lock(folder, files, runs[1]),
                 "left by the dead": lambda: left_by_the_dead(folder, files, runs[0]),
                 "promotes and appends": lambda: promotes_and_appends(folder, files, runs),
                 "suites at once": lambda: suites_at_once(folder, files, runs),
                 "many creates": lambda: many_creates(folder, files, runs[:6]),
                 "first stores": lambda: first_stores(folder, files, runs[:6])}
        bad = [text] if code else []
        for test, run in tests.items():
            wrong = run() if not code else []
            print(f"{'FAIL' if wrong else 'ok  '} {test}")
            for line in wrong:
                print(f"     {line}")
            bad += wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
