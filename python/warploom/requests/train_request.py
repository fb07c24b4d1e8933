"""Learns a predictor from measured data.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warploom.answers import TrainingAnswer
from warploom.session import PathText, Progress, ask, listed


def train(
    *,
    output: PathText,
    source: Mapping[str, Any] | None = None,
    exclude_gpus: Sequence[PathText] | None = None,
    few_shot: Sequence[PathText] | None = None,
    few_shot_per: PathText | None = None,
    tables: bool | None = None,
    method: PathText | None = None,
    rows_per_gpu: int | None = None,
    quantile: float | None = None,
    seed: int | None = None,
    threads: int | None = None,
    store: PathText | None = None,
    layout: PathText | None = None,
    data: Any = None,
    families: Sequence[PathText] | None = None,
    gpus: Sequence[PathText] | None = None,
    keep_impossible: bool | None = None,
    progress: Progress = False,
) -> TrainingAnswer:
    """Learns a predictor from measured data.

    output: folder of the predictor, or file of the method
    source: measured rows
    exclude_gpus: GPUs whose rows are not learned
    few_shot: GPU:N, learn N shapes of that GPU
    few_shot_per: what `few_shot` counts: family, or kind (each combination of data types by itself);
        default "family"
    tables: also keep the measured rows beside the predictor, to interpolate between them; default false
    method: pipeweave or kernelsight: trains that published method instead
    rows_per_gpu: with `method`: of each kernel, an even draw; 0: all; default 0
    quantile: with `method` pipeweave: a ceiling of efficiency at this quantile; 0: none; default 0.0
    seed: of every random choice; default 1
    threads: 0: as many as cores; no effect on results; default 0
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
        "output": output, "source": source, "exclude_gpus": listed(exclude_gpus), "few_shot":
        listed(few_shot), "few_shot_per": few_shot_per, "tables": tables, "method": method,
        "rows_per_gpu": rows_per_gpu, "quantile": quantile, "seed": seed, "threads": threads,
        "store": store, "layout": layout, "data": listed(data), "families": listed(families),
        "gpus": listed(gpus), "keep_impossible": keep_impossible}
    return TrainingAnswer(ask("train", fields, progress))
