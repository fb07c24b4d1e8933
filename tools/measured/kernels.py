"""Tables of `validate kernels`."""

from .markdown import count, pair, percent, rules, table

COLUMNS = ["", "rows", "mean", "median", "p90", "bias", "inside p10..p90", "roofline mean"]
NAMES = {"gemm": "products (gemm)", "moe": "experts (moe)"}


def row(name, figures):
    return [
        name,
        count(figures["rows"]),
        percent(figures["mean_error"]),
        percent(figures["median_error"]),
        percent(figures["p90_error"]),
        percent(figures["bias"]),
        percent(figures["coverage"]),
        percent(figures["roofline_mean_error"]),
    ]


def new_shapes(answers):
    judged, everything = answers["judged"], answers["with impossible rows"]
    rows = [
        row(NAMES.get(name, name.replace("_", " ")), figures)
        for name, figures in judged["families"].items()
    ]
    rows.append(row("**all**", judged["overall"]))
    rows.append(row("all, with the rows that the rules below take out", everything["overall"]))
    lines = table(["family", *COLUMNS[1:]], rows)
    lines += ["", *table(["GPU", *COLUMNS[1:]], [row(name, f) for name, f in judged["gpus"].items()]), ""]
    taken_out = [(rule["rows"], rule["rule"], rule["reason"], rule["source"]) for rule in judged["rules"]]
    lines += rules(
        "Rows taken out by the rules of `data/benchmarks/kernel_exclusions.json` (rows of all shapes):",
        taken_out,
    )
    other = {rule["reason"] for rule in judged["rules"]}
    skipped = [
        entry
        for entry in judged["skipped"]
        if entry["rows"] > 0
        and entry["reason"] not in other
        and "faster than the physical bound" not in entry["reason"]
        and "training" not in entry["reason"]
    ]
    lines += [
        "",
        "Not judged for other reasons: "
        + "; ".join(f"{count(entry['rows'])} rows, {entry['reason']}" for entry in skipped)
        + ".",
    ]
    noise = judged["measurement_noise"]
    if noise:
        words = "; ".join(
            f"{family.replace('_', ' ')} {pair(n['mean'], n['median'])}" for family, n in noise.items()
        )
        lines += ["", f"Noise of rows that the source repeats, mean / median: {words}."]
    return lines


def one_sweep(answers):
    before, after = answers["before"], answers["after"]

    def figures(answer, name):
        return answer["overall"] if name is None else answer["families"].get(name)

    rows = []
    for name in [*sorted(before["families"]), None]:
        old, new = figures(before, name), figures(after, name)
        if new is None:
            continue
        rows.append(
            [
                name.replace("_", " ") if name else "**all**",
                count(new["rows"]),
                pair(old["mean_error"], old["median_error"]),
                pair(new["mean_error"], new["median_error"]),
                percent(old["coverage"], 0),
                percent(new["coverage"], 0),
            ]
        )
    return table(
        [
            "family",
            "rows",
            "before: mean / median",
            "after: mean / median",
            "inside p10..p90, before",
            "after",
        ],
        rows,
    )


def known_kernel(answers):
    """One known kernel on two GPUs: ours beside the published methods that learned from the same rows."""
    answer = answers["ours"]
    names = list(answer["baselines"])
    rows = []
    for gpu, figures in answer["gpus"].items():
        line = [gpu, count(figures["rows"]), pair(figures["mean_error"], figures["median_error"]),
                percent(figures["coverage"], 0)]
        for name in names:
            found = answer["baselines"][name]["gpus"].get(gpu)
            line.append("-" if found is None else pair(found["mean_error"], found["median_error"]))
        rows.append(line)
    return table(["mean / median error", "rows", "ours", "inside p10..p90", *names], rows)


def left_out(answers):
    """Each generation left out: mean / median error and the share inside p10..p90, a column a family."""

    def cell(figures):
        if figures is None:
            return "-"
        return f"{pair(figures['mean_error'], figures['median_error'])}, {percent(figures['coverage'], 0)}"

    folds = {family: {fold["left_out"]: fold for fold in answer["left_out"]}
             for family, answer in answers.items()}
    names = list(dict.fromkeys(name for found in folds.values() for name in found))
    rows = [[name, *(cell(found.get(name)) for found in folds.values())] for name in names]
    rows.append(["**all**", *(cell(answer["families"].get(family)) for family, answer in answers.items())])
    return table(["left out", *(family.replace("_", " ") for family in answers)], rows)
