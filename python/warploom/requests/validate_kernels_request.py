"""A predictor against measured kernels.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warploom.answers import KernelValidation
from warploom.session import PathText, Progress, ask, listed


def validate_kernels(
    *,
    source: Mapping[str, Any] | None = None,
    predictor: PathText | None = None,
    require_tier: PathText | None = None,
    all_rows: bool | None = None,
    baselines: Sequence[PathText] | None = None,
    baseline_data: Any = None,
    baseline_exclude_gpus: Sequence[PathText] | None = None,
    store: PathText | None = None,
    layout: PathText | None = None,
    data: Any = None,
    families: Sequence[PathText] | None = None,
    gpus: Sequence[PathText] | None = None,
    keep_impossible: bool | None = None,
    progress: Progress = False,
) -> KernelValidation:
    """A predictor against measured kernels.

    source: measured rows
    predictor: a folder that `train` wrote, or roofline
    require_tier: measured: judge only rows answered from that GPU's own
    all_rows: judge rows that training could see too; default false
    baselines: also judge these on the same rows: roofline, linear, habitat, neusight, pipeweave,
        kernelsight, interpolation, or files that `train` with `method` wrote
    baseline_data: files of the same layout that baselines learn from; absent: the shapes kept for
        training; also a frame, a table of pyarrow or a Parquet file
    baseline_exclude_gpus: GPUs that baselines do not learn from
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
        "source": source, "predictor": predictor, "require_tier": require_tier, "all_rows":
        all_rows, "baselines": listed(baselines), "baseline_data": listed(baseline_data),
        "baseline_exclude_gpus": listed(baseline_exclude_gpus), "store": store, "layout": layout,
        "data": listed(data), "families": listed(families), "gpus": listed(gpus), "keep_impossible":
        keep_impossible}
    return KernelValidation(ask("validate_kernels", fields, progress))
