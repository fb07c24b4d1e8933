"""Which GPUs, how many and how configured for a load, and the front of cost against speed.

python examples/python/plan_pareto.py        # with WARPLOOM_PLOTS=FOLDER the picture is written there
"""

# %%
import importlib.util
import os

import warploom

PLOTS = os.environ.get("WARPLOOM_PLOTS")  # a folder

# %% [markdown]
# Each candidate is simulated, request by request. Limits are those of users: the 95th percentile of the
# time to the first token, and of the time per token after it.

# %%
plan = warploom.plan(
    model="Llama-3.1-8B",
    gpu_names=["L40S", "H100-SXM", "H200"],
    rate=20,
    random_input_len=1000,
    random_output_len=200,
    slo=["ttft_p95_ms=800", "tpot_p95_ms=40"],
    requests=200,
)
points = plan.rows()
print(f"{len(points)} deployments meet the limits")
for rank in plan.fronts["cost"]:
    point = points[rank - 1]
    print(
        f"{'*' if rank == plan.best else ' '} {point['deployment.words']:40} "
        f"{point['usd_per_hour']:7.2f} $/h, "
        f"{point['tokens_per_s_per_user']:5.0f} tokens/s of a user"
    )

# %%
if importlib.util.find_spec("matplotlib"):
    axes = plan.plot()
    if PLOTS:
        axes.figure.savefig(f"{PLOTS}/plan_pareto.png")

# %% [markdown]
# What would change the answer.

# %%
for question in plan.what_if:
    meets = "meets the limits" if question["meets"] else "misses the limits"
    print(f"{question['question']}: {question['point']['deployment']['words']}: {meets}")
