"""A model's folder without weights, and the arguments that its engine is started with."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any


def model_folder(config: str, tag: str, root: str = "/tmp") -> tuple[str, dict[str, Any]]:
    """(folder, configuration): a config.json, or a record of data/models, as a checkpoint without weights."""
    folder = os.path.join(root, "model_" + tag)
    os.makedirs(folder, exist_ok=True)
    with open(config) as file:
        cfg = json.load(file)
    cfg = dict(cfg.get("config", cfg))
    cfg.pop("torch_dtype", None)
    cfg["dtype"] = "bfloat16"
    with open(folder + "/config.json", "w") as file:
        json.dump(cfg, file)
    return folder, cfg


def cut_layers(folder: str, layers: int) -> None:
    """The model's folder with its first layers alone; lists of one entry a layer are cut too."""
    path = os.path.join(folder, "config.json")
    with open(path) as file:
        config = json.load(file)
    for part in [config] + [value for value in config.values() if isinstance(value, dict)]:
        count = part.get("num_hidden_layers")
        if not count or count <= layers:
            continue
        part["num_hidden_layers"] = layers
        for key, value in list(part.items()):
            if isinstance(value, list) and len(value) == count:
                part[key] = value[:layers]
        if len(part.get("hybrid_override_pattern") or "") == count:
            part["hybrid_override_pattern"] = part["hybrid_override_pattern"][:layers]
    with open(path, "w") as file:
        json.dump(config, file)


def engine_arguments(defaults: Mapping[str, Any], pairs: Iterable[str]) -> dict[str, Any]:
    """`defaults` with KEY=VALUE pairs on top, whose values are JSON or else text."""
    out = dict(defaults)
    for pair in pairs:
        key, value = pair.split("=", 1)
        try:
            out[key] = json.loads(value)
        except ValueError:
            out[key] = value
    return out
