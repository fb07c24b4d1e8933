"""Grouped GEMM of a mixture of experts: each token-expert pair p gets C[p] = A[p // top_k] B[expert of p]^T.

Pairs are sorted by expert and padded to whole tiles of rows; one program computes one tile.
"""
import torch
import triton
import triton.language as tl

from warploom.anchors import Config
from warploom.expert_rows import skewed_rows


@triton.jit(do_not_specialize=["blocks", "pairs"])
def grouped_gemm_kernel(
    a: tl.tensor,
    b: tl.tensor,
    c: tl.tensor,
    pair_ids: tl.tensor,
    block_expert: tl.tensor,
    blocks: tl.tensor,
    pairs: tl.tensor,
    N: tl.tensor,
    K: tl.tensor,
    stride_am: tl.tensor,
    stride_be: tl.tensor,
    stride_bn: tl.tensor,
    stride_cm: tl.tensor,
    TOP_K: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
) -> None:
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BLOCK_N)
    width = GROUP_M * tiles_n
    first = pid // width * GROUP_M
    rows = min(blocks - first, GROUP_M)
    block = first + (pid % width) % rows
    tile_n = (pid % width) // rows
    expert = tl.load(block_expert + block).to(tl.int64)
    ids = tl.load(pair_ids + block * BLOCK_M + tl.arange(0, BLOCK_M))
    real = ids < pairs
    offsets_n = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offsets_k = tl.arange(0, BLOCK_K)
    at_a = a + (ids[:, None] // TOP_K).to(tl.int64) * stride_am + offsets_k[None, :]
    at_b = b + expert * stride_be + offsets_k[:, None] + offsets_n[None, :].to(tl.int64) * stride_bn
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        x = tl.load(at_a, mask=real[:, None] & (offsets_k[None, :] < left), other=0.0)
        y = tl.load(at_b, mask=offsets_k[:, None] < left, other=0.0)
        sums = tl.dot(x, y, sums)
        at_a += BLOCK_K
        at_b += BLOCK_K
    out_n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c + ids[:, None].to(tl.int64) * stride_cm + out_n[None, :], sums.to(c.dtype.element_ty),
             mask=real[:, None] & (out_n[None, :] < N))


def balanced_experts(pairs: int, experts: int, device: torch.device | str = "cuda") -> torch.Tensor:
    """The expert of each pair when pairs go round robin."""
    return torch.arange(pairs, device=device) % experts


def skewed_experts(
    pairs: int, experts: int, skew: float, device: torch.device | str = "cuda"
) -> torch.Tensor:
    """The expert of each pair when experts have the rows of `warploom.expert_rows.skewed_rows`."""
    rows = torch.tensor(skewed_rows(pairs, experts, skew), device=device)
    return torch.repeat_interleave(torch.arange(experts, device=device), rows)


def chosen_experts(
    pairs: int, experts: int, skew: float = 0.0, device: torch.device | str = "cuda"
) -> torch.Tensor:
    if skew > 0:
        return skewed_experts(pairs, experts, skew, device)
    return balanced_experts(pairs, experts, device)


def sort_pairs(expert_of_pair: torch.Tensor, experts: int, tile_m: int) -> tuple[torch.Tensor, torch.Tensor]:
    """(pair_ids padded with the number of pairs, expert of each block of tile_m rows)."""
    pairs, device = expert_of_pair.numel(), expert_of_pair.device
    counts = torch.bincount(expert_of_pair, minlength=experts)
    blocks = (counts + tile_m - 1) // tile_m
    starts = torch.cumsum(blocks * tile_m, 0) - blocks * tile_m
    order = torch.argsort(expert_of_pair, stable=True)
    sorted_experts = expert_of_pair[order]
    rank = torch.arange(pairs, device=device) - (torch.cumsum(counts, 0) - counts)[sorted_experts]
    pair_ids = torch.full((int(blocks.sum()) * tile_m,), pairs, dtype=torch.int32, device=device)
    pair_ids[starts[sorted_experts] + rank] = order.to(torch.int32)
    block_expert = torch.repeat_interleave(torch.arange(experts, device=device), blocks).to(torch.int32)
    return pair_ids, block_expert


def launch(
    config: Config,
    a: torch.Tensor,
    b: torch.Tensor,
    c: torch.Tensor,
    pair_ids: torch.Tensor,
    block_expert: torch.Tensor,
    top_k: int,
) -> None:
    tile_m, tile_n, tile_k, warps, stages = config
    _, n, k = b.shape
    blocks = block_expert.numel()
    grouped_gemm_kernel[(blocks * triton.cdiv(n, tile_n),)](
        a, b, c, pair_ids, block_expert, blocks, c.shape[0], n, k, a.stride(0), b.stride(0), b.stride(1),
        c.stride(0), top_k, tile_m, tile_n, tile_k, 8, num_warps=warps, num_stages=stages)


def operands(
    pairs: int,
    n: int,
    k: int,
    experts: int,
    top_k: int,
    dtype: torch.dtype = torch.bfloat16,
    device: torch.device | str = "cuda",
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    tokens = (pairs + top_k - 1) // top_k
    a = torch.randn(tokens, k, device=device, dtype=torch.bfloat16).to(dtype)
    b = torch.empty(experts, n, k, device=device, dtype=torch.bfloat16).normal_().to(dtype)
    return a, b, torch.empty(pairs, n, device=device, dtype=torch.bfloat16)


def reference(a: torch.Tensor, b: torch.Tensor, expert_of_pair: torch.Tensor, top_k: int) -> torch.Tensor:
    rows = torch.arange(expert_of_pair.numel(), device=a.device) // top_k
    pairs = zip(rows.tolist(), expert_of_pair.tolist())
    return torch.stack([b[e].double() @ a[r].double() for r, e in pairs])
