#!/usr/bin/env python3
"""Times plans of (configuration, shape) rows by several processes, of which one at a time uses the GPU.

many.py JOBS.json [--seconds 300] [--processes 6] [--compilers 15] [--dry-run]
JOBS.json: a list of {"kind", "plan", "output", "operand_bytes", "experts", "top_k", "replays"}; plans are as
`python3 -m warploom.profile` reads them, paths are seen from JOBS.json. What takes long is capturing graphs,
which needs no GPU: while one process replays its shape's graphs, the others capture theirs. All
configurations of a shape are replayed in turn, in another order each time. Rows are written shape by shape:
run it again to go on. From nine replays on the medians of their two halves are written too (as quiet.py
does). Ends with 3 when time ran out."""

import argparse
import csv
import gc
import json
import multiprocessing
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from warploom.profile import parse, read_plan, small_shape, subject_of  # noqa: E402

CONFIG = ["bm", "bn", "bk", "warps", "stages"]
SHAPE = ["m", "n", "k"]
FEWEST_IN_HALVES = 9
USUAL_REPLAYS = 5
OUT_OF_TIME = 3


class Job:
    def __init__(self, told, folder):
        self.plan, self.output = folder / told["plan"], folder / told["output"]
        self.replays = told.get("replays", USUAL_REPLAYS)
        words = ["--kind", told["kind"], "--plan", str(self.plan), "--output", str(self.output)]
        for name in ("operand_bytes", "experts", "top_k"):
            words += ["--" + name.replace("_", "-"), str(told[name])] if name in told else []
        self.options = parse(words)

    def columns(self):
        halves = ["first_us", "second_us"] if self.replays >= FEWEST_IN_HALVES else []
        return [*CONFIG, *SHAPE, "median_us", "low_us", *halves]

    def done_rows(self):
        """Keys of complete rows; a last line cut short by a kill is dropped from the file."""
        if not self.output.exists():
            return set()
        commas = len(self.columns()) - 1
        whole = [line for line in self.output.read_text().split("\n")[:-1] if line.count(",") == commas]
        self.output.write_text("".join(line + "\n" for line in whole))
        return {tuple(int(cell) for cell in line.split(",")[:8]) for line in whole[1:]}

    def groups(self):
        """[(shape, [configurations])] that are left to time."""
        done, groups = self.done_rows(), {}
        for config, shape in read_plan(self.plan):
            if (*config, *shape) not in done:
                groups.setdefault(shape, []).append(config)
        return list(groups.items())

    def programs(self, groups):
        """[(configuration, small shape)]: sizes are to the compiler multiples of 16 or not."""
        found = set()
        for shape, configs in groups:
            m, n, k = small_shape(self.options, shape[2] % 16 != 0)
            odd = shape[1] % 16 != 0 and self.options.kind != "attention"
            found.update((config, (m, n + 1 if odd else n, k)) for config in configs)
        return sorted(found)

    def write(self, rows):
        fresh = not self.output.exists() or self.output.stat().st_size == 0
        with open(self.output, "a", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerows([self.columns()] if fresh else [])
            out.writerows(rows)


def compile_one(task):
    from warploom import profiler, subjects

    subjects.copies_of = lambda _: 1  # one set of operands will do
    job, config, small = task
    return profiler._compile_one((subject_of(job.options), config, small))


def captured(subject, sets, configs):
    import torch

    graphs = {}
    for config in configs:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for operands in sets:
                subject.call(operands, config)
        graphs[config] = graph
    return graphs


def replayed(graphs, calls, replays, rng):
    """{configuration: microseconds of one call, replay by replay}"""
    import torch

    times = {config: [] for config in graphs}
    for turn in range(replays + 1):
        for config in rng.sample(list(graphs), len(graphs)):
            begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
            begin.record()
            graphs[config].replay()
            end.record()
            torch.cuda.synchronize()
            if turn > 0:  # the first replay uploads the graph
                times[config].append(begin.elapsed_time(end) * 1e3 / calls)
    return times


def told(times):
    half = (len(times) + 1) // 2
    figures = [statistics.median(times), min(times)]
    if len(times) >= FEWEST_IN_HALVES:
        figures += [statistics.median(times[:half]), statistics.median(times[half:])]
    return [f"{figure:.3f}" for figure in figures]


def runs(subject, operands, configs, refused):
    """Those of the configurations that the GPU takes."""
    import torch

    kept = []
    for config in configs:
        try:
            subject.call(operands, config)
            torch.cuda.synchronize()
            kept.append(config)
        except Exception as error:  # out of resources, or a compiler's refusal
            refused.append(f"{config}: {type(error).__name__}")
    return kept


def timed_rows(job, shape, configs, gpu, rng):
    """(rows, refusals) of one shape; `gpu` is held while the GPU is used."""
    subject, refused = subject_of(job.options), []
    with gpu:
        sets = subject.sets(shape)
        kept = runs(subject, sets[0], configs, refused)
    graphs = captured(subject, sets, kept)
    with gpu:
        times = replayed(graphs, len(sets), job.replays, rng)
    return [[*config, *shape, *told(times[config])] for config in sorted(times)], refused


def work(jobs, tasks, results, gpu):
    import torch  # noqa: F401

    rng = random.Random(2)
    gc.freeze()  # each capture collects garbage first
    while (task := tasks.get()) is not None:
        place, shape, configs = task
        try:
            rows, refused = timed_rows(jobs[place], shape, configs, gpu, rng)
        except Exception as error:
            rows, refused = [], [f"all: {type(error).__name__}: {error}"]
        results.put((place, shape, rows, refused))
    results.put(None)


def time_all(jobs, waiting, options, started):
    """True when all was timed."""
    context = multiprocessing.get_context("spawn")
    tasks, results, gpu = context.Queue(), context.Queue(), context.Lock()
    given = (jobs, tasks, results, gpu)
    workers = [context.Process(target=work, args=given) for _ in range(options.processes)]
    for worker in workers:
        worker.start()
    waiting, running, late = list(reversed(waiting)), len(workers), False
    for _ in range(2 * len(workers)):
        tasks.put(waiting.pop() if waiting else None)
    while running:
        answer = results.get()
        if answer is None:
            running -= 1
            continue
        late = late or time.time() - started > options.seconds
        tasks.put(None if late or not waiting else waiting.pop())
        place, shape, rows, refused = answer
        jobs[place].write(rows)
        for refusal in refused:
            print(f"left out at {shape}: {refusal}", file=sys.stderr)
    for worker in workers:
        worker.join()
    return not waiting


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("jobs", type=Path)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--processes", type=int, default=6)
    parser.add_argument("--compilers", type=int, default=15)
    parser.add_argument("--dry-run", action="store_true", help="say what would be compiled and timed")
    options = parser.parse_args()
    started = time.time()
    jobs = [Job(told, options.jobs.parent) for told in json.loads(options.jobs.read_text())]
    waiting, programs = [], {}
    for place, job in enumerate(jobs):
        groups = job.groups()
        found = job.programs(groups)
        waiting += [(place, shape, configs) for shape, configs in groups]
        kernel = (job.options.kind, job.options.operand_bytes)
        programs.update({(*kernel, config, small): (job, config, small) for config, small in found})
        rows = sum(len(configs) for _, configs in groups)
        print(f"{job.plan.name}: {len(groups)} shapes, {rows} rows, {len(found)} programs", file=sys.stderr)
    if options.dry_run or not waiting:
        return 0
    with multiprocessing.get_context("spawn").Pool(options.compilers) as pool:
        for refusal in filter(None, pool.imap(compile_one, programs.values(), chunksize=4)):
            print(f"left out: {refusal}", file=sys.stderr)
    print(f"compiled in {time.time() - started:.0f} s", file=sys.stderr)
    begun, whole = time.time(), time_all(jobs, waiting, options, started)
    print(f"timed in {time.time() - begun:.0f} s, {'all' if whole else 'out of time'}", file=sys.stderr)
    return 0 if whole else OUT_OF_TIME


if __name__ == "__main__":
    sys.exit(main())
