"""A plugin of vLLM: configurations of its fused MoE kernel, and of its fp8 products with scales of blocks
(vllm_block_products), from a folder that `warploom moe-config` or `warploom tuned-files` wrote.

    WARPLOOM_TUNED_CONFIGS=tuned vllm serve ...       # with Warploom installed in the same environment
    WARPLOOM_TUNED_TABLES=tuned vllm serve ...        # looked up at each launch: vllm_fused_moe
    WARPLOOM_TUNED_ATTENTION=tuned vllm serve ...     # the same for Triton's attention: vllm_attention

vLLM calls `register` in every process before it works (github.com/vllm-project/vllm,
vllm/plugins/__init__.py at commit 0142555: load_general_plugins calls what the entry points of
vllm.general_plugins load) and looks for E=...,N=...,device_name=....json in VLLM_TUNED_CONFIG_FOLDER
before its own files (vllm/model_executor/layers/fused_moe/fused_moe.py: get_moe_configs(E, N, dtype,
block_n, block_k)). A damaged file there would stop the engine, so files are read here first. An
engine's start never fails because of the plugin: what is wrong is logged, and vLLM goes on with its own
files.
"""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

from warploom.seams import attention_tables, vllm_attention

FOLDER = "WARPLOOM_TUNED_CONFIGS"
TABLES = "WARPLOOM_TUNED_TABLES"
VLLM_FOLDER = "VLLM_TUNED_CONFIG_FOLDER"
NEEDED = {"BLOCK_SIZE_M", "GROUP_SIZE_M"}  # of each configuration
TOGETHER = {"BLOCK_SIZE_N", "BLOCK_SIZE_K"}  # vLLM chooses both itself where a row of narrow weights has none
# Files of state updates and of adapters: vLLM reads them in the same folder.
OTHERS = ("headdim=*,dstate=*,device_name=*.json", "*_SHRINK.json", "*_EXPAND.json", "*_EXPAND_TRUE.json",
          "*_EXPAND_FALSE.json")  # fmt: skip

_log = logging.getLogger("vllm.warploom")


def read_config_file(path: Path) -> dict[int, dict[str, int]]:
    """Configurations by numbers of tokens. Raises ValueError "<path>: ..."."""
    try:
        table: Any = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: is no JSON: {error}") from error
    if not isinstance(table, dict):
        raise ValueError(
            f"{path}: is {type(table).__name__}, expected an object of configurations by tokens"
        )
    for tokens, config in table.items():
        if tokens == "triton_version":
            continue
        whole = isinstance(config, dict) and NEEDED <= config.keys() and (
            TOGETHER <= config.keys() or not TOGETHER & config.keys()
        )
        if not tokens.isdigit() or not whole:
            names = ", ".join(sorted(NEEDED | TOGETHER))
            raise ValueError(f"{path}: '{tokens}': expected tokens with {names}")
    return {int(tokens): config for tokens, config in table.items() if tokens.isdigit()}


def check_folder(folder: Path) -> list[Path]:
    """The files that vLLM reads in the folder, each checked. Raises ValueError, FileNotFoundError."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: is no folder, expected one that `warploom tuned-files` wrote")
    found = sorted(path for path in folder.glob("E=*.json") if not path.name.endswith(".warploom.json"))
    for path in found:
        read_config_file(path)
    others = sorted(path for pattern in OTHERS for path in folder.glob(pattern))
    for path in others:
        _check_nested(path)
    return found + others


def _check_nested(path: Path) -> None:
    """Objects by whole numbers down to a configuration. Raises ValueError "<path>: ..."."""
    try:
        table: Any = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: is no JSON: {error}") from error

    def check(part: Any, keys: str) -> None:
        if not isinstance(part, dict) or not part:
            raise ValueError(f"{path}: '{keys}': expected objects by whole numbers, down to a configuration")
        if all(name.isdigit() or name == "triton_version" for name in part):
            for name, below in part.items():
                if name.isdigit():
                    check(below, f"{keys}/{name}")
        elif not all(type(value) is int for value in part.values()):
            raise ValueError(f"{path}: '{keys}': expected a configuration of whole numbers")

    check(table, "")


def register() -> None:
    """Called by vLLM."""
    _register_files()
    _register_tables()
    attention_tables.register(vllm_attention.install, _log)


def _register_tables() -> None:
    wanted = os.environ.get(TABLES)
    if not wanted:
        return
    from warploom.seams import vllm_fused_moe

    try:
        count = vllm_fused_moe.install(Path(wanted))
    except Exception as error:  # of the files, or an engine that has another function
        _log.warning("%s is not used: %s", TABLES, error)
        return
    _log.info("%d tables of fused MoE kernels in %s", count, wanted)


def _register_files() -> None:
    wanted, given = os.environ.get(FOLDER), os.environ.get(VLLM_FOLDER)
    if not wanted:
        return
    if given and Path(given).resolve() != Path(wanted).resolve():
        _log.warning("%s=%s is left as it is; %s=%s is not used", VLLM_FOLDER, given, FOLDER, wanted)
        return
    try:
        files = check_folder(Path(wanted))
    except (OSError, ValueError) as error:
        _log.warning("%s is not used: %s", FOLDER, error)
        return
    products = _register_products(Path(wanted))
    if not files and not products:
        _log.warning("%s is not used: %s holds neither E=...,N=...,device_name=....json nor N=...,K=....json",
                     FOLDER, wanted)
        return
    if files:
        os.environ[VLLM_FOLDER] = str(Path(wanted).resolve())
    told = "%d tuned files of experts, states and adapters and %d of block products in %s"
    _log.info(told, len(files), products, wanted)


def _register_products(folder: Path) -> int:
    from warploom.seams import vllm_block_products

    try:
        return vllm_block_products.install(folder)
    except Exception as error:  # an engine that has another function
        _log.warning("block products of %s are not used: %s", folder, error)
        return 0
