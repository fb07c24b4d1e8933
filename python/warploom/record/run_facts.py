"""What a recording says of its run, in the words of `warploom validate serving --run`."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any


def vllm_facts(config: Any) -> dict[str, Any]:
    """`config`: the engine's VllmConfig."""
    model, cache = config.model_config, config.cache_config
    scheduler, parallel = config.scheduler_config, config.parallel_config
    arguments: dict[str, Any] = {
        "max_model_len": model.max_model_len,
        "gpu_memory_utilization": cache.gpu_memory_utilization,
        "enable_prefix_caching": bool(cache.enable_prefix_caching),
        "max_num_seqs": scheduler.max_num_seqs,
        "max_num_batched_tokens": scheduler.max_num_batched_tokens,
        "async_scheduling": bool(getattr(scheduler, "async_scheduling", False)),
    }
    for name in ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size"):
        if getattr(parallel, name, 1) != 1:
            arguments[name] = getattr(parallel, name)
    if getattr(parallel, "enable_expert_parallel", False):
        arguments["enable_expert_parallel"] = True
    # Gates of random weights spread tokens evenly over experts: the replay of a mixture needs to know.
    load_format = getattr(getattr(config, "load_config", None), "load_format", None)
    if str(getattr(load_format, "value", load_format)) == "dummy":
        arguments["load_format"] = "dummy"
    if getattr(model, "quantization", None):
        arguments["quantization"] = str(model.quantization)
    import vllm

    compilation = config.compilation_config
    sizes = getattr(compilation, "cudagraph_capture_sizes", None) or [0]
    return {
        "engine": "vllm",
        "model": str(getattr(model, "served_model_name", None) or model.model),
        "gpu": gpu_name(),
        "vllm_version": vllm.__version__,
        "engine_kwargs": arguments,
        "num_gpu_blocks": cache.num_gpu_blocks,
        "block_size": cache.block_size,
        "resolved": {
            "cudagraph_mode": str(getattr(compilation, "cudagraph_mode", "")).rsplit(".", maxsplit=1)[-1],
            "max_cudagraph_capture_size": max(sizes),
            "model_runner": 2 if getattr(config, "use_v2_model_runner", False) else 1,
        },
    }


def gpu_name() -> str:
    """The name that the driver gives, without its maker: Warploom's catalogue knows these."""
    try:
        import torch

        name: str = torch.cuda.get_device_name(0)
    except (ImportError, RuntimeError, AssertionError):
        return ""
    for maker in ("NVIDIA ", "AMD "):
        name = name.removeprefix(maker)
    return name


def machine_facts() -> dict[str, Any]:
    facts: dict[str, Any] = {"python": platform.python_version(), "cores": len(os.sched_getaffinity(0))}
    try:
        import torch

        facts.update(torch=torch.__version__, cuda=torch.version.cuda)
    except ImportError:
        pass
    facts["cpu"] = first_line("lscpu", "Model name:")
    facts["virtual"] = shares_its_cores()
    facts["driver"] = first_line("nvidia-smi", "", "--query-gpu=driver_version", "--format=csv,noheader")
    return facts


def shares_its_cores() -> bool:
    """Whether this is a virtual machine, whose cores may be others' too."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return any("hypervisor" in line.split() for line in lines if line.startswith("flags"))


def first_line(program: str, start: str, *words: str) -> str:
    """The first line of what the program says that begins so, less that beginning; empty where it fails."""
    try:
        said = subprocess.run([program, *words], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (line.strip() for line in said.stdout.splitlines())
    return next((line.removeprefix(start).strip() for line in lines if line.startswith(start)), "")
