#!/usr/bin/env python3
"""A folded run: its bytes do not depend on the order of merging, its figures are those of the ranks, and odd ranks are named.

The ranks of a job are simulated (gen/ranks.py), with a slow and a late rank in one run of it, a hung one and a slow link
in others.

 - random trees of merges, with parts that are given twice, write the bytes of one merge of all
 - figures that are kept for each rank reduce to the values of the unfolded run; medians of other figures, and
   rank.straggler_pct, differ from these values by at most 1 %, and not at all for up to 64 ranks
 - `check` gives the same answer whether both sides, one side or no side is folded; it names the planted ranks and no other
 - a folded baseline keeps no single ranks, and the size of its file does not depend on their number
 - throttled ranks, and ranks that share their GPU, are named with the GPU and the reasons, as in an unfolded run; figures of
   the state of GPUs are exact
 - a rank that is missing is named, and its block stays unfolded until the rank is there
 - nothing is lost of a small job, all of whose ranks are kept whole
 - figures that only whole digests have are those of the unfolded run for ranks that the folded run keeps whole; for other
   ranks, a check of such a figure says that it is not known, and does not pass if the unfolded run has the figure
 - what launched the work is compared for folded runs, too: with fewer operators on the candidate, figures of operators are not
   judged
 - digests that cannot be folded are refused in one line

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
RANKS, FEW = 136, 24
SLOW, LATE, HUNG, LINK = 18, 11, 97, 70
FAULTS = {
    "plain": ["--seed", 1],
    "odd": ["--seed", 2, "--slow-rank", f"{SLOW}=1.3", "--late-rank", f"{LATE}=3000"],
    "hung": ["--seed", 2, "--skip-collective", f"{HUNG}=2:3"],
    "link": ["--seed", 2, "--slow-link", f"{LINK}=2"],
    "hot": ["--seed", 2],
}
HOT, SHARED = 100, 7
# {metric: true if a folded run of more than 64 ranks still has the exact median over the ranks}
METRICS = {
    "step.time": True, "step.compute_time": True, "step.kernel_count": True, "step.dataloader_time": True,
    "gpu.utilization_pct": True, "comm.wait_time": True, "comm.transfer_time": True, "rank.missing_steps": True,
    "rank.compute_skew_pct": True, "rank.straggler_pct": False, "kernel.time": False, "kernel.count": False,
    "category.time": False, "op.self_time": False, "op.self_gpu_time": False, "comm.time": False, "comm.count": False,
}
REDUCTIONS = ("max", "min", "mean", "median")
NEAR = 0.01
LIMITS = "fail: {increase: 10%}"


def rules(dir, name, *more):
    lines = [f"  - {{id: {m}-{r}, metric: {m}, ranks: {r}, {LIMITS}}}" for m in METRICS for r in REDUCTIONS]
    lines += [f"  - {{id: p99, metric: step.time, stat: p99, ranks: max, {LIMITS}}}",
              f"  - {{id: classed, metric: op.self_gpu_time, select: {{class: compute}}, ranks: max, {LIMITS}}}", *more]
    path = dir / name
    path.write_text("version: 1\nworkload: job\nrules:\n" + "\n".join(lines) + "\n")
    return path


def gpugate(*args, codes=(0,)):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True)
    assert done.returncode in codes, (args, done.returncode, done.stdout, done.stderr)
    return done.stderr


def run_of(dir, name, ranks):
    out = dir / f"{name}-{ranks}.json"
    if not out.exists():
        traces = dir / f"{name}-{ranks}"
        generate("ranks", traces, "--ranks", ranks, "--steps", 5, "--layers", 1, "--groups", 4, *FAULTS[name])
        if name == "hot":
            record_machines(traces, ranks)
        gpugate("digest", traces, "-o", out)
    return out


def record_machines(dir, ranks):
    """Writes the state of the GPUs of each rank, as ci/record/gpugate_record.py does; ranks from 128 on have two GPUs."""
    for rank in range(ranks):
        gpus = [{"index": str(i), "sm_clock_mhz": 1900 - rank % 50 - i, "temperature_c": 50 + rank % 9, "reasons": [],
                 "other_processes": 2 if rank == SHARED else 0, "counters_us": {"sw_thermal_slowdown": 0}} for i in range(1 + (rank > 127))]
        later = json.loads(json.dumps(gpus))
        later[-1]["counters_us"]["sw_thermal_slowdown"] = {HOT: 3_000_000, 130: 1_000_000}.get(rank, 0)
        lines = [{"schema": "gpugate-machine-1", "time_ns": at, "driver": "580.1", "gpus": g} for at, g in ((0, gpus), (10 ** 10, later))]
        (dir / f"machine-rank{rank}.json").write_text("".join(json.dumps(line) + "\n" for line in lines))


def folded(run):
    out = run.with_suffix(".fold.json")
    gpugate("merge", "--fold", run, "-o", out)
    return out


def checked(dir, run, baseline, rule_file):
    """Checks the run; returns (checks by id, {(insight, rank)} of the candidate, the whole result)."""
    report = dir / "report.json"
    gpugate("check", run, "--rules", rule_file, "--baseline", baseline, "--json", report, codes=(0, 1, 3))
    said = json.loads(report.read_text())
    named = {(i["insight"], i["rank"]) for i in said["insights"] if i["side"] == "candidate" and i["rank"] >= 0}
    return {c["id"]: c for c in said["checks"]}, named, said


def trees(dir, run, seeds=range(4)):
    """Merges parts of any size in any order, some of them twice: the result equals that of a single merge."""
    doc = json.loads(run.read_text())
    whole = folded(run).read_bytes()
    for seed in seeds:
        r = random.Random(seed)
        ranks, size, files = list(range(RANKS)), (9, 17, 40, 64)[seed], []
        r.shuffle(ranks)
        for i in range(0, len(ranks), size):
            files.append(dir / f"part-{seed}-{i}.json")
            digests = [d for d in doc["digests"] if d["rank"] in ranks[i:i + size]]
            files[-1].write_text(json.dumps({**doc, "digests": digests}, separators=(",", ":")))
        for level in range(99):
            if len(files) == 1:
                break
            r.shuffle(files)
            width = r.choice((2, 3, 5))
            groups = [files[i:i + width] for i in range(0, len(files), width)]
            files = [dir / f"level-{seed}-{level}-{i}.json" for i in range(len(groups))]
            for group, out in zip(groups, files):
                gpugate("merge", "--fold", *group, r.choice(group), "-o", out)
        assert files[0].read_bytes() == whole, f"tree {seed}"


def compare(few, whole, part, what):
    """Compares the checks of an unfolded run with those of the folded run."""
    assert set(whole) == set(part), set(whole) ^ set(part)
    for name, check in whole.items():
        metric, reduction = check["metric"], name.split("[")[0].rsplit("-", 1)[-1]
        exact = few or METRICS.get(metric, True) or reduction in ("max", "min", "mean")
        exact = exact and (few or metric != "rank.straggler_pct")
        for side in ("baseline", "candidate"):
            x, y = check[side], part[name][side]
            assert x == y if exact else abs(x - y) <= NEAR * max(abs(x), abs(y)), (what, name, side, x, y)
        if exact:
            assert check["verdict"] == part[name]["verdict"], (what, name)


def same_figures(dir, ranks):
    rule_file = rules(dir, "figures.yaml")
    plain, odd = run_of(dir, "plain", ranks), run_of(dir, "odd", ranks)
    baselines = {}
    for name, run in (("unfolded", plain), ("folded", folded(plain))):
        baselines[name] = dir / f"{name}-{ranks}.baseline.json"
        gpugate("approve", "--new", run, "--rules", rule_file, "--baseline", baselines[name])
    whole, named, _ = checked(dir, odd, baselines["unfolded"], rule_file)
    assert {r for _, r in named} == {SLOW, LATE}, named
    for run, baseline in ((folded(odd), "folded"), (folded(odd), "unfolded"), (odd, "folded")):
        part, also_named, _ = checked(dir, run, baselines[baseline], rule_file)
        compare(ranks <= 64, whole, part, (run.name, baseline))
        assert also_named == named, (also_named, named)
    return baselines["folded"]


def odd_ones(dir, baseline):
    rule_file = rules(dir, "figures.yaml")
    _, _, hung = checked(dir, folded(run_of(dir, "hung", RANKS)), baseline, rule_file)
    assert [t["rank"] for t in hung["trust"] if t["finding"] == "stuck"] == [HUNG], hung["trust"]
    _, named, _ = checked(dir, folded(run_of(dir, "link", RANKS)), baseline, rule_file)
    assert named == {("slow-link", LINK)}, named


def machines(dir):
    """A folded run has the same findings on the state of its GPUs as the unfolded one, and the same figures (medians nearly)."""
    figures = ("sm_clock", "temperature", "throttled_pct", "other_processes")
    rule_file = rules(dir, "machines.yaml", *(f"  - {{id: {m}-{r}, metric: machine.{m}, ranks: {r}, {LIMITS}}}"
                                              for m in figures for r in REDUCTIONS))
    hot, said = run_of(dir, "hot", RANKS), []
    trees(dir, hot, (3,))
    for run in (hot, folded(hot)):
        baseline = dir / "hot.baseline.json"
        gpugate("approve", "--new", run, "--rules", rule_file, "--baseline", baseline, "--force", codes=(0, 3))
        checks, _, result = checked(dir, run, baseline, rule_file)
        trust = {(t["side"], t["rank"], t["finding"], t["message"]) for t in result["trust"]}
        said.append(({k: (c["baseline"], c["candidate"], c["verdict"]) for k, c in checks.items() if k.startswith(figures)}, trust))
    (whole, findings), (part, also) = said
    assert set(whole) == set(part) and len(whole) == len(figures) * len(REDUCTIONS), (whole, part)
    for key, (*values, verdict) in whole.items():  # if some ranks have several GPUs, a median over ranks is approximate
        assert verdict == part[key][2] and all(abs(x - y) <= (NEAR if key.endswith("median") else 0) * x
                                               for x, y in zip(values, part[key])), (key, values, part[key])
    assert {(r, f) for s, r, f, _ in findings if s == "candidate"} == {(HOT, "throttled"), (130, "throttled"), (SHARED, "shared-gpu")}, findings
    assert {f for f in findings if f[0] == "candidate"} == {f for f in also if f[0] == "candidate"}, (findings, also)
    assert {(r, f) for s, r, f, _ in also if s == "baseline"} == {(HOT, "throttled"), (130, "throttled"), (SHARED, "shared-gpu")}, also
    again = dir / "again.json"
    gpugate("merge", "--fold", folded(hot), hot, "-o", again)
    assert again.read_bytes() == folded(hot).read_bytes()


def fewer(dir, baseline):
    """If the rows of one rank count fewer collectives of a group than the rows of others, rank and group are named."""
    rule_file, said = rules(dir, "figures.yaml"), []
    doc = json.loads(run_of(dir, "plain", RANKS).read_text())
    row = next(c for c in doc["digests"][HUNG]["comms"] if c["group"] and c["count"] > 2)
    row["count"] -= 2
    run = dir / "fewer.json"
    run.write_text(json.dumps(doc))
    for part in (run, folded(run)):
        trust = checked(dir, part, baseline, rule_file)[2]["trust"]
        said.append([(t["rank"], t["message"]) for t in trust if t["finding"] == "fewer-collectives"])
    assert said[0] == said[1] and [rank for rank, _ in said[0]] == [HUNG] and row["group"] in said[0][0][1], said


def lost(dir, baseline):
    """If a rank is absent, its block is not folded, and the rank is named."""
    rule_file = rules(dir, "figures.yaml")
    doc = json.loads(run_of(dir, "odd", RANKS).read_text())
    doc["digests"] = [d for d in doc["digests"] if d["rank"] != HUNG]
    run = dir / "lost.json"
    run.write_text(json.dumps(doc))
    part = folded(run)
    assert len(json.loads(part.read_text())["digests"]) == 1 + 63
    for args in (["merge", "--fold", part, "-o", dir / "out.json"], ["check", part, "--rules", rule_file, "--baseline", baseline]):
        assert f"rank {HUNG} of {RANKS} is missing" in gpugate(*args, "--expect-ranks", RANKS, codes=(3,))
    (figures, named, said), (also, also_named, _) = (checked(dir, r, baseline, rule_file) for r in (run, part))
    compare(False, figures, also, "lost")
    assert named == also_named
    assert {t["finding"] for t in said["trust"]} >= {"absent-rank"}, said["trust"]
    gpugate("merge", "--fold", run_of(dir, "odd", RANKS), "--expect-ranks", RANKS, "-o", dir / "out.json")
    gpugate("merge", "--fold", part, run_of(dir, "odd", RANKS), "-o", dir / "again.json")
    assert (dir / "again.json").read_bytes() == (dir / "out.json").read_bytes()


def waited_before(dir):
    """Commands write the HTML pages of folded runs in which ranks wait for a slow rank or link, also against a folded baseline."""
    rule_file, odd = rules(dir, "figures.yaml"), folded(run_of(dir, "odd", RANKS))
    gpugate("approve", "--new", odd, "--rules", rule_file, "--baseline", dir / "odd.baseline.json")
    for name in ("odd", "link"):
        run = folded(run_of(dir, name, RANKS))
        gpugate("check", run, "--rules", rule_file, "--baseline", dir / "odd.baseline.json", "--html", dir / "page.html", codes=(0, 1))
    for command in (["report", odd], ["report", odd, "--verbose"], ["diff", odd, run_of(dir, "plain", RANKS)]):
        gpugate(*command, "--html", dir / "page.html")


def built_in_rules(dir):
    """The built-in rules give a folded run the same verdicts as the unfolded run; rules on figures from files find nothing in
    either."""
    plain, odd = (run_of(dir, name, RANKS) for name in ("plain", "odd"))
    verdicts = []
    for a, b in ((plain, odd), (folded(plain), folded(odd))):
        gpugate("approve", "--new", a, "--baseline", dir / "plain.baseline.json", "--force")
        gpugate("check", b, "--baseline", dir / "plain.baseline.json", "--json", dir / "report.json", codes=(0, 1))
        said = json.loads((dir / "report.json").read_text())["checks"]
        verdicts.append({c["id"].split("[rank ")[0]: c["verdict"] for c in said})
    assert verdicts[0] == verdicts[1], verdicts


def worst_of_each(dir, baseline):
    """With `ranks: each` the worst ranks of folded runs are compared, and a warning says so if the ranks differ."""
    each = rules(dir, "each.yaml", f"  - {{id: each, metric: step.compute_time, ranks: each, {LIMITS}}}",
                 f"  - {{id: alike, metric: step.kernel_count, ranks: each, {LIMITS}}}")
    checks, _, said = checked(dir, folded(run_of(dir, "odd", RANKS)), baseline, each)
    for side in ("baseline", "candidate"):
        assert checks["each"][side] == checks["step.compute_time-max"][side]
    warned = [w for w in said["warnings"] if "ranks: each" in w]
    assert len(warned) == 1 and "'each'" in warned[0] and "'alike'" not in warned[0], said["warnings"]


def kept_ranks(dir):
    """Checks rules that only whole digests can answer, of ranks that both folded runs keep, of one of them, and of none."""
    runs = [run_of(dir, name, RANKS) for name in ("plain", "odd")]
    kept = [{d["rank"] for d in json.loads(folded(run).read_text())["fold"]["kept"]} for run in runs]
    first, second = sorted(kept[0] & kept[1])[:2]
    assert SLOW in kept[1], kept

    def rules_of(name, rank, *more):
        rows = ("one, metric: kernel.time, select: {rank: R, kernel: nvjet}", "p99, metric: step.time, stat: p99, select: {rank: R}",
                "comm, metric: comm.time, select: {rank: R}", "step, metric: step.time, select: {rank: R}",
                "each, metric: kernel.time, for_each: {top: 3, min_share: 1%}, select: {rank: R}", "threads, metric: thread.time, select: {rank: R}",
                "ops, metric: op.self_gpu_time, for_each: {top: 2}, select: {rank: R}, on_missing: skip", *more)
        path = dir / name
        path.write_text("version: 1\nworkload: job\nkernels: {alias: [{match: 'nvjet*', as: nvjet}]}\nrules:\n" +
                        "".join(f"  - {{id: {row.replace('R,', rank + ',').replace('R}', rank + '}')}, {LIMITS}}}\n" for row in rows))
        return path

    def results(rule_file):
        out = {}
        for base in (runs[0], folded(runs[0])):
            gpugate("approve", "--new", base, "--rules", rule_file, "--baseline", dir / "kept.baseline.json", "--force")
            for run in (runs[1], folded(runs[1])):
                checks, _, said = checked(dir, run, dir / "kept.baseline.json", rule_file)
                out[base == runs[0], run == runs[1]] = checks, said
        return out

    own = min(kept[1] - kept[0])  # only the candidate's fold keeps this rank: the baseline must be unfolded to have it
    for rank, folded_base in ((first, True), (second, True), (own, False)):
        both = results(rules_of("both.yaml", f"'{rank}'"))
        whole = {i: (c["baseline"], c["candidate"], c["verdict"]) for i, c in both[True, True][0].items()}
        assert len(whole) > 9 and {"step", "p99"} < set(whole) and any(i.startswith("threads[") for i in whole), whole
        for key, (checks, _) in both.items():
            part = {i: (c["baseline"], c["candidate"], c["verdict"]) for i, c in checks.items()}
            assert part == whole or not (key[0] or folded_base), (key, set(part.items()) ^ set(whole.items()))
    other = next(r for r in range(RANKS) if r not in kept[0] | kept[1])
    for sides, (checks, said) in results(rules_of("none.yaml", str(other), "all, metric: kernel.time, select: {kernel: nvjet}")).items():
        for name, c in checks.items():
            lost = sides != (True, True) and name != "step"
            assert (c["verdict"] in ("missing", "skipped")) == lost, (sides, name, c)
            assert not lost or ("merge" in c["message"] and "--fold" in c["message"]), c
            assert c["verdict"] != "skipped" or name.startswith("ops") and c["baseline"] is None, (sides, c)
        if sides == (False, False):
            assert checks["ops"]["verdict"] == "skipped" and any("'ops' is skipped" in w for w in said["warnings"]), said["warnings"]
    shown = subprocess.run([PROGRAM, "report", folded(runs[1]), "--rules", dir / "none.yaml", "--verbose"], capture_output=True, text=True)
    assert "nvjet_tst" in shown.stdout, shown  # without the alias, which is not known of all ranks


def all_kept(dir):
    """Every rank of a small job is kept whole: the folded run says what the unfolded one does, `unlike-peers` and all threads included."""
    rule_file = rules(dir, "all.yaml", f"  - {{id: threads, metric: thread.time, ranks: max, {LIMITS}}}")
    doc, run, said = json.loads(run_of(dir, "plain", 8).read_text()), dir / "unlike.json", []
    doc["digests"][5]["functions"][0]["median_ns"] *= 2
    run.write_text(json.dumps(doc))
    gpugate("approve", "--new", run_of(dir, "plain", 8), "--rules", rule_file, "--baseline", dir / "all.baseline.json")
    for part in (run, folded(run)):
        checks, _, result = checked(dir, part, dir / "all.baseline.json", rule_file)
        said.append(([(i["rank"], i["message"]) for i in result["insights"] if i["insight"] == "unlike-peers"],
                     {i: (c["baseline"], c["candidate"]) for i, c in checks.items()}))
    assert said[0] == said[1] and [rank for rank, _ in said[0][0]] == [5] and any(i.startswith("threads[") for i in said[0][1]), said


def refuses(dir, baseline):
    plain, odd = run_of(dir, "plain", RANKS), run_of(dir, "odd", RANKS)
    one = folded(plain)

    def refused(word, *args, codes):
        said = gpugate(*args, codes=codes)
        assert word in said and said.count("\n") == 1 + ("is an old name of" in said), said

    refused("--fold", "merge", one, "-o", dir / "out.json", codes=(2,))
    refused("rank 0 is in two", "merge", "--fold", one, folded(odd), "-o", dir / "out.json", codes=(3,))
    refused("rank 0 is in two", "merge", "--fold", one, odd, "-o", dir / "out.json", codes=(3,))
    doc = json.loads(plain.read_text())
    doc["digests"][5]["warmup"] += 1
    (dir / "other.json").write_text(json.dumps(doc))
    refused("other settings", "merge", "--fold", dir / "other.json", "-o", dir / "out.json", codes=(3,))
    refused("metrics --json", "metrics", one, "--json", dir / "out.json", codes=(2,))
    some = rules(dir, "some.yaml", f"  - {{id: one, metric: step.time, select: {{rank: {LATE}}}, {LIMITS}}}")
    checks, _, _ = checked(dir, one, baseline, some)
    assert checks["one"]["verdict"] == "missing" and "under other rules" in checks["one"]["message"], checks["one"]
    gpugate("approve", "--new", plain, "--rules", some, "--baseline", dir / "some.json")
    checks = [checked(dir, run, dir / "some.json", some)[0]["one"] for run in (odd, folded(odd))]
    assert checks[0]["candidate"] == checks[1]["candidate"] and checks[0]["baseline"] == checks[1]["baseline"], checks
    broken = json.loads(one.read_text())
    for at in (0, 3, 30, 60, len(broken["fold"]["columns"]) - 1):
        bad = json.loads(one.read_text())
        bad["fold"]["columns"][at] = bad["fold"]["columns"][at][:-1] + [-5, 7]
        (dir / "bad.json").write_text(json.dumps(bad))
        refused("columns that do not fit", "report", dir / "bad.json", codes=(3,))
    bad = json.loads(one.read_text())
    asked = [{"query": "step.time stat=median ranks=max rank=3", "label": "", "value": 1}]
    (dir / "bad.json").write_text(json.dumps({**bad, "fold": {**bad["fold"], "asked": asked}}))
    refused("as only a baseline may", "merge", "--fold", dir / "bad.json", "-o", dir / "out.json", codes=(3,))
    for kept, words in ((bad["fold"]["kept"][::-1], "not of its ranks"), (2 * bad["fold"]["kept"], "too many digests"), ([bad], "folded digest")):
        (dir / "bad.json").write_text(json.dumps({**bad, "fold": {**bad["fold"], "kept": kept}}))
        refused(words, "merge", "--fold", dir / "bad.json", "-o", dir / "out.json", codes=(3,))


def fewer_operators(dir):
    """As many operators as `share` says are gone from all ranks of the candidate, folded or not."""
    whole = generate("ranks", dir / "whole", "--ranks", 4, "--steps", 5, "--seed", 1, "--plain")
    for share in (0, 0.3, 1):
        (dir / f"less{share}").mkdir()
        for file in sorted(whole.glob("*.json")):
            doc, chance = json.loads(file.read_text()), random.Random(share)
            doc["traceEvents"] = [e for e in doc["traceEvents"] if e.get("cat") != "cpu_op" or "nccl" in e["name"] or chance.random() >= share]
            (dir / f"less{share}" / file.name).write_text(json.dumps(doc))
        for force in ([], ["--fold"]):
            sides = [whole, dir / f"less{share}"]
            if force:
                sides = [dir / "b.json.gz", dir / "c.json.gz"]
                for side, run in zip(sides, (whole, dir / f"less{share}")):
                    gpugate("merge", "--fold", *[digest(file, dir / f"{file.stem}.digest.gz") for file in sorted(run.glob("*.json"))], "-o", side)
            gpugate("approve", "--new", sides[0], "--baseline", dir / "w.json", "--force")
            gpugate("check", sides[1], "--baseline", dir / "w.json", "--json", dir / "o.json", codes=(3,) if share else (0,))
            found = {t["finding"] for t in json.loads((dir / "o.json").read_text())["trust"]}
            assert ("fewer-operators" in found) == bool(share), (share, force, found)


def digest(file, out):
    gpugate("digest", file, "-o", out)
    return out


def main():
    if not PROGRAM:
        print("no $GPUGATE")
        return 77
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        same_figures(dir, FEW)
        baseline = same_figures(dir, RANKS)
        small = dir / f"folded-{FEW}.baseline.json"
        assert baseline.stat().st_size < 4 * small.stat().st_size, (baseline.stat(), small.stat())
        trees(dir, run_of(dir, "odd", RANKS))
        odd_ones(dir, baseline)
        fewer(dir, baseline)
        machines(dir)
        lost(dir, baseline)
        built_in_rules(dir)
        worst_of_each(dir, baseline)
        waited_before(dir)
        kept_ranks(dir)
        all_kept(dir)
        refuses(dir, baseline)
        fewer_operators(dir)
    return 0


if __name__ == "__main__":
    sys.exit(main())
