"""vLLM's fused MoE kernel takes its tile from a tuner table at each launch, at the launch's own number of tokens.

    warploom tune profile --kind grouped_gemm --experts 64 --top-k 6 --gpu H100-SXM --output samples.csv
    warploom tune fit --kind grouped_gemm --experts 64 --top-k 6 --gpu H100-SXM --samples samples.csv --output e64.wlt
    warploom moe-config --model DeepSeek-V2-Lite --gpu H100-SXM --table e64.wlt --output tuned
    WARPLOOM_TUNED_TABLES=tuned vllm serve ...

vLLM asks try_get_optimal_moe_config(w1_shape, w2_shape, top_k, dtype, M, block_shape) before each layer
(vllm/model_executor/layers/fused_moe/fused_moe.py, 0.24): a file's nearest key, or its default. Here the
answer is the configuration of least predicted time for both products, unless the engine's own is within
the table's error of it. A layer, type, GPU or override that no table is of goes to vLLM as before.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from warploom.table import Table

FUSED_MOE = "vllm.model_executor.layers.fused_moe"
ASKED = "try_get_optimal_moe_config"
# ln: what a table misses between two configurations of one shape, as `moe-config --table` has it.
TABLE_ERROR = 0.03
GROUP_ROWS = 8  # rows of tiles that the reference kernel walks together
MOST_CONFIGS = 1024  # more than any table holds
MOST_COUNTS = 65536  # numbers of tokens that a layer remembers

_log = logging.getLogger("vllm.warploom")

Config = dict[str, int]
Asked = Callable[..., Config]


def _tile(config: Config) -> Optional[tuple[int, ...]]:
    """A configuration of the engine as a table names it, without parts of k."""
    names = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "num_warps", "num_stages")
    return tuple(config[name] for name in names) if all(name in config for name in names) else None


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
            self.layer = Layer(
                int(layer["experts"]) // int(layer["expert_parallel"]),
                int(layer["top_k"]),
                int(layer["hidden"]),
                int(layer["intermediate"]) // int(layer["tensor_parallel"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{sidecar}: expected the sidecar of `warploom moe-config`: {error}") from error
        self.engine_file = sidecar.name.replace(".warploom.json", ".json")  # names the GPU
        self.table = Table(sidecar.with_name(self.engine_file).with_suffix(".wlt"), gpu)
        self._known: dict[int, Optional[Config]] = {}

    def config(self, tokens: int, usual: Config) -> Config:
        """The configuration at so many tokens, or `usual`, the engine's own, where that is as good."""
        if tokens not in self._known:
            if len(self._known) > MOST_COUNTS:
                self._known.clear()
            self._known[tokens] = self._better(tokens, usual)
        return self._known[tokens] or usual

    def _better(self, tokens: int, usual: Config) -> Optional[Config]:
        layer, pairs = self.layer, tokens * self.layer.top_k
        times: dict[tuple[int, ...], float] = {}
        whole = []
        for n, k in ((2 * layer.width, layer.hidden), (layer.hidden, layer.width)):
            for tile, us in self.table.timed(pairs, n, k, MOST_CONFIGS):
                if tile[5] == 1:
                    if tile[:5] in times:
                        whole.append(tile[:5])
                    times[tile[:5]] = times.get(tile[:5], 0.0) + us
        if not whole:
            return None
        best = min(whole, key=lambda tile: times[tile])
        mine = _tile(usual)
        if mine is not None and times.get(mine, float("inf")) <= times[best] * (1 + TABLE_ERROR):
            return None
        m, n, k, warps, stages = best
        return {
            "BLOCK_SIZE_M": m,
            "BLOCK_SIZE_N": n,
            "BLOCK_SIZE_K": k,
            "GROUP_SIZE_M": GROUP_ROWS,
            "SPLIT_K": 1,
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
    for name, module in list(sys.modules.items()):  # modules that took the function by name hold it themselves
        if name.startswith("vllm.") and getattr(module, ASKED, None) is usual:
            setattr(module, ASKED, chosen)
    return len(found)
