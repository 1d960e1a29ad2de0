#!/usr/bin/env python3
"""Laws of every report, on runs that are made here, some of them with names of 300 characters:

 - a terminal shows the same text, whichever reports are written to files
 - nothing is told twice; both values of a change have one unit; comments and pages are as short as they are meant to be
 - the parts of a finding add up to its cost, each once
 - a finding says on which rank it is, and "there" only of a place; parts of the mean over ranks are called shares of it
 - with a failed check and an undecided one, the report says how the undecided one can be decided, and gives a command that
   accepts the run; this command does accept it
 - the report of an undecided run names the noise, and gives before its findings a command that judges further recordings, for
   which the report asks; a shell runs this command
 - a verdict that does not say so itself says whether the job passes or fails, and the exit code
 - if compute takes longer while the wall time hardly changes, the report says why
 - a suite says for each case that needs attention what to do, and how to accept the failed cases; a warning is not red
 - the report of a pass has nothing in red
 - no cell of a table in Markdown is wider than its column can be, and no table wider than a comment
 - a row of a suite has the figure of its worst check
 - a kernel that has a short name is shown by this name, never by a hash
 - a command is not broken between an option and its value
 - a slow rank is compared with its peers: key figures say what is the median of ranks, and what that rank has
 - a key figure beyond a limit that only warns is shown as a warning, with the reason why its noise is not known; its chart shows
   that limit
 - the headline has all reasons why checks are skipped, and the names of up to four rules whose limits are exceeded
 - among the changes in a history, changes for the worse come first; what did not change is folded;
   the command that finds the commit runs; one change that several figures show is said to be one, and commands list its commits,
   if the history has them
 - a diff names the largest cause, and what else there is; it says that a GPU is idle because data loading takes longer
 - a figure of files that a side lacks heads the report, and what to do says how to get it; one that is worse is explained by a change of the
   recording that is large enough, else by none; a rule that names it is the only one that judges it; in a table its name is cut, never its values
 - why a recording cannot be believed comes before what was computed from it; advice fits its cause; what is waived is not to be approved

$GPUGATE is the program; without it, exit 77 skips.
"""
import gzip
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from _gen import generate

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "gen"))
import plant  # noqa: E402

PROGRAM = os.environ.get("GPUGATE")
# Two rules: with noise.k 90 a change of time is never sure, while a change of the count is exact.
UNSURE = """version: 1
rules:
  - {id: compute, metric: step.compute_time, fail: {increase: 1%}, noise: {k: 90}}
  - {id: launches, metric: step.kernel_count, fail: {change: 0}}
"""
BREAK = "\u200b"  # invisible character that reports put where a long word may be broken
COMMENT, CHARACTER, BAR, PADDING = 830, 8, 13, 28  # pixels


def run(dir, *args, expect=(0,), **env):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False, cwd=dir,
                       env={**{k: v for k, v in os.environ.items() if k != "FORCE_COLOR"}, "SOURCE_DATE_EPOCH": "1767225600", "COLUMNS": "80", **env})
    assert p.returncode in expect, f"{args}: exit {p.returncode}: {p.stdout}{p.stderr}"
    return p.stdout


def make(dir, tool, name, *options, seed=1):
    generate(tool, dir / name, "--seed", seed, *options)
    return name


def situations(dir):
    """Makes runs and returns {name of the situation: command line}."""
    base = make(dir, "trace", "base.json.gz", "--steps", 6)
    made = {
        "pass": [], "one": ["--slow-kernel", "*flash_bwd*=1.4"], "several": ["--slow-kernel", "*norm*=1.5", "--slow-kernel", "*gemm*=1.2"],
        "all": ["--slow-kernel", "*=1.3"], "new": ["--new-kernel", "a_kernel=900", "--extra-launches", "*gemm*=9"],
        "long": ["--long-name", 300, "--slow-kernel", "*=1.2"], "hostile": ["--hostile-names", "--slow-kernel", "*=1.2"],
        "lost": ["--dropped", 5],
    }
    run(dir, "approve", "--new", base, "--baseline", "base.json")
    out = {name: ("check", make(dir, "trace", f"{name}.json.gz", "--steps", 6, *options, seed=2), "--baseline", "base.json")
           for name, options in made.items()}
    (dir / "unsure.yaml").write_text(UNSURE)
    both = make(dir, "trace", "both.json.gz", "--steps", 6, "--extra-launches", "*flash_fwd*=1", "--slow-kernel", "*=1.03", seed=2)
    run(dir, "approve", "--new", base, "--baseline", "unsure.json", "--rules", "unsure.yaml")
    out["unsure"] = "check", both, "--baseline", "unsure.json", "--rules", "unsure.yaml"
    for name, options in (("ranks", ()), ("slow-rank", ("--slow-rank", "2=1.3")), ("late-rank", ("--late-rank", "2=3000"))):
        make(dir, "ranks", name, "--ranks", 4, "--steps", 6, *options)
    run(dir, "approve", "--new", "ranks", "--baseline", "ranks.json")
    for name in ("slow-rank", "late-rank"):
        out[name] = "check", name, "--baseline", "ranks.json"
    peak = make(dir, "trace", "peak.json.gz", "--steps", 6, "--peak-memory", 1.3, seed=2)
    out["peak"] = "check", peak, "--baseline", "base.json"
    snapshot, leak = make(dir, "snapshot", "memory.json.gz"), make(dir, "snapshot", "leak.json.gz", "--leak", 8 << 20, seed=2)
    run(dir, "approve", "--new", snapshot, "--baseline", "memory.json")
    out["leak"] = "check", leak, "--baseline", "memory.json"
    for name, by in (("figures-main", 1), ("figures", 1.15)):
        (dir / f"{name}.json").write_text(json.dumps({f"{step}_{what}_ms": by * us for step in ("prefill", "decode", "sample") for us, what in ((10, "mean"), (11, "p50"), (20, "p99"))}))
    run(dir, "approve", "--new", "figures-main.json", "--baseline", "figures-main.gate.json")
    out["figures"] = "check", "figures.json", "--baseline", "figures-main.gate.json"
    out["first"] = "check", base, "--baseline", "none.json"
    out["diff"] = "diff", base, "several.json.gz"
    out["report"] = "report", base
    (dir / "suite.yaml").write_text("version: 1\ncases:\n" + "".join(
        f"  - {{workload: {name}, runs: {name}.json.gz, baseline: base.json}}\n" for name in ("one", "pass", "new")))
    out["suite"] = "suite", "suite.yaml"
    return out


def same_text(dir, name, args):
    """Returns the text output; checks that it is the same if the command also writes its other reports."""
    expect = (0, 1, 3, 4)
    text = run(dir, *args, expect=expect)
    reports = "--markdown", "out.md", "--html", "out.html", "--json", "out.json"
    assert run(dir, *args, *reports, expect=expect) == text, (name, "other text with reports")
    return text


def parts_add_up(name, result):
    for f in result.get("findings", ()):
        parts = f["parts"]
        names = [p["name"] for p in parts]
        assert len(set(names)) == len(names), (name, names)
        assert not parts or sum(p["change"] for p in parts) == f["cost"], (name, f["title"], f["cost"], parts)
        assert all((p["change"] > 0) == (f["cost"] > 0) for p in parts), (name, parts)
    return sum(bool(f["parts"]) for f in result.get("findings", ()))


def places_are_said(name, text, markdown, result):
    """A report says on which rank a finding is, and "there" only of a place; of parts of several ranks, that they are shares."""
    where = " ".join(re.findall(r"where: (.*)", text))
    for f in result.get("findings", ()):
        ranks = [p["name"] for p in f["where"] if p["level"] == "rank"]
        assert not where or all(rank in where for rank in ranks), (name, f["title"], where)
        assert f["where"] or not re.search(r"\bthere\b", f["title"]), (name, f["title"])
    if name in ("slow-rank", "late-rank"):
        titles = re.findall("where the time went: (.*)</summary>", markdown)
        assert titles and all("shares of the mean over 4 ranks" in t for t in titles), (name, titles)


def first_is_said(dir):
    """With --new each report says that the run is the baseline now; the heading of the pass after it says so in a word."""
    text = run(dir, "check", "--new", "base.json.gz", "--baseline", "made.json", "--junit", "made.xml", "--markdown", "made.md")
    for form in (text, (dir / "made.md").read_text(encoding="utf-8")):
        assert "first run, which is the baseline now" in " ".join(form.split()), form
    assert 'name="first_run_of" value="made.json"' in (dir / "made.xml").read_text(encoding="utf-8")
    text = run(dir, "check", "base.json.gz", "--baseline", "made.json", "--markdown", "made.md")
    assert " · pass · " in (dir / "made.md").read_text(encoding="utf-8").splitlines()[1] and "\n\nbaseline " in text, text
    assert "; fails beyond" not in text, "beyond the limit it is undecided first"


def width(cell):
    words = re.split(f"[ {BREAK}]", re.sub(r"[`*]", "", cell).strip())
    return PADDING + max(sum(BAR if "\u2581" <= c <= "\u2588" else CHARACTER for c in w) for w in words)


def fits(name, markdown):
    table = []
    for line in [*markdown.splitlines(), ""]:
        if line.startswith("|"):
            if not re.fullmatch(r"[| :-]+", line):
                table.append([width(c) for c in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif table:
            columns = list(map(max, zip(*table)))
            assert sum(columns) <= COMMENT, (name, columns)
            table = []


def told_once(name, text):
    """No sentence, or part of one, of five words or more is there twice; both values of a change are in one unit unless one is twice the other."""
    said = re.sub(r"\n  (gpugate .*(\\\n.*)*|git .*)", "", text)
    said = re.sub(r"\n(?!\n|- |\d+\. )\s*", " ", said)
    parts = [p.strip() for p in re.split(r"\n|: | · |; |(?<=[^,]) \(|\)", said)]
    twice = [p for p in set(parts) if len(p.split()) >= 5 and parts.count(p) > 1]
    assert not twice, (name, twice, text)
    scale = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    for a, x, b, y in re.findall(r"([\d.,]+) (\S+) → ([\d.,]+) (\S+)", " ".join(text.split())):
        if x != y and x in scale and y in scale:
            values = [float(v.replace(",", "")) * scale[u] for v, u in ((a, x), (b, y))]
            assert max(values) >= 2 * min(values), (name, a, x, b, y)


def is_short(name, text, markdown, page):
    """A comment shows at most 60 words of a pass, else 150 with one finding and 45 for each further one, and has 900 in all; a page has at most 6 collapsed sections."""
    depth, visible = 0, ""
    for part in re.split(r"(</?(?:details|summary)>)", markdown):
        depth += {"<details>": 1, "</summary>": 1, "</details>": -2}.get(part, 0)
        visible += part if depth < 2 else ""    # with the title of what is collapsed
    seen, whole = (sum(bool(re.search(r"\w", w)) for w in re.sub(r"<[^>]*>", " ", t).replace(BREAK, "").split()) for t in (visible, markdown))
    findings = len(re.findall(r"^\| \*\*", visible, re.M))
    most = 60 if text.startswith("pass") else 150 + 45 * max(findings - 1, 0)
    assert name == "diff" or (seen <= most and whole <= 900), (name, seen, whole, markdown)
    assert page.count('class="folded"') <= 6, (name, re.findall(r'id="(.*?)-title"', page))


def job(name, text, result, code):
    """The text says in words whether the job passes, unless there is a baseline and the verdict (pass or fail) says so
    itself."""
    said = re.search(r"; the job (passes|fails) \(exit code (\d)\)", " ".join(text.split("\n\n")[0].split()))
    plain = {"pass": 0, "fail": 1}.get(result["verdict"]) == code and not text.partition(": ")[2].startswith(("no baseline yet", "first run"))
    assert bool(said) != plain and (not said or (said[1] == "passes") == (code == 0) and int(said[2]) == code), (name, code, text)


def counts(name, text, result):
    """Beside the number of skipped checks, the headline has all reasons for them; beside that of failed or undecided checks, up to four rules."""
    headline, checks = " ".join(text.split()), result["checks"]
    found = re.search(r"(\d+) skipped(?: \((.*?)\))?", headline)
    nr, reasons = found.groups() if found else (0, "none")
    assert reasons and (not reasons[0].isdigit() or sum(int(part.split()[0]) for part in reasons.split(", ")) == int(nr)), (name, headline)
    rules = [c["rule"] for c in checks if c["verdict"] == result["verdict"] in ("fail", "undecided")]
    named = [f"{rule} ×{rules.count(rule)}" if rules.count(rule) > 1 else rule for rule in dict.fromkeys(rules)]
    assert not 0 < len(named) <= 4 or len("".join(set(rules))) > 50 or f"({', '.join(named)})" in headline, (name, headline, named)


def whole_commands(name, text):
    for line in text.splitlines():
        assert not re.search(r"--[a-z-]+ \\$", line), (name, line)


def accepts(dir, text):
    """Run the last command of a report, as a user would copy it."""
    command = text[text.index("  gpugate approve"):].replace("\\\n", "")
    args = shlex.split(command.split("\n")[0])[1:]
    assert "would decide)" in " ".join(text.split()), "not how to decide what is undecided"
    run(dir, *args, expect=(0,))


def decides(dir):
    """An undecided verdict: the command in its report reads the recordings that the report asks for; if these do not decide, the next report asks for more."""
    run(dir, "approve", "--new", "base.json.gz", "--baseline", "may.json", "--rules", "unsure.yaml")
    args = "check", make(dir, "trace", "may.json.gz", "--steps", 6, "--slow-kernel", "*=1.03", seed=2), "--baseline", "may.json", "--rules", "unsure.yaml"
    text = run(dir, *args, expect=(3,))
    assert re.match(r"undecided · .*: compute per step \S+ % longer, which may be noise \((±\S+ %; )?limit 1 %\)", " ".join(text.split())), text
    assert "\033[31m" not in run(dir, *args, expect=(3,), FORCE_COLOR="1").split("·", 1)[1], "undecided in red"
    assert "  gpugate approve" not in text and "  gpugate approve may.json.gz" in run(dir, *args, "--verbose", expect=(3,)), text
    run(dir, *args, "--markdown", "may.md", "--html", "may.html", expect=(3,))
    comment, page = ((dir / name).read_text(encoding="utf-8") for name in ("may.md", "may.html"))
    assert text.index("  gpugate check may.json.gz") < text.index("\nWhat may have changed\n"), text
    assert 0 < comment.index("```sh\ngpugate check may.json.gz") < comment.index("| what changed |"), comment
    assert page.index("gpugate check may.json.gz") < page.index("<h2 id=\"findings-title\""), page
    assert comment.index("<details>") < comment.index("```sh\ngpugate approve"), comment
    slow = {"new": ["--slow-kernel", "*=1.03"], "old": []}
    for _ in range(2):
        command = text[text.index("  gpugate check may.json.gz"):].replace("\\\n", "").split("\n")[0].replace("gpugate", shlex.quote(PROGRAM), 1)
        words = subprocess.run(["bash", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True, check=True).stdout.split("\n")
        asked = [w.split("=")[1] for w in words if re.match("--(repeat|control)=", w)]
        assert asked and not any((dir / name).exists() for name in asked), asked
        for name in asked:
            make(dir, "trace", name, "--steps", 6, *slow[name[:3]], seed=100 + len(list(dir.iterdir())))
        p = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=dir, env={**os.environ, "COLUMNS": "80"})
        assert p.returncode in (0, 1, 3), (command, p.returncode, p.stdout, p.stderr)
        text = p.stdout
        if p.returncode != 3:
            return


def hidden(dir):
    """If kernels get slower while the host sets the pace, the report says why the wall time hardly changes."""
    trace = dir / "idle.json"
    make(dir, "trace", trace.name, "--steps", 6)
    data = json.loads(trace.read_text(encoding="utf-8"))
    kernels = [e for e in data["traceEvents"] if e.get("cat") == "kernel"]
    for e in kernels:
        e["dur"] *= 0.4
    trace.write_text(json.dumps(data), encoding="utf-8")
    for e in kernels:
        e["dur"] *= 1.5
    (dir / "busier.json").write_text(json.dumps(data), encoding="utf-8")
    run(dir, "approve", "--new", "idle.json", "--baseline", "idle.gate.json")
    text = " ".join(run(dir, "check", "busier.json", "--baseline", "idle.gate.json", expect=(1,)).split())
    assert "The wall time hardly changes: the GPU is idle for less of each step instead (" in text, text
    text = run(dir, "check", "all.json.gz", "--baseline", "base.json", expect=(1,))
    assert "hardly changes" not in text, text


def suite_says(dir):
    text = run(dir, "suite", "suite.yaml", expect=(1,), FORCE_COLOR="1")
    plain = re.sub("\033\\[[0-9;]*m", "", text)
    assert all(case in plain for case in ("fail one", "pass pass")), plain
    todo = plain.split("\nWhat to do\n")[1].split("\n\n")[0] if "\nWhat to do\n" in plain else plain.split("\nWhat to do: ")[1].split("\n\n")[0]
    cases = set(re.findall(r"^- (?:fail|warn) (\S+?):? ", plain, re.M))
    assert cases and all(f"{case}: " in todo for case in cases), plain
    assert plain.count("  gpugate approve ") == len(set(re.findall(r"^- fail (\S+?):? ", plain, re.M))), plain
    for line in text.splitlines():
        assert not (line.startswith("  \033[33mwarn") and "\033[31m" in line), line
    run(dir, "suite", "suite.yaml", "--html", "suite.html", expect=(1,))
    page = (dir / "suite.html").read_text(encoding="utf-8")
    links = re.findall(r'href="#(case-\d+)"', page)
    assert links and all(f' id="{link}">' in page for link in links), links


def history(dir):
    run(dir, "approve", "--new", "base.json.gz", "--baseline", "h.json", "--commit", "1a2b3c4")
    for i in range(24):
        slow = ["--slow-kernel", "*gemm*=1.4"] if i >= 12 else []
        make(dir, "trace", "h.json.gz", "--steps", 4, *slow, seed=i + 2)
        run(dir, "store", "h.json.gz", "--baseline", "h.json", "--commit", f"{i + 1:07x}")
    text = run(dir, "history", "--baseline", "h.json", "--markdown", "h.md")
    first = next(line for line in text.splitlines() if line.startswith("- "))
    assert first.startswith(("- compute per step", "- wall time per step")) and "(+" in " ".join(text.split("- ")[1].split()), text
    assert re.search(r"in kernel [^\n]*gemm", text), text
    assert text.startswith("worse · history of ") and "- look for the cause in the commits after 000000c, up to 000000d - " in undated(text), text
    assert "\n  git log --oneline 000000c..000000d\n" in text, text
    same = re.search(r"- where: in kernel gemm .*?- the same work is in op aten::mm: .*? - GPU time per step", undated(text))
    assert same and " - and in " not in same[0], text
    heads = text.split("\nFigures that changed\n")
    assert len(heads) == 2 and "Figures that did not change" not in text, "unchanged figures are not folded"
    assert not re.search(r"±.* –  ", heads[1]), heads[1]
    command = text[text.index("  gpugate history --bisect"):].strip().split("\n")[0].replace("gpugate", shlex.quote(PROGRAM), 1)
    subprocess.run(command, shell=True, check=True, cwd=dir)
    assert "git bisect start" in (dir / "bisect.sh").read_text(encoding="utf-8"), command
    heading = next(line for line in (dir / "h.md").read_text(encoding="utf-8").splitlines() if line.startswith("### "))
    assert re.fullmatch(r"### ⚠️ gpugate · worse · history of default: [a-zA-Z ]+ [\d.]+\s% higher since `\w+`( \([-\d]+\))?; the job passes: a history only reports", heading), heading
    diff = run(dir, "diff", "base.json.gz", "all.json.gz", "--markdown", "d.md")
    assert re.match(r"no verdict, diff only compares · wall time per step \S+ % longer: compute per step \S+ \S+ → \S+ \S+", " ".join(diff.split())), diff
    back = run(dir, "diff", "all.json.gz", "base.json.gz")
    for text in (diff, back):        # what to do repeats nothing of what changed
        order = [text.index(part) for part in ("\nWhat changed\n", "\n  where: ", "\nWhat to do: diff applies no limits", "\nFigures, largest change first\n")]
        assert order == sorted(order), text
    assert re.search(r"\n\d+ more figures in the report", (dir / "d.md").read_text(encoding="utf-8")), "what else there is"
    fits("history", (dir / "h.md").read_text(encoding="utf-8"))
    kernels = run(dir, "history", "--baseline", "h.json", "--metric", "kernel.*", "--verbose")
    assert "time of gemm bf16" in kernels and not re.search(r"void |~[0-9a-f]{8}", kernels), kernels
    unnamed(dir)
    nameless(dir)


def undated(text):
    """The text on one line, without dates."""
    return re.sub(r" \(\d{4}-\d\d-\d\d\)", "", " ".join(text.split()))


def unnamed(dir):
    """A history whose runs have no commits."""
    for i in range(16):
        make(dir, "trace", "u.json.gz", "--steps", 2, *(["--slow-kernel", "*=1.2"] if i >= 8 else []), seed=i + 40)
        run(dir, "store" if i else "approve", "u.json.gz", "--baseline", "u.json")
    text = run(dir, "history", "--baseline", "u.json")
    assert "\n- to find it by git bisect, store runs with --context commit=ID\n" in text and "git log" not in text and "--bisect" not in text, text


def nameless(dir):
    """Kernels without a name are called so."""
    trace = json.loads(gzip.decompress((dir / "base.json.gz").read_bytes()))
    of = [e for e in trace["traceEvents"] if e.get("cat") == "kernel"]
    for e in of[::5]:
        del e["name"]
    for e in trace["traceEvents"]:
        e |= {k: e[k] * 1.3 for k in ("ts", "dur") if k in e}
    (dir / "nameless.json").write_text(json.dumps(trace))
    text = run(dir, "check", "nameless.json", "--baseline", "base.json", expect=(1, 3))
    assert "(unnamed) is new: " in text and not re.search(r"\n- \w+  |: : ", text), text


def loading(dir):
    """A diff of runs whose data comes later."""
    for name, us in (("fast", 1), ("late", 9000)):
        trace = plant.Trace(dir / "base.json.gz")
        plant.data_loader(trace, us)
        trace.save(dir / f"{name}.json.gz")
    text = run(dir, "diff", "fast.json.gz", "late.json.gz")
    assert "\n  where: enumerate(DataLoader) on the host (+" in text and "\n- look at the data loader: num_workers, transforms, storage\n" in text, text
    assert re.search(r"\n  idle GPU +\+[\d.]+ ms  data loading [\d.]+ µs → [\d.]+ ms\n", text), text
    several = run(dir, "diff", "base.json.gz", "several.json.gz")
    assert "  data loading " not in several.partition("\nWhere the change went\n")[2], several


def figures(dir):
    """What to do about a figure of a file names the figure, and has the command that confirms the failure."""
    (dir / "f.json").write_text('{"tokens_per_s": 1000}')
    run(dir, "baseline", "create", "f.json", "--baseline", "f.gate.json")
    (dir / "f.json").write_text('{"tokens_per_s": 500}')
    text = run(dir, "check", "f.json", "--baseline", "f.gate.json", expect=(1,))
    assert re.search(r"\nWhat to do: tokens_per_s: [^:]+\n\nTo confirm it, run change [^:]+:\n  gpugate check ", text), text


def head_of(dir, *args, expect=(3,)):
    """The first sentence of a check, what it advises, its findings, and what JUnit says of each check that is not passed."""
    text = run(dir, "check", *args, "--json", "head.json", "--junit", "head.xml", expect=expect)
    findings = json.loads((dir / "head.json").read_text(encoding="utf-8"))["findings"]
    said = re.findall('<(?:error|failure) [^>]*message="([^"]*)"', (dir / "head.xml").read_text(encoding="utf-8"))
    return " ".join(text.split("; the job ")[0].split()), " ".join(str(f["action"]) for f in findings), findings, said, text


def of_files(dir):
    rule = "tput: {metric: input.tokens_per_s, better: higher, fail: {decrease: 5%}}"
    (dir / "tput.yaml").write_text(f"version: 2\nrules:\n  {rule}\n")
    (dir / "others.yaml").write_text(f"version: 2\nrules:\n  {rule}\n  others: {{metric: 'input.*', warn: {{change: 1%}}}}\n")
    for name, rate in (("bench", 1000), ("bench88", 880), ("bench74", 740)):
        (dir / f"{name}.json").write_text(json.dumps({"tokens_per_s": rate, "accuracy": rate / 2000, "ttft_ms": 50}))
    with_it, without = (("--rules", "tput.yaml", "--baseline", f"{name}.tput.json") for name in ("with", "without"))
    run(dir, "approve", "--new", "base.json.gz", "bench.json", *with_it)
    run(dir, "approve", "--new", "base.json.gz", *without)
    again = make(dir, "trace", "again.json.gz", "--steps", 6, seed=7)    # the same code: kernels differ by chance
    for args, says, advice in (((again, *with_it), "missing in the candidate", "file of results"), ((again, "bench.json", *without), "missing in the baseline", ""),
                               ((again, *without), "recorded on neither side", "file of results")):
        head, todo, findings, said, _ = head_of(dir, *args)
        assert "tokens_per_s" in head and says in head and advice in todo and len(findings) == 1, (args, head, todo)
        assert said and all("tokens_per_s" in m and says in m for m in said), (args, said)
    slower = make(dir, "trace", "slower.json.gz", "--steps", 6, "--slow-kernel", "*flash_bwd*=6", seed=7)
    for name in ("bench88", "bench74"):
        for rules in ("tput.yaml", "others.yaml"):
            head, todo, findings, _, _ = head_of(dir, again, f"{name}.json", "--rules", rules, *with_it[2:], expect=(1, 3))
            assert {f["finding"] for f in findings} == {"other"} and "tokens_per_s" in todo and not re.search("slower|launched", head), (name, head, todo, findings)
            checks = [c["id"] for c in json.loads((dir / "head.json").read_text(encoding="utf-8"))["checks"] if c["metric"] == "input.tokens_per_s"]
            assert checks == ["tput"], (name, rules, checks)
        findings = head_of(dir, slower, f"{name}.json", *with_it, expect=(1, 3))[2]
        cause = next(f["finding"] for f in findings if "tput" in f["checks"])
        assert cause == "slower-kernel", (name, cause)
    for folder, by in (("old", 1), ("new", 0.9)):    # two folders, as vLLM writes them
        (dir / folder).mkdir()
        for model in ("meta-llama/Meta-Llama-3-8B-Instruct", "meta-llama/Meta-Llama-3-70B-Instruct"):
            of = {"backend": "vllm", "model_id": model, "num_prompts": 200, "completed": 200, "request_rate": 4, "duration": 100 / by, "request_throughput": 2 * by,
                  "output_throughput": 400 * by, **{f"{s}_{w}_ms": x / by for s, x in (("mean", 50), ("median", 48), ("p99", 90)) for w in ("ttft", "tpot", "itl")}}
            (dir / folder / f"{model[-12:]}.json").write_text(json.dumps(of))
    text = run(dir, "diff", "old", "new")
    head, rows = " ".join(text.split("\n\n")[0].split()), re.findall(r"^  (?:mean|median|p99) .*", text.split("\nFigures, largest change first\n")[1], re.M)
    assert "11.11 % higher" in head and "in common" not in text and rows and all(row.endswith("(+11.11 %)") for row in rows), text
    table = run(dir, "check", slower, "bench.json", *with_it, "--verbose", expect=(1, 3)).split("\nAll checks\n")[1].split("\n\n")
    heads = [t.split("\n")[0].split() for t in table[:table.index(next(t for t in table if "detectable" in t)) + 1]]
    assert heads[0][:2] == ["verdict", "check"] and all(h[0] == "check" for h in heads[1:]) and "limit" in sum(heads, []), heads


def believed(dir):
    """Recordings that do not compare: the report begins with the reason, and advises how to record; nothing is computed from the figures."""
    stepless, few = make(dir, "trace", "stepless.json.gz", "--steps", 6, "--no-steps", seed=2), make(dir, "trace", "few.json.gz", "--steps", 2, "--slow-kernel", "*=1.3", seed=2)
    head, todo, findings, _, _ = head_of(dir, stepless, "--baseline", "base.json")
    assert "the candidate has no steps and the baseline has" in head and "step()" in todo and "--marker" in todo, (head, todo)
    assert not any(re.search("launched|slower|more often", f["title"]) for f in findings), findings
    head, todo, _, _, _ = head_of(dir, few, "--baseline", "base.json")
    assert "usable steps" in head and "record more steps" in todo, (head, todo)
    registers = make(dir, "trace", "registers.json.gz", "--steps", 6, "--registers", "*flash_bwd_dq*=255", "--slow-kernel", "*flash_bwd_dq*=1.5", seed=2)
    _, todo, findings, _, _ = head_of(dir, registers, "--baseline", "base.json", expect=(1,))
    assert "registers" in findings[0]["title"] and "compiler" in todo and "inputs" not in todo, (findings, todo)
    (dir / "allow.yaml").write_text("version: 2\nallow: [{kernel: '*flash_bwd_dq*', up_to: 60%, until: 2999-01-01, reason: longer sequences}]\n")
    longer = make(dir, "trace", "longer.json.gz", "--steps", 6, "--slow-kernel", "*flash_bwd_dq*=1.5", seed=2)
    text = run(dir, "check", longer, "--baseline", "base.json", "--rules", "allow.yaml")
    assert text.startswith("pass · ") and "approve" not in text and " ".join(text.split()).count("longer sequences") == 1 and text.count("waived: ") > 1, text


def limits_of_charts(dir):
    """The chart of a figure that warns has the limit that it warns beyond."""
    make(dir, "trace", "warns.json.gz", "--steps", 6, "--slow-kernel", "*=1.08", seed=2)
    (dir / "warns.yaml").write_text("version: 1\nrules:\n  - {id: step-period, metric: step.period, fail: {increase: 10%}, warn: {increase: 5%}}\n")
    run(dir, "check", "warns.json.gz", "--baseline", "base.json", "--rules", "warns.yaml", "--html", "warns.html", "--json", "warns.json", expect=(0,))
    tile = re.search(r"<li><p>(?:(?!</li>).)*wall time per step.*?</li>", (dir / "warns.html").read_text(encoding="utf-8"), re.S)[0]
    check = next(c for c in json.loads((dir / "warns.json").read_text(encoding="utf-8"))["checks"] if c["id"] == "step-period")
    said = [float(x) for x in re.findall(r"warns beyond ([\d.]+)", tile)]
    assert "warning beyond 5" in tile and len(said) == 1 and abs(said[0] - 1.05 * check["baseline"] / 1e6) < 0.01, tile



def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        dir, divided = pathlib.Path(name), 0
        for name, args in situations(dir).items():
            text = same_text(dir, name, args)
            whole_commands(name, text)
            fits(name, (dir / "out.md").read_text(encoding="utf-8"))
            if args[0] != "report":
                if args[0] != "suite":    # what holds for several cases is told of each
                    told_once(name, text)
                is_short(name, text, (dir / "out.md").read_text(encoding="utf-8"), (dir / "out.html").read_text(encoding="utf-8"))
            result, page = json.loads((dir / "out.json").read_text(encoding="utf-8")), (dir / "out.html").read_text(encoding="utf-8")
            if args[0] == "check":
                divided += parts_add_up(name, result)
                places_are_said(name, text, (dir / "out.md").read_text(encoding="utf-8"), result)
                counts(name, text, result)
                job(name, text, result, result["exit_code"])
            if name == "pass":
                assert 'class="worse"' not in page and "\033[31m" not in run(dir, *args, FORCE_COLOR="1"), "a pass in red"
            if name not in ("long", "hostile"):
                assert not re.search(r"~[0-9a-f]{8}", text), (name, re.findall(r".*~[0-9a-f]{8}.*", text))
            if name == "slow-rank":
                first = " ".join(text.split("\n\n")[0].split())
                assert re.search(r"rank 2: [\d.]+ → [\d.]+ ms compute per step; median of \d ranks [\d.]+ (?:→ [\d.]+ )?ms \(", first), first
                caution = run(dir, *args, FORCE_COLOR="1", expect=(1,)).partition("\nWhat changed")[0]
                warned = re.search(r"wall time per step \(\033\[31m\+[\d.]+ %\033\[0m; (.*?)\)", " ".join(caution.split()))
                assert warned and warned[1] == "noise only estimated", caution
                assert "per step against its peers" in first and text.count("where: rank 2") == 1, text
            if name == "unsure":
                verdicts = {c["verdict"] for c in result["checks"]}
                assert {"fail", "undecided"} <= verdicts, verdicts
                accepts(dir, text)
            if name == "suite":
                for case in result["cases"]:
                    failed = [c["id"] for c in result["checks"] if c["case"] == case["place"] and c["verdict"] == "fail"]
                    assert case["verdict"] != "fail" or case["change_pct"] > 1, case
                    assert case["verdict"] != "fail" or failed, case
        assert divided, "no finding is divided into parts"
        first_is_said(dir)
        decides(dir)
        hidden(dir)
        suite_says(dir)
        loading(dir)
        figures(dir)
        limits_of_charts(dir)
        of_files(dir)
        believed(dir)
        history(dir)


main()
