"""What `static` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.documents.shared_shapes import KernelShare, KernelSource, TierShares
from warploom.results import Answer

StaticKernelSourcesEntryTierShares = TierShares
StaticKernelSourcesEntryKernelsItem = KernelShare
StaticKernelSourcesEntry = KernelSource


class StaticKernelsItem(TypedDict):
    label: str
    family: str
    calls: float
    time_ms: float
    share: float
    tier: str
    stands_in: bool


class StaticDocument(TypedDict):
    model: str
    gpu: str
    engine: str
    expert_routing: str
    host_profile: str
    gpus: int
    kv_cache_tokens: int
    batch: int
    input_tokens: int
    output_tokens: int
    prefill_ms: float
    engine_ttft_ms: float
    ttft_ms: float
    decode_mean_ms: float
    decode_median_ms: float
    total_ms: float
    total_p10_ms: float
    total_p90_ms: float
    host_ms: float
    collectives_ms: float
    output_throughput: float
    kernels: list[StaticKernelsItem]
    kernel_sources: dict[str, StaticKernelSourcesEntry]
    tier: str
    tier_shares: StaticKernelSourcesEntryTierShares
    extrapolated: bool
    outside_share: float


class StaticFields(Answer[StaticDocument]):
    """The keys of a StaticDocument, as attributes. Those of NotRequired are not always there."""

    model: str
    gpu: str
    engine: str
    expert_routing: str
    host_profile: str
    gpus: int
    kv_cache_tokens: int
    batch: int
    input_tokens: int
    output_tokens: int
    prefill_ms: float
    engine_ttft_ms: float
    ttft_ms: float
    decode_mean_ms: float
    decode_median_ms: float
    total_ms: float
    total_p10_ms: float
    total_p90_ms: float
    host_ms: float
    collectives_ms: float
    output_throughput: float
    kernels: list[StaticKernelsItem]
    kernel_sources: dict[str, StaticKernelSourcesEntry]
    tier: str
    tier_shares: StaticKernelSourcesEntryTierShares
    extrapolated: bool
    outside_share: float
