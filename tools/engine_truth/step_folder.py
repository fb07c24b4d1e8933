"""What a folder of steps.py's files holds, for the tools here that fit or judge rules on it."""

import csv
import gzip
import json
from pathlib import Path
from typing import NamedTuple


class Model(NamedTuple):
    layers: int
    kv_heads: int
    vocabulary: int
    experts: bool = False


# By the first word of a file's name.
MODELS = {
    "llama8b": Model(32, 8, 128256),
    "llama8bfp8": Model(32, 8, 128256),
    "qwen14b": Model(40, 8, 151936),
    "qwen30b": Model(48, 4, 151936, True),
    "mixtral": Model(32, 8, 32000, True),
    "dsv2lite": Model(27, 1, 102400, True),
}


# The models' records in data/models, whose sizes the rules of their kernels ask for.
RECORDS = {
    "llama8b": "llama-3.1-8b",
    "llama8bfp8": "llama-3.1-8b",
    "qwen14b": "qwen3-14b",
    "qwen30b": "qwen3-30b-a3b",
}
DATA = Path(__file__).resolve().parents[2] / "data"


def config_of(tag):
    """The published configuration of the model that a file's name begins with."""
    name = tag.split("_")[0]
    if name not in RECORDS:
        raise LookupError(f"{tag}: the sizes of this model are not known, only of {', '.join(RECORDS)}")
    return json.loads((DATA / "models" / f"{RECORDS[name]}.json").read_text())["config"]


def tokens_of(row):
    """The tokens of a step: NxT prompts, BxC requests that decode, BxC+T both."""
    decode, *prompt = row["batch"].split("+")
    requests, each = map(int, decode.split("x"))
    return (requests * each if row["kind"] == "prefill" else requests) + sum(map(int, prompt))


def read_rows(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


class Steps(NamedTuple):
    """One model: rows of its steps, and of kernels (those of the rank where each is shorter)."""

    name: str  # SET/TAG, such as vllm_0_24_h200/llama8b_tp2
    model: Model
    gpus: int
    rows: list
    kernels: list

    def kernels_of(self, row):
        return [k for k in self.kernels if (k["kind"], k["batch"]) == (row["kind"], row["batch"])]


def shorter_rank(rows):
    """A collective lasts until the other rank comes: each kernel at the rank where it is shorter."""
    least = {}
    for row in rows:
        key = (row["kind"], row["batch"], row["kernel"], row["in_graph"])
        if key not in least or float(row["us"]) < float(least[key]["us"]):
            least[key] = row
    return list(least.values())


def read_model(path):
    """Steps of one model: PATH is SET/steps/TAG_steps.csv, with its kernels beside it."""
    tag = path.name.removesuffix("_steps.csv")
    ranks = path.with_name(f"{tag}_ranks.csv.gz")
    if ranks.exists():
        kernels, gpus = shorter_rank(read_rows(ranks)), 2
    else:
        kernels, gpus = read_rows(path.with_name(f"{tag}_kernels.csv.gz")), 1
    model = MODELS[tag.split("_")[0]]
    return Steps(f"{path.parent.parent.name}/{tag}", model, gpus, read_rows(path), kernels)


def read_steps(folder):
    """Steps of every model of a folder SET/steps."""
    return [read_model(path) for path in sorted(Path(folder).glob("*_steps.csv"))]
