"""Tables of `validate static`, `serving` and `concurrency`."""

from .markdown import count, percent, rules, signed, table

ENGINES = {"vllm": "vLLM", "sglang": "SGLang", "trtllm": "TensorRT-LLM"}


def static(answers):
    rows, mean, bias = answers["static"]["rows"], answers["static"]["mean"], answers["static"]["bias"]

    def mean_of(chosen, key):
        values = [row[key] for row in chosen if row.get(key) is not None]
        return sum(values) / len(values) if values else None

    parts = ["prefill", "decode", "total"]
    lines = [
        [
            "**all**",
            len(rows),
            *[f"**{percent(mean[part])}**" for part in parts],
            *[signed(bias[part]) for part in parts],
        ]
    ]
    for gpu in sorted({row["hardware"] for row in rows}):
        chosen = [row for row in rows if row["hardware"] == gpu]
        errors = [percent(mean_of(chosen, f"{part}_error")) for part in parts]
        lines.append([gpu, len(chosen), *errors, "", "", ""])
    columns = ["GPU", "batches", "prefill", "decode", "total", "bias: prefill", "decode", "total"]
    inside = f"{percent(answers['static']['coverage'], 0)} of the totals lie inside p10..p90."
    return [*table(columns, lines), "", inside]


def serving(answers):
    rows = []
    for name, answer in answers.items():
        metrics = answer["metrics"]
        figures = [
            ", ".join(
                signed(metrics[metric][statistic]["bias"]) for statistic in ("mean", "p50", "p90", "p99")
            )
            for metric in ("tpot", "ttft")
        ]
        rows.append(
            [
                name,
                *figures,
                signed(metrics["e2el"]["mean"]["bias"]),
                signed(answer["output_throughput"]["bias"]),
                f"{answer['start_order_correlation']:.3f}",
            ]
        )
    return table(
        [
            "run",
            "TPOT mean, p50, p90, p99",
            "TTFT mean, p50, p90, p99",
            "E2EL mean",
            "output tokens/s",
            "start order",
        ],
        rows,
    )


COLUMNS = ["TTFT cells", "TTFT median", "p90", "bias", "TPOT cells", "TPOT median", "p90", "bias"]


def errors(name, figures):
    return [
        name,
        count(figures["ttft_cells"]),
        percent(figures["ttft_median_error"]),
        percent(figures["ttft_p90_error"]),
        signed(figures["ttft_bias"]),
        count(figures["cells"]),
        percent(figures["tpot_median_error"]),
        percent(figures["tpot_p90_error"]),
        signed(figures["tpot_bias"]),
    ]


def by_engine(group, words=""):
    rows = [errors(ENGINES.get(name, name) + words, figures) for name, figures in group["backends"].items()]
    return [*rows, errors("**all**" + words, group["overall"])]


def concurrency(answers):
    answer = answers["concurrency"]
    judged = {key: answer[key] for key in ("backends", "overall")}
    lines = table(["judged cells", *COLUMNS], by_engine(judged))
    lines += ["", "Every row that can be simulated, those of the rules below and repeats included:", ""]
    lines += table(["with the rows taken out", *COLUMNS], by_engine(answer["with_excluded"]))
    lines += [
        "",
        "Of the judged cells, the figures that a constant was set on (fitted) and the others (check):",
        "",
    ]
    fitted = [errors("fitted, " + ENGINES.get(n, n), f) for n, f in answer["fitted"]["backends"].items()]
    check = [errors("check, " + ENGINES.get(n, n), f) for n, f in answer["check"]["backends"].items()]
    fitted.append(errors("**fitted, all**", answer["fitted"]["overall"]))
    check.append(errors("**check, all**", answer["check"]["overall"]))
    lines += table(["", *COLUMNS], fitted + check)
    lines += ["", "By model:", ""]
    lines += table(["judged cells", *COLUMNS], [errors(n, f) for n, f in answer["models"].items()])
    return lines + ["", *concurrency_rules(answer)]


def concurrency_rules(answer):
    lines = rules(
        "Rules of `data/benchmarks/concurrency_exclusions.json`, each with its rows:",
        [
            (
                rule["rows"],
                rule["rule"] + (" (TTFT alone)" if rule["judges"] == "tpot" else ""),
                rule["reason"] + figures_of(rule["errors"]),
                rule["source"],
            )
            for rule in answer["exclusions"]
        ],
    )
    lines.append(
        f"- {count(answer['corrections']['rows'])} rows were put right: {answer['corrections']['reason']}."
    )
    known = {rule["reason"] for rule in answer["exclusions"]}
    refused = [entry for entry in answer["dropped"] if entry["reason"] not in known]
    lines += ["", f"Refused by the simulation, {count(sum(entry['rows'] for entry in refused))} rows:", ""]
    lines += [f"- {count(entry['rows'])}: {entry['reason']}." for entry in refused]
    lines += ["", "What was fitted with cells in view (`data/benchmarks/concurrency_fits.json`):", ""]
    for fit in answer["fits"]:
        scope = "every cell" if fit["everywhere"] else f"{count(fit['cells'])} cells"
        figures = " and ".join(figure.upper() for figure in fit["figures"])
        lines.append(f"- {fit['name']}: {fit['fitted']}; {figures} of {scope}. Source: {fit['source']}.")
    return lines


def figures_of(figures):
    if figures is None:
        return ""
    return (
        f" (simulated all the same: TTFT {percent(figures['ttft_median_error'])}, "
        f"TPOT {percent(figures['tpot_median_error'])})"
    )


def apart(group, words):
    rows = [errors(name, figures) for name, figures in group["models"].items()]
    return table([words, *COLUMNS], [*by_engine(group), *rows])


def pools(answers):
    return apart(answers["concurrency"]["disaggregated"], "prefill and decode apart")


def drafts(answers):
    """Sweeps that fit with drafted tokens alone: which, with what, and the rows that the fit did not see."""
    answer = answers["concurrency"]
    rule = answer["speculation"]["rule"]
    lines = [f"Rule: {rule}. Measured TPOT over the plain prediction, * seen by the fit.", ""]
    for sweep in answer["speculation"]["sweeps"]:
        ratios = [
            f"{row['concurrency']}: {row['plain_ratio']:.2f}" + ("*" if row["fitted"] else "")
            for row in sweep["rows"]
        ]
        drafted = f"{sweep['drafts']} drafts, {sweep['acceptance_length']:.2f} tokens a step"
        lines.append(f"- {sweep['name']}: {drafted}; {', '.join(ratios)}")
    return [*lines, "", *apart(answer["speculative"], "with drafts, not seen by the fit")]


def checkpoints(answers):
    return apart(answers["concurrency"]["assumed_checkpoint"], "checkpoint assumed")


def later_cells(answers):
    answer = answers["later"]
    lines = table(["judged cells", *COLUMNS], by_engine(answer))
    return [*lines, "", *table(["", *COLUMNS], [errors(n, f) for n, f in answer["models"].items()])]
