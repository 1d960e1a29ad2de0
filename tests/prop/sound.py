#!/usr/bin/env python3
"""What a command writes, `baseline verify` calls sound, under any combination of rules that the schema of the rules allows.

Rules files grow from the schema, by one random member after the other that `lint` accepts. Under each of them, runs of several
kinds go through create, append, promote, check --propose and check --bootstrap.

$GPUGATE is the program; exit 77 skips.
"""
import copy
import json
import pathlib
import random
import re
import sys
import tempfile

from _bench import PROGRAM, Bench
from _part import ALL

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "schemas" / "gpugate-rules-1.json").read_text(encoding="utf-8"))
TEXTS = ["5%", "12.5 %", "2ms", "0.5us", "1GiB", "3pp", "0.5% of step", "1GB/s", "2099-01-31", "a", "b*", "*", "input.x", "input.*", "gemm",
         "gpu.name", "world_size", "nccl", "ProfilerStep#*", "iter", "compute", "flash*"]
DEPTH = 3 # members that need more levels are left out: a map in a map in a map


def made(schema, rng, depth=0):
    """A random value that the schema allows, or None."""
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "properties" in schema:
        need = [*schema.get("required", []), *rng.choice(schema.get("anyOf", [{"required": []}]))["required"]]
        keys = dict.fromkeys([*need, *rng.sample(list(schema["properties"]), min(rng.randint(0, 3), len(schema["properties"])))])
        members = {key: made(schema["properties"][key], rng, depth + 1) for key in keys}
        members = {key: value for key, value in members.items() if value is not None}
        return members if depth <= DEPTH and members and all(key in members for key in need) else None
    if "anyOf" in schema:
        return made(rng.choice(schema["anyOf"]), rng, depth)
    kind = schema.get("type", "string")
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    if kind in ("integer", "number"):
        least = schema.get("minimum", 0)
        return min(least + rng.choice([0, 0, 1, 1, 2, 3, 5]), schema.get("maximum", least + 5))
    if kind == "boolean":
        return rng.choice([True, False])
    if kind == "array":
        items = [made(schema["items"], rng, depth + 1) for _ in range(rng.randint(1, 2))]
        return None if None in items else items
    if kind == "object":
        return {rng.choice(["c", "k", "m"]): made(schema["additionalProperties"], rng, depth + 1)} if isinstance(schema.get("additionalProperties"), dict) else None
    fit = [t for t in TEXTS if re.search(schema.get("pattern", ""), t)]
    return rng.choice(fit) if fit else None


def grown(b, rng, tries):
    """A rules file that lint accepts, as JSON, which is YAML too."""
    rules = {"version": 1, "rules": [{"id": "c", "metric": "step.compute_time", "fail": {"increase": "5%"}},
                                     {"id": "k", "metric": "kernel.time", "for_each": {"top": 5}, "warn": {"increase": "5%"}},
                                     {"id": "m", "metric": "memory.peak_allocated", "warn": {"increase": "1%"}, "on_missing": "skip"}]}
    if rng.random() < 0.5:  # the same as differences
        rules = {"version": 2, "only": rng.random() < 0.5, "rules": rules["rules"]}
    took = 0
    for _ in range(tries):
        more, place = copy.deepcopy(rules), rng.random()
        if place < 0.5:
            key = rng.choice([k for k in SCHEMA["properties"] if k not in ("version", "rules")])
            more[key] = {**(more.get(key) or {}), **value} if isinstance(value := made(SCHEMA["properties"][key], rng), dict) else value
            if value is None:
                continue
        elif place < 0.8:
            more["rules"].append({**(made(SCHEMA["properties"]["rules"]["items"], rng) or {}), "id": f"r{len(rules['rules'])}"})
        else:
            rule, key = rng.choice(more["rules"]), rng.choice(list(SCHEMA["properties"]["rules"]["items"]["properties"]))
            rule[key] = made(SCHEMA["properties"]["rules"]["items"]["properties"][key], rng)
        b.file("r.yaml", json.dumps(more))
        if b.run("lint", "r.yaml").returncode == 0:
            rules, took = more, took + 1
    b.file("r.yaml", json.dumps(rules))
    return rules, took


def verified(b, what, rules):
    done = b.run("baseline", "verify", "b.json", "--rules", "r.yaml")
    assert done.returncode == 0 and b": sound," in done.stdout, f"after {what} under {json.dumps(rules)}: {done}"


def written(b, run, later, rules):
    """The names of the commands that wrote a baseline."""
    against, wrote = ("--rules", "r.yaml", "--baseline", "b.json"), []
    accepted = [word for rule in rules["rules"] for word in ("--accept", str(rule["id"]))]
    for what, args in (("create", ("approve", "--new", run)), ("propose", ("check", later, "--propose", "new.json")),
                       ("append", ("store", later, "--force")),
                       ("promote", ("approve", later, "--reason", "intended", *accepted)),
                       ("prune", ("baseline", "prune", "--keep", "1")), ("bootstrap", ("check", run, "--bootstrap"))):
        if what == "bootstrap":
            (b.dir / "b.json").unlink(missing_ok=True)
            (b.dir / "b.history.jsonl").unlink(missing_ok=True)
        before = (b.dir / "b.json").read_bytes() if (b.dir / "b.json").exists() else None
        done = b.run(*args, *against)
        assert done.returncode in range(5), f"{what} under {json.dumps(rules)}: {done}"
        if what == "propose" and (b.dir / "new.json").exists():
            (b.dir / "b.json").replace(b.dir / "kept.json")
            (b.dir / "new.json").replace(b.dir / "b.json")
            verified(b, what, rules)
            (b.dir / "kept.json").replace(b.dir / "b.json")
            wrote.append(what)
        elif (b.dir / "b.json").exists():
            verified(b, what, rules)
            if before != (b.dir / "b.json").read_bytes() or what == "append":
                wrote.append(what)
        elif what == "create":
            return []
    for name in ("b.json", "b.history.jsonl"):
        (b.dir / name).unlink(missing_ok=True)
    return wrote


def runs(b):
    """Pairs of runs: a recording, and a slower one of the same kind."""
    for name, options in (("steps", ("--steps", 6)), ("window", ("--no-steps",)), ("cut", ("--steps", 5, "--short-last-step"))):
        for seed, factor in ((1, 1), (2, 1.5)):
            b.make("trace", f"{name}{seed}.json.gz", *options, "--seed", seed, "--slow-kernel", f"*={factor}")
        yield f"{name}1.json.gz", f"{name}2.json.gz"
    for seed in (1, 2):
        b.make("ranks", f"job{seed}", "--ranks", 3, "--steps", 4, "--seed", seed)
        b.make("snapshot", f"memory{seed}.json", "--seed", seed, "--leak", seed)
        b.fine("merge", "--fold", f"job{seed}", "-o", f"folded{seed}.json.gz")
        b.file(f"figures{seed}.json", json.dumps({"x": seed, "tokens_per_s": 100 * seed}))
    yield from (("job1", "job2"), ("memory1.json", "memory2.json"), ("folded1.json.gz", "folded2.json.gz"), ("figures1.json", "figures2.json"))


def main():
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    wrote, took = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder)
        pairs = list(runs(b))
        for seed in range(28 if ALL else 14):
            rng = random.Random(seed)
            rules, nr = grown(b, rng, 8)
            took += nr
            # the warm-up takes away some steps or all of them
            if seed % 2:
                rules["steps"] = {**rules.get("steps", {}), "warmup": 1 + seed % 5}
                b.file("r.yaml", json.dumps(rules))
            for what in written(b, *pairs[seed % len(pairs)], rules):
                wrote[what] = wrote.get(what, 0) + 1
    print(f"{took} members, baselines by {wrote}", flush=True)
    assert took >= 28 and all(wrote.get(what) for what in ("create", "append", "propose", "promote", "bootstrap")), "too little was written"
    return 0


if __name__ == "__main__":
    sys.exit(main())
