"""Rows of each expert of a grouped GEMM where they are not spread evenly; as tuner/expert_rows.h."""
from __future__ import annotations

import math


def skewed_rows(pairs: int, experts: int, skew: float) -> list[int]:
    """Whole numbers with the sum `pairs`: the r-th busiest expert has a share proportional to r^-skew.

    >>> skewed_rows(100, 4, 1.0)
    [48, 24, 16, 12]
    """
    weights = [float(expert) ** -skew for expert in range(1, experts + 1)]
    rows: list[int] = []
    total, so_far, before = sum(weights), 0.0, 0
    for index, weight in enumerate(weights):
        so_far += weight
        share = 1.0 if index + 1 == experts else so_far / total
        now = math.floor(pairs * share + 0.5)
        rows.append(now - before)
        before = now
    return rows
