"""vLLM's Triton kernels of tuned files, launched as it launches them (read in 0.33).

`scales` of experts: of rows and of weights, None for 16 bits. `aligned`: what fused_moe.align gives.
"""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any


def block_product(
    a: Any, b: Any, c: Any, a_scales: Any, b_scales: Any, blocks: Sequence[int], tiles: Mapping[str, int]
) -> None:
    """c[m, n] = a[m, k] b[n, k]^T in fp8 by blocks."""
    from vllm.model_executor.layers.quantization.utils import fp8_utils

    (m, k), n = a.shape, b.shape[0]
    grid = (math.ceil(m / tiles["BLOCK_SIZE_M"]) * math.ceil(n / tiles["BLOCK_SIZE_N"]),)
    strides = (a.stride(0), a.stride(1), b.stride(1), b.stride(0), c.stride(0), c.stride(1))
    scales = (a_scales.stride(0), a_scales.stride(1), b_scales.stride(1), b_scales.stride(0))
    fp8_utils._w8a8_triton_block_scaled_mm[grid](a, b, c, a_scales, b_scales, m, n, k, *blocks, *strides,
                                                 *scales, **tiles)


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
    import triton.language as tl
    from vllm.model_executor.layers.fused_moe import fused_moe

    fused_moe.invoke_fused_moe_triton_kernel(
        a, b, c, a_scales, b_scales, weights, *aligned, weighted, top_k, tiles, compute_type=tl.bfloat16,
        use_fp8_w8a8=is_fp8, use_int8_w8a8=False, use_int8_w8a16=False, use_int4_w4a16=False,
        per_channel_quant=False, block_shape=blocks)


def adapter_tokens(tokens: int, adapters: int) -> tuple[Any, ...]:
    """Which tokens are whose, as the launches of adapters take it: spread evenly."""
    import torch
    from vllm.lora.ops.triton_ops import utils
    from vllm.lora.ops.triton_ops.lora_kernel_metadata import LoRAKernelMeta

    # Kept by the addresses of weights, which others had before.
    utils._LORA_A_PTR_DICT.clear()
    utils._LORA_B_PTR_DICT.clear()
    meta = LoRAKernelMeta.make(adapters, tokens, "cuda")
    meta.prepare_tensors((torch.arange(tokens, device="cuda") * adapters // tokens).to(torch.int32))
    told: tuple[Any, ...] = meta.meta_args(tokens, False)
    return told


def adapter_product(
    a: Any, weights: Sequence[Any], c: Any, told: Sequence[Any], variant: str, tiles: Mapping[str, Any]
) -> None:
    """shrink: c[slice, m, rank] = a[m, k] weights[slice]^T; else the way up, beside each other in c."""
    from vllm.lora.ops.triton_ops import lora_expand_op, lora_shrink_op

    if variant == "shrink":
        lora_shrink_op.get_lora_op_configs = lambda *_, **__: tiles
        lora_shrink_op._lora_shrink(a, weights, c, *told, 1.0)
    else:
        lora_expand_op.get_lora_op_configs = lambda *_, **__: tiles
        lora_expand_op._lora_expand(a, weights, c, *told, 0, variant == "expand_adding")


def state_update(operands: Sequence[Any], rows_and_warps: tuple[int, int]) -> None:
    """selective_state_update of (states, x, dt, A, B, C, D, bias of dt, places of the states, output)."""
    from vllm.model_executor.layers.mamba.ops import mamba_ssm

    *of_heads, places, out = operands
    with mamba_ssm.override_ssm_config(rows_and_warps):
        mamba_ssm.selective_state_update(*of_heads, z=None, dt_softplus=True, state_batch_indices=places,
                                         out=out)
