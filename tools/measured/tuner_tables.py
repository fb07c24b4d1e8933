"""Tables of `tune regret`: which tables of tiles are fitted on what, and judged on what."""

from . import tuner
from .table_entry import Table

# A table fitted on anchors, and what must not be judged with it: the sets that its correction was learned
# from (tests/fixtures/tuner/README.md), those that the design was judged on, and the anchors.
F, D = "{fixtures}/tuner/", "{data}/tuner_h200/"
N, R, U = F + "narrow/", F + "odd_rows/", F + "unseen_rows/"
LEARNED = [F + "gemm_shapes.csv.gz", F + "gemm_near_odd.csv.gz", F + "gemm_shared_near.csv.gz"]
SHARED = [D + "anchors.csv.gz", D + "skinny.csv.gz"]


def with_odd_rows(name):
    """Rows that are no multiple of 16 run other programs, which have samples of their own."""
    both = [R + name + end for end in ("_both_anchors.csv.gz", "_both_near.csv.gz")]
    return [F + name + "_anchors.csv.gz", N + name + "_anchors.csv.gz", *both]


OWN, GROUPED, FP8 = (with_odd_rows(name) for name in ("gemm", "grouped", "gemm_fp8"))
GROUPED_16 = ["--kind", "grouped_gemm", "--experts", "16", "--top-k", "2", "--default", "64x64x32/w4/s3"]


def fit(name, samples, *options):
    output = ["--output", f"{{scratch}}/{name}.wlt"]
    return ["tune", "fit", "--gpu", "H200", *options, "--samples", *samples, *output]


def regret(name, oracle, seen):
    return [
        "tune",
        "regret",
        "--no-baselines",
        "--table",
        f"{{scratch}}/{name}.wlt",
        "--oracle",
        oracle,
        "--seen",
        *seen,
    ]


FITS = [
    fit("shared", SHARED),
    fit("grouped", GROUPED, *GROUPED_16),
    fit(
        "attention",
        [F + "attention_anchors.csv.gz"],
        "--kind",
        "attention",
        "--head-group",
        "4",
        "--causal",
        "--default",
        "128x64x64/w4/s3",
    ),
    fit("fp8", FP8, "--operand-bytes", "1"),
    fit("own", OWN),
]
BLIND = {
    "products, bf16": regret(
        "shared", F + "gemm_shared_later.csv.gz", [*LEARNED, *SHARED, D + "exhaustive.csv.gz"]
    ),
    "grouped products": regret(
        "grouped",
        F + "grouped_later.csv.gz",
        [F + "grouped_shapes.csv.gz", F + "grouped_near.csv.gz", *GROUPED],
    ),
    "causal attention": regret(
        "attention",
        F + "attention_blind.csv.gz",
        [F + "attention_shapes.csv.gz", F + "attention_exhaustive.csv.gz", F + "attention_anchors.csv.gz"],
    ),
    "products, fp8": regret("fp8", F + "gemm_fp8_blind.csv.gz", [F + "gemm_fp8_shapes.csv.gz", *FP8]),
    "products, bf16, any rows": regret(
        "own", F + "gemm_blind.csv.gz", [F + "gemm_shapes.csv.gz", F + "gemm_near_odd.csv.gz", *OWN]
    ),
}


# Another GPU, that nothing was learned on. Tables are judged on every configuration with the quiet times
# where there are some (tests/fixtures/tuner/h100/README.md).
H = F + "h100/"
H100_KINDS = {
    "products, bf16": ("gemm", []),
    "products, fp8": ("gemm_fp8", ["--operand-bytes", "1"]),
    "grouped products": (
        "grouped",
        GROUPED_16,
    ),
    "causal attention": (
        "attention",
        ["--kind", "attention", "--head-group", "4", "--causal", "--default", "128x64x64/w4/s3"],
    ),
}


def joined(name):
    judged = H + name + "_judged"
    output = f"{{scratch}}/{name}_joined.csv.gz"
    return ["tools/tuner_truth/joined.py", judged + ".csv.gz", judged + "_quiet.csv.gz", output]


def fit_h100(name, options):
    output = ["--output", f"{{scratch}}/{name}_h100.wlt"]
    return ["tune", "fit", "--gpu", "H100-SXM", *options, "--samples", H + name + "_anchors.csv.gz", *output]


def regret_h100(name):
    table, oracle = f"{{scratch}}/{name}_h100.wlt", f"{{scratch}}/{name}_joined.csv.gz"
    return ["tune", "regret", "--no-baselines", "--table", table, "--oracle", oracle]


FITS_OF_H100 = [
    words for name, options in H100_KINDS.values() for words in (fit_h100(name, options), joined(name))
]
H100 = {title: regret_h100(name) for title, (name, _) in H100_KINDS.items()}

EVERY_METHOD = ["wavetune", "wavetune_relative", "xgboost", "xgboost_samples", "nearest_shape", "default"]


def methods(name, oracle, samples, seen):
    """Every method on the same shapes, with what it costs."""
    files = ["--oracle", oracle, "--samples", *samples, "--seen", *seen]
    table = ["--table", f"{{scratch}}/{name}.wlt"]
    return ["tune", "regret", "--times", *table, *files, "--baseline", *EVERY_METHOD]


# Shapes that our correction was learned from are dropped for all methods.
METHODS = {
    "products, bf16": methods("shared", D + "exhaustive.csv.gz", SHARED, LEARNED),
    "grouped products": methods(
        "grouped",
        F + "grouped_later.csv.gz",
        GROUPED,
        [F + "grouped_shapes.csv.gz", F + "grouped_near.csv.gz"],
    ),
    "causal attention": methods(
        "attention",
        F + "attention_exhaustive.csv.gz",
        [F + "attention_anchors.csv.gz"],
        [F + "attention_shapes.csv.gz"],
    ),
}

# Every other judged set, on tables of its own anchors; those that the design was chosen on say so.
SET_OPTIONS = {
    "two_rounds": ([F + "gemm_two_rounds.csv.gz"], []),
    "split": ([F + "gemm_split_anchors.csv.gz"], []),
    "tutorial": ([F + "tutorial_anchors.csv.gz"], ["--b-along-n", "--default", "128x256x64/w8/s3"]),
}
FITS_OF_SETS = FITS + [fit(name, samples, *options) for name, (samples, options) in SET_OPTIONS.items()]


def alone(name, oracle):
    """First picks on a whole set, shapes that were seen before included."""
    return ["tune", "regret", "--no-baselines", "--table", f"{{scratch}}/{name}.wlt", "--oracle", oracle]


SETS = {
    "design: products, bf16, shared anchors, exhaustive": alone("shared", D + "exhaustive.csv.gz"),
    "design: products, bf16, shared anchors, gemm_shared_blind": alone(
        "shared", F + "gemm_shared_blind.csv.gz"
    ),
    "design: products, bf16, own anchors, gemm_exhaustive": alone("own", F + "gemm_exhaustive.csv.gz"),
    "design: the same, anchors of two rounds": alone("two_rounds", F + "gemm_exhaustive.csv.gz"),
    "products, bf16, own anchors, gemm_blind": alone("own", F + "gemm_blind.csv.gz"),
    "products, bf16, own anchors of two rounds, gemm_blind": alone("two_rounds", F + "gemm_blind.csv.gz"),
    "design: grouped products, grouped_blind": alone("grouped", F + "grouped_blind.csv.gz"),
    "design: causal attention, attention_exhaustive": alone("attention", F + "attention_exhaustive.csv.gz"),
    "products, bf16, with parts of k, small grids": alone("split", F + "gemm_split_exhaustive.csv.gz"),
    "products of Triton's tutorial, 8 configurations": alone("tutorial", F + "tutorial_exhaustive.csv.gz"),
}


def timed_again(name, judged):
    """The judged set with medians of 15 replays of what may be its fastest, at all of its shapes."""
    again = R + name + "_again.csv.gz"
    return ["tools/tuner_truth/joined.py", F + judged, again, f"{{scratch}}/{name}_again.csv.gz"]


def unseen(name):
    """Fresh shapes with the quiet times of what may be fastest there."""
    output = f"{{scratch}}/{name}_unseen.csv.gz"
    return ["tools/tuner_truth/joined.py", f"{U}{name}_judged.csv.gz", f"{U}{name}_again.csv.gz", output]


AGAIN = [
    unseen("gemm"),
    unseen("grouped"),
    unseen("gemm_fp8"),
    timed_again("gemm", "gemm_blind.csv.gz"),
    timed_again("grouped", "grouped_later.csv.gz"),
    timed_again("gemm_fp8", "gemm_fp8_blind.csv.gz"),
]


def again(title, name):
    """The judging of a set with the times of `timed_again`."""
    words, joined_times = list(BLIND[title]), f"{{scratch}}/{name}_again.csv.gz"
    words[words.index("--oracle") + 1] = joined_times
    return words


# Fresh shapes: of narrow loads one configuration of each tile and warps, else all. Then the judged sets
# once more.
NARROW = {
    "narrow rows, products, bf16": alone("own", N + "gemm_judged.csv.gz"),
    "narrow rows, grouped products": alone("grouped", N + "grouped_judged.csv.gz"),
    "narrow rows, products, fp8": alone("fp8", N + "gemm_fp8_judged.csv.gz"),
    "narrow rows and stores, products, bf16": alone("own", R + "gemm_both_judged.csv.gz"),
    "narrow rows and stores, grouped products": alone("grouped", R + "grouped_both_judged.csv.gz"),
    "narrow rows and stores, products, fp8": alone("fp8", R + "gemm_fp8_both_judged.csv.gz"),
    "uneven experts, grouped products": alone("grouped", R + "grouped_uneven_judged.csv.gz"),
    "uneven rows, products, fp8": alone("fp8", R + "gemm_fp8_judged.csv.gz"),
    "unseen by all, products, bf16": alone("own", "{scratch}/gemm_unseen.csv.gz"),
    "unseen by all, grouped products": alone("grouped", "{scratch}/grouped_unseen.csv.gz"),
    "unseen by all, products, fp8": alone("fp8", "{scratch}/gemm_fp8_unseen.csv.gz"),
    "fastest timed again, products, bf16, any rows": again("products, bf16, any rows", "gemm"),
    "fastest timed again, grouped products": again("grouped products", "grouped"),
    "fastest timed again, products, fp8": again("products, fp8", "gemm_fp8"),
}

TABLES = [
    Table("tuner", BLIND, tuner.blind, FITS),
    Table("tuner-measured", BLIND, tuner.measured, FITS),
    Table("tuner-narrow", NARROW, tuner.measured, FITS + AGAIN),
    Table("tuner-h100", H100, tuner.measured, FITS_OF_H100),
    Table("tuner-methods", METHODS, tuner.methods, FITS[:3]),
    Table("tuner-sets", SETS, tuner.sets, FITS_OF_SETS),
]
