"""Constants of the host that runs an engine, the same for each request that has them.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from typing import TypedDict

from warploom.session import PathText


class HostFields(TypedDict, total=False):
    """Constants of the host that runs an engine, the same for each request that has them.

    host_profile: the machine that runs the engine: public_fleet, xeon_16_cores or a file that
        calibrate-host wrote; default "public_fleet"
    measured_at: where latencies count from: client, its way to the engine's queue included, or engine
        (client, engine); default "client"
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
    pause_ms: pauses of the GPU between the kernels of a step [ms]
    frontend_latency_ms: from the client to the engine's queue [ms]
    frontend_per_token_us: tokenising, for each prompt token; requests share it [us]
    """

    host_profile: PathText | None
    measured_at: PathText | None
    schedule_ms: float | None
    schedule_per_sequence_us: float | None
    prepare_ms: float | None
    prepare_per_sequence_us: float | None
    launch_graph_ms: float | None
    launch_pieces_ms: float | None
    launch_kernels_ms: float | None
    finish_ms: float | None
    finish_per_sequence_us: float | None
    gap_ms: float | None
    gap_per_sequence_us: float | None
    pause_ms: float | None
    frontend_latency_ms: float | None
    frontend_per_token_us: float | None
