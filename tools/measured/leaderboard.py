"""The page of tools/leaderboard: which splits there are, their tables and plots."""

from collections.abc import Callable
from dataclasses import dataclass, field

from .markdown import count, factor, pair, percent, table

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
    command: list[str]
    lines: Callable[[dict], list[str]]
    words: str
    before: list[list[str]] = field(default_factory=list)
    asks: bool = True  # other tools can answer its rows


def left_out(kind, only=()):
    words = ["validate", "kernels", "--store", "{store}", "--family", *FAMILIES, "--leave-out", kind]
    if only:
        words += ["--only-left-out", *only]
    return [*words, *ROWS, "--baseline", *METHODS]


def with_rows(command, learned, judged):
    numbers = {"{learned}": str(learned), "{judged}": str(judged)}
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


def cell(group, method):
    """Mean / median error; of how many rows, where the method has no model for the others."""
    figures = figures_of(group, method)
    if not figures or not figures["rows"]:
        return "-"
    text = pair(figures["mean_error"], figures["median_error"])
    share = figures["rows"] / group["rows"]
    return text if share > 0.995 else f"{text} of {percent(share, 0)}"


def by_family(answer):
    methods = methods_of(answer)
    rows = [
        [group["family"].replace("_", " "), count(group["rows"]), *(cell(group, m) for m in methods)]
        for group in answer["left_out"]
    ]
    return table(["mean / median error", "rows", *(TITLES.get(m, m) for m in methods)], rows)


STATIC_METHODS = ["pipeweave_kernels", *(m for m in METHODS if m != "pipeweave")]


def static(answer):
    rows = []
    for name in STATIC_METHODS:
        figures = answer["baselines"][name]
        title = TITLES.get(name, TITLES["pipeweave"])
        rows.append([title, *static_cells(figures), percent(figures["roofline_share"], 0)])
    rows.append(["ours", *static_cells(answer), "-"])
    columns = ["method", "prefill", "decode", "total", "bias: prefill", "decode", "total"]
    return table([*columns, "time without a model"], rows)


def static_cells(figures):
    parts = ("prefill", "decode", "total")
    return [percent(figures["mean"][p]) for p in parts] + [percent(figures["bias"][p]) for p in parts]


SPLITS = [
    Split(
        "new_shapes",
        "Seen GPUs, new shapes",
        left_out("shape"),
        by_family,
        "A tenth of the shapes, by a hash of the shape, that no method learned from, on every GPU.",
    ),
    Split(
        "unseen_gpu",
        "An unseen GPU: H200",
        left_out("gpu", ["h200_sxm"]),
        by_family,
        "No row of the H200 was learned from; its sibling H100 was.",
    ),
    Split(
        "unseen_generation",
        "An unseen generation: data-centre Blackwell",
        left_out("generation", ["blackwell"]),
        by_family,
        "No row of B200 and GB200 was learned from.",
    ),
    Split(
        "fp8_protocol",
        "One known kernel: PipeWeave's fp8 rows",
        [
            *["validate", "kernels", "--layout", "pipeweave"],
            *["--data", "{data}/pipeweave_kernels/gemm_fp8_train.csv.gz", "--leave-out", "shape"],
            *["--rows-per-gpu", "20000", "--judged-rows", "20000", "--baseline", *METHODS],
        ],
        by_family,
        "H20 and H800. The publication's network errs by 3.89 % of efficiency in the mean on its test rows.",
    ),
    Split(
        "static",
        "Static batches, end to end",
        [
            *["validate", "static", "--truth", "{data}/pipeweave_e2e/e2e_truth.csv"],
            *["--requests", "{data}/pipeweave_e2e/workload_requests.csv"],
            *["--baseline", "{scratch}/pipeweave_kernels.wlb", *(m for m in METHODS if m != "pipeweave")],
            *["--store", "{store}"],
        ],
        static,
        "24 batches of SGLang and vLLM on seven GPUs. The methods' kernels are composed as PipeWeave "
        "publishes it, without a host (KernelSight-LM with its own equation). Published for PipeWeave, on 40 "
        "such rows and with its own measurements of kernels: 8.9 %, 13.4 % and 8.7 %.",
        before=[
            [
                *["train", "--method", "pipeweave", "--store", "{store}", "--rows-per-gpu", "4000"],
                *["--family", "gemm", "attention_prefill", "attention_decode", "rmsnorm", "activation"],
                *["allreduce", "send_recv", "--output", "{scratch}/pipeweave_kernels.wlb"],
            ]
        ],
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


def costs(answers):
    """Training and answers of each method, over the families of a split."""
    rows = []
    for split in SPLITS:
        answer = answers.get(split.name)
        if not answer or "left_out" not in answer:
            continue
        for method in [*METHODS, "ours"]:
            found = [f for f in (figures_of(group, method) for group in answer["left_out"]) if f]
            judged = [group["rows"] for group in answer["left_out"]]
            answer_us = sum(f["answer_us"] * n for f, n in zip(found, judged)) / max(1, sum(judged))
            rows.append(
                [
                    split.title,
                    TITLES[method],
                    f"{sum(f['training_s'] for f in found) / 60:.1f}",
                    f"{max(f['training_peak_bytes'] for f in found) / 1e6:,.0f}",
                    f"{answer_us:.1f}",
                ]
            )
    return table(["split", "method", "training, minutes", "memory held at most, MB", "an answer, us"], rows)


def tuner_lines(tuner):
    rows = []
    for name, answer in tuner.items():
        for method, figures in [*answer["baselines"].items(), ("ours", answer)]:
            share, worst = figures.get("geo_mean_share"), figures.get("worst_share")
            decision = figures.get("decision_ns") or answer.get("decision_ns", {}).get(method)
            time = "-" if decision is None else f"{decision / 1000:.2f} us"
            speedup = factor(figures.get("geo_mean_speedup"))
            rows.append([name, method.replace("_", " "), percent(share), percent(worst), speedup, time])
    columns = ["set", "method", "share of the best", "worst", "against the default", "a decision"]
    return table(columns, rows)


def page(answers, tuner, made_with, options=""):
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
        command = " ".join(split.command).replace("{data}", "$D").replace("{store}", "rows.db")
        command = command.replace("{scratch}/", "")
        lines += ["", f"## {split.title}", "", split.words, "", "```", "warploom " + command, "```", ""]
        if "left_out" in answers[split.name]:
            lines += [f"![mean errors by family](images/leaderboard_{split.name}.svg)", ""]
        lines += split.lines(answers[split.name])
        reasons = without_model(answers[split.name]) if split.asks else []
        if reasons:
            lines += ["", "No model:", "", *reasons]
    lines += ["", "## What they cost", ""]
    lines += ["All families of a split together; memory is what training held beyond what the process had"]
    lines += ["before: 0 where what earlier trainings gave back was enough."]
    lines += ["PipeWeave's networks and ours are trained on the cores there are, the others on one.", ""]
    lines += costs(answers)
    if tuner:
        lines += ["", "## Tile configurations", "", *tuner_lines(tuner)]
    return "\n".join([*lines, "", f"*{made_with}*", ""])


COLOURS = ["#9aa5b1", "#c7b299", "#8fbf9f", "#d9a05b", "#5b8fd9", "#b07cc6", "#d97b7b", "#1667b7"]
BAR, GAP, HEIGHT, MOST = 14, 26, 240, 1.0  # pixels; errors are drawn up to 100 %


def plot(title, answer):
    """SVG: a group of bars for each family, a bar of the mean error for each method."""
    groups = answer["left_out"]
    methods = [*METHODS, "ours"]
    wide = len(methods) * BAR + GAP
    width = 60 + wide * len(groups)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT + 90}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{HEIGHT + 90}" fill="white"/>',
        f'<text x="10" y="16" font-weight="bold">{title}: mean error</text>',
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = 30 + HEIGHT * (1 - share)
        parts.append(f'<path d="M45 {y:.0f}H{width}" stroke="#ddd"/>')
        parts.append(f'<text x="40" y="{y + 4:.0f}" text-anchor="end">{100 * share:.0f} %</text>')
    for g, group in enumerate(groups):
        left = 50 + g * wide
        for m, method in enumerate(methods):
            figures = figures_of(group, method)
            if not figures or not figures["rows"]:
                continue
            error = figures["mean_error"]
            tall = HEIGHT * min(error, MOST)
            words = f"{TITLES[method]}, {group['family']}: {100 * error:.1f} %"
            parts.append(
                f'<rect x="{left + m * BAR}" y="{30 + HEIGHT - tall:.1f}" width="{BAR - 2}" '
                f'height="{tall:.1f}" fill="{COLOURS[m]}"><title>{words}</title></rect>'
            )
        middle = left + len(methods) * BAR / 2
        name = group["family"].replace("_", " ")
        parts.append(f'<text x="{middle:.0f}" y="{HEIGHT + 46}" text-anchor="middle">{name}</text>')
    for m, method in enumerate(methods):
        x, y = 10 + (m % 4) * 120, HEIGHT + 62 + (m // 4) * 16
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{COLOURS[m]}"/>')
        parts.append(f'<text x="{x + 14}" y="{y}">{TITLES[method]}</text>')
    return "\n".join([*parts, "</svg>", ""])


def plots(answers):
    return {
        f"leaderboard_{split.name}.svg": plot(split.title, answers[split.name])
        for split in SPLITS
        if split.name in answers and "left_out" in answers[split.name]
    }
