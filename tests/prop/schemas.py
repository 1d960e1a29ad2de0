#!/usr/bin/env python3
"""The JSON Schemas of schemas/ accept what the program writes and reads, and nothing else.

Outputs of many kinds, including those of tests/golden, are valid; with an additional key, a missing key or a value of
another type they are not. The schemas of result, plan, diff, report and metrics are written by hand: every key that they
declare must occur in one of the outputs. Those of rules, digest, run, baseline, history, suite and trend are renewed by
tests/unit/test_schemas.c from the tables of the program.

usage: schemas.py       ($GPUGATE is the program; skipped without python3-jsonschema and python3-yaml)
"""
import copy
import fnmatch
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

from _gen import generate
from _packages import need

need("jsonschema", "yaml")
import yaml  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from jsonschema import Draft202012Validator, RefResolver  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPUGATE = os.environ.get("GPUGATE")
BY_HAND = ["result", "plan", "diff", "report", "metrics"]
SCHEMAS = {p.name: json.loads(p.read_text(encoding="utf-8")) for p in (ROOT / "schemas").glob("*.json")}
bad = 0
seen = set() # keys that occurred in an output, as (schema file, path of the key)
valid = {} # name of a schema → its largest document so far


def expect(law, what):
    global bad
    if not law:
        bad += 1
        print(f"FAILED: {what}")


def validator(name):
    return Draft202012Validator(SCHEMAS[name], resolver=RefResolver(name, SCHEMAS[name], store=SCHEMAS))


def mark(name, schema, path, value):
    """Record which declared keys of a schema a valid value contains."""
    if "$ref" in schema:
        file, _, pointer = schema["$ref"].partition("#")
        name, path, schema = file or name, pointer, SCHEMAS[file or name]
        for part in filter(None, pointer.split("/")):
            schema = schema[part]
    if isinstance(value, dict):
        for key, member in value.items():
            if key in schema.get("properties", {}):
                at = f"{path}/properties/{key}"
                seen.add((name, at))
                mark(name, schema["properties"][key], at, member)
    for element in value if isinstance(value, list) and isinstance(schema.get("items"), dict) else []:
        mark(name, schema["items"], f"{path}/items", element)


def declared(schema, path=""):
    """Yields all keys that a schema declares."""
    if isinstance(schema, dict):
        for key, part in schema.items():
            if key == "if":
                continue
            if key == "properties":
                yield from (f"{path}/properties/{k}" for k in part)
            yield from declared(part, f"{path}/{key}")


def check(document, what):
    name = f"{document.get('schema')}.json"
    if name not in SCHEMAS:
        expect(False, f"{what}: no schema {name}")
        return
    errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator(name).iter_errors(document)]
    expect(not errors, f"{what}: {errors[:3]}")
    mark(name, SCHEMAS[name], "", document)
    if not errors and len(json.dumps(document)) > len(json.dumps(valid.get(name, 0))):
        valid[name] = document


def check_text(text, what):
    if text.startswith(b"\x1f\x8b"):
        text = gzip.decompress(text)
    check(json.loads(text), what)


# ---- outputs of the program ----


def run(dir, *arguments, codes=(0,)):
    done = subprocess.run([GPUGATE, *map(str, arguments)], capture_output=True, cwd=dir)
    expect(done.returncode in codes, f"exit {done.returncode}: {arguments}: {done.stderr.decode()}")
    if "-" in arguments and (done.stdout or 0 in codes):
        check_text(done.stdout, " ".join(map(str, arguments)))


def make(dir, name, *options, what="trace"):
    generate(what, dir / name, *options)


def golden():
    for path in sorted((ROOT / "tests" / "golden").glob("*/expect/*.json")):
        case = (path.parents[1] / "args").read_text(encoding="utf-8").splitlines()
        if not any(fnmatch.fnmatchcase(path.name, line.split()[1]) for line in case if line.startswith("only ")):
            check_text(path.read_bytes(), path.relative_to(ROOT))
    for path in sorted((ROOT / "tests" / "golden").glob("*/expect/*.history.jsonl")):
        for line in path.read_bytes().splitlines():
            check_text(line, path.relative_to(ROOT))
    for folder in ("digest", "baseline"):
        for path in sorted((ROOT / "tests" / "fuzz" / "corpus" / folder).glob("*.json")):
            check_text(path.read_bytes(), path.relative_to(ROOT))
    check_text((ROOT / "baselines" / "example.json").read_bytes(), "the example's baseline")


RULES = """version: 1
rules:
  - {id: time, metric: step.cuda_time, fail: {increase: 2%}}
  - {id: kernels, metric: kernel.time, select: {class: compute}, for_each: {top: 9}, fail: {increase: 1%}, on_new: warn}
  - {id: drift, metric: kernel.drift_pct, fail: {max: 1%}}
  - {id: stragglers, metric: rank.straggler_pct, ranks: each, warn: {max: 1%}, on_missing: skip}
  - {id: memory, metric: memory.peak_allocated, fail: {increase: 1%}, on_missing: skip}
waivers:
  - {rule: drift, until: 2999-12-31, reason: known}
profiles:
  nightly: {steps: {min: 2}}
"""


def outputs(dir):
    (dir / "rules.yaml").write_text(RULES)
    (dir / "cut.json").write_text('{"traceEvents": [{"ph"')
    for i in range(1, 7):
        make(dir, f"main{i}.json.gz", "--seed", str(i), "--steps", "5")
    make(dir, "slow.json.gz", "--seed", "9", "--steps", "5", "--slow-kernel", "*flash*=1.8", "--new-kernel", "k=900", "--new-kernel", "tiny=1",
         "--rename-kernel", "*gelu_backward*=triton_other", "--hostile-names")
    make(dir, "slow2.json.gz", "--seed", "8", "--steps", "5", "--slow-kernel", "*flash*=1.8")
    make(dir, "lost.json.gz", "--seed", "9", "--steps", "5", "--dropped", "5")
    make(dir, "window.json.gz", "--seed", "9", "--no-steps")
    make(dir, "many.json.gz", "--seed", "9", "--steps", "40")
    make(dir, "job", "--ranks", "4", "--seed", "1", what="ranks")
    make(dir, "late", "--ranks", "4", "--seed", "2", "--slow-rank", "2=1.5", "--hostile-names", what="ranks")
    make(dir, "old.json", "--seed", "1", what="snapshot")
    make(dir, "new.json", "--seed", "1", "--leak", "3", what="snapshot")
    against = ("--rules", "rules.yaml", "--baseline", "b.json")
    run(dir, "approve", "--new", "main1.json.gz", *against)
    for i in range(2, 6):
        run(dir, "store", f"main{i}.json.gz", *against, "--force")
    check_text((dir / "b.json").read_bytes(), "a baseline with history")
    for line in (dir / "b.history.jsonl").read_bytes().splitlines():
        check_text(line, "its history")
    run(dir, "check", "main6.json.gz", *against, "--json", "-", codes=(0, 1))
    run(dir, "check", "main6.json.gz", *against, "--plan", "-", codes=(0, 1))
    run(dir, "check", "slow.json.gz", "--repeat", "slow2.json.gz", *against, "--profile", "nightly", "--json", "-", codes=(1,))
    run(dir, "check", "lost.json.gz", *against, "--json", "-", codes=(3,))
    run(dir, "check", "cut.json", *against, "--json", "-", codes=(3,))
    run(dir, "check", "main1.json.gz", "--baseline", "absent.json", "--json", "-", codes=(4,))
    run(dir, "check", "main1.json.gz", "--fail-on", "never", "--bogus", "--json", "-", codes=(2,))
    run(dir, "diff", "main1.json.gz", "slow.json.gz", "--json", "-")
    run(dir, "diff", "old.json", "new.json", "--json", "-")
    run(dir, "diff", "job", "late", "--json", "-")
    run(dir, "diff", "main1.json.gz", "cut.json", "--json", "-", codes=(3,))
    for path in ("main1.json.gz", "window.json.gz", "late", "old.json", "lost.json.gz", "slow.json.gz"):
        run(dir, "report", path, "--verbose", "--json", "-")
        run(dir, "metrics", path, "--json", "-")
        run(dir, "digest", path, "--output", "d.json.gz")
        check_text((dir / "d.json.gz").read_bytes(), f"digest of {path}")
    run(dir, "report", "d.json.gz", "--json", "-")
    run(dir, "report", "main1.json.gz", "old.json", "--phase", "forward", "--json", "-", codes=(0, 3))
    run(dir, "report", "cut.json", "--json", "-", codes=(3,))
    for path in ("many.json.gz", "late"):
        run(dir, "approve", "--new", path, "--baseline", f"{path}.gate.json")
        check_text((dir / f"{path}.gate.json").read_bytes(), f"baseline of {path}")
    # a digest with the operator that ran at a memory peak, and one in which sums take the place of samples
    full = json.loads((ROOT / "tests" / "fuzz" / "corpus" / "digest" / "full.json").read_text())
    full["memories"][0].update(peak_op="aten::mm", peak_dims="[[2, 2], [2, 2]]", peak_types='["float", "float"]')
    short = json.loads(gzip.decompress((dir / "d.json.gz").read_bytes()))
    short["code"] = [{"kind": "kernel", "phase": "all", "module": "Net", "place": "train.py:step", "line": 12, "op": "aten::mm", "kernel": "0" * 16,
                      "count": 5, "total_ns": 500}]
    # places in files that the change under review touches
    (dir / "code.yaml").write_text("version: 1\nrules: [{id: ops, metric: op.gpu_time, for_each: {top: 5}, fail: {increase: 5%}, noise: {k: 0}}]\n")
    slower = copy.deepcopy(short)
    slower["code"][0]["total_ns"] *= 3
    for name, digest in (("fast", short), ("slower", slower)):
        (dir / f"{name}.json").write_text(json.dumps(digest))
    run(dir, "approve", "--new", "fast.json", "--rules", "code.yaml", "--baseline", "code.gate.json")
    run(dir, "check", "slower.json", "--rules", "code.yaml", "--baseline", "code.gate.json", "--changed", "train.py", "--json", "-", codes=(1,))
    run(dir, "metrics", "fast.json", "--json", "-")
    run(dir, "diff", "fast.json", "slower.json", "--changed", "train.py", "--json", "-")
    for name, digest in (("full", full), ("short", summarized(short))):
        (dir / f"{name}.json").write_text(json.dumps(digest))
        check(digest, name)
        # the digest with few steps keeps sums of steps instead of samples, which only a baseline may do: refused as
        # a run
        run(dir, "metrics", f"{name}.json", "--json", "-", codes=(0,) if name == "full" else (3,))


STATISTICS = ["median", "mean", "min", "max", "p90", "p95", "p99", "total"]


def summarized(digest):
    """Converts the steps to statistics, as a pin with many steps is stored."""
    steps = digest["steps"]
    digest["summaries"] = [{"metric": key, **{stat: max(v or 0 for v in values) for stat in STATISTICS}} for key, values in steps.items()
                           if key.startswith("step.")]
    digest["steps"] = {"count": [len(steps["number"])],
                       **{key: [sum(values)] for key, values in steps.items() if key.startswith("time.")}}
    return digest


# ---- invalid documents ----


def breakages(document, schema_name):
    """Yields invalid versions of a document: (document with one error, name of the error)."""
    for key in SCHEMAS[schema_name]["required"]:
        broken = copy.deepcopy(document)
        del broken[key]
        yield broken, f"no {key}"
    for path in list(places(document)):
        broken = copy.deepcopy(document)
        at = broken
        for part in path:
            at = at[part]
        at["bogus"] = 1
        yield broken, f"an unknown key in {'/'.join(map(str, path)) or 'the document'}"
    for key in SCHEMAS[schema_name]["required"]:
        yield {**document, key: {"a": {}}}, f"{key} is an odd object"
    yield {**document, "schema": "gpugate-digest-2"}, "another schema"


def places(value, path=()):
    """Yields the paths of the objects in a document; of each list, only those of the first element."""
    if isinstance(value, dict):
        if path[-1:] != ("select",): # the schema allows any key in `select`, which makes an unknown key valid
            yield path
        for key, member in value.items():
            yield from places(member, (*path, key))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))


def test_broken():
    for name, document in sorted(valid.items()):
        v, nr = validator(name), 0
        for broken, what in breakages(document, name):
            expect(not v.is_valid(broken), f"{name}: accepts {what}")
            nr += 1
        expect(nr > 3, f"{name}: nothing was broken")


# ---- rules files ----

BAD_RULES = ["{}", "{version: 3, rules: []}", "{version: 1}", "{version: 1, rules: [{id: a, metric: step.time}]}",
             "{version: 1, rules: [{id: a, metric: step.tim, fail: {max: 1s}}]}",
             "{version: 1, rules: [{id: a, metric: step.time, fail: {max: 1 furlong}}]}",
             "{version: 1, rules: [{id: a b, metric: step.time, fail: {max: 1s}}]}",
             "{version: 1, rule: [{id: a, metric: step.time, fail: {max: 1s}}]}"]


BAD_DIFFERENCES = ["{version: 2, rules: {creep: 3}}", "{version: 2, rules: {creep: {fial: {increase: 2%}}}}", "{version: 2, only: maybe}",
                   "{version: 2, rules: text}", "{rules: {creep: off}}", "{version: 2, rules: {creep: {top: off}}}"]
GOOD_DIFFERENCES = ["{version: 2}", "{version: 2, only: true, rules: {own: {metric: memory.peak_allocated, fail: {max: 6GiB}}}}",
                    "{version: 2, rules: [{id: creep, warn: {increase: 2%}}], environment: {must_match: []}}",
                    "{version: 2, rules: {creep: off, operators: {warn: off, for_each: {top: 30}}}}"]


# plain words that are booleans for other readers of YAML
BOOLEAN_RULES = ["match: m.csv, read: csv, series: true, take: [{at: ms, better: lower, optional: false}]",
                 "match: m.json, case: true, valid: [{at: ok, equals: true, optional: true}], take: [{at: ms, better: lower}]"]


def test_rules(dir):
    versions = {n: validator(f"gpugate-rules-{n}.json") for n in (1, 2)}
    good = [ROOT / "rules" / "default.yaml", *sorted((ROOT / "tests" / "golden").glob("*/in/*rules*.yaml"))]
    (dir / "init").mkdir()
    run(dir / "init", "init", "--home", "none", dir / "late")
    good.append(dir / "init" / "rules" / "gpugate.yaml")
    for i, text in enumerate(BOOLEAN_RULES):
        path = dir / f"booleans{i}.yaml"
        path.write_text("version: 1\ninputs: {results: [{%s}]}\nrules: [{id: a, metric: input.*, fail: {worse: 5%%}}]\n" % text)
        run(dir, "lint", path)
        good.append(path)
    for i, text in enumerate(GOOD_DIFFERENCES):
        path = dir / f"differences{i}.yaml"
        path.write_text(text)
        run(dir, "lint", path)
        good.append(path)
    for path in good:
        if subprocess.run([GPUGATE, "lint", path], capture_output=True).returncode == 0: # files that lint refuses are left out: some are invalid on purpose
            document = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
            errors = [e.message[:200] for e in versions[int(document["version"])].iter_errors(retyped(document))]
            expect(not errors, f"{path}: {errors[:3]}")
    for v, text in [*((versions[1], t) for t in BAD_RULES), *((versions[2], t) for t in BAD_DIFFERENCES)]:
        (dir / "bad.yaml").write_text(text)
        expect(not v.is_valid(yaml.safe_load(text)), f"the schema accepts {text}")
        run(dir, "lint", "bad.yaml", codes=(2,))


def retyped(value):
    """Converts values like YAML: numbers are numbers, true and false are booleans, everything else, also dates, is text."""
    if isinstance(value, dict):
        return {k: retyped(v) for k, v in value.items()}
    if isinstance(value, list):
        return [retyped(v) for v in value]
    if value in ("true", "false"):
        return value == "true"
    try:
        return float(value) if "." in value else int(value)
    except ValueError:
        return value


def main():
    if not GPUGATE:
        print("skipped: $GPUGATE is needed")
        return 77
    for name, schema in SCHEMAS.items():
        Draft202012Validator.check_schema(schema)
        expect(schema["$id"] == name, f"{name} says that it is {schema['$id']}")
    with tempfile.TemporaryDirectory() as name:
        golden()
        outputs(pathlib.Path(name))
        test_rules(pathlib.Path(name))
    missing = set(SCHEMAS) - set(valid) - {"gpugate-rules-1.json", "gpugate-rules-2.json"}
    expect(not missing, f"no valid document of {missing}")
    test_broken()
    for kind in BY_HAND:
        file = f"gpugate-{kind}-1.json"
        never = [k for k in declared(SCHEMAS[file]) if (file, k) not in seen]
        expect(not never, f"{file} declares what no output has: {never}")
    print("FAILED" if bad else "ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
