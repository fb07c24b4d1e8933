"""Every table by name: what is run, and how its answers are shown."""

from collections.abc import Callable
from dataclasses import dataclass, field

from . import kernels, performance, serving, tuner

Words = list[str]


@dataclass
class Table:
    name: str
    commands: dict[str, Words]  # each gets --json
    lines: Callable[[dict], list[str]]
    before: list[Words] = field(default_factory=list)
    benchmarks: str = ""  # instead of commands: a filter of warploom_bench
    timed: bool = False  # the commands' time and memory, not their answers


NEW_SHAPES = ["validate", "kernels", "--layout", "aiconfigurator", "--data", "{data}/aiconfigurator"]
STATIC = [
    "validate",
    "static",
    "--truth",
    "{data}/pipeweave_e2e/e2e_truth.csv",
    "--requests",
    "{data}/pipeweave_e2e/workload_requests.csv",
]
CONCURRENCY = ["validate", "concurrency", "--truth", "{data}/serving_truth/concurrency_runs.csv.gz"]
LATER = ["validate", "concurrency", "--truth", "{data}/serving_truth/concurrency_runs_2.csv.gz"]
SWEEP = "{fixtures}/collector/h200/sweep"
CHECK = [
    "validate",
    "kernels",
    "--layout",
    "warploom",
    "--data",
    "{fixtures}/collector/h200/check/sweep.csv.gz",
    "--all-rows",
]


def real_run(model):
    path = f"{{data}}/serving_truth/vllm0.19_RTXPRO6000_{model}"
    return ["validate", "serving", "--run", path + ".json", "--requests", path + ".csv.gz"]


# Runs that no constant was fitted to, by GPU (the READMEs of tests/fixtures/engine/).
JUDGED_RUNS = {
    "h200": [
        "llama8bfp8_light",
        "llama8bfp8_heavy",
        "qwen14b_light",
        "qwen14b_heavy",
        "qwen14b_tp2_light",
        "qwen14b_tp2_heavy",
        "mixtral_light",
        "mixtral_heavy",
    ],
    "h100": [
        "qwen14b_light",
        "qwen14b_heavy",
        "qwen14b_prefix_shared",
        "qwen14b_clients32",
        "qwen30b_light",
        "qwen30b_heavy",
    ],
}


SGLANG_RUNS = ["llama8b_light", "llama8b_heavy", "llama8b_burst", "qwen14b_burst", "qwen30b_burst"]


def engine_run(engine, name):
    path = f"{{fixtures}}/engine/{engine}/serving/{name}"
    files = ["--run", path + ".json", "--requests", path + ".csv.gz"]
    return ["validate", "serving", *files, "--host-profile", "xeon_16_cores"]


# A table fitted on anchors, and what must not be judged with it: the sets that its correction was learned
# from (tests/fixtures/tuner/README.md), those that the design was judged on, and the anchors.
F, D = "{fixtures}/tuner/", "{data}/tuner_h200/"
LEARNED = [F + "gemm_shapes.csv.gz", F + "gemm_near_odd.csv.gz", F + "gemm_shared_near.csv.gz"]
SHARED = [D + "anchors.csv.gz", D + "skinny.csv.gz"]


def fit(name, samples, *options):
    output = ["--output", f"{{scratch}}/{name}.wlt"]
    return ["tune", "fit", "--gpu", "H200", *options, "--samples", *samples, *output]


def regret(name, oracle, seen):
    return [
        "tune",
        "regret",
        "--no-baselines",
        "--table",
        f"{{scratch}}/{name}.wlt",
        "--oracle",
        oracle,
        "--seen",
        *seen,
    ]


FITS = [
    fit("shared", SHARED),
    fit(
        "grouped",
        [F + "grouped_anchors.csv.gz"],
        "--kind",
        "grouped_gemm",
        "--experts",
        "16",
        "--top-k",
        "2",
        "--default",
        "64x64x32/w4/s3",
    ),
    fit(
        "attention",
        [F + "attention_anchors.csv.gz"],
        "--kind",
        "attention",
        "--head-group",
        "4",
        "--causal",
        "--default",
        "128x64x64/w4/s3",
    ),
    fit("fp8", [F + "gemm_fp8_anchors.csv.gz"], "--operand-bytes", "1"),
]
BLIND = {
    "products, bf16": regret(
        "shared", F + "gemm_shared_later.csv.gz", [*LEARNED, *SHARED, D + "exhaustive.csv.gz"]
    ),
    "grouped products": regret(
        "grouped",
        F + "grouped_later.csv.gz",
        [F + "grouped_shapes.csv.gz", F + "grouped_near.csv.gz", F + "grouped_anchors.csv.gz"],
    ),
    "causal attention": regret(
        "attention",
        F + "attention_blind.csv.gz",
        [F + "attention_shapes.csv.gz", F + "attention_exhaustive.csv.gz", F + "attention_anchors.csv.gz"],
    ),
    "products, fp8": regret(
        "fp8", F + "gemm_fp8_blind.csv.gz", [F + "gemm_fp8_shapes.csv.gz", F + "gemm_fp8_anchors.csv.gz"]
    ),
}


EVERY_METHOD = ["wavetune", "wavetune_relative", "xgboost", "xgboost_samples", "nearest_shape", "default"]


def methods(name, oracle, samples, seen):
    """Every method on the same shapes, with what it costs."""
    files = ["--oracle", oracle, "--samples", *samples, "--seen", *seen]
    table = ["--table", f"{{scratch}}/{name}.wlt"]
    return ["tune", "regret", "--times", *table, *files, "--baseline", *EVERY_METHOD]


# Shapes that our correction was learned from are dropped for all methods.
METHODS = {
    "products, bf16": methods("shared", D + "exhaustive.csv.gz", SHARED, LEARNED),
    "grouped products": methods(
        "grouped",
        F + "grouped_later.csv.gz",
        [F + "grouped_anchors.csv.gz"],
        [F + "grouped_shapes.csv.gz", F + "grouped_near.csv.gz"],
    ),
    "causal attention": methods(
        "attention",
        F + "attention_exhaustive.csv.gz",
        [F + "attention_anchors.csv.gz"],
        [F + "attention_shapes.csv.gz"],
    ),
}

LLAMA = ["--model", "Llama-3.1-8B", "--gpu", "h100_sxm", "--workload", "conversation", "--rate", "5"]
SIZES = (1000, 10000, 100000, 1000000)
COSTS = {f"{n:,} requests": ["simulate", *LLAMA, "--requests", str(n)] for n in SIZES}
GEMM = ["predict", "gemm", "--gpu", "h100_sxm", "--m", "4096", "--n", "4096", "--k", "4096"]

TABLES = {
    table.name: table
    for table in [
        Table(
            "new-shapes",
            {"judged": NEW_SHAPES, "with impossible rows": [*NEW_SHAPES, "--keep-impossible"]},
            kernels.new_shapes,
        ),
        Table("static", {"static": STATIC}, serving.static),
        Table(
            "serving",
            {
                "Llama-3.1-8B, 1 GPU": real_run("Llama-3.1-8B"),
                "Qwen3-30B-A3B, 2 GPUs, dp 2 and EP": real_run("Qwen3-30B-A3B-Instruct-2507"),
            },
            serving.serving,
        ),
        Table(
            "engine-runs",
            {f"{gpu} {run}": engine_run(f"vllm_0_24_{gpu}", run)
             for gpu, runs in JUDGED_RUNS.items() for run in runs},
            serving.engine_runs,
        ),
        Table(
            "sglang-runs",
            {run: engine_run("sglang_0_5_16_h100", run) for run in SGLANG_RUNS},
            serving.engine_runs,
        ),
        Table("concurrency", {"concurrency": CONCURRENCY}, serving.concurrency),
        Table("pools", {"concurrency": CONCURRENCY}, serving.pools),
        Table("drafts", {"concurrency": CONCURRENCY}, serving.drafts),
        Table("checkpoints", {"concurrency": CONCURRENCY}, serving.checkpoints),
        Table("later-cells", {"later": LATER}, serving.later_cells),
        Table("tuner", BLIND, tuner.blind, FITS),
        Table("tuner-methods", METHODS, tuner.methods, FITS[:3]),
        Table(
            "one-sweep",
            {"before": CHECK, "after": [*CHECK, "--predictor", "{scratch}/calibrated"]},
            kernels.one_sweep,
            [["calibrate", "--gpu", "h200_sxm", "--data", SWEEP, "--output", "{scratch}/calibrated"]],
        ),
        Table("predictions", {}, performance.benchmarks, benchmarks="Predict"),
        Table("serving-speed", {}, performance.benchmarks, benchmarks="Step|Simulate"),
        Table("tuner-speed", {}, performance.benchmarks, benchmarks="Tune"),
        Table("simulation-cost", COSTS, performance.commands, timed=True),
        Table(
            "start-up",
            {"`warploom gpus`": ["gpus"], "`warploom predict gemm`": GEMM},
            performance.commands,
            timed=True,
        ),
    ]
}
