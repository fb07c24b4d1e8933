"""What `models` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.results import Answer


class ModelsModelsItemBlocksItem(TypedDict):
    block: str
    operator: str
    measured_on: list[str]


class ModelsModelsItem(TypedDict):
    name: str
    aliases: list[str]
    architecture: str
    layers: int
    parameters: float
    active_parameters: float
    weight_bytes: float
    kv_bytes_per_token: float
    source: str
    blocks: list[ModelsModelsItemBlocksItem]


class ModelsDocument(TypedDict):
    models: list[ModelsModelsItem]


class ModelsFields(Answer[ModelsDocument]):
    """The keys of a ModelsDocument, as attributes. Those of NotRequired are not always there."""

    models: list[ModelsModelsItem]
