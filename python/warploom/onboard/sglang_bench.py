"""An SGLang engine in processes of its own, whose steps are read from what `warploom.record` notes of them.

The engine is asked through `sglang.Engine` alone; what it does is seen at the recorder's seams, so versions
that can be recorded can be onboarded. Prompts and decoding requests do not meet in a step, as it schedules
them by default. A step's time is from its choice to that of the next."""

from __future__ import annotations

import csv
import importlib
import json
import os
import random
import shutil
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from warploom.onboard.step_record import Profile, StepRecord

_Found = TypeVar("_Found")

DEFAULTS: dict[str, Any] = {
    "mem_fraction_static": 0.85,
    "disable_radix_cache": True,
    "disable_overlap_schedule": True,
    "chunked_prefill_size": 8192,
    "max_running_requests": 256,
    "context_length": 10000,
}
RECORDING = "recording"
PATIENCE_S = 60.0  # for what the recorder writes every two seconds
TIMED_STEPS, PROFILED_STEPS = 10, 3
PROMPT_RUNS = 4  # of which the first is not kept


def start_engine(folder: str, out: str, arguments: Mapping[str, Any]) -> Any:
    """The recorder watches schedulers of the processes that the engine starts (record/children.py)."""
    from warploom.record.children import ENGINE, FOLDER, watch

    place = os.path.abspath(os.path.join(out, RECORDING))
    shutil.rmtree(place, ignore_errors=True)  # of a run that was cut off: its steps are in the record
    os.environ[FOLDER], os.environ[ENGINE] = place, "sglang"
    watch("sglang", place)
    engine = importlib.import_module("sglang").Engine(
        model_path=folder, load_format="dummy", skip_tokenizer_init=True, **arguments
    )
    return engine


class Bench:
    """Runs batches and gives what the recorder saw of them. `recording`: its folder."""

    def __init__(self, engine: Any, recording: str, vocabulary: int, patience_s: float = PATIENCE_S) -> None:
        self.engine, self.recording, self.patience_s = engine, recording, patience_s
        self.vocabulary = vocabulary
        self.rng = random.Random(5)
        self.profiles = 0

    def ask(self, requests: int, tokens: int, outputs: int) -> None:
        """So many requests at once, until all are answered."""
        prompts = [
            [self.rng.randrange(1000, self.vocabulary - 1000) for _ in range(tokens)] for _ in range(requests)
        ]
        sampling = {"temperature": 0.0, "max_new_tokens": outputs, "ignore_eos": True}
        self.engine.generate(input_ids=prompts, sampling_params=sampling)

    def drain(self) -> None:
        """Nothing: whoever asks waits until all are answered."""

    def rows(self) -> list[dict[str, str]]:
        try:
            with open(os.path.join(self.recording, "iterations.csv"), newline="") as file:
                return list(csv.DictReader(file))
        except FileNotFoundError:
            return []

    def facts(self) -> dict[str, Any]:
        """What the recorder says of the run, without what a load adds."""

        def read() -> Any:
            try:
                with open(os.path.join(self.recording, "run.json")) as file:
                    return json.load(file)
            except FileNotFoundError:
                return None

        facts: dict[str, Any] = self._wait_for("run.json", read)
        facts.pop("num_requests", None)
        facts["engine_kwargs"].pop("load_format", None)
        return facts

    def _wait_for(self, what: str, found: Callable[[], _Found]) -> _Found:
        end = time.monotonic() + self.patience_s
        while time.monotonic() < end:
            answer = found()
            if answer:
                return answer
            time.sleep(0.05)
        raise RuntimeError(f"the recorder wrote no {what} within {self.patience_s:.0f} s")

    def seen(self, before: int, steps: int) -> list[dict[str, str]]:
        """The iterations after the first `before`, when at least `steps` of them are written."""
        return self._wait_for(f"{steps} steps", lambda: self._enough(before, steps))

    def _enough(self, before: int, steps: int) -> list[dict[str, str]]:
        rows = self.rows()[before:]
        return rows if len(rows) >= steps else []

    def profile_next(self, steps: int, after: int) -> None:
        """Kernels of so many steps are to be noted, once so many have passed."""
        with open(os.path.join(self.recording, "profile"), "w") as file:
            file.write(f"{steps} after {after}")

    def profiled(self) -> Profile:
        """Kernels of the steps asked for last. No span is recorded: their sum stands for it."""
        self.profiles += 1
        path = os.path.join(self.recording, f"kernels_{self.profiles}.csv")
        self._wait_for("kernels of a step", lambda: os.path.exists(path))
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        by_name: dict[str, tuple[int, float]] = {}
        for row in rows:
            calls, us = by_name.get(row["kernel"], (0, 0.0))
            by_name[row["kernel"]] = (
                calls + round(float(row["calls_per_step"]) * PROFILED_STEPS),
                us + float(row["us_per_step"]) * PROFILED_STEPS,
            )
        total = sum(float(row["us_per_step"]) for row in rows) / 1e3
        return total, total, sum(float(row["calls_per_step"]) for row in rows), by_name


def walls(rows: list[dict[str, str]]) -> list[float]:
    """Milliseconds of each step but the last, from its choice to that of the next."""
    starts = [float(row["schedule_start_s"]) for row in rows]
    return [(after - before) * 1e3 for before, after in zip(starts, starts[1:])]


def measure_prompt(bench: Bench, record: StepRecord, batch: str) -> None:
    """A second token is asked for, whose step ends the prompt's."""
    tokens = int(batch)
    times = []
    for _ in range(PROMPT_RUNS):
        before = len(bench.rows())
        bench.ask(1, tokens, 2)
        rows = bench.seen(before, 2)
        if (int(rows[0]["prompts"]), int(rows[0]["prompt_tokens"])) != (1, tokens):
            raise RuntimeError(f"a prompt of {tokens} tokens was not read in one step")
        times.append(walls(rows[:2])[0])
    bench.profile_next(1, 0)
    bench.ask(1, tokens, 2)
    total, span, kernels, by_name = bench.profiled()
    one = {
        name: (round(calls / PROFILED_STEPS), us / PROFILED_STEPS) for name, (calls, us) in by_name.items()
    }
    record.add("prefill", f"1x{batch}", [(ms, ms) for ms in times[1:]], (total, span, kernels, one), 1)


def measure_decoding(bench: Bench, record: StepRecord, batch: str) -> None:
    """Prompts come first, in as many steps as they take; then all decode until the first of them ends."""
    requests, context = map(int, batch.split("x"))
    outputs = TIMED_STEPS + PROFILED_STEPS + 40
    before = len(bench.rows())
    bench.ask(requests, context, outputs)
    rows = bench.seen(before, outputs - 1)
    together = [at for at, row in enumerate(rows) if is_decoding(row, requests)]
    if len(together) <= TIMED_STEPS:
        raise RuntimeError(f"not all {requests} requests decode together")
    first = together[4] if len(together) > TIMED_STEPS + 4 else together[0]
    timed = rows[first : first + TIMED_STEPS + 1]
    # Each prompt's own step gave a token; so did every step since.
    mean_before = context + 1 + (first - together[0]) + TIMED_STEPS / 2
    skipped = first  # the second time the prompts take as many steps as the first, or nearly
    bench.profile_next(PROFILED_STEPS, skipped)
    bench.ask(requests, context, outputs)
    profile = bench.profiled()
    mean_profiled = context + 1 + (first - together[0]) + PROFILED_STEPS / 2
    times = [(ms, ms) for ms in walls(timed)]
    contexts = [f"{mean_before:.1f}", f"{mean_profiled:.1f}"]
    record.add("decode", batch, times, profile, PROFILED_STEPS, contexts)


def is_decoding(row: Mapping[str, str], requests: int) -> bool:
    return row["prompts"] == "0" and row["decodes"] == str(requests)


MEASURES = {"prefill": measure_prompt, "decode": measure_decoding}


