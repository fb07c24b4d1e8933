"""Figures as text, and tables of Markdown."""


def percent(value, digits=1):
    """A ratio as percent; a dash where there is no figure."""
    return "-" if value is None else f"{100 * value:.{digits}f} %"


def signed(value, digits=1):
    return "-" if value is None else f"{100 * value:+.{digits}f} %"


def pair(mean, median, digits=1):
    """Two ratios as 'mean / median %'."""
    if mean is None or median is None:
        return "-"
    return f"{100 * mean:.{digits}f} / {100 * median:.{digits}f} %"


def count(value):
    return "-" if value is None else f"{value:,}"


def factor(value):
    return "-" if value is None else f"{value:.2f} x"


def table(columns, rows):
    """Lines of a Markdown table."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def rules(title, entries):
    """A list of rules with their rows, reasons and sources. `entries`: (rows, name, reason, source)."""
    lines = [title, ""]
    lines += [
        f"- **{name}**, {count(rows)} rows: {reason}. Source: {source}."
        for rows, name, reason, source in entries
    ]
    return lines
