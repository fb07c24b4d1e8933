"""FlashAttention forward: softmax(Q K^T / sqrt(d)) V, causal or not, grouped key heads.

Queries are [batch, heads, m, d], keys and values [batch, heads / group, n, d]. Causal: query i sees the keys
up to n - m + i, so that a chunk attends to all of its context.
"""

from warploom.anchors import Config
import math

import torch
import triton
import triton.language as tl


@triton.jit
def _step(
    sums: tl.tensor,
    top: tl.tensor,
    total: tl.tensor,
    q: tl.tensor,
    at_k: tl.tensor,
    at_v: tl.tensor,
    start: tl.tensor,
    offsets_m: tl.tensor,
    N: tl.tensor,
    shift: tl.tensor,
    scale: tl.tensor,
    BLOCK_N: tl.constexpr,
    MASKED: tl.constexpr,
    CAUSAL: tl.constexpr,
    HEAD: tl.constexpr,
) -> tuple[tl.tensor, tl.tensor, tl.tensor]:
    columns = start + tl.arange(0, BLOCK_N)
    if MASKED:
        k = tl.load(at_k + start * HEAD, mask=columns[None, :] < N, other=0.0)
    else:
        k = tl.load(at_k + start * HEAD)
    scores = tl.dot(q, k) * scale
    if MASKED:
        seen = columns[None, :] < N
        if CAUSAL:
            seen = seen & (columns[None, :] <= offsets_m[:, None] + shift)
        scores = tl.where(seen, scores, -1e30)
    new_top = tl.maximum(top, tl.max(scores, 1))
    shares = tl.exp2(scores - new_top[:, None])
    decay = tl.exp2(top - new_top)
    total = total * decay + tl.sum(shares, 1)
    sums = sums * decay[:, None]
    if MASKED:
        v = tl.load(at_v + start * HEAD, mask=columns[:, None] < N, other=0.0)
    else:
        v = tl.load(at_v + start * HEAD)
    sums = tl.dot(shares.to(v.dtype), v, sums)
    return sums, new_top, total


@triton.jit(do_not_specialize=["M", "N", "heads", "group"])
def attention_kernel(
    q: tl.tensor,
    k: tl.tensor,
    v: tl.tensor,
    o: tl.tensor,
    M: tl.tensor,
    N: tl.tensor,
    scale: tl.tensor,
    heads: tl.tensor,
    group: tl.tensor,
    HEAD: tl.constexpr,
    CAUSAL: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
) -> None:
    # Late rows see most keys: they start first, so that the end of the grid is short.
    tile = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    batch = head // heads
    key_head = batch * (heads // group) + head % heads // group
    offsets_m = tile * BLOCK_M + tl.arange(0, BLOCK_M)
    offsets_d = tl.arange(0, HEAD)
    inside = offsets_m[:, None] < M
    at_q = head * M * HEAD + offsets_m[:, None] * HEAD + offsets_d[None, :]
    x = tl.load(q + at_q, mask=inside, other=0.0)
    keys = tl.arange(0, BLOCK_N)
    at_k = k + key_head * N * HEAD + keys[None, :] * HEAD + offsets_d[:, None]
    at_v = v + key_head * N * HEAD + keys[:, None] * HEAD + offsets_d[None, :]
    sums = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    top = tl.full((BLOCK_M,), -1e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    shift = N - M
    if CAUSAL:
        last = tl.minimum(N, (tile + 1) * BLOCK_M + shift)
        whole = tl.maximum(0, tl.minimum(N, tile * BLOCK_M + shift + 1)) // BLOCK_N * BLOCK_N
    else:
        last = N
        whole = N // BLOCK_N * BLOCK_N
    for start in range(0, whole, BLOCK_N):
        sums, top, total = _step(sums, top, total, x, at_k, at_v, start, offsets_m, N, shift, scale, BLOCK_N,
                                 False, CAUSAL, HEAD)
    for start in range(whole, last, BLOCK_N):
        sums, top, total = _step(sums, top, total, x, at_k, at_v, start, offsets_m, N, shift, scale, BLOCK_N,
                                 True, CAUSAL, HEAD)
    tl.store(o + at_q, (sums / total[:, None]).to(o.dtype.element_ty), mask=inside)


def launch(
    config: Config, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, o: torch.Tensor, causal: bool = True
) -> None:
    """config: (tile_m, tile_n, tile_n, warps, stages)."""
    tile_m, tile_n, _, warps, stages = config
    batch, heads, m, head = q.shape
    n = k.shape[2]
    attention_kernel[(triton.cdiv(m, tile_m), batch * heads)](
        q, k, v, o, m, n, math.log2(math.e) / math.sqrt(head), heads, heads // k.shape[1], head, causal,
        tile_m, tile_n, num_warps=warps, num_stages=stages)


def operands(
    m: int,
    n: int,
    batch: int,
    heads: int,
    group: int,
    head: int = 128,
    dtype: torch.dtype = torch.bfloat16,
    device: torch.device | str = "cuda",
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    def make(rows: int, count: int) -> torch.Tensor:
        return torch.randn(batch, count, rows, head, device=device, dtype=dtype)
    q = make(m, heads)
    return q, make(n, heads // group), make(n, heads // group), torch.empty_like(q)


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = True) -> torch.Tensor:
    group = q.shape[1] // k.shape[1]
    q, k, v = q.double(), k.double().repeat_interleave(group, 1), v.double().repeat_interleave(group, 1)
    scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
    if causal:
        m, n = scores.shape[2:]
        seen = torch.arange(n, device=q.device)[None] <= torch.arange(m, device=q.device)[:, None] + n - m
        scores = scores.masked_fill(~seen, float("-inf"))
    return torch.softmax(scores, -1) @ v
