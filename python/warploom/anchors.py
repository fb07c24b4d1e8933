"""Configuration spaces and wave anchors: which (configuration, shape) rows to time.

The same rules as `warploom tune plan`, for a machine that has Python alone.
"""
from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

Config = tuple[int, ...]  # tile_m, tile_n, tile_k, warps, stages and, where the loop is split, its parts
Row = tuple[Config, tuple[int, int, int]]

WAVES = (0.25, 0.5, 1.0, 1.01, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0)
ITERATIONS = (4, 16, 64, 128)
NARROW_ITERATIONS = (4, 16, 64)
USUAL_STAGES = 3
MOST_KEYS = 2**21  # times query heads: beyond, one anchor costs more than it tells
SHARED_BYTES = 220 * 1024  # a block of an H100 or H200, less the compiler's exchange buffers


def gemm_space(operand_bytes: int = 2, tiles_m: Sequence[int] = (16, 32, 64, 128, 256)) -> list[Config]:
    space: list[Config] = []
    for m, n, k, warps, stages in itertools.product(tiles_m, (32, 64, 128, 256), (32, 64, 128), (4, 8),
                                                    (2, 3, 4, 5)):
        area = m * n
        if not 16 * 32 <= area <= 128 * 256 or stages * (m + n) * k * operand_bytes > SHARED_BYTES:
            continue
        if area // (32 * warps) > 255 or (area < 64 * 64 and warps > 4) or (area >= 128 * 256 and warps < 8):
            continue
        space.append((m, n, k, warps, stages))
    return space


def gemm_split_space(parts: Sequence[int] = (2, 4, 8)) -> list[Config]:
    """Beside gemm_space: small tiles whose loop over k has parts."""
    axes = itertools.product((16, 32, 64, 128), (32, 64, 128), (64, 128), (3, 4), parts)
    return [(m, n, k, 4, stages, split) for m, n, k, stages, split in axes
            if stages * (m + n) * k * 2 <= SHARED_BYTES]


def attention_space(head: int = 128, operand_bytes: int = 2) -> list[Config]:
    space: list[Config] = []
    for m, n, warps, stages in itertools.product((16, 32, 64, 128), (32, 64, 128), (4, 8), (2, 3, 4)):
        if operand_bytes * head * (m + 2 * stages * n) > SHARED_BYTES or m * (head + n) // (32 * warps) > 255:
            continue
        if m * n < 64 * 64 and warps > 4:
            continue
        space.append((m, n, n, warps, stages))
    return space


def gemm_anchors(
    space: Iterable[Config], sms: int, waves_of: Sequence[float] = WAVES, loops_of: Sequence[int] = ITERATIONS
) -> list[Row]:
    """Square grids, where tiles share operands, and one row of tiles, where no two share B."""
    rows: set[Row] = set()
    for config, waves, loops, skinny in itertools.product(space, waves_of, loops_of, (False, True)):
        m, n, k = config[:3]
        split = split_of(config)
        tiles = max(1, int(waves * sms / split))
        tiles_m = 1 if skinny else max(1, min(int(math.sqrt(tiles * n / m)), 8192 // m))
        tiles_n = max(1, tiles // tiles_m)
        if tiles_n * n * loops * k * split < 2**31 - 1:
            rows.add((config, (tiles_m * m, tiles_n * n, loops * k * split)))
    return sorted(rows)


def split_of(config: Config) -> int:
    """Programs that share the loop over k of one tile."""
    return config[5] if len(config) > 5 else 1


def grouped_anchors(
    space: Iterable[Config], sms: int, experts: int, waves_of: Sequence[float] = WAVES,
    loops_of: Sequence[int] = ITERATIONS,
) -> list[Row]:
    """All experts alike: one, or a square's worth, of tile rows each; and a few experts alone."""
    rows: set[Row] = set()
    for config, waves, loops, skinny in itertools.product(space, waves_of, loops_of, (False, True)):
        m, n, k = config[:3]
        tiles = max(1, int(waves * sms))
        hit = experts if tiles >= 2 * experts or not skinny else max(1, tiles // 4)
        each = 1 if skinny else max(1, int(math.sqrt(tiles / hit * n / m)))
        tiles_n = max(1, round(tiles / (hit * each)))
        # Fewer pairs than experts reach as many experts as there are pairs, one row each.
        pairs = hit if hit < experts else hit * each * m
        if min(hit, experts) * tiles_n * n * loops * k < 2**31 - 1:
            rows.add((config, (pairs, tiles_n * n, loops * k)))
    return sorted(rows)


def is_narrow(k: int) -> bool:
    """Whether Triton is not told that rows of K are a multiple of 16: another program, with narrow loads."""
    return k % 16 != 0


def one_of_each(space: Iterable[Config]) -> list[Config]:
    """One configuration for each tile and warps, and parts of the loop: that of the usual stages or the
    nearest. Narrow loads take as long with any."""
    chosen: dict[Config, Config] = {}
    for config in sorted(space):
        key = config[:4] + config[5:]
        kept = chosen.get(key)
        if kept is None or abs(config[4] - USUAL_STAGES) < abs(kept[4] - USUAL_STAGES):
            chosen[key] = config
    return sorted(chosen.values())


def narrow_rows(space: Iterable[Config], sms: int, experts: int = 0) -> list[Row]:
    """Anchors of rows that wide loads cannot read, of products, or of grouped ones: one less in K, and in N
    too, where stores are narrow as well."""
    configs = one_of_each(space)
    wide = (grouped_anchors(configs, sms, experts, loops_of=NARROW_ITERATIONS) if experts
            else gemm_anchors(configs, sms, loops_of=NARROW_ITERATIONS))
    return sorted((config, (m, n - less, k - 1)) for config, (m, n, k) in wide for less in (0, 1))


def attention_anchors(space: Iterable[Config], sms: int, group: int) -> list[Row]:
    """Prompts (as many rows as keys, where the grid allows) and chunks of one tile row."""
    rows: set[Row] = set()
    for config, waves, loops, skinny in itertools.product(space, WAVES, ITERATIONS, (False, True)):
        m, n = config[:2]
        tiles = max(1, int(waves * sms))
        keys = loops * n
        tiles_m = 1 if skinny else max(1, min(keys // m, tiles // group))
        heads = group * max(1, round(tiles / (tiles_m * group)))
        if heads * keys > MOST_KEYS:
            continue
        rows.add((config, (min(tiles_m * m, keys), keys, heads)))
    return sorted(rows)


def self_attention_anchors(space: Iterable[Config], sms: int, heads: int) -> list[Row]:
    """Prompts whose queries are their keys, of batches of `heads` heads each."""
    rows: set[Row] = set()
    for config, waves, loops in itertools.product(space, WAVES, (2, *ITERATIONS, 32)):
        m, n = config[:2]
        keys = max(m, loops * n)
        batch = max(1, round(waves * sms / (-(-keys // m) * heads)))
        if batch * heads * keys <= MOST_KEYS:
            rows.add((config, (keys, keys, batch * heads)))
    return sorted(rows)
