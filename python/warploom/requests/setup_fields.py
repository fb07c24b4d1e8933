"""Fields of a model's setup, the same for each request that has one.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warploom.requests.host_fields import HostFields
from warploom.session import PathText


class SetupFields(HostFields, total=False):
    """Fields of a model's setup, the same for each request that has one.

    quantization: every linear layer in this scheme, for example fp8
    predictor: a folder that `train` wrote, or roofline
    require_tier: measured: refuse kernels that never were
    framework: whose kernels and host constants are used; absent: the engine's
    engine_version: version whose kernels are priced
    engine_day: day of a build that is no release, as 20260402: its defaults are no newer
    expert_routing: how tokens choose experts: uniform (each token at random, as random weights do),
        balanced (evenly) or power_law:ALPHA (a skew); default power_law:1.2
    vision_encoder: a vision_config as JSON, or the path of a config.json that has one
    image_tokens: tokens of an image; default 0
    config: the engine's configuration
    network: between nodes, in place of the node's record
    host: constants of the host in place of the engine's
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
    cudagraph_capture_sizes: tokens of every step captured as a CUDA graph, in place of the engine's rule
    schedule_conservativeness: factor of the output that admission expects; default 1.0
    enable_mixed_chunk: decode in the steps that prefill; default false
    scheduler_recv_interval: decode steps between two looks for new requests; default 1
    moe_backend: kernels of the experts (auto, triton, flashinfer_cutlass, flashinfer_trtllm, marlin,
        deep_gemm, flashinfer_cutedsl); default "auto"
    fp8_gemm_backend: kernels of block-scaled products (auto, deep_gemm, flashinfer_trtllm); default
        "auto"
    enable_flashinfer_allreduce_fusion: all-reduces of few tokens add and normalise; absent: as the
        engine chooses
    capacity_scheduler_policy: when a request may start (guaranteed_no_evict, max_utilization); default
        "guaranteed_no_evict"
    batch_wait_timeout_iters: steps that new prompts wait for more of them while others decode; default 0
    batch_wait_max_tokens_ratio: share of a step's tokens at which they wait no longer; default 0.0
    attention_dp_balance: ranks of data-parallel attention start their prompts together; default false
    attention_dp_timeout_iters: steps after which prompts start though some rank has none; default 50
    attention_dp_batching_wait_iters: steps that prompts wait for more of them once every rank has one;
        default 10
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
    kv_fetch: which prefixes come back from host memory and disk (faster, always); default "faster"
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
    nic_gb_s: of one network adapter, one direction, in place of the node record's [GB/s]
    nics_per_node: network adapters of one node, in place of the node record's
    oversubscription: bandwidth of the adapters over that of the switches above them; absent: 1
    """

    quantization: PathText | None
    predictor: PathText | None
    require_tier: PathText | None
    framework: PathText | None
    engine_version: PathText | None
    engine_day: PathText | None
    expert_routing: PathText | None
    vision_encoder: PathText | None
    image_tokens: int | None
    config: Mapping[str, Any] | None
    network: Mapping[str, Any] | None
    host: Mapping[str, Any] | None
    engine: PathText | None
    max_num_seqs: int | None
    max_num_batched_tokens: int | None
    max_model_len: int | None
    num_gpu_blocks_override: int | None
    long_prefill_token_threshold: int | None
    block_size: int | None
    gpu_memory_utilization: float | None
    chunked_prefill_size: int | None
    kv_cache_dtype: PathText | None
    enable_chunked_prefill: bool | None
    enable_prefix_caching: bool | None
    scheduler_reserve_full_isl: bool | None
    async_scheduling: bool | None
    enforce_eager: bool | None
    cudagraph_mode: PathText | None
    max_cudagraph_capture_size: int | None
    cudagraph_capture_sizes: Sequence[int] | None
    schedule_conservativeness: float | None
    enable_mixed_chunk: bool | None
    scheduler_recv_interval: int | None
    moe_backend: PathText | None
    fp8_gemm_backend: PathText | None
    enable_flashinfer_allreduce_fusion: bool | None
    capacity_scheduler_policy: PathText | None
    batch_wait_timeout_iters: int | None
    batch_wait_max_tokens_ratio: float | None
    attention_dp_balance: bool | None
    attention_dp_timeout_iters: int | None
    attention_dp_batching_wait_iters: int | None
    scheduling_policy: PathText | None
    schedule_policy: PathText | None
    speculative_config: PathText | None
    speculative_algorithm: PathText | None
    speculative_draft_model_path: PathText | None
    speculative_num_steps: int | None
    speculative_eagle_topk: int | None
    speculative_num_draft_tokens: int | None
    acceptance_rates: Sequence[float] | None
    acceptance_length: float | None
    proposal_rate: float | None
    kv_offloading_size: float | None
    kv_offloading_backend: PathText | None
    enable_hierarchical_cache: bool | None
    hicache_ratio: float | None
    hicache_size: float | None
    kv_disk_size: float | None
    kv_disk_bandwidth_gb_per_s: float | None
    kv_fetch: PathText | None
    enable_lora: bool | None
    max_loras: int | None
    max_lora_rank: int | None
    instances: int | None
    tensor_parallel_size: int | None
    pipeline_parallel_size: int | None
    data_parallel_size: int | None
    decode_context_parallel_size: int | None
    prefill_context_parallel_size: int | None
    enable_dp_attention: bool | None
    enable_expert_parallel: bool | None
    all2all_backend: PathText | None
    moe_a2a_backend: PathText | None
    deepep_mode: PathText | None
    routing_policy: PathText | None
    nic_gb_s: float | None
    nics_per_node: int | None
    oversubscription: float | None
