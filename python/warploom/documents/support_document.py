"""What `support` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.results import Answer


class SupportRowsItem(TypedDict):
    model: str
    gpu: str
    engine: str
    tensor_parallel: int | None
    measured: float
    cross_gpu: float
    roofline: float
    tier: str | None
    refused: str


class SupportDocument(TypedDict):
    rows: list[SupportRowsItem]


class SupportFields(Answer[SupportDocument]):
    """The keys of a SupportDocument, as attributes. Those of NotRequired are not always there."""

