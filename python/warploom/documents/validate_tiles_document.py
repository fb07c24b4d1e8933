"""What `validate_tiles` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.results import Answer


class ValidateTilesLibraryRegret(TypedDict):
    mean: float
    median: float


class ValidateTilesCellsItemSourcesEntryRegret(TypedDict):
    products: int
    mean: float | None
    median: float | None
    p90: float | None
    library_mean: float | None


class ValidateTilesCellsItemSourcesEntry(TypedDict):
    tile: float
    tile_and_split: float
    waves: float
    regret: ValidateTilesCellsItemSourcesEntryRegret


class ValidateTilesCellsItem(TypedDict):
    learned: str
    scheme: str
    layout: str
    sms: int
    products: int
    timed_products: int
    sources: dict[str, ValidateTilesCellsItemSourcesEntry]


class ValidateTilesDocument(TypedDict):
    gpu: str
    library: str
    learned: int
    judged: int
    library_regret: ValidateTilesLibraryRegret
    cells: list[ValidateTilesCellsItem]


class ValidateTilesFields(Answer[ValidateTilesDocument]):
    """The keys of a ValidateTilesDocument, as attributes. Those of NotRequired are not always there."""

    gpu: str
    library: str
    learned: int
    judged: int
    library_regret: ValidateTilesLibraryRegret
    cells: list[ValidateTilesCellsItem]
