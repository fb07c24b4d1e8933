"""What requests answer: documents whose keys are attributes, and tables as frames."""

from __future__ import annotations

import html
import importlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast

from warploom.frames import to_arrow, to_parquet

Document = TypeVar("Document", bound=Mapping[str, Any])  # a TypedDict of warploom.documents

_SHOWN_ROWS = 20  # of a table in a notebook


def plot_axes(title: str) -> Any:
    """Axes of matplotlib, in a figure of their own."""
    _, axes = importlib.import_module("matplotlib.pyplot").subplots(figsize=(7, 4), layout="constrained")
    axes.set_title(title)
    return axes


class Answer(Mapping[str, Any], Generic[Document]):
    """A document of the toolkit, with the keys that the command prints with --json, also as attributes. Its
    type and those of its keys are in warploom.documents."""

    table = ""  # the key of its rows, each an object; empty: the document itself is the one row

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = dict(document)

    def __getitem__(self, key: str) -> Any:
        if key not in self._document:
            raise KeyError(f"{type(self).__name__} has no {key!r}; it has: {', '.join(self._document)}")
        return self._document[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def __getattr__(self, name: str) -> Any:
        # Private names are never keys; pickle and copy ask for them before there is a document.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no '{name}'")
        if name not in self._document:
            raise AttributeError(
                f"{type(self).__name__} has no '{name}'; it has: {', '.join(self._document)}"
            )
        return self._document[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._document]

    def to_dict(self) -> Document:
        return cast(Document, dict(self._document))

    def rows(self) -> list[dict[str, Any]]:
        """Its rows as flat objects; nested ones have names with dots. A table with a row for each key has it
        as `name`."""
        rows = self._document[self.table] if self.table else [self._document]
        if isinstance(rows, Mapping):
            return [{"name": name, **_flat(row)} for name, row in rows.items()]
        return [_flat(row) for row in rows]

    def to_pandas(self) -> Any:
        """Its rows as a pandas frame."""
        return importlib.import_module("pandas").DataFrame(self.rows())

    def to_polars(self) -> Any:
        """Its rows as a polars frame."""
        return importlib.import_module("polars").DataFrame(self.rows(), infer_schema_length=None)

    def to_arrow(self) -> Any:
        """Its rows as a pyarrow table."""
        return to_arrow(self.rows())

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes its rows to a Parquet file, by pyarrow."""
        to_parquet(self.to_arrow(), path)

    def summary(self) -> dict[str, Any]:
        """The plain values at the top of the document."""
        return {k: v for k, v in self._document.items() if isinstance(v, (str, int, float, bool))}

    def __repr__(self) -> str:
        parts = [
            f"{key}={value:.6g}" if isinstance(value, float) else f"{key}={value!r}"
            for key, value in list(self.summary().items())[:8]
        ]
        if not parts:
            counts = {k: len(v) for k, v in self._document.items() if isinstance(v, (list, Mapping))}
            parts = [f"{key}=<{count}>" for key, count in list(counts.items())[:8]]
        return f"{type(self).__name__}({', '.join(parts)})"

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th>{html.escape(key)}</th><td>{html.escape(_shown(value))}</td></tr>"
            for key, value in self.summary().items()
        )
        rows = self.rows() if self.table else []
        return f"<table>{cells}</table>{html_table(rows[:_SHOWN_ROWS], len(rows))}"


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{before}{key}."))
        elif not isinstance(value, list):
            flat[before + key] = value
    return flat


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def _html_row(kind: str, values: Iterable[Any]) -> str:
    cells = "".join(f"<{kind}>{html.escape(_shown(value))}</{kind}>" for value in values)
    return f"<tr>{cells}</tr>"


def html_table(rows: Sequence[Mapping[str, Any]], of_all: int) -> str:
    """Rows as a table of a notebook; `of_all`: how many there are."""
    if not rows:
        return ""
    names = list(dict.fromkeys(name for row in rows for name in row))
    body = "".join(_html_row("td", (row.get(name) for name in names)) for row in rows)
    more = f"<p>{len(rows)} of {of_all} rows</p>" if of_all > len(rows) else ""
    return f"<table>{_html_row('th', names)}{body}</table>{more}"


class Predictions:
    """Many operators on one GPU, an array for each figure: p10_us, p50_us, p90_us, physical_bound_us
    (float64),
    bound and tier (numbers of `bounds` and `tiers`), extrapolated, stands_in, in_step (bool)."""

    names = (
        "p10_us",
        "p50_us",
        "p90_us",
        "physical_bound_us",
        "bound",
        "tier",
        "extrapolated",
        "stands_in",
        "in_step",
    )

    def __init__(
        self, sizes: Mapping[str, Any], columns: Sequence[Any], bounds: Sequence[str], tiers: Sequence[str]
    ) -> None:
        self.sizes = dict(sizes)
        self.bounds, self.tiers = tuple(bounds), tuple(tiers)
        (
            self.p10_us,
            self.p50_us,
            self.p90_us,
            self.physical_bound_us,
            self.bound,
            self.tier,
            self.extrapolated,
            self.stands_in,
            self.in_step,
        ) = columns

    def __len__(self) -> int:
        return len(self.p50_us)

    def to_dict(self) -> dict[str, Any]:
        """Sizes and figures by name; bounds and tiers in words."""
        import numpy

        columns = {**self.sizes, **{name: getattr(self, name) for name in self.names}}
        columns["bound"] = numpy.asarray(self.bounds)[self.bound]
        columns["tier"] = numpy.asarray(self.tiers)[self.tier]
        return columns

    def to_pandas(self) -> Any:
        return importlib.import_module("pandas").DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        return importlib.import_module("polars").DataFrame(self.to_dict())

    def to_arrow(self) -> Any:
        return to_arrow(self.to_dict())

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes sizes and figures to a Parquet file, by pyarrow."""
        to_parquet(self.to_arrow(), path)

    def rows(self) -> list[dict[str, Any]]:
        """An object for each operator."""
        columns = {name: values.tolist() for name, values in self.to_dict().items()}
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    def plot(self, against: str | None = None) -> Any:
        """The median, its interval and the physical bound against a size; the first of several."""
        against = against or next(iter(self.sizes))
        axes = plot_axes(f"{len(self)} operators")
        order = self.sizes[against].argsort(kind="stable")
        sizes = self.sizes[against][order]
        (line,) = axes.loglog(sizes, self.p50_us[order], label="predicted")
        axes.fill_between(
            sizes,
            self.p10_us[order],
            self.p90_us[order],
            alpha=0.2,
            color=line.get_color(),
            label="p10 .. p90",
        )
        axes.loglog(
            sizes, self.physical_bound_us[order], ":", color=line.get_color(), label="physical bound"
        )
        axes.set(xlabel=against, ylabel="time [us]")
        axes.legend()
        return axes

    def _repr_html_(self) -> str:
        shown = {name: values[:_SHOWN_ROWS].tolist() for name, values in self.to_dict().items()}
        return html_table([dict(zip(shown, row)) for row in zip(*shown.values())], len(self))

    def __repr__(self) -> str:
        return f"Predictions({len(self)} operators)"
