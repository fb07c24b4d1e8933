"""python -m warploom.onboard --engine vllm|sglang --model CONFIG --out FOLDER

Runs the model with random weights in the engine installed here and times its steps, one after the other:
1 to 256 decoding requests, prompts, both together; two to five minutes. Nothing is downloaded: --model is a
config.json, or a record of data/models. Kernels of vLLM are timed one by one too (--kernel-seconds):
products, experts and attention through its own layers, of this model's sizes and of others, so that models
that were not onboarded are priced by them, and what works on rows between them. A run that was cut off goes
on where it ended. Then, where the program is there, FOLDER/kernels is learned of those kernels and
FOLDER/machine.json fitted, what --predictor and --machine take; else on any other machine:

    warploom calibrate --gpu GPU --data FOLDER --output FOLDER/kernels
    warploom calibrate-machine --onboarded FOLDER --predictor FOLDER/kernels --output machine.json

SGLang runs in processes of its own, which the recorder watches: its steps alone are timed, prompts and
decoding apart.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from warploom.onboard.engine_setup import cut_layers, engine_arguments, model_folder
from warploom.onboard.kernel_plan import EXPERT_COUNTS, kernels as planned_kernels
from warploom.onboard.kernel_sweep import KernelSweep, say
from warploom.onboard.plan import steps as planned_steps
from warploom.onboard.row_plan import rows as planned_rows
from warploom.onboard.step_record import StepRecord
from warploom.record.folder import write_whole

CHILDREN = "warploom.record.children"

ENGINES = {"vllm": "vllm", "sglang": "sglang"}
DEFAULTS = {
    "gpu_memory_utilization": 0.9,
    "enable_prefix_caching": False,
    "max_num_batched_tokens": 8192,
    "max_num_seqs": 256,
    "max_model_len": 10000,
    "async_scheduling": False,
}


def parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m warploom.onboard",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--engine", choices=sorted(ENGINES), default="vllm")
    parser.add_argument("--model", required=True, metavar="CONFIG", help="the model's config.json")
    parser.add_argument(
        "--out", required=True, metavar="FOLDER", help="what is measured; a run goes on in it"
    )
    parser.add_argument(
        "--layers", type=int, help="the model's first layers alone, where it does not fit whole"
    )
    parser.add_argument("--kv", nargs="*", default=[], metavar="KEY=VALUE", help="arguments of the engine")
    parser.add_argument("--seconds", type=float, default=600, help="begins no further step after so long")
    parser.add_argument(
        "--kernel-seconds", type=float, default=240, help="of vLLM: for kernels one by one, after the steps"
    )
    parser.add_argument("--predictor", metavar="FOLDER", help="to build on; absent: the program's own")
    parser.add_argument("--probe", metavar="FILE", help="of python -m warploom.probe on this machine")
    asked = parser.parse_args(words)
    if asked.layers is not None and asked.layers < 1:
        parser.error(f"--layers: {asked.layers}, expected at least 1")
    for pair in asked.kv:
        if "=" not in pair:
            parser.error(f"--kv: '{pair}', expected KEY=VALUE")
    return asked


def read_config(path: str) -> str:
    """The model's configuration. ValueError says what is wrong with the file."""
    if os.path.isdir(path):
        path = os.path.join(path, "config.json")
    try:
        with open(path) as file:
            config = json.load(file)
    except (OSError, ValueError) as problem:
        raise ValueError(f"--model: {path}: {problem}") from None
    inner = config.get("config", config) if isinstance(config, dict) else {}
    if not isinstance(inner, dict) or not inner.get("architectures"):
        raise ValueError(f"--model: {path}: no 'architectures', expected a model's config.json")
    return path


def run_facts(engine: Any, asked: argparse.Namespace) -> dict[str, Any]:
    """What `warploom calibrate-machine` needs to know of the run, in the words of a recording."""
    from warploom.record.run_facts import machine_facts, vllm_facts

    config = engine.vllm_config
    facts = vllm_facts(config)
    facts["model"] = "config.json"
    facts["engine_kwargs"].pop("load_format", None)
    if getattr(config.model_config.hf_config, "quantization_config", None):
        facts["engine_kwargs"].pop("quantization", None)  # the checkpoint's own
    text = getattr(config.model_config, "hf_text_config", config.model_config.hf_config)
    if any(getattr(text, name, 0) for name in EXPERT_COUNTS):
        facts["expert_routing"] = "uniform"  # routers of random weights, without their biases
    facts["layers"] = asked.layers
    facts["machine"] = machine_facts()
    return facts


def check_same(folder: str, facts: Mapping[str, Any]) -> None:
    """Refuses to go on in a folder of another run."""
    path = os.path.join(folder, "run.json")
    if not os.path.exists(path):
        return
    with open(path) as file:
        before = json.load(file)
    for name in ("gpu", "vllm_version", "engine_version", "layers", "engine_kwargs"):
        if before.get(name) != facts.get(name):
            raise ValueError(
                f"--out: {folder} holds a run with {name} {before.get(name)}, this has {facts.get(name)}"
            )


def in_folder(asked: argparse.Namespace, name: str) -> Path:
    return Path(asked.out) / name


def started(engine: str, start: Callable[[], Any]) -> Any:
    """The engine that `start` builds. ValueError says why it does not come up."""
    begin = time.monotonic()
    try:
        built = start()
    except Exception as problem:  # the engine's own refusals have many types
        raise ValueError(
            f"{engine} refuses the model or its arguments: {type(problem).__name__}: {problem}"
        ) from problem
    print(f"onboard: the engine is up after {time.monotonic() - begin:.0f} s", file=sys.stderr)
    return built


def keep_facts(asked: argparse.Namespace, folder: str, facts: Mapping[str, Any]) -> StepRecord:
    check_same(asked.out, facts)
    write_whole(in_folder(asked, "run.json"), json.dumps(facts, indent=1) + "\n")
    shutil.copy(os.path.join(folder, "config.json"), in_folder(asked, "config.json"))
    return StepRecord(asked.out, "onboard", facts)


def vocabulary_of(config: Mapping[str, Any]) -> int:
    return int(config.get("text_config", config)["vocab_size"])


def measure(asked: argparse.Namespace, folder: str, config: Mapping[str, Any]) -> int:
    """Times the engine; gives how many steps were. ValueError says what is in the way."""
    return {"vllm": measure_vllm, "sglang": measure_sglang}[asked.engine](asked, folder, config)


def measure_vllm(asked: argparse.Namespace, folder: str, config: Mapping[str, Any]) -> int:
    from warploom.onboard import vllm_bench

    arguments = engine_arguments(DEFAULTS, asked.kv)
    engine = started("vllm", lambda: vllm_bench.start_engine(folder, arguments))
    facts = run_facts(engine, asked)
    record = keep_facts(asked, folder, facts)
    bench = vllm_bench.Bench(engine, vocabulary_of(config))
    vllm_bench.zero_router_biases(bench.core)
    scheduler, cache = engine.vllm_config.scheduler_config, engine.vllm_config.cache_config
    tokens = (cache.num_gpu_blocks or 0) * cache.block_size
    plan = planned_steps(scheduler.max_num_batched_tokens, scheduler.max_num_seqs, tokens)
    measure_steps(asked, bench, record, plan, vllm_bench.MEASURES)
    if asked.kernel_seconds > 0:
        sweep_vllm(asked, engine, facts, config)
    return len(record.rows["steps"])


def sweep_vllm(asked: argparse.Namespace, engine: Any, facts: Mapping[str, Any], config: Any) -> None:
    """Kernels one by one, those on rows first: a quarter of the time is theirs."""
    from warploom.onboard import vllm_kernels, vllm_rows

    scheduler, cache = engine.vllm_config.scheduler_config, engine.vllm_config.cache_config
    budget, tokens = scheduler.max_num_batched_tokens, (cache.num_gpu_blocks or 0) * cache.block_size
    timer = vllm_kernels.VllmKernels(engine)
    names = (facts["gpu"], "vllm", facts["vllm_version"])
    begin = time.monotonic()
    rows = KernelSweep(asked.out, *names, name="rows.csv")
    planned = planned_rows(config, timer.schemes(), budget)
    say(rows.run(planned, vllm_rows.VllmRows(engine).time, begin + asked.kernel_seconds / 4))
    sweep = KernelSweep(asked.out, *names)
    kernels = planned_kernels(config, timer.schemes(), budget, tokens)
    say(sweep.run(kernels, timer.time, begin + asked.kernel_seconds))
    say([f"{len(sweep.rows)} kernels timed one by one, {len(rows.rows)} on rows"])


def measure_sglang(asked: argparse.Namespace, folder: str, config: Mapping[str, Any]) -> int:
    from warploom.onboard import sglang_bench

    arguments = engine_arguments(sglang_bench.DEFAULTS, asked.kv)
    if not arguments["disable_overlap_schedule"]:
        raise ValueError("--kv: disable_overlap_schedule is off, expected steps one after the other")
    engine = started("sglang", lambda: sglang_bench.start_engine(folder, asked.out, arguments))
    recording = os.path.join(asked.out, sglang_bench.RECORDING)
    bench = sglang_bench.Bench(engine, recording, vocabulary_of(config))
    facts = bench.facts()
    facts.update(model="config.json", layers=asked.layers)
    if any(config.get("text_config", config).get(name) for name in EXPERT_COUNTS):
        facts["expert_routing"] = "uniform"
    record = keep_facts(asked, folder, facts)
    given = facts["engine_kwargs"]
    budget = given["chunked_prefill_size"] or given["max_num_batched_tokens"]
    tokens = facts["num_gpu_blocks"] * facts["block_size"]
    plan = [
        step
        for step in planned_steps(budget, given["max_num_seqs"], tokens)
        if step[0] in sglang_bench.MEASURES  # prompts and decoding do not meet in a step
    ]
    measure_steps(asked, bench, record, plan, sglang_bench.MEASURES)
    engine.shutdown()
    return len(record.rows["steps"])


def measure_steps(
    asked: argparse.Namespace,
    bench: Any,
    record: StepRecord,
    plan: Sequence[tuple[str, str]],
    measures: Mapping[str, Callable[[Any, StepRecord, str], None]],
) -> None:
    start = time.monotonic()
    failed = []
    for at, (kind, batch) in enumerate(plan):
        name = f"1x{batch}" if kind == "prefill" else batch
        if (kind, name) in record.done:
            continue
        if time.monotonic() - start > asked.seconds:
            failed.append(f"{len(plan) - at} steps were not begun after {asked.seconds:.0f} s")
            break
        try:
            measures[kind](bench, record, batch)
        except Exception as problem:  # one batch that the engine cannot run leaves the others
            failed.append(f"{kind} {batch}: {type(problem).__name__}: {problem}".split("\n")[0][:200])
            bench.drain()
    say(failed)


def fit(asked: argparse.Namespace) -> None:
    """kernels and machine.json, where the program is on this machine."""
    from warploom.program import find_program, run_json

    commands = fits(asked)
    try:
        find_program()
    except FileNotFoundError:
        say(["no program here; on another machine: warploom " + " ".join(words) for words in commands])
        return
    for words in commands:
        run_json(words)
        say([f"wrote {words[words.index('--output') + 1]}"])


def fits(asked: argparse.Namespace) -> list[list[str]]:
    """The program's commands that make of FOLDER what simulations take."""
    predictor = ["--predictor", asked.predictor] if asked.predictor else []
    commands = []
    if in_folder(asked, "sweep.csv").exists():
        gpu = json.loads(in_folder(asked, "run.json").read_text())["gpu"]
        words = ["calibrate", "--gpu", gpu, "--data", asked.out, "--output", str(in_folder(asked, "kernels"))]
        commands.append(words + predictor)
        predictor = ["--predictor", words[-1]]
    words = ["calibrate-machine", "--onboarded", asked.out, "--output", str(in_folder(asked, "machine.json"))]
    commands.append(words + predictor + (["--probe", asked.probe] if asked.probe else []))
    return commands


def main(words: Sequence[str]) -> int:
    asked = parse(words)
    try:
        path = read_config(asked.model)
        if importlib.util.find_spec(ENGINES[asked.engine]) is None:
            raise ValueError(f"--engine: {asked.engine} is not installed in {sys.executable}")
        os.makedirs(asked.out, exist_ok=True)
        folder, config = model_folder(path, "onboarded", asked.out)
        if asked.layers:
            cut_layers(folder, asked.layers)
        if not measure(asked, folder, config):
            raise ValueError("no step could be measured")
        fit(asked)
    except (ValueError, OSError) as problem:
        print(f"onboard: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    __spec__ = importlib.util.find_spec(CHILDREN)  # what children that are spawned import
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # an engine in this process may not end by itself
