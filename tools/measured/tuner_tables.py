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
# What the kernel of each kind is asked beside its sizes.
KIND_OPTIONS = {
    "gemm": [],
    "gemm_fp8": ["--operand-bytes", "1"],
    "grouped": ["--kind", "grouped_gemm", "--experts", "16", "--top-k", "2", "--default", "64x64x32/w4/s3"],
    "attention": ["--kind", "attention", "--head-group", "4", "--causal", "--default", "128x64x64/w4/s3"],
}


def fit(name, samples, options=(), gpu="H200"):
    output = ["--output", f"{{scratch}}/{name}.wlt"]
    return ["tune", "fit", "--gpu", gpu, *options, "--samples", *samples, *output]


def regret(name, oracle, seen=()):
    """First picks; without `seen` on a whole set, shapes that were seen before included."""
    words = ["tune", "regret", "--no-baselines", "--table", f"{{scratch}}/{name}.wlt", "--oracle", oracle]
    return [*words, "--seen", *seen] if seen else words


FITS = [
    fit("shared", SHARED),
    fit("grouped", GROUPED, KIND_OPTIONS["grouped"]),
    fit("attention", [F + "attention_anchors.csv.gz"], KIND_OPTIONS["attention"]),
    fit("fp8", FP8, KIND_OPTIONS["gemm_fp8"]),
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
    "products, bf16": "gemm",
    "products, fp8": "gemm_fp8",
    "grouped products": "grouped",
    "causal attention": "attention",
}


def joined(judged, again, output):
    """A judged set with the times of another measurement of its shapes."""
    return ["tools/tuner_truth/joined.py", judged, again, f"{{scratch}}/{output}.csv.gz"]


FITS_OF_H100 = [
    words
    for name in H100_KINDS.values()
    for words in (
        fit(f"{name}_h100", [H + name + "_anchors.csv.gz"], KIND_OPTIONS[name], "H100-SXM"),
        joined(H + name + "_judged.csv.gz", H + name + "_judged_quiet.csv.gz", f"{name}_joined"),
    )
]
H100 = {
    title: regret(f"{name}_h100", f"{{scratch}}/{name}_joined.csv.gz") for title, name in H100_KINDS.items()
}

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
FITS_OF_SETS = FITS + [fit(name, samples, options) for name, (samples, options) in SET_OPTIONS.items()]

SETS = {
    "design: products, bf16, shared anchors, exhaustive": regret("shared", D + "exhaustive.csv.gz"),
    "design: products, bf16, shared anchors, gemm_shared_blind": regret(
        "shared", F + "gemm_shared_blind.csv.gz"
    ),
    "design: products, bf16, own anchors, gemm_exhaustive": regret("own", F + "gemm_exhaustive.csv.gz"),
    "design: the same, anchors of two rounds": regret("two_rounds", F + "gemm_exhaustive.csv.gz"),
    "products, bf16, own anchors, gemm_blind": regret("own", F + "gemm_blind.csv.gz"),
    "products, bf16, own anchors of two rounds, gemm_blind": regret("two_rounds", F + "gemm_blind.csv.gz"),
    "design: grouped products, grouped_blind": regret("grouped", F + "grouped_blind.csv.gz"),
    "design: causal attention, attention_exhaustive": regret("attention", F + "attention_exhaustive.csv.gz"),
    "products, bf16, with parts of k, small grids": regret("split", F + "gemm_split_exhaustive.csv.gz"),
    "products of Triton's tutorial, 8 configurations": regret("tutorial", F + "tutorial_exhaustive.csv.gz"),
}


# Fresh shapes with quiet times of what may be fastest there; then judged sets with medians of 15 replays of
# what may be their fastest, at all of their shapes.
AGAIN = [
    joined(f"{U}{name}_judged.csv.gz", f"{U}{name}_again.csv.gz", f"{name}_unseen")
    for name in ("gemm", "grouped", "gemm_fp8")
] + [
    joined(F + judged + ".csv.gz", R + name + "_again.csv.gz", f"{name}_again")
    for name, judged in (("gemm", "gemm_blind"), ("grouped", "grouped_later"), ("gemm_fp8", "gemm_fp8_blind"))
]


def again(title, name):
    """The judging of a set with the times of AGAIN."""
    words, joined_times = list(BLIND[title]), f"{{scratch}}/{name}_again.csv.gz"
    words[words.index("--oracle") + 1] = joined_times
    return words


# Fresh shapes: of narrow loads one configuration of each tile and warps, else all. Then the judged sets
# once more.
NARROW = {
    "narrow rows, products, bf16": regret("own", N + "gemm_judged.csv.gz"),
    "narrow rows, grouped products": regret("grouped", N + "grouped_judged.csv.gz"),
    "narrow rows, products, fp8": regret("fp8", N + "gemm_fp8_judged.csv.gz"),
    "narrow rows and stores, products, bf16": regret("own", R + "gemm_both_judged.csv.gz"),
    "narrow rows and stores, grouped products": regret("grouped", R + "grouped_both_judged.csv.gz"),
    "narrow rows and stores, products, fp8": regret("fp8", R + "gemm_fp8_both_judged.csv.gz"),
    "uneven experts, grouped products": regret("grouped", R + "grouped_uneven_judged.csv.gz"),
    "uneven rows, products, fp8": regret("fp8", R + "gemm_fp8_judged.csv.gz"),
    "unseen by all, products, bf16": regret("own", "{scratch}/gemm_unseen.csv.gz"),
    "unseen by all, grouped products": regret("grouped", "{scratch}/grouped_unseen.csv.gz"),
    "unseen by all, products, fp8": regret("fp8", "{scratch}/gemm_fp8_unseen.csv.gz"),
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
