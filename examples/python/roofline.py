"""How a product's time grows with its rows on three GPUs, beside what no kernel can be faster than.

python examples/python/roofline.py        # with WARPLOOM_PLOTS=FOLDER the picture is written there
"""

# %%
import importlib.util
import os

import numpy as np

import warploom

PLOTS = os.environ.get("WARPLOOM_PLOTS")  # a folder
ROWS = np.unique(np.geomspace(1, 8192, 40).astype(int))

# %% [markdown]
# One call for each GPU: sizes may be arrays, and every figure of the answer is one.

# %%
found = {
    gpu: warploom.predict("gemm", gpu=gpu, m=ROWS, n=4096, k=4096)
    for gpu in ("A100-SXM-80GB", "H100-SXM", "B200")
}
for gpu, times in found.items():
    at = int(np.searchsorted(ROWS, 1024))
    interval = f"{times.p10_us[at]:.1f} .. {times.p90_us[at]:.1f}"
    bound = f"at least {times.physical_bound_us[at]:.1f}"
    print(f"{gpu}: {ROWS[at]} rows in {times.p50_us[at]:.1f} us ({interval}), {bound}")

# %% [markdown]
# The band is the interval from the 10th to the 90th percentile, the dotted line the physical bound.

# %%
if importlib.util.find_spec("matplotlib"):
    from matplotlib import pyplot

    _, axes = pyplot.subplots(layout="constrained")
    for gpu, times in found.items():
        (line,) = axes.loglog(ROWS, times.p50_us, label=gpu)
        axes.fill_between(ROWS, times.p10_us, times.p90_us, alpha=0.2, color=line.get_color())
        axes.loglog(ROWS, times.physical_bound_us, ":", color=line.get_color())
    axes.set(xlabel="rows of a product with a 4096 x 4096 weight", ylabel="time [us]")
    axes.legend()
    if PLOTS:
        axes.figure.savefig(f"{PLOTS}/roofline.png")
