"""Which GPUs, how many, how configured, at what cost.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warploom.answers import PlanAnswer
from warploom.session import PathText, Progress, ask, listed


def plan(
    *,
    model: Any,
    gpu_names: Sequence[PathText],
    predictor: PathText | None = None,
    expert_routing: PathText | None = None,
    kv_cache_dtype: PathText | None = None,
    gpu_memory_utilization: float | None = None,
    acceptance_length: float | None = None,
    host_profile: PathText | None = None,
    measured_at: PathText | None = None,
    network: Mapping[str, Any] | None = None,
    space: Mapping[str, Any] | None = None,
    source: Mapping[str, Any] | None = None,
    slo: Mapping[str, Any] | Sequence[PathText] | None = None,
    goodput: Mapping[str, Any] | Sequence[PathText] | None = None,
    goodput_share: float | None = None,
    gpu_count: int | None = None,
    find_max_rate: bool | None = None,
    objective: PathText | None = None,
    price_kind: PathText | None = None,
    prices: PathText | None = None,
    price: Sequence[PathText] | None = None,
    power_price: float | None = None,
    spare_instances: int | None = None,
    day_price: Sequence[PathText] | None = None,
    start_hour: float | None = None,
    growth: float | None = None,
    routing_policy: PathText | None = None,
    fleet: Mapping[str, Any] | None = None,
    unserved_share: float | None = None,
    autoscaling: Mapping[str, Any] | None = None,
    fronts: bool | None = None,
    exhaustive: bool | None = None,
    store: PathText | None = None,
    time_limit_s: float | None = None,
    require_tier: PathText | None = None,
    views: Sequence[PathText] | None = None,
    emit: PathText | None = None,
    check: PathText | None = None,
    threads: int | None = None,
    nic_gb_s: float | None = None,
    nics_per_node: int | None = None,
    oversubscription: float | None = None,
    engines: Sequence[PathText] | None = None,
    tensor_parallel_sizes: Sequence[int] | None = None,
    pipeline_parallel_sizes: Sequence[int] | None = None,
    data_parallel_sizes: Sequence[int] | None = None,
    expert_parallel: PathText | None = None,
    pools: PathText | None = None,
    quantizations: Sequence[PathText] | None = None,
    max_num_seqs: Sequence[int] | None = None,
    max_num_batched_tokens: Sequence[int] | None = None,
    prefix_caching: PathText | None = None,
    speculations: Sequence[PathText] | None = None,
    kv_offloading: Sequence[float] | None = None,
    max_gpus: int | None = None,
    trace: Any = None,
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
    image_tokens: int | None = None,
    burstiness: float | None = None,
    user_think_time_s: float | None = None,
    seed: int | None = None,
    router_prefix_weight: float | None = None,
    router_queue_weight: float | None = None,
    router_kv_weight: float | None = None,
    router_signal_interval_s: float | None = None,
    max_queued_requests: int | None = None,
    request_timeout_s: float | None = None,
    front_ends: int | None = None,
    max_instances: int | None = None,
    min_instances: int | None = None,
    scale_queue_depth: float | None = None,
    scale_interval_s: float | None = None,
    instance_startup_s: float | None = None,
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
    random_range: PathText | None = None,
    progress: Progress = False,
) -> PlanAnswer:
    """Which GPUs, how many, how configured, at what cost.

    model: a name (see `warploom models`) or the path of a config.json
    gpu_names: GPUs to choose from: names or paths of records
    predictor: a folder that `train` wrote, or roofline
    expert_routing: how tokens choose experts: uniform (each token at random, as random weights do),
        balanced (evenly) or power_law:ALPHA (a skew); default power_law:1.2
    kv_cache_dtype: element type of the KV cache, auto for the model's; default "auto"
    gpu_memory_utilization: share of GPU memory that the engine may use
    acceptance_length: mean tokens that a verifying step yields
    host_profile: the machine that runs the engine; default "public_fleet"
    measured_at: where the latencies count from that limits mean: client, its way included, or engine
        (client, engine); default "client"
    network: between nodes, in place of the nodes' records
    space: what may be chosen
    source: what the requests are and when they come
    slo: limits in ms, for example ttft_p95_ms=800
    goodput: limits in ms of one request, for example ttft:500
    goodput_share: share of the requests, and of those of each class, that must meet their limits;
        default 0.95
    gpu_count: exactly so many GPUs; 0: as few as it takes; default 0
    find_max_rate: the highest rate that keeps to the limits; default false
    objective: what is best (cost, gpus, throughput, energy, latency); default "cost"
    price_kind: how GPUs are rented (on_demand, reserved, spot); default "on_demand"
    prices: a list of prices of one's own
    price: GPU=DOLLARS of one GPU for one hour
    power_price: of power, on top [$/kWh]; default 0.0
    spare_instances: instances of each pool that may fail: paid for, and missing in the runs; default 0
    day_price: GPU@FROM-TO=DOLLARS of one GPU for one hour between two hours of the day
    start_hour: of the day, when the load begins, where pools scale; default 0.0
    growth: factor of the load; default 1.0
    routing_policy: how requests are given out to instances (engine, round_robin, waiting_first,
        least_loaded, prefix_aware, session_sticky, weighted); default "engine"
    fleet: what the router in front knows and refuses
    unserved_share: of the requests may be turned away or time out; default 0.0
    autoscaling: fleets are what a pool may grow to, and what it holds is paid for
    fronts: also every point of the Pareto fronts, not the best alone; default true
    exhaustive: simulate whatever can run, for checking the search; default false
    store: file of runs, from which a stopped search goes on
    time_limit_s: stop with the best so far; 0: none; default 0.0
    require_tier: measured: refuse kernels that never were
    views: also the plan as a picture: svg, both fronts
    emit: also what starts the best deployment: k8s, llm-d, dynamo or the engine's name
    check: a benchmark's result, compared with the promise
    threads: 0: as many as the machine has. No effect on results; default 0
    nic_gb_s: of one network adapter, one direction, in place of the node record's [GB/s]
    nics_per_node: network adapters of one node, in place of the node record's
    oversubscription: bandwidth of the adapters over that of the switches above them; absent: 1
    engines: engines to choose from, NAME or NAME:VERSION
    tensor_parallel_sizes: GPUs that share each layer; default [1, 2, 4, 8]
    pipeline_parallel_sizes: GPUs that share the layers out; default [1]
    data_parallel_sizes: attention groups of one instance, of mixtures of experts; default [1]
    expert_parallel: experts spread over the GPUs whole (off, on, both); default "both"
    pools: prefill and decode in one pool, apart, or either (aggregated, disaggregated, both); default
        "aggregated"
    quantizations: schemes of the linear layers, stored for the checkpoint's own
    max_num_seqs: requests in a batch; none: the engine's default
    max_num_batched_tokens: new tokens in a step; none: the engine's default
    prefix_caching: reuse the KV blocks of equal prefixes (off, on, both); default "on"
    speculations: none or METHOD:TOKENS, for example eagle3:3
    kv_offloading: host memory for evicted prefixes [GiB]
    max_gpus: most GPUs of a deployment; default 64
    trace: a recorded trace (CSV or JSONL); or; also a frame, a table of pyarrow or a Parquet file
    workload: a fitted workload: conversation, ...; or
    sessions: conversations of several turns; or
    clients: a file of clients: classes, tenants, arrivals, windows; or
    random: the random data set of `vllm bench serve`
    requests: how many requests; default 1000, or the whole trace
    rate: in place of the recorded ones [requests/s]
    concurrency: closed loop with this many requests in flight
    request_rate: as `vllm bench serve` sends them [requests/s]
    max_concurrency: most requests in flight; without a rate a closed loop
    images_per_request: images before every prompt
    image_tokens: tokens of an image; default 1024
    burstiness: with a rate: shape of gamma gaps, 1 Poisson, below it bursts
    user_think_time_s: with `concurrency`: mean time before a user's next request
    seed: of what is drawn; default 1
    router_prefix_weight: of the share of a prompt that a replica has cached; default 3.0
    router_queue_weight: of how few requests wait at a replica; default 2.0
    router_kv_weight: of how much of a replica's cache is free; default 2.0
    router_signal_interval_s: time between two looks of the router at the load; 0: it sees every change;
        default 0.0
    max_queued_requests: waiting requests of an instance beyond which others are turned away; 0: any
        number; default 0
    request_timeout_s: after which a client leaves; 0: never; default 0.0
    front_ends: processes between clients and engines that share the work on prompts; 0: one an instance;
        default 0
    max_instances: most instances of a pool; 0: its size stays; default 0
    min_instances: fewest instances of a pool; default 1
    scale_queue_depth: waiting requests of an instance above which another starts; default 8.0
    scale_interval_s: time between two looks at the load; default 10.0
    instance_startup_s: from the decision to the first request served; default 60.0
    turns: turns of a session
    system_prompt_tokens: tokens at the start of every session
    user_tokens: new tokens of a turn, mean
    output_tokens: tokens of an answer, mean
    think_time_s: between an answer and the next turn, mean
    session_rate: new sessions per second [1/s]
    random_input_len: prompts of random tokens, so many
    random_output_len: tokens that each produces
    random_range_ratio: r: both lengths are drawn from length (1 - r) to length (1 + r); see random_range
    random_prefix_len: further tokens at the start, the same in every prompt
    random_range: what r means: around, as vLLM has it; up_to, from length r to length, as InferenceX
        does (around, up_to)
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "model": model, "gpu_names": listed(gpu_names), "predictor": predictor, "expert_routing":
        expert_routing, "kv_cache_dtype": kv_cache_dtype, "gpu_memory_utilization":
        gpu_memory_utilization, "acceptance_length": acceptance_length, "host_profile":
        host_profile, "measured_at": measured_at, "network": network, "space": space, "source":
        source, "slo": listed(slo), "goodput": listed(goodput), "goodput_share": goodput_share,
        "gpu_count": gpu_count, "find_max_rate": find_max_rate, "objective": objective,
        "price_kind": price_kind, "prices": prices, "price": listed(price), "power_price":
        power_price, "spare_instances": spare_instances, "day_price": listed(day_price),
        "start_hour": start_hour, "growth": growth, "routing_policy": routing_policy, "fleet":
        fleet, "unserved_share": unserved_share, "autoscaling": autoscaling, "fronts": fronts,
        "exhaustive": exhaustive, "store": store, "time_limit_s": time_limit_s, "require_tier":
        require_tier, "views": listed(views), "emit": emit, "check": check, "threads": threads,
        "nic_gb_s": nic_gb_s, "nics_per_node": nics_per_node, "oversubscription": oversubscription,
        "engines": listed(engines), "tensor_parallel_sizes": listed(tensor_parallel_sizes),
        "pipeline_parallel_sizes": listed(pipeline_parallel_sizes), "data_parallel_sizes":
        listed(data_parallel_sizes), "expert_parallel": expert_parallel, "pools": pools,
        "quantizations": listed(quantizations), "max_num_seqs": listed(max_num_seqs),
        "max_num_batched_tokens": listed(max_num_batched_tokens), "prefix_caching": prefix_caching,
        "speculations": listed(speculations), "kv_offloading": listed(kv_offloading), "max_gpus":
        max_gpus, "trace": trace, "workload": workload, "sessions": sessions, "clients": clients,
        "random": random, "requests": requests, "rate": rate, "concurrency": concurrency,
        "request_rate": request_rate, "max_concurrency": max_concurrency, "images_per_request":
        images_per_request, "image_tokens": image_tokens, "burstiness": burstiness,
        "user_think_time_s": user_think_time_s, "seed": seed, "router_prefix_weight":
        router_prefix_weight, "router_queue_weight": router_queue_weight, "router_kv_weight":
        router_kv_weight, "router_signal_interval_s": router_signal_interval_s,
        "max_queued_requests": max_queued_requests, "request_timeout_s": request_timeout_s,
        "front_ends": front_ends, "max_instances": max_instances, "min_instances": min_instances,
        "scale_queue_depth": scale_queue_depth, "scale_interval_s": scale_interval_s,
        "instance_startup_s": instance_startup_s, "turns": turns, "system_prompt_tokens":
        system_prompt_tokens, "user_tokens": user_tokens, "output_tokens": output_tokens,
        "think_time_s": think_time_s, "session_rate": session_rate, "random_input_len":
        random_input_len, "random_output_len": random_output_len, "random_range_ratio":
        random_range_ratio, "random_prefix_len": random_prefix_len, "random_range": random_range}
    return PlanAnswer(ask("plan", fields, progress))
