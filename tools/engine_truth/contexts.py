#!/usr/bin/env python3
"""Cached tokens of the requests of each decoding step, reckoned from the order of steps in steps.py.

contexts.py STEPS.csv...

Both passes of steps.py run the batches of the file in its order: wall times first, then kernels, for fewer
steps, so there the requests are shorter. Prints for each row what was noted and what is reckoned of
`context_mean` (after the timed steps) and `kernel_context_mean` (in the middle of the profiled ones), and
the largest difference: files of engines that ran before the second was noted have it from here."""

import argparse
from pathlib import Path

from step_folder import read_rows

BUDGET = 8192  # max_num_batched_tokens
AFTER_FILLING = 5  # steps before the first that counts
TIMED, PROFILED = 24, 3  # decoding steps of the two passes
TIMED_MIXES, PROMPTS_BEFORE_PROFILED = 9, 2


class Requests:
    """The decoding requests of one ladder: [cached tokens, tokens of its prompt]."""

    def __init__(self, prompt):
        self.prompt, self.all = prompt, []

    def step(self, *arrived):
        left = BUDGET
        for request in self.all:
            if request[0] >= request[1]:
                request[0] += 1
                left -= 1
        for request in [*self.all, *arrived]:
            if request[0] < request[1] and left > 0:
                tokens = min(left, request[1] - request[0])
                request[0], left = request[0] + tokens, left - tokens
        return self

    def fill(self, count):
        self.all += [[0, self.prompt] for _ in range(count - len(self.all))]
        while any(request[0] < request[1] for request in self.all):
            self.step()
        self.steps(AFTER_FILLING)

    def steps(self, count):
        for _ in range(count):
            self.step()

    def mean(self):
        return sum(request[0] for request in self.all) / len(self.all)


def contexts(batches, profiled):
    """(kind, batch) -> mean cached tokens, after timed steps or in the middle of profiled ones."""
    found, ladder = {}, None
    for kind, batch in batches:
        if kind == "prefill":
            continue
        size, rest = batch.split("x")
        context, _, tokens = rest.partition("+")
        if ladder is None or ladder.prompt != int(context):
            ladder = Requests(int(context))
        if kind == "decode":
            ladder.fill(int(size))
            ladder.steps(PROFILED if profiled else TIMED)
            found[kind, batch] = ladder.mean() - ((PROFILED - 1) / 2 if profiled else 0)
            continue
        for _ in range(PROMPTS_BEFORE_PROFILED if profiled else TIMED_MIXES):
            ladder.step([0, int(tokens)]).step()
        if profiled:
            found[kind, batch] = ladder.step([0, int(tokens)]).mean()
            ladder.step()
        else:
            found[kind, batch] = ladder.mean()
    return found


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("steps", nargs="+", type=Path)
    for path in parser.parse_args().steps:
        rows = read_rows(path)
        batches = [(row["kind"], row["batch"]) for row in rows]
        largest = {}
        print(path)
        for column, profiled in (("context_mean", False), ("kernel_context_mean", True)):
            reckoned = contexts(batches, profiled)
            for row in rows:
                key = (row["kind"], row["batch"])
                if key in reckoned and row.get(column):
                    error = abs(reckoned[key] - float(row[column]))
                    largest[column] = max(error, largest.get(column, 0))
                    print(f"  {column:20} {key[0]:7} {key[1]:14} {row[column]:>9} {reckoned[key]:9.2f}")
        for column, error in largest.items():
            print(f"{column}: noted and reckoned differ by at most {error:.2f}")


if __name__ == "__main__":
    main()
