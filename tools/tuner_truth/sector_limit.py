"""Fits what loads take where rows start between two sectors (src/warploom/tuner/internal/sector_limit.h).

A time nears that of its loads: us (1 + (loads / us)^sharpness)^(1 / sharpness), loads = rows of tiles of all
steps x (row_us + byte_us x bytes) / SMs. The mean of |ln(measured / estimated)| is made least over a grid."""

import json
import math
from pathlib import Path

NAMES = ("row_us", "byte_us", "sharpness")
SHIPPED = Path(__file__).resolve().parents[2] / "data" / "tuner" / "candidate_errors.json"
SMS = 132  # of an H200
NEAR = 1.5  # of the best measured time
ALL = 1000
ROW_US = [1e-4 * step for step in range(0, 11)]
BYTE_US = [1e-6 * step for step in range(14, 25)]
SHARPNESS = [3, 4, 5, 6, 8]


def loads(rows, depth, limit):
    return rows * (limit[0] + limit[1] * depth)


def unlimited(us, rows, depth, limit):
    """The estimate before the limit that the program has."""
    of_loads, sharpness = loads(rows, depth, limit), limit[2]
    ratio = min(of_loads / us, 0.999) ** sharpness
    return us * (1 - ratio) ** (1 / sharpness)


def estimates(table, times, known):
    """[(rows of tiles an SM, bytes of a row, estimated us, measured us)]"""
    found = []
    for (m, n, k), of in times.items():
        if k % 32 != 16:
            continue
        limit = NEAR * min(of.values())
        for config, us in table.timed(m, n, k, ALL):
            measured = of.get(tuple(config[:5]), math.inf)
            if measured > limit:
                continue
            tile_m, tile_n, tile_k = config[:3]
            steps = math.ceil(m / tile_m) * math.ceil(n / tile_n) * math.ceil(k / tile_k)
            rows = steps * (tile_m + tile_n) / SMS
            found.append((rows, tile_k, unlimited(us, rows, tile_k, known), measured))
    return found


def error(found, limit):
    """The mean of |ln(measured / estimated)|."""
    sharpness, total = limit[2], 0.0
    for rows, depth, us, measured in found:
        ratio = loads(rows, depth, limit) / us
        total += abs(math.log(us / measured) + math.log1p(ratio**sharpness) / sharpness)
    return total / len(found)


def fit(table, times):
    """(row_us, byte_us, sharpness); prints the error without and with them."""
    shipped = json.loads(SHIPPED.read_text())["between_sectors"]
    found = estimates(table, times, [shipped[name] for name in NAMES])
    grid = [(row, byte, sharp) for row in ROW_US for byte in BYTE_US for sharp in SHARPNESS]
    thinned = found[::5]  # one in five finds the neighbourhood
    first = min(grid, key=lambda limit: error(thinned, limit))
    near = [limit for limit in grid
            if abs(limit[0] - first[0]) < 1.5e-4 and abs(limit[1] - first[1]) < 1.5e-6]
    best = min(near, key=lambda limit: error(found, limit))
    print(f"between sectors: {len(found)} estimates, mean error {error(found, (0, 0, 1)):.4f} without, "
          f"{error(found, best):.4f} with {best}")
    return round(best[0], 7), round(best[1], 9), best[2]
