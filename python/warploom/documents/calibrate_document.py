"""What `calibrate` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import Any, TypedDict

from warploom.documents.shared_shapes import ImportedFile, PredictionErrors
from warploom.results import Answer

CalibrateBefore = PredictionErrors
CalibrateImportFilesItem = ImportedFile


class CalibrateFamiliesEntry(TypedDict):
    rows_learned: int
    before: CalibrateBefore
    after: CalibrateBefore


class CalibrateImportSkippedItem(TypedDict):
    reason: str
    rows: int
    examples: list[str]


class CalibrateImport(TypedDict):
    rows_read: int
    rows_kept: int
    repeats: int
    files: list[CalibrateImportFilesItem]
    skipped: list[CalibrateImportSkippedItem]


CalibrateDocument = TypedDict(
    "CalibrateDocument",
    {
        "gpu": "str",
        "before": "CalibrateBefore",
        "after": "CalibrateBefore",
        "families": "dict[str, CalibrateFamiliesEntry]",
        "too_few": "list[str]",
        "constants": "dict[str, Any]",
        "import": "CalibrateImport",
        "bytes": "int",
    },
)


class CalibrateFields(Answer[CalibrateDocument]):
    """The keys of a CalibrateDocument, as attributes. Those of NotRequired are not always there."""

    gpu: str
    before: CalibrateBefore
    after: CalibrateBefore
    families: dict[str, CalibrateFamiliesEntry]
    too_few: list[str]
    constants: dict[str, Any]
    bytes: int
