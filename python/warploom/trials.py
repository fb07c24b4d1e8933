"""Times one configuration of a kernel at a call that was made, with the hooks that @triton.autotune knows."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any


class Trials:
    def __init__(
        self,
        kernel: Any,
        reset: Iterable[str] = (),
        restore: Iterable[str] = (),
        pre_hook: Callable[..., object] | None = None,
        post_hook: Callable[..., object] | None = None,
        bench: Callable[[Callable[[], object]], Any] | None = None,
    ) -> None:
        self.kernel, self.reset, self.restore = kernel, list(reset), list(restore)
        self.pre_hook, self.post_hook, self.bench = pre_hook, post_hook, bench

    def prepare(self, config: Any, named: Mapping[str, Any]) -> None:
        """Before a launch: the caller's hook, or zeros where they are asked for; then the configuration's."""
        full = {**named, **config.all_kwargs()}
        if self.pre_hook is not None:
            self.pre_hook(full)
        else:
            for name in self.reset:
                named[name].zero_()
        if config.pre_hook is not None:
            config.pre_hook(full)

    def launch(
        self,
        config: Any,
        named: Mapping[str, Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        grid: Any,
    ) -> None:
        self.prepare(config, named)
        self.kernel.run(*args, **{**kwargs, "grid": grid, "warmup": False}, **config.all_kwargs())
        if self.post_hook is not None:
            self.post_hook({**named, **config.all_kwargs()}, exception=None)

    def clean(self, config: Any, named: Mapping[str, Any]) -> None:
        """After trials, so that the launch that counts finds what it would have found."""
        if self.pre_hook is not None:
            self.pre_hook({**named, **config.all_kwargs()}, reset_only=True)
            return
        for name in self.reset:
            named[name].zero_()

    def time(
        self,
        config: Any,
        named: Mapping[str, Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        grid: Any,
    ) -> float:
        """Milliseconds, infinite when the compiler or the GPU refuses."""
        import triton
        bench = self.bench or triton.testing.do_bench
        saved = {name: named[name].clone() for name in self.restore}

        def call() -> None:
            for name, value in saved.items():
                named[name].copy_(value)
            self.launch(config, named, args, kwargs, grid)
        try:
            return float(bench(call))
        except (triton.runtime.errors.OutOfResources, triton.compiler.errors.CompileTimeAssertionFailure):
            return math.inf
        finally:
            for name, value in saved.items():
                named[name].copy_(value)
