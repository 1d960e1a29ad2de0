"""Finds Python packages of the distribution, for tests that run under another interpreter.

A test that begins with `need("yaml")` restarts under /usr/bin/python3 if its interpreter lacks the module, and is skipped
(exit 77) if that one lacks it as well: ci/install-deps test installs them. """
import importlib.util
import os
import sys

SYSTEM = "/usr/bin/python3"


def has(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError: # the package that contains the module is absent
        return False


def need(*modules):
    missing = [m for m in modules if not has(m)]
    if not missing:
        return
    if not os.environ.get("GPUGATE_SYSTEM_PYTHON") and os.access(SYSTEM, os.X_OK):
        os.environ["GPUGATE_SYSTEM_PYTHON"] = "1"
        os.execv(SYSTEM, [SYSTEM, *sys.argv])
    print(f"skipped: no Python module {', '.join(missing)}; 'ci/install-deps test' installs it")
    sys.exit(77)
