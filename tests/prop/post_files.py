#!/usr/bin/env python3
"""Checks action.yml, the actions and workflows of ci/github and the component of templates/, without GitHub or GitLab:

 - untrusted text never reaches a shell: no `run` and no `script` contains `${{ }}` or `$[[ ]]`
 - all inputs, outputs, steps and files that are named exist, and all declared ones are used; workflows pass the inputs that
   actions require, use this project's version, and never check out a pull request's code with a token that may write
 - the composite actions and the jobs do what they should, step by step, with `if`, `env` and outputs as the runner
   evaluates them: a failing check with its comment, annotations and summary; a fork's run posted by the second workflow;
   approval; append (with the stand-in of _forge.py and a git repository)
 - jobs run for the events that they are for; the job that posts is skipped if there is nothing to post
 - a stranger's comment starts no job; only the job that appends reads the token that may push; the pods of ci/kubernetes
   have few rights and run no setting as a command

$GPUGATE is the program; exit 77 skips, also without PyYAML.
"""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from _expect import expect, finish, wrong
import _forge
from _forge import TOKEN
from _gen import generate

try:
    import yaml
except ImportError:
    print("python3-yaml is missing: ci/install-deps test")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
GITHUB = ROOT / "ci" / "github"
PROGRAM = os.path.abspath(os.environ.get("GPUGATE", ""))
ACTIONS = [ROOT / "action.yml", *sorted(GITHUB.rglob("action.yml"))]
TEMPLATE = ROOT / "templates" / "gpugate.yml"
CALLED = {path.stem: path for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))}
CALLERS = sorted((GITHUB / "workflows").glob("*.yml"))
WORKFLOWS = [*CALLERS, *CALLED.values()]
VERSION = re.search(r"project\(gpugate\s+VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
TRUSTED = {"inputs", "steps", "github", "runner", "secrets"}


@functools.cache
def load(path):
    return yaml.safe_load(path.read_text())


def strings(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [s for v in value for s in strings(v)]
    return [value] if isinstance(value, str) else []


# ---- GitHub: structure of the files ----

def check_actions():
    for path in ACTIONS:
        name, doc = path.relative_to(ROOT), load(path)
        expect(f"{name}: keys", set(doc) - {"outputs"}, {"name", "description", "inputs", "runs"})
        text, steps = path.read_text(), doc["runs"]["steps"]
        expect(f"{name}: using", doc["runs"]["using"], "composite")
        used = set(re.findall(r"\binputs\.([\w-]+)", text))
        expect(f"{name}: inputs", used, set(doc["inputs"]))
        for key, row in doc["inputs"].items():
            if not row.get("description") or (not row.get("required") and "default" not in row):
                wrong.append(f"{name}: input {key} has no description, or neither default nor required")
        for key, row in doc.get("outputs", {}).items():
            if not row.get("description") or "steps." not in row["value"]:
                wrong.append(f"{name}: output {key}")
        ids = {step.get("id") for step in steps}
        for step, key in re.findall(r"steps\.(\w+)\.outputs\.([\w-]+)", text):
            source = "".join(s.read_text() for s in (ROOT / "ci").glob("*/*") if s.is_file() and os.access(s, os.X_OK))
            source += (GITHUB / "fetch" / "fetch").read_text()
            if (step, key) == ("artifact", "artifact-url"):     # of actions/upload-artifact: its README, "Outputs"
                continue
            if step not in ids or not re.search(rf'(?:["\s{{]|\\n){key}[=:]', source):
                wrong.append(f"{name}: nothing writes the output {key} of {step}")
        for step in steps:
            if "run" in step:
                expect(f"{name}: shell", step.get("shell"), "bash")
                for script in re.findall(r'"\$GITHUB_ACTION_PATH/([^"]*)"', step["run"]):
                    if not os.access(path.parent / script, os.X_OK):
                        wrong.append(f"{name}: there is no program {script}")
            elif not re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"]):
                wrong.append(f"{name}: uses {step['uses']}")


def check_workflows():
    for path in WORKFLOWS:
        name, doc = path.relative_to(ROOT), load(path)
        if "permissions" not in doc or "write" in strings(doc["permissions"]):
            wrong.append(f"{name}: a workflow begins without permissions")
        events = set(doc[True]) - {"pull_request", "merge_group", "push"}    # YAML 1.1 reads `on` as true; these run what is measured
        expect(f"{name}: events", events - {"workflow_run", "issue_comment", "workflow_call"}, set())
        writes = "write" in str([job.get("permissions") for job in doc["jobs"].values()])
        for job in doc["jobs"].values():
            if "uses" in job:
                check_call(name, job, doc["permissions"])
                continue
            if "push-token" in str(job) and "issue_comment" in job.get("if", "") and "github.event.comment.author_association)" not in job["if"]:
                wrong.append(f"{name}: a stranger's comment starts a job")
            if "write" in strings(job.get("permissions", {})) and not job.get("timeout-minutes"):
                wrong.append(f"{name}: a job that may write has no limit of time")
            for step in job["steps"]:
                uses = step.get("uses", "")
                if uses.startswith("actions/checkout@"):
                    expect(f"{name}: credentials", step["with"]["persist-credentials"], False)
                    if writes and ("head" in step["with"].get("ref", "head") or not step["with"].get("ref")):
                        wrong.append(f"{name}: checks out what a pull request says")
                if writes and "run" in step:
                    wrong.append(f"{name}: runs a command with a token that may write")
                if uses.startswith("gpugate/"):
                    where, version = uses.removeprefix("gpugate/gpugate").lstrip("/").split("@")
                    expect(f"{name}: version", version, f"v{VERSION}")
                    check_given(f"{name}: {where}", step, load(ROOT / where / "action.yml")["inputs"])
                elif uses and not re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", uses):
                    wrong.append(f"{name}: uses {uses}")
    for name, path in CALLED.items():
        called = load(path)[True]["workflow_call"]
        for key, row in called["inputs"].items():
            if "default" not in row and not row.get("required"):
                wrong.append(f"{name}.yml: input {key} has neither default nor required")
        used = set(re.findall(r"\binputs\.([\w-]+)", path.read_text()))
        expect(f"{name}.yml: inputs", used, set(called["inputs"]))


def check_given(name, step, inputs):
    given = set(step.get("with", {}))
    if given - set(inputs) or {k for k, r in inputs.items() if r.get("required")} - given:
        wrong.append(f"{name} does not take {given}")


def check_call(name, job, given):
    """The workflow that is called takes what is given, and asks for no permission that the caller has not."""
    called, version = re.fullmatch(r"gpugate/gpugate/\.github/workflows/(\w+)\.yml@v(.*)", job["uses"]).groups()
    expect(f"{name}: version", version, VERSION)
    doc = load(CALLED[called])
    check_given(f"{name}: {called}.yml", job, doc[True]["workflow_call"]["inputs"])
    expect(f"{name}: secrets", set(job.get("secrets", {})), set(doc[True]["workflow_call"].get("secrets", {})))
    have = job.get("permissions", given)
    for step in doc["jobs"].values():
        for what, right in (step.get("permissions") or doc["permissions"]).items():
            if have.get(what) not in (right, "write"):
                wrong.append(f"{name}: {called}.yml needs {what}: {right}")


def check_kubernetes(folder):
    """The pods run with few rights, and the pattern that names their artifacts is never executed as a command."""
    (folder / "bin").mkdir()
    (folder / "bin" / "gpugate").symlink_to("/bin/echo")
    for path in sorted((ROOT / "ci" / "kubernetes").glob("*.yaml")):
        pod = load(path)["spec"]["template"]["spec"]
        expect(f"{path.name}: root", pod["securityContext"]["runAsNonRoot"], True)
        for container in pod["containers"]:
            rights = container["securityContext"]
            expect(f"{path.name}: rights", (rights["allowPrivilegeEscalation"], rights["readOnlyRootFilesystem"], rights["capabilities"]),
                   (False, True, {"drop": ["ALL"]}))
            names = [e["name"] for e in container.get("env", [])]
            env = {name: f"$(touch {folder}/run) `touch {folder}/run`; touch {folder}/run; $rank" for name in names if name != "DIGESTS"}
            subprocess.run(container["command"] + container["args"], cwd=folder, capture_output=True, check=False, env={
                "PATH": f"{folder / 'bin'}:/usr/bin:/bin", "JOB_COMPLETION_INDEX": "3", "DIGESTS": str(folder / "digests"), **env})
            expect(f"{path.name}: a setting is run", (folder / "run").exists(), False)


def check_push_token():
    """In GitLab only one job reads the token that may push to the default branch, and it runs on that branch only."""
    jobs = gitlab_jobs()
    expect("who reads GPUGATE_PUSH_TOKEN", [name for name, job in jobs.items() if "GPUGATE_PUSH_TOKEN" in str(job)], ["gpugate-append"])
    expect("where", jobs["gpugate-append"]["rules"], [{"if": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"}])


def check_page():
    """Checks the part of a workflow that docs/pull-requests.md shows besides whole files: in it, a label starts the gate."""
    text = re.sub(r"<!-- \S+: begin -->.*?<!-- \S+: end -->", "", (ROOT / "docs" / "pull-requests.md").read_text(), flags=re.S)
    (block,) = [yaml.safe_load(b) for b in re.findall(r"^```yml\n(.*?)^```$", text, re.M | re.S)]
    whole = load(GITHUB / "workflows" / "gpugate.yml")
    expect("its jobs", set(block["jobs"]), set(whole["jobs"]))
    expect("pushes", block[True]["push"], whole[True]["push"])

    def runs(event, action="synchronize", labels=(), label=""):
        event = {"action": action, "label": {"name": label}, "pull_request": {"labels": [{"name": each} for each in labels]}} | event
        return evaluate(block["jobs"]["gpugate"]["if"], {"github": {**event, "event": event}})
    pull = {"event_name": "pull_request"}
    expect("a label", [bool(runs(*each)) for each in (({"event_name": "push"},), (pull, "labeled", ["benchmark"], "benchmark"), (pull, "synchronize", ["x", "benchmark"]),
                                                      (pull,), (pull, "labeled", ["x", "benchmark"], "x"))], [True, True, True, False, False])


def jobs_of_act(name, event, store=""):
    """Names of the jobs of act.yml that run."""
    ran = []
    for job, about in load(CALLED["act"])["jobs"].items():
        context = {"github": {"event_name": name, "event": event}, "needs": {"post": {"outputs": {"store": store}}}}
        if evaluate(about["if"], context) and about.get("needs", "post") in [*ran, "post"] and ("needs" not in about or about["needs"] in ran):
            ran.append(job)
    return ran


def check_act():
    """Jobs run for the events that they are for; a stranger's comment starts none."""
    def comment(body, who="MEMBER", issue=None):
        return {"comment": {"body": body, "author_association": who}, "issue": {"pull_request": {"url": "x"}} if issue is None else issue}
    for conclusion, jobs in (("success", ["post"]), ("failure", ["post"]), ("cancelled", []), ("skipped", [])):
        expect(f"a run: {conclusion}", jobs_of_act("workflow_run", {"workflow_run": {"conclusion": conclusion}}), jobs)
    expect("a run of main", jobs_of_act("workflow_run", {"workflow_run": {"conclusion": "success"}}, "true"), ["post", "store"])
    for body, jobs in (("/gpugate approve 0123456 x", ["approve"]), ("/gpugate accept x", ["approve"]), ("/gpugate approved", []), ("see /gpugate approve 0123456 x", [])):
        expect(f"comment {body}", jobs_of_act("issue_comment", comment(body)), jobs)
    expect("a stranger", jobs_of_act("issue_comment", comment("/gpugate approve 0123456 x", "NONE")), [])
    expect("an issue", jobs_of_act("issue_comment", comment("/gpugate approve 0123456 x", issue={})), [])


def check_shells():
    for path in ACTIONS + WORKFLOWS:
        doc = load(path)
        for job in [doc["runs"]] if "runs" in doc else doc["jobs"].values():
            for step in job.get("steps", []):
                if "${{" in step.get("run", ""):
                    wrong.append(f"{path.name}: an expression in the command {step['run']!r}")
        for context in re.findall(r"\$\{\{\s*(?:format\('[^']*', |fromJSON\()?(\w+)", path.read_text()):
            if context not in TRUSTED:
                wrong.append(f"{path.name}: context {context}")
    for job in gitlab_jobs(plain=False).values():
        for line in strings(job.get("script", [])):
            if "$[[" in line:
                wrong.append(f"gpugate.yml: an input in the command {line!r}")


# ---- GitHub: running the steps ----

def evaluate(text, context):
    """Evaluates an expression of Actions, as far as these files use expressions."""
    functions = {"format": lambda f, *a: f.format(*a), "contains": lambda all, one: one in all, "fromJSON": json.loads,
                 "startsWith": lambda text, head: text.startswith(head), "cancelled": lambda: False}

    def value(match):
        if match[0] in ("true", "false", *functions) or match[0].startswith("'"):
            return {"true": "True", "false": "False"}.get(match[0], match[0])
        have = context
        for part in match[0].split("."):
            if isinstance(have, list):
                have = have if part == "*" else [each[part] for each in have]
            else:
                have = have.get(part, "") if isinstance(have, dict) else ""
        return repr(have)
    code = re.sub(r"'[^']*'|[a-zA-Z_][\w-]*(?:\.(?:[\w-]+|\*))*", value, text)
    code = re.sub(r"!(?!=)", " not ", code.replace("||", " or ").replace("&&", " and "))
    return eval(code.strip(), functions)   # pylint: disable=eval-used


def fill(value, context):
    if isinstance(value, bool):
        return str(value).lower()
    return re.sub(r"\$\{\{(.*?)\}\}", lambda m: str(evaluate(m[1], context)), value)


class Runner:
    """Runs composite actions like GitHub's runner, in a clone, with the fake API server."""

    def __init__(self, folder, forge, event, name):
        self.folder, self.forge, self.uploaded = folder, forge, None
        self.event, self.name, self.env = event, name, {}
        self.run = None     # id of this run, if the forge is to keep what it uploads
        self.temp = folder / f"runner-temp-{name}"
        self.temp.mkdir(exist_ok=True)
        (self.temp / "event.json").write_text(json.dumps(event))

    def workflow(self, name, inputs, origin):
        """Runs the jobs of a called workflow for the runner's event; returns the names of those that ran, and what they printed."""
        doc = load(CALLED[name])
        have = {key: inputs.get(key, row.get("default", "")) for key, row in doc[True]["workflow_call"]["inputs"].items()}
        needs, ran, log = {}, [], ""
        context = {"github": {"event": self.event, "event_name": self.name, "token": TOKEN}, "inputs": have, "secrets": {}, "needs": needs}
        for job, about in doc["jobs"].items():
            if not evaluate(about.get("if", "true"), context):
                continue
            ran.append(job)
            context["steps"], where = {}, self.temp / f"job-{job}"
            shutil.rmtree(where, ignore_errors=True)
            where.mkdir()
            for step in about["steps"]:
                if "if" in step and not evaluate(step["if"], context):
                    continue
                given = {key: fill(value, context) for key, value in step.get("with", {}).items()}
                if step["uses"].startswith("actions/checkout@"):
                    git(where, "clone", "--quiet", f"file://{origin}", ".")
                    ref = given["ref"]
                    git(where, "checkout", "--quiet", "--detach", ref if re.fullmatch("[0-9a-f]{40}", ref) else f"origin/{ref}")
                    continue
                path = ROOT / step["uses"].removeprefix("gpugate/gpugate").split("@")[0].lstrip("/")
                given = {"program": PROGRAM, **given} if "program" in load(path / "action.yml")["inputs"] else given
                outputs, code, said = self.action(path, where, given)
                log += said
                context["steps"][step.get("id", "")] = {"outputs": outputs}
                if code:
                    wrong.append(f"{name}.yml: {job}: {step['uses']}: exit {code}: {said[-600:]}")
                    break
            needs[job] = {"outputs": {key: fill(value, context) for key, value in about.get("outputs", {}).items()}}
        return ran, log

    def action(self, path, where, inputs, github=None):
        """Runs an action; returns its outputs, the exit code of the step that failed, and everything that was printed."""
        doc, steps, log = load(path / "action.yml"), {}, ""
        github = {"token": TOKEN, "sha": "mainsha", "server_url": f"file://{self.folder}", "repository": "o/r", "ref_name": "main",
                  "event": self.event, "event_name": self.name, **(github or {})}
        context = {"github": github, "runner": {"temp": str(self.temp)}, "steps": steps}
        context["inputs"] = {k: fill(inputs.get(k, r.get("default", "")), context) for k, r in doc["inputs"].items()}
        code = 0
        for step in doc["runs"]["steps"]:
            if "if" in step and not evaluate(step["if"], context):
                continue
            if "uses" in step:
                have = {k: fill(v, context) for k, v in step["with"].items()}
                at = pathlib.Path(have["path"])
                self.uploaded = have["name"], {str(f.relative_to(at)): f.read_bytes() for f in at.rglob("*") if f.is_file()}
                steps[step["id"]] = {"outputs": {"artifact-url": f"https://forge.example/o/r/actions/runs/{self.run or 1}/artifacts/{self.run or 1}"}}
                if self.run:
                    self.forge.leave(self.run, self.run, "mainsha", self.uploaded[1], name=have["name"])
                    self.forge.acts.append({"id": self.run, "path": ACT, "event": self.name})
                continue
            output = self.temp / "output"
            output.write_text("")
            env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "GITHUB_ACTIONS": "true",
                   "GITHUB_ACTION_PATH": str(path), "GITHUB_OUTPUT": str(output), "GITHUB_EVENT_PATH": str(self.temp / "event.json"),
                   "GITHUB_STEP_SUMMARY": str(self.temp / "summary"), "GITHUB_API_URL": self.forge.address, "GITHUB_REPOSITORY": "o/r",
                   "GITHUB_WORKFLOW_REF": f"o/r/{ACT}@refs/heads/main", "GITHUB_EVENT_NAME": self.name, "RUNNER_TEMP": str(self.temp), "SOURCE_DATE_EPOCH": "1767225600",
                   **self.env, **{k: fill(v, context) for k, v in step.get("env", {}).items()}}
            p = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=where, env=env,
                               capture_output=True, text=True, check=False)
            log += p.stdout + p.stderr
            steps[step.get("id", "")] = {"outputs": dict(line.split("=", 1) for line in output.read_text().splitlines())}
            code = p.returncode
            if code:
                break
        if TOKEN in log:
            wrong.append(f"{path.name}: the token is printed")
        return {k: fill(r["value"], context) for k, r in doc.get("outputs", {}).items()}, code, log


CHECK, ACT = ".github/workflows/gpugate.yml", ".github/workflows/gpugate-act.yml"


def git(where, *words):
    return subprocess.run(["git", "-c", "user.name=me", "-c", "user.email=me@example.com", *map(str, words)], cwd=where, check=True,
                          capture_output=True, text=True).stdout.strip()


def trace(folder, seed, *options):
    return generate("trace", folder / f"trace{seed}.json.gz", "--seed", seed, "--steps", 3, *options)


def repository(folder):
    """Makes o/r.git with a baseline on main, and a branch with a pull request."""
    origin, clone = folder / "o" / "r", folder / "clone"
    git(folder, "init", "--quiet", "--bare", "-b", "main", origin)
    git(folder, "clone", "--quiet", f"file://{origin}", clone)
    subprocess.run([PROGRAM, "approve", "--new", trace(folder, 1), "--workload", "resnet50"], cwd=clone, check=True, capture_output=True)
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "-m", "first")
    git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/main", "HEAD:refs/heads/topic")
    return origin, clone


def github(folder):
    forge = _forge.Forge()
    origin, clone = repository(folder)
    topic = git(origin, "rev-parse", "topic")
    slow = trace(folder, 2, "--slow-kernel", "*flash_bwd*=4")
    ours = {"id": 1, "full_name": "o/r"}
    pull = {"number": 7, "state": "open", "base": {"sha": git(origin, "rev-parse", "main"), "ref": "main", "repo": ours}, "head": {"sha": topic, "ref": "topic", "repo": ours}}
    inputs = {"runs": str(slow), "workload": "resnet50", "program": PROGRAM}
    runner = Runner(folder, forge, {"pull_request": pull}, "pull_request")

    out, code, log = runner.action(ROOT, clone, inputs)
    expect("a regression", (code, out["verdict"], out["exit-code"], len(forge.bodies())), (1, "fail", "1", 1))
    expect("files", {k: pathlib.Path(out[k]).is_file() for k in ("markdown", "json", "junit", "html", "run")},
           dict.fromkeys(("markdown", "json", "junit", "html", "run"), True))
    expect("annotations", "::error title=gpugate resnet50%3A fail%3A step-compute-time::median step.compute_time rose" in log, True)
    expect("summary and comment", forge.bodies()[0], (runner.temp / "summary").read_text() + f"\n> Intended? Comment `/gpugate approve {topic[:12]} REASON` (write access needed).\n")
    expect("artifact", (runner.uploaded[0], "run.json.gz" in runner.uploaded[1]), ("gpugate-resnet50", True))
    expect("commit", topic[:10] in forge.bodies()[0], True)
    _, code, _ = runner.action(ROOT, clone, {**inputs, "report-only": "true", "artifact": "none"})
    expect("report-only", code, 0)
    out, code, _ = runner.action(ROOT, clone, {**inputs, "runs": "missing*.gz", "artifact": "none", "comment": "never"})
    expect("no run", (code, out["verdict"], out["exit-code"]), (3, "error", "3"))
    made = {**inputs, "benchmark": f"if test \"$GPUGATE_TOKEN\"; then exit 9; fi; cp {slow} trace.json.gz", "runs": "trace.json.gz", "artifact": "none"}
    (clone / "trace.json.gz").write_text("of an earlier run")
    out, code, log = runner.action(ROOT, clone, made)
    expect("a benchmark of its own", (code, out["verdict"]), (1, "fail"))
    for benchmark, why in (("cp %s trace.json.gz; exit 7" % slow, "the benchmark ended with 7"), ("true", "the benchmark has written no file that 'runs' names")):
        out, code, log = runner.action(ROOT, clone, {**made, "benchmark": benchmark})
        expect(f"one that fails: {why}", (code, out["exit-code"], out["verdict"], f"gate: {why}" in log, f"not judged: {why}\n" in forge.bodies()[0],
                                          json.loads(pathlib.Path(out["json"]).read_text())["error"]), (3, "3", "error", True, True, why))
    _, code, log = runner.action(ROOT, clone, {**made, "runs": "baselines/resnet50.json"})
    expect("what is in version control is no output", (code, "is in version control" in log, (clone / "baselines/resnet50.json").is_file()), (2, True, True))
    (clone / "suite.yaml").write_text(f"version: 1\nname: all\ncases: [{{workload: resnet50, runs: '{slow}'}}, {{workload: new, runs: '{slow}'}}]\n")
    before = len(forge.bodies())
    _, code, log = runner.action(ROOT, clone, {"suite": "suite.yaml", "workload": "all", "program": PROGRAM})
    expect("a suite", (code, forge.bodies()[before].splitlines()[0], len(forge.bodies()) - before), (1, "<!-- gpugate:suite-all -->", 1))
    expect("its annotations", "::error title=gpugate all%3A fail%3A resnet50::" in log and "missing%3A new::" in log, True)
    (clone / "suite.yaml").unlink()
    (clone / "trace.json.gz").unlink(missing_ok=True)
    forge.comments[:] = forge.comments[:1]
    _, code, log = runner.action(ROOT, clone, {**inputs, "program": "no-such-program"})
    expect("no program", (code, "there is no program" in log), (2, True))

    # What was measured, of a fork or of a branch, is judged anew by act.yml, which takes digests only.
    theirs = {"id": 2, "full_name": "x/r", "owner": {"login": "x"}}
    pull["head"]["repo"] = theirs
    forge.reset()
    runner = Runner(folder, forge, {"pull_request": pull}, "pull_request")
    _, code, log = runner.action(ROOT, clone, inputs)
    expect("a fork's own job", (code, forge.bodies(), "gpugate-act.yml" in log), (1, [], True))
    forge.pulls = [pull]
    forge.leave(50, 9, topic, {**runner.uploaded[1], "report.md": b"<!-- gpugate:resnet50 -->\nbuy this"}, repository=2)
    event = {"repository": {"id": 1, "default_branch": "main"}, "workflow_run": {
        "id": 50, "event": "pull_request", "path": CHECK, "head_sha": topic, "head_branch": "topic", "head_repository": theirs, "conclusion": "failure"}}
    second = Runner(folder, forge, event, "workflow_run")
    ran, log = second.workflow("act", {"workload": "resnet50"}, origin)
    expect("posted for the fork", (ran, len(forge.bodies()), "buy this" in "".join(forge.bodies()), "candidate" in "".join(forge.bodies())), (["post"], 1, False, True))
    expect("the fork's status", forge.statuses, {(topic, "gpugate/resnet50"): "failure"})
    event["workflow_run"]["path"] = ".github/workflows/other.yml"
    fetched, code, log = Runner(folder, forge, event, "workflow_run").action(GITHUB / "fetch", folder, {"workload": "resnet50"})
    expect("of another workflow", (code, fetched["base"], "another workflow" in log), (0, "", True))

    # A separate job posts the reports that the benchmark's job has left; a pull request that changes the rules is marked.
    forge.reset()
    pull["head"]["repo"] = ours
    runner = Runner(folder, forge, {"pull_request": pull}, "pull_request")
    out, code, _ = runner.action(ROOT, clone, {**inputs, "comment": "never"})
    expect("no token is needed", (code, forge.log), (1, []))
    forge.changed = [{"filename": "rules/gpugate.yaml"}, {"filename": "a.py"}]
    given = {"folder": out["folder"], "workload": "resnet50", "status": topic}
    _, code, log = runner.action(GITHUB / "post", folder, given)
    expect("posted by another job", (code, len(forge.bodies()), forge.statuses), (0, 1, {(topic, "gpugate/resnet50"): "failure"}))
    expect("changed rules", "changes its rules**" in forge.bodies()[0], True)
    forge.changed = [{"filename": "c", "previous_filename": "baselines/x.json"}]
    runner.action(GITHUB / "post", folder, given)
    expect("changed baselines", ("changes its baselines**" in forge.bodies()[0], len(forge.bodies())), (True, 1))
    _, code, log = runner.action(GITHUB / "post", folder, {**given, "workload": "other"})
    expect("another workload", (code, "not of 'other'" in log), (1, True))
    forge.changed, forge.pulls = [], [pull]
    forge.leave(50, 9, topic, runner.uploaded[1], repository=2)
    pull["head"]["repo"] = theirs

    # An approval by somebody with permission, on a branch of the repository; afterwards the status is green.
    comment = Runner(folder, forge, {"issue": {"number": 7}}, "issue_comment")
    forge.runs = [{"id": 50, "head_sha": topic, "path": CHECK}, {"id": 51, "head_sha": topic, "path": ".github/workflows/other.yml"}]
    accept = {"workload": "resnet50", "program": PROGRAM}
    forge.comment(3, f"/gpugate approve {topic[:12]} let me", created_at="2027-01-01T13:00:00Z", updated_at="2027-01-01T13:00:00Z")
    _, code, log = comment.action(GITHUB / "accept", clone, accept)
    expect("by somebody else", (code, "may not write here" in forge.bodies()[-1], forge.reactions[-1][1]), (1, True, "confused"))
    forge.permission["user3"] = "write"
    _, code, log = comment.action(GITHUB / "accept", clone, accept)
    expect("a fork's branch", (code, "cannot be written to" in log, "cannot be written to" in forge.bodies()[-1]), (1, True, True))
    pull["head"]["repo"] = ours
    forge.artifacts[50][0]["workflow_run"]["head_repository_id"] = 1
    _, code, log = comment.action(GITHUB / "accept", clone, accept)
    expect("approved", (code, git(origin, "log", "-1", "--format=%s", "topic")), (0, "baselines: approve a run of resnet50"))
    expect("its answer", ("Accepted by @user3" in "".join(forge.bodies()), forge.reactions[-1][1]), (True, "+1"))
    expect("its status", forge.statuses[git(origin, "rev-parse", "topic"), "gpugate/resnet50"], "success")
    expect("and comment", "\u2705 gpugate" in forge.bodies()[0], True)
    git(clone, "fetch", "--quiet", "origin")
    git(clone, "checkout", "--quiet", "-B", "topic", "origin/topic")
    out, code, _ = Runner(folder, forge, {"pull_request": pull}, "pull_request").action(ROOT, clone, inputs)
    expect("green", (code, out["verdict"]), (0, "pass"))
    expect("the comment says so", "\u2705 gpugate" in forge.bodies()[0], True)
    git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/main")
    push = Runner(folder, forge, {"ref": "refs/heads/main"}, "push")
    out, code, log = push.action(ROOT, clone, {**inputs, "runs": str(trace(folder, 3, "--slow-kernel", "*flash_bwd*=4"))})
    expect("main", (code, "no pull request here" in log), (0, True))
    _, code, log = push.action(GITHUB / "append", clone, {"folder": out["folder"], "workload": "resnet50", "program": PROGRAM})
    expect("appended", (code, git(origin, "log", "-1", "--format=%s", "gpugate-baselines")), (0, "baselines: append a run of resnet50 [skip ci]"))
    expect("main is left alone", git(origin, "log", "-1", "--format=%s", "main"), "baselines: approve a run of resnet50")

    # A suite: its runs are in the artifact, the approval accepts the cases that need it, and on main all cases are appended.
    (clone / "suite.yaml").write_text(f"version: 1\nname: all\ncases: [{{workload: resnet50, runs: '{trace(folder, 4)}'}}, {{workload: 'k-{{name}}', each: 'k/*'}}]\n")
    git(clone, "add", "suite.yaml")
    git(clone, "commit", "--quiet", "-m", "a suite")
    git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/topic", "HEAD:refs/heads/main")
    pull["head"]["sha"] = topic = git(clone, "rev-parse", "HEAD")
    (clone / "k" / "a").mkdir(parents=True)
    trace(folder, 5).rename(clone / "k" / "a" / "x.json.gz")
    asked = {"suite": "suite.yaml", "workload": "suite-all", "program": PROGRAM}
    runner = Runner(folder, forge, {"pull_request": pull}, "pull_request")
    out, code, log = runner.action(ROOT, clone, asked)
    expect("its artifact", (out["verdict"], runner.uploaded[0], sorted(n for n in runner.uploaded[1] if "/" in n)),
           ("missing", "gpugate-suite-all", ["cases/k-a/run.json.gz", "cases/resnet50/run.json.gz"]))
    (clone / "k" / "a" / "x.json.gz").unlink()
    (clone / "k" / "a").rmdir()
    forge.leave(52, 10, topic, runner.uploaded[1], name="gpugate-suite-all", created_at="2027-01-02T12:00:00Z")
    forge.runs.append({"id": 52, "head_sha": topic, "path": CHECK})
    forge.comment(3, "/gpugate accept k-a a new case", created_at="2027-01-02T13:00:00Z", updated_at="2027-01-02T13:00:00Z")
    _, code, log = comment.action(GITHUB / "accept", clone, asked)
    expect("a case is approved", (code, "has the baseline of `k-a`" in forge.bodies()[-1]), (0, True))
    expect("its commit", git(origin, "show", "--format=%s", "--name-only", "topic").splitlines(), ["baselines: approve a run of suite-all", "", "baselines/k-a.json"])
    expect("its status", forge.statuses[git(origin, "rev-parse", "topic"), "gpugate/suite-all"], "success")
    git(clone, "fetch", "--quiet", "origin")
    git(clone, "reset", "--quiet", "--hard", "origin/topic")
    git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/main")
    runs = len(git(origin, "show", "gpugate-baselines:baselines/resnet50.history.jsonl").splitlines())
    _, code, log = push.action(GITHUB / "append", clone, {"folder": out["folder"], "suite": "suite.yaml", "workload": "suite-all", "program": PROGRAM})
    expect("one that is the baseline keeps no other from its history", (code, "has this run already" in log), (0, True))
    expect("appended", len(git(origin, "show", "gpugate-baselines:baselines/resnet50.history.jsonl").splitlines()), runs + 1)
    # A suite of a fork: its runs, taken from the artifact of the fork's job, are judged anew.
    out, code, log = Runner(folder, forge, {"workflow_run": {}}, "workflow_run").action(ROOT, clone, {**asked, "cases": out["folder"] + "/cases", "artifact": "none",
                                                                                                 "folder": str(folder / "anew"), "comment": "never"})
    expect("judged anew", (code, out["verdict"]), (0, "pass"))
    forge.server.shutdown()


# ---- Jenkins ----

def jenkins(folder):
    """The posting step of ci/jenkins makes a comment, and a status on the pull request's own commit."""
    forge = _forge.Forge()
    _, clone = repository(folder)
    step = re.search(r"sh '''(.*?)'''", (ROOT / "ci" / "jenkins" / "README.md").read_text(), re.S)[1].replace("OWNER/NAME", "o/r")
    git(clone, "commit", "--quiet", "--allow-empty", "-m", "topic")
    head = git(clone, "rev-parse", "HEAD")
    git(clone, "update-ref", "refs/remotes/origin/PR-7", head)    # as Jenkins's plugin for GitHub does: it fetches the head of the pull request, and then merges main
    git(clone, "commit", "--quiet", "--allow-empty", "-m", "merge")
    (clone / "gpugate").mkdir()
    subprocess.run([PROGRAM, "check", trace(folder, 2, "--slow-kernel", "*flash_bwd*=4"), "--workload", "resnet50", "--markdown", "gpugate/report.md",
                    "--json", "gpugate/result.json"], cwd=clone, check=False, capture_output=True)
    p = subprocess.run(["sh", "-ec", step.replace("--api github", f"--api github --url {forge.address}")], cwd=clone, capture_output=True, text=True, check=False, env={
        "PATH": os.environ["PATH"], "HOME": str(folder), "FORGE": str(ROOT / "ci" / "forge"), "CHANGE_ID": "7", "BRANCH_NAME": "PR-7", "GPUGATE_TOKEN": TOKEN})
    expect("jenkins", (p.returncode, len(forge.bodies()), dict(forge.statuses)), (0, 1, {(head, "gpugate/resnet50"): "failure"}))
    forge.server.shutdown()


# ---- GitLab ----

def gitlab_jobs(plain=True, **inputs):
    text = TEMPLATE.read_text()
    spec, jobs = text.split("\n---\n")
    declared = yaml.safe_load(spec)["spec"]["inputs"]
    expect("gpugate.yml: inputs", set(re.findall(r"\$\[\[ inputs\.([\w-]+) \]\]", jobs)), set(declared))
    if plain:
        jobs = re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda m: str(inputs.get(m[1], declared[m[1]].get("default"))), jobs)
    return yaml.safe_load(jobs)


def gitlab(folder):
    forge = _forge.Forge()
    origin, clone = repository(folder)
    jobs = gitlab_jobs(runs=str(trace(folder, 2, "--slow-kernel", "*flash_bwd*=4")), workload="resnet50", scripts=str(ROOT / "ci" / "forge"))
    expect("jobs", set(jobs), {".gpugate", "gpugate", "gpugate-verdict", "gpugate-accept", "gpugate-append"})
    topic = git(origin, "rev-parse", "topic")
    reports = jobs["gpugate"]["artifacts"]
    (folder / "bin").mkdir()
    (folder / "bin" / "gpugate").symlink_to(PROGRAM)
    predefined = {"CI_PROJECT_DIR": str(clone), "CI_PROJECT_URL": f"file://{origin}"[:-4] if origin.suffix == ".git" else f"file://{origin}", "CI_COMMIT_SHA": topic,
                  "CI_API_V4_URL": forge.address, "CI_PROJECT_ID": "5", "CI_JOB_STARTED_AT": "2027-01-01T12:00:00Z", "CI_JOB_NAME": "gpugate", "GITLAB_CI": "true"}
    request = {"CI_MERGE_REQUEST_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic"}
    origin.rename(origin.with_suffix(".git"))
    git(clone, "remote", "set-url", "origin", f"file://{origin}.git")

    def run(name, **more):
        env = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8", "GPUGATE_TOKEN": TOKEN, "GPUGATE_PUSH_TOKEN": TOKEN,
               "SOURCE_DATE_EPOCH": "1767225600", **predefined, **more}
        for key, value in jobs[jobs[name]["extends"]]["variables"].items():
            env[key] = re.sub(r"\$(CI_\w+)", lambda m: env[m[1]], value)
        p = subprocess.run(["bash", "-eo", "pipefail", "-c", "\n".join(jobs[name]["script"])], cwd=clone, env=env,
                           capture_output=True, text=True, check=False)
        if TOKEN in p.stdout + p.stderr:
            wrong.append(f"{name}: the token is printed")
        return p.returncode, p.stdout + p.stderr
    code, log = run("gpugate", **request)
    expect("gpugate", (code, len(forge.bodies())), (0, 1))
    expect("the job that answers", f"Comment `/gpugate approve {topic[:12]} REASON`, then start the job `gpugate-accept` (write" in forge.bodies()[0], True)
    fork = {**request, "CI_PROJECT_ID": "6", "CI_PROJECT_URL": "file:///nowhere"}
    code, log = run("gpugate", **fork, CI_MERGE_REQUEST_PROJECT_URL=f"file://{origin}")
    expect("in a fork", (code, "runs in a fork" in log, "gate: success" in log), (0, True, False))
    expect("artifacts", [f for f in (*reports["paths"], *reports["reports"].values()) if not (clone / f).exists()], [])
    expect("verdict", run("gpugate-verdict", **request)[0], 1)
    forge.comment(3, "/gpugate accept what was there before", created_at="2027-01-01T11:59:59Z", updated_at="2027-01-01T11:59:59Z")
    code, log = run("gpugate-accept", **request, CI_JOB_STARTED_AT="2027-01-01T14:00:00Z")
    expect("not approved", (code, "nobody who may has approved" in log), (1, True))
    forge.permission["user3"] = 30
    forge.comment(3, "/gpugate accept new kernel", created_at="2027-01-01T13:00:00Z", updated_at="2027-01-01T13:00:00Z")
    code, log = run("gpugate-accept", **request)
    expect("approved", (code, "to topic" in log), (0, True))
    git(clone, "fetch", "--quiet", "origin")
    git(clone, "checkout", "--quiet", "-B", "topic", "origin/topic")
    expect("green", (run("gpugate", **request)[0], run("gpugate-verdict", **request)[0]), (0, 0))
    expect("its note", "\u2705 gpugate" in forge.bodies()[0], True)
    git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/main")
    main = {"CI_COMMIT_BRANCH": "main", "CI_MERGE_REQUEST_IID": ""}
    jobs[".gpugate"]["variables"]["GPUGATE_RUNS"] = str(trace(folder, 3, "--slow-kernel", "*flash_bwd*=4"))
    expect("main", run("gpugate", **main)[0], 0)
    code, log = run("gpugate-append", **main, GPUGATE_PUSH_TOKEN="")
    expect("with the token of branches only", (code != 0, "GPUGATE_PUSH_TOKEN: is not set" in log), (True, True))
    code, log = run("gpugate-append", **main)
    expect("appended", (code, "to gpugate-baselines" in log), (0, True))
    forge.server.shutdown()


def main():
    if not os.environ.get("GPUGATE"):
        sys.exit(77)
    check_actions()
    check_workflows()
    check_shells()
    check_page()
    check_act()
    check_push_token()
    for test in (check_kubernetes, github, jenkins, gitlab):
        with tempfile.TemporaryDirectory() as name:
            test(pathlib.Path(name))
    finish()


if __name__ == "__main__":
    main()
