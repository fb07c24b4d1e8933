"""Requests whose answers have parts that others lack: with them tools/make_answer_types sees every key."""

LLAMA = {"model": "Llama-3.1-8B", "gpu": "H100-SXM"}
SHORT = {**LLAMA, "random_input_len": 300, "random_output_len": 40, "requests": 40, "intervals": False}
MIXTURE = {"model": "Qwen3-30B-A3B", "gpu": "H200", "tensor_parallel_size": 2, "data_parallel_size": 2}
DRAFTS = '{"method": "eagle3", "num_speculative_tokens": 3}'
LOAD = {"random_input_len": 300, "random_output_len": 50, "rate": 30, "requests": 40}
PLAN = {"model": "Llama-3.1-8B", "gpu_names": ["H100-SXM", "H200"], "slo": ["ttft_p95_ms=800"], **LOAD}
FIXTURES = "@src/tests/fixtures"


def runs():
    yield {**SHORT, "goodput": {"ttft": 200, "tpot": 30}, "details": True, "intervals": True}
    yield {**SHORT, "views": ["perfetto"], "traced_steps": 3}
    yield {**SHORT, "request_rate": 60, "max_instances": 3, "scale_queue_depth": 2, "scale_interval_s": 0.1}
    yield {**SHORT, "concurrency": 4, "enable_lora": True}
    yield {**SHORT, "request_rate": 50, "instances": 2, "max_queued_requests": 1, "request_timeout_s": 0.2}
    yield {**SHORT, "speculative_config": DRAFTS, "acceptance_length": 2.5}
    yield {**SHORT, "num_gpu_blocks_override": 200, "kv_offloading_size": 8}
    yield {**SHORT, "instances": 2, "kv_store_size": 10, "kv_peers": "any"}
    failure = {"instance": 0, "at_s": 0.3, "down_s": 1}
    yield {**SHORT, "request_rate": 20, "instances": 2, "failures": [failure]}
    yield {**MIXTURE, "enable_expert_parallel": True, "requests": 30, "intervals": False}
    seen = {**SHORT, "model": "Qwen3-VL-8B-Instruct", "images_per_request": 2, "image_size": "640x480"}
    yield {**seen, "encoder_instances": 2}
    yield {**SHORT, "thinking_tokens": 20, "thinking_token_budget": 30}
    yield {**LLAMA, "sessions": {"sessions": 6}, "intervals": False}
    yield {**LLAMA, "clients": f"{FIXTURES}/options/clients.json", "rate": 20, "requests": 40}
    yield {
        "disaggregation": {"prefill": LLAMA, "decode": LLAMA, "transfer": {}},
        **{key: value for key, value in SHORT.items() if key not in LLAMA},
    }


def plans():
    yield PLAN
    yield {**PLAN, "slo": ["ttft_p95_ms=0.001"]}
    yield {**PLAN, "goodput": ["ttft:300"], "goodput_share": 0.9, "slo": []}
    yield {**PLAN, "engines": ["vllm", "sglang"], "tensor_parallel_sizes": [1, 2], "pools": "both"}
    yield {**PLAN, "whole_nodes": True}
    seen = {**PLAN, "model": "Qwen3-VL-8B-Instruct", "images_per_request": 1, "image_size": "640x480"}
    yield {**seen, "encoder_instances": [1]}
    yield {**PLAN, "kv_store_size": 50, "kv_peers": "any", "shared_caches": "both"}
    wide = {**PLAN, "model": "Qwen3-30B-A3B", "data_parallel_sizes": [4], "expert_parallel": "on"}
    yield {**wide, "moe_exchanges": ["collectives"], "pools": "both", "max_gpus": 16}
    yield {**PLAN, "rent": ["reserved=0.5", "on_demand"], "max_power_kw": 60}
    most = {key: value for key, value in PLAN.items() if key != "rate"}
    yield {**most, "find_max_rate": True, "gpu_count": 4}
    yield {**PLAN, "max_instances": 3, "day_price": ["H100-SXM@8-20=9"], "exhaustive": True}


def varied_requests():
    """(request, fields); "@src" is the source tree, "@out" a folder with the inputs of measured_requests."""
    for fields in runs():
        yield "simulate", fields
    for fields in plans():
        yield "plan", fields
    measured = [f"{FIXTURES}/clients/vllm_bench.json"]
    curve = {**SHORT, "requests": 8, "request_rates": [5, 10], "quantizations": ["bf16", "fp8"]}
    yield "curve", {**curve, "measured": measured, "views": ["svg", "csv"]}
    yield "curve", {**SHORT, "requests": 8, "max_concurrencies": [1, 2], "intervals": True}
    observed = {**LLAMA, "metrics": f"{FIXTURES}/forecast/later.txt", "window_s": 60, "requests": 40}
    yield "forecast", observed
    # Prompts longer than the budget must be split: a lever that is refused.
    yield "forecast", {**observed, "max_num_batched_tokens": 512, "scale": [2]}
    yield "step", {**MIXTURE, "enable_expert_parallel": True, "decode": "8x100", "prefill": "1x2000"}
    yield "static", {**MIXTURE, "enable_expert_parallel": True, "batch": 4, "input_tokens": 900,
                      "output_tokens": 60}
    sweep = {"layout": "warploom", "data": [f"{FIXTURES}/collector/h200/check/sweep.csv.gz"]}
    yield "diagnose", {"gpu": "H200", **sweep}
    rows = {"layout": "warploom", "data": ["@out/gpus.csv"], "all_rows": True}
    yield "validate_kernels", {**rows, "baselines": ["linear"], "baseline_data": ["@out/more_gpus.csv"]}
    for name in ("V100-SXM-32GB", "GB200", "RTX PRO 6000", "MI355X", "L4", "A100-SXM-80GB"):
        yield "gpu", {"name": name}
    for name in ("DeepSeek-V3", "gpt-oss-120b", "Llama-3.1-8B"):
        yield "models", {"name": name}
    yield "prices", {"gpus": ["GB200", "L4"]}
    yield "support", {"supported_models": ["DeepSeek-V3"]}
    yield "moe_config", {"gpu": "H200", "experts": 128, "top_k": 8, "hidden": 2048, "intermediate": 768}
    narrow = {"engine": "sglang", "quantization": "fp8_block"}
    yield "tuned_files", {"model": "Qwen/Qwen3-8B", "gpu": "L40S", **narrow}
    onboarded, probe = f"{FIXTURES}/options/onboarded", f"{FIXTURES}/options/probe.json"
    yield "calibrate_machine", {"onboarded": onboarded, "output": "@out/machine_1.json"}
    yield "calibrate_machine", {"probe": probe, "output": "@out/machine_2.json"}
    yield "predict", {"gpu": "H200", "family": "allreduce", "ranks": 2, "size_bytes": 1 << 20}
    product = {"family": "gemm", "m": 64, "n": 4096, "k": 4096}
    yield "predict", {"gpu": "GB200", **product, "predictor": "roofline"}
