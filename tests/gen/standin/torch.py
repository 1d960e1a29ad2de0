"""Takes the place of PyTorch in tests of recording: it has the part of PyTorch's interface that ci/record uses, and is as strict
about arguments, states and order as the version that $STANDIN_VERSION names (2.0, 2.4 or 2.8). Its traces and snapshots are made by
tests/gen. Jobs import this file as `torch` if its folder comes first on $PYTHONPATH.

$STANDIN_LOG    file to which each call is appended, as one line of JSON
$STANDIN_SEED   seed of the generated traces and snapshots (default: 1)
$STANDIN_SLOW   GLOB=FACTOR: kernels that are slower by this factor
$STANDIN_FAULT  WHAT or WHAT@N, a fault at every call or at call N: `profile`, `step`, `metadata`, `history`, `snapshot` and
                `export` raise; with `silent` or `short` export writes nothing or half a file, without an error; with `killed` the
                process dies in the middle of an export
$STANDIN_KEPT   folder for generated files, which further jobs with the same settings use again
$STANDIN_CUDA   0: there is no GPU
$STANDIN_DIST   RANK/WORLD: torch.distributed is in use

Sources: pytorch/pytorch, torch/profiler/profiler.py, torch/cuda/memory.py and torch/optim/optimizer.py of these versions.
"""
import enum
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import types

GEN = pathlib.Path(__file__).resolve().parents[1]
VERSION = os.environ.get("STANDIN_VERSION", "2.8")
RELEASE = tuple(map(int, VERSION.split(".")))
SEED = os.environ.get("STANDIN_SEED", "1")
SLOW = os.environ.get("STANDIN_SLOW")
FAULT, _, NTH = os.environ.get("STANDIN_FAULT", "").partition("@")
calls = {}

__version__ = VERSION + ".0+standin"


def _log(what, **more):
    if "STANDIN_LOG" in os.environ:
        with open(os.environ["STANDIN_LOG"], "a", encoding="utf-8") as f:
            f.write(json.dumps({"call": what, **more}) + "\n")


def _hits(what):
    if FAULT != what:
        return False
    calls[what] = calls.get(what, 0) + 1
    return not NTH or calls[what] == int(NTH)


def _fail(what):
    if _hits(what):
        raise RuntimeError(f"planted: {what}")


def _generate(tool, path, *options, seed=SEED):
    words = [*map(str, options), "--seed", seed]
    kept = os.environ.get("STANDIN_KEPT") and pathlib.Path(os.environ["STANDIN_KEPT"], re.sub(r"[^\w.=-]+", "_", " ".join([tool, *words])))
    if not kept or not kept.exists():
        subprocess.run([sys.executable, GEN / f"{tool}.py", "--out", path, *words], check=True)
        if kept:
            shutil.copy(path, f"{kept}.{os.getpid()}")
            os.replace(f"{kept}.{os.getpid()}", kept)
    else:
        shutil.copy(kept, path)
    return path


def _module(name, **members):
    m = sys.modules["torch." + name] = types.ModuleType("torch." + name)
    m.__dict__.update(members)
    return m


# --- torch.profiler ----------------------------------------------------------------------------


class ProfilerAction(enum.Enum):
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


NONE, WARMUP, RECORD, SAVE = ProfilerAction
ProfilerActivity = enum.Enum("ProfilerActivity", "CPU CUDA")


def schedule(*, wait, warmup, active, repeat=0):
    def action(step):
        cycle, at = divmod(step, wait + warmup + active)
        if repeat and cycle >= repeat or at < wait:
            return NONE
        return WARMUP if at < wait + warmup else SAVE if at == wait + warmup + active - 1 else RECORD
    return action


ARGUMENTS = {"activities", "schedule", "on_trace_ready", "record_shapes", "profile_memory", "with_stack", "with_flops",
             "with_modules", "experimental_config", "use_cuda"}
if RELEASE >= (2, 4):
    ARGUMENTS |= {"execution_trace_observer"}
if RELEASE >= (2, 8):
    ARGUMENTS |= {"acc_events", "custom_trace_id_callback"}
# {(previous action of the profiler, next action): calls that the change causes}. PyTorch warns of other changes as incorrect schedules.
CHANGES = {
    (NONE, NONE): "", (NONE, WARMUP): "prepare", (NONE, RECORD): "prepare start", (NONE, SAVE): "prepare start",
    (WARMUP, WARMUP): "", (WARMUP, RECORD): "start", (WARMUP, SAVE): "start", (RECORD, RECORD): "", (RECORD, SAVE): "",
    (SAVE, NONE): "stop ready", (SAVE, WARMUP): "stop ready prepare", (SAVE, RECORD): "stop ready prepare start",
    (SAVE, SAVE): "stop ready prepare start",
    (NONE, None): "", (WARMUP, None): "start stop", (RECORD, None): "stop ready", (SAVE, None): "stop ready",
}


def _frames(events):
    """Adds a frame of code in a module around each operator; with frames the host takes longer."""
    for number, e in enumerate([e for e in events if e.get("cat") == "cpu_op"]):
        names = (f"model.py({len(e['name'])}): {e['name'].replace(':', '_')}", f"nn.Module: Layer_{number % 3}")
        for depth, name in enumerate(names):
            yield {"ph": "X", "cat": "python_function", "name": name, "pid": e["pid"], "tid": e["tid"], "ts": e["ts"], "dur": e["dur"],
                   "args": {"Python id": 2 * number + depth, "Python parent id": 2 * number if depth else None}}


class profile:
    def __init__(self, **arguments):
        unknown = sorted(set(arguments) - ARGUMENTS)
        if unknown:
            raise TypeError(f"profile.__init__() got an unexpected keyword argument '{unknown[0]}'")
        _fail("profile")
        _log("profile", arguments=sorted(arguments))
        self.schedule, self.on_trace_ready = arguments["schedule"], arguments["on_trace_ready"]
        self.profile_memory = arguments.get("profile_memory", False)
        self.with_stack = arguments.get("with_stack", False)
        self.step_num, self.state, self.recorded, self.metadata = 0, "idle", [], {}
        self.current_action = self.schedule(0)

    def __enter__(self):
        self._change(NONE, self.current_action)
        self._annotate(self.step_num)
        return self

    def __exit__(self, *exception):
        _log("exit", state=self.state)
        self._change(self.current_action, None)

    def step(self):
        _fail("step")
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._change(before, self.current_action)
        self._annotate(self.step_num - (RELEASE < (2, 4)))

    def _annotate(self, number):
        if self.state == "started":
            self.recorded.append(number)

    def _change(self, before, now):
        assert (before, now) in CHANGES, f"incorrect schedule: {before} followed by {now}"
        for what in CHANGES[before, now].split():
            if what == "ready":
                self.on_trace_ready(self)
                continue
            after, allowed = {"prepare": ("prepared", ("idle", "stopped")), "start": ("started", ("prepared",)),
                              "stop": ("stopped", ("started",))}[what]
            assert self.state in allowed, (what, self.state)
            self.state = after
            if what == "start":
                self.recorded, self.metadata = [], {}
            _log(what, step=self.step_num)

    def add_metadata_json(self, key, value):
        _fail("metadata")
        assert self.state == "started"
        self.metadata[key] = json.loads(value)

    def export_chrome_trace(self, path):
        if str(path).endswith(".gz"):
            with tempfile.TemporaryDirectory() as folder, gzip.open(path, "wb") as f:
                self.export_chrome_trace(pathlib.Path(folder) / "trace.json")
                f.write((pathlib.Path(folder) / "trace.json").read_bytes())
            return
        _fail("export")
        assert self.state == "stopped"
        _log("export", steps=self.recorded)
        if _hits("silent"):
            return
        rank, world = (distributed.get_rank(), distributed.get_world_size()) if distributed.is_initialized() else (0, 1)
        _generate("trace", path, "--first-step", self.recorded[0], "--steps", len(self.recorded), "--rank", rank,
                  "--world-size", world, *([] if self.profile_memory else ["--no-memory"]),
                  *(["--slow-kernel", SLOW] if SLOW else []),
                  seed=str(int(SEED) + 7 * self.with_stack + 100 * int(os.environ.get("STANDIN_DIST", "0/1").split("/")[0])))
        document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        if not distributed.is_initialized():
            del document["distributedInfo"]
        if self.with_stack:
            document["traceEvents"] += list(_frames(document["traceEvents"]))
        text = json.dumps({**self.metadata, **document})
        if _hits("short"):
            text = text[: len(text) // 2]
        if _hits("killed"):
            pathlib.Path(path).write_text(text[: len(text) // 2], encoding="utf-8")
            os.kill(os.getpid(), signal.SIGKILL)
        pathlib.Path(path).write_text(text, encoding="utf-8")


profiler = _module("profiler", profile=profile, ProfilerAction=ProfilerAction, ProfilerActivity=ProfilerActivity, schedule=schedule)

# --- torch.cuda --------------------------------------------------------------------------------

history = {"on": False, "max_entries": 0}


def _history(on, **arguments):
    _fail("history")
    _log("history", on=on, **arguments)
    history.update(on=on, max_entries=arguments["max_entries"])


def _history_2_0(enabled: bool, record_context=True, trace_alloc_max_entries=1, trace_alloc_record_context=False, device=None,
                 _enable_expensive_cpp=False):
    if not isinstance(enabled, bool):
        raise TypeError("_cuda_recordMemoryHistory(): incompatible function arguments")
    _history(enabled, form="legacy", stacks="all" if _enable_expensive_cpp else "python", max_entries=trace_alloc_max_entries,
             context=trace_alloc_record_context)


def _history_2_1(enabled="all", context="all", stacks="all", max_entries=sys.maxsize, device=None):
    assert enabled in (None, "state", "all") and context in (None, "state", "alloc", "all") and stacks in ("python", "all")
    _history(enabled == "all", form="new", stacks=stacks, max_entries=max_entries, context=context == "all")


def _history_2_8(enabled="all", context="all", stacks="all", max_entries=sys.maxsize, device=None, clear_history=False,
                 compile_context=False, global_record_annotations=False):
    _history_2_1(enabled, context, stacks, max_entries, device)


def _snapshot(device=None):
    _fail("snapshot")
    _log("snapshot", history=history["on"])
    with tempfile.TemporaryDirectory() as folder:
        path = _generate("snapshot", pathlib.Path(folder) / "s.json", "--layers", 1, "--peak", 2000, "--style",
                         "old" if RELEASE < (2, 1) else "mid" if RELEASE < (2, 6) else "new")
        out = json.loads(path.read_text(encoding="utf-8"))
    if not history["on"]:
        out["device_traces"] = [[] for _ in out["device_traces"]]
    out["device_traces"] = [entries[-history["max_entries"]:] for entries in out["device_traces"]]
    for segment in out["segments"]:
        if "segment_pool_id" in segment:
            segment["segment_pool_id"] = tuple(segment["segment_pool_id"])
    return out


memory = _module("cuda.memory", _snapshot=_snapshot, _record_memory_history=_history_2_0 if RELEASE < (2, 1) else
                 _history_2_1 if RELEASE < (2, 5) else _history_2_8)
cuda = _module("cuda", memory=memory, is_available=lambda: os.environ.get("STANDIN_CUDA") != "0")

# --- torch.distributed, torch.optim ------------------------------------------------------------

distributed = _module(
    "distributed", is_available=lambda: True, is_initialized=lambda: "STANDIN_DIST" in os.environ,
    get_rank=lambda: int(os.environ["STANDIN_DIST"].split("/")[0]),
    get_world_size=lambda: int(os.environ["STANDIN_DIST"].split("/")[1]))

_post_hooks = []


class SGD:
    def step(self):
        for hook in _post_hooks:
            hook(self, (), {})


optimizer = _module("optim.optimizer", register_optimizer_step_post_hook=_post_hooks.append)
optim = _module("optim", optimizer=optimizer, SGD=SGD)
