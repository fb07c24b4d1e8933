"""Writes the workloads that are stated, not measured: python3 data/traces/state_workloads.py FOLDER

Lengths are log-normal, cut off at least and most; arrivals are Poisson. The numbers are a choice, of the size that
published descriptions of such loads have; who has a trace of their own should give that.
"""
import json
import math
import pathlib
import statistics
import sys

STEPS = 500
# name: what it is, requests/s, (median, deviation of the logarithm, least, most) of prompt and answer
WORKLOADS = {
    "rag": ("questions with retrieved passages, no two prompts alike", 2.0,
            (3500, 0.4, 500, 16000), (150, 0.7, 10, 1500)),
    "reasoning": ("short questions with long chains of thought", 0.5,
                  (200, 1.0, 20, 8000), (3000, 0.9, 100, 32000)),
    "long_context": ("questions about whole documents or repositories", 0.1,
                     (32000, 0.6, 8000, 120000), (400, 0.7, 20, 4000)),
}


def log_normal(median, deviation, least, most):
    normal = statistics.NormalDist()
    inner = [median * math.exp(deviation * normal.inv_cdf(i / STEPS)) for i in range(1, STEPS)]
    return [float(least)] + [round(min(max(value, least), most), 1) for value in inner] + [float(most)]


def poisson_gaps():
    # The last quantile has no end: it closes the mean of the straight lines between quantiles at 1.
    gaps = [-math.log1p(-i / STEPS) for i in range(STEPS)]
    inner = sum((a + b) / 2 for a, b in zip(gaps, gaps[1:]))
    gaps.append(2 * (STEPS - inner) - gaps[-1])
    return [round(gap, 6) for gap in gaps]


def said(what, lengths):
    return f"{what} log-normal, median {lengths[0]}, deviation {lengths[1]}, from {lengths[2]} to {lengths[3]}"


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (about, rate, prompt, answer) in WORKLOADS.items():
        document = {
            "schema": "warploom.fitted_workload",
            "version": 1,
            "name": name,
            "source": f"stated, not measured: {about}; {said('prompts', prompt)}; {said('answers', answer)}; "
                      "Poisson arrivals (data/traces/state_workloads.py)",
            "request_rate_per_s": rate,
            "input_tokens": log_normal(*prompt),
            "output_tokens": log_normal(*answer),
            "arrival_gap": poisson_gaps(),
        }
        (folder / f"{name}.json").write_text(json.dumps(document) + "\n", encoding="utf-8")


main()
