"""What `tune_regret` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import Any, TypedDict

from warploom.results import Answer


class TuneRegretSeenWithThem(TypedDict):
    shapes: int
    geo_mean_share: float
    mean_share: float
    worst_share: float
    p10_share: float
    pick_error_median: float
    geo_mean_speedup: float
    best_speedup: float
    worst_speedup: float


class TuneRegretSeen(TypedDict):
    shapes: int
    with_them: TuneRegretSeenWithThem


class TuneRegretBaselinesEntry(TypedDict):
    how: str
    shapes: int
    geo_mean_share: float
    mean_share: float
    worst_share: float
    p10_share: float
    pick_error_median: float
    geo_mean_speedup: float
    best_speedup: float
    worst_speedup: float
    anchors: Any
    fit_seconds: Any
    fit_peak_bytes: Any
    decision_ns: Any


class TuneRegretRowsItem(TypedDict):
    m: int
    n: int
    k: int
    picked: str
    best: str
    share: float
    picked_us: float
    best_us: float
    predicted_us: float
    default_us: float
    library_us: Any


class TuneRegretDocument(TypedDict):
    method: str
    shapes: int
    geo_mean_share: float
    mean_share: float
    worst_share: float
    p10_share: float
    pick_error_median: float
    geo_mean_speedup: float
    best_speedup: float
    worst_speedup: float
    anchors: Any
    fit_seconds: Any
    fit_peak_bytes: Any
    decision_ns: Any
    seen: TuneRegretSeen
    baselines: dict[str, TuneRegretBaselinesEntry]
    rows: list[TuneRegretRowsItem]


class TuneRegretFields(Answer[TuneRegretDocument]):
    """The keys of a TuneRegretDocument, as attributes. Those of NotRequired are not always there."""

    method: str
    shapes: int
    geo_mean_share: float
    mean_share: float
    worst_share: float
    p10_share: float
    pick_error_median: float
    geo_mean_speedup: float
    best_speedup: float
    worst_speedup: float
    anchors: Any
    fit_seconds: Any
    fit_peak_bytes: Any
    decision_ns: Any
    seen: TuneRegretSeen
    baselines: dict[str, TuneRegretBaselinesEntry]
