"""What `predict` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from warploom.documents.shared_shapes import RequestGroup
from warploom.results import Answer

if TYPE_CHECKING:
    from typing_extensions import NotRequired

PredictOperatorRequestsItem = RequestGroup


class PredictOperatorShape(TypedDict):
    heads: int
    kv_lora_rank: int
    rope_head_dim: int
    nope_head_dim: int
    value_head_dim: int


PredictOperator = TypedDict(
    "PredictOperator",
    {
        "family": "str",
        "scheme": "NotRequired[str]",
        "m": "NotRequired[int]",
        "n": "NotRequired[int]",
        "k": "NotRequired[int]",
        "batch": "NotRequired[int]",
        "residency": "NotRequired[str]",
        "weight_copies": "NotRequired[float]",
        "compute": "NotRequired[str]",
        "kv_cache": "NotRequired[str]",
        "heads": "NotRequired[int]",
        "kv_heads": "NotRequired[int]",
        "head_dim": "NotRequired[int]",
        "window": "NotRequired[int]",
        "causal": "NotRequired[bool]",
        "requests": "NotRequired[list[PredictOperatorRequestsItem]]",
        "shape": "NotRequired[PredictOperatorShape]",
        "tokens": "NotRequired[int]",
        "hidden": "NotRequired[int]",
        "intermediate": "NotRequired[int]",
        "experts": "NotRequired[int]",
        "top_k": "NotRequired[int]",
        "tensor_parallel": "NotRequired[int]",
        "expert_parallel": "NotRequired[int]",
        "routing": "NotRequired[str]",
        "routing_alpha": "NotRequired[float]",
        "gated": "NotRequired[bool]",
        "pass": "NotRequired[str]",
        "type": "NotRequired[str]",
        "width": "NotRequired[int]",
        "residual": "NotRequired[bool]",
        "layer_norm": "NotRequired[bool]",
        "size_bytes": "NotRequired[float]",
        "ranks": "NotRequired[int]",
        "ranks_per_node": "NotRequired[int]",
        "token_bytes": "NotRequired[float]",
        "target": "NotRequired[str]",
        "rows": "NotRequired[int]",
        "dynamic": "NotRequired[bool]",
    },
)


class PredictStructure(TypedDict):
    time_us: float
    launch_us: float
    passes_us: float
    compute_us: float
    memory_us: float
    network_us: float
    resident_share: float
    splits: float
    tile_m: NotRequired[float]
    tile_n: NotRequired[float]
    tasks: NotRequired[float]
    waves: NotRequired[float]


class PredictPipelinesItem(TypedDict):
    pipeline: str
    demand: float
    time_us: float
    share: float


class PredictDocument(TypedDict):
    p10_us: float
    p50_us: float
    p90_us: float
    physical_bound_us: float
    bound: str
    tier: str
    extrapolated: bool
    stands_in: bool
    in_step: bool
    operator: PredictOperator
    gpu: str
    framework: str
    framework_version: str
    kernel: str
    stands_in_for: str
    widened_weights: bool
    roofline_us: float
    structure: PredictStructure
    pipelines: list[PredictPipelinesItem]


class PredictFields(Answer[PredictDocument]):
    """The keys of a PredictDocument, as attributes. Those of NotRequired are not always there."""

    p10_us: float
    p50_us: float
    p90_us: float
    physical_bound_us: float
    bound: str
    tier: str
    extrapolated: bool
    stands_in: bool
    in_step: bool
    operator: PredictOperator
    gpu: str
    framework: str
    framework_version: str
    kernel: str
    stands_in_for: str
    widened_weights: bool
    roofline_us: float
    structure: PredictStructure
    pipelines: list[PredictPipelinesItem]
