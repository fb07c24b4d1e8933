"""What `warploom tuned-files --profile` runs: times an engine's own Triton kernels on this machine's GPU.

    python3 -m warploom.tuned_profile --engine vllm --plan plan.csv --output times.csv \\
        --gpu "NVIDIA H100 80GB HBM3"

A plan's rows are kernel, bytes, experts, top_k, n, k, block_n, block_k, tokens, bm, bn, bk, warps, stages,
group, parts, variant (timed_rows.h says what they are of each kernel); the output has them with median_us
(-1: refused by the compiler or the GPU) and gpu. All configurations of a kernel at a token count are timed
together, replays in turn. Resumable: rows in the output are not measured again, and a run may be killed at
any moment. Ends as profile.py does.
"""
from __future__ import annotations

import argparse
import csv
import functools
import importlib
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TYPE_CHECKING

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from types import ModuleType
from warploom.profile import COMPLETE, NOTHING_TO_RUN_ON, OUT_OF_TIME, what_is_missing  # noqa: E402

if TYPE_CHECKING:
    from warploom import engine_adapters, engine_kernels

    Subject = (engine_kernels.BlockProduct | engine_kernels.Experts | engine_adapters.Adapters
               | engine_adapters.StateUpdate)

Config = tuple[int, ...]
Sizes = tuple[str, int, int, int, int, int, int, int, str]  # of a kernel, as in SIZES and VARIANT
Plan = dict[Sizes, dict[int, list[Config]]]           # configurations by kernel and tokens

SIZES = ["kernel", "bytes", "experts", "top_k", "n", "k", "block_n", "block_k"]
TILES = ["bm", "bn", "bk", "warps", "stages", "group", "parts"]
VARIANT = "variant"
PLANNED = [*SIZES, "tokens", *TILES, VARIANT]
COLUMNS = [*PLANNED, "median_us", "gpu"]
REPLAYS = 7


def sizes_of(row: Mapping[str, str]) -> Sizes:
    kernel_bytes, experts, top_k, n, k, block_n, block_k = (int(row[name]) for name in SIZES[1:])
    return row["kernel"], kernel_bytes, experts, top_k, n, k, block_n, block_k, row[VARIANT]


def planned_row(sizes: Sizes, tokens: int, config: Config) -> list[str | int]:
    """As PLANNED."""
    return [*sizes[:-1], tokens, *config, sizes[-1]]


def read_plan(path: str | Path) -> Plan:
    """{sizes: {tokens: [configurations]}}, kernels in the order of the plan."""
    found: Plan = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            sizes = sizes_of(row)
            config = tuple(int(row[name]) for name in TILES)
            found.setdefault(sizes, {}).setdefault(int(row["tokens"]), []).append(config)
    return found


def read_done(path: str | Path) -> set[tuple[Sizes, int, Config]]:
    """{(sizes, tokens, config)} of whole rows; a last line cut short by a kill is removed from the file."""
    if not os.path.exists(path):
        return set()
    with open(path, newline="") as file:
        text = file.read()
    whole = text[:text.rfind("\n") + 1]
    if whole != text:
        with open(path, "w", newline="") as file:
            file.write(whole)
    if whole and whole.split("\n", 1)[0].split(",") != COLUMNS:
        raise ValueError(f"{path}: has other columns, of an earlier release: expected a new file")
    done: set[tuple[Sizes, int, Config]] = set()
    for row in csv.DictReader(whole.splitlines()):
        done.add((sizes_of(row), int(row["tokens"]), tuple(int(row[name]) for name in TILES)))
    return done


def launches_of(engine: str) -> ModuleType:
    """The engine's module of launches. Raises ImportError where the engine is not installed."""
    importlib.import_module(engine)
    return importlib.import_module(f"warploom.{engine}_launches")


def subject_of(sizes: Sizes, engine: str) -> Subject:
    from warploom import engine_adapters, engine_kernels
    launches = launches_of(engine)
    kernel, bytes_of, experts, top_k, n, k, block_n, block_k, variant = sizes
    if kernel == "lora":
        return engine_adapters.Adapters(launches, variant, experts, top_k, n, k, block_n)
    if kernel == "state_update":
        return engine_adapters.StateUpdate(launches, n, k, bytes_of)
    if kernel == "block_fp8_product":
        return engine_kernels.BlockProduct(launches, n, k, block_n, block_k)
    return engine_kernels.Experts(launches, experts, top_k, n, k, bytes_of, block_n, block_k)


def token_kinds(tokens: Iterable[int]) -> list[int]:
    """One number of tokens for each kind that the compiler tells apart: 1, multiples of 16, others."""
    return sorted({1 if count == 1 else 16 if count % 16 == 0 else 8 for count in tokens})


def _compile_one(task: tuple[Sizes, int, Config, str]) -> str | None:
    import torch
    sizes, tokens, config, engine = task
    try:
        subject = subject_of(sizes, engine).small()
        subject.call(subject.sets(tokens)[0], config)
        torch.cuda.synchronize()
    except Exception as error:  # out of resources, or a compiler's refusal
        return f"{sizes[0]} {config}: {type(error).__name__}"
    return None


def compile_all(plan: Plan, engine: str, workers: int | None = None) -> list[str]:
    """Fills Triton's cache in parallel. Returns the refusals."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    tasks: list[tuple[Sizes, int, Config, str]] = []
    for sizes, by_tokens in plan.items():
        kinds = token_kinds(by_tokens)
        configs = sorted({config for configs in by_tokens.values() for config in configs})
        tasks += [(sizes, tokens, config, engine) for tokens in kinds for config in configs]
    workers = workers or max(1, min(16, (os.cpu_count() or 2) - 1))
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        return [refusal for refusal in pool.map(_compile_one, tasks, chunksize=8) if refusal]


def timed(
    subject: Any, tokens: int, configs: Sequence[Config], rounds: int = REPLAYS
) -> dict[Config, float | None]:
    """{config: median microseconds}, replays of all in turn; None where one is refused."""
    from warploom.timing import captured, replay_us
    sets = subject.sets(tokens)
    graphs: dict[Config, Any] = {}
    times: dict[Config, float | None] = {}
    refusal: Exception | None = None
    for config in configs:
        calls = [functools.partial(subject.call, each, config) for each in sets]
        try:
            for call in calls:  # what a routing is sorted into, once: a graph cannot hold that
                call()
            graphs[config] = captured(calls)
        except Exception as error:  # out of resources, or a compiler's refusal
            times[config], refusal = None, error
    if refusal and not graphs:
        print(f"\nat {tokens} tokens every configuration was refused: {refusal!r}", file=sys.stderr)
    replays: dict[Config, list[float]] = {config: [] for config in graphs}
    for _ in range(rounds):
        for config, graph in graphs.items():
            replays[config].append(replay_us(graph, len(sets)))
    times.update({config: statistics.median(values) for config, values in replays.items()})
    return times


def profile(
    plan: Plan,
    path: str | Path,
    gpu: str,
    seconds: float,
    subjects: Callable[[Sizes], Any],
    time_all: Callable[[Any, int, Sequence[Config]], dict[Config, float | None]] = timed,
) -> bool:
    """True when the plan was measured to its end."""
    done, end = read_done(path), time.time() + seconds
    total = sum(len(configs) for by_tokens in plan.values() for configs in by_tokens.values())
    with open(path, "a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(COLUMNS)
            file.flush()
        for sizes, by_tokens in plan.items():
            subject = None
            for tokens, configs in sorted(by_tokens.items()):
                if all((sizes, tokens, config) in done for config in configs):
                    continue
                if time.time() > end:
                    return False
                subject = subject or subjects(sizes)
                fresh = [config for config in configs if (sizes, tokens, config) not in done]
                for config, us in time_all(subject, tokens, fresh).items():
                    writer.writerow([*planned_row(sizes, tokens, config),
                                     -1 if us is None else round(us, 3), gpu])
                    done.add((sizes, tokens, config))
                file.flush()
                kernel = f"{sizes[0]} N={sizes[4]} K={sizes[5]}"
                print(f"\r{kernel}: timed at {tokens} tokens, {len(done)} of {total} ", end="",
                      file=sys.stderr, flush=True)
    return True


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m warploom.tuned_profile")
    for name in ("plan", "output", "gpu"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--engine", choices=["vllm", "sglang"], default="vllm")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--replays", type=int, default=REPLAYS)
    options = parser.parse_args(words)
    missing = what_is_missing()
    if missing is None:
        import torch
        found = torch.cuda.get_device_name()
        if found != options.gpu:
            missing = f"this machine's GPU is {found}, expected {options.gpu}"
    if missing is None:
        try:
            launches_of(options.engine)
        except ImportError as error:
            missing = f"{options.engine} cannot be imported: {error}"
    if missing:
        print(f"warploom: tuned-files --profile: {missing}", file=sys.stderr)
        return NOTHING_TO_RUN_ON
    started, plan = time.time(), read_plan(options.plan)
    for refusal in compile_all(plan, options.engine):
        print(f"left out: {refusal}", file=sys.stderr)
    print(f"compiled in {time.time() - started:.0f} s", file=sys.stderr)
    time_all = functools.partial(timed, rounds=options.replays)
    left = options.seconds - (time.time() - started)
    subjects = functools.partial(subject_of, engine=options.engine)
    whole = profile(plan, options.output, options.gpu, left, subjects, time_all)
    print(f"\n{time.time() - started:.0f} s", file=sys.stderr)
    return COMPLETE if whole else OUT_OF_TIME


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
