"""One forward pass, kernel by kernel.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from warploom.answers import StepAnswer
from warploom.session import PathText, Progress, ask

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from warploom.requests.setup_fields import SetupFields


def step(
    *,
    model: Any,
    gpu: PathText,
    setup: Mapping[str, Any] | None = None,
    prefill: PathText | None = None,
    decode: PathText | None = None,
    progress: Progress = False,
    **setup_fields: Unpack[SetupFields],
) -> StepAnswer:
    """One forward pass, kernel by kernel.

    model: a name (see `warploom models`) or the path of a config.json
    gpu: a name (see `warploom gpus`) or the path of a record
    setup: model, GPU and engine
    prefill: BxL: B prompts of L tokens
    decode: BxL: B requests that add a token to L cached ones
    progress: True for a bar by tqdm, or a function of (done, total)
    setup_fields: those of SetupFields, by name: the engine, its flags and its host

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "model": model, "gpu": gpu, "setup": setup, "prefill": prefill, "decode": decode,
        **setup_fields}
    return StepAnswer(ask("step", fields, progress))
