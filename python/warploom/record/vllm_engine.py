"""Watches a vLLM engine core (names of vLLM 0.11 to 0.24). Wrapping costs about 20 us a step.

Before any engine is built:

    from warploom.record import vllm_engine
    vllm_engine.watch("/abs/DIR")     # LLM(...), AsyncLLM(...) as usual, then DIR holds the recording
"""

from __future__ import annotations

import os
import time
from typing import Any

from warploom.record.folder import Recording
from warploom.record.gpu_clock import GpuClock, Mark
from warploom.record.journal import Journal
from warploom.record.kernels import KernelWatch
from warploom.record.run_facts import machine_facts, vllm_facts
from warploom.record.wrapped_calls import after, say

now = time.monotonic


def watch(folder: str) -> None:
    """Makes every engine core that is built from now on in this process record to `folder`, an absolute path.
    The ranks of data parallelism after the first write to its sub-folders rank_1, rank_2 ..."""
    import vllm.v1.engine.core as module

    build = module.EngineCore.__init__

    def build_watched(self: Any, *words: Any, **named: Any) -> None:
        build(self, *words, **named)
        rank = getattr(self.vllm_config.parallel_config, "data_parallel_rank", 0) or 0
        place = os.path.join(folder, f"rank_{rank}") if rank else folder
        try:
            self.warploom = CoreWatch(self, place)
        except Exception as problem:  # a recorder must never stop an engine
            say(f"not recording: {problem!r}")

    module.EngineCore.__init__ = build_watched


class CoreWatch:
    """One engine core: its scheduler, its executor and, in the same process, its GPU."""

    def __init__(self, core: Any, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self.journal = Journal(now())
        self.clock: GpuClock | None = None
        self.kernels: KernelWatch | None = None
        self._watch_scheduler(core.scheduler)
        self._watch_executor(core.model_executor)
        self._watch_arrivals(core)
        try:
            self._watch_runner(core.model_executor.driver_worker.worker.model_runner, folder)
        except AttributeError as missing:  # several GPUs: the runners live in other processes
            say(f"no GPU times ({missing})")
        facts = dict(vllm_facts(core.vllm_config), machine=machine_facts(), gpu_times=self.clock is not None)
        self.recording = Recording(folder, self.journal, facts, self._gpu_time)
        shutdown = core.shutdown

        def close_and_shut_down(*words: Any, **named: Any) -> Any:
            self.recording.close()
            return shutdown(*words, **named)

        core.shutdown = close_and_shut_down
        say(f"writing {folder}")

    def _gpu_time(self, mark: Mark) -> float | None:
        return self.clock.time_of(mark) if self.clock else None

    def _watch_scheduler(self, scheduler: Any) -> None:
        schedule, update, journal = scheduler.schedule, scheduler.update_from_output, self.journal
        pool = getattr(getattr(scheduler, "kv_cache_manager", None), "block_pool", None)
        usage = getattr(pool, "get_usage", lambda: None)

        def watched_schedule(*words: Any, **named: Any) -> Any:
            start = now()
            batch = schedule(*words, **named)
            journal.scheduled(id(batch), start, now(), dict(batch.num_scheduled_tokens), usage())
            return batch

        def watched_update(batch: Any, *words: Any, **named: Any) -> Any:
            start = now()
            answers = update(batch, *words, **named)
            end = now()
            journal.updated(id(batch), start, end)
            for answer in answers.values():
                for output in answer.outputs:
                    self._note_output(output, end)
            if self.kernels:
                self.kernels.after_step()
            return answers

        scheduler.schedule, scheduler.update_from_output = watched_schedule, watched_update

    def _note_output(self, output: Any, time_s: float) -> None:
        reason = output.finish_reason
        finished = None if reason is None else "abort" not in str(reason).lower()
        cached = getattr(output, "num_cached_tokens", None)
        self.journal.produced(output.request_id, time_s, len(output.new_token_ids), finished, cached)

    def _watch_executor(self, executor: Any) -> None:
        execute = executor.execute_model
        sample: Any = getattr(executor, "sample_tokens", None)  # part of execute_model before vLLM 0.12
        journal = self.journal

        def watched_execute(batch: Any, *words: Any, **named: Any) -> Any:
            if self.kernels:
                self.kernels.before_step()
            iteration = journal.enter(id(batch))
            if iteration is None:
                return execute(batch, *words, **named)
            iteration.execute_start = now()
            try:
                return execute(batch, *words, **named)
            finally:
                iteration.execute_end = now()

        def watched_sample(*words: Any, **named: Any) -> Any:
            iteration = journal.current
            if iteration is None:
                return sample(*words, **named)
            iteration.sample_start = now()
            try:
                return sample(*words, **named)
            finally:
                iteration.sample_end = now()

        executor.execute_model = watched_execute
        if sample is not None:
            executor.sample_tokens = watched_sample

    def _watch_arrivals(self, core: Any) -> None:
        add, preprocess = core.scheduler.add_request, getattr(core, "preprocess_add_request", None)
        journal = self.journal

        def watched_add(request: Any, *words: Any, **named: Any) -> Any:
            journal.queued(request.request_id, now(), request.num_prompt_tokens)
            return add(request, *words, **named)

        core.scheduler.add_request = watched_add
        if preprocess is None:
            return

        def watched_preprocess(request: Any) -> Any:
            journal.received(request.request_id, now())
            return preprocess(request)

        core.preprocess_add_request = watched_preprocess

    def _watch_runner(self, runner: Any, folder: str) -> None:
        import torch

        clock = self.clock = GpuClock(torch)
        self.kernels = KernelWatch(folder, torch)
        journal = self.journal

        def mark_start() -> None:
            iteration = journal.current
            if iteration is not None and iteration.forward_start is None:
                iteration.gpu_start, iteration.forward_start = clock.mark(), now()

        def mark_end() -> None:
            if journal.current is not None:
                journal.current.gpu_end = clock.mark()

        def note_graph(mode: Any, tokens: int) -> None:
            if journal.current is not None:
                journal.current.graph = str(mode).rsplit(".", maxsplit=1)[-1]
                journal.current.padded_tokens = tokens

        if hasattr(runner, "_model_forward"):  # model runner 1
            forward = runner._model_forward

            def marked_forward(*words: Any, **named: Any) -> Any:
                mark_start()
                return forward(*words, **named)

            runner._model_forward = marked_forward
            after(runner, "_sample", lambda answer, words: mark_end())
            after(
                runner,
                "_determine_batch_execution_and_padding",
                lambda answer, words: note_graph(answer[0], answer[1].num_tokens),
            )
        else:  # model runner 2
            after(runner.model_state, "prepare_inputs", lambda answer, words: mark_start())
            after(runner, "sample", lambda answer, words: mark_end())
            after(
                runner,
                "prepare_inputs",
                lambda answer, words: note_graph(words[1].cg_mode, words[1].num_tokens),
            )
