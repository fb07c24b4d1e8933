"""Which kernels are worth tuning, and why.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warploom.results import Answer
from warploom.session import PathText, Progress, ask


def diagnose(
    *,
    gpu: PathText,
    source: Mapping[str, Any] | None = None,
    workload: Mapping[str, Any] | None = None,
    quantile: float | None = None,
    ceilings: PathText | None = None,
    store: PathText | None = None,
    layout: PathText | None = None,
    data: Any = None,
    families: Sequence[PathText] | None = None,
    gpus: Sequence[PathText] | None = None,
    keep_impossible: bool | None = None,
    setup: Mapping[str, Any] | None = None,
    batch: int | None = None,
    input_tokens: int | None = None,
    output_tokens: int | None = None,
    model: Any = None,
    quantization: PathText | None = None,
    predictor: PathText | None = None,
    require_tier: PathText | None = None,
    framework: PathText | None = None,
    engine_version: PathText | None = None,
    expert_routing: PathText | None = None,
    vision_encoder: PathText | None = None,
    image_tokens: int | None = None,
    config: Mapping[str, Any] | None = None,
    host: Mapping[str, Any] | None = None,
    engine: PathText | None = None,
    max_num_seqs: int | None = None,
    max_num_batched_tokens: int | None = None,
    max_model_len: int | None = None,
    num_gpu_blocks_override: int | None = None,
    long_prefill_token_threshold: int | None = None,
    block_size: int | None = None,
    gpu_memory_utilization: float | None = None,
    chunked_prefill_size: int | None = None,
    kv_cache_dtype: PathText | None = None,
    enable_chunked_prefill: bool | None = None,
    enable_prefix_caching: bool | None = None,
    scheduler_reserve_full_isl: bool | None = None,
    async_scheduling: bool | None = None,
    enforce_eager: bool | None = None,
    cudagraph_mode: PathText | None = None,
    max_cudagraph_capture_size: int | None = None,
    schedule_conservativeness: float | None = None,
    enable_mixed_chunk: bool | None = None,
    scheduler_recv_interval: int | None = None,
    moe_backend: PathText | None = None,
    fp8_gemm_backend: PathText | None = None,
    enable_flashinfer_allreduce_fusion: bool | None = None,
    capacity_scheduler_policy: PathText | None = None,
    batch_wait_timeout_iters: int | None = None,
    batch_wait_max_tokens_ratio: float | None = None,
    scheduling_policy: PathText | None = None,
    schedule_policy: PathText | None = None,
    speculative_config: PathText | None = None,
    speculative_algorithm: PathText | None = None,
    speculative_draft_model_path: PathText | None = None,
    speculative_num_steps: int | None = None,
    speculative_eagle_topk: int | None = None,
    speculative_num_draft_tokens: int | None = None,
    acceptance_rates: Sequence[float] | None = None,
    acceptance_length: float | None = None,
    proposal_rate: float | None = None,
    kv_offloading_size: float | None = None,
    kv_offloading_backend: PathText | None = None,
    enable_hierarchical_cache: bool | None = None,
    hicache_ratio: float | None = None,
    hicache_size: float | None = None,
    kv_disk_size: float | None = None,
    kv_disk_bandwidth_gb_per_s: float | None = None,
    enable_lora: bool | None = None,
    max_loras: int | None = None,
    max_lora_rank: int | None = None,
    instances: int | None = None,
    tensor_parallel_size: int | None = None,
    pipeline_parallel_size: int | None = None,
    data_parallel_size: int | None = None,
    decode_context_parallel_size: int | None = None,
    prefill_context_parallel_size: int | None = None,
    enable_dp_attention: bool | None = None,
    enable_expert_parallel: bool | None = None,
    all2all_backend: PathText | None = None,
    moe_a2a_backend: PathText | None = None,
    deepep_mode: PathText | None = None,
    routing_policy: PathText | None = None,
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
    """Which kernels are worth tuning, and why.

    gpu: a name (see `warploom gpus`) or the path of a record
    source: measured rows
    workload: a predicted static batch, in place of measured rows
    quantile: of the ceiling, 0.5 to 0.99; default 0.8
    ceilings: a folder that `train-ceilings` wrote
    store: a store that `import` wrote; or
    layout: layout of the files of `data`
    data: files or folders
    families: only these families
    gpus: only these GPUs
    keep_impossible: keep rows that are faster than physics allows, and their groups; default false
    setup: model, GPU and engine
    batch: requests that start together
    input_tokens: prompt tokens of each
    output_tokens: tokens that each produces
    model: a name (see `warploom models`) or the path of a config.json
    quantization: every linear layer in this scheme, for example fp8
    predictor: a folder that `train` wrote, or roofline
    require_tier: measured: refuse kernels that never were
    framework: whose kernels and host constants are used; absent: the engine's
    engine_version: version whose kernels are priced
    expert_routing: how tokens choose experts: uniform (each token at random, as random weights do),
        balanced (evenly) or power_law:ALPHA (a skew); default power_law:1.2
    vision_encoder: a vision_config as JSON, or the path of a config.json that has one
    image_tokens: tokens of an image
    config: the engine's configuration
    host: constants of the host in place of the engine's
    engine: engine whose scheduler is modelled
    max_num_seqs: requests in a batch
    max_num_batched_tokens: new tokens in a step
    max_model_len: longest prompt plus output, in tokens
    num_gpu_blocks_override: KV blocks of one replica, instead of what memory allows
    long_prefill_token_threshold: most tokens of one prompt in a step, 0 for no limit
    block_size: tokens in a KV block
    gpu_memory_utilization: share of GPU memory that the engine may use (sglang: for weights and KV;
        trtllm: of what the model leaves, for KV)
    chunked_prefill_size: prompt tokens in a step, 0 for no limit
    kv_cache_dtype: element type of the KV cache, auto for the model's
    enable_chunked_prefill: split prompts over steps
    enable_prefix_caching: reuse the KV blocks of equal prefixes
    scheduler_reserve_full_isl: admit a request only when its whole prompt fits into the free KV blocks
    async_scheduling: schedule the next step while one runs
    enforce_eager: no CUDA graphs
    cudagraph_mode: which steps run as CUDA graphs (FULL_AND_PIECEWISE, FULL, PIECEWISE,
        FULL_DECODE_ONLY, NONE)
    max_cudagraph_capture_size: tokens of the largest step captured as a CUDA graph
    schedule_conservativeness: factor of the output that admission expects
    enable_mixed_chunk: decode in the steps that prefill
    scheduler_recv_interval: decode steps between two looks for new requests
    moe_backend: kernels of the experts (auto, triton, flashinfer_cutlass, flashinfer_trtllm, marlin)
    fp8_gemm_backend: kernels of block-scaled products (auto, deep_gemm, flashinfer_trtllm)
    enable_flashinfer_allreduce_fusion: all-reduces of few tokens add and normalise; absent: as the
        engine chooses
    capacity_scheduler_policy: when a request may start (guaranteed_no_evict, max_utilization)
    batch_wait_timeout_iters: steps that new prompts wait for more of them while others decode
    batch_wait_max_tokens_ratio: share of a step's tokens at which they wait no longer
    scheduling_policy: order of the queue (fcfs, priority)
    schedule_policy: order of the queue (fcfs, lpm, lof, random)
    speculative_config: JSON such as {"method": "eagle3", "num_speculative_tokens": 3}
    speculative_algorithm: EAGLE, EAGLE3, NEXTN, STANDALONE or NGRAM
    speculative_draft_model_path: draft model
    speculative_num_steps: tokens proposed one after another
    speculative_eagle_topk: branches of the draft's tree
    speculative_num_draft_tokens: tokens of a request in a verifying step
    acceptance_rates: share of drafts accepted up to each position
    acceptance_length: mean tokens that a verifying step yields
    proposal_rate: share of steps in which a draft is found (ngram)
    kv_offloading_size: host memory for evicted prefixes [GiB]
    kv_offloading_backend: native
    enable_hierarchical_cache: host memory for evicted prefixes
    hicache_ratio: size of that memory over the GPU's KV cache
    hicache_size: the same of each rank, instead of the ratio [GB]
    kv_disk_size: disk for prefixes evicted from host memory [GiB]
    kv_disk_bandwidth_gb_per_s: speed of that disk [GB/s]
    enable_lora: adapters beside every linear layer
    max_loras: adapters in one batch
    max_lora_rank: rank of the adapters
    instances: copies of the engine behind one router
    tensor_parallel_size: GPUs that share each layer
    pipeline_parallel_size: GPUs that share the layers out
    data_parallel_size: replicas
    decode_context_parallel_size: tensor-parallel GPUs that share out the cached tokens of a request
    prefill_context_parallel_size: further GPUs that share out the new tokens of prompts
    enable_dp_attention: data-parallel attention within the tensor-parallel GPUs
    enable_expert_parallel: spread experts over the GPUs whole
    all2all_backend: how tokens reach experts (allgather_reducescatter, deepep_high_throughput,
        deepep_low_latency)
    moe_a2a_backend: how tokens reach experts (none, deepep)
    deepep_mode: which of DeepEP's kernels (auto, normal, low_latency)
    routing_policy: how requests are given out to replicas (engine, round_robin, waiting_first,
        least_loaded, prefix_aware, session_sticky, weighted)
    host_profile: the machine that runs the engine: public_fleet, xeon_16_cores or a file that
        calibrate-host wrote
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
    """
    fields = {
        "gpu": gpu, "source": source, "workload": workload, "quantile": quantile, "ceilings":
        ceilings, "store": store, "layout": layout, "data": data, "families": families, "gpus":
        gpus, "keep_impossible": keep_impossible, "setup": setup, "batch": batch, "input_tokens":
        input_tokens, "output_tokens": output_tokens, "model": model, "quantization": quantization,
        "predictor": predictor, "require_tier": require_tier, "framework": framework,
        "engine_version": engine_version, "expert_routing": expert_routing, "vision_encoder":
        vision_encoder, "image_tokens": image_tokens, "config": config, "host": host, "engine":
        engine, "max_num_seqs": max_num_seqs, "max_num_batched_tokens": max_num_batched_tokens,
        "max_model_len": max_model_len, "num_gpu_blocks_override": num_gpu_blocks_override,
        "long_prefill_token_threshold": long_prefill_token_threshold, "block_size": block_size,
        "gpu_memory_utilization": gpu_memory_utilization, "chunked_prefill_size":
        chunked_prefill_size, "kv_cache_dtype": kv_cache_dtype, "enable_chunked_prefill":
        enable_chunked_prefill, "enable_prefix_caching": enable_prefix_caching,
        "scheduler_reserve_full_isl": scheduler_reserve_full_isl, "async_scheduling":
        async_scheduling, "enforce_eager": enforce_eager, "cudagraph_mode": cudagraph_mode,
        "max_cudagraph_capture_size": max_cudagraph_capture_size, "schedule_conservativeness":
        schedule_conservativeness, "enable_mixed_chunk": enable_mixed_chunk,
        "scheduler_recv_interval": scheduler_recv_interval, "moe_backend": moe_backend,
        "fp8_gemm_backend": fp8_gemm_backend, "enable_flashinfer_allreduce_fusion":
        enable_flashinfer_allreduce_fusion, "capacity_scheduler_policy": capacity_scheduler_policy,
        "batch_wait_timeout_iters": batch_wait_timeout_iters, "batch_wait_max_tokens_ratio":
        batch_wait_max_tokens_ratio, "scheduling_policy": scheduling_policy, "schedule_policy":
        schedule_policy, "speculative_config": speculative_config, "speculative_algorithm":
        speculative_algorithm, "speculative_draft_model_path": speculative_draft_model_path,
        "speculative_num_steps": speculative_num_steps, "speculative_eagle_topk":
        speculative_eagle_topk, "speculative_num_draft_tokens": speculative_num_draft_tokens,
        "acceptance_rates": acceptance_rates, "acceptance_length": acceptance_length,
        "proposal_rate": proposal_rate, "kv_offloading_size": kv_offloading_size,
        "kv_offloading_backend": kv_offloading_backend, "enable_hierarchical_cache":
        enable_hierarchical_cache, "hicache_ratio": hicache_ratio, "hicache_size": hicache_size,
        "kv_disk_size": kv_disk_size, "kv_disk_bandwidth_gb_per_s": kv_disk_bandwidth_gb_per_s,
        "enable_lora": enable_lora, "max_loras": max_loras, "max_lora_rank": max_lora_rank,
        "instances": instances, "tensor_parallel_size": tensor_parallel_size,
        "pipeline_parallel_size": pipeline_parallel_size, "data_parallel_size": data_parallel_size,
        "decode_context_parallel_size": decode_context_parallel_size,
        "prefill_context_parallel_size": prefill_context_parallel_size, "enable_dp_attention":
        enable_dp_attention, "enable_expert_parallel": enable_expert_parallel, "all2all_backend":
        all2all_backend, "moe_a2a_backend": moe_a2a_backend, "deepep_mode": deepep_mode,
        "routing_policy": routing_policy, "host_profile": host_profile, "schedule_ms": schedule_ms,
        "schedule_per_sequence_us": schedule_per_sequence_us, "prepare_ms": prepare_ms,
        "prepare_per_sequence_us": prepare_per_sequence_us, "launch_graph_ms": launch_graph_ms,
        "launch_pieces_ms": launch_pieces_ms, "launch_kernels_ms": launch_kernels_ms, "finish_ms":
        finish_ms, "finish_per_sequence_us": finish_per_sequence_us, "gap_ms": gap_ms,
        "gap_per_sequence_us": gap_per_sequence_us, "frontend_latency_ms": frontend_latency_ms,
        "frontend_per_token_us": frontend_per_token_us}
    return Answer(ask("diagnose", fields, progress))
