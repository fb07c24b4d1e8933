"""Guesses of the tile that a matrix library chooses.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from typing import Any

from warploom.answers import TileValidation
from warploom.session import PathText, Progress, ask


def validate_tiles(
    *,
    data: Any,
    gpu: PathText | None = None,
    shipped: bool | None = None,
    require_tier: PathText | None = None,
    leave_out_sms: bool | None = None,
    rows: int | None = None,
    write: PathText | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> TileValidation:
    """Guesses of the tile that a matrix library chooses.

    data: tiles.csv of warploom-collect; also a frame, a table of pyarrow or a Parquet file
    gpu: record of that GPU; absent: by the name in the file
    shipped: judge the program's own ranking, learn nothing; default false
    require_tier: measured: refuse a ranking that learned nothing on the GPU
    leave_out_sms: also learn without each count of SMs and judge at it; default false
    rows: choices that a family learns from, at most; default 3000
    write: file for what was learned
    threads: 0: as many as cores; no effect on results; default 0
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "data": data, "gpu": gpu, "shipped": shipped, "require_tier": require_tier, "leave_out_sms":
        leave_out_sms, "rows": rows, "write": write, "threads": threads}
    return TileValidation(ask("validate_tiles", fields, progress))
