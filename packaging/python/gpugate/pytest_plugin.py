"""The fixture `gpu_gate` of pytest: record a run, hold it against the stored baseline, fail with what was found.

    def test_train_step(gpu_gate):
        with gpu_gate.record(steps=5, memory=True) as rec:
            for batch in loader:
                train(batch)
                rec.step()

    def test_throughput(gpu_gate):
        gpu_gate.check({"tokens_per_s": benchmark()})
"""
import contextlib
import json
import os
import re
import subprocess

import pytest

from gpugate import Recorder, program


def pytest_addoption(parser):
    group = parser.getgroup("gpugate", "regressions of GPU runs")
    group.addoption("--gpugate-bootstrap", action="store_true", help="gpu_gate: where there is no baseline, make it of this run")


class Gate:
    """The gate of one test. `folder` is where its runs are; rules and baselines are found from `root`."""

    def __init__(self, root, folder, name, bootstrap):
        self.root, self.folder, self.bootstrap = root, folder, bootstrap
        self.workload = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-")
        self._made = 0

    def _place(self, what):
        self._made += 1
        return os.path.join(str(self.folder), f"{what}{self._made}")

    @contextlib.contextmanager
    def record(self, workload=None, options=(), **recorder):
        """A Recorder with these arguments; what it wrote is checked when the block ends without an exception."""
        folder = self._place("run")
        with Recorder(folder, **{"digest": (program(), "digest"), **recorder}) as rec:
            yield rec
        self.check(folder, workload=workload, options=options)

    def check(self, *runs, workload=None, options=()):
        """`gpugate check` of one run: paths, or a dict of figures. `options` are more words of the command. The
        result, as --json writes it; a verdict of "fail", and whatever else ends with another exit code than 0, fails the test."""
        words = [program(), "check", "--workload", workload or self.workload, *map(str, options)]
        result = self._place("result") + ".json"
        for run in runs:
            if isinstance(run, dict):
                path = self._place("figures") + ".json"
                with open(path, "w", encoding="ascii") as file:
                    json.dump(run, file)
                run = path
            words.append(os.path.abspath(str(run)))
        if self.bootstrap:
            words.append("--new")
        p = subprocess.run([*words, "--json", result], cwd=str(self.root), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)
        print(p.stdout + p.stderr, end="")  # pytest shows it of tests that fail
        if not os.path.exists(result):
            pytest.fail(p.stderr.strip() or f"gpugate check: exit {p.returncode}", pytrace=False)
        with open(result, encoding="utf-8") as file:
            said = json.load(file)
        if p.returncode:
            pytest.fail(_why(p, said), pytrace=False)
        return said


def _why(p, said):
    """The verdict, and what was found, a line each; what the program could not do, in its words."""
    found = [f["title"] for f in said.get("findings") or () if f["verdict"] in ("fail", "undecided")]
    first = p.stdout.partition("\n")[0] if found else p.stderr.strip()
    return "\n".join([first or f"gpugate check: exit {p.returncode}", *(f"- {title}" for title in found)])


@pytest.fixture
def gpu_gate(request, tmp_path_factory):
    """Records or takes a run and holds it against the stored baseline of this test (see gpugate.pytest_plugin)."""
    config = request.config
    return Gate(config.rootpath, tmp_path_factory.mktemp("gpugate"), request.node.name, config.getoption("--gpugate-bootstrap"))
