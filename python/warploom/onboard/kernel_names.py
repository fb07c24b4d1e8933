"""What a kernel of an engine does, told by its name as CUPTI has it."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Products, attention, experts, exchanges, sampling. What is left works on rows: norms, activations, rotary
# embeddings, quantising, writing keys and values, with whatever a compiler fused into them.
_OTHERS = re.compile(
    r"nvjet|gemm|gemv|cublas|cutlass|splitk|matmul|wgmma|marlin|machete"
    r"|flash|fmha|attention|attn|mla|mha|moe|expert|topk"
    r"|nccl|all_?reduce|all_?gather|reduce_?scatter|sampl|argmax|chunk_|mamba|ssd|conv1d|memcpy|memset",
    re.IGNORECASE,
)


def works_on_rows(kernel: str) -> bool:
    return "reshape_and_cache" in kernel or not _OTHERS.search(kernel)


def rows_us(by_name: Mapping[str, tuple[float, float]]) -> float:
    """Microseconds of the kernels that work on rows; `by_name` has (calls, microseconds) of each."""
    return sum(us for name, (_, us) in by_name.items() if works_on_rows(name))
