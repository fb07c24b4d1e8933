"""What `validate_static` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.results import Answer


class ValidateStaticRowsItem(TypedDict):
    hardware: str
    tp: int
    pp: int
    engine: str
    model: str
    expert_routing: str
    workload: str
    batch_size: int
    tier: str
    measured_prefill_ms: float
    predicted_prefill_ms: float
    prefill_error: float
    measured_decode_ms: float
    predicted_decode_ms: float
    decode_error: float
    measured_total_ms: float
    predicted_total_ms: float
    total_error: float
    predicted_total_p10_ms: float
    predicted_total_p90_ms: float
    predicted_host_ms: float
    predicted_collectives_ms: float


class ValidateStaticMean(TypedDict):
    prefill: float
    decode: float
    total: float


class ValidateStaticDocument(TypedDict):
    rows: list[ValidateStaticRowsItem]
    mean: ValidateStaticMean
    bias: ValidateStaticMean
    coverage: float


class ValidateStaticFields(Answer[ValidateStaticDocument]):
    """The keys of a ValidateStaticDocument, as attributes. Those of NotRequired are not always there."""

    mean: ValidateStaticMean
    bias: ValidateStaticMean
    coverage: float
