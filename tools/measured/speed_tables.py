"""Tables of docs/performance.md: times of benchmarks and of whole commands."""

from . import performance
from .table_entry import Table

LLAMA = ["--model", "Llama-3.1-8B", "--gpu", "h100_sxm", "--workload", "conversation", "--rate", "5"]
SIZES = (1000, 10000, 100000, 1000000)
COSTS = {f"{n:,} requests": ["simulate", *LLAMA, "--requests", str(n)] for n in SIZES}
GEMM = ["predict", "gemm", "--gpu", "h100_sxm", "--m", "4096", "--n", "4096", "--k", "4096"]

TABLES = [
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
