"""Tables of `tune regret`."""

from .markdown import count, factor, percent, table


def row(name, figures, seen):
    return [
        name,
        figures["shapes"],
        seen,
        percent(figures["geo_mean_share"]),
        percent(figures["p10_share"]),
        percent(figures["worst_share"]),
        factor(figures["geo_mean_speedup"]),
        factor(figures["worst_speedup"]),
    ]


def blind(answers):
    rows = []
    for name, answer in answers.items():
        seen = answer["seen"]
        rows.append(row(name, answer, seen["shapes"]))
        if seen["shapes"] > 0:
            rows.append(row(name + ", with the shapes seen before", seen["with_them"], "-"))
    return table(
        [
            "judged set",
            "shapes",
            "shapes dropped as seen",
            "share of the best",
            "p10",
            "worst",
            "against the default",
            "least",
        ],
        rows,
    )


def sets(answers):
    """First picks on whole sets, shapes that the correction was learned from among them."""
    rows = [row(name, answer, None) for name, answer in answers.items()]
    columns = ["judged set", "shapes", "share of the best", "p10", "worst", "against the default", "least"]
    return table(columns, [[cell for cell in line if cell is not None] for line in rows])


def measured(answers):
    """The first pick, and what one or two more measured candidates of a shape give."""
    rows = []
    for name, answer in answers.items():
        for title, figures in (
            ("first pick", answer),
            ("one more measured", answer["measured"]["1"]),
            ("two more measured", answer["measured"]["2"]),
        ):
            rows.append(
                [
                    name,
                    title,
                    figures["shapes"],
                    f"{figures.get('timings', 0):.1f}",
                    percent(figures["geo_mean_share"]),
                    percent(figures["p10_share"]),
                    percent(figures["worst_share"]),
                    factor(figures["worst_speedup"]),
                ]
            )
    heads = ["share of the best", "p10", "worst", "least against the default"]
    return table(["judged set", "choice", "shapes", "timings a shape", *heads], rows)


METHODS = {
    "ours": "ours",
    "wavetune": "WaveTune, as published",
    "wavetune_relative": "WaveTune, relative errors",
    "xgboost": "XGBoost on the other half of the shapes",
    "xgboost_samples": "XGBoost on the anchors",
    "nearest_shape": "nearest measured shape",
    "default": "the kernel's default",
}


def seconds(value):
    if value is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.0f} ns"


def methods(answers):
    rows = []
    for name, answer in answers.items():
        for key, title in METHODS.items():
            figures = answer if key == "ours" else answer["baselines"].get(key)
            if figures is None:
                continue
            decision, anchors = figures["decision_ns"], figures["anchors"]
            rows.append(
                [
                    name,
                    title,
                    figures["shapes"],
                    percent(figures["mean_share"]),
                    percent(figures["geo_mean_share"]),
                    percent(figures["p10_share"]),
                    percent(figures["worst_share"]),
                    "-" if anchors is None else count(anchors),
                    seconds(figures["fit_seconds"]),
                    seconds(None if decision is None else decision * 1e-9),
                ]
            )
    shares = ["share of the best: mean", "geometric", "p10", "worst"]
    return table(["judged set", "method", "shapes", *shares, "timings used", "fit", "a decision"], rows)
