"""Kernels of adapters and of recurrent states, with the operands that vLLM gives them; beside engine_kernels.

Configurations are (tile_m, tile_n, tile_k, warps, stages, group, parts). Both kernels take a microsecond or a
few, so that more sets follow one another than of products: their weights come from DRAM in a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

COLD_BYTES = 64 * 2**20  # more than the L2 of today's GPUs but Blackwell's
MOST_SETS = 200
STATE_HEADS, STATE_GROUPS = 64, 8


def cold_copies(operand_bytes: int, most: int | None = None) -> int:
    """How many operand sets follow one another; no more than `most`."""
    return min(most or MOST_SETS, max(2, -(-COLD_BYTES // max(1, operand_bytes))))


def widths_of(widest: int, outputs: int, slices: int) -> list[int]:
    """Columns of each slice: the widest first, the others alike.

    >>> widths_of(4096, 6144, 3)
    [4096, 1024, 1024]
    """
    return [widest] + [(outputs - widest) // (slices - 1)] * (slices - 1) if slices > 1 else [widest]


class Adapters:
    """Products of low-rank adapters, slices beside each other, tokens spread evenly over the adapters.

    variant: shrink (n: the rank, k: the hidden size), expand or expand_adding (n: the widest slice, k: the
    rank, outputs: columns of all slices)."""

    def __init__(
        self, engine: ModuleType, variant: str, adapters: int, slices: int, n: int, k: int, outputs: int
    ) -> None:
        self.engine, self.variant, self.adapters, self.slices = engine, variant, adapters, slices
        self.n, self.k, self.outputs = n, k, outputs

    def small(self) -> Adapters:
        return self

    def sets(self, tokens: int, most: int | None = None) -> list[Any]:
        import torch

        slots, slices, n, k = self.adapters, self.slices, self.n, self.k
        told = self.engine.adapter_tokens(tokens, slots)
        shrinks, half = self.variant == "shrink", {"device": "cuda", "dtype": torch.bfloat16}

        def one() -> tuple[Any, ...]:
            if shrinks:
                weights = [torch.randn(slots, 1, n, k, **half) for _ in range(slices)]
                return (torch.randn(tokens, k, **half), weights,
                        torch.empty(slices, tokens, n, device="cuda"), told)
            weights = [torch.randn(slots, 1, width, k, **half)
                       for width in widths_of(n, self.outputs, slices)]
            return (torch.randn(slices, tokens, k, device="cuda"), weights,
                    torch.zeros(tokens, self.outputs, **half), told)

        if shrinks:
            moved = 2 * (tokens * k + slots * slices * n * k)
        else:
            moved = 2 * (2 * tokens * self.outputs + slots * k * self.outputs)
        return [one() for _ in range(cold_copies(moved, most))]

    def call(self, operands: Any, config: Sequence[int]) -> None:
        tile_m, tile_n, tile_k, warps, stages, group, parts = config
        tiles = {"block_m": tile_m, "block_n": tile_n, "block_k": tile_k, "split_k": parts,
                 "num_warps": warps, "num_stages": stages, "num_ctas": 1, "group_size_m": group,
                 "max_nreg": None}
        self.engine.adapter_product(*operands, self.variant, tiles)


class StateUpdate:
    """One token's step of the states of `tokens` pairs of a sequence and a head: each [head_dim, state]."""

    def __init__(
        self, engine: ModuleType, head_dim: int, state: int, state_bytes: int, heads: int = STATE_HEADS
    ) -> None:
        self.engine, self.head_dim, self.state = engine, head_dim, state
        self.state_bytes, self.heads = state_bytes, heads

    def small(self) -> StateUpdate:
        return self

    def sets(self, tokens: int, most: int | None = None) -> list[Any]:
        import torch

        heads = min(self.heads, tokens)
        batch, dim, state = tokens // heads, self.head_dim, self.state
        groups = STATE_GROUPS if heads % STATE_GROUPS == 0 else 1
        kept = torch.float32 if self.state_bytes == 4 else torch.bfloat16
        half = {"device": "cuda", "dtype": torch.bfloat16}

        def of_heads(values: Any, *sizes: int) -> Any:
            """Without strides along what a head's elements share, as the engine has them."""
            return values.view(*values.shape, *([1] * (len(sizes) - values.dim()))).expand(*sizes)

        def one() -> tuple[Any, ...]:
            return (torch.zeros(batch + 1, heads, dim, state, device="cuda", dtype=kept),
                    torch.randn(batch, heads, dim, **half),
                    of_heads(torch.randn(batch, heads, **half), batch, heads, dim),
                    of_heads(torch.rand(heads, device="cuda").neg(), heads, dim, state),
                    torch.randn(batch, groups, state, **half), torch.randn(batch, groups, state, **half),
                    of_heads(torch.ones(heads, device="cuda"), heads, dim),
                    of_heads(torch.rand(heads, device="cuda"), heads, dim),
                    torch.arange(1, batch + 1, device="cuda", dtype=torch.int32),
                    torch.empty(batch, heads, dim, **half))

        moved = 2 * tokens * dim * state * self.state_bytes
        return [one() for _ in range(cold_copies(moved, most))]

    def call(self, operands: Any, config: Sequence[int]) -> None:
        self.engine.state_update(operands, (config[0], config[3]))
