#!/usr/bin/env python3
"""Times every candidate of the kernels of kernel_families.py on this GPU, as vLLM launches them.

time_kernels.py PLAN.json --output TIMES.csv [--seconds 380] [--processes 4] [--compilers C] [--list]
PLAN.json: [{"class": "State", "arguments": {...}, "named": {"predicted": [4, 1], ...}}], most wanted first;
`named` configurations are timed beside the candidates and the engine's default. Programs are compiled ahead
by processes that launch nothing, while others capture CUDA graphs and one at a time replays them. All
configurations of a subject are replayed in turn, in another order each time; what takes more than SLOW times
the fastest of the first turn is not replayed again. Rows come subject by subject, with the registers, spills
and shared memory of the compiled kernel. Ends with 3 when time ran out."""

import argparse
import csv
import gc
import json
import multiprocessing
import os
import queue
import random
import statistics
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]
import kernel_families  # noqa: E402

COLUMNS = ["family", "subject", "config", "roles", "median_us", "low_us", "registers", "spills", "shared"]
TURNS, SLOW, OUT_OF_TIME = 7, 3, 3
MOST_COMPILERS = 20
KERNELS = {"warm": False, "seen": []}


def subject_of(entry):
    return getattr(kernel_families, entry["class"])(**entry["arguments"])


def configs_of(entry, subject):
    """{configuration: its roles}"""
    found = {tuple(config): [] for config in subject.candidates()}
    found.setdefault(tuple(subject.usual()), []).append("default")
    for role, config in entry.get("named", {}).items():
        found.setdefault(tuple(config), []).append(role)
    return found


def watch_launches():
    """Triton's launches are seen by KERNELS: compiled alone while "warm", and kept."""
    from triton.runtime.jit import JITFunction
    usual = JITFunction.run

    def run(self, *args, grid, warmup, **given):
        kernel = usual(self, *args, grid=grid, warmup=warmup or KERNELS["warm"], **given)
        KERNELS["seen"].append(kernel)
        return kernel

    JITFunction.run = run


def compile_one(task):
    entry, config = task
    KERNELS["warm"] = True
    KERNELS["seen"].clear()
    try:
        key = json.dumps(entry["arguments"], sort_keys=True)
        if KERNELS.get("key") != key:
            KERNELS["key"], KERNELS["subject"] = key, subject_of(entry)
            KERNELS["sets"] = KERNELS["subject"].sets(1)
        KERNELS["subject"].call(KERNELS["sets"][0], config)
    except Exception as error:
        return f"{entry['class']} {config}: {type(error).__name__}: {str(error)[:200]}"
    return None


def captured(subject, sets, config):
    import torch
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for operands in sets:
            subject.call(operands, config)
    return graph


def launched(subject, sets, config, whole):
    """Registers, spills and shared memory of the first kernel of one launch."""
    import torch
    KERNELS["seen"].clear()
    subject.call(sets[0], config)
    first = KERNELS["seen"][0]
    for operands in sets[1:] if whole else ():
        subject.call(operands, config)
    torch.cuda.synchronize()
    return first.n_regs, first.n_spills, first.metadata.shared


def replayed(graphs, calls, rng):
    import torch
    times = {config: [] for config in graphs}

    def replay(config):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        graphs[config].replay()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) * 1e3 / calls

    for config in graphs:
        replay(config)  # the first uploads the graph
        times[config].append(replay(config))
    fastest = min(values[0] for values in times.values())
    kept = [config for config in graphs if times[config][0] <= SLOW * fastest]
    for _ in range(TURNS - 1):
        for config in rng.sample(kept, len(kept)):
            times[config].append(replay(config))
    return times


def timed(entry, gpu, rng):
    """(rows, refusals) of one subject; `gpu` is held while the GPU is used."""
    subject = subject_of(entry)
    roles, refused, facts, graphs = configs_of(entry, subject), [], {}, {}
    with gpu:
        sets = subject.sets()
    for config in roles:
        try:
            KERNELS["warm"] = True
            subject.call(sets[0], config)
        except Exception as error:
            refused.append(f"{config}: {type(error).__name__}: {str(error)[:150]}")
        finally:
            KERNELS["warm"] = False
    with gpu:
        for config in roles:
            try:
                facts[config] = launched(subject, sets, config, len(sets) <= 24 or not facts)
            except Exception as error:
                refused.append(f"{config}: {type(error).__name__}: {str(error)[:150]}")
    for config in facts:
        graphs[config] = captured(subject, sets, config)
    with gpu:
        times = replayed(graphs, len(sets), rng)
    return [[subject.family, subject.key, "x".join(map(str, config)), "+".join(roles[config]),
             f"{statistics.median(values):.3f}", f"{min(values):.3f}", *facts[config]]
            for config, values in times.items()], refused


def work(plan, tasks, results, gpu):
    rng = random.Random(2)
    watch_launches()
    gc.freeze()  # each capture collects garbage first
    while (place := tasks.get()) is not None:
        try:
            answer = timed(plan[place], gpu, rng)
        except Exception:
            answer = [], [traceback.format_exc()[-1500:]]
        results.put((place, *answer))
    results.put(None)


def programs(plan):
    found = {}
    for entry in plan:
        subject = subject_of(entry)
        for config in configs_of(entry, subject):
            found.setdefault((entry["class"], subject.program(), config), (entry, config))
    return list(found.values())


def import_engine():
    """In the parent, once: children are forked, before any of them has met the GPU."""
    import triton  # noqa: F401
    import vllm.lora.ops.triton_ops.lora_expand_op  # noqa: F401
    import vllm.lora.ops.triton_ops.lora_kernel_metadata  # noqa: F401
    import vllm.lora.ops.triton_ops.lora_shrink_op  # noqa: F401
    import vllm.model_executor.layers.fused_moe.fused_moe  # noqa: F401
    import vllm.model_executor.layers.mamba.ops.mamba_ssm  # noqa: F401
    import vllm.v1.attention.ops.triton_unified_attention  # noqa: F401
    from warploom.kernels import fused_moe, gemm  # noqa: F401


def fork_works():
    """Whether a forked child reaches the GPU: not after a CUDA library met it in the parent."""
    def look():
        import torch
        torch.zeros(1, device="cuda")

    child = multiprocessing.get_context("fork").Process(target=look)
    child.start()
    child.join(60)
    return child.exitcode == 0


class Progress:
    """Which subjects were given out and are written; one is given out when its programs are there."""

    def __init__(self, plan, wanted, output, say):
        self.plan, self.wanted, self.say = plan, wanted, say
        self.compiled = self.given = self.finished = 0
        places = {id(entry): number for number, (entry, _) in enumerate(wanted)}
        self.needed = []  # programs, in their order, by subject
        for entry in plan:
            self.needed.append(max([places.get(id(entry), -1), *self.needed[-1:]]))
        self.file = open(output, "w", newline="")
        self.out = csv.writer(self.file, lineterminator="\n")
        self.out.writerow(COLUMNS)

    def hear(self, compiled):
        """What was compiled since; returns when nothing more is ready."""
        try:
            while self.compiled < len(self.wanted):
                refusal = compiled.next(timeout=0.05)
                self.compiled += 1
                if refusal:
                    self.say(f"not compiled: {refusal}")
                if self.compiled == len(self.wanted):
                    self.say("all compiled")
        except multiprocessing.TimeoutError:
            pass

    def give(self, tasks, most):
        while (self.given < len(self.plan) and self.needed[self.given] < self.compiled
               and self.given - self.finished < most):
            tasks.put(self.given)
            self.given += 1

    def take(self, place, rows, refused):
        self.finished += 1
        self.out.writerows(rows)
        self.file.flush()
        more = f"; {len(refused)} refused, first {refused[0]}" if refused else ""
        key = subject_of(self.plan[place]).key
        self.say(f"{self.finished} of {len(self.plan)}: {key}: {len(rows)} rows{more}")

    def whole(self):
        return self.finished == len(self.plan)


def time_all(plan, options, say, end):
    """True when all was timed before `end`."""
    context = multiprocessing.get_context("fork" if fork_works() else "spawn")
    wanted = programs(plan)
    say(f"{len(plan)} subjects, {len(wanted)} programs, processes by {context.get_start_method()}")
    pool = context.Pool(options.compilers, initializer=watch_launches)
    compiled = pool.imap(compile_one, wanted, chunksize=1)
    tasks, results, gpu = context.Queue(), context.Queue(), context.Lock()
    given = (plan, tasks, results, gpu)
    workers = [context.Process(target=work, args=given) for _ in range(options.processes)]
    for worker in workers:
        worker.start()
    progress = Progress(plan, wanted, options.output, say)
    while not progress.whole() and time.time() < end:
        progress.hear(compiled)
        progress.give(tasks, 2 * len(workers))
        try:
            progress.take(*results.get(timeout=0.2))
        except queue.Empty:
            continue
    pool.terminate()
    for worker in workers:
        worker.terminate()
    return progress.whole()


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=380)
    parser.add_argument("--processes", type=int, default=4)
    cores = os.cpu_count() or 2
    parser.add_argument("--compilers", type=int, default=max(2, min(MOST_COMPILERS, cores - 5)))
    parser.add_argument("--list", action="store_true", help="say what would be timed")
    options = parser.parse_args()
    started, plan = time.time(), json.loads(options.plan.read_text())
    if options.list:
        for entry in plan:
            subject = subject_of(entry)
            count = len(subject.candidates())
            print(f"{subject.family} {subject.key}: {count} candidates, {entry.get('named', {})}")
        return 0

    def say(text):
        print(f"{time.time() - started:6.1f} s {text}", file=sys.stderr, flush=True)

    import_engine()
    say("imported")
    gc.freeze()
    whole = time_all(plan, options, say, started + options.seconds)
    say("all timed" if whole else "out of time")
    return 0 if whole else OUT_OF_TIME


if __name__ == "__main__":
    sys.exit(main())
