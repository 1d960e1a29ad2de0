#!/usr/bin/env python3
"""ci/record/gpugate_record.py in jobs that run with tests/gen/standin/torch.py instead of PyTorch, which imitates its
versions 2.0, 2.4 and 2.8. The examples of docs/recording.md run in readme.py.

 - recordings pass the gate, with their steps, memory and context
 - on a signal to any one rank all ranks record the same steps; a rank that is too far ahead for this says so
 - `where`: one more step is recorded with stacks, which does not change the figures of the measured steps
 - `keep`: each setting gives the same figures, and a trace is removed only once its digest exists
 - a job that crashes, ends early or is killed leaves whole files or none
 - a failure of recording never ends the job

$GPUGATE is the program; exit 77 skips.
"""
import gzip
import importlib.util
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD, STANDIN = ROOT / "ci" / "record", ROOT / "tests" / "gen" / "standin"
PROGRAM = os.environ.get("GPUGATE")
VERSIONS = ("2.0", "2.4", "2.8")
JOB = """\
import os, signal, sys, time
from gpugate_record import Recorder
def train(step):
    print("step", step, flush=True)
with Recorder("profiles", {options}) as rec:
    for step in range({steps}):
        train(step)
        {inside}
        rec.step()
print("job done")
"""


def environment(dir, **more):
    """The environment of a job, with only those variables of this test that a job needs."""
    env = {"PATH": f"{dir / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": f"{RECORD}:{STANDIN}", "PYTHONDONTWRITEBYTECODE": "1",
           "TMPDIR": str(dir / "tmp"), "STANDIN_LOG": str(dir / "log"), "STANDIN_KEPT": str(dir.parent / "kept"), "SOURCE_DATE_EPOCH": "1767225600"}
    return {**env, **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}, **more}


def prepare(dir):
    for name in ("bin", "tmp"):
        (dir / name).mkdir()
    (dir / "bin" / "gpugate").symlink_to(pathlib.Path(PROGRAM).resolve())


def job(dir, options="", *, steps=14, inside="pass", code=0, argv=None, **env):
    """Runs a job to its end; returns (standard output, standard error, calls that it made)."""
    (dir / "log").unlink(missing_ok=True)
    (dir / "job.py").write_text(JOB.format(options=options, steps=steps, inside=inside), encoding="utf-8")
    p = subprocess.run([sys.executable, *(argv or ["job.py"])], cwd=dir, env=environment(dir, **env), capture_output=True,
                       text=True, check=False)
    assert p.returncode == code, (options, env, p.returncode, p.stdout, p.stderr)
    assert code or p.stdout.endswith("job done\n"), p.stdout
    assert code < 0 or not list((dir / "tmp").iterdir()), "left behind"
    log = (dir / "log").read_text(encoding="utf-8").splitlines() if (dir / "log").exists() else []
    return p.stdout, p.stderr, [json.loads(line) for line in log]


def gpugate(dir, *args, code=0):
    p = subprocess.run([PROGRAM, *map(str, args)], cwd=dir, env=environment(dir), capture_output=True, text=True, check=False)
    assert p.returncode == code, (args, p.returncode, p.stdout, p.stderr)
    return p.stdout


def files(dir, place="profiles"):
    """All files below a folder, including hidden ones."""
    return sorted(str(f.relative_to(dir / place)) for f in (dir / place).rglob("*") if f.is_file())


def figures(dir, place="profiles"):
    """Metrics and kernels of a run in files of any kind."""
    out = json.loads(gpugate(dir, "metrics", place, "--json", "-"))
    return out["metrics"], out["kernels"]


def steps_of(dir, place="profiles"):
    return [s["step"] for m in figures(dir, place)[0] if m["metric"] == "step.time" for s in m["samples"]]


# ---- tests of recordings ----


def gate(dir):
    """A recorded job becomes the baseline of a second one, whose check passes, with each version of the stand-in for PyTorch."""
    context = 'context={"batch_size": 256, "tokens_per_step": 8192, "model": "größer \\U0001f600"}'
    for version in VERSIONS:
        options = f"memory=True, {context}"
        for seed in (1, 2):
            _, err, calls = job(dir, options, STANDIN_VERSION=version, STANDIN_SEED=str(seed), GITHUB_SHA="0" * 40)
            assert err == "", err
            assert files(dir) == ["memory-rank0.json.gz", "rank0.json.gz", "run.json"]
            assert steps_of(dir) == ([6, 7, 8, 9, 10] if version == "2.0" else [7, 8, 9, 10, 11])
            if seed == 1:
                gpugate(dir, "approve", "--new", "profiles", "--workload", "w", "--force")
        gpugate(dir, "check", "profiles", "--workload", "w")
        gpugate(dir, "digest", "profiles", "-o", "digest.json")
        facts = json.dumps(json.loads((dir / "digest.json").read_text(encoding="utf-8")), ensure_ascii=False)
        for fact in ("batch_size", "größer \U0001f600", "0" * 40, f"{version}.0+standin"):
            assert fact in facts, fact
        peaks = [m for m in figures(dir)[0] if m["metric"] == "memory.peak_allocated"]
        assert peaks and all(m["source"] == "snapshot" for m in peaks), peaks
        assert any(m["metric"] == "throughput.tokens_per_s" for m in figures(dir)[0])
        with gzip.open(dir / "profiles" / "rank0.json.gz") as f:
            assert json.load(f)["gpugate_record"]["batch_size"] == 256
        # calls are in this order, and the memory history is on only for the recorded steps
        order = [(c["call"], c.get("step"), c.get("on")) for c in calls]
        assert order == [("profile", None, None), ("prepare", 5, None), ("history", None, False), ("history", None, True),
                         ("start", 7, None), ("stop", 12, None), ("snapshot", None, None), ("history", None, False),
                         ("export", None, None), ("exit", None, None)], order
        asked = {(c["form"], c["stacks"], c["context"]) for c in calls if c.get("on")}
        assert asked == {("legacy" if version == "2.0" else "new", "python", True)}, asked
        assert calls[-1]["state"] == "stopped"


def schedules(dir):
    for options, recorded in (("wait=0, warmup=0, steps=1", [0]), ("wait=0, warmup=2, steps=3", [2, 3, 4]),
                              ("wait=3, warmup=0, steps=2, memory=True", [3, 4]),
                              ("wait=8, warmup=1, steps=5", [9, 10, 11, 12, 13])):
        _, err, _ = job(dir, options)
        assert err == "" and steps_of(dir) == recorded, (options, err)
    three = {2: [2, 3], 6: [6, 7], 10: [10, 11]}
    for options, recorded in (("repeat=2", {2: [2, 3], 6: [6, 7]}), ("repeat=0, memory=True", three),
                              ("repeat=0, profile={'record_shapes': True, 'profile_memory': False}", three)):
        subprocess.run(["rm", "-rf", dir / "profiles"], check=True)
        _, err, _ = job(dir, f"wait=1, warmup=1, steps=2, {options}", steps=13)
        assert err == "", err
        assert {int(d.name[4:]): steps_of(dir, d) for d in (dir / "profiles").iterdir()} == recorded
    gpugate(dir, "metrics", "profiles/step2/rank0.json.gz", "profiles/step6/rank0.json.gz", "--join-cycles")


class Rank:
    """A process of a job that makes a step on request, so that a test can control how far apart the ranks are."""

    def __init__(self, dir, rank, world, options, **env):
        code = "import signal, sys\nfrom gpugate_record import Recorder\n" \
               f"with Recorder('profiles', on_signal=signal.SIGUSR2, {options}) as rec:\n" \
               "    print('ready', flush=True)\n" \
               "    for line in sys.stdin:\n        rec.step()\n        print('done', flush=True)\n"
        with open(dir / f"stderr{rank}", "w", encoding="utf-8") as err:
            self.p = subprocess.Popen([sys.executable, "-c", code], cwd=dir, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=err, env=environment(dir, STANDIN_DIST=f"{rank}/{world}", **env))
        self.path, self.behind = dir / f"stderr{rank}", 0
        self.answer("ready")

    def answer(self, want):
        line = self.p.stdout.readline()
        assert line == want + "\n", (line, self.path.read_text())

    def step(self, times=1):
        for _ in range(times):
            self.p.stdin.write("\n")
            self.p.stdin.flush()
            self.answer("done")

    def signal(self):
        os.kill(self.p.pid, signal.SIGUSR2)

    def end(self):
        """Ends the process; returns its messages."""
        self.p.stdin.close()
        assert self.p.wait() == 0
        self.p.stdout.close()
        return self.path.read_text()


def signals(dir):
    ranks = [Rank(dir, r, 3, "wait=4, warmup=1, steps=2, memory=True") for r in range(3)]
    # rank 0 is two steps ahead, rank 2 one step behind; first rank 1 and then all ranks get the signal
    for rank, ahead in zip(ranks, (12, 10, 9)):
        rank.step(ahead)
    ranks[1].signal()
    ranks[1].step()
    for rank in ranks:
        rank.signal()
        rank.step()
    for rank in ranks:
        rank.step(12)
    # a second recording, requested on another rank
    ranks[2].signal()
    ranks[2].step(9)
    ranks[0].step(7)
    ranks[1].step(9)
    said = [rank.end() for rank in ranks]
    for text in said:
        assert "records steps 16 to 17" in text and "records steps" in text.split("16 to 17")[1], text
    assert "is ignored" in said[1] and "too late" not in "".join(said)
    runs = sorted(d.name for d in (dir / "profiles").iterdir() if d.is_dir())
    assert len(runs) == 2 and runs[0] == "step16", runs
    first = int(runs[1][4:])
    for run, steps in (("step16", [16, 17]), (runs[1], [first, first + 1])):
        assert steps_of(dir, f"profiles/{run}") == steps * 3
        gpugate(dir, "merge", f"profiles/{run}", "--expect-ranks", "3", "-o", "all.json")
    gpugate(dir, "approve", "--new", "profiles/step16", "--workload", "w")
    gpugate(dir, "check", f"profiles/{runs[1]}", "--workload", "w")

    # the next job in the same folder ignores old requests
    alone = Rank(dir, 0, 1, "wait=1, warmup=1, steps=2")
    alone.step(30)
    assert "records" not in alone.end()

    # a rank that is too far ahead says so and is not recorded
    slow, fast = (Rank(dir, r, 2, "wait=2, warmup=1, steps=2") for r in range(2))
    fast.step(9)
    slow.signal()
    slow.step(8)
    fast.step(3)
    assert "records steps 4 to 5" in slow.end() and "too late" in fast.end()
    assert steps_of(dir, "profiles/step4") == [4, 5]
    gpugate(dir, "merge", "profiles/step4", "--expect-ranks", "2", "-o", "all.json", code=3)

    # a previous signal handler is still called, and is restored in the end
    heard = "signal.signal(signal.SIGUSR2, lambda *_: print('heard'))\nbefore = signal.getsignal(signal.SIGUSR2)"
    (dir / "other.py").write_text(f"import os, signal\nfrom gpugate_record import Recorder\n{heard}\n"
                                  "with Recorder('p', on_signal=signal.SIGUSR2, wait=0, warmup=0, steps=1) as rec:\n"
                                  "    for i in range(4):\n        i or os.kill(os.getpid(), signal.SIGUSR2)\n        rec.step()\n"
                                  "assert signal.getsignal(signal.SIGUSR2) is before\nprint('job done')\n", encoding="utf-8")
    out, _, _ = job(dir, argv=["other.py"])
    assert out.count("heard") == 1 and files(dir, "p/step1") == ["rank0.json.gz", "run.json"]


def keep(dir):
    def run(options, **env):
        subprocess.run(["rm", "-rf", dir / "profiles"], check=True)
        return [job(dir, f"memory=True, {options}", STANDIN_DIST=f"{rank}/2", **env)[1] for rank in (0, 1)]

    digests, raw = ["rank0.json.gz", "rank1.json.gz", "run.json"], ["memory-rank0.json.gz", "rank0.json.gz"]
    assert run("keep='all'") == ["", ""]
    everything = files(dir)
    assert everything == sorted([*digests, *raw[:1], "memory-rank1.json.gz"])
    want = figures(dir)
    gpugate(dir, "approve", "--new", "profiles", "--workload", "w")
    for options, left in (("keep='rank0'", [*digests, *(f"traces/{name}" for name in raw)]), ("keep='none'", digests)):
        assert run(options) == ["", ""]
        assert files(dir) == left, (options, files(dir))
        assert figures(dir) == want, options
        gpugate(dir, "check", "profiles", "--workload", "w", "--expect-ranks", "2")
    # if the digest cannot be made, the traces are kept in its place
    (dir / "bin" / "broken").write_text("#!/bin/sh\necho 'no space' >&2\nexit 5\n")
    (dir / "bin" / "lies").write_text("#!/bin/sh\nexit 0\n")
    for name in ("broken", "lies"):
        (dir / "bin" / name).chmod(0o755)
    for program in ("absent", "broken", "lies"):
        for text in run(f"keep='none', digest=['{program}', 'digest']"):
            assert text.count("\n") == 1 and "the trace is kept" in text and program in text, text
        assert files(dir) == everything and figures(dir) == want


def compiles(dir):
    """Compilations of torch.compile are counted if the job has imported it, and retries of the allocator within the recorded steps; they are reported. One
    more of any than in the baseline fails at once, since counts have no noise; compiled frames alone do not."""
    inside = textwrap.indent(textwrap.dedent("""\
        import collections, types
        u = sys.modules.setdefault("torch._dynamo.utils", types.ModuleType("u"))
        if not hasattr(u, "counters"): u.counters = collections.defaultdict(collections.Counter)
        u.counters["frames"]["total"] += step in (0, 1, 8, 9)
        u.counters["graph_break"]["call to print"] += (3 + MORE["graph_breaks"]) * (step == 0)
        u.counters["frames"]["total"] += MORE["recompiles"] * (step == 9) + MORE["compiled_frames"] * (step == 0)
        stats = {"num_alloc_retries": 5 * (step >= 3) + (2 + MORE["alloc_retries"]) * (step >= 9), "num_ooms": 1 + MORE["ooms"] * (step >= 9)}
        if "torch" in sys.modules: sys.modules["torch"].cuda.memory_stats = lambda: stats
        """), " " * 8).strip()
    names = ("compiled_frames", "graph_breaks", "recompiles", "alloc_retries", "ooms")
    more = lambda one="": inside.replace("MORE", str({n: int(n == one) for n in names}))
    for options in ("", 'keep="none"'):
        _, err, _ = job(dir, options, inside=more())
        assert err == "", err
        assert ("counts-rank0.json.gz" in files(dir)) == (options == ""), files(dir)
        got = {m["metric"][6:]: m["value"] for m in figures(dir)[0] if m["metric"].startswith("input.")}
        assert got == {"compiled_frames": 4, "graph_breaks": 3, "recompiles": 2, "alloc_retries": 2, "ooms": 0}, got
        advice = {r["id"] for r in json.loads(gpugate(dir, "report", "profiles", "--json", "-"))["recommendations"]}
        assert {"recompiles", "graph-breaks", "allocator-retries"} <= advice, advice
    gpugate(dir, "approve", "--new", "profiles", "--workload", "w", "--force")
    for name in ("", *names):
        job(dir, inside=more(name))
        fails = name not in ("", "compiled_frames")
        gpugate(dir, "check", "profiles", "--workload", "w", "--json", "result.json", code=int(fails))
        result = json.loads((dir / "result.json").read_text())
        failed = {c["id"] for c in result["checks"] if c["verdict"] == "fail"}
        assert failed == ({f"figures[{name}]"} if fails else set()) and not result["plan"].get("pairs"), (name, failed, result["plan"])


def stale(dir):
    """Files of an earlier job are not taken for those of this one."""
    for rank in range(4):
        job(dir, "memory=True", STANDIN_DIST=f"{rank}/4")
    for name in ("rank7.txt", ".rank0.json.gz.99.tmp", ".memory-rank1.json.gz.99.tmp", "rank2.json.gz.71-0.tmp"):
        (dir / "profiles" / name).write_text("")
    assert len(files(dir)) == 13
    for rank, fault in ((0, ""), (1, "export")):
        job(dir, RANK=str(rank), WORLD_SIZE="2", STANDIN_FAULT=fault)
    assert files(dir) == ["rank0.json.gz", "rank7.txt", "run.json"]


CODE = ("place.", "module.", "op.gpu_time", "op.self_gpu_time")


def of_code(dir, place="profiles"):
    """Returns (figures by place in the code, all other figures)."""
    metrics, kernels = figures(dir, place)
    code = [m for m in metrics if m["metric"].startswith(CODE)]
    return code, ([m for m in metrics if m not in code], kernels)


def where(dir):
    """One more step with stacks says where kernels come from; measured figures stay as they were."""
    for version in VERSIONS:
        job(dir, STANDIN_VERSION=version)
        none, want = of_code(dir)
        assert not any(m["metric"] == "module.gpu_time" for m in none)
        _, err, calls = job(dir, "where=True, memory=True", STANDIN_VERSION=version)
        assert err == "", err
        assert files(dir) == ["memory-rank0.json.gz", "rank0.json.gz", "run.json", "where-rank0.json.gz"]
        order = [(c["call"], c.get("step")) for c in calls if c["call"] in ("profile", "prepare", "start", "stop", "export", "exit")]
        assert order == [("profile", None), ("prepare", 5), ("start", 7), ("stop", 12), ("export", None), ("profile", None), ("prepare", 0),
                         ("start", 1), ("stop", 2), ("export", None), ("exit", None), ("exit", None)], order
        _, err, _ = job(dir, "where=True", STANDIN_VERSION=version)
        code, have = of_code(dir)
        assert err == "" and have == want, "what is measured is not what it was"
        time = sum(s["value"] for m in have[0] if m["metric"] == "step.cuda_time" for s in m["samples"])
        steps = sum(len(m["samples"]) for m in have[0] if m["metric"] == "step.cuda_time")
        places = [m for m in code if m["metric"] == "place.gpu_time"]
        known = sum(m["value"] for m in places if m.get("place") != "(no place)")
        assert abs(sum(m["value"] for m in places) - time / steps) <= len(places) and known > 0.9 * time / steps, (places, time, steps)
        assert {m["module"] for m in code if m["metric"] == "module.gpu_time"} == {"Layer", "Layer > Layer", "Layer > Layer > Layer"}
    # The recording with stacks is also accepted if `keep` leaves only its digest. If its trace is kept, the content of
    # the trace shows that it is the one with stacks: the file may have any name.
    for options, left in (("keep='none'", 3), ("keep='rank0'", 5)):
        subprocess.run(["rm", "-rf", dir / "profiles"], check=True)
        for rank in (0, 1):
            assert job(dir, f"where=True, {options}", STANDIN_DIST=f"{rank}/2")[1] == ""
        assert len(files(dir)) == left, files(dir)
        assert {m["rank"] for m in of_code(dir)[0] if m["metric"] == "module.gpu_time"} == {0, 1}
        gpugate(dir, "merge", "profiles", "--expect-ranks", "2", "-o", "all.json")
    traces = dir / "profiles" / "traces"
    (traces / "where-rank0.json.gz").rename(traces / "x.json.gz")
    gpugate(dir, "digest", "profiles/traces", "--rank", "0", "-o", "d.json")
    assert of_code(dir, "d.json")[0] == [m for m in of_code(dir)[0] if m["rank"] == 0]
    # the recording with stacks is not a valid run by itself, nor if it is given twice
    gpugate(dir, "report", "profiles/traces/x.json.gz", code=3)
    (traces / "y.json.gz").write_bytes((traces / "x.json.gz").read_bytes())
    gpugate(dir, "report", "profiles/traces", code=3)
    # with repeat=2, each of the two recordings is followed by steps that are recorded with stacks
    subprocess.run(["rm", "-rf", dir / "profiles"], check=True)
    _, err, _ = job(dir, "where=True, wait=0, warmup=1, steps=2, repeat=2", steps=10)
    assert err == "" and [f for f in files(dir) if "where" in f] == ["step1/where-rank0.json.gz", "step6/where-rank0.json.gz"], (err, files(dir))
    # if the job ends earlier, or recording fails, the measured steps remain
    for options, more, said in (("where=True", {"steps": 13}, "before the step with stacks is over"),
                                ("where=True", {"steps": 12}, "before the step with stacks is over"),
                                ("where=True", {"STANDIN_FAULT": "export@2"}, "the step with stacks is lost"),
                                ("where=True, keep='none'", {"STANDIN_FAULT": "export@2"}, "the step with stacks is lost"),
                                ("where=True", {"STANDIN_FAULT": "profile@2"}, "the step with stacks is lost")):
        subprocess.run(["rm", "-rf", dir / "profiles"], check=True)
        _, err, _ = job(dir, options, **more)
        assert said in err and err.count("\n") == 1, (options, more, err)
        assert files(dir) == ["rank0.json.gz", "run.json"] and len(steps_of(dir)) == 5, files(dir)


def ends(dir):
    """If a job ends before its recording is complete, nothing of the recording is written, and the job's exit code stays."""
    for inside, code in (("if step == 9: raise KeyError('job')", 1), ("if step == 6: raise KeyError('job')", 1),
                         ("if step == 9: sys.exit(7)", 7), ("if step == 9: raise KeyboardInterrupt", -signal.SIGINT)):
        _, err, calls = job(dir, "memory=True", inside=inside, code=code)
        assert "before step 12 ends the recording: nothing of it is written" in err, err
        assert files(dir) == [] and calls[-1]["call"] in ("stop", "exit"), calls
        if code == 1:
            assert err.endswith("KeyError: 'job'\n"), err
        assert [c["on"] for c in calls if c["call"] == "history"][-1:] in ([], [False])
    _, err, calls = job(dir, steps=11)
    assert "nothing of it is written" in err and files(dir) == [] and not any(c["call"] == "export" for c in calls)
    _, err, _ = job(dir, inside="if step == 13: raise KeyError('job')", code=1)
    assert files(dir) == ["rank0.json.gz", "run.json"] and "gpugate_record" not in err
    # if the job is killed in the middle, no file remains that a gate would accept
    job(dir, STANDIN_FAULT="killed", code=-signal.SIGKILL)
    assert files(dir) == [] and any((dir / "tmp").iterdir())
    subprocess.run(["rm", "-rf", *(dir / "tmp").iterdir()], check=True)
    gpugate(dir, "report", "profiles", code=3)


def faults(dir):
    """Whatever fails, the job continues; the gate finds complete files or none."""
    for fault in ("profile", "step", "step@1", "step@7", "step@12", "metadata", "history", "history@2", "history@3", "snapshot",
                  "export", "silent", "short"):
        out, err, calls = job(dir, "memory=True", STANDIN_FAULT=fault)
        assert out.count("step") == 14 and "the job goes on" in err and err.count("\n") == 1, (fault, err)
        assert fault.split("@")[0] in err or fault in ("silent", "short"), (fault, err)
        assert files(dir) == [], (fault, files(dir))
        assert not calls or calls[-1].get("state") != "started" or calls[-1]["call"] == "stop", (fault, calls)
    # a failed recording does not affect the next one
    _, err, _ = job(dir, "wait=1, warmup=1, steps=2, repeat=2", STANDIN_FAULT="export@1")
    assert "steps 2 to 3 are lost" in err and files(dir) == ["step6/rank0.json.gz", "step6/run.json"]
    job(dir, RANK="one", WORLD_SIZE="")
    assert files(dir)[:2] == ["rank0.json.gz", "run.json"]
    subprocess.run(["rm", "-rf", dir / "profiles"], check=True)
    (dir / "profiles").write_text("a file")
    assert "the job goes on" in job(dir)[1]
    (dir / "profiles").unlink()
    assert "unexpected keyword" in job(dir, "profile={'acc_events': True}", STANDIN_VERSION="2.0")[1]
    job(dir, "profile={'acc_events': True}", STANDIN_VERSION="2.8")
    assert "ModuleNotFoundError" in job(dir, PYTHONPATH=str(RECORD))[1]
    gone = "if step == 11: import shutil; shutil.rmtree('profiles'); open('profiles', 'w').close()"
    assert "steps 7 to 11 are lost: FileExistsError" in job(dir, inside=gone)[1]
    (dir / "profiles").unlink()
    (dir / "without.py").write_text("from gpugate_record import Recorder\nrec = Recorder('profiles')\nrec.step()\nrec.step()\n"
                                    "rec.close()\nprint('job done')\n", encoding="utf-8")
    assert job(dir, argv=["without.py"])[1].count("outside of the with statement") == 1
    with open("/dev/full", "w", encoding="utf-8") as full:  # standard error cannot be written, so the recorder's message is lost
        p = subprocess.run([sys.executable, "job.py"], cwd=dir, env=environment(dir, STANDIN_FAULT="step"), stdout=subprocess.PIPE,
                           stderr=full, check=False)
    assert p.stdout.endswith(b"job done\n"), p
    assert "no CUDA device" in job(dir, "memory=True", STANDIN_CUDA="0")[1] and files(dir) == ["rank0.json.gz", "run.json"]
    assert "make max_entries larger" in job(dir, "memory=True, max_entries=50")[1]
    # outside of the main thread, signals are not available
    (dir / "thread.py").write_text("import signal, threading\nfrom gpugate_record import Recorder\ndef run():\n"
                                   "    with Recorder('profiles', on_signal=signal.SIGUSR2) as rec:\n        rec.step()\n"
                                   "t = threading.Thread(target=run)\nt.start()\nt.join()\nprint('job done')\n", encoding="utf-8")
    assert "outside the main thread" in job(dir, argv=["thread.py"])[1]


def arguments(_dir):
    """Invalid arguments are reported before anything runs, also without PyTorch."""
    spec = importlib.util.spec_from_file_location("gpugate_record", RECORD / "gpugate_record.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert "torch" not in sys.modules
    for options in ({"keep": "some"}, {"wait": -1}, {"steps": 0}, {"repeat": -1}, {"max_entries": 0}, {"repeat": 2, "wait": 0, "warmup": 0},
                    {"repeat": 0, "on_signal": signal.SIGUSR2}, *({"context": c} for c in (
                        {"Batch": 1}, {"": 1}, {"gpu.name": "x"}, {"world_size": 8}, {"cuda.driver": "1"}, {"model": ""}, {"model": None},
                        {"model": ["x"]}, {"model": "a\nb"}, {"model": "x" * 201}, {"tokens_per_step": 0}, {"tokens_per_step": "many"},
                        {"flops_per_step": float("inf")}, {"flops_per_step": 1e19}, {3: 4}))):
        try:
            module.Recorder("x", **options)
        except ValueError:
            continue
        raise AssertionError(f"{options} passes")
    module.Recorder("x", context={"flops_per_step": 3.5e15, "tokens_per_step": "8192", "model": "größer", "a.b_1": True})
    json_agrees(module)


def json_agrees(module):
    """JSON written piece by piece equals JSON written by one call."""
    r = random.Random(7)

    def value(depth):
        kind = r.randrange(8 if depth else 5)
        if kind < 5:
            return (r.randrange(-9, 1 << 64), "\ud800 \"\\\n\u2028é"[: r.randrange(8)], None, r.random(), True)[kind]
        inner = [value(depth - 1) for _ in range(r.randrange(4))]
        return inner if kind == 5 else tuple(inner) if kind == 6 else {str(i): v for i, v in enumerate(inner)}
    for _ in range(500):
        v, pieces = value(5), []
        module._write_json(v, pieces.append)
        assert "".join(pieces) == json.dumps(v), v
    pieces = []
    module._write_json({"device_traces": [[{"a": "x" * 100}] * 1000]}, pieces.append)
    assert max(map(len, pieces)) < 200
    pieces.clear()
    module._write_json({"odd": {1, 2}, 5: b"x"}, pieces.append)     # values and keys that JSON cannot represent become text
    assert json.loads("".join(pieces)) == {"odd": "{1, 2}", "5": "b'x'"}


def unchanged(dir):
    """A script that does not know the recorder is recorded too: steps are those of its first optimizer."""
    (dir / "sub").mkdir()
    (dir / "sub" / "train.py").write_text(textwrap.dedent("""\
        import sys
        import helper
        from torch.optim import SGD
        a, b = SGD(), SGD()
        assert sys.argv[1:] == ["--batch", "256", "--keep"] and __name__ == "__main__" and helper.here
        for _ in range(14):
            a.step()
            b.step()
            b.step()
        print("job done")
        """), encoding="utf-8")
    (dir / "sub" / "helper.py").write_text("here = True\n")
    argv = [RECORD / "gpugate_record.py", "--wait", "3", "--steps", "4", "--memory", "--keep", "none", "--context", "batch_size=256",
            "--context", "samples_per_step=256", "profiles", "sub/train.py", "--batch", "256", "--keep"]
    _, err, _ = job(dir, argv=argv)
    assert err == "" and files(dir) == ["rank0.json.gz", "run.json"] and steps_of(dir) == [5, 6, 7, 8]
    (dir / "sub" / "train.py").write_text("print('job done')\n")
    assert "nothing of it is written" in job(dir, argv=argv)[1] and files(dir) == []
    assert "the job goes on" in job(dir, argv=argv, PYTHONPATH="")[1]
    for wrong in (["--keep", "some"], ["--on-signal", "USR"], ["--context", "batch_size"], ["--steps", "x"]):
        job(dir, argv=[*argv[:1], *wrong, "x", "y"], code=2)


def main():
    if not PROGRAM:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        (pathlib.Path(name) / "kept").mkdir()
        for law in (arguments, gate, schedules, signals, keep, where, compiles, stale, ends, faults, unchanged):
            if sys.argv[1:] and law.__name__ not in sys.argv[1:]:
                continue
            dir = pathlib.Path(name).resolve() / law.__name__
            dir.mkdir()
            prepare(dir)
            law(dir)
            print(f"ok {law.__name__}")


if __name__ == "__main__":
    main()
