r"""vLLM's fused MoE kernel takes its tile from a tuner table at each launch, at that launch's token count.

    warploom tune profile --kind grouped_gemm --experts 64 --top-k 6 --gpu H100-SXM --output e64.csv
    warploom tune fit --kind grouped_gemm --experts 64 --top-k 6 --gpu H100-SXM --samples e64.csv \
      --output e64.wlt
    warploom moe-config --model DeepSeek-V2-Lite --gpu H100-SXM --table e64.wlt --output tuned
    WARPLOOM_TUNED_TABLES=tuned vllm serve ...

vLLM asks try_get_optimal_moe_config(w1_shape, w2_shape, top_k, dtype, M, block_shape) before each layer
(vllm/model_executor/layers/fused_moe/fused_moe.py, 0.24): a file's nearest key, or its default. Here the
answer is the configuration of least predicted time for both products, with tokens that choose experts by
chance, unless the engine's own is within the table's error of it. A layer, type, GPU or override that no
table is of goes to vLLM as before.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from warploom.table import Table, Tile

FUSED_MOE = "vllm.model_executor.layers.fused_moe"
ASKED = "try_get_optimal_moe_config"
MOST_COUNTS = 65536  # numbers of tokens that a layer remembers

_log = logging.getLogger("vllm.warploom")

Config = dict[str, int]
Asked = Callable[..., Config]


def _tile(config: Config) -> Optional[Tile]:
    """A configuration of the engine as a table names it."""
    try:
        return (
            config["BLOCK_SIZE_M"],
            config["BLOCK_SIZE_N"],
            config["BLOCK_SIZE_K"],
            config["num_warps"],
            config["num_stages"],
            config.get("SPLIT_K", 1),
        )
    except KeyError:
        return None


@dataclass(frozen=True)
class Layer:
    """What a table answers for: experts held, experts of a token, hidden size, width of an expert here."""

    experts: int
    top_k: int
    hidden: int
    width: int


class RunTimeConfigs:
    """Configurations of one layer, by its number of tokens. Raises OSError, ValueError of the files."""

    def __init__(self, sidecar: Path):
        document: Any = json.loads(sidecar.read_text(encoding="utf-8"))
        try:
            layer, gpu = document["layer"], document["gpu"]
            shared_out = int(layer["expert_parallel"])
            self.layer = Layer(
                int(layer["experts"]) // shared_out,
                int(layer["top_k"]),
                int(layer["hidden"]),
                int(layer["intermediate"]) // int(layer["tensor_parallel"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{sidecar}: expected the sidecar of `warploom moe-config`: {error}") from error
        self.engine_file = sidecar.name.replace(".warploom.json", ".json")  # names the GPU
        table = Table(sidecar.with_name(self.engine_file).with_suffix(".wlt"), gpu)
        self.experts = table.experts(self.layer.hidden, self.layer.width, self.layer.top_k, shared_out)
        self._known: dict[int, Optional[Config]] = {}

    def config(self, tokens: int, usual: Config) -> Config:
        """The configuration at so many tokens, or `usual`, the engine's own, where that is as good."""
        if tokens not in self._known:
            if len(self._known) > MOST_COUNTS:
                self._known.clear()
            self._known[tokens] = self._better(tokens, usual)
        return self._known[tokens] or usual

    def _better(self, tokens: int, usual: Config) -> Optional[Config]:
        # An own configuration that no table can name is none that it could keep.
        picked = self.experts.pick(tokens, _tile(usual))
        if picked is None or picked[2] == 0:
            return None
        (m, n, k, warps, stages, split), group_rows, _ = picked
        return {
            "BLOCK_SIZE_M": m,
            "BLOCK_SIZE_N": n,
            "BLOCK_SIZE_K": k,
            "GROUP_SIZE_M": group_rows,
            "SPLIT_K": split,
            "num_warps": warps,
            "num_stages": stages,
        }


def open_folder(folder: Path) -> list[RunTimeConfigs]:
    """Every table of the folder with its sidecar. Raises FileNotFoundError, ValueError, OSError."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: is no folder, expected one that `warploom moe-config` wrote")
    tables = sorted(folder.glob("E=*.wlt"))
    if not tables:
        raise ValueError(f"{folder}: holds no E=...,N=...,device_name=....wlt; expected what "
                         "`warploom moe-config --table ... --output` wrote")
    return [RunTimeConfigs(path.with_suffix(".warploom.json")) for path in tables]


def asked_through(found: list[RunTimeConfigs], usual: Asked, engine: Any) -> Asked:
    """The engine's function with the tables before it. `engine` is vllm's fused_moe module."""
    by_layer = {each.layer: each for each in found}

    def configured(
        w1_shape: Any, w2_shape: Any, top_k: int, dtype: Any, M: int, block_shape: Any = None
    ) -> Config:
        config = usual(w1_shape, w2_shape, top_k, dtype, M, block_shape)
        if dtype is not None or block_shape:
            return config
        experts, hidden, width = (int(size) for size in w2_shape)
        table = by_layer.get(Layer(experts, top_k, hidden, width))
        if table is None or overridden() or not of_this_gpu(table):
            return config
        return table.config(int(M), config)

    def overridden() -> bool:
        package = sys.modules.get(FUSED_MOE)
        return bool(package is not None and package.get_config())

    names: dict[Layer, bool] = {}

    def of_this_gpu(table: RunTimeConfigs) -> bool:
        layer = table.layer
        if layer not in names:
            expected = engine.get_config_file_name(layer.experts, layer.width, None)
            names[layer] = expected == table.engine_file
            if not names[layer]:
                _log.warning("%s is not used: this engine looks for %s", table.engine_file, expected)
        return names[layer]

    return configured


def install(folder: Path) -> int:
    """Puts the folder's tables before vLLM's own choice in this process; how many. Raises as open_folder."""
    import importlib

    found = open_folder(folder)
    engine = importlib.import_module(FUSED_MOE + ".fused_moe")
    usual = getattr(engine, ASKED)
    chosen = asked_through(found, usual, engine)
    # Modules that took the function by name hold it themselves.
    for name, module in list(sys.modules.items()):
        if name.startswith("vllm.") and getattr(module, ASKED, None) is usual:
            setattr(module, ASKED, chosen)
    return len(found)
