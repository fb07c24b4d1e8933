"""How a kernel's arguments and meta-parameters say what its tiles are: what the wave table needs to know.

    Tiling(m="rows", n="cols", k="depth", block_m="TM", block_n="TN", block_k="TK", split_k="PARTS")
    Tiling(kind="attention", m="N_CTX", n="N_CTX", k=("Z", "H"), block_m="BLOCK_M", block_n="BLOCK_N",
           causal="STAGE")

Sizes are names of integer arguments, or tuples of names whose product counts; meta-parameters are names in
the configurations. recognise() fills one in for the usual names.
"""
from dataclasses import dataclass
from typing import Callable, Optional, Tuple, Union

Names = Union[str, Tuple[str, ...]]


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
    inputs: Optional[Callable] = None

    def sizes(self):
        """((names of m), (of n), (of k))."""
        return tuple(names if isinstance(names, tuple) else (names,) for names in (self.m, self.n, self.k))

    def shape(self, named):
        """(m, n, k) of a call; KeyError where an argument is missing, TypeError where one is no integer."""
        return tuple(_product(names, named) for names in self.sizes())

    def batch_of(self, named):
        names = self.batch if isinstance(self.batch, tuple) else (self.batch,)
        return 1 if self.batch is None else _product(names, named)

    def tile(self, meta):
        """(tile_m, tile_n, tile_k, warps, stages, split_k) of a configuration's all_kwargs()."""
        tile_k = meta[self.block_k] if self.block_k else meta[self.block_n]
        return (meta[self.block_m], meta[self.block_n], tile_k, meta.get("num_warps", 4),
                meta.get("num_stages", 3), meta.get(self.split_k, 1) if self.split_k else 1)

    def is_causal(self, named):
        if isinstance(self.causal, bool):
            return self.causal
        value = named.get(self.causal)
        return value if isinstance(value, bool) else value == 3

    def head_size(self, named):
        return self.head_dim if isinstance(self.head_dim, int) else int(named[self.head_dim])


def _product(names, named):
    result = 1
    for name in names:
        value = named[name]
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} is {type(value).__name__}, expected an integer")
        result *= value
    return result


def folded(name):
    """BLOCK_SIZE_M, BLOCK_M and block_m are one."""
    return name.lower().replace("size", "").replace("_", "")


def _find(names, *wanted):
    known = {folded(name): name for name in names}
    return next((known[want] for want in wanted if want in known), None)


def recognise(arg_names, meta_names):
    """A Tiling for kernels that use the customary names, else None."""
    blocks = [_find(meta_names, f"block{axis}", f"b{axis}", f"tile{axis}") for axis in "mnk"]
    if blocks[0] is None or blocks[1] is None:
        return None
    plain = [name for name in arg_names if name not in meta_names]
    if blocks[2] is not None:
        sizes = [next((name for name in plain if name in (axis, axis.lower())), None) for axis in "MNK"]
        if None in sizes:
            return None
        return Tiling("gemm", *sizes, *blocks, split_k=_find(meta_names, "splitk"),
                      group_m=_find(meta_names, "groupm"))
    length = _find(plain, "nctx", "seqlen", "seqlenq")
    keys = _find(plain, "seqlenk", "nctxk") or length
    heads = tuple(name for name in (_find(plain, "z", "batch", "b"), _find(plain, "h", "nheads", "heads"))
                  if name is not None)
    head_dim = _find(plain, "headdim", "blockdmodel", "blockheaddim", "d")
    if length is None or len(heads) != 2 or head_dim is None:
        return None
    causal = _find(plain, "causal", "iscausal") or _find(plain, "stage") or False
    return Tiling("attention", length, keys, heads, blocks[0], blocks[1], None, head_dim=head_dim,
                  causal=causal)
