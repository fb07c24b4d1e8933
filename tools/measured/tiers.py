"""Answers of tools/judge_tiers: a GPU of which nothing is known, and the same after one onboarding."""

import json
from pathlib import Path

from .markdown import percent, signed, table
from .table_entry import Table

RECORD = Path(__file__).resolve().parent.parent.parent / "data" / "judged" / "tiers.json"
FIGURES = ("ttft", "tpot", "throughput")
TITLES = ("TTFT mean", "TPOT mean", "output tokens/s")
COMMAND = ["tools/judge_tiers", "--warploom", "{program}", "--data", "{data}", "--work", "{work}/tiers",
           "--only", "steps", "serving"]


def goal_of(tier):
    return json.loads(RECORD.read_text())["goals"][tier]


def met(figure, goal):
    return f"{percent(figure)}, {'met' if figure <= goal else '**missed**'} ({percent(goal)})"


def run_row(title, answer, goal, which="judged"):
    if which not in answer["figures"]:
        return []
    row = answer["figures"][which]
    cells = [met(row[name]["mean"], goal[name]) if goal else percent(row[name]["mean"]) for name in FIGURES]
    inside = ", ".join(f"{percent(row[name]['inside'])}" for name in FIGURES)
    bias = ", ".join(signed(row[name]["bias"]) for name in FIGURES)
    return [[title, f"{row['runs']} runs", *cells, bias, inside]]


def runs_of(found):
    rows = run_row("tier A: none of these GPUs, judged runs", found["a"]["serving"], goal_of("a"))
    rows += run_row("the same and runs that hosts were fitted to", found["a"]["serving"], None, "all")
    for name, of in found["b"].items():
        words = "all onboardings" if name == "all" else name
        rows += run_row(f"tier B: {words}", of["serving"], goal_of("b") if name == "all" else None)
        rows += run_row(f"tier B: {words}, before the onboarding", of["serving_before"], None)
    return table(["what", "", *TITLES, "bias", "inside p10..p90"], rows)


def step_rows(title, answer):
    return [
        [title, name, str(row["steps"]), *(percent(row[key]) for key in ("mean", "median")),
         signed(row["bias"]), percent(row["inside"]), percent(row["kernels"]) if row["kernels"] else "-"]
        for name, row in answer.items()
    ]


def steps_of(found):
    rows = step_rows("tier A", found["a"]["steps"])
    for name, of in found["b"].items():
        rows += step_rows(f"tier B, {name}", of["steps"]) if "steps" in of else []
        rows += step_rows(f"before it, {name}", of["steps_before"]) if "steps" in of else []
    columns = ["what", "steps of", "steps", "mean", "median", "bias", "inside p10..p90", "kernels by kind"]
    return table(columns, rows)


def lines(answers):
    found = answers["tiers"]["h100_h200"]
    return ["Serving runs:", "", *runs_of(found), "", "Kernel sums of steps:", "", *steps_of(found)]


TABLES = [Table("tiers", {"tiers": COMMAND}, lines)]
