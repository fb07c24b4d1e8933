"""NCCL's and vLLM's own collectives on the GPUs of one host.

python3 -m torch.distributed.run --standalone --nproc_per_node=N collectives.py OUT.csv
Each size: median, least and longest time of one call, of 20 plain calls and of a replayed CUDA graph of 20.
"""

import csv
import os
import statistics as st
import sys

import torch
import torch.distributed as dist

INNER = 20
HEAD = "operation library launch bytes gpus us us_min us_max".split()


def timed(run, rounds):
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    out = []
    for _ in range(rounds):
        dist.barrier()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        end.record()
        end.synchronize()
        out.append(start.elapsed_time(end) * 1e3 / INNER)
    return [f"{v:.3f}" for v in (st.median(out), min(out), max(out))]


def repeated(call):
    def loop():
        for _ in range(INNER):
            call()

    return loop


def captured(call):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        repeated(call)()
    return graph


def custom_all_reduce(rank):
    """vLLM's own all-reduce, or None where it is not to be had."""
    group = dist.new_group(backend="gloo")
    try:
        from vllm.distributed.device_communicators.custom_all_reduce import CustomAllreduce

        custom = CustomAllreduce(group, torch.device("cuda", rank))
        return None if custom.disabled else custom
    except Exception as e:
        print("no custom all-reduce:", repr(e)[:300], flush=True)
        return None


def nccl_rows(x, part, size, world):
    calls = {
        "allreduce": lambda: dist.all_reduce(x),
        "allgather": lambda: dist.all_gather_into_tensor(x, part),
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, x),
    }
    for name, call in calls.items():
        x.normal_()
        plain = timed(repeated(call), 15)
        replay = timed(captured(call).replay, 25)
        x.zero_()
        yield [name, "nccl", "plain", size, world, *plain]
        yield [name, "nccl", "graph", size, world, *replay]


def custom_rows(custom, x, size, world):
    kept = []

    def call():
        kept[:] = [custom.custom_all_reduce(x)]

    x.normal_()
    plain = timed(repeated(call), 15)
    with custom.capture():
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            repeated(call)()
    replay = timed(graph.replay, 25)
    yield ["allreduce", "vllm_custom", "plain", size, world, *plain]
    yield ["allreduce", "vllm_custom", "graph", size, world, *replay]


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    custom, rows = custom_all_reduce(rank), []
    for power in range(10, 27):
        size = 1 << power
        x = torch.randn(size // 2, device="cuda", dtype=torch.bfloat16)
        part = torch.empty(size // 2 // world, device="cuda", dtype=torch.bfloat16)
        rows += nccl_rows(x, part, size, world)
        if custom is not None and custom.should_custom_ar(x):
            rows += custom_rows(custom, x, size, world)
    if rank == 0:
        with open(sys.argv[1], "w", newline="") as f:
            csv.writer(f, lineterminator="\n").writerows([HEAD] + rows)
    torch.cuda.synchronize()
    dist.barrier()
    os._exit(0)  # NCCL's own end can hang after graphs


main()
