"""Small runs, and a folder in which to run the program on them; used by robustness.py."""
import json
import os
import pathlib
import re
import resource
import subprocess

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
SECONDS = 120  # seconds of processor time after which a run counts as a hang: it normally takes a few
MIB = 1 << 20


def is_sanitized():
    return b"__asan_init" in pathlib.Path(PROGRAM).read_bytes()


# --- Inputs --------------------------------------------------------------------------------------


def kernel(i, name="k", ts=None, dur=5.0, **args):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 100.0 * i + 50 if ts is None else ts, "dur": dur,
            "args": {"device": 0, "stream": 7, "correlation": i + 1, **args}}


def events(steps=5, kernels=4):
    """A valid run for the gate, with steps, launches and kernels."""
    out = []
    for step in range(steps):
        out.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1,
                    "ts": 100.0 * kernels * step, "dur": 100.0 * kernels - 1})
        for i in range(step * kernels, (step + 1) * kernels):
            out.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 100.0 * i + 10,
                        "dur": 5.0, "args": {"correlation": i + 1}})
            out.append(kernel(i, f"k{i % kernels}"))
    return out


def trace(more=(), **top):
    return json.dumps({"deviceProperties": [{"id": 0, "name": "GPU A", "totalGlobalMem": 1 << 36}],
                       "traceEvents": [*events(), *more], **top}).encode()


SLOT = b'"@here@"'


def with_slot():
    """Valid traces with a slot for any JSON text: in skipped arguments, at an unknown key, at a key after the events."""
    yield trace([{**kernel(3), "args": {"device": 0, "stream": 7, "correlation": 4, "unknown": "@here@"}}])
    yield trace([{**kernel(3), "unknown": ["@here@", 1]}])
    yield trace(unknown={"a": "@here@"})


class Bench:
    """A folder in which the program runs; it fails the test if an error message does not have the required form."""

    def __init__(self, dir):
        self.dir = pathlib.Path(dir)

    def file(self, name, data):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return name

    def make(self, tool, name, *options):
        generate(tool, self.dir / name, "--seed", 1, *options)
        return name

    def run(self, *args, cpu=SECONDS, before=None, **kw):
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
            if before:
                before()
        return subprocess.run([PROGRAM, *map(str, args)], cwd=self.dir, check=False, preexec_fn=limit, timeout=550,
                              **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **kw})

    def fine(self, *args, code=0, **kw):
        done = self.run(*args, **kw)
        assert done.returncode == code, f"{args}: exit {done.returncode}, not {code}: {done.stderr[:600]}"
        return done

    def refused(self, *args, code=3, says=r": byte \d+: ", what="", **kw):
        """Check that the program refuses its input as it should; the first line of its output must contain `says`."""
        before = sorted(p for p in self.dir.rglob("*"))
        done = self.run(*args, **kw)
        text = done.stderr.decode("utf-8")
        lines = text.split("\n")
        assert done.returncode == code, f"{what or args}: exit {done.returncode}, not {code}: {text[:600]}"
        assert lines.pop() == "" and lines, f"{what or args}: no error"
        assert all(line.startswith("gpugate: ") for line in lines), f"{what or args}: {text}"
        errors = [line for line in lines if not line.startswith(("gpugate: note: ", "gpugate: warning: "))]
        assert re.search(says, errors[0]), f"{what or args}: '{says}' is not said: {text}"
        assert text.replace("\n", "").isprintable(), f"{what or args}: {text!r}"
        left = sorted(p for p in self.dir.rglob("*") if p not in before)
        assert not left, f"{what or args}: left behind: {left}"
        return text

    def digest_refused(self, data, says=r"^gpugate: t\.json: byte \d+: ", *options, **kw):
        """Check that a file which is not an artifact is refused wherever it is read."""
        return self.refused("digest", self.file("t.json", data), "-o", "d.json", *options, says=says, what=data[-120:], **kw)

    def digest(self, data, *options):
        self.fine("digest", self.file("t.json", data), "-o", "d.json", *options)
        return json.loads((self.dir / "d.json").read_text(encoding="utf-8"))

    def metrics(self, data, *options):
        done = self.fine("metrics", self.file("t.json", data), "--json", "-", *options)
        return json.loads(done.stdout.decode("utf-8"))

    def baseline(self):
        self.file("good.json", trace())
        self.fine("approve", "--new", "good.json", "--baseline", "base.json", "--force")
        return "base.json"

    def check(self, data, *options, code=None, base="base.json"):
        """The exit code of a check, and its result as JSON."""
        if not (self.dir / base).exists():
            self.baseline()
        done = self.run("check", self.file("c.json", data), "--baseline", base, "--json", "r.json", *options)
        assert done.returncode == code or code is None, f"exit {done.returncode}, not {code}: {done.stdout}{done.stderr}"
        return json.loads((self.dir / "r.json").read_text(encoding="utf-8")), done

    def rules_refused(self, text, says=r"^gpugate: r\.yaml:\d+:\d+: ", **kw):
        return self.refused("lint", self.file("r.yaml", text), code=2, says=says, what=text[-200:], **kw)
