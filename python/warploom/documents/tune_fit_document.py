"""What `tune_fit` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from warploom.documents.shared_shapes import CorrectionUse
from warploom.results import Answer

if TYPE_CHECKING:
    from typing_extensions import NotRequired

TuneFitCorrection = CorrectionUse


class TuneFitFittedItem(TypedDict):
    config: str
    residual: NotRequired[float]
    buckets: int
    median_r_squared: float
    anchors: NotRequired[int]


class TuneFitDocument(TypedDict):
    kernel: str
    kind: str
    gpu: str
    configs: NotRequired[int]
    left_out: int
    samples: int
    buckets: int
    median_r_squared: float
    median_residual: NotRequired[float]
    default: str
    cells: NotRequired[int]
    mean_candidates: NotRequired[float]
    tier: NotRequired[str]
    table_bytes: NotRequired[int]
    fit_seconds: float
    correction: NotRequired[TuneFitCorrection]
    fitted: list[TuneFitFittedItem]
    method: NotRequired[str]
    macro_configs: NotRequired[int]
    anchors: NotRequired[int]


class TuneFitFields(Answer[TuneFitDocument]):
    """The keys of a TuneFitDocument, as attributes. Those of NotRequired are not always there."""

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
    correction: TuneFitCorrection
    fitted: list[TuneFitFittedItem]
    method: str
    macro_configs: int
    anchors: int
