"""docs/leaderboard.md as one JSON document, for the page's view "Accuracy" and for a report.

The page is the source: what it says and what the document says cannot differ, and a page that was written
before needs no run anew.
"""
import json
import re
from pathlib import Path

SCHEMA, VERSION = "warploom_leaderboard", 1
ERRORS = "mean / median error"  # the first heading of a table of errors: rows are families, columns methods
CELL = re.compile(r"^([\d.,]+) / ([\d.,]+) %(?: of (\d+) %)?$")
REASON = re.compile(r"^- (.+?): ([\d,]+) rows?, (.+)$")
NONE = "-"


class UnknownForm(ValueError):
    """A line of the page that this reader does not know, so that nothing is left out silently."""


def number(text):
    """1564 of "1,564"; a text stays a text."""
    plain = text.replace(",", "")
    if re.fullmatch(r"-?\d+", plain):
        return int(plain)
    return float(plain) if re.fullmatch(r"-?\d+\.\d+", plain) else text


def row_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def kind_of(line):
    """None ends a paragraph: an empty line, or a picture."""
    if not line.strip() or line.startswith("!["):
        return None
    table = line.startswith(("| ", "|--"))
    return "table" if table else "list" if line.startswith("- ") else "text"


def blocks(lines):
    """Paragraphs, tables, fences and lists of a section, as (kind, lines)."""
    found, now = [], None
    for line in lines:
        if line.startswith("```"):
            now = None if now == "fence" else "fence"
            if now:
                found.append((now, []))
            continue
        kind = "fence" if now == "fence" else kind_of(line)
        if kind and kind != now:
            found.append((kind, []))
        if kind:
            found[-1][1].append(line)
        now = kind
    return found


def error_cells(table, title):
    """The document's cells of a table of errors: one for each family and method that has a model."""
    methods = row_of(table[0])[2:]
    cells = []
    for line in table[2:]:
        family, rows, *found = row_of(line)
        if len(found) != len(methods):
            raise UnknownForm(f"'{title}', {family}: {len(found)} cells, expected {len(methods)}")
        for method, text in zip(methods, found):
            read = CELL.match(text)
            if not read and text != NONE:
                raise UnknownForm(f"'{title}', {family}, {method}: '{text}' is no 'MEAN / MEDIAN %'")
            if read:
                mean, median, of = read.groups()
                cells.append({"family": family, "method": method, "rows": number(rows),
                              "mean_error": round(float(mean.replace(",", "")) / 100, 6),
                              "median_error": round(float(median.replace(",", "")) / 100, 6),
                              "covered": int(of) / 100 if of else 1})
    return methods, cells


def reasons(lines, title):
    found = []
    for line in lines:
        read = REASON.match(line)
        if not read:
            raise UnknownForm(f"'{title}': '{line}' is no '- METHOD: N rows, REASON'")
        found.append({"method": read[1], "rows": number(read[2]), "reason": read[3]})
    return found


def section(title, lines):
    """A split of the leaderboard where its table is one of errors, else a table as it stands."""
    parts = blocks(lines)
    text = " ".join(line for kind, found in parts if kind == "text" for line in found)
    about = re.sub(r"\s*\*Commit .*\*$|\s*No model:$", "", text).strip()
    common = {"title": title, "about": about,
              "command": "\n".join(line for kind, found in parts if kind == "fence" for line in found)}
    table = next((found for kind, found in parts if kind == "table"), None)
    if table is None:
        return None
    if row_of(table[0])[0] == ERRORS:
        methods, cells = error_cells(table, title)
        lists = [line for kind, found in parts if kind == "list" for line in found]
        return {**common, "methods": methods, "cells": cells, "no_model": reasons(lists, title)}
    rows = [[number(cell) for cell in row_of(line)] for line in table[2:]]
    return {**common, "columns": row_of(table[0]), "rows": rows}


def document(markdown):
    head, *sections = re.split(r"^## ", markdown, flags=re.MULTILINE)
    made = re.search(r"^\*(Commit .+)\*$", markdown, flags=re.MULTILINE)
    parts = blocks(head.split("\n")[1:])
    paragraphs = [" ".join(found) for kind, found in parts if kind == "text"]
    found = [section(title, rest.split("\n")) for title, _, rest in (s.partition("\n") for s in sections)]
    found = [one for one in found if one is not None]
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "about": re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", paragraphs[0]) if paragraphs else "",
        "command": "\n".join(line for kind, lines in parts if kind == "fence" for line in lines),
        "made_with": made[1].replace("`", "") if made else "",
        "splits": [one for one in found if "cells" in one],
        "tables": [one for one in found if "columns" in one],
    }


def text_of(found):
    """The document's file: a line for each cell and row, so that a change is a small difference."""
    def lines(value, depth):
        pad = "  " * depth
        if isinstance(value, dict) and any(isinstance(v, list) and v for v in value.values()):
            inner = [f"{pad}  {json.dumps(key)}: {lines(one, depth + 1)}" for key, one in value.items()]
            return "{\n" + ",\n".join(inner) + f"\n{pad}}}"
        if isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
            inner = [f"{pad}  {lines(one, depth + 1)}" for one in value]
            return "[\n" + ",\n".join(inner) + f"\n{pad}]"
        return json.dumps(value, ensure_ascii=False)
    return lines(found, 0) + "\n"


def write(page, output):
    """Writes what `page` (docs/leaderboard.md) says to `output` (data/web/leaderboard.json)."""
    Path(output).write_text(text_of(document(Path(page).read_text())))
