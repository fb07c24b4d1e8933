"""Warploom for Python: a drop-in for @triton.autotune, look-ups in tune tables, reference Triton kernels.

    @warploom.autotune(configs=..., key=...)           # as @triton.autotune
    from warploom.table import Table
    Table("gemm.wlt", gpu="h200_sxm").pick(m, n, k)    # needs no GPU
    from warploom.refined import RefinedTable          # shapes seen often are measured once
    from warploom import plan, profiler, subjects      # need torch and Triton
"""
from warploom.autotune import autotune  # noqa: F401
from warploom.tiling import Tiling  # noqa: F401
