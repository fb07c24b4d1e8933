"""Warploom for Python: look-ups in tune tables, reference Triton kernels and their profiler.

    from warploom.table import Table
    Table("gemm.wlt", gpu="h200_sxm").pick(m, n, k)    # needs no GPU
    from warploom import plan, profiler, subjects      # need torch and Triton
"""
