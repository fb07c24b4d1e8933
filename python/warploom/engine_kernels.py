"""Triton kernels that read tuned files, with the operands that an engine gives them; `tuned-files --profile`
times them.

Each has `sets(tokens)`, operands that rotate out of L2, and `call(operands, config)`, one launch of a
configuration (tile_m, tile_n, tile_k, warps, stages, group). Experts are both products of a layer, without
the activation between them. `engine` is a module of launches: vllm_launches or sglang_launches.
"""

from __future__ import annotations

from warploom.anchors import Config

from types import ModuleType
import math
from typing import Any

FP8_BYTES = 1


def tiles_of(config: Config) -> dict[str, int]:
    tile_m, tile_n, tile_k, warps, stages, group = config[:6]
    return {"BLOCK_SIZE_M": tile_m, "BLOCK_SIZE_N": tile_n, "BLOCK_SIZE_K": tile_k, "GROUP_SIZE_M": group,
            "num_warps": warps, "num_stages": stages}


def narrow(*sizes: int) -> Any:
    """fp8 values of a normal distribution."""
    import torch
    return torch.randn(*sizes, device="cuda").clamp(-4, 4).to(torch.float8_e4m3fn)


class BlockProduct:
    """C[m, n] = A[m, k] B[n, k]^T; scales of A by rows of block_k values, of B by block_n x block_k."""

    def __init__(self, engine: ModuleType, n: int, k: int, block_n: int = 128, block_k: int = 128) -> None:
        self.engine = engine
        self.n, self.k, self.block_n, self.block_k = n, k, block_n, block_k

    def small(self) -> BlockProduct:
        """The same with few columns: what the compiler does not tell apart from it."""
        return BlockProduct(self.engine, 2 * self.block_n, self.k, self.block_n, self.block_k)

    def sets(self, tokens: int) -> list[Any]:
        import torch
        from warploom.timing import copies_of

        m, n, k = tokens, self.n, self.k
        parts = math.ceil(k / self.block_k)

        def one() -> tuple[Any, ...]:
            return (narrow(m, k), narrow(n, k), torch.empty(m, n, device="cuda", dtype=torch.bfloat16),
                    torch.rand(m, parts, device="cuda"),
                    torch.rand(math.ceil(n / self.block_n), parts, device="cuda"))

        return [one() for _ in range(copies_of((m + n) * k + 2 * m * n))]

    def call(self, operands: Any, config: Config) -> None:
        self.engine.block_product(*operands, [self.block_n, self.block_k], tiles_of(config))


class Experts:
    """Gate and up together, then down, of tokens that fall on experts by chance. bytes_of: of a weight, 1 or
    2; block_n = 0: one scale a tensor."""

    def __init__(
        self,
        engine: ModuleType,
        experts: int,
        top_k: int,
        width: int,
        hidden: int,
        bytes_of: int = 2,
        block_n: int = 0,
        block_k: int = 0,
    ) -> None:
        self.engine = engine
        self.experts, self.top_k, self.width, self.hidden = experts, top_k, width, hidden
        self.bytes_of, self.block_n, self.block_k = bytes_of, block_n, block_k
        self.weights: tuple[Any, ...] | None = None

    def small(self) -> Experts:
        return Experts(self.engine, min(self.experts, 2 * self.top_k), self.top_k, self.width, self.hidden,
                       self.bytes_of, self.block_n, self.block_k)

    def _values(self, *sizes: int) -> Any:
        import torch
        if self.bytes_of == FP8_BYTES:
            return narrow(*sizes)
        return torch.empty(*sizes, device="cuda", dtype=torch.bfloat16).normal_(std=0.05)

    def _weight_scales(self, rows: int, inner: int) -> Any:
        import torch
        if self.bytes_of != FP8_BYTES:
            return None
        if self.block_n == 0:
            return torch.rand(self.experts, device="cuda")
        return torch.rand(self.experts, math.ceil(rows / self.block_n), math.ceil(inner / self.block_k),
                          device="cuda")

    def _scales(self, rows: int, inner: int) -> Any:
        import torch
        if self.bytes_of != FP8_BYTES:
            return None
        if self.block_n == 0:
            return torch.rand(1, device="cuda")
        return torch.rand(rows, math.ceil(inner / self.block_k), device="cuda")

    def _expert_weights(self) -> tuple[Any, ...]:
        if self.weights is None:
            up = self._values(self.experts * 2 * self.width, self.hidden)
            down = self._values(self.experts * self.hidden, self.width)
            self.weights = (up.view(self.experts, 2 * self.width, self.hidden),
                            self._weight_scales(2 * self.width, self.hidden),
                            down.view(self.experts, self.hidden, self.width),
                            self._weight_scales(self.hidden, self.width))
        return self.weights

    def sets(self, tokens: int) -> list[Any]:
        """Routings differ, so that weights come from DRAM."""
        import torch
        from warploom.kernels import fused_moe

        self._expert_weights()
        pairs, top_k = tokens * self.top_k, self.top_k

        def empty(columns: int) -> Any:
            return torch.empty(tokens, top_k, columns, device="cuda", dtype=torch.bfloat16)

        values = (self._values(tokens, self.hidden), self._scales(tokens, self.hidden), empty(2 * self.width),
                  self._values(pairs, self.width), self._scales(pairs, self.width), empty(self.hidden),
                  torch.rand(tokens, top_k, device="cuda"))
        routings = 8 if tokens <= 48 else 4 if tokens <= 512 else 2
        return [(values, fused_moe.random_experts(tokens, self.experts, top_k, seed), {})
                for seed in range(routings)]

    def call(self, operands: Any, config: Config) -> None:
        from warploom.kernels import fused_moe

        (x, x_scales, first, middle, middle_scales, last, weights), chosen, aligned = operands
        if config[0] not in aligned:
            aligned[config[0]] = fused_moe.align(chosen, self.experts, config[0])
        up, up_scales, down, down_scales = self._expert_weights()
        blocks = [self.block_n, self.block_k] if self.block_n else None

        def launch(a: Any, b: Any, c: Any, a_scales: Any, b_scales: Any, top_k: int, weighted: bool) -> None:
            self.engine.expert_product(a, b, c, a_scales, b_scales, weights, aligned[config[0]], top_k,
                                       weighted, tiles_of(config), self.bytes_of == FP8_BYTES, blocks)

        launch(x, up, first, x_scales, up_scales, self.top_k, False)
        launch(middle, down, last, middle_scales, down_scales, 1, True)
