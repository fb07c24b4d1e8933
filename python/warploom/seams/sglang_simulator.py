"""Warploom as a latency predictor of SGLang's simulator.

    import warploom.seams.sglang_simulator as seam
    seam.install()                                    # before the simulator reads its configuration

and in the simulator's configuration

    "predictor": {"name": "warploom", "include_host": false, "gpu": "H200"}

Further keys are fields of `warploom.Step` and take the place of what the simulator's own configuration says.

The interface is that of github.com/sgl-project/sglang, pull request 33824, tools/sglang-simulator/src/
sglang_simulator: time_predictor/base.py (InferTimePredictor, ScheduleBatch), simulation/types.py
(SchedulerConfig), spec/ (ModelInfo, AcceleratorInfo), simulation/manager/config.py
(ConfigManager.get_inference_time_predictor).
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


def _setup_of(config: Any) -> dict[str, Any]:
    """The engine's fields of a SchedulerConfig."""
    setup: dict[str, Any] = {"engine": config.backend_name, "tensor_parallel_size": config.tp_size}
    if config.pp_size > 1:
        setup["pipeline_parallel_size"] = config.pp_size
    if config.dp_size > 1:
        setup.update(data_parallel_size=config.dp_size, enable_dp_attention=True)
    if config.ep_size > 1:
        setup["enable_expert_parallel"] = True
    if config.backend_version:
        setup["engine_version"] = config.backend_version
    if config.kv_cache_data_type is not None and str(config.kv_cache_data_type.value).lower() == "fp8":
        setup["kv_cache_dtype"] = "fp8"
    return setup


class WarploomTimePredictor(InferTimePredictor):  # type: ignore[misc]
    """Seconds of a batch: the GPU's median, with `include_host` also what the engine's host adds.

    Raises ValueError on a model, GPU or field that is unknown, NotImplementedError on one that is not
    modelled.
    """

    def __init__(self, model: Any, hw: Any, config: Any, include_host: bool = False, **setup: Any) -> None:
        super().__init__(model, hw, config)
        fields = {**_setup_of(config), **setup}
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
