"""The time of a forward pass from what a scheduler counts of it, as AISimulate and aiconfigurator answer
it.

    import warploom.seams.forward_pass as seam
    seam.install()             # `from aisimulate_core.sdk import RustForwardPassPerfModel` is Warploom's then

ForwardPassModel has the methods of RustForwardPassPerfModel of github.com/ai-dynamo/aiconfigurator, since
pull request 1152: aiconfigurator_core/sdk/rust_engine_step.py of aiconfigurator 0.12, aisimulate_core/sdk
of AISimulate 0.13: best_available(config) and from_native(config),
estimate_forward_pass_time_ms(metrics), tune_with_fpms(iterations), diagnostics(),
get_*_correction_factor(), close(). One dictionary of ForwardPassMetrics (version 1) for each attention-DP
rank goes in, milliseconds come out. from_regression, a model that begins knowing nothing, has no
counterpart here.

A forward pass is known by sums alone, so they are shared out evenly over its requests.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any

from warploom.seams.aggregate_batch import prompts_of, shared_out
from warploom.steps import Step

METRICS_VERSION = 1  # of ForwardPassMetrics
SAMPLES_TO_CORRECT = 8  # measured passes of a kind before their median corrects it
MOST_SAMPLES = 512  # of a kind; older ones are forgotten
CURRENT = "current"  # a version of AISimulate's: the newest that was measured
NO_TYPE = ("", "auto", "none", "null")  # of an element type: as the model has it
PACKAGES = ("aisimulate_core", "aiconfigurator_core")  # that hold the estimator, the newer first
ESTIMATOR = "RustForwardPassPerfModel"


def _element_type(config: Mapping[str, Any], field: str) -> str | None:
    """An element type of a configuration: `gemm_quant_mode`, or `gemm_dtype` of older ones."""
    given = config.get(f"{field}_quant_mode") or config.get(f"{field}_dtype")
    return None if given is None or str(given).lower() in NO_TYPE else str(given)


def _types(config: Mapping[str, Any]) -> dict[str, str]:
    """Fields of a step for element types. Raises NotImplementedError on those that it cannot have apart."""
    gemm, moe = _element_type(config, "gemm"), _element_type(config, "moe")
    if moe is not None and moe != gemm:
        one = gemm or "as the model"
        raise NotImplementedError(f"moe is {moe} and gemm {one}, expected one for both")
    for field in ("fmha", "comm"):
        given = _element_type(config, field)
        if given not in (None, "bfloat16", "half"):
            raise NotImplementedError(f"{field} is {given}, expected the model's own")
    cache = _element_type(config, "kvcache") or _element_type(config, "kv_cache")
    types_of_step = {}
    if gemm not in (None, "bfloat16"):
        types_of_step["quantization"] = str(gemm)
    if cache not in (None, "bfloat16"):
        types_of_step["kv_cache_dtype"] = str(cache)
    return types_of_step


def opened_step(config: Any) -> Step:
    """The step of a configuration: a mapping, or an object with to_dict()."""
    fields = config.to_dict() if hasattr(config, "to_dict") else dict(config)
    model = fields.get("model") or fields.get("model_path") or fields.get("model_name")
    gpu = fields.get("system") or fields.get("system_name")
    if not model or not gpu:
        raise ValueError("config: expected model (or model_path, model_name) and system (or system_name)")
    if fields.get("nextn") or fields.get("speculation"):
        raise NotImplementedError("nextn: drafts are not among the kernels of a step, expected none")
    engine = fields.get("backend") or "vllm"
    setup: dict[str, Any] = {"engine": engine, "tensor_parallel_size": fields.get("tp_size") or 1}
    if (fields.get("pp_size") or 1) > 1:
        setup["pipeline_parallel_size"] = fields["pp_size"]
    if (fields.get("attention_dp_size") or 1) > 1:
        setup["data_parallel_size"] = fields["attention_dp_size"]
        if engine == "sglang":
            setup["enable_dp_attention"] = True
    if (fields.get("moe_ep_size") or 1) > 1:
        setup["enable_expert_parallel"] = True
    if fields.get("backend_version") not in (None, CURRENT):
        setup["engine_version"] = fields["backend_version"]
    return Step(model, gpu, **setup, **_types(fields))


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

    def __init__(self, config: Any, options: Mapping[str, Any] | None = None) -> None:
        self._step = opened_step(config)
        self._config = config.to_dict() if hasattr(config, "to_dict") else dict(config)
        self._ratios: dict[str, list[float]] = {"prefill": [], "decode": [], "mixed": []}

    @classmethod
    def from_native(cls, config: Any, options: Mapping[str, Any] | None = None) -> ForwardPassModel:
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
        """Time of the slowest rank; 0.0 where nothing is scheduled."""
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
            "readiness": "ready",
            "retained_observations": sum(map(len, self._ratios.values())),
            "last_warning": None,
            "provenance": {"config": self._config, "selected_estimation_mode": "op_level"},
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


def install() -> list[str]:
    """Puts ForwardPassModel in the place of the estimator, in every package that has one and is here;
    where none is, a package with nothing else stands in. Returns their names."""
    found = []
    for package in PACKAGES:
        try:
            sdk: Any = importlib.import_module(f"{package}.sdk")
        except ImportError:
            continue
        setattr(sdk, ESTIMATOR, ForwardPassModel)
        found.append(package)
    if not found:
        root, sdk = types.ModuleType(PACKAGES[0]), types.ModuleType(f"{PACKAGES[0]}.sdk")
        root.__path__ = []
        setattr(root, "sdk", sdk)
        setattr(sdk, ESTIMATOR, ForwardPassModel)
        sys.modules.update({root.__name__: root, sdk.__name__: sdk})
        found.append(root.__name__)
    return found
