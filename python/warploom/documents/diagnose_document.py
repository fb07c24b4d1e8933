"""What `diagnose` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from warploom.documents.shared_shapes import RequestGroup
from warploom.results import Answer

if TYPE_CHECKING:
    from typing_extensions import NotRequired

DiagnoseKernelsItemOperatorRequestsItem = RequestGroup


class DiagnoseGroupsItem(TypedDict):
    label: str
    family: str
    cause: str
    cause_share: float
    kernels: int
    flagged: int
    calls: float
    time_us: float
    saved_us: float
    efficiency: float
    ceiling_efficiency: float


DiagnoseKernelsItemOperator = TypedDict(
    "DiagnoseKernelsItemOperator",
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
        "requests": "NotRequired[list[DiagnoseKernelsItemOperatorRequestsItem]]",
        "causal": "NotRequired[bool]",
        "type": "NotRequired[str]",
        "tokens": "NotRequired[int]",
        "hidden": "NotRequired[int]",
        "vocabulary": "NotRequired[int]",
        "intermediate": "NotRequired[int]",
        "experts": "NotRequired[int]",
        "top_k": "NotRequired[int]",
        "tensor_parallel": "NotRequired[int]",
        "expert_parallel": "NotRequired[int]",
        "routing": "NotRequired[str]",
        "routing_alpha": "NotRequired[float]",
        "gated": "NotRequired[bool]",
        "pass": "NotRequired[str]",
        "width": "NotRequired[int]",
        "residual": "NotRequired[bool]",
        "layer_norm": "NotRequired[bool]",
        "target": "NotRequired[str]",
        "rows": "NotRequired[int]",
        "dynamic": "NotRequired[bool]",
    },
)


class DiagnoseKernelsItemCausesItem(TypedDict):
    cause: str
    share: float


class DiagnoseKernelsItem(TypedDict):
    label: str
    operator: DiagnoseKernelsItemOperator
    calls: float
    actual_us: float
    ceiling_us: float
    median_us: float
    physical_bound_us: float
    saved_us: float
    flagged: bool
    bound: str
    tier: str
    framework: str
    version: str
    kernel: str
    causes: list[DiagnoseKernelsItemCausesItem]
    stands_in: bool
    stands_in_for: str
    in_step: bool


class DiagnoseLeftOutItem(TypedDict):
    what: str
    rows: int
    time_us: NotRequired[float]


class DiagnoseChangesItem(TypedDict):
    figure: str
    now_ms: float
    saved_ms: float
    least_saved_ms: float
    most_saved_ms: float


class DiagnoseDocument(TypedDict):
    gpu: str
    source: str
    quantile: float
    time_us: float
    saved_us: float
    groups: list[DiagnoseGroupsItem]
    kernels: list[DiagnoseKernelsItem]
    left_out: list[DiagnoseLeftOutItem]
    borrowed: dict[str, list[str]]
    changes: list[DiagnoseChangesItem]


class DiagnoseFields(Answer[DiagnoseDocument]):
    """The keys of a DiagnoseDocument, as attributes. Those of NotRequired are not always there."""

    gpu: str
    source: str
    quantile: float
    time_us: float
    saved_us: float
    groups: list[DiagnoseGroupsItem]
    kernels: list[DiagnoseKernelsItem]
    left_out: list[DiagnoseLeftOutItem]
    borrowed: dict[str, list[str]]
    changes: list[DiagnoseChangesItem]
