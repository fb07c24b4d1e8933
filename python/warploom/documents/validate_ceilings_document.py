"""What `validate_ceilings` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import Any, TypedDict

from warploom.documents.shared_shapes import ReasonAndRows
from warploom.results import Answer

ValidateCeilingsSkippedItem = ReasonAndRows


class ValidateCeilingsFamiliesEntry(TypedDict):
    rows: int
    above_share: float
    flagged: int


class ValidateCeilingsDocument(TypedDict):
    families: dict[str, ValidateCeilingsFamiliesEntry]
    gpus: dict[str, ValidateCeilingsFamiliesEntry]
    tuned: list[Any]
    skipped: list[ValidateCeilingsSkippedItem]
    quantile: float
    split: str


class ValidateCeilingsFields(Answer[ValidateCeilingsDocument]):
    """The keys of a ValidateCeilingsDocument, as attributes. Those of NotRequired are not always there."""

    families: dict[str, ValidateCeilingsFamiliesEntry]
    gpus: dict[str, ValidateCeilingsFamiliesEntry]
    tuned: list[Any]
    skipped: list[ValidateCeilingsSkippedItem]
    quantile: float
    split: str
