"""All-reduces over all GPUs of a host, a process each, as engines run them: in CUDA graphs, and plain."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import time
from collections.abc import Callable
from typing import Any

from warploom.probe.workload import Missing, cuda

SIZES = [2**13, 2**16, 2**18, 2**20, 2**23, 2**26, 2**28]  # bytes
CALLS = 20


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


def times_of(torch: Any, graph: Callable[[], object], repeats: int = 9) -> list[float]:
    times: list[float] = []
    for _ in range(repeats):
        torch.distributed.barrier()
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        graph()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / CALLS)
    return sorted(times)


def rank(number: int, count: int, port: int, path: str) -> None:
    """One process. Rank 0 writes {way_bytes: times}."""
    import torch
    import torch.distributed as distributed

    torch.cuda.set_device(number)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    distributed.init_process_group("nccl", rank=number, world_size=count)
    found = {}
    for size in SIZES:
        x = torch.zeros(size // 2, device="cuda", dtype=torch.bfloat16)

        def plain() -> None:
            for _ in range(CALLS):
                distributed.all_reduce(x)

        plain()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            plain()
        graph.replay()
        found[f"link.all_reduce_{size}"] = times_of(torch, graph.replay)
        found[f"link.all_reduce_plain_{size}"] = times_of(torch, plain)
    if number == 0:
        with open(path, "w") as file:
            json.dump(found, file)
    distributed.destroy_process_group()


def all_reduces(limit_s: float = 120) -> dict[str, Any]:
    """{name: times in us}. Missing with one GPU, or where the ranks do not end."""
    torch = cuda()
    count = torch.cuda.device_count()
    if count < 2:
        raise Missing("one GPU: no links")
    if not torch.distributed.is_available():
        raise Missing("torch.distributed")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "times.json")
        ranks = torch.multiprocessing.spawn(
            rank, (count, free_port(), path), nprocs=count, join=False, daemon=True
        )
        ends = time.monotonic() + limit_s
        while not ranks.join(timeout=1):
            if time.monotonic() > ends:
                for process in ranks.processes:
                    process.kill()
                raise Missing(f"the ranks did not end in {limit_s} s")
        with open(path) as file:
            return {"gpus": count, "times": json.load(file)}
