"""python -m warploom.probe --out probe.json

About a minute. Run it on an idle machine: it says how noisy the machine was, and ends with code 2 where
that is above --noise-limit and other work runs on it, or where the GPU is so noisy (what was measured
stays in FILE.part, and the next run goes on with it or, with --again, begins anew). `warploom
calibrate-machine` makes of it the profile that --machine takes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from warploom.probe import engine_work, facts, gpu_work, handover, links, python_work, torch_work, under_load
from warploom.probe.journal import Journal, summary
from warploom.probe.workload import Missing, Sampler, Workload

HOST = [*python_work.WORK, *handover.WORK, *torch_work.WORK, *engine_work.WORK]
REFERENCES = {
    "reference.host": Workload("reference.host", python_work.make_scheduling, samples=1),
    "reference.gpu": gpu_work.product(4096, 4096, 4096)._replace(name="reference.gpu", samples=1, kept=True),
}
ROUNDS = 3
OTHERS_LIMIT = 0.5  # processors; with fewer, what varies is the machine, such as cores that it shares


class Probe:
    """Rounds over all workloads; the two references between them tell how steady the machine is."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.samplers: dict[str, Sampler] = {}
        self.missing: dict[str, str] = {}
        self.start = time.monotonic()
        self.told = ""

    def take(self, work: Workload, number: int | str) -> None:
        if (work.name, number) in self.journal.done or work.name in self.missing:
            return
        try:
            sample: Sampler | None = self.samplers.get(work.name)
            sample = sample or work.make()
            if work.kept:
                self.samplers[work.name] = sample
            taken = [sample() for _ in range(work.samples)]
        except Exception as problem:  # one that this machine cannot do leaves the others
            end_if_broken(work.name, problem)
            self.missing[work.name] = str(problem).split("\n")[0][:200] or type(problem).__name__
            if not isinstance(problem, Missing):
                self.missing[work.name] = f"{type(problem).__name__}: {self.missing[work.name]}"
            return
        finally:
            if not work.kept:
                sample = None
                free_gpu_memory()
        at = round(time.monotonic() - self.start, 2)
        self.journal.add({"name": work.name, "round": number, "at": at, "us": taken, "size": work.size})

    def rounds(self, works: Iterable[Workload], rounds: int) -> None:
        for number in range(rounds):
            for at, work in enumerate(works):
                self.progress(f"round {number + 1} of {rounds}: {work.name}")
                self.take(work, number)
                self.take(REFERENCES["reference.host"], f"{work.name}/{number}")
                if at % 4 == 0 or work in gpu_work.WORK:
                    self.gpu_reference(work, number)

    def gpu_reference(self, work: Workload, number: int | str) -> None:
        self.take(REFERENCES["reference.gpu"], f"{work.name}/{number}")

    def once(self, name: str, measure: Callable[[], Any]) -> None:
        if (name, 0) in self.journal.done:
            return
        self.progress(name)
        try:
            found = measure()
        except Exception as problem:
            end_if_broken(name, problem)
            self.missing[name] = f"{type(problem).__name__}: {problem}".split("\n")[0][:200]
            return
        self.journal.add({"name": name, "round": 0, "found": found})

    def progress(self, text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r{time.monotonic() - self.start:5.0f} s  {text:60}", end="", file=sys.stderr, flush=True)
        elif text.split(":")[0] != self.told:
            self.told = text.split(":")[0]
            print(f"{time.monotonic() - self.start:5.0f} s  {text}", file=sys.stderr, flush=True)


def end_if_broken(name: str, problem: Exception) -> None:
    """Ends the program where a kernel failed: after that the process can do nothing more on the GPU."""
    if type(problem).__name__ == "AcceleratorError":
        text = str(problem).split("\n")[0]
        print(f"\nerror: the GPU failed in {name}: {text}; expected it to run", file=sys.stderr, flush=True)
        os._exit(2)  # no tidying up: CUDA would wait, or abort


def free_gpu_memory() -> None:
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


def measure(probe: Probe, parts: Sequence[str]) -> None:
    if "host" in parts:
        probe.rounds(HOST, ROUNDS)
    if "gpu" in parts:
        probe.once("load.idle", under_load.idle)
        probe.rounds(gpu_work.WORK, 2)
        free_gpu_memory()
        for name in ("load.copies", "load.products"):
            probe.once(name, under_load.LOADS[name])
    if "links" in parts:
        free_gpu_memory()
        probe.once("links", links.all_reduces)


def gathered(journal: Journal) -> dict[str, dict[str, Any]]:
    """{name: summary}, over all rounds."""
    samples: dict[str, list[float]] = {}
    sizes: dict[str, Any] = {}
    for line in journal.lines:
        if "us" in line:
            samples.setdefault(line["name"], []).extend(line["us"])
            sizes[line["name"]] = line["size"]
    for line in journal.named("links"):
        for name, times in line["found"]["times"].items():
            samples[name] = times
            sizes[name] = {"gpus": line["found"]["gpus"], "bytes": int(name.rsplit("_", 1)[1])}
    return {name: {**summary(us), "size": sizes[name]} for name, us in samples.items()}


def document_of(
    probe: Probe, machine: Mapping[str, Any], ticks: facts.Ticks | None, users: Mapping[str, Any]
) -> dict[str, Any]:
    journal = probe.journal
    measured = gathered(journal)
    noise = {name: measured[name]["spread"] for name in REFERENCES if name in measured}
    return {
        "schema": "warploom_probe",
        "version": 1,
        "measured_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": machine,
        "other_users": users,
        "seconds": round(time.monotonic() - probe.start, 1),
        "processors": facts.shares_since(ticks),
        "noise": noise,
        "measured": measured,
        "loads": {
            line["name"]: line["found"] for line in journal.lines if line.get("name") in under_load.LOADS
        },
        "missing": probe.missing,
    }


def write_whole(path: str, text: str) -> None:
    scratch = f"{path}.tmp"
    with open(scratch, "w") as file:
        file.write(text)
    os.replace(scratch, path)


def parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m warploom.probe",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="JSON that is written")
    parser.add_argument("--parts", default="host,gpu,links", help="of host, gpu and links; default: all")
    parser.add_argument(
        "--again", action="store_true", help="leave what a probe that was cut off has measured"
    )
    parser.add_argument(
        "--noise-limit",
        type=float,
        default=25.0,
        metavar="PERCENT",
        help="half of the distance between the 10th and 90th percentile of work that is always the same",
    )
    asked = parser.parse_args(words)
    asked.parts = asked.parts.split(",")
    for part in asked.parts:
        if part not in ("host", "gpu", "links"):
            parser.error(f"--parts: '{part}' is unknown, expected some of host, gpu, links")
    folder = os.path.dirname(os.path.abspath(asked.out))
    if not os.path.isdir(folder):
        parser.error(f"--out: there is no folder {folder}")
    return asked


def main(words: Sequence[str]) -> int:
    asked = parse(words)
    users, ticks = under_load.other_users(), facts.cpu_ticks()
    machine: dict[str, Any] = {"host": facts.host_facts(), "gpus": under_load.gpu_facts()}
    same = json.loads(
        json.dumps({**machine, "host": {**machine["host"], "load_at_start": 0, "processor": 0}})
    )
    if asked.again and os.path.exists(f"{asked.out}.part"):
        os.unlink(f"{asked.out}.part")
    try:
        probe = Probe(Journal(asked.out, same))
    except ValueError as problem:
        print(f"probe: {problem}", file=sys.stderr)
        return 2
    measure(probe, asked.parts)
    document = document_of(probe, machine, ticks, users)
    text = ", ".join(f"{name.split('.')[1]} {100 * share:.1f} %" for name, share in document["noise"].items())
    print(f"\n{document['seconds']} s; noise of work that is always the same: {text}", file=sys.stderr)
    for why in sorted(set(probe.missing.values())):
        names = [name for name, reason in probe.missing.items() if reason == why]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        print(f"not measured: {', '.join(names[:3])}{more}: {why}", file=sys.stderr)
    worst = 100 * max(document["noise"].values(), default=0.0)
    others = document["processors"].get("others", OTHERS_LIMIT)
    of_gpu = 100 * document["noise"].get("reference.gpu", 0.0)
    if worst > asked.noise_limit >= of_gpu and others < OTHERS_LIMIT:
        print(
            "probe: no other work runs here, so this host varies by itself, as a virtual machine does whose "
            "cores are shared with others. Its factors have wide intervals",
            file=sys.stderr,
        )
    elif worst > asked.noise_limit:
        print(
            f"probe: noise of {worst:.1f} %, expected at most {asked.noise_limit:g} %: other work runs here. "
            f"End it and run with --again, or raise --noise-limit",
            file=sys.stderr,
        )
        return 2
    write_whole(asked.out, json.dumps(document, indent=1) + "\n")
    probe.journal.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
