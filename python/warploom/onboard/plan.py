"""Which steps say most of a machine and an engine: each way of launching, from one request to 256."""

from __future__ import annotations

import math

# Around the largest CUDA graph (512 tokens by default) a step goes over to launching kernel by kernel.
PROMPTS = [16, 64, 128, 256, 400, 512, 600, 768, 1024, 1536, 2048, 4096, 8192]
DECODES = [(1, 500), (2, 500), (4, 500), (8, 500), (16, 500), (32, 500), (64, 500), (128, 500), (256, 500)]
LONG_DECODES = [(1, 4000), (8, 4000), (16, 2000), (32, 2000)]
MIXES = [(16, 500, 512), (16, 500, 2048), (32, 500, 128), (64, 500, 256), (64, 500, 1024), (128, 500, 128)]


def steps_of_prompts(requests: int, context: int, budget: int) -> int:
    """Steps until the last of the prompts is read, while those before it decode, and one for luck."""
    return math.ceil(requests * context / max(1, budget - requests)) + 1


def steps(budget: int, sequences: int, cache_tokens: int) -> list[tuple[str, str]]:
    """(kind, batch) of all steps that such an engine can run. `budget`: tokens of a step."""

    def fits(requests: int, context: int) -> bool:
        longest = context + 80 + steps_of_prompts(requests, context, budget)
        return requests <= sequences and requests * longest <= cache_tokens

    planned = [("prefill", f"{tokens}") for tokens in PROMPTS if tokens <= budget and fits(1, tokens)]
    planned += [("decode", f"{n}x{context}") for n, context in DECODES + LONG_DECODES if fits(n, context)]
    planned += [
        ("mixed", f"{n}x{context}+{tokens}")
        for n, context, tokens in MIXES
        if n + tokens <= budget and n < sequences and fits(n + tokens // context + 1, context + 120)
    ]
    # Kinds take turns, so that a run that is cut off has some of each.
    by_kind = {kind: [step for step in planned if step[0] == kind] for kind in ("decode", "prefill", "mixed")}
    share = {step: at / len(group) for group in by_kind.values() for at, step in enumerate(group)}
    return sorted(planned, key=lambda step: share[step])
