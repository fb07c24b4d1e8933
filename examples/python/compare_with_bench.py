"""A measured run beside the simulation of it, and the same engine at other loads.

python examples/python/compare_with_bench.py

The run here is one of vLLM 0.24 on an H200 that is in the repository. Of your own: WARPLOOM_RUN is a JSON
file with the engine's flags (docs/formats.md, `validate serving --run`), WARPLOOM_BENCH the result of
`vllm bench serve --save-result --save-detailed`, or what AIPerf or GuideLLM wrote.
"""

# %%
import os
from pathlib import Path

import warploom


def given(variable: str, stored: str) -> Path:
    """The file that an environment variable names, else one of Warploom's repository around this folder."""
    if variable in os.environ:
        return Path(os.environ[variable])
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / stored).exists():
            return folder / stored
    raise FileNotFoundError(f"no {stored} here: run this in Warploom's repository, or set {variable}")


FOLDER = "tests/fixtures/engine/vllm_0_24_h200/serving"
RUN = given("WARPLOOM_RUN", f"{FOLDER}/llama8b_light.json")
BENCH = given("WARPLOOM_BENCH", f"{FOLDER}/llama8b_light.csv.gz")

# %% [markdown]
# The requests of the result are simulated as they came, by the flags of the run.

# %%
found = warploom.validate_serving(run=RUN, requests=BENCH)
print(f"{found.model} on {found.gpu}, {found.requests} requests")
for name, metric in found["metrics"].items():
    for at in ("mean", "p99"):
        figures = metric[at]
        difference = figures["predicted_ms"] / figures["measured_ms"] - 1
        print(
            f"{name:5} {at:5} measured {figures['measured_ms']:9.2f} ms, "
            f"simulated {figures['predicted_ms']:9.2f} ms ({difference:+.1%})"
        )

# %% [markdown]
# What the same engine would do at other rates, with the keys of vLLM's own result.

# %%
for rate in (4, 8, 16):
    run = warploom.simulate(
        model=found.model,
        gpu=found.gpu,
        random_input_len=512,
        random_output_len=64,
        request_rate=rate,
        requests=200,
        intervals=False,
    )
    print(
        f"{rate:3} requests/s: mean TTFT {run.mean_ttft_ms:6.1f} ms, mean TPOT {run.mean_tpot_ms:5.2f} ms, "
        f"{run.output_throughput:6.0f} output tokens/s"
    )
