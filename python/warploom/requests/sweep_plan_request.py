"""Chooses what warploom-collect times.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Sequence
from warploom.answers import SweepPlanAnswer
from warploom.session import PathText, Progress, ask, listed


def sweep_plan(
    *,
    gpu: PathText,
    output: PathText,
    like: Sequence[PathText] | None = None,
    except_: Sequence[PathText] | None = None,
    schemes: Sequence[PathText] | None = None,
    families: Sequence[PathText] | None = None,
    node_gpus: int | None = None,
    operators: int | None = None,
    random: int | None = None,
    apart_from: PathText | None = None,
    longest_ms: float | None = None,
    predictor: PathText | None = None,
    seed: int | None = None,
    progress: Progress = False,
) -> SweepPlanAnswer:
    """Chooses what warploom-collect times.

    gpu: the GPU to be swept
    output: the plan's file
    like: only shapes of these models
    except: no shapes of these models
    schemes: of products (bf16, fp8_static)
    families: only these
    node_gpus: of the node: with more than one also collectives over them; default 1
    operators: at most; default 40000
    random: draw this many without regard to doubt, to check with; default 0
    apart_from: a plan whose operators are left out
    longest_ms: leave out operators predicted to take longer [ms]; default 5.0
    predictor: folder of a predictor, or roofline
    seed: of every random choice; default 1
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "gpu": gpu, "output": output, "like": listed(like), "except": listed(except_), "schemes":
        listed(schemes), "families": listed(families), "node_gpus": node_gpus, "operators":
        operators, "random": random, "apart_from": apart_from, "longest_ms": longest_ms,
        "predictor": predictor, "seed": seed}
    return SweepPlanAnswer(ask("sweep_plan", fields, progress))
