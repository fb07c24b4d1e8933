"""Latency of a static batch.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from warploom.answers import StaticAnswer
from warploom.session import PathText, Progress, ask

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from warploom.requests.setup_fields import SetupFields


def static(
    *,
    model: Any,
    gpu: PathText,
    setup: Mapping[str, Any] | None = None,
    batch: int | None = None,
    input_tokens: int | None = None,
    output_tokens: int | None = None,
    progress: Progress = False,
    **setup_fields: Unpack[SetupFields],
) -> StaticAnswer:
    """Latency of a static batch.

    model: a name (see `warploom models`) or the path of a config.json
    gpu: a name (see `warploom gpus`) or the path of a record
    setup: model, GPU and engine
    batch: requests that start together; default 1
    input_tokens: prompt tokens of each; default 1024
    output_tokens: tokens that each produces; default 128
    progress: True for a bar by tqdm, or a function of (done, total)
    setup_fields: those of SetupFields, by name: the engine, its flags and its host

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "model": model, "gpu": gpu, "setup": setup, "batch": batch, "input_tokens": input_tokens,
        "output_tokens": output_tokens, **setup_fields}
    return StaticAnswer(ask("static", fields, progress))
