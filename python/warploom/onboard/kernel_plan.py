"""Which of an engine's kernels are timed one by one: shapes that say most of shapes that are not timed.

An entry is an operator in the words of `warploom predict`, without its tokens' kin: `family`, then its sizes.
Families take turns and each begins with its widest spread, so that a sweep that is cut off has some of each.
The model's own layers come first. Tokens rise by twos, with odd ones between, where tiles are cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Entry = dict[str, Any]

TOKENS = [1, 8, 16, 32, 64, 96, 128, 256, 512, 1024, 1536, 2048, 4096, 8192]
EXPERT_TOKENS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]
# (n, k): wide, narrow, long and short inner sums, of layers from 1 to 70 billion parameters.
PRODUCTS = [
    (4096, 4096),
    (14336, 2560),
    (3072, 12288),
    (28672, 8192),
    (8192, 2048),
    (2560, 9728),
    (10240, 8192),
]
# (hidden, intermediate, experts, top_k): few wide ones, many narrow ones, and between.
EXPERTS = [
    (6144, 16384, 8, 2),
    (2816, 704, 128, 8),
    (5120, 8192, 16, 1),
    (4096, 1536, 128, 8),
    (2048, 512, 256, 8),
    (3072, 1024, 64, 6),
]
# (heads, kv_heads, head_dim); (requests, context) of decoding, (tokens, context) of a prompt.
HEADS = [(32, 8, 128), (40, 8, 128), (16, 8, 256), (32, 4, 128), (16, 1, 128), (64, 8, 128)]
DECODES = [
    (1, 500),
    (1, 8000),
    (4, 2000),
    (16, 500),
    (16, 4000),
    (64, 500),
    (64, 2000),
    (128, 1000),
    (256, 500),
    (8, 8000),
    (32, 1000),
    (2, 4000),
    (1, 2000),
    (128, 150),
    (8, 1000),
    (32, 250),
    (2, 1000),
    (64, 250),
    (4, 500),
    (16, 1500),
]
PROMPTS = [
    (64, 0),
    (256, 0),
    (512, 1536),
    (1024, 0),
    (2048, 0),
    (2048, 6144),
    (4096, 0),
    (8192, 0),
    (128, 1024),
    (512, 0),
    (1536, 512),
    (1024, 4096),
    (16, 2000),
    (768, 0),
    (256, 4000),
    (1280, 256),
    (128, 0),
    (2048, 2048),
]
MOST_BYTES = 20e9  # of the weights of one entry
SCALE_BLOCK = 128  # weights a side of one scale of block-scaled fp8, the finest that is swept
EXPERT_SCHEMES = ("fp8_block", "fp8", "bf16")


def products(shapes: Iterable[tuple[int, int]], scheme: str, budget: int) -> list[Entry]:
    return [
        {"family": "gemm", "scheme": scheme, "m": m, "n": n, "k": k, "batch": 1, "residency": "cold"}
        for m in by_halves(TOKENS)
        for n, k in shapes
        if m <= budget
    ]


def experts(layers: Iterable[tuple[int, int, int, int]], scheme: str, budget: int) -> list[Entry]:
    """Those whose sides the scheme's scales divide and whose weights leave room for the running model's."""
    side, bytes_each = (1, 2) if scheme == "bf16" else (SCALE_BLOCK, 1)
    return [
        {
            "family": "moe",
            "scheme": scheme,
            "tokens": tokens,
            "hidden": hidden,
            "intermediate": width,
            "experts": count,
            "top_k": top_k,
            "routing": "uniform",
        }
        for tokens in by_halves(EXPERT_TOKENS)
        for hidden, width, count, top_k in layers
        if tokens <= budget and hidden % side == width % side == 0
        and 3 * hidden * width * count * bytes_each <= MOST_BYTES
    ]


def attention(heads: Iterable[tuple[int, int, int]], budget: int, cache_tokens: int) -> list[Entry]:
    def entry(family: str, of: tuple[int, int, int], requests: Mapping[str, int]) -> Entry:
        sizes = {"heads": of[0], "kv_heads": of[1], "head_dim": of[2]}
        types = {"compute": "bf16", "kv_cache": "bf16"}
        causal = {"causal": True} if family == "attention_prefill" else {}
        return {"family": family, **types, **sizes, **causal, "requests": [dict(requests)]}

    planned = []
    for of in heads:
        planned += [
            entry("attention_decode", of, {"count": n, "query_tokens": 1, "context_tokens": context})
            for n, context in DECODES
            if n * (context + 1) <= cache_tokens
        ]
        planned += [
            entry("attention_prefill", of, {"count": 1, "query_tokens": tokens, "context_tokens": context})
            for tokens, context in PROMPTS
            if tokens <= budget and tokens + context <= cache_tokens
        ]
    return planned


def by_halves(values: list[int]) -> list[int]:
    """The ends, the middle, the quarters, ...: each prefix is spread over all."""
    order, parts = [values[0], values[-1]], [(0, len(values) - 1)]
    while parts:
        low, high = parts.pop(0)
        if high - low < 2:
            continue
        middle = (low + high) // 2
        order.append(values[middle])
        parts += [(low, middle), (middle, high)]
    return order


def kernels(
    model: Mapping[str, Any], schemes: Iterable[str], budget: int, cache_tokens: int
) -> list[Entry]:
    """`model`: its configuration. `schemes`: of what this engine can make, the model's first."""
    own, schemes = own_shapes(model), list(schemes)
    groups = [products(merged(own["products"], PRODUCTS), scheme, budget) for scheme in schemes]
    layers = merged(own["experts"], EXPERTS)
    groups += [experts(layers, scheme, budget) for scheme in schemes if scheme in EXPERT_SCHEMES]
    groups.append(attention(merged(own["heads"], HEADS), budget, cache_tokens))
    # Groups take turns in proportion to their lengths.
    share = [(at / len(group), i, at) for i, group in enumerate(groups) for at in range(len(group))]
    return [groups[i][at] for _, i, at in sorted(share)]


def merged(own: list[Any], general: list[Any]) -> list[Any]:
    return own + [each for each in general if each not in own]


def own_shapes(model: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Products (n, k), experts and heads of the model's layers; what its configuration does not say is left
    out."""
    config = model.get("text_config", model)
    hidden, width = config.get("hidden_size"), config.get("intermediate_size")
    heads = config.get("num_attention_heads")
    found: dict[str, list[Any]] = {"products": [], "experts": [], "heads": []}
    if hidden and heads and not config.get("kv_lora_rank"):
        kv_heads = config.get("num_key_value_heads") or heads
        size = config.get("head_dim") or hidden // heads
        found["products"] = [((heads + 2 * kv_heads) * size, hidden), (hidden, heads * size)]
        found["heads"] = [(heads, kv_heads, size)]
    count = next((config[name] for name in EXPERT_COUNTS if config.get(name)), 0)
    top_k = config.get("num_experts_per_tok") or config.get("moe_top_k")
    if hidden and count and top_k:
        found["experts"] = [(hidden, config.get("moe_intermediate_size") or width, count, top_k)]
    elif hidden and width:
        found["products"] += [(2 * width, hidden), (hidden, width)]
    return found


EXPERT_COUNTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
