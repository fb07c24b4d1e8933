"""Kernels of every rank of a vLLM engine on several GPUs, by CUPTI: a worker extension of the engine.

Engine argument: worker_extension_cls="rank_profiler.RankProfiler", with this folder in PYTHONPATH. Then
collective_rpc("profile_ranks_start") and collective_rpc("profile_ranks_stop", args=(PATH,)): each rank writes
PATH.rankN.csv.gz, a row an event: gpu or api, name, start and length in ns on one clock, correlation."""

import csv
import gzip

HEAD = "where name start_ns ns correlation".split()


def write_events(path, events, gpu_type):
    """Writes the kineto events of one profile; returns how many."""
    rows = []
    for e in events:
        where = "gpu" if e.device_type() == gpu_type else "api"
        if where == "api" or e.duration_ns() > 0:
            rows.append([where, e.name()[:200], e.start_ns(), e.duration_ns(), e.correlation_id()])
    with gzip.open(path, "wt", newline="", compresslevel=4) as f:
        w = csv.writer(f)
        w.writerow(HEAD)
        w.writerows(rows)
    return len(rows)


def read_events(path):
    """(kernels as (start_ns, ns, name, correlation) by start, launches by correlation) of one rank's file."""
    gpu, api = [], {}
    with gzip.open(path, "rt", newline="") as f:
        for row in csv.DictReader(f):
            start, ns, correlation = int(row["start_ns"]), int(row["ns"]), int(row["correlation"])
            if row["where"] == "gpu":
                gpu.append((start, ns, row["name"], correlation))
            else:
                api[correlation] = (row["name"], start, ns)
    return sorted(gpu), api


class RankProfiler:
    """Methods that vLLM adds to each rank's worker."""

    def profile_ranks_start(self):
        import torch
        from torch.profiler import ProfilerActivity, profile

        torch.cuda.synchronize()
        self.rank_profile = profile(activities=[ProfilerActivity.CUDA])
        self.rank_profile.__enter__()

    def profile_ranks_stop(self, path):
        import torch

        torch.cuda.synchronize()
        self.rank_profile.__exit__(None, None, None)
        events = self.rank_profile.profiler.kineto_results.events()
        self.rank_profile = None
        return write_events(f"{path}.rank{self.rank}.csv.gz", events, torch.autograd.DeviceType.CUDA)
