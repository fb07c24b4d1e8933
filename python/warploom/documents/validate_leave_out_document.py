"""What `validate_leave_out` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import Any, TypedDict

from warploom.documents.shared_shapes import PredictionErrors
from warploom.results import Answer

ValidateLeaveOutFamiliesEntry = PredictionErrors


class ValidateLeaveOutLeftOutItem(TypedDict):
    family: str
    left_out: str
    gpus: dict[str, ValidateLeaveOutFamiliesEntry]
    tiers: dict[str, ValidateLeaveOutFamiliesEntry]
    seconds: float
    answer_us: float
    training_s: float
    training_cpu_s: float
    training_peak_bytes: float
    rows: int
    mean_error: float
    median_error: float
    p90_error: float
    bias: float
    coverage: float
    roofline_mean_error: float
    with_launch_bound: dict[str, float]


class ValidateLeaveOutDocument(TypedDict):
    families: dict[str, ValidateLeaveOutFamiliesEntry]
    with_launch_bound: dict[str, ValidateLeaveOutFamiliesEntry]
    rules: list[Any]
    left_out: list[ValidateLeaveOutLeftOutItem]
    protocol: str


class ValidateLeaveOutFields(Answer[ValidateLeaveOutDocument]):
    """The keys of a ValidateLeaveOutDocument, as attributes. Those of NotRequired are not always there."""

    families: dict[str, ValidateLeaveOutFamiliesEntry]
    with_launch_bound: dict[str, ValidateLeaveOutFamiliesEntry]
    rules: list[Any]
    left_out: list[ValidateLeaveOutLeftOutItem]
    protocol: str
