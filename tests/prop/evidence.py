#!/usr/bin/env python3
"""`check --evidence DIR` writes a small trace for each finding on failed checks:

 - the report names each trace, and the folder has no others; a check that passes writes no trace
 - a file is strict JSON below 2 MB, has both sides as processes on one clock, and gpugate reads it: the time of the
   regressed operator, its place and its module are those of the mean steps of both sides together
 - for a side that is a recording, the trace shows one recorded step: each call, kernel and operator at its time; for a
   digest it shows a mean step
 - files of an earlier run are removed, also if the check passes; files that gpugate has not written stay
 - names of any bytes do no harm; a folder that cannot be made ends with exit code 5

$GPUGATE is the program; exit 77 skips.
"""
import json
import os
import pathlib
import sys
import tempfile

from changed import RULES, prepare, run_of, sh
from names import every

PROGRAM = os.environ.get("GPUGATE")


def strict(path):
    def refuse(word):
        raise ValueError(word)
    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def check(dir, code=1, *more):
    for old in (dir / "e").glob("*"):
        old.unlink()
    sh(dir, PROGRAM, "check", "b.json", "--rules", "rules.yaml", "--baseline", "base.json", "--json", "r.json", "--html", "c.html",
       "--evidence", "e", *more, code=code)
    return json.loads((dir / "r.json").read_text())


def metrics_of(dir, events):
    """The figures of the events of one side, which are a run of their own."""
    (dir / "side.json").write_text(json.dumps({"traceEvents": events}))
    return json.loads(sh(dir, PROGRAM, "metrics", "side.json", "--json", "-").stdout)["metrics"]


def look(dir, result):
    named = [f["trace"] for f in result["findings"] if f["trace"]]
    assert named and sorted(named) == sorted(str(p.relative_to(dir)) for p in (dir / "e").iterdir()), named
    assert all((f["trace"] is None) == (f["verdict"] != "fail") for f in result["findings"])
    for name in named:
        assert name in (dir / "c.html").read_text(), name
        assert (dir / name).stat().st_size < 2 << 20, (dir / name).stat().st_size
        events = strict(dir / name)["traceEvents"]
        assert {e["pid"] for e in events} == {0, 1}
        assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in events if e["ph"] == "X")
        starts = {e["pid"]: e["ts"] for e in events if e.get("cat") == "user_annotation"}
        assert set(starts.values()) == {0}, starts
        yield events, [metrics_of(dir, [e for e in events if e["pid"] == side]) for side in (0, 1)]


def operator(dir):
    prepare(dir, [f"/w/m/f{i}.py" for i in range(4)], 2)
    result = check(dir)
    (events, figures), = look(dir, result)
    launches = {e["args"]["correlation"] for e in events if e.get("cat") == "cuda_runtime"}
    work = [e for e in events if e.get("cat") == "kernel"]
    assert {e["name"] for e in work} == {"kernel_2"} and {e["args"]["correlation"] for e in work} == launches
    assert [sum(e["dur"] for e in work if e["pid"] == side) for side in (0, 1)] == [2000, 4000]
    # the file has one process for each side
    for metric, label in (("op.self_gpu_time", "op2"), ("place.gpu_time", "/w/m/f2.py:f2")):
        have = [m["value"] for side in figures for m in side if m["metric"] == metric and label in m.values()]
        assert have == [2_000_000, 4_000_000], (metric, have)
    prepare(dir, ["a.py", "b.py"], None)
    assert check(dir, 0)["findings"] == [] and list((dir / "e").iterdir()) == []
    # a missing folder is created; an error if that is impossible
    prepare(dir, ["a.py", "b.py"], 1)
    sh(dir, PROGRAM, "check", "b.json", "--rules", "rules.yaml", "--baseline", "base.json", "--evidence", "b.json/x", code=5)


def shape(events, side):
    """(category, name, start relative to the step, duration) of the events of one process, sorted."""
    return sorted((e["cat"], e["name"], round(e["ts"], 3), e["dur"]) for e in events if e["pid"] == side and e.get("cat") in
                  ("cpu_op", "python_function", "cuda_runtime", "kernel"))


def as_recorded(dir):
    """The step of median length is the third one: the others are longer or shorter. Its operator launches twice at one
    place, with a call of another operator in between."""
    prepare(dir, ["a.py", "b.py"], 1)
    run = json.loads((dir / "b.json").read_text())
    work, steps = [], [e for e in run["traceEvents"] if e["cat"] == "user_annotation"]
    for n, (step, longer) in enumerate(zip(steps, (-3, 7, 0, 9))):
        step["dur"] += longer
        begin = step["ts"] + 5001  # of op1
        for k, (op, at) in enumerate((("op1", 12), ("other", 40), ("op1", 60))):
            i = 1000 + 10 * n + k
            work += [{"ph": "X", "cat": "cpu_op", "name": op, "pid": 1, "tid": 1, "ts": begin + at, "dur": 5 if op == "other" else 12, "args": {}},
                     {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": begin + at + 1, "dur": 2 + k,
                      "args": {"correlation": i}},
                     {"ph": "X", "cat": "kernel", "name": f"more_{k}", "pid": 0, "tid": 9, "ts": begin + 100 + at, "dur": 10 + k,
                      "args": {"device": 0, "stream": 9, "correlation": i}}]
    run["traceEvents"] += work
    (dir / "b.json").write_text(json.dumps(run))
    (events, _), = look(dir, check(dir))
    start = 5001
    want = [("python_function", "b.py(11): f1", 5, 80), ("cpu_op", "op1", 5, 80), ("cuda_runtime", "cudaLaunchKernel", 10, 20),
            ("kernel", "kernel_1", 40, 4000)]
    want += [row for k, at, dur in ((0, 12, 12), (2, 60, 12)) for row in
             (("cpu_op", "op1", at, dur), ("cuda_runtime", "cudaLaunchKernel", at + 1, 2 + k), ("kernel", f"more_{k}", 100 + at, 10 + k))]
    assert shape(events, 1) == sorted((cat, name, float(at + start), float(dur)) for cat, name, at, dur in want), shape(events, 1)
    assert [e["args"]["name"] for e in events if e["ph"] == "M"] == ["baseline (mean step)", "candidate (step 2)", "host thread 0",
                                                                      "GPU 0, stream 7", "GPU 0, stream 9"]
    # if the candidate is a digest, the evidence shows its mean step
    sh(dir, PROGRAM, "digest", "b.json", "-o", "d.json")
    sh(dir, PROGRAM, "check", "d.json", "--rules", "rules.yaml", "--baseline", "base.json", "--evidence", "e", code=1)
    (name,) = (dir / "e").iterdir()
    assert "candidate (mean step)" in name.read_text()


def earlier(dir):
    """Files of an earlier run are removed; files that only look similar stay."""
    prepare(dir, ["a.py", "b.py"], 1)
    check(dir)
    (mine,) = (dir / "e").iterdir()
    text = mine.read_text()
    others = {"finding-1.json": text, "finding-2-no-cause.json": text, "finding-x-other.json": text, "notes-1-other.json": text,
              "finding-3-other.json": "{}", "finding-4-other.json": " " + text, "finding-5-other.json.tmp": text}
    for name, content in others.items():
        (dir / "e" / name).write_text(content)
    (dir / "e" / "finding-6-other.json").write_text(text)
    prepare(dir, ["a.py", "b.py"], None)
    sh(dir, PROGRAM, "check", "b.json", "--rules", "rules.yaml", "--baseline", "base.json", "--evidence", "e")
    assert {p.name: p.read_text() for p in (dir / "e").iterdir()} == others


def uniform(dir):
    """Evidence with very long names and more than 500 events stays below 2 MiB (look())."""
    files = [f"/w/{'very/long/' * 15}m{i}.py" for i in range(60)]
    (dir / "rules.yaml").write_text(RULES)
    for name, factor in (("a.json", 1), ("b.json", 2)):
        run = run_of(files)
        for e in run["traceEvents"]:
            if e["cat"] == "kernel":
                e["dur"] = factor * 40.0
                e["name"] = "k<" + e["name"] + "x" * 3000 + ">"
        many = [{**e, "ts": e["ts"] + 100 * n * (e["cat"] == "kernel"), "args": {**e["args"], "correlation": 10_000 * n + e["args"]["correlation"]}}
                for e in run["traceEvents"] for n in range(1, 40) if e["cat"] in ("kernel", "cuda_runtime")]
        run["traceEvents"] += many
        (dir / name).write_text(json.dumps(run))
    sh(dir, PROGRAM, "approve", "--new", "a.json", "--rules", "rules.yaml", "--baseline", "base.json", "--force")
    for events, _ in look(dir, check(dir)):
        assert len(events) > 500


def hostile(dir):
    names = [n for n in every() if n and "\0" not in n][:48]
    for at in range(0, len(names), 6):
        some = names[at:at + 6]
        (dir / "rules.yaml").write_text(RULES)
        for name, slow in (("a.json", None), ("b.json", 3)):
            run = run_of([f"m/{n}.py" for n in some], slow)
            for e in run["traceEvents"]:
                if e["cat"] in ("kernel", "cpu_op"):
                    e["name"] = some[int(e["name"][-1])] + e["name"]
            (dir / name).write_text(json.dumps(run))
        sh(dir, PROGRAM, "approve", "--new", "a.json", "--rules", "rules.yaml", "--baseline", "base.json", "--force")
        result = check(dir)
        for events, figures in look(dir, result):
            assert {e["cat"] for e in events if "cat" in e} <= {"python_function", "cpu_op", "cuda_runtime", "kernel", "user_annotation"}
            assert any(m["metric"] == "op.self_gpu_time" for side in figures for m in side)


def main():
    if not PROGRAM:
        sys.exit(77)
    for law in (operator, as_recorded, earlier, uniform, hostile):
        if sys.argv[1:] and law.__name__ not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as name:
            law(pathlib.Path(name))
        print(f"ok {law.__name__}")


if __name__ == "__main__":
    main()
