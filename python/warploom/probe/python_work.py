"""The interpreter at the work of an engine's loop: choosing requests, calls, small arrays, messages."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from warploom.probe.workload import Sampler, Workload, of_modules, per_call

REQUESTS = 64


class Request:
    def __init__(self, number: int) -> None:
        self.name = f"request-{number}"
        self.tokens = 500 + number
        self.computed = 499 + number
        self.blocks = list(range(32))
        self.outputs: list[int] = []
        self.finished = False


def choose(
    requests: Sequence[Request], budget: int
) -> tuple[dict[str, int], dict[str, tuple[int, ...]], int]:
    """A pass of a scheduler over its running requests."""
    chosen: dict[str, int] = {}
    blocks: dict[str, tuple[int, ...]] = {}
    left = budget
    for request in requests:
        wanted = min(request.tokens - request.computed, left)
        if wanted <= 0 or request.finished:
            continue
        chosen[request.name] = wanted
        blocks[request.name] = tuple(request.blocks[-2:])
        left -= wanted
    for request in requests:
        count = chosen.get(request.name, 0)
        request.outputs.append(count)
        if len(request.outputs) > 100:
            request.outputs.clear()
    return chosen, blocks, left


def make_scheduling() -> Sampler:
    requests = [Request(number) for number in range(REQUESTS)]
    return per_call(lambda: choose(requests, 2048), 50)


class Module:
    """Calls as torch's modules make them: __call__, hooks that are empty, forward with keywords."""

    def __init__(self, below: Module | None = None) -> None:
        self.below, self.scale = below, 1.0
        self.hooks: dict[int, Callable[..., object]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> float:
        if self.hooks:
            raise RuntimeError
        return self.forward(*args, **kwargs)

    def forward(self, value: float, scale: float = 1.0) -> float:
        return value * scale if self.below is None else self.below(value, scale=self.scale)


def make_calls() -> Sampler:
    module = Module(Module(Module(Module())))
    return per_call(lambda: module(1.0, scale=2.0), 3000)


def make_numpy() -> Sampler:
    numpy = of_modules("numpy")
    counts = numpy.ones(REQUESTS, dtype=numpy.int32)
    computed = numpy.arange(500, 500 + REQUESTS, dtype=numpy.int32)
    table = numpy.arange(REQUESTS * 512, dtype=numpy.int32).reshape(REQUESTS, 512)
    out = numpy.zeros(4096, dtype=numpy.int64)

    def inputs() -> Any:
        rows = numpy.repeat(numpy.arange(REQUESTS), counts)
        ends = numpy.cumsum(counts)
        positions = computed[rows] + numpy.arange(len(rows)) - numpy.repeat(ends - counts, counts)
        out[: len(rows)] = table[rows, positions // 16] * 16 + positions % 16
        return ends

    return per_call(inputs, 300)


def message() -> dict[str, Any]:
    return {
        "request_id": "cmpl-0123456789abcdef-0",
        "prompt_token_ids": list(range(512)),
        "sampling": {"temperature": 0.0, "max_tokens": 256, "stop": [], "ignore_eos": True},
        "arrival": 1234.5,
    }


def make_pickle() -> Sampler:
    asked = message()
    return per_call(lambda: pickle.loads(pickle.dumps(asked)), 300)


def make_json() -> Sampler:
    asked = message()
    return per_call(lambda: json.loads(json.dumps(asked)), 60)


def make_msgpack() -> Sampler:
    msgpack = of_modules("msgspec.msgpack")
    asked = message()
    return per_call(lambda: msgpack.decode(msgpack.encode(asked)), 300)


def make_token_lists() -> Sampler:
    """Lists of tokens that are joined and cut, and keys that are hashed, as caches of prefixes do."""
    tokens = list(range(1024))

    def keys() -> dict[int, int]:
        seen: dict[int, int] = {}
        before = 0
        for start in range(0, 1024, 16):
            before = hash((before, tuple(tokens[start : start + 16])))
            seen[before] = start
        return seen

    return per_call(keys, 100)


def make_memory_copy() -> Sampler:
    source, target = bytearray(64 * 2**20), bytearray(64 * 2**20)

    def copy() -> None:
        memoryview(target)[:] = source

    copy()
    return per_call(copy, 1)


WORK = [
    Workload("python.scheduling", make_scheduling, size={"requests": REQUESTS}),
    Workload("python.module_calls", make_calls),
    Workload("python.token_lists", make_token_lists),
    Workload("python.numpy_inputs", make_numpy, size={"requests": REQUESTS}),
    Workload("python.pickle", make_pickle),
    Workload("python.json", make_json),
    Workload("python.msgpack", make_msgpack),
    Workload("host.memory_copy", make_memory_copy, size={"bytes": 2 * 64 * 2**20}),
]
