"""Which grid a kernel is launched on, as a product of its tile counts.

A grid is often a function that keeps the sizes of the call it was written in, so that it cannot be asked for
other sizes. Its values at the call's own size, over all configurations, say which counts stand on which axis.
"""

from __future__ import annotations

from warploom.anchors import Config
from warploom.tiling import Tiling
import itertools
from collections.abc import Iterable, Mapping, Sequence

Layout = tuple[tuple[str, ...], ...]  # the parts on each axis

# What an axis may hold, the fullest first; tm, tn tiles, s splits, b problems, z batch entries, h heads.
PARTS: dict[str, list[tuple[str, ...]]] = {
    "gemm": [("tm", "tn", "s", "b"), ("tm", "tn", "s"), ("tm", "tn", "b"), ("tm", "tn"), ("tm", "s"),
             ("tn", "s"), ("tm",), ("tn",), ("s", "b"), ("s",), ("b",), ()],
    "attention": [("tm", "z", "h"), ("z", "h"), ("tm",), ("z",), ("h",), ()],
}
# Sizes far from each other: two readings of a grid that agree on these are one.
TRIALS = [dict(tm=3, tn=5, s=7, b=11, z=13, h=17), dict(tm=19, tn=2, s=3, b=5, z=2, h=23)]


class UnclearCall(ValueError):
    """The call does not say enough; another one may."""


def cdiv(a: int, b: int) -> int:
    return -(-a // b)


def product(values: Iterable[int]) -> int:
    result = 1
    for value in values:
        result *= value
    return result


def counts(tiling: Tiling, symbols: Mapping[str, int], tile: Config) -> dict[str, int]:
    """Tile counts of a configuration at sizes {m, n, b, z, h}."""
    tile_m, tile_n, _, _, _, split = tile
    return {"tm": cdiv(symbols["m"], tile_m), "tn": cdiv(symbols["n"], tile_n), "s": split,
            "b": symbols.get("b", 1), "z": symbols.get("z", 1), "h": symbols.get("h", 1)}


def whole(kind: str) -> tuple[str, ...]:
    return ("tm", "z", "h") if kind == "attention" else ("tm", "tn", "s", "b")


def read_layout(tiling: Tiling, seen: Sequence[tuple[Mapping[str, int], tuple[int, ...]]]) -> Layout:
    """The parts on each axis, from [(counts, grid)]. Raises UnclearCall when none or several readings fit."""
    absent = {part for part, source in (("s", tiling.split_k), ("b", tiling.batch)) if source is None}
    parts = [part for part in PARTS["attention" if tiling.kind == "attention" else "gemm"]
             if not absent & set(part)]
    total = whole(tiling.kind)
    # Made-up calls keep the number of problems and of heads.
    trials = [{**trial, "b": seen[0][0]["b"], "h": seen[0][0]["h"]} for trial in TRIALS]
    axes = max(len(grid) for _, grid in seen)
    fits: list[list[tuple[str, ...]]] = []
    for axis in range(axes):
        def value(grid: tuple[int, ...]) -> int:
            return grid[axis] if axis < len(grid) else 1
        fits.append([part for part in parts
                     if all(product(count[p] for p in part) == value(grid) for count, grid in seen)])
    found: dict[Layout | tuple[tuple[int, ...], ...], Layout] = {}
    for layout in itertools.product(*fits):
        flat = [part for axis in layout for part in axis]
        # Every count once, or left out where it is always one.
        if len(flat) != len(set(flat)):
            continue
        if any(part not in flat and any(count[part] != 1 for count, _ in seen) for part in total):
            continue
        found.setdefault(tuple(tuple(product(trial[p] for p in axis) for axis in layout)
                                 for trial in trials), layout)
    layouts = [layout for layout in found.values()
               if {part for axis in layout for part in axis} >= varying(tiling)]
    if not layouts:
        raise UnclearCall("its grid is no product of tile counts")
    if len(layouts) > 1:
        raise UnclearCall("its grid can be read in several ways at this size")
    return layouts[0]


def varying(tiling: Tiling) -> set[str]:
    """Counts that other sizes change: they must stand somewhere."""
    return {"tm", "z"} if tiling.kind == "attention" else {"tm", "tn"}


def grid_at(layout: Layout, count: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(product(count[part] for part in axis) for axis in layout)
