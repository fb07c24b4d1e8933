"""From a few measured tile configurations to a table that picks one for every shape; on a GPU also live.

python examples/python/tune_triton.py

Without a GPU it fits the measurements of a GEMM on an H200 that are in the repository. With one, torch and
Triton, `@warploom.autotune` measures the kernel itself (examples/triton_autotune.py has more of that).
"""

# %%
import importlib.util
import os
import tempfile
from pathlib import Path

import warploom
from warploom.table import Table


def given(variable: str, stored: str) -> Path:
    """The file that an environment variable names, else one of Warploom's repository around this folder."""
    if variable in os.environ:
        return Path(os.environ[variable])
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / stored).exists():
            return folder / stored
    raise FileNotFoundError(f"no {stored} here: run this in Warploom's repository, or set {variable}")


SAMPLES = given("WARPLOOM_SAMPLES", "tests/fixtures/tuner/gemm_anchors.csv.gz")
SHAPES = [(1, 4096, 4096), (100, 4096, 4096), (777, 4096, 4096), (4096, 28672, 4096)]

# %% [markdown]
# The table holds no measured shape: a model of waves is fitted to them, and answers for all others.

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "gemm.wlt"
    fitted = warploom.tune_fit(gpu="H200", samples=SAMPLES, output=path)
    print(
        f"{fitted.configs} configurations, {fitted.samples} times, "
        f"median error {100 * fitted.median_residual:.1f} %, {fitted.table_bytes} bytes"
    )
    table = Table(path, gpu="h200_sxm")
    for m, n, k in SHAPES:
        tile_m, tile_n, tile_k, warps, stages, split_k = table.pick(m, n, k)
        print(f"{m:5} x {n} x {k}: tiles of {tile_m} x {tile_n} x {tile_k}, {warps} warps, {stages} stages")
    table.close()

# %% [markdown]
# On a GPU: in the place of `@triton.autotune`, with the same arguments.

# %%
live = False
if importlib.util.find_spec("torch") and importlib.util.find_spec("triton"):
    import torch

    live = torch.cuda.is_available()
if live:
    import triton
    from warploom.kernels.gemm import gemm_kernel, operands

    tiles = [(128, 128, 64, 8, 3), (64, 128, 64, 4, 4), (16, 64, 128, 4, 4)]
    configs = [
        triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8}, num_warps=w, num_stages=s)
        for m, n, k, w, s in tiles
    ]
    gemm = warploom.autotune(configs=configs, key=["M", "N", "K"])(gemm_kernel)
    a, b, c = operands(777, 4096, 4096)
    gemm[lambda meta: (triton.cdiv(777, meta["BLOCK_M"]) * triton.cdiv(4096, meta["BLOCK_N"]),)](
        a, b, c, 777, 4096, 4096, a.stride(0), b.stride(0), c.stride(0)
    )
    print(f"measured here: {gemm.measured} keys, tables: {gemm.profiled}")
else:
    print("no GPU with torch and Triton: the kernel itself was not timed")
