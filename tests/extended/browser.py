#!/usr/bin/env python3
"""Checks the HTML report in a real browser: Chromium without a window, driven through ChromeDriver.

For pages on generated runs (a regression with hostile names, a pass, a diff with memory, ranks, a single run, an error, a
history, a suite, a job that hangs):

 - nothing on the console, no request but that of the page itself, no violation of its policy; a
   script, a style or a picture that is put into the page is refused by it
 - no name breaks out of its cell: the page has the same elements as a page with harmless names
 - tables can be sorted with the pointer and with the keyboard, and tell screen readers their order; the selector shows one
   memory or rank, or all of them
 - with scripts off all charts and tables are there, the flame graph and its table among them
 - the first screen of a failed check holds the verdict, key figures and findings with their parts; the keyboard
   goes through the page from its top to its end; it moves through the flame graph and narrows it
 - a page of one rank has at most 300 KB; pages, those of 64 ranks, with memory snapshots and of long traces
   ($GPUGATE_SHARED) among them, stay below 4,000 pixels before anything is expanded
 - each chart has a name and a description, each table a caption, each region a name; every text has
   contrast enough in both themes; at 400 pixels the page itself does not scroll sideways

usage: browser.py [SCREENSHOTS]     (a folder for pictures of each page, at two widths in both themes)
$GPUGATE is the program; without it the test is skipped (exit 77).
"""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "prop"))
from _gen import generate  # noqa: E402
from names import every  # noqa: E402
from _browser import Browser  # noqa: E402

PROGRAM = os.environ.get("GPUGATE")
SHARED = os.environ.get("GPUGATE_SHARED")
BYTES = 300 << 10  # largest size of the page of a run with one rank
WIDTHS, THEMES = (1280, 400), ("light", "dark")

UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")

# --- Pages -------------------------------------------------------------------------------------


def make(tool, out, *options, seed=1):
    return generate(tool, out, "--seed", seed, *options)


def gpugate(*args, expect):
    p = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False)
    assert p.returncode == expect, f"exit {p.returncode}, not {expect}: {args}\n{p.stdout}{p.stderr}"


def hostile_names():
    """Hostile kernel names that the page shows completely, in lists of 15 names, since a drift table has at most 15 rows."""
    names = [n for n in every() if n and len(n) <= 200 and n == n.encode("utf-8", "ignore").decode()]
    return [names[i:i + 15] for i in range(0, len(names), 15)]


def rename(path, out, names, hostile):
    """A trace whose harmless names are replaced by hostile ones, or by harmless ones of the same length."""
    names = {f"harmless_{i}": n if hostile else f"{i:04}".ljust(len(n), "x") for i, n in enumerate(names)}
    trace = json.loads(gzip.decompress(path.read_bytes()))
    for event in trace["traceEvents"]:
        event["name"] = names.get(event.get("name"), event.get("name"))
    out.write_text(json.dumps(trace), encoding="utf-8")
    return out


def pages(dir):
    """Makes all pages; returns them by name."""
    out = {}

    def page(name, *args, expect):
        out[name] = dir / f"{name}.html"
        gpugate(*args, "--html", out[name], expect=expect)

    base, cand = dir / "base", dir / "candidate"
    for folder in (base, cand):
        folder.mkdir()
    of_run = ("--steps", 8, "--peak-memory", 0.15)  # no more than the snapshot's peak
    make("trace", base / "trace.json.gz", *of_run)
    make("trace", cand / "trace.json.gz", *of_run, "--slow-kernel", "*flash_bwd*=1.4", "--long-name", 3000,
         "--extra-launches", "*direct_copy*=2", seed=2)
    make("snapshot", base / "snapshot.json.gz", "--steps", 8)
    make("snapshot", cand / "snapshot.json.gz", "--steps", 8, "--leak", 8 << 20, seed=2)
    gpugate("approve", "--new", base, "--baseline", dir / "b.json", expect=0)
    page("fail", "check", cand, "--baseline", dir / "b.json", expect=1)
    page("pass", "check", base, "--baseline", dir / "b.json", expect=0)
    page("diff", "diff", base, cand, expect=0)
    page("report", "report", cand, expect=0)
    page("error", "check", cand, "--baseline", dir / "<img src=x onerror=alert(1)>.json", expect=4)
    few = make("trace", dir / "few.json.gz", "--steps", 3)
    for i, names in enumerate(hostile_names()):
        new = (x for k in range(len(names)) for x in ("--new-kernel", f"harmless_{k}={9000 - k}"))
        many = make("trace", dir / "many.json.gz", "--steps", 3, *new)
        for name in ("plain", "hostile"):
            page(f"{name}-{i}", "diff", few, rename(many, dir / f"{name}.json", names, name == "hostile"), expect=0)
    for name, options in (("ranks-base", ()), ("ranks", ("--slow-rank", "2=1.3"))):
        make("ranks", dir / name, "--ranks", 4, "--steps", 6, *options)
        for rank in (0, 2):
            make("snapshot", dir / name / f"memory-rank{rank}.json.gz", "--steps", 3 + rank)
    make("ranks", dir / "many-base", "--ranks", 64, "--steps", 4)
    make("ranks", dir / "many-ranks", "--ranks", 64, "--steps", 4, "--slow-rank", "37=1.3")
    gpugate("approve", "--new", dir / "many-base", "--baseline", dir / "many.b.json", expect=0)
    page("ranks64", "check", dir / "many-ranks", "--baseline", dir / "many.b.json", expect=1)
    flux = SHARED and pathlib.Path(SHARED) / "data/traces/flux-aiter-mi300x-rank0of1.json.gz"
    if flux and flux.exists():
        slow = dir / "flux.json.gz"
        inflate = pathlib.Path(SHARED) / "data/inflate_trace.py"
        subprocess.run([sys.executable, inflate, flux, slow, "--steps", "1", "--jitter", "0.02", "--slow-kernel", "fmha=1.2"],
                       check=True, capture_output=True)
        page("flux", "diff", flux, slow, expect=0)
    page("ranks", "diff", dir / "ranks-base", dir / "ranks", expect=0)
    others(dir, page)
    return out


def others(dir, page):
    """Pages that are not of one run: a history, a suite with its index of histories, a job that hangs."""
    baseline = ("--baseline", dir / "h.json")
    for seed in range(10, 24):
        slow = ("--slow-kernel", "*flash_bwd*=1.5") if seed > 16 else ()
        run = make("trace", dir / f"h{seed}.json.gz", "--steps", 4, *slow, seed=seed)
        gpugate("store" if seed > 10 else "approve", run, *baseline, expect=0)
    page("history", "history", *baseline, expect=0)
    hostile = "<img src=x onerror=alert(1)>"
    (dir / hostile).mkdir()
    (dir / hostile / "x.json.gz").write_bytes((dir / "h20.json.gz").read_bytes())
    (dir / "suite.yaml").write_text(json.dumps({"version": 1, "name": "all", "cases": [
        {"workload": "h", "runs": str(dir / "h20.json.gz"), "baseline": str(dir / "h.json")}, {"workload": "new", "runs": str(dir / hostile / "x.json.gz")},
        {"workload": "absent", "runs": str(dir / hostile / "y.json.gz")}]}))
    page("suite", "suite", dir / "suite.yaml", expect=1)
    page("suite-history", "history", "--suite", dir / "suite.yaml", expect=0)
    generate("flight", dir / "dumps", "--ranks", 4, "--stuck", 1, "--json")
    for dump in (dir / "dumps").iterdir():
        dump.write_text(dump.read_text().replace("train.py", hostile))
    page("hang", "report", dir / "dumps", expect=3)


def requests(browser):
    """Addresses that were requested since the page was opened, except those of the browser's first tab."""
    messages = (json.loads(e["message"])["message"] for e in browser.log("performance"))
    sent = (m["params"] for m in messages if m["method"] == "Network.requestWillBeSent")
    return [p["request"]["url"] for p in sent if not p["documentURL"].startswith("chrome:")]


# --- Checks of every page ----------------------------------------------------------------------

NAMELESS = """
const said = (e) => (e.getAttribute('aria-labelledby') || '').split(' ')
  .map((id) => id && document.getElementById(id)).filter(Boolean).map((t) => t.textContent.trim());
const wrong = [];
for (const e of document.querySelectorAll('svg')) {
  if (e.getAttribute('aria-hidden') === 'true' || e.parentElement.closest('svg')) continue;
  const label = e.getAttribute('aria-label'), figure = e.closest('figure');
  const words = label ? [label, figure && figure.querySelector('figcaption').textContent.trim()] : said(e);
  if (e.getAttribute('role') !== 'img' || words.length !== 2 || words.some((w) => !w)) wrong.push(e.outerHTML.slice(0, 200));
}
for (const e of document.querySelectorAll('table')) if (!e.caption || !e.caption.textContent.trim()) wrong.push('table');
for (const e of document.querySelectorAll('[role=region]')) if (!e.getAttribute('aria-label')) wrong.push('region');
for (const e of document.querySelectorAll('select')) if (!e.labels.length) wrong.push('select');
const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
if (new Set(ids).size !== ids.length) wrong.push('an id twice');
if (document.querySelector('[style]')) wrong.push('a style attribute');
return wrong;
"""

# WCAG 2 asks for a contrast of 4.5 to 1 for text.
CONTRAST = """
const rgb = (c) => c.match(/[0-9.]+/g).map(Number);
const light = (c) => { const [r, g, b] = rgb(c).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
  const [, , , a = 1] = rgb(c); if (a > 0) return c; } return 'rgb(255, 255, 255)'; };
const wrong = new Set();
for (const e of document.querySelectorAll('.flame text')) {
  const a = light(getComputedStyle(e).fill), b = light(getComputedStyle(e.previousElementSibling).fill);
  if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) wrong.add('box ' + e.parentElement.className.baseVal);
}
for (const e of document.querySelectorAll('.names text')) {
  const a = light(getComputedStyle(e).fill), b = light(ground(e));
  if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) wrong.add('name of a rank');
}
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let n; (n = walk.nextNode());) {
  const e = n.parentElement;
  if (!n.data.trim() || e.closest('script, svg') || !e.getClientRects().length) continue;
  const a = light(getComputedStyle(e).color), b = light(ground(e));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) wrong.add(e.className + ' ' + e.tagName + ' ' + ratio.toFixed(2));
}
return [...wrong];
"""

# Puts a script, a style and a picture into the page, and fetches an address. The page's policy must refuse all of it; returns the
# directives that refused something.
INTRUDE = """
const put = (tag, set) => { const e = document.createElement(tag); Object.assign(e, set); document.body.append(e); };
window.refused = [];
document.addEventListener('securitypolicyviolation', (e) => window.refused.push(e.effectiveDirective));
put('script', { textContent: "document.title = 'owned'" });
put('style', { textContent: 'body { display: none }' });
put('img', { src: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' });
const done = arguments[arguments.length - 1];
fetch('data:,x').catch(() => {}).then(() => requestAnimationFrame(() => setTimeout(() => done(window.refused.sort()), 0)));
"""


def elements(browser):
    """The elements of the page without their text, and without the breaks after slashes of names."""
    kinds = browser.js("return [...document.querySelectorAll(':not(wbr)')].map((e) => e.parentNode.nodeName + ' ' + e.nodeName + ' ' + e.getAttributeNames())")
    return set(kinds)


def kept(browser, names):
    """Check that each name is complete in a cell, with unprintable characters shown as U+FFFD."""
    cells = set(browser.js("return [...document.querySelectorAll('#kernels td code')].map((e) => e.textContent)"))
    for name in names:
        clean = "".join("\ufffd" if UNSHOWN.match(c) else c for c in name)
        assert clean in cells, (name, sorted(cells))


def quiet(browser, name, page):
    said, asked = browser.log("browser"), requests(browser)
    assert not said, (name, said)
    assert asked == [page.as_uri()], (name, asked)


def readable(browser, name):
    wrong = browser.js(NAMELESS)
    assert not wrong, (name, wrong)
    browser.js("for (const d of document.querySelectorAll('details')) d.open = true")
    for theme in THEMES:
        for width in WIDTHS:
            browser.look(width, theme)
            wrong = browser.js(CONTRAST)
            assert not wrong, (name, theme, wrong)
            wide = browser.js("return document.documentElement.scrollWidth")
            assert wide <= width, (name, width, wide)


def policy(browser, name):
    refused = browser.post("/execute/async", script=INTRUDE, args=[])
    assert refused == ["connect-src", "img-src", "script-src-elem", "style-src-elem"], (name, refused)
    assert "owned" not in browser.js("return document.title"), name


def pictures(browser, name, folder):
    for theme in THEMES:
        for width in WIDTHS:
            browser.look(width, theme)
            browser.picture(folder / f"{name}-{width}-{theme}.png")


# --- Checks of some pages ----------------------------------------------------------------------

COLUMN = """
const t = document.querySelector(arguments[0]);
return [...t.tBodies[0].rows].map((r) => r.cells[arguments[1]]).map((c) => c.dataset.v !== undefined ? Number(c.dataset.v) : c.textContent);
"""


def sorting(browser):
    """Order of the kernel table after clicks and keys: by the candidate's time, then by name."""
    table = "#kernels table"
    press = f"const b = document.querySelectorAll('{table} thead th')[arguments[0]].querySelector('button'); b.focus(); b.click();"
    state = f"return [...document.querySelectorAll('{table} thead th')].map((h) => h.getAttribute('aria-sort'))"
    browser.js("document.querySelector('#kernels > details').open = true")
    before = browser.js(COLUMN, table, 4)
    browser.js(press, 4)
    assert browser.js(state)[4] == "descending"
    assert browser.js(COLUMN, table, 4) == sorted(before, reverse=True) != before
    focused = browser.call("GET", browser.session + "/element/active")
    browser.post(f"/element/{next(iter(focused.values()))}/value", text="\ue007")
    assert browser.js(state)[4] == "ascending"
    assert browser.js(COLUMN, table, 4) == sorted(before)
    browser.js(press, 1)
    assert browser.js(state)[1] == "ascending" and browser.js(state)[4] is None
    names = browser.js(COLUMN, table, 1)
    assert names == sorted(names), names
    assert not browser.js("return !!document.querySelector('.tree th button')"), "a tree of parts is not to be sorted"


def choosing(browser, section, label):
    """A section first shows the first memory or rank; after a choice in its selector, it shows `label`, or all of them."""
    shown = f"return [...document.querySelectorAll('#{section} [data-of]')].filter((e) => e.getClientRects().length).map((e) => e.dataset.of)"
    choose = (f"const s = document.querySelector('#{section} select'); s.value = arguments[0];"
              "s.dispatchEvent(new Event('change'))")
    shown_of = browser.js(f"return [...document.querySelectorAll('#{section} [data-of]')].map((e) => e.dataset.of)")
    assert label in shown_of and len(set(shown_of)) > 1, shown_of
    assert set(browser.js(shown)) == {shown_of[0]}
    browser.js(choose, label)
    assert set(browser.js(shown)) == {label}
    browser.js(choose, "all")
    assert browser.js(shown) == shown_of


# Boxes of the flame graph as they are drawn. A name occurs at most once among the children of a box.
FLAME = """
return [...document.querySelectorAll('.flame > svg')].filter((e) => e.getAttribute('display') !== 'none').map((e) => {
  const r = e.querySelector('rect').getBoundingClientRect();
  return [e.querySelector('title').textContent, Math.round(r.left), Math.round(r.right), Math.round(r.top + scrollY)];
});
"""


def press(browser, key):
    for kind in ("rawKeyDown", "keyUp"):
        browser.cdp("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                    windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowRight": 39}[key])


def flame(browser):
    """Each box of the flame graph lies below a box that spans it; keys move and zoom; Escape shows all boxes again."""
    before = browser.js(FLAME)
    assert len(before) > 5 and before[0][0].startswith("all GPU time"), before
    for title, left, right, top in before[1:]:
        assert any(l <= left + 1 and r >= right - 1 for _, l, r, t in before if t < top), (title, left, right)
    browser.js("document.querySelector('.flame').focus()")
    press(browser, "ArrowDown")
    press(browser, "Enter")
    inner = browser.js(FLAME)
    said = browser.js("return document.querySelector('.said').textContent")
    assert inner != before and said == before[1][0] == inner[1][0], (said, before[1], inner[:2])
    assert abs(inner[1][2] - inner[0][2]) <= 2, inner[:2]
    press(browser, "Escape")
    assert browser.js(FLAME) == before
    browser.js("document.querySelectorAll('.flame > svg')[1].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert browser.js(FLAME) == inner
    press(browser, "Escape")


def focus(browser, name):
    """The keyboard reaches every focusable element once, from the top of the page to its end."""
    browser.js("""
document.activeElement.blur();
window.scrollTo(0, 0);
window.went = [];
document.addEventListener('focusin', (e) => window.went.includes(e.target) || window.went.push(e.target));
const can = 'a[href], button, select, summary, [tabindex="0"]';
window.stops = [...document.querySelectorAll(can)].filter((e) => e.checkVisibility());""")
    # The keyboard may also stop at boxes that scroll, which are not in the list of stops.
    for _ in range(browser.js("return window.stops.length + document.querySelectorAll('pre').length") + 1):
        press(browser, "Tab")
    wrong = browser.js("""
const from = window.went.indexOf(window.stops[0]);
const went = [...window.went.slice(from), ...window.went.slice(0, from)].filter((e) => window.stops.includes(e));
return window.stops.map((e, i) => e === went[i] ? '' : e.outerHTML.slice(0, 100)).filter(Boolean);""")
    assert not wrong, (name, wrong)


def first_screen(browser):
    """The first screen, 1400 by 900 pixels, shows the most important results."""
    browser.cdp("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)
    browser.js("for (const d of document.querySelectorAll('details')) d.open = false; window.scrollTo(0, 0)")
    for selector in ("h1 .badge", ".tiles .spark", "#findings .stack"):
        bottom = browser.js("const e = document.querySelector(arguments[0]); return e ? e.getBoundingClientRect().bottom : null", selector)
        assert bottom is not None and bottom <= 900, (selector, bottom)


def height(browser, name, page, limit=4000):
    browser.look(1280, "light")
    browser.open(page)
    px = browser.js("return document.documentElement.scrollHeight")
    assert px <= limit, (name, px)


def without_scripts(browser, page):
    """Without scripts everything is visible, and there are no controls without effect."""
    browser.scripts(False)
    browser.open(page)
    document = browser.cdp("DOM.getDocument", depth=0)["root"]["nodeId"]

    def count(selector):
        return len(browser.cdp("DOM.querySelectorAll", nodeId=document, selector=selector)["nodeIds"])

    assert count("figure.chart") > 1 and count("table") > 3
    assert count(".flame > svg") > 3 and count("#flame tr") > 3
    assert count("[hidden]") == count("th button") == count("select") == 0
    browser.scripts(True)


def run(dir, folder):
    made = pages(dir)
    browser = Browser(dir)
    try:
        for name, page in made.items():
            browser.open(page)
            quiet(browser, name, page)
            if folder:
                pictures(browser, name, folder)
            readable(browser, name)
            policy(browser, name)
        for i, names in enumerate(hostile_names()):
            browser.open(made[f"plain-{i}"])
            plain = elements(browser)
            browser.open(made[f"hostile-{i}"])
            assert browser.js("return document.title").startswith("diff")
            assert elements(browser) <= plain, ("a name got out of its cell", elements(browser) - plain)
            kept(browser, names)
        browser.open(made["fail"])
        sorting(browser)
        first_screen(browser)
        browser.open(made["fail"])
        flame(browser)
        focus(browser, "fail")
        for name in ("fail", "pass", "diff", "report", "flux"):
            size = made[name].stat().st_size if name in made else 0
            assert size <= BYTES, (name, size)
        for name in ("ranks64", "flux", "fail", "diff", "report"):
            if name in made:
                height(browser, name, made[name])
        browser.open(made["ranks"])
        choosing(browser, "steps", "rank 2")
        choosing(browser, "memory", "memory 0 of rank 2")
        for name in ("fail", "ranks", "report"):
            without_scripts(browser, made[name])
    finally:
        browser.close()


def main():
    if not PROGRAM:
        sys.exit(77)
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as dir:
        run(pathlib.Path(dir), folder)


main()
