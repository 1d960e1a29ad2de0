#!/usr/bin/env python3
"""Rules as differences (`version: 2`) mean what the whole rules mean.

 - a file of version 1, upgraded, has the same rules, as `lint` explains them, and the same verdicts; so has what `lint --print`
   prints, for rules files grown from the schema (sound.py) and those of the golden tests
 - what `init` writes takes nothing away: for a run without memory, host or GPU, a later run that records them is judged by all
   built-in rules from its second baseline on; twelve lines are enough
 - limits are replaced as a whole, other maps key by key; `off` removes one rule, `only` all that are built in; without either, each built-in rule is in force
 - `lint --baseline` warns of the limits that the user chose and that are below the noise, also in a copy of the built-in rules
 - a report names the built-in rules in force that are not those of the newest stored run, and says nothing of files that do not know
 - absolute limits alone are a gate without a baseline
 - a limit of the command line is one more rule
 - a figure that rises from 0 is judged by a largest value of one's own, else not judged
 - runs that say that they did other work are not judged
 - the environment is compared also with one rule of one's own, unless the file says not to

$GPUGATE is the program; exit 77 skips.
"""
import gzip
import json
import pathlib
import random
import re
import sys
import tempfile

from _bench import PROGRAM, Bench
from _part import ALL
from sound import grown

ROOT = pathlib.Path(__file__).resolve().parents[2]
IDS = re.findall("^  - id: (.*)$", (ROOT / "rules" / "default.yaml").read_text(encoding="utf-8"), re.M)
BUILT_IN = sorted(IDS)


def explained(b, rules):
    """What each rule asks for, in any order: lint prints a paragraph for each, of which further lines are indented."""
    done = b.run("lint", rules)
    assert done.returncode == 0, f"{(b.dir / rules).read_text()}: {done}"
    return sorted(done.stdout.decode().split("\n", 1)[1].replace("\n    ", " ").splitlines())


def written(b, name, *args):
    done = b.run("lint", *args)
    assert done.returncode == 0, f"{args}: {done}: {(b.dir / args[0]).read_text()}"
    b.file(name, done.stdout)


def verdicts(b, run, rules):
    done = b.run("check", run, "--rules", rules, "--baseline", "b.json", "--json", "-")
    assert done.returncode in range(5), done
    r = json.loads(done.stdout)
    return done.returncode, r["environment"], sorted((c["id"], c["verdict"], c["message"]) for c in r["checks"])


def same_meaning(b, run):
    """Checks that `r.yaml` means the same in all its forms; returns their number."""
    written(b, "printed.yaml", "r.yaml", "--print")
    written(b, "upgraded.yaml", "printed.yaml", "--upgrade")
    written(b, "again.yaml", "upgraded.yaml", "--print")
    forms = "r.yaml", "printed.yaml", "upgraded.yaml", "again.yaml"
    for form in forms[1:]:
        assert explained(b, form) == explained(b, "r.yaml"), f"{form}:\n{(b.dir / form).read_text()}\nof\n{(b.dir / 'r.yaml').read_text()}"
    if run:
        assert len({json.dumps(verdicts(b, run, form)) for form in forms}) == 1, f"verdicts differ for {(b.dir / 'r.yaml').read_text()}"
    return len(forms)


def forms(b):
    b.make("trace", "a.json.gz", "--seed", 1, "--steps", 4)
    b.make("trace", "slow.json.gz", "--seed", 2, "--steps", 4, "--slow-kernel", "*=1.2")
    b.fine("approve", "--new", "a.json.gz", "--rules", ROOT / "rules" / "default.yaml", "--baseline", "b.json")
    files = 0
    for path in sorted((ROOT / "tests" / "golden").glob("*/in/*rules*.yaml")):
        b.file("r.yaml", path.read_bytes())
        if b.run("lint", "r.yaml").returncode == 0:
            files += same_meaning(b, None)
    for seed in range(16 if ALL else 8):
        grown(b, random.Random(seed), 30)
        files += same_meaning(b, "slow.json.gz")
    assert files > 60, files
    print(f"ok   {files} files mean the same")


def first_day(b):
    for name, options in (("no-memory", ("--no-memory",)), ("no-steps", ("--no-steps",)), ("all", ())):
        b.make("trace", "first.json.gz", "--seed", 1, "--steps", 4, *options)
        b.fine("init", "first.json.gz", "--home", "none", "--force", "--workload", "w")
        text = (b.dir / "rules" / "gpugate.yaml").read_text(encoding="utf-8")
        assert text.startswith("#") and "\nversion: 2\n" in text and len(text.splitlines()) <= 12, text
        assert sorted(line.split(":")[0] for line in explained(b, "rules/gpugate.yaml") if line.split(":")[0] in BUILT_IN) == BUILT_IN, name
        b.fine("approve", "--new", "first.json.gz", "--force")
        b.fine("check", "first.json.gz")
    b.make("trace", "more.json.gz", "--seed", 2, "--steps", 4, "--peak-memory", 2)
    b.make("trace", "bare.json.gz", "--seed", 1, "--steps", 4, "--no-memory")
    b.fine("init", "bare.json.gz", "--home", "none", "--force", "--workload", "w")
    b.make("trace", "base.json.gz", "--seed", 1, "--steps", 4)
    b.fine("approve", "--new", "base.json.gz", "--force")
    done = b.run("check", "more.json.gz", "--json", "-")
    failed = {c["rule"] for c in json.loads(done.stdout)["checks"] if c["verdict"] == "fail"}
    assert done.returncode == 1 and "peak-memory" in failed, (done.returncode, failed)
    print("ok   what the first run lacked is judged later")


def keys(b):
    def ids(text):
        b.file("r.yaml", text)
        return {line.split(":")[0] for line in explained(b, "r.yaml")}
    assert ids("version: 2\n") == set(BUILT_IN)
    assert ids("version: 2\nrules: {creep: off}\n") == set(BUILT_IN) - {"creep"}
    assert ids("version: 2\nrules: [{id: own, metric: step.time, fail: {max: 1s}}]\n") == {*BUILT_IN, "own"}
    assert ids("version: 2\nonly: true\nrules: {own: {metric: step.time, fail: {max: 1s}}}\n") == {"own"}
    b.file("r.yaml", "version: 2\nrules: {operators: {fail: {increase: 7%}, for_each: {top: 30}}}\n")
    (said,) = (line for line in explained(b, "r.yaml") if line.startswith("operators:"))
    assert "0.4%" not in said and "0.2%" in said and "compute" in said and "30" in said, said  # limits are replaced as a whole
    for limit in ("fail", "warn"):
        for rule in BUILT_IN:
            b.file("r.yaml", f"version: 2\nrules: {{{rule}: {{{limit}: off}}}}\n")
            left = [line for line in b.run("lint", "r.yaml").stdout.decode().replace("\n    ", " ").splitlines() if line.startswith(f"{rule}:")]
            assert all(f"{limit.capitalize()}s when" not in line for line in left), left
    b.make("trace", "a.json.gz", "--seed", 1, "--steps", 4)
    b.fine("approve", "--new", "a.json.gz", "--baseline", "n.json")
    b.file("r.yaml", "version: 2\nrules: {step-cuda-time: {fail: {increase: 0.1%}}, tight: {metric: step.compute_time, fail: {increase: 0.1%}}}\n")
    said = b.run("lint", "r.yaml", "--baseline", "n.json").stderr.decode()
    assert sorted(re.findall("the limit of '(.*?)'", said)) == ["step-cuda-time", "tight"], said  # not those that are built in
    whole = (ROOT / "rules" / "default.yaml").read_text(encoding="utf-8")
    b.file("r.yaml", whole.replace("fail: {increase: 3%}", "fail: {increase: 0.1%}"))
    said = b.run("lint", "r.yaml", "--baseline", "n.json").stderr.decode()
    assert re.findall("the limit of '(.*?)'", said) == ["step-compute-time"], said
    b.file("r.yaml", "version: 2\nrules: {step-compute-time: {fail: {increase: 3%}, noise: {k: 9}}}\n")
    assert b.run("lint", "r.yaml", "--baseline", "n.json").stderr == b"", "a built-in limit is not the user's, whatever else of the rule is"
    own = "version: 2\nonly: true\nrules: {own: {metric: step.compute_time, fail: {increase: 50%}}}\n"
    b.file("r.yaml", own)
    b.file("b.yaml", own + "environment: {must_match: [], should_match: []}\n")
    b.fine("approve", "--new", "a.json.gz", "--rules", "r.yaml", "--baseline", "e.json")
    text = gzip.decompress((b.dir / "a.json.gz").read_bytes())
    assert b"H100" in text
    b.file("other.json", text.replace(b"H100", b"X900"))
    codes = [b.run("check", "other.json", "--rules", rules, "--baseline", "e.json").returncode for rules in ("r.yaml", "b.yaml")]
    assert codes == [4, 0], codes
    print("ok   off, only and the environment")


def absolute(b):
    """Absolute limits alone are a gate without a baseline, which never passes what was not recorded."""
    b.make("trace", "a.json.gz", "--seed", 1, "--steps", 4)
    b.make("trace", "bare.json.gz", "--seed", 1, "--steps", 4, "--no-memory")
    rules = "version: 2\nonly: true\nrules: {m: {metric: memory.peak_allocated, %s}}\n"
    for limits, run, code in (("fail: {max: 6GiB}", "a", 0), ("fail: {max: 4GiB}", "a", 1), ("fail: {min: 6GiB}", "a", 1), ("warn: {max: 4GiB}", "a", 0),
                              ("fail: {max: 6GiB}", "bare", 3), ("fail: {max: 6GiB}, on_missing: skip", "bare", 3),
                              ("fail: {max: 6GiB}, warn: {increase: 5%}", "a", 4), ("fail: {increase: 5%}", "a", 4)):
        b.file("r.yaml", rules % limits)
        done = b.run("check", f"{run}.json.gz", "--rules", "r.yaml", "--json", "-", "--junit", "j.xml")
        verdict = json.loads(done.stdout)["verdict"]
        assert done.returncode == code, (limits, run, done)
        assert (verdict in ("pass", "warn")) == (code == 0) and (code == 4) == (b"no baseline there" in done.stderr), (limits, verdict, done.stderr)
        assert re.search(rb"<(failure|error)", (b.dir / "j.xml").read_bytes()) is None or code, limits
    # beside the built-in rules too, in the file or on the command line, unless the user also wants a comparison or names a baseline
    told, max6 = [], "m: {metric: memory.peak_allocated, fail: {max: 6GiB}}"
    for own, options, code in ((max6, [], 0), (max6.replace("6G", "4G"), [], 1), (f"{max6}, step-compute-time: {{fail: {{increase: 2%}}}}", [], 4),
                               (f"{max6}, gpu-utilization: off", [], 0), (max6, ["--baseline", "none.json"], 4),
                               (f"{max6}}}\nbaseline: b.json\nsteps: {{min: 1", [], 4), (max6, ["--limit", "step.cuda_time:+3%"], 4)):
        b.file("r.yaml", f"version: 2\nworkload: default\nrules: {{{own}}}\n")
        done = b.run("check", "a.json.gz", "--rules", "r.yaml", "--json", "o.json", *options)
        said, r = done.stdout.decode(), json.loads((b.dir / "o.json").read_text())
        assert done.returncode == code and (code == 4) == (len(r["checks"]) > 1), (own, options, said)
        assert (code == 0) == (" built-in rules need a baseline, which" in said), said    # nobody should store a run that fails
        told.append((code, said.split("candidate")[0]))
    b.file("r.yaml", "version: 2\nworkload: default\n")
    for (code, first), size in zip(told, ("6GiB", "4GiB")):
        for options in ([], ["--rules", "r.yaml"]):
            done = b.run("check", "a.json.gz", "--limit", f"memory.peak_allocated:max={size}", *options)
            assert done.returncode == code and done.stdout.decode().split("candidate")[0].replace("-memory.peak_allocated", "") == first, (first, done)
            assert re.match(r"(pass|fail) · default: peak memory \S+ GiB \(limit max . GiB\)\n\S+ GiB peak memory \(limit max . GiB\)\n", first), first
    b.file("f.json", '{"tokens_per_s": 1000, "ttft_ms": 20}')
    done = b.fine("check", "f.json", "--limit", "input.tokens_per_s:min=900")
    assert b"not judged" not in done.stdout, "a figure that only a built-in rule would judge is not said to have no direction"
    # a small change that crosses a limit is told by the limit, whatever made it; a baseline of the run would move no limit
    for seed, run, change in ((1, "m", ()), (2, "bit", ("--peak", 0.65)), (2, "leak", ("--leak", 1 << 20)), (2, "leaks", ("--leak", 20 << 20))):
        b.make("snapshot", f"{run}.json.gz", "--seed", seed, *change)
    b.file("r.yaml", rules % "fail: {max: 1020MiB}")
    b.fine("approve", "--new", "m.json.gz", "--rules", "r.yaml", "--baseline", "m.json")
    for run, causes in (("bit", ["other"]), ("leak", ["other"]), ("leaks", ["leak"])):
        done = b.run("check", f"{run}.json.gz", "--rules", "r.yaml", "--baseline", "m.json", "--json", "o.json")
        said, r = done.stdout.decode(), json.loads((b.dir / "o.json").read_text())
        peak = next(c["candidate"] for c in r["checks"])
        assert done.returncode == 1 and [f["finding"] for f in r["findings"]] == causes and "--accept" not in said, (run, said)
        assert re.match(r"fail · default: peak memory \S+ .iB \(limit max 1020 MiB\)\n", said) and peak > 1020 << 20, said
    print("ok   absolute limits need no baseline")


def updated(b):
    """What an update of gpugate changes in the built-in rules is said until a run is stored by it."""
    b.make("trace", "a.json.gz", "--seed", 1, "--steps", 4)
    b.make("trace", "c.json.gz", "--seed", 2, "--steps", 4)
    b.fine("approve", "--new", "a.json.gz", "--baseline", "b.json")
    text = (b.dir / "b.json").read_text()
    (marks,) = re.findall('"built_in":"([0-9a-f]+)"', text)
    marks = [marks[i:i + 8] for i in range(0, len(marks), 8)]
    names = ["environment", "defaults", *IDS]
    assert len(marks) == len(names) == len({m[:4] for m in marks}), (marks, names)

    def said(stored, rules="version: 2\n", minor=3):
        b.file("r.yaml", rules)
        b.file("then.json", text.replace("".join(marks), stored) if minor == 3 else re.sub('"minor": 3', '"minor": 2', text.replace("".join(marks), stored)))
        done = b.run("check", "c.json.gz", "--rules", "r.yaml", "--baseline", "then.json", "--json", "-")
        found = re.findall(r"the built-in rules are not those of the newest stored run, of gpugate [\d.]+: (.*?); 'gpugate lint", " ".join(json.loads(done.stdout)["warnings"]))
        return found[0] if found else None
    for i, name in list(enumerate(names))[:: 1 if ALL else 5] + [(len(names) - 1, names[-1])]:
        others = marks[:i] + marks[i + 1:]
        edited = "".join(others) + f"{marks[i][:4]}{int(marks[i][4:], 16) ^ 1:04x}"
        assert said(edited) == f"changed: {name}" and said("".join(others)) == f"new: {name}", name
        if i > 1:
            assert said(edited, f"version: 2\nrules: {{{name}: off}}\n") is None, name
    assert said("".join(marks)) is None and said(edited, minor=2) is None
    assert said("".join(marks[:-2]) + "0badf00d") == f"new: {names[-2]}, {names[-1]}; 1 no longer there"
    for none in ("version: 2\nonly: true\nrules: {own: {metric: step.time, fail: {max: 1s}}}\n", (ROOT / "rules" / "default.yaml").read_text()):
        assert said(edited, none) is None, "no built-in rule is in force"
    assert said(edited, "version: 2\nrules: {%s: {warn: off}}\n" % name) == f"changed: {name}"
    b.fine("store", "c.json.gz", "--rules", "r.yaml", "--baseline", "then.json")
    assert "built-in rules are not" not in b.run("check", "a.json.gz", "--rules", "r.yaml", "--baseline", "then.json").stdout.decode()
    print("ok   changed built-in rules are said")


def other_machine(b):
    """Rules that name no environment (version 1) judge a run of another size, with a warning; they are silent where a file says so."""
    for ranks in (2, 4):
        b.make("trace", f"w{ranks}.json.gz", "--seed", 1, "--steps", 3, "--rank", 0, "--world-size", ranks, "--nccl")
    b.fine("approve", "--new", "w2.json.gz", "--baseline", "b.json")
    for more, run, said in (("", "w4", True), ("", "w2", False), ("environment: {must_match: []}\n", "w4", False)):
        b.file("r.yaml", f"version: 1\n{more}rules: [{{id: c, metric: step.compute_time, fail: {{increase: 50%}}}}]\n")
        done = b.run("check", f"{run}.json.gz", "--rules", "r.yaml", "--baseline", "b.json", "--json", "o.json")
        warned = any("judged although the machine differs: world_size is '2'" in w for w in json.loads((b.dir / "o.json").read_text())["warnings"])
        assert done.returncode == 0 and warned == said and (b"the machine differs" in done.stdout) == said, (more, run, done)
    print("ok   another machine is said")


def on_command_line(b):
    """A limit of the command line is one more rule; absolute ones alone need no baseline; what it names must have been recorded."""
    b.make("trace", "a.json.gz", "--seed", 1, "--steps", 4)
    b.make("trace", "slow.json.gz", "--seed", 2, "--steps", 4, "--slow-kernel", "*=1.2")
    b.fine("approve", "--new", "a.json.gz", "--baseline", "b.json")
    b.file("r.yaml", "version: 2\nonly: true\nrules: {limit-step.cuda_time: {metric: step.span, fail: {max: 1s}}}\n")
    rows = (("slow", "step.cuda_time:+3%", ["b.json"], 1), ("slow", "step.cuda_time:increase=50%", ["b.json"], 0), ("slow", "step.cuda_time:max=1ns", ["b.json"], 1),
            ("slow", "step.cuda_time:-3%", ["b.json"], 0), ("slow", "kernel.time:max=1ns", ["b.json"], 1), ("a", "input.loss:+3%", ["b.json"], 3),
            ("a", "memory.peak_allocated:max=6GiB", [], 0), ("a", "memory.peak_allocated:max=4GiB", [], 1), ("a", "step.cuda_time:+3%", [], 4))
    for run, limit, baseline, code in rows:
        more = ["--rules", "r.yaml", "--baseline", *baseline] if baseline else []
        done = b.run("check", f"{run}.json.gz", "--limit", limit, *more, "--json", "-")
        rules = {c["rule"] for c in json.loads(done.stdout)["checks"]}
        metric = limit.split(":")[0]
        assert done.returncode == code and (f"limit-{metric}-2" if baseline and metric == "step.cuda_time" else f"limit-{metric}") in rules, (limit, rules, done)
    for wrong, says in (("step.cuda_tim:+3%", "did you mean 'step.cuda_time'"), ("step.cuda_time", "write METRIC:+3%"), ("step.cuda_time:+3", "ms, s or %"),
                        ("step.cuda_time:max=3%", "write ns, us, ms or s"), ("step.cuda_time:mex=3s", "unknown key 'mex'"), ("a: b:+3%", "not a known metric"),
                        ('"}]:+3%', "write METRIC"), ("step.cuda_time:max=1s}, warn: {max=2s", "write METRIC")):
        done = b.run("check", "a.json.gz", "--limit", wrong)
        assert done.returncode == 2 and says in done.stderr.decode() and done.stderr.startswith(b"gpugate: --limit "), (wrong, done)
    print("ok   limits on the command line")


def narrower(b):
    """A rule of one's own that names an item is the only one that compares it: built-in rules on many items leave it out. It knows the
    same runs of main as they do, although these were stored before it was written."""
    for i in range(5):
        b.make("trace", f"t{i}.json.gz", "--seed", i + 1, "--steps", 4)
        b.file(f"f{i}.json", json.dumps({"tokens_per_s": 1000 + i, "ttft_ms": 20 + i / 10, "loss": 3}))
        for run, base in ((f"t{i}.json.gz", "t.json"), (f"f{i}.json", "f.json")):
            b.fine("store" if i else "approve", run, "--baseline", base)
    b.make("trace", "t.json.gz", "--seed", 9, "--steps", 4, "--slow-kernel", "*flash*=1.2")
    b.file("f9.json", json.dumps({"tokens_per_s": 930, "ttft_ms": 21, "loss": 3}))

    def checks(run, own):
        b.file("r.yaml", f"version: 2\nrules: {{own: {{{own}}}}}\n")
        b.run("check", run, "--rules", "r.yaml", "--baseline", run[0] + ".json", "--json", "o.json")
        rows = json.loads((b.dir / "o.json").read_text())["checks"]
        return {c["id"]: (c["baseline"], c["candidate"], c["noise"] and (c["noise"]["baseline_runs"], c["noise"]["past_runs"])) for c in rows}

    def told():
        return b.fine("lint", "r.yaml", "--print").stdout.decode().count("# leaves out what is judged by own\n")

    many = {"figures": "f9.json", "top-kernels": "t.json.gz", "operators": "t.json.gz"}
    for rule, run in many.items():
        before = checks(run, "metric: step.span, fail: {max: 9s}")
        items = [c for c in before if c.startswith(rule + "[")]
        assert len(items) > 1 and told() == 0, (rule, items)
        for id in items:
            c, name = before[id], id[len(rule) + 1:-1]
            of, also = {"figures": (f"metric: input.{name}", ""), "top-kernels": ("metric: kernel.time, select: {kernel: '%s'}", ""),
                        "operators": ("metric: op.self_gpu_time, select: {class: compute, op: '%s'}", ", rank: 0")}[rule]
            of = of if rule == "figures" else of % name
            worse = "decrease" if name == "tokens_per_s" else "increase"
            after = checks(run, f"{of}, fail: {{{worse}: 3%}}")
            own = [k for k in after if k.split("[")[0] == "own"]
            assert len(own) == 1 and after[own[0]] == c, (id, own, after, c)
            said = b.fine("baseline", "verify", run[0] + ".json", "--rules", "r.yaml").stderr.decode()
            assert "under other rules" not in said and "mostly assumed" not in said, said
            assert {*after} - {own[0]} == {*before} - {id, "own"} and told() == 1, (id, {*before} ^ {*after})
            for stays in (f"{of}, fail: {{max: 1}}" if rule == "figures" else f"{of}, fail: {{max: 1s}}",
                          f"{of[:-1]}{also}}}, fail: {{increase: 3%}}" if also else None):
                assert not stays or id in checks(run, stays), stays
            if rule != "figures" and not ALL:
                break
    b.file("r.yaml", "version: 2\nrules: {own: {metric: input.ttft_ms, fail: {increase: 3%}}, others: {metric: 'input.*', warn: {change: 3%}}}\n")
    assert told() == 0 and "# leaves out what is judged by own, others\n" in b.fine("lint", "r.yaml", "--print").stdout.decode()
    # a pattern of one's own leaves a figure to the rule that names it only if that rule may fail by a comparison, and the pattern only compares
    for own, others, left in (("fail: {increase: 90%}", "fail: {increase: 3%}", True), ("fail: {increase: 90%}", "fail: {max: 20.5}", False),
                              ("warn: {increase: 2%}", "fail: {increase: 3%}", False), ("fail: {increase_since_pin: 90%}", "fail: {increase: 3%}", False),
                              ("fail: {max: 99}", "fail: {increase: 3%}", False)):
        text = f"own: {{metric: input.ttft_ms, {own}}}, others: {{metric: 'input.*', better: lower, {others}}}"
        b.file("r.yaml", f"version: 2\nrules: {{{text}}}\n")
        b.run("check", "f9.json", "--rules", "r.yaml", "--baseline", "f.json", "--json", "o.json")
        ids = [c["id"] for c in json.loads((b.dir / "o.json").read_text())["checks"]]
        assert ("others[ttft_ms]" in ids) != left and any(i.split("[")[0] == "own" for i in ids), (text, ids)
    # the figures of categories, of which no rule asks, are stored for the noise of all others
    found = checks("t.json.gz", "metric: category.time, select: {category: attention}, fail: {increase: 3%}")["own[attention]"]
    assert found[2] == (5, 5), found
    assert "under other rules" not in b.fine("baseline", "verify", "t.json", "--rules", "r.yaml").stderr.decode()
    print("ok   the narrower rule wins")


def from_zero(b):
    """A figure that rises from 0 is not judged in percent; a largest value of one's own, in a file or an option, judges it alone. One that
    is at 0 still, or whose baseline is not 0, is judged by both."""
    for n, figures in enumerate(({"error_rate": 0, "retries": 0, "loss": 2}, {"error_rate": 0.03, "retries": 6, "loss": 2})):
        b.file(f"z{n}.json", json.dumps(figures))
    b.fine("approve", "--new", "z0.json", "--baseline", "b.json")

    def verdicts(*limits, own=""):
        b.file("r.yaml", f"version: 2\nrules: {{{own}}}\n")
        done = b.run("check", "z1.json", "--rules", "r.yaml", "--baseline", "b.json", "--json", "o.json", *(w for limit in limits for w in ("--limit", limit)))
        rows = json.loads((b.dir / "o.json").read_text())["checks"]
        return done.returncode, {(c["rule"].split("-")[0], c["id"].split(".")[-1].split("[")[-1].strip("]")): (c["verdict"], c["message"]) for c in rows}

    code, alone = verdicts()
    for name in ("error_rate", "retries"):
        verdict, message = alone["figures", name]
        assert code == 3 and verdict == "inconclusive" and f"--limit 'input.{name}:max=LIMIT'" in message, (code, alone)
    for name, limit, fails in (("error_rate", "0.05", False), ("error_rate", "0.02", True), ("retries", "6", False), ("retries", "5", True)):
        for limits, own in (([f"input.{name}:max={limit}"], ""), ([], f"limit: {{metric: input.{name}, fail: {{max: {limit}}}}}")):
            code, now = verdicts(*limits, own=own)
            assert ("figures", name) not in now and {v for (r, _), (v, _) in now.items() if r == "limit"} == {"fail" if fails else "pass"}, (name, limit, now)
            assert code == (1 if fails else 3), (code, now)
    for limits in (["input.loss:max=5"], ["input.error_rate:min=0"]): # the baseline is not 0; no largest value
        assert set(alone) < set(verdicts(*limits)[1]), limits
    print("ok   figures that rise from 0")


def other_work(b):
    """Runs that say that their batch or sequence length differs are not judged, whatever was recorded; another model is a warning."""
    b.make("trace", "a.json.gz", "--seed", 1, "--steps", 4)
    b.make("trace", "c.json.gz", "--seed", 2, "--steps", 4)
    b.file("f.json", json.dumps({"tokens_per_s": 1000}))
    for run in ("a.json.gz", "f.json"):
        facts = {"batch_size": 32, "sequence_length": 512, "model": "m"}
        b.fine("approve", "--new", run, "--baseline", f"{run}.base.json", *(w for k, v in facts.items() for w in ("--context", f"{k}={v}")))
        for key, value, code in (("batch_size", 64, 3), ("sequence_length", 1024, 3), ("model", "n", 0), ("batch_size", 32, 0), ("other", 1, 0)):
            now = {**facts, key: value}
            done = b.run("check", "c.json.gz" if run == "a.json.gz" else run, "--baseline", f"{run}.base.json", "--json", "-",
                         *(w for k, v in now.items() for w in ("--context", f"{k}={v}")))
            report = json.loads(done.stdout)
            said = [t["message"] for t in report["trust"] if t["finding"] == "context-differs"]
            assert done.returncode == code and (code == 3) == (len(said) == 1 and f"{key} {facts.get(key)} → {value}" in said[0]), (run, key, done.returncode, said)
            assert ("model is" in str(report["warnings"])) == (key == "model"), report["warnings"]
    print("ok   work that the runs declare")


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    for test in (keys, absolute, updated, other_machine, on_command_line, narrower, from_zero, other_work, first_day, forms):
        with tempfile.TemporaryDirectory() as folder:
            test(Bench(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
