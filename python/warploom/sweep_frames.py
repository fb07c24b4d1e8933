"""Frames of a sweep: one row for each measured kernel, its operator in one column or spread over many.

    gpu, latency_us, operator                  operator as JSON text, or as an object
    gpu, latency_us, family, m, n, k, ...      the operator's fields as columns

Attention of alike requests may have batch, tokens (new ones of each) and context (in the cache) as columns.
Further columns of a row are those of COLUMNS; every other one is a field of the operator.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

COLUMNS = (  # of the layout `warploom`, beside the operator
    "gpu", "framework", "version", "kernel", "latency_us", "n_samples", "marks", "interval", "outliers",
    "sm_clock_mhz", "memory_clock_mhz", "power_w", "temperature_c", "throttle", "algorithm",
)  # fmt: skip
NUMBERS = ("latency_us", "n_samples")  # columns that must hold numbers
ALIKE = {"batch": "count", "tokens": "query_tokens", "context": "context_tokens"}
OF_REQUESTS = ("attention_prefill", "attention_decode", "mla_prefill", "mla_decode")


def _missing(name: str, there: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(there), 1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def check_columns(names: list[str]) -> None:
    """Raises ValueError unless the columns can be a sweep."""
    for name in ("gpu", "latency_us"):
        if name not in names:
            raise ValueError(
                f"frame: no column '{name}'{_missing(name, names)}; expected gpu, latency_us and operator, "
                f"or family with the operator's fields; it has {', '.join(map(str, names))}"
            )
    if ("operator" in names) == ("family" in names):
        found = "both" if "operator" in names else "neither"
        raise ValueError(
            f"frame: {found} of the columns 'operator' and 'family', expected one of them; it has "
            f"{', '.join(map(str, names))}"
        )
    beside = [name for name in names if name not in (*COLUMNS, "operator")]
    if "operator" in names and beside:
        raise ValueError(
            f"frame: unknown column '{beside[0]}' beside 'operator', which holds whole operators as JSON; "
            f"known are {', '.join(COLUMNS)}. Where columns are an operator's fields, 'family' stands in its "
            "place"
        )


def is_absent(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or the missing value of pandas."""
    return (
        value is None or (isinstance(value, float) and math.isnan(value)) or str(value) in ("<NA>", "NaT")
    )


def check_number(name: str, value: Any, row: int) -> None:
    """Raises ValueError where a cell of a column of numbers holds something else."""
    if name in NUMBERS and (isinstance(value, (str, bytes, bool)) or not hasattr(value, "__float__")):
        raise ValueError(
            f"frame: row {row}: {name} is {value!r} ({type(value).__name__}), expected a number above 0"
        )


def _plain(name: str, value: Any, row: int) -> Any:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and value.is_integer():
        return int(value)  # a column with empty cells is of floats
    if not isinstance(value, (bool, int, float, str, list, Mapping)):
        raise ValueError(
            f"frame: row {row}: {name} is {value!r} ({type(value).__name__}), expected a number, text or bool"
        )
    return value


def operator_of(fields: Mapping[str, Any], row: int) -> str:
    """The operator of a row as JSON text, from its columns."""
    operator = {name: _plain(name, value, row) for name, value in fields.items() if not is_absent(value)}
    if "family" not in operator:
        raise ValueError(f"frame: row {row}: family is empty, expected a name such as gemm")
    if operator["family"] in OF_REQUESTS and "requests" not in operator:
        sizes = {name: operator.pop(column) for column, name in ALIKE.items() if column in operator}
        if str(operator["family"]).endswith("_decode"):
            sizes.setdefault("query_tokens", 1)
        operator["requests"] = [sizes]
    return json.dumps(operator)


def check_numbers(columns: Mapping[str, list[Any]]) -> None:
    """Raises ValueError on a cell of another kind in a column of numbers, with its row (counted from 0)."""
    for name in NUMBERS:
        for row, value in enumerate(columns.get(name, ())):
            if not is_absent(value):
                check_number(name, value, row)
            elif name == "latency_us":
                raise ValueError(f"frame: row {row}: latency_us is empty, expected microseconds")


def with_operators(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Columns of which those of an operator's fields became one, `operator`, as JSON text."""
    kept = {name: values for name, values in columns.items() if name in COLUMNS}
    of_operator = {name: values for name, values in columns.items() if name not in COLUMNS}
    rows = zip(*of_operator.values())
    kept["operator"] = [operator_of(dict(zip(of_operator, row)), place) for place, row in enumerate(rows)]
    return kept
