#!/usr/bin/env python3
"""Damaged inputs of every kind: some bytes of a valid trace, snapshot, pickle, digest, stored run, baseline, rules file or
data file are changed, and the program is run on it. It never crashes or hangs, ends with 0 to 5, says what is wrong on
lines without control characters, writes every report completely, and leaves no other file behind.

The same seed gives the same inputs; one that fails is kept in the folder --keep.

usage: mutations.py [--runs N] [--seed N] [--kind KIND] [--keep DIR]     ($GPUGATE is the program; exit 77 skips)
"""
import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from _gen import generate
from _json_cases import BROKEN, NOT_UTF8, SOUND, TOLERATED

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GPUGATE")
RUNS, SECONDS = 500, 30  # runs by default; seconds of processor time after which a run counts as a hang (normally less than one)
REPORTS = {"--junit": "j.xml", "--json": "r.json", "--markdown": "m.md", "--html": "h.html"}
WORDS = [b"-1", b"0", b"1e308", b"9223372036854775807", b"-9223372036854775808", b"18446744073709551616", b"null", b"[]", b"{}", b'""',
         b"true", b"99999999999999999999999999999999", b"0.0000000001", b'"\\ud800"', b'"\\u0000"', b"NaN", b"\x00", b"\n", b"  ", b"\t", b": ",
         b"- ", b"&a ", b"*a", b"!!x ", b"---\n", b"%", b"'", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b"\xff", b"\xef\xbb\xbf", b"::error::"]
RULES = """version: 1
workload: mutated
steps: {warmup: 0, min: 1}
environment: {must_match: [gpu.name], should_match: [world_size]}
defaults: {on_missing: skip}
rules:
  - {id: compute, metric: step.compute_time, stat: median, fail: {increase: 5%, and: 1ms}, warn: {increase: 1%}}
  - {id: kernels, metric: kernel.time, for_each: {top: 20, min_share: 1%}, on_new: warn, fail: {increase: 15%}, except: ["x*", y],
     overrides: [{match: ["k?", z], fail: {increase: 30%, and: 1ms}}, {match: q, warn: {increase: 1%}}]}
  - {id: peak, metric: memory.peak_allocated, on_missing: skip, fail: {max: 76GiB, increase: 1%}}
waivers:
  - {rule: kernels, select: {kernel: "k*"}, until: 2999-12-31, up_to: 20%, reason: "known"}
profiles:
  nightly: {steps: {min: 2}, rules: {compute: {fail: {increase: 2%}}}}
"""


def make(tool, out, *options):
    generate(tool, out, "--seed", 1, *options)


def small(text, events):
    """A trace with fewer events, so that a change is more likely to matter."""
    document = json.loads(text)
    rows = document["traceEvents"]
    document["traceEvents"] = rows[:: max(1, len(rows) // events)]
    return json.dumps(document).encode()


def seeds(dir):
    """Undamaged inputs, and the commands that read them: {kind: (bytes, arguments, in which "{}" is the damaged file)}."""
    make("trace", dir / "t.json", "--steps", 2, "--peak-memory", 0.05, "--nccl", "--rank", 0, "--world-size", 2)
    make("trace", dir / "less.json", "--steps", 2, "--peak-memory", 0.01, "--nccl", "--rank", 0, "--world-size", 2)
    make("trace", dir / "t1.json", "--steps", 2, "--nccl", "--rank", 1, "--world-size", 2)
    make("snapshot", dir / "s.json", "--steps", 2, "--layers", 1)
    make("snapshot", dir / "p.pickle", "--steps", 2, "--layers", 1, "--pickle", 4)
    (dir / "rules.yaml").write_text(RULES)
    for args in (("digest", "t.json", "s.json", "-o", "d.json"), ("approve", "--new", "less.json", "--baseline", "b.json", "--rules", "rules.yaml"),
                 ("store", "t.json", "--baseline", "b.json", "--rules", "rules.yaml", "--force"),
                 ("approve", "--new", "t.json", "s.json", "--baseline", "both.json", "--rules", "rules.yaml"),
                 ("digest", "t.json", "-o", "d0.json"), ("digest", "t1.json", "-o", "d1.json"), ("merge", "d0.json", "d1.json", "-o", "run.gz"),
                 ("approve", "--new", "s.json", "--baseline", "bs.json", "--rules", "rules.yaml"),
                 ("approve", "--new", "run.gz", "--baseline", "br.json", "--rules", "rules.yaml")):
        subprocess.run([PROGRAM, *args], cwd=dir, check=True, capture_output=True)

    def read(name):
        return (dir / name).read_bytes()

    whole = read("t.json")
    run = gzip.decompress(read("run.gz"))
    def against(file, baseline="{dir}/b.json", rules="{dir}/rules.yaml"):
        return "check", file, "--baseline", baseline, "--rules", rules, "--ignore-environment"

    check, memory = against("{}"), against("{}", "{dir}/bs.json")
    return {
        "trace": (small(whole, 60), check), "trace cut": (small(whole, 60), (*check, "--allow-truncated")),
        "trace gz": (gzip.compress(small(whole, 60)), (*check, "--allow-truncated")), "snapshot": (read("s.json"), memory),
        "report": (small(whole, 200), ("report", "{}", "--verbose")), "snapshot alone": (read("s.json"), ("report", "{}", "--verbose")),
        "pickle": (read("p.pickle"), memory), "digest": (read("d.json"), against("{}", "{dir}/both.json")), "run": (run, against("{}", "{dir}/br.json")),
        "digest alone": (read("d.json"), ("report", "{}", "--verbose")), "baseline": (read("b.json"), against("{dir}/t.json", "{}")),
        "history": (read("b.json"), ("baseline", "log", "--baseline", "{}", "--rules", "{dir}/rules.yaml")),
        "rules": (RULES.encode(), against("{dir}/t.json", rules="{}")), "lint": ((ROOT / "rules" / "default.yaml").read_bytes(), ("lint", "{}")),
        "categories": ((ROOT / "rules" / "categories.yaml").read_bytes(), (*against("{dir}/t.json"), "--categories", "{}")),
        "diagnosis": ((ROOT / "rules" / "diagnosis.yaml").read_bytes(), ("report", "{dir}/t.json", "--diagnosis", "{}")),
        "sites": ((ROOT / "rules" / "sites.yaml").read_bytes(), ("report", "{dir}/s.json", "--sites", "{}")),
    }


def mutate(data, rng, others):
    """Makes one to a few changes, mostly at values or punctuation."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        n = max(1, len(data))
        i = rng.randrange(n)
        j = min(len(data), i + rng.choice((1, 1, 2, 8, 64, 1024)))
        change = rng.randrange(10)
        if change == 0:
            data[i:i + 1] = bytes([rng.randrange(256)])
        elif change == 1:
            del data[i:j]
        elif change == 2:
            data[i:i] = data[i:j] * rng.choice((1, 2, 300))
        elif change == 3:
            data[i:j] = rng.choice(WORDS)
        elif change == 4:
            data[i:i] = rng.choice(WORDS + BROKEN + NOT_UTF8)
        elif change == 5:
            del data[i:]
        elif change == 6:
            other = rng.choice(others)
            at = rng.randrange(len(other))
            data[i:j] = other[at:at + rng.choice((4, 64, 512))]
        elif change == 7:
            k = rng.randrange(n)
            data[k:k + j - i], data[i:j] = data[i:j], data[k:k + j - i]
        else:  # replaces one value by another
            values = list(re.finditer(rb'-?[0-9][0-9.eE+-]*|"[^"\\\n]{0,40}"|true|false|null', bytes(data[i:i + 4096])))
            if values:
                m = rng.choice(values)
                data[i + m.start():i + m.end()] = rng.choice(WORDS + SOUND + TOLERATED + BROKEN)
    return bytes(data)


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))


def well_formed(path, code):
    text = path.read_bytes().decode("utf-8")
    if path.suffix == ".xml":
        xml.etree.ElementTree.fromstring(text)
    elif path.suffix == ".json":
        assert json.loads(text).get("exit_code", code) == code, "exit_code is not the exit code"
    else:
        assert text.endswith("</html>\n" if path.suffix == ".html" else "\n"), "cut short"


def faults(place, data, args):
    """Lines about what is wrong with a run on these bytes; the folder is restored afterwards."""
    (place / "input").write_bytes(data)
    reports = REPORTS if args[0] == "check" else {k: v for k, v in REPORTS.items() if k != "--junit"} if args[0] == "report" else {}
    done = subprocess.run([PROGRAM, *args, *[w for pair in reports.items() for w in pair]], cwd=place, capture_output=True, check=False,
                          timeout=600, preexec_fn=limits, env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"})
    wrong = [] if 0 <= done.returncode <= 5 else [f"exit {done.returncode}"]
    err, out = done.stderr.decode("utf-8", "replace"), done.stdout.decode("utf-8", "replace")
    if any(not line.startswith("gpugate: ") for line in err.splitlines()):
        wrong.append("words that are none of gpugate's")
    if re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", err + out) or re.search(r"^\s*::|##\[|##[a-z]+\[", err + out, re.M):
        wrong.append("what a terminal should not see")
    told = done.returncode == 3 and re.match("(not judged|undecided) · ", out)  # by the report
    if done.returncode not in (0, 1) and not err and not told:
        wrong.append(f"exit {done.returncode} without a word")
    for name in reports.values():
        try:
            well_formed(place / name, done.returncode)
            (place / name).unlink()
        except (OSError, ValueError, AssertionError, xml.etree.ElementTree.ParseError) as e:
            wrong.append(f"{name}: {e!r}")
    left = sorted(p.name for p in place.iterdir() if p.name != "input")
    wrong += [f"left behind: {left}"] if left else []
    for name in left:
        (place / name).unlink()
    return [f"{line}: {err[:1500]}" for line in wrong], done.returncode


def campaign(task):
    """Runs one share of the damaged inputs of one kind; returns what went wrong and the exit codes."""
    o, dir, kind, share, of = task
    made = seeds_of(dir)
    data, args = made[kind]
    others = [d for d, _ in made.values()]
    bad, codes = [], {}
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        args = [a.replace("{dir}", str(dir)).replace("{}", "input") for a in args]
        wrong, code = faults(place, data, args)
        bad += wrong if code in (0, 1) else [f"{kind}: exit {code} of what is sound: {wrong}"]
        for i in range(share, o.runs, of):
            mutated = mutate(data, random.Random(f"{o.seed}:{kind}:{i}"), others)
            wrong, code = faults(place, mutated, args)
            codes[code] = codes.get(code, 0) + 1
            bad += [f"{kind} {i}: {line}" for line in wrong]
            if wrong and o.keep:
                pathlib.Path(o.keep).mkdir(exist_ok=True)
                shutil.copy(place / "input", pathlib.Path(o.keep) / f"{kind.replace(' ', '-')}-{o.seed}-{i}")
    return kind, bad, codes


def seeds_of(dir):
    listed = json.loads((dir / "seeds").read_text())
    return {kind: ((dir / file).read_bytes(), args) for kind, (file, args) in listed.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=0, help=f"of each kind (default: {RUNS} of all together)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind")
    parser.add_argument("--keep", metavar="DIR")
    o = parser.parse_args()
    if not PROGRAM:
        print("skipped: needs $GPUGATE (the program)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        listed = {}
        for i, (kind, (data, args)) in enumerate(seeds(dir).items()):
            (dir / f"seed{i}").write_bytes(data)
            listed[kind] = (f"seed{i}", args)
        (dir / "seeds").write_text(json.dumps(listed))
        kinds = [o.kind] if o.kind else list(listed)
        o.runs = o.runs or RUNS // len(kinds)
        of, bad, codes = min(4, o.runs), [], {}
        tasks = [(o, dir, kind, share, of) for kind in kinds for share in range(of)]
        with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
            for kind, wrong, seen in pool.map(campaign, tasks):
                bad += wrong
                for code, nr in seen.items():
                    codes.setdefault(kind, {}).setdefault(code, 0)
                    codes[kind][code] += nr
    for kind, seen in codes.items():
        print(f"{kind}: {o.runs} inputs, exits {dict(sorted(seen.items()))}")
    for line in bad:
        print(f"FAIL {line}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
