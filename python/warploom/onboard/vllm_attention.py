"""Attention of vLLM (names of 0.24 to 0.33) over a paged cache, called as the engine calls FlashAttention.

Each step's schedule is made before its layers run, as `FlashAttentionMetadataBuilder` does, and steps that
fit a captured graph have a bound on their splits: the kernel's own choice would be faster than what runs in a
step (64 requests of 500 tokens on an H200: 42 us where steps take 53). Keys and values lie as in the running
model's cache, and a table of blocks is as wide as the longest context needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

BLOCK = 16  # tokens of a block of the cache, where the engine does not say


class Batch(NamedTuple):
    """`requests` alike: each has `queries` new tokens and sees `seen`, its new ones too."""

    requests: int
    queries: int
    seen: int
    heads: int
    kv_heads: int
    head_dim: int


def splits_of_graph(config: Any, version: int, tokens: int) -> int:
    """The bound on splits that a step of so many tokens was captured with; 0: outside a whole graph."""
    compilation = config.compilation_config
    whole = getattr(compilation.cudagraph_mode, "has_full_cudagraphs", lambda: False)()
    largest = getattr(compilation, "max_cudagraph_capture_size", None) or 0
    if version != 3 or not whole or tokens > largest:
        return 0
    return int(getattr(config.attention_config, "flash_attn_max_num_splits_for_cuda_graph", 0))


def block_size(config: Any) -> int:
    return int(getattr(getattr(config, "cache_config", None), "block_size", None) or BLOCK)


def model_cache(config: Any) -> Any:
    """The cache of one of the running model's layers; None where it has none that FlashAttention reads."""
    layers = getattr(config.compilation_config, "static_forward_context", {})
    for layer in layers.values():
        kept = getattr(layer, "kv_cache", None)
        cache: Any = kept[0] if isinstance(kept, (list, tuple)) and kept else kept
        wide = {4: 2, 5: 1}.get(getattr(cache, "ndim", 0), 0) * (getattr(layer, "head_size", None) or 0)
        if wide and cache.shape[-1] == wide:
            return cache
    return None


def keys_and_values(like: Any, blocks: int, block: int, kv_heads: int, head_dim: int) -> tuple[Any, Any]:
    """Random keys and values (blocks, block, kv_heads, head_dim), bf16, that lie in memory as `like` does:
    (blocks, kv_heads, block, both) or, before 0.33, with a side of two for both; None: each by itself."""
    import torch

    sizes = {1: block, 2: kv_heads, 3: head_dim}
    if like is None:
        each = (blocks, block, kv_heads, head_dim)
        keys, values = (torch.randn(*each, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        return keys, values
    if like.ndim == 4:
        shape = [blocks, kv_heads, block, 2 * head_dim]
    else:
        side = list(like.shape).index(2)
        shape = [blocks, *sizes.values()]
        shape.insert(side, 2)
    # The widest stride first, as the engine's own are laid out.
    order = sorted(range(like.ndim), key=lambda axis: -like.stride(axis))
    laid = torch.randn(*(shape[axis] for axis in order), device="cuda", dtype=torch.bfloat16)
    both = laid.permute(*(order.index(axis) for axis in range(like.ndim)))
    if like.ndim == 4:
        keys, values = both.transpose(1, 2).split(head_dim, dim=-1)
    else:
        keys, values = both.unbind(side)
    return keys, values


def arguments(config: Any, batch: Batch, version: int) -> dict[str, Any]:
    """What all calls of a step have in common, queries too."""
    import torch
    from vllm.v1.attention.backends import fa_utils

    tokens = batch.requests * batch.queries
    block, longest = block_size(config), config.model_config.max_model_len
    blocks = -(-batch.seen // block)

    def ints(values: Any) -> Any:
        return torch.tensor(values, device="cuda", dtype=torch.int32)

    lengths = ints([batch.seen] * batch.requests)
    starts = ints([batch.queries * i for i in range(batch.requests + 1)])
    wide = max(blocks, -(-longest // block))
    table = torch.zeros(batch.requests, wide, device="cuda", dtype=torch.int32)
    own = torch.arange(batch.requests * blocks, device="cuda", dtype=torch.int32)
    table[:, :blocks] = own.view(batch.requests, blocks)
    given: dict[str, Any] = dict(
        q=torch.randn(tokens, batch.heads, batch.head_dim, device="cuda", dtype=torch.bfloat16),
        cu_seqlens_q=starts,
        max_seqlen_q=batch.queries,
        seqused_k=lengths,
        max_seqlen_k=batch.seen,
        softmax_scale=batch.head_dim**-0.5,
        causal=True,
        block_table=table,
        fa_version=version,
    )
    splits = splits_of_graph(config, version, tokens)
    if version == 3:
        given["num_splits"] = splits
        given["scheduler_metadata"] = fa_utils.get_scheduler_metadata(
            batch_size=batch.requests,
            max_seqlen_q=batch.queries,
            max_seqlen_k=batch.seen,
            num_heads_q=batch.heads,
            num_heads_kv=batch.kv_heads,
            headdim=batch.head_dim,
            cache_seqlens=lengths,
            qkv_dtype=torch.bfloat16,
            cu_seqlens_q=starts,
            page_size=block,
            causal=True,
            num_splits=splits,
        )
    if splits and batch.queries == 1:  # decoding is replayed whole: captured for the longest context
        given["max_seqlen_k"] = longest
    return given


def attention_calls(config: Any, batch: Batch, copies: int) -> tuple[list[Callable[[], object]], str]:
    """(calls, who computes them); each call has keys and values of its own, bf16.

    NotImplementedError: this engine does not run FlashAttention here."""
    import torch
    from vllm.v1.attention.backends import fa_utils

    if not fa_utils.is_flash_attn_varlen_func_available():
        raise NotImplementedError("this engine does not run FlashAttention here")
    version = int(fa_utils.get_flash_attn_version())
    shared = arguments(config, batch, version)
    block, like = block_size(config), model_cache(config)
    blocks = batch.requests * -(-batch.seen // block)

    def call_of(_: int) -> Callable[[], object]:
        keys, values = keys_and_values(like, blocks, block, batch.kv_heads, batch.head_dim)
        out = torch.empty_like(shared["q"])
        return lambda: fa_utils.flash_attn_varlen_func(k=keys, v=values, out=out, **shared)

    return [call_of(i) for i in range(copies)], f"vllm_flash_attn_fa{version}"
