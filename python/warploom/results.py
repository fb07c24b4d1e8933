"""What requests answer: documents whose keys are attributes, tables as frames, and plots."""

from __future__ import annotations

import html
import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


class Answer(Mapping[str, Any]):
    """A document of the toolkit, with the keys that the command prints with --json, also as attributes."""

    table = ""  # the key of its rows, each an object; empty: the document itself is the one row

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = dict(document)

    def __getitem__(self, key: str) -> Any:
        return self._document[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._document:
            raise AttributeError(
                f"{type(self).__name__} has no '{name}'; it has: {', '.join(self._document)}"
            )
        return self._document[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._document]

    def to_dict(self) -> dict[str, Any]:
        return dict(self._document)

    def rows(self) -> list[dict[str, Any]]:
        """Its rows as flat objects; nested ones have names with dots."""
        rows = self._document[self.table] if self.table else [self._document]
        return [_flat(row) for row in rows]

    def to_pandas(self) -> Any:
        """Its rows as a pandas frame."""
        return importlib.import_module("pandas").DataFrame(self.rows())

    def to_polars(self) -> Any:
        """Its rows as a polars frame."""
        return importlib.import_module("polars").DataFrame(self.rows(), infer_schema_length=None)

    def summary(self) -> dict[str, Any]:
        """The plain values at the top of the document."""
        return {k: v for k, v in self._document.items() if isinstance(v, (str, int, float, bool))}

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in list(self.summary().items())[:8])
        return f"{type(self).__name__}({shown})"

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th>{html.escape(key)}</th><td>{html.escape(_shown(value))}</td></tr>"
            for key, value in self.summary().items()
        )
        return f"<table>{cells}</table>"


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{before}{key}."))
        elif not isinstance(value, list):
            flat[before + key] = value
    return flat


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _axes(title: str) -> Any:
    _, axes = importlib.import_module("matplotlib.pyplot").subplots(figsize=(7, 4), layout="constrained")
    axes.set_title(title)
    return axes


class Prediction(Answer):
    """One operator on one GPU: `p10_us`, `p50_us`, `p90_us`, `bound`, `tier`, `pipelines`, ..."""

    table = "pipelines"

    def plot(self) -> Any:
        """The time that each pipeline alone would take, beside the prediction and its interval."""
        axes = _axes(f"{self.operator['family']} on {self.gpu}")
        rows = self.rows()
        axes.barh([row["pipeline"] for row in rows], [row["time_us"] for row in rows])
        axes.axvspan(self.p10_us, self.p90_us, alpha=0.2, label="p10 .. p90")
        axes.axvline(self.p50_us, color="black", label="predicted")
        axes.set_xlabel("time [us]")
        axes.legend()
        return axes


class StepAnswer(Answer):
    """One forward pass: `step_ms`, `gpu_ms`, `host_ms`, `kernels`."""

    table = "kernels"

    def plot(self) -> Any:
        """The time of each kernel with its interval."""
        axes = _axes(f"{self.model} on {self.gpu}: {self.batch}")
        rows = self.rows()[::-1]
        times = [row["time_us"] for row in rows]
        spans = [
            [t - row["p10_us"] for t, row in zip(times, rows)],
            [row["p90_us"] - t for t, row in zip(times, rows)],
        ]
        axes.barh([row["label"] for row in rows], times, xerr=spans)
        axes.set_xlabel("time [us]")
        return axes


class SimulationAnswer(Answer):
    """A serving run: the keys of `vllm bench serve --save-result`, and what only a simulator knows. With
    details=True its rows are its requests."""

    def rows(self) -> list[dict[str, Any]]:
        if "ttfts" not in self:
            return [_flat(self.to_dict())]
        names = {
            "input_lens": "input_tokens",
            "output_lens": "output_tokens",
            "start_times": "start_s",
            "ttfts": "ttft_s",
            "latencies": "e2el_s",
        }
        columns = [self[key] for key in names if key in self]
        kept = [name for key, name in names.items() if key in self]
        return [dict(zip(kept, values)) for values in zip(*columns)]

    def plot(self) -> Any:
        """Percentiles of TTFT, TPOT and E2EL."""
        axes = _axes(f"{self.model} on {self.gpu}")
        percentiles = ("p50", "p90", "p95", "p99")
        for figure in ("ttft", "tpot", "e2el"):
            keys = [f"{p}_{figure}_ms" if p != "p50" else f"median_{figure}_ms" for p in percentiles]
            points = [(p, self[key]) for p, key in zip(percentiles, keys) if key in self]
            if points:
                axes.semilogy(*zip(*points), marker="o", label=figure.upper())
        axes.set_ylabel("time [ms]")
        axes.legend()
        return axes


class GpuList(Answer):
    """The GPUs that are known."""

    table = "gpus"


class ModelList(Answer):
    """The models that are known."""

    table = "models"


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

    def __repr__(self) -> str:
        return f"Predictions({len(self)} operators)"
