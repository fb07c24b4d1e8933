"""What `sweep_plan` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.results import Answer


class SweepPlanOperators(TypedDict):
    activation: int
    attention_decode: int
    attention_prefill: int
    gemm: int
    rmsnorm: int


class SweepPlanDocument(TypedDict):
    candidates: int
    operators: SweepPlanOperators


class SweepPlanFields(Answer[SweepPlanDocument]):
    """The keys of a SweepPlanDocument, as attributes. Those of NotRequired are not always there."""

    candidates: int
    operators: SweepPlanOperators
