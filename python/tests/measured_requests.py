"""Requests that read measured data or write files, with the small inputs that they need."""

import json
from pathlib import Path

STATIC_COLUMNS = (
    "hardware,tp,pp,engine,model,workload,batch_size,output_len,"
    "real_prefill_ms,real_decode_ms,real_total_ms"
)
STEPS = "kind,batch,wall_ms\nprefill,1x64,12\nprefill,1x1000,30\ndecode,4x500,8\ndecode,64x500,11\n"
BENCHMARK_COLUMNS = (
    "id,dump,concurrency,wip,backend,backend_version,model_path,system,precision,mode,isl,osl,"
    "gemm_quant_mode,moe_quant_mode,tp_size,pp_size,attention_dp_size,moe_tp_size,moe_ep_size,"
    "silicon_ttft_ms,silicon_tpot_ms"
)
GEMM_ROWS = 240  # of each GPU: enough for a split by shape
FIXTURES = "@src/tests/fixtures"


def gemm_row(row, gpu, scale):
    """A product whose made-up time grows with its work and its traffic."""
    m = (16, 64, 256, 1024, 2048, 4096)[row % 6] + 8 * (row // 60)
    n, k = (256, 1024, 4096, 6144, 14336)[row % 5], (512, 2048, 4096, 8192)[row // 5 % 4]
    us = 4 + m * n * k / 3e8 + (m * k + n * k + m * n) / 1.4e6
    operator = {"family": "gemm", "scheme": "int8" if row % 2 else "bf16", "m": m, "n": n, "k": k}
    quoted = json.dumps(operator).replace('"', '""')
    return f'{gpu},vllm,{scale * us * (1 + 0.01 * (row * 7 % 13)):.3f},"{quoted}"'


def gemm_rows(*gpus):
    rows = [gemm_row(row, gpu, scale) for gpu, scale in gpus for row in range(GEMM_ROWS)]
    return "\n".join(["gpu,framework,latency_us,operator", *rows]) + "\n"


def benchmark_row(concurrency):
    engine = "vllm,0.10.0,Qwen/Qwen3-32B,h100_sxm,bf16,agg"
    return f"row{concurrency},2025-06-01.csv,{concurrency},0,{engine},1024,256,,,4,1,1,,,50,15"


def write_inputs(folder):
    """Puts the files that these requests name as @out/... into the folder."""
    texts = {
        "gpus.csv": gemm_rows(("h100", 1.0), ("h200", 0.9), ("a100", 2.5)),
        "more_gpus.csv": gemm_rows(("h100", 1.1), ("h200", 0.8), ("l40s", 3.0)),
        "batches.csv": f"{STATIC_COLUMNS}\nH100,1,1,sglang,Qwen2.5-14B,ragged,2,5,10,2,18\n",
        "prompts.csv": "workload,request,num_prefill_tokens\nragged,0,700\nragged,1,300\n",
        "steps.csv": STEPS,
        "benchmarks.csv": "\n".join([BENCHMARK_COLUMNS, *map(benchmark_row, (2, 4, 6))]) + "\n",
    }
    for name, text in texts.items():
        (Path(folder) / name).write_text(text)


def training_requests():
    """(words, request, fields) that need the training libraries, each after those whose files it reads."""
    gpus = {"layout": "warploom", "data": ["@out/gpus.csv"]}
    sweep = f"{FIXTURES}/collector/h200/check/sweep.csv.gz"
    yield "train", "train", {**gpus, "threads": 1, "output": "@out/trained"}
    yield "calibrate", "calibrate", {
        "gpu": "H200",
        "data": sweep,
        "threads": 1,
        "output": "@out/calibrated",
    }
    yield "train-ceilings", "train_ceilings", {**gpus, "rows": 600, "output": "@out/ceilings"}
    left_out = {"leave_out": "gpu", "only_left_out": ["h100"], "threads": 1}
    counts = {"rows_per_gpu": 500, "judged_rows": 20, "fewest_rows": 50}
    yield "validate kernels", "validate_leave_out", {**gpus, **left_out, **counts}


def reading_requests():
    """(words, request, fields) of measured data that train nothing."""
    yield "import", "import", {"layout": "warploom", "paths": ["@out/gpus.csv"], "store": "@out/rows.db"}
    yield "validate kernels", "validate_kernels", {"store": "@out/rows.db", "predictor": "roofline"}
    yield "validate ceilings", "validate_ceilings", {
        "layout": "warploom",
        "data": [f"{FIXTURES}/collector/h200/check/sweep.csv.gz"],
        "families": ["gemm"],
    }
    yield "validate static", "validate_static", {
        "truth": "@out/batches.csv",
        "requests": "@out/prompts.csv",
    }
    yield "validate concurrency", "validate_concurrency", {"truth": "@out/benchmarks.csv", "threads": 1}
    yield "calibrate-host", "calibrate_host", {
        "steps": ["@out/steps.csv"],
        "model": "Llama-3.1-8B",
        "gpu": "H200",
        "output": "@out/host.json",
    }
    yield "calibrate-machine", "calibrate_machine", {
        "onboarded": f"{FIXTURES}/options/onboarded",
        "probe": f"{FIXTURES}/options/probe.json",
        "output": "@out/machine.json",
    }
    yield "tune plan", "tune_plan", {"gpu": "H200", "output": "@out/anchors.csv"}
    yield "tune fit", "tune_fit", {
        "gpu": "H200",
        "samples": [f"{FIXTURES}/tuner/gemm_anchors.csv.gz"],
        "method": "wavetune",
        "output": "@out/waves.wlt",
    }
    yield "tune fit --cross-gpu", "tune_fit_cross_gpu", {"gpu": "a100_sxm", "output": "@out/a100.wlt"}
    yield "tune show", "tune_show", {"table": "@out/gemm.wlt", "n": 4096, "k": 4096}
    yield "tune regret", "tune_regret", {
        "table": "@out/gemm.wlt",
        "oracle": [f"{FIXTURES}/tuner/gemm_exhaustive.csv.gz"],
        "baselines": ["default"],
    }
