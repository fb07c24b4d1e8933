"""What `validate_kernels` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from warploom.documents.shared_shapes import PredictionErrors, ReasonAndRows
from warploom.results import Answer

if TYPE_CHECKING:
    from typing_extensions import NotRequired

ValidateKernelsOverall = PredictionErrors
ValidateKernelsSkippedItem = ReasonAndRows


class ValidateKernelsCellsItem(TypedDict):
    family: str
    gpu: str
    dtype: str
    framework: str
    rows: int
    mean_error: float
    median_error: float
    p90_error: float
    bias: float
    coverage: float
    roofline_mean_error: float


class ValidateKernelsBaselinesEntry(TypedDict):
    rows: int
    mean_error: float
    median_error: float
    p90_error: float
    bias: float
    coverage: float
    roofline_mean_error: float
    families: dict[str, ValidateKernelsOverall]
    gpus: dict[str, ValidateKernelsOverall]
    unanswered: dict[str, Any]
    training_s: float
    training_cpu_s: float
    training_peak_bytes: float
    answer_us: float


class ValidateKernelsDocument(TypedDict):
    rules: list[Any]
    overall: ValidateKernelsOverall
    families: dict[str, ValidateKernelsOverall]
    gpus: dict[str, ValidateKernelsOverall]
    tiers: dict[str, ValidateKernelsOverall]
    cells: list[ValidateKernelsCellsItem]
    skipped: list[ValidateKernelsSkippedItem]
    measurement_noise: dict[str, Any]
    split: str
    baselines: NotRequired[dict[str, ValidateKernelsBaselinesEntry]]


class ValidateKernelsFields(Answer[ValidateKernelsDocument]):
    """The keys of a ValidateKernelsDocument, as attributes. Those of NotRequired are not always there."""

    rules: list[Any]
    overall: ValidateKernelsOverall
    families: dict[str, ValidateKernelsOverall]
    gpus: dict[str, ValidateKernelsOverall]
    tiers: dict[str, ValidateKernelsOverall]
    cells: list[ValidateKernelsCellsItem]
    skipped: list[ValidateKernelsSkippedItem]
    measurement_noise: dict[str, Any]
    split: str
    baselines: dict[str, ValidateKernelsBaselinesEntry]
