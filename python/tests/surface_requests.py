"""Sixty and more requests, each with the command that asks the same: for test_surfaces."""

LLAMA = {"model": "Llama-3.1-8B", "gpu": "H100-SXM"}
SIZES = {"input_tokens": 1024, "output_tokens": 128}
RUNS = "tests/fixtures/engine/vllm_0_24_h200/serving/"


def _predict():
    gemm = {"family": "gemm", "n": 4096, "k": 4096}
    for gpu, m, more in (
        ("H100-SXM", 64, {}),
        ("H200", 4096, {"scheme": "fp8"}),
        ("B200", 7, {"scheme": "nvfp4"}),
        ("A100-SXM-80GB", 300, {"batch": 4}),
        ("L40S", 1, {}),
        ("T4", 512, {"scheme": "fp16"}),
        ("MI300X", 512, {}),
        ("RTX PRO 6000", 333, {}),
        ("H20", 64, {"scheme": "fp8_block"}),
        ("H100-SXM", 16, {"framework": "vllm"}),
        ("H200", 16, {"framework": "sglang"}),
        ("B200", 16, {"framework": "trtllm", "scheme": "fp8"}),
        ("H100-SXM", 16, {"predictor": "roofline"}),
    ):
        yield {**gemm, "gpu": gpu, "m": m, **more}
    for family, gpu, more in (
        (
            "attention_prefill",
            "H200",
            {"batch": 2, "tokens": 1500, "context": 300, "heads": 32, "kv_heads": 8},
        ),
        ("attention_prefill", "B200", {"batch": 1, "tokens": 8192, "heads": 16, "kv_heads": 2}),
        ("attention_decode", "H100-SXM", {"batch": 64, "context": 2000, "heads": 8, "kv_heads": 1}),
        (
            "attention_decode",
            "A100-SXM-80GB",
            {"batch": 3, "context": 30000, "window": 1024, "heads": 32, "kv_heads": 8},
        ),
        ("mla_prefill", "H200", {"batch": 2, "tokens": 800}),
        ("mla_decode", "H200", {"batch": 32, "context": 4000}),
        ("moe", "H200", {"tokens": 64, "hidden": 2048, "intermediate": 768, "experts": 128, "top_k": 8}),
        (
            "moe",
            "H200",
            {
                "tokens": 16,
                "hidden": 2048,
                "intermediate": 768,
                "experts": 128,
                "top_k": 8,
                "expert_routing": "uniform",
            },
        ),
        ("activation", "H100-SXM", {"tokens": 16, "width": 14336}),
        ("rmsnorm", "L40S", {"tokens": 300, "width": 5120}),
        ("allreduce", "H100-SXM", {"ranks": 8, "size_bytes": 1 << 20}),
        ("alltoall", "H200", {"ranks": 4, "size_bytes": 1 << 22}),
        ("quantize", "H100-SXM", {"rows": 512, "width": 4096}),
    ):
        yield {"family": family, "gpu": gpu, **more}


def _steps():
    yield {**LLAMA, "decode": "16x1500"}
    yield {**LLAMA, "prefill": "1x512", "decode": "32x900"}
    yield {**LLAMA, "decode": "8x100", "enforce_eager": True}
    yield {**LLAMA, "decode": "8x100", "async_scheduling": False}
    yield {**LLAMA, "prefill": "4x1024", "host_profile": "xeon_16_cores"}
    yield {"model": "Qwen3-30B-A3B", "gpu": "H200", "engine": "sglang", "decode": "8x2000"}
    yield {
        "model": "Llama-3.1-70B",
        "gpu": "B200",
        "tensor_parallel_size": 4,
        "engine": "trtllm",
        "decode": "4x1500",
    }
    yield {"model": "Mixtral-8x7B-v0.1", "gpu": "H200", "decode": "8x100", "expert_routing": "uniform"}
    yield {"model": "Llama-3.1-8B", "gpu": "L40S", "quantization": "fp8", "decode": "8x100"}
    yield {"model": "DeepSeek-V3", "gpu": "B200", "tensor_parallel_size": 8, "decode": "64x1000"}


def _runs():
    short = {**LLAMA, "requests": 60}
    yield {**short, "workload": "conversation"}
    yield {**short, "workload": "conversation", "rate": 3.5, "seed": 7}
    yield {**short, "workload": "conversation", "concurrency": 8}
    yield {**short, "workload": "conversation", "engine": "sglang"}
    yield {**short, "workload": "conversation", "engine": "trtllm", "enable_chunked_prefill": True}
    yield {**short, "workload": "conversation", "max_num_seqs": 8, "max_num_batched_tokens": 512}
    yield {**short, "random_input_len": 300, "random_output_len": 40, "request_rate": 4}
    yield {**short, "workload": "conversation", "instances": 2, "routing_policy": "least_loaded"}
    yield {**short, "workload": "conversation", "details": True}
    yield {**LLAMA, "sessions": {"sessions": 20}}


def _loads():
    curve = {**LLAMA, "random_input_len": 300, "random_output_len": 20, "requests": 20}
    yield "curve", "curve", {**curve, "max_concurrencies": [1, 4]}
    yield "curve", "curve", {**curve, "tp_sizes": [1, 2], "engines": ["vllm", "sglang"]}
    observed = {**LLAMA, "metrics": "@src/tests/fixtures/forecast/later.txt", "window_s": 60}
    yield "forecast", "forecast", {**observed, "requests": 40, "scale": [2]}


def _others():
    yield from _loads()
    yield "static", "static", {**LLAMA, "batch": 16, "input_tokens": 1024, "output_tokens": 64}
    yield "static", "static", {
        "model": "Llama-3.1-70B",
        "gpu": "H200",
        "tensor_parallel_size": 2,
        "batch": 4,
        **SIZES,
    }
    yield "static", "static", {**LLAMA, **SIZES, "engine": "sglang"}
    yield "diagnose", "diagnose", {**LLAMA, "batch": 4, "input_tokens": 256, "output_tokens": 32}
    yield "diagnose", "diagnose", {**LLAMA, **SIZES, "batch": 64, "quantile": 0.9}
    yield "gpus", "gpus", {}
    for name in ("h100_sxm", "B200", "mi300x"):
        yield f"gpu show {name}", "gpu", {"name": name}
    yield "models", "models", {}
    yield "models Qwen3-30B-A3B", "models", {"name": "Qwen3-30B-A3B"}
    for request in ("simulate", "predict", "train"):
        yield f"schema {request}", "schema", {"name": request}
    for run in ("llama8b_light", "qwen30b_light", "mixtral_light"):
        yield "validate serving", "validate_serving", {
            "run": f"@src/{RUNS}{run}.json",
            "requests": f"@src/{RUNS}{run}.csv.gz",
        }
    load = {
        "rate": 5,
        "random_input_len": 300,
        "random_output_len": 50,
        "requests": 50,
        "slo": ["ttft_p95_ms=800"],
    }
    yield "plan", "plan", {"model": "Llama-3.1-8B", "gpu_names": ["H100-SXM", "L40S"], **load}
    yield "plans", "plans", {"file": "@src/tests/fixtures/plans/two_plans.yaml"}
    yield "convert-clients", "convert_clients", {
        "client_layout": "inference-perf",
        "path": "@src/tests/fixtures/plans/inference_perf.yaml",
        "output": "@out/clients.json",
    }
    yield "prices", "prices", {}
    yield "prices", "prices", {"gpus": ["H100-SXM", "P4"], "price_kind": "spot"}
    yield "support", "support", {"supported_models": ["Llama-3.1-8B"]}
    sweep = {"layout": "warploom", "data": ["@src/tests/fixtures/collector/h200/check/sweep.csv.gz"]}
    yield "validate kernels", "validate_kernels", sweep
    samples = ["@src/tests/fixtures/tuner/gemm_anchors.csv.gz"]
    yield "tune fit", "tune_fit", {"gpu": "H200", "samples": samples, "output": "@out/gemm.wlt"}
    oracle = ["@src/tests/fixtures/tuner/gemm_exhaustive.csv.gz"]
    yield "tune regret", "tune_regret", {
        "table": "@out/gemm.wlt",
        "oracle": oracle,
        "with_baselines": False,
    }
    yield "moe-config", "moe_config", {"model": "Qwen3-30B-A3B", "gpu": "H100-SXM"}
    yield "tuned-files", "tuned_files", {"model": "Qwen/Qwen3-30B-A3B-FP8", "gpu": "H100-SXM"}
    yield "sweep-plan", "sweep_plan", {
        "gpu": "H100-SXM",
        "operators": 50,
        "like": ["Llama-3.1-8B"],
        "output": "@out/plan.csv",
    }


def all_requests():
    """(words of the command, request, fields). "@src" is the source tree, "@out" a folder of the caller."""
    found = [(f"predict {fields['family']}", "predict", fields) for fields in _predict()]
    found += [("step", "step", fields) for fields in _steps()]
    found += [("simulate", "simulate", fields) for fields in _runs()]
    return found + list(_others())
