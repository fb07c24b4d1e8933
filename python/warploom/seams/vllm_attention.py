"""vLLM's Triton attention takes its tiles from tuner tables (attention_tables).

unified_attention (vllm/v1/attention/ops/triton_unified_attention.py, 0.33) has its query rows, keys of a
step, warps and stages as constants and launches kernel_unified_attention[grid](..., BLOCK_M=, BLOCK_Q=,
TILE_SIZE=, ...) with every argument by name. Here that name in its module is a stand-in that changes those
four, and the number of query blocks with them, before it launches the engine's kernel.

Launches in parts along the keys (three sizes of grid) keep their step and rows: reduce_segments counts parts
by the same step. Their warps and stages are chosen. Tensor descriptors, modes where results must not depend
on the batch, and whatever is not a launch of known names go to vLLM as they are.
"""

from __future__ import annotations

import importlib
import logging
from pathlib import Path
from typing import Any

from warploom.seams.attention_tables import AttentionTables, Chosen, ChosenKernel, Launch, is_power_of_two

ATTENTION = "vllm.v1.attention.ops.triton_unified_attention"
KERNEL = "kernel_unified_attention"
TRITON_WARPS, TRITON_STAGES = 4, 3  # where a launch names none
# Arguments of the launch that are read or changed.
NEEDED = frozenset(
    ("query_ptr", "num_query_heads", "num_queries_per_kv", "BLOCK_SIZE", "TILE_SIZE", "HEAD_SIZE", "BLOCK_Q",
     "BLOCK_M", "num_seqs", "USE_TD", "IS_3D", "block_tables_ptr")
)  # fmt: skip

_log = logging.getLogger("vllm.warploom")


class UnifiedKernel(ChosenKernel):
    """vLLM's, with chosen tiles. It names every argument."""

    def __init__(self, kernel: Any, tables: AttentionTables, engine: Any):
        super().__init__(kernel, tables)
        self._engine = engine

    def changes(
        self, grid: Any, args: tuple[Any, ...], given: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        if args:
            return grid, {}
        fixed = getattr(self._engine, "is_batch_invariant", False) or not NEEDED <= given.keys()
        if fixed or given["USE_TD"]:
            self.tables.counts["left_to_engine"] += 1
            return grid, {}
        parts, group = bool(given["IS_3D"]), int(given["num_queries_per_kv"])
        tokens, sequences = int(given["query_ptr"].shape[0]), int(given["num_seqs"])
        own = Chosen(
            int(given["BLOCK_M"]), int(given["TILE_SIZE"]),
            int(given.get("num_warps", TRITON_WARPS)), int(given.get("num_stages", TRITON_STAGES)),
        )  # fmt: skip
        # Lengths lie on the GPU: the mean of queries, and the most keys that the block table holds.
        launch = Launch(
            queries=-(-tokens // max(1, sequences)),
            keys=int(given["block_tables_ptr"].shape[1]) * int(given["BLOCK_SIZE"]),
            sequences=sequences,
            heads=int(given["num_query_heads"]),
        )

        def fits(one: Chosen) -> bool:
            if parts and (one.rows, one.keys) != (own.rows, own.keys):
                return False
            return one.rows >= group and is_power_of_two(one.rows) and is_power_of_two(one.keys)

        chosen = self.tables.choose(int(given["HEAD_SIZE"]), group, launch, own, fits)
        if chosen == own:
            return grid, {}
        rows = chosen.rows // group
        changed = {"BLOCK_M": chosen.rows, "BLOCK_Q": rows, "TILE_SIZE": chosen.keys,
                   "num_warps": chosen.warps, "num_stages": chosen.stages}  # fmt: skip
        return (tokens // rows + sequences, *grid[1:]), changed


def install(folder: Path) -> int:
    """Puts the folder's tables before vLLM's constants in this process; how many. Raises ImportError,
    AttributeError, and as AttentionTables."""
    engine = importlib.import_module(ATTENTION)
    device = engine.current_platform.get_device_name().replace(" ", "_")
    tables = AttentionTables(folder, device, _log)
    if len(tables):
        setattr(engine, KERNEL, UnifiedKernel(getattr(engine, KERNEL), tables, engine))
    return len(tables)
