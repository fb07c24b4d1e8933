"""What `convert_clients` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.results import Answer


class ConvertClientsDocument(TypedDict):
    clients: int
    duration_s: float
    output: str


class ConvertClientsFields(Answer[ConvertClientsDocument]):
    """The keys of a ConvertClientsDocument, as attributes. Those of NotRequired are not always there."""

    clients: int
    duration_s: float
    output: str
