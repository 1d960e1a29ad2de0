#!/usr/bin/env python3
"""A metrics file of a benchmark job joins the run in whose folder it is.

 - a metrics file without a rank belongs to the whole run and not to one more rank, whichever ranks the run has; this holds
   for a file, standard input, gzip, a directory, a digest and a merged run, in any order
 - files of ranks stay separate, and 'ranks' of a rule combines them
 - a figure that occurs twice for a rank ends with exit 3, and both files are named; damaged files, also in a directory,
   end with exit 3 and are named; in a directory, JSON of another kind is ignored, and run.json is always the context
 - a run may consist of metrics files only; a decrease of a figure fails if higher values are better; for a name that neither
   side has, the most similar one is suggested
 - every report contains the figures

$GPUGATE is the program; exit 77 skips.
"""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
RULES = """version: 1
rules:
  - {id: speed, metric: input.tokens_per_s, better: higher, fail: {decrease: 5%}}
  - {id: slowest, metric: input.tokens_per_s, ranks: min, fail: {min: 90}}
  - {id: accuracy, metric: input.val/accuracy, better: higher, fail: {min: 0.75, decrease: 0.01}}
  - {id: any, metric: "input.*", warn: {change: 50%}}
"""
BENCH = {"tokens_per_s": 123.4, "val/accuracy": 0.7612}


def gpugate(*args, expect=0, stdin=None):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False, stdin=stdin)
    if p.returncode != expect:
        sys.exit(f"exit {p.returncode}, not {expect}: gpugate {' '.join(map(str, args))}\n{p.stdout}{p.stderr}")
    return p


def refused(*args, words):
    error = gpugate("report", *args, expect=3).stderr
    assert error.count("\n") == 1 and all(w in error for w in words), error


def put(path, figures):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(figures))
    return path


def figures(*run, stdin=None):
    """Returns (ranks of the run, [(name, rank, value) of each figure `input.*`]), as `gpugate metrics` prints them."""
    out = json.loads(gpugate("metrics", *run, "--json", "-", stdin=stdin).stdout)
    return ([r["rank"] for r in out["ranks"]],
            [(m["metric"], m["rank"], m["value"]) for m in out["metrics"] if m["metric"].startswith("input.")])


def of_the_run(dir, traces):
    for first, files in (0, traces), (2, traces[2:]):
        ranks = list(range(first, 4))
        want = ranks, [("input.tokens_per_s", first, 123.4), ("input.val/accuracy", first, 0.7612)]
        bench = put(dir / "bench.json", BENCH)
        assert figures(*files, bench) == want
        with open(bench, encoding="utf-8") as f:
            assert figures(*files, "-", stdin=f) == want
        (dir / "bench.gz").write_bytes(gzip.compress(bench.read_bytes()))
        assert figures(dir / "bench.gz", *files) == want
        gpugate("digest", bench, "-o", dir / "bench.digest.json")
        gpugate("merge", dir / "bench.digest.json", files[-1], "-o", dir / "some.json")
        assert figures(dir / "some.json", *files[:-1]) == want
        gpugate("merge", dir / "some.json", *files[:-1], "-o", dir / "all.json", "--expect-ranks", 4 - first if first == 0 else 2)
        assert figures(dir / "all.json") == want
        gpugate("merge", *files, bench, "-o", dir / "once.json")
        assert (dir / "all.json").read_bytes() == (dir / "once.json").read_bytes()
        shutil.rmtree(dir / "run", ignore_errors=True)
        for f in (*files, bench):
            put(dir / "run" / "x", {}).unlink()
            shutil.copy(f, dir / "run")
        assert figures(dir / "run") == want


def of_ranks(dir, traces):
    files = [put(dir / f"bench-rank{r}.json", {"tokens_per_s": 100 + r}) for r in range(4)]
    own = put(dir / "own.json", {"loss": -0.5})
    want = [0, 1, 2, 3], [("input.loss", 0, -0.5)] + [("input.tokens_per_s", r, 100 + r) for r in range(4)]
    assert figures(*traces, own, *files) == want
    assert figures(*files, own) == want
    for way, value in ("min", 100), ("max", 103), ("median", 101.5), ("mean", 101.5):
        (dir / "way.yaml").write_text(f"version: 1\nrules:\n  - {{id: r, metric: input.tokens_per_s, ranks: {way}, "
                                      f"fail: {{max: {value}}}, warn: {{min: {value}}}}}\n")
        gpugate("check", *files, "--rules", dir / "way.yaml", "--baseline", dir / f"{way}.json", "--bootstrap",
                "--json", dir / "way.out")
        assert json.loads((dir / "way.out").read_text())["checks"][0]["candidate"] == value
    other = put(dir / "other.json", {"loss": 1})
    refused(own, other, words=("own.json", "other.json", "'input.loss'"))
    refused(own, *traces, put(dir / "more-rank0.json", {"loss": 1}), words=("own.json", "more-rank0.json", "'input.loss'"))


def in_a_directory(dir, traces):
    run = dir / "mixed"
    put(run / "run.json", {"batch_size": 32, "tokens_per_step": 4096})
    put(run / "config.json", {"hidden_size": 4096, "model_type": "llama", "tie": False})
    put(run / "bench.json", BENCH)
    shutil.copy(traces[0], run)
    assert [m[0] for m in figures(run)[1]] == ["input.tokens_per_s", "input.val/accuracy"]
    assert "ignored: " in gpugate("metrics", run).stderr
    refused(run / "config.json", words=("config.json: byte 36: 'model_type' is a text",))
    (run / "config.json").unlink()
    refused(run / "run.json", words=("run.json: what is known of a run",))
    for text, words in ('{"a": NaN}', ("'a' is NaN, not measured",)), ('{"a": 1, "a": 2}', ("byte 14", "'a' is there twice")), \
            ('{"a": 1', ("byte 7",)):
        (run / "bench.json").write_text(text)
        refused(run, words=("bench.json", *words))
    (run / "bench.json").write_text('{"a b": 1}')
    assert [m[0] for m in figures(run)[1]] == ["input.a_b"] and "ignored: " not in gpugate("metrics", run).stderr


def gate(dir):
    rules, baseline = dir / "rules.yaml", dir / "alone.gate.json"
    rules.write_text(RULES)
    options = "--rules", rules, "--baseline", baseline
    gpugate("approve", "--new", put(dir / "base.json", BENCH), *options)
    for i in range(6):
        gpugate("store", put(dir / "next.json", {**BENCH, "tokens_per_s": 123 + i / 7}), *options)
    gpugate("check", put(dir / "same.json", {**BENCH, "tokens_per_s": 122.9}), *options)
    reports = {k: dir / f"out.{k}" for k in ("json", "junit", "markdown", "openmetrics", "html")}
    names = [w for k, path in reports.items() for w in (f"--{k}", path)]
    for bad, ids in ({"tokens_per_s": 110}, {"speed"}), ({"tokens_per_s": 80}, {"speed", "slowest"}), ({"val/accuracy": 0.7512}, set()), \
            ({"val/accuracy": 0.751199}, {"accuracy"}), ({"val/accuracy": 0.74}, {"accuracy"}):
        out = gpugate("check", put(dir / "bad.json", {**BENCH, **bad}), *options, *names, expect=1 if ids else 0)
        got = json.loads(reports["json"].read_text())
        assert {c["id"] for c in got["checks"] if c["verdict"] == "fail"} == ids, out.stdout
        for path in reports.values():
            assert "speed" in path.read_text(), path
        for line in reports["openmetrics"].read_text().splitlines():
            assert "*" not in line or line.startswith("#"), line
    gone = gpugate("check", put(dir / "gone.json", {"val/accuracy": 0.7612}), *options, expect=3)
    assert "missing" in gone.stdout
    rules.write_text("version: 1\nrules:\n  - {id: typo, metric: input.token_per_s, fail: {min: 1}}\n")
    typo = gpugate("check", dir / "same.json", *options, expect=3)
    assert "did you mean 'input.tokens_per_s'?" in typo.stdout, typo.stdout
    for text in "input.", "input.a:b", "input.ä":
        rules.write_text(f"version: 1\nrules:\n  - {{id: typo, metric: '{text}', fail: {{min: 1}}}}\n")
        assert "rules.yaml:3:24: " in gpugate("lint", rules, expect=2).stderr
    for name in "report", "diff":
        run = [dir / "base.json"] if name == "report" else [dir / "base.json", dir / "bad.json"]
        out = gpugate(name, *run, "--openmetrics", "-", "--json", reports["json"])
        assert 'gpugate_input{' in out.stdout and "input.tokens_per_s" in reports["json"].read_text()


def main():
    if not PROGRAM:
        print("skipped: GPUGATE is not set")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        generate("ranks", dir / "job", "--ranks", 4, "--steps", 3, "--seed", 1)
        traces = sorted((dir / "job").iterdir())
        of_the_run(dir, traces)
        of_ranks(dir, traces)
        in_a_directory(dir, traces)
        gate(dir)
    print("metrics files: of the run, of ranks, in a directory and by themselves")


if __name__ == "__main__":
    main()
