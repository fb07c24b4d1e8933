"""A table's picks against exhaustive measurements.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warploom.answers import RegretAnswer
from warploom.session import PathText, Progress, ask, listed


def tune_regret(
    *,
    table: PathText,
    oracle: Any,
    samples: Any = None,
    seen: Any = None,
    gpu: PathText | None = None,
    with_baselines: bool | None = None,
    baselines: Sequence[PathText] | None = None,
    times: bool | None = None,
    progress: Progress = False,
) -> RegretAnswer:
    """A table's picks against exhaustive measurements.

    table: a table that `tune fit` wrote, of either method
    oracle: CSV files of every configuration at every shape; also a frame, a table of pyarrow or a
        Parquet file
    samples: the table's samples, for more baselines and the time of a fit; also a frame, a table of
        pyarrow or a Parquet file
    seen: sets learned from or designed on: shapes of the oracle among them are not judged; also a frame,
        a table of pyarrow or a Parquet file
    gpu: the GPU that the oracle was measured on: a table of another is refused
    with_baselines: other ways to choose beside the table; default true
    baselines: only these: default, nearest_shape, xgboost, xgboost_samples, wavetune, wavetune_relative
    times: also measure how long fits and decisions take; default false
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "table": table, "oracle": listed(oracle), "samples": listed(samples), "seen": listed(seen),
        "gpu": gpu, "with_baselines": with_baselines, "baselines": listed(baselines), "times": times}
    return RegretAnswer(ask("tune_regret", fields, progress))
