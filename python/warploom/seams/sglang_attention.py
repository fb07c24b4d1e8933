"""SGLang's Triton attention takes the step along keys, warps and stages from tuner tables (attention_tables).

Its launchers have them as constants (sglang/kernels/ops/attention, 0.5.23: extend_attention.py launches
_fwd_kernel[grid](...), decode_attention.py _fwd_grouped_kernel_stage1[grid](...)). Here those names in
their modules are stand-ins that change the three before they launch the engine's kernels. Rows of queries
stay, since the scheduler counts tiles by them. Parts of the keys, latent attention, and launches whose
results must not depend on the batch go to SGLang as they are.
"""

from __future__ import annotations

import importlib
import logging
from pathlib import Path
from typing import Any, Optional

from warploom.seams.attention_tables import AttentionTables, Chosen, ChosenKernel, Launch, is_power_of_two

PACKAGE = "sglang.kernels.ops.attention."
EXTEND, EXTEND_KERNEL = PACKAGE + "extend_attention", "_fwd_kernel"
DECODE, DECODE_KERNEL = PACKAGE + "decode_attention", "_fwd_grouped_kernel_stage1"
KV_INDICES = {"prefill": 9, "decode": 5}  # places among the arguments without names
KV_GROUP = 17  # of a prefill; a decode names it
NEEDED = frozenset(("BLOCK_N", "num_warps", "num_stages", "Lk", "Lv"))

_log = logging.getLogger("sglang.warploom")


class SteppedKernel(ChosenKernel):
    """SGLang's, with a chosen step, warps and stages."""

    def __init__(self, kernel: Any, tables: AttentionTables, kind: str):
        super().__init__(kernel, tables)
        self._kind = kind

    def changes(
        self, grid: Any, args: tuple[Any, ...], given: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        asked = self._asked(args, given)
        if asked is None:
            self.tables.counts["left_to_engine"] += 1
            return grid, {}
        dim, group, launch, own = asked

        def fits(one: Chosen) -> bool:
            return one.rows == own.rows and is_power_of_two(one.keys)

        chosen = self.tables.choose(dim, group, launch, own, fits)
        if chosen == own:
            return grid, {}
        changed = {"BLOCK_N": chosen.keys, "num_warps": chosen.warps, "num_stages": chosen.stages}
        if given.get("BLOCK_N_PREFIX") == own.keys:
            changed["BLOCK_N_PREFIX"] = chosen.keys
        return grid, changed

    def _asked(
        self, args: tuple[Any, ...], given: dict[str, Any]
    ) -> Optional[tuple[int, int, Launch, Chosen]]:
        prefill = self._kind == "prefill"
        known = NEEDED - {"Lk"} | {"BLOCK_M", "Lq"} if prefill else NEEDED | {"BLOCK_H", "kv_group_num"}
        if not known <= given.keys() or len(args) <= KV_GROUP:
            return None
        dim = int(given["Lq" if prefill else "Lk"])
        if dim != int(given["Lv"]) or given.get("HAS_MLA") or given.get("USE_FORCED"):
            return None
        queries = args[0]
        sequences = int(args[-1]) if prefill else int(queries.shape[0])
        # Lengths lie on the GPU: means of the step.
        mean = -(-int(queries.shape[0]) // max(1, sequences))
        keys = -(-int(args[KV_INDICES[self._kind]].shape[0]) // max(1, sequences))
        launch = Launch(
            queries=mean, keys=max(1, keys + (mean if prefill else 0)), sequences=sequences,
            heads=int(queries.shape[1]),
        )  # fmt: skip
        own = Chosen(
            int(given["BLOCK_M" if prefill else "BLOCK_H"]), int(given["BLOCK_N"]),
            int(given["num_warps"]), int(given["num_stages"]),
        )  # fmt: skip
        return dim, int(args[KV_GROUP] if prefill else given["kv_group_num"]), launch, own


def install(folder: Path) -> int:
    """Puts the folder's tables before SGLang's constants in this process; how many. Raises ImportError,
    AttributeError, and as AttentionTables."""
    extend, decode = importlib.import_module(EXTEND), importlib.import_module(DECODE)
    device = importlib.import_module("sglang.srt.utils").get_device_name().replace(" ", "_")
    tables = AttentionTables(folder, device, _log)
    if len(tables):
        for module, name, kind in ((extend, EXTEND_KERNEL, "prefill"), (decode, DECODE_KERNEL, "decode")):
            setattr(module, name, SteppedKernel(getattr(module, name), tables, kind))
    return len(tables)
