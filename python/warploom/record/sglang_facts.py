"""What a recording says of an SGLang engine, in the words of `warploom validate serving --run`."""
from __future__ import annotations

from typing import Any

from warploom.record.run_facts import gpu_name

# Fields of ServerArgs (srt/server_args.py) that say how the engine schedules, as Warploom names them. At
# another value than this one they are stated.
STATED: dict[str, tuple[str, Any]] = {
    "tp_size": ("tensor_parallel_size", 1),
    "schedule_policy": ("schedule_policy", "fcfs"),
    "schedule_conservativeness": ("schedule_conservativeness", 1.0),
    "enable_mixed_chunk": ("enable_mixed_chunk", False),
    "disable_cuda_graph": ("enforce_eager", False),
    "quantization": ("quantization", None),
    "kv_cache_dtype": ("kv_cache_dtype", "auto"),
    "moe_runner_backend": ("moe_backend", "auto"),
    "speculative_algorithm": ("speculative_algorithm", None),
    "speculative_draft_model_path": ("speculative_draft_model_path", None),
    "speculative_num_steps": ("speculative_num_steps", None),
    "speculative_eagle_topk": ("speculative_eagle_topk", None),
    "speculative_num_draft_tokens": ("speculative_num_draft_tokens", None),
}


def sglang_facts(scheduler: Any) -> dict[str, Any]:
    given = scheduler.server_args
    page = scheduler.page_size or 1
    arguments: dict[str, Any] = {
        "max_model_len": scheduler.model_config.context_len,
        "enable_prefix_caching": not given.disable_radix_cache,
        "max_num_seqs": scheduler.max_running_requests,
        "max_num_batched_tokens": scheduler.max_prefill_tokens,
        "chunked_prefill_size": scheduler.chunked_prefill_size or 0,
        "block_size": page,
        "async_scheduling": bool(scheduler.enable_overlap),
    }
    for field, (name, usual) in STATED.items():
        value = getattr(given, field, usual)
        if value not in (None, usual):
            arguments[name] = value
    if getattr(given, "enable_dp_attention", False):
        # Replicas without it are engines of their own, each with a recording of its own.
        arguments.update(enable_dp_attention=True, data_parallel_size=given.dp_size)
    if getattr(given, "ep_size", 1) > 1:
        arguments["enable_expert_parallel"] = True
    # Gates of random weights choose experts at random: the replay of a mixture needs to know.
    if str(getattr(given.load_format, "value", given.load_format)) == "dummy":
        arguments["load_format"] = "dummy"
    import sglang

    return {
        "engine": "sglang",
        "model": str(given.served_model_name or given.model_path),
        "gpu": gpu_name(),
        "engine_version": sglang.__version__,
        "engine_kwargs": arguments,
        "num_gpu_blocks": scheduler.max_total_num_tokens // page,
        "block_size": page,
        "resolved": {"max_cudagraph_capture_size": largest_graph(scheduler.tp_worker.model_runner)},
    }


def largest_graph(runner: Any) -> int:
    """Requests of the largest step that was captured; 0: none."""
    for name in ("decode_cuda_graph_runner", "graph_runner"):  # 0.5.14 and later, before
        sizes = getattr(getattr(runner, name, None), "capture_bs", None)
        if sizes:
            return int(max(sizes))
    return 0
