"""Steps of any vLLM from 0.24 on, with dummy weights: wall time of a step beside the sum of its GPU kernels.

Touches nothing inside the engine but the list of running requests, so that new versions work; `steps.py` has
more (the host's parts, launches) and knows names of vLLM 0.24. Made tests/fixtures/engine/vllm_0_33_h200.
    any_steps.py --config CONFIG.json --tag T --out FOLDER [--layers N] [--kv KEY=VALUE ...]
writes T_steps.csv (medians, ms; contexts in tokens), T_kernels.csv (us a step, the 45 longest of each batch)
and T_steps.json (versions, arguments), after every batch anew. --layers cuts the model to its first N layers.
Biases of routers are set to zero: random ones send nearly all tokens to the same few experts.
A prompt is T, or T@C: a chunk of T tokens after C of the same prompt (C a multiple of T). T_config.json is
the model as it ran. --turn FILE: several engines on one GPU start at the same time, each says that it is up
in FILE.T, waits until somebody creates FILE, and measures while it alone holds the lock on it.
"""

import argparse
import csv
import json
import os
import random
import shutil
import statistics
import time

from engine_setup import engine_arguments, model_folder, wait_for_turn

os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
KERNELS_KEPT = 45
DEFAULTS = {
    "max_model_len": 10000,
    "gpu_memory_utilization": 0.9,
    "enable_prefix_caching": False,
    "max_num_batched_tokens": 8192,
    "max_num_seqs": 256,
    "async_scheduling": False,
    "compilation_config": {"cudagraph_capture_sizes": [1, 2, 4, 8, 16, 32, 64, 128, 256]},
}


def cut_layers(folder, layers):
    """The model's folder with its first layers alone; lists of one entry a layer are cut too."""
    path = os.path.join(folder, "config.json")
    config = json.load(open(path))
    for part in [config] + [value for value in config.values() if isinstance(value, dict)]:
        count = part.get("num_hidden_layers")
        if not count or count <= layers:
            continue
        part["num_hidden_layers"] = layers
        for key, value in list(part.items()):
            if isinstance(value, list) and len(value) == count:
                part[key] = value[:layers]
        if len(part.get("hybrid_override_pattern") or "") == count:
            part["hybrid_override_pattern"] = part["hybrid_override_pattern"][:layers]
    json.dump(config, open(path, "w"))


def zero_router_biases(core):
    worker = core.model_executor.driver_worker
    model = getattr(worker, "worker", worker).model_runner.model
    model = getattr(model, "unwrap", lambda: model)()
    for name, weights in model.named_parameters():
        of_router = name.endswith("bias") and ("router" in name or ".gate." in name)
        if of_router or "e_score_correction_bias" in name:
            weights.data.zero_()


class Bench:
    """One engine in this process, stepped by hand."""

    def __init__(self, engine, vocabulary):
        self.engine = engine
        self.core = engine.engine_core.engine_core
        self.vocabulary = vocabulary
        self.rng = random.Random(5)
        self.requests = 0

    def add(self, tokens, outputs):
        from vllm import SamplingParams

        self.requests += 1
        prompt = [self.rng.randrange(1000, self.vocabulary - 1000) for _ in range(tokens)]
        sampling = SamplingParams(max_tokens=outputs, ignore_eos=True, temperature=0.0, detokenize=False)
        self.engine.add_request(f"r{self.requests}", {"prompt_token_ids": prompt}, sampling)

    def timed_step(self):
        import torch

        torch.cuda.synchronize()
        start = time.perf_counter()
        self.engine.step()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3

    def drain(self):
        while self.engine.has_unfinished_requests():
            self.engine.step()

    def start_decoding(self, requests, context, outputs):
        for _ in range(requests):
            self.add(context, outputs)
        running = lambda: self.core.scheduler.running
        while len(running()) < requests or self.core.scheduler.waiting or any(
            request.num_computed_tokens < request.num_prompt_tokens for request in running()
        ):
            self.engine.step()

    def mean_context(self):
        return statistics.fmean(request.num_computed_tokens for request in self.core.scheduler.running)

    def profiled(self, steps):
        """Sum and span of the GPU's kernels in ms a step, kernels a step, name -> (calls, us)."""
        import torch
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            for _ in range(steps):
                self.engine.step()
            torch.cuda.synchronize()
        cuda = torch.autograd.DeviceType.CUDA
        events = [e for e in profiler.events() if e.device_type == cuda]
        events = [e for e in events if e.time_range.end > e.time_range.start]
        by_name = {}
        for event in events:
            calls, us = by_name.get(event.name, (0, 0.0))
            by_name[event.name] = (calls + 1, us + event.time_range.end - event.time_range.start)
        total = sum(us for _, us in by_name.values())
        span = max(e.time_range.end for e in events) - min(e.time_range.start for e in events)
        return total / steps / 1e3, span / steps / 1e3, len(events) / steps, by_name


class Record:
    def __init__(self, folder, tag, facts):
        self.folder, self.tag, self.facts = folder, tag, facts
        self.steps, self.kernels = [], []

    def add(self, kind, batch, walls, profile, steps, contexts=("", "")):
        total, span, count, by_name = profile
        figures = [statistics.median(walls), min(walls), total, span]
        self.steps.append([kind, batch, *(f"{v:.4f}" for v in figures), f"{count:.0f}", *contexts])
        longest = sorted(by_name.items(), key=lambda item: -item[1][1])[:KERNELS_KEPT]
        for name, (calls, us) in longest:
            self.kernels.append([kind, batch, name[:140], round(calls / steps, 2), f"{us / steps:.2f}"])
        print(f"{kind} {batch}: wall {figures[0]:.3f} ms, kernels {total:.3f} ms", flush=True)
        self.write()

    def write(self):
        heads = {
            "steps": "kind batch wall_ms wall_min_ms kernel_sum_ms span_ms kernels context_mean"
            " kernel_context_mean",
            "kernels": "kind batch kernel calls us",
        }
        for name, rows in (("steps", self.steps), ("kernels", self.kernels)):
            with open(os.path.join(self.folder, f"{self.tag}_{name}.csv"), "w", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(heads[name].split())
                writer.writerows(rows)
        json.dump(self.facts, open(os.path.join(self.folder, f"{self.tag}_steps.json"), "w"), indent=1)


def measure_prompts(bench, record, prompts):
    for prompt in prompts:
        tokens, cached = map(int, (prompt + "@0").split("@")[:2])

        def start():
            bench.add(cached + tokens, 1)
            for _ in range(cached // tokens):
                bench.engine.step()

        walls = []
        for _ in range(5):
            start()
            walls.append(bench.timed_step())
            bench.drain()
        start()
        record.add("prefill", f"1x{prompt}", walls[2:], bench.profiled(1), 1)
        bench.drain()


def measure_decoding(bench, record, batches):
    for batch in batches:
        requests, context = map(int, batch.split("x"))
        bench.start_decoding(requests, context, 60)
        for _ in range(4):
            bench.engine.step()
        before = bench.mean_context()
        walls = [bench.timed_step() for _ in range(10)]
        between = bench.mean_context()
        profile = bench.profiled(3)
        contexts = [f"{(a + b) / 2:.1f}" for a, b in ((before, between), (between, bench.mean_context()))]
        record.add("decode", batch, walls, profile, 3, contexts)
        bench.drain()


def measure_mixed(bench, record, batches):
    for batch in batches:
        decoding, tokens = batch.split("+")
        bench.start_decoding(*map(int, decoding.split("x")), 200)
        walls = []
        for _ in range(4):
            bench.add(int(tokens), 1)
            walls.append(bench.timed_step())
            bench.engine.step()
        bench.add(int(tokens), 1)
        record.add("mixed", batch, walls[1:], bench.profiled(1), 1)
        bench.drain()


def measure(bench, record, options):
    """Each kind of batch by itself, so that one that fails does not end the others."""
    for run, batches in (
        (measure_prompts, options.prefill),
        (measure_decoding, options.decode),
        (measure_mixed, options.mixed),
    ):
        try:
            run(bench, record, [batch for batch in batches.split(",") if batch])
        except Exception as error:
            print(f"any_steps: {run.__name__} ended: {error!r}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", required=True, help="the model's config.json")
    parser.add_argument("--tag", required=True, help="begin of the names of what is written")
    parser.add_argument("--out", required=True, help="folder that is written to")
    parser.add_argument("--layers", type=int, help="layers that are kept")
    parser.add_argument("--kv", nargs="*", default=[], help="engine arguments, KEY=VALUE")
    parser.add_argument("--prefill", default="16,256,1024,2048,4096,8192", help="prompts, tokens")
    parser.add_argument("--decode", default="1x500,8x500,16x1000,32x1000,64x1000,128x1000")
    parser.add_argument("--mixed", default="16x500+512", help="decoding requests and a prompt")
    parser.add_argument("--turn", help="file whose lock says which of several engines measures")
    options = parser.parse_args()
    folder, config = model_folder(options.config, options.tag)
    if options.layers:
        cut_layers(folder, options.layers)
    os.makedirs(options.out, exist_ok=True)
    shutil.copy(os.path.join(folder, "config.json"), os.path.join(options.out, f"{options.tag}_config.json"))
    arguments = engine_arguments(DEFAULTS, options.kv)

    import torch
    import vllm
    from vllm.engine.arg_utils import EngineArgs
    from vllm.v1.engine.llm_engine import LLMEngine

    engine = LLMEngine.from_engine_args(
        EngineArgs(model=folder, load_format="dummy", skip_tokenizer_init=True, **arguments)
    )
    bench = Bench(engine, config.get("text_config", config)["vocab_size"])
    zero_router_biases(bench.core)
    facts = {
        "version": vllm.__version__,
        "torch": torch.__version__,
        "gpu": torch.cuda.get_device_name(0),
        "arguments": {key: str(value) for key, value in arguments.items()},
        "layers": options.layers,
        "blocks": engine.vllm_config.cache_config.num_gpu_blocks,
        "mode": str(engine.vllm_config.compilation_config.cudagraph_mode),
    }
    with wait_for_turn(options.turn, options.tag):
        measure(bench, Record(options.out, options.tag, facts), options)
    os._exit(0)  # an engine in this process may not end by itself


if __name__ == "__main__":
    main()
