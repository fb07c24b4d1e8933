"""What `train_ceilings` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import Any, TypedDict

from warploom.results import Answer


class TrainCeilingsFamiliesEntry(TypedDict):
    rows: int
    gpus: int
    bytes: int


class TrainCeilingsDocument(TypedDict):
    families: dict[str, TrainCeilingsFamiliesEntry]
    too_few: dict[str, Any]


class TrainCeilingsFields(Answer[TrainCeilingsDocument]):
    """The keys of a TrainCeilingsDocument, as attributes. Those of NotRequired are not always there."""

    families: dict[str, TrainCeilingsFamiliesEntry]
    too_few: dict[str, Any]
