"""Record some steps of a PyTorch job for gpugate: one trace and one memory snapshot per rank, in a folder that
is a run. docs/recording.md says how to use it.

    from gpugate_record import Recorder

    with Recorder("profiles", wait=5, warmup=2, steps=5, memory=True, context={"batch_size": 256}) as rec:
        for batch in loader:
            train(batch)
            rec.step()

One file, for Python 3.8 and PyTorch 2.0 or later; it can be imported without either a GPU or PyTorch. What
goes wrong while the job runs is said on standard error and never ends the job: this rank is then not
recorded, and the gate says which rank is absent. Only arguments that make no sense raise, before anything runs.

What is used of PyTorch, and since when (torch/profiler/profiler.py, torch/cuda/memory.py, torch/optim/optimizer.py):
  profile(schedule, on_trace_ready, profile_memory, record_shapes, with_stack, with_flops, with_modules,
      activities, experimental_config): all of 2.x. execution_trace_observer, acc_events (2.5) and
      custom_trace_id_callback are newer, and nothing here needs them. `schedule` is any function of the step, so
      that torch.profiler.schedule() is not used, whose skip_first_wait came with 2.6.
  ProfilerStep#N annotations, one per step while there is a schedule: all of 2.x. N is the step that runs only since
      March 2024 (pull request 121127); older releases write one less.
  add_metadata_json(key, json): all of 2.x, while a trace is being taken.
  export_chrome_trace(path): all of 2.x. Every version packs a path in .gz by way of a second file; what
      cannot be written is logged by Kineto and not raised.
  _record_memory_history(enabled, context, stacks, max_entries, device): since 2.1, when `enabled` became None, "state"
      or "all"; clear_history came later, so that history is switched off first, which clears it everywhere. 2.0 has
      (enabled: bool, record_context, trace_alloc_max_entries, trace_alloc_record_context, device) and
      records only Python stacks.
  _snapshot(): all of 2.x; it is of all devices.
  register_optimizer_step_post_hook(hook): all of 2.x.
  torch._dynamo.utils.counters: all of 2.x; counters["frames"]["total"] is how many frames were compiled,
      counters["graph_break"] how often each reason broke a graph. Looked at only where the job has imported it.
  torch.cuda.memory_stats(device): all of 2.x; num_alloc_retries, num_ooms, since the process began. {} before CUDA is
      in use; another backend of the allocator raises.
"""
import argparse
import contextlib
import ctypes
import gzip
import json
import os
import platform
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

__all__ = ["Recorder"]

KEEP = ("all", "rank0", "none")
# Keys of the context that artifacts themselves contain; gpugate refuses them from elsewhere.
RESERVED = re.compile(r"gpu\.|cuda\.|world_size$")
KEY = re.compile(r"[a-z][a-z0-9_.]{0,63}$")
NUMBER = re.compile(r"\d+(\.\d+)?([eE][+-]?\d+)?$", re.ASCII)
POSITIVE = ("samples_per_step", "tokens_per_step", "flops_per_step", "peak_tflops")
# Variables with the commit that a CI system builds: GitHub Actions, GitLab CI, Jenkins.
COMMITS = ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT")
JOBS = ("GITHUB_RUN_ID", "CI_JOB_ID", "BUILD_TAG", "SLURM_JOB_ID")
# Names of files that this module and gpugate digest write, finished or temporary.
WRITTEN = re.compile(r"\.?(?:memory-|counts-|compile-|machine-|where-)?rank(\d+)\.json\.gz(?:\.[\d-]+\.tmp)?$")
MEBIBYTE = 1 << 20
# Number of steps with stacks: one of warm-up, one that is recorded.
CODE_STEPS = 2


def _first(names):
    """Value of the first of these environment variables that is set, or ''."""
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def _boot():
    """Id of the current boot of the machine, or ''. Repeats within one boot share the machine's state."""
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()
    return ""


def _rank():
    """(rank, world size) from torch.distributed if it is in use, else from the variables of torchrun."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    rank, world = (os.environ.get(name, "") for name in ("RANK", "WORLD_SIZE"))
    return int(rank) if rank.isdecimal() else 0, int(world) if world.isdecimal() else 1


def _say(text):
    with contextlib.suppress(Exception):
        print(f"gpugate_record: rank {_rank()[0]} (pid {os.getpid()}): {text}", file=sys.stderr, flush=True)


def _checked(context):
    """Checks the context as gpugate does, so that an invalid one is reported before the job runs."""
    for key, value in context.items():
        if not isinstance(key, str) or not KEY.match(key):
            raise ValueError(f"context key {key!r}: lower-case letters, digits, '_' and '.' are allowed")
        if RESERVED.match(key):
            raise ValueError(f"context key '{key}' comes from the artifacts themselves; leave it out")
        if not isinstance(value, (str, int, float)):
            raise ValueError(f"context value of '{key}' is neither text nor a number")
        if not 0 < len(str(value)) <= 200 or not str(value).isprintable():
            raise ValueError(f"context value of '{key}' is not 1 to 200 printable characters")
        if key in POSITIVE and not (NUMBER.match(str(value)) and 0 < float(value) < 2 ** 63):
            raise ValueError(f"context value of '{key}' is not a positive number")
    return dict(context)


def _compiled():
    """{figure: count} of the compilations by torch.compile so far; {} if the job does not use it."""
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", None)
    if not counters or not counters.get("frames"):
        return {}
    return {"compiled_frames": counters["frames"].get("total", 0), "graph_breaks": sum(counters.get("graph_break", {}).values())}


def _retried():
    """{figure: count} of the allocations so far that failed at first, and that failed; {} without CUDA."""
    with contextlib.suppress(Exception):
        stats = sys.modules["torch"].cuda.memory_stats()
        return {"alloc_retries": stats["num_alloc_retries"], "ooms": stats["num_ooms"]}
    return {}


@contextlib.contextmanager
def _whole(path):
    """A file that appears under its name only when it is complete. gpugate ignores the temporary name that it has until then."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _pack(source, path):
    with open(source, "rb") as plain, _whole(path) as file:
        with gzip.GzipFile("", "wb", 4, file, 0) as packed:
            shutil.copyfileobj(plain, packed, MEBIBYTE)


def _check_trace(path):
    """Check that a trace is complete, since Kineto does not report incomplete writing."""
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - 64))
        if file.read().rstrip()[-1:] not in (b"}", b"]"):
            raise OSError("the profiler wrote no whole trace; is the disk of $TMPDIR full?")


def _write_json(value, write, depth=3):
    """JSON in pieces: for a snapshot at most one segment or one entry of the history at a time."""
    if depth and isinstance(value, dict):
        for i, (key, inner) in enumerate(value.items()):
            write(("{" if i == 0 else ", ") + json.dumps(str(key)) + ": ")
            _write_json(inner, write, depth - 1)
        write("}" if value else "{}")
    elif depth and isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            write("[" if i == 0 else ", ")
            _write_json(inner, write, depth - 1)
        write("]" if value else "[]")
    else:
        write(json.dumps(value, default=str))


# ---- state of the GPU ----

# Bits of nvmlDeviceGetCurrentClocksThrottleReasons() that hold clocks down (nvml.h, since R384), under the names
# that nvidia-smi has for them.
THROTTLE_REASONS = {0x04: "sw_power_cap", 0x08: "hw_slowdown", 0x20: "sw_thermal_slowdown", 0x40: "hw_thermal_slowdown",
                    0x80: "hw_power_brake_slowdown"}
# Policies of nvmlDeviceGetViolationStatus(), whose times are in ns.
VIOLATIONS = {0: "sw_power_cap", 1: "sw_thermal_slowdown"}


class _Nvml:
    """One GPU, queried through NVML, the driver's own library. Values that a driver does not know are left out."""

    def __init__(self, index, uuid=None):
        self.index, self.lib, self.handle = index, ctypes.CDLL("libnvidia-ml.so.1"), ctypes.c_void_p()
        self._check(self.lib.nvmlInit_v2())
        found = uuid and self.lib.nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(self.handle)) == 0
        if not found:
            self._check(self.lib.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(self.handle)))

    @staticmethod
    def _check(code):
        if code != 0:
            raise OSError(f"NVML says {code}")

    def _number(self, name, *arguments, of=ctypes.c_uint):
        value = of()
        try:
            code = getattr(self.lib, name)(self.handle, *arguments, ctypes.byref(value))
        except AttributeError:  # the driver is too old to have the function `name`
            return None
        return value.value if code == 0 else None

    def _text(self, name, *first):
        buffer = ctypes.create_string_buffer(96)
        code = getattr(self.lib, name)(*first, buffer, ctypes.c_uint(len(buffer)))
        return buffer.value.decode("utf-8", "replace") if code == 0 else None

    def _processes(self):
        """Number of processes on the GPU besides this one. They are only counted, since process ids differ inside a container."""
        count = ctypes.c_uint(0)
        try:
            code = self.lib.nvmlDeviceGetComputeRunningProcesses_v3(self.handle, ctypes.byref(count), None)
        except AttributeError:
            return None
        return max(0, count.value - 1) if code in (0, 7) else None  # code 7: the buffer, of size 0, is too small for the processes

    def sample(self):
        """One line of the file: the current state of the GPU."""
        class Pair(ctypes.Structure):  # two numbers: utilization of GPU and of memory
            _fields_ = [("first", ctypes.c_uint), ("second", ctypes.c_uint)]

        class Times(ctypes.Structure):
            _fields_ = [("reference", ctypes.c_ulonglong), ("violation", ctypes.c_ulonglong)]

        use, counters = Pair(), {}
        busy = self.lib.nvmlDeviceGetUtilizationRates(self.handle, ctypes.byref(use)) == 0
        for policy, name in VIOLATIONS.items():
            times = Times()
            if self.lib.nvmlDeviceGetViolationStatus(self.handle, ctypes.c_uint(policy), ctypes.byref(times)) == 0:
                counters[name] = times.violation // 1000
        mask = self._number("nvmlDeviceGetCurrentClocksThrottleReasons", of=ctypes.c_ulonglong)
        limit, clock = (self._number("nvmlDeviceGetEnforcedPowerLimit"),
                        self._number("nvmlDeviceGetMaxClockInfo", ctypes.c_uint(1)))
        gpu = {"index": str(self.index), "name": self._text("nvmlDeviceGetName", self.handle),
               "sm_clock_mhz": self._number("nvmlDeviceGetClockInfo", ctypes.c_uint(1)),
               "memory_clock_mhz": self._number("nvmlDeviceGetClockInfo", ctypes.c_uint(2)),
               "power_mw": self._number("nvmlDeviceGetPowerUsage"),
               "energy_mj": self._number("nvmlDeviceGetTotalEnergyConsumption", of=ctypes.c_ulonglong),
               "temperature_c": self._number("nvmlDeviceGetTemperature", ctypes.c_uint(0)),
               "utilization_pct": use.first if busy else None,
               "reasons": None if mask is None else [name for bit, name in THROTTLE_REASONS.items() if mask & bit],
               "counters_us": counters or None, "other_processes": self._processes(),
               "power_limit": limit and f"{limit / 1000:g} W", "sm_clock_max": clock and f"{clock} MHz"}
        return json.dumps({"schema": "gpugate-machine-1", "time_ns": time.time_ns(),
                           "driver": self._text("nvmlSystemGetDriverVersion"),
                           "gpus": [{key: value for key, value in gpu.items() if value is not None}]})


class _Rocm:
    """One GPU, queried through rocm-smi."""

    COMMAND = ("rocm-smi", "--showclocks", "--showpower", "--showtemp", "--showuse", "--showproductname", "--json")

    def __init__(self, index, _uuid=None):
        self.card = f"card{index}"
        self.sample()

    def sample(self):
        done = subprocess.run(self.COMMAND, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10, check=True)
        return json.dumps({self.card: json.loads(done.stdout)[self.card]})


class _Machine(threading.Thread):
    """Samples the state of this rank's GPU at the beginning, at the end and once a second in between. Does nothing if neither
    NVML nor rocm-smi is available."""

    MOST = 100_000  # largest number of samples: about a day of them

    def __init__(self, every=1.0):
        super().__init__(name="gpugate machine state", daemon=True)
        self.every, self.lines, self.tool, self._ended = every, [], None, threading.Event()
        index, uuid = self._gpu()
        for tool in (_Nvml, _Rocm):
            with contextlib.suppress(Exception):
                self.tool = tool(index, uuid)
                self._take()
                self.start()
                return
        self.tool = None

    @staticmethod
    def _gpu():
        """Index and UUID of the GPU in use. CUDA numbers only the visible GPUs, NVML all of them."""
        cuda = getattr(sys.modules.get("torch"), "cuda", None)
        index, uuid = 0, None
        with contextlib.suppress(Exception):
            index = cuda.current_device()
            uuid = getattr(cuda.get_device_properties(index), "uuid", None)
        seen = os.environ.get("CUDA_VISIBLE_DEVICES") or os.environ.get("HIP_VISIBLE_DEVICES") or ""
        seen = [name.strip() for name in seen.split(",") if name.strip()]
        if index < len(seen):
            if seen[index].isdecimal():
                return int(seen[index]), uuid and f"GPU-{uuid}"
            return index, seen[index]
        return index, uuid and f"GPU-{uuid}"

    def _take(self):
        if len(self.lines) < self.MOST:
            self.lines.append(self.tool.sample())

    def run(self):
        with contextlib.suppress(Exception):
            while not self._ended.wait(self.every):
                self._take()

    def text(self):
        """Ends the sampling; returns the path of the file, or "" if there is nothing to write."""
        self._ended.set()
        if self.tool is None:
            return ""
        self.join(20)
        with contextlib.suppress(Exception):
            self._take()
        return "".join(line + "\n" for line in self.lines)


class Recorder:
    """Records `steps` steps after `wait` steps without the profiler and `warmup` steps whose results the profiler drops.
    step() ends an iteration.

    repeat      number of recordings; 0: until the job ends
    on_signal   signal that starts a recording, such as signal.SIGUSR2: `wait` steps after any one rank got it, all ranks
                record the same steps
    memory      true: also record a memory snapshot with the last `max_entries` allocations and frees of each device
    keep        ranks whose traces are kept: "all", "rank0" or "none". For the others, and beside the trace of rank 0, the
                digest is kept, which the command `digest` makes: it gets the names of the files and -o
    context     facts that no artifact contains: batch_size, tokens_per_step, commit, ... (run.json)
    profile     more arguments of torch.profiler.profile
    where       true: after the measured steps, record one more step with stacks, which is not measured. It shows which
                module and line launches each kernel (where-rankN.json.gz)
    device_state  true: record clocks, power, temperature and throttling of each rank's GPU once a second, through NVML or
                rocm-smi, if one of these is there (machine-rankN.json.gz)

    Files go to `folder` or, if there may be several recordings, to folder/stepN, where N is the first recorded step.
    """

    def __init__(self, folder, *, wait=5, warmup=2, steps=5, repeat=1, on_signal=None, memory=False, max_entries=500_000,
                 keep="all", digest=("gpugate", "digest"), context=None, profile=None, device_state=True, where=False):
        if keep not in KEEP:
            raise ValueError(f"keep={keep!r}: it is one of {', '.join(KEEP)}")
        if wait < 0 or warmup < 0 or steps < 1 or repeat < 0 or max_entries < 1:
            raise ValueError("wait, warmup and repeat are 0 or more, steps and max_entries 1 or more")
        if repeat != 1 and wait + warmup == 0:
            raise ValueError("between recordings there must be a step of wait or warmup")
        if repeat != 1 and on_signal is not None:
            raise ValueError("repeat and on_signal exclude each other: each signal makes a recording")
        self.folder, self.wait, self.warmup, self.steps, self.repeat = os.fspath(folder), wait, warmup, steps, repeat
        self.on_signal, self.memory, self.max_entries, self.keep, self.digest = on_signal, memory, max_entries, keep, digest
        self.context = _checked(context or {})
        self.profile = {"profile_memory": True, **(profile or {})}
        self.device_state, self._machine = device_state, None
        self.where = where
        self._due = None            # files of the measured steps, which are kept until the steps with stacks have run
        self._code = None           # profiler of the steps with stacks; _code_steps: how many of them have begun
        self._code_steps = 0
        self._entered, self._profiler = False, None
        self._step = 0              # number of the step that runs now
        self._first = None          # first step of the current or next recording
        self._complete = None       # first step of the recording whose steps have run, but whose files are not yet written
        self._made = 0              # number of complete recordings
        self._history = False       # true while torch records the memory history
        self._compiled, self._retried = {}, {}  # counts (_compiled(), _retried()) before the first recorded step
        self._signalled = False
        self._handler = None        # the job's own handler of the signal, restored at the end
        self._request = 1           # number of the next request for a recording

    # ---- calls of the job: only exceptions of its own code are passed on ----

    def __enter__(self):
        self._entered = True
        self._guard("cannot start", self._start)
        return self

    def step(self):
        """Ends an iteration of the job."""
        if self._profiler is not None:
            self._step += 1
            self._guard(f"step {self._step}", self._next)
        elif not self._entered:
            self._entered = True
            _say("step() outside of the with statement: nothing is recorded")

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """Ends the recorder, like the end of the with statement."""
        if self._profiler is None:
            return
        if self._due is not None:
            _say(f"the job ends in step {self._step}, before the step with stacks is over: nothing says where in the code work comes from")
        if self._first is not None and (self._made == 0 or self._step >= self._first):
            _say(f"the job ends in step {self._step}, before step {self._first + self.steps} ends the recording: "
                 "nothing of it is written")
        self._give_up()

    def _guard(self, what, function):
        try:
            function()
        except Exception as fault:  # a failed recording must not end the job
            _say(f"{what}: {type(fault).__name__}: {fault}; the job goes on, this rank is not recorded")
            self._give_up()

    def _give_up(self):
        profiler, self._profiler, self._complete = self._profiler, None, None
        with contextlib.suppress(Exception):
            if self._handler is not None:
                signal.signal(self.on_signal, self._handler)
        with contextlib.suppress(Exception):
            self._forget_memory()
        self._machine_text()
        self._end_code()
        with contextlib.suppress(Exception):
            if profiler is not None:
                profiler.__exit__(None, None, None)

    # ---- steps of the recording ----

    def _start(self):
        import torch
        os.makedirs(self.folder, exist_ok=True)
        if self.on_signal is None:
            self._plan(self.wait + self.warmup)
        else:
            self._listen()
        if self.memory and not torch.cuda.is_available():
            _say("no CUDA device: no memory snapshot will be written")
            self.memory = False
        self._before()
        self._profiler = torch.profiler.profile(schedule=self._action, on_trace_ready=self._ready, **self.profile)
        self._profiler.__enter__()
        self._after()

    def _next(self):
        if self._first is not None and self._step == self._first + self.steps:
            self._complete, self._first = self._first, None
            self._made += 1
            if self.on_signal is None and self._made != self.repeat:
                self._plan(self._step + self._ahead())
        if self.on_signal is not None:
            self._obey()
        self._guard_code(self._step_code)
        self._before()
        self._profiler.step()
        self._after()
        self._guard_code(self._start_code)

    def _ahead(self):
        """Number of steps between the end of a recording and the first step of the next one."""
        return self.wait + self.warmup + (CODE_STEPS if self.where else 0)

    def _action(self, step):
        """The schedule: returns what the profiler does in this step."""
        from torch.profiler import ProfilerAction
        if self._first is None or not self._first - self.warmup <= step < self._first + self.steps:
            return ProfilerAction.NONE
        if step < self._first:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if step < self._first + self.steps - 1 else ProfilerAction.RECORD_AND_SAVE

    def _before(self):
        """Sample the GPU outside of the step's annotation, which would become longer otherwise."""
        if self.device_state and self._step == self._first:
            self._machine_text()
            self._machine = _Machine()
        if self.memory and self._step == self._first:
            self._record_memory(False)  # forgets allocations from before the recording
            self._record_memory(True)

    def _after(self):
        if self._step == self._first:
            self._compiled, self._retried = _compiled(), _retried()
            facts = {**self._facts(), "keep": self.keep, "warmup": self.warmup, "steps": self.steps, "memory": self.memory}
            self._profiler.add_metadata_json("gpugate_record", json.dumps(facts))

    def _place(self, first):
        single = self.on_signal is None and self.repeat == 1
        return self.folder if single else os.path.join(self.folder, f"step{first}")

    def _plan(self, first):
        """Prepares a recording. Files of an earlier job in the folder must not be taken for those of this one: each rank
        removes its own files, rank 0 also the context and files of ranks that no longer exist."""
        self._first = first
        folder, (rank, world) = self._place(first), _rank()
        for place in (folder, os.path.join(folder, "traces")):
            for name in os.listdir(place) if os.path.isdir(place) else ():
                of = WRITTEN.match(name)
                if (of and int(of[1]) == rank) or (rank == 0 and (int(of[1]) >= world if of else name == "run.json")):
                    os.unlink(os.path.join(place, name))

    # ---- recording on a signal ----
    # A signal reaches ranks in different steps. So the first rank that got one writes down at which step to
    # begin, far enough ahead; all ranks look for that file at the end of each step.

    def _listen(self):
        old = [int(name[8:]) for name in os.listdir(self.folder) if re.match(r"request-\d+$", name)]
        self._request = max(old, default=0) + 1
        try:
            before = signal.signal(self.on_signal, self._on_signal)
            self._handler = signal.SIG_DFL if before is None else before
        except ValueError:  # Python handles signals only in the main thread
            _say("the recorder runs outside the main thread and cannot receive signals; other ranks still can")
        _say(f"waiting for signal {int(self.on_signal)}")

    def _on_signal(self, number, frame):
        self._signalled = True
        if callable(self._handler):
            self._handler(number, frame)

    def _obey(self):
        path = os.path.join(self.folder, f"request-{self._request}")
        if self._signalled:
            self._signalled = False
            if self._first is not None:
                _say(f"a recording is on its way (from step {self._first} on): the signal is ignored")
                return
            with contextlib.suppress(FileExistsError):  # another rank has written the request already
                with open(path, "x", encoding="ascii") as file:
                    file.write(f"{self._step + self._ahead()}\n")
        if self._first is not None or not os.path.exists(path):
            return
        with open(path, encoding="ascii") as file:
            text = file.read()
        if not text.endswith("\n"):
            return  # another rank has not finished writing the request
        self._request += 1
        first = int(text)
        if first - self.warmup < self._step:
            _say(f"step {self._step} is too late for the recording from step {first} on: make wait larger than {self.wait}")
            return
        self._plan(first)
        _say(f"records steps {first} to {first + self.steps - 1}")

    # ---- memory ----

    def _record_memory(self, on):
        from torch.cuda import memory
        try:
            memory._record_memory_history("all" if on else None, stacks="python", max_entries=self.max_entries)
        except TypeError:  # 2.0
            memory._record_memory_history(on, trace_alloc_max_entries=self.max_entries, trace_alloc_record_context=True)
        self._history = on

    def _forget_memory(self):
        if self._history:
            self._record_memory(False)

    def _take_memory(self):
        if not self._history:
            return None
        from torch.cuda import memory
        snapshot = memory._snapshot()
        if any(len(entries) >= self.max_entries for entries in snapshot.get("device_traces", ())):
            _say(f"more than {self.max_entries} allocations and frees: the first of them are not in the snapshot; "
                 "make max_entries larger")
        return snapshot

    # ---- one step with stacks, when the measured ones are over ----
    # Stacks slow down the host but not the GPU: the kernels are the same, and their place in the code becomes known.

    def _start_code(self):
        if self._due is None or self._code is not None:
            return
        import torch
        self._code_steps = 0
        self._code = torch.profiler.profile(schedule=self._code_action, on_trace_ready=self._code_ready,
                                            **{**self.profile, "profile_memory": False, "with_stack": True, "with_modules": True})
        self._code.__enter__()

    @staticmethod
    def _code_action(step):
        from torch.profiler import ProfilerAction
        return (ProfilerAction.WARMUP, ProfilerAction.RECORD_AND_SAVE, ProfilerAction.NONE)[min(step, CODE_STEPS)]

    def _step_code(self):
        if self._code is None:
            return
        self._code_steps += 1
        self._code.step()
        if self._code_steps == CODE_STEPS:
            self._end_code()
        else:
            self._code.add_metadata_json("gpugate_record", json.dumps({**self._facts(), "where": True}))

    def _code_ready(self, profiler):
        if self._code_steps < CODE_STEPS:
            return  # the job ends before all steps with stacks have run
        _, scratch, files, folder = self._due
        path = os.path.join(scratch, f"where-rank{_rank()[0]}.json")
        profiler.export_chrome_trace(path)
        _check_trace(path)
        self._store([*files, path], [path], folder)

    def _end_code(self):
        code, self._code = self._code, None
        with contextlib.suppress(Exception):
            if code is not None:
                code.__exit__(None, None, None)
        due, self._due = self._due, None
        with contextlib.suppress(Exception):
            if due is not None:
                due[0].close()

    def _guard_code(self, function):
        try:
            function()
        except Exception as fault:
            _say(f"the step with stacks is lost: {type(fault).__name__}: {fault}; the job goes on, the measured steps are there")
            self._end_code()

    # ---- writing the files ----

    def _ready(self, profiler):
        """Called by the profiler when it has a trace. If the job ended during the recording, the trace is incomplete and `_complete` is
        None: nothing is written then."""
        first, self._complete = self._complete, None
        if first is None:
            return
        try:
            machine = self._machine_text()
            snapshot = self._take_memory()
            self._forget_memory()
            self._write(profiler, snapshot, machine, self._place(first))
        except Exception as fault:  # only this recording is lost: the next one is tried all the same
            _say(f"steps {first} to {first + self.steps - 1} are lost: {type(fault).__name__}: {fault}; the job goes on")

    def _machine_text(self):
        machine, self._machine = self._machine, None
        with contextlib.suppress(Exception):
            return machine.text() if machine else ""
        return ""

    def _write(self, profiler, snapshot, machine, folder):
        rank = _rank()[0]
        os.makedirs(folder, exist_ok=True)
        # Write to the node's own disk first, so that files which are not kept are never copied elsewhere.
        with contextlib.ExitStack() as stack:
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix=f"gpugate-rank{rank}-"))
            files = [os.path.join(scratch, f"rank{rank}.json")]
            profiler.export_chrome_trace(files[0])
            _check_trace(files[0])
            if snapshot is not None:
                files.append(os.path.join(scratch, f"memory-rank{rank}.json"))
                with open(files[-1], "w", encoding="ascii") as file:
                    _write_json(snapshot, file.write)
            figures = _compiled()
            if figures:  # functions compiled after the warm-up count as compiled again
                figures["recompiles"] = figures["compiled_frames"] - self._compiled.get("compiled_frames", 0)
            figures.update((key, count - self._retried.get(key, 0)) for key, count in _retried().items())
            if figures:
                files.append(os.path.join(scratch, f"counts-rank{rank}.json"))
                with open(files[-1], "w", encoding="ascii") as file:
                    json.dump(figures, file)
            if machine:
                files.append(os.path.join(scratch, f"machine-rank{rank}.json"))
                with open(files[-1], "w", encoding="ascii") as file:
                    file.write(machine)
            self._write_facts(scratch)
            self._store(files, files, folder)
            if self.where:
                self._due = stack.pop_all(), scratch, files, folder

    def _store(self, files, fresh, folder):
        """Moves the files of a recording to `folder` or, as `keep` asks, only a digest made from all `files`. `fresh`: the
        files that an earlier call has not yet moved."""
        rank = _rank()[0]
        if rank == 0:
            self._write_facts(folder)
        if self.keep != "all" and self._reduce(files, os.path.join(folder, f"rank{rank}.json.gz")):
            if self.keep == "none" or rank != 0:
                return
            folder = os.path.join(folder, "traces")
            os.makedirs(folder, exist_ok=True)
        for file in fresh:
            _pack(file, os.path.join(folder, os.path.basename(file) + ".gz"))

    def _facts(self):
        import torch
        facts = {"commit": _first(COMMITS), "host": platform.node(), "boot": _boot(), "job": _first(JOBS),
                 "torch.version": str(torch.__version__)}
        return {**{key: value[:200] for key, value in facts.items() if value}, **self.context}

    def _write_facts(self, folder):
        with _whole(os.path.join(folder, "run.json")) as file:
            # Written without escapes, since gpugate reads the file as YAML, whose escapes beyond U+FFFF differ.
            file.write((json.dumps(self._facts(), indent=1, ensure_ascii=False) + "\n").encode())

    def _reduce(self, files, path):
        """Makes the digest of the recorded `files` at `path`. False if it cannot be made: the caller then keeps `files`."""
        try:
            p = subprocess.run([*self.digest, *files, "-o", path], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               errors="replace", timeout=600, check=False)
        except (OSError, subprocess.SubprocessError) as fault:
            why = fault
        else:
            if p.returncode == 0 and os.path.exists(path):
                return True
            why = f"exit {p.returncode}: {p.stderr.strip()}"
        _say(f"no digest, so the trace is kept: {' '.join(self.digest)}: {why}")
        return False


# ---- recording without changes to the job: python gpugate_record.py [options] FOLDER SCRIPT [ARGUMENT...] ----


def _pair(text):
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("KEY=VALUE was expected")
    return key, value


def _signal(name):
    try:
        return signal.Signals[name]
    except KeyError:
        raise argparse.ArgumentTypeError(f"there is no signal {name!r}; SIGUSR2 is one") from None


def _options():
    p = argparse.ArgumentParser(prog="gpugate_record.py", description="Run a training script and record some of its steps: a "
                                "step ends with each step of the optimizer that was the first to make one.")
    for name, value, what in (("wait", 5, "steps that run as ever"), ("warmup", 2, "steps of which nothing is kept"),
                              ("steps", 5, "steps that are recorded"), ("repeat", 1, "recordings, 0 for ever"),
                              ("max-entries", 500_000, "allocations and frees per GPU of a snapshot")):
        p.add_argument(f"--{name}", type=int, default=value, metavar="N", help=f"{what} (default: {value})")
    p.add_argument("--on-signal", metavar="NAME", type=_signal, help="begin on a signal, such as SIGUSR2")
    p.add_argument("--memory", action="store_true", help="memory snapshots, too")
    p.add_argument("--no-device-state", dest="device_state", action="store_false",
                   help="no clocks, power and temperature of the GPU")
    p.add_argument("--where", action="store_true", help="one more step with stacks: which module and line launches what")
    p.add_argument("--keep", choices=KEEP, default="all",
                   help="ranks whose traces stay; of the others, digests (default: all)")
    p.add_argument("--context", type=_pair, action="append", metavar="KEY=VALUE", default=[],
                   help="a fact about the run, such as batch_size=256; may be repeated")
    p.add_argument("folder", help="where the recording is written")
    p.add_argument("script", help="the training script")
    p.add_argument("arguments", nargs=argparse.REMAINDER, help="of the script")
    return p.parse_args()


def _main():
    o = vars(_options())
    script = o.pop("script")
    sys.argv = [script, *o.pop("arguments")]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    o["context"] = dict(o["context"])
    recorder, counted = Recorder(o.pop("folder"), **o), []

    def stepped(optimizer, _args, _kwargs):
        if not counted:
            counted.append(optimizer)
        if optimizer is counted[0]:
            recorder.step()

    with recorder:
        try:
            from torch.optim.optimizer import register_optimizer_step_post_hook
            register_optimizer_step_post_hook(stepped)
        except Exception as fault:
            _say(f"cannot follow the optimizer: {type(fault).__name__}: {fault}; the job goes on, this rank is not recorded")
        runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    _main()
