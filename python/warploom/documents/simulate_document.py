"""What `simulate` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from warploom.documents.shared_shapes import (
    KernelShare,
    KernelSource,
    ServingMetrics,
    TierShares,
)
from warploom.results import Answer

if TYPE_CHECKING:
    from typing_extensions import NotRequired

SimulateTierShares = TierShares
SimulateIntervalLow = ServingMetrics
SimulateKernelSourcesEntryKernelsItem = KernelShare
SimulateKernelSourcesEntry = KernelSource


class SimulateInterval(TypedDict):
    low: SimulateIntervalLow
    high: SimulateIntervalLow


class SimulatePoolsItem(TypedDict):
    name: str
    gpu: str
    instances: int
    most_instances: int
    gpus_per_instance: int
    tp: int
    pp: int
    dp: int
    ep: int
    steps: int
    tokens: int
    gpu_p50_s: float
    host_s: float
    gpu_time_s: float
    energy_j: float


class SimulateStepTotals(TypedDict):
    steps: int
    tokens: int
    gpu_p10_s: float
    gpu_p50_s: float
    gpu_p90_s: float
    collectives_s: float
    host_s: float


class SimulateKernelTimeItem(TypedDict):
    label: str
    family: str
    time_s: float
    calls: float
    stands_in: bool


class SimulateTimelineItem(TypedDict):
    time_s: float
    running: int
    waiting: int
    kv_use: float
    batch_tokens: int
    preemptions: int
    instances: int


class SimulateViews(TypedDict):
    perfetto: str


class SimulateUnserved(TypedDict):
    turned_away: int
    timed_out: int


class SimulateGroupsEntryEntryTtft(TypedDict):
    mean_ms: float
    p50_ms: float
    p90_ms: float
    p95_ms: float
    p99_ms: float


class SimulateGroupsEntryEntry(TypedDict):
    requests: int
    completed: int
    within_limits: float | None
    ttft: SimulateGroupsEntryEntryTtft
    tpot: SimulateGroupsEntryEntryTtft
    e2el: SimulateGroupsEntryEntryTtft


class SimulateKvTransfer(TypedDict):
    path: str
    transfers: int
    bytes: float
    wait_s: float
    link_wait_s: float


class SimulateDocument(TypedDict):
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
    model: str
    gpu: str
    gpus: int
    engine: str
    expert_routing: str
    host_profile: str
    workload: str
    measured_at: str
    frontend_latency_ms: float
    frontend_per_token_us: float
    kv_transfer_handshake_ms: float
    num_prompts: int
    request_rate: float | str
    max_concurrency: int | None
    tier: str
    tier_shares: SimulateTierShares
    extrapolated: bool
    outside_share: float
    partial: bool
    preemptions: int
    kv_blocks: int
    cached_tokens: int
    prefix_hit_rate: float
    interval: SimulateInterval | None
    pools: list[SimulatePoolsItem]
    energy_j: float
    energy_per_output_token_j: float | None
    restarts: int
    disagg: bool
    step_totals: SimulateStepTotals
    kernel_time: list[SimulateKernelTimeItem]
    kernel_sources: dict[str, SimulateKernelSourcesEntry]
    family_time_s: dict[str, float]
    mean_layer_time_s: float
    timeline: list[SimulateTimelineItem]
    input_lens: NotRequired[list[int]]
    output_lens: NotRequired[list[int]]
    ttfts: NotRequired[list[float]]
    latencies: NotRequired[list[float]]
    start_times: NotRequired[list[float]]
    slo_attainment: NotRequired[float]
    request_goodput: NotRequired[float]
    views: NotRequired[SimulateViews]
    unserved: NotRequired[SimulateUnserved]
    spec_decode_num_drafts: NotRequired[int]
    spec_decode_draft_tokens: NotRequired[int]
    spec_decode_accepted_tokens: NotRequired[int]
    spec_decode_acceptance_rate: NotRequired[float]
    spec_decode_acceptance_length: NotRequired[float]
    spec_decode_per_position_acceptance_rates: NotRequired[list[float]]
    groups: NotRequired[dict[str, dict[str, SimulateGroupsEntryEntry]]]
    num_prefill_gpu: NotRequired[int]
    num_decode_gpu: NotRequired[int]
    prefill_tp: NotRequired[int]
    decode_tp: NotRequired[int]
    kv_transfer: NotRequired[SimulateKvTransfer]


class SimulateFields(Answer[SimulateDocument]):
    """The keys of a SimulateDocument, as attributes. Those of NotRequired are not always there."""

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
    model: str
    gpu: str
    gpus: int
    engine: str
    expert_routing: str
    host_profile: str
    workload: str
    measured_at: str
    frontend_latency_ms: float
    frontend_per_token_us: float
    kv_transfer_handshake_ms: float
    num_prompts: int
    request_rate: float | str
    max_concurrency: int | None
    tier: str
    tier_shares: SimulateTierShares
    extrapolated: bool
    outside_share: float
    partial: bool
    preemptions: int
    kv_blocks: int
    cached_tokens: int
    prefix_hit_rate: float
    interval: SimulateInterval | None
    pools: list[SimulatePoolsItem]
    energy_j: float
    energy_per_output_token_j: float | None
    restarts: int
    disagg: bool
    step_totals: SimulateStepTotals
    kernel_time: list[SimulateKernelTimeItem]
    kernel_sources: dict[str, SimulateKernelSourcesEntry]
    family_time_s: dict[str, float]
    mean_layer_time_s: float
    timeline: list[SimulateTimelineItem]
    input_lens: list[int]
    output_lens: list[int]
    ttfts: list[float]
    latencies: list[float]
    start_times: list[float]
    slo_attainment: float
    request_goodput: float
    views: SimulateViews
    unserved: SimulateUnserved
    spec_decode_num_drafts: int
    spec_decode_draft_tokens: int
    spec_decode_accepted_tokens: int
    spec_decode_acceptance_rate: float
    spec_decode_acceptance_length: float
    spec_decode_per_position_acceptance_rates: list[float]
    groups: dict[str, dict[str, SimulateGroupsEntryEntry]]
    num_prefill_gpu: int
    num_decode_gpu: int
    prefill_tp: int
    decode_tp: int
    kv_transfer: SimulateKvTransfer
