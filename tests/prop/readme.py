#!/usr/bin/env python3
"""Statements in README.md and the pages of docs/ are true.

 - every ```sh and ```python block runs, in the order of the page, in a separate folder with the runs that examples name; a
   command ends with 0, or with the code in its comment "# exit N". Python runs with tests/gen/standin in place of PyTorch
   and JAX; where its first line is "# train.py", it is kept under that name
 - a ```yaml block with a version is a rules file that passes `lint` (post_files.py looks at those of pipelines, ```yml)
 - the picture of a comment that README.md shows, docs/comment.svg, has what the example of ci/quickstart gets today
 - every option and command that the pages name exists, and every command in `--help` is named
 - docs/rules.md, or the head of rules/formats.yaml, names every key of a rules file, CONTRIBUTING.md every folder of src
 - links, anchors and named files of the project exist
 - the figures of README.md are those of docs/simulation.md, its first output is what the program prints
 - the files that docs/pull-requests.md shows whole are those of ci/ and templates/
 - pages, actions and templates name the version of CMakeLists.txt

usage: readme.py [--update] [PAGE…]      ($GPUGATE is the program; exit 77 skips)
--update writes the picture, tables and files anew; with pages, only examples of these run.
"""
import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap

from _gen import GEN, generate
from _packages import need
from _picture import svg

need("yaml")
import yaml  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
BESIDE = [CONTRIBUTING, ROOT / "SECURITY.md", *sorted((ROOT / "ci").glob("*/README.md")), ROOT / "tests" / "sim" / "README.md"]  # their links are checked too
# Runs that the examples name: traces, snapshots and jobs of many ranks.
TRACES = {"trace": 1, "first-run": 1, "main1": 1, "main2": 2, "main3": 3, "main4": 4, "main5": 5, "pr1": 6, "pr2": 7, "pr3": 8}
SLOWER = ("--seed", 9, "--slow-kernel", "*flash_bwd*=2")
# Code that precedes each example in Python. The same code, followed by a plain training loop, is the file train.py, which commands
# of the examples record unchanged.
PRELUDE = """\
import os, signal, sys
from torch.optim import SGD
loader, optimizer = range(30), SGD()
def train(batch):
    optimizer.step()
    {inside}
"""
TORCHRUN = """\
#!/bin/sh
[ "$1" = --nproc-per-node ] || exit 2
shift 2
for rank in 0 1; do RANK=$rank WORLD_SIZE=2 python3 "$@" || exit 1; done
"""
# A fake nsys, which records nothing and exports the run in trace.json.gz.
NSYS = """\
#!/bin/sh
[ "$1" = profile ] && exit
[ "$1 $2 $3 $4" = "export --type sqlite -o" ] && exec python3 {gen}/nsys.py trace.json.gz --out "$5"
exit 2
"""
# Options on these pages that belong to other programs.
FOREIGN = {"--counted", "--cuda-graph-trace", "--cuda-memory-usage", "--capture-range", "--gpu-metrics-devices", "--no-python", "--trace", "--type",
           "--build", "--install", "--size", "--target", "--update", "--runs", "--processor", "--page", "--table",
           "--prefix", "--preset", "--rm", "--user",
           "--from", "--no-install-recommends", "--benchmark", "--save-result", "--save-detailed", "--output-json", "--message-format", "--exporters", "--output-file", "--result-filename", "--benchmark-json", "--export-json",
           "--extended", "--minutes", "--gpugate-bootstrap", "--no-build-isolation", "--lock-gpu-clocks", "--nproc-per-node", "--wait", "--nodes", "--nnodes", "--gpus-per-node", "--ntasks-per-node", "--rdzv-backend", "--rdzv-endpoint", "--steps", "--where", "--memory", "--signal", "--profiler-config", "--model-path", "--again", "--seed", "--folded", "--enable-profile-cuda-graph"}
# Files of a user's repository, which this project does not have.
OWN = {"baselines/train-NVIDIA-H200.json", "rules/gpugate.yaml", "rules/rate.yaml", "baselines/train-NVIDIA-H100-80GB-HBM3.json", "baselines/resnet50-NVIDIA-H100-80GB-HBM3.json", "baselines/test_train_step.json", "baselines/WORKLOAD.history.jsonl", "baselines/.gitattributes", "rules/train.yaml", "rules/kernel.yaml", "baselines/resnet50.json", "baselines/resnet50.history.jsonl", "baselines/resnet50-NVIDIA-H100-80GB-HBM3.history.jsonl", "baselines/WORKLOAD.json"}
wrong = []


def text_of(page):
    return page.read_text(encoding="utf-8")


def replaced(page, name, new, update):
    """Checks or writes the text between <!-- NAME: begin --> and <!-- NAME: end -->."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    head, rest = text_of(page).split(begin)
    old, tail = rest.split(end)
    if update:
        page.write_text(head + begin + new + end + tail, encoding="utf-8")
    elif old != new:
        wrong.append(f"{page.name}: the {name} is out of date: run tests/prop/readme.py --update")


def cells_of(page, head):
    """Rows of the table on the page whose heading begins with `head`, as lists of cells."""
    table = re.search(rf"^\| {re.escape(head)}.*\n\|[-:| ]+\|\n((?:\|.*\n)+)", text_of(page), re.M)[1]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def readme_figures(update):
    """Writes or checks the figures of README.md, which are those of tables in docs/simulation.md."""
    page = ROOT / "docs" / "simulation.md"
    row = cells_of(page, "spread of single runs")[0]
    trace = re.search(r"^\| (a trace of .*?) \|", text_of(page), re.M)[1]
    (_, check, _), (_, unpack, _) = cells_of(page, trace)[:2]
    first, after = re.search(r"\d+ to (\d+) of 1,000 unchanged runs fail by one run, and\s+(\d+ to \d+) after the pairs", text_of(page)).groups()
    text = (f"If single runs spread by {row[0]}, with {row[1]} runs of main and {row[2]} of the pull request, {row[3]} of 1,000 unchanged runs fail, and a "
            f"change of +5 % is caught in {row[5].split(', ')[0]} % of the cases. Noisier runs are more often undecided. With noise of other kinds up to {first} of 1,000 fail by "
            f"one run, and {after} once pairs have confirmed it. `check` of {trace} takes {check} s of processor time, `gzip -dc` {unpack} s. "
            "[More](docs/simulation.md)")
    replaced(README, "from docs/simulation.md", textwrap.fill(text, 150) + "\n", update)


def gate(program, update):
    """Writes or checks the output of the two commands with which README.md begins."""
    with tempfile.TemporaryDirectory() as folder:
        for name, options in (("first-run", ("--seed", TRACES["first-run"])), ("second-run", SLOWER)):
            generate("trace", pathlib.Path(folder, f"{name}.json.gz"), *options)
        for words in ("approve first-run.json.gz", "check second-run.json.gz"):
            p = subprocess.run([program, *words.split()], cwd=folder, env={**os.environ, "COLUMNS": "130", "SOURCE_DATE_EPOCH": "1767225600"}, capture_output=True, text=True, check=False)
    assert p.returncode == 1, p.stderr
    replaced(README, "gate", "```\n" + p.stdout.split("\n\nIntended?")[0] + "\n```\n", update)


def shown_files(update):
    """Writes or checks the files that docs/pull-requests.md contains in full; of workflows, the first comment is left out."""
    page = ROOT / "docs" / "pull-requests.md"
    for path in re.findall(r"<!-- (\S+): begin -->", text_of(page)):
        text, language = text_of(ROOT / path), "bash"
        if path.endswith(".yml"):
            text, language = re.sub(r"\A(?:#.*\n)+", "", text), "yml"
        replaced(page, path, f"```{language}\n{text}```\n", update)


def versions(program, update):
    """Checks that pages, actions and templates name the version of this program."""
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    pages = [ROOT / "action.yml", *(ROOT / "docs").glob("*.md"), *(ROOT / "templates").iterdir(), *(ROOT / "ci").rglob("*.y*ml")]
    for page in sorted(pages):
        old = text_of(page)
        new = re.sub(r"(gpugate[-_:]|gpugate[\w/]*@v|rev: v|`v)\d+\.\d+\.\d+\b", lambda found: found[1] + version, old)
        if update:
            page.write_text(new, encoding="utf-8")
        elif old != new:
            wrong.append(f"{page.relative_to(ROOT)}: names another version than {version}: run tests/prop/readme.py --update")


def samples(update):
    """Writes or checks the beginning of a report in docs/commands.md, and a finding in docs/troubleshooting.md, taken from golden outputs."""
    text, review = (text_of(ROOT / "tests" / "golden" / name / "expect" / "stdout") for name in ("report_run", "review"))
    report = re.sub(r"(\nMetrics\n(?:  .*\n){2})(?:  .*\n)+", r"\1  …\n", text.split("\n", 1)[1].split("\n  - how to validate")[0] + "\n  …")
    replaced(ROOT / "docs" / "commands.md", "report", f"```\n{report}\n```\n", update)
    finding = re.search(r"^- fail .*\n  where: .*, line .*\n", review, re.M)[0]
    replaced(ROOT / "docs" / "troubleshooting.md", "finding", textwrap.indent(f"```\n{finding}```\n<", "   ")[:-1], update)


def picture(program, update):
    """Writes or checks docs/comment.svg: the comment that the run of ci/quickstart gets five days after its baseline was
    approved."""
    make = re.search(r"python3 (tests/gen/trace\.py .*?)\|\|", text_of(ROOT / "ci" / "quickstart").replace("\\\n", ""), re.S)[1]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "baselines", pathlib.Path(folder, "baselines"))
        subprocess.run([sys.executable, *shlex.split(make.replace("$out", folder))], check=True, cwd=ROOT)
        pinned = json.loads(text_of(ROOT / "baselines" / "example.json"))["provenance"]["time"]
        at = int(datetime.datetime.fromisoformat(pinned.replace("Z", "+00:00")).timestamp()) + 5 * 86400
        p = subprocess.run([program, "check", "candidate.json.gz", "--baseline", "baselines/example.json", "--markdown", "-"], cwd=folder,
                           env={**os.environ, "SOURCE_DATE_EPOCH": str(at)}, capture_output=True, text=True, check=False)
    assert p.returncode == 1, p.stderr
    top, folded = p.stdout.split("\n<details><summary>", 1)
    new, path = svg(top + "\n\n▸ " + folded.split("<")[0]), ROOT / "docs" / "comment.svg"
    if update:
        path.write_text(new, encoding="utf-8")
    elif new != text_of(path):
        wrong.append("docs/comment.svg is out of date: run tests/prop/readme.py --update")


# ---- running the examples ----


def make_inputs(folder, program):
    def gen(tool, out, *options):
        generate(tool, folder / out, *options)
    for name, seed in TRACES.items():
        gen("trace", f"{name}.json.gz", "--seed", seed)
    gen("trace", "slower.json.gz", *SLOWER)
    gen("trace", "second-run.json.gz", *SLOWER)
    gen("snapshot", "memory-rank0.json.gz", "--seed", 1)
    for name, *options in (("server", 1), ("server2", 2), ("slow-decode", 3, "--slow", "decode=1.1")):
        gen("server", f"{name}.json.gz", "--seed", *options)
    gen("records", "memory_profile.json.gz", "--form", "xprof", "--seed", 1)
    gen("records", "memory.raw.json.gz", "--form", "raw", "--seed", 1)
    for job in (41, 42):
        gen("ranks", f"run{job}", "--ranks", 8, "--seed", job)
    for name in ("resnet50/a", "vllm/1", "vllm/2", "vllm/3", "kernels/attention/a", "kernels/mlp/a"):
        (folder / "results" / name).parent.mkdir(parents=True, exist_ok=True)
        gen("trace", f"results/{name}.json.gz", "--seed", 50 + len(name) + ord(name[-1]), "--steps", 4)
    (folder / "rules").mkdir()
    for name in ("train", "kernel"):
        (folder / "rules" / f"{name}.yaml").write_text("version: 1\nrules:\n  - {id: time, metric: step.cuda_time, fail: {increase: 5%}}\n")
    (folder / "bin").mkdir()
    (folder / "bin" / "gpugate").symlink_to(pathlib.Path(program).resolve())
    (folder / "bin" / "python3").symlink_to(sys.executable)
    (folder / "bin" / "torchrun").write_text(TORCHRUN)
    (folder / "bin" / "nsys").write_text(NSYS.format(gen=GEN))
    for name in ("torchrun", "nsys"):
        (folder / "bin" / name).chmod(0o755)
    (folder / "gpugate_record.py").symlink_to(ROOT / "ci" / "record" / "gpugate_record.py")
    (folder / "train.py").write_text(PRELUDE.format(inside="pass") + "for batch in loader:\n    train(batch)\n", encoding="utf-8")


class Folder:
    """The folder in which the examples of one page run."""

    def __init__(self, path, page):
        self.path, self.page, self.commands = path, page, 0

    def shell(self, command):
        code = re.search(r"# exit (\d)$", command)
        self.commands += 1  # a new seed for each command, so that no two recorded runs are equal
        env = {**os.environ, "PATH": f"{self.path / 'bin'}:{os.environ['PATH']}", "SOURCE_DATE_EPOCH": "1767225600",
               "PYTHONPATH": str(GEN / "standin"), "PYTHONDONTWRITEBYTECODE": "1", "STANDIN_SEED": str(self.commands)}
        for name in ("GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL"):
            env.pop(name, None)
        p = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=self.path, env=env, capture_output=True, text=True,
                           check=False)
        if p.returncode != (int(code[1]) if code else 0):
            wrong.append(f"{self.page.name}: exit {p.returncode}: {command.strip()}\n{p.stderr.strip()}")
        return p

    def sh(self, block):
        for command in block.replace("\\\n", " ").splitlines():
            self.shell(command)

    def python(self, block):
        name = re.match(r"# (\w+\.py)\n", block)
        inside = "batch or os.kill(os.getpid(), signal.SIGUSR2)" if "on_signal" in block else "pass"
        file = self.path / (name[1] if name else "example.py")
        file.write_text(PRELUDE.format(inside=inside) + block, encoding="utf-8")
        said = self.shell(f"python3 {file.name}").stderr.splitlines()
        wrong.extend(f"{self.page.name}: {line}" for line in said if not re.search(r"waiting for signal|records steps", line))

    def yaml(self, block):
        name = re.match(r"# (\S+\.yaml)\n", block)
        if name:
            (self.path / name[1]).write_text(block, encoding="utf-8")
        elif "version" in yaml.safe_load(block):
            (self.path / "example.yaml").write_text(block, encoding="utf-8")
            self.shell("gpugate lint example.yaml")


def check_examples(program, pages):
    with tempfile.TemporaryDirectory() as name:
        inputs = pathlib.Path(name).resolve() / "inputs"
        inputs.mkdir()
        make_inputs(inputs, program)
        for page in pages:
            folder = Folder(inputs.parent / page.stem, page)
            shutil.copytree(inputs, folder.path, symlinks=True)
            for _, language, block in re.findall(r"^( *)```(sh|python|yaml)\n(.*?)^ *```$", text_of(page), re.M | re.S):
                getattr(folder, language)(textwrap.dedent(block))


# ---- names of options and keys ----


def check_words(program):
    """Check that the pages name all commands, and only existing options and commands."""
    def text(*args):
        return subprocess.run([program, *args, "--help"], check=True, capture_output=True, text=True).stdout
    commands = re.findall(r"^  ([a-z]+(?: [a-z]+)?)(?: .*?)?  +\S", text().split("exit codes")[0], re.M)
    options = {o for c in commands for o in re.findall(r"^  (--[a-z-]+)", text(*c.split()), re.M)}
    said = "\n".join(re.sub(r"<!-- (\S+): begin -->.*?<!-- \1: end -->|<!--.*?-->", "", text_of(p), flags=re.S) for p in [*PAGES, CONTRIBUTING])
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", said))
    for option in sorted(named - options - FOREIGN - {"--help", "--version"}):
        wrong.append(f"{option} is not an option of gpugate")
    for command in commands:
        if not re.search(rf"`(gpugate )?({command}|{command.split()[-1]})\b", said):
            wrong.append(f"no page names 'gpugate {command}'")
    for path in sorted(set(re.findall(r"(?<![\w./-])(?:src|ci|rules|tests|docs|baselines|schemas|packaging)/[\w./-]*\w", said)) - OWN):
        if not (ROOT / path).exists():
            wrong.append(f"there is no {path}")


def check_rooms():
    """The map of CONTRIBUTING.md has every folder of src."""
    text = text_of(CONTRIBUTING)
    named = set(re.findall(r"`([a-z/]+)`", text[text.index("| stage | rooms |"):text.index("The *digest* is the waist")]))
    stages = [p for p in (ROOT / "src").iterdir() if p.is_dir()]
    rooms = {room.name for stage in stages for room in stage.iterdir() if room.is_dir()}
    for room in sorted(named ^ ({f"src/{p.name}" for p in stages} | rooms)):
        wrong.append(f"CONTRIBUTING.md: the map and src differ in '{room}'")


def check_rules():
    """Check that every key of a rules file is on its page or in the head of the table of formats, except those whose place 'allow' has taken."""
    def keys(node):
        if isinstance(node, dict):
            yield from node.get("properties", {})
        for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
            yield from keys(part)
    said = text_of(ROOT / "docs" / "rules.md") + text_of(ROOT / "rules" / "formats.yaml").split("\n- name: ")[0]
    for key in sorted(set(keys(json.loads(text_of(ROOT / "schemas" / "gpugate-rules-2.json")))) - {"overrides", "waivers"}):
        if not re.search(rf"\b{key}\b", said):
            wrong.append(f"rules.md does not name '{key}'")


def anchors(page):
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text_of(page), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def check_links():
    linked = set()
    for page in PAGES + BESIDE:
        for target in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
            if re.match(r"https?://", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            linked.add(file)
            if not file.exists():
                wrong.append(f"{page.name}: there is no {target}")
            elif anchor and anchor not in anchors(file):
                wrong.append(f"{page.name}: {target}: there is no such heading")
    for page in PAGES[1:]:
        if f"(docs/{page.name})" not in text_of(README):
            wrong.append(f"README.md does not list docs/{page.name}")


def main():
    program = os.environ.get("GPUGATE")
    if not program:
        sys.exit(77)
    program = str(pathlib.Path(program).resolve())
    names = [pathlib.Path(a).name for a in sys.argv[1:] if a != "--update"]
    update = "--update" in sys.argv
    readme_figures(update)
    gate(program, update)
    shown_files(update)
    versions(program, update)
    samples(update)
    picture(program, update)
    check_words(program)
    check_rules()
    check_rooms()
    check_links()
    check_examples(program, [p for p in PAGES if not names or p.name in names])
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
