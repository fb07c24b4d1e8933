"""The program of the command line: `python -m warploom`, and the script `warploom` that a wheel installs.

A wheel holds it beside this file as warploom-judge, which does all that `warploom` does; in a source tree it
is the one that was built.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from warploom.program import built_file

_INSIDE = "warploom-judge"  # src/warploom/judge/CMakeLists.txt installs it


def program() -> str:
    """WARPLOOM_PROGRAM, the one inside the package, or that of the source tree. FileNotFoundError."""
    inside = Path(__file__).resolve().parent / _INSIDE
    if "WARPLOOM_PROGRAM" not in os.environ and os.access(inside, os.X_OK):
        return str(inside)
    found: str | None = built_file("WARPLOOM_PROGRAM", "build/*/bin/warploom")
    if found:
        return found
    raise FileNotFoundError(f"the program warploom: expected {inside}, or set WARPLOOM_PROGRAM")


def main() -> None:
    """Becomes the program, with this process's words."""
    try:
        found = program()
        os.execv(found, ["warploom", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"warploom: {error}")


if __name__ == "__main__":
    main()
