"""One table of a document: what is run, and how its answers are shown."""

from collections.abc import Callable
from dataclasses import dataclass, field

Words = list[str]


@dataclass
class Table:
    name: str
    commands: dict[str, Words]  # each gets --json
    lines: Callable[[dict], list[str]]
    before: list[Words] = field(default_factory=list)
    benchmarks: str = ""  # instead of commands: a filter of warploom_bench
    timed: bool = False  # the commands' time and memory, not their answers
    needs: list[str] = field(default_factory=list)  # instead of commands: tables whose answers it shows
    shown: list[str] = field(default_factory=list)  # what stands in place of many commands that are alike
