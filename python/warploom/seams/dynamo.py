"""Warploom where Dynamo asks aiconfigurator how long a forward pass takes.

    import warploom.seams.dynamo as seam
    seam.install()                       # the mocker and the router's load model then ask Warploom

AicSession stands for the session of github.com/ai-dynamo/dynamo, lib/bindings/python/src/dynamo/_internal/
aic.py: create_session(...), predict_prefill(batch_size, effective_isl, prefix) and predict_decode(batch_size,
isl, osl) in milliseconds, called from Rust. ForwardPassModel stands for the RustForwardPassPerfModel of
github.com/ai-dynamo/aiconfigurator (pull request 1152, aiconfigurator_core/sdk/rust_engine_step.py), which
Dynamo's planner asks: one dictionary of ForwardPassMetrics (version 1) for each attention-DP rank in,
milliseconds out.
"""

from __future__ import annotations

import importlib
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from warploom.seams.aggregate_batch import prompts_of, shared_out
from warploom.steps import Step

METRICS_VERSION = 1  # of ForwardPassMetrics
SAMPLES_TO_CORRECT = 8  # measured passes of a kind before their median corrects it
MOST_SAMPLES = 512  # of a kind; older ones are forgotten


def _opened(
    model: Any, gpu: str, engine: str, sizes: Mapping[str, int | None], version: str | None
) -> Step:
    setup: dict[str, Any] = {"engine": engine, "tensor_parallel_size": sizes.get("tp_size") or 1}
    if (sizes.get("pp_size") or 1) > 1:
        setup["pipeline_parallel_size"] = sizes["pp_size"]
    if (sizes.get("attention_dp_size") or 1) > 1:
        setup["data_parallel_size"] = sizes["attention_dp_size"]
        if engine == "sglang":
            setup["enable_dp_attention"] = True
    if (sizes.get("moe_ep_size") or 1) > 1:
        setup["enable_expert_parallel"] = True
    if version:
        setup["engine_version"] = version
    return Step(model, gpu, **setup)


class AicSession:
    """Milliseconds of prefills and decodes of alike requests on the GPU.

    Raises ValueError on unknown names and sizes, NotImplementedError on drafts, which a step does not hold.
    """

    def __init__(
        self,
        backend_name: str,
        system: str,
        model_path: str,
        tp_size: int,
        backend_version: str | None = None,
        moe_tp_size: int | None = None,
        moe_ep_size: int | None = None,
        attention_dp_size: int | None = None,
        nextn: int | None = None,
        nextn_accept_rates: Sequence[float] | str | None = None,
    ) -> None:
        if nextn:
            raise NotImplementedError("nextn: drafts are not among the kernels of a step, expected none")
        sizes = {"tp_size": tp_size, "moe_ep_size": moe_ep_size, "attention_dp_size": attention_dp_size}
        self._step = _opened(model_path, system, backend_name, sizes, backend_version)

    def predict_prefill(self, batch_size: int, effective_isl: int, prefix: int) -> float:
        """Of `batch_size` prompts with `effective_isl` new tokens after `prefix` cached ones."""
        if effective_isl <= 0:
            raise ValueError(f"effective_isl is {effective_isl}, expected above 0")
        return self._step.mixed((), [(effective_isl, prefix)] * batch_size).p50_us / 1000

    def predict_decode(self, batch_size: int, isl: int, osl: int) -> float:
        """Of all steps in which `batch_size` requests produce their tokens after the first."""
        return sum(self._step.decode(batch_size, isl + i).p50_us for i in range(osl - 1)) / 1000


def create_session(*args: Any, **kwargs: Any) -> AicSession:
    """As dynamo._internal.aic.create_session."""
    return AicSession(*args, **kwargs)


def install() -> None:
    """Puts create_session in the place of Dynamo's."""
    aic: Any = importlib.import_module("dynamo._internal.aic")
    aic.AicSession, aic.create_session = AicSession, create_session


def _kind(scheduled: Mapping[str, Any]) -> str:
    prefill, decode = (
        scheduled.get("sum_prefill_tokens", 0) > 0,
        scheduled.get("num_decode_requests", 0) > 0,
    )
    return {(True, True): "mixed", (True, False): "prefill", (False, True): "decode"}.get(
        (prefill, decode), "empty"
    )


def _ranks(metrics: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    ranks = [metrics] if isinstance(metrics, Mapping) else list(metrics)
    for rank in ranks:
        if int(rank.get("version", METRICS_VERSION)) != METRICS_VERSION:
            raise ValueError(f"metrics of version {rank['version']}, expected {METRICS_VERSION}")
    return ranks


class ForwardPassModel:
    """Milliseconds of one forward pass from what a scheduler counts of it; learns a factor from measured
    ones."""

    def __init__(self, config: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> None:
        model = config.get("model_path") or config.get("model_name")
        gpu = config.get("system_name") or config.get("system")
        if not model or not gpu:
            raise ValueError("config: expected model_name (or model_path) and system_name")
        self._step = _opened(
            model, gpu, config.get("backend", "vllm"), config, config.get("backend_version")
        )
        self._ratios: dict[str, list[float]] = {"prefill": [], "decode": [], "mixed": []}

    @classmethod
    def from_native(
        cls, config: Mapping[str, Any], options: Mapping[str, Any] | None = None
    ) -> ForwardPassModel:
        return cls(config, options)

    best_available = from_native

    def _uncorrected_ms(self, scheduled: Mapping[str, Any]) -> float:
        requests = int(scheduled.get("num_decode_requests", 0))
        contexts = shared_out(int(scheduled.get("sum_decode_kv_tokens", 0)), requests) if requests else []
        prompts = prompts_of(
            int(scheduled.get("num_prefill_requests", 0)),
            int(scheduled.get("sum_prefill_tokens", 0)),
            int(scheduled.get("sum_prefill_kv_tokens", 0)),
        )
        return self._step.mixed(contexts, prompts).p50_us / 1000

    def _factor(self, kind: str) -> float | None:
        ratios = self._ratios[kind]
        return statistics.median(ratios) if len(ratios) >= SAMPLES_TO_CORRECT else None

    def estimate_forward_pass_time_ms(
        self, metrics: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    ) -> float | None:
        """Of the slowest rank; 0.0 where nothing is scheduled."""
        slowest = 0.0
        for rank in _ranks(metrics):
            scheduled = rank.get("scheduled_requests", {})
            kind = _kind(scheduled)
            if kind != "empty":
                slowest = max(slowest, self._uncorrected_ms(scheduled) * (self._factor(kind) or 1.0))
        return slowest

    def tune_with_fpms(self, iterations: Mapping[str, Any] | Sequence[Any]) -> None:
        """Measured iterations: each a list of ranks, or one rank. Those without a wall_time are left out."""
        if isinstance(iterations, Mapping):
            iterations = [[iterations]]
        elif all(isinstance(each, Mapping) for each in iterations):
            iterations = [iterations]
        for iteration in iterations:
            ranks = _ranks(iteration)
            wall_ms = 1000 * max((float(rank.get("wall_time", 0)) for rank in ranks), default=0.0)
            priced = [
                (self._uncorrected_ms(rank["scheduled_requests"]), _kind(rank["scheduled_requests"]))
                for rank in ranks
                if _kind(rank.get("scheduled_requests", {})) != "empty"
            ]
            if wall_ms <= 0 or not priced:
                continue
            expected, kind = max(priced)
            self._ratios[kind] = [*self._ratios[kind], wall_ms / expected][-MOST_SAMPLES:]

    def diagnostics(self) -> dict[str, Any]:
        return {
            "source": "native",
            "ready": True,
            "retained_observations": sum(map(len, self._ratios.values())),
            "last_warning": None,
        }

    def _factors(self) -> list[float]:
        return [factor for factor in map(self._factor, self._ratios) if factor is not None]

    def get_min_correction_factor(self) -> float | None:
        return min(self._factors(), default=None)

    def get_max_correction_factor(self) -> float | None:
        return max(self._factors(), default=None)

    def get_avg_correction_factor(self) -> float | None:
        return statistics.fmean(self._factors()) if self._factors() else None

    def close(self) -> None:
        """Nothing is held outside of Python."""
