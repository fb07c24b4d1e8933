"""Fits a predictor to one GPU's sweep.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from typing import Any

from warploom.answers import CalibrationAnswer
from warploom.session import PathText, Progress, ask


def calibrate(
    *,
    gpu: PathText,
    data: Any,
    output: PathText,
    predictor: PathText | None = None,
    record: PathText | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> CalibrationAnswer:
    """Fits a predictor to one GPU's sweep.

    gpu: the GPU that was swept
    data: folder that warploom-collect wrote, or its sweep.csv; also a frame, a table of pyarrow or a
        Parquet file
    output: folder of the calibrated predictor, for `predictor`
    predictor: folder of the predictor to build on
    record: also write a GPU record with the measured rates
    seed: of every random choice; default 1
    threads: 0: as many as cores; no effect on results; default 0
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "gpu": gpu, "data": data, "output": output, "predictor": predictor, "record": record,
        "seed": seed, "threads": threads}
    return CalibrationAnswer(ask("calibrate", fields, progress))
