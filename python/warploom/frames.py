"""Frames of pandas, polars and pyarrow, and Parquet files: into requests, and out of answers."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DATA_FIELDS = ("data", "paths", "trace", "samples")  # that may be frames or Parquet files


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
    flat = _flat(frame)
    if hasattr(flat, "write_csv"):
        flat.write_csv(path)
    elif hasattr(flat, "to_csv"):
        flat.to_csv(path, index=False)
    else:
        importlib.import_module("pyarrow.csv").write_csv(flat, str(path))


def parquet_to_csv(parquet: Any, path: Path) -> None:
    """Reads a Parquet file by pyarrow, else by polars."""
    try:
        table = importlib.import_module("pyarrow.parquet").read_table(parquet)
    except ImportError:
        table = importlib.import_module("polars").read_parquet(parquet)
    write_csv(table, path)


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
