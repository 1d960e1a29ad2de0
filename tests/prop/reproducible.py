#!/usr/bin/env python3
"""The same inputs give the same bytes, in every report, digest and baseline and on standard output, whatever the locale
(with a decimal comma), the time zone, the terminal, the number of threads, the order of files, the umask, the current
folder, other environment variables, and the seed of the hash tables.

A locale with a decimal comma is taken from the machine, or made with localedef; without either, that part is skipped by
name. $GPUGATE is the program; exit 77 skips. """
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from _gen import GEN, generate

PROGRAM = os.environ.get("GPUGATE")
COMMA = ("de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8")  # in Turkish, the upper case of i and the lower case of I are not those of English
PLAIN = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC", "SOURCE_DATE_EPOCH": "1767225600",
         **{k: os.environ[k] for k in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if k in os.environ}}
RULES = """version: 1
workload: same
rules:
  - {id: compute, metric: step.compute_time, fail: {increase: 1.5%}}
  - {id: kernels, metric: kernel.time, for_each: {top: 30}, on_new: warn, fail: {increase: 2.25%, and: 0.5us}}
  - {id: peak, metric: memory.peak_allocated, fail: {increase: 0.5%}}
"""


def decimal_point(env):
    text = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.localeconv()['decimal_point'])"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, env={**PLAIN, **env})
    return done.stdout.strip()


def comma_locales(dir):
    """Environments with locales that write 1,5."""
    found = []
    for name in COMMA:
        language, charset = name.split(".")
        if decimal_point({"LC_ALL": name}) == ",":
            found.append({"LC_ALL": name, "LANG": name})
        elif shutil.which("localedef"):
            subprocess.run(["localedef", "-i", language, "-f", charset, dir / name], capture_output=True, check=False)
            env = {"LC_ALL": name, "LANG": name, "LOCPATH": str(dir)}
            found += [env] if decimal_point(env) == "," else []
    return found


def make(tool, out, *options, seed=1):
    generate(tool, out, "--seed", seed, *options)


def inputs(dir):
    """Makes two jobs of three ranks, each with a snapshot, and single runs."""
    for name, seed, *options in (("a", 1), ("b", 2, "--slow-rank", "1=1.3")):
        make("ranks", dir / name, "--ranks", 3, "--steps", 3, "--hostile-names", *options, seed=seed)
        make("snapshot", dir / name / "memory-rank0.json.gz", "--steps", 3, "--peak", 500, "--leak", seed << 16, seed=seed)
        (dir / name / "run.yaml").write_text("batch_size: 8\nsamples_per_step: 8\n")
    for seed in range(3, 9):
        make("trace", dir / f"r{seed}.json.gz", "--steps", 3, "--slow-kernel", f"*flash_bwd*={1 + seed / 100}", seed=seed)
    make("xprof", dir / "x.trace.json.gz", "--steps", 3)
    generate("xspace", dir / "x.xplane.pb", dir / "x.trace.json.gz")
    generate("flight", dir / "dumps", "--ranks", 4, "--stuck", 1, "--json")
    for name in RESULTS:
        shutil.copy(GEN.parent / "fuzz" / "corpus" / name, dir)
    (dir / "rules.yaml").write_text(RULES)
    (dir / "suite.yaml").write_text("version: 1\nname: many\ncases:\n" + "".join(
        f"  - {{workload: case-{i}, runs: r{i}.json.gz, baseline: one.base}}\n" for i in range(3, 9)))


RESULTS = ("result/sglang.jsonl", "result/triton.csv", "result/gbench.json", "machine/nvidia.csv")


def reports(what):
    return [f"--{kind}={what}.{kind}" for kind in ("json", "markdown", "html", "openmetrics")]


FILES = ("rank1.json.gz", "rank2.json.gz", "memory-rank0.json.gz")


def commands(jobs, backwards):
    """Command lines with their exit codes."""
    # only the other files change their order: the first one gives the run its name
    a, b = ([f"{job}/rank0.json.gz", *(f"{job}/{name}" for name in FILES[::backwards])] for job in "ab")
    one, many = ("--rules", "rules.yaml", "--baseline", "one.base"), ("--rules", "rules.yaml", "--baseline", "many.base")
    jobs = ("--jobs", jobs)
    yield 0, "approve", "--new", *a, *many, *jobs
    yield 1, "check", *b, *many, *jobs, "--junit=many.junit", *reports("many"), "--verbose", "--propose=proposed.json"
    yield 0, "report", *b, "--rules=rules.yaml", *jobs, *reports("report"), "--verbose"
    yield 0, "diff", "a", "b", *jobs, *reports("diff")
    yield 0, "metrics", *b, "--json=figures.json", *jobs
    yield 0, "metrics", *b, *jobs
    yield 0, "digest", *a, *jobs, "-o", "all.json.gz"
    for rank in (0, 1, 2):
        yield 0, "digest", f"a/rank{rank}.json.gz", *jobs, "-o", f"d{rank}.json"
    yield 0, "merge", "d0.json", *["d1.json", "d2.json"][::backwards], *jobs, "-o", "merged.json"
    yield 0, "approve", "--new", "r3.json.gz", *one, "--who=x", "--reason=y", "--commit=z"
    for seed in (4, 5, 6, 7):
        yield 0, "store", f"r{seed}.json.gz", *one, "--force"
    yield (0, 1), "check", "r8.json.gz", "--repeat=r4.json.gz", "--repeat=r5.json.gz", *one, "--junit=one.junit", *reports("one")
    yield 1, "check", *b, *many, *jobs, "--plan=plan.json", "--codequality=quality.json", "--changed=train.py", "--evidence=evidence"
    yield (0, 1, 3), "suite", "suite.yaml", "--rules=rules.yaml", *jobs, "--junit=suite.junit", *reports("suite")[:3]
    yield (0, 1, 3), "suite", "suite.yaml", "--rules=rules.yaml", *jobs, "--shard=1/2", "--json=part1.json"
    yield (0, 1, 3), "suite", "suite.yaml", "--rules=rules.yaml", *jobs, "--shard=2/2", "--json=part2.json"
    yield (0, 1, 3), "suite", "--merge", *["part1.json", "part2.json"][::backwards], "--junit=merged.junit", *reports("parts")[:3]
    yield 3, "report", "dumps/nccl_trace_rank_0.json", *[f"dumps/nccl_trace_rank_{i}.json" for i in (1, 2, 3)][::backwards], *jobs, *reports("hang")[:3]
    yield 0, "history", *one, *reports("history")[:3]
    yield 0, "report", "x.xplane.pb", *jobs, *reports("xspace")[:3]
    files = [name.split("/")[1] for name in RESULTS]
    yield 0, "digest", *files[::backwards], *jobs, "-o", "results.digest"
    yield 3, "check", "absent.json", *one, "--junit=error.junit", *reports("error")
    yield 0, "baseline", "show", *one
    yield 0, "baseline", "log", *one
    yield 0, "lint", "rules.yaml", "--baseline", "one.base"
    yield 0, "explain", "compute", "--rules=rules.yaml"
    yield 0, "metrics"
    yield 0, "--help"


def figures_of(text):
    """The output without the commands that accept or confirm the run, which have file names as they were given."""
    return re.sub(rb"gpugate (?:approve|check) (?:[^\n]*\\\n)*[^\n]*", b"", text)


def outputs(source, env, jobs=1, backwards=1, umask=0o022, folder="work"):
    """Everything that the commands print and write, and the modes of the files."""
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name) / folder
        shutil.copytree(source, dir)
        before, out = {p.name for p in dir.iterdir()}, {}
        for i, (code, *args) in enumerate(commands(str(jobs), backwards)):
            done = subprocess.run([PROGRAM, *args], cwd=dir, capture_output=True, check=False, env={**PLAIN, **env}, umask=umask)
            codes = code if isinstance(code, tuple) else (code,)
            assert done.returncode in codes, f"exit {done.returncode}: {args}: {done.stderr.decode()}"
            out[f"{i}: gpugate {args[0]}"] = figures_of(done.stdout), done.stderr
        for path in dir.rglob("*"):
            if path.is_file() and path.relative_to(dir).parts[0] not in before:
                out[path.name] = figures_of(path.read_bytes())
    return out


def settings(locales):
    """Conditions that may differ between two machines and must not change any output."""
    yield "as it is, again", {}
    for env in locales:
        yield f"the locale {env['LC_ALL']}", {"env": env}
    for zone in ("Asia/Kathmandu", "America/St_Johns", "XXX+25:61:61", ":/dev/zero"):
        yield f"the time zone {zone}", {"env": {"TZ": zone}}
    yield "another terminal, whose width is told by COLUMNS alone", {"env": {"TERM": "dumb", "LINES": "3"}}
    yield "one with colors", {"env": {"TERM": "xterm-256color", "COLORTERM": "truecolor"}}
    yield "NO_COLOR", {"env": {"NO_COLOR": "1"}}
    for jobs in (2, 7, 64):
        yield f"{jobs} threads", {"jobs": jobs}
    yield "files in the other order", {"backwards": -1, "jobs": 3}
    yield "a strict umask", {"umask": 0o077}
    yield "another folder", {"folder": "another folder/deep \u00e4"}
    yield "other variables", {"env": {"HOME": "/nonexistent", "USER": "x", "LANGUAGE": "de", "POSIXLY_CORRECT": "1", "MALLOC_PERTURB_": "85"}}


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        source, places = pathlib.Path(name) / "in", pathlib.Path(name) / "locales"
        source.mkdir()
        places.mkdir()
        inputs(source)
        locales = comma_locales(places)
        if not locales:
            print("skipped: a locale with a decimal comma: there is none, and localedef makes none (package locales)")
        want, bad = outputs(source, {}), 0
        for what, setting in settings(locales):
            got = outputs(source, **{"env": {}, **setting})
            wrong = [k for k in want if got.get(k) != want[k]] + [k for k in got if k not in want]
            print(f"{'FAIL' if wrong else 'ok  '} {what}{': ' if wrong else ''}{', '.join(wrong)}", flush=True)
            bad += bool(wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
