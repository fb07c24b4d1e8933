"""What `warploom tune profile` runs: times a plan of a reference kernel on this machine's GPU.

    python3 -m warploom.profile --kind gemm --plan plan.csv --output samples.csv

Ends with 0 when the plan is measured to its end, 3 when time ran out (run again to go on), 4 when torch,
triton or a GPU is missing.
"""
from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":
    # Run as a file, this folder stands where the package's parent must.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

if TYPE_CHECKING:
    from warploom.anchors import Row
    from warploom.profiler import Subject

COMPLETE, OUT_OF_TIME, NOTHING_TO_RUN_ON = 0, 3, 4


def read_plan(path: str | Path) -> list[Row]:
    """Rows of (configuration, shape), cheap shapes of one kind together. Configurations have a sixth number
    where the plan has a column split_k."""
    with open(path, newline="") as file:
        rows = [tuple(int(cell) for cell in row) for row in list(csv.reader(file))[1:]]
    parts = ((row[:5] + row[8:], (row[5], row[6], row[7])) for row in rows)
    return sorted(parts, key=lambda row: (row[1], row[0]))


def what_is_missing() -> str | None:
    """A sentence, or None when this machine can measure."""
    try:
        import torch
        import triton  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed"
    return None if torch.cuda.is_available() else "torch sees no GPU"


def subject_of(options: argparse.Namespace) -> Subject:
    import torch
    from warploom import subjects
    if options.kind == "grouped_gemm":
        return subjects.GroupedGemm(options.experts, options.top_k, options.expert_skew)
    if options.kind == "attention":
        return subjects.Attention(options.head_dim, options.head_group, bool(options.causal))
    return subjects.Gemm(torch.float8_e4m3fn if options.operand_bytes == 1 else torch.bfloat16)


def program_of(options: argparse.Namespace, shape: tuple[int, ...]) -> tuple[bool, bool]:
    """Whether the compiler is not told that k, that n is a multiple of 16: then it makes other programs, with
    narrow loads and stores."""
    from warploom import anchors
    if options.kind == "attention":
        return False, False
    return anchors.is_narrow(shape[2]), anchors.is_narrow(shape[1])


def small_shape(options: argparse.Namespace, narrow_k: bool, narrow_n: bool = False) -> tuple[int, int, int]:
    if options.kind == "attention":
        return (256, 256, 8)
    return (64, 257 if narrow_n else 256, 255 if narrow_k else 256)


def parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m warploom.profile")
    parser.add_argument("--kind", choices=["gemm", "grouped_gemm", "attention"], required=True)
    parser.add_argument("--plan", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--seconds", type=float, default=240)
    for name, usual in [("operand-bytes", 2), ("experts", 1), ("top-k", 1), ("head-dim", 128),
                        ("head-group", 1), ("causal", 0)]:
        parser.add_argument("--" + name, type=int, default=usual)
    parser.add_argument("--expert-skew", type=float, default=0)
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    options = parse(words)
    missing = what_is_missing()
    if missing:
        print(f"warploom: tune profile: {missing}", file=sys.stderr)
        return NOTHING_TO_RUN_ON
    from warploom import profiler
    rows, subject = read_plan(options.plan), subject_of(options)
    done = profiler.read_done(options.output)
    left = sorted({config for config, shape in rows if (*config, *shape) not in done})
    for program in sorted({program_of(options, shape) for _, shape in rows}) if left else ():
        planned = {config for config, shape in rows if program_of(options, shape) == program}
        configs, small = sorted(planned & set(left)), small_shape(options, *program)
        for refusal in profiler.compile_all(subject, configs, [small]) if configs else []:
            print(f"left out: {refusal}", file=sys.stderr)
    result = profiler.profile(subject, rows, options.output, options.seconds)
    result["refused"] = len(result["refused"])
    print("\n" + json.dumps(result), file=sys.stderr)
    return COMPLETE if result["complete"] else OUT_OF_TIME


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
