#!/usr/bin/env python3
"""Makes the table of how often the gate is wrong from tests/sim/table.tsv, the output of `simulation --extended`.

usage: table.py [--update] [SIMULATION]

Compares the tables of tests/sim/README.md, and the rows of docs/simulation.md and docs/troubleshooting.md, with table.tsv and with weathers.tsv, the output of `simulation --weathers`; with SIMULATION it also
repeats some rows with few gates and allows for chance. --update writes the tables. Exit 1 if something differs. """
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STORED = pathlib.Path(__file__).with_name("table.tsv")
WEATHERS = pathlib.Path(__file__).with_name("weathers.tsv")
BEGIN, END = "<!-- simulation: tests/sim/table.py -->\n", "<!-- end of simulation -->\n"
HEAD = ("| spread of single runs | runs of main | runs of the pull request | fails of 1,000 unchanged | undecided of 1,000 unchanged "
        "| +5 %: caught, undecided, % | +10 %: caught, undecided, % | one kernel (11 % of the step) +10 %: caught, undecided, % "
        "| ideal detector: +5 %, +10 % caught, % |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
SHORT_HEAD = ("| spread of single runs | runs of main | runs of the pull request | fails of 1,000 unchanged | undecided of 1,000 unchanged "
              "| +5 %: caught, undecided, % | +10 %: caught, undecided, % |\n|---|--:|--:|--:|--:|--:|--:|\n")
SHORT = (0, 1, 4, 9, 6, 8, 18) # indices of the rows that docs/simulation.md shows
SMALL_BEGIN, SMALL_END = "<!-- simulation of +3 %: tests/sim/table.py -->\n", "<!-- end of simulation of +3 % -->\n"
SMALL_HEAD = ("| spread | limit | runs of main | runs of the pull request | fails of 1,000 unchanged | undecided of 1,000 unchanged "
              "| +3 %: caught, undecided, % |\n|---|--:|--:|--:|--:|--:|--:|\n")
SMALL_LIMITS = ("3 %", *["1.5 %"] * 6) # the limit of each row of small_rows (simulation.c), which are the last rows
# The table of docs/troubleshooting.md: the change, its column of table.tsv, and the index of the row (from the end: one with another limit).
NEEDED_BEGIN, NEEDED_END = "<!-- runs: tests/sim/table.py -->\n", "<!-- end of runs -->\n"
NEEDED_HEAD = "| change | spread | runs of main | runs of the pull request | caught, undecided, % |\n|---|--:|--:|--:|--:|\n"
NEEDED = (("+3 %", 7, -6), ("+3 %", 7, -5), ("+3 %", 7, -3), ("+3 %", 7, -1), ("+5 %", 7, 0), ("+5 %", 7, 1), ("+5 %", 7, 9), ("+10 %", 10, 1), ("+10 %", 10, 8))
WEATHERS_BEGIN, WEATHERS_END = "<!-- weathers: tests/sim/table.py -->\n", "<!-- end of weathers -->\n"
WEATHERS_HEAD = ("| noise | runs of main | one run: fails, undecided of 1,000 unchanged | after the pairs: fails, undecided of 1,000 unchanged "
                 "| more runs for an unchanged change | +5 %: fails, undecided, % | one kernel (11 % of the step) +10 %: fails, undecided, % |\n"
                 "|---|--:|--:|--:|--:|--:|--:|\n")
REPEATED_WEATHER = 1 # number of the row of weathers that the short run simulates again
REPEATED = (1, 8, 31) # numbers of the rows that the short run simulates again
READ = 1 # index of the table's row whose figures docs/simulation.md explains in words


def rows(text):
    return [line.split("\t") for line in text.splitlines() if line]


def share(row, at, scale):
    return scale * int(row[at + 1]) / int(row[at])


def short_line(r):
    return " | ".join(line(r).split(" | ")[:7]) + " |\n"


def small_line(r, limit):
    cells = line(r).split(" | ")
    return " | ".join([cells[0], limit, *cells[1:6]]) + " |\n"


def runs_of(r):
    return r[2] + (" A/B pairs" if r[3] == "1" else "")


def caught_of(r, at):
    return f"{share(r, at, 100):.1f}, {100 * int(r[at + 2]) / int(r[at]):.1f}"


def needed_line(r, change, at):
    return f"| {change} | {r[0]} | {r[1]} | {runs_of(r)} | {caught_of(r, at)} |\n"


def line(r):
    unchanged = f"{share(r, 4, 1000):.2f} | {1000 * int(r[6]) / int(r[4]):.1f}"
    caught = " | ".join(caught_of(r, at) for at in (7, 10, 13))
    return f"| {r[0]} | {r[1]} | {runs_of(r)} | {unchanged} | {caught} | {r[16]}, {r[17]} |\n"


def weather_line(r):
    of = [[int(x) for x in r[at:at + 6]] for at in range(2, 26, 6)]
    per = [[1000 * x / o[0] for x in o[1:5]] for o in of]
    return (f"| {r[0]} | {r[1]} | {per[0][0]:.0f}, {per[0][1]:.0f} | {per[0][2]:.0f}, {per[0][3]:.0f} | {of[0][5] / of[0][0]:.2f} "
            f"| {per[1][2] / 10:.0f}, {per[1][3] / 10:.0f} | {per[3][2] / 10:.0f}, {per[3][3] / 10:.0f} |\n")


def replaced(text, begin, end, new):
    before, rest = text.split(begin)
    return before + begin + new + end + rest.split(end)[1]


def explanation(r):
    return f"""Second row: of 1,000 unchanged runs {share(r, 4, 1000):.2f} fail and {1000 * int(r[6]) / int(r[4]):.1f} are undecided; with all compute kernels 5 % slower, {share(r, 7, 100):.1f} % of the runs fail, {100 * int(r[9]) / int(r[7]):.1f} % are
undecided, and the others pass, most of them with a warning.

"""


def other_noise(weathers):
    """How often unchanged runs fail with noise of other kinds, by one run and after the pairs."""
    first, after = ([1000 * int(r[at]) / int(r[2]) for r in weathers] for at in (3, 5))
    more = max(int(r[7]) / int(r[2]) for r in weathers)
    return (f"\nWith noise of {len(weathers)} other kinds (clocks in steps, new hosts, noisy neighbors, thermal ramps, …), {min(first):.0f} to {max(first):.0f} of 1,000 unchanged runs fail by one run, and\n"
            f"{min(after):.0f} to {max(after):.0f} after the pairs that [confirm](verdicts.md#confirmation) a failure. These cost unchanged code at most {more:.1f} more runs.\n")


def pages(stored):
    """Yields the path, the text and the text that it should have, of each page with tables."""
    path, first, weathers = ROOT / "docs" / "simulation.md", len(stored) - len(SMALL_LIMITS), rows(WEATHERS.read_text(encoding="utf-8"))
    text = path.read_text(encoding="utf-8")
    yield path, text, replaced(text, BEGIN, END, explanation(stored[READ]) + SHORT_HEAD + "".join(short_line(stored[i]) for i in SHORT) + other_noise(weathers))
    path = ROOT / "docs" / "troubleshooting.md"
    text = path.read_text(encoding="utf-8")
    yield path, text, replaced(text, NEEDED_BEGIN, NEEDED_END, NEEDED_HEAD + "".join(needed_line(stored[i], change, at) for change, at, i in NEEDED))
    path = ROOT / "tests" / "sim" / "README.md"
    text = path.read_text(encoding="utf-8")
    new = replaced(text, BEGIN, END, HEAD + "".join(map(line, stored[:first])))
    new = replaced(new, SMALL_BEGIN, SMALL_END, SMALL_HEAD + "".join(map(small_line, stored[first:], SMALL_LIMITS)))
    yield path, text, replaced(new, WEATHERS_BEGIN, WEATHERS_END, WEATHERS_HEAD + "".join(map(weather_line, weathers)))


def near(a, b, na, nb):
    """True if `a` of `na` gates and `b` of `nb` gates may be results of one probability."""
    p = (a + b) / (na + nb)
    return abs(a / na - b / nb) <= 4.5 * math.sqrt(max(p * (1 - p), 1 / (na + nb)) * (1 / na + 1 / nb))


def compare(program, stored, faults):
    for number in REPEATED:
        out = subprocess.run([program, "--gates", "200", "--seed", "7", "--number", str(number)], check=True,
                             capture_output=True, text=True, timeout=600).stdout
        new, old = rows(out)[0], stored[number]
        for at in (4, 7, 10, 13):
            for k in (1, 2):
                if not near(int(new[at + k]), int(old[at + k]), int(new[at]), int(old[at])):
                    faults.append(f"row {number} ({old[0]}), column {at + k}: {new[at + k]} of {new[at]}, "
                                  f"the table has {old[at + k]} of {old[at]}")


def compare_weather(program, stored, faults):
    out = subprocess.run([program, "--weathers", "--gates", "60", "--seed", "7", "--number", str(REPEATED_WEATHER)], check=True,
                         capture_output=True, text=True, timeout=600).stdout
    new, old = rows(out)[0], stored[REPEATED_WEATHER]
    for at in (3, 4, 5, 6):
        if not near(int(new[at]), int(old[at]), int(new[2]), int(old[2])):
            faults.append(f"weather {old[0]}, column {at}: {new[at]} of {new[2]}, the table has {old[at]} of {old[2]}")


def main():
    update = "--update" in sys.argv
    program = [a for a in sys.argv[1:] if a != "--update"]
    stored, faults = rows(STORED.read_text(encoding="utf-8")), []
    for path, text, new in pages(stored):
        if new != text and update:
            path.write_text(new, encoding="utf-8")
        elif new != text:
            faults.append(f"{path.relative_to(ROOT)}: not the tables of tests/sim/*.tsv: tests/sim/table.py --update")
    if program:
        compare(program[0], stored, faults)
        compare_weather(program[0], rows(WEATHERS.read_text(encoding="utf-8")), faults)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
