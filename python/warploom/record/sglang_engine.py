"""Watches an SGLang scheduler (names of SGLang 0.5.4 to 0.5.23), in the process that owns the GPU.

At the top level of a program, before an engine is built, so that the processes which SGLang starts anew
do it as well:

    from warploom.record import sglang_engine
    sglang_engine.watch("/abs/DIR")     # sglang.Engine(...) as usual, then DIR holds the recording

Seams, of github.com/sgl-project/sglang, python/sglang/srt (WRAPPED and READ; test_record_sglang.py
checks them against a source): managers/scheduler.py, whose event loops call process_input_requests,
get_next_batch_to_run, run_batch and process_batch_result by turns; with the overlap schedule the result
of a step is processed after the launch of the next, with a copy of the batch and the same result object.
model_executor/model_runner.py: forward and sample, called on the stream that the kernels run on.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import multiprocessing
import os
import time
from collections.abc import Callable
from typing import Any

from warploom.record import sglang_arrivals
from warploom.record.folder import Recording
from warploom.record.gpu_clock import GpuClock, Mark
from warploom.record.journal import Iteration, Journal
from warploom.record.kernels import KernelWatch
from warploom.record.run_facts import machine_facts
from warploom.record.sglang_facts import sglang_facts
from warploom.record.wrapped_calls import say

now = time.monotonic

SCHEDULER = "sglang.srt.managers.scheduler"
# Methods that are wrapped, with the parameters that are read.
WRAPPED: dict[str, dict[str, list[str]]] = {
    f"{SCHEDULER}.Scheduler": {
        "process_input_requests": ["recv_reqs"],
        "_add_request_to_queue": ["req"],
        "get_next_batch_to_run": [],
        "run_batch": ["batch"],
        "process_batch_result": ["batch", "result"],
    },
    "sglang.srt.model_executor.model_runner.ModelRunner": {"forward": ["forward_batch"], "sample": []},
    **sglang_arrivals.WRAPPED,
}
HEALTH_CHECK = "HEALTH_CHECK"  # srt/constants.py: HEALTH_CHECK_RID_PREFIX
# srt/entrypoints/http_server.py, _execute_server_warmup: what the server asks itself before it is ready.
WARM_UP = "The capital city of France is"
WARM_UP_IDS = [10, 11, 12]  # where it has no tokenizer


def watch(folder: str) -> None:
    """Makes every scheduler that is built from now on in this process record to `folder`, an absolute
    path, where it is the first of its tensor parallel group. Replicas after the first write to its
    sub-folders rank_1, rank_2 ... In the process that serves requests, it notes when they are sent."""
    if multiprocessing.parent_process() is None:
        sglang_arrivals.watch_senders(folder)
    scheduler = importlib.import_module(SCHEDULER).Scheduler
    build = scheduler.__init__

    @functools.wraps(build)
    def build_watched(self: Any, *words: Any, **named: Any) -> None:
        build(self, *words, **named)
        try:
            ranks = ranks_of(self)
            if not any(ranks[name] for name in ("attn_tp_rank", "attn_cp_rank", "pp_rank")):
                rank = ranks["dp_rank"] or ranks["attn_dp_rank"]
                place = os.path.join(folder, f"rank_{rank}") if rank else folder
                self.warploom = SchedulerWatch(self, place, sglang_arrivals.SentRequests(folder))
        except Exception as problem:  # a recorder must never stop an engine
            say(f"not recording: {problem!r}")

    scheduler.__init__ = build_watched


def ranks_of(scheduler: Any) -> dict[str, int]:
    """Where they are kept: by the scheduler (0.5.4 to 0.5.10), its `ps` (0.5.14), the process (0.5.23)."""
    place = next((each for each in (scheduler, getattr(scheduler, "ps", None))
                  if hasattr(each, "attn_tp_rank")), None)
    if place is None:
        place = importlib.import_module("sglang.srt.runtime_context").get_parallel()
    names = ("attn_tp_rank", "attn_cp_rank", "pp_rank", "dp_rank", "attn_dp_rank")
    return {name: getattr(place, name, None) or 0 for name in names}


def check_watched(scheduler: Any) -> None:
    """Raises ValueError where steps do not pass through the seams."""
    if hasattr(scheduler.tp_worker, "worker"):
        raise ValueError("this SGLang runs the model in a thread of its own, expected 0.5.4 or newer")
    mode = getattr(scheduler, "disaggregation_mode", None)
    if str(getattr(mode, "value", mode)) not in ("None", "null"):
        raise ValueError(f"this engine is a {getattr(mode, 'value', mode)} pool, expected one that does both")
    if scheduler.server_args.pp_size > 1:
        raise ValueError("pipeline parallelism interleaves steps, expected pp_size 1")


def shape_of(batch: Any) -> tuple[int, int, int]:
    """Prompts, their new tokens, and requests that decode."""
    if not batch.forward_mode.is_extend():
        return 0, 0, len(batch.reqs)
    decodes = len(batch.decoding_reqs or ())
    return len(batch.reqs) - decodes, sum(batch.extend_lens) - decodes, decodes


class SchedulerWatch:
    """One scheduler and, in the same process, its GPU."""

    def __init__(self, scheduler: Any, folder: str, sent: sglang_arrivals.SentRequests | None = None) -> None:
        """`sent`: SentRequests of the server before it; None: it is not known."""
        check_watched(scheduler)
        os.makedirs(folder, exist_ok=True)
        self.journal = Journal(now(), received_at=None if sent is None else sent.earlier)
        self.clock: GpuClock | None = None
        self.kernels: KernelWatch | None = None
        self.steps = 0  # scheduled so far: the key of the last
        self.running: dict[int, int] = {}  # keys by the identity of a result
        self.warmed_up = False
        self._watch_arrivals(scheduler)
        self._watch_steps(scheduler)
        runner = scheduler.tp_worker.model_runner
        self._watch_runner(runner)
        try:
            import torch

            self.clock, self.kernels = GpuClock(torch), KernelWatch(folder, torch)
        except (ImportError, AssertionError, RuntimeError) as missing:
            say(f"no GPU times ({missing})")
        facts = dict(sglang_facts(scheduler), machine=machine_facts(), gpu_times=self.clock is not None)
        self.recording = Recording(folder, self.journal, facts, self._gpu_time)
        atexit.register(self.recording.close)
        say(f"writing {folder}")

    def _mark(self) -> Mark | None:
        return self.clock.mark() if self.clock else None

    def _gpu_time(self, mark: Mark) -> float | None:
        return self.clock.time_of(mark) if self.clock else None

    def _watch_arrivals(self, scheduler: Any) -> None:
        receive, add = scheduler.process_input_requests, scheduler._add_request_to_queue
        journal = self.journal

        def watched_receive(requests: Any, *words: Any, **named: Any) -> Any:
            time_s = now()
            for request in requests:
                for one in getattr(request, "batch", None) or (request,):
                    if hasattr(one, "input_ids") and self._counts(one):
                        journal.received(one.rid, time_s)
            return receive(requests, *words, **named)

        def watched_add(request: Any, *words: Any, **named: Any) -> Any:
            journal.queued_once(request.rid, now(), len(request.origin_input_ids))
            return add(request, *words, **named)

        scheduler.process_input_requests, scheduler._add_request_to_queue = watched_receive, watched_add

    def _counts(self, request: Any) -> bool:
        """Whether somebody sent it: neither a health check nor the server's own first question."""
        if not isinstance(request.rid, str) or request.rid.startswith(HEALTH_CHECK):
            return False
        first, self.warmed_up = not self.warmed_up, True
        text = getattr(request, "input_text", None)
        own = first and (text == WARM_UP or (not text and list(request.input_ids) == WARM_UP_IDS))
        return not own

    def _watch_steps(self, scheduler: Any) -> None:
        schedule, run, update = (
            scheduler.get_next_batch_to_run,
            scheduler.run_batch,
            scheduler.process_batch_result,
        )
        journal, usage = self.journal, usage_of(scheduler)

        def watched_schedule(*words: Any, **named: Any) -> Any:
            start = now()
            plan = schedule(*words, **named)
            batch = getattr(plan, "batch_to_run", plan)  # a plan in 0.5.23, the batch before
            if batch is not None and not batch.forward_mode.is_idle():
                end = now()
                if batch.forward_mode.is_extend():
                    journal.begun([request.rid for request in batch.reqs], end)
                self.steps += 1
                journal.step(self.steps, (start, end), shape_of(batch), usage())
            return plan

        def watched_run(batch: Any, *words: Any, **named: Any) -> Any:
            if self.kernels:
                self.kernels.before_step()
            iteration = journal.enter(self.steps)
            if iteration is None or iteration.execute_start is not None:
                journal.current = None
                return run(batch, *words, **named)
            iteration.execute_start = now()
            result = run(batch, *words, **named)
            iteration.execute_end = now()
            self.running[id(result)] = self.steps
            self._note_graph(iteration, batch, result, scheduler.tp_worker.model_runner)
            return result

        def watched_update(batch: Any, result: Any, *words: Any, **named: Any) -> Any:
            requests = list(batch.reqs or ())
            silent = [request for request in requests if not request.output_ids]
            key = self.running.pop(id(result), None)
            start = now()
            answer = update(batch, result, *words, **named)
            end = now()
            journal.updated(key, start, end)
            for request in silent:
                if request.output_ids:
                    tokens = len(request.output_ids)
                    journal.grown_to(request.rid, end, tokens, None, request.cached_tokens)
            for request in requests:
                if request.finished_reason is not None:
                    self._note_end(request, end)
            if self.kernels:
                self.kernels.after_step()
            return answer

        scheduler.get_next_batch_to_run = watched_schedule
        scheduler.run_batch, scheduler.process_batch_result = watched_run, watched_update

    def _note_end(self, request: Any, time_s: float) -> None:
        finished = type(request.finished_reason).__name__ != "FINISH_ABORT"
        self.journal.grown_to(request.rid, time_s, len(request.output_ids), finished)

    def _note_graph(self, iteration: Iteration, batch: Any, result: Any, runner: Any) -> None:
        """Steps that decode replay one graph, prompts one a part of the model."""
        if not getattr(result, "can_run_cuda_graph", False):
            iteration.graph = "NONE"
        elif batch.forward_mode.is_extend():
            iteration.graph = "PIECEWISE"
        else:
            iteration.graph = "FULL"
            iteration.padded_tokens = getattr(graphs_of(runner), "bs", None)

    def _watch_runner(self, runner: Any) -> None:
        forward, sample, journal = runner.forward, runner.sample, self.journal

        def watched_forward(*words: Any, **named: Any) -> Any:
            iteration = journal.current
            if iteration is None:
                return forward(*words, **named)
            if iteration.forward_start is None:
                iteration.gpu_start, iteration.forward_start = self._mark(), now()
            answer = forward(*words, **named)
            iteration.gpu_end = self._mark()
            return answer

        def watched_sample(*words: Any, **named: Any) -> Any:
            iteration = journal.current
            if iteration is None:
                return sample(*words, **named)
            iteration.sample_start = now()
            answer = sample(*words, **named)
            iteration.sample_end, iteration.gpu_end = now(), self._mark()
            return answer

        runner.forward, runner.sample = watched_forward, watched_sample


def graphs_of(runner: Any) -> Any:
    """What replays the graphs of decoding steps, by its name in 0.5.14 and later, and before."""
    return getattr(runner, "decode_cuda_graph_runner", None) or getattr(runner, "graph_runner", None)


def usage_of(scheduler: Any) -> Callable[[], float | None]:
    """The share of KV tokens that running requests hold, which cached prefixes that may go are not; absent
    for models whose layers have pools of several kinds."""
    pool, cache = scheduler.token_to_kv_pool_allocator, scheduler.tree_cache
    total = scheduler.max_total_num_tokens

    def usage() -> float:
        return 1 - float(pool.available_size() + cache.evictable_size()) / float(total)

    try:
        usage()
    except (AttributeError, NotImplementedError, TypeError, ZeroDivisionError):
        return lambda: None
    return usage
