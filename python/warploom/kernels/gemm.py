"""Dense GEMM: C[m, n] = A[m, k] B[n, k]^T with fp32 accumulation, bf16, fp16 or fp8 operands, bf16 output.

Grids too small for the GPU may split the loop over k: parts write sums of their own, which a second kernel
adds in a fixed order, so that equal calls give equal bits.
"""

from warploom.anchors import Config
import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["M"])
def gemm_kernel(
    a: tl.tensor,
    b: tl.tensor,
    c: tl.tensor,
    M: tl.tensor,
    N: tl.tensor,
    K: tl.tensor,
    stride_am: tl.tensor,
    stride_bn: tl.tensor,
    stride_cm: tl.tensor,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
) -> None:
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    # GROUP_M tile rows are walked together, so that a column panel of B is still in L2 for the next row.
    width = GROUP_M * tiles_n
    first = pid // width * GROUP_M
    rows = min(tiles_m - first, GROUP_M)
    tile_m = first + (pid % width) % rows
    tile_n = (pid % width) // rows
    # Rows beyond the end repeat the first ones: loads need no mask, stores have one.
    offsets_m = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offsets_n = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offsets_k = tl.arange(0, BLOCK_K)
    at_a = a + offsets_m[:, None].to(tl.int64) * stride_am + offsets_k[None, :]
    at_b = b + offsets_k[:, None] + offsets_n[None, :].to(tl.int64) * stride_bn
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        x = tl.load(at_a, mask=offsets_k[None, :] < left, other=0.0)
        y = tl.load(at_b, mask=offsets_k[:, None] < left, other=0.0)
        sums = tl.dot(x, y, sums)
        at_a += BLOCK_K
        at_b += BLOCK_K
    out_m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    out_n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c + out_m[:, None].to(tl.int64) * stride_cm + out_n[None, :], sums.to(c.dtype.element_ty),
             mask=(out_m[:, None] < M) & (out_n[None, :] < N))


@triton.jit(do_not_specialize=["M"])
def gemm_part_kernel(
    a: tl.tensor,
    b: tl.tensor,
    parts: tl.tensor,
    M: tl.tensor,
    N: tl.tensor,
    K: tl.tensor,
    stride_am: tl.tensor,
    stride_bn: tl.tensor,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    SPLIT_K: tl.constexpr,
) -> None:
    pid = tl.program_id(0)
    part = tl.program_id(1)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    width = GROUP_M * tiles_n
    first = pid // width * GROUP_M
    rows = min(tiles_m - first, GROUP_M)
    tile_m = first + (pid % width) % rows
    tile_n = (pid % width) // rows
    offsets_m = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offsets_n = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    steps = tl.cdiv(tl.cdiv(K, BLOCK_K), SPLIT_K)
    start = part * steps * BLOCK_K
    offsets_k = tl.arange(0, BLOCK_K)
    at_a = a + offsets_m[:, None].to(tl.int64) * stride_am + start + offsets_k[None, :]
    at_b = b + start + offsets_k[:, None] + offsets_n[None, :].to(tl.int64) * stride_bn
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, steps):
        left = K - start - k * BLOCK_K
        x = tl.load(at_a, mask=offsets_k[None, :] < left, other=0.0)
        y = tl.load(at_b, mask=offsets_k[:, None] < left, other=0.0)
        sums = tl.dot(x, y, sums)
        at_a += BLOCK_K
        at_b += BLOCK_K
    out_m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    out_n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    own = parts + (part * M).to(tl.int64) * N
    tl.store(own + out_m[:, None].to(tl.int64) * N + out_n[None, :], sums,
             mask=(out_m[:, None] < M) & (out_n[None, :] < N))


@triton.jit(do_not_specialize=["M"])
def add_parts_kernel(
    parts: tl.tensor,
    c: tl.tensor,
    M: tl.tensor,
    N: tl.tensor,
    stride_cm: tl.tensor,
    SPLIT_K: tl.constexpr,
    BLOCK: tl.constexpr,
) -> None:
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    size = M.to(tl.int64) * N
    inside = at < size
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for part in tl.static_range(SPLIT_K):
        total += tl.load(parts + part * size + at, mask=inside, other=0.0)
    tl.store(c + at // N * stride_cm + at % N, total.to(c.dtype.element_ty), mask=inside)


ADDED_AT_ONCE = 1024


def launch(config: Config, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    """config: (tile_m, tile_n, tile_k, warps, stages), and split_k where the loop has parts."""
    tile_m, tile_n, tile_k, warps, stages = config[:5]
    split = config[5] if len(config) > 5 else 1
    (m, k), n = a.shape, b.shape[0]
    tiles = triton.cdiv(m, tile_m) * triton.cdiv(n, tile_n)
    if split == 1:
        gemm_kernel[(tiles,)](a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0),
                              tile_m, tile_n, tile_k, 8, num_warps=warps, num_stages=stages)
        return
    parts = torch.empty(split, m, n, device=c.device, dtype=torch.float32)
    gemm_part_kernel[(tiles, split)](a, b, parts, m, n, k, a.stride(0), b.stride(0),
                                     tile_m, tile_n, tile_k, 8, split, num_warps=warps, num_stages=stages)
    add_parts_kernel[(triton.cdiv(m * n, ADDED_AT_ONCE),)](parts, c, m, n, c.stride(0), split, ADDED_AT_ONCE)


def operands(
    m: int, n: int, k: int, dtype: torch.dtype = torch.bfloat16, device: str = "cuda"
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    def make(rows: int) -> torch.Tensor:
        return torch.randn(rows, k, device=device, dtype=torch.bfloat16).to(dtype)
    return make(m), make(n), torch.empty(m, n, device=device, dtype=torch.bfloat16)


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() @ b.double().T
