"""What a step of a tile of experts takes, from the two products of a layer in a profiled step's timeline."""

import math
import statistics

from step_folder import config_of, read_rows

KERNEL = "fused_moe_kernel"


def products_us(path, tokens):
    """The medians of a layer's first and second product over the layers of a prompt of so many tokens."""
    rows = [float(row["us"]) for row in read_rows(path)
            if row["kernel"] == KERNEL and row["batch"] == f"1x{tokens}"]
    return statistics.median(rows[::2]), statistics.median(rows[1::2])


def waves_and_steps(config, tile, sms):
    """The two products with a tile an expert: waves, and steps of a tile."""
    hidden, width, experts = config["hidden_size"], config["moe_intermediate_size"], config["num_experts"]
    waves = lambda columns: math.ceil(experts * math.ceil(columns / tile["columns"]) / sms)
    return ((waves(2 * width), math.ceil(hidden / tile["depth"])),
            (waves(hidden), math.ceil(width / tile["depth"])))


def fit(first, second, shape):
    """us of a step, and a tile's ends in steps, of two products with (waves, steps) each."""
    (waves_1, steps_1), (waves_2, steps_2) = shape
    ratio = first * waves_2 / (second * waves_1)
    ends = (steps_1 - ratio * steps_2) / (ratio - 1)
    return first / (waves_1 * (steps_1 + ends)), ends


def step_rate(step_us, tile, sms, rate):
    """The share of the matrix units' rate (FLOP a us)."""
    return 2 * tile["rows"] * tile["columns"] * tile["depth"] * sms / (step_us * rate)


def tokens_for_one_tile(config, tile):
    """The prompt whose experts have as many rows each as the least that take the tile."""
    return round(tile["least_rows"] * config["num_experts"] / config["num_experts_per_tok"])
