"""The folder of a recording: iterations as they end, requests in order of arrival, the run's facts."""

from __future__ import annotations

import csv
import io
import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from warploom.record.journal import ITERATION_COLUMNS, Journal, REQUEST_COLUMNS, RequestRow


def text_of(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def write_whole(path: Path, text: str) -> None:
    """The file is there whole or not at all."""
    scratch = path.with_name(path.name + ".part")
    scratch.write_text(text)
    os.replace(scratch, path)


def fresh_folder(path: str | Path) -> Path:
    """Makes the folder. ValueError where it holds a recording already, which nobody wants overwritten."""
    path = Path(path)
    path.mkdir(parents=True, exist_ok=True)
    if (path / "run.json").exists():
        raise ValueError(f"{path}: holds a recording already, expected an empty or new folder")
    return path


class Recording:
    """Writes what a journal gathers, every `seconds` from a thread of its own, and at close()."""

    def __init__(
        self,
        folder: str | Path,
        journal: Journal,
        run: Mapping[str, Any],
        gpu_time: Callable[[Any], float | None],
        seconds: float = 2.0,
    ) -> None:
        self.folder, self.journal, self.gpu_time = Path(folder), journal, gpu_time
        self.run: dict[str, Any] = dict(run)
        self.requests: list[RequestRow] = []
        self.ending, self.lock = threading.Event(), threading.Lock()
        write_whole(self.folder / "iterations.csv", text_of([ITERATION_COLUMNS]))
        self.write()
        self.thread = threading.Thread(target=self._keep_writing, args=(seconds,), daemon=True)
        self.thread.start()

    def _keep_writing(self, seconds: float) -> None:
        while not self.ending.wait(seconds):
            self.write()

    def write(self) -> None:
        with self.lock:
            iterations = self.journal.take_iterations()
            if iterations:
                zero = self.journal.zero
                text = text_of([each.cells(zero, self.gpu_time) for each in iterations])
                # One write of whole lines: a reader, or what is left after a kill, sees no half row.
                with open(self.folder / "iterations.csv", "ab", buffering=0) as file:
                    file.write(text.encode())
            requests = self.journal.take_requests()
            if requests or not (self.folder / "run.json").exists():
                self.requests += requests
                self.requests.sort(key=lambda row: row["received_s"])
                rows = [self.journal.request_cells(row) for row in self.requests]
                write_whole(self.folder / "requests.csv", text_of([REQUEST_COLUMNS, *rows]))
                self.run["num_requests"] = len(rows)
                write_whole(self.folder / "run.json", json.dumps(self.run, indent=1) + "\n")

    def close(self) -> None:
        self.ending.set()
        self.write()
