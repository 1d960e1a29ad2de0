#!/usr/bin/env python3
"""Laws of figures that benchmarks write, on generated files of several formats and of one's own.

- Units: a figure in any unit of its dimension, on either side, gives the same verdict; in a unit of another dimension it is
  not judged, and both units are named.
- What was not measured: each value of a file replaced by -1, null, "nan", "", a text, a number with a remark: never improved
  and never a pass in silence, unless the value is not a figure of the file.
- A table that is cut off at any byte behind its first row is refused, or has the figures of its whole lines.
- Plain numbers are judged without any rules, by the direction that name and unit tell; others are named once.
- An absolute path in the name of a case changes nothing, also against a baseline that was stored with it.
- Formats with `only` describe one file together; folders of a sweep are cases.
- The directions of names and units are those of a list that was written by hand.

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("GPUGATE")
UNITS = {"time": (("ns", 1), ("us", 1e3), ("\u00b5s", 1e3), ("usec", 1e3), ("ms", 1e6), ("s", 1e9), ("seconds", 1e9), ("min", 6e10)),
         "bytes": (("B", 1), ("bytes", 1), ("KiB", 1024), ("MB", 1e6), ("MiB", 2**20), ("GiB", 2**30)),
         "rate": (("B/s", 1), ("kB/s", 1e3), ("GB/s", 1e9), ("GiB/s", 2**30))}
FORMAT = """version: 1
inputs: {results: [{match: "*.json", records: "rows[*]", case: "{name}", take: [{at: value, as: v, unit_at: unit}]}]}
rules: [{id: figures, metric: "input.*", fail: {worse: 10%}}]
"""
DIRECTIONS = {
    "higher": ["tokens_per_s", "output_throughput", "tokensPerSecond", "images_per_sec", "goodput", "mem_bandwidth_gbps", "mfu", "val/accuracy",
               "TFLOPS", "qps", "free_memory"],
    "lower": ["p99_ttft_ms", "step_time", "latency.p50", "iteration-time", "peak_mem", "peak_mem_gib", "val_loss", "perplexity", "meanLatency",
              "err", "wer", "power", "energy_j", "time_us", "error_rate"],
    None: ["score", "value", "transferred", "batch_size", "n", "std_itl_ms", "latency_delta_ms", "timestamp", "throughput_time", "steps", "seed",
           "sometimes"]}
DIRECTIONS["higher"] = [n for n in DIRECTIONS["higher"] if n not in ("mem_bandwidth_gbps", "free_memory")]
DIRECTIONS[None] += ["mem_bandwidth_gbps", "free_memory"]  # two words that say two things


def run(*args, cwd):
    p = subprocess.run([PROGRAM, *map(str, args)], cwd=cwd, capture_output=True, text=True, check=False)
    assert p.returncode in (0, 1, 3), (args, p.returncode, p.stdout, p.stderr)
    return p


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


class Gate:
    """A folder with a baseline of one file, against which other contents of the file are checked."""

    def __init__(self, folder, name, content, rules=None):
        self.folder, self.name = folder, name
        self.rules = ("--rules", write(folder / "rules.yaml", rules)) if rules else ()
        write(folder / "b" / name, content)
        p = run("baseline", "create", "b", "--workload", "w", "--baseline", "b.gpugate", "--force", *self.rules, cwd=folder)
        assert p.returncode == 0, p.stderr

    def check(self, content):
        """Exit code, verdicts of the checks, and all that is printed."""
        write(self.folder / "c" / self.name, content)
        (self.folder / "r.json").unlink(missing_ok=True)
        p = run("check", "c", "--workload", "w", "--baseline", "b.gpugate", "--json", "r.json", "--verbose", *self.rules, cwd=self.folder)
        result = json.loads((self.folder / "r.json").read_text()) if (self.folder / "r.json").exists() else {}
        return p.returncode, {c["metric"]: c["verdict"] for c in result.get("checks", [])}, " ".join((p.stdout + p.stderr).split())


def units(folder, rng):
    for dimension, words in UNITS.items():
        base = [(rng.choice(words), 10 ** rng.uniform(3, 7)) for _ in range(4)]
        gate = Gate(folder, "m.json", {"rows": [{"name": f"c{i}", "unit": u, "value": v / size} for i, ((u, size), v) in enumerate(base)]}, FORMAT)
        for factor in (0.5, 1, 1.05, 1.2, 2):
            seen = set()
            for word, size in words:
                rows = [{"name": f"c{i}", "unit": word, "value": v * factor / size} for i, (_, v) in enumerate(base)]
                code, verdicts, _ = gate.check({"rows": rows})
                seen.add((code, *sorted(verdicts.items())))
            assert len(seen) == 1, (dimension, base, factor, seen)
            worse = factor > 1.1 if dimension != "rate" else factor < 0.9
            assert (seen.pop()[0] != 0) == worse, (dimension, factor)
        for other, others in UNITS.items():
            for word in (rng.choice(others)[0], "") if other != dimension else ():
                code, verdicts, text = gate.check({"rows": [{"name": f"c{i}", "unit": word, "value": 1} for i in range(4)]})
                assert code == 3 and set(verdicts.values()) == {"inconclusive"}, (dimension, word, verdicts)
                assert "measure different things" in text, text


SERVE = {"backend": "vllm", "model_id": "m", "num_prompts": 8, "completed": 8, "request_rate": 4.0, "total_output_tokens": 900,
         "request_throughput": 4.5, "output_throughput": 900.5, "mean_ttft_ms": 12.5, "p99_ttft_ms": 29.5, "mean_itl_ms": 3.25}
GOOGLE = {"context": {}, "benchmarks": [{"name": f"BM{i}", "run_type": "iteration", "iterations": 9, "real_time": 5.5 + i, "cpu_time": 5.25,
                                         "time_unit": "ms"} for i in range(2)]}
FLAT = {"tokens_per_s": 81234.5, "step_time_ms": 12.5, "peak_mem_gib": 40.5, "val/accuracy": 0.75, "loss": 2.5}
BAD = (-1, -1e-9, None, "nan", "", "N/A", "failed", "12.4 (failed)", "1,900", "2026-01-01", float("nan"), float("inf"))


def places(value, at=()):
    """The places of all numbers of a JSON value, and of the texts beside them."""
    if isinstance(value, (dict, list)):
        for k, v in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(v, (*at, k))
    elif isinstance(value, (int, float)):
        yield at


def replaced(value, at, new):
    copy = json.loads(json.dumps(value))
    inner = copy
    for k in at[:-1]:
        inner = inner[k]
    inner[at[-1]] = new
    return copy


def not_measured(folder):
    for content, no_figures in ((SERVE, {"num_prompts", "completed", "request_rate", "total_output_tokens"}), (GOOGLE, {"iterations"}), (FLAT, set())):
        gate = Gate(folder, "m.json", content)
        code, verdicts, text = gate.check(content)
        assert code == 0 and len(verdicts) > 3, (verdicts, text)
        for at in places(content):
            for bad in BAD:
                code, verdicts, text = gate.check(replaced(content, at, bad))
                assert "improved" not in verdicts.values(), (at, bad, verdicts)
                assert at[-1] in no_figures or code == 3 or (code == 1 and bad in (-1, -1e-9)), (at, bad, code, text)


def cut(folder):
    text = "epoch,step,loss_ms\n" + "".join(f"0,{i},{12.25 + i / 100:.2f}\n" for i in range(9))
    whole = {n: float(f["value"]) for n, f in ((f["metric"], f) for f in figures(folder, text)[1])}
    assert whole == {"input.loss_ms": 12.33}, whole
    rows = [float(line.split(",")[2]) for line in text.splitlines()[1:]]
    for n in range(text.index("\n0,1,"), len(text)):  # one row has nothing to be compared with
        code, found = figures(folder, text[:n])
        assert code == 3 or (len(found) == 1 and float(found[0]["value"]) in rows), (n, code, found)


def figures(folder, text):
    write(folder / "cut.csv", text)
    p = run("metrics", "cut.csv", "--json", "-", cwd=folder)
    return p.returncode, json.loads(p.stdout)["metrics"] if p.returncode == 0 else []


def paths(folder):
    for place in ("/data/models/m", "/home/x/m/", "m"):
        gate = Gate(folder, "m.json", {**SERVE, "model_id": place})
        for other in ("/mnt/m", "/mnt/a/m/", "m"):
            code, verdicts, text = gate.check({**SERVE, "model_id": other})
            assert code == 0, (place, other, text)
            assert "/data" not in "".join(verdicts) and "/mnt" not in "".join(verdicts), verdicts
    gate = Gate(folder, "m.json", SERVE)
    stored = (folder / "b.gpugate").read_text()
    assert '"m.r4.0.cnone/' in stored, stored
    (folder / "b.gpugate").write_text(stored.replace('"m.r4.0.cnone/', '"/data/models/m.r4.0.cnone/'))  # as earlier versions named the case
    code, verdicts, text = gate.check({**SERVE, "mean_ttft_ms": 125})
    assert code in (1, 3) and verdicts["input.m.r4.0.cnone/mean_ttft_ms"] in ("fail", "undecided"), (verdicts, text)
    assert set(verdicts.values()) <= {"pass", "fail", "undecided", "skipped"}, verdicts


PARTS = """version: 1
inputs:
  results:
    - {match: "m.json", only: {kind: a}, case: "{name}", take: [{at: v, as: up, better: higher}]}
    - {match: "m.json", only: {kind: b}, case: "{name}", take: [{at: v, as: down, better: lower}]}
rules: [{id: figures, metric: "input.*", fail: {worse: 10%}}]
"""


def parts(folder):
    rows = [{"kind": k, "name": f"{k}{i}", "v": 10 + i} for k in "abc" for i in range(2)]
    gate = Gate(folder, "m.json", rows, PARTS)
    code, verdicts, text = gate.check(rows)
    assert code == 0 and len(verdicts) == 4 and "2 of 6 records are of none of its formats" in text, (verdicts, text)
    for k, factor in (("a", 0.5), ("b", 2)):
        code, verdicts, _ = gate.check([{**r, "v": r["v"] * (factor if r["kind"] == k else 1)} for r in rows])
        assert code in (1, 3) and sum(v in ("fail", "undecided") for v in verdicts.values()) == 2, verdicts
    assert gate.check([r for r in rows if r["kind"] == "c"])[0] == 3
    for n in (16, 64):
        write(folder / "sweep" / f"concurrency_{n}" / "m.json", {"elapsed_time": n, "num_requests": 8, "requests_per_second": 2, "tokens_per_second": n})
    p = run("metrics", *sorted((folder / "sweep").glob("*/m.json")), cwd=folder)
    assert p.returncode == 0 and "concurrency_16/tokens_per_second" in p.stdout and "concurrency_64/" in p.stdout, p.stdout + p.stderr


def directions(folder):
    names = {n: better for better, some in DIRECTIONS.items() for n in some}
    gate = Gate(folder, "x.json", {n: 10 for n in names})
    for factor, wrong in ((2, "lower"), (0.5, "higher")):
        code, verdicts, text = gate.check({n: 10 * factor for n in names})
        judged = {m[len("input."):]: v for m, v in verdicts.items() if m.startswith("input.")}
        assert code in (1, 3) and set(judged) == {n for n, better in names.items() if better}, set(judged) ^ {n for n, b in names.items() if b}
        for name, verdict in judged.items():
            good = verdict == "improved" if names[name] != wrong else verdict in ("fail", "undecided")
            assert good, (name, factor, verdict)
        assert len(re.findall("of which the better direction is not known", text)) == 1, text


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as dir:
        for part in (lambda f: units(f, random.Random(20261126)), not_measured, cut, paths, parts, directions):
            folder = pathlib.Path(tempfile.mkdtemp(dir=dir))
            part(folder)
    print("ok")


if __name__ == "__main__":
    main()
