"""What a process that a recorded engine starts anew runs in the place of the engine's main module.

multiprocessing's start method spawn imports the main module again in each child, under the name
__mp_main__, unless that is a package's __main__.py, which it passes over (multiprocessing/spawn.py,
_fixup_main_from_name). warploom.record therefore names this module as its main one.
"""

from __future__ import annotations

import importlib
import os

FOLDER = "WARPLOOM_RECORD_FOLDER"
ENGINE = "WARPLOOM_RECORD_ENGINE"
WATCHERS = {"vllm": "warploom.record.vllm_engine", "sglang": "warploom.record.sglang_engine"}


def watch(engine: str, folder: str) -> None:
    importlib.import_module(WATCHERS[engine]).watch(folder)


if __name__ == "__mp_main__" and FOLDER in os.environ:
    watch(os.environ[ENGINE], os.environ[FOLDER])
