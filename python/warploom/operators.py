"""Predictions of operators: one, or as many as an array has rows."""

from __future__ import annotations

import json
from typing import Any

from warploom import _core
from warploom.answers import Prediction
from warploom.results import Predictions
from warploom.session import PathText, ask, open_session


def _is_column(value: Any) -> bool:
    return (
        hasattr(value, "__len__")
        and not isinstance(value, (str, bytes, dict))
        and (not isinstance(value, list) or not value or not isinstance(value[0], dict))
    )


def _int64_column(name: str, value: Any) -> Any:
    import numpy

    column = numpy.asarray(value)
    if column.ndim != 1:
        raise ValueError(f"predict: {name} has {column.ndim} dimensions, expected one")
    if not numpy.issubdtype(column.dtype, numpy.integer):
        if not numpy.issubdtype(column.dtype, numpy.floating) or not (column == numpy.floor(column)).all():
            raise ValueError(f"predict: {name} is of {column.dtype}, expected whole numbers")
    return numpy.ascontiguousarray(column, dtype=numpy.int64)


def predict(
    family: str, *, gpu: PathText, predictor: PathText = "", threads: int = 1, **fields: Any
) -> Any:
    """How long one operator takes on one GPU, or each of many.

    family: gemm, attention_prefill, attention_decode, moe, rmsnorm, allreduce, ...; its sizes are the other
    arguments (`warploom.schema("predict")` lists them), for attention of alike requests `batch`,
    `tokens` (new ones
    of each) and `context` (in the cache). `framework`, `framework_version` and `kernel` name an
    implementation.

    With whole numbers alone: a Prediction. Where sizes are arrays or lists, all of one length:
    Predictions, one for
    each row; `threads` (0: all) share the work. Raises ValueError on a size, name or row that is none,
    NotImplementedError where the GPU cannot run the operator.
    """
    asked = {"family": family, "gpu": str(gpu), **{k: v for k, v in fields.items() if v is not None}}
    if str(predictor):
        asked["predictor"] = str(predictor)
    columns = {name: _int64_column(name, value) for name, value in asked.items() if _is_column(value)}
    if not columns:
        return Prediction(ask("predict", asked))
    rows = {len(column) for column in columns.values()}
    if len(rows) > 1:
        lengths = ", ".join(f"{name} {len(column)}" for name, column in columns.items())
        raise ValueError(f"predict: columns of unequal length: {lengths}")
    common = {name: value for name, value in asked.items() if name not in columns}
    common.update({name: int(column[0]) if len(column) else 1 for name, column in columns.items()})
    question = _core.Question(open_session(str(predictor)), json.dumps(common))
    return Predictions(
        columns, question.estimate_columns(columns, rows.pop(), threads), _core.bounds, _core.tiers
    )


class Question:
    """One operator on one GPU that is asked again and again: `Question("gemm", gpu="H200", m=1, n=64, k=64)`.

    For one thread at a time.
    """

    def __init__(self, family: str, *, gpu: PathText, predictor: PathText = "", **fields: Any) -> None:
        asked = {"family": family, "gpu": str(gpu), **fields}
        if str(predictor):
            asked["predictor"] = str(predictor)
        self._question = _core.Question(open_session(str(predictor)), json.dumps(asked))

    def us(self, **sizes: int) -> float:
        """The median in microseconds, after changing these sizes."""
        for name, value in sizes.items():
            self._question.set(name, value)
        return self._question.estimate()[1]

    def interval_us(self) -> tuple[float, float, float]:
        """p10, p50 and p90 in microseconds."""
        return self._question.estimate()[:3]
