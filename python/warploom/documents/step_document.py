"""What `step` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.documents.shared_shapes import Interval, TierShares
from warploom.results import Answer

StepGpuMs = Interval
StepTierShares = TierShares


class StepKernelsItem(TypedDict):
    label: str
    family: str
    calls: float
    time_us: float
    p10_us: float
    p90_us: float
    share: float
    bound: str
    tier: str
    extrapolated: bool
    framework: str
    version: str
    kernel: str
    stands_in: bool
    stands_in_for: str
    in_step: bool


class StepDocument(TypedDict):
    model: str
    gpu: str
    engine: str
    expert_routing: str
    host_profile: str
    gpus: int
    kv_cache_tokens: int
    batch: str
    tokens: int
    step_ms: float
    gpu_ms: StepGpuMs
    host_ms: float
    host_least_ms: float
    host_most_ms: float
    hidden_ms: float
    kernels: list[StepKernelsItem]
    tier: str
    tier_shares: StepTierShares
    extrapolated: bool
    outside_share: float


class StepFields(Answer[StepDocument]):
    """The keys of a StepDocument, as attributes. Those of NotRequired are not always there."""

    model: str
    gpu: str
    engine: str
    expert_routing: str
    host_profile: str
    gpus: int
    kv_cache_tokens: int
    batch: str
    tokens: int
    step_ms: float
    gpu_ms: StepGpuMs
    host_ms: float
    host_least_ms: float
    host_most_ms: float
    hidden_ms: float
    kernels: list[StepKernelsItem]
    tier: str
    tier_shares: StepTierShares
    extrapolated: bool
    outside_share: float
