"""Benchmarks at fixed concurrency.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warploom.results import Answer
from warploom.session import PathText, Progress, ask


def validate_concurrency(
    *,
    truth: PathText,
    predictor: PathText | None = None,
    require_tier: PathText | None = None,
    expert_routing: PathText | None = None,
    host: Mapping[str, Any] | None = None,
    kernel_times: PathText | None = None,
    max_cells: int | None = None,
    one_in: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
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
    progress: Progress = False,
) -> Answer:
    """Benchmarks at fixed concurrency.

    truth: measured benchmarks
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
    threads: 0: as many as cores; no effect on results; default 0
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
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "truth": truth, "predictor": predictor, "require_tier": require_tier, "expert_routing":
        expert_routing, "host": host, "kernel_times": kernel_times, "max_cells": max_cells,
        "one_in": one_in, "seed": seed, "threads": threads, "host_profile": host_profile,
        "schedule_ms": schedule_ms, "schedule_per_sequence_us": schedule_per_sequence_us,
        "prepare_ms": prepare_ms, "prepare_per_sequence_us": prepare_per_sequence_us,
        "launch_graph_ms": launch_graph_ms, "launch_pieces_ms": launch_pieces_ms,
        "launch_kernels_ms": launch_kernels_ms, "finish_ms": finish_ms, "finish_per_sequence_us":
        finish_per_sequence_us, "gap_ms": gap_ms, "gap_per_sequence_us": gap_per_sequence_us,
        "frontend_latency_ms": frontend_latency_ms, "frontend_per_token_us": frontend_per_token_us}
    return Answer(ask("validate_concurrency", fields, progress))
