"""Kernels of a step that read weights or only move memory: a start and a share of the memory's rate."""

import math
from typing import NamedTuple

from least_squares import percentile, search
from step_folder import config_of, tokens_of

BF16 = 2  # bytes
PRODUCTS = ("nvjet", "splitKreduce")
EXPERTS = ("fused_moe_kernel", "vllm::moe::moe", "act_and_mul", "reduce_kernel<128", "count_and_sort")
STREAMING_TOKENS = {"products": 128, "experts": 64}  # beyond these arithmetic sets the pace


class Point(NamedTuple):
    """A call: the bytes and tokens of the operator and what it took; `starts` kernels begin and end."""

    tokens: float
    bytes: float
    us: float
    starts: float = 1


def kernels_with(steps, row, words):
    return [k for k in steps.kernels_of(row) if any(word in k["kernel"] for word in words)]


def head_dim(config):
    return config.get("head_dim", config["hidden_size"] // config["num_attention_heads"])


def bytes_of(rule, config, tokens):
    """Work of a layer's operator, as kernels/work.h counts them."""
    hidden, heads = config["hidden_size"], config["num_key_value_heads"] * head_dim(config)
    if rule == "norms":
        return (4 * tokens * hidden + hidden) * BF16
    if rule == "activations":
        return 3 * tokens * config["intermediate_size"] * BF16
    if rule == "rotations":
        rotated = config["num_attention_heads"] * head_dim(config) + heads
        return (2 * tokens * rotated + tokens * head_dim(config)) * BF16
    return 2 * 2 * tokens * heads * BF16  # cache_writes


def stream_points(rule, steps, words):
    """A point for each step: the mean over the calls of its kernels."""
    config, found = config_of(steps.name.split("/")[1]), []
    for row in steps.rows:
        kernels = kernels_with(steps, row, words)
        if calls := sum(float(k["calls"]) for k in kernels):
            tokens = tokens_of(row)
            us = sum(float(k["us"]) for k in kernels) / calls
            found.append(Point(tokens, bytes_of(rule, config, tokens), us))
    return found


def stream_time(values, point, memory):
    launch, share, per_token = values
    return launch + max(point.bytes / (share * memory), point.tokens * per_token)


def fit_stream(points, memory, start, free):
    cost = lambda v: sum(math.log(stream_time(v, p, memory) / p.us) ** 2 for p in points)
    return search(cost, start, free)


def interval(points, memory, values):
    """The 10th and 90th percentile of ln(time / rule)."""
    residuals = [math.log(p.us / stream_time(values, p, memory)) for p in points]
    return percentile(residuals, 0.1), percentile(residuals, 0.9)


def product_points(steps):
    """The products of a layer together and, where a step decodes, the one that makes logits."""
    config, found = config_of(steps.name.split("/")[1]), []
    hidden, width, d = config["hidden_size"], config["intermediate_size"], head_dim(config)
    queries, keys = config["num_attention_heads"] * d, config["num_key_value_heads"] * d
    layer = hidden * (2 * queries + 2 * keys + 3 * width) * BF16
    for row in steps.rows:
        tokens, kernels = tokens_of(row), kernels_with(steps, row, PRODUCTS)
        if row["kind"] == "mixed" or tokens > STREAMING_TOKENS["products"] or not kernels:
            continue
        few = steps.model.layers / 2
        us = sum(float(k["us"]) for k in kernels if float(k["calls"]) >= few) / steps.model.layers
        found.append(Point(tokens, layer, us, 4))
        logits = sum(float(k["us"]) for k in kernels if float(k["calls"]) < few)
        if row["kind"] == "decode" and logits:
            found.append(Point(tokens, hidden * config["vocab_size"] * BF16, logits))
    return found


def expert_points(steps):
    """The experts of a layer; tokens choose by chance."""
    config, found = config_of(steps.name.split("/")[1]), []
    experts, top_k = config["num_experts"], config["num_experts_per_tok"]
    weights = 3 * config["hidden_size"] * config["moe_intermediate_size"] * BF16
    for row in steps.rows:
        tokens, kernels = tokens_of(row), kernels_with(steps, row, EXPERTS)
        if tokens > STREAMING_TOKENS["experts"] or not kernels:
            continue
        hit = experts * (1 - (1 - top_k / experts) ** tokens)
        us = sum(float(k["us"]) for k in kernels) / steps.model.layers
        found.append(Point(tokens, hit * weights, us))
    return found


def fit_weights(points, memory, start):
    """ends, share and, where it is started with, the rows that double the time."""

    def cost(values):
        ends, share = values[:2]
        rows = values[2] if len(values) > 2 else math.inf
        time = lambda p: (1 + p.tokens / rows) * (p.starts * ends + p.bytes / (share * memory))
        return sum(math.log(time(p) / p.us) ** 2 for p in points)

    return search(cost, start)
