"""What is known: GPUs, models, and what requests hold."""

from __future__ import annotations

from typing import Any

from warploom.answers import GpuAnswer, GpuList, ModelList
from warploom.session import PathText, ask


def gpus() -> GpuList:
    """Every GPU that is known."""
    return GpuList(ask("gpus", {}))


def gpu(name: PathText) -> GpuAnswer:
    """Every number of one GPU, with its source: a name, an alias, or the path of your own record."""
    return GpuAnswer(ask("gpu", {"name": name}))


def models(name: Any = None) -> ModelList:
    """Every model that is known; or the one that a name, a config.json, its folder or a configuration
    object of
    transformers describes."""
    return ModelList(ask("models", {"name": name}))


def schema(request: str) -> dict[str, Any]:
    """The JSON schema of a request."""
    return dict(ask("schema", {"name": request}))
