"""Stand-ins of the interfaces that warploom.seams serves, written from their published signatures.

sglang_simulator: github.com/sgl-project/sglang, tools/sglang-simulator/src/sglang_simulator:
time_predictor/base.py (commit 2f070b1), simulation/types.py (1a3b0de), simulation/manager/config.py
(04b91ac). dynamo: github.com/ai-dynamo/dynamo, lib/bindings/python/src/dynamo/_internal/aic.py (0d5e571)
and ais.py (release 1.6.1).
"""

import enum
import sys
import types
from dataclasses import dataclass, field
from typing import Any, Optional


class DataType(enum.Enum):
    FP8 = "FP8"
    BF16 = "BF16"


@dataclass
class SchedulerConfig:
    data_type: Optional[DataType] = None
    kv_cache_data_type: Optional[DataType] = None
    moe_quant_mode_override: Optional[str] = None
    fmha_quant_mode_override: Optional[str] = None
    comm_quant_mode_override: Optional[str] = None
    cp_size: int = 1
    tp_size: int = 1
    ep_size: int = 1
    dp_size: int = 1
    pp_size: int = 1
    backend_name: str = "sglang"
    backend_version: Optional[str] = None


@dataclass
class ModelInfo:
    hf_config: Optional[Any] = None
    model_path: Optional[str] = None


@dataclass
class AcceleratorInfo:
    name: str


@dataclass
class ScheduleRequest:
    extend_length: int = 0
    past_kv_length: int = 0


@dataclass
class ScheduleBatch:
    reqs: list = field(default_factory=list)

    def is_empty(self):
        return not self.reqs


class InferTimePredictor:
    def __init__(self, model, hw, config, *args, **kwargs):
        self.model, self.hw, self.config = model, hw, config

    def get_metrics(self):
        return {}


class Configuration:  # known to the simulator as ConfigManager
    raw: dict = {}

    @classmethod
    def _get_raw_config(cls):
        return cls.raw

    @classmethod
    def get_inference_time_predictor(cls, model, hw, sched_config):
        raise ValueError(f"Unknown predictor name: {cls.raw.get('predictor', {}).get('name')}")


def _module(name, **names):
    module = sys.modules[name] = types.ModuleType(name)
    module.__dict__.update(names)
    return module


def install_stand_ins():
    for package in (
        "sglang_simulator",
        "sglang_simulator.time_predictor",
        "sglang_simulator.simulation",
        "sglang_simulator.simulation.manager",
        "dynamo",
        "dynamo._internal",
    ):
        _module(package).__path__ = []
    _module("sglang_simulator.time_predictor.base", InferTimePredictor=InferTimePredictor)
    _module("sglang_simulator.simulation.manager.config", ConfigManager=Configuration)
    aic = _module("dynamo._internal.aic", AicSession=None, create_session=None)
    sys.modules["dynamo"]._internal = sys.modules["dynamo._internal"]
    sys.modules["dynamo._internal"].aic = aic
    sys.modules["dynamo._internal"].ais = _module(
        "dynamo._internal.ais", AisSession=None, create_session=None
    )
