"""data/judged/goals.json: what was wanted of which figure, and by whom."""
import json
from pathlib import Path

from .markdown import percent, table
from .recorded_runs import FIGURES, mean_sizes, name_of, recorded

RECORD = Path(__file__).resolve().parent.parent.parent / "data" / "judged" / "goals.json"


def goals():
    return json.loads(RECORD.read_text())["goals"]


def tables_of_goals():
    return list(dict.fromkeys(goal["table"] for goal in goals()))


def number_at(answer, dotted):
    """The number at a path with dots; raises KeyError naming the path where there is none."""
    found = answer
    for key in dotted.split("/"):
        if not isinstance(found, dict) or key not in found:
            raise KeyError(f"goal: no '{key}' of '{dotted}' in the answer")
        found = found[key]
    return found


def judged_mean(answers, figure):
    """Mean size of a figure over the judged runs."""
    judged = {name_of(run) for run in recorded()["runs"] if run["status"] == "judged"}
    of = [title for title, _ in FIGURES].index(figure)
    found = [[read(answers[name]) for _, read in FIGURES] for name in answers if name in judged]
    return mean_sizes(found)[of]


def figure_of(goal, answers):
    """From the answers of the goal's table: at a path of one answer, or a mean over judged runs."""
    if "judged_mean" in goal:
        return judged_mean(answers, goal["judged_mean"])
    return number_at(answers[goal["answer"]], goal["value"])


def is_met(goal, figure):
    return figure <= goal["at_most"] if "at_most" in goal else figure >= goal["at_least"]


def shown(goal, figure):
    if goal.get("unit") == "x":
        return f"{figure:.2f} x"
    return percent(figure)


def wanted(goal):
    limit = goal.get("at_most", goal.get("at_least"))
    return ("at most " if "at_most" in goal else "at least ") + shown(goal, limit)


def lines(answers, command_of):
    """`answers`: those of each table by its name; `command_of(goal)`: as a reader types it."""
    rows, missed = [], []
    for goal in goals():
        figure = figure_of(goal, answers[goal["table"]])
        met = is_met(goal, figure)
        name = f"{goal['of']}: {goal['figure']}"
        rows.append([name, shown(goal, figure), wanted(goal), "met" if met else "**missed**",
                     f"`{command_of(goal)}`", goal["source"]])
        if not met:
            missed.append(f"{name} is {shown(goal, figure)}, {wanted(goal)} was wanted")
    words = f"Missed, {len(missed)} of {len(rows)}: {'; '.join(missed)}." if missed else "Every goal is met."
    return [*table(["figure", "measured", "goal", "", "command", "goal set by"], rows), "", words]
