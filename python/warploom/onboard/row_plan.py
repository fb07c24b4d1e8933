"""Which of an engine's kernels on rows are timed: norms, activations, rotations, cache writes, quantising.

An entry is an operator in the words of `warploom predict`. One with `quantised` also writes its rows in that
scheme, as engines fuse it. Kinds take turns, and tokens are spread from the first on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from warploom.onboard.kernel_plan import SCALE_BLOCK, Entry, by_halves, merged

TOKENS = [2, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]
WIDTHS = [2048, 5120, 8192]  # of a model's hidden states
INNER = [9728, 25600]  # of what an activation gives
HEADS = [(32, 4, 128), (64, 8, 128), (16, 8, 256)]


def own_widths(model: Mapping[str, Any]) -> tuple[list[int], list[int], list[tuple[int, int, int]]]:
    """Hidden and inner widths and heads of the model's layers; what is not said is left out."""
    config = model.get("text_config", model)
    hidden, inner = config.get("hidden_size"), config.get("intermediate_size")
    heads = config.get("num_attention_heads")
    size = config.get("head_dim") or (hidden // heads if hidden and heads else 0)
    latent = config.get("kv_lora_rank")
    of_layer = [(heads, config.get("num_key_value_heads") or heads, size)] if heads and not latent else []
    return [hidden] if hidden else [], [inner] if inner else [], of_layer


def rows(model: Mapping[str, Any], schemes: Iterable[str], budget: int) -> list[Entry]:
    hidden, inner, heads = own_widths(model)
    hidden, inner, heads = merged(hidden, WIDTHS), merged(inner, INNER), merged(heads, HEADS)
    kinds = [
        [{"family": "rmsnorm", "type": "bf16", "width": width, "residual": True} for width in hidden],
        [{"family": "activation", "type": "bf16", "width": width, "gated": True} for width in inner],
        [
            {"family": "rope", "type": "bf16", "heads": of[0], "kv_heads": of[1], "head_dim": of[2]}
            for of in heads
        ],
        [
            {"family": "kv_write", "type": "bf16", "kv_cache": "bf16", "kv_heads": count, "head_dim": size}
            for count, size in dict.fromkeys(of[1:] for of in heads)
        ],
    ]
    if "fp8_block" in schemes:
        blocks = {"quantised": "fp8_block"}
        kinds += [
            [entry | blocks for entry in kind if int(str(entry["width"])) % SCALE_BLOCK == 0]
            for kind in kinds[:2]
        ]
        passes = {"family": "quantize", "target": "fp8", "dynamic": True}
        kinds.append([passes | {"width": width} | blocks for width in hidden])
    return [
        entry | {"rows" if entry["family"] == "quantize" else "tokens": tokens}
        for at in range(max(map(len, kinds)))
        for tokens in by_halves([each for each in TOKENS if each <= budget])
        for kind in kinds
        for entry in kind[at : at + 1]
    ]
