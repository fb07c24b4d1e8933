"""Kernels predicted without what training saw of them.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warploom.answers import LeaveOutValidation
from warploom.session import PathText, Progress, ask, listed


def validate_leave_out(
    *,
    source: Mapping[str, Any] | None = None,
    leave_out: PathText | None = None,
    only_left_out: Sequence[PathText] | None = None,
    few_shot: int | None = None,
    few_shot_per: PathText | None = None,
    rows_per_gpu: int | None = None,
    judged_rows: int | None = None,
    fewest_rows: int | None = None,
    ablate: bool | None = None,
    baselines: Sequence[PathText] | None = None,
    external: Sequence[PathText] | None = None,
    questions: PathText | None = None,
    seed: int | None = None,
    threads: int | None = None,
    store: PathText | None = None,
    layout: PathText | None = None,
    data: Any = None,
    families: Sequence[PathText] | None = None,
    gpus: Sequence[PathText] | None = None,
    keep_impossible: bool | None = None,
    progress: Progress = False,
) -> LeaveOutValidation:
    """Kernels predicted without what training saw of them.

    source: measured rows
    leave_out: trains without each gpu, generation, model or version in turn, or without new shapes
        (shape), and judges that
    only_left_out: of these GPUs, generations, folds of models or versions ("vllm 0.31.0") alone
    few_shot: shapes of a GPU left out to give back; default 0
    few_shot_per: what `few_shot` counts: family, or kind (each combination of data types by itself);
        default "family"
    rows_per_gpu: of each family, for `leave_out` to learn from; default 40000
    judged_rows: of each GPU and family that is left out; default 3000
    fewest_rows: of a family that a GPU or version must have to be left out on its own; 0: as the rules
        say; default 0
    ablate: with `leave_out`: also without the model's later parts; default false
    baselines: also judge these, learned from the same rows: roofline, linear, habitat, neusight,
        pipeweave, kernelsight, interpolation
    external: CSV files of id and predicted_us: other tools on the rows that `questions` writes
    questions: JSON lines to write: the judged rows with their ids, without their times
    seed: of every random choice; default 1
    threads: of `leave_out`, 0 for all; default 0
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
        "source": source, "leave_out": leave_out, "only_left_out": listed(only_left_out),
        "few_shot": few_shot, "few_shot_per": few_shot_per, "rows_per_gpu": rows_per_gpu,
        "judged_rows": judged_rows, "fewest_rows": fewest_rows, "ablate": ablate, "baselines":
        listed(baselines), "external": listed(external), "questions": questions, "seed": seed,
        "threads": threads, "store": store, "layout": layout, "data": listed(data), "families":
        listed(families), "gpus": listed(gpus), "keep_impossible": keep_impossible}
    return LeaveOutValidation(ask("validate_leave_out", fields, progress))
