#!/usr/bin/env python3
"""What a step's kernels outside of the model take: inputs and sampling. Prints the line through them.

sampling.py FOLDER... --fit SET/MODEL...      FOLDER: steps of tools/engine_truth/steps.py

The sum of kernels and copies of a decoding step that are in no CUDA graph, less products and attention, is
a + b * rows * vocabulary: least squares of relative errors over all steps of the models together. Then the
error of that line for each model of the folders, so that models it was not fitted to judge it; and the
interval of a price: how near, in ln, the line is to 80 % of their steps. What the program has was printed for

  --fit vllm_0_24_h200/llama8b vllm_0_24_h200/qwen30b vllm_0_24_h200/dsv2lite

with the steps/ of both folders of tests/fixtures/engine."""

import argparse
import math
from pathlib import Path

from step_folder import MODELS, read_rows

ELSEWHERE = ("nvjet", "gemm", "splitK", "flash")  # products and attention have prices of their own


def points(path, vocabulary):
    """(logits, us) of each decoding step."""
    sums = {}
    for row in read_rows(path):
        if row["kind"] == "decode":
            sums.setdefault(row["batch"], 0.0)
            if row["in_graph"] == "0" and not any(name in row["kernel"] for name in ELSEWHERE):
                sums[row["batch"]] += float(row["us"])
    return [(int(batch.split("x")[0]) * vocabulary, us) for batch, us in sums.items() if "+" not in batch]


def line(found):
    """a, b of the least relative squares: weights 1 / us."""
    s, sx, sy, sxx, sxy = 0.0, 0.0, 0.0, 0.0, 0.0
    for x, y in found:
        w = 1 / y**2
        s, sx, sy, sxx, sxy = s + w, sx + w * x, sy + w * y, sxx + w * x * x, sxy + w * x * y
    b = (s * sxy - sx * sy) / (s * sxx - sx * sx)
    return (sy - b * sx) / s, b


def nearest(share, found, a, b):
    """The distance in ln within which that share of the steps lies from the line; one of theirs."""
    distances = sorted(abs(math.log(y / (a + b * x))) for x, y in found)
    return distances[math.ceil(share * len(distances)) - 1]


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--fit", nargs="+", required=True, help="SET/MODEL: what the line is fitted to")
    options = parser.parse_args()
    found = {}
    for folder in options.folders:
        for path in sorted(folder.glob("*_kernels.csv.gz")):
            model = path.name.split("_")[0]
            found[f"{folder.parent.name}/{model}"] = points(path, MODELS[model].vocabulary)
    a, b = line([point for name in options.fit for point in found[name]])
    print(f"{a:.1f} us and {1e6 * b:.2f} ps a logit")
    for name, of_model in found.items():
        errors = [(a + b * x) / y - 1 for x, y in of_model]
        mean = sum(abs(e) for e in errors) / len(errors)
        print(
            f"{name:28} {'fitted' if name in options.fit else 'judged'} {len(errors):3} steps "
            f"mean {100 * mean:5.1f} % bias {100 * sum(errors) / len(errors):+5.1f} % "
            f"worst {100 * max(errors, key=abs):+5.1f} %"
        )
    judged = [point for name, of_model in found.items() if name not in options.fit for point in of_model]
    if judged:
        print(f"80 % of the {len(judged)} judged steps lie within {nearest(0.8, judged, a, b):.3f} in ln")


if __name__ == "__main__":
    main()
