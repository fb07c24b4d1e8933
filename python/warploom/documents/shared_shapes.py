"""Shapes that the answers of several requests have.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict


class CellErrors(TypedDict):
    cells: int
    ttft_cells: int
    ttft_median_error: float | None
    tpot_median_error: float | None
    ttft_p90_error: float | None
    tpot_p90_error: float | None
    ttft_bias: float | None
    tpot_bias: float | None


class CellErrorsBySubject(TypedDict):
    overall: CellErrors
    backends: dict[str, CellErrors]
    models: dict[str, CellErrors]
    gpus: dict[str, CellErrors]


class CorrectionUse(TypedDict):
    used: bool
    learned_on: str
    this_gpu: bool


class ImportedFile(TypedDict):
    path: str
    table: str
    rows_read: int
    rows_kept: int
    repeats: int


class Interval(TypedDict):
    p10: float
    p50: float
    p90: float


class KernelShare(TypedDict):
    framework: str
    version: str
    kernel: str
    tier: str
    extrapolated: bool
    time_s: float
    share: float
    stands_in: bool
    stands_in_for: str
    in_step: bool


class KernelSource(TypedDict):
    time_s: float
    tier_shares: TierShares
    kernels: list[KernelShare]


class PredictionErrors(TypedDict):
    rows: int
    mean_error: float
    median_error: float
    p90_error: float
    bias: float
    coverage: float
    roofline_mean_error: float


class ReasonAndRows(TypedDict):
    reason: str
    rows: int


class RequestGroup(TypedDict):
    count: int
    query_tokens: int
    context_tokens: int


class ServingMetrics(TypedDict):
    duration: float
    completed: int
    failed: int
    total_input_tokens: int
    total_output_tokens: int
    request_throughput: float
    output_throughput: float
    total_token_throughput: float
    max_output_tokens_per_s: float
    max_concurrent_requests: int
    mean_ttft_ms: float
    median_ttft_ms: float
    std_ttft_ms: float
    p50_ttft_ms: float
    p90_ttft_ms: float
    p95_ttft_ms: float
    p99_ttft_ms: float
    mean_engine_ttft_ms: float
    median_engine_ttft_ms: float
    std_engine_ttft_ms: float
    p50_engine_ttft_ms: float
    p90_engine_ttft_ms: float
    p95_engine_ttft_ms: float
    p99_engine_ttft_ms: float
    mean_tpot_ms: float
    median_tpot_ms: float
    std_tpot_ms: float
    p50_tpot_ms: float
    p90_tpot_ms: float
    p95_tpot_ms: float
    p99_tpot_ms: float
    mean_itl_ms: float
    median_itl_ms: float
    std_itl_ms: float
    p50_itl_ms: float
    p90_itl_ms: float
    p95_itl_ms: float
    p99_itl_ms: float
    mean_e2el_ms: float
    median_e2el_ms: float
    std_e2el_ms: float
    p50_e2el_ms: float
    p90_e2el_ms: float
    p95_e2el_ms: float
    p99_e2el_ms: float


class TierShares(TypedDict):
    measured: float
    cross_gpu: float
    roofline: float
