"""What a law found wrong: expect() collects it, and finish() ends the test with it."""
import sys

wrong = []


def expect(what, have, want):
    if have != want:
        wrong.append(f"{what}: {have!r} instead of {want!r}")


def finish():
    if wrong:
        sys.exit("\n".join(wrong))
