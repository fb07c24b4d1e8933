"""Warploom as a latency predictor of SGLang's simulator.

    import warploom.seams.sglang_simulator as seam
    seam.install()                                    # before the simulator reads its configuration

and in the simulator's configuration

    "predictor": {"name": "warploom", "include_host": false, "gpu": "H200"}

Further keys are fields of `warploom.Step` and take the place of what the simulator's own configuration
says.

The interface is that of github.com/sgl-project/sglang, tools/sglang-simulator/src/sglang_simulator (pull
request 33824): time_predictor/base.py at commit 2f070b1 (InferTimePredictor: __init__(model, hw, config,
*args, **kwargs), predict_infer_time(batch) in seconds, get_metrics, reset_metrics; ScheduleBatch,
ScheduleRequest), simulation/types.py at 1a3b0de (SchedulerConfig), spec/ (ModelInfo, AcceleratorInfo),
simulation/manager/config.py at 04b91ac (ConfigManager._get_raw_config,
get_inference_time_predictor(model, hw, sched_config)).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from sglang_simulator.time_predictor.base import InferTimePredictor  # type: ignore[import-not-found]

from warploom.steps import Step

NAME = "warploom"  # of `predictor` in the simulator's configuration


class _PlainConfig:
    """A config.json that the simulator holds as a dictionary."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        self.model_type = self._values.get("model_type", "")

    def to_dict(self) -> dict[str, Any]:
        return self._values


def _model_of(model: Any) -> Any:
    config = model.hf_config
    if config is None:
        return model.model_path
    return _PlainConfig(config) if isinstance(config, Mapping) else config


def _is_fp8(kind: Any) -> bool:
    return kind is not None and str(kind.value).lower() == "fp8"


def _says_its_types(model: Any) -> bool:
    """Whether the model's own configuration says how it is quantised."""
    config = model.hf_config
    return bool(
        config.get("quantization_config")
        if isinstance(config, Mapping)
        else getattr(config, "quantization_config", None)
    )


def _check_modelled(config: Any) -> None:
    """Raises NotImplementedError on what a step does not hold."""
    if getattr(config, "cp_size", 1) > 1:
        raise NotImplementedError(
            f"cp_size is {config.cp_size}, expected 1: prompts are not shared out over GPUs"
        )
    for part in ("moe", "fmha", "comm"):
        if getattr(config, f"{part}_quant_mode_override", None):
            raise NotImplementedError(
                f"{part}_quant_mode_override is not modelled, expected the model's own types"
            )


def _setup_of(config: Any, model: Any) -> dict[str, Any]:
    """The engine's fields of a SchedulerConfig."""
    _check_modelled(config)
    setup: dict[str, Any] = {"engine": config.backend_name, "tensor_parallel_size": config.tp_size}
    if config.pp_size > 1:
        setup["pipeline_parallel_size"] = config.pp_size
    if config.dp_size > 1:
        setup.update(data_parallel_size=config.dp_size, enable_dp_attention=True)
    if config.ep_size > 1:
        setup["enable_expert_parallel"] = True
    if config.backend_version:
        setup["engine_version"] = config.backend_version
    if _is_fp8(config.kv_cache_data_type):
        setup["kv_cache_dtype"] = "fp8"
    if _is_fp8(getattr(config, "data_type", None)) and not _says_its_types(model):
        setup["quantization"] = "fp8"
    return setup


class WarploomTimePredictor(InferTimePredictor):  # type: ignore[misc]
    """Seconds of a batch: the GPU's median, with `include_host` also what the engine's host adds.

    Raises ValueError on a model, GPU or field that is unknown, NotImplementedError on one that is not
    modelled.
    """

    def __init__(self, model: Any, hw: Any, config: Any, include_host: bool = False, **setup: Any) -> None:
        super().__init__(model, hw, config)
        fields = {**_setup_of(config, model), **setup}
        gpu = fields.pop("gpu", hw.name)
        self._step = Step(fields.pop("model", None) or _model_of(model), gpu, **fields)
        self._include_host = include_host

    def predict_infer_time(self, batch: Any) -> float:
        """Negative where the batch cannot be priced, as the simulator wants it."""
        if batch.is_empty():
            return 0.0
        decoding = [req.past_kv_length for req in batch.reqs if req.extend_length == 1]
        prompts = [(req.extend_length, req.past_kv_length) for req in batch.reqs if req.extend_length != 1]
        try:
            price = self._step.mixed(decoding, prompts)
        except ValueError:
            return -1.0
        return (price.p50_us + (price.host_us if self._include_host else 0.0)) * 1e-6


def install() -> None:
    """Makes the simulator know the predictor's name."""
    simulator: Any = importlib.import_module("sglang_simulator.simulation.manager.config")
    manager = simulator.ConfigManager
    known = manager.get_inference_time_predictor

    def get_inference_time_predictor(cls: Any, model: Any, hw: Any, sched_config: Any) -> Any:
        wanted = dict(cls._get_raw_config().get("predictor", {}))
        if wanted.pop("name", None) != NAME:
            return known.__func__(cls, model, hw, sched_config)
        return WarploomTimePredictor(model, hw, sched_config, **wanted)

    manager.get_inference_time_predictor = classmethod(get_inference_time_predictor)
