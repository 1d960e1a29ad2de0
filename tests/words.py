#!/usr/bin/env python3
"""Plain words: phrases that this project does not use, and one spelling of each word (American).

Looks at comments of all sources, at messages (C strings with at least three words; what scripts fail with), at docstrings,
at texts of rules and at prose of Markdown. The following is data rather than prose, and left out:

 - text in quotes or backticks ('x', "x", `x`), and fenced code of Markdown
 - stored words: what `category`, `name`, `match`, `has` and `as` of rules/*.yaml hold
 - names: a word joined by _, /, ., :: or a parenthesis to another, as in was_cancelled or tests/colour.c
 - tests/golden and tests/data, except that goldens follow the messages

usage: words.py [FILE…]      prints one line per hit, with what to write instead; exit 1 if there is any
"""
import io
import pathlib
import re
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOOKED_AT = ["src", "ci", "tests", "docs", "rules", "cmake", "packaging", "CMakeLists.txt", "README.md", "CONTRIBUTING.md", "SECURITY.md",
           "CHANGELOG.md"]
LEFT_OUT = ("tests/golden/", "tests/data/", "tests/fuzz/corpus/", "tests/words.py")

# Pairs of a pattern to find and the advice to print.
PHRASES = [
    (r"(?:^|[.:!?;] )Of (?!course\b)", "begin with the subject"),
    (r"(?<![Tt]here )\b(?:is|are|was|were|be) none\b", "'is not one', 'does not count', or name what is missing"),
    (r"(?<![Tt]here )\b(?:is|are|was|were) no (?!(?:longer|more|less|worse"
     r"|(?:lat|earli|small|larg|great|bett|wid|narrow|fast|slow|high|low|furth|old|new|short|near|clos)er)\b)", "'is not a', 'has no', or 'there is no'"),
    (r"\bfor want of\b", "'because … is missing', 'if there is no'"),
    (r"\b(?:stands?|stood|standing) for\b", "'means', 'is used for', 'replaces'"),
    (r"(?<!-)\bserves\b", "'is used for', 'is enough'"),
    (r"\b(?:told|tell|tells|telling)(?: \w+){0,3} apart\b", "'distinguish', 'distinguished'"),
    (r"\b(?:has|have|is|are|had|was|were) but (?!not\b)", "'has only', 'is only'"),
    (r"\bbut for\b", "'except'"),
    (r"\b(?:goes|go|going|went) without\b", "'has no'"),
]
# Phrases that are refused except in tests, where the word also occurs in names of cases, as in "scalars alone".
ALONE = [
    (r"(?<!let )(?<!leave )(?<!leaves )(?<!left )(?<!files )(?<!stand )(?<!stands )(?<!run it )"
     r"\balone\b(?! (?:may|can|cannot|could|would|is|are|do|does|did|says|takes)\b)", "'only', 'by itself'"),
]
# British spellings of the words of this subject.
BRITISH = re.compile(
    r"\b(?:(?:un|re|de)?(?:util|normal|initial|serial|optim|recogn|synchron|summar|parallel|organ|emphas|minim|maxim|visual|quant|special|"
    r"general|real|token|standard|categor|author|random|final|item|symbol|vector|capital|stabil|anonym|local|harmon|memo|character|penal)"
    r"is(?:e|es|ed|er|ers|ing|ation|ations|able)|"
    r"colour\w*|behaviour\w*|neighbour\w*|favour\w*|honour\w*|labell\w+|cancell(?:ed|ing)|modell\w+|travell\w+|centre[sd]?|metre[sd]?|"
    r"catalogue\w*|analys(?:e|ed|es|ing)|grey|licence[sd]?|fulfil|judgement|ageing|artefact\w*|programme[sd]?)\b", re.I)

QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|(?<![\w])'[^']*'(?!\w)")
NAME = re.compile(r"aria-\w+|[\w./:-]*\w(?:_|/|::|\.(?=\w))[\w./:()-]*|\w+\([\w, ]*\)|<[\w/ =.:#-]*>")
WORD = re.compile(r"(?<![\w%\\])[A-Za-z]{2,}(?![\w(])")


def blank(match):
    """Replaces a match by as many letters, so that positions stay and the sentence still has a noun there."""
    return "x" * len(match[0])


class Text:
    """A sentence that may span several lines, with the line on which each of its parts began."""

    def __init__(self, line, text):
        self.text, self.lines = text, [(0, line)]

    def add(self, line, text):
        self.lines.append((len(self.text) + 1, line))
        self.text += " " + text

    def line_of(self, offset):
        return max(line for begin, line in self.lines if begin <= offset)

    def hits(self, in_tests):
        text = NAME.sub(blank, QUOTED.sub(blank, self.text))
        for pattern, instead in PHRASES + ([] if in_tests else ALONE):
            for m in re.finditer(pattern, text):
                yield self.line_of(m.end() - 1), self.text[max(0, m.start() - 30):m.end() + 30], f"write {instead}"
        for m in BRITISH.finditer(text):
            yield self.line_of(m.start()), self.text[max(0, m.start() - 30):m.end() + 30], f"'{m[0]}': write it as Americans do"


# ---- what is prose, by kind of file ----

C_TOKEN = re.compile(r"//[/!]?<?(?P<line>[^\n]*)|/\*[*!]?<?(?P<block>.*?)\*/|\"(?P<string>(?:[^\"\\\n]|\\.)*)\"|'(?:[^'\\\n]|\\.)+'", re.S)


def texts_of_c(source):
    last, end, kind = None, -1, None
    for m in C_TOKEN.finditer(source):
        line = source.count("\n", 0, m.start()) + 1
        between = source[end:m.start()] if end >= 0 else "x"
        begins_line = source[source.rfind("\n", 0, m.start()) + 1:m.start()].isspace() or m.start() == 0 or source[m.start() - 1] == "\n"
        now = m.lastgroup
        if now == "block":
            if last:
                yield kind, last
            last = Text(line, "")
            for i, part in enumerate(m[now].split("\n")):
                last.add(line + i, part.strip(" \t*"))
            last.text = last.text[1:]
            last.lines = [(max(0, at - 1), n) for at, n in last.lines]
        elif now and last and kind == now and between.strip() == "" and between.count("\n") <= 1 and (now == "string" or begins_line):
            last.add(line, m[now].strip()) if now == "line" else last.add(line, m[now])
        elif now:
            if last:
                yield kind, last
            last = Text(line, m[now].strip())
        kind, end = now or kind, m.end()
    if last:
        yield kind, last


def prose_of_c(source):
    for kind, text in texts_of_c(source):
        if kind != "string":
            yield text
        elif len(WORD.findall(re.sub(r"%\"?\s*PRI\w+|%[-.*\d]*[a-z]+|\\.", " ", text.text))) >= 3:
            yield text


def prose_of_python(source):
    for m in SAID.finditer(source):
        yield Text(source.count("\n", 0, m.start()) + 1, m[1])
    last, end = None, 0
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line = token.start[0]
        if token.type == tokenize.COMMENT:
            text = token.string.lstrip("#! ")
            if last and line == end + 1:
                last.add(line, text)
            else:
                if last:
                    yield last
                last = Text(line, text)
            end = line
        elif token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.NL, tokenize.DEDENT, tokenize.COMMENT) \
                and token.string.lstrip("rR").startswith('"""'):
            doc = None
            for i, part in enumerate(token.string.lstrip("rR")[3:-3].split("\n")):
                part = part.strip()
                if not part or doc is None or re.match(r"[-*] ", part):
                    if doc:
                        yield doc
                    doc = Text(line + i, part.lstrip("-* "))
                else:
                    doc.add(line + i, part)
            if doc:
                yield doc
        before = token.type
    if last:
        yield last


SAID = re.compile(r"\b(?:fail|usage|die|note|warn|raise \w+\(|exit\()\s*f?\"([^\"\n]*)\"")
STORED = re.compile(r"\b(?:category|name|match|has|as): .*")


def prose_of_lines(source, every_line):
    """Comments of shell, CMake and YAML files, lines of YAML files with texts, and messages of scripts."""
    for m in SAID.finditer(source):
        yield Text(source.count("\n", 0, m.start()) + 1, m[1])
    last, end = None, 0
    for line, text in enumerate(source.split("\n"), 1):
        m = re.search(r"(?:^|\s)#+!?(?:\s+(.*)|$)", text)
        part = m[1] if m else STORED.sub("", text) if every_line and text.strip() else None
        if part is None:
            continue
        if last and end == line - 1 and (every_line or re.match(r"\s*#", text)):
            last.add(line, part.strip())
        else:
            if last:
                yield last
            last = Text(line, part.strip())
        end = line
    if last:
        yield last


def prose_of_markdown(source):
    fenced, last = False, None
    for line, text in enumerate(source.split("\n"), 1):
        if text.lstrip().startswith("```"):
            fenced = not fenced
        begins = not text.strip() or re.match(r"\s*([-*|#<]|\d+\.) ?", text)
        if fenced or begins:
            if last:
                yield last
            last = None
        if fenced or not text.strip():
            continue
        text = re.sub(r"\]\([^)]*\)", "]", text)
        if text.startswith("|"):
            for cell in text.split("|"):
                yield Text(line, cell.strip())
        elif last:
            last.add(line, text.strip())
        else:
            last = Text(line, re.sub(r"^\s*([-*#]+|\d+\.) ", "", text))
    if last:
        yield last


def prose_of(path):
    source = path.read_text(encoding="utf-8")
    first = source.split("\n", 1)[0]
    if path.suffix in {".c", ".h", ".def", ".js", ".css"}:
        return prose_of_c(source)
    if path.suffix == ".py" or "python" in first and first.startswith("#!"):
        return prose_of_python(source)
    if path.suffix == ".md":
        return prose_of_markdown(source)
    return prose_of_lines(source, path.parent.name == "rules" and path.suffix == ".yaml")


def is_text(path):
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return path.suffix not in {".json", ".svg", ".tsv", ".csv", ".gz", ".lock", ".jsonl"}


def main():
    named = [ROOT / name for name in sys.argv[1:] or LOOKED_AT]
    bad = 0
    for path in sorted(p for n in named for p in (n.rglob("*") if n.is_dir() else [n])):
        name = str(path.relative_to(ROOT))
        if name.startswith(LEFT_OUT) or "__pycache__" in name or not path.is_file() or not is_text(path):
            continue
        for text in prose_of(path):
            for line, where, what in text.hits(name.startswith("tests/")):
                print(f"{name}:{line}: …{where}…: {what}")
                bad += 1
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
