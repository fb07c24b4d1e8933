"""Tables of `tune regret`."""

from .markdown import factor, percent, table


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
