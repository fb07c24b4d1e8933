"""When SGLang's server sent each request to its scheduler, which looks for new ones once a step.

The server's process notes it in a file of the recording, .sent, a line for each request; the scheduler's
reads it where it writes its rows. Both have the host's one clock. Seams (srt/managers/tokenizer_manager.py):
TokenizerManager._send_one_request and _send_batch_request, coroutines in newer releases.
"""

from __future__ import annotations

from warploom.record.journal import RequestRow

import functools
import importlib
import json
import os
import time
from collections.abc import Callable, Iterable
from typing import Any

now = time.monotonic

TOKENIZER = "sglang.srt.managers.tokenizer_manager"
WRAPPED: dict[str, dict[str, list[str]]] = {
    f"{TOKENIZER}.TokenizerManager": {"_send_one_request": [], "_send_batch_request": []}
}
FILE = ".sent"


def names_in(words: Iterable[Any]) -> list[str]:
    """The requests among the arguments of a call."""
    found: dict[str, None] = {}
    for word in words:
        for one in word if isinstance(word, (list, tuple)) else (word,):
            if hasattr(one, "input_ids") and isinstance(getattr(one, "rid", None), str):
                found[one.rid] = None
    return list(found)


def watch_senders(folder: str) -> None:
    """Makes every server that is built from now on in this process note what it sends."""
    os.makedirs(folder, exist_ok=True)
    file = os.open(os.path.join(folder, FILE), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    manager = importlib.import_module(TOKENIZER).TokenizerManager
    for name in ("_send_one_request", "_send_batch_request"):
        setattr(manager, name, noted(getattr(manager, name), file))


def noted(send: Callable[..., Any], file: int) -> Callable[..., Any]:
    @functools.wraps(send)
    def sent(self: Any, *words: Any, **named: Any) -> Any:
        lines = [json.dumps([name, now()]) for name in names_in([*words, *named.values()])]
        os.write(file, "".join(f"{line}\n" for line in lines).encode())
        return send(self, *words, **named)

    return sent


class SentRequests:
    """Reads what senders noted so far, each line once."""

    def __init__(self, folder: str) -> None:
        self.path, self.read = os.path.join(folder, FILE), 0
        self.times: dict[str, float] = {}

    def earlier(self, rows: list[RequestRow]) -> list[RequestRow]:
        """The rows, received when they were sent, where that is known."""
        if rows and os.path.exists(self.path):
            with open(self.path, "rb") as file:
                file.seek(self.read)
                lines = file.read().rpartition(b"\n")[0]
            self.read += len(lines) + 1 if lines else 0
            self.times.update(json.loads(line) for line in lines.splitlines())
        for row in rows:
            sent = self.times.pop(row["request_id"], None)
            if sent is not None and sent <= row["received_s"]:
                row["received_s"] = sent
        return rows
