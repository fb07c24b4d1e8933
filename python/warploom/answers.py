"""The answers of requests by kind: which rows they have, and what they plot."""

from __future__ import annotations

from typing import Any

from warploom.documents.calibrate_document import CalibrateFields
from warploom.documents.calibrate_host_document import CalibrateHostFields
from warploom.documents.calibrate_machine_document import CalibrateMachineFields
from warploom.documents.convert_clients_document import ConvertClientsFields
from warploom.documents.curve_document import CurveFields
from warploom.documents.diagnose_document import DiagnoseFields
from warploom.documents.forecast_document import ForecastFields
from warploom.documents.gpu_document import GpuFields
from warploom.documents.gpus_document import GpusFields
from warploom.documents.import_document import ImportFields
from warploom.documents.models_document import ModelsFields
from warploom.documents.moe_config_document import MoeConfigFields
from warploom.documents.plan_document import PlanFields
from warploom.documents.predict_document import PredictFields
from warploom.documents.prices_document import PricesFields
from warploom.documents.simulate_document import SimulateFields
from warploom.documents.static_document import StaticFields
from warploom.documents.step_document import StepFields
from warploom.documents.support_document import SupportFields
from warploom.documents.sweep_plan_document import SweepPlanFields
from warploom.documents.train_document import TrainFields
from warploom.documents.train_ceilings_document import TrainCeilingsFields
from warploom.documents.tune_fit_document import TuneFitFields
from warploom.documents.tune_fit_cross_gpu_document import TuneFitCrossGpuFields
from warploom.documents.tune_plan_document import TunePlanFields
from warploom.documents.tune_regret_document import TuneRegretFields
from warploom.documents.tune_show_document import TuneShowFields
from warploom.documents.tuned_files_document import TunedFilesFields
from warploom.documents.validate_ceilings_document import ValidateCeilingsFields
from warploom.documents.validate_concurrency_document import ValidateConcurrencyFields
from warploom.documents.validate_kernels_document import ValidateKernelsFields
from warploom.documents.validate_leave_out_document import ValidateLeaveOutFields
from warploom.documents.validate_serving_document import ValidateServingFields
from warploom.documents.validate_static_document import ValidateStaticFields
from warploom.results import Answer, plot_axes


class Prediction(PredictFields):
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


class StepAnswer(StepFields):
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


class SimulationAnswer(SimulateFields):
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
            "tpots": "tpot_s",
            "waiting_times": "waiting_s",
            "request_instances": "instance",
            "request_decode_instances": "decode_instance",
            "request_preemptions": "preemptions",
            "request_cached_tokens": "cached_tokens",
        }
        columns = [self[key] for key in names if key in self]
        kept = [name for key, name in names.items() if key in self]
        return [{**dict(zip(kept, values)), "tier": self.tier} for values in zip(*columns)]

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


class GpuList(GpusFields):
    """The GPUs that are known."""

    table = "gpus"


class ModelList(ModelsFields):
    """The models that are known."""

    table = "models"


class CurveAnswer(CurveFields):
    """The same run at several loads or of several deployments: `points`, each with what it differs by and a
    run's figures; `measured`, where results of load generators were laid over them."""

    table = "points"

    def plot(self) -> Any:
        """Throughput of a GPU against what a user sees of it, predicted and measured."""
        axes = plot_axes("tokens/s of a GPU and of a user")
        for name, rows, style in (("predicted", self.rows(), "o-"), ("measured", self.get("measured"), "x")):
            if rows:
                users = [row["tokens_per_s_per_user"] for row in rows]
                axes.plot(users, [row["tokens_per_s_per_gpu"] for row in rows], style, label=name)
        axes.set_xlabel("tokens/s/user")
        axes.set_ylabel("tokens/s/GPU")
        axes.legend()
        return axes


class ForecastAnswer(ForecastFields):
    """What a server does at other loads, from its metrics: `load`, `agreement` (measured beside simulated),
    `now`, `forecast` (the rows, a load each), `levers` (what helps most first)."""

    table = "forecast"


class StaticAnswer(StaticFields):
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


class DiagnosisAnswer(DiagnoseFields):
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


class PlanAnswer(PlanFields):
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


class PlansAnswer(Answer[dict[str, Any]]):
    """The plans of a file's experiments by their names; `plan(name)` is one of them, `rows()` the best of
    each. Where the file says a fleet, `fleet` is what each gets of it."""

    @property
    def fleet(self) -> dict[str, Any] | None:
        """Which deployment of each experiment fits into the fleet with the others; None without a fleet."""
        shared = dict(self).get("fleet")
        return shared if shared is not None and "median" in shared else None

    def plan(self, name: str) -> PlanAnswer:
        """What `warploom.plan` would answer to that experiment alone."""
        return PlanAnswer(self[name])

    def rows(self) -> list[dict[str, Any]]:
        """The best deployment of each experiment; of one without any, its name alone."""
        found = []
        for name in self:
            if name == "fleet" and self.fleet is not None:
                continue
            plan = self.plan(name)
            best = {} if plan.best is None else plan.rows()[plan.best - 1]
            found.append({"name": name, **best})
        return found


class ConvertedClients(ConvertClientsFields):
    """The written file of clients: `output`, how many, and the seconds that they cover."""


class PriceList(PricesFields):
    """What GPUs cost by the hour: `prices`, each with its source, and GPUs `without_price`."""

    table = "prices"


class SupportAnswer(SupportFields):
    """Which share of a model's kernels was measured on which GPU."""

    table = "rows"


class KernelValidation(ValidateKernelsFields):
    """Predictions against measured kernels: `overall`, `families`, `gpus`, `tiers`, `cells`."""

    table = "cells"

    def plot(self) -> Any:
        """The mean error of each family."""
        axes = plot_axes(f"{self.overall['rows']} measured kernels")
        families = {name: row for name, row in self.families.items() if row["rows"]}
        axes.barh(list(families), [100 * row["mean_error"] for row in families.values()])
        axes.set_xlabel("mean error [%]")
        return axes


class ServingValidation(ValidateServingFields):
    """A simulated run against a measured one: `metrics`, `duration`, `output_throughput`, `kernel_time`."""

    table = "metrics"


class CalibrationAnswer(CalibrateFields):
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


class MoeConfigAnswer(MoeConfigFields):
    """Configurations of a fused MoE kernel by tokens: `rows`, `tier`, `files`."""

    table = "rows"


class TunedFilesAnswer(TunedFilesFields):
    """Tuned files that an engine looks for: `files`, each with its `state` and predicted `rows`; kernels that
    read none: `without_file`."""

    table = "files"


class GpuAnswer(GpuFields):
    """Every number of one GPU, with its source. It is one row."""


class ImportAnswer(ImportFields):
    """Rows of measured data taken into a store: `rows_kept`, `repeats`, `skipped`, `store`, `files`."""

    table = "files"


class TrainingAnswer(TrainFields):
    """A predictor that was learned: its `rows`, `bytes` and, for each family, the errors on rows held out."""

    table = "families"

    def plot(self) -> Any:
        """The mean error of each family on shapes held out."""
        axes = plot_axes(f"{self.rows_learned()} rows learned")
        rows = [row for row in self.rows() if row.get("held_out.mean_error") is not None]
        axes.barh([row["name"] for row in rows], [100 * row["held_out.mean_error"] for row in rows])
        axes.set_xlabel("mean error on rows held out [%]")
        return axes

    def rows_learned(self) -> int:
        """The sum over all families."""
        return sum(family["rows_learned"] for family in self.families.values())


class CeilingTraining(TrainCeilingsFields):
    """Ceilings that were learned: `families`, and `too_few`, those with too few rows."""

    table = "families"


class LeaveOutValidation(ValidateLeaveOutFields):
    """Predictors trained without a GPU, a generation or a fold, judged on it: `families`, `left_out`."""

    table = "left_out"

    def plot(self) -> Any:
        """The mean error on each that was left out."""
        axes = plot_axes(self.protocol)
        rows = self.rows()
        labels = [f"{row['family']} without {row['left_out']}" for row in rows]
        axes.barh(labels, [100 * row["mean_error"] for row in rows])
        axes.set_xlabel("mean error [%]")
        return axes


class StaticValidation(ValidateStaticFields):
    """Static batches against measured ones: `mean` and `bias` of the errors, `coverage`; a row each."""

    table = "rows"

    def plot(self) -> Any:
        """Predicted against measured time of each batch."""
        axes = plot_axes(f"{len(self.rows())} measured batches")
        rows = self.rows()
        measured = [row["measured_total_ms"] for row in rows]
        axes.loglog(measured, [row["predicted_total_ms"] for row in rows], "o", label="batch")
        axes.loglog(measured, measured, color="black", linewidth=0.8, label="as measured")
        axes.set(xlabel="measured [ms]", ylabel="predicted [ms]")
        axes.legend()
        return axes


class ConcurrencyValidation(ValidateConcurrencyFields):
    """Benchmarks of others against simulated ones: `overall`, `backends`, `models`, `gpus`, `cells`."""

    table = "cells"

    def plot(self) -> Any:
        """Predicted against measured time per output token of each row."""
        axes = plot_axes(f"{len(self.cells)} measured benchmarks")
        for backend in sorted({cell["backend"] for cell in self.cells}):
            cells = [cell for cell in self.cells if cell["backend"] == backend]
            measured = [cell["measured_tpot_ms"] for cell in cells]
            axes.loglog(measured, [cell["predicted_tpot_ms"] for cell in cells], "o", label=backend)
        axes.set(xlabel="measured TPOT [ms]", ylabel="predicted TPOT [ms]")
        axes.legend()
        return axes


class CeilingValidation(ValidateCeilingsFields):
    """How often measured kernels are above their ceiling: `families`, `gpus`, `tuned`."""

    table = "families"

    def plot(self) -> Any:
        """The share of each family's rows above the ceiling, and where the quantile says it should be."""
        axes = plot_axes(self.split)
        rows = self.rows()
        axes.barh([row["name"] for row in rows], [100 * row["above_share"] for row in rows])
        axes.axvline(100 * (1 - self.quantile), color="black", label="by the quantile")
        axes.set_xlabel("rows above the ceiling [%]")
        axes.legend()
        return axes


class HostCalibration(CalibrateHostFields):
    """A host profile fitted to timed steps: `factors`, errors `before` and `after`, the `profile`."""

    table = "factors"

    def plot(self) -> Any:
        """The factor on each group of constants."""
        axes = plot_axes(f"{self.base} fitted to {self.steps} steps")
        rows = self.rows()
        axes.barh([row["constants"] for row in rows], [row["factor"] for row in rows])
        axes.axvline(1, color="black", linewidth=0.8)
        axes.set_xlabel("factor")
        return axes


class MachineCalibration(CalibrateMachineFields):
    """The `profile` of a machine, and errors of its `products`, `kernels` and `walls`. It is one row."""


class SweepPlanAnswer(SweepPlanFields):
    """Operators to measure on one GPU: how many of which `families`, and how long they take."""

    table = "families"


class TunePlanAnswer(TunePlanFields):
    """Configurations and shapes to measure: `configs`, `shapes`, `rows`. It is one row."""


class TuneFitAnswer(TuneFitFields):
    """A table fitted to samples: `configs`, `samples`, `buckets`, `median_r_squared`. It is one row."""


class CrossGpuFit(TuneFitCrossGpuFields):
    """A table without samples, from the GPU's numbers or another GPU's table. It is one row."""


class StaircaseAnswer(TuneShowFields):
    """What a table picks as m grows: `points`."""

    table = "points"

    def plot(self) -> Any:
        """The time of the chosen and of the default configuration against m."""
        axes = plot_axes(f"{self.kernel} on {self.gpu}: n {self.n}, k {self.k}")
        rows = self.rows()
        for name in ("chosen", "default"):
            axes.loglog([row["m"] for row in rows], [row[f"{name}_us"] for row in rows], label=name)
        axes.set(xlabel="m", ylabel="time [us]")
        axes.legend()
        return axes


class RegretAnswer(TuneRegretFields):
    """What a table's choices are worth: shares of the best time, speed over the default, a row for each
    shape."""

    table = "rows"

    def plot(self) -> Any:
        """The share of the best configuration's speed that each choice reaches, shapes in order of it."""
        axes = plot_axes(f"{self.shapes} shapes, {self.method}")
        axes.plot(sorted(row["share"] for row in self.rows()))
        axes.set(xlabel="shape", ylabel="best time / time of the choice")
        return axes
