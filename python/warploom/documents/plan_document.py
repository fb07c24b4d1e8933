"""What `plan` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from warploom.documents.shared_shapes import ServingMetrics
from warploom.results import Answer

if TYPE_CHECKING:
    from typing_extensions import NotRequired

PlanPointsItemMetrics = ServingMetrics


class PlanLimitsItem(TypedDict):
    name: str
    limit: float


class PlanSearchWithoutPointItem(TypedDict):
    reason: str
    configurations: int
    example: str


class PlanSearch(TypedDict):
    configurations: int
    candidates: int
    with_point: int
    without_point: list[PlanSearchWithoutPointItem]
    short_runs: int
    whole_runs: int
    partial: bool


class PlanPointsItemDeploymentPool(TypedDict):
    gpu: str
    instances: int
    tensor_parallel: int
    pipeline_parallel: int
    data_parallel: int
    expert_parallel: bool


class PlanPointsItemDeployment(TypedDict):
    words: str
    engine: str
    engine_version: str
    quantization: str
    max_num_seqs: Any
    max_num_batched_tokens: Any
    prefix_caching: bool
    speculation: str
    kv_offloading_gib: float
    pool: NotRequired[PlanPointsItemDeploymentPool]
    prefill: NotRequired[PlanPointsItemDeploymentPool]
    decode: NotRequired[PlanPointsItemDeploymentPool]


class PlanPointsItemLimitsItem(TypedDict):
    name: str
    figure: float
    limit: float
    use: float
    low: Any
    high: Any


class PlanPointsItemRun(TypedDict):
    steadiness: str
    finite: bool
    requests: int
    simulated: int
    window_s: float
    lives: float
    growth: float
    growth_low: float
    growth_high: float


class PlanPointsItem(TypedDict):
    deployment: PlanPointsItemDeployment
    gpus: int
    request_rate: float
    served_request_rate: float
    saturated_request_rate: float | None
    usd_per_hour: float
    usd_per_million_output_tokens: float
    usd_per_million_input_by_gpu_time: float
    usd_per_million_output_by_gpu_time: float
    output_tokens_per_s: float
    tokens_per_s_per_gpu: float
    tokens_per_s_per_user: float
    objective: float
    limits: list[PlanPointsItemLimitsItem]
    binding: PlanPointsItemLimitsItem
    relaxed_by: str
    confident: bool
    pessimistic: list[PlanPointsItemLimitsItem] | None
    queue_share: float
    preemptions: int
    energy_j: float
    run: PlanPointsItemRun
    metrics: PlanPointsItemMetrics


class PlanFronts(TypedDict):
    speed: list[int]
    cost: list[int]


class PlanWhatIfItemPointDeployment(TypedDict):
    words: str
    engine: str
    engine_version: str
    quantization: str
    max_num_seqs: Any
    max_num_batched_tokens: Any
    prefix_caching: bool
    speculation: str
    kv_offloading_gib: float
    pool: PlanPointsItemDeploymentPool


class PlanWhatIfItemPoint(TypedDict):
    deployment: PlanWhatIfItemPointDeployment
    gpus: int
    request_rate: float
    served_request_rate: float
    saturated_request_rate: float | None
    usd_per_hour: float
    usd_per_million_output_tokens: float
    usd_per_million_input_by_gpu_time: float
    usd_per_million_output_by_gpu_time: float
    output_tokens_per_s: float
    tokens_per_s_per_gpu: float
    tokens_per_s_per_user: float
    objective: float
    limits: list[PlanPointsItemLimitsItem]
    binding: PlanPointsItemLimitsItem
    relaxed_by: str
    confident: bool
    pessimistic: list[PlanPointsItemLimitsItem] | None
    queue_share: float
    preemptions: int
    energy_j: float
    run: PlanPointsItemRun
    metrics: PlanPointsItemMetrics


class PlanWhatIfItem(TypedDict):
    question: str
    meets: bool
    binding: PlanPointsItemLimitsItem
    point: PlanWhatIfItemPoint


class PlanPricesItem(TypedDict):
    gpu: str
    kind: str
    usd_per_gpu_hour: float
    provider: str
    source: str
    date: str


class PlanNearest(TypedDict):
    deployment: PlanWhatIfItemPointDeployment
    binding: PlanPointsItemLimitsItem


class PlanDocument(TypedDict):
    model: str
    workload: str
    host_profile: str
    measured_at: str
    objective: str
    requests: int
    request_rate: float | None
    concurrency: Any
    mean_input_tokens: float
    mean_output_tokens: float
    growth: float
    spare_instances: int
    limits: list[PlanLimitsItem]
    search: PlanSearch
    best: int | None
    best_confident: int | None
    measured_share: float
    points: list[PlanPointsItem]
    fronts: PlanFronts
    what_if: list[PlanWhatIfItem]
    prices: list[PlanPricesItem]
    nearest: PlanNearest | None
    contradiction: str
    store_failure: str
    goodput: NotRequired[dict[str, float]]
    goodput_share: NotRequired[float]


class PlanFields(Answer[PlanDocument]):
    """The keys of a PlanDocument, as attributes. Those of NotRequired are not always there."""

    model: str
    workload: str
    host_profile: str
    measured_at: str
    objective: str
    requests: int
    request_rate: float | None
    concurrency: Any
    mean_input_tokens: float
    mean_output_tokens: float
    growth: float
    spare_instances: int
    limits: list[PlanLimitsItem]
    search: PlanSearch
    best: int | None
    best_confident: int | None
    measured_share: float
    points: list[PlanPointsItem]
    fronts: PlanFronts
    what_if: list[PlanWhatIfItem]
    prices: list[PlanPricesItem]
    nearest: PlanNearest | None
    contradiction: str
    store_failure: str
    goodput: dict[str, float]
    goodput_share: float
