"""What `train` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.results import Answer


class TrainFamiliesEntryHeldOut(TypedDict):
    rows: int
    mean_error: float
    median_error: float
    p90_error: float
    coverage: float


class TrainFamiliesEntry(TypedDict):
    rows_learned: int
    held_out: TrainFamiliesEntryHeldOut
    left_out_gpu: dict[str, TrainFamiliesEntryHeldOut]
    seconds: float


class TrainDocument(TypedDict):
    rows: int
    bytes: int
    training_s: float
    training_cpu_s: float
    training_peak_bytes: float
    families: dict[str, TrainFamiliesEntry]


class TrainFields(Answer[TrainDocument]):
    """The keys of a TrainDocument, as attributes. Those of NotRequired are not always there."""

    bytes: int
    training_s: float
    training_cpu_s: float
    training_peak_bytes: float
    families: dict[str, TrainFamiliesEntry]
