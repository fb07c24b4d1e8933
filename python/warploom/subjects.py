"""What can be profiled: for each reference kernel its operands at a shape and its calls with a configuration.

A subject turns a shape (m, n, k) as warploom's tile kernels mean it into operand sets that rotate out of L2.
Any kernel can be one: give `sets(shape)` and `call(operands, config)`.
"""
from __future__ import annotations

from typing import Any, TYPE_CHECKING
from warploom.anchors import Config
from warploom.kernels import attention, gemm, grouped_gemm
from warploom.tiling import Shape
from warploom.timing import copies_of

if TYPE_CHECKING:
    import torch


class Gemm:
    kind = "gemm"

    def __init__(self, dtype: torch.dtype | None = None) -> None:
        import torch
        self.dtype = dtype or torch.bfloat16
        self.name = "gemm_" + str(self.dtype).split(".")[-1]

    def sets(self, shape: Shape) -> list[Any]:
        m, n, k = shape
        one = (m * k + n * k) * self.dtype.itemsize + 2 * m * n
        return [gemm.operands(m, n, k, self.dtype) for _ in range(copies_of(one))]

    def call(self, operands: Any, config: Config) -> None:
        a, b, c = operands
        gemm.launch(config, a, b, c)


class GroupedGemm:
    """Pairs go to the experts round robin, or with a skew as many to each as `skewed_rows` says."""
    kind = "grouped_gemm"
    name = "grouped_gemm_bfloat16"

    def __init__(self, experts: int = 16, top_k: int = 2, skew: float = 0.0) -> None:
        self.experts, self.top_k, self.skew = experts, top_k, skew
        self.routed: dict[tuple[int, int], Any] = {}

    def sets(self, shape: Shape) -> list[Any]:
        pairs, n, k = shape
        one = 2 * (pairs // self.top_k * k + min(self.experts, pairs) * n * k + pairs * n)
        self.routed = {}
        return [grouped_gemm.operands(pairs, n, k, self.experts, self.top_k) for _ in range(copies_of(one))]

    def call(self, operands: Any, config: Config) -> None:
        a, b, c = operands
        key = (c.shape[0], config[0])
        if key not in self.routed:
            chosen = grouped_gemm.chosen_experts(c.shape[0], self.experts, self.skew, c.device)
            self.routed[key] = grouped_gemm.sort_pairs(chosen, self.experts, config[0])
        pair_ids, block_expert = self.routed[key]
        grouped_gemm.launch(config, a, b, c, pair_ids, block_expert, self.top_k)


class Attention:
    """Causal, four query heads to a key head; k of a shape is batch times query heads."""
    kind = "attention"
    name = "attention_bfloat16"

    def __init__(self, head: int = 128, group: int = 4, causal: bool = True) -> None:
        self.head, self.group, self.causal = head, group, causal

    def sets(self, shape: Shape) -> list[Any]:
        m, n, heads = shape
        one = 2 * self.head * (2 * m * heads + 2 * n * heads // self.group)
        return [attention.operands(m, n, 1, heads, self.group, self.head) for _ in range(copies_of(one))]

    def call(self, operands: Any, config: Config) -> None:
        q, k, v, o = operands
        attention.launch(config, q, k, v, o, causal=self.causal)
