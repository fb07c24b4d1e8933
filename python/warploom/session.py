"""Sessions: an open predictor that answers requests. One for the whole process is opened when first
needed."""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import math
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Union

from warploom.answer_notes import Notes
from warploom.frames import (
    DATA_FIELDS,
    SWEEP_FIELDS,
    as_sweep,
    is_frame,
    is_parquet,
    read_parquet,
    write_csv,
)

try:
    from warploom import _core
except ImportError as missing:  # in a source tree that was not built
    raise ImportError(
        "the compiled part of warploom is missing; install it with: pip install ."
    ) from missing

PathText = Union[str, "os.PathLike[str]"]
Progress = Union[bool, Callable[[float, float], Any]]


@functools.lru_cache(maxsize=4)
def open_session(predictor: str = "") -> _core.Session:
    """The session of a predictor: a folder that `train` wrote, "roofline", or "" for the shipped one. Raises
    FileNotFoundError on a path that leads nowhere, ValueError on a name that is none."""
    if os.sep in predictor and not os.path.exists(predictor):
        raise FileNotFoundError(f"{predictor}: no such predictor, expected a folder that `train` wrote")
    return _core.Session(predictor)


class Files:
    """Turns values that are no JSON into files for the time of a request: frames, configurations of
    models."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._names: dict[str, str] = {}  # of files: what the caller gave

    def __enter__(self) -> Files:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder:
            self._folder.cleanup()

    def path(self, ending: str, name: str) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="warploom_")
        path = Path(self._folder.name) / f"{len(self._names) + 1}{ending}"
        self._names[str(path)] = name
        return path

    def named(self, text: str) -> str:
        """The text of an error with the caller's names for the files that were made here, and rows of a
        frame, counted from 0, for lines of its file. The longest path first: 1 is the beginning of 12.csv."""
        for path in sorted(self._names, key=len, reverse=True):
            name = self._names[path]
            if path.endswith(".csv"):
                text = re.sub(
                    re.escape(path) + r":(\d+)", lambda found: f"{name}, row {int(found[1]) - 2}", text
                )
            text = text.replace(path, name)
        return text

    def plain(self, value: Any, name: str = "") -> Any:
        """The value as JSON has it. A frame becomes a CSV file, a transformers configuration a config.json;
        of NumPy numbers the number. `name`: of the field."""
        if _is_config(name, value):
            path = self.path(".json", f"{name} (a configuration)")
            path.write_text(json.dumps(value))
            return str(path)
        if isinstance(value, Mapping):
            return {str(key): self.plain(_in_pairs(str(key), each), str(key)) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(each, name) for each in value]
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if is_frame(value):
            write_csv(value, path := self.path(".csv", f"{name} (a frame)"))
            return str(path)
        if hasattr(value, "model_type") and hasattr(value, "to_dict"):  # transformers
            path = self.path(".json", f"{name} (a configuration)")
            path.write_text(json.dumps(value.to_dict(), default=str))
            return str(path)
        return value.item() if hasattr(value, "item") else value

    def measured(self, value: Any, sweep: bool, name: str) -> Any:
        """Measured data: as plain(), of a Parquet file a CSV file, and of {name: frame} a folder of such
        files. `sweep`: frames have the columns of a sweep."""
        if isinstance(value, (list, tuple)):
            return [self.measured(each, sweep, name) for each in value]
        if isinstance(value, Mapping) and any(
            is_frame(each) or is_parquet(each) for each in value.values()
        ):
            return self.folder(value, sweep, name)
        given = f"{name} (a frame)"
        if is_parquet(value):
            given, value = os.fspath(value), read_parquet(value)
        if is_frame(value):
            write_csv(as_sweep(value) if sweep else value, path := self.path(".csv", given))
            return str(path)
        return self.plain(value, name)

    def folder(self, frames: Mapping[str, Any], sweep: bool, given: str) -> str:
        """A folder with a CSV file for each frame: {"gemm/h100_sxm": frame}, where a layout tells tables
        and GPUs apart by their files' names."""
        root = self.path("", given)
        for name, frame in frames.items():
            parts = Path(name).parts
            if not parts or Path(name).is_absolute() or ".." in parts:
                raise ValueError(
                    f"data: '{name}': expected a file name without '..', such as gemm/h100_sxm"
                )
            path = root.joinpath(*parts)
            path = path if path.suffix == ".csv" else path.with_name(path.name + ".csv")
            path.parent.mkdir(parents=True, exist_ok=True)
            found = read_parquet(frame) if is_parquet(frame) else frame
            if not is_frame(found):
                raise ValueError(
                    f"data: '{name}' is {type(frame).__name__}, expected a frame or a Parquet file"
                )
            write_csv(as_sweep(found) if sweep else found, path)
            self._names[str(path)] = f"{given}['{name}']"
        return str(root)


def _check_plain(request: str, name: str, value: Any) -> None:
    if isinstance(value, Mapping):
        for key, each in value.items():
            _check_plain(request, f"{name}.{key}" if name else str(key), each)
    elif isinstance(value, list):
        for each in value:
            _check_plain(request, name, each)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{request}: {name} is {value}, expected a finite number")
    elif not isinstance(value, (str, int, float, bool, type(None))):
        raise TypeError(
            f"{request}: {name} is of {type(value).__name__}, expected text, a number, a list or a mapping"
        )


def json_text(request: str, fields: Mapping[str, Any]) -> str:
    """Fields as JSON. Raises ValueError on a number that is not finite, TypeError on a value that JSON
    has no word for; both name the field."""
    _check_plain(request, "", fields)
    return json.dumps(fields)


def path_text(value: Any) -> Any:
    """A path as text; anything else as it is."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def listed(value: Any) -> Any:
    """One thing as a list of it, for fields that are lists. An array is a list already."""
    if value is None or isinstance(value, (list, tuple)):
        return value
    return value.tolist() if type(value).__module__ == "numpy" and value.ndim else [value]


# Lists of texts, each a NAME and a value, which Python says as a mapping: {"ttft_p95_ms": 500}. A request
# whose field of that name is no list, as goodput of simulate, takes the mapping itself.
_PAIRS = {"slo": "=", "goodput": ":", "price": "=", "day_price": "="}


def _in_pairs(name: str, value: Any) -> Any:
    if name not in _PAIRS or not isinstance(value, (list, tuple)):
        return value
    texts: list[Any] = []
    for each in value:
        if isinstance(each, Mapping):
            texts += [f"{key}{_PAIRS[name]}{limit}" for key, limit in each.items()]
        else:
            texts.append(each)
    return texts


def _is_config(name: str, value: Any) -> bool:
    """Whether a model is given as the contents of its config.json."""
    return name in ("model", "supported_model") and isinstance(value, Mapping)


def _holds_frames(value: Any) -> bool:
    if isinstance(value, Mapping):
        value = list(value.values())
    return (
        is_frame(value) or is_parquet(value) or (isinstance(value, list) and any(map(_holds_frames, value)))
    )


class _Bar:
    """Progress by tqdm where it is installed, else as a line of standard error that is written over."""

    def __init__(self, title: str) -> None:
        self._title, self._shown = title, ""
        self._bar: Any = None
        with contextlib.suppress(ImportError):
            self._bar = importlib.import_module("tqdm.auto").tqdm(desc=title, leave=False)

    def __call__(self, done: float, total: float) -> None:
        if self._bar is not None:
            self._bar.total = total
            self._bar.update(done - self._bar.n)
            return
        line = f"{self._title}: {100 * done / total if total else 0:.0f} %"
        if line != self._shown:
            sys.stderr.write(f"\r{line}")
            sys.stderr.flush()
            self._shown = line

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._shown:
            sys.stderr.write("\r" + " " * len(self._shown) + "\r")
            sys.stderr.flush()


def ask(request: str, fields: Mapping[str, Any], progress: Progress = False) -> Any:
    """What the command `request` prints with --json, as Python values. Fields that are None are left out."""
    if not isinstance(progress, bool) and not callable(progress):
        raise TypeError(
            f"{request}: progress is {progress!r}, expected True, False or a function of (done, total)"
        )
    given = {key: value for key, value in fields.items() if value is not None}
    if "layout" in fields and any(_holds_frames(given.get(name)) for name in SWEEP_FIELDS):
        given.setdefault("layout", "warploom")  # of a sweep's columns
    layout = given.get("layout", "warploom" if request == "calibrate" else "")
    with Files() as files:
        data = {
            name: files.measured(given.pop(name), name in SWEEP_FIELDS and layout == "warploom", name)
            for name in DATA_FIELDS
            if name in given
        }
        text = json_text(request, {**files.plain(given), **data})
        follow: Any = _Bar(request) if progress is True else progress or None
        try:
            session = open_session(str(given.get("predictor", "")) if request != "schema" else "")
            with Notes() as notes:
                return json.loads(session.answer(request, text, follow, None, notes.take))
        except (ValueError, OSError) as error:
            if (said := files.named(str(error))) != str(error):
                raise type(error)(said) from None
            raise
        finally:
            if isinstance(follow, _Bar):
                follow.close()
