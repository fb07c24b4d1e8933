"""vLLM's Triton product of fp8 values with scales of blocks reads tuned files from a folder of the user's.

    warploom tuned-files --model Qwen/Qwen3-30B-A3B-FP8 --gpu L40S --write tuned
    WARPLOOM_TUNED_CONFIGS=tuned vllm serve ... --linear-backend triton

The engine looks for N=...,K=...,device_name=....json in its own package alone
(vllm/model_executor/layers/quantization/utils/fp8_utils.py, 0.33: get_w8a8_block_fp8_configs(N, K,
block_n, block_k), which w8a8_triton_block_scaled_mm asks before each product). Here the folder's file of
this name comes first; a product without one goes to vLLM as before. A file that is damaged, or whose
steps cross a block of scales, which would yield wrong results, is left out with a warning. `counts` says
what was answered from where; each product is logged once.
"""

from __future__ import annotations

import importlib
import json
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

PRODUCTS = "vllm.model_executor.layers.quantization.utils.fp8_utils"
ASKED = "get_w8a8_block_fp8_configs"
SIZES = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages")
# SGLang writes a blank between the two sizes of a block.
NAME = re.compile(
    r"N=\d+,K=\d+,device_name=[^,]+,dtype=(fp8|int8)_w8a8,block_shape=\[\d+, ?(?P<block_k>\d+)\]\.json"
)

_log = logging.getLogger("vllm.warploom")
counts = {"tuned": 0, "left_to_vllm": 0}

Configs = dict[int, dict[str, int]]


def read_file(path: Path) -> Configs:
    """Configurations by numbers of tokens. Raises ValueError "<path>: ..."."""
    named = NAME.fullmatch(path.name)
    if named is None:
        raise ValueError(f"{path}: expected a name as vLLM's, N=...,K=...,device_name=...,block_shape=[n,k]")
    try:
        rows: Any = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: is no JSON: {error}") from error
    if not isinstance(rows, dict) or not rows:
        raise ValueError(f"{path}: expected an object of configurations by tokens")
    for tokens, row in rows.items():
        whole = isinstance(row, dict) and all(type(row.get(size)) is int and row[size] > 0 for size in SIZES)
        if not tokens.isdigit() or not whole:
            raise ValueError(f"{path}: '{tokens}': expected tokens with {', '.join(SIZES)}")
        if int(named["block_k"]) % row["BLOCK_SIZE_K"]:
            raise ValueError(f"{path}: '{tokens}': steps of {row['BLOCK_SIZE_K']} cross blocks of scales")
    return {int(tokens): row for tokens, row in rows.items()}


def files_of(folder: Path, log: logging.Logger = _log) -> dict[str, Configs]:
    """Every file of block products in the folder and below, by name; wrong ones are logged and left out."""
    found = {}
    for path in sorted(folder.rglob("N=*,K=*,dtype=*_w8a8,block_shape=*.json")):
        try:
            found[path.name] = read_file(path)
        except (OSError, ValueError) as error:
            log.warning("not used: %s", error)
    return found


def install(folder: Path) -> int:
    """Puts the folder's files before vLLM's in this process; how many. Raises ImportError, AttributeError."""
    files = files_of(folder)
    if not files:
        return 0
    engine = importlib.import_module(PRODUCTS)
    usual: Callable[[int, int, int, int], Optional[Configs]] = getattr(engine, ASKED)
    known: dict[tuple[int, int, int, int], Optional[Configs]] = {}

    def chosen(N: int, K: int, block_n: int, block_k: int) -> Optional[Configs]:
        product = (N, K, block_n, block_k)
        if product not in known:
            device = engine.get_device_name_as_file_name()
            name = f"N={N},K={K},device_name={device},dtype=fp8_w8a8,block_shape=[{block_n},{block_k}].json"
            known[product] = files.get(name)
            _log.info("%s: %s", name, "tuned" if name in files else "not in the folder, left to vLLM")
        found = known[product]
        counts["left_to_vllm" if found is None else "tuned"] += 1
        return usual(N, K, block_n, block_k) if found is None else found

    # Modules that took the function by name hold it themselves.
    for name, module in list(sys.modules.items()):
        if name.startswith("vllm.") and getattr(module, ASKED, None) is usual:
            setattr(module, ASKED, chosen)
    return len(files)
