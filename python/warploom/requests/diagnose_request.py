"""Which kernels are worth tuning, and why.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from warploom.answers import DiagnosisAnswer
from warploom.session import PathText, Progress, ask, listed

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from warploom.requests.setup_fields import SetupFields


def diagnose(
    *,
    gpu: PathText,
    source: Mapping[str, Any] | None = None,
    workload: Mapping[str, Any] | None = None,
    quantile: float | None = None,
    ceilings: PathText | None = None,
    views: Sequence[PathText] | None = None,
    store: PathText | None = None,
    layout: PathText | None = None,
    data: Any = None,
    families: Sequence[PathText] | None = None,
    gpus: Sequence[PathText] | None = None,
    keep_impossible: bool | None = None,
    setup: Mapping[str, Any] | None = None,
    batch: int | None = None,
    input_tokens: int | None = None,
    output_tokens: int | None = None,
    model: Any = None,
    progress: Progress = False,
    **setup_fields: Unpack[SetupFields],
) -> DiagnosisAnswer:
    """Which kernels are worth tuning, and why.

    gpu: a name (see `warploom gpus`) or the path of a record
    source: measured rows
    workload: a predicted static batch, in place of measured rows
    quantile: of the ceiling, 0.5 to 0.99; default 0.8
    ceilings: a folder that `train-ceilings` wrote
    views: also as a page: rooflines, one of each pipeline
    store: a store that `import` wrote; or
    layout: layout of the files of `data`
    data: files or folders; also a frame, a table of pyarrow or a Parquet file
    families: only these families
    gpus: only these GPUs
    keep_impossible: keep rows that the rules of data/benchmarks take out: impossible, withdrawn,
        glitched; default false
    setup: model, GPU and engine
    batch: requests that start together
    input_tokens: prompt tokens of each
    output_tokens: tokens that each produces
    model: a name (see `warploom models`) or the path of a config.json
    progress: True for a bar by tqdm, or a function of (done, total)
    setup_fields: those of SetupFields, by name: the engine, its flags and its host

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "gpu": gpu, "source": source, "workload": workload, "quantile": quantile, "ceilings":
        ceilings, "views": listed(views), "store": store, "layout": layout, "data": listed(data),
        "families": listed(families), "gpus": listed(gpus), "keep_impossible": keep_impossible,
        "setup": setup, "batch": batch, "input_tokens": input_tokens, "output_tokens":
        output_tokens, "model": model, **setup_fields}
    return DiagnosisAnswer(ask("diagnose", fields, progress))
