"""Decisions of a tuned kernel on disk: key -> configuration, one file a kernel, GPU and Triton version.

Any number of processes may decide: a lock lets one measure a key, and the others read what it chose, so that
all ranks and later runs use the same configuration. Files are replaced whole; a damaged one counts as empty.
"""
from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SCHEMA, VERSION = "warploom_decisions", 1


def short_hash(text: str) -> str:
    """A name for a text that a file may have."""
    import hashlib  # here: `import warploom` need not wait for what few ask for

    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Decisions:
    def __init__(self, path: str | os.PathLike[str], identity: Any) -> None:
        """`identity`: what the decisions hold for; a file of another one is not used."""
        self.path, self.identity, self.warned = Path(path), identity, False

    def read(self) -> dict[str, Any]:
        try:
            document = json.loads(self.path.read_text())
            entries = document["entries"]
            known = document["schema"] == SCHEMA and document["version"] == VERSION
            if not known or not isinstance(entries, dict):
                raise ValueError("not a decisions file of this version")
            if document["identity"] != self.identity:
                raise ValueError("of another kernel, GPU or Triton version")
            return entries
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError) as error:
            if not self.warned:
                print(f"warploom: {self.path}: {error}; measuring anew", file=sys.stderr)
            self.warned = True
            return {}

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(f"{self.path}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def decide(self, key: str, choose: Callable[[], Any]) -> Any:
        """The choice for `key`: the stored one, or choose() of the process that comes first."""
        found = self.read().get(key)
        if found is not None:
            return found
        with self.locked():
            entries = self.read()
            if key not in entries:
                entries[key] = choose()
                self._write(entries)
            return entries[key]

    def _write(self, entries: dict[str, Any]) -> None:
        fresh = self.path.with_suffix(f".{os.getpid()}.tmp")
        document = {"schema": SCHEMA, "version": VERSION, "identity": self.identity, "entries": entries}
        fresh.write_text(json.dumps(document, indent=1, sort_keys=True))
        os.replace(fresh, self.path)
