"""Lets something follow a call of an engine's object."""

import sys


def say(text):
    """What a recorder says goes beside the engine's own messages."""
    print(f"warploom.record: {text}", file=sys.stderr, flush=True)


def after(owner, name, action):
    """Lets `action(answer, words)` follow each call of owner.name, where there is one."""
    call = getattr(owner, name, None)
    if call is None:
        say(f"this engine has no {name}: its column stays empty")
        return

    def watched(*words, **named):
        answer = call(*words, **named)
        action(answer, words)
        return answer

    setattr(owner, name, watched)
