"""Simulates a run and lays it beside what `vllm bench serve --save-result` wrote of a real one.

python examples/python/compare_with_bench.py [RESULT.json]
"""

import json
import sys

import warploom

FIGURES = ("mean_ttft_ms", "p99_ttft_ms", "mean_tpot_ms", "output_throughput")

run = warploom.simulate(
    model="Llama-3.1-8B",
    gpu="H100-SXM",
    random_input_len=512,
    random_output_len=64,
    request_rate=8,
    requests=200,
)
measured = {}
if len(sys.argv) > 1:
    with open(sys.argv[1], encoding="utf-8") as file:
        measured = json.load(file)
for figure in FIGURES:
    beside = (
        f"  measured {measured[figure]:9.2f} ({run[figure] / measured[figure] - 1:+.1%})"
        if figure in measured
        else ""
    )
    print(f"{figure:18} {run[figure]:9.2f}{beside}")
