"""What PyTorch and CUDA take of the host: dispatch, launches, graphs, small copies, waiting."""
from __future__ import annotations

from collections.abc import Callable

from warploom.probe.workload import Sampler, Workload, cuda, of_modules, per_call


def make_cpu_dispatch() -> Sampler:
    torch = of_modules("torch")
    a, b = torch.zeros(16), torch.ones(16)
    return per_call(lambda: a.add_(b), 1000)


def make_bare_launch() -> Sampler:
    torch = cuda()
    return per_call(lambda: torch.cuda._sleep(1), 200, torch.cuda.synchronize)


def make_add() -> Sampler:
    torch = cuda()
    x = torch.zeros(1024, device="cuda")
    return per_call(lambda: x.add_(1), 200, torch.cuda.synchronize)


def make_linear() -> Sampler:
    torch = cuda()
    x = torch.zeros(16, 256, device="cuda", dtype=torch.bfloat16)
    w = torch.zeros(256, 256, device="cuda", dtype=torch.bfloat16)
    linear = torch.nn.functional.linear
    return per_call(lambda: linear(x, w), 200, torch.cuda.synchronize)


def make_allocation() -> Sampler:
    torch = cuda()
    return per_call(lambda: torch.empty(1024, device="cuda"), 500, torch.cuda.synchronize)


def make_event() -> Sampler:
    torch = cuda()
    event = torch.cuda.Event()
    return per_call(event.record, 500, torch.cuda.synchronize)


def make_round_trip() -> Sampler:
    """A kernel launched and waited for."""
    torch = cuda()
    x, stream = torch.zeros(1024, device="cuda"), torch.cuda.current_stream()

    def work() -> None:
        x.add_(1)
        stream.synchronize()

    return per_call(work, 100, torch.cuda.synchronize)


def make_to_device() -> Sampler:
    torch = cuda()
    here, there = torch.zeros(1024, pin_memory=True), torch.zeros(1024, device="cuda")
    return per_call(lambda: there.copy_(here, non_blocking=True), 200, torch.cuda.synchronize)


def make_to_host() -> Sampler:
    """Tokens of a step: into pinned memory, an event, waiting for it, a list."""
    torch = cuda()
    there = torch.zeros(64, dtype=torch.int32, device="cuda")
    here = torch.zeros(64, dtype=torch.int32, pin_memory=True)
    event = torch.cuda.Event()

    def work() -> None:
        here.copy_(there, non_blocking=True)
        event.record()
        event.synchronize()
        here.tolist()

    return per_call(work, 100, torch.cuda.synchronize)


def make_copy_rate(to_device: bool) -> Callable[[], Sampler]:
    def make() -> Sampler:
        torch = cuda()
        here = torch.zeros(2**26, dtype=torch.uint8, pin_memory=True)
        there = torch.zeros(2**26, dtype=torch.uint8, device="cuda")

        def work() -> None:
            (there if to_device else here).copy_(here if to_device else there, non_blocking=True)
            torch.cuda.synchronize()

        work()
        return per_call(work, 1, torch.cuda.synchronize)

    return make


def make_replay(kernels: int) -> Callable[[], Sampler]:
    """The host's time for one replay of a graph of so many small kernels, the GPU idle before."""

    def make() -> Sampler:
        torch = cuda()
        from warploom.timing import captured

        x = torch.zeros(1024, device="cuda")
        graph = captured([lambda: x.add_(1)] * kernels)

        def sample() -> float:
            times = [per_call(graph.replay, 1, torch.cuda.synchronize)() for _ in range(9)]
            return sorted(times)[4]

        return sample

    return make


def make_graph_kernel() -> Sampler:
    """The GPU's time for one small kernel of a graph, the pause before it included."""
    torch = cuda()
    from warploom.timing import captured, replay_us

    x = torch.zeros(1024, device="cuda")
    graph = captured([lambda: x.add_(1)] * 512)
    return lambda: replay_us(graph, 512)


def make_triton() -> Sampler:
    """A kernel through Triton's own launcher, which what Inductor compiles pays."""
    torch = cuda()
    of_modules("triton")
    from warploom.probe.triton_add import add_one

    x = torch.zeros(1024, device="cuda")
    add_one[(1,)](x, 1024, BLOCK=1024)
    return per_call(lambda: add_one[(1,)](x, 1024, BLOCK=1024), 200, torch.cuda.synchronize)


WORK = [
    Workload("torch.cpu_dispatch", make_cpu_dispatch),
    Workload("cuda.bare_launch", make_bare_launch),
    Workload("cuda.add", make_add),
    Workload("cuda.linear", make_linear),
    Workload("cuda.triton", make_triton),
    Workload("cuda.allocation", make_allocation),
    Workload("cuda.event", make_event),
    Workload("cuda.round_trip", make_round_trip),
    Workload("cuda.to_device", make_to_device, size={"bytes": 4096}),
    Workload("cuda.to_host", make_to_host, size={"bytes": 256}),
    Workload("cuda.copy_to_device", make_copy_rate(True), size={"bytes": 2**26}),
    Workload("cuda.copy_to_host", make_copy_rate(False), size={"bytes": 2**26}),
    *(
        Workload(f"cuda.replay_{kernels}", make_replay(kernels), size={"kernels": kernels})
        for kernels in (1, 32, 256, 1024)
    ),
    Workload("cuda.graph_kernel", make_graph_kernel),
]
