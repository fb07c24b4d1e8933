"""What `import` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import Any, TypedDict

from warploom.documents.shared_shapes import ImportedFile
from warploom.results import Answer

ImportFilesItem = ImportedFile


class ImportStore(TypedDict):
    added: int
    replaced: int
    rows: int


class ImportDocument(TypedDict):
    rows_read: int
    rows_kept: int
    repeats: int
    files: list[ImportFilesItem]
    skipped: list[Any]
    store: ImportStore


class ImportFields(Answer[ImportDocument]):
    """The keys of a ImportDocument, as attributes. Those of NotRequired are not always there."""

    rows_read: int
    rows_kept: int
    repeats: int
    files: list[ImportFilesItem]
    skipped: list[Any]
    store: ImportStore
