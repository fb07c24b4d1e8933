"""Predictions of operators: one, or as many as an array has rows."""

from __future__ import annotations

from typing import Any, Union, overload

from warploom import _core
from warploom.answer_notes import Notes
from warploom.answers import Prediction
from warploom.results import Predictions
from warploom.session import PathText, ask, json_text, open_session, path_text


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
    if numpy.issubdtype(column.dtype, numpy.floating):
        wrong = ~(numpy.isfinite(column) & (column == numpy.floor(column)) & (abs(column) < 2**63))
    elif numpy.issubdtype(column.dtype, numpy.integer):
        wrong = column > numpy.iinfo(numpy.int64).max
    elif len(column) == 0:  # an empty list is of floats, an empty column of a frame of anything
        wrong = numpy.zeros(0, dtype=bool)
    else:
        raise ValueError(f"predict: {name} is of {column.dtype}, expected whole numbers")
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"predict: row {row}: {name} is {column[row]}, expected whole numbers below 2**63")
    return numpy.ascontiguousarray(column, dtype=numpy.int64)


Scalar = Union[bool, int, float, str, None]  # a bool is a switch, never a size


@overload
def predict(
    family: str, *, gpu: PathText, predictor: PathText = "", threads: int = 1, **fields: Scalar
) -> Prediction: ...


@overload
def predict(
    family: str, *, gpu: PathText, predictor: PathText = "", threads: int = 1, **fields: Any
) -> Predictions: ...


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
    if not isinstance(threads, int) or threads < 0:
        raise ValueError(f"predict: threads is {threads!r}, expected 0 (all) or more")
    given = {name: value for name, value in fields.items() if value is not None}
    asked = {"family": family, "gpu": path_text(gpu), **given}
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
    question = _core.Question(open_session(str(predictor)), json_text("predict", common))
    count = rows.pop()
    with Notes() as notes:
        answered = question.estimate_columns(columns, count, threads)
        for line in question.notes_of_columns(columns, count):
            notes.take(line)
    return Predictions(columns, answered, _core.bounds, _core.tiers)


class Question:
    """One operator on one GPU that is asked again and again: `Question("gemm", gpu="H200", m=1, n=64, k=64)`.

    For one thread at a time.
    """

    def __init__(self, family: str, *, gpu: PathText, predictor: PathText = "", **fields: Any) -> None:
        asked = {"family": family, "gpu": path_text(gpu), **fields}
        if str(predictor):
            asked["predictor"] = str(predictor)
        with Notes() as notes:
            text = json_text("predict", asked)
            self._question = _core.Question(open_session(str(predictor)), text, notes.take)

    def us(self, **sizes: int) -> float:
        """The median in microseconds, after changing these sizes."""
        for name, value in sizes.items():
            try:
                self._question.set(name, value)
            except TypeError:
                raise TypeError(
                    f"predict: {name} is {value!r}, expected a whole number below 2**63"
                ) from None
        return self._question.estimate()[1]

    def interval_us(self) -> tuple[float, float, float]:
        """p10, p50 and p90 in microseconds."""
        return self._question.estimate()[:3]
