"""Performance ceilings on shapes not learned from.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warploom.answers import CeilingValidation
from warploom.session import PathText, Progress, ask, listed


def validate_ceilings(
    *,
    source: Mapping[str, Any] | None = None,
    ceilings: PathText | None = None,
    require_tier: PathText | None = None,
    quantile: float | None = None,
    cross_fit: int | None = None,
    tuned: Any = None,
    published: PathText | None = None,
    store: PathText | None = None,
    layout: PathText | None = None,
    data: Any = None,
    families: Sequence[PathText] | None = None,
    gpus: Sequence[PathText] | None = None,
    keep_impossible: bool | None = None,
    progress: Progress = False,
) -> CeilingValidation:
    """Performance ceilings on shapes not learned from.

    source: measured rows
    ceilings: a folder that `train-ceilings` wrote
    require_tier: measured: leave out GPUs from which the ceiling learned nothing
    quantile: of the ceiling; default 0.8
    cross_fit: learn anew from the data's other folds of shapes, so many folds; judges every row; default
        0
    tuned: tables of tuned times, to compare with what is flagged; also a frame, a table of pyarrow or a
        Parquet file
    published: a file that `train` with `method` pipeweave and this quantile wrote, counted beside
    store: a store that `import` wrote; or
    layout: layout of the files of `data`
    data: files or folders; also a frame, a table of pyarrow or a Parquet file
    families: only these families
    gpus: only these GPUs
    keep_impossible: keep rows that the rules of data/benchmarks take out: impossible, withdrawn,
        glitched; default false
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "source": source, "ceilings": ceilings, "require_tier": require_tier, "quantile": quantile,
        "cross_fit": cross_fit, "tuned": listed(tuned), "published": published, "store": store,
        "layout": layout, "data": listed(data), "families": listed(families), "gpus": listed(gpus),
        "keep_impossible": keep_impossible}
    return CeilingValidation(ask("validate_ceilings", fields, progress))
