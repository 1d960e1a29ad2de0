"""Draws the Markdown of a comment as a picture (SVG) of the width that GitHub uses: headings, paragraphs, lists, a table."""
import html
import re

WIDTH, MARGIN, SIZE, LINE, CODE = 830, 24, 14, 21, 12
NARROW, WIDE = "iljtfr.,:;'|!()[]·› ", "mwMW@—"
STYLE = """\
text { font: 14px -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328; white-space: pre }
.b { font-weight: 600 } .h { font-size: 20px; font-weight: 600 }
.c { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace }
.page { fill: #fff; stroke: #d1d9e0 } .mark { fill: #818b981f } .rule { stroke: #d1d9e0 } .sign { stroke: #d1242f; stroke-width: 3.5 }"""


def width(text, style):
    if style == "c":
        return 0.6 * CODE * len(text)
    size = (20 if style == "h" else SIZE) * (1.06 if style else 1)
    return size * sum(0.3 if c in NARROW else 0.86 if c in WIDE else 1.2 if ord(c) > 0x2600 else 0.56 for c in text)


def runs(text, style=""):
    """Splits text into words with their style: "**bold**", "`code`", plain."""
    out = []
    for part in re.split(r"(\*\*.+?\*\*|`+[^`]+`+)", text):
        kind = "b" if part.startswith("**") else "c" if part.startswith("`") else style
        for word in re.findall(r" |[^ ]+", part.strip("*`") if kind != style else part):
            out.append((word, kind))
    return out


def wrapped(words, room):
    """Arranges words in lines of the given width; a word that is too long is broken."""
    lines, x = [[]], 0
    for word, style in words:
        while True:
            w = width(word, style)
            if x + w <= room:
                break
            if lines[-1] and (word == " " or w <= room):
                lines.append([])
                x = 0
                continue
            n = next(i for i in range(len(word), 0, -1) if i == 1 or x + width(word[:i], style) <= room)
            lines[-1].append((word[:n], style))
            lines.append([])
            word, x = word[n:], 0
        if word != " " or lines[-1]:
            lines[-1].append((word, style))
            x += width(word, style)
    return lines


class Picture:
    def __init__(self):
        self.parts, self.y = [], MARGIN

    def line(self, words, x, y):
        joined = []
        for word, style in words:
            if joined and joined[-1][1] == style:
                joined[-1][0] += word
            else:
                joined.append([word, style])
        for text, style in joined:
            w = width(text, style)
            if style == "c":
                self.parts.append(f'<rect class="mark" x="{x - 2:.0f}" y="{y - 13}" width="{w + 4:.0f}" height="18" rx="4"/>')
            name = f' class="{style}"' if style else ""
            if text.strip():
                self.parts.append(f'<text{name} x="{x:.0f}" y="{y}" textLength="{w:.0f}" lengthAdjust="spacingAndGlyphs">{html.escape(text)}</text>')
            x += w

    def block(self, words, x=MARGIN, room=WIDTH - 2 * MARGIN, gap=10):
        for words in wrapped(words, room):
            self.line(words, x, self.y + 15)
            self.y += LINE
        self.y += gap

    def rule(self, y):
        self.parts.append(f'<path class="rule" d="M{MARGIN} {y}H{WIDTH - MARGIN}"/>')

    def table(self, rows):
        shares = (0.48, 0.2, 0.32)
        room = WIDTH - 2 * MARGIN
        for i, row in enumerate(rows):
            cells = [wrapped(runs(c, "" if i else "b"), room * s - 20) for c, s in zip(row, shares)]
            self.rule(self.y)
            x = MARGIN
            for cell, share in zip(cells, shares):
                for k, words in enumerate(cell):
                    self.line(words, x + 8, self.y + 21 + k * LINE)
                x += room * share
            self.y += max(map(len, cells)) * LINE + 12
        self.rule(self.y)
        self.y += 12

    def whole(self):
        height = self.y + MARGIN - 10
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">\n'
                f"<style>{STYLE}</style>\n"
                f'<rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def svg(markdown):
    p = Picture()
    for block in markdown.strip().split("\n\n"):
        if block.startswith("<!--"):
            block = block.split("\n", 1)[1]
        if block.startswith("### "):
            sign, rest = block[4:].split(" ", 1)
            p.parts.append(f'<path class="sign" d="M{MARGIN + 2} {p.y + 4}l11 11m0 -11l-11 11"><title>{sign}</title></path>')
            p.block(runs(rest.replace("`", ""), "h"), MARGIN + 24, WIDTH - 2 * MARGIN - 24)
        elif block.startswith("| "):
            rows = [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines()]
            p.table([rows[0], *rows[2:]])
        elif block.startswith("- "):
            for item in block.splitlines():
                p.line([("•", "")], MARGIN + 6, p.y + 15)
                p.block(runs(item[2:]), MARGIN + 22, WIDTH - 2 * MARGIN - 22, 2)
            p.y += 8
        else:
            for line in block.splitlines():
                p.block(runs(line), gap=2)
            p.y += 8
    return p.whole()
