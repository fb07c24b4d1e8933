"""Benchmarks at fixed concurrency.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from warploom.answers import ConcurrencyValidation
from warploom.session import PathText, Progress, ask

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from warploom.requests.host_fields import HostFields


def validate_concurrency(
    *,
    truth: Any,
    predictor: PathText | None = None,
    require_tier: PathText | None = None,
    expert_routing: PathText | None = None,
    host: Mapping[str, Any] | None = None,
    kernel_times: PathText | None = None,
    max_cells: int | None = None,
    one_in: int | None = None,
    seed: int | None = None,
    commands: bool | None = None,
    threads: int | None = None,
    progress: Progress = False,
    **host_fields: Unpack[HostFields],
) -> ConcurrencyValidation:
    """Benchmarks at fixed concurrency.

    truth: measured benchmarks; also a frame, a table of pyarrow or a Parquet file
    predictor: a folder that `train` wrote, or roofline
    require_tier: measured: leave out rows of kernels that never were
    expert_routing: how tokens choose experts: uniform (each token at random, as random weights do),
        balanced (evenly) or power_law:ALPHA (a skew); default power_law:1.2
    host: constants of the host in place of the engine's
    kernel_times: where in its interval every kernel's time lies: p90 gives what a plan is 90 % sure of
        (p10, p50, p90); default "p50"
    max_cells: simulate only this many rows, evenly spread; 0: all; default 0
    one_in: simulate only one row in so many, chosen by a hash of its contents; default 1
    seed: of the lengths; default 1
    commands: also what `simulate` is asked for each cell; default false
    threads: 0: as many as cores; no effect on results; default 0
    progress: True for a bar by tqdm, or a function of (done, total)
    host_fields: those of HostFields, by name: the host's constants

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "truth": truth, "predictor": predictor, "require_tier": require_tier, "expert_routing":
        expert_routing, "host": host, "kernel_times": kernel_times, "max_cells": max_cells,
        "one_in": one_in, "seed": seed, "commands": commands, "threads": threads, **host_fields}
    return ConcurrencyValidation(ask("validate_concurrency", fields, progress))
