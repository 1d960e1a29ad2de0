#!/usr/bin/env python3
"""JUnit files are valid for Jenkins, and agree with the exit code.

usage: junit_schema.py [FILE…]

Runs `gpugate check --junit FILE --junit-strict` on synthetic traces (or takes the FILEs
given), validates with xmllint against the schema below, and checks counts, unique names and
that a failure's text begins with its message. $GPUGATE is the program; without it,
or without xmllint, the test is skipped (exit 77).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

from _gen import generate

# What junit-10.xsd of Jenkins's xUnit plugin allows, in our own words; its elements for
# flaky and repeated tests are left out, because gpugate has none.
#   testsuites: name time tests failures errors, no `skipped`; holds testsuite only
#   testsuite:  name tests failures errors required; group time skipped timestamp hostname id
#               package file log url; holds suites, properties, cases, output, in any order
#   testcase:   name required; time classname group; no properties, no other attributes
#   failure, error, skipped: type, message and text
#   time of suites: digits (groups of three with commas), a point, digits; never an exponent
ATTRIBUTES = {
    "testsuites": ("", "name tests failures errors"),
    "testsuite": ("name tests failures errors", "group skipped timestamp hostname id package file log url"),
    "testcase": ("name", "time classname group"),
    "property": ("name value", ""),
    "failure": ("", "type message"),
    "error": ("", "type message"),
    "skipped": ("", "type message"),
    "properties": ("", ""),
}
CHILDREN = {
    "testsuites": "testsuite",
    "testsuite": "testsuite properties testcase system-out system-err",
    "testcase": "skipped error failure system-out system-err",
    "properties": "property",
}
TIMED = ("testsuites", "testsuite")


def schema():
    out = ['<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">',
           '<xs:simpleType name="seconds"><xs:restriction base="xs:string">'
           r'<xs:pattern value="([0-9]{0,3},)*[0-9]*(\.[0-9]*)?"/></xs:restriction></xs:simpleType>',
           '<xs:element name="system-out" type="xs:string"/><xs:element name="system-err" type="xs:string"/>']
    for element, (required, optional) in ATTRIBUTES.items():
        mixed = ' mixed="true"' if element in ("failure", "error", "skipped") else ""
        out.append(f'<xs:element name="{element}"><xs:complexType{mixed}>')
        if element in CHILDREN:
            refs = "".join(f'<xs:element ref="{c}"/>' for c in CHILDREN[element].split())
            out.append(f'<xs:choice minOccurs="0" maxOccurs="unbounded">{refs}</xs:choice>')
        for names, use in ((required, "required"), (optional, "optional")):
            out += [f'<xs:attribute name="{a}" type="xs:string" use="{use}"/>' for a in names.split()]
        if element in TIMED:
            out.append('<xs:attribute name="time" type="seconds"/>')
        out.append("</xs:complexType></xs:element>")
    return "\n".join(out + ["</xs:schema>"])


def valid(xsd, file):
    done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", str(xsd), str(file)],
                          capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr.strip()


def count(suite):
    cases = list(suite.iter("testcase"))
    return {"tests": len(cases), **{key: sum(c.find(element) is not None for c in cases) for key, element in
                                    (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))}}


def faults(xsd, file, code=None):
    """Lines about what is wrong with a file that came with this exit code."""
    error = valid(xsd, file)
    if error:
        return [error]
    root, out, seen = ET.parse(file).getroot(), [], set()
    if root.get("name") != "gpugate":
        out.append("the root is not called gpugate")
    for part in [root, *root.iter("testsuite")]:
        for key, nr in count(part).items():
            if part.get(key, str(nr)) != str(nr):
                out.append(f"{part.tag} {part.get('name')}: {key} is {part.get(key)}, the cases say {nr}")
    order = [s.get("name") for s in root]
    if order != [g for g in ("step", "kernels", "memory", "ranks", "inputs") if g in order]:
        out.append(f"suites in the order {order}")
    for case in root.iter("testcase"):
        key = (case.get("classname"), case.get("name"))
        out += [f"two cases are called {key}"] if key in seen else []
        seen.add(key)
        for element in ("failure", "error", "skipped"):
            for e in case.findall(element):
                first, figures = (e.text or "").split("\n")[0], re.match(r"(.+ → .+ \(.+\)), limit .+?: ", e.get("message"))
                if e.get("message")[figures.end() if figures else 0:] != first:
                    out.append(f"{key}: the text does not begin with what the message says of the figures")
                if figures and figures[1] in e.text:
                    out.append(f"{key}: the text has the figures of the message again")
    total = count(root)
    if code == 0 and total["failures"]:
        out.append("exit 0 with failures")
    if code == 1 and not total["failures"]:
        out.append("exit 1 without a failure")
    if code not in (None, 0, 1) and not total["errors"]:
        out.append(f"exit {code} without an error")
    return out


# Cases: options of gen/trace.py for the candidate, and the exit codes that are possible.
CASES = {
    "same": ([], {0}),
    "slow": (["--slow-kernel", "*=1.5"], {1}),
    "hostile": (["--hostile-names", "--slow-kernel", "*=1.5"], {1}),
    "long": (["--long-name", "30000", "--slow-kernel", "*=1.5"], {1}),
    "no-memory": (["--no-memory"], {0, 3}),
    "dropped": (["--dropped", "20"], {3}),
    "lost": (["--lost-kernels", "30"], {1, 3}),
    "no-steps": (["--no-steps"], {3}),
    "broken": (None, {3}),
}


def run(gpugate, dir):
    """Makes the traces and the reports; yields (name, file, exit code, expected codes)."""
    def trace(name, seed, *options):
        return generate("trace", dir / f"{name}.json.gz", "--seed", seed, *options)

    baseline = dir / "baseline.json"
    subprocess.run([gpugate, "approve", "--new", trace("base", 1), "--baseline", baseline],
                   check=True, capture_output=True, cwd=dir)
    absent = dir / "absent.json"
    jobs = [(name, options, codes, baseline) for name, (options, codes) in CASES.items()]
    jobs.append(("no baseline", [], {4}, absent))
    for name, options, codes, against in jobs:
        report = dir / f"{name}.xml"
        candidate = dir / "broken.json"
        candidate.write_text('{"traceEvents": [{"ph": "X", "na\x01me": <&')
        if options is not None:
            candidate = trace(name.replace(" ", "-"), 2, *options)
        done = subprocess.run([gpugate, "check", candidate, "--baseline", against, "--junit", report, "--junit-strict"],
                              capture_output=True, cwd=dir)
        yield name, report, done.returncode, codes
    yield from run_ranks(gpugate, dir)


RANK_RULES = """version: 1
rules:
  - {id: cuda-time, metric: step.cuda_time, fail: {increase: 5%}}
  - {id: stragglers, metric: rank.straggler_pct, ranks: each, fail: {max: 5%}}
  - {id: kernels, metric: kernel.time, for_each: {top: 99}, fail: {increase: 5%}}
waivers:
  - {rule: kernels, until: 2999-12-31, reason: "<&> ]]>"}
"""


def run_ranks(gpugate, dir):
    """Jobs of several ranks, with hostile names in insights, ranks and waivers."""
    def job(name, seed, *options):
        return generate("ranks", dir / name, "--ranks", 4, "--seed", seed, "--hostile-names", *options)

    rules, baseline, report = dir / "rules.yaml", dir / "ranks.json", dir / "ranks.xml"
    rules.write_text(RANK_RULES)
    subprocess.run([gpugate, "approve", "--new", job("job", 1), "--baseline", baseline, "--rules", rules], check=True,
                   capture_output=True)
    runs = job("slow", 2, "--slow-rank", "2=1.5"), "--repeat", job("again", 3, "--slow-rank", "2=1.5")
    done = subprocess.run([gpugate, "check", *runs, "--baseline", baseline, "--rules", rules, "--junit", report, "--junit-strict"],
                          capture_output=True)
    yield "ranks", report, done.returncode, {1}
    text = " ".join(e.text for e in ET.parse(report).getroot().iter("system-out") if e.text)
    assert "candidate rank 2: slow-rank: " in text, "the slow rank is in no system-out"


def main():
    gpugate = os.environ.get("GPUGATE")
    if not shutil.which("xmllint") or not (gpugate or sys.argv[1:]):
        print("skipped: xmllint and $GPUGATE are needed")
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        xsd = dir / "junit.xsd"
        xsd.write_text(schema())
        files = [(f, f, None, None) for f in sys.argv[1:]] or run(gpugate, dir)
        for name, file, code, codes in files:
            wrong = [f"exit {code}, expected one of {sorted(codes)}"] if codes and code not in codes else []
            wrong += faults(xsd, file, code) if os.path.exists(file) else ["no report was written"]
            print(f"{name}: {'; '.join(wrong) or 'ok'}")
            bad += bool(wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
