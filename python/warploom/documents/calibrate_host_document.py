"""What `calibrate_host` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import Any, TypedDict

from warploom.results import Answer


class CalibrateHostFactorsItem(TypedDict):
    constants: str
    factor: float
    steps: int
    determined: bool


class CalibrateHostProfileEnginesItem(TypedDict):
    engine: str
    schedule_us: float
    schedule_per_sequence_us: float
    prepare_us: float
    prepare_per_sequence_us: float
    launch_graph_us: float
    piece_us: float
    latent_piece_us: float
    layer_us: float
    experts_us: float
    fused_experts_us: float
    latent_us: float
    linear_us: float
    collective_us: float
    finish_us: float
    finish_per_sequence_us: float
    gap_us: float
    gap_per_sequence_us: float
    ranks_gap_per_sequence_us: float
    layer_pause_us: float
    experts_pause_us: float
    frontend_source: str
    decode_share: float


class CalibrateHostProfile(TypedDict):
    schema: str
    version: int
    name: str
    title: str
    source: str
    engines: list[CalibrateHostProfileEnginesItem]


class CalibrateHostBefore(TypedDict):
    median: float
    p90: float
    bias: float


class CalibrateHostDocument(TypedDict):
    gpu: str
    engine: str
    base: str
    factors: list[CalibrateHostFactorsItem]
    profile: CalibrateHostProfile
    model: str
    steps: int
    before: CalibrateHostBefore
    unseen: Any
    after: CalibrateHostBefore


class CalibrateHostFields(Answer[CalibrateHostDocument]):
    """The keys of a CalibrateHostDocument, as attributes. Those of NotRequired are not always there."""

    gpu: str
    engine: str
    base: str
    factors: list[CalibrateHostFactorsItem]
    profile: CalibrateHostProfile
    model: str
    steps: int
    before: CalibrateHostBefore
    unseen: Any
    after: CalibrateHostBefore
