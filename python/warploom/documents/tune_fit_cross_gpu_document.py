"""What `tune_fit_cross_gpu` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import Any, TypedDict

from warploom.documents.shared_shapes import CorrectionUse
from warploom.results import Answer

TuneFitCrossGpuCorrection = CorrectionUse


class TuneFitCrossGpuFittedItem(TypedDict):
    config: str
    residual: float
    buckets: int
    median_r_squared: Any


class TuneFitCrossGpuDocument(TypedDict):
    kernel: str
    kind: str
    gpu: str
    configs: int
    left_out: int
    samples: int
    buckets: int
    median_r_squared: float
    median_residual: float
    default: str
    cells: int
    mean_candidates: float
    tier: str
    table_bytes: int
    fit_seconds: float
    correction: TuneFitCrossGpuCorrection
    fitted: list[TuneFitCrossGpuFittedItem]


class TuneFitCrossGpuFields(Answer[TuneFitCrossGpuDocument]):
    """The keys of a TuneFitCrossGpuDocument, as attributes. Those of NotRequired are not always there."""

    kernel: str
    kind: str
    gpu: str
    configs: int
    left_out: int
    samples: int
    buckets: int
    median_r_squared: float
    median_residual: float
    default: str
    cells: int
    mean_candidates: float
    tier: str
    table_bytes: int
    fit_seconds: float
    correction: TuneFitCrossGpuCorrection
    fitted: list[TuneFitCrossGpuFittedItem]
