#!/usr/bin/env python3
"""ci/bench measures every row and its reference, and other tools if they are installed. The test fakes the other tools,
so that the table is tested rather than speed."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HTA = """
class TraceAnalysis:
    def __init__(self, trace_files, trace_dir):
        self.bytes = len(open(trace_files[0], "rb").read())
    def get_temporal_breakdown(self, visualize):
        assert self.bytes and not visualize
    get_gpu_kernel_breakdown = get_temporal_breakdown
"""
TRACELENS = """
class TreePerfAnalyzer:
    @staticmethod
    def from_file(path):
        assert open(path, "rb").read()
        return TreePerfAnalyzer()
    def get_df_gpu_timeline(self):
        pass
"""
OWN = ["plain, 1 thread", "gz, 2 threads", "gz, 1 thread"]
PEERS = ["1 thread, beside hta", "1 thread, beside TraceLens", "1 thread, beside axolotl"]


def table(dir, *options, **env):
    """Runs ci/bench; returns the table's rows as {name: other cells}, and the text below the table."""
    done = subprocess.run([sys.executable, ROOT / "ci/bench", "--gpugate", os.environ["GPUGATE"], "--work", dir / "work", "--size", "1MB",
                           "--runs", "1", "--ranks", "40", "--folded", "136", *options], env={**os.environ, "GPUGATE_SHARED": "", **env}, check=False, capture_output=True)
    missed = re.search(rb"^ci/bench: goals missed: (.+)", done.stderr, re.M)
    assert done.returncode == bool(missed), done.stderr
    speeds, last, whole, profile, job, folded = done.stdout.decode().strip().split("\n\n")[1:]
    text = speeds
    commands(whole, profile, job, folded)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")]
    assert rows.pop(0)[-2:] == ["resident MiB", "allowed MiB"], text
    for name, _, _, ratio, goal, *_ in rows:
        if goal and float(ratio) < float(goal.strip("≥ ")) - 0.005:
            assert missed and name in missed[1].decode(), f"{name} misses its goal, and that is not said"
    return {row[0]: row[1:] for row in rows}, last


def commands(machine, profile, *jobs):
    """Checks the tables of whole commands: one compares `check` with programs that only read a trace, the others have many ranks."""
    assert re.fullmatch(r".+, \d+ cores; medians of 1 runs, (wall|processor) time:", machine), machine
    profile, job, folded = ([[c.strip() for c in line.strip("|").split("|")] for line in t.splitlines()] for t in (profile, *jobs))
    assert profile[2][0].startswith("`gpugate check`") and profile[2][2] == "1.0", profile
    assert any("json.load" in row[0] for row in profile) and all(float(v) >= 0 for row in profile[2:] for v in row[1:]), profile
    assert job[0][0].startswith("40 ranks") and folded[0][0].startswith("136 ranks, folded: "), (job, folded)
    gate = ["`approve`", "`check`"]
    assert [row[0] for row in job[2:]] == ["`digest` of all ranks", *gate], job
    merges = ["`digest --fold` of 64 ranks, one of 3", "`digest --fold` of 3 folded files, one of 1"]
    assert [row[0] for row in folded[2:]] == merges + gate, folded
    assert all(float(row[1]) >= 0 and int(row[2].split()[0]) > 0 for row in job[2:] + folded[2:]), (job, folded)


def main():
    if not shutil.which("cc"):
        print("skipped: no cc")
        return 77
    with tempfile.TemporaryDirectory() as tmp:
        dir = pathlib.Path(tmp)
        rows, last = table(dir)
        names = [f"{trace}: {row}" for trace in ("training", "stacks") for row in OWN]
        names += ["8 ranks, 2 threads, beside 1", "snapshot, 1 thread"]
        assert [n for n in rows if "hta" not in n and "TraceLens" not in n] == names, list(rows)
        for name, (own, other, ratio, goal, resident, allowed) in rows.items():
            speeds = [float(cell.replace(",", "")) for cell in (own, other, ratio)]
            assert all(v > 0 for v in speeds[:2]) and goal.startswith("≥") and int(resident) > 0, (name, rows[name])
            assert (int(allowed) >= 16) if ": " in name else not allowed, (name, allowed)
        assert re.fullmatch(r"`check` of a digest against a baseline: [\d.]+ ms, of these [\d.]+ ms processor time \(goal: below 10\)",
                            last), last
        for name, text in (("hta/__init__.py", ""), ("hta/trace_analysis.py", HTA), ("TraceLens/__init__.py", TRACELENS),
                           ("axolotl.py", "import sys; open(sys.argv[1]).read()")):
            (dir / "peers" / name).parent.mkdir(parents=True, exist_ok=True)
            (dir / "peers" / name).write_text(text)
        rows, _ = table(dir, "--axolotl", dir / "peers/axolotl.py", "--processor", PYTHONPATH=str(dir / "peers"))
        assert all(f"{trace}: {peer}" in rows for trace in ("training", "stacks") for peer in PEERS), list(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
