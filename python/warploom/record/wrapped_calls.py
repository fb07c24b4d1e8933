"""Lets something follow a call of an engine's object."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def say(text: str) -> None:
    """What a recorder says goes beside the engine's own messages."""
    print(f"warploom.record: {text}", file=sys.stderr, flush=True)


def after(owner: Any, name: str, action: Callable[[Any, tuple[Any, ...]], object]) -> None:
    """Lets `action(answer, words)` follow each call of owner.name, where there is one."""
    call = getattr(owner, name, None)
    if call is None:
        say(f"this engine has no {name}: its column stays empty")
        return

    def watched(*words: Any, **named: Any) -> Any:
        answer = call(*words, **named)
        action(answer, words)
        return answer

    setattr(owner, name, watched)
