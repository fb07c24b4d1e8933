"""The page of tools/leaderboard: which splits there are, their tables and plots."""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

from .bars import bars
from .markdown import count, factor, pair, percent, table
from .tuner_tables import FITS
from .tuner_tables import METHODS as TUNER_SETS
from .tuner import METHODS as TUNER_TITLES
from .tuner import seconds

METHODS = ["roofline", "linear", "habitat", "neusight", "pipeweave", "kernelsight", "interpolation"]
TITLES = {
    "roofline": "roofline",
    "linear": "linear",
    "habitat": "Habitat",
    "neusight": "NeuSight",
    "pipeweave": "PipeWeave",
    "kernelsight": "KernelSight-LM",
    "interpolation": "interpolation",
    "ours": "ours",
}
FAMILIES = ["gemm", "attention_prefill", "attention_decode", "moe"]
# Rows learned from and judged, of each GPU and family.
ROWS = ["--rows-per-gpu", "{learned}", "--judged-rows", "{judged}"]
# What is imported: layout, folders of the data, options.
SOURCES = [
    ("aiconfigurator", ["aiconfigurator"], ["--family", *FAMILIES, "allreduce"]),
    ("vidur", ["vidur"], []),
    ("pipeweave", ["pipeweave_kernels", "pipeweave_moe", "collectives_pipeweave"], []),
]


@dataclass
class Split:
    name: str
    title: str
    lines: Callable[[dict], list[str]]
    plot: Callable[["Split", dict], str]
    words: str
    command: list[str] = field(default_factory=list)
    # Trainings before it: method to command, whose answers stand in "trained" of the split's answer.
    trains: dict[str, list[str]] = field(default_factory=dict)
    # In place of `command`: what to run first, and a command for each set, whose answers stand in "sets".
    before: list[list[str]] = field(default_factory=list)
    sets: dict[str, list[str]] = field(default_factory=dict)
    asks: bool = True  # other tools can answer its rows


def left_out(kind, only=()):
    words = ["validate", "kernels", "--store", "{store}", "--family", *FAMILIES, "--leave-out", kind]
    if only:
        words += ["--only-left-out", *only]
    return [*words, *ROWS, "--threads", "{threads}", "--baseline", *METHODS]


def filled(command, learned, judged, threads):
    numbers = {"{learned}": str(learned), "{judged}": str(judged), "{threads}": str(threads)}
    return [numbers.get(word, word) for word in command]


def methods_of(answer):
    found = list(METHODS)
    for group in answer["left_out"]:
        found += [name for name in group.get("external", {}) if name not in found]
    return [*found, "ours"]


def figures_of(group, method):
    if method == "ours":
        return group
    return group.get("baselines", {}).get(method) or group.get("external", {}).get(method)


ALL_ROWS = 0.995  # from here on a method answers all


def cell(group, method):
    """Mean / median error; of how many rows, where the method has no model for the others."""
    figures = figures_of(group, method)
    if not figures or not figures["rows"]:
        return "-"
    text = pair(figures["mean_error"], figures["median_error"])
    share = figures["rows"] / group["rows"]
    return text if share > ALL_ROWS else f"{text} of {percent(share, 0)}"


def by_family(answer):
    methods = methods_of(answer)
    rows = [
        [group["family"].replace("_", " "), count(group["rows"]), *(cell(group, m) for m in methods)]
        for group in answer["left_out"]
    ]
    return table(["mean / median error", "rows", *(TITLES.get(m, m) for m in methods)], rows)


PARTS = ("prefill", "decode", "total")


def static(answer):
    rows = []
    for name in METHODS:
        figures = answer["baselines"][name]
        rows.append([TITLES[name], *static_cells(figures), percent(figures["roofline_share"], 0)])
    rows.append(["ours", *static_cells(answer), "-"])
    columns = ["method", *PARTS, "bias: prefill", "decode", "total"]
    return table([*columns, "time without a model"], rows)


def static_cells(figures):
    return [percent(figures["mean"][p]) for p in PARTS] + [percent(figures["bias"][p]) for p in PARTS]


def trained(method):
    """A training of kernels that batches are composed of, to a file."""
    return [
        *["train", "--method", method, "--store", "{store}", "--rows-per-gpu", "4000"],
        *["--family", "gemm", "attention_prefill", "attention_decode", "rmsnorm", "activation"],
        *["allreduce", "send_recv", "--threads", "{threads}", "--output", f"{{scratch}}/{method}.wlb"],
    ]


SHARES = ("geo_mean_share", "p10_share", "worst_share")


def tuner(answer):
    rows = []
    for name, regret in answer["sets"].items():
        for method, title in TUNER_TITLES.items():
            figures = regret if method == "ours" else regret["baselines"].get(method)
            if figures is None:
                continue
            decision, peak = figures.get("decision_ns"), figures.get("fit_peak_bytes")
            rows.append(
                [
                    *[name, title, count(figures.get("shapes"))],
                    *[percent(figures.get(share)) for share in SHARES],
                    factor(figures.get("geo_mean_speedup")),
                    count(figures.get("anchors")),
                    seconds(figures.get("fit_seconds")),
                    "-" if peak is None else f"{peak / 1e6:,.0f}",
                    seconds(None if decision is None else decision * 1e-9),
                ]
            )
    columns = ["set", "method", "shapes", "share of the best", "p10", "worst", "against the default"]
    return table([*columns, "timings used", "fit", "memory, MB", "a decision"], rows)


def error_plot(split, answer):
    groups, covered = [], {}
    for group in answer["left_out"]:
        name = group["family"].replace("_", " ")
        found = {TITLES[m]: figures_of(group, m) for m in [*METHODS, "ours"]}
        found = {title: f for title, f in found.items() if f and f["rows"]}
        groups.append((name, {title: f["mean_error"] for title, f in found.items()}))
        shares = {title: f["rows"] / group["rows"] for title, f in found.items()}
        covered |= {(name, title): share for title, share in shares.items() if share <= ALL_ROWS}
    return bars(f"{split.title}: mean error", groups, [TITLES[m] for m in [*METHODS, "ours"]], covered)


def static_plot(split, answer):
    """Without methods of whose time the roofline gives more than half: their bars would be the roofline's."""
    found = {TITLES[m]: answer["baselines"][m] for m in METHODS}
    borrowed = {name: f["roofline_share"] for name, f in found.items()
                if name != TITLES["roofline"] and f["roofline_share"] > 0.5}
    methods = {name: f for name, f in found.items() if name not in borrowed} | {"ours": answer}
    groups = [(part, {name: f["mean"][part] for name, f in methods.items()}) for part in PARTS]
    words = ", ".join(f"{name} {percent(share, 0)}" for name, share in borrowed.items())
    note = f"left out, being the roofline for so much of the time: {words}" if borrowed else ""
    return bars(f"{split.title}: mean error", groups, list(methods), note=note)


def tuner_plot(split, answer):
    groups = []
    for name, regret in answer["sets"].items():
        found = {m: regret if m == "ours" else regret["baselines"].get(m) for m in TUNER_TITLES}
        shares = {TUNER_TITLES[m]: f["geo_mean_share"] for m, f in found.items() if f}
        groups.append((name, shares))
    return bars(f"{split.title}: share of the best, geometric mean", groups, list(TUNER_TITLES.values()))


CEILINGS = {"published": "PipeWeave's quantile model", "ours": "our ceiling"}


def gaps_of(answer):
    return {"published": answer["published"], "ours": answer}


def gaps(answer):
    rows = []
    for gpu in answer["gpus"]:
        counts = [found["gpus"][gpu] for found in gaps_of(answer).values()]
        rows.append([gpu, count(counts[0]["rows"])])
        rows[-1] += [count(c["flagged"]) for c in counts] + [percent(c["above_share"]) for c in counts]
    titles = list(CEILINGS.values())
    columns = ["GPU", "rows", *(f"{t}: gaps" for t in titles), *(f"{t}: rows above" for t in titles)]
    lines = [*table(columns, rows), ""]
    for source in range(len(answer["tuned"])):
        tuned = {name: found["tuned"][source] for name, found in gaps_of(answer).items()}
        words = [f"{CEILINGS[name]} {found['pearson_flagged']:.2f}" for name, found in tuned.items()]
        name = tuned["ours"]["source"]
        lines.append(f"- Pearson of gaps with the gain of tuning, `{name}`: {', '.join(words)}.")
    return lines


def gaps_plot(split, answer):
    groups = []
    for gpu in answer["gpus"]:
        found = {CEILINGS[name]: counts["gpus"][gpu] for name, counts in gaps_of(answer).items()}
        groups.append((gpu[:8], {title: c["flagged"] / c["rows"] for title, c in found.items()}))
    return bars(f"{split.title}: share of rows", groups, list(CEILINGS.values()))


SPLITS = [
    Split(
        "new_shapes",
        "Seen GPUs, new shapes",
        by_family,
        error_plot,
        "A tenth of the shapes, by a hash of the shape, that no method learned from, on every GPU.",
        left_out("shape"),
    ),
    Split(
        "unseen_gpu",
        "An unseen GPU: H200",
        by_family,
        error_plot,
        "No row of the H200 was learned from; its sibling H100 was.",
        left_out("gpu", ["h200_sxm"]),
    ),
    Split(
        "unseen_generation",
        "An unseen generation: data-centre Blackwell",
        by_family,
        error_plot,
        "No row of B200 and GB200 was learned from.",
        left_out("generation", ["blackwell"]),
    ),
    Split(
        "fp8_protocol",
        "One known kernel: PipeWeave's fp8 rows",
        by_family,
        error_plot,
        "H20 and H800. The publication's network errs by 3.89 % of efficiency in the mean on its test rows.",
        [
            *["validate", "kernels", "--layout", "pipeweave"],
            *["--data", "{data}/pipeweave_kernels/gemm_fp8_train.csv.gz", "--leave-out", "shape"],
            *["--rows-per-gpu", "20000", "--judged-rows", "20000", "--threads", "{threads}"],
            *["--baseline", *METHODS],
        ],
    ),
    Split(
        "static",
        "Static batches, end to end",
        static,
        static_plot,
        "24 batches of SGLang and vLLM on seven GPUs. The methods' kernels are composed as PipeWeave "
        "publishes it, without a host (KernelSight-LM with its own equation), from all rows of the store; a "
        "method that knows kernels by their library alone has no model for most of the time, and the "
        "roofline answers. Ours is the shipped predictor, composed as the engine runs it. Published for "
        "PipeWeave, on 40 such rows and with its own measurements of kernels: 8.9 %, 13.4 % and 8.7 %.",
        [
            *["validate", "static", "--truth", "{data}/pipeweave_e2e/e2e_truth.csv"],
            *["--requests", "{data}/pipeweave_e2e/workload_requests.csv", "--store", "{store}"],
            *["--baseline", "roofline", "linear", "habitat", "neusight", "{scratch}/pipeweave.wlb"],
            *["{scratch}/kernelsight.wlb", "interpolation"],
        ],
        trains={method: trained(method) for method in ("pipeweave", "kernelsight")},
        asks=False,
    ),
    Split(
        "gaps",
        "Kernels that could be faster",
        gaps,
        gaps_plot,
        "Rows of the Triton kernel of experts whose efficiency lies more than 0.1 below what the ceiling at "
        "the quantile 0.8 says. The published model is trained on the rows that it judges, as published, and "
        "its efficiency counts the matrix unit's work alone; ours judges each row by ceilings of other "
        "shapes, and its efficiency counts the physical bound. Published gaps: A40 921, L20 728, "
        "A100 488, H800 340, H20 0, and a Pearson of 0.86 with the gain of tuning on the first "
        "set. A fifth of the rows should lie above.",
        [
            *["validate", "ceilings", "--layout", "pipeweave", "--cross-fit", "5"],
            *["--data", "{data}/pipeweave_moe/moe_w13_default.csv.gz"],
            *["--published", "{scratch}/pipeweave_80.wlb", "--tuned"],
            *["{data}/pipeweave_moe/moe_tuned_underperformers.csv.gz"],
            "{data}/pipeweave_moe/moe_dse_gains.csv.gz",
        ],
        trains={
            "pipeweave": [
                *["train", "--method", "pipeweave", "--quantile", "0.8", "--layout", "pipeweave"],
                *["--data", "{data}/pipeweave_moe/moe_w13_default.csv.gz", "--threads", "{threads}"],
                *["--output", "{scratch}/pipeweave_80.wlb"],
            ]
        },
        asks=False,
    ),
    Split(
        "tuner",
        "Tile configurations",
        tuner,
        tuner_plot,
        "Triton kernels on one H200: every method chooses a configuration for the same shapes, none of which "
        "it was made from, and is judged by the measured time of its choice beside the best one's.",
        before=FITS[:3],
        sets=TUNER_SETS,
        asks=False,
    ),
]


def without_model(answer):
    """Why a method was left out of cells, one line a method and reason."""
    found = {}
    for group in answer["left_out"]:
        for name, figures in group.get("baselines", {}).items():
            for reason, rows in figures["unanswered"].items():
                found[name, reason] = found.get((name, reason), 0) + rows
    return [
        f"- {TITLES[name]}: {count(rows)} rows, {reason}" for (name, reason), rows in sorted(found.items())
    ]


def cost_row(split, method, found, answer_us):
    """The cost of several trainings of a method, one after the other."""
    return [
        split.title,
        TITLES[method],
        f"{sum(f['training_cpu_s'] for f in found) / 60:.2f}",
        f"{max(f['training_peak_bytes'] for f in found) / 1e6:,.0f}",
        answer_us,
    ]


def costs(answers):
    """Training and answers of each method, over the families of a split."""
    rows = []
    for split in SPLITS:
        answer = answers.get(split.name, {})
        for method in [*METHODS, "ours"] if "left_out" in answer else []:
            found = [f for f in (figures_of(group, method) for group in answer["left_out"]) if f]
            judged = [group["rows"] for group in answer["left_out"]]
            answer_us = sum(f["answer_us"] * n for f, n in zip(found, judged)) / max(1, sum(judged))
            rows.append(cost_row(split, method, found, f"{answer_us:.1f}"))
        if split.trains and answer:
            found = {**answer.get("baselines", {}), **answer["trained"]}
            rows += [cost_row(split, method, [found[method]], "-") for method in METHODS if method in found]
    columns = ["split", "method", "training, core minutes", "its peak of memory, MB", "an answer, us"]
    return table(columns, rows)


def wrapped(words):
    return textwrap.wrap(words, 115, break_on_hyphens=False)


def shown(words):
    """A command as a reader types it."""
    text = "warploom " + " ".join(words)
    for place, path in {"{data}": "$D", "{store}": "rows.db", "{fixtures}": "tests/fixtures"}.items():
        text = text.replace(place, path)
    return text.replace("{scratch}/", "")


def page(answers, made_with, options=""):
    lines = [
        "# Leaderboard",
        "",
        "Methods of the literature and ours on the same rows. Each is built from its description and learns",
        "from the same sample of the public measurements as ours does here, far smaller than what the",
        "shipped predictor learned from; [accuracy](accuracy.md) has that one. The error of a row is",
        "|predicted - measured| / measured, on time. A dash says that a method has no model for a family,",
        "and `of N %` that it has one for so many of the rows: its figure is then of these alone. Methods",
        "that interpolate on a grid (interpolation, KernelSight-LM on a swept GPU) find a thin sample here.",
        "",
        "Everything on this page is written by one command:",
        "",
        "```",
        f"tools/leaderboard --warploom build/release/bin/warploom --data ../shared/data{options}",
        "```",
        "",
        "Any other tool can join with `--external` (`tools/leaderboard --help`).",
    ]
    for split in SPLITS:
        if split.name not in answers:
            continue
        commands = [*split.trains.values(), *split.before, split.command, *split.sets.values()]
        lines += ["", f"## {split.title}", "", *wrapped(split.words), "", "```"]
        lines += [shown(command) for command in commands if command]
        lines += ["```", "", f"![{split.title}](images/leaderboard_{split.name}.svg)", ""]
        lines += split.lines(answers[split.name])
        reasons = without_model(answers[split.name]) if split.asks else []
        if reasons:
            lines += ["", "No model:", "", *reasons]
    lines += ["", "## What they cost", ""]
    lines += wrapped(
        "All families of a split together. Minutes are of one core's processor time, so that what else ran "
        "on the machine is not in them; memory is the most that one training held beyond what the process "
        "held before it, after what earlier ones freed was given back to the system. An answer's time "
        "holds its features. The tuner's costs stand in its table, as wall times."
    )
    lines += ["", *costs(answers)]
    return "\n".join([*lines, "", f"*{made_with}*", ""])


def plots(answers):
    return {
        f"leaderboard_{split.name}.svg": split.plot(split, answers[split.name])
        for split in SPLITS
        if split.name in answers
    }
