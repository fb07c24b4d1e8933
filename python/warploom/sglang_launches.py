"""SGLang's Triton kernels of tuned files, launched as it launches them (read in 0.5.23).

As vllm_launches. Of fp8 with one scale a tensor its own function quantises the rows before the product, in
the time of every configuration alike: rows come in 16 bits there.
"""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any


def block_product(
    a: Any, b: Any, c: Any, a_scales: Any, b_scales: Any, blocks: Sequence[int], tiles: Mapping[str, int]
) -> None:
    """c[m, n] = a[m, k] b[n, k]^T in fp8 by blocks."""
    from sglang.kernels.ops.gemm import fp8_kernel

    (m, k), n = a.shape, b.shape[0]
    grid = (math.ceil(m / tiles["BLOCK_SIZE_M"]) * math.ceil(n / tiles["BLOCK_SIZE_N"]),)
    strides = (a.stride(0), a.stride(1), b.stride(1), b.stride(0), c.stride(0), c.stride(1))
    scales = (a_scales.stride(0), a_scales.stride(1), b_scales.stride(1), b_scales.stride(0))
    kernel = fp8_kernel.select_w8a8_block_fp8_matmul_kernel(m, n, tiles)
    kernel[grid](a, b, c, a_scales, b_scales, m, n, k, *blocks, *strides, *scales, **tiles,
                 needs_masking=k % tiles["BLOCK_SIZE_K"] != 0)


def expert_product(
    a: Any,
    b: Any,
    c: Any,
    a_scales: Any,
    b_scales: Any,
    weights: Any,
    aligned: Any,
    top_k: int,
    weighted: bool,
    tiles: Mapping[str, int],
    is_fp8: bool,
    blocks: Sequence[int] | None,
) -> None:
    """One product of a mixture's experts."""
    import torch
    import triton.language as tl
    from sglang.kernels.ops.moe import fused_moe_triton_kernels

    if is_fp8 and blocks is None:
        a, a_scales = a.to(torch.bfloat16), None
    fused_moe_triton_kernels.invoke_fused_moe_kernel(
        a, b, None, c, a_scales, b_scales, None, weights, weights, *aligned, weighted, top_k, tiles,
        compute_type=tl.bfloat16, use_fp8_w8a8=is_fp8, use_int8_w8a8=False, use_int8_w8a16=False,
        use_int4_w4a16=False, per_channel_quant=False, block_shape=blocks)
