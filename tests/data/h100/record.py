"""Record what the files in this folder were made from: four training jobs on one GPU, five processes of each as main has
it (base) and five with one planted regression (cand), taken in turns, so that each base is followed by its candidate.

usage: record.py OUT SECONDS [pairs]

Each process first times 40 steps with CUDA events and without a profiler (times.jsonl), then records five steps with
ci/record/gpugate_record.py. Besides: one process of each job with stacks and shapes, a CUDA graph as it is captured and
as it is replayed, a JAX job, and what ptxas and cuobjdump say of two kernels. Nothing more begins after SECONDS.
pairs: nothing is recorded; processes of unchanged code in turns, for what two that run one after the other share (pairs.jsonl).
"""
import gc
import gzip
import json
import os
import subprocess
import sys
import tarfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../ci/record"))
OUT, SECONDS = os.path.abspath(sys.argv[1]), float(sys.argv[2])
BEGAN = time.monotonic()
WORK = "/tmp/runs"
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", "/tmp/inductor")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import torch  # noqa: E402  (once; each run is a fork, made before CUDA is used)
import torch.nn as nn  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import torch.profiler  # noqa: E402
import torchvision  # noqa: E402
from gpugate_record import Recorder  # noqa: E402


def left():
    return SECONDS - (time.monotonic() - BEGAN)


def say(text):
    print(f"[{time.monotonic() - BEGAN:6.1f} s] {text}", flush=True)


class Attention(nn.Module):
    def __init__(self, d, heads, plain):
        super().__init__()
        self.heads, self.plain = heads, plain
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (p.view(b, t, self.heads, d // self.heads).transpose(1, 2) for p in self.qkv(x).chunk(3, dim=-1))
        if self.plain:  # planted: scores written out in place of the fused kernel
            scores = q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5
            y = torch.softmax(scores.masked_fill(torch.ones(t, t, device=x.device, dtype=torch.bool).triu(1), -1e4), -1) @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, d, heads, plain=False, broken=False):
        super().__init__()
        self.broken = broken
        self.ln1, self.attn, self.ln2 = nn.LayerNorm(d), Attention(d, heads, plain), nn.LayerNorm(d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        if self.broken:  # planted: the compiler cannot fuse across it
            torch._dynamo.graph_break()
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class Gpt(nn.Module):
    def __init__(self, layers=6, d=1024, heads=16, vocab=32768, length=1024, plain=(), broken=False):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(length, d)
        self.blocks = nn.ModuleList(Block(d, heads, i in plain, broken) for i in range(layers))
        self.ln, self.head = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)

    def forward(self, idx):
        x = self.tok(idx) + self.pos(torch.arange(idx.shape[1], device=idx.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.ln(x))


class Moe(nn.Module):
    def __init__(self, d=1024, experts=8, top=2, single=()):
        super().__init__()
        self.top, self.single = top, single
        self.router = nn.Linear(d, experts)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d)) for _ in range(experts))

    def forward(self, x):
        weight, chosen = self.router(x).softmax(-1).topk(self.top, -1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            token, slot = torch.where(chosen == i)
            if i in self.single:  # planted: this expert computes in single precision
                with torch.autocast("cuda", enabled=False):
                    y = expert(x[token].float()).to(out.dtype)
            else:
                y = expert(x[token]).to(out.dtype)
            out = out.index_add(0, token, y * weight[token, slot, None].to(out.dtype))
        return x + out


class Widened(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x).double().to(x.dtype)  # planted: a conversion to another type and back


def job(name, planted):
    torch.manual_seed(1)
    if name == "resnet50":
        torch.backends.cudnn.benchmark = True
        model = torchvision.models.resnet50()
        if planted:
            model.layer2 = Widened(model.layer2)
        model = model.cuda().to(memory_format=torch.channels_last)
        host = torch.randn(64, 3, 224, 224).to(memory_format=torch.channels_last).pin_memory()
        target = torch.randint(1000, (64,), device="cuda")
        optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)

        def loss():
            return F.cross_entropy(model(host.to("cuda", non_blocking=True)), target)
        facts = {"batch_size": 64, "samples_per_step": 64}
    elif name.startswith("gpt"):
        compiled = name == "gpt-compiled"
        model = Gpt(plain=(3,) if planted and not compiled else (), broken=planted and compiled).cuda()
        idx = torch.randint(32768, (8, 1024), device="cuda")
        optimizer = torch.optim.AdamW(model.parameters(), 1e-4, fused=True)
        run = torch.compile(model) if compiled else model

        def loss():
            return F.cross_entropy(run(idx).flatten(0, 1), idx.flatten())
        facts = {"batch_size": 8, "tokens_per_step": 8192}
    else:
        model = nn.Sequential(Moe(single=(3,) if planted else ()), Moe()).cuda()
        x = torch.randn(8192, 1024, device="cuda")
        optimizer = torch.optim.AdamW(model.parameters(), 1e-4)

        def loss():
            return model(x).square().mean()
        facts = {"batch_size": 8192, "tokens_per_step": 8192}

    def step():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            value = loss()
        value.backward()
        optimizer.step()
        optimizer.zero_grad()
    return step, facts


def train(name, planted, number, stacks):
    step, facts = job(name, planted)
    for _ in range(12):
        step()
    side = "cand" if planted else "base"
    if not stacks:
        gc.collect()
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(41)]
        torch.cuda.synchronize()
        clock = time.perf_counter()
        marks[0].record()
        for mark in marks[1:]:
            step()
            mark.record()
        torch.cuda.synchronize()
        line = {"job": name, "side": side, "number": number, "at_s": round(time.monotonic() - BEGAN, 2),
                "wall_ms": round((time.perf_counter() - clock) * 1e3 / 40, 4),
                "steps_ms": [round(a.elapsed_time(b), 4) for a, b in zip(marks, marks[1:])]}
        with open(os.path.join(OUT, "times.jsonl"), "a", encoding="ascii") as file:
            file.write(json.dumps(line) + "\n")
    folder = os.path.join(WORK, f"{name}-{side}-{'stacks' if stacks else number}")
    profile = {"record_shapes": True, "with_stack": True, "with_modules": True} if stacks else None
    with Recorder(folder, wait=1, warmup=2, steps=2 if stacks else 5, memory=number == 0 or stacks, where=number == 0 and not stacks,
                  context={"workload": name, **facts}, profile=profile) as rec:
        for _ in range(14):
            step()
            rec.step()


def pair(name, number, side):
    """Wall and GPU time of unchanged code, in one process."""
    step, _ = job(name, False)
    for _ in range(12):
        step()
    gc.collect()
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(31)]
    torch.cuda.synchronize()
    marks[0].record()
    for mark in marks[1:]:
        step()
        mark.record()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as p:
        for _ in range(5):
            step()
        torch.cuda.synchronize()
    gpu = [e for e in p.profiler.kineto_results.events() if e.device_type() == torch.autograd.DeviceType.CUDA]
    line = {"job": name, "number": number, "side": side, "at_s": round(time.monotonic() - BEGAN, 2),
            "steps_ms": [round(a.elapsed_time(b), 4) for a, b in zip(marks, marks[1:])],
            "gpu_ns": sum(e.duration_ns() for e in gpu) // 5, "activities": len(gpu)}
    with open(os.path.join(OUT, "pairs.jsonl"), "a", encoding="ascii") as file:
        file.write(json.dumps(line) + "\n")


def graph():
    """One decode step of a small GPT as a CUDA graph: the trace of the capture, and one of five replays."""
    torch.manual_seed(1)
    model = Gpt(layers=3).cuda().half().eval()
    idx = torch.randint(32768, (8, 16), device="cuda")
    folder = os.path.join(WORK, "graph")
    os.makedirs(folder, exist_ok=True)
    with torch.no_grad():
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                model(idx)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.profiler.profile(record_shapes=True, with_stack=True, with_modules=True) as p:
            with torch.cuda.graph(graph):
                model(idx)
            torch.cuda.synchronize()
        p.export_chrome_trace(os.path.join(folder, "capture.json.gz"))
        for _ in range(5):
            graph.replay()
        torch.cuda.synchronize()
        with torch.profiler.profile() as p:
            for _ in range(5):
                graph.replay()
            torch.cuda.synchronize()
        p.export_chrome_trace(os.path.join(folder, "replay.json.gz"))
        graph = torch.cuda.CUDAGraph()
        with torch.profiler.profile(record_shapes=True, with_stack=True, with_modules=True) as p:
            with torch.cuda.graph(graph):
                model(idx)
            for _ in range(5):
                graph.replay()
            torch.cuda.synchronize()
        p.export_chrome_trace(os.path.join(folder, "both.json.gz"))


def forked(what, function, *arguments, seconds=90):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            function(*arguments)
            code = 0
        except BaseException as fault:  # the other runs go on
            say(f"{what}: {type(fault).__name__}: {fault}")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            say(f"{what}: {'done' if status == 0 else 'FAILED'}")
            return status == 0
        time.sleep(0.02)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    say(f"{what}: took more than {seconds} s")
    return False


JAX = """
import sys, jax, jax.numpy as jnp
def loss(w, x):
    for a in w: x = jax.nn.gelu(x @ a)
    return (x.astype(jnp.float32) ** 2).mean()
w = [jax.random.normal(jax.random.key(i), (2048, 2048), jnp.bfloat16) * 0.02 for i in range(4)]
x = jax.random.normal(jax.random.key(9), (4096, 2048), jnp.bfloat16)
@jax.jit
def step(w, x):
    g = jax.grad(loss)(w, x)
    return [a - 1e-3 * b for a, b in zip(w, g)]
for _ in range(5): w = step(w, x)
jax.block_until_ready(w)
with jax.profiler.trace(sys.argv[1]):
    for i in range(5):
        with jax.profiler.StepTraceAnnotation("train", step_num=i):
            w = step(w, x); jax.block_until_ready(w)
jax.profiler.save_device_memory_profile(sys.argv[1] + "/memory.prof")
"""
CUDA = """
__global__ void scale(float *x, float a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= a; }
__global__ void __launch_bounds__(1024, 2) spills(float *x, int n) {
    float v[96]; __shared__ float s[1024];
    for (int j = 0; j < 96; j++) v[j] = x[(j * 37 + threadIdx.x) % n];
    for (int k = 0; k < n; k++) { for (int j = 0; j < 96; j++) v[j] = v[j] * v[(j * 7 + 3) % 96] + s[(threadIdx.x + j) & 1023]; __syncthreads(); }
    float t = 0; for (int j = 0; j < 96; j++) t += v[j] * v[(j + 1) % 96]; s[threadIdx.x] = t; x[threadIdx.x] = s[threadIdx.x ^ 1];
}
"""


def tools():
    folder = os.path.join(WORK, "tools")
    os.makedirs(folder, exist_ok=True)
    with open("/tmp/kernels.cu", "w", encoding="ascii") as file:
        file.write(CUDA)
    for name, command in (("ptxas-v.txt", "nvcc -arch=sm_90 -Xptxas -v -cubin -o /tmp/kernels.cubin /tmp/kernels.cu"),
                          ("cuobjdump-res-usage.txt", "cuobjdump -res-usage /tmp/kernels.cubin"),
                          ("nvidia-smi-q.txt", "nvidia-smi -q")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            subprocess.run(command.split(), stdout=file, stderr=subprocess.STDOUT, timeout=60, check=False)
    with open("/tmp/job.py", "w", encoding="ascii") as file:
        file.write(JAX)
    subprocess.run([sys.executable, "/tmp/job.py", os.path.join(WORK, "jax")], timeout=80, check=False)


def recorded(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return '"cat": "kernel"' in file.read()


def pack():
    """Tar files of less than 15 MiB, the small runs first."""
    names = sorted(os.listdir(WORK), key=lambda n: ("-0" in n or "stacks" in n, n))
    sizes = {n: sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(os.path.join(WORK, n)) for f in fs) for n in names}
    say(json.dumps(sizes))
    part, used, tar = 0, 15 << 20, None
    for name in names:
        if used + sizes[name] > 14 << 20:
            part, used = part + 1, 0
            if part > 7:
                break
            if tar:
                tar.close()
            tar = tarfile.open(os.path.join(OUT, f"runs{part}.tar"), "w")
        used += sizes[name]
        tar.add(os.path.join(WORK, name), name)
    if tar:
        tar.close()


def main():
    os.makedirs(WORK, exist_ok=True)
    say(f"torch {torch.__version__}")
    jobs = ("gpt", "resnet50", "moe", "gpt-compiled")
    if sys.argv[3:] == ["pairs"]:
        forked("first", pair, "gpt-compiled", -1, "-")
        number = 0
        while left() > 10:
            for name in jobs:
                for side in "ab":
                    if left() > 0:
                        forked(f"{name} {number} {side}", pair, name, number, side)
            number += 1
        return
    for name in jobs:  # fills the caches of disk and compiler: not recorded
        if name == "gpt-compiled":
            forked(f"{name} first", lambda: [step() for step in [job(name, False)[0]] for _ in range(2)])
            forked(f"{name} planted first", lambda: [step() for step in [job(name, True)[0]] for _ in range(2)])
    for number in range(5):
        for name in jobs:
            for planted in (False, True):
                if left() > 90:
                    forked(f"{name} {'cand' if planted else 'base'} {number}", train, name, planted, number, False, seconds=60)
                    if not recorded(os.path.join(WORK, "gpt-base-0/rank0.json.gz")):
                        sys.exit("the first run has no kernels")
        if number == 0:
            forked("graph", graph, seconds=40)
            for name in jobs:
                forked(f"{name} stacks", train, name, False, 9, True, seconds=60)
    if left() > 30:
        try:
            tools()
        except Exception as fault:
            say(f"tools: {fault}")
    pack()
    say("packed")


main()
