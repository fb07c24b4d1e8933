"""Warploom for Python: predict GPU kernels, price steps of LLMs, simulate serving, tune kernels.

    import warploom
    warploom.predict("gemm", gpu="H100-SXM", m=64, n=4096, k=4096).p50_us
    warploom.step(model="Llama-3.1-8B", gpu="H200", decode="64x500").to_pandas()
    warploom.simulate(model="Llama-3.1-8B", gpu="H100-SXM", workload="conversation").mean_ttft_ms
    warploom.Step("Llama-3.1-8B", "H100-SXM").decode_ms(64, 500)          # a step at a time, for loops

Functions are the requests of the command line, with its names, defaults and answers. The tuner's side
needs no compiled part:

    @warploom.autotune(configs=..., key=...)           # as @triton.autotune
    from warploom.table import Table                   # look-ups in tables of `warploom tune fit`
    from warploom import anchors, profiler, subjects   # need torch and Triton
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from warploom.autotune import autotune as autotune
from warploom.tiling import Tiling as Tiling

try:
    from warploom.requests import FUNCTIONS
except ImportError:  # a source tree: requests and the types of their answers are written by the build
    FUNCTIONS = {}

if TYPE_CHECKING:
    from warploom.answer_notes import AnswerNote as AnswerNote
    from warploom.lists import gpu as gpu, gpus as gpus, models as models, schema as schema
    from warploom.operators import Question as Question, predict as predict
    from warploom.requests.all_requests import *  # noqa: F403
    from warploom.results import Predictions as Predictions
    from warploom.steps import Step as Step, StepPrice as StepPrice

# Loaded when first used: the compiled part is not needed by all.
_WHERE = {"AnswerNote": "answer_notes", "gpus": "lists", "gpu": "lists", "models": "lists", "schema": "lists",
          "predict": "operators", "Question": "operators", "Predictions": "results", "Step": "steps",
          "StepPrice": "steps", **{name: f"requests.{module}" for name, module in FUNCTIONS.items()}}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("warploom._core").version
    if name not in _WHERE:
        hint = "" if FUNCTIONS else "; requests are written by the build: pip install ."
        raise AttributeError(f"module 'warploom' has no attribute '{name}'{hint}")
    found = getattr(importlib.import_module(f"warploom.{_WHERE[name]}"), name)
    if name in FUNCTIONS:
        found = importlib.import_module("warploom.named_fields").with_hints(found)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """What is there to be used: neither this module's own imports nor its workings."""
    own = [name for name in globals() if name.startswith("__")]
    return sorted({*own, *_WHERE, "autotune", "Tiling"})
