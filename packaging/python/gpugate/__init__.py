"""gpugate, a regression gate for GPU runs: the recorder, and where the program is.

    from gpugate import Recorder

The plugin of pytest is gpugate/pytest_plugin.py.
"""
import importlib.metadata
import os

from gpugate_record import Recorder

__all__ = ["Recorder", "program"]


def program():
    """Path of the program that was installed with this package, whether or not it is on the PATH."""
    for file in importlib.metadata.files("gpugate") or ():
        if file.parts[-2:] == ("bin", "gpugate"):
            return os.path.normpath(str(file.locate()))
    raise FileNotFoundError("the program of the package gpugate is missing: install the package again")
