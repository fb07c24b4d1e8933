"""What `validate_serving` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.results import Answer


class ValidateServingMetricsTtftMean(TypedDict):
    measured_ms: float
    predicted_ms: float
    error: float
    bias: float


class ValidateServingMetricsTtft(TypedDict):
    mean: ValidateServingMetricsTtftMean
    p50: ValidateServingMetricsTtftMean
    p90: ValidateServingMetricsTtftMean
    p95: ValidateServingMetricsTtftMean
    p99: ValidateServingMetricsTtftMean


class ValidateServingMetrics(TypedDict):
    ttft: ValidateServingMetricsTtft
    tpot: ValidateServingMetricsTtft
    e2el: ValidateServingMetricsTtft


class ValidateServingDuration(TypedDict):
    measured_s: float
    predicted_s: float
    error: float
    bias: float


class ValidateServingOutputThroughput(TypedDict):
    measured: float
    predicted: float
    error: float
    bias: float


class ValidateServingKernelTimeItem(TypedDict):
    label: str
    family: str
    time_s: float
    calls: float


class ValidateServingDocument(TypedDict):
    model: str
    gpu: str
    gpus: int
    engine: str
    expert_routing: str
    host_profile: str
    requests: int
    kv_blocks: int
    tier: str
    metrics: ValidateServingMetrics
    duration: ValidateServingDuration
    output_throughput: ValidateServingOutputThroughput
    request_throughput: ValidateServingOutputThroughput
    tpot_request_error: float
    start_order_correlation: float
    host_share: float
    kernel_time: list[ValidateServingKernelTimeItem]


class ValidateServingFields(Answer[ValidateServingDocument]):
    """The keys of a ValidateServingDocument, as attributes. Those of NotRequired are not always there."""

    model: str
    gpu: str
    gpus: int
    engine: str
    expert_routing: str
    host_profile: str
    requests: int
    kv_blocks: int
    tier: str
    metrics: ValidateServingMetrics
    duration: ValidateServingDuration
    output_throughput: ValidateServingOutputThroughput
    request_throughput: ValidateServingOutputThroughput
    tpot_request_error: float
    start_order_correlation: float
    host_share: float
    kernel_time: list[ValidateServingKernelTimeItem]
