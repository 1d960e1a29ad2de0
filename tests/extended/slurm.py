#!/usr/bin/env python3
"""Checks ci/slurm on a real Slurm: a controller and two nodes on this machine, in a temporary folder.

 - an array of 8 ranks on 2 nodes, folded and checked: exit 0, and the folded run is byte for byte
   the one that one call of `gpugate digest` makes of all traces
 - if a task is killed and requeued in the midst of its reading, or finds half of a file that an earlier attempt left behind,
   the folded run has the same bytes
 - a rank without a trace, and a rank whose trace is cut short: exit 3, the rank is named, the
   reports are there; so with --no-wait and several ranks per task

$GPUGATE is the program. Needs slurmctld, slurmd, munged and root; exit 77 skips without $GPUGATE.
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GPUGATE")
RANKS, NODES = 8, 2
DEADLINE = time.monotonic() + 270

CONF = """
ClusterName=gpugate
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={dir}/munge/socket,cred_expire=6
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool-%n
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd-%n.pid
SlurmctldLogFile={dir}/slurmctld.log
SlurmdLogFile={dir}/slurmd-%n.log
SlurmctldPort={port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,defer
SlurmdParameters=config_overrides
JobRequeue=1
MinJobAge=300
KillWait=2
ReturnToService=2
{nodes}
PartitionName=all Nodes=n[0-{last}] Default=YES MaxTime=10:00 State=UP
"""

# Takes the place of the program. In the first attempt of the chosen rank it stops while reading, or leaves half a file, as
# the test asks; all other calls run the program.
WRAPPER = """#!/bin/bash
if [[ $1 == digest && ! ${SLURM_RESTART_COUNT-} && " $* " == *" --rank %(rank)d "* ]]; then
    case %(how)s in
    reading)
        mkfifo "$FIFO"
        sleep 600 > "$FIFO" &
        head -c 200 "%(trace)s" > "$FIFO" &
        exec %(program)s digest - --rank %(rank)d --output "${@: -1}" < "$FIFO"
        ;;
    writing)
        echo half > "${@: -1}.123-0.tmp" # what SIGKILL leaves of a write
        touch "$FIFO"
        exec sleep 600
        ;;
    esac
fi
exec %(program)s "$@"
"""


def fail(message):
    sys.exit(f"slurm.py: {message}")


def until(what, ready):
    while not ready():
        if time.monotonic() > DEADLINE:
            fail(f"waited too long: {what}")
        time.sleep(0.1)


def output(*args, **kw):
    return subprocess.run(list(map(str, args)), check=True, capture_output=True, text=True, **kw).stdout


def free_ports(nr):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(nr)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


@contextlib.contextmanager
def daemon(*args):
    """Starts a daemon that stays in the foreground; it is ended at the end of the `with` block."""
    p = subprocess.Popen(list(map(str, args)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield p
    finally:
        p.terminate()
        try:
            p.wait(20)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()


@contextlib.contextmanager
def cluster(dir):
    munge = dir / "munge"
    for d in (munge, dir / "state", *(dir / f"spool-n{i}" for i in range(NODES))):
        d.mkdir(mode=0o755)
    key = munge / "key"
    key.touch(mode=0o400)
    with open(key, "r+b") as f:
        f.write(os.urandom(1024))
    host = socket.gethostname().split(".")[0]
    control, *ports = free_ports(1 + NODES)
    nodes = "\n".join(f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={p} CPUs=4 State=UNKNOWN" for i, p in enumerate(ports))
    (dir / "slurm.conf").write_text(CONF.format(dir=dir, host=host, port=control, nodes=nodes, last=NODES - 1))
    os.environ["SLURM_CONF"] = str(dir / "slurm.conf")
    with contextlib.ExitStack() as stack:
        stack.enter_context(daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}/socket",
                                   f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"))
        until("munged", (munge / "socket").exists)
        stack.enter_context(daemon("slurmctld", "-D", "-f", dir / "slurm.conf"))
        for i in range(NODES):
            stack.enter_context(daemon("slurmd", "-D", "-N", f"n{i}", "-f", dir / "slurm.conf"))
        until("nodes", lambda: subprocess.run(["sinfo", "-h", "-t", "idle", "-o", "%D"], capture_output=True, text=True,
                                              check=False).stdout.strip() == str(NODES))
        try:
            yield
        finally:  # steps of jobs are not child processes of this test, so Slurm must end them
            subprocess.run(["scancel", "--signal=KILL", "--user=root"], check=False, capture_output=True)
            subprocess.run(["scancel", "--user=root"], check=False, capture_output=True)
            until("the queue to empty", lambda: not output("squeue", "-h"))


class Run:
    """One run of ci/slurm/submit."""

    def __init__(self, dir, name, traces, program, **settings):
        self.dir, self.folder = dir, dir / name
        self.folder.mkdir()
        self.env = {**os.environ, "GPUGATE": str(program), "GPUGATE_RANKS": str(RANKS), "GPUGATE_DIGESTS": str(self.folder),
                    "GPUGATE_ARTIFACTS": f"{traces}/rank{{rank}}.json.gz", "FIFO": str(self.folder / "fifo"),
                    "GPUGATE_CHECK_OPTIONS": f"--baseline {dir}/base --rules {dir}/rules.yaml --junit {self.folder}/junit.xml",
                    "GPUGATE_SBATCH_OPTIONS": f"--output={self.folder}/log-%j", **settings}

    def start(self, *options):
        return subprocess.Popen([ROOT / "ci/slurm/submit", *options], env=self.env, stdout=subprocess.PIPE, text=True)

    def finish(self, p, code):
        out, _ = p.communicate(timeout=max(1, DEADLINE - time.monotonic()))
        if p.returncode != code:
            fail(f"{self.folder.name}: exit {p.returncode}, not {code}\n{out}{self.log()}")

    def log(self):
        return "".join(f"{f.name}: {line}\n" for f in sorted(self.folder.glob("log-*")) for line in f.read_text().splitlines())

    def folded(self):
        (file,) = self.folder.glob("*.run.json.gz")
        return file.read_bytes()

    def nodes(self):
        job = next(d for d in self.folder.iterdir() if d.is_dir()).name
        return set(re.findall(r"\bNodeList=(n\d)", output("scontrol", "show", "job", job)))


def task_of(folder, rank):
    """Id of the array task that has `rank`, once it runs."""
    found = []

    def running():
        for d in folder.iterdir():
            if d.is_dir() and d.name.isdigit():
                found[:] = [l for l in output("squeue", "-h", "-r", "-t", "R", "-o", "%i", "-j", d.name).split() if l.endswith(f"_{rank}")]
        return found
    until(f"the task of rank {rank}", running)
    return found[0]


def wrapper(dir, **what):
    path = dir / f"gpugate-{what['how']}"
    path.write_text(WRAPPER % {**what, "program": PROGRAM})
    path.chmod(0o755)
    return path


def tests(dir):
    traces = dir / "traces"
    subprocess.run([sys.executable, ROOT / "tests/gen/ranks.py", "--ranks", str(RANKS), "--steps", "4", "--seed", "1", "--out", traces], check=True)
    (dir / "rules.yaml").write_text("version: 1\nrules:\n  - {id: time, metric: step.compute_time, fail: {increase: 5%}}\n")
    output(PROGRAM, "digest", traces, "-o", dir / "whole.json.gz")
    output(PROGRAM, "approve", "--new", dir / "whole.json.gz", "--baseline", dir / "base")
    whole = (dir / "whole.json.gz").read_bytes()

    run = Run(dir, "plain", traces, PROGRAM)
    run.finish(run.start(), 0)
    assert run.folded() == whole
    assert run.nodes() == {f"n{i}" for i in range(NODES)}, run.nodes()
    xml.etree.ElementTree.parse(run.folder / "junit.xml")
    print("ok an array on two nodes")

    for how, rank in (("reading", 5), ("writing", 2)):
        run = Run(dir, how, traces, wrapper(dir, how=how, rank=rank, trace=traces / f"rank{rank}.json.gz"))
        p = run.start()
        until(f"rank {rank} to be in the midst of {how}", (run.folder / "fifo").exists)
        output("scontrol", "requeue", task_of(run.folder, rank))
        run.finish(p, 0)
        assert run.folded() == whole, how
        print(f"ok a task killed while {how}, and requeued")

    lost = dir / "lost"
    shutil.copytree(traces, lost)
    (lost / "rank3.json.gz").unlink()
    cut = dir / "cut"
    shutil.copytree(traces, cut)
    (cut / "rank6.json.gz").write_bytes((traces / "rank6.json.gz").read_bytes()[:2000])
    for folder, rank in ((lost, 3), (cut, 6)):
        run = Run(dir, f"run-{folder.name}", folder, PROGRAM)
        run.finish(run.start(), 3)
        assert f"rank {rank} of {RANKS} is missing" in run.log(), run.log()
        assert xml.etree.ElementTree.parse(run.folder / "junit.xml").findall(".//error")
        assert not list(run.folder.glob("*.run.json.gz"))
    print("ok a lost rank, and one cut short")

    run = Run(dir, "no-wait", lost, PROGRAM, GPUGATE_RANKS_PER_TASK="3")
    p = run.start("--no-wait")
    array, check = p.communicate()[0].split()
    state = lambda job: re.findall(r"JobState=(\S+)", output("scontrol", "show", "job", job))
    until("the check to end", lambda: state(check)[0] not in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING"))
    assert "ExitCode=3:0" in output("scontrol", "show", "job", check)
    assert len(list((run.folder / array).iterdir())) == RANKS - 1
    print("ok three ranks per task, not waited for")


def main():
    if not PROGRAM:
        sys.exit(77)
    for program in ("slurmctld", "slurmd", "munged", "sbatch"):
        if not shutil.which(program):
            fail(f"{program} is missing: ci/install-deps extended")
    if os.geteuid() != 0:
        fail("the daemons of Slurm need root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="gpugate-slurm") as name:
        dir = pathlib.Path(name)
        dir.chmod(0o755)
        with cluster(dir):
            tests(dir)


if __name__ == "__main__":
    main()
