#!/usr/bin/env python3
"""Checks the places of rooms and the includes of src/ against the tables below: one line per offense, exit 1 if there is any."""
import pathlib
import re
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent / "src"

# The stages of src/, each a folder of rooms. "base" and "store" are rooms themselves.
STAGES = {
    "model": {"metric", "events", "names", "model"},
    "input": {"io", "read", "xspace", "nsys", "flight", "results"},
    "reduce": {"reduce", "replay", "code", "merge", "fold"},
    "judge": {"rules", "tables", "trust", "diff", "gate", "cause", "changed"},
    "report": {"document", "report", "html", "evidence", "diagnose"},
    "cli": {"cli", "init", "suite", "history", "pages"},
}
# Rooms with the data types that every other room may include.
NOUNS = {"metric", "events", "model"}
# For each room, the rooms that it may include besides itself and base.
ROOMS = {
    "base": set(),
    "io": set(),
    "metric": set(),
    "events": set(),
    "names": set(),
    "model": NOUNS | {"names"},
    "xspace": NOUNS | {"io"},
    "read": NOUNS | {"io", "xspace"},
    "flight": {"io", "read"},
    "nsys": NOUNS | {"io"},
    "merge": NOUNS,
    "fold": NOUNS | {"merge"},
    "code": NOUNS,
    "reduce": NOUNS | {"code", "merge"},
    "replay": NOUNS,
    "store": NOUNS | {"io", "merge", "fold"},
    "results": NOUNS | {"io"},
    "rules": NOUNS | {"io", "results"},
    "tables": {"rules"},
    "diff": NOUNS,
    "trust": NOUNS | {"fold"},
    "gate": NOUNS | {"names", "fold", "diff", "trust"},
    "cause": NOUNS | {"diff"},
    "changed": NOUNS,
    "diagnose": NOUNS | {"fold"},
    "document": set(),
    "report": NOUNS | {"io", "names", "fold", "document"},
    "html": NOUNS | {"io", "names", "document", "report"},
    "evidence": NOUNS | {"io", "report"},
    "cli": NOUNS | {"io", "xspace", "read", "flight", "nsys", "merge", "fold", "reduce", "replay", "store", "results", "rules", "diff", "trust", "gate", "cause", "changed", "evidence",
                    "diagnose", "names", "document", "report", "html"},
    "init": NOUNS | {"io", "rules", "cli"},
    "suite": NOUNS | {"io", "store", "rules", "names", "document", "report", "html", "cli"},
    "history": NOUNS | {"io", "store", "rules", "diff", "names", "document", "report", "html", "cli"},
    "pages": NOUNS | {"cli"},
    "main.c": {"cli"},
}
# For each library header, the rooms that may use it; cli only prints its version.
LIBRARIES = {
    "zlib.h": {"io", "cli"},
    "json-c/": {"report", "cli"},
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


def room_of(relative):
    """The room of a file of src/, given by its path within src; None if the file is outside of all rooms."""
    first, *rest = relative.parts
    if first in STAGES:
        return rest[0] if len(rest) == 2 and rest[0] in STAGES[first] else None
    return first if first in ROOMS and len(rest) <= 1 else None


def main():
    bad = []
    for path in sorted(SRC.rglob("*.[ch]")):
        relative = path.relative_to(SRC)
        room = room_of(relative)
        if room is None:
            bad.append(f"src/{relative}: in no room of the house")
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            m = INCLUDE.match(line)
            what = m and offence(room, m.group(1), m.group(2))
            if what:
                bad.append(f"src/{relative}:{number}: {what}")
    print("".join(line + "\n" for line in bad), end="")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
