"""Attention of vLLM (names of 0.24 to 0.33) over a paged cache, called as the engine calls FlashAttention.

Steps that fit a captured graph are launched with a bound on their splits and with a schedule that was made
before, as `FlashAttentionMetadataBuilder` does: the kernel's own choice would be faster than what runs in a
step (64 requests of 500 tokens on an H200: 42 us where steps take 53)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

BLOCK = 16  # tokens of a block of the cache


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


def attention_calls(config: Any, batch: Batch, copies: int) -> tuple[list[Callable[[], object]], str]:
    """(calls, who computes them); each call has keys and values of its own, bf16.

    NotImplementedError: this engine does not run FlashAttention here."""
    import torch
    from vllm.v1.attention.backends import fa_utils

    if not fa_utils.is_flash_attn_varlen_func_available():
        raise NotImplementedError("this engine does not run FlashAttention here")
    version = int(fa_utils.get_flash_attn_version())
    tokens = batch.requests * batch.queries
    blocks = -(-batch.seen // BLOCK)

    def ints(values: Any) -> Any:
        return torch.tensor(values, device="cuda", dtype=torch.int32)

    lengths = ints([batch.seen] * batch.requests)
    starts = ints([batch.queries * i for i in range(batch.requests + 1)])
    query = torch.randn(tokens, batch.heads, batch.head_dim, device="cuda", dtype=torch.bfloat16)
    shared = dict(
        q=query,
        cu_seqlens_q=starts,
        max_seqlen_q=batch.queries,
        seqused_k=lengths,
        max_seqlen_k=batch.seen,
        softmax_scale=batch.head_dim**-0.5,
        causal=True,
        block_table=torch.arange(batch.requests * blocks, device="cuda", dtype=torch.int32).view(
            batch.requests, blocks
        ),
        fa_version=version,
    )
    splits = splits_of_graph(config, version, tokens)
    if splits:
        if batch.queries == 1:  # decoding is replayed whole: its graph was captured for the longest context
            shared["max_seqlen_k"] = config.model_config.max_model_len
        shared["num_splits"] = splits
        shared["scheduler_metadata"] = fa_utils.get_scheduler_metadata(
            batch_size=batch.requests,
            max_seqlen_q=batch.queries,
            max_seqlen_k=batch.seen,
            num_heads_q=batch.heads,
            num_heads_kv=batch.kv_heads,
            headdim=batch.head_dim,
            cache_seqlens=lengths,
            qkv_dtype=torch.bfloat16,
            cu_seqlens_q=starts,
            page_size=BLOCK,
            causal=True,
            num_splits=splits,
        )

    def call_of(_: int) -> Callable[[], object]:
        shape = (batch.requests * blocks, BLOCK, batch.kv_heads, batch.head_dim)
        keys, values = (torch.randn(*shape, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        out = torch.empty_like(query)
        return lambda: fa_utils.flash_attn_varlen_func(k=keys, v=values, out=out, **shared)

    return [call_of(i) for i in range(copies)], f"vllm_flash_attn_fa{version}"
