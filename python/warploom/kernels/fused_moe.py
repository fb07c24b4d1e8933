"""Expert layer of a mixture as engines run it: gate-and-up product, then down product, one launch each.

A token's top_k pairs are sorted by expert and padded to whole tiles of rows; the grid covers the worst case
and programs beyond the padded rows of this routing end at once, so that a graph serves any routing. The
activation between the products is not part of it. Both products launch the same configuration:
(tile_m, tile_n, tile_k, warps, stages, group_m).
"""

from warploom.anchors import Config
import torch
import triton
import triton.language as tl

# What align gives.
Aligned = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


@triton.jit(do_not_specialize=["length", "pairs", "top_k", "group_m"])
def fused_moe_kernel(
    a: tl.tensor,
    b: tl.tensor,
    c: tl.tensor,
    weights: tl.tensor,
    pair_ids: tl.tensor,
    block_expert: tl.tensor,
    padded_rows: tl.tensor,
    N: tl.tensor,
    K: tl.tensor,
    length: tl.tensor,
    pairs: tl.tensor,
    top_k: tl.tensor,
    group_m: tl.tensor,
    stride_am: tl.tensor,
    stride_be: tl.tensor,
    stride_bn: tl.tensor,
    stride_cm: tl.tensor,
    WEIGHTED: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
) -> None:
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(length, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    width = group_m * tiles_n
    first = pid // width * group_m
    rows = min(tiles_m - first, group_m)
    block = first + (pid % width) % rows
    tile_n = (pid % width) // rows
    if block * BLOCK_M >= tl.load(padded_rows):
        return
    expert = tl.load(block_expert + block).to(tl.int64)
    ids = tl.load(pair_ids + block * BLOCK_M + tl.arange(0, BLOCK_M))
    real = ids < pairs
    offsets_n = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offsets_k = tl.arange(0, BLOCK_K)
    at_a = a + (ids[:, None] // top_k).to(tl.int64) * stride_am + offsets_k[None, :]
    at_b = b + expert * stride_be + offsets_k[:, None] + offsets_n[None, :].to(tl.int64) * stride_bn
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        x = tl.load(at_a, mask=real[:, None] & (offsets_k[None, :] < left), other=0.0)
        y = tl.load(at_b, mask=offsets_k[:, None] < left, other=0.0)
        sums = tl.dot(x, y, sums)
        at_a += BLOCK_K
        at_b += BLOCK_K
    if WEIGHTED:
        sums *= tl.load(weights + ids, mask=real, other=0.0)[:, None]
    out_n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c + ids[:, None].to(tl.int64) * stride_cm + out_n[None, :], sums.to(c.dtype.element_ty),
             mask=real[:, None] & (out_n[None, :] < N))


def random_experts(
    tokens: int, experts: int, top_k: int, seed: int, device: torch.device | str = "cuda"
) -> torch.Tensor:
    """[tokens * top_k]: distinct experts of each token, all alike."""
    generator = torch.Generator(device).manual_seed(seed)
    scores = torch.rand(tokens, experts, generator=generator, device=device)
    return scores.topk(top_k, dim=1).indices.flatten()


def align(expert_of_pair: torch.Tensor, experts: int, tile_m: int) -> Aligned:
    """(pair_ids padded with the number of pairs, expert of each block of tile_m rows, rows in use [1]), of
    the length that holds any routing of so many pairs."""
    pairs, device = expert_of_pair.numel(), expert_of_pair.device
    length = min(pairs * tile_m, pairs + experts * (tile_m - 1))
    length = -(-length // tile_m) * tile_m
    counts = torch.bincount(expert_of_pair, minlength=experts)
    blocks = (counts + tile_m - 1) // tile_m
    starts = torch.cumsum(blocks * tile_m, 0) - blocks * tile_m
    order = torch.argsort(expert_of_pair, stable=True)
    sorted_experts = expert_of_pair[order]
    rank = torch.arange(pairs, device=device) - (torch.cumsum(counts, 0) - counts)[sorted_experts]
    pair_ids = torch.full((length,), pairs, dtype=torch.int32, device=device)
    pair_ids[starts[sorted_experts] + rank] = order.to(torch.int32)
    block_expert = torch.zeros(length // tile_m, dtype=torch.int32, device=device)
    used = torch.repeat_interleave(torch.arange(experts, device=device), blocks)
    block_expert[:used.numel()] = used.to(torch.int32)
    return pair_ids, block_expert, (blocks.sum() * tile_m).to(torch.int32).reshape(1)


def launch(
    config: Config,
    a: torch.Tensor,
    b: torch.Tensor,
    c: torch.Tensor,
    weights: torch.Tensor,
    aligned: Aligned,
    top_k: int,
    weighted: bool,
) -> None:
    """One product: c[p] = a[p // top_k] b[expert of p]^T, times the pair's weight where `weighted`."""
    tile_m, tile_n, tile_k, warps, stages, group_m = config
    pair_ids, block_expert, padded_rows = aligned
    _, n, k = b.shape
    grid = (block_expert.numel() * triton.cdiv(n, tile_n),)
    fused_moe_kernel[grid](a, b, c, weights, pair_ids, block_expert, padded_rows, n, k, pair_ids.numel(),
                           c.shape[0], top_k, group_m, a.stride(0), b.stride(0), b.stride(1), c.stride(0),
                           weighted, tile_m, tile_n, tile_k, num_warps=warps, num_stages=stages)


def reference(
    a: torch.Tensor,
    b: torch.Tensor,
    expert_of_pair: torch.Tensor,
    top_k: int,
    weights: torch.Tensor | None = None,
) -> torch.Tensor:
    rows = torch.arange(expert_of_pair.numel(), device=a.device) // top_k
    pairs = zip(rows.tolist(), expert_of_pair.tolist())
    products = torch.stack([b[e].double() @ a[r].double() for r, e in pairs])
    return products if weights is None else products * weights.double()[:, None]
