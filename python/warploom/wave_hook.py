"""The wave table of a kernel behind @warploom.autotune: profiled once on sparse anchors, then looked up.

A table holds for a kernel's source, its list of configurations, a GPU, Triton's version, and for one form of
call: types, flags and other sizes that the key names. Anchors are calls of other sizes, made up from the
first one. Samples, plan and table lie beside Triton's cache: a run that is killed goes on where it stood.
"""
from __future__ import annotations

import contextlib
import csv
import fcntl
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TYPE_CHECKING

from warploom import anchors, grids, program, ranks
from warploom.anchors import Config, Row
from warploom.calls import CallForm
from warploom.decisions import short_hash
from warploom.grids import UnclearCall
from warploom.table import Table
from warploom.tiling import Shape, Tiling

if TYPE_CHECKING:
    from warploom.autotune import TunedKernel

# The symbols of a shape, and the values of the size arguments.
NumbersAt = Callable[[Shape], tuple[dict[str, int], dict[str, int]]]

PROFILE_SECONDS = 240
MEMORY_SHARE = 0.25  # of the free memory, that one anchor's operands may take
FEWEST_ANCHORS = 8   # that a configuration needs (tuner/wave_fit.h)
# The formula describes reference kernels within 4 %: far beyond, tiles are not what they were taken for.
MOST_RESIDUAL = 0.20


class NoTable(RuntimeError):
    """Why there is no table for a kernel or a form of call."""


class UserKernel:
    """A kernel at one form of call, as warploom.profiler measures it."""

    def __init__(
        self,
        tuned: TunedKernel,
        form: CallForm | None,
        layout: grids.Layout,
        numbers_at: NumbersAt,
        by_tile: Mapping[Config, Any],
        tiling: Tiling,
    ) -> None:
        self.tuned, self.form, self.layout, self.tiling = tuned, form, layout, tiling
        self.numbers_at, self.by_tile = numbers_at, by_tile

    def symbols(self, shape: Shape) -> dict[str, int]:
        symbols = self.numbers_at(shape)[0]
        return {"n": symbols["m"], **symbols}

    def bytes_at(self, shape: Shape) -> int:
        return 0 if self.form is None else self.form.bytes_at(self.numbers_at(shape)[0])

    def sets(self, shape: Shape) -> list[tuple[Shape, Any]]:
        from warploom.timing import copies_of
        if self.form is None:
            assert self.tiling.inputs is not None  # else there is a form
            return [(shape, self.tiling.inputs(*shape)) for _ in range(2)]
        symbols, numbers = self.numbers_at(shape)
        copies = copies_of(self.form.bytes_at(symbols))
        return [(shape, self.form.at(symbols, numbers)) for _ in range(copies)]

    def call(self, operands: tuple[Shape, Any], tile: Config) -> None:
        shape, made = operands
        config = self.by_tile[tile]
        if self.form is not None:
            grid = grids.grid_at(self.layout, grids.counts(self.tiling, self.symbols(shape), tile))
            self.tuned.launch(config, (), made, grid)
            return
        args, kwargs, *grid = made
        symbols = dict(zip("mnk", shape))
        self.tuned.launch(config, args, kwargs, grid[0] if grid else grids.grid_at(
            self.layout, grids.counts(self.tiling, symbols, tile)))


def symbols_of(tiling: Tiling, named: Mapping[str, Any]) -> dict[str, int]:
    """{"m": size, ...} of a call, one letter an argument."""
    m, n, k = tiling.shape(named)
    if tiling.kind != "attention":
        return {"m": m, "n": n, "k": k, **({"b": tiling.batch_of(named)} if tiling.batch else {})}
    batch = tiling.sizes()[2]
    heads = named[batch[1]] if len(batch) > 1 else 1
    return {"m": m, "z": named[batch[0]], "h": heads, **({} if tiling.n == tiling.m else {"n": n})}


def numbers_for(tiling: Tiling, named: Mapping[str, Any]) -> NumbersAt:
    """A function of a shape: (its symbols, the values of the size arguments)."""
    now = symbols_of(tiling, named)
    m_names, n_names, k_names = tiling.sizes()

    def at(shape: Shape) -> tuple[dict[str, int], dict[str, int]]:
        m, n, k = shape
        numbers = {}
        if tiling.kind == "attention":
            symbols = {**now, "m": m, "z": max(1, k // now["h"])}
            numbers[k_names[0]] = symbols["z"]
            if "n" in now:
                symbols["n"] = n
        else:
            symbols = {**now, "m": m, "n": n, "k": k}
            numbers[k_names[0]] = k
        numbers[m_names[0]], numbers[n_names[0]] = m, n
        return symbols, numbers
    return at


def read_grid(
    tuned: TunedKernel, tiling: Tiling, named: Mapping[str, Any], grid: Any, tiles: Mapping[Config, Any]
) -> grids.Layout:
    """The layout of the launch grid, from its values for every configuration and a few made-up tiles."""
    symbols, seen = symbols_of(tiling, named), []
    symbols.setdefault("n", symbols["m"])
    for tile, config in tiles.items():
        trials: list[tuple[Config, dict[str, int]]] = [(tile, {})]
        trials += [((m, n, *tile[2:]), {tiling.block_m: m, tiling.block_n: n})
                                 for m, n in ((16, 256), (32, 64), (256, 32))]
        for trial, blocks in trials:
            meta = {**named, **config.all_kwargs(), **blocks}
            value = grid(meta) if callable(grid) else grid
            seen.append((grids.counts(tiling, symbols, trial), tuple(value)))
    return grids.read_layout(tiling, seen)


def anchors_of(tiling: Tiling, tiles: Iterable[Config], sms: int, symbols: Mapping[str, int]) -> list[Row]:
    """Rows of (tile, shape), whole multiples of what the call cannot change."""
    space = sorted(tiles)
    if tiling.kind == "grouped_gemm":
        return anchors.grouped_anchors(space, sms, tiling.experts)
    if tiling.kind == "gemm":
        return anchors.gemm_anchors(space, max(1, sms // symbols.get("b", 1)))
    if tiling.m == tiling.n:
        return anchors.self_attention_anchors(space, sms, symbols["h"])
    return anchors.attention_anchors(space, sms, symbols["h"])


def narrow_anchors_of(
    tiling: Tiling, tiles: Iterable[Config], sms: int, symbols: Mapping[str, int]
) -> list[Row]:
    """The same for rows of K that wide loads cannot read, one configuration of each tile and warps."""
    if tiling.kind == "grouped_gemm":
        return anchors.narrow_rows(tiles, sms, tiling.experts)
    return anchors.narrow_rows(tiles, max(1, sms // symbols.get("b", 1)))


def reads_narrow_rows(tiling: Tiling, shape: Shape) -> bool:
    """Whether a call of this shape runs the program with narrow loads."""
    return tiling.kind in ("gemm", "grouped_gemm") and not tiling.b_along_n and anchors.is_narrow(shape[2])


def distinct_tiles(tiling: Tiling, configs: Iterable[Any]) -> dict[Config, Any]:
    """{tile: configuration} in the list's order. Raises NoTable where two are one tile: the table does not
    see in what they differ."""
    tiles: dict[Config, Any] = {}
    for config in configs:
        other = tiles.setdefault(tiling.tile(config.all_kwargs()), config)
        if other is not config:
            raise NoTable(f"'{other}' and '{config}' are the same tiles")
    return tiles


def device_limits() -> tuple[int, int]:
    """(SMs, free bytes) of this process's GPU."""
    import torch
    free, _ = torch.cuda.mem_get_info()
    return torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count, free


def measure(subject: UserKernel, rows: Sequence[Row], path: Path, seconds: float) -> bool:
    """Into a CSV that `tune fit` reads; returns whether the plan was measured to its end."""
    from warploom import profiler
    return bool(profiler.profile(subject, rows, path, seconds)["complete"])


class WaveTables:
    """The tables of one tuned kernel: one a form of call."""

    def __init__(
        self, tuned: TunedKernel, tiling: Tiling, folder: str | Path, identity: Mapping[str, str]
    ) -> None:
        self.tuned, self.tiling, self.folder, self.identity = tuned, tiling, Path(folder), identity
        self.seconds = float(os.environ.get("WARPLOOM_PROFILE_SECONDS", PROFILE_SECONDS))
        self.profiled = 0  # tables that this process measured for

    def table(
        self, form_key: str, named: Mapping[str, Any], grid: Any, narrow: bool = False
    ) -> tuple[Table, dict[Config, Any]]:
        """(Table, {tile: configuration}); with `narrow` one whose rows of K may be any, which goes on from
        the samples of the other. Raises NoTable, or UnclearCall where another call may tell more."""
        text = repr((sorted(self.identity.items()), form_key, self.tiling.kind))
        wide = short_hash(text)
        name = f"{wide}-narrow" if narrow else wide
        path, here = self.folder / f"{name}.wlt", []
        tiles = distinct_tiles(self.tiling, self.tuned.configs)
        subject = None if path.exists() else self._subject(tiles, named, grid)

        def decide() -> bytes:
            here.append(name)
            with locked(path):
                if narrow:
                    self._begin_with(self.folder / f"{wide}.csv", path.with_suffix(".csv"))
                self._load_or_make(path, subject or self._subject(tiles, named, grid), named, narrow)
            return path.read_bytes()
        data = ranks.decided_once(name, decide)
        if data is None:
            raise NoTable("the rank that profiles made no table")
        if not here:
            self._keep(path, data)
        return Table(path, kernel=name), tiles

    def _subject(self, tiles: Mapping[Config, Any], named: Mapping[str, Any], grid: Any) -> UserKernel:
        layout = read_grid(self.tuned, self.tiling, named, grid, tiles)
        form = None if self.tiling.inputs else CallForm(self.tiling, named, symbols_of(self.tiling, named))
        return UserKernel(self.tuned, form, layout, numbers_for(self.tiling, named), tiles, self.tiling)

    @staticmethod
    def _begin_with(samples: Path, own: Path) -> None:
        """What was measured of wide rows holds for the table of both."""
        if samples.exists() and not own.exists():
            fresh = own.with_suffix(f".{os.getpid()}.tmp")
            fresh.write_bytes(samples.read_bytes())
            os.replace(fresh, own)

    @staticmethod
    def _keep(path: Path, data: bytes) -> None:
        """Another rank's table, where this node has none or another one."""
        with locked(path):
            if not path.exists() or path.read_bytes() != data:
                fresh = path.with_suffix(f".{os.getpid()}.tmp")
                fresh.write_bytes(data)
                os.replace(fresh, path)

    def _load_or_make(self, path: Path, subject: UserKernel, named: Mapping[str, Any], narrow: bool) -> None:
        if path.exists():
            try:
                Table(path, kernel=path.stem).close()
                return
            except ValueError as error:
                print(f"warploom: {path}: {error}; profiling anew", file=sys.stderr)
                path.unlink()
        symbols = symbols_of(self.tiling, named)
        sms, free = device_limits()
        planned = anchors_of(self.tiling, subject.by_tile, sms, symbols)
        if narrow:
            planned += narrow_anchors_of(self.tiling, subject.by_tile, sms, symbols)
        rows = [row for row in planned if subject.bytes_at(row[1]) * 2 < MEMORY_SHARE * free]
        self.profiled += 1
        print(f"warploom: profiling {self.tuned.name}: {len(subject.by_tile)} configurations, {len(rows)} "
              "timings", file=sys.stderr)
        samples = path.with_suffix(".csv")
        if not measure(subject, self._allowed(rows, named), samples, self.seconds):
            print(f"\nwarploom: stopped after {self.seconds:.0f} s; the table is of what was measured",
                  file=sys.stderr)
        along = self.tiling.b_along_n if subject.form is None else subject.form.b_along_n()
        self._fit(path, samples, named, symbols, next(iter(subject.by_tile)), along)

    def _allowed(self, rows: Sequence[Row], named: Mapping[str, Any]) -> Sequence[Row]:
        """Without the rows that early_config_prune would not run at their sizes."""
        prune = self.tuned.prune.get("early_config_prune")
        if prune is None:
            return rows
        at, kept = numbers_for(self.tiling, named), {}
        result = []
        for tile, shape in rows:
            if shape not in kept:
                allowed = prune(self.tuned.configs, {**named, **at(shape)[1]})
                kept[shape] = {self.tiling.tile(config.all_kwargs()) for config in allowed}
            if tile in kept[shape]:
                result.append((tile, shape))
        return result

    def _fit(
        self,
        path: Path,
        samples: Path,
        named: Mapping[str, Any],
        symbols: Mapping[str, int],
        first: Config,
        b_along_n: bool,
    ) -> None:
        tiling = self.tiling
        fields = {"samples": [str(samples)], "output": str(path), "gpu": self.identity["gpu"],
                  "name": path.stem, "kind": tiling.kind, "operand_bytes": operand_bytes(named),
                  "output_bytes": output_bytes(named)}
        if isinstance(tiling.group_m, int):
            fields["group_rows"] = tiling.group_m
        if tiling.kind == "gemm":
            fields.update(batch=symbols.get("b", 1), b_along_n=bool(b_along_n))
        if tiling.kind == "grouped_gemm":
            fields.update(experts=tiling.experts, top_k=tiling.top_k)
        if tiling.kind == "attention":
            fields.update(head_dim=tiling.head_size(named), head_group=tiling.head_group,
                          causal=bool(tiling.is_causal(named)))
        if first in measured_tiles(samples):
            fields["default_config"] = tile_text(first)
        try:
            answer = program.asked("tune_fit", fields)
        except (OSError, ValueError, NotImplementedError) as error:
            raise NoTable(str(error)) from None
        if answer["median_residual"] > MOST_RESIDUAL:
            path.unlink()
            raise NoTable(f"the wave formula errs by {100 * answer['median_residual']:.0f} %")


def tile_text(tile: Config) -> str:
    text = "{}x{}x{}/w{}/s{}".format(*tile[:5])
    return text if tile[5] == 1 else f"{text}/k{tile[5]}"


def measured_tiles(samples: Path) -> set[Config]:
    with open(samples, newline="") as file:
        return {tuple(int(row.get(name) or 1) for name in ("bm", "bn", "bk", "warps", "stages", "split_k"))
                for row in csv.DictReader(file)}


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def matrices(named: Mapping[str, Any]) -> list[Any]:
    return [value for value in named.values() if hasattr(value, "dtype") and len(value.shape) >= 2]


def operand_bytes(named: Mapping[str, Any]) -> int:
    return matrices(named)[0].element_size() if matrices(named) else 2


def output_bytes(named: Mapping[str, Any]) -> int:
    found = matrices(named)
    return found[min(2, len(found) - 1)].element_size() if found else 2


__all__ = ["NoTable", "UnclearCall", "WaveTables"]
