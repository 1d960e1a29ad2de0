#!/usr/bin/env python3
"""Checks the includes of src/, and the size of files and rooms (the folders of src/), against the limits below: one line per
offense, exit 1 if there is any."""
import collections
import pathlib
import re
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent / "src"

# Rooms (folders of src/) with the data types that every other room may include.
NOUNS = {"metric", "events", "model", "fold"}
# For each room, the rooms that it may include besides itself and base.
ROOMS = {
    "base": set(),
    "io": set(),
    "metric": set(),
    "events": set(),
    "model": NOUNS,
    "xspace": NOUNS | {"io"},
    "read": NOUNS | {"io", "xspace"},
    "flight": {"io", "read"},
    "nsys": NOUNS | {"io"},
    "figures": NOUNS,
    "merge": NOUNS,
    "fold": NOUNS | {"merge"},
    "code": NOUNS,
    "names": NOUNS,
    "reduce": NOUNS | {"code", "merge", "names"},
    "replay": NOUNS,
    "store": NOUNS | {"io", "merge"},
    "results": NOUNS | {"io"},
    "rules": NOUNS | {"io", "results"},
    "diff": NOUNS,
    "trust": NOUNS,
    "gate": NOUNS | {"diff", "trust"},
    "cause": NOUNS | {"diff"},
    "changed": NOUNS,
    "diagnose": NOUNS,
    "document": set(),
    "report": NOUNS | {"io", "names", "document"},
    "html": NOUNS | {"io", "names", "document", "report"},
    "evidence": NOUNS | {"io", "report"},
    "cli": NOUNS | {"io", "xspace", "read", "flight", "nsys", "merge", "reduce", "replay", "store", "results", "rules", "diff", "trust", "gate", "cause", "changed", "evidence",
                    "diagnose", "document", "report", "html"},
    "init": NOUNS | {"io", "rules", "cli"},
    "suite": NOUNS | {"io", "store", "rules", "names", "document", "report", "html", "cli"},
    "history": NOUNS | {"io", "store", "rules", "diff", "names", "document", "report", "html", "cli"},
    "pages": NOUNS | {"cli"},
    "main.c": {"cli"},
}
# Largest size that is still easy to read: a larger file or room has two subjects.
FILE_LINES, ROOM_LINES = 500, 6000
# For each library header, the rooms that may use it; cli only prints its version.
LIBRARIES = {
    "zlib.h": {"io", "cli"},
    "json-c/": {"store", "report", "cli"},
    "yaml.h": {"rules", "cli"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def offence(room, own, system):
    """What is wrong with one include of a file in `room`, or None."""
    if system:
        for header, rooms in LIBRARIES.items():
            if system.startswith(header) and room not in rooms:
                return f"<{system}> belongs to {', '.join(sorted(rooms))}"
        return None
    if "/" not in own:
        return f'"{own}" lacks its room: write "{room}/{own}"'
    target = own.split("/")[0]
    if target in {room, "base"} | ROOMS[room]:
        return None
    return f'"{own}": {room} may not include {target}'


def main():
    bad, lines = [], collections.Counter()
    for path in sorted(SRC.rglob("*.[ch]")):
        relative = path.relative_to(SRC)
        room = relative.parts[0]
        if room not in ROOMS:
            bad.append(f"src/{relative}: '{room}' is no room of the house")
            continue
        text = path.read_text(encoding="utf-8").splitlines()
        lines[room] += len(text)
        if len(text) > FILE_LINES:
            bad.append(f"src/{relative}: {len(text)} lines, more than {FILE_LINES}")
        for number, line in enumerate(text, 1):
            m = INCLUDE.match(line)
            what = m and offence(room, m.group(1), m.group(2))
            if what:
                bad.append(f"src/{relative}:{number}: {what}")
    bad += [f"src/{room}: {nr} lines, not below {ROOM_LINES}" for room, nr in lines.items() if nr >= ROOM_LINES]
    print("".join(line + "\n" for line in bad), end="")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
