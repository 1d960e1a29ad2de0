#!/usr/bin/env python3
"""A separate recording says where in the code the kernels of measured steps come from.

Shared traces with Python frames are used as separate recordings for the same traces without frames: figures by place in the
code must be those of the original trace, to the nanosecond, and all others those of the trace without frames. If kernels
take other times in the separate recording, sums by operator and by place are still the measured ones.

$GPUGATE is the program, $GPUGATE_SHARED the shared data; exit 77 skips.
"""
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from _part import part

TRACES = ("norm-test-mi300x-run1", "qwen05b-h100-single", "qwen05b-mi300x-single", "bert-small-h100-single", "bert-small-mi300x-single",
          "norm-test-mi300x-run2")
FRAMES = ("python_function",)
CODE = ("op.gpu_time", "op.self_gpu_time", "module.gpu_time", "place.gpu_time", "place.launch_count", "place.copy_bytes")


def figures(gpugate, *paths):
    """{metric: {label: value}} of figures by place in the code, and all other metrics."""
    done = subprocess.run([gpugate, "metrics", *paths, "--json", "-"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    code, rest = {}, []
    for m in json.loads(done.stdout)["metrics"]:
        if m["metric"] in CODE:
            code.setdefault(m["metric"], {})[next(m[k] for k in ("op", "module", "place") if k in m)] = m["value"]
        elif not m["metric"].startswith(("place.", "function.")):
            rest.append(m)
    return code, rest


def main():
    gpugate, shared = os.environ.get("GPUGATE"), os.environ.get("GPUGATE_SHARED")
    if not gpugate or not shared:
        print("skipped: $GPUGATE or $GPUGATE_SHARED is not set")
        sys.exit(77)
    files = {name: next(iter(sorted(pathlib.Path(shared, "data").rglob(f"{name}*.json*"))), None) for name in TRACES}
    wrong = [name for name, path in files.items() if path is None]
    for name in part([n for n in TRACES if files[n]]):
        document = json.loads((gzip.open if files[name].suffix == ".gz" else open)(files[name]).read())
        document = document if isinstance(document, dict) else {"traceEvents": document}
        events = [e for e in document["traceEvents"] if isinstance(e, dict)]
        with tempfile.TemporaryDirectory() as folder:
            def write(file, rows, **more):
                path = pathlib.Path(folder, file)
                path.write_text(json.dumps({**document, **more, "traceEvents": rows}))
                return str(path)
            whole = write("whole-rank0.json", events)
            bare = write("rank0.json", [e for e in events if e.get("cat") not in FRAMES])
            apart = write("where-rank0.json", events, gpugate_record={"where": True})
            want, _ = figures(gpugate, whole)
            _, rest = figures(gpugate, bare)
            code, have = figures(gpugate, bare, apart)
            for metric in CODE:
                if code.get(metric) != want.get(metric):
                    wrong.append(f"{name}: {metric} is not that of the trace with frames")
            if have != rest:
                wrong.append(f"{name}: other figures are not those of the trace without frames")
            if not code.get("module.gpu_time") and want.get("module.gpu_time"):
                wrong.append(f"{name}: no module")
            r = random.Random(name)
            other = [{**e, "dur": e["dur"] * r.choice((1, 2, 3))} if e.get("cat") == "kernel" else e for e in events]
            other = write("where-rank0.json", other, gpugate_record={"where": True})
            changed, have = figures(gpugate, bare, other)
            if have != rest:
                wrong.append(f"{name}: figures follow the recording apart")
            sums = [sum(c["op.self_gpu_time"].values()) for c in (changed, want)]
            if abs(sums[0] - sums[1]) > len(want["op.self_gpu_time"]) + len(changed["op.self_gpu_time"]):
                wrong.append(f"{name}: operators come to {sums[0]} ns instead of {sums[1]}")
        print("ok", name)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
