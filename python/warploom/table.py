"""Looks a configuration up in a table that `warploom tune fit` or `tune_fit` wrote."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from typing import Any

from warploom.program import built_file

Tile = tuple[int, int, int, int, int, int]  # tile_m, tile_n, tile_k, warps, stages, split_k
MOST_KNOWN = 65536  # shapes that a table remembers


class _Config(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int32) for name in ("tile_m", "tile_n", "tile_k", "warps", "stages")]
    _fields_ += [("split_k", ctypes.c_int32), ("predicted_us", ctypes.c_float),
                 ("is_default", ctypes.c_int32)]


class _TimedTiles(ctypes.Structure):
    _fields_ = [("configs", ctypes.c_void_p), ("us", ctypes.c_void_p), ("count", ctypes.c_size_t)]


class _Layer(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("hidden", "width", "top_k", "expert_parallel")]


class _ExpertPick(ctypes.Structure):
    _fields_ = [("config", _Config), ("group_rows", ctypes.c_int32), ("keeps_own", ctypes.c_int32)]


def _tile(c: _Config) -> Tile:
    return (c.tile_m, c.tile_n, c.tile_k, c.warps, c.stages, c.split_k)


def _check(status: int, message: Any) -> None:
    if status:
        raise (OSError if status == 2 else ValueError)(message.value.decode())


def find_library() -> str:
    """WARPLOOM_LIBRARY, or build/*/lib/libwarploom.so of the source tree. Raises FileNotFoundError."""
    found = built_file("WARPLOOM_LIBRARY", "build/*/lib/libwarploom.so")
    if found:
        return found
    raise FileNotFoundError("libwarploom.so: build the target warploom_shared or set WARPLOOM_LIBRARY")


class _LibraryTable:
    """The same through libwarploom.so, for source trees without the compiled part."""

    def __init__(self, path: Any, gpu: str | None = None, kernel: str | None = None) -> None:
        # Calls of nanoseconds: letting go of the interpreter's lock would cost more.
        library = ctypes.PyDLL(find_library())
        library.warploom_tune_pick.argtypes = [ctypes.c_void_p] + [ctypes.c_int64] * 3 + [ctypes.c_void_p]
        library.warploom_tune_pick.restype = None
        library.warploom_tune_best.argtypes = [ctypes.c_void_p] + [ctypes.c_int64] * 3 + [ctypes.c_void_p,
                                                                                         ctypes.c_size_t]
        library.warploom_tune_best.restype = ctypes.c_size_t
        library.warploom_tune_next.argtypes = [ctypes.c_void_p] + [ctypes.c_int64] * 3 + [ctypes.c_void_p] * 2
        library.warploom_tune_next.restype = ctypes.c_int32
        library.warploom_tune_pick_index.argtypes = [ctypes.c_void_p] + [ctypes.c_int64] * 3
        library.warploom_tune_pick_index.restype = ctypes.c_int32
        library.warploom_tune_configs.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        library.warploom_tune_configs.restype = ctypes.c_size_t
        library.warploom_tune_close.argtypes = [ctypes.c_void_p]
        handle, message = ctypes.c_void_p(), ctypes.create_string_buffer(512)
        names = [None if name is None else name.encode() for name in (gpu, kernel)]
        status = library.warploom_tune_open(str(path).encode(), *names, ctypes.byref(handle), message, 512)
        _check(status, message)
        self._library, self._handle = library, handle
        self._pick_index, self._address = library.warploom_tune_pick_index, handle.value

    def pick(self, m: int, n: int, k: int) -> Tile:
        config = _Config()
        self._library.warploom_tune_pick(self._handle, m, n, k, ctypes.byref(config))
        return _tile(config)

    def index(self, m: int, n: int, k: int) -> int:
        return int(self._pick_index(self._address, m, n, k))

    def configs(self) -> list[Tile]:
        count = self._library.warploom_tune_configs(self._handle, None, 0)
        configs = (_Config * count)()
        self._library.warploom_tune_configs(self._handle, configs, count)
        return [_tile(c) for c in configs]

    def best(self, m: int, n: int, k: int, count: int) -> list[Tile]:
        configs = (_Config * count)()
        found = self._library.warploom_tune_best(self._handle, m, n, k, configs, count)
        return [_tile(c) for c in configs[:found]]

    def timed(self, m: int, n: int, k: int, count: int) -> list[tuple[Tile, float]]:
        configs = (_Config * count)()
        found = self._library.warploom_tune_best(self._handle, m, n, k, configs, count)
        return [(_tile(c), c.predicted_us) for c in configs[:found]]

    def next_to_time(self, m: int, n: int, k: int, timed: list[tuple[Tile, float]]) -> Tile | None:
        configs = (_Config * len(timed))(*(_Config(*config) for config, _ in timed))
        times, found = (ctypes.c_double * len(timed))(*(us for _, us in timed)), _Config()
        known = _TimedTiles(ctypes.addressof(configs), ctypes.addressof(times), len(timed))
        told = (ctypes.byref(known), ctypes.byref(found))
        more = self._library.warploom_tune_next(self._handle, m, n, k, *told)
        return _tile(found) if more else None

    def experts(self, *layer: int) -> _LibraryExperts:
        return _LibraryExperts(self._library, self._handle, layer)

    def close(self) -> None:
        if self._handle:
            self._library.warploom_tune_close(self._handle)
            self._handle, self._address = ctypes.c_void_p(), None

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()


class _LibraryExperts:
    """TuneExperts through libwarploom.so."""

    def __init__(self, library: Any, table: Any, layer: tuple[int, ...]) -> None:
        pick = library.warploom_tune_experts_pick
        pick.argtypes, pick.restype = [ctypes.c_void_p, ctypes.c_int64] + [ctypes.c_void_p] * 2, None
        library.warploom_tune_experts_close.argtypes = [ctypes.c_void_p]
        handle, message = ctypes.c_void_p(), ctypes.create_string_buffer(512)
        status = library.warploom_tune_experts_open(
            table, ctypes.byref(_Layer(*layer)), ctypes.byref(handle), message, ctypes.c_size_t(512)
        )
        _check(status, message)
        self._library, self._handle = library, handle

    def pick(self, tokens: int, own: Tile | None = None) -> tuple[Tile, int, float] | None:
        mine = None if own is None else ctypes.byref(_Config(*own))
        pick = _ExpertPick()
        self._library.warploom_tune_experts_pick(self._handle, tokens, mine, ctypes.byref(pick))
        return None if pick.keeps_own else (_tile(pick.config), pick.group_rows, pick.config.predicted_us)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.warploom_tune_experts_close(self._handle)


def _opened(path: Any, gpu: Any, kernel: Any) -> Any:
    """By the compiled part of the package; in a source tree without it by libwarploom.so."""
    try:
        from warploom._core import TuneTable
    except ImportError:
        return _LibraryTable(path, gpu, kernel)
    return TuneTable(str(path), gpu or "", kernel or "")


class Table:
    """Raises ValueError on a damaged or foreign table, OSError on one that cannot be read."""

    def __init__(
        self, path: str | os.PathLike[str], gpu: str | None = None, kernel: str | None = None
    ) -> None:
        self._table: Any = _opened(path, gpu, kernel)
        self._known: dict[tuple[int, int, int], Tile] = {}
        # (m, n, k): pick(m, n, k) as its place in configs()
        self.index: Callable[[int, int, int], int] = self._table.index

    def pick(self, m: int, n: int, k: int) -> Tile:
        """(tile_m, tile_n, tile_k, warps, stages, split_k), remembered for shapes seen before."""
        shape = (m, n, k)
        found = self._known.get(shape)
        if found is None:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            found = self._known[shape] = self._table.pick(m, n, k)
        return found

    def configs(self) -> list[Tile]:
        """All configurations of the table, as pick() gives them."""
        found: list[Tile] = self._table.configs()
        return found

    def best(self, m: int, n: int, k: int, count: int) -> list[Tile]:
        """What may be measured once: pick() first, then the fastest of other tiles, then the rest by time."""
        found: list[Tile] = self._table.best(m, n, k, count)
        return found

    def timed(self, m: int, n: int, k: int, count: int) -> list[tuple[Tile, float]]:
        """[(configuration, predicted microseconds)] in the order of best()."""
        found: list[tuple[Tile, float]] = self._table.timed(m, n, k, count)
        return found

    def next_to_time(self, m: int, n: int, k: int, timed: Sequence[tuple[Tile, float]]) -> Tile | None:
        """Which configuration to time next, after those that were, with their microseconds (infinite: it does
        not run). First pick(), then what may be expected to gain most by what was measured so far; None when
        no timing is worth it any more."""
        found: Tile | None = self._table.next_to_time(m, n, k, list(timed))
        return found

    def experts(self, hidden: int, width: int, top_k: int, expert_parallel: int = 1) -> Experts:
        """For layers of experts, whose two products run one configuration. `width`: of an expert on this GPU;
        expert_parallel: GPUs that the experts are shared out over. Raises ValueError on a table of another
        kernel or top_k."""
        layer = (hidden, width, top_k, expert_parallel)
        if isinstance(self._table, _LibraryTable):
            return Experts(self._table.experts(*layer))
        from warploom._core import TuneExperts

        return Experts(TuneExperts(self._table, *layer))

    def close(self) -> None:
        """Lets go of the file."""
        if isinstance(self._table, _LibraryTable):
            self._table.close()


class Experts:
    """One layer of a table of grouped products; see Table.experts. It outlives the table's close()."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def pick(self, tokens: int, own: Tile | None = None) -> tuple[Tile, int, float] | None:
        """(configuration, rows of tiles walked together, microseconds of both products) at so many tokens of
        a launch. None where `own`, what is launched without a table, is as good within what the table misses
        (3 %), or where nothing is known."""
        found: tuple[Tile, int, float] | None = self._opened.pick(tokens, own)
        return found
