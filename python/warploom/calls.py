"""Makes up a kernel call of another size from one that was seen: tensors, sizes and strides.

Dimensions of tensors are told apart by the names of strides (stride_am: rows of a), by their sizes and by
the customary order of operands. What stays in doubt raises UnclearCall: nothing is guessed that a kernel
could run out of bounds with.
"""
from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from warploom.grids import UnclearCall
from warploom.tiling import Tiling

Option = tuple[Optional[str], ...]                   # a symbol, or None, for each dimension
Dims = tuple[Union[str, tuple[str, ...], None], ...]  # the same; several symbols where either may be it
Owner = tuple[str, Union[str, int]]                  # a tensor, and the letter or the place of a dimension

PRODUCT_ROLES = [{"m", "k"}, {"k", "n"}, {"m", "n"}]  # of the first, second and third matrix


def is_tensor(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "stride")


def stride_name(name: str) -> tuple[str, str] | None:
    """("a", "m") of stride_am, a_stride_m or stride_a_m; None of other names."""
    lower = name.lower()
    if "stride" not in lower:
        return None
    rest = lower.replace("strides", "").replace("stride", "").replace("_", "")
    return (rest[:-1], rest[-1]) if rest else None


def tensor_name(name: str) -> str:
    lower = name.lower()
    for end in ("_ptr", "ptr", "_desc"):
        lower = lower[:-len(end)] if lower.endswith(end) and len(lower) > len(end) else lower
    return lower.replace("_", "")


class CallForm:
    """A call taken apart. `symbols`: the sizes that a new call changes, {"m": 128, ...}; those of the same
    argument share a letter."""

    def __init__(self, tiling: Tiling, named: Mapping[str, Any], symbols: Mapping[str, int]) -> None:
        self.tiling, self.named, self.symbols = tiling, named, symbols
        self.tensors = {name: value for name, value in named.items() if is_tensor(value)}
        self.strides = self._owners()
        self.dims: dict[str, Dims] = {}
        matrices = 0
        for name, tensor in self.tensors.items():
            self.dims[name] = self._dims_of(name, tensor, matrices)
            matrices += len(tensor.shape) >= 2
        self._place_unnamed()

    def _owners(self) -> dict[str, Owner | None]:
        """{stride argument: (tensor, letter)}, by name."""
        owners: dict[str, Owner | None] = {}
        folded = {name: tensor_name(name) for name in self.tensors}
        for name, value in self.named.items():
            parts = stride_name(name)
            if parts is None or isinstance(value, bool) or not isinstance(value, int):
                continue
            found = [t for t, short in folded.items() if short == parts[0]] or \
                    [t for t, short in folded.items() if parts[0] and short.startswith(parts[0])]
            owners[name] = (found[0], parts[1]) if len(found) == 1 else None
        return owners

    def _dims_of(self, name: str, tensor: Any, matrices: int) -> Dims:
        """A symbol, a tuple of them or None (always the same) for each dimension."""
        sizes = tuple(tensor.shape)
        choices: list[list[str | None]] = [
            [*(letter for letter, value in self.symbols.items() if value == size), None] for size in sizes
        ]
        if not any(len(choice) > 1 for choice in choices):
            if len(sizes) > 1:
                raise UnclearCall(f"the dimensions of {name} are none of its sizes")
            return tuple(None for _ in sizes)
        if len(sizes) == 1:
            # Too long does no harm: whichever it is, the new vector reaches.
            found = tuple(letter for letter in choices[0] if letter is not None)
            return (found,)
        options = [option for option in itertools.product(*choices)
                   if len({s for s in option if s}) == sum(s is not None for s in option)]
        options = [option for option in options if self._agrees(name, tensor, option)]
        options = self._in_role(options, matrices)
        if not options:
            raise UnclearCall(f"the dimensions of {name} are none of its sizes")
        best = max(sum(s is not None for s in option) for option in options)
        options = [option for option in options if sum(s is not None for s in option) == best]
        if len(options) > 1:
            options = self._usual(options, matrices)
        if len(options) > 1:
            raise UnclearCall(f"the dimensions of {name} can be read in several ways")
        return options[0]

    def _agrees(self, name: str, tensor: Any, option: Option) -> bool:
        """Whether stride arguments of this tensor say the same."""
        for argument, owner in self.strides.items():
            if owner is None or owner[0] != name or owner[1] not in self.symbols:
                continue
            value, letter = self.named[argument], owner[1]
            if letter in option:
                place = option.index(letter)
                if tensor.shape[place] > 1 and tensor.stride(place) != value:
                    return False
        return True

    def _in_role(self, options: list[Option], matrices: int) -> list[Option]:
        if self.tiling.kind != "gemm" or matrices >= len(PRODUCT_ROLES):
            return options
        extra = {"b", None}
        return [option for option in options if set(option) - extra == PRODUCT_ROLES[matrices]]

    def _usual(self, options: list[Option], matrices: int) -> list[Option]:
        """Rows first in A and C; B has no customary order."""
        if self.tiling.kind == "gemm":
            order = {0: ("m", "k"), 2: ("m", "n")}.get(matrices)
            return [o for o in options if tuple(s for s in o if s and s in "mnk") == order] or options
        ordered = [o for o in options if [s for s in o if s] == sorted((s for s in o if s), key="zmn".index)]
        return ordered or options

    def _place_unnamed(self) -> None:
        """Strides whose name says nothing: by value, where one dimension alone has it."""
        for argument, owner in self.strides.items():
            value = self.named[argument]
            if owner is not None and self._dimension(owner[0], owner[1], value) is not None:
                continue
            found = [(name, place) for name, tensor in self.tensors.items()
                     for place in range(len(tensor.shape)) if tensor.stride(place) == value]
            if value in (0, 1) or len(found) == 0:
                self.strides[argument] = None
            elif len(found) == 1 or owner is not None and any(name == owner[0] for name, _ in found):
                self.strides[argument] = next((f for f in found if owner and f[0] == owner[0]), found[0])
            else:
                raise UnclearCall(f"{argument} is a stride of several tensors")

    def _dimension(self, name: str, letter: str | int, value: Any) -> int | None:
        """Place of a letter in a tensor, where its stride is the argument's value."""
        dims, tensor = self.dims[name], self.tensors[name]
        if letter in dims and tensor.stride(dims.index(letter)) == value:
            return dims.index(letter)
        return None

    def sizes_of(self, name: str, symbols: Mapping[str, int]) -> tuple[int, ...]:
        """The dimensions of a tensor at new sizes."""
        return tuple(size if dim is None else
                     max(symbols[s] for s in dim) if isinstance(dim, tuple) else symbols[dim]
                     for size, dim in zip(self.tensors[name].shape, self.dims[name]))

    def b_along_n(self) -> bool:
        """Whether neighbours in memory of the second matrix differ in n: an odd n then makes narrow loads."""
        matrices = [name for name, tensor in self.tensors.items() if len(tensor.shape) >= 2]
        if len(matrices) < 2 or "n" not in self.dims[matrices[1]]:
            return False
        tensor, place = self.tensors[matrices[1]], self.dims[matrices[1]].index("n")
        return bool(tensor.shape[place] > 1 and tensor.stride(place) == 1)

    def bytes_at(self, symbols: Mapping[str, int]) -> int:
        """Bytes of the tensors that a new call needs."""
        total = 0
        for name, tensor in self.tensors.items():
            size = tensor.element_size()
            for extent in self.sizes_of(name, symbols):
                size *= extent
            total += size
        return total

    def at(self, symbols: Mapping[str, int], numbers: Mapping[str, int]) -> dict[str, Any]:
        """The named arguments at new sizes; `numbers`: {argument: value} of the sizes themselves."""
        made = dict(self.named)
        made.update(numbers)
        for name, tensor in self.tensors.items():
            if any(dim is not None for dim in self.dims[name]):
                made[name] = tensor_like(tensor, self.sizes_of(name, symbols))
        for argument, owner in self.strides.items():
            if owner is None:
                continue
            name, letter = owner
            place = self._dimension(name, letter, self.named[argument]) if isinstance(letter, str) else letter
            made[argument] = made[name].stride(place)
        return made


def tensor_like(tensor: Any, sizes: Sequence[int]) -> Any:
    """Random numbers (zeros for whole numbers, which may be indices) with the same order of strides."""
    import torch
    order = sorted(range(len(sizes)), key=lambda place: (-tensor.stride(place), place))
    if tensor.dtype.is_floating_point:
        dense = torch.empty([sizes[p] for p in order], device=tensor.device,
                            dtype=torch.bfloat16 if tensor.dtype.itemsize < 2 else tensor.dtype).normal_()
        dense = dense.to(tensor.dtype)
    else:
        dense = torch.zeros([sizes[p] for p in order], device=tensor.device, dtype=tensor.dtype)
    return dense.permute([order.index(place) for place in range(len(sizes))])
