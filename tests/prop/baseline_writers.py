#!/usr/bin/env python3
"""Many writers of one baseline at once lose nothing, and a reader never sees half a file:

 - 16 programs append a run each, through a link for every other one, while others read
 - a writer that is killed leaves no lock and no other file that matters
 - of many that create the baseline at once, one does

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

GEN = pathlib.Path(__file__).resolve().parents[1] / "gen" / "trace.py"
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
    return subprocess.Popen([PROGRAM, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def end(p):
    out, err = p.communicate()
    return p.returncode, (out + err).decode()


def gpugate(*args):
    return end(start(*args))


def commits(path):
    return sorted(r["provenance"]["commit"] for r in json.loads(path.read_text())["recent"])


def many_appends(folder, files, runs):
    """Lines about what is wrong."""
    baseline, link = folder / "baseline.json", folder / "link.json"
    link.symlink_to(baseline)
    writers = [start("baseline", "append", run, *files, "--baseline", link if i % 2 else baseline,
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
    if left != ["baseline.json"]:
        wrong.append(f"files were left: {left}")
    return wrong + ([] if reads else ["nothing was read meanwhile"])


def killed_writer(folder, files, run):
    """One that waits for the lock is killed; the lock of another that is killed is free."""
    baseline, lock = folder / "baseline.json", folder / ".baseline.json.lock"
    before = baseline.read_bytes()
    holder = subprocess.Popen([sys.executable, "-c",
                               "import fcntl,sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); "
                               "print('held', flush=True); sys.stdin.read()", lock],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    waiting = start("baseline", "append", run, *files, "--baseline", baseline, "--force")
    waiting.send_signal(signal.SIGKILL)
    end(waiting)
    wrong = [] if baseline.read_bytes() == before else ["written without the lock"]
    holder.kill()
    holder.wait()
    code, text = gpugate("baseline", "append", run, *files, "--baseline", baseline, "--force", "--commit", "last")
    if code != 0 or "last" not in commits(baseline):
        wrong.append(f"a lock of the dead: exit {code}: {text}")
    if lock.exists():
        wrong.append("the lock file was left")
    return wrong


def many_creates(folder, files, runs):
    baseline = folder / "fresh" / "deep" / "b.json"
    writers = [start("baseline", "create", run, *files, "--baseline", baseline) for run in runs]
    codes = sorted(end(w)[0] for w in writers)
    wrong = [] if codes == [0] + [5] * (len(runs) - 1) else [f"exits {codes}"]
    if [p.name for p in baseline.parent.iterdir()] != ["b.json"]:
        wrong.append("files were left")
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
            runs.append(folder / f"run{seed}.json.gz")
            subprocess.run([sys.executable, GEN, "--out", runs[-1], "--seed", str(seed), "--steps", "2"], check=True)
        code, text = gpugate("baseline", "create", runs[0], *files, "--baseline", folder / "baseline.json")
        tests = {"many appends": lambda: many_appends(folder, files, runs[1:]),
                 "a killed writer": lambda: killed_writer(folder, files, runs[0]),
                 "many creates": lambda: many_creates(folder, files, runs[:6])}
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
