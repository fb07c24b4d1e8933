"""Synchronous steps of a vLLM engine in one process, dummy weights: wall time, host parts, GPU kernels.

steps.py --config CONFIG.json --out DIR --tag T [--kv KEY=VALUE ...] [--ladders 500:1,2,..;4000:1,..]
Two passes over the same batches: wall times, before the profiler was ever loaded, then kernels by CUPTI.
Writes T_steps.csv (a row a batch), T_kernels.csv.gz (kernels by name), T_walls.csv.gz (every timed step),
T_timeline.csv.gz (launches and kernels of a few single steps). With tensor_parallel_size above 1 T_kernels
has the kernels of rank 0, T_ranks.csv.gz those of every rank; most parts of the host stay empty."""

import argparse
import csv
import gzip
import json
import os
import random
import statistics as st
import time

os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
import engine_setup
import engine_trace
import rank_profiler
from engine_trace import EV0, EV1, EX0, EX1, FW0, MODE, PAD, SA0, SA1, SCH0, SCH1, UP0, UP1

LAUNCH = ("cudaLaunchKernel", "cuLaunchKernel", "cudaLaunchCooperative", "cuLaunchCooperative")
STEPS_HEAD = (
    "kind batch wall_ms wall_min_ms kernel_sum_ms span_ms kernels wall_p90_ms schedule_ms prepare_ms "
    "forward_ms between_ms sample_ms update_ms outside_ms gpu_ms context_mean graph padded_tokens "
    "kernels_in_graphs kernels_outside launches_outside graph_launches copies profiled_wall_ms "
    "kernel_context_mean"
).split()
PARTS = "schedule_ms prepare_ms forward_ms between_ms sample_ms update_ms outside_ms gpu_ms".split()
WALLS_HEAD = ["kind", "batch", "n", "wall_ms", *PARTS]
PROMPTS = "16,32,64,128,200,256,300,400,512,600,768,1024,1536,2048,3072,4096,6144,8192,4x128,8x512,4x2048"
TIMELINES = {
    ("prefill", "1x1024"),
    ("prefill", "1x256"),
    ("decode", "16x500"),
    ("mixed", "16x500+512"),
    ("mixed", "64x500+1024"),
}


def kernels_by_name(gpu, api):
    """Lengths in us of the kernels of each (name, in a graph)."""
    by = {}
    for start, ns, name, corr in gpu:
        by.setdefault((name[:200], "GraphLaunch" in api.get(corr, ("",))[0]), []).append(ns * 1e-3)
    return by


class Bench:
    def __init__(self, a):
        import torch
        from vllm import SamplingParams
        from vllm.engine.arg_utils import EngineArgs
        from vllm.v1.engine.llm_engine import LLMEngine

        self.torch, self.params = torch, SamplingParams
        folder, cfg = engine_setup.model_folder(a.config, a.tag)
        kw = engine_setup.engine_arguments(
            dict(
                max_model_len=10000,
                gpu_memory_utilization=0.9,
                enable_prefix_caching=False,
                max_num_seqs=256,
                max_num_batched_tokens=8192,
                async_scheduling=False,
            ),
            a.kv,
        )
        self.ranks = kw.get("tensor_parallel_size", 1)
        if self.ranks > 1:
            kw["worker_extension_cls"] = "rank_profiler.RankProfiler"
        t = time.monotonic()
        self.engine = LLMEngine.from_engine_args(
            EngineArgs(model=folder, load_format="dummy", skip_tokenizer_init=True, **kw)
        )
        self.core = self.engine.engine_core.engine_core
        self.trace = self.core.wl_trace
        c = self.engine.vllm_config
        self.setup = dict(
            engine_kwargs=kw,
            num_gpu_blocks=c.cache_config.num_gpu_blocks,
            block_size=c.cache_config.block_size,
            resolved=engine_setup.resolved(c),
        )
        print("engine up in %.1f s" % (time.monotonic() - t), json.dumps(self.setup["resolved"]), flush=True)
        self.rng, self.vocab, self.count = random.Random(5), cfg.get("vocab_size", 32000), 0
        self.walls, self.steps, self.kernels, self.timeline, self.by_rank = {}, {}, [], [], []
        self.out, self.tag = a.out, a.tag

    def add(self, tokens, output):
        self.count += 1
        name = f"r{self.count}"
        ids = [self.rng.randrange(1000, self.vocab - 1000) for _ in range(tokens)]
        self.engine.add_request(
            name,
            {"prompt_token_ids": ids},
            self.params(max_tokens=output, ignore_eos=True, temperature=0.0, detokenize=False),
        )
        return name

    def running(self):
        return self.core.scheduler.running

    def fill(self, count, context, names):
        while len(names) < count:
            names.append(self.add(context, 3000))
        while (
            self.core.scheduler.waiting
            or len(self.running()) < count
            or any(r.num_computed_tokens < r.num_prompt_tokens for r in self.running())
        ):
            self.engine.step()
        for _ in range(5):
            self.engine.step()

    def timed_step(self):
        torch, trace = self.torch, self.trace
        if len(trace.rows) > 200:
            trace.start()
        torch.cuda.synchronize()
        t0 = engine_trace.now()
        self.engine.step()
        torch.cuda.synchronize()
        t1 = engine_trace.now()
        r = trace.finish(trace.rows[-1])
        ms = lambda a, b: (b - a) * 1e3 if a is not None and b is not None else float("nan")
        sample1 = r[SA1] if r[SA1] is not None else r[EX1]
        parts = [
            ms(r[SCH0], r[SCH1]),
            ms(r[EX0], r[FW0]),
            ms(r[FW0], r[EX1]),
            ms(r[EX1], r[SA0]),
            ms(r[SA0], r[SA1]),
            ms(r[UP0], r[UP1]),
        ]
        wall = (t1 - t0) * 1e3
        return [wall] + parts + [wall - ms(r[SCH0], r[UP1])] + [ms(r[EV0], r[EV1])], r[MODE], r[PAD]

    def context(self):
        now = [r.num_computed_tokens for r in self.running()]
        return sum(now) / len(now) if now else 0.0

    def note_walls(self, key, samples):
        rows = [s[0] for s in samples]
        self.walls[key] = rows
        med = [st.median(c) for c in zip(*rows)]
        wall = sorted(r[0] for r in rows)
        self.steps[key] = dict(
            wall_ms=med[0],
            wall_min_ms=wall[0],
            wall_p90_ms=wall[int(0.9 * (len(wall) - 1) + 0.5)],
            graph=samples[-1][1],
            padded_tokens=samples[-1][2],
            context_mean=self.context(),
            **dict(zip(PARTS, med[1:])),
        )
        print(
            *key,
            "wall %.3f gpu %.3f ms; sched %.2f prep %.2f fwd %.2f sample %.2f upd %.2f out %.2f %s"
            % (med[0], med[8], med[1], med[2], med[3], med[5], med[6], med[7], samples[-1][1]),
            flush=True,
        )

    def profile(self, key, steps):
        if self.ranks > 1:
            return self.profile_ranks(key, steps)
        torch = self.torch
        from torch.profiler import ProfilerActivity, profile

        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA]) as p:
            t0 = time.monotonic()
            for _ in range(steps):
                self.engine.step()
            torch.cuda.synchronize()
            wall = (time.monotonic() - t0) * 1e3 / steps
        self.note_kernels(key, steps, wall, *self.events_of(p))

    def profile_ranks(self, key, steps):
        path = os.path.join(self.out, f"{self.tag}_profile")
        self.engine.collective_rpc("profile_ranks_start")
        t0 = time.monotonic()
        for _ in range(steps):
            self.engine.step()
        wall = (time.monotonic() - t0) * 1e3 / steps
        self.engine.collective_rpc("profile_ranks_stop", args=(path,))
        for rank in reversed(range(self.ranks)):
            file = f"{path}.rank{rank}.csv.gz"
            gpu, api = rank_profiler.read_events(file)
            os.remove(file)
            for (name, graph), times in kernels_by_name(gpu, api).items():
                row = [*key, rank, name, f"{len(times) / steps:.3f}", f"{sum(times) / steps:.2f}"]
                self.by_rank.append(row + [f"{min(times):.2f}", f"{st.median(times):.2f}", int(graph)])
        self.note_kernels(key, steps, wall, gpu, api)

    def events_of(self, profiler):
        gpu, api = [], {}
        for e in profiler.profiler.kineto_results.events():
            if e.device_type() == self.torch.autograd.DeviceType.CUDA:
                if e.duration_ns() > 0:
                    gpu.append((e.start_ns(), e.duration_ns(), e.name(), e.correlation_id()))
            else:
                api[e.correlation_id()] = (e.name(), e.start_ns(), e.duration_ns())
        return sorted(gpu), api

    def note_kernels(self, key, steps, wall, gpu, api):
        by, inside, outside, copies = {}, 0, 0, 0
        for start, ns, name, corr in gpu:
            graph = "GraphLaunch" in api.get(corr, ("",))[0]
            x = by.setdefault((name, graph), [0, 0.0])
            x[0] += 1
            x[1] += ns * 1e-3
            if name.startswith(("Memcpy", "Memset")):
                copies += 1
            elif graph:
                inside += 1
            else:
                outside += 1
        names = [v[0] for v in api.values()]
        total = sum(x[1] for x in by.values()) / steps / 1e3
        span = (max(g[0] + g[1] for g in gpu) - gpu[0][0]) * 1e-6 / steps if gpu else 0
        self.steps.setdefault(key, {}).update(
            kernel_sum_ms=total,
            span_ms=span,
            kernels=len(gpu) / steps,
            kernels_in_graphs=inside / steps,
            kernels_outside=outside / steps,
            copies=copies / steps,
            launches_outside=sum(n.startswith(LAUNCH) for n in names) / steps,
            graph_launches=sum("GraphLaunch" in n for n in names) / steps,
            profiled_wall_ms=wall,
            kernel_context_mean=self.context() - (steps - 1) / 2,
        )
        for (name, graph), (calls, us) in sorted(by.items(), key=lambda x: -x[1][1])[:60]:
            self.kernels.append([*key, name[:200], round(calls / steps, 3), f"{us / steps:.2f}", int(graph)])
        if key in TIMELINES:
            self.note_timeline(key, gpu, api)
        print(
            *key,
            "kernels %.3f ms, n %.0f, in graphs %.0f, outside %.0f, launches %.0f"
            % (total, len(gpu) / steps, inside / steps, outside / steps, self.steps[key]["launches_outside"]),
            flush=True,
        )

    def note_timeline(self, key, gpu, api):
        zero = min([g[0] for g in gpu] + [v[1] for v in api.values()])
        for start, ns, name, corr in gpu:
            a = api.get(corr)
            self.timeline.append(
                [*key, name[:60], f"{(start - zero) * 1e-3:.2f}", f"{ns * 1e-3:.2f}"]
                + ([a[0], f"{(a[1] - zero) * 1e-3:.2f}", f"{a[2] * 1e-3:.2f}"] if a else ["", "", ""])
            )

    def drain(self):
        while self.engine.has_unfinished_requests():
            self.engine.step()

    def prompts(self, spec, profiled):
        for item in spec.split(","):
            count, tokens = map(int, item.split("x")) if "x" in item else (1, int(item))
            key = ("prefill", f"{count}x{tokens}")
            samples = []
            for k in range(1 if profiled else 10):
                for _ in range(count):
                    self.add(tokens, 1)
                samples.append(self.timed_step())
                self.drain()
            if profiled:
                for _ in range(count):
                    self.add(tokens, 1)
                self.profile(key, 1)
                self.drain()
            else:
                self.note_walls(key, samples[3:])

    def ladder(self, context, sizes, mixes, profiled):
        names = []
        for size in sizes:
            self.fill(size, context, names)
            key = ("decode", f"{size}x{context}")
            if profiled:
                self.profile(key, 3)
            else:
                self.note_walls(key, [self.timed_step() for _ in range(24)])
            for tokens in mixes.get(size, ()):
                key = ("mixed", f"{size}x{context}+{tokens}")
                samples = []
                for _ in range(2 if profiled else 9):
                    self.add(tokens, 1)
                    samples.append(self.timed_step())
                    self.engine.step()
                if profiled:
                    self.add(tokens, 1)
                    self.profile(key, 1)
                    self.engine.step()
                else:
                    self.note_walls(key, samples[2:])
        self.engine.abort_request(names)
        self.drain()
        for _ in range(2):
            self.engine.step()

    def write(self):
        def table(name, head, rows):
            opener = gzip.open if name.endswith(".gz") else open
            with opener(os.path.join(self.out, f"{self.tag}_{name}"), "wt", newline="") as f:
                w = csv.writer(f)
                w.writerow(head)
                w.writerows(rows)

        cell = lambda v: f"{v:.4f}" if isinstance(v, float) else "" if v is None else v
        table(
            "steps.csv",
            STEPS_HEAD,
            [
                [cell(dict(zip(("kind", "batch"), k), **v).get(c)) for c in STEPS_HEAD]
                for k, v in self.steps.items()
            ],
        )
        table("kernels.csv.gz", "kind batch kernel calls us in_graph".split(), self.kernels)
        table(
            "walls.csv.gz",
            WALLS_HEAD,
            [[*k, i] + [f"{x:.4f}" for x in r] for k, rows in self.walls.items() for i, r in enumerate(rows)],
        )
        if self.by_rank:
            head = "kind batch rank kernel calls us least median in_graph".split()
            table("ranks.csv.gz", head, self.by_rank)
        table(
            "timeline.csv.gz",
            "kind batch kernel start_us us launched_by launch_start_us launch_us".split(),
            self.timeline,
        )
        json.dump(
            dict(self.setup, machine=engine_setup.machine()),
            open(os.path.join(self.out, f"{self.tag}_steps.json"), "w"),
            indent=1,
        )


def main():
    a = argparse.ArgumentParser()
    for name in ("config", "tag", "out"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--kv", nargs="*", default=[])
    a.add_argument("--prompts", default=PROMPTS)
    a.add_argument("--ladders", default="500:1,2,4,8,16,32,64,128,256;4000:1,4,16,48")
    a.add_argument("--mixes", default="8:200;16:512,2048;64:256,1024;128:128,512,2048")
    a = a.parse_args()
    os.makedirs(a.out, exist_ok=True)
    mixes = {
        int(k): [int(t) for t in v.split(",")] for k, v in (x.split(":") for x in a.mixes.split(";") if x)
    }
    bench = Bench(a)
    for profiled in (False, True):
        try:
            t = time.monotonic()
            bench.prompts(a.prompts, profiled)
            for k, x in enumerate(a.ladders.split(";")):
                context, sizes = x.split(":")
                bench.ladder(
                    int(context), [int(s) for s in sizes.split(",")], mixes if k == 0 else {}, profiled
                )
            print("pass", int(profiled), "took %.1f s" % (time.monotonic() - t), flush=True)
        finally:
            bench.write()


if __name__ == "__main__":
    main()
