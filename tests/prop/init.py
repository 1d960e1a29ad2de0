#!/usr/bin/env python3
"""The files of `gpugate init` are valid: lint accepts the rules, a YAML parser and the inputs of the used actions accept
the workflows, and a run passes the rules that were adapted to it. Either all files are written or none. A second `init` adds another
workload, and leaves every file that is there as it is.

usage: init.py       ($GPUGATE is the program; skipped without python3-yaml)
"""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from _gen import generate
from _packages import need

need("yaml")
import yaml  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPUGATE = os.environ.get("GPUGATE")
GITHUB = [".github/workflows/gpugate.yml", ".github/workflows/gpugate-act.yml"]
SECRET = "glpat-do-not-print"
bad = 0


def expect(law, what):
    global bad
    if not law:
        bad += 1
        print(f"FAILED: {what}")


def run(dir, *arguments, code=0):
    done = subprocess.run([GPUGATE, *map(str, arguments)], capture_output=True, text=True, cwd=dir)
    expect(done.returncode == code, f"{dir.name}: exit {done.returncode}, not {code}: {arguments}: {done.stderr}{done.stdout[-500:]}")
    expect(SECRET not in done.stdout + done.stderr, f"{dir.name}: the token of the remote was printed")
    expect(done.returncode == 0 or done.stderr.count("\n") == 1 or arguments[0] != "init", f"several lines: {done.stderr}")
    return done


def make(path, *options, what="trace"):
    return generate(what, path, *options)


def files(dir):
    return sorted(str(p.relative_to(dir)) for p in dir.rglob("*") if p.is_file() and ".git" not in p.parts)


def repository(top, name, remote=None, has=()):
    dir = top / name
    (dir / ".git" / "refs" / "remotes" / "origin").mkdir(parents=True)
    if remote:
        (dir / ".git" / "config").write_text(f'[core]\n\tbare = false\n[remote "fork"]\n\turl = https://github.com/x/y\n'
                                             f'[remote "origin"]\n\tfetch = +refs/heads/*\n\turl = {remote}\n')
    for path in has:
        (dir / path).parent.mkdir(parents=True, exist_ok=True)
        (dir / path).write_text("{}\n")
    return dir


# ---- the files that init writes ----


def check_inputs(name, used, declared):
    expect(set(used) <= set(declared), f"{name}: no such inputs: {set(used) - set(declared)}")
    missing = [k for k, v in declared.items() if k not in used and (v.get("required") or "default" not in v)]
    expect(not missing, f"{name}: inputs missing: {missing}")


def check_github(dir, workload, run_name, branch, more="", home=None):
    github = [re.sub(r"\.yml$", more + ".yml", path) for path in GITHUB]
    gate = yaml.safe_load((dir / github[0]).read_text())
    expect(gate[True]["push"]["branches"] == [branch], f"{dir.name}: branches {gate[True]}")
    act = yaml.safe_load((dir / github[1]).read_text())
    expect(act[True]["workflow_run"]["workflows"] == [gate["name"]], f"{github[1]}: {act[True]}, of {gate['name']}")
    for path, called, most in zip(github, ("measure", "act"), (25, 15)):
        text = (dir / path).read_text()
        expect("resnet50" not in text, f"{path} speaks of the example")
        expect(more or text.count("\n") <= most, f"{path}: {text.count(chr(10))} lines")
        (job,) = yaml.safe_load(text)["jobs"].values()
        expect(job["uses"] == "{}/.github/workflows/{}.yml@{}".format((home or own)[0], called, (home or own)[1]), f"{path}: {job['uses']}")
        inputs = yaml.safe_load((ROOT / ".github" / "workflows" / f"{called}.yml").read_text())[True]["workflow_call"]["inputs"]
        check_inputs(path, job["with"], inputs)
        expect(job["with"]["workload"] == workload, f"{path}: {job['with']}")
        for key, file in (("rules", f"rules/gpugate{more}.yaml"), ("workflow", github[0])):
            expect(job["with"].get(key) == (file if more and key in inputs else None), f"{path}: {key} of {job}")
        if called == "measure":
            expect(job["with"]["runs"] == run_name, f"{path}: runs {job['with']['runs']}")


def check_gitlab(dir, workload, run_name, more="", home=None):
    path = f".gitlab/gpugate{more}.yml"
    text = (dir / path).read_text()
    expect("resnet50" not in text, f"{path} speaks of the example")
    pipeline = yaml.safe_load(text)
    (include,) = pipeline["include"]
    spec, jobs = yaml.safe_load_all((ROOT / "templates" / "gpugate.yml").read_text())
    expect(include["component"] == "$CI_SERVER_FQDN/{}/gpugate@{}".format(*(home or own)), f"{path}: {include}")
    check_inputs(path, include["inputs"], spec["spec"]["inputs"])
    expect(include["inputs"]["workload"] == workload and include["inputs"]["runs"] == run_name, f"{path}: {include}")
    expect("benchmark" in include["inputs"], f"{path}: runs no benchmark: {include}")
    job = include["inputs"].get("job", spec["spec"]["inputs"]["job"]["default"])
    names = {name.replace("$[[ inputs.job ]]", job) for name in jobs}
    expect(job == f"gpugate{more}" and include["inputs"].get("rules", "rules/gpugate.yaml") == f"rules/gpugate{more}.yaml", f"{path}: {include}")
    expect(set(pipeline) - {"include"} <= names, f"{path}: jobs that the component does not have: {set(pipeline)}")


def check_rules(dir, workload, path="rules/gpugate.yaml"):
    text = (dir / path).read_text()
    run(dir, "lint", path)
    expect(yaml.safe_load(text)["workload"] == workload, f"{dir.name}: {yaml.safe_load(text)['workload']}")
    return yaml.safe_load(text)


# ---- detection of the CI system ----

# name of the case: remote of git, existing files, options of init; expected CI system, or exit code of a refusal
SYSTEMS = {
    "nothing": (None, [], [], "none"),
    "github": (None, [".github/workflows/test.yml"], [], "github"),
    "gitlab": (None, [".gitlab-ci.yml"], [], "gitlab"),
    "both": (None, [".github/a", ".gitlab-ci.yml"], [], 2),
    "both-said": (None, [".github/a", ".gitlab-ci.yml"], ["--home", "github"], "github"),
    "both-remote": ("git@gitlab.example.com:a/b.git", [".github/a", ".gitlab-ci.yml"], [], "gitlab"),
    "remote-https": (f"https://oauth2:{SECRET}@gitlab.example.com/github/b.git", [], [], "gitlab"),
    "remote-ssh": ("ssh://git@github.com:22/gitlab/b", [], [], "github"),
    "remote-scp": ("git@github.com:gitlab/b", [], [], "github"),
    "remote-other": ("https://example.com/github.com/b", [], [], "none"),
    "files-first": ("git@github.com:a/b", [".gitlab-ci.yml"], [], "gitlab"),
    "none": ("git@github.com:a/b", [".github/a"], ["--home", "none"], "none"),
    "unknown": (None, [], ["--home", "jenkins"], 2),
}


def test_systems(top):
    for name, (remote, has, options, want) in SYSTEMS.items():
        dir = repository(top, name, remote, has)
        before = files(dir)
        done = run(dir, "init", *options, code=want if isinstance(want, int) else 0)
        new = [f for f in files(dir) if f not in before]
        own = ".gitlab-ci.yml" in has
        expected = {"none": [], "github": GITHUB, "gitlab": [".gitlab/gpugate.yml", *([] if own else [".gitlab-ci.yml"])]}.get(want)
        expect(new == ([] if expected is None else sorted([*expected, "baselines/.gitattributes", "rules/gpugate.yaml"])), f"{name}: wrote {new}")
        if expected is None:
            continue
        check_rules(dir, name)
        if want == "github":
            check_github(dir, name, "trace.json.gz", "main")
        if want == "gitlab":
            check_gitlab(dir, name, "trace.json.gz")
            expect(("by you: include: .gitlab/gpugate.yml\n" in done.stdout) == own, f"{name}: {done.stdout}")
            expect(own or yaml.safe_load((dir / ".gitlab-ci.yml").read_text()) == {"include": ".gitlab/gpugate.yml"}, name)
            expect("changed by you" not in run(dir, "init", "--force").stdout or own, f"{name}: it is included")
        for path in new:
            expect(path in done.stdout, f"{name}: {path} is not said")
        expect(("\nnext:\n  gpugate approve --new trace.json.gz\n  git add baselines/" if want == "none" else "\nnext:\n  git add ") in done.stdout, f"{name}: {done.stdout}")
        expect(("The first run of main that the pipeline stores is the baseline." in done.stdout) == (want != "none"), f"{name}: {done.stdout}")


def test_next(top):
    """The next command is one that runs, whatever the run is called and wherever it lies."""
    dir = repository(top, "next")
    for i, name in enumerate(("result.json", "../outside.json", "a result.json", "it's.json")):
        (dir / name).write_text('{"tokens_per_s": 1}')
        done = run(dir, "init", name, "--workload", f"w{i}")
        command = done.stdout.split("\nnext:\n  gpugate ")[1].splitlines()[0]
        made = subprocess.run(f"{GPUGATE} {command}", shell=True, capture_output=True, text=True, cwd=dir)
        expect(made.returncode == 0 and (dir / "baselines" / f"w{i}.json").is_file(), f"{name}: {command}: {made.stderr}")


def test_logs(top):
    """A log of no known format is read by what init writes; a file without figures is refused, and nothing is written for it."""
    dir = repository(top, "logs")
    for name, text in (("a.log", "Throughput: {} tok/s\nPeak memory: 5.5 GiB\n"), ("it's.log", "{{'tok_s': {}, 'epoch': 0.5}}\n"), ("t.md", "| n | tok/s |\n|---|---|\n| a | {} |\n")):
        (dir / name).write_text(text.format(120.5))
        workload = f"w{len(files(dir))}"
        done = run(dir, "init", name, "--workload", workload)
        (command,) = [line for line in done.stdout.splitlines() if line.startswith("  gpugate approve")]
        made = subprocess.run(command.replace("gpugate", GPUGATE, 1), shell=True, capture_output=True, text=True, cwd=dir)
        expect(made.returncode == 0, f"{name}: {command}: {made.stderr}")
        checks = ["check", name, *command.split()[command.split().index("--rules"):][:2]] if "--rules" in command else ["check", name]
        run(dir, *checks)
        (dir / name).write_text(text.format(60.5))
        run(dir, *checks, code=1)
    before = files(dir)
    (dir / "words.log").write_text("no figure is here\n")
    done = run(dir, "init", "words.log", "--workload", "words", code=3)
    expect("'gpugate explain FILE'" in done.stderr and files(dir) == sorted([*before, "words.log"]), done.stderr)


def test_refused(top):
    """The command that init proposes for a run with a fault is not refused."""
    dir = repository(top, "refused")
    (dir / "run").mkdir()
    job = ("--world-size", "2", "--nccl", "--seed", "2")
    make(dir / "run" / "rank0.json.gz", *job, "--rank", "0", "--steps", "4")
    make(dir / "run" / "rank1.json.gz", *job, "--rank", "1", "--steps", "3")
    done = run(dir, "init", "run", "--home", "none")
    (command,) = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("  gpugate approve")]
    expect("cannot be the baseline: the run ends early" in done.stdout and command[-2:] == ["--accept", "ends-early"], done.stdout)
    run(dir, "approve", "--new", "run", code=3)
    run(dir, *command)


def test_home(top):
    """Workflows name gpugate by --home, or as it was built: by the remote of its clone, without host and user."""
    for ci, home in (("github", ("acme/tools", "v1.2")), ("gitlab", ("acme/gpu/gate-2", "0123abc"))):
        dir = repository(top, f"home-{ci}")
        done = run(dir, "init", "--workload", "w", "--home", ci + ":" + "@".join(home))
        if ci == "github":
            check_github(dir, "w", "trace.json.gz", "main", home=home)
        else:
            check_gitlab(dir, "w", "trace.json.gz", home=home)
        expect("gpugate/gpugate" not in done.stdout, f"an address: {done.stdout}")
    for word in ("acme", "acme@v1", "acme/tools", "acme/@v1", "/tools@v1", "acme/tools@", "acme/../tools@v1", "acme/tools@v 1", "acme/$(id)@v1", "", "github:", "jenkins:a/b@c"):
        run(dir, "init", "--force", "--home", word, code=2)

    def built(*options):
        return subprocess.run(["cmake", f"-DPROJECT_SOURCE_DIR={dir}", *options, "-P", ROOT / "cmake" / "Home.cmake"], capture_output=True, text=True,
                              check=True).stderr.strip()
    git = ["git", "-C", dir, "-c", "user.name=me", "-c", "user.email=me@example.com"]
    for args in (["init", "--quiet"], ["commit", "--quiet", "--allow-empty", "-m", "x"], ["remote", "add", "origin", "x"]):
        subprocess.run([*git, *args], check=True, capture_output=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    for url, want in ((f"https://me:{SECRET}@example.com:8443/acme/tools.git", "acme/tools"), ("git@example.com:acme/tools", "acme/tools"),
                      ("ssh://git@example.com:22/a/b/c.git", "a/b/c"), (str(top), ""), ("file:///srv/git/a/b", ""), ("https://example.com/a b/c", ""), ("../a/b", "")):
        subprocess.run([*git, "remote", "set-url", "origin", url], check=True)
        expect(built() == (want and f"{want}@{head}"), f"{url}: {built()}")
    subprocess.run([*git, "remote", "set-url", "origin", "git@example.com:acme/tools"], check=True)
    subprocess.run([*git, "tag", "v9"], check=True)
    expect((built(), built("-DGPUGATE_HOME=a/b@c"), built("-DGPUGATE_TESTS_REQUIRED=ON")) == ("acme/tools@v9", "a/b@c", ""), f"built: {built()}")


def test_below(top):
    dir = repository(top, "above") / "a" / "b"
    dir.mkdir(parents=True)
    done = run(dir, "init", "--home", "github", code=2)
    expect("'../..'" in done.stderr, done.stderr)
    run(dir, "init")
    expect(files(dir) == ["baselines/.gitattributes", "rules/gpugate.yaml"], f"below: {files(dir)}")
    for name, ignored, said in (("new", None, False), ("old", "*.o\n", True), ("has", "/result.json\n", False)):
        dir = repository(top, f"ignore-{name}")
        (dir / "result.json").write_text('{"tokens_per_s": 1}')
        if ignored:
            (dir / ".gitignore").write_text(ignored)
        done = run(dir, "init", "./result.json")
        expect(("by you: /result.json\n" in done.stdout) == said, f"{name}: {done.stdout}")
        expect((dir / ".gitignore").read_text().endswith(ignored or "\n/result.json\n"), f"{name}: .gitignore")


# ---- names of workloads ----

NAMES = {"My Model (v2)": "My-Model-v2", "..hidden": "hidden", "a..b": "a.b", "2048": "2048", "1e5": "1e5", "true": "true",
         "null": "null", "a\nworkload: x": "a-workload-x", "\"quoted\": #": "quoted", "日本": "default", "-rf": "rf", "x" * 200: "x" * 60}


def test_names(top):
    for raw, want in NAMES.items():
        dir = repository(top / "names", raw, "git@github.com:a/b")
        (dir / ".git/refs/remotes/origin/HEAD").write_text("ref: refs/remotes/origin/2.0\n")
        run(dir, "init")
        check_rules(dir, want)
        check_github(dir, want, "trace.json.gz", "2.0")
    dir = repository(top, "named", has=["baselines/other.json"])
    done = run(dir, "init")
    check_rules(dir, "other")
    expect("gpugate check trace.json.gz" in done.stdout, f"a baseline is there: {done.stdout}")
    (dir / "rules/gpugate.yaml").unlink()
    run(dir, "init", "--workload", "said.1")
    check_rules(dir, "said.1")
    for name in ("a b", "a:b", "-x", "a/b", "a..b", "é"):
        run(dir, "init", "--force", "--workload", name, code=2)
    check_rules(dir, "said.1")


# ---- all files are written, or none ----


def test_all_or_nothing(top):
    dir = repository(top, "twice", "git@github.com:a/b")
    run(dir, "init")
    (dir / "rules/gpugate.yaml").write_text("mine")
    (dir / GITHUB[1]).unlink()
    run(dir, "init", code=2)
    expect(not (dir / GITHUB[1]).exists(), "a file was written beside rules that cannot be read")
    expect((dir / "rules/gpugate.yaml").read_text() == "mine", "a file was replaced")
    run(dir, "init", "--force")
    check_rules(dir, "twice")
    check_github(dir, "twice", "trace.json.gz", "main")

    dir = repository(top, "file-in-the-way", "git@github.com:a/b", [".github"])
    run(dir, "init", code=5)
    expect(files(dir) == [".github"] and not (dir / "rules").exists(), f"left behind: {files(dir)}")
    dir = repository(top, "link-in-the-way", "git@github.com:a/b")
    (top / "outside").mkdir()
    (dir / ".github").symlink_to(top / "outside")
    run(dir, "init", code=5)
    run(dir, "init", "--force", code=5)
    expect(not files(dir) and not files(top / "outside"), "written through a link")
    dir = repository(top, "directory-in-the-way", "git@github.com:a/b")
    (dir / GITHUB[1]).mkdir(parents=True)
    run(dir, "init", "--force", code=5)
    expect(not files(dir) and not (dir / "rules").exists(), f"left behind: {files(dir)}")


# ---- a second init ----


def test_second(top):
    """A second `init` adds a workload; the same one again writes what is not there; no file that is there is touched without --force."""
    for forge, check, main in (("github", check_github, ["main"]), ("gitlab", check_gitlab, [])):
        dir = repository(top / "second", forge, f"git@{forge}.com:a/b")
        run(dir, "init", "--workload", "one")
        for path in files(dir):
            (dir / path).write_text((dir / path).read_text() + "# mine\n")
        before = {path: (dir / path).read_text() for path in files(dir)}
        for again in ([], ["--workload", "one"]):
            said = run(dir, "init", *again).stdout
            expect("nothing to write" in said and files(dir) == sorted(before), f"{forge}: {said}")
        (dir / "traces").mkdir()
        make(dir / "traces" / "trace.json.gz", "--seed", "1", "--steps", "4")
        said = run(dir, "init", "traces/trace.json.gz", "--workload", "two").stdout
        check(dir, "two", "traces/trace.json.gz", *main, more="-two")
        check_rules(dir, "two", "rules/gpugate-two.yaml")
        expect("\n  git add rules/gpugate-two.yaml " in said, said)
        expect(forge == "github" or ".gitlab-ci.yml: to be changed by you: include: .gitlab/gpugate-two.yml\n" in said, said)
        run(dir, "approve", "--new", "traces/trace.json.gz", "--rules", "rules/gpugate-two.yaml")
        run(dir, "check", "traces/trace.json.gz", "--rules", "rules/gpugate-two.yaml")
        all_files = {path: (dir / path).read_bytes() for path in files(dir)}
        expect("nothing to write" in run(dir, "init", "--workload", "two").stdout, f"{forge}: twice")
        (dir / "rules/gpugate-two.yaml").write_text("version: 2\n")
        run(dir, "init", "traces/trace.json.gz", "--workload", "two", "--force")
        expect({path: (dir / path).read_bytes() for path in files(dir)} == all_files, f"{forge}: --force is not for the workload alone")
        expect({path: (dir / path).read_text() for path in before} == before, f"{forge}: a file of the first workload was touched")


def test_advice(top):
    """What init advises leads on: the address of gpugate and the lines of the project stay, and all files are to be added."""
    for forge, lines in (("github", ("runner: '[\"gpu\"]'", "benchmark: |\n        pip install .\n\n        ./bench.sh")), ("gitlab", ("benchmark: ./bench.sh", "tags: [h100]"))):
        dir = repository(top / "advice", forge, f"git@{forge}.com:a/b")
        (dir / "profiles").mkdir()
        make(dir / "profiles" / "rank0.json.gz", "--seed", "1", "--steps", "4")
        said = run(dir, "init", "profiles", "--workload", "one").stdout
        expect("'gpugate init profiles --workload one --force --home OWNER/REPO@REF' writes it" in said, said)
        run(dir, "init", "profiles", "--force", "--home", "me/gate@v1")
        gate = dir / (GITHUB[0] if forge == "github" else ".gitlab/gpugate.yml")
        text = gate.read_text()
        for line in lines:
            text = re.sub(rf"{line.partition(':')[0]}: .*", line.replace("\\", ""), text)
        gate.write_text(text)
        (dir / "rules/gpugate.yaml").write_text("version: 2\nworkload: one\nrules: {gpu-utilization: off}\n")
        said = run(dir, "init", "--force").stdout
        expect(gate.read_text() == text and "me/gate" in text and all(line in text for line in lines), f"{forge}: {gate.read_text()}")
        expect("lack the address" not in said and "'one' in place of the former file" in said, said)
        expect(set(files(dir)) - {"profiles/rank0.json.gz"} == set(re.search(r"git add (.*)", said)[1].split()), f"{forge}: {said}")
        run(dir, "init", "--force", "--home", "me/other@v2")
        expect(gate.read_text() == text.replace("me/gate", "me/other").replace("@v1", "@v2"), f"{forge}: {gate.read_text()}")
        make(top / "advice" / f"{forge}.json.gz", "--seed", "2", "--steps", "4")
        said = run(dir, "init", f"../{forge}.json.gz", "--force").stdout
        expect("names trace.json.gz as the run, since what was given is not one plain path in the repository" in said, said)
    for stages, stage in (("stages: [bench, gate] # test\njob: {stage: bench, script: x}\n", "gate"), ("image: x\nstages:\n  - bench\n  # test\n  - gate-it\njob: {stage: bench, script: x}\n", "gate-it"),
                          ("stages:\n- bench\n- \"deploy\"\n", "deploy"), ("stages: [build, test]\n", None), ("job: {stage: test, script: x}\n", None), ("stages:\n- test\n- deploy\n", None),
                          ("stages: !reference [.x, stages]\n", None), ("stages: *all\n", None)):
        (dir / ".gitlab-ci.yml").write_text(stages)
        run(dir, "init", "--force")
        inputs = yaml.safe_load((dir / ".gitlab/gpugate.yml").read_text())["include"][0]["inputs"]
        expect(inputs.get("stage") == stage, f"{stages}: {inputs}")


# ---- attributes for git ----


def test_attributes(top):
    """Git understands the .gitattributes that init writes, and merges histories of two branches line by line."""
    dir = top / "attributes"
    dir.mkdir()

    def git(*words):
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@y", *words], capture_output=True, text=True, cwd=dir, env=env)
        expect(done.returncode == 0, f"git {words}: {done.stderr}")
        return done.stdout
    git("init", "-q", "-b", "main")
    run(dir, "init", "--home", "none")
    history = dir / "baselines" / "x.history.jsonl"
    for path in ("baselines/x.json", "baselines/H100/x.json"):  # second: as from "baselines/{gpu}/{workload}.json" of rules
        said = git("check-attr", "linguist-generated", "merge", "--", path)
        expect("linguist-generated: set" in said and "merge: unset" in said, f"baselines are not folded, or merged as text: {said}")
    for branch, lines in (("main", "1\n"), ("a", "1\n2\n"), ("b", "1\n3\n")):
        git("checkout", "-q", *(["-b", branch, "main"] if branch != "main" else ["-B", "main"]))
        history.write_text(lines)
        git("add", ".")
        git("commit", "-q", "-m", branch)
    git("merge", "-q", "-m", "join", "a")
    expect(sorted(history.read_text().split()) == ["1", "2", "3"], f"joined: {history.read_text()}")
    (dir / "baselines" / ".gitattributes").write_text("mine\n")
    run(dir, "init", "--force", "--home", "none")
    expect((dir / "baselines" / ".gitattributes").read_text() == "mine\n", "attributes were replaced")


# ---- rules adapted to runs ----


def test_runs(top):
    inputs = top / "inputs"
    inputs.mkdir()
    runs = {
        "trace": (make(inputs / "trace.json.gz", "--seed", "1", "--steps", "6"), []),
        "no-memory": (make(inputs / "nomem.json.gz", "--seed", "1", "--steps", "6", "--no-memory"), []),
        "window": (make(inputs / "window.json.gz", "--seed", "1", "--steps", "6", "--no-steps"), []),
        "snapshot": (make(inputs / "snapshot.json", "--seed", "1", what="snapshot"), []),
        "ranks": (make(inputs / "ranks", "--ranks", "4", "--seed", "1", what="ranks"), []),
        "figures": (inputs / "figures.json", []),
    }
    runs["figures"][0].write_text('{"tokens_per_s": 1000, "latency_ms": 20}')
    judging = {}
    for name, (path, options) in runs.items():
        dir = repository(top, f"run-{name}")
        said = run(dir, "init", path, *options).stdout
        rules = check_rules(dir, f"run-{name}")
        expect(rules["version"] == 2 and "rules" not in rules, f"{name}: {rules}")
        judging[name] = int(re.search(r"of which (\d+) of \d+ judge this run", said)[1])
        run(dir, "approve", "--new", path)
        # no figure is missing, and nothing fails when the run is compared with itself
        done = run(dir, "check", path, "--json", "result.json")
        expect('"missing": 0' in (dir / "result.json").read_text(), f"{name}: {done.stdout}")
        # the example in the file is a rule that judges the run
        example = re.sub(r"^# (rules:|  )", r"\1", (dir / "rules/gpugate.yaml").read_text(), flags=re.M)
        (dir / "example.yaml").write_text(example)
        run(dir, "check", path, "--rules", "example.yaml", "--json", "result.json")
        rule = next(iter(yaml.safe_load(example)["rules"]))
        checks = [c["verdict"] for c in json.loads((dir / "result.json").read_text())["checks"] if c["rule"] == rule]
        expect(checks and "skipped" not in checks, f"{name}: the example {rule} judges nothing")
    expect(judging["snapshot"] < judging["window"] < judging["trace"] and judging["no-memory"] < min(judging["trace"], judging["ranks"]), f"{judging}")
    dir = top / "run-ranks"
    expect(yaml.safe_load((dir / "rules/gpugate.yaml").read_text())["inputs"] == {"expect_ranks": 4}, "expect_ranks")

    dir = repository(top, "marker", "git@gitlab.com:a/b")
    trace = make(dir / "my.json.gz", "--seed", "1", "--steps", "6")
    run(dir, "init", "my.json.gz", "--marker", 'Profiler"\\*')
    expect(check_rules(dir, "marker")["steps"] == {"marker": 'Profiler"\\*'}, "marker")
    check_gitlab(dir, "marker", "my.json.gz")
    run(dir, "init", trace, "--force") # a job's clone does not have this absolute path, so the file gets only the trace's name
    check_gitlab(dir, "marker", "trace.json.gz")
    run(dir, "init", "--marker", "a\nb", "--force", code=2)
    run(dir, "init", "absent.json", "--force", code=3)
    check_gitlab(dir, "marker", "trace.json.gz")
    # if the trace has no step markers, init writes annotations that could be steps as the marker
    document = json.loads(gzip.decompress(trace.read_bytes()))
    for e in document["traceEvents"]:
        e["name"] = re.sub("^ProfilerStep#", "train_step ", str(e.get("name")))
    (dir / "unmarked.json").write_text(json.dumps(document))
    done = run(dir, "init", "unmarked.json", "--force")
    expect(check_rules(dir, "marker")["steps"] == {"marker": "train_step *"}, done.stdout)
    expect("'train_step *' make 6 of them" in done.stdout, done.stdout)
    run(dir, "approve", "--new", "unmarked.json")
    expect("6 steps" in run(dir, "check", "unmarked.json").stdout, "the steps of the marker that init wrote")
    for words in (["metrics", "unmarked.json"], ["report", "unmarked.json"], ["diff", "unmarked.json", "unmarked.json"]):
        done = run(dir, *words, "--rules", ROOT / "rules/default.yaml")
        expect("'train_step *' would make 6 steps" in " ".join(done.stdout.split()), f"{words}: {done.stdout}")
    found = repository(top, "found")
    (found / "traces").mkdir()
    (found / "trace.json").write_text('{"name": "of something else"}')
    expect("was found" not in run(found, "init").stdout, "what is no profile was found")
    make(found / "traces" / "rank0.json.gz", "--seed", "1", "--steps", "2")
    done = run(found, "init", "--force")
    expect("'gpugate init traces --force'" in done.stdout and "approve --new traces\n" in done.stdout, done.stdout)


def main():
    global own
    if not GPUGATE:
        print("skipped: $GPUGATE is needed")
        return 77
    own = "gpugate/gpugate", "v" + subprocess.run([GPUGATE, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        test_systems(top)
        test_next(top)
        test_logs(top)
        test_refused(top)
        test_home(top)
        test_below(top)
        test_names(top)
        test_all_or_nothing(top)
        test_second(top)
        test_advice(top)
        test_attributes(top)
        test_runs(top)
    print("FAILED" if bad else "ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
