"""Every command that writes, with small inputs: what it writes, and a question whose answer rests on it.

In words, @in is a folder of inputs, @out the folder that is written into and @src the source tree.
"""

import gzip
import json
import random
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python/tests"))
from c_interface import FAILED, CInterface, Refused  # noqa: E402

PLAN = (
    "plan --model Qwen3-8B --predictor roofline --gpus H100-SXM --tp 1 --rate 4 --requests 20"
    " --input-tokens 300 --output-tokens 10 --slo ttft_p95_ms=900 --max-gpus 1 --threads 1"
)
STEP = {"model": "Qwen3-8B", "gpu": "H200", "decode": "8x500", "predictor": "roofline"}
EXPERTS = {"model": "Qwen3-30B-A3B", "gpu": "H200", "decode": "64x2000"}
PLANNED = {
    "model": "Qwen3-8B",
    "predictor": "roofline",
    "gpu_names": ["H100-SXM"],
    "tensor_parallel_sizes": [1],
    "rate": 4,
    "requests": 20,
    "random_input_len": 300,
    "random_output_len": 10,
    "slo": ["ttft_p95_ms=900"],
    "max_gpus": 1,
    "threads": 1,
}


class Writer(NamedTuple):
    name: str
    words: str
    product: str  # file or folder in @out
    asked: tuple | str = ()  # request and fields of the C interface, or words; none: nothing reads it back
    before: str = ""  # words whose product lies there when the writer begins
    files: tuple = ()  # in a folder: those whose bytes are flipped; without: all


def simulated(**fields):
    return ("simulate", {"gpu": "H200", "requests": 3, "random_input_len": 50, "random_output_len": 4,
                         "predictor": "roofline", "intervals": False, **fields})  # fmt: skip


STORED = "diagnose --gpu H200 --store @out/s.db --json"
WRITERS = (
    Writer("store", "import warploom @in/sweep.csv --store @out/s.db", "s.db", STORED,
           "import warploom @in/other.csv --store @out/s.db"),
    Writer("calibration", "calibrate --gpu H200 --data @in/sweep.csv --output @out/p --threads 1", "p",
           ("step", {**EXPERTS, "predictor": "@out/p"}),
           "calibrate --gpu H200 --data @in/other.csv --output @out/p --threads 1"),
    Writer("predictor", "train --layout warploom --data @in/sweep.csv --output @out/p --tables --threads 1",
           "p", ("predict", {"family": "gemm", "gpu": "H200", "m": 64, "n": 4096, "k": 4096,
                             "predictor": "@out/p"}),
           "train --layout warploom --data @in/other.csv --output @out/p --threads 1"),
    Writer("plan_log", f"{PLAN} --store @out/log.json", "log.json",
           ("plan", {**PLANNED, "store": "@out/log.json"})),
    Writer("deployment", f"{PLAN} --emit k8s --output @out/d", "d"),
    Writer("table", "tune fit --gpu H200 --samples @in/anchors.csv --no-correction --output @out/g.wlt",
           "g.wlt",
           ("tune_pick", {"table": "@out/g.wlt", "m": 100, "n": 4096, "k": 4096, "best": 3})),
    Writer("measuring_plan", "tune plan --gpu H200 --output @out/plan.csv", "plan.csv"),
    Writer("sweep_plan", "sweep-plan --gpu H200 --like Llama-3.1-8B --operators 20 --random 20"
           " --predictor roofline --output @out/plan.csv", "plan.csv"),
    Writer("tuned_experts", "moe-config --model Qwen3-30B-A3B --gpu H200 --output @out/moe", "moe",
           simulated(model="Qwen3-30B-A3B",
                     tuned="@out/moe/E=128,N=768,device_name=NVIDIA_H200.warploom.json"),
           files=("E=128,N=768,device_name=NVIDIA_H200.warploom.json",)),
    Writer("host", "calibrate-host --steps @in/steps.csv --model Llama-3.1-8B --gpu H200 --predictor roofline"
           " --output @out/host.json", "host.json",
           simulated(model="Qwen3-8B", host_profile="@out/host.json")),
    Writer("machine", "calibrate-machine --onboarded @src/tests/fixtures/options/onboarded"
           " --predictor roofline --output @out/machine.json", "machine.json",
           simulated(model="Llama-3.1-8B", machine="@out/machine.json")),
    Writer("clients", "convert-clients inference-perf @src/tests/fixtures/options/inference_perf.yml"
           " --output @out/clients.json", "clients.json"),
    Writer("ceilings", "train-ceilings --layout warploom --data @in/many.csv --output @out/c", "c",
           ("diagnose", {"model": "Qwen3-8B", "gpu": "H200", "batch": 5, "input_tokens": 100,
                         "output_tokens": 4, "predictor": "roofline", "ceilings": "@out/c"})),
    Writer("requests", "simulate --model Qwen3-8B --gpu H200 --predictor roofline --num-prompts 30"
           " --random-input-len 30 --random-output-len 8 --no-intervals --aiperf @out/r.jsonl", "r.jsonl"),
    Writer("report", "simulate --model Qwen3-8B --gpu H200 --predictor roofline --num-prompts 30"
           " --random-input-len 30 --random-output-len 8 --no-intervals --html @out/r.html", "r.html"),
)  # fmt: skip


def write_sweep(path, seed, rows=96):
    """A made-up sweep of an H200: products that take a little longer than their bytes and their work."""
    lines = ["gpu,framework,latency_us,operator"]
    draw = random.Random(seed)
    for number in range(rows):
        m, n, k = 2 ** draw.randrange(12), 1024 * draw.randrange(1, 8), 1024 * draw.randrange(1, 5)
        us = 5 + m * n * k / 2.7e8 + (m * k + n * k + m * n) / 1.3e6
        operator = {"family": "gemm", "scheme": ("bf16", "int8")[number % 2], "m": m, "n": n, "k": k}
        cell = json.dumps(operator).replace('"', '""')
        lines.append(f'h200,warploom,{us * draw.uniform(0.98, 1.02):.3f},"{cell}"')
    path.write_text("\n".join(dict.fromkeys(lines)) + "\n")


def write_inputs(folder):
    folder.mkdir(parents=True, exist_ok=True)
    write_sweep(folder / "sweep.csv", 11)
    write_sweep(folder / "other.csv", 12)
    write_sweep(folder / "many.csv", 13, rows=480)
    (folder / "steps.csv").write_text(
        "kind,batch,wall_ms\nprefill,1x64,12\nprefill,1x1000,30\ndecode,4x500,8\ndecode,64x500,11\n"
    )
    # The header and the anchors of one tile: a table of some kilobytes.
    lines = gzip.decompress((SOURCE / "tests/fixtures/tuner/gemm_anchors.csv.gz").read_bytes()).split(b"\n")
    kept = [line for line in lines if not line[:1].isdigit() or line.startswith(b"64,64,64,4,")]
    (folder / "anchors.csv").write_bytes(b"\n".join(kept))


class Places(NamedTuple):
    inputs: Path
    out: Path

    def placed(self, value):
        """Words, or fields of a request, with the folders that they name."""
        if isinstance(value, dict):
            return {key: self.placed(one) for key, one in value.items()}
        if not isinstance(value, str):
            return value
        for name, path in (("@in", self.inputs), ("@out", self.out), ("@src", SOURCE)):
            value = value.replace(name, str(path))
        return value

    def words(self, line):
        return [self.placed(word) for word in line.split(" ")]

    def start(self, program, line):
        return subprocess.run(
            [program, *self.words(line)], capture_output=True, text=True, timeout=600, check=False
        )

    def run(self, program, line):
        """Runs it, which must succeed; what it prints."""
        ended = self.start(program, line)
        if ended.returncode != 0:
            raise RuntimeError(f"{line}: status {ended.returncode}: {ended.stderr.strip()}")
        return ended.stdout


class Asker:
    """Asks through the C interface of the library beside a program, which is quicker than a process each."""

    def __init__(self, program):
        self.program = program
        library = Path(program).resolve().parent.parent / "lib/libwarploom.so"
        for path in (Path(program), library):
            if not path.exists():
                raise RuntimeError(f"{path}: no such file, expected a build's program and library")
        self.interface = CInterface(str(library))

    def ask(self, writer, places):
        """Whether it was refused, and what was said or answered. Raises what no input may lead to."""
        if not writer.asked:
            return False, None
        if isinstance(writer.asked, str):
            ended = places.start(self.program, writer.asked)
            if ended.returncode not in (0, 2):
                raise RuntimeError(f"{writer.asked}: status {ended.returncode}: {ended.stderr}")
            return ended.returncode == 2, ended.stderr if ended.returncode else ended.stdout
        request, fields = writer.asked
        session = self.interface.opened()  # none of another's files is remembered
        try:
            text = json.dumps(places.placed(fields)).encode()
            return False, self.interface.answer_text(request.encode(), text, session)
        except Refused as refusal:
            if refusal.status == FAILED:
                raise
            return True, str(refusal)
        finally:
            self.interface.library.warploom_close(session)


def content(path):
    """Bytes of each file, rows of a store. What a killed writer left beside them is no part of it."""
    if path.is_dir():
        return {
            str(one.relative_to(path)): content(one)
            for one in sorted(path.rglob("*"))
            if one.is_file() and ".partial-" not in str(one) and one.name != ".lock"
        }
    if path.suffix != ".db":
        return path.read_bytes() if path.exists() else None
    store = sqlite3.connect(path)
    try:
        tables = [row[0] for row in store.execute("select name from sqlite_master where type = 'table'")]
        return {name: sorted(map(repr, store.execute(f'select * from "{name}"'))) for name in tables}
    finally:
        store.close()
