#!/usr/bin/env python3
"""Checks ci/forge/post with a fake server for the APIs of GitHub and GitLab (_forge.py):

 - each workload gets one comment, which is edited from then on, on whichever page of comments it is; a comment of somebody
   else with the marker, and an own comment that only quotes the marker, stay unchanged
 - temporary failures (5xx, no answer, rate limits) are tried again after the pauses that the API asks for; permanent ones
   end with one line that says what to do; a lost answer never makes a second comment
 - a comment says which files the request changes of those by which it is judged: rules, baselines, suite file and pipeline
 - each value of `--comment` works as the head of the script describes, also on pull requests of forks and without a token
 - there are at most ten annotations, and no name in them acts as a command of the CI system; the summary stays below its limit
 - the token is never printed and never in the arguments of a process, even if the shell traces its commands or the server
   echoes the token

A fake `sleep` notes the pauses. $GPUGATE is the program (for one report of its own); exit 77 skips. """
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from _expect import expect, finish, wrong
import _forge
from _forge import BOT, OTHER, TOKEN
from _part import ALL, part

ROOT = pathlib.Path(__file__).resolve().parents[2]
POST = ROOT / "ci" / "forge" / "post"
MARKER = "<!-- gpugate:resnet50 -->"
PLACE = {"github": "o/r", "gitlab": "5"}
LIST = {"github": "/comments", "gitlab": "/notes"}
EDIT = {"github": "PATCH", "gitlab": "PUT"}
HOW = "\n> Intended? Comment `/gpugate accept REASON` (write access needed).\n"
APIS = ("github", "gitlab")


def result(verdict="fail", code=1, checks=(), **more):
    summary = {"improved": sum(c["verdict"] == "improved" for c in checks)}
    return {"schema": "gpugate-result-1", "verdict": verdict, "exit_code": code, "workload": "resnet50", "error": None,
            "checks": list(checks), "summary": summary, **more}


class Place:
    def __init__(self, folder):
        self.folder, self.forge = folder, _forge.Forge()
        (folder / "bin").mkdir()
        self.tool("sleep", f'echo "$1" >>{folder}/pauses\n')
        self.report(f"{MARKER}\n**gpugate: fail**\n")
        self.result(result())

    def tool(self, name, body):
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/bash\n{body}")
        path.chmod(0o755)

    def report(self, text):
        (self.folder / "report.md").write_text(text)

    def result(self, value):
        (self.folder / "result.json").write_text(json.dumps(value))

    def pauses(self):
        path = self.folder / "pauses"
        have = [int(line) for line in path.read_text().split()] if path.exists() else []
        path.unlink(missing_ok=True)
        return have

    def run(self, *words, env=None, token=TOKEN, trace=()):
        base = {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        if token is not None:
            base["GPUGATE_TOKEN"] = token
        p = subprocess.run(["bash", *trace, POST, *words, self.folder / "report.md", self.folder / "result.json"],
                           env={**base, **(env or {})}, capture_output=True, text=True, check=False)
        if token and token.strip() in p.stdout + p.stderr:
            wrong.append(f"the token is printed by {words}")
        return p

    def post(self, api, *words, code=0, says="", **more):
        p = self.run("--api", api, "--url", self.forge.address, "--repository", PLACE[api], "--request", "7",
                     "--comment", "always", *words, **more)
        text = p.stdout + p.stderr
        if p.returncode != code or says not in text or re.search(r"jq:|line \d+:", text):
            wrong.append(f"{api} {words}: exit {p.returncode}, not {code} with '{says}': {text}")
        if code == 1 and len(p.stderr.splitlines()) != 1:
            wrong.append(f"{api} {words}: more than one line: {p.stderr}")
        return p


def made_and_edited(p, api):
    f = p.forge
    p.post(api, says="made comment")
    expect(f"{api}: made", f.bodies(), [f"{MARKER}\n**gpugate: fail**\n{HOW}"])
    hostile = f"{MARKER}\n" + '`"\\$(id)` \U0001f600 @all\n' * 20
    p.report(hostile)
    p.post(api, says="edited comment")
    expect(f"{api}: edited", f.bodies(), [hostile + HOW])
    p.post(api, says="edited comment")
    expect(f"{api}: edited again", f.bodies(), [hostile + HOW])
    p.report("<!-- gpugate:other -->\nx\n")
    p.post(api, says="made comment")
    expect(f"{api}: of another workload", len(f.bodies()), 2)
    expect(f"{api}: calls", len(f.asked("POST")) - len([c for c in f.asked("POST") if "graphql" in c]), 2)


def found_on_any_page(p, api):
    f = p.forge
    for _ in range(230):
        f.comment(OTHER, "words")
    mine = f.comment(BOT, f"{MARKER}\r\nold")
    for _ in range(100):
        f.comment(OTHER, "words")
    p.post(api, says=f"edited comment {mine}")
    expect(f"{api}: pages", [re.search(r"&page=(\d)", c)[1] for c in f.asked("GET") if LIST[api] in c], list("1234"))


def only_ours(p, api):
    f = p.forge
    f.comment(OTHER, f"{MARKER}\nforged")
    f.comment(BOT, f"> {MARKER}\nquoted by us")
    f.comment(BOT, f"said\n{MARKER}\n")
    f.comment(BOT, None)
    p.post(api, says="made comment")
    expect(f"{api}: others", [c["body"] for c in f.comments][:2], [f"{MARKER}\nforged", f"> {MARKER}\nquoted by us"])
    expect(f"{api}: edits", f.asked(EDIT[api]), [])
    twice = f.comment(BOT, f"{MARKER}\nof two jobs at once")
    p.report(f"{MARKER}\nnew\n")
    p.post(api, says=f"edited comment {twice}")
    expect(f"{api}: none is left out of date", [b for b in f.bodies() if b and b.startswith(MARKER)], [f"{MARKER}\nnew\n{HOW}"] * 2)


def refused(p, api):
    f = p.forge
    p.post(api, code=1, says="wrong or has expired", token="ghs_other")
    for do, answer, hint in ((401, {}, "wrong or has expired"), (404, {}, "not there or the token may not see it"),
                             (403, {}, "permissions: {contents: read" if api == "github" else "scope 'api'"),
                             (422, {}, "does not take this"), (301, {}, "has moved"), (302, {}, "has moved"),
                             (413, {}, "none of gpugate is"), (410, {"body": b"\xff<html>"}, "HTTP 410"),
                             (400, {"body": {"message": {"a": ["\x1b[31m\nb\u202e"]}}}, '({"a":["'),
                             (200, {"body": b"<html>log in</html>"}, "is not JSON")):
        f.fault("GET" if do == 200 else "POST", LIST[api], do, **answer)
        p.post(api, code=1, says=hint)
        expect(f"{api}: {do} is tried once", (f.faults.pop()["times"], p.pauses()), (0, []))
    f.fault("GET", LIST[api], 200, body=b'[{"id": 1')
    p.post(api, code=1, says="is not understood")
    f.fault("GET", LIST[api], 200, body={"message": "no list"})
    p.post(api, code=1, says="not a list of comments")
    expect(f"{api}: nothing made", f.bodies(), [])
    p.report(f"{MARKER}\n" + "x" * (_forge.LIMIT[api] + 1))
    p.post(api, code=1, says="none of gpugate is")
    p.report(f"{MARKER}\n" + "x" * 1048576)
    p.post(api, code=1, says="larger than 1 MiB")


def tried_again(p, api):
    f = p.forge
    for method, path in (("GET", LIST[api]), ("POST", LIST[api]), ("POST", "graphql") if api == "github" else ("GET", "/user")):
        for do in (500, 502, 503, 408, "drop") if (method, path) == ("POST", LIST[api]) else (502, "drop"):
            f.comments.clear()
            f.fault(method, path, do, times=2)
            p.post(api, says="comment")
            expect(f"{api}: pauses after {do}", p.pauses(), [2, 4])
            expect(f"{api}: comments after {method} {do}", len(f.bodies()), 1)
    f.comments.clear()
    f.fault("POST", LIST[api], 500, times=99)
    p.post(api, code=1, says="HTTP 500, 5 times: run the job again later")
    expect(f"{api}: pauses until it gives up", p.pauses(), [2, 4, 8, 16])
    expect(f"{api}: calls until it gives up", len([c for c in f.asked("POST") if LIST[api] in c][-5:]), 5)
    f.faults.clear()
    # No server listens on this port.
    p.post(api, "--url", "http://127.0.0.1:1", code=1, says="no answer")
    expect(f"{api}: pauses without a server", p.pauses(), [2, 4, 8, 16])


def answer_lost(p, api):
    f = p.forge
    f.fault("POST", LIST[api], "lost")
    p.post(api, says="edited comment")
    expect(f"{api}: comments after a lost answer", len(f.bodies()), 1)
    f.fault(EDIT[api], "/", "lost", times=2)
    p.post(api, says="edited comment")
    expect(f"{api}: and after lost edits", len(f.bodies()), 1)


def rate_limits(p, api):
    f = p.forge
    for do, headers, body, pauses in (
            (429, {"Retry-After": "7"}, {}, [7]), (403, {"retry-after": "0"}, {}, [0]), (429, {}, {}, [60]),
            (403, {}, {"message": "You have exceeded a secondary rate limit"}, [60]),
            (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}, {}, [0])):
        f.fault("GET", LIST[api], do, headers=headers, body=body)
        p.post(api, says="comment")
        expect(f"{api}: pauses of {do} {headers}", p.pauses(), pauses)
    name = "X-RateLimit" if api == "github" else "RateLimit"
    f.fault("GET", LIST[api], 429, headers={f"{name}-Remaining": "0", f"{name}-Reset": str(int(time.time()) + 200)})
    p.post(api, says="comment")
    pauses = p.pauses()
    if len(pauses) != 1 or not 1 < pauses[0] <= 201:
        wrong.append(f"{api}: pauses until the reset: {pauses}")
    for headers in ({"Retry-After": "301"}, {"Retry-After": "99999999999"[:9]}):
        f.fault("GET", LIST[api], 429, headers=headers)
        p.post(api, code=1, says="rate limit")
        expect(f"{api}: a rate limit too long to wait for", p.pauses(), [])
    f.fault("GET", LIST[api], 429, times=99, headers={"Retry-After": "1"})
    p.post(api, code=1, says="rate limit of the API, 5 times")
    expect(f"{api}: bounded", p.pauses(), [1] * 4)


def policies(p, api):
    improved = [{"id": "a", "verdict": "improved", "message": ""}]
    runs = {"pass": result("pass", 0), "improved": result("pass", 0, improved), "warn": result("warn", 0),
            "warn as failure": result("warn", 1), "fail": result("fail", 1), "fail on never": result("fail", 0),
            "missing": result("missing", 3), "inconclusive": result("inconclusive", 3),
            "error": result("error", 4, error="no baseline")}
    made = {"always": set(runs), "on-change": set(runs) - {"pass"},
            "on-failure": set(runs) - {"pass", "improved", "warn"}, "never": set()}
    if api == "gitlab":     # GitLab follows the same rules as GitHub, so that two verdicts are enough
        runs = {name: runs[name] for name in ("pass", "fail")}
    for when, those in made.items():
        for name, value in runs.items():
            if when in ("always", "never") and name not in ("pass", "fail", "error"):
                continue    # "always" and "never" do not depend on the verdict, so three verdicts are enough
            p.result(value)
            p.forge.reset()
            p.post(api, "--comment", when)
            expect(f"{api}: {when} makes one of {name}", len(p.forge.bodies()), int(name in those))
            if name not in ("pass", "fail"):
                continue
            p.forge.reset()
            p.forge.comment(BOT, f"{MARKER}\nold")
            p.post(api, "--comment", when)
            expect(f"{api}: {when} edits one of {name}", p.forge.bodies() != [f"{MARKER}\nold"], when != "never")
            if when == "never":
                expect(f"{api}: never asks", p.forge.log, [])
    p.result(runs["pass"])
    (p.folder / "neutral").write_text("not judged: main has no run yet\n")
    p.forge.reset()
    p.post(api)
    expect(f"{api}: one while main has few runs", "until main has five runs" in "".join(p.forge.bodies()), True)
    (p.folder / "neutral").unlink()
    p.result(result())


def changed_files(p, api):
    f = p.forge
    key = "filename" if api == "github" else "new_path"
    check = result(rules="./quality/gate.yaml", baseline="../kept/x/../train.json")
    suite = {"schema": "gpugate-suite-1", "verdict": "fail", "exit_code": 1, "file": "suites/./night.yaml",
             "cases": [{}, {"rules_file": "perf/kernels.yaml", "baseline_file": "kept/attn.json"}]}
    pipeline = (".github/workflows/gpugate.yml", ".gitlab-ci.yml", ".gitlab/gpugate.yml", "Jenkinsfile", "templates/gpugate.yml")
    for what, value, names, words in (
            ("none", check, ("model.py", "my/rules/a.yaml", "gate.yaml", "quality/gate.yaml.txt", "xkept/train.json", "suites/night.yaml"), None),
            ("rules of its own", check, ("quality/gate.yaml",), "gate"), ("below a folder", check, ("part/quality/gate.yaml",), "gate"),
            ("baseline of its own", check, ("kept/train.json",), "gate"), ("rules", check, ("rules/x.yaml",), "rules"),
            ("all", check, ("rules/x.yaml", "baselines/y.json", "kept/train.json"), "rules and baselines and gate"),
            ("suite file", suite, ("gpugate-suite.yaml",), "gate"), ("its file elsewhere", suite, ("suites/night.yaml",), "gate"),
            ("rules of a case", suite, ("perf/kernels.yaml",), "gate"), ("baseline of a case", suite, ("kept/attn.json",), "gate"),
            ("another", suite, ("ci/gpugate-suite-night.yml",), "gate"), ("no suite file", suite, ("gpugate-suite.yaml.md",), None),
            *((name, check, (name,), "gate") for name in pipeline), ("odd", check, ("rules/`x`\n@all",), "rules")):
        p.result(value)
        f.comments.clear()
        f.changed = [{key: name} for name in names]
        p.post(api)
        body = f.bodies()[0]
        found = re.search(r"\n> \*\*This pull request changes its (.*)\*\*: look at (.*) too\.\n", body)
        expect(f"{api}: {what}", found and found[1], words)
        if found and what != "odd":
            expect(f"{api}: {what}: named", found[2], ", ".join(f"`{name}`" for name in sorted(names)))


def surroundings(p, _api):
    """Settings that come from the environment variables of CI systems."""
    f, event = p.forge, p.folder / "event.json"
    github = {"GITHUB_ACTIONS": "true", "GITHUB_API_URL": f.address, "GITHUB_REPOSITORY": "o/r", "GITHUB_EVENT_PATH": str(event)}
    gitlab = {"GITLAB_CI": "true", "CI_API_V4_URL": f.address, "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_PROJECT_ID": "5",
              "CI_MERGE_REQUEST_IID": "7"}

    def pull(head):
        return {"pull_request": {"number": 7, "head": {"repo": head and {"full_name": head}}, "base": {"repo": {"full_name": "o/r"}}}}
    for name, env, content, token, code, says, calls in (
            ("pull request", github, pull("o/r"), TOKEN, 0, "made comment", True),
            ("comment on one", github, {"issue": {"number": 7}}, TOKEN, 0, "edited comment", True),
            ("fork", github, pull("x/r"), TOKEN, 0, "gpugate-act.yml", False),
            ("fork that is gone", github, pull(None), TOKEN, 0, "gpugate-act.yml", False),
            ("push", github, {"ref": "refs/heads/main"}, TOKEN, 0, "no pull request here", False),
            ("no token", github, pull("o/r"), None, 1, "GPUGATE_TOKEN is empty", False),
            ("empty token", github, pull("o/r"), "", 1, "GPUGATE_TOKEN is empty", False),
            ("token with a line end", github, pull("o/r"), TOKEN + "\n", 1, "holds no token", False),
            ("token that is a configuration", github, pull("o/r"), 'a"\nurl = "http://127.0.0.1:1', 1, "holds no token", False),
            ("merge request", gitlab, None, TOKEN, 0, "edited comment", True),
            ("its fork", {**gitlab, "CI_PROJECT_ID": "6"}, None, TOKEN, 0, "runs in a fork", False),
            ("branch", {**gitlab, "CI_MERGE_REQUEST_IID": ""}, None, TOKEN, 0, "no pull request here", False),
            ("neither", {}, None, TOKEN, 0, "no pull request here", False)):
        event.write_text(json.dumps(content))
        f.log.clear()
        r = p.run("--comment", "always", env=env, token=token)
        if r.returncode != code or says not in r.stdout + r.stderr or bool(f.log) != calls:
            wrong.append(f"{name}: exit {r.returncode}, {len(f.log)} calls: {r.stdout}{r.stderr}")
    for words, says in ((["--request", "0"], "is not a number"), (["--comment", "often"], "--comment is always"),
                        (["--what"], "no option '--what'"), (["--request", "7"], "say --api"),
                        (["--request", "7", "--api", "github", "--repository", "o/r/x"], "is not an OWNER/NAME"),
                        (["--request", "7", "--api", "gitlab", "--repository", "a b"], "nor a path of a project"),
                        (["x"], "usage: post"), (["--summary"], "only GitHub Actions has a summary")):
        r = p.run(*words)
        if r.returncode != 2 or says not in r.stderr:
            wrong.append(f"{words}: exit {r.returncode}: {r.stderr}")
    for text, says in (("no marker\n", "is not a marker"), (f" {MARKER}\n", "is not a marker"), ("", "is not a marker"),
                       ("<!-- gpugate:a --> b\n", "is not a marker"), ("<!-- gpugate:a\0 -->\n", "is not a marker")):
        p.report(text)
        p.post("github", code=1, says=says)
    p.report(f"{MARKER}\n")
    (p.folder / "result.json").write_text("{}")
    p.post("github", code=1, says="no result of gpugate check")
    (p.folder / "result.json").unlink()
    p.post("github", code=1, says="did 'gpugate check' run with")


def annotations(p, _api):
    hostile = ["%0A::error::x", "a\n::set-output name=x::y", "a\r::add-mask::b", "t,file=/etc/passwd:1", "\x1b[2J\u202e", "##[error]x",
               "`$(id)`", "::stop-commands::x"]
    def check(i, verdict):
        name = hostile[i % len(hostile)]
        return {"id": f"k[{name}]", "verdict": verdict, "message": f"{name} rose"}
    github = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(p.folder / "summary")}
    for fails, warns, shown in ((0, 0, 0), (1, 1, 2), (4, 6, 10), (8, 3, 10), (40, 40, 10)):
        checks = [check(i, "warn") for i in range(warns)] + [check(i, "pass") for i in range(3)] + [check(i, "fail") for i in range(fails)]
        p.result(result(checks=checks))
        r = p.run("--comment", "never", "--annotations", env=github)
        lines = r.stdout.splitlines()
        expect(f"annotations of {fails} and {warns}", (r.returncode, len(lines)), (0, shown))
        for line in lines:
            if not re.fullmatch(r"::(error|warning|notice) title=[^:,\x00-\x1f]*::[^\x00-\x1f\x7f\u202e]*", line):
                wrong.append(f"annotation {line!r}")
        expect("worst first", [line.split()[0] for line in lines][:min(fails, 9)], ["::error"] * min(fails, 9))
        if fails + warns > 10:
            expect("the rest", lines[-1], f"::notice title=gpugate resnet50::{fails + warns - 9} more in the report")
    expect("encoded", lines[0], "::error title=gpugate resnet50%3A fail%3A k[%250A%3A%3Aerror%3A%3Ax]::%250A::error::x rose")
    p.result(result("error", 3, error="a.json: 100 % broken\n::error::x"))
    r = p.run("--comment", "never", "--annotations", env=github)
    expect("of an error", r.stdout, "::error title=gpugate resnet50::a.json: 100 %25 broken%0A::error::x\n")
    r = p.run("--comment", "never", "--annotations")
    expect("elsewhere", (r.returncode, r.stdout, "only GitHub Actions has annotations" in r.stderr), (0, "", True))

    summary = p.folder / "summary"
    p.run("--comment", "never", "--summary", env=github)
    p.run("--comment", "never", "--summary", env=github)
    text = (p.folder / "report.md").read_text()
    expect("summary", summary.read_text(), text * 2)
    for room, added in ((0, False), (1, True)):
        summary.write_text("x" * (1048576 - len(text.encode()) - room))
        size = summary.stat().st_size
        r = p.run("--comment", "never", "--summary", env=github)
        expect(f"summary with {room} bytes left", (r.returncode, summary.stat().st_size > size), (0, added))


def token_unseen(p, api):
    f = p.forge
    (p.folder / ".curlrc").write_text("verbose\ntrace-ascii -\n")
    for name in ("curl", "jq", "sed", "grep", "head", "tail", "tr", "cat", "stat", "mktemp", "rm", "mv"):
        real = shutil.which(name)
        if real:
            p.tool(name, f'printf "%s\\n" {name} "$@" >>{p.folder}/arguments\nexec {real} "$@"\n')
    f.fault("GET", LIST[api], 500)
    f.fault("POST", LIST[api], 422, body={"message": f"bad token {TOKEN}: is too long"})
    p.run("--api", api, "--url", f.address, "--repository", PLACE[api], "--request", "7", "--comment", "always", trace=["-x"])
    f.faults.clear()
    r = p.post(api, env={"BASH_ENV": "/dev/null"})
    r = p.run("--api", api, "--url", f.address, "--repository", PLACE[api], "--request", "7", trace=["-xv"])
    expect(f"{api}: traced", (r.returncode, "call" in r.stderr), (0, True))
    f.fault("GET", LIST[api], 400, body={"message": f"bad token {TOKEN}"})
    p.post(api, code=1, says="bad token ***")
    f.fault("GET", LIST[api], 400, body={"message": "x" * 290 + TOKEN})
    expect(f"{api}: the beginning of the token", TOKEN[:4] in p.post(api, code=1).stderr, False)
    arguments = (p.folder / "arguments").read_text()
    expect(f"{api}: arguments", (TOKEN in arguments, "Authorization" in arguments.split("jq\n")[0], "--request" in arguments),
           (False, False, True))
    for name in list((p.folder / "bin").iterdir()):
        if name.name != "sleep":
            name.unlink()
    (p.folder / ".curlrc").unlink()
    (p.folder / "arguments").unlink()


def real_report(p, api):
    """Posts the report and the result that `gpugate check` wrote: a comment must be made, and then edited."""
    program = os.environ["GPUGATE"]
    r = subprocess.run([program, "check", "nothing.json", "--workload", "a b", "--markdown", p.folder / "report.md",
                        "--json", p.folder / "result.json"], cwd=p.folder, capture_output=True, check=False)
    expect("exit of check", r.returncode, 3)
    p.post(api, "--comment", "on-failure", says="made comment")
    p.post(api, says="edited comment")


def run_all(api, *tests):
    with tempfile.TemporaryDirectory() as name:
        p = Place(pathlib.Path(name))
        for test in tests:
            p.forge.reset()
            p.report(f"{MARKER}\n**gpugate: fail**\n")
            p.result(result())
            try:
                test(p, api)
            except Exception as fault:      # an exception in a thread would be lost, so it is noted as a failure
                wrong.append(f"{test.__name__} of {api}: {fault!r}")
            p.pauses()
        p.forge.server.shutdown()


def main():
    if not os.environ.get("GPUGATE"):
        sys.exit(77)
    both = (made_and_edited, found_on_any_page, only_ours, refused, changed_files, answer_lost, rate_limits, policies)
    common = (tried_again, token_unseen)    # tests of code that treats both APIs alike (ci/forge/api.sh)
    threads = [threading.Thread(target=run_all, args=row) for row in
               part((("github", *both, *common, real_report), ("gitlab", *both, *(common if ALL else ())), (None, surroundings, annotations)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    finish()


if __name__ == "__main__":
    main()
