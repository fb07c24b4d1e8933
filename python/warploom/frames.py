"""Frames of pandas, polars and pyarrow, and Parquet files: into requests, and out of answers."""

from __future__ import annotations

import csv
import importlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from warploom.sweep_frames import NUMBERS, check_columns, check_numbers, is_absent, with_operators

# Fields that may be frames or Parquet files.
DATA_FIELDS = (
    "data", "paths", "trace", "samples", "truth", "requests", "steps", "oracle", "seen", "tuned",
    "baseline_data",
)  # fmt: skip
SWEEP_FIELDS = ("data", "paths", "baseline_data")  # whose files have the request's layout


def is_frame(value: Any) -> bool:
    """Whether it is a frame of pandas or polars (lazy ones too), or a table or record batch of pyarrow."""
    root = type(value).__module__.partition(".")[0]
    return root in ("pandas", "polars", "pyarrow") and any(
        hasattr(value, name) for name in ("to_csv", "write_csv", "sink_csv", "to_pylist")
    )


def is_parquet(value: Any) -> bool:
    """Whether it is the path of a Parquet file that is there."""
    return (
        isinstance(value, (str, os.PathLike)) and str(value).endswith(".parquet") and os.path.isfile(value)
    )


def _columns(frame: Any) -> dict[str, Any]:
    """Its columns by name, each of the frame's own kind."""
    names = getattr(frame, "column_names", None) or list(frame.columns)
    return {name: frame[name] for name in names}


def _values(column: Any) -> list[Any]:
    as_list = getattr(column, "to_pylist", None) or getattr(column, "to_list", None) or column.tolist
    return list(as_list())


def as_sweep(frame: Any) -> Any:
    """The frame with the columns of a sweep, fields of operators put into one. Raises ValueError on
    columns that are missing or none of a sweep's, and on a cell of another kind."""
    if hasattr(frame, "collect") and not hasattr(frame, "write_csv"):  # a lazy frame of polars
        frame = frame.collect()
    columns = {str(name): column for name, column in _columns(frame).items()}
    check_columns(list(columns))
    check_numbers({name: _values(columns[name]) for name in NUMBERS if name in columns})
    if "operator" in columns:
        return frame
    return PlainColumns(with_operators({name: _values(column) for name, column in columns.items()}))


class PlainColumns:
    """Columns of Python's own values, written as a CSV without any library of frames."""

    def __init__(self, columns: Mapping[str, list[Any]]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def to_csv(self, path: Path, index: bool = False) -> None:
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            rows = zip(*self.columns.values())
            writer.writerows(["" if is_absent(value) else value for value in row] for row in rows)


def _as_json(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (Mapping, list)) else value


def _flat(frame: Any) -> Any:
    """The frame with objects as JSON text, since a CSV holds no objects."""
    root = type(frame).__module__.partition(".")[0]
    if root == "polars":
        polars = importlib.import_module("polars")
        nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
        texts = [polars.Series(name, [_as_json(v) for v in frame[name].to_list()]) for name in nested]
        return frame.with_columns(texts) if nested else frame
    if root == "pyarrow":
        pyarrow = importlib.import_module("pyarrow")
        columns = {}
        for name, column in _columns(frame).items():
            nested = pyarrow.types.is_nested(column.type)
            columns[name] = pyarrow.array([_as_json(v) for v in column.to_pylist()]) if nested else column
        return pyarrow.table(columns)
    nested = [
        name
        for name, column in _columns(frame).items()
        if any(isinstance(v, (Mapping, list)) for v in column[:1])
    ]
    return frame.assign(**{name: frame[name].map(_as_json) for name in nested}) if nested else frame


def write_csv(frame: Any, path: Path) -> None:
    """Raises ValueError on a frame without a row."""
    if hasattr(frame, "collect") and not hasattr(frame, "write_csv"):  # a lazy frame of polars
        frame = frame.collect()
    if len(frame) == 0 if hasattr(frame, "__len__") else frame.num_rows == 0:
        raise ValueError("a frame without a row, expected measurements")
    flat = frame if isinstance(frame, PlainColumns) else _flat(frame)
    if hasattr(flat, "write_csv"):
        flat.write_csv(path)
    elif hasattr(flat, "to_csv"):
        flat.to_csv(path, index=False)
    else:
        importlib.import_module("pyarrow.csv").write_csv(flat, str(path))


def read_parquet(parquet: Any) -> Any:
    """A table by pyarrow, else a frame by polars. Raises ValueError on a file that is no Parquet."""
    try:
        read = importlib.import_module("pyarrow.parquet").read_table
    except ImportError:
        read = importlib.import_module("polars").read_parquet
    try:
        return read(parquet)
    except OSError:
        raise
    except Exception as error:  # both have kinds of their own
        raise ValueError(f"{os.fspath(parquet)}: is no Parquet file: {error}") from error


def to_arrow(columns: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Any:
    """A pyarrow table of columns, or of rows, which may lack some."""
    pyarrow = importlib.import_module("pyarrow")
    if isinstance(columns, Mapping):
        return pyarrow.table(dict(columns))
    names: dict[str, None] = {}
    for row in columns:
        names.update(dict.fromkeys(row))
    return pyarrow.table({name: [row.get(name) for row in columns] for name in names})


def to_parquet(table: Any, path: str | os.PathLike[str]) -> None:
    importlib.import_module("pyarrow.parquet").write_table(table, os.fspath(path))
