"""Fused_moe files of vLLM and SGLang for a GPU.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warploom.answers import MoeConfigAnswer
from warploom.session import PathText, Progress, ask


def moe_config(
    *,
    gpu: PathText,
    model: Any = None,
    layer: Mapping[str, Any] | None = None,
    engine: PathText | None = None,
    table: PathText | None = None,
    samples: Any = None,
    profile: bool | None = None,
    seconds: float | None = None,
    python: PathText | None = None,
    package: PathText | None = None,
    output: PathText | None = None,
    experts: int | None = None,
    top_k: int | None = None,
    hidden: int | None = None,
    intermediate: int | None = None,
    dtype: PathText | None = None,
    block_n: int | None = None,
    block_k: int | None = None,
    tensor_parallel: int | None = None,
    expert_parallel: int | None = None,
    progress: Progress = False,
) -> MoeConfigAnswer:
    """Fused_moe files of vLLM and SGLang for a GPU.

    gpu: a name (see `warploom gpus`) or the path of a record
    model: whose experts; or the sizes of `layer`
    layer: sizes and types of the experts
    engine: whose files (vllm, sglang); default "vllm"
    table: a table of grouped_gemm that `tune fit` wrote on this GPU; without: predicted
    samples: times of this layer that `profile` wrote on this GPU
    profile: measure the layer on this machine's GPU into `samples` first (needs torch, triton); default
        false
    seconds: stop measuring after; default 240.0
    python: with torch and triton; default "python3"
    package: folder of the Python package warploom
    output: folder for the engine's file, its sidecar and `table`
    experts: experts of the model; default 8
    top_k: experts of one token; default 2
    hidden: hidden size; default 4096
    intermediate: width of one expert; default 14336
    dtype: of the weights (bf16, fp8_w8a8); default "bf16"
    block_n: rows of a block of fp8 weights; 0: one scale a tensor; default 0
    block_k: columns of that block; default 0
    tensor_parallel: GPUs that share an expert; default 1
    expert_parallel: GPUs that share the experts; default 1
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "gpu": gpu, "model": model, "layer": layer, "engine": engine, "table": table, "samples":
        samples, "profile": profile, "seconds": seconds, "python": python, "package": package,
        "output": output, "experts": experts, "top_k": top_k, "hidden": hidden, "intermediate":
        intermediate, "dtype": dtype, "block_n": block_n, "block_k": block_k, "tensor_parallel":
        tensor_parallel, "expert_parallel": expert_parallel}
    return MoeConfigAnswer(ask("moe_config", fields, progress))
