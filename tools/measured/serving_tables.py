"""Tables of `validate static`, `serving` and `concurrency`."""

from . import recorded_runs, serving
from .table_entry import Table

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


def real_run(model):
    path = f"{{data}}/serving_truth/vllm0.19_RTXPRO6000_{model}"
    return ["validate", "serving", "--run", path + ".json", "--requests", path + ".csv.gz"]


RECORDED = (
    "warploom validate serving --run RUN.json --requests RUN.csv.gz --host-profile xeon_16_cores"
    "  # each run of data/judged/recorded_runs.json"
)


def recorded(name, engine):
    return Table(name, recorded_runs.commands(engine), recorded_runs.lines, shown=[RECORDED])


def where_probed(name, told):
    """Judged runs on probed machines."""
    words = "warploom validate serving --run RUN.json --requests RUN.csv.gz"
    words += " --machine MACHINE.json" if told else ""
    calibrate = "warploom calibrate-machine --probe PROBE.json --output MACHINE.json"
    return Table(
        name,
        recorded_runs.commands_where_probed(told),
        recorded_runs.lines,
        before=recorded_runs.calibrations() if told else [],
        shown=([calibrate] if told else [])
        + [words + "  # each judged run on a machine of `probes` in data/judged/recorded_runs.json"],
    )


TABLES = [
    Table("static", {"static": STATIC}, serving.static),
    Table(
        "serving",
        {
            "Llama-3.1-8B, 1 GPU": real_run("Llama-3.1-8B"),
            "Qwen3-30B-A3B, 2 GPUs, dp 2 and EP": real_run("Qwen3-30B-A3B-Instruct-2507"),
        },
        serving.serving,
    ),
    recorded("engine-runs", "vllm"),
    recorded("sglang-runs", "sglang"),
    where_probed("probed-runs", told=True),
    where_probed("unsaid-runs", told=False),
    Table("concurrency", {"concurrency": CONCURRENCY}, serving.concurrency),
    Table("pools", {"concurrency": CONCURRENCY}, serving.pools),
    Table("drafts", {"concurrency": CONCURRENCY}, serving.drafts),
    Table("checkpoints", {"concurrency": CONCURRENCY}, serving.checkpoints),
    Table("later-cells", {"later": LATER}, serving.later_cells),
]
