"""Every table by name."""

from . import goals, kernel_tables, known_gaps, serving_tables, speed_tables, tiers, tuner_tables
from .table_entry import Table

# From the answers of other tables: last, so that these are there.
JOINED = [
    Table(
        "summary",
        {},
        lambda answers: goals.lines(answers, lambda goal: f"tools/measure --only {goal['table']}"),
        needs=goals.tables_of_goals(),
    ),
    Table("known-gaps", {}, known_gaps.lines, needs=known_gaps.tables_of_gaps()),
]

TABLES = {
    table.name: table
    for table in [
        *kernel_tables.TABLES,
        *serving_tables.TABLES,
        *tiers.TABLES,
        *tuner_tables.TABLES,
        *speed_tables.TABLES,
        *JOINED,
    ]
}
