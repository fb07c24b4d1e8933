"""What this machine says of itself: processor, cores, versions; and what else it was doing."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("torch", "triton", "numpy", "msgspec", "pyzmq", "vllm", "sglang", "flashinfer-python")

# All, stolen, idle, those of this process and its ended children.
Ticks = tuple[int, int, int, float]


def version_of(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def processor() -> dict[str, Any]:
    """What Linux tells: the model and the clocks, which a virtual machine may not know."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return {"model": platform.processor()}
    cut = [line.split(":", 1) for line in lines if ":" in line]
    cells = [(name.strip(), value.strip()) for name, value in cut]
    first = dict(reversed(cells))
    clocks = [float(value) for name, value in cells if name == "cpu MHz"]
    return {
        "model": first.get("model name", ""),
        "family": " ".join(first.get(name, "") for name in ("cpu family", "model", "stepping")).strip(),
        "mhz": max(clocks, default=0.0),
        "cache": first.get("cache size", ""),
        "virtual": "hypervisor" in first.get("flags", "").split(),
    }


def cpu_ticks() -> Ticks | None:
    """(all, stolen, idle, of this process and its ended children) since the machine began, in ticks."""
    try:
        ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    except (OSError, ValueError):
        return None
    own = sum(os.times()[:4]) * os.sysconf("SC_CLK_TCK")
    return sum(ticks), ticks[7], ticks[3] + ticks[4], own


def shares_since(before: Ticks | None) -> dict[str, float]:
    """Shares of the processors' time that were stolen by other machines, and idle; how many of the processors
    other processes kept busy."""
    after = cpu_ticks()
    if not (before and after and after[0] > before[0]):
        return {}
    total, stolen, idle, own = (b - a for a, b in zip(before, after))
    others = max(0.0, total - stolen - idle - own) / total * (os.cpu_count() or 1)
    return {"stolen_share": stolen / total, "idle_share": idle / total, "others": round(others, 3)}


def host_facts() -> dict[str, Any]:
    return {
        "processor": processor(),
        "cores_of_process": len(os.sched_getaffinity(0)),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "python_program": sys.implementation.name,
        "load_at_start": os.getloadavg()[0],
        "packages": {name: version for name in PACKAGES if (version := version_of(name))},
    }
