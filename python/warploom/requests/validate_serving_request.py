"""A run of a real engine, request by request.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from warploom.answers import ServingValidation
from warploom.session import PathText, Progress, ask

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from warploom.requests.host_fields import HostFields


def validate_serving(
    *,
    run: PathText,
    requests: Any,
    benchmark: int | None = None,
    predictor: PathText | None = None,
    require_tier: PathText | None = None,
    expert_routing: PathText | None = None,
    host: Mapping[str, Any] | None = None,
    kernel_times: PathText | None = None,
    progress: Progress = False,
    **host_fields: Unpack[HostFields],
) -> ServingValidation:
    """A run of a real engine, request by request.

    run: how the engine was started (JSON)
    requests: what happened to each request: a CSV, or a result of vllm bench serve, AIPerf or GuideLLM;
        also a frame, a table of pyarrow or a Parquet file
    benchmark: which benchmark of a GuideLLM report that holds several, from 0
    predictor: a folder that `train` wrote, or roofline
    require_tier: measured: refuse kernels that never were
    expert_routing: how tokens choose experts: uniform (each token at random, as random weights do),
        balanced (evenly) or power_law:ALPHA (a skew); default power_law:1.2
    host: constants of the host in place of the engine's
    kernel_times: where in its interval every kernel's time lies: p90 gives what a plan is 90 % sure of
        (p10, p50, p90); default "p50"
    progress: True for a bar by tqdm, or a function of (done, total)
    host_fields: those of HostFields, by name: the host's constants

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "run": run, "requests": requests, "benchmark": benchmark, "predictor": predictor,
        "require_tier": require_tier, "expert_routing": expert_routing, "host": host,
        "kernel_times": kernel_times, **host_fields}
    return ServingValidation(ask("validate_serving", fields, progress))
