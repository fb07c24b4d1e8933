"""data/judged/known_gaps.json: what is wrong, with what shows it; the figures are measured."""
import json
import statistics
from pathlib import Path

from .goals import number_at
from .markdown import percent, signed, table

RECORD = Path(__file__).resolve().parent.parent.parent / "data" / "judged" / "known_gaps.json"


def gaps():
    return json.loads(RECORD.read_text())["gaps"]


def tables_of_gaps():
    return list(dict.fromkeys(gap["table"] for gap in gaps() if "table" in gap))


def matches(cell, when):
    """Whether a cell has every value asked for: equal, one of a list, or {"from", "to"} inclusive."""
    for key, wish in when.items():
        value = cell[key]
        if isinstance(wish, dict):
            if not wish.get("from", value) <= value <= wish.get("to", value):
                return False
        elif value not in (wish if isinstance(wish, list) else [wish]):
            return False
    return True


def cells_text(gap, answer):
    """Median error and bias of the cells that a gap names."""
    # Judged ones, unless the gap names another group.
    every = answer["other_cells" if "group" in gap["cells"] else "cells"]
    cells = [cell for cell in every if matches(cell, gap["cells"])]
    if not cells:
        raise ValueError(f"known gap '{gap['gap']}': no cell of {gap['table']} is as it says")
    parts = [f"{len(cells)} cells"]
    for figure in ("ttft", "tpot"):
        biases = [cell[f"predicted_{figure}_ms"] / cell[f"measured_{figure}_ms"] - 1 for cell in cells]
        parts.append(f"{figure.upper()} median {percent(statistics.median(map(abs, biases)))}, "
                     f"bias {signed(statistics.median(biases))}")
    return "; ".join(parts)


def rows_text(gap, answer):
    """Means of the rows of `validate static` that a gap names."""
    rows = [row for row in answer["rows"] if matches(row, gap["rows"])]
    if not rows:
        raise ValueError(f"known gap '{gap['gap']}': no row of {gap['table']} is as it says")
    means = {key.removesuffix("_error"): statistics.mean(row[key] for row in rows) for key in gap["means"]}
    words = ", ".join(f"{title} {percent(mean)}" for title, mean in means.items())
    return f"{len(rows)} batches; {words}"


def value_text(answer, title, path):
    figure = number_at(answer, path)
    return f"{title} {signed(figure) if path.endswith('bias') else percent(figure)}"


def size_of(gap, answers):
    if "table" not in gap:
        return "never measured"
    found = answers[gap["table"]]
    answer = found[gap["answer"]] if "answer" in gap else next(iter(found.values()))
    if "cells" in gap:
        return cells_text(gap, answer)
    if "rows" in gap:
        return rows_text(gap, answer)
    return "; ".join(value_text(answer, title, path) for title, path in gap["values"].items())


def command_of(gap):
    return gap.get("command") or f"tools/measure --only {gap['table']}"


def lines(answers):
    rows = [[gap["gap"], size_of(gap, answers), gap["cause"], f"`{command_of(gap)}`"] for gap in gaps()]
    return table(["what", "how much", "what is known of the cause", "command that shows it"], rows)
