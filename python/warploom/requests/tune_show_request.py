"""Predicted times and choices of a table as m grows.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from typing import Any

from warploom.answers import StaircaseAnswer
from warploom.session import PathText, Progress, ask, listed


def tune_show(
    *,
    table: PathText,
    n: int,
    k: int,
    m: int | None = None,
    samples: Any = None,
    progress: Progress = False,
) -> StaircaseAnswer:
    """Predicted times and choices of a table as m grows.

    table: a table that `tune fit` wrote
    n: columns (keys)
    k: depth (batch x heads)
    m: the largest m; default 4096
    samples: measured times, of which those at this n and k are shown; also a frame, a table of pyarrow
        or a Parquet file
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "table": table, "n": n, "k": k, "m": m, "samples": listed(samples)}
    return StaircaseAnswer(ask("tune_show", fields, progress))
