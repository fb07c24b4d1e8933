"""A step of which only counts and sums are known, as the parts that a Step takes."""

from __future__ import annotations


def shared_out(total: int, parts: int) -> list[int]:
    """`total` in `parts` whole numbers that differ by one at most."""
    each, more = divmod(total, parts)
    return [each + (place < more) for place in range(parts)]


def prompts_of(requests: int, tokens: int, context: int) -> list[tuple[int, int]]:
    """(new tokens, tokens in the cache) of prompts whose sums are known; of no tokens there are none."""
    if tokens <= 0:
        return []
    requests = max(1, min(requests, tokens))
    return list(zip(shared_out(tokens, requests), shared_out(max(0, context), requests)))
