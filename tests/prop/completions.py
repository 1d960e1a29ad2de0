#!/usr/bin/env python3
"""Manual pages and the completion of bash agree with `--help`:

 - there is a page for each command and no other; each names every option of the command, every exit code, and
   has examples whose options the command has
 - a real bash, at its terminal, completes commands, the options of each command and no others, values of options, files and
   metrics

tests/extended/shells.py does the same in zsh and fish. $GPUGATE is the program, beside which its build has the folder pages/;
exit 77 skips.
"""
import os
import pathlib
import pty
import re
import select
import shlex
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("GPUGATE")
FILES = ("trace.json.gz", "trace 2.json.gz", "rules.yaml")
wrong = []


def pages():
    return pathlib.Path(PROGRAM).resolve().parent / "pages"


def options():
    """{command: its options}, as listed by `--help`."""
    def text(*args):
        return subprocess.run([PROGRAM, *args, "--help"], check=True, capture_output=True, text=True).stdout
    commands = re.findall(r"^  ([a-z]+(?: [a-z]+)?)(?: .*?)?  +\S", text().split("exit codes")[0], re.M)
    return {c: set(re.findall(r"^  (--[a-z-]+)", text(*c.split()), re.M)) for c in commands}


def expectations():
    """Pairs of a command line after "gpugate " and the words that completion offers for its last word."""
    known = options()
    yield "", {c.split()[0] for c in known} | {"version", "--help", "--version"}, True
    for command, names in known.items():
        yield f"{command} --", names | {"--help"}, False
    yield "check --fail-on ", {"fail", "warn", "never"}, False
    yield "check trace.json.gz --fail-on=w", {"--fail-on=warn"}, False
    yield "check --fail-on w", {"warn"}, False
    yield "report --phase b", {"backward"}, False
    yield "approve tr", {FILES[0], FILES[1]}, False
    yield "check --junit ru", {"rules.yaml"}, False
    yield "check --html report.html ru", {"rules.yaml"}, False
    yield "digest -o ru", {"rules.yaml"}, False
    yield "lint fol", {"folder"}, False
    yield "explain xx", set(), False
    yield "check --expect-ranks ", set(), False
    yield "explain step.ti", {"step.time"}, False


def check(shell, complete):
    """Check `complete`, which returns the set of words offered for a line. In places where a command may follow, offered options are not compared."""
    for line, want, opening in expectations():
        have = complete(line)
        if opening: # zsh and fish offer options only once a "-" is typed
            have, want = ({w for w in words if w[:1] != "-"} for words in (have, want))
        if have != want:
            wrong.append(f"{shell}: 'gpugate {line}': {sorted(have)}, not {sorted(want)}")


class Terminal:
    """A shell on a pseudo-terminal, in which `gpugate` is a function that prints its arguments."""

    def __init__(self, folder, *command):
        pid, self.fd = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": folder, "LC_ALL": "C.UTF-8"})
        self.pid = pid

    def send(self, text):
        """Type `text`, and return the output up to <end>."""
        os.write(self.fd, text.encode())
        output = b""
        while b"<end>" not in output:
            if not select.select([self.fd], [], [], 60)[0]:
                sys.exit(f"no answer to {text!r}: {output.decode(errors='replace')}")
            output += os.read(self.fd, 65536)
        return output.decode()

    def words(self, line, key):
        """The words that the last word of the line becomes when `key` is pressed."""
        printed = self.send(f"gpugate {line}{key}\n").rsplit("<begin>", 1)[1].split("<end>")[0]
        words = re.findall(r"<(.*?)>", printed)
        typed = line.split()
        kept = len(typed) - (not line.endswith(" ") and line != "")
        return set() if words == typed else {w.rstrip("/") for w in words[kept:]}

    def close(self):
        os.write(self.fd, b"exit\n")
        os.waitpid(self.pid, 0)
        os.close(self.fd)


PRINTS = "gpugate() { printf '<begin''>'; printf '<%s>' \"$@\"; printf '<en''d>\\n'; }\n"


def make_folder(name):
    for file in FILES:
        (pathlib.Path(name) / file).touch()
    (pathlib.Path(name) / "folder").mkdir()


def bash():
    with tempfile.TemporaryDirectory() as folder:
        make_folder(folder)
        t = Terminal(folder, "bash", "--norc", "--noprofile", "-i")
        t.send(f"PS1= PS2=; bind 'set enable-bracketed-paste off'; source '{pages()}/gpugate.bash'; {PRINTS}gpugate\n")
        check("bash", lambda line: t.words(line, "\x1b*")) # insert-completions
        t.close()


def manual():
    known = options()
    want = {"gpugate.1"} | {f"gpugate-{c.replace(' ', '-')}.1" for c in known}
    have = {p.name for p in (pages() / "man").iterdir()}
    if have != want:
        wrong.append(f"manual: {sorted(have)}, not {sorted(want)}")
    codes = re.findall(r"^  (\d)  (.*)$", subprocess.run([PROGRAM, "--help"], check=True, capture_output=True, text=True).stdout, re.M)
    for command, names in known.items():
        page = (pages() / "man" / f"gpugate-{command.replace(' ', '-')}.1").read_text()
        fl = set("-" + w for w in re.findall(r"^\.It (?:Fl o , )?Fl (-[a-z-]+)", page, re.M))
        if fl != names | {"--help"}:
            wrong.append(f"manual: page of '{command}': {sorted(fl)}, not {sorted(names)}")
        for code, meaning in codes:
            if f".It {code}\n{meaning}\n" not in page:
                wrong.append(f"manual: page of '{command}' lacks exit code {code}")
        examples = re.findall(rf"^gpugate ({command} ?.*)$", page, re.M)
        for words in examples:  # with --help added, the program checks the options of the example and then prints the help
            p = subprocess.run([PROGRAM, *shlex.split(words), "--help"], capture_output=True, text=True, check=False)
            if p.returncode:
                wrong.append(f"manual: the example 'gpugate {words}': {p.stderr}")
        if not examples:
            wrong.append(f"manual: page of '{command}' lacks examples")


def main():
    if not PROGRAM:
        sys.exit(77)
    if not pages().is_dir():
        sys.exit(f"no {pages()}: build the target gpugate_pages")
    manual()
    bash()
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
