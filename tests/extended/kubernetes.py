#!/usr/bin/env python3
"""Checks ci/kubernetes without a cluster:

 - both manifests are valid for the schema of batch/v1 Job that Kubernetes publishes (its OpenAPI types, as npm packages have
   them), and have no unknown keys; a misspelt key and a wrong type are found
 - what the containers run does what the README says: the pods of all indices, then the check; a lost
   rank is exit 3

$GPUGATE is the program. Needs node and npm, and the npm registry once; exit 77 skips without $GPUGATE.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GPUGATE")
PACKAGES = ("kubernetes-models@5.1.0", "js-yaml@4.1.0", "typescript@5.4.5")
RANKS = 8

LOAD = """
import yaml from 'js-yaml';
import { readFileSync } from 'node:fs';
console.log(JSON.stringify(process.argv.slice(2).map(f => yaml.load(readFileSync(f, 'utf8')))));
"""
VALIDATE = """
import { Job } from 'kubernetes-models/batch/v1/Job';
import { readFileSync } from 'node:fs';
new Job(JSON.parse(readFileSync(process.argv[2], 'utf8'))).validate();
"""


def node(dir, script, *args):
    (dir / "script.mjs").write_text(script)
    return subprocess.run(["node", "script.mjs", *map(str, args)], cwd=dir, capture_output=True, text=True, check=False)


def fault(dir, job):
    """Errors of the schema in a job: first wrong values, then unknown keys; empty if there are none."""
    text = json.dumps(job)
    (dir / "job.json").write_text(text)
    p = node(dir, VALIDATE, "job.json")
    if p.returncode:
        return p.stderr
    (dir / "job.mts").write_text("import type { IJob } from 'kubernetes-models/batch/v1/Job';\n"
                                f"export const job: IJob = {text};\n")
    p = subprocess.run(["node_modules/.bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "job.mts"],
                       cwd=dir, capture_output=True, text=True, check=False)
    return p.stdout if p.returncode else ""


def schema(dir, jobs):
    for job in jobs:
        assert not fault(dir, job), fault(dir, job)
    digest = jobs[0]
    for change in (lambda j: j["spec"].update(paralelism=2),
                   lambda j: j["spec"].update(completions="8"),
                   lambda j: j["spec"].pop("template"),
                   lambda j: j["spec"]["template"]["spec"]["containers"][0].update(imag="x")):
        bad = json.loads(json.dumps(digest))
        change(bad)
        assert fault(dir, bad), bad
    assert digest["spec"]["completionMode"] == "Indexed" and digest["spec"]["completions"] == RANKS


def pod(dir, job, **env):
    """Runs the job's container as a pod would, with /data in `dir`; returns its exit code."""
    (container,) = job["spec"]["template"]["spec"]["containers"]
    words = [w.replace("/data/", f"{dir}/data/") for w in container["command"] + container["args"]]
    own = {e["name"]: e["value"].replace("/data/", f"{dir}/data/") for e in container["env"]}
    path = f"{dir}/bin:{os.environ['PATH']}"
    return subprocess.run(words, env={"PATH": path, **own, **env}, capture_output=True, text=True, check=False)


def stages(dir, jobs):
    (dir / "bin").mkdir()
    (dir / "bin" / "gpugate").symlink_to(pathlib.Path(PROGRAM).resolve())
    traces = dir / "data" / "traces"
    subprocess.run([sys.executable, ROOT / "tests/gen/ranks.py", "--ranks", str(RANKS), "--steps", "4", "--seed", "1", "--out", traces], check=True)
    (dir / "data" / "baselines").mkdir()
    subprocess.run([PROGRAM, "approve", "--new", traces, "--baseline", dir / "data/baselines/train.json"], check=True, capture_output=True)
    digest, check = jobs
    for index in range(RANKS):
        p = pod(dir, digest, JOB_COMPLETION_INDEX=str(index))
        assert p.returncode == 0, p.stderr
    p = pod(dir, check)
    assert p.returncode == 0, p.stdout + p.stderr
    assert (dir / "data/digests/run-1.run.json.gz").exists() and (dir / "data/digests/run-1.junit.xml").exists()
    p = pod(dir, digest, JOB_COMPLETION_INDEX="8")
    assert p.returncode == 3, p
    (dir / "data/digests/run-1/rank5.json.gz").unlink()
    p = pod(dir, check)
    assert p.returncode == 3 and "rank 5 of 8 is missing" in p.stderr, p


def main():
    if not PROGRAM:
        sys.exit(77)
    if not shutil.which("npm"):
        sys.exit("kubernetes.py: npm is missing: ci/install-deps extended")
    with tempfile.TemporaryDirectory(prefix="gpugate-kubernetes") as name:
        dir = pathlib.Path(name)
        p = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, *PACKAGES],
                           capture_output=True, text=True, check=False)
        if p.returncode:
            sys.exit(f"kubernetes.py: npm cannot install {' '.join(PACKAGES)}:\n{p.stdout}{p.stderr}")
        p = node(dir, LOAD, ROOT / "ci/kubernetes/digest.yaml", ROOT / "ci/kubernetes/check.yaml")
        jobs = json.loads(p.stdout)
        for law in (schema, stages):
            law(dir, jobs)
            print(f"ok {law.__name__}")


if __name__ == "__main__":
    main()
