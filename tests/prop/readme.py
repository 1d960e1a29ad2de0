#!/usr/bin/env python3
"""What README.md and docs/ say holds.

 - every ```sh block runs, one after the other in one fresh folder that has the files they name; a command ends
   with 0, or with what its comment "# exit N" says
 - every ```yaml block passes `lint`, every ```python block compiles
 - what they call an option or a command of gpugate is one, and no option or command of `--help` is left out
 - files of the project that they name exist
 - the table of metrics is what `gpugate metrics` prints (readme.py --update rewrites it), and rows of the
   simulation are those of tests/sim/README.md

$GPUGATE is the program; exit 77 skips.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
GEN = ROOT / "tests" / "gen"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
METRICS = ROOT / "docs" / "metrics.md"
BEGIN, END = "<!-- metrics: begin -->\n", "<!-- metrics: end -->\n"
# Traces, snapshots and jobs of many ranks that the examples name.
TRACES = {"trace": 1, "main2": 2, "main3": 3, "main4": 4, "main5": 5, "pr": 6, "pr2": 7, "pr3": 8}
SLOWER = ("--seed", 9, "--slow-kernel", "*flash_bwd*=2")
# Options on these pages that other programs have.
FOREIGN = {"--build", "--install", "--target", "--update", "--runs", "--table"}
# Files that a user's repository has, not the project's.
OWN = {"rules/gpugate.yaml", "baselines/resnet50.json", "baselines/WORKLOAD.json"}
wrong = []


def metrics_table(program):
    text = subprocess.run([program, "metrics"], check=True, capture_output=True, text=True).stdout
    rows = ["| metric | unit | worse when | meaning |", "|---|---|---|---|"]
    for line in text.splitlines()[1:]:
        name, unit, worse, _, meaning = re.split(r" +", line, maxsplit=4)
        rows.append(f"| `{name}` | {unit} | {worse} | {meaning} |")
    return "\n".join(rows) + "\n"


def check_metrics(program, update):
    head, rest = METRICS.read_text(encoding="utf-8").split(BEGIN)
    old, tail = rest.split(END)
    new = metrics_table(program)
    if update:
        METRICS.write_text(head + BEGIN + new + END + tail, encoding="utf-8")
    elif old != new:
        wrong.append("docs/metrics.md: the table is out of date: run tests/prop/readme.py --update")


def tables(path):
    """Of a page: lists of rows, each a dict by column."""
    for block in re.findall(r"(?:^\|.*\n)+", path.read_text(encoding="utf-8"), re.M):
        head, _, *rows = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in block.splitlines()]
        yield [dict(zip(head, row)) for row in rows]


def check_simulation():
    known = {}
    for table in tables(ROOT / "tests" / "sim" / "README.md"):
        for row in table:
            key = row.get("noise", "2 %"), row.get("baseline runs", "10"), row["candidate runs"]
            known.setdefault(key, row)      # of 2 % and ten runs the larger sample stands first
    shown = next(t for t in tables(PAGES[0]) if "best possible, %" in t[0])
    for row in shown:
        key = row["noise between runs"], row["baseline runs"], row["candidate runs"]
        have = known.get(key, {})
        for ours, theirs in (("fails of 1,000 unchanged",) * 2, ("fails without noise rule",) * 2,
                             ("caught, %", "by its check alone"), ("best possible, %", "best possible")):
            if row[ours] != have.get(theirs):
                wrong.append(f"README.md: simulation, {key}: '{ours}' is {row[ours]}, in tests/sim {have.get(theirs)}")


def blocks(language):
    for page in PAGES:
        for block in re.findall(rf"^( *)```{language}\n(.*?)^ *```$", page.read_text(encoding="utf-8"), re.M | re.S):
            yield page.name, textwrap.dedent(block[1])


def make_inputs(folder, program):
    def gen(tool, out, *options):
        subprocess.run([sys.executable, GEN / f"{tool}.py", "--out", folder / out, *map(str, options)], check=True)
    for name, seed in TRACES.items():
        gen("trace", f"{name}.json.gz", "--seed", seed)
    gen("trace", "slower.json.gz", *SLOWER)
    gen("snapshot", "memory-rank0.json.gz", "--seed", 1)
    for job in (41, 42):
        gen("ranks", f"run{job}", "--ranks", 8, "--seed", job)
    for sub in ("bin", "rules"):
        (folder / sub).mkdir()
    (folder / "bin" / "gpugate").symlink_to(pathlib.Path(program).resolve())
    shutil.copy(ROOT / "rules" / "default.yaml", folder / "rules" / "gpugate.yaml")


def shell(folder, where, command, code):
    env = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "SOURCE_DATE_EPOCH": "1767225600"}
    for name in ("GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL"):
        env.pop(name, None)
    p = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=env, capture_output=True, text=True,
                       check=False)
    if p.returncode != code:
        wrong.append(f"{where}: exit {p.returncode}, not {code}: {command.strip()}\n{p.stderr.strip()}")


def check_examples(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_inputs(folder, program)
        for where, block in blocks("sh"):
            for command in block.replace("\\\n", " ").splitlines():
                code = re.search(r"# exit (\d)$", command)
                shell(folder, where, command, int(code[1]) if code else 0)
        for i, (where, block) in enumerate(blocks("yaml")):
            (folder / f"{i}.yaml").write_text(block, encoding="utf-8")
            shell(folder, where, f"gpugate lint {i}.yaml", 0)
    for where, block in blocks("python"):
        try:
            compile(block, f"python of {where}", "exec")
        except SyntaxError as fault:
            wrong.append(str(fault))


def check_words(program):
    """Options and commands, both ways."""
    def text(*args):
        return subprocess.run([program, *args, "--help"], check=True, capture_output=True, text=True).stdout
    commands = re.findall(r"^  ([a-z]+(?: [a-z]+)?)(?: .*?)?  +\S", text().split("exit codes")[0], re.M)
    options = {o for c in commands for o in re.findall(r"^  (--[a-z-]+)", text(*c.split()), re.M)}
    said = "\n".join(re.sub(r"<!--.*?-->", "", p.read_text(encoding="utf-8"), flags=re.S) for p in PAGES)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", said))
    for option in sorted(named - options - FOREIGN - {"--help", "--version"}):
        wrong.append(f"{option} is no option of gpugate")
    for option in sorted(options - named):
        wrong.append(f"README.md does not name {option}")
    for command in commands:
        if not re.search(rf"`(gpugate )?({command}|{command.split()[-1]})\b", said):
            wrong.append(f"README.md does not name 'gpugate {command}'")
    for path in sorted(set(re.findall(r"(?<![\w./-])(?:src|ci|rules|tests|docs|baselines)/[\w./-]*\w", said)) - OWN):
        if not (ROOT / path).exists():
            wrong.append(f"there is no {path}")


def main():
    program = os.environ.get("GPUGATE")
    if not program:
        sys.exit(77)
    check_metrics(program, "--update" in sys.argv)
    check_simulation()
    check_words(program)
    check_examples(program)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
