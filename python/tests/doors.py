"""The doors that tests of several surfaces go through, beside the program (WARPLOOM_PROGRAM) and the C
interface (WARPLOOM_LIBRARY): the package `warploom` and its compiled part, both None where that is not
built."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python"))  # behind a built package of PYTHONPATH
try:
    from warploom import _core

    import warploom
except ImportError:
    warploom = _core = None

__all__ = ["ROOT", "_core", "warploom"]
