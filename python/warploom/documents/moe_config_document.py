"""What `moe_config` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.documents.shared_shapes import Interval
from warploom.results import Answer

MoeConfigRowsEntrySpeedup = Interval


class MoeConfigLayer(TypedDict):
    experts: int
    top_k: int
    hidden: int
    intermediate: int
    dtype: str
    block_n: int
    block_k: int
    tensor_parallel: int
    expert_parallel: int


class MoeConfigRowsEntryConfig(TypedDict):
    BLOCK_SIZE_M: int
    BLOCK_SIZE_N: int
    BLOCK_SIZE_K: int
    GROUP_SIZE_M: int
    num_warps: int
    num_stages: int


class MoeConfigRowsEntry(TypedDict):
    config: MoeConfigRowsEntryConfig
    engine_default: MoeConfigRowsEntryConfig
    speedup: MoeConfigRowsEntrySpeedup


class MoeConfigDocument(TypedDict):
    schema: str
    version: int
    created_by: str
    engine: str
    gpu: str
    tier: str
    measured_on: list[str]
    layer: MoeConfigLayer
    rows: dict[str, MoeConfigRowsEntry]


class MoeConfigFields(Answer[MoeConfigDocument]):
    """The keys of a MoeConfigDocument, as attributes. Those of NotRequired are not always there."""

    schema: str
    version: int
    created_by: str
    engine: str
    gpu: str
    tier: str
    measured_on: list[str]
    layer: MoeConfigLayer
