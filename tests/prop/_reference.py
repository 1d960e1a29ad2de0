"""Stored answers of references: slow, separate implementations, with whose answers on a file the program is compared.

An answer is stored as tests/data/ref/HASH.json, HASH being made from the file and the reference's source. The reference is
run if no answer is stored, if the program differs from the stored answer (to name the difference), and always with
REFERENCE_FRESH=1: then the stored answer must equal the new one. REFERENCE_UPDATE=1 stores the new answer. Long values are
stored as hashes, so that a recording cannot be read from them. Only the rows of kernels are stored whole, with hashes as
names: the program may have added small kernels to a sum, so that the rows need not be equal. """
import hashlib
import json
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "data" / "ref"
SHORT = 64
WHOLE = ("rows of kernels",)
UPDATE, FRESH = (os.environ.get(f"REFERENCE_{what}") == "1" for what in ("UPDATE", "FRESH"))


def key(sources, path):
    """Key of a stored answer: a hash of the file `path` and of the reference's source files `sources`."""
    parts = [hashlib.sha256(pathlib.Path(p).read_bytes()).hexdigest() for p in (*sources, path)]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:24]


def text(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)


def brief(answer):
    texts = {what: text(value) for what, value in answer.items()}
    return {what: t if len(t) <= SHORT or what in WHOLE else "#" + hashlib.sha256(t.encode()).hexdigest()[:16] for what, t in texts.items()}


def exactly(what, want, have):
    return want == have


def unequal(want, have, same):
    return [what for what in sorted(want.keys() | have.keys()) if not same(what, want.get(what), have.get(what))]


def first_difference(want, have):
    """The first items of two lists that differ; the whole values if they are not lists."""
    if isinstance(want, list) and isinstance(have, list):
        at = next((i for i, (w, h) in enumerate(zip(want, have)) if text(w) != text(h)), min(len(want), len(have)))
        want, have = (f"{len(v)} rows, row {at}: {v[at] if at < len(v) else None}" for v in (want, have))
    return f"reference {want}, program {have}"


def compare(want, have, same=exactly):
    """Lines about differences. `want` and `have` map names to values that JSON can represent. `same` gets the name and both
    values (as JSON or as hashes, None if absent) and says whether they are equal enough."""
    return [f"{what}: {first_difference(want.get(what), have.get(what))}" for what in unequal(brief(want), brief(have), same)]


def differences(sources, path, have, reference, keep, same=exactly):
    """Compares the program's answer `have` on the file `path` with that of `reference()`, like compare(). If `keep`, a stored
    answer of the reference is used if there is one. `sources`: the files that the reference is written in."""
    if not keep:
        return compare(reference(), have, same)
    file = FOLDER / f"{key(sources, path)}.json"
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
    if kept is not None and not FRESH and not unequal(kept, brief(have), same):
        return []
    want = reference()
    now = brief(want)
    lines = compare(want, have, same)
    if kept == now:
        return lines
    if UPDATE:
        FOLDER.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(now, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    elif kept is None:
        print(f"{path.name}: no answer of the reference is kept; tests/update keeps it", flush=True)
    else:
        lines.append(f"{file.name} is not what the reference says; tests/update writes it anew")
    return lines


# Files that are refused: in two of them the program understands nothing (prop/silence.py), one is a capture of graphs (prop/graph_capture.py).
REFUSED = ("mtia-inference-rank0.json.gz", "chrome-counters-xprof.json", "sglang-capture-bs32-mi300x.json.gz")


def recordings(kind, pattern):
    """Files of the shared data, "traces" or "snapshots", without those that the program refuses. Without $GPUGATE_SHARED
    there are none, which is printed."""
    shared = os.environ.get("GPUGATE_SHARED")
    if not shared:
        print(f"skipped: {kind} of the shared data ($GPUGATE_SHARED is not set)")
        return []
    found = [p for part in ("data", "data/more") for p in sorted(pathlib.Path(shared, part, kind).rglob(pattern))
             if p.name not in REFUSED]
    return found or sys.exit(f"no {kind} in {shared}")
