"""Names that break careless writers, for all tests of outputs: names of kernels, operators, functions, files and people."""
import pathlib

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "fuzz" / "corpus" / "names"

# Names that trace.py and ranks.py plant in every position of every format.
HOSTILE = [
    "pipe|table|`code` ``fence``", "<img src=x onerror=alert(1)>&amp;<!-- -->", "@everyone #1 ]]> \" ' \\",
    "line one\nline two\r\n::error::line three\t", "nul \x00 bell \x07 escape \x1b[31mred", "lone \ud800 surrogate \udfff",
    "right\u202eto\u2066left\u200f", "=1+1,%0A\u00e9\u4e2d\U0001f600", "",
]
MARKUP = [
    "<script>document.title='owned'</script>", '"><img src=x onerror="document.title=\'owned\'">', "</td></tr></table><h1>owned</h1>",
    "</style><style>*{display:none}", "' onmouseover='document.title=1' x='", "</title></svg><svg onload=alert(1)>", "<!--", "-->", "&lt;b&gt;",
    "]]>", "javascript:alert(1)", "{{7*7}}", "<![CDATA[x]]>", "<?xml version='1.0'?>", "&x;", "&#0;&#x1b;", "\ufffe\uffff", "\x0b\x0c\x7f\x85",
]
MARKDOWN = [
    "`", "``` ```", "`left", "right`", "``two` `` ```three", "a\\", "a\\|b", "a\\\\|b", "\\`a", "|", "| x | y |", "`|`", " ", "  both  ",
    "--> <h1>x</h1>", "</code></details><a href=x>y</a>", "<!--", "[x](javascript:y)", "![x](y)", "[^1]", "https://a.example",
    "me@a.example", "~~x~~", "**x**", "&lt;b&gt;", "- [ ] x", "# x", "@a/b #1", "GH-1", "\u2028x\u2029", "\u202ex", "x\ufeff",
]
LOGS = [
    "::error file=x::y", "##[error]x", "##vso[task.complete result=Failed;]", "::set-output name=a::b", "::add-mask::x", "::stop-commands::x",
    "\r::error::x", "x\r\n##[section]y", "\x1b]0;title\x07", "\x1b[2J\x1b[H", "\x9b31m", "\x08\x08\x08ok", "\u2066::error::\u2069", "%0A::error::x",
    "section_start:1:x\r\x1b[0K", "[0m", "gpugate: warning: nothing", "pass: 99 of 99 checks within their limits",
]
# Names that contain what ends a label value, a line or the file in OpenMetrics, or a string in JSON; and numbers.
FIGURES = ['a"b', 'a\\"b', "a\\nb", 'x"} 1\n# EOF', "# TYPE x gauge", 'a{b="c"}', "\\", "\\\\", '\\"', "NaN", "1e999", "true", "\u0000", "\\u0000"]


def every():
    """All names above and those of the fuzz corpus for names, without duplicates."""
    corpus = [p.read_bytes().decode("utf-8", "replace") for p in sorted(CORPUS.iterdir())]
    return list(dict.fromkeys([*HOSTILE, *MARKUP, *MARKDOWN, *LOGS, *FIGURES, *corpus, "x" * 5000, "\U0001f600" * 500]))
