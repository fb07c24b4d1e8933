"""What `tune_plan` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.results import Answer


class TunePlanDocument(TypedDict):
    configs: int
    rows: int
    shapes: int


class TunePlanFields(Answer[TunePlanDocument]):
    """The keys of a TunePlanDocument, as attributes. Those of NotRequired are not always there."""

    configs: int
    shapes: int
