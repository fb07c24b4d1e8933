"""The smallest Triton kernel, to time its launcher."""

import triton
import triton.language as tl


@triton.jit
def add_one(x: tl.tensor, count: tl.tensor, BLOCK: tl.constexpr) -> None:
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(x + at, tl.load(x + at, mask=inside) + 1, mask=inside)
