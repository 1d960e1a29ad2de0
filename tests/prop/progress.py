#!/usr/bin/env python3
"""Progress during long reading: one line on a terminal, and nothing anywhere else.

 - on a terminal, the line shows the bytes read and their total, the rate, the time left and the file; only carriage returns are
   used, and the line is cleared at the end and before an error
 - nothing is shown if standard error is a file, or if the terminal is dumb
 - with --jobs, the line shows how many of the files are done

The inputs are pipes that continue when the line has been seen, so that the test does not depend on time. $GPUGATE is the
program; without it the test is skipped (exit 77). """
import fcntl
import gzip
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading

PROGRAM = os.environ.get("GPUGATE")
EVENT = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1.0, "dur": 2.0,
         "args": {"device": 0, "stream": 7, "correlation": 1}}


class Terminal:
    """The program with standard error on a pseudo-terminal of `columns` columns."""

    def __init__(self, *args, columns=100, **env):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        self.process = subprocess.Popen([PROGRAM, *map(str, args)], stdout=subprocess.DEVNULL, stderr=theirs,
                                        env={**os.environ, "TERM": "xterm", **env})
        os.close(theirs)
        self.text = ""

    def read(self):
        """Reads more output of the program; False at the end."""
        try:
            data = os.read(self.ours, 4096)
        except OSError:  # on Linux, reading fails with an error once the program has closed the terminal
            data = b""
        self.text += data.decode()
        return bool(data)

    def until(self, pattern):
        while not re.search(pattern, self.text):
            assert self.read(), f"'{pattern}' is not in {self.text!r}"

    def end(self):
        while self.read():
            pass
        os.close(self.ours)
        return self.process.wait()


def screen(text):
    """The text that is finally visible, after carriage returns and line feeds."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        seen = ""
        for part in line.split("\r"):
            seen = part + seen[len(part):]
        lines.append(seen.rstrip())
    return lines


def fed(dir, name, gate, good=True):
    """A pipe that gives half of a trace immediately, and the rest when `gate` is set."""
    path = dir / name
    os.mkfifo(path)
    text = json.dumps({"traceEvents": [EVENT] * 4000, "distributedInfo": {"rank": int(name[0]), "world_size": 2}})
    text = text if good else text[:-2]

    def feed():
        with open(path, "w", encoding="utf-8") as f:
            f.write(text[:len(text) // 2])
            f.flush()
            gate.wait()
            f.write(text[len(text) // 2:])
    threading.Thread(target=feed, daemon=True).start()
    return path


def shown(dir):
    for columns in (100, 20):
        gate = threading.Event()
        path = fed(dir, f"{columns // 100}.json", gate)
        t = Terminal("report", path, columns=columns, NO_COLOR="1")
        t.until(r"\r\d\.json, \d")
        if columns == 100:
            t.until(r"KiB, \d.*/s")
        gate.set()
        assert t.end() == 0, t.text
        assert "\x1b" not in t.text and not any(screen(t.text)), t.text
        assert all(len(part) < columns for part in re.split(r"[\r\n]+", t.text)), t.text
        path.unlink()


def error(dir):
    gate = threading.Event()
    t = Terminal("report", fed(dir, "0.cut", gate, good=False))
    t.until("KiB")
    gate.set()
    assert t.end() == 3, t.text
    lines = [line for line in screen(t.text) if line]
    assert lines and lines[0].startswith("gpugate: ") and not any("KiB" in line for line in lines), t.text


def jobs(dir):
    """One of two files, a regular one, is done while the other one waits; the total size is unknown."""
    gate = threading.Event()
    one = dir / "1.whole"
    one.write_text(json.dumps({"traceEvents": [EVENT], "distributedInfo": {"rank": 1, "world_size": 2}}))
    t = Terminal("report", fed(dir, "0.slow", gate), one, "--jobs", 2)
    t.until(r"1 of 2 files, 0\.slow, [\d.]+ [KM]iB, ")
    gate.set()
    assert t.end() == 0, t.text
    assert not any(screen(t.text)), t.text


def size(dir):
    """For a file with a known size, the line shows the share read and the time left. The file consists of 64 GiB of blanks."""
    path = dir / "long.json.gz"
    blanks = gzip.compress(b" " * (16 << 20), 9)
    with open(path, "wb") as f:
        f.write(gzip.compress(b'{"traceEvents": ['))
        for _ in range(4096):
            f.write(blanks)
    t = Terminal("report", path)
    t.until(r"long\.json\.gz, [\d.,]+ [KM]iB of [\d.]+ MiB, [\d.,]+ [KMG]iB/s, \d+ s left")
    t.process.kill()
    t.end()
    path.unlink()


def silent(dir):
    """A second program, on a terminal, measures the time: when it has printed two lines of progress, the programs under test
    would have printed at least one."""
    gate = threading.Event()
    path = fed(dir, "0.file", gate)
    file = subprocess.Popen([PROGRAM, "report", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    dumb = Terminal("report", fed(dir, "0.dumb", gate), TERM="dumb")
    clock = Terminal("report", fed(dir, "0.clock", gate))
    clock.until("\r.*\r.*\r")
    gate.set()
    assert clock.end() == dumb.end() == file.wait() == 0
    assert file.stderr.read() == b"" and dumb.text == "", dumb.text


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        for check in (shown, error, jobs, size, silent):
            check(pathlib.Path(name))


main()
