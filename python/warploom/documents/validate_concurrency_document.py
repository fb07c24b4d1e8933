"""What `validate_concurrency` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import Any, TypedDict

from warploom.documents.shared_shapes import (
    CellErrors,
    CellErrorsBySubject,
    ReasonAndRows,
)
from warploom.results import Answer

ValidateConcurrencyCorrections = ReasonAndRows
ValidateConcurrencyOverall = CellErrors
ValidateConcurrencyWithExcluded = CellErrorsBySubject
ValidateConcurrencyFittedOverall = CellErrors
ValidateConcurrencyFitted = CellErrorsBySubject
ValidateConcurrencyCheckOverall = CellErrors
ValidateConcurrencyCheck = CellErrorsBySubject
ValidateConcurrencyDisaggregatedOverall = CellErrors
ValidateConcurrencyDisaggregated = CellErrorsBySubject


class ValidateConcurrencyExclusionsItem(TypedDict):
    rule: str
    kind: str
    judges: str
    rows: int
    reason: str
    source: str
    errors: Any


class ValidateConcurrencyFitsItem(TypedDict):
    name: str
    fitted: str
    figures: list[str]
    everywhere: bool
    cells: int
    source: str


class ValidateConcurrencySpeculation(TypedDict):
    rule: str
    sweeps: list[Any]


class ValidateConcurrencyCellsItem(TypedDict):
    id: str
    backend: str
    version: str
    model: str
    gpu: str
    quantization: str
    expert_routing: str
    tp: int
    prefill_workers: int
    decode_workers: int
    concurrency: int
    input_tokens: int
    output_tokens: int
    requests: int
    preemptions: int
    tier: str
    measured_ttft_ms: float
    predicted_ttft_ms: float
    predicted_engine_ttft_ms: float
    ttft_error: float
    measured_tpot_ms: float
    predicted_tpot_ms: float
    judges_ttft: bool
    tpot_error: float
    group: str
    excluded_by: str
    checkpoint: str
    ttft_fitted: bool
    tpot_fitted: bool
    drafts: int
    acceptance_length: float


class ValidateConcurrencyDocument(TypedDict):
    rows: int
    dropped: list[Any]
    exclusions: list[ValidateConcurrencyExclusionsItem]
    corrections: ValidateConcurrencyCorrections
    fits: list[ValidateConcurrencyFitsItem]
    overall: ValidateConcurrencyOverall
    backends: dict[str, ValidateConcurrencyOverall]
    models: dict[str, ValidateConcurrencyOverall]
    gpus: dict[str, ValidateConcurrencyOverall]
    with_excluded: ValidateConcurrencyWithExcluded
    fitted: ValidateConcurrencyFitted
    check: ValidateConcurrencyCheck
    disaggregated: ValidateConcurrencyDisaggregated
    assumed_checkpoint: ValidateConcurrencyDisaggregated
    speculation: ValidateConcurrencySpeculation
    speculative: ValidateConcurrencyDisaggregated
    cells: list[ValidateConcurrencyCellsItem]
    other_cells: list[Any]


class ValidateConcurrencyFields(Answer[ValidateConcurrencyDocument]):
    """The keys of a ValidateConcurrencyDocument, as attributes. Those of NotRequired are not always there."""

    dropped: list[Any]
    exclusions: list[ValidateConcurrencyExclusionsItem]
    corrections: ValidateConcurrencyCorrections
    fits: list[ValidateConcurrencyFitsItem]
    overall: ValidateConcurrencyOverall
    backends: dict[str, ValidateConcurrencyOverall]
    models: dict[str, ValidateConcurrencyOverall]
    gpus: dict[str, ValidateConcurrencyOverall]
    with_excluded: ValidateConcurrencyWithExcluded
    fitted: ValidateConcurrencyFitted
    check: ValidateConcurrencyCheck
    disaggregated: ValidateConcurrencyDisaggregated
    assumed_checkpoint: ValidateConcurrencyDisaggregated
    speculation: ValidateConcurrencySpeculation
    speculative: ValidateConcurrencyDisaggregated
    cells: list[ValidateConcurrencyCellsItem]
    other_cells: list[Any]
