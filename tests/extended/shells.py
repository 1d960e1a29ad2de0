#!/usr/bin/env python3
"""Checks that the manual pages pass mandoc and groff, and that zsh and fish complete the same as bash
(tests/prop/completions.py).

$GPUGATE is the program, beside which its build has the folder pages/; exit 77 skips.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "prop"))
import completions  # noqa: E402

ALL_MATCHES = r"""
zle -C all-matches complete-word _generic
bindkey '^Xa' all-matches
zstyle ':completion:all-matches::::' completer _all_matches _complete
zstyle ':completion:all-matches:*' old-matches false
zstyle ':completion:all-matches:*' insert true
"""


def manual():
    for page in sorted((completions.pages() / "man").glob("*.1")):
        for command in (["mandoc", "-Tlint", "-Wwarning", page], ["groff", "-ww", "-mdoc", "-Tutf8", "-Kutf8", page],
                        ["man", "--warnings", "-l", page]):
            p = subprocess.run(command, capture_output=True, text=True, check=False)
            fault = p.stderr + (p.stdout if command[0] == "mandoc" else "")
            if p.returncode or fault:
                completions.wrong.append(f"{page.name}: {command[0]}: {fault}")


def zsh():
    with tempfile.TemporaryDirectory() as folder:
        completions.make_folder(folder)
        t = completions.Terminal(folder, "zsh", "-f", "-i")
        t.send(f"PS1= PS2= PROMPT_EOL_MARK=; fpath=('{completions.pages()}' $fpath); autoload -U compinit; compinit -u -D;"
               f"{ALL_MATCHES}{completions.PRINTS}gpugate\n")
        completions.check("zsh", lambda line: t.words(line, "\x18a"))
        t.close()


def fish():
    def complete(line):
        p = subprocess.run(["fish", "--no-config", "-c", f"source '{completions.pages()}/gpugate.fish'; complete -C $argv[1]", f"gpugate {line}"],
                           cwd=folder, env={"PATH": "/usr/bin:/bin", "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8"},
                           capture_output=True, text=True, check=True)
        assert not p.stderr, p.stderr
        return {row.split("\t")[0].rstrip("/") for row in p.stdout.splitlines()}
    with tempfile.TemporaryDirectory() as folder:
        completions.make_folder(folder)
        completions.check("fish", complete)


def main():
    if not completions.PROGRAM:
        sys.exit(77)
    missing = [c for c in ("mandoc", "groff", "man", "zsh", "fish") if not shutil.which(c)]
    if missing:
        sys.exit(f"shells.py: {', '.join(missing)}: missing: ci/install-deps extended")
    for law in (manual, zsh, fish):
        law()
    if completions.wrong:
        sys.exit("\n".join(completions.wrong))


if __name__ == "__main__":
    main()
