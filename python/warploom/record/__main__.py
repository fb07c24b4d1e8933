"""python -m warploom.record ENGINE --output DIR -- the engine's own command line

python -m warploom.record vllm --output run1 -- serve Qwen/Qwen3-8B --port 8000
touch run1/profile            # kernels of the next three steps, in run1/kernels_1.csv
warploom validate serving --run run1/run.json --requests run1/requests.csv
"""

import argparse
import importlib
import os
import sys

from warploom.record.folder import fresh_folder

ENGINES = {"vllm": ("warploom.record.vllm_engine", "vllm.entrypoints.cli.main")}
FOLDER = "WARPLOOM_RECORD_FOLDER"
ENGINE = "WARPLOOM_RECORD_ENGINE"


def parse(words):
    if "--" not in words:
        own, engine_words = words, []
    else:
        at = words.index("--")
        own, engine_words = words[:at], words[at + 1 :]
    parser = argparse.ArgumentParser(
        prog="python -m warploom.record",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("engine", choices=sorted(ENGINES))
    parser.add_argument("--output", required=True, metavar="DIR", help="a new or empty folder")
    request = parser.parse_args(own)
    if not engine_words:
        parser.error("the engine's own command line is missing; put it after --, for example -- serve MODEL")
    return request, engine_words


def watch(engine, folder):
    importlib.import_module(ENGINES[engine][0]).watch(folder)


def main(words):
    request, engine_words = parse(words)
    try:
        folder = str(fresh_folder(request.output).resolve())
    except (OSError, ValueError) as problem:
        sys.exit(str(problem))
    os.environ[FOLDER], os.environ[ENGINE] = folder, request.engine
    try:
        entry = importlib.import_module(ENGINES[request.engine][1])
    except ImportError as missing:
        sys.exit(f"{request.engine} cannot be imported by {sys.executable}: {missing}")
    watch(request.engine, folder)
    sys.argv = [request.engine, *engine_words]
    return entry.main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
elif __name__ == "__mp_main__" and FOLDER in os.environ:  # a child process that starts anew
    watch(os.environ[ENGINE], os.environ[FOLDER])
