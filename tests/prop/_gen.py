"""Makes inputs with the generators of tests/gen within the process of a test, since a new Python takes longer to start than
most generators take to run."""
import importlib
import pathlib
import sys

GEN = pathlib.Path(__file__).resolve().parents[1] / "gen"
sys.path.insert(0, str(GEN))    # found before this folder, whose tests have the same names as generators


def generate(tool, out, *options):
    """Makes `out` as the command `tests/gen/TOOL.py OPTIONS… --out OUT` does, and returns `out`."""
    importlib.import_module(tool).main([*map(str, options), "--out", str(out)])
    return out


# Options of `approve` that take a recording although what rules judge cannot be believed.
ANYWAY = [word for finding in """absent-rank attribution-among-ranks dropped-kernels early-activities ends-early cut-short fewer-collectives foreign-snapshot
    lost-copies lost-kernels malformed-events markers-among-ranks memory-contradictions missing-steps negative-durations negative-memory no-gpu-activity
    no-memory-history outside-steps overlapping-activities partial period-against-marker recorded-twice same-recording shared-gpu
    short-last-step stale-rank stuck too-few-steps truncated unknown-durations unknown-wall-time unnamed-kernels unseen-frees
    unsure-launches window-against-steps window-among-ranks beyond-peak collectives-beyond-cap further-findings""".split()
          for word in ("--accept", finding)]
