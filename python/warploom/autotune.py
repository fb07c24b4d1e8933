"""@warploom.autotune: takes the place of @triton.autotune, with the same arguments and no edit to the kernel.

A key (the values named in `key`, and the types of the tensors) is measured once, by one process. The choice
is stored beside Triton's cache under the kernel's source, the GPU and Triton's version; ranks that wait and
later runs only look it up. Within measuring noise the configuration that stands first in the list is kept:
put the safe default there.

    @warploom.autotune(configs=[triton.Config({"BLOCK_M": 128}, num_warps=8), ...], key=["M", "N", "K"])
    @triton.jit
    def kernel(...): ...
"""
import hashlib
import math
import os
from pathlib import Path

from warploom.decisions import Decisions

# Repeats of one timing on an H200 differ by 0.7 % in the median and 2.5 % at the 95th percentile.
NOISE = 0.015


def triton_cache():
    return Path(os.environ.get("TRITON_CACHE_DIR") or Path.home() / ".triton" / "cache")


def device_identity():
    """(GPU name, Triton version)."""
    import torch
    import triton
    return torch.cuda.get_device_name(), triton.__version__


def key_reader(arg_names, key, args, kwargs):
    """A function of (args, kwargs) that tells apart what a decision depends on, for calls of this form: the
    key's values, the types of the tensors and which arguments are None. It raises AttributeError when
    something else than a tensor stands in a tensor's place."""
    parts = []
    for place, (name, value) in enumerate([*zip(arg_names, args), *kwargs.items()]):
        at = f"a[{place}]" if place < len(args) else f"k[{name!r}]"
        if name in key:
            parts.append(at)
        if hasattr(value, "dtype"):
            parts.append(f"{at}.dtype")
        elif value is None:
            parts.append(f"{at} is None")
    return eval(f"lambda a, k: ({''.join(part + ', ' for part in parts)})")


def config_text(config):
    return str(config)


class TunedKernel:
    def __init__(self, kernel, configs, key, prune=None, reset=(), restore=(), pre_hook=None, post_hook=None,
                 do_bench=None, folder=None, identity=None):
        if not configs:
            raise ValueError("warploom.autotune: no configuration, expected at least one")
        unknown = [name for name in [*key, *reset, *restore] if name not in kernel.arg_names]
        if unknown:
            raise ValueError(f"warploom.autotune: the kernel has no argument {', '.join(unknown)}")
        self.kernel, self.configs, self.key, self.prune = kernel, list(configs), list(key), prune or {}
        self.reset, self.restore, self.hooks = list(reset), list(restore), (pre_hook, post_hook)
        self.do_bench, self.folder, self._identity = do_bench, folder, identity
        self.arg_names, self._known, self._forms, self._decisions = kernel.arg_names, {}, {}, None
        self.measured = 0  # keys that this process measured

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def run(self, *args, **kwargs):
        config = self.decision(args, kwargs)
        if config.pre_hook is not None:
            config.pre_hook({**self._named(args, kwargs), **kwargs, **config.all_kwargs()})
        return self.kernel.run(*args, **kwargs, **config.all_kwargs())

    def decision(self, args, kwargs):
        """The configuration for a call: looked up when its key was met before, else read from the store or
        measured."""
        # Which arguments are tensors depends on how the kernel is called: found out once for each form.
        form = (len(args), *kwargs) if kwargs else len(args)
        places = self._forms.get(form)
        if places is not None:
            try:
                key = places(args, kwargs)
                return self._known[form, key]
            except (KeyError, AttributeError):
                pass
        named = self._named(args, kwargs)
        key = tuple([named[name] for name in self.key if name in named] +
                    [str(value.dtype) for value in named.values() if hasattr(value, "dtype")])
        config = self._decide(key, named, args, kwargs)
        places = self._forms[form] = key_reader(self.arg_names, self.key, args, kwargs)
        self._known[form, places(args, kwargs)] = config
        return config

    def _named(self, args, kwargs):
        named = dict(zip(self.arg_names, args))
        named.update((name, value) for name, value in kwargs.items() if name in self.arg_names)
        return named

    def _decide(self, key, named, args, kwargs):
        by_text = {config_text(config): config for config in self.configs}
        if len(by_text) == 1:
            return self.configs[0]
        stored = self.decisions().decide(repr(key), lambda: config_text(self._best(named, args, kwargs)))
        # A list that was edited since: the first stands until the key is measured again.
        return by_text.get(stored, self.configs[0])

    def decisions(self):
        if self._decisions is None:
            gpu, version = self._identity or device_identity()
            source = getattr(self.kernel, "src", None) or repr(self.kernel)
            listed = "\n".join([source, *map(config_text, self.configs)])
            digest = hashlib.sha256(listed.encode()).hexdigest()[:32]
            identity = {"kernel": digest, "gpu": gpu, "triton": version}
            name = hashlib.sha256(repr(sorted(identity.items())).encode()).hexdigest()[:32]
            folder = Path(self.folder) if self.folder else triton_cache() / "warploom"
            self._decisions = Decisions(folder / f"{name}.json", identity)
        return self._decisions

    def _candidates(self, named, kwargs):
        configs = self.configs
        if "early_config_prune" in self.prune:
            configs = list(self.prune["early_config_prune"](configs, named, **kwargs)) or self.configs[:1]
        top, model = self.prune.get("top_k", 1.0), self.prune.get("perf_model")
        if model is not None:
            count = max(1, int(len(configs) * top) if isinstance(top, float) else top)
            cost = {id(config): model(**named, **kwargs, **config.all_kwargs()) for config in configs}
            configs = sorted(configs, key=lambda config: cost[id(config)])[:count]
        return configs

    def _best(self, named, args, kwargs):
        self.measured += 1
        candidates = self._candidates(named, kwargs)
        timed = [(self._time(config, named, args, kwargs), config) for config in candidates]
        least = min(time for time, _ in timed)
        if math.isinf(least):
            raise RuntimeError("warploom.autotune: no configuration runs on this GPU")
        return next(config for time, config in timed if time <= least * (1 + NOISE))

    def _time(self, config, named, args, kwargs):
        """Milliseconds, infinite when the compiler or the GPU refuses."""
        import triton
        bench = self.do_bench or triton.testing.do_bench
        saved = {name: named[name].clone() for name in self.restore}
        before, after = self.hooks

        def call():
            for name in self.reset:
                named[name].zero_()
            for name, value in saved.items():
                named[name].copy_(value)
            if before is not None:
                before(named)
            if config.pre_hook is not None:
                config.pre_hook({**named, **kwargs, **config.all_kwargs()})
            self.kernel.run(*args, **kwargs, **config.all_kwargs())
            if after is not None:
                after(named, exception=None)
        try:
            return float(bench(call))
        except (triton.runtime.errors.OutOfResources, triton.compiler.errors.CompileTimeAssertionFailure):
            return math.inf
        finally:
            for name, value in saved.items():
                named[name].copy_(value)


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None,
             post_hook=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=True):
    """Arguments as @triton.autotune; warmup, rep and cache_results are accepted and not needed."""
    def decorate(kernel):
        bench = do_bench
        if bench is None and use_cuda_graph:
            def bench(call):
                import triton
                return triton.testing.do_bench_cudagraph(call)
        return TunedKernel(kernel, configs, key, prune_configs_by, reset_to_zero or (), restore_value or (),
                           pre_hook, post_hook, bench)
    return decorate
