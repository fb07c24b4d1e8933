"""Which configurations to time at which shapes.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warploom.answers import TunePlanAnswer
from warploom.session import PathText, Progress, ask, listed


def tune_plan(
    *,
    gpu: PathText,
    method: PathText | None = None,
    kernel: Mapping[str, Any] | None = None,
    round: PathText | None = None,
    samples: Any = None,
    split_k: Sequence[int] | None = None,
    output: PathText | None = None,
    name: PathText | None = None,
    kind: PathText | None = None,
    operand_bytes: int | None = None,
    output_bytes: int | None = None,
    group_rows: int | None = None,
    batch: int | None = None,
    b_along_n: bool | None = None,
    experts: int | None = None,
    top_k: int | None = None,
    expert_skew: float | None = None,
    head_dim: int | None = None,
    head_group: int | None = None,
    causal: bool | None = None,
    window: int | None = None,
    page_keys: int | None = None,
    rotation: int | None = None,
    progress: Progress = False,
) -> TunePlanAnswer:
    """Which configurations to time at which shapes.

    gpu: the GPU to measure on
    method: whose anchors: ours, or the published wave model's (warploom, wavetune); default "warploom"
    kernel: the tile kernel
    round: which anchors (all, first, second); default "all"
    samples: what the first round measured: the anchors left of configurations that may win; also a
        frame, a table of pyarrow or a Parquet file
    split_k: gemm: also loops over k in so many parts (2 4 8)
    output: CSV to write
    name: key of the kernel: source, compiler and types; default "gemm"
    kind: how shapes become tiles (gemm, grouped_gemm, attention, paged_decode); default "gemm"
    operand_bytes: operand element [B]; default 2
    output_bytes: output element [B]; default 2
    group_rows: tile rows walked together; default 8
    batch: problems of one launch; default 1
    b_along_n: B is stored row by row of k; default false
    experts: experts held; default 1
    top_k: experts of one token; default 1
    expert_skew: power of the rank that experts' rows fall by; default 0.0
    head_dim: attention head size; default 128
    head_group: query heads of a key head; default 1
    causal: mask future keys; default false
    window: keys that a query sees, 0: all; default 0
    page_keys: keys of a page; default 16
    rotation: operand sets in turn; default 24
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "gpu": gpu, "method": method, "kernel": kernel, "round": round, "samples": listed(samples),
        "split_k": listed(split_k), "output": output, "name": name, "kind": kind, "operand_bytes":
        operand_bytes, "output_bytes": output_bytes, "group_rows": group_rows, "batch": batch,
        "b_along_n": b_along_n, "experts": experts, "top_k": top_k, "expert_skew": expert_skew,
        "head_dim": head_dim, "head_group": head_group, "causal": causal, "window": window,
        "page_keys": page_keys, "rotation": rotation}
    return TunePlanAnswer(ask("tune_plan", fields, progress))
