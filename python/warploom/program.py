"""Requests of the tuner: by the compiled part of the package, else by the program `warploom`."""
from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def built_file(variable: str, pattern: str) -> str | None:
    """The file that the variable names, else the first match of `pattern` in the source tree, else None."""
    named = os.environ.get(variable)
    if named:
        return named
    root = Path(__file__).resolve().parents[2]
    return next((str(path) for path in sorted(root.glob(pattern))), None)


def find_program() -> str:
    """WARPLOOM_PROGRAM, build/*/bin/warploom of the source tree, or the one on PATH. FileNotFoundError."""
    import shutil

    found = built_file("WARPLOOM_PROGRAM", "build/*/bin/warploom") or shutil.which("warploom")
    if found:
        return found
    raise FileNotFoundError("the program warploom: build it or set WARPLOOM_PROGRAM")


def run_json(words: Sequence[str]) -> Any:
    """What `warploom WORDS --json` answers. ValueError with the program's own line where it refuses."""
    import subprocess

    done = subprocess.run([find_program(), *words, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"warploom ended with {done.returncode}"]
        raise ValueError(lines[-1])
    return json.loads(done.stdout)


OPTIONS = {"default_config": "--default"}  # the others are called as their field


def words_of(request: str, fields: Mapping[str, Any]) -> list[str]:
    """The command that asks the same: "tune_fit" is `tune fit`."""
    words = request.split("_", 1)
    for name, value in fields.items():
        option = OPTIONS.get(name, "--" + name.replace("_", "-"))
        if isinstance(value, bool):
            words.append(option if value else "--no-" + option[2:])
        else:
            for each in value if isinstance(value, list) else [value]:
                words += [option, str(each)]
    return words


def asked(request: str, fields: Mapping[str, Any]) -> Any:
    """The request's answer. Raises ValueError, OSError, NotImplementedError."""
    try:
        from warploom import _core
    except ImportError:
        return run_json(words_of(request, fields))
    return json.loads(_core.Session("roofline").answer(request, json.dumps(fields)))
