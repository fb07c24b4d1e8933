"""Performance ceilings from measured data.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warploom.answers import CeilingTraining
from warploom.session import PathText, Progress, ask, listed


def train_ceilings(
    *,
    output: PathText,
    source: Mapping[str, Any] | None = None,
    exclude_gpus: Sequence[PathText] | None = None,
    test_fraction: float | None = None,
    rows: int | None = None,
    seed: int | None = None,
    store: PathText | None = None,
    layout: PathText | None = None,
    data: Any = None,
    families: Sequence[PathText] | None = None,
    gpus: Sequence[PathText] | None = None,
    keep_impossible: bool | None = None,
    progress: Progress = False,
) -> CeilingTraining:
    """Performance ceilings from measured data.

    output: folder
    source: measured rows
    exclude_gpus: learn nothing from these GPUs
    test_fraction: of shapes kept out; default 0.1
    rows: of a family, at most; default 60000
    seed: of what is drawn; default 1
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
        "output": output, "source": source, "exclude_gpus": listed(exclude_gpus), "test_fraction":
        test_fraction, "rows": rows, "seed": seed, "store": store, "layout": layout, "data":
        listed(data), "families": listed(families), "gpus": listed(gpus), "keep_impossible":
        keep_impossible}
    return CeilingTraining(ask("train_ceilings", fields, progress))
