"""Times GPU kernels as an engine runs them: from a CUDA graph, over operands that rotate out of L2."""
from __future__ import annotations

from collections.abc import Callable, Sequence
import torch

ROTATED_BYTES = 120 * 2**20  # more than twice the largest L2 of today's GPUs
MOST_COPIES = 24


def copies_of(operand_bytes: int) -> int:
    """How many operand sets follow one another."""
    return max(2, min(MOST_COPIES, -(-ROTATED_BYTES // max(1, operand_bytes))))


def captured(calls: Sequence[Callable[[], object]]) -> torch.cuda.CUDAGraph:
    """A graph of the calls, one after another."""
    calls[0]()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    graph.calls = calls  # the tensors that its kernels touch live as long as it does
    graph.replay()
    return graph


def replay_us(graph: torch.cuda.CUDAGraph, calls: int) -> float:
    """Microseconds of each of the graph's calls, by the GPU's clock."""
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return float(begin.elapsed_time(end)) * 1e3 / calls


def queued_us(graph: torch.cuda.CUDAGraph, calls: int) -> float:
    """As replay_us, behind another replay: the GPU is at work before, so that the launch of the graph, which
    would be a part of a short one's time, is not waited for."""
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    graph.replay()
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return float(begin.elapsed_time(end)) * 1e3 / calls


def graph_us(calls: Sequence[Callable[[], object]], replays: int = 3) -> tuple[float, float]:
    """(median, least) microseconds of one call; `calls` are launched one after another in one graph."""
    graph = captured(calls)
    times = sorted(replay_us(graph, len(calls)) for _ in range(replays))
    return times[len(times) // 2], times[0]


class SteadyClock:
    """Tells a throttled or shared GPU by a fixed matrix product that is timed now and then."""

    def __init__(self, tolerance: float = 0.08) -> None:
        self.tolerance = tolerance
        side = 4096
        self.a = torch.randn(side, side, device="cuda", dtype=torch.bfloat16)
        self.usual = min(self._time() for _ in range(3))
        self.slowest = self.usual

    def _time(self) -> float:
        return graph_us([lambda: self.a @ self.a] * 4)[0]

    def warning(self) -> str | None:
        """A sentence when the GPU is slower than at the start, else None."""
        now = self._time()
        self.slowest = max(self.slowest, now)
        if now <= self.usual * (1 + self.tolerance):
            return None
        return (f"the GPU runs {100 * (now / self.usual - 1):.0f} % slower than at the start: "
                "it is throttled or shared, and these times are not comparable")
