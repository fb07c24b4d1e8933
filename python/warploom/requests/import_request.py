"""Reads measured data into a store.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warploom.answers import ImportAnswer
from warploom.session import PathText, Progress, ask, listed


def import_(
    *,
    layout: PathText,
    paths: Any,
    store: PathText,
    families: Sequence[PathText] | None = None,
    gpus: Sequence[PathText] | None = None,
    progress: Progress = False,
) -> ImportAnswer:
    """Reads measured data into a store.

    layout: warploom, aiconfigurator, pipeweave, vidur, neusight, kineto (PyTorch profiler) or nsight
    paths: files or folders; also a frame, a table of pyarrow or a Parquet file
    store: the store's file, made when missing
    families: only these families
    gpus: only these GPUs; the GPU of a profile that names none
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "layout": layout, "paths": listed(paths), "store": store, "families": listed(families),
        "gpus": listed(gpus)}
    return ImportAnswer(ask("import", fields, progress))
