"""python -m warploom.record ENGINE --output DIR -- the engine's own command line

python -m warploom.record vllm --output run1 -- serve Qwen/Qwen3-8B --port 8000
python -m warploom.record sglang --output run1 -- --model-path Qwen/Qwen3-8B --port 8000
touch run1/profile            # kernels of the next three steps, in run1/kernels_1.csv
warploom validate serving --run run1/run.json --requests run1/requests.csv
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import runpy
import sys
from collections.abc import Callable, Sequence
from typing import Any

from warploom.record.children import ENGINE, FOLDER, WATCHERS, watch
from warploom.record.folder import fresh_folder

CHILDREN = "warploom.record.children"


def vllm_command() -> Callable[[], Any]:
    command: Callable[[], Any] = importlib.import_module("vllm.entrypoints.cli.main").main
    return command


def sglang_command() -> Callable[[], Any]:
    """python -m sglang.launch_server has no function of its own: the module is run where it stands, and
    sys.modules["__main__"] stays this one, which children look for."""
    module = "sglang.launch_server"
    if importlib.util.find_spec(module) is None:
        raise ImportError(f"No module named '{module}'")
    return lambda: runpy.run_module(module, run_name="__main__")


COMMANDS = {"vllm": vllm_command, "sglang": sglang_command}
EXAMPLES = {"vllm": "serve MODEL", "sglang": "--model-path MODEL"}


def parse(words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    if "--" not in words:
        own, engine_words = list(words), list[str]()
    else:
        at = words.index("--")
        own, engine_words = list(words[:at]), list(words[at + 1 :])
    parser = argparse.ArgumentParser(
        prog="python -m warploom.record",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("engine", choices=sorted(WATCHERS))
    parser.add_argument("--output", required=True, metavar="DIR", help="a new or empty folder")
    request = parser.parse_args(own)
    if not engine_words:
        parser.error(
            "the engine's own command line is missing; put it after --, for example "
            f"-- {EXAMPLES[request.engine]}"
        )
    return request, engine_words


def main(words: Sequence[str]) -> Any:
    request, engine_words = parse(words)
    try:
        folder = str(fresh_folder(request.output).resolve())
    except (OSError, ValueError) as problem:
        sys.exit(str(problem))
    try:
        run = COMMANDS[request.engine]()
    except ImportError as missing:
        sys.exit(f"{request.engine} cannot be imported by {sys.executable}: {missing}")
    os.environ[FOLDER], os.environ[ENGINE] = folder, request.engine
    watch(request.engine, folder)
    sys.argv = [request.engine, *engine_words]
    return run()


if __name__ == "__main__":
    __spec__ = importlib.util.find_spec(CHILDREN)  # what children that are spawned import
    sys.exit(main(sys.argv[1:]))
