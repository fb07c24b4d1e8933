"""data/judged/recorded_runs.json: every recorded run of a real engine, and what it may show."""
import json
from pathlib import Path

from .markdown import percent, signed, table

ROOT = Path(__file__).resolve().parent.parent.parent
RECORD = ROOT / "data" / "judged" / "recorded_runs.json"
FIXTURES = "tests/fixtures/"
STATUSES = ("judged", "fitted", "not_judged")

FIGURES = [
    ("TPOT mean", lambda answer: answer["metrics"]["tpot"]["mean"]["bias"]),
    ("TTFT mean", lambda answer: answer["metrics"]["ttft"]["mean"]["bias"]),
    ("TTFT p50", lambda answer: answer["metrics"]["ttft"]["p50"]["bias"]),
    ("TTFT p90", lambda answer: answer["metrics"]["ttft"]["p90"]["bias"]),
    ("output tokens/s", lambda answer: answer["output_throughput"]["bias"]),
]


def recorded():
    return json.loads(RECORD.read_text())


def name_of(run):
    """"vllm_0_24_h200 qwen14b_light" of "tests/fixtures/engine/vllm_0_24_h200/serving/qwen14b_light"."""
    engine, *rest = Path(run["run"]).relative_to("tests/fixtures/engine").parts
    return f"{engine} {rest[-1]}"


def requests_of(run):
    """The file of requests beside a run's description, which is named as the run or plainly."""
    plain = run["run"].rsplit("/", 1)[0] + "/requests.csv.gz"
    named = run["run"] + ".csv.gz"
    return named if (ROOT / named).exists() else plain


def place(path):
    return "{fixtures}/" + path.removeprefix(FIXTURES)


def command_of(run, host):
    files = ["--run", place(run["run"] + ".json"), "--requests", place(requests_of(run))]
    return ["validate", "serving", *files, *host]


def commands(engine):
    """The command of every listed run of an engine ("vllm" or "sglang"), by the run's name."""
    record = recorded()
    host = ["--host-profile", record["host_profile"]]
    return {name_of(run): command_of(run, host) for run in record["runs"] if name_of(run).startswith(engine)}


def folder_of(run):
    return Path(run["run"]).relative_to("tests/fixtures/engine").parts[0]


def machine_of(folder):
    return f"{{scratch}}/{folder}.json"


def calibrations():
    """The commands that make a profile of each machine that was probed."""
    return [["calibrate-machine", "--probe", place(f"{FIXTURES}engine/{folder}/{probe}"),
             "--output", machine_of(folder)] for folder, probe in recorded()["probes"].items()]


def commands_where_probed(told):
    """The commands of judged runs on probed machines: with the machine's profile, or nothing said."""
    record = recorded()
    found = {}
    for run in record["runs"]:
        folder = folder_of(run)
        if run["status"] == "judged" and folder in record["probes"]:
            found[name_of(run)] = command_of(run, ["--machine", machine_of(folder)] if told else [])
    return found


def mean_sizes(found):
    """Means of the sizes of each figure over runs; empty without runs."""
    return [sum(map(abs, column)) / len(column) for column in zip(*found)]


def mean_row(title, found):
    return [f"**{title}, {len(found)}**", *(f"**{percent(mean)}**" for mean in mean_sizes(found)), ""]


def lines(answers):
    """Judged runs and their mean, then the others with the reason beside each, then the mean of all."""
    runs = [run for run in recorded()["runs"] if name_of(run) in answers]
    found = {name_of(run): [of(answers[name_of(run)]) for _, of in FIGURES] for run in runs}
    columns = ["run", *(title for title, _ in FIGURES), "why"]

    def rows(*statuses):
        return [[name_of(run), *map(signed, found[name_of(run)]),
                 f"{run['status'].replace('_', ' ')}: {run['reason']}"]
                for run in runs if run["status"] in statuses]

    def of(*statuses):
        return [found[name_of(run)] for run in runs if run["status"] in statuses]

    shown = rows("judged") + [mean_row("mean size of the judged", of("judged"))]
    others = rows("fitted", "not_judged")
    if others:
        shown += [*others, mean_row("mean size of all", of(*STATUSES))]
    return table(columns, shown)
