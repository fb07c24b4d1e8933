"""vLLM's kernels on rows (names of 0.24 to 0.33): norms, activations, rotations, cache writes, quantising.

What the engine's compiler makes of a layer is compiled alike here: the layer's plain PyTorch, with the number
of tokens left open. What has a kernel of its own is called as the engine calls it. Rows lie in L2 where they
fit, since the kernel before has just written them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warploom.onboard import vllm_attention
from warploom.onboard.kernel_plan import SCALE_BLOCK, Entry
from warploom.onboard.kernel_sweep import Timed, timed_calls

MOST_TOKENS = 8192  # of the example that a compiled layer is made with
EPSILON = 1e-6
Call = Callable[[], object]


class VllmRows:
    """Times entries of row_plan on an engine that runs in this process."""

    def __init__(self, engine: Any) -> None:
        self.config = engine.vllm_config
        self.compiled: dict[str, Callable[..., object]] = {}

    def time(self, entry: Entry) -> Timed:
        import torch

        families = {
            "rmsnorm": self._norm,
            "activation": self._activation,
            "rope": self._rotation,
            "kv_write": self._cache_write,
            "quantize": self._quantise,
        }
        with torch.inference_mode():
            kernel, call = families[entry["family"]](entry)
            call()  # compiles
            return timed_calls(kernel, [call])

    def _once(self, name: str, function: Callable[..., object], *example: Any) -> Callable[..., object]:
        """`function` as the engine's compiler makes it; `example`: arguments, their first sizes left open."""
        import torch

        if name not in self.compiled:
            self.compiled[name] = torch.compile(function, fullgraph=True)
            for each in example:
                torch._dynamo.maybe_mark_dynamic(each, 0)
            # Another width is another kernel, not one for all widths, which is half as fast.
            with torch._dynamo.config.patch(automatic_dynamic_shapes=False):
                self.compiled[name](*example)
        return self.compiled[name]

    def _norm(self, entry: Entry) -> tuple[str, Call]:
        tokens, width = entry["tokens"], entry["width"]
        x, residual, weight = rows_of(tokens, width), rows_of(tokens, width), rows_of(1, width)[0]
        if entry.get("quantised"):
            from vllm import _custom_ops as ops

            group = [1, SCALE_BLOCK]
            return "rms_norm_per_block_quant", lambda: ops.rms_norm_per_block_quant(
                x, weight, EPSILON, fp8(), group, None, residual, True, 4
            )
        plain = plain_norm(width)

        def norm(x: Any, residual: Any) -> object:
            return plain(x, residual, weight, EPSILON)

        example = (rows_of(MOST_TOKENS, width), rows_of(MOST_TOKENS, width))
        call = self._once(f"norm {width}", norm, *example)
        return "fused_add_rms_norm", lambda: call(x, residual)

    def _activation(self, entry: Entry) -> tuple[str, Call]:
        from vllm.model_executor.layers.activation import SiluAndMul

        tokens, width = entry["tokens"], entry["width"]
        x = rows_of(tokens, 2 * width)
        if entry.get("quantised"):
            from vllm import _custom_ops as ops

            return "silu_and_mul_per_block_quant", lambda: ops.silu_and_mul_per_block_quant(
                x, SCALE_BLOCK, fp8(), None, True
            )
        call = self._once(f"silu {width}", SiluAndMul.forward_native, rows_of(MOST_TOKENS, 2 * width))
        return "silu_and_mul", lambda: call(x)

    def _rotation(self, entry: Entry) -> tuple[str, Call]:
        import torch
        from vllm.model_executor.layers.rotary_embedding.base import RotaryEmbedding

        heads, kv_heads, size = entry["heads"], entry["kv_heads"], entry["head_dim"]
        parts = [heads * size, kv_heads * size, kv_heads * size]
        angles = rows_of(MOST_TOKENS, size)

        def rotate(qkv: Any, positions: Any) -> object:
            query, key, _ = qkv.split(parts, dim=-1)
            return RotaryEmbedding.forward_static(positions, query, key, size, size, angles, True)

        def positions(tokens: int) -> Any:
            return torch.arange(tokens, device="cuda")

        example = (rows_of(MOST_TOKENS, sum(parts)), positions(MOST_TOKENS))
        call = self._once(f"rotation {heads} {kv_heads} {size}", rotate, *example)
        qkv, at = rows_of(entry["tokens"], sum(parts)), positions(entry["tokens"])
        return "rotary_embedding", lambda: call(qkv, at)

    def _cache_write(self, entry: Entry) -> tuple[str, Call]:
        import torch
        from vllm.v1.attention.backends import fa_utils

        tokens, kv_heads, size = entry["tokens"], entry["kv_heads"], entry["head_dim"]
        block = vllm_attention.block_size(self.config)
        blocks = -(-tokens // block)
        like = vllm_attention.model_cache(self.config)
        kept = vllm_attention.keys_and_values(like, blocks, block, kv_heads, size)
        rows = rows_of(tokens, 2 * kv_heads * size).view(tokens, 2 * kv_heads, size)
        slots = torch.arange(tokens, device="cuda")
        scale = torch.ones(1, device="cuda")
        key, value = rows.split(kv_heads, dim=1)
        return "reshape_and_cache_flash", lambda: fa_utils.reshape_and_cache_flash(
            key, value, *kept, slots, "auto", scale, scale
        )

    def _quantise(self, entry: Entry) -> tuple[str, Call]:
        from vllm.model_executor.layers.quantization.utils import fp8_utils

        x = rows_of(entry["rows"], entry["width"])
        words = {"column_major_scales": True, "tma_aligned_scales": True}
        return "per_token_group_quant", lambda: fp8_utils.per_token_group_quant_fp8(x, SCALE_BLOCK, **words)


def rows_of(tokens: int, width: int) -> Any:
    import torch

    return torch.randn(tokens, width, device="cuda", dtype=torch.bfloat16)


def fp8() -> Any:
    from vllm.platforms import current_platform

    return current_platform.fp8_dtype()


def plain_norm(width: int) -> Callable[..., object]:
    """A norm with a residual in plain PyTorch, (x, residual, weight, epsilon), that the compiler fuses."""
    try:
        from vllm import ir

        native: Callable[..., object] = ir.ops.fused_add_rms_norm.impls["native"].impl_fn
        return native
    except (ImportError, AttributeError, KeyError):  # before 0.27
        from vllm.model_executor.layers.layernorm import RMSNorm

        def norm(x: Any, residual: Any, weight: Any, epsilon: float) -> object:
            return RMSNorm.forward_static(x, epsilon, width, x.dtype, weight, residual)

        return norm
