"""What a request's function says of fields that it does not have."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import Any


def _example(name: str, needed: list[str]) -> str:
    return f"{name}({', '.join([*(f'{field}=...' for field in needed), '...'])})"


def with_hints(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with a TypeError that names the nearest field where one is unknown, those that are
    missing, and how fields are given where they come without a name."""
    name, parameters = function.__name__, inspect.signature(function).parameters.values()
    fields = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
    needed = [
        each.name for each in parameters if each.kind is each.KEYWORD_ONLY and each.default is each.empty
    ]
    by_place = any(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters)
    open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters)
    if by_place:
        return function

    @functools.wraps(function)
    def asked(*words: Any, **named: Any) -> Any:
        if words:
            raise TypeError(f"{name}: fields are given by name: {_example(name, needed)}")
        unknown = [] if open_ended else [each for each in named if each not in fields]
        if unknown:
            near = difflib.get_close_matches(unknown[0], fields, 3)
            hint = f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
            raise TypeError(
                f"{name}: '{unknown[0]}' is no field of {name}{hint}; help(warploom.{name}) has all"
            )
        missing = [each for each in needed if each not in named]
        if missing:
            raise TypeError(f"{name}: '{missing[0]}' is missing, expected {_example(name, needed)}")
        return function(**named)

    return asked
