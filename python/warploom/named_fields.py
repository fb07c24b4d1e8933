"""What a request's function says of fields that it does not have."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import Any


# What the command line and other tools call a field; the first that a request has is meant.
OTHER_NAMES = {
    "tp": ("tensor_parallel_size", "tensor_parallel_sizes"),
    "pp": ("pipeline_parallel_size", "pipeline_parallel_sizes"),
    "dp": ("data_parallel_size", "data_parallel_sizes"),
    "gpu": ("gpu_names",),
    "gpus": ("gpu_names",),
    "isl": ("random_input_len", "input_tokens"),
    "osl": ("random_output_len", "output_tokens"),
    "input_len": ("random_input_len", "input_tokens"),
    "output_len": ("random_output_len", "output_tokens"),
    "input_tokens": ("random_input_len",),
    "output_tokens": ("random_output_len",),
    "num_prompts": ("requests",),
}

# Fields of `simulate` that the command line also takes as lists, and the lists of `curve`.
LISTS_OF_A_CURVE = {
    "max_concurrency": "max_concurrencies",
    "request_rate": "request_rates",
    "tp": "tp_sizes",
    "tensor_parallel_size": "tp_sizes",
    "quantization": "quantizations",
    "engine": "engines",
}

# What a setup needs; a manifest may say it in their place.
OR_A_MANIFEST = ("model", "gpu")


def in_own_names(name: str, named: dict[str, Any], fields: list[str]) -> dict[str, Any]:
    """The fields by the request's own names. A field of it is never read otherwise, but for `output_tokens`,
    which beside another tool's `input_tokens` is of prompts and not of sessions."""
    lengths = "input_tokens" in named and "input_tokens" not in fields
    own: dict[str, Any] = {}
    for given, value in named.items():
        of_prompts = lengths and given == "output_tokens"
        others = () if given in fields and not of_prompts else OTHER_NAMES.get(given, ())
        field = next((each for each in others if each in fields), given)
        if field in own or (field != given and field in named):
            raise TypeError(f"{name}: '{given}' and '{field}' say the same, expected one of them")
        listed = field != given and field.endswith(("sizes", "names"))
        own[field] = [value] if listed and not isinstance(value, (list, tuple)) else value
    return own


def check_lists(name: str, named: dict[str, Any]) -> None:
    """A run has one value of each field; several are a curve."""
    for field, several in LISTS_OF_A_CURVE.items() if name == "simulate" else ():
        if isinstance(named.get(field), (list, tuple)):
            curve = f"warploom.curve({several}={named[field]!r}, ...)"
            raise TypeError(f"simulate: {field} is a list, expected one value; {curve} makes a run of each")


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
            usual = needed or [each for each in OR_A_MANIFEST if each in fields]
            raise TypeError(f"{name}: fields are given by name: {_example(name, usual)}")
        named = named if open_ended else in_own_names(name, named, fields)
        check_lists(name, named)
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
