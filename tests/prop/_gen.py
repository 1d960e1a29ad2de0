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
