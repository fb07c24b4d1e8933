"""The GPU's rates: memory, products of known sizes, attention, norms; in CUDA graphs, operands not in L2."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warploom.probe.workload import Missing, Sampler, Workload, cuda

# (rows, columns, depth), as the layers of models with 8 and 14 billion parameters have them.
PRODUCTS = [
    (1, 6144, 4096),
    (1, 28672, 4096),
    (1, 151936, 5120),
    (16, 28672, 4096),
    (64, 4096, 14336),
    (128, 28672, 4096),
    (256, 4096, 4096),
    (256, 28672, 4096),
    (512, 6144, 4096),
    (1024, 28672, 4096),
    (2048, 4096, 14336),
    (4096, 6144, 4096),
    (8192, 28672, 4096),
]
FP8_PRODUCTS = [(16, 6144, 4096), (16, 28672, 4096), (64, 4096, 14336), (256, 28672, 4096)] + PRODUCTS[9:]
PROMPTS = [(1, 2048), (1, 8192)]  # sequences, tokens of each
HEADS, KV_HEADS, HEAD = 32, 8, 128
LARGE = 2**30  # bytes
LEAST_US = 1500.0


def timed_graph(calls: list[Callable[[], object]]) -> Sampler:
    """A sampler: microseconds a call of a graph that replays the calls, long enough for the GPU's clock."""
    from warploom.timing import captured, replay_us

    graph = captured(calls)
    first = max(replay_us(graph, len(calls)), 0.1)
    times = max(1, round(LEAST_US / (first * len(calls))))
    if times > 1:
        calls = calls * times
        # cuBLAS goes on using the workspace that it took from the first graph's memory.
        before, graph = graph, captured(calls)
        graph.before = before
        replay_us(graph, len(calls))
    return lambda: replay_us(graph, len(calls))


def rotated(make_one: Callable[[], Callable[[], object]], operand_bytes: int) -> list[Callable[[], object]]:
    from warploom.timing import copies_of

    return [make_one() for _ in range(copies_of(operand_bytes))]


def product(rows: int, columns: int, depth: int) -> Workload:
    def make() -> Sampler:
        torch = cuda()

        def one() -> Callable[[], object]:
            a = torch.randn(rows, depth, device="cuda", dtype=torch.bfloat16)
            w = torch.randn(columns, depth, device="cuda", dtype=torch.bfloat16)
            return lambda: torch.nn.functional.linear(a, w)

        return timed_graph(rotated(one, 2 * (rows + columns) * depth))

    size = {
        "rows": rows,
        "columns": columns,
        "depth": depth,
        "bytes": 2 * (rows * depth + columns * depth + rows * columns),
        "flops": 2 * rows * columns * depth,
    }
    return Workload(f"product.bf16_{rows}x{columns}x{depth}", make, samples=4, size=size, kept=False)


def fp8_product(rows: int, columns: int, depth: int) -> Workload:
    def make() -> Sampler:
        torch = cuda()
        if torch.cuda.get_device_capability() < (8, 9):
            raise Missing("the GPU has no products in fp8")
        scale = torch.ones((), device="cuda")

        def one() -> Callable[[], object]:
            a = torch.randn(rows, depth, device="cuda").to(torch.float8_e4m3fn)
            w = torch.randn(columns, depth, device="cuda").to(torch.float8_e4m3fn)
            return lambda: torch._scaled_mm(a, w.t(), scale_a=scale, scale_b=scale, out_dtype=torch.bfloat16)

        return timed_graph(rotated(one, (rows + columns) * depth))

    size = {
        "rows": rows,
        "columns": columns,
        "depth": depth,
        "bytes": rows * depth + columns * depth + 2 * rows * columns,
        "flops": 2 * rows * columns * depth,
    }
    return Workload(f"product.fp8_{rows}x{columns}x{depth}", make, samples=4, size=size, kept=False)


def attention(sequences: int, tokens: int) -> Workload:
    def make() -> Sampler:
        torch = cuda()
        from torch.nn.attention import SDPBackend, sdpa_kernel

        def one() -> Callable[[], object]:
            heads = [HEADS, KV_HEADS, KV_HEADS]
            q, k, v = (
                torch.randn(sequences, h, tokens, HEAD, device="cuda", dtype=torch.bfloat16) for h in heads
            )
            attend = torch.nn.functional.scaled_dot_product_attention
            return lambda: attend(q, k, v, is_causal=True, enable_gqa=True)

        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            return timed_graph([one(), one()])

    size = {
        "sequences": sequences,
        "tokens": tokens,
        "heads": HEADS,
        "kv_heads": KV_HEADS,
        "head": HEAD,
        "flops": 2 * sequences * HEADS * tokens * tokens * HEAD,  # half of the square is masked
    }
    return Workload(f"attention.prompt_{sequences}x{tokens}", make, samples=4, size=size, kept=False)


def make_norm() -> Sampler:
    torch = cuda()
    w = torch.ones(4096, device="cuda", dtype=torch.bfloat16)

    def one() -> Callable[[], object]:
        x = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
        return lambda: torch.nn.functional.rms_norm(x, (4096,), w)

    return timed_graph(rotated(one, 4096 * 4096 * 2))


def memory(work: Callable[[Any, Any, Any], Callable[[], object]]) -> Callable[[], Sampler]:
    """`work(torch, source, target)` gives the call to be timed."""

    def make() -> Sampler:
        torch = cuda()
        source = torch.zeros(LARGE // 4, device="cuda")
        target = torch.zeros(LARGE // 4, device="cuda")
        return timed_graph([work(torch, source, target)] * 2)

    return make


WORK = [
    Workload(
        "memory.copy", memory(lambda _, s, t: lambda: t.copy_(s)), size={"bytes": 2 * LARGE}, kept=False
    ),
    Workload(
        "memory.read", memory(lambda torch, s, _: lambda: torch.sum(s)), size={"bytes": LARGE}, kept=False
    ),
    Workload("memory.write", memory(lambda _, s, t: lambda: t.fill_(1.0)), size={"bytes": LARGE}, kept=False),
    *(product(*shape) for shape in PRODUCTS),
    *(fp8_product(*shape) for shape in FP8_PRODUCTS),
    *(attention(*prompt) for prompt in PROMPTS),
    Workload("norm.rms_4096x4096", make_norm, size={"bytes": 4 * 4096 * 4096}, kept=False),
]
