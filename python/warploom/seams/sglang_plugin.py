"""A plugin of SGLang: tuned files of its fused MoE kernel and of its fp8 products with scales of blocks, from
a folder that `warploom tuned-files --engine sglang` wrote.

    warploom tuned-files --model Qwen/Qwen3-8B-FP8 --gpu L40S --engine sglang --write tuned
    WARPLOOM_TUNED_CONFIGS=tuned python -m sglang.launch_server ...   # Warploom in the same environment

SGLang calls `register` in every process before it works (sglang/srt/plugins/__init__.py in release 0.5.23:
load_plugins calls what the entry points of sglang.srt.plugins load). Its products' files are looked for in
its own package alone (sglang/kernels/ops/gemm/fp8_kernel.py: get_w8a8_block_fp8_configs(N, K, block_n,
block_k)); those of experts in SGLANG_MOE_CONFIG_DIR, and then no longer in the package
(sglang/srt/layers/moe/moe_runner/triton_utils/fused_moe_triton_config.py: get_moe_configs(E, N, dtype, ...)).
Here the folder's file of that name comes first, and all else goes to SGLang as before: while it compiles, and
where inference is deterministic. A damaged file, or one whose steps cross a block of scales, is left out with
a warning. `counts` says what was answered from where; each name is logged once. An engine's start never fails
because of the plugin.
"""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Optional

from warploom.seams import attention_tables, sglang_attention
from warploom.seams.vllm_block_products import Configs, files_of
from warploom.seams.vllm_plugin import FOLDER, read_config_file

PRODUCTS, ASKED_PRODUCTS = "sglang.kernels.ops.gemm.fp8_kernel", "get_w8a8_block_fp8_configs"
INT8_PRODUCTS, ASKED_INT8 = "sglang.kernels.ops.gemm.int8_kernel", "get_w8a8_block_int8_configs"
EXPERTS = "sglang.srt.layers.moe.moe_runner.triton_utils.fused_moe_triton_config"
ASKED_EXPERTS = "get_moe_configs"

_log = logging.getLogger("sglang.warploom")
counts = {"tuned": 0, "left_to_sglang": 0}


def experts_of(folder: Path) -> dict[str, Configs]:
    """Every file of experts in the folder and below, by name; wrong ones are logged and left out."""
    found = {}
    for path in sorted(folder.rglob("E=*,N=*,device_name=*.json")):
        if path.name.endswith(".warploom.json"):
            continue
        try:
            found[path.name] = read_config_file(path)
        except (OSError, ValueError) as error:
            _log.warning("not used: %s", error)
    return found


def _compiles(engine: ModuleType) -> bool:
    """Whether torch reads along: then the engine takes its default."""
    dynamo = getattr(getattr(engine, "torch", None), "_dynamo", None)
    return dynamo is not None and bool(dynamo.is_compiling())


def _is_deterministic(engine: ModuleType) -> bool:
    told = getattr(engine, "get_exec", None)
    return told is not None and bool(told().deterministic.enable_deterministic_inference)


def _put_before(
    engine: ModuleType, asked: str, files: dict[str, Configs], name_of: Callable[..., Optional[str]]
) -> None:
    """`name_of`: of the arguments of a call; None: the call is the engine's."""
    usual: Callable[..., Any] = getattr(engine, asked)
    heard: set[str] = set()

    def chosen(*args: Any, **kwargs: Any) -> Any:
        name = name_of(*args, **kwargs)
        found = None if name is None else files.get(name)
        counts["left_to_sglang" if found is None else "tuned"] += 1
        if name is not None and name not in heard:
            heard.add(name)
            _log.info("%s: %s", name, "tuned" if found else "not in the folder, left to SGLang")
        return usual(*args, **kwargs) if found is None else found

    # Modules that took the function by name hold it themselves.
    for name, module in list(sys.modules.items()):
        if name.startswith("sglang.") and getattr(module, asked, None) is usual:
            setattr(module, asked, chosen)


def install_products(files: dict[str, Configs]) -> None:
    """Raises ImportError, AttributeError."""
    _install_products(files, PRODUCTS, ASKED_PRODUCTS, "fp8_w8a8")


def install_int8_products(files: dict[str, Configs]) -> None:
    """Raises ImportError, AttributeError."""
    _install_products(files, INT8_PRODUCTS, ASKED_INT8, "int8_w8a8")


def _install_products(files: dict[str, Configs], module: str, asked: str, dtype: str) -> None:
    engine = importlib.import_module(module)

    def name_of(N: int, K: int, block_n: int, block_k: int) -> Optional[str]:
        if _compiles(engine):
            return None
        device = engine.get_device_name().replace(" ", "_")
        return f"N={N},K={K},device_name={device},dtype={dtype},block_shape=[{block_n}, {block_k}].json"

    _put_before(engine, asked, files, name_of)


def install_experts(files: dict[str, Configs]) -> None:
    """Raises ImportError, AttributeError."""
    engine = importlib.import_module(EXPERTS)

    def name_of(
        E: int,
        N: int,
        dtype: Optional[str],
        block_n: Optional[int] = 0,
        block_k: Optional[int] = 0,
        per_channel_quant: bool = False,
        down_moe: bool = False,
    ) -> Optional[str]:
        if _is_deterministic(engine):
            return None
        shape = [block_n, block_k]
        name = engine.get_config_file_name(E, N, dtype, shape, per_channel_quant, down_moe=down_moe)
        return None if name is None else str(name)

    _put_before(engine, ASKED_EXPERTS, files, name_of)


def register() -> None:
    """Called by SGLang."""
    attention_tables.register(sglang_attention.install, _log)
    _register_files()


def _register_files() -> None:
    wanted = os.environ.get(FOLDER)
    if not wanted:
        return
    folder = Path(wanted)
    if not folder.is_dir():
        _log.warning("%s is not used: %s: is no folder", FOLDER, folder)
        return
    used, products = 0, files_of(folder, _log)
    int8 = {name: rows for name, rows in products.items() if ",dtype=int8_w8a8," in name}
    fp8 = {name: rows for name, rows in products.items() if name not in int8}
    for what, files, install in (
        ("block products", fp8, install_products),
        ("int8 block products", int8, install_int8_products),
        ("experts", experts_of(folder), install_experts),
    ):
        if not files:
            continue
        try:
            install(files)
        except Exception as error:  # an engine that has other functions
            _log.warning("%s of %s are not used: %s", what, folder, error)
            continue
        used += len(files)
        _log.info("%d tuned files of %s in %s", len(files), what, folder)
    if used == 0:
        _log.warning("%s is not used: %s holds no file that SGLang reads", FOLDER, folder)
