"""Tables of `validate kernels`: held-out shapes, one sweep, collectives of a node, one known kernel."""

from . import kernels
from .table_entry import Table

NEW_SHAPES = [
    "validate",
    "kernels",
    "--layout",
    "aiconfigurator",
    "--data",
    "{data}/aiconfigurator",
    "{data}/aisimulate",
]


def check(folder):
    """The check set beside a sweep of warploom-collect."""
    data = f"{{fixtures}}/collector/{folder}/check/sweep.csv.gz"
    return ["validate", "kernels", "--layout", "warploom", "--data", data, "--all-rows"]


def calibrated(folder):
    sweep = f"{{fixtures}}/collector/{folder}/sweep"
    return ["calibrate", "--gpu", "h200_sxm", "--data", sweep, "--output", f"{{scratch}}/calibrated_{folder}"]


def before_and_after(name, folder):
    """The shipped predictor and one calibrated to the sweep, on the same check set."""
    after = [*check(folder), "--predictor", f"{{scratch}}/calibrated_{folder}"]
    return Table(name, {"before": check(folder), "after": after}, kernels.one_sweep, [calibrated(folder)])


FP8 = "{data}/pipeweave_kernels/gemm_fp8_train.csv.gz"
KNOWN_KERNEL = {
    "ours": ["validate", "kernels", "--layout", "pipeweave", "--data", FP8, "--predictor", "{scratch}/fp8",
             "--baseline", "linear", "habitat", "neusight", "interpolation"],
}
TRAIN_FP8 = ["train", "--layout", "pipeweave", "--data", FP8, "--family", "gemm", "--output", "{scratch}/fp8"]

# Whole generations left out: rows of each other GPU and judged rows are an even sample, for time.
FAMILIES = ["gemm", "attention_prefill", "attention_decode", "moe"]
SOURCES = {"aiconfigurator": ["aiconfigurator"], "vidur": ["vidur"],
           "pipeweave": ["pipeweave_kernels", "pipeweave_moe"]}
STORE = [["import", layout, *(f"{{data}}/{folder}" for folder in folders), "--store", "{scratch}/all.db",
          "--family", *FAMILIES] for layout, folders in SOURCES.items()]
LEAVE_OUT = ["validate", "kernels", "--store", "{scratch}/all.db", "--leave-out", "generation",
             "--rows-per-gpu", "2000", "--judged-rows", "2000"]

TABLES = [
    Table(
        "new-shapes",
        {"judged": NEW_SHAPES, "with impossible rows": [*NEW_SHAPES, "--keep-impossible"]},
        kernels.new_shapes,
    ),
    before_and_after("one-sweep", "h200"),
    before_and_after("node-collectives", "h200_x2"),
    Table("known-kernel", KNOWN_KERNEL, kernels.known_kernel, [TRAIN_FP8]),
    Table(
        "left-out-generations",
        {family: [*LEAVE_OUT, "--family", family] for family in FAMILIES},
        kernels.left_out,
        STORE,
    ),
]
