"""What an answer left out of what was asked, or took in its place: warnings at the caller's line."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from types import FrameType

_PACKAGE = str(Path(__file__).parent) + os.sep


class AnswerNote(UserWarning):
    """A word on an answer that holds all the same. `warnings.filterwarnings("error", category=AnswerNote)`
    refuses such answers, "ignore" silences them."""


def _callers_level() -> int:
    """The `stacklevel` at which the first line outside this package stands."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    return level


class Notes:
    """Takes lines while an answer is made, in any thread, and warns of them in the caller's when it is
    done."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def take(self, line: str) -> None:
        self._lines.append(line)

    def __enter__(self) -> Notes:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            for line in self._lines:
                warnings.warn(line, AnswerNote, stacklevel=_callers_level())
