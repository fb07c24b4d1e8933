"""What `tune_show` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import Any, TypedDict

from warploom.results import Answer


class TuneShowPointsItem(TypedDict):
    m: int
    chosen_us: float
    default_us: float
    config: str


class TuneShowDocument(TypedDict):
    kernel: str
    kind: str
    gpu: str
    tier: str
    default: str
    n: int
    k: int
    points: list[TuneShowPointsItem]
    measured: list[Any]


class TuneShowFields(Answer[TuneShowDocument]):
    """The keys of a TuneShowDocument, as attributes. Those of NotRequired are not always there."""

    kernel: str
    kind: str
    gpu: str
    tier: str
    default: str
    n: int
    k: int
    points: list[TuneShowPointsItem]
    measured: list[Any]
