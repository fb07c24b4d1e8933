"""A whole serving run.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from warploom.answers import SimulationAnswer
from warploom.session import PathText, Progress, ask, listed

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from warploom.requests.setup_fields import SetupFields


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
    tuned: Any = None,
    views: Sequence[PathText] | None = None,
    traced_steps: int | None = None,
    trace_from_s: float | None = None,
    goodput: Mapping[str, Any] | None = None,
    details: bool | None = None,
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
    front_ends: int | None = None,
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
    burstiness: float | None = None,
    user_think_time_s: float | None = None,
    seed: int | None = None,
    ttft: float | None = None,
    tpot: float | None = None,
    e2el: float | None = None,
    prefill: Mapping[str, Any] | None = None,
    decode: Mapping[str, Any] | None = None,
    transfer: Mapping[str, Any] | None = None,
    kv_transfer_path: PathText | None = None,
    kv_transfer_overlap: PathText | None = None,
    kv_transfer_bandwidth_gb_per_s: float | None = None,
    kv_transfer_latency_us: float | None = None,
    kv_transfer_handshake_ms: float | None = None,
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
    **setup_fields: Unpack[SetupFields],
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
    tuned: the .warploom.json of `moe-config` or a .wlt of `tune fit`: a run with it, and the change;
        also a frame, a table of pyarrow or a Parquet file
    views: also the run as other programs show it: perfetto, aiperf
    traced_steps: steps in the view `perfetto`; default 50
    trace_from_s: first of them at this time of the run; default 0.0
    goodput: limits, and which share of the requests meets them
    details: also arrays with one entry per request; default false
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
    front_ends: processes between clients and engines that share the work on prompts; 0: one an instance;
        default 0
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
    burstiness: with a rate: shape of gamma gaps, 1 Poisson, below it bursts
    user_think_time_s: with `concurrency`: mean time before a user's next request
    seed: of what is drawn; default 1
    ttft: longest time to the first token [ms]
    tpot: longest time per output token after the first [ms]
    e2el: longest time to the last token [ms]
    prefill: the pool that computes prompts
    decode: the pool that produces tokens
    transfer: of keys and values between them
    kv_transfer_path: what carries keys and values between the pools (auto, nvlink, rdma, tcp)
    kv_transfer_overlap: send after the prefill, or layers as they are computed (none, layerwise)
    kv_transfer_bandwidth_gb_per_s: of one GPU, in place of the node record's [GB/s]
    kv_transfer_latency_us: of one transfer, in place of the node record's [us]
    kv_transfer_handshake_ms: of one transfer before its first byte, in place of the host profile's [ms]
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
    setup_fields: those of SetupFields, by name: the engine, its flags and its host

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "model": model, "gpu": gpu, "setup": setup, "disaggregation": disaggregation, "autoscaling":
        autoscaling, "fleet": fleet, "failures": listed(failures), "source": source, "threads":
        threads, "intervals": intervals, "tuned": tuned, "views": listed(views), "traced_steps":
        traced_steps, "trace_from_s": trace_from_s, "goodput": goodput, "details": details,
        "max_instances": max_instances, "min_instances": min_instances, "scale_queue_depth":
        scale_queue_depth, "scale_interval_s": scale_interval_s, "instance_startup_s":
        instance_startup_s, "router_prefix_weight": router_prefix_weight, "router_queue_weight":
        router_queue_weight, "router_kv_weight": router_kv_weight, "router_signal_interval_s":
        router_signal_interval_s, "max_queued_requests": max_queued_requests, "request_timeout_s":
        request_timeout_s, "front_ends": front_ends, "trace": trace, "workload": workload,
        "sessions": sessions, "clients": clients, "random": random, "requests": requests, "rate":
        rate, "concurrency": concurrency, "request_rate": request_rate, "max_concurrency":
        max_concurrency, "images_per_request": images_per_request, "burstiness": burstiness,
        "user_think_time_s": user_think_time_s, "seed": seed, "ttft": ttft, "tpot": tpot, "e2el":
        e2el, "prefill": prefill, "decode": decode, "transfer": transfer, "kv_transfer_path":
        kv_transfer_path, "kv_transfer_overlap": kv_transfer_overlap,
        "kv_transfer_bandwidth_gb_per_s": kv_transfer_bandwidth_gb_per_s, "kv_transfer_latency_us":
        kv_transfer_latency_us, "kv_transfer_handshake_ms": kv_transfer_handshake_ms, "turns":
        turns, "system_prompt_tokens": system_prompt_tokens, "user_tokens": user_tokens,
        "output_tokens": output_tokens, "think_time_s": think_time_s, "session_rate": session_rate,
        "random_input_len": random_input_len, "random_output_len": random_output_len,
        "random_range_ratio": random_range_ratio, "random_prefix_len": random_prefix_len,
        "random_range": random_range, **setup_fields}
    return SimulationAnswer(ask("simulate", fields, progress))
