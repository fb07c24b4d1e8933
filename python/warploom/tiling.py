"""How a kernel's arguments and meta-parameters say what its tiles are: what the wave table needs to know.

    Tiling(m="rows", n="cols", k="depth", block_m="TM", block_n="TN", block_k="TK", split_k="PARTS")
    Tiling(kind="attention", m="N_CTX", n="N_CTX", k=("Z", "H"), block_m="BLOCK_M", block_n="BLOCK_N",
           causal="STAGE")

Sizes are names of integer arguments, or tuples of names whose product counts; meta-parameters are names in
the configurations. recognise() fills one in for the usual names.
"""
from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Tuple, Union

from warploom.anchors import Config

Names = Union[str, Tuple[str, ...]]
Shape = Tuple[int, int, int]


@dataclass(frozen=True)
class Tiling:
    # gemm: C[m, n] over k. grouped_gemm: m pairs. attention: m queries, n keys, k heads of the whole batch
    kind: str = "gemm"
    m: Names = "M"
    n: Names = "N"
    k: Names = "K"
    block_m: str = "BLOCK_M"
    block_n: str = "BLOCK_N"
    block_k: Optional[str] = "BLOCK_K"  # attention has none: its step is block_n
    split_k: Optional[str] = None       # a meta-parameter: parts of k that programs of their own add up
    group_m: Union[str, int, None] = None  # rows of tiles walked together: a meta-parameter or a number
    b_along_n: bool = False             # with `inputs`: neighbours of B[n, k] differ in n
    batch: Optional[Names] = None       # problems of one launch; a table holds for one value
    experts: int = 1                    # grouped_gemm
    top_k: int = 1                      # grouped_gemm
    head_dim: Union[str, int] = 128     # attention
    head_group: int = 1                 # attention: query heads to a key head
    causal: Union[str, bool] = False    # attention; a name: true, or 3 as in Triton's tutorial
    # (m, n, k) -> (args, kwargs) or (args, kwargs, grid), where calls of other sizes cannot be made up
    inputs: Optional[Callable[[int, int, int], Tuple[Any, ...]]] = None

    def sizes(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """((names of m), (of n), (of k))."""
        return _listed(self.m), _listed(self.n), _listed(self.k)

    def shape(self, named: Mapping[str, Any]) -> Shape:
        """(m, n, k) of a call; KeyError where an argument is missing, TypeError where one is no integer."""
        m, n, k = self.sizes()
        return _product(m, named), _product(n, named), _product(k, named)

    def batch_of(self, named: Mapping[str, Any]) -> int:
        return 1 if self.batch is None else _product(_listed(self.batch), named)

    def tile(self, meta: Mapping[str, Any]) -> Config:
        """(tile_m, tile_n, tile_k, warps, stages, split_k) of a configuration's all_kwargs()."""
        tile_k = meta[self.block_k] if self.block_k else meta[self.block_n]
        return (meta[self.block_m], meta[self.block_n], tile_k, meta.get("num_warps", 4),
                meta.get("num_stages", 3), meta.get(self.split_k, 1) if self.split_k else 1)

    def is_causal(self, named: Mapping[str, Any]) -> bool:
        if isinstance(self.causal, bool):
            return self.causal
        value = named.get(self.causal)
        return value if isinstance(value, bool) else value == 3

    def head_size(self, named: Mapping[str, Any]) -> int:
        return self.head_dim if isinstance(self.head_dim, int) else int(named[self.head_dim])


def _listed(names: Names) -> tuple[str, ...]:
    return names if isinstance(names, tuple) else (names,)


def _product(names: Iterable[str], named: Mapping[str, Any]) -> int:
    result = 1
    for name in names:
        value = named[name]
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} is {type(value).__name__}, expected an integer")
        result *= value
    return result


def folded(name: str) -> str:
    """BLOCK_SIZE_M, BLOCK_M and block_m are one."""
    return name.lower().replace("size", "").replace("_", "")


def _find(names: Iterable[str], *wanted: str) -> str | None:
    known = {folded(name): name for name in names}
    return next((known[want] for want in wanted if want in known), None)


def recognise(arg_names: Sequence[str], meta_names: Collection[str]) -> Tiling | None:
    """A Tiling for kernels that use the customary names, else None."""
    blocks = [_find(meta_names, f"block{axis}", f"b{axis}", f"tile{axis}") for axis in "mnk"]
    block_m, block_n, block_k = blocks
    if block_m is None or block_n is None:
        return None
    plain = [name for name in arg_names if name not in meta_names]
    if block_k is not None:
        m, n, k = (next((name for name in plain if name in (axis, axis.lower())), None) for axis in "MNK")
        if m is None or n is None or k is None:
            return None
        return Tiling("gemm", m, n, k, block_m, block_n, block_k, split_k=_find(meta_names, "splitk"),
                      group_m=_find(meta_names, "groupm"))
    length = _find(plain, "nctx", "seqlen", "seqlenq")
    keys = _find(plain, "seqlenk", "nctxk") or length
    heads = tuple(name for name in (_find(plain, "z", "batch", "b"), _find(plain, "h", "nheads", "heads"))
                  if name is not None)
    head_dim = _find(plain, "headdim", "blockdmodel", "blockheaddim", "d")
    if length is None or keys is None or len(heads) != 2 or head_dim is None:
        return None
    causal = _find(plain, "causal", "iscausal") or _find(plain, "stage") or False
    return Tiling("attention", length, keys, heads, block_m, block_n, None, head_dim=head_dim,
                  causal=causal)
