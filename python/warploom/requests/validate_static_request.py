"""Static batches of real engines.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warploom.results import Answer
from warploom.session import PathText, Progress, ask, listed


def validate_static(
    *,
    truth: PathText,
    requests: PathText,
    predictor: PathText | None = None,
    require_tier: PathText | None = None,
    expert_routing: PathText | None = None,
    host: Mapping[str, Any] | None = None,
    baselines: Sequence[PathText] | None = None,
    source: Mapping[str, Any] | None = None,
    host_profile: PathText | None = None,
    schedule_ms: float | None = None,
    schedule_per_sequence_us: float | None = None,
    prepare_ms: float | None = None,
    prepare_per_sequence_us: float | None = None,
    launch_graph_ms: float | None = None,
    launch_pieces_ms: float | None = None,
    launch_kernels_ms: float | None = None,
    finish_ms: float | None = None,
    finish_per_sequence_us: float | None = None,
    gap_ms: float | None = None,
    gap_per_sequence_us: float | None = None,
    frontend_latency_ms: float | None = None,
    frontend_per_token_us: float | None = None,
    store: PathText | None = None,
    layout: PathText | None = None,
    data: Any = None,
    families: Sequence[PathText] | None = None,
    gpus: Sequence[PathText] | None = None,
    keep_impossible: bool | None = None,
    progress: Progress = False,
) -> Answer:
    """Static batches of real engines.

    truth: measured batches
    requests: prompt lengths of each workload
    predictor: a folder that `train` wrote, or roofline
    require_tier: measured: leave out rows of kernels that never were
    expert_routing: how tokens choose experts: uniform (each token at random, as random weights do),
        balanced (evenly) or power_law:ALPHA (a skew); default power_law:1.2
    host: constants of the host in place of the engine's
    baselines: also judge these, composed as published: roofline, linear, habitat, neusight, pipeweave,
        kernelsight, interpolation, or files that `train` with `method` wrote
    source: measured rows that baselines learn from
    host_profile: the machine that runs the engine: public_fleet, xeon_16_cores or a file that
        calibrate-host wrote; default "public_fleet"
    schedule_ms: choosing the requests of a step [ms]
    schedule_per_sequence_us: the same, for each sequence of the step [us]
    prepare_ms: making the inputs of a step, up to its first launch [ms]
    prepare_per_sequence_us: the same, for each sequence of the step [us]
    launch_graph_ms: launching a step that is one CUDA graph, and its sampling [ms]
    launch_pieces_ms: launching a step that is many CUDA graphs [ms]
    launch_kernels_ms: launching a step without CUDA graphs, kernel by kernel [ms]
    finish_ms: giving the tokens of a step to its requests [ms]
    finish_per_sequence_us: the same, for each sequence of the step [us]
    gap_ms: pause of the GPU between two steps, however early launched [ms]
    gap_per_sequence_us: the same, for each sequence of the step [us]
    frontend_latency_ms: from the client to the engine's queue [ms]
    frontend_per_token_us: tokenising, for each prompt token, one prompt after the other [us]
    store: a store that `import` wrote; or
    layout: layout of the files of `data`
    data: files or folders
    families: only these families
    gpus: only these GPUs
    keep_impossible: keep rows that are faster than physics allows, and their groups; default false
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "truth": truth, "requests": requests, "predictor": predictor, "require_tier": require_tier,
        "expert_routing": expert_routing, "host": host, "baselines": baselines, "source": source,
        "host_profile": host_profile, "schedule_ms": schedule_ms, "schedule_per_sequence_us":
        schedule_per_sequence_us, "prepare_ms": prepare_ms, "prepare_per_sequence_us":
        prepare_per_sequence_us, "launch_graph_ms": launch_graph_ms, "launch_pieces_ms":
        launch_pieces_ms, "launch_kernels_ms": launch_kernels_ms, "finish_ms": finish_ms,
        "finish_per_sequence_us": finish_per_sequence_us, "gap_ms": gap_ms, "gap_per_sequence_us":
        gap_per_sequence_us, "frontend_latency_ms": frontend_latency_ms, "frontend_per_token_us":
        frontend_per_token_us, "store": store, "layout": layout, "data": listed(data), "families":
        families, "gpus": gpus, "keep_impossible": keep_impossible}
    return Answer(ask("validate_static", fields, progress))
