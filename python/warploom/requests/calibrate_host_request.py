"""Fits a host profile to steps or runs of your engine.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warploom.answers import HostCalibration
from warploom.session import PathText, Progress, ask, listed


def calibrate_host(
    *,
    output: PathText,
    steps: Any = None,
    run: Sequence[PathText] | None = None,
    requests: Any = None,
    model: Any = None,
    gpu: PathText | None = None,
    engine: PathText | None = None,
    engine_version: PathText | None = None,
    quantization: PathText | None = None,
    expert_routing: PathText | None = None,
    tensor_parallel_size: int | None = None,
    enforce_eager: bool | None = None,
    predictor: PathText | None = None,
    base: PathText | None = None,
    name: PathText | None = None,
    progress: Progress = False,
) -> HostCalibration:
    """Fits a host profile to steps or runs of your engine.

    output: the new profile, JSON
    steps: steps timed one by one: columns kind, batch and wall_ms; needs the model and the GPU; also a
        frame, a table of pyarrow or a Parquet file
    run: in place of steps: how the engine of each run was started (JSON)
    requests: what happened to the requests of each run, in their order; also a frame, a table of pyarrow
        or a Parquet file
    model: the model whose steps they are
    gpu: the GPU that they ran on
    engine: the engine that ran it; default "vllm"
    engine_version: version of the engine
    quantization: every linear layer in this scheme, for example fp8
    expert_routing: how tokens choose experts: uniform (each token at random, as random weights do),
        balanced (evenly) or power_law:ALPHA (a skew); default power_law:1.2
    tensor_parallel_size: GPUs that shared each layer; default 1
    enforce_eager: the engine ran without CUDA graphs; default false
    predictor: a folder that `train` wrote, or roofline
    base: the host profile whose constants are scaled, a name or a file; default "xeon_16_cores"
    name: of the new profile
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "output": output, "steps": listed(steps), "run": listed(run), "requests": listed(requests),
        "model": model, "gpu": gpu, "engine": engine, "engine_version": engine_version,
        "quantization": quantization, "expert_routing": expert_routing, "tensor_parallel_size":
        tensor_parallel_size, "enforce_eager": enforce_eager, "predictor": predictor, "base": base,
        "name": name}
    return HostCalibration(ask("calibrate_host", fields, progress))
