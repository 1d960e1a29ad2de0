#!/usr/bin/env python3
"""Holds the includes of src/ to the plan of the house: one line per offence, exit 1 if there is any."""
import pathlib
import re
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent / "src"

# Room -> the rooms it may include beside itself and base.
ROOMS = {
    "base": set(),
    "io": set(),
    "model": set(),
    "read": {"io", "model"},
    "merge": {"model"},
    "reduce": {"model", "merge"},
    "replay": {"model"},
    "store": {"io", "model", "merge"},
    "rules": {"io", "model"},
    "diff": {"model"},
    "gate": {"model", "diff"},
    "diagnose": {"model"},
    "report": {"io", "model"},
    "html": {"io", "model", "report"},
    "cli": {"io", "model", "read", "merge", "reduce", "replay", "store", "rules", "diff", "gate", "diagnose", "report", "html"},
    "pages": {"model", "cli"},
    "main.c": {"cli"},
}
# Library header -> the rooms that know the library; cli prints its version.
LIBRARIES = {
    "zlib.h": {"io", "cli"},
    "json-c/": {"store", "report", "cli"},
    "yaml.h": {"rules", "cli"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def offence(room, own, system):
    """What is wrong with one include of a file of `room`, or None."""
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
    bad = 0
    for path in sorted(SRC.rglob("*.[ch]")):
        relative = path.relative_to(SRC)
        room = relative.parts[0]
        if room not in ROOMS:
            print(f"src/{relative}: '{room}' is no room of the house")
            bad += 1
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            m = INCLUDE.match(line)
            what = m and offence(room, m.group(1), m.group(2))
            if what:
                print(f"src/{relative}:{number}: {what}")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
