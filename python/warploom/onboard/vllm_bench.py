"""One vLLM engine in this process, stepped by hand, one step after the other.

Touches nothing inside the engine but the list of running requests, so that new versions work."""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Mapping
from typing import Any

from warploom.onboard.plan import steps_of_prompts
from warploom.onboard.step_record import Profile, StepRecord

os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"


def zero_router_biases(core: Any) -> None:
    """Random biases of routers send nearly all tokens to the same few experts."""
    worker = core.model_executor.driver_worker
    model = getattr(worker, "worker", worker).model_runner.model
    model = getattr(model, "unwrap", lambda: model)()
    for name, weights in model.named_parameters():
        of_router = name.endswith("bias") and ("router" in name or ".gate." in name)
        if of_router or "e_score_correction_bias" in name:
            weights.data.zero_()


def start_engine(folder: str, arguments: Mapping[str, Any]) -> Any:
    from vllm.engine.arg_utils import EngineArgs
    from vllm.v1.engine.llm_engine import LLMEngine

    return LLMEngine.from_engine_args(
        EngineArgs(model=folder, load_format="dummy", skip_tokenizer_init=True, **arguments)
    )


class Bench:
    def __init__(self, engine: Any, vocabulary: int) -> None:
        self.engine = engine
        self.core = engine.engine_core.engine_core
        self.vocabulary = vocabulary
        self.rng = random.Random(5)
        self.requests = 0
        self.core_ms = 0.0
        self._watch_core(engine.engine_core)

    def _watch_core(self, client: Any) -> None:
        """Notes what the engine's core takes of a step. The rest of step() makes outputs for clients, which a
        server does in another process."""
        get_output = client.get_output

        def timed(*args: Any, **kwargs: Any) -> Any:
            start = time.perf_counter()
            outputs = get_output(*args, **kwargs)
            self.core_ms = (time.perf_counter() - start) * 1e3
            return outputs

        client.get_output = timed

    def add(self, tokens: int, outputs: int) -> None:
        from vllm import SamplingParams

        self.requests += 1
        prompt = [self.rng.randrange(1000, self.vocabulary - 1000) for _ in range(tokens)]
        sampling = SamplingParams(max_tokens=outputs, ignore_eos=True, temperature=0.0, detokenize=False)
        self.engine.add_request(f"r{self.requests}", {"prompt_token_ids": prompt}, sampling)

    def timed_step(self) -> tuple[float, float]:
        """(the whole step, the core's part of it), ms."""
        import torch

        torch.cuda.synchronize()
        start = time.perf_counter()
        self.engine.step()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3, self.core_ms

    def drain(self) -> None:
        while self.engine.has_unfinished_requests():
            self.engine.step()

    def start_decoding(self, requests: int, context: int, outputs: int) -> None:
        """Steps until all decode. `outputs`: tokens that each has left to make then, at least."""
        budget = self.engine.vllm_config.scheduler_config.max_num_batched_tokens
        for _ in range(requests):
            self.add(context, outputs + steps_of_prompts(requests, context, budget))

        def running() -> Any:
            return self.core.scheduler.running

        while (
            len(running()) < requests
            or self.core.scheduler.waiting
            or any(request.num_computed_tokens < request.num_prompt_tokens for request in running())
        ):
            if len(running()) + len(self.core.scheduler.waiting) < requests:
                raise RuntimeError(f"not all {requests} requests decode together")
            self.engine.step()

    def mean_context(self) -> float:
        return statistics.fmean(request.num_computed_tokens for request in self.core.scheduler.running)

    def profiled(self, steps: int) -> Profile:
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
        by_name: dict[str, tuple[int, float]] = {}
        for event in events:
            calls, us = by_name.get(event.name, (0, 0.0))
            by_name[event.name] = (calls + 1, us + event.time_range.end - event.time_range.start)
        total = sum(us for _, us in by_name.values())
        span = max(e.time_range.end for e in events) - min(e.time_range.start for e in events)
        return total / steps / 1e3, span / steps / 1e3, len(events) / steps, by_name


def measure_prompt(bench: Bench, record: StepRecord, prompt: str) -> None:
    """A prompt is T, or T@C: a chunk of T tokens after C of the same prompt (C a multiple of T)."""
    tokens, cached = map(int, (prompt + "@0").split("@")[:2])

    def start() -> None:
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


def measure_decoding(bench: Bench, record: StepRecord, batch: str) -> None:
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


def measure_mixed(bench: Bench, record: StepRecord, batch: str) -> None:
    decoding, tokens = batch.split("+")
    requests, context = map(int, decoding.split("x"))
    bench.start_decoding(requests, context, 200)
    walls = []
    for _ in range(4):
        bench.add(int(tokens), 1)
        walls.append(bench.timed_step())
        bench.engine.step()
    bench.add(int(tokens), 1)
    record.add("mixed", batch, walls[1:], bench.profiled(1), 1)
    bench.drain()


MEASURES = {"prefill": measure_prompt, "decode": measure_decoding, "mixed": measure_mixed}
