"""Which models, GPUs and engines rest on measured kernels.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Sequence
from warploom.answers import SupportAnswer
from warploom.session import PathText, Progress, ask, listed


def support(
    *,
    supported_models: Sequence[PathText] | None = None,
    supported_gpus: Sequence[PathText] | None = None,
    supported_engines: Sequence[PathText] | None = None,
    predictor: PathText | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> SupportAnswer:
    """Which models, GPUs and engines rest on measured kernels.

    supported_models: names or paths; none: every known model
    supported_gpus: names or paths; none: every known GPU
    supported_engines: none: every engine
    predictor: a folder that `train` wrote, or roofline
    threads: 0: as many as the machine has. No effect on results; default 0
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "supported_models": listed(supported_models), "supported_gpus": listed(supported_gpus),
        "supported_engines": listed(supported_engines), "predictor": predictor, "threads": threads}
    return SupportAnswer(ask("support", fields, progress))
