"""The answers of requests by kind: which rows they have, and what they plot."""

from __future__ import annotations

from typing import Any

from warploom.results import Answer, plot_axes


class Prediction(Answer):
    """One operator on one GPU: `p10_us`, `p50_us`, `p90_us`, `bound`, `tier`, `pipelines`, ..."""

    table = "pipelines"

    def plot(self) -> Any:
        """The time that each pipeline alone would take, beside the prediction and its interval."""
        axes = plot_axes(f"{self.operator['family']} on {self.gpu}")
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
        axes = plot_axes(f"{self.model} on {self.gpu}: {self.batch}")
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
            return super().rows()
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
        axes = plot_axes(f"{self.model} on {self.gpu}")
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


class StaticAnswer(Answer):
    """Requests that start together: `prefill_ms`, `decode_mean_ms`, `total_ms`,
    `output_throughput`, `kernels`."""

    table = "kernels"

    def plot(self) -> Any:
        """The time of each kernel in the whole batch."""
        axes = plot_axes(
            f"{self.model} on {self.gpu}: {self.batch} x {self.input_tokens} + {self.output_tokens}"
        )
        rows = self.rows()[::-1]
        axes.barh([row["label"] for row in rows], [row["time_ms"] for row in rows])
        axes.set_xlabel("time [ms]")
        return axes


class DiagnosisAnswer(Answer):
    """Kernels against the best that their shape was seen to reach: `saved_us`, `changes`, `groups`,
    `kernels`."""

    table = "kernels"

    def plot(self) -> Any:
        """The time of each kernel, and how much of it its ceiling would save."""
        axes = plot_axes(f"{self.source} on {self.gpu}")
        rows = self.to_dict()["groups"][::-1]
        labels = [row["label"] for row in rows]
        axes.barh(labels, [row["time_us"] for row in rows], label="time")
        axes.barh(labels, [row["saved_us"] for row in rows], label="saved at the ceiling")
        axes.set_xlabel("time [us]")
        axes.legend()
        return axes


class PlanAnswer(Answer):
    """Deployments that meet the limits: `best` (a place in `points`, counted from 1, as in `fronts`),
    `points`, `fronts`, `what_if`."""

    table = "points"

    def plot(self) -> Any:
        """Cost against speed of all points, and the front of them that nothing beats in both."""
        axes = plot_axes(f"{self.model}: {self.workload}")
        rows = self.rows()
        speed, cost = "tokens_per_s_per_user", "usd_per_million_output_tokens"
        axes.plot(
            [row[speed] for row in rows], [row[cost] for row in rows], "o", alpha=0.4, label="simulated"
        )
        front = sorted(
            (rows[place - 1] for place in self.fronts["cost"]), key=lambda row: float(row[speed])
        )
        axes.plot([row[speed] for row in front], [row[cost] for row in front], "o-", label="front")
        if self.best is not None:
            best = rows[self.best - 1]
            axes.plot(best[speed], best[cost], "*", markersize=14, label=best["deployment.words"])
        axes.set(xlabel="output tokens/s of a user", ylabel="$ / million output tokens")
        axes.legend()
        return axes


class PlansAnswer(Answer):
    """The plans of a file's experiments by their names; `plan(name)` is one of them, `rows()` the best of
    each."""

    def plan(self, name: str) -> PlanAnswer:
        """What `warploom.plan` would answer to that experiment alone."""
        return PlanAnswer(self[name])

    def rows(self) -> list[dict[str, Any]]:
        """The best deployment of each experiment; of one without any, its name alone."""
        found = []
        for name in self:
            plan = self.plan(name)
            best = {} if plan.best is None else plan.rows()[plan.best - 1]
            found.append({"name": name, **best})
        return found


class SupportAnswer(Answer):
    """Which share of a model's kernels was measured on which GPU."""

    table = "rows"


class KernelValidation(Answer):
    """Predictions against measured kernels: `overall`, `families`, `gpus`, `tiers`, `cells`."""

    table = "cells"

    def plot(self) -> Any:
        """The mean error of each family."""
        axes = plot_axes(f"{self.overall['rows']} measured kernels")
        families = {name: row for name, row in self.families.items() if row["rows"]}
        axes.barh(list(families), [100 * row["mean_error"] for row in families.values()])
        axes.set_xlabel("mean error [%]")
        return axes


class ServingValidation(Answer):
    """A simulated run against a measured one: `metrics`, `duration`, `output_throughput`, `kernel_time`."""

    table = "metrics"


class CalibrationAnswer(Answer):
    """One GPU's sweep on top of a predictor: `before` and `after`, and the same for each family."""

    table = "families"

    def plot(self) -> Any:
        """The mean error of each family before and after."""
        axes = plot_axes(f"{self.gpu}: shapes that the fit did not see")
        rows = [row for row in self.rows() if row.get("after.mean_error") is not None]
        for when in ("before", "after"):
            names = [f"{row['name']} {when}" for row in rows]
            axes.barh(names, [100 * row[f"{when}.mean_error"] for row in rows], label=when)
        axes.set_xlabel("mean error [%]")
        axes.legend()
        return axes


class MoeConfigAnswer(Answer):
    """Configurations of a fused MoE kernel by tokens: `rows`, `tier`, `files`."""

    table = "rows"
