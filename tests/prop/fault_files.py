#!/usr/bin/env python3
"""Disks and file systems that fail: for every command that writes, each call on a file in turn

 - fails once, with each errno that the call may set; or fails together with all later calls of its kind
 - is the point at which the program is killed

Afterwards, the exit code is that for the kind of the file that failed (outputs 5, baselines 4, inputs 3, rules 2), one line names the
file, each output is whole and either old or new (or a report of the error), nothing is left behind, and the same command
run again does what it does when nothing fails. A write in a healthy run is: file, fsync, rename, fsync of the folder, in
this order, so that a power cut does no harm.

$GPUGATE is the program, $GPUGATE_SHIM the shim; exit 77 skips.
"""
import errno
import os
import pathlib
import sys
import tempfile

from _fault import (KILLED, REPORTS, Place, cases, each, errors_of, file_faults, inputs, message_faults, refer,
                    skip_without)
from _part import some

# Calls without which a run continues: they ask for optional information, or close a file after use.
HARMLESS = {"stat", "close", "fstat", "unlink", "fchmod", "realpath", "access", "lstat"}
EXIT_OF_INPUTS = {"s.yaml": 2, "base.history.jsonl": 4, "rules.yaml": 2, "base.json": 4, "base.reference": 4}


def is_output(case, call, path):
    """True if the failed call writes an output, or prepares to."""
    name = os.path.basename(path.removesuffix(" (deleted)"))
    if call in ("write", "fsync", "rename", "mkdir", "fchmod", "flock", "unlink"):
        return True
    return name.endswith((".tmp", ".lock")) or name in (".", "er", "new", "ev") or name.startswith("fault-")


def codes_of(case, call, path):
    """Exit codes that are correct if this call fails. If the failure has no effect, the code of a run without faults is correct as well."""
    name = os.path.basename(path)
    if is_output(case, call, path):
        return {5}
    if name in EXIT_OF_INPUTS:
        # commands that write a baseline also look up its path; if this fails, the exit code may be that of a failed output
        return {EXIT_OF_INPUTS[name], 5} if name.startswith("base.") and call in HARMLESS else {EXIT_OF_INPUTS[name]}
    if name in case.outputs or path in case.outputs:
        return {5}
    if path.endswith("rules/gpugate.yaml") or name in ("run.yaml", "run.json"):
        return {2}
    return {3}


def went_well(p, done):
    case = p.case
    return (done.returncode == case.code and done.stdout == case.stdout and
            all(p.read(n) == data for n, data in case.reference.items()))


def left_faults(p, but=()):
    left = sorted(n for n in p.names() - set(p.case.files) - set(p.case.outputs) if not n.endswith(tuple(but)))
    return [f"left behind: {left}"] if left else []


def again_faults(p):
    """Check the next run, with the files that the failed one has left."""
    case = p.case
    new = all(p.read(n) == data for n, data in case.reference.items())
    if new and case.args[0] in ("approve", "store") and "--force" not in case.args:
        done = p.run(args=["lint", case.outputs[0].replace(".history.jsonl", ".json"), "--rules", "rules.yaml"])
        return [] if done.returncode == 0 else [f"the baseline is not sound: {done.stderr.decode()}"]
    if new and "--bootstrap" in case.args:
        return []  # the failed run has created the baseline, so the same command no longer does the same
    done = p.run()
    # after an interruption a history may contain the line of the run twice; the run counts once
    again = done.returncode == case.code and "base.history.jsonl" in case.outputs
    wrong = [] if went_well(p, done) or again else [f"the next run ends with {done.returncode}: {done.stderr.decode()}"]
    return wrong + left_faults(p, but=(".tmp",))


def case_faults(p, done):
    """If the output of a suite's case could not be read, that case is not judged, but the others are."""
    said = (p.read("r.json") or b"").count(b"what its process says cannot be read")
    return [] if done.returncode in (1, 3) and said else [f"exit {done.returncode}, and no case says why"]


def failed_faults(p, done, call, path, error, persistent):
    case = p.case
    if call == "read" and path.startswith("pipe:") and error != errno.EINTR:
        if case.args[0] == "suite":
            return case_faults(p, done)
        # git's information on the commit is optional
        return [] if went_well(p, done) else [f"exit {done.returncode}: {done.stderr.decode()}"]
    # the search for files of killed writers may fail without an effect
    beside = call == "opendir" or (path.endswith(".tmp") and call in ("flock", "open", "close", "read"))
    # `report` opens its file twice: first only to ask whether it is a baseline
    asks = case.args[0] in ("report", "metrics") and call in ("open", "read") and not persistent
    if went_well(p, done) and (call in HARMLESS or error == errno.EINTR or beside or asks):
        return []
    codes = codes_of(case, call, path) | ({2, 3, 4, 5} if persistent else set())
    if error == errno.EINTR and call in ("read", "write", "flock"):
        return [f"interrupted: exit {done.returncode}: {done.stderr.decode()}"]
    wrong = [] if done.returncode in codes else [f"exit {done.returncode}, not {codes}: {done.stderr.decode()}"]
    base = os.path.basename(path.removesuffix(" (deleted)"))
    name = base if (base in case.files or base in case.outputs) and not persistent else ""
    wrong += message_faults(done.stderr, name)
    # `history` gives no verdict, so its outputs cannot contradict each other
    return wrong + file_faults(p, strict=not persistent and set(case.outputs) <= set(REPORTS)
                               and call not in HARMLESS and case.args[0] != "history")


def trial(task):
    case, number, call, path, error, persistent = task
    with Place(case) as p:
        at = f"{number}+" if persistent else number
        done = p.run(call if persistent else "file", at, error)
        if not p.calls():
            wrong = ["the call did not come"]
        elif error == "kill":
            wrong = [] if done.returncode == KILLED else [f"exit {done.returncode}"]
            wrong += file_faults(p, strict=False) + left_faults(p, but=(".tmp", ".lock"))
        else:
            wrong = failed_faults(p, done, call, path, error, persistent)
            # A lock that could not be taken stays, since it may belong to somebody else.
            wrong += left_faults(p, but=(".lock",) if path.removesuffix(" (deleted)").endswith(".lock") or (call, persistent) == ("stat", True) else ())
        if error in ("kill", errors_of(call)[0]):
            wrong += again_faults(p)
    what = error if error == "kill" else errno.errorcode[error]
    return [f"{case.name}: {call} {path} (call {at}): {what}: {line}" for line in wrong]


def plan(case):
    """The plans: every call of a healthy run, with every fault that it can have."""
    with Place(case) as p:
        p.run("file")
        calls = p.calls()
    seen = {}
    for number, (call, path) in enumerate(calls, 1):
        seen[call] = seen.get(call, 0) + 1
        yield case, number, call, path, "kill", False
        for error in errors_of(call):
            yield case, number, call, path, error, False
        if call in ("write", "open", "fsync", "rename", "stat", "fstat"):
            yield case, seen[call], call, path, errors_of(call)[0], True


def order_faults(case):
    """Check that each file was written and synced before it was renamed, and that its folder was synced afterwards."""
    with Place(case) as p:
        p.run("file")
        calls, folder, wrong = p.calls(), os.path.realpath(p.dir), []
    for i, (call, path) in enumerate(calls):
        if call != "rename":
            continue
        final = os.path.join(folder, path)
        before = [c for c, at in calls[:i] if at.startswith(f"{final}.") and at.endswith(".tmp") and c in ("write", "fsync")]
        after = [c for c, at in calls[i + 1:i + 3] if os.path.join(folder, at).rstrip("/.") == os.path.dirname(final)]
        if before[-1:] != ["fsync"] or "write" not in before or after != ["open", "fsync"]:
            wrong.append(f"{case.name}: {path}: {before} before its rename, {after} after it")
    return wrong if any(c == "rename" for c, _ in calls) else wrong + [f"{case.name}: nothing is renamed"]


def main():
    skip_without()
    with tempfile.TemporaryDirectory() as name:
        all_cases = [refer(c) for c in cases(inputs(pathlib.Path(name)))]
    bad = []
    for case in all_cases:
        if sys.argv[1:] and case.name not in sys.argv[1:]:
            continue
        tasks = some(plan(case), 4)
        wrong = order_faults(case) + each(tasks, trial)
        print(f"{'FAIL' if wrong else 'ok  '} {case.name}: {len(tasks)} faults")
        for line in wrong[:40]:
            print(f"     {line}")
        bad += wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
