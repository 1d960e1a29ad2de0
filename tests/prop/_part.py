"""Long tests run in parts, so that two cores share them: PART=I/N is the I-th of N (tests/CMakeLists.txt). Of many similar
cases, some are run, and all with ALL_CASES, which ci/test --extended sets."""
import os

ALL = bool(os.environ.get("ALL_CASES"))


def part(rows):
    number, of = map(int, os.environ.get("PART", "1/1").split("/"))
    return list(rows)[number - 1::of]


def some(rows, every):
    """The first of every `every` rows; with ALL_CASES all rows."""
    return list(rows) if ALL else list(rows)[::every]
