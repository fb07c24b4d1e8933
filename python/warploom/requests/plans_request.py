"""Several plans from one YAML file.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from warploom.answers import PlansAnswer
from warploom.session import PathText, Progress, ask


def plans(
    *,
    file: PathText,
    threads: int | None = None,
    progress: Progress = False,
) -> PlansAnswer:
    """Several plans from one YAML file.

    file: defaults and experiments (YAML)
    threads: 0: as many as the machine has. No effect on results; default 0
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "file": file, "threads": threads}
    return PlansAnswer(ask("plans", fields, progress))
