"""Tuner tables of attention, as the plugins of vLLM and SGLang ask them at a launch of a Triton kernel.

    warploom tune fit --gpu H100-SXM --cross-gpu --kind attention --head-group 4 --causal \\
      --output "tuned/head_dim=128,head_group=4,device_name=NVIDIA_H100_80GB_HBM3,prefill.wlt"
    warploom tune fit --gpu H100-SXM --cross-gpu --kind paged_decode --head-group 4 \\
      --output "tuned/head_dim=128,head_group=4,device_name=NVIDIA_H100_80GB_HBM3,decode.wlt"
    WARPLOOM_TUNED_ATTENTION=tuned vllm serve ... --attention-backend TRITON_ATTN

A table is of Warploom's reference kernel, which loops over keys as the engines' kernels do but is none of
them. So a configuration leaves the engine's own only where it is predicted to be faster by MARGIN, and where
the table knows the engine's own too. `counts` says how often which was taken; each kind of launch is logged
once. What goes wrong in a choice is logged once and left to the engine.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from warploom.table import Table, Tile

FOLDER = "WARPLOOM_TUNED_ATTENTION"
NAME = re.compile(
    r"head_dim=(?P<dim>\d+),head_group=(?P<group>\d+),device_name=(?P<device>[^,]+),"
    r"(?P<kind>prefill|decode)\.wlt"
)
# How much faster another kernel's table must say it is: an assumption, twice the 10 % by which tiles err
# against each other where only structure is known (decision 0114).
MARGIN = 0.2
MOST_TILES = 1000  # of a table
MOST_KNOWN = 65536  # launches that are remembered


@dataclass(frozen=True)
class Launch:
    """One launch: query tokens of the longest sequence, its keys, sequences, query heads."""

    queries: int
    keys: int
    sequences: int
    heads: int


@dataclass(frozen=True)
class Chosen:
    """What is launched: query rows of a tile (all heads of a group beside each other), keys of a step."""

    rows: int
    keys: int
    warps: int
    stages: int


class AttentionTables:
    """Raises FileNotFoundError, ValueError, OSError of the folder and its tables."""

    def __init__(self, folder: Path, device: str, log: logging.Logger):
        if not folder.is_dir():
            raise FileNotFoundError(f"{folder}: is no folder, expected one of tables as prefill.wlt")
        self._log, self._heard = log, set[str]()
        self._tables: dict[tuple[int, int, str], Table] = {}
        self._known: dict[tuple[Any, ...], Optional[Chosen]] = {}
        self.counts = {"tuned": 0, "left_to_engine": 0}
        for path in sorted(folder.glob("head_dim=*.wlt")):
            named = NAME.fullmatch(path.name)
            if named is None:
                raise ValueError(f"{path}: expected head_dim=..,head_group=..,device_name=..,prefill.wlt")
            if named["device"] != device:
                log.warning("%s is not used: this GPU is %s", path.name, device)
                continue
            self._tables[int(named["dim"]), int(named["group"]), named["kind"]] = Table(path)

    def __len__(self) -> int:
        return len(self._tables)

    def choose(
        self, dim: int, group: int, launch: Launch, own: Chosen, fits: Callable[[Chosen], bool]
    ) -> Chosen:
        """The fastest that `fits`, or `own`, the engine's. Never raises."""
        try:
            found = self._remembered(dim, group, launch, own, fits)
        except Exception as error:  # a choice must not stop an engine
            self._say("error", f"attention is left to the engine: {error}")
            found = None
        self.counts["left_to_engine" if found is None else "tuned"] += 1
        return own if found is None else found

    def _say(self, key: str, text: str) -> None:
        if key not in self._heard:
            self._heard.add(key)
            self._log.info("%s", text)

    def _remembered(
        self, dim: int, group: int, launch: Launch, own: Chosen, fits: Callable[[Chosen], bool]
    ) -> Optional[Chosen]:
        kind = "decode" if launch.queries == 1 else "prefill"
        table = self._tables.get((dim, group, kind))
        name = f"{kind} of heads of {dim}, {group} to a key head"
        if table is None:
            self._say(name, f"{name}: no table, left to the engine")
            return None
        self._say(name, f"{name}: by a table")
        key = (dim, group, launch, own)
        if key not in self._known:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known[key] = _faster(table, kind, launch, own, fits)
        return self._known[key]


class ChosenKernel:
    """In the place of an engine's kernel: kernel[grid](...) with the changes of its engine's `changes`."""

    def __init__(self, kernel: Any, tables: AttentionTables):
        self.usual, self.tables = kernel, tables

    def __getattr__(self, name: str) -> Any:
        return getattr(self.usual, name)

    def __getitem__(self, grid: Any) -> Any:
        def launch(*args: Any, **given: Any) -> Any:
            chosen, changed = self.changes(grid, args, given)
            return self.usual[chosen](*args, **{**given, **changed})

        return launch

    def changes(
        self, grid: Any, args: tuple[Any, ...], given: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """(grid, changed arguments); the grid as it is and none: the engine's own."""
        raise NotImplementedError


def register(install: Callable[[Path], int], log: logging.Logger) -> None:
    """Called by an engine's plugin, whose `install` puts the tables of FOLDER's folder before its kernels and
    says how many. What is wrong with them is logged."""
    wanted = os.environ.get(FOLDER)
    if not wanted:
        return
    try:
        count = install(Path(wanted))
    except Exception as error:  # of the files, or an engine that has other functions
        log.warning("%s is not used: %s", FOLDER, error)
        return
    log.info("%d tables of attention in %s", count, wanted)


def _shape(kind: str, launch: Launch) -> tuple[int, int, int]:
    """As the tuner's kernels have it (tuner/tile_kernel.h)."""
    if kind == "decode":
        return launch.sequences, launch.keys, launch.heads
    return launch.queries, launch.keys, launch.sequences * launch.heads


def _faster(
    table: Table, kind: str, launch: Launch, own: Chosen, fits: Callable[[Chosen], bool]
) -> Optional[Chosen]:
    timed = table.timed(*_shape(kind, launch), MOST_TILES)
    known = {_chosen(tile): us for tile, us in timed if tile[5] == 1}
    if own not in known:
        return None
    allowed = [(us, one) for one, us in known.items() if fits(one)]
    if not allowed:
        return None
    us, best = min(allowed, key=lambda pair: (pair[0], pair[1].rows, pair[1].keys, pair[1].warps))
    return best if us * (1 + MARGIN) <= known[own] and best != own else None


def _chosen(tile: Tile) -> Chosen:
    return Chosen(tile[0], tile[1], tile[3], tile[4])


def is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0
