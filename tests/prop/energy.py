#!/usr/bin/env python3
"""Energy per step: of a run with known power it is exactly power times wall time, from samples of power as the recorder and
nvidia-smi write them, or from the driver's counter of energy; idle time does not count. Without power or times it is absent, and
with samples for less than most of the steps' time too, which is said.

$GPUGATE is the program; exit 77 skips.
"""
import datetime
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

from _gen import generate

PROGRAM = os.environ.get("GPUGATE")
STEPS, SECOND, MILLI = 8, 10**9, 10**6


def recorder(samples):
    """Samples (time in ns, values) as lines of the recorder's file."""
    return "".join(json.dumps({"schema": "gpugate-machine-1", "time_ns": 10**18 + at,
                               "gpus": [{"index": "0", "sm_clock_mhz": 1900, **values}]}) + "\n" for at, values in samples)


def smi(samples):
    lines = ["timestamp, index, clocks.current.sm [MHz], power.draw [W], utilization.gpu [%]"]
    for at, v in samples:
        when = datetime.datetime(2026, 7, 14, 8) + datetime.timedelta(milliseconds=at // MILLI)
        lines.append(f"{when:%Y/%m/%d %H:%M:%S}.{at // MILLI % 1000:03d}, 0, 1900 MHz, {v['power_mw'] / 1000:.3f} W, {v['utilization_pct']} %")
    return "\n".join(lines) + "\n"


def report(dir, name, text):
    """The energy per step in µJ of the run with this state of its GPU, and what the report says."""
    for old in ("machine-rank0.json", "smi.csv"):
        (dir / "run" / old).unlink(missing_ok=True)
    if text is not None:
        (dir / "run" / name).write_text(text, encoding="utf-8")
    p = subprocess.run([PROGRAM, "metrics", "run", "--json", "m.json"], cwd=dir, capture_output=True, text=True, check=False)
    assert p.returncode == 0, p.stderr
    said = subprocess.run([PROGRAM, "report", "run", "--verbose"], cwd=dir, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    found = json.loads((dir / "m.json").read_text(encoding="utf-8"))
    return energies(found), " ".join(said.stdout.split()), found


def energies(found):
    return [r["value"] for r in found["metrics"] if r["metric"] == "machine.energy_per_step"]


def main():
    if not PROGRAM or not shutil.which(PROGRAM):
        print("no program")
        return 77
    rng = random.Random(40)
    with tempfile.TemporaryDirectory() as folder:
        dir = pathlib.Path(folder)
        (dir / "run").mkdir()
        generate("trace", dir / "run" / "rank0.json.gz", "--seed", 1, "--steps", STEPS)
        none, _, found = report(dir, "machine-rank0.json", None)
        period = statistics.median(s["value"] for r in found["metrics"] if r["metric"] == "step.period" for s in r["samples"])
        assert none == [], none

        def want(joule_per_s):
            return round(joule_per_s * period / 1000)   # µJ

        def every(ms, until, power, **more):
            return [(at * MILLI, {"power_mw": power(at), "utilization_pct": 95, **more}) for at in range(0, until + 1, ms)]

        for name, write in (("machine-rank0.json", recorder), ("smi.csv", smi)):
            watt = rng.randrange(100, 1000)
            got, said, _ = report(dir, name, write(every(10, 200, lambda at, w=watt: 1000 * w)))
            assert got == [want(watt)] and "power samples" not in said, (name, got, want(watt))
            # A ramp has its mean; times between samples may differ.
            got, _, _ = report(dir, name, write([s for s in every(10, 200, lambda at: 1000 * (200 + at)) if s[0] in (0, 30 * MILLI, 200 * MILLI)]))
            assert got == [want(300)], (name, got, want(300))
            # A minute of idling before the run takes energy, but not that of steps.
            idle = [(at * SECOND, {"power_mw": 60000, "utilization_pct": 0}) for at in range(60)]
            run = [(59 * SECOND + at, v) for at, v in every(10, 200, lambda at: 400000)[1:]]
            got, _, _ = report(dir, name, write(idle + run))
            assert got and want(380) < got[0] <= want(400), (name, got, want(400))
            # Samples of a fifth of the time are not the run's, nor is a single one.
            share = STEPS * period // 5 // MILLI
            got, said, _ = report(dir, name, write(every(share, share, lambda at: 400000)))
            assert not got and "power samples" in said and f"{100 * share * MILLI / (STEPS * period):.0f}." in said, (name, got, said[-500:])
            got, said, _ = report(dir, name, write(every(10, 0, lambda at: 400000)))
            assert not got and "power samples" not in said, got
        # The counter of energy is exact, whatever the power says between.
        got, _, _ = report(dir, "machine-rank0.json", recorder([(at, {**v, "energy_mj": 7_000 + at * 500 // MILLI}) for at, v in every(10, 200, lambda at: 90)]))
        assert got == [want(500)], (got, want(500))
        # A counter that fell belongs to a driver that was loaded anew: power is there.
        got, _, _ = report(dir, "machine-rank0.json", recorder([(at, {**v, "energy_mj": 9_000 - at // MILLI}) for at, v in every(10, 200, lambda at: 250_000)]))
        assert got == [want(250)], (got, want(250))
        # Neither power nor times.
        got, _, _ = report(dir, "machine-rank0.json", recorder([(at, {"utilization_pct": 95}) for at, _ in every(10, 200, lambda at: 1)]))
        assert not got, got
        # A digest keeps it, and a rule may warn of it.
        report(dir, "machine-rank0.json", recorder(every(10, 200, lambda at: 400_000)))
        (dir / "r.yaml").write_text("version: 1\nrules: [{id: e, metric: machine.energy_per_step, warn: {increase: 10%}}]\n", encoding="utf-8")
        for args in (("digest", "run", "-o", "d.json"), ("approve", "--new", "d.json", "--rules", "r.yaml", "--baseline", "b.json")):
            subprocess.run([PROGRAM, *args], cwd=dir, check=True, capture_output=True)
        p = subprocess.run([PROGRAM, "metrics", "d.json", "--json", "-"], cwd=dir, capture_output=True, text=True, check=True)
        assert energies(json.loads(p.stdout)) == [want(400)]
        report(dir, "machine-rank0.json", recorder(every(10, 200, lambda at: 500_000)))
        p = subprocess.run([PROGRAM, "check", "run", "--rules", "r.yaml", "--baseline", "b.json"], cwd=dir, capture_output=True, text=True, check=False)
        assert p.returncode == 0 and p.stdout.startswith("warn") and " J" in p.stdout and "25.00 %" in p.stdout, p.stdout
    return 0


if __name__ == "__main__":
    sys.exit(main())
