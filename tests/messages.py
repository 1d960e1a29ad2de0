#!/usr/bin/env python3
"""Lists every message of the program, to be read as a whole: what happened, where, what to do.

One line for each message, FILE:LINE: TEXT, in the order of the folders of src/. A message is a text that is passed to a
function that refuses, warns or notes, or to a function of the same file that passes it on. Adjacent strings are joined; "…" is
a value.

usage: messages.py [FOLDER…]     (folders of src/, such as judge/gate)
"""
import pathlib
import re
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent / "src"
# Calls of functions whose names end in these words have a text for people as an argument.
CALL = re.compile(r"\b(\w*(?:fail|note|warn|warning|error|refuse|damaged|unusable|trust_add|add_finding|add_rank_finding|strange|wrong)\w*)\(")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
FILLED = re.compile(r'%"\s*PRI\w+\s*"|%[-+ .*\d]*(?:z|ll|l)?[a-zA-Z]')


def argument_end(text, begin):
    """Index of the end of the call whose parenthesis opens at `begin`, skipping strings and nested calls."""
    depth, at = 0, begin
    while at < len(text):
        m = STRING.match(text, at)
        if m:
            at = m.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            break
    return at


def messages(path):
    text = path.read_text(encoding="utf-8")
    # Replace comments by blanks, so that line numbers stay.
    text = re.sub(r'/\*.*?\*/|//[^\n]*|("(?:[^"\\\n]|\\.)*")', lambda m: m[1] or re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    seen = set()
    for m in CALL.finditer(text):
        inside = text[m.end():argument_end(text, m.end() - 1)]
        for part in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*(?:PRI\w+\s*)?)+', inside):
            said = "".join(STRING.findall(FILLED.sub("…", re.sub(r'"\s*PRI\w+\s*"', "d", part[0]))))
            line = text.count("\n", 0, m.end() + part.start()) + 1
            if len(re.findall(r"[A-Za-z]{2,}", said)) >= 2 and (line, said) not in seen:
                seen.add((line, said))
                yield line, said
    for m in re.finditer(r'\b(?:return|=|:|\?)\s*((?:"(?:[^"\\\n]|\\.)*"\s*)+)(?=[;,:)])', text):
        said = "".join(STRING.findall(FILLED.sub("…", m[1])))
        line = text.count("\n", 0, m.start(1)) + 1
        if len(re.findall(r"[A-Za-z]{2,}", said)) >= 4 and not any(s == said for _, s in seen):
            seen.add((line, said))
            yield line, said


def main():
    for folder in sys.argv[1:] or [""]:
        for path in sorted((SRC / folder).rglob("*.[ch]")):
            for line, said in sorted(messages(path)):
                print(f"src/{path.relative_to(SRC)}:{line}: {said}")


if __name__ == "__main__":
    main()
