"""A whole serving run.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warploom.results import SimulationAnswer
from warploom.session import PathText, Progress, ask


def simulate(
    *,
    model: Any,
    gpu: PathText,
    setup: Mapping[str, Any] | None = None,
    disaggregation: Mapping[str, Any] | None = None,
    autoscaling: Mapping[str, Any] | None = None,
    fleet: Mapping[str, Any] | None = None,
    failures: Sequence[Mapping[str, Any]] | None = None,
    source: Mapping[str, Any] | None = None,
    threads: int | None = None,
    intervals: bool | None = None,
    tuned: PathText | None = None,
    traced_steps: int | None = None,
    trace_from_s: float | None = None,
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
    max_instances: int | None = None,
    min_instances: int | None = None,
    scale_queue_depth: float | None = None,
    scale_interval_s: float | None = None,
    instance_startup_s: float | None = None,
    router_prefix_weight: float | None = None,
    router_queue_weight: float | None = None,
    router_kv_weight: float | None = None,
    router_signal_interval_s: float | None = None,
    max_queued_requests: int | None = None,
    request_timeout_s: float | None = None,
    trace: PathText | None = None,
    workload: PathText | None = None,
    sessions: Mapping[str, Any] | None = None,
    clients: PathText | None = None,
    random: Mapping[str, Any] | None = None,
    requests: int | None = None,
    rate: float | None = None,
    concurrency: int | None = None,
    request_rate: float | None = None,
    max_concurrency: int | None = None,
    images_per_request: int | None = None,
    burstiness: float | None = None,
    user_think_time_s: float | None = None,
    seed: int | None = None,
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
    prefill: Mapping[str, Any] | None = None,
    decode: Mapping[str, Any] | None = None,
    transfer: Mapping[str, Any] | None = None,
    kv_transfer_path: PathText | None = None,
    kv_transfer_overlap: PathText | None = None,
    kv_transfer_bandwidth_gb_per_s: float | None = None,
    kv_transfer_latency_us: float | None = None,
    turns: int | None = None,
    system_prompt_tokens: int | None = None,
    user_tokens: int | None = None,
    output_tokens: int | None = None,
    think_time_s: float | None = None,
    session_rate: float | None = None,
    random_input_len: int | None = None,
    random_output_len: int | None = None,
    random_range_ratio: float | None = None,
    random_prefix_len: int | None = None,
    goodput: Mapping[str, float] | None = None,
    details: bool | None = None,
    progress: Progress = False,
) -> SimulationAnswer:
    """A whole serving run.

    model: a name (see `warploom models`) or the path of a config.json
    gpu: a name (see `warploom gpus`) or the path of a record
    setup: model, GPU and engine
    disaggregation: prefill and decode apart, in place of `setup`
    autoscaling: of every pool
    fleet: what the router in front knows and refuses
    failures: instances that fail
    source: what the requests are and when they come
    threads: for replicas that never meet; 0: as many as the machine has. No effect on results; default 0
    intervals: also runs at p10 and p90 of the kernels; default true
    tuned: the .warploom.json of `moe-config`: the run with those configurations, and the change
    traced_steps: steps whose kernels the result lists; default 0
    trace_from_s: first of them at this time of the run; default 0.0
    quantization: every linear layer in this scheme, for example fp8
    predictor: a folder that `train` wrote, or roofline
    require_tier: measured: refuse kernels that never were
    framework: whose kernels and host constants are used; absent: the engine's
    engine_version: version whose kernels are priced
    expert_routing: how tokens choose experts: uniform (each token at random, as random weights do),
        balanced (evenly) or power_law:ALPHA (a skew); default power_law:1.2
    vision_encoder: a vision_config as JSON, or the path of a config.json that has one
    image_tokens: tokens of an image; default 0
    config: the engine's configuration
    host: constants of the host in place of the engine's
    max_instances: most instances of a pool; 0: its size stays; default 0
    min_instances: fewest instances of a pool; default 1
    scale_queue_depth: waiting requests of an instance above which another starts; default 8.0
    scale_interval_s: time between two looks at the load; default 10.0
    instance_startup_s: from the decision to the first request served; default 60.0
    router_prefix_weight: of the share of a prompt that a replica has cached; default 3.0
    router_queue_weight: of how few requests wait at a replica; default 2.0
    router_kv_weight: of how much of a replica's cache is free; default 2.0
    router_signal_interval_s: time between two looks of the router at the load; 0: it sees every change;
        default 0.0
    max_queued_requests: waiting requests of an instance beyond which others are turned away; 0: any
        number; default 0
    request_timeout_s: after which a client leaves; 0: never; default 0.0
    trace: a recorded trace (CSV or JSONL); or
    workload: a fitted workload: conversation, ...; or
    sessions: conversations of several turns; or
    clients: a file of clients: classes, tenants, arrivals, windows; or
    random: the random data set of `vllm bench serve`
    requests: how many requests; default 1000, or the whole trace
    rate: requests in place of the recorded ones [1/s]
    concurrency: closed loop with this many requests in flight
    request_rate: requests as `vllm bench serve` sends them [1/s]
    max_concurrency: most requests in flight; without a rate a closed loop
    images_per_request: images before every prompt
    burstiness: with a rate: shape of gamma gaps, 1 Poisson, below it bursts
    user_think_time_s: with `concurrency`: mean time before a user's next request
    seed: of what is drawn; default 1
    engine: engine whose scheduler is modelled; default "vllm"
    max_num_seqs: requests in a batch
    max_num_batched_tokens: new tokens in a step
    max_model_len: longest prompt plus output, in tokens
    num_gpu_blocks_override: KV blocks of one replica, instead of what memory allows
    long_prefill_token_threshold: most tokens of one prompt in a step, 0 for no limit; default 0
    block_size: tokens in a KV block
    gpu_memory_utilization: share of GPU memory that the engine may use (sglang: for weights and KV;
        trtllm: of what the model leaves, for KV)
    chunked_prefill_size: prompt tokens in a step, 0 for no limit
    kv_cache_dtype: element type of the KV cache, auto for the model's; default "auto"
    enable_chunked_prefill: split prompts over steps
    enable_prefix_caching: reuse the KV blocks of equal prefixes; default true
    scheduler_reserve_full_isl: admit a request only when its whole prompt fits into the free KV blocks;
        default true
    async_scheduling: schedule the next step while one runs
    enforce_eager: no CUDA graphs; default false
    cudagraph_mode: which steps run as CUDA graphs (FULL_AND_PIECEWISE, FULL, PIECEWISE,
        FULL_DECODE_ONLY, NONE)
    max_cudagraph_capture_size: tokens of the largest step captured as a CUDA graph
    schedule_conservativeness: factor of the output that admission expects; default 1.0
    enable_mixed_chunk: decode in the steps that prefill; default false
    scheduler_recv_interval: decode steps between two looks for new requests; default 1
    moe_backend: kernels of the experts (auto, triton, flashinfer_cutlass, flashinfer_trtllm, marlin);
        default "auto"
    fp8_gemm_backend: kernels of block-scaled products (auto, deep_gemm, flashinfer_trtllm); default
        "auto"
    enable_flashinfer_allreduce_fusion: all-reduces of few tokens add and normalise; absent: as the
        engine chooses
    capacity_scheduler_policy: when a request may start (guaranteed_no_evict, max_utilization); default
        "guaranteed_no_evict"
    batch_wait_timeout_iters: steps that new prompts wait for more of them while others decode; default 0
    batch_wait_max_tokens_ratio: share of a step's tokens at which they wait no longer; default 0.0
    scheduling_policy: order of the queue (fcfs, priority); default "fcfs"
    schedule_policy: order of the queue (fcfs, lpm, lof, random); default "fcfs"
    speculative_config: JSON such as {"method": "eagle3", "num_speculative_tokens": 3}
    speculative_algorithm: EAGLE, EAGLE3, NEXTN, STANDALONE or NGRAM
    speculative_draft_model_path: draft model
    speculative_num_steps: tokens proposed one after another
    speculative_eagle_topk: branches of the draft's tree
    speculative_num_draft_tokens: tokens of a request in a verifying step
    acceptance_rates: share of drafts accepted up to each position
    acceptance_length: mean tokens that a verifying step yields
    proposal_rate: share of steps in which a draft is found (ngram); default 1.0
    kv_offloading_size: host memory for evicted prefixes [GiB]
    kv_offloading_backend: native; default "native"
    enable_hierarchical_cache: host memory for evicted prefixes; default false
    hicache_ratio: size of that memory over the GPU's KV cache; default 2.0
    hicache_size: the same of each rank, instead of the ratio [GB]
    kv_disk_size: disk for prefixes evicted from host memory [GiB]
    kv_disk_bandwidth_gb_per_s: speed of that disk [GB/s]; default 6.0
    enable_lora: adapters beside every linear layer; default false
    max_loras: adapters in one batch; default 1
    max_lora_rank: rank of the adapters; default 16
    instances: copies of the engine behind one router; default 1
    tensor_parallel_size: GPUs that share each layer; default 1
    pipeline_parallel_size: GPUs that share the layers out; default 1
    data_parallel_size: replicas; default 1
    decode_context_parallel_size: tensor-parallel GPUs that share out the cached tokens of a request;
        default 1
    prefill_context_parallel_size: further GPUs that share out the new tokens of prompts; default 1
    enable_dp_attention: data-parallel attention within the tensor-parallel GPUs; default false
    enable_expert_parallel: spread experts over the GPUs whole; default false
    all2all_backend: how tokens reach experts (allgather_reducescatter, deepep_high_throughput,
        deepep_low_latency); default "allgather_reducescatter"
    moe_a2a_backend: how tokens reach experts (none, deepep); default "none"
    deepep_mode: which of DeepEP's kernels (auto, normal, low_latency); default "auto"
    routing_policy: how requests are given out to replicas (engine, round_robin, waiting_first,
        least_loaded, prefix_aware, session_sticky, weighted); default "engine"
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
    prefill: the pool that computes prompts
    decode: the pool that produces tokens
    transfer: of keys and values between them
    kv_transfer_path: what carries keys and values between the pools (auto, nvlink, rdma, tcp)
    kv_transfer_overlap: send after the prefill, or layers as they are computed (none, layerwise)
    kv_transfer_bandwidth_gb_per_s: of one GPU, in place of the node record's [GB/s]
    kv_transfer_latency_us: of one transfer, in place of the node record's [us]
    turns: turns of a session
    system_prompt_tokens: tokens at the start of every session
    user_tokens: new tokens of a turn, mean
    output_tokens: tokens of an answer, mean
    think_time_s: between an answer and the next turn, mean
    session_rate: new sessions per second [1/s]
    random_input_len: prompts of random tokens, so many
    random_output_len: tokens that each produces
    random_range_ratio: r: both lengths are drawn from length (1 - r) to length (1 + r)
    random_prefix_len: further tokens at the start, the same in every prompt
    goodput: limits in ms, for example {'ttft': 500, 'tpot': 50}
    details: also arrays with one entry per request
    progress: True for a bar by tqdm, or a function of (done, total)
    """
    fields = {
        "model": model, "gpu": gpu, "setup": setup, "disaggregation": disaggregation, "autoscaling":
        autoscaling, "fleet": fleet, "failures": failures, "source": source, "threads": threads,
        "intervals": intervals, "tuned": tuned, "traced_steps": traced_steps, "trace_from_s":
        trace_from_s, "quantization": quantization, "predictor": predictor, "require_tier":
        require_tier, "framework": framework, "engine_version": engine_version, "expert_routing":
        expert_routing, "vision_encoder": vision_encoder, "image_tokens": image_tokens, "config":
        config, "host": host, "max_instances": max_instances, "min_instances": min_instances,
        "scale_queue_depth": scale_queue_depth, "scale_interval_s": scale_interval_s,
        "instance_startup_s": instance_startup_s, "router_prefix_weight": router_prefix_weight,
        "router_queue_weight": router_queue_weight, "router_kv_weight": router_kv_weight,
        "router_signal_interval_s": router_signal_interval_s, "max_queued_requests":
        max_queued_requests, "request_timeout_s": request_timeout_s, "trace": trace, "workload":
        workload, "sessions": sessions, "clients": clients, "random": random, "requests": requests,
        "rate": rate, "concurrency": concurrency, "request_rate": request_rate, "max_concurrency":
        max_concurrency, "images_per_request": images_per_request, "burstiness": burstiness,
        "user_think_time_s": user_think_time_s, "seed": seed, "engine": engine, "max_num_seqs":
        max_num_seqs, "max_num_batched_tokens": max_num_batched_tokens, "max_model_len":
        max_model_len, "num_gpu_blocks_override": num_gpu_blocks_override,
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
        "frontend_per_token_us": frontend_per_token_us, "prefill": prefill, "decode": decode,
        "transfer": transfer, "kv_transfer_path": kv_transfer_path, "kv_transfer_overlap":
        kv_transfer_overlap, "kv_transfer_bandwidth_gb_per_s": kv_transfer_bandwidth_gb_per_s,
        "kv_transfer_latency_us": kv_transfer_latency_us, "turns": turns, "system_prompt_tokens":
        system_prompt_tokens, "user_tokens": user_tokens, "output_tokens": output_tokens,
        "think_time_s": think_time_s, "session_rate": session_rate, "random_input_len":
        random_input_len, "random_output_len": random_output_len, "random_range_ratio":
        random_range_ratio, "random_prefix_len": random_prefix_len, "goodput": goodput, "details":
        details}
    return SimulationAnswer(ask("simulate", fields, progress))
