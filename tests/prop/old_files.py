#!/usr/bin/env python3
"""Stored files of every release can be read, checked, compared and reported by all later versions.

usage: old_files.py [--figures]

tests/golden/old/<version>/ holds digests, runs and baselines as that release wrote them, and figures.json, what its
`metrics` said of each. Every figure must still have the same value, or be absent if its meaning has changed, and every pair
below must end as it did then. --figures writes figures.json for a version without one; $GPUGATE must then be that release's
program.

tests/data/stored/<version>-<commit>/ holds small files of each kind as that commit wrote them from generated recordings (its
README has the commands). Each baseline passes the recording it was made from, as does the digest of it, judges whatever a
baseline of today judges except what was not recorded then, fails a planted change, takes a further run with its history, and
becomes a file of today by an approval. A digest has its figures when it is written again, rules of version 1 judge alike as
version 2, and parts of a suite are joined. """
import gzip
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from _gen import generate

OLD = pathlib.Path(__file__).resolve().parent.parent / "golden" / "old"
RUNS = ("digest.json", "ranks.json", "snapshot.json", "candidate_summaries.json.gz")
# Pairs of a run and a baseline that the run passes.
PAIRS = (("digest.json", "baseline.json"), ("ranks.json", "baseline_ranks.json"),
         ("candidate_summaries.json.gz", "baseline_summaries.json"))
# {version: {figure: reason}} of figures with a different meaning today, which cannot be computed from the old files.
OF_PERIODS = "is of the periods of steps, from the moment one is over to the next, which were not recorded"
CHANGED = {"0.1": dict.fromkeys((
    "step.idle_time", "gpu.utilization_pct", "throughput.samples_per_s", "throughput.tokens_per_s", "throughput.steps_per_s", "mfu_pct",
    "flops.per_s", "flops.peak_pct"), OF_PERIODS)}


# Candidates with fewer than half of the steps of their baseline. Versions that wrote them accepted this; now it is a finding.
FEW_STEPS = ("candidate_summaries.json.gz",)
# A candidate whose generated snapshot peaks below the trace beside it, which is a finding now.
FOREIGN = ("digest.json",)


class Failure(Exception):
    """Errors of this test, as lines of text."""


def run(folder, *args, code=0):
    done = subprocess.run([os.environ["GPUGATE"], *args], cwd=folder, capture_output=True,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"})
    if done.returncode != code:
        raise Failure(f"gpugate {' '.join(args)}: exit {done.returncode}, expected {code}\n"
                      f"{(done.stdout + done.stderr).decode('utf-8', 'replace')}")
    return done.stdout.decode("utf-8")


def figures(folder, name):
    """{metric: [[labels…, value or samples], …]}, in the order of the output."""
    out = {}
    for row in json.loads(run(folder, "metrics", name, "--json", "-"))["metrics"]:
        value = row["samples"] if "samples" in row else row["value"]
        labels = {k: v for k, v in row.items() if k not in ("metric", "unit", "samples", "value")}
        out.setdefault(row["metric"], []).append([labels, value])
    return out


def check_version(folder):
    for name, wanted in json.loads((folder / "figures.json").read_text()).items():
        have = figures(folder, name)
        for metric, rows in wanted.items():
            if metric == "kernel.occupancy_pct":  # earlier versions stored 0 for an unknown occupancy, so rows with 0 do not count
                rows = [row for row in rows if row[1]]
            reason = CHANGED.get(folder.name, {}).get(metric)
            if have.get(metric) != (None if reason else rows):
                raise Failure(f"{name}: {metric} was {rows}\nand is {have.get(metric)}" + (f", but {reason}" if reason else ""))
    with tempfile.TemporaryDirectory() as work:
        for path in folder.iterdir():
            shutil.copy(path, work)
        for candidate, baseline in PAIRS:
            wrong = "too-few-steps" if candidate in FEW_STEPS else "foreign-snapshot" if candidate in FOREIGN else ""
            result = json.loads(run(work, "check", candidate, "--baseline", baseline, "--json", "-", code=3 if wrong else 0))
            if wrong and {f["finding"] for f in result["trust"] if f["spoils"]} == {wrong}:
                continue
            bad = [c["id"] for c in result["checks"] if c["verdict"] in ("fail", "missing", "inconclusive")]
            if result["verdict"] != "pass" or bad:
                raise Failure(f"{candidate} against {baseline}: {result['verdict']}, {bad}")
            run(work, "baseline", "show", "--baseline", baseline)
            run(work, "baseline", "log", "--baseline", baseline)
            run(work, "baseline", "verify", baseline)
            run(work, "approve", candidate, "--baseline", baseline, "--reason", "a new start")
            run(work, "check", candidate, "--baseline", baseline)
        for name in RUNS:
            run(work, "diff", name, name)
            run(work, "report", name)
            run(work, "merge", name, "-o", "merged.json")
            if figures(work, "merged.json") != figures(work, name):
                raise Failure(f"{name}: written again it has other figures")


STORED = OLD.parents[1] / "data" / "stored"
ENDING = {"ranks": "", "figures": ".json", "nsys": ".sqlite", "jax": ".trace.json.gz", "trace": ".json.gz", "snapshot": ".json.gz"}
PLANTED, NEXT = 7, 8    # seeds of the recordings that are worse, and of a run of main that no file has
# {state: rules that have no figure in files of then, though both sides have it in files of today}
PERIODS = {"step-period", "step-latency", "slow-steps", "gpu-utilization"}
UNRECORDED = {"0.1-72aa1c81": PERIODS | {"operators", "kernel-resources"}, "0.2-52786bb1": set()}
UNRECORDED_IN_FOLDS = {"slow-steps"}    # of all states
UNDECIDED = ("fail", "missing", "inconclusive", "undecided")


def plain_figures(seed, factor):
    values = {name: value * factor * random.Random(f"{seed} {name}").uniform(.995, 1.005)
              for name, value in (("step_ms", 80), ("p99_latency_ms", 120), ("peak_memory_gib", 24))}
    return json.dumps({"tokens_per_s": 700000 / values["step_ms"], **values})


def make_recordings(folder):
    """Makes the recordings that the stored files were made from, KIND-1 and others, and KIND-planted, which are worse."""
    for seed in (*range(1, PLANTED + 1), NEXT):
        bad = seed == PLANTED
        name = "planted" if bad else seed
        generate("ranks", folder / f"ranks-{name}", "--ranks", 2, "--steps", 4, "--layers", 1, "--seed", seed,
                 *(("--slow-rank", "0=1.3", "--slow-rank", "1=1.3") if bad else ()))
        (folder / f"figures-{name}.json").write_text(plain_figures(seed, 1.3 if bad else 1))
        if not bad and seed > 1:
            continue
        generate("trace", folder / f"trace-{name}.json.gz", "--seed", seed, "--steps", 3,
                 *(("--slow-kernel", "*=1.3", "--peak-memory", 1.3) if bad else ()))
        generate("snapshot", folder / f"snapshot-{name}.json.gz", "--seed", seed, "--steps", 3, "--layers", 1, *(("--peak", 30) if bad else ()))
        generate("xprof", folder / f"jax-{name}.trace.json.gz", "--seed", seed, "--steps", 5, *(("--slow-kernel", "u", "--slow", 1.3) if bad else ()))
        generate("nsys", folder / f"nsys-{name}.sqlite", folder / f"ranks-{name}" / "rank0.json.gz")


def judged(folder, candidate, baseline, *options, code=0):
    """{check: verdict} of a check that ends with this code."""
    result = json.loads(run(folder, "check", candidate, "--baseline", baseline, *options, "--json", "-", code=code))
    verdicts = {c["id"]: c["verdict"] for c in result["checks"]}
    bad = [f"{c}: {v}" for c, v in verdicts.items() if v in UNDECIDED]
    if bad and not code:
        raise Failure(f"{candidate} against {baseline}: {', '.join(bad)}")
    if code and result["verdict"] != "fail":
        raise Failure(f"{candidate} against {baseline}: {result['verdict']}, not fail")
    return verdicts


def rules_of(verdicts):
    """The rules of which at least one check is judged."""
    return {check.split("[")[0] for check, verdict in verdicts.items() if verdict != "skipped"}


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def check_baseline(work, state, kind):
    source = "ranks" if kind == "fold" else kind
    baseline, history, new = f"{kind}.json", work / f"{kind}.history.jsonl", f"new-{kind}.json"
    same, worse = (f"{source}-{name}{ENDING[source]}" for name in (1, "planted"))
    unrecorded = UNRECORDED.get(state, {"slow-steps", "kernel-resources"}) | (UNRECORDED_IN_FOLDS if kind == "fold" else set())
    if not (work / new).exists():
        run(work, "approve", same if kind != "fold" else f"{kind}.digest.json", "--new", "--baseline", new)
    verdicts = judged(work, same, baseline)
    lost = rules_of(judged(work, same, new)) - rules_of(verdicts) - unrecorded
    if lost:
        raise Failure(f"{kind}: {', '.join(sorted(lost))} is not judged by the file of then")
    judged(work, f"{kind}.digest.json", baseline)
    judged(work, worse, baseline, code=1)
    run(work, "lint", baseline)
    shown = run(work, "report", baseline)
    if not shown.strip():
        raise Failure(f"{kind}: report has nothing to say of the baseline")
    # 0.1 held later runs inside of the baseline, at first without the approved one
    inside = len(json.loads((work / baseline).read_text())["recent"])
    said = run(work, "history", "--baseline", baseline, "--json", "-")
    if len(json.loads(said)["runs"]) != len(lines(history)) + inside:
        raise Failure(f"{kind}: history does not have the {len(lines(history)) + inside} stored runs")
    if source == "ranks":
        stored = len(lines(history))
        run(work, "store", f"ranks-{NEXT}", "--baseline", baseline)
        if not json.loads(lines(history)[-1])["accepted"] or len(lines(history)) <= stored:
            raise Failure(f"{kind}: a run of main is stored, but not for the reference")
        judged(work, same, baseline)
    run(work, "approve", same, "--baseline", baseline, "--reason", "a new start")
    if "minor" not in json.loads((work / baseline).read_text()):
        raise Failure(f"{kind}: the approved file is not one of today")
    lost = rules_of(judged(work, same, new)) - rules_of(judged(work, same, baseline))
    if lost:
        raise Failure(f"{kind}: {', '.join(sorted(lost))} is not judged after an approval")
    judged(work, worse, baseline, code=1)
    run(work, "lint", baseline)


def check_digest(work, kind):
    digest = f"{kind}.digest.json"
    run(work, "report", digest)
    run(work, "digest", digest, "-o", "again.json", *(("--fold",) if kind == "fold" else ()))
    run(work, "diff", digest, "again.json")
    if kind != "fold" and figures(work, digest) != figures(work, "again.json"):
        raise Failure(f"{digest}: written again it has other figures")
    if kind == "ranks":
        run(work, "digest", digest, "-o", "folded.json", "--fold")
        judged(work, "folded.json", "ranks.json")


def check_rules(work, kind):
    same, worse = (f"{kind}-{name}{ENDING[kind]}" for name in (1, "planted"))
    rules, baseline = f"{kind}.yaml", f"{kind}.json"
    run(work, "lint", rules)
    if "version: 1" not in (work / rules).read_text():
        judged(work, same, baseline, "--rules", rules)
        judged(work, worse, baseline, "--rules", rules, code=1)
        return
    (work / "second.yaml").write_text(run(work, "lint", rules, "--upgrade"))
    run(work, "lint", "second.yaml")
    for candidate, code in ((same, 0), (worse, 1)):
        first, second = (judged(work, candidate, baseline, "--rules", file, code=code) for file in (rules, "second.yaml"))
        if first != second:
            raise Failure(f"{rules}: as version 2 it judges otherwise: {first}, {second}")


def check_state(folder, recordings):
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        for path in recordings.iterdir():
            (work / path.name).symlink_to(path)
        for path in folder.iterdir():
            (work / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
        for path in sorted(folder.glob("*.digest.json.gz")):
            check_digest(work, path.name.split(".")[0])
        for path in sorted(folder.glob("*.yaml.gz")):
            check_rules(work, path.name.split(".")[0])
        if (folder / "suite-1.json.gz").exists() and "2 cases passed" not in run(work, "suite", "suite-1.json", "suite-2.json"):
            raise Failure("the parts of the suite are not joined")
        kinds = [path.name.split(".")[0] for path in sorted(folder.glob("*.digest.json.gz"))]
        for kind in kinds:
            check_baseline(work, folder.name, kind)


def check_states():
    with tempfile.TemporaryDirectory() as name:
        make_recordings(pathlib.Path(name))
        for folder in sorted(p for p in STORED.iterdir() if p.is_dir()):
            try:
                check_state(folder, pathlib.Path(name))
            except Failure as e:
                raise Failure(f"{folder.name}: {e}") from None


def main():
    if "GPUGATE" not in os.environ:
        print("GPUGATE is not set")
        return 77
    for folder in sorted(p for p in OLD.iterdir() if p.is_dir()):
        kept = folder / "figures.json"
        if "--figures" in sys.argv[1:] and not kept.exists():
            rows = {name: figures(folder, name) for name in RUNS}
            kept.write_text(json.dumps(rows, separators=(",", ":")).replace('"],["', '"],\n["') + "\n")
        try:
            check_version(folder)
        except Failure as e:
            print(f"{folder.name}: {e}")
            return 1
    try:
        check_states()
    except Failure as e:
        print(e)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
