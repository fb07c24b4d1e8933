"""One rank decides and all others take what it decided, through the store of torch.distributed's group.

The store needs no collective call, so ranks may come at different times, and some never. Without a group
the caller's lock on a shared file is enough.
"""
from __future__ import annotations

import datetime
import sys
from collections.abc import Callable
from typing import Any

WAIT_SECONDS = 900


def distributed_store() -> Any:
    """The store that all ranks of this job share, or None."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized() \
            or distributed.get_world_size() < 2:
        return None
    return distributed.distributed_c10d._get_default_store()


def decided_once(
    name: str, decide: Callable[[], bytes | None], store: Any = None
) -> bytes | None:
    """bytes of decide(), called by the first rank that asks for `name`; None where that rank failed or does
    not answer within WAIT_SECONDS. Without a store each process decides."""
    store = store if store is not None else distributed_store()
    if store is None:
        return decide()
    key = f"warploom/{name}"
    if store.add(key + "/asked", 1) > 1:
        try:
            store.wait([key], datetime.timedelta(seconds=WAIT_SECONDS))
        except RuntimeError:
            return None
        answer = bytes(store.get(key))
        return answer[1:] if answer[:1] == b"1" else None
    result = None
    try:
        result = decide()
    finally:
        store.set(key, b"0" if result is None else b"1" + result)
    return result
