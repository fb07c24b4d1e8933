"""A piece of work of a known size, timed again and again in rounds that lie apart."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any, NamedTuple

Sampler = Callable[[], float]  # takes one sample: microseconds a unit of work


class Missing(Exception):
    """What a workload needs is not on this machine."""


class Workload(NamedTuple):
    """`make()` builds it and gives a function that takes one sample: microseconds a unit of work."""

    name: str
    make: Callable[[], Sampler]
    samples: int = 6  # in each round
    size: dict[str, Any] = {}  # what one unit of work holds: bytes, flops, shape
    kept: bool = True  # between rounds; False where its operands are large


def per_call(work: Callable[[], object], calls: int, before: Callable[[], object] | None = None) -> Sampler:
    """A sampler: microseconds of one of `calls` calls in a row. `before` runs outside of the time."""

    def sample() -> float:
        if before:
            before()
        gc.disable()
        start = time.perf_counter()
        for _ in range(calls):
            work()
        took = time.perf_counter() - start
        gc.enable()
        return took / calls * 1e6

    return sample


def of_modules(*names: str) -> Any:
    """The modules, or Missing with the name of the first that is not there."""
    import importlib

    found = []
    for name in names:
        try:
            found.append(importlib.import_module(name))
        except Exception as problem:  # a broken installation says more than ImportError
            raise Missing(f"{name}: {type(problem).__name__}") from None
    return found if len(found) > 1 else found[0]


def cuda() -> Any:
    """torch, where it has a GPU."""
    torch = of_modules("torch")
    if not torch.cuda.is_available():
        raise Missing("no GPU that torch can use")
    return torch
