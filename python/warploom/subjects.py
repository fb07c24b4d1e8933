"""What can be profiled: for each reference kernel its operands at a shape and its calls with a configuration.

A subject turns a shape (m, n, k) as warploom's tile kernels mean it into operand sets that rotate out of L2.
Any kernel can be one: give `sets(shape)` and `call(operands, config)`.
"""
from warploom.kernels import attention, gemm, grouped_gemm
from warploom.timing import copies_of


class Gemm:
    kind = "gemm"

    def __init__(self, dtype=None):
        import torch
        self.dtype = dtype or torch.bfloat16
        self.name = "gemm_" + str(self.dtype).split(".")[-1]

    def sets(self, shape):
        m, n, k = shape
        one = (m * k + n * k) * self.dtype.itemsize + 2 * m * n
        return [gemm.operands(m, n, k, self.dtype) for _ in range(copies_of(one))]

    def call(self, operands, config):
        gemm.launch(config, *operands)


class GroupedGemm:
    """Pairs go to the experts round robin, or with a skew as many to each as `skewed_rows` says."""
    kind = "grouped_gemm"
    name = "grouped_gemm_bfloat16"

    def __init__(self, experts=16, top_k=2, skew=0.0):
        self.experts, self.top_k, self.skew = experts, top_k, skew

    def sets(self, shape):
        pairs, n, k = shape
        one = 2 * (pairs // self.top_k * k + min(self.experts, pairs) * n * k + pairs * n)
        self.routed = {}
        return [grouped_gemm.operands(pairs, n, k, self.experts, self.top_k) for _ in range(copies_of(one))]

    def call(self, operands, config):
        a, b, c = operands
        key = (c.shape[0], config[0])
        if key not in self.routed:
            chosen = grouped_gemm.chosen_experts(c.shape[0], self.experts, self.skew, c.device)
            self.routed[key] = grouped_gemm.sort_pairs(chosen, self.experts, config[0])
        grouped_gemm.launch(config, a, b, c, *self.routed[key], self.top_k)


class Attention:
    """Causal, four query heads to a key head; k of a shape is batch times query heads."""
    kind = "attention"
    name = "attention_bfloat16"

    def __init__(self, head=128, group=4, causal=True):
        self.head, self.group, self.causal = head, group, causal

    def sets(self, shape):
        m, n, heads = shape
        one = 2 * self.head * (2 * m * heads + 2 * n * heads // self.group)
        return [attention.operands(m, n, 1, heads, self.group, self.head) for _ in range(copies_of(one))]

    def call(self, operands, config):
        attention.launch(config, *operands, causal=self.causal)
