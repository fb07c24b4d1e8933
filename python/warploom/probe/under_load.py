"""Clock and power of the GPU while it multiplies, and while it copies, for seconds; its other users."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from warploom.probe.gpu_work import LARGE, timed_graph
from warploom.probe.workload import Missing, Sampler, cuda

SIDE = 8192
SECONDS = 2.5
FIELDS = "clocks.sm,clocks.mem,power.draw,temperature.gpu"
NAMES = ("sm_mhz", "memory_mhz", "watts", "celsius")
LIMITS = "name,driver_version,memory.total,power.limit,clocks.max.sm,clocks.max.mem,mig.mode.current"


def nvidia_smi(*words: str) -> list[list[str]]:
    """What the driver's program says, a list of cells a line; empty where there is none."""
    if not shutil.which("nvidia-smi"):
        return []
    try:
        said = subprocess.run(["nvidia-smi", *words], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    if said.returncode:
        return []
    return [[cell.strip() for cell in line.split(",")] for line in said.stdout.splitlines() if line.strip()]


def gpu_facts() -> list[dict[str, str]]:
    """One record a GPU, in the driver's words."""
    rows = nvidia_smi(f"--query-gpu={LIMITS}", "--format=csv,noheader,nounits")
    return [dict(zip(LIMITS.split(","), row)) for row in rows]


def other_users() -> dict[str, Any]:
    """Before this process has used the GPU: who else is there, and how busy it is."""
    apps = nvidia_smi("--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits")
    busy = nvidia_smi("--query-gpu=utilization.gpu,memory.used", "--format=csv,noheader,nounits")
    return {"processes": len(apps), "gpus": [{"busy_percent": b, "memory_mib": m} for b, m in busy]}


def readings_by_library() -> Callable[[], list[float]] | None:
    """A function that reads the first GPU through NVIDIA's library; None where it is not installed."""
    try:
        import pynvml

        pynvml.nvmlInit()
        gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
        pynvml.nvmlDeviceGetPowerUsage(gpu)
    except Exception:  # no library, no driver, or a GPU that tells nothing
        return None
    return lambda: [
        float(pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_SM)),
        float(pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_MEM)),
        pynvml.nvmlDeviceGetPowerUsage(gpu) / 1e3,
        float(pynvml.nvmlDeviceGetTemperature(gpu, pynvml.NVML_TEMPERATURE_GPU)),
    ]


def readings_by_program() -> list[float]:
    rows = nvidia_smi("-i", "0", f"--query-gpu={FIELDS}", "--format=csv,noheader,nounits")
    return [float(cell) for cell in rows[0]]


class Meter:
    """Readings of the first GPU while it is open, every 50 ms or as fast as nvidia-smi answers."""

    def __enter__(self) -> Meter:
        self.rows: list[list[float]] = []
        self.ending = threading.Event()
        self.read = readings_by_library() or readings_by_program
        self.thread = threading.Thread(target=self._keep_reading, daemon=True)
        self.thread.start()
        return self

    def _keep_reading(self) -> None:
        while not self.ending.wait(0.05):
            try:
                self.rows.append(self.read())
            except Exception:  # a reading that this GPU has not, or one that came too late
                continue

    def __exit__(self, *_: object) -> None:
        self.ending.set()
        self.thread.join()

    def readings(self) -> dict[str, float]:
        """Medians of the second half, when the load has lasted; the first reading and the least clock too."""
        if not self.rows:
            raise Missing("neither pynvml nor nvidia-smi gives readings")
        late = self.rows[len(self.rows) // 2 :]
        middle = {name: statistics.median(row[at] for row in late) for at, name in enumerate(NAMES)}
        return {**middle, "least_sm_mhz": min(row[0] for row in late), "readings": len(self.rows)}


def lasting(one_us: Sampler, size: Mapping[str, float]) -> dict[str, float]:
    """Repeats a sampler for seconds under the meter."""
    times, start = [], time.perf_counter()
    with Meter() as meter:
        while time.perf_counter() - start < SECONDS:
            times.append(one_us())
    late = times[len(times) // 2 :]
    return {
        **meter.readings(),
        **size,
        "first_us": statistics.median(times[:3]),
        "us": statistics.median(late),
        "times": len(times),
    }


def products() -> dict[str, float]:
    torch = cuda()
    a, b = (torch.randn(SIDE, SIDE, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    return lasting(timed_graph([lambda: a @ b] * 8), {"flops": 2 * SIDE**3})


def copies() -> dict[str, float]:
    torch = cuda()
    source, target = (torch.zeros(LARGE // 4, device="cuda") for _ in range(2))
    return lasting(timed_graph([lambda: target.copy_(source)] * 16), {"bytes": 2 * LARGE})


def idle() -> dict[str, float]:
    """The host's and GPU's readings before any load."""
    cuda().cuda.synchronize()
    with Meter() as meter:
        time.sleep(0.6)
    return meter.readings()


LOADS = {"load.idle": idle, "load.products": products, "load.copies": copies}
