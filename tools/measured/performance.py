"""Tables of warploom_bench and of whole commands, in time and memory."""

from .markdown import count, table

# What is wanted: seconds at most, or items a second at least.
WANTED_SECONDS = {
    "BM_PredictHot": 2e-6,
    "BM_PredictHot/attention_decode": 2e-6,
    "BM_PredictHot/attention_prefill": 2e-6,
    "BM_PredictHot/moe": 2e-6,
    "BM_SimulateRequests/20000/real_time": 10.0,
    "BM_TunePick": 100e-9,
    "BM_TunePickC": 150e-9,
    "BM_TuneExpertsC": 500e-9,
}
WANTED_RATES = {
    "BM_PredictBatch": 2e6,
    "BM_PredictBatch/attention_decode": 2e6,
    "BM_PredictBatch/attention_prefill": 2e6,
    "BM_PredictBatch/moe": 2e6,
    "BM_PredictBatch/mix": 2e6,
}
MEASURES = {
    "BM_PredictHot": "one GEMM 4096 x 4096 x 4096, with interval, bound and tier",
    "BM_PredictHot/attention_decode": "64 requests at context 2,048",
    "BM_PredictHot/attention_prefill": "4 prompts of 1,024 tokens",
    "BM_PredictHot/moe": "fused MoE, 512 tokens, 8 experts, top 2",
    "BM_PredictBatch": "2,048 distinct GEMM shapes",
    "BM_PredictBatch/attention_decode": "2,048 distinct batches",
    "BM_PredictBatch/attention_prefill": "2,048 distinct batches",
    "BM_PredictBatch/moe": "2,048 distinct shapes, 8 to 256 experts",
    "BM_PredictBatch/mix": "the four of them interleaved",
    "BM_OpenPredictor": "from nothing to the first GEMM answer",
    "BM_StepPrice": "a decode step of Llama-3.1-8B, 64 requests, warm tables",
    "BM_SimulateRequests/20000/real_time": "20,000 requests of `conversation`, one run at p50",
    "BM_TunePick": "one look-up, C++",
    "BM_TunePickC": "one look-up through the C interface",
    "BM_TuneExpertsC": "both products of a layer of experts, tokens seen before, in C",
    "BM_TunePickWaveTune": "one decision of the published wave model",
    "BM_WaveTuneFit": "its fit to 24,522 timings",
    "BM_TuneOpen": "opening a table",
}


def duration(seconds):
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def rate(value):
    if value is None:
        return "-"
    for unit, size in ((" G", 1e9), (" M", 1e6), (" k", 1e3)):
        if value >= size:
            return f"{value / size:.3g}{unit}/s"
    return f"{value:.3g}/s"


def of_wanted(name, figures):
    """Time over the wanted time, or the wanted rate over the rate: at most 1 where the wish is met."""
    if name in WANTED_SECONDS:
        return f"{figures['seconds'] / WANTED_SECONDS[name]:.2f}"
    if name in WANTED_RATES and figures.get("items_per_second"):
        return f"{WANTED_RATES[name] / figures['items_per_second']:.2f}"
    return "-"


def benchmarks(answers):
    rows = answers["bench"]["rows"]
    compared = any(figures.get("beside_seconds") for figures in rows.values())
    lines = []
    for name, figures in rows.items():
        line = [
            f"`{name.removesuffix('/real_time')}`",
            MEASURES.get(name, ""),
            duration(figures["seconds"]),
            rate(figures.get("items_per_second")),
            of_wanted(name, figures),
            f"{100 * figures['spread']:.0f} %",
        ]
        if compared:
            beside = figures.get("beside_seconds")
            line.append(f"{figures['seconds'] / beside:.2f}" if beside else "-")
        lines.append(line)
    columns = ["benchmark", "measures", "time", "rate", "time / wanted", "spread"]
    return table([*columns, "time / beside"] if compared else columns, lines)


def commands(answers):
    """Whole processes: median CPU time and the largest memory."""
    lines = [
        [name, duration(figures["cpu_seconds"]), f"{count(round(figures['peak_bytes'] / 1e6))} MB"]
        for name, figures in answers.items()
    ]
    return table(["command", "CPU time", "peak memory"], lines)
