"""@warploom.autotune: takes the place of @triton.autotune, with the same arguments and no edit to the kernel.

Where the kernel's names say what its tiles are (or `tile=` does, see warploom.tiling), it is profiled once on
sparse anchors, a wave table is fitted and kept beside Triton's cache, and from then on any shape is looked
up. Otherwise, or where program or library of Warploom are missing, each key is measured once and remembered.
Either way one process decides, and ranks that wait and later runs read what it chose. Within measuring noise
the configuration that stands first in the list is kept: put the safe default there.

    @warploom.autotune(configs=[triton.Config({"BLOCK_M": 128}, num_warps=8), ...], key=["M", "N", "K"])
    @triton.jit
    def kernel(...): ...
"""
from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from warploom import ranks, tiling
from warploom.anchors import Config
from warploom.decisions import Decisions, short_hash
from warploom.table import Table
from warploom.tiling import Tiling
from warploom.trials import Trials
from warploom.wave_hook import NoTable, UnclearCall, WaveTables, reads_narrow_rows

# Reads from arguments by place and by name what a decision depends on.
Reader = Callable[[Sequence[Any], Mapping[str, Any]], tuple[Any, ...]]
Bench = Callable[[Callable[[], object]], Any]
# A table, the configuration of each tile, and that of each of the table's own.
Opened = tuple[Table, dict[Config, Any], list[Any]]

# Repeats of one timing on an H200 differ by 0.7 % in the median and 2.5 % at the 95th percentile.
NOISE = 0.015
MOST_KNOWN = 65536  # decisions kept in memory


def triton_cache() -> Path:
    return Path(os.environ.get("TRITON_CACHE_DIR") or Path.home() / ".triton" / "cache")


def device_identity() -> tuple[str, str]:
    """(GPU name, Triton version)."""
    import torch
    import triton
    return torch.cuda.get_device_name(), triton.__version__


def capturing() -> bool:
    """Whether a CUDA graph is being captured: nothing can be measured then."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    return cuda is not None and cuda.is_available() and cuda.is_current_stream_capturing()


def source_of(kernel: Any) -> str:
    """Text of the kernel below decorators such as triton.heuristics."""
    seen = kernel
    while seen is not None:
        if getattr(seen, "src", None):
            return str(seen.src)
        seen = getattr(seen, "fn", None)
    return type(kernel).__name__ + getattr(kernel, "__name__", "")


def key_reader(
    arg_names: Sequence[str],
    key: Iterable[str],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    tile: Tiling | None = None,
) -> Reader:
    """A function of (args, kwargs) that tells apart what a decision depends on, for calls of this form: with
    a Tiling first m, n and k; then the key's other values, the types of the tensors and which arguments are
    None. It raises AttributeError when something else than a tensor stands in a tensor's place."""
    places: dict[str, str] = {}
    parts: list[str] = []
    sizes: set[str] = set()
    for place, (name, value) in enumerate([*zip(arg_names, args), *kwargs.items()]):
        places[name] = f"a[{place}]" if place < len(args) else f"k[{name!r}]"
    if tile is not None:
        for names in tile.sizes():
            parts.append("*".join(places[name] for name in names))
            sizes.update(names)
    batch = () if tile is None or tile.batch is None else tile.batch
    others = {*key, *((batch,) if isinstance(batch, str) else batch)} - sizes
    for name, value in [*zip(arg_names, args), *kwargs.items()]:
        if name in others:
            parts.append(places[name])
        if hasattr(value, "dtype"):
            parts.append(f"{places[name]}.dtype")
        elif value is None:
            parts.append(f"{places[name]} is None")
    reader: Reader = eval(f"lambda a, k: ({''.join(part + ', ' for part in parts)})")
    return reader


def config_text(config: Any) -> str:
    return str(config)


class TunedKernel:
    def __init__(
        self,
        kernel: Any,
        configs: Iterable[Any],
        key: tuple[Any, ...],
        prune: Mapping[str, Any] | None = None,
        trials: Trials | None = None,
        folder: str | Path | None = None,
        identity: tuple[str, str] | None = None,
        tile: Tiling | None = None,
    ) -> None:
        if not configs:
            raise ValueError("warploom.autotune: no configuration, expected at least one")
        trials = trials or Trials(kernel)
        unknown = [name for name in [*key, *trials.reset, *trials.restore] if name not in kernel.arg_names]
        if unknown:
            raise ValueError(f"warploom.autotune: the kernel has no argument {', '.join(unknown)}")
        self.kernel, self.configs, self.key, self.prune = kernel, list(configs), list(key), prune or {}
        self.trials, self.folder, self._identity = trials, folder, identity
        self.arg_names: Sequence[str] = kernel.arg_names
        self._known: dict[tuple[Hashable, tuple[Any, ...]], Any] = {}
        self._forms: dict[Hashable, Reader] = {}
        self._open: dict[tuple[Hashable, tuple[Any, ...], bool], Opened] = {}
        self._decisions: Decisions | None = None
        self._tables: WaveTables | None = None
        self._warned = False
        self.scratch: Any = None  # a folder that lasts as long as this
        self.tile = self._tiling(tile)
        self.measured = 0  # keys that this process measured
        self.best_config: Any = None

    def _tiling(self, tile: Tiling | None) -> Tiling | None:
        if tile is not None:
            return tile or None
        metas = [set(config.all_kwargs()) for config in self.configs]
        if len(self.configs) < 2:
            return None
        return tiling.recognise(self.arg_names, set.intersection(*metas))

    @property
    def fn(self) -> Any:
        return self.kernel

    @property
    def name(self) -> str:
        return getattr(self.kernel, "__name__", type(self.kernel).__name__)

    @property
    def profiled(self) -> int:
        """Tables that this process measured for."""
        return 0 if self._tables is None else self._tables.profiled

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def run(
        self, *args: Sequence[Any], grid: Any = None, warmup: int | None = False, **kwargs: Mapping[str, Any]
    ) -> Any:
        config = self.best_config = self.decision(args, kwargs, grid)
        if config.pre_hook is not None:
            config.pre_hook({**self._named(args, kwargs), **kwargs, **config.all_kwargs()})
        return self.kernel.run(*args, grid=grid, warmup=warmup, **kwargs, **config.all_kwargs())

    def warmup(self, *args: Sequence[Any], **kwargs: Mapping[str, Any]) -> list[Any]:
        """Compiles the configurations that may be chosen; measures nothing."""
        return [self.kernel.warmup(*args, **kwargs, **config.all_kwargs())
                for config in self._candidates(self._named(args, kwargs), {})]

    def launch(self, config: Any, args: Sequence[Any], named: Mapping[str, Any], grid: Any) -> None:
        """One launch of the wave table's profile, at made-up arguments."""
        full = {**dict(zip(self.arg_names, args)), **named}
        self.trials.launch(config, full, args, named, grid)

    def decision(self, args: Sequence[Any], kwargs: Mapping[str, Any], grid: Any = None) -> Any:
        """The configuration for a call: looked up where the call's form was met before."""
        # Which arguments are tensors depends on how the kernel is called: found out once for each form.
        form = (len(args), *kwargs) if kwargs else len(args)
        reader = self._forms.get(form)
        if reader is not None:
            try:
                key = reader(args, kwargs)
            except AttributeError:
                return self._decide(form, args, kwargs, grid)
            known = self._known.get((form, key))
            if known is not None:
                return known
            opened = None
            if self.tile is not None:
                opened = self._open.get((form, key[3:], reads_narrow_rows(self.tile, key[:3])))
            if opened is not None:
                return self._pick(opened, form, key, args, kwargs)
        return self._decide(form, args, kwargs, grid)

    def _remember(self, form: Hashable, key: tuple[Any, ...], config: Any) -> Any:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[form, key] = config
        return config

    def _pick(
        self,
        opened: Opened,
        form: Hashable,
        key: tuple[Any, ...],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        table, by_tile, by_index = opened
        config = by_index[table.index(key[0], key[1], key[2])]
        if self.prune:
            allowed = {id(c) for c in self._candidates(self._named(args, kwargs), {}, ranked=False)}
            if id(config) not in allowed:
                ranked = [by_tile.get(tile) for tile in table.best(key[0], key[1], key[2], len(by_tile))]
                config = next((c for c in ranked if id(c) in allowed), config)
        return self._remember(form, key, config)

    def _named(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        named = dict(zip(self.arg_names, args))
        named.update((name, value) for name, value in kwargs.items() if name in self.arg_names)
        return named

    def _decide(self, form: Hashable, args: Sequence[Any], kwargs: Mapping[str, Any], grid: Any) -> Any:
        if len(self.configs) == 1 or capturing():
            return self.configs[0]
        named = self._named(args, kwargs)
        opened = None
        if self.tile is not None:
            opened = self._open_table(self.tile, form, named, args, kwargs, grid)
        if opened is None and self._forms.get(form) is None:
            self._forms[form] = key_reader(self.arg_names, self.key, args, kwargs)
        if opened is not None:
            return self._pick(opened, form, self._forms[form](args, kwargs), args, kwargs)
        config = self._measured(named, args, kwargs, grid)
        return self._remember(form, self._forms[form](args, kwargs), config)

    def _open_table(
        self,
        tile: Tiling,
        form: Hashable,
        named: Mapping[str, Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        grid: Any,
    ) -> Opened | None:
        """(Table, {tile: configuration}, [configuration]), or None where this call is to be measured."""
        try:
            narrow = reads_narrow_rows(tile, tile.shape(named))
            reader = self._forms[form] = key_reader(self.arg_names, self.key, args, kwargs, tile)
            rest = reader(args, kwargs)[3:]
            if (form, rest, narrow) not in self._open:
                table, by_tile = self.tables(tile).table(repr(rest), named, grid, narrow)
                by_index = [by_tile.get(each, self.configs[0]) for each in table.configs()]
                self._open[form, rest, narrow] = table, by_tile, by_index
            return self._open[form, rest, narrow]
        except UnclearCall as error:
            self._warn(f"{error}; this key is measured, the next call is looked at again")
        except (NoTable, OSError, KeyError, TypeError) as error:
            self._warn(f"{error or type(error).__name__}; each key is measured")
            self.tile = None
            self._forms.pop(form, None)
        return None

    def _warn(self, text: str) -> None:
        if not self._warned:
            print(f"warploom: no wave table for {self.name}: {text} (tile= of warploom.autotune tells what "
                  "its tiles are)", file=sys.stderr)
        self._warned = True

    def identity(self) -> dict[str, str]:
        gpu, version = self._identity or device_identity()
        listed = "\n".join([source_of(self.kernel), *map(config_text, self.configs)])
        return {"kernel": short_hash(listed), "gpu": gpu, "triton": version}

    def cache_folder(self) -> Path:
        return Path(self.folder) if self.folder else triton_cache() / "warploom"

    def tables(self, tile: Tiling) -> WaveTables:
        if self._tables is None:
            self._tables = WaveTables(self, tile, self.cache_folder(), self.identity())
        return self._tables

    def decisions(self) -> Decisions:
        if self._decisions is None:
            identity = self.identity()
            name = short_hash(repr(sorted(identity.items())))
            self._decisions = Decisions(self.cache_folder() / f"{name}.json", identity)
        return self._decisions

    def _measured(
        self, named: Mapping[str, Any], args: Sequence[Any], kwargs: Mapping[str, Any], grid: Any
    ) -> Any:
        """By measuring the key, or what was measured before."""
        key = tuple([named[name] for name in self.key if name in named] +
                    [str(value.dtype) for value in named.values() if hasattr(value, "dtype")])
        by_text = {config_text(config): config for config in self.configs}
        decisions = self.decisions()

        def choose() -> str:
            return config_text(self._best(named, args, kwargs, grid))
        stored = ranks.decided_once(f"{decisions.path.stem}/{key!r}",
                                    lambda: decisions.decide(repr(key), choose).encode())
        # A list that was edited since, or a rank that failed: the first stands.
        return by_text.get(stored.decode() if stored else "", self.configs[0])

    def _candidates(
        self, named: Mapping[str, Any], kwargs: Mapping[str, Any], ranked: bool = True
    ) -> list[Any]:
        configs = self.configs
        if "early_config_prune" in self.prune:
            configs = list(self.prune["early_config_prune"](configs, named, **kwargs)) or self.configs[:1]
        top, model = self.prune.get("top_k", 1.0), self.prune.get("perf_model")
        if model is not None and ranked:
            count = max(1, int(len(configs) * top) if isinstance(top, float) else top)
            cost = {id(config): model(**named, **kwargs, **config.all_kwargs()) for config in configs}
            configs = sorted(configs, key=lambda config: cost[id(config)])[:count]
        return configs

    def _best(
        self, named: Mapping[str, Any], args: Sequence[Any], kwargs: Mapping[str, Any], grid: Any
    ) -> Any:
        self.measured += 1
        others = {name: value for name, value in kwargs.items() if name not in named}
        candidates = self._candidates(named, others)
        timed = [(self.trials.time(config, named, args, kwargs, grid), config) for config in candidates]
        self.trials.clean(candidates[0], named)
        least = min(time for time, _ in timed)
        if math.isinf(least):
            raise RuntimeError("warploom.autotune: no configuration runs on this GPU")
        return next(config for time, config in timed if time <= least * (1 + NOISE))


def bench_of(
    warmup: int | None, rep: int | None, use_cuda_graph: bool, do_bench: Bench | None
) -> Bench | None:
    """How a key is timed, as Triton chooses it; None: triton.testing.do_bench."""
    if do_bench is not None:
        return do_bench
    if use_cuda_graph:
        def graph(call: Callable[[], object]) -> Any:
            import triton
            return triton.testing.do_bench_cudagraph(call, **({} if rep is None else {"rep": rep}))
        return graph
    if warmup is None and rep is None:
        return None

    def events(call: Callable[[], object]) -> Any:
        import triton
        return triton.testing.do_bench(call, warmup=25 if warmup is None else warmup,
                                       rep=100 if rep is None else rep)
    return events


def autotune(configs: Any, key: Any, prune_configs_by: Any = None, reset_to_zero: Any = None,
             restore_value: Any = None, pre_hook: Any = None, post_hook: Any = None, warmup: Any = None,
             rep: Any = None, use_cuda_graph: bool = False, do_bench: Any = None, cache_results: bool = True,
             tile: Any = None) -> Callable[[Any], Any]:
    """Arguments as @triton.autotune. `tile`: a warploom.Tiling where names are not the customary ones, False
    to measure each key. Tables are profiled by CUDA graphs over rotating operands whatever warmup, rep,
    use_cuda_graph and do_bench say: these serve keys that are measured. perf_model and top_k restrict
    measured keys alone, early_config_prune both. cache_results=False keeps nothing after the process."""
    def decorate(kernel: Any) -> TunedKernel:
        trials = Trials(kernel, reset_to_zero or (), restore_value or (), pre_hook, post_hook,
                        bench_of(warmup, rep, use_cuda_graph, do_bench))
        folder = None
        if not cache_results:
            import tempfile

            scratch = tempfile.TemporaryDirectory(prefix="warploom")
            folder = scratch.name
        tuned = TunedKernel(kernel, configs, key, prune_configs_by, trials, folder, tile=tile)
        tuned.scratch = None if cache_results else scratch
        return tuned
    return decorate
