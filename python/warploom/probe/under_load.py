"""Clock and power of the GPU while it multiplies, and while it copies, for seconds; its other users."""

import shutil
import statistics
import subprocess
import time

from warploom.probe.gpu_work import LARGE, timed_graph
from warploom.probe.workload import Missing, cuda

SIDE = 8192
SECONDS = 2.5
FIELDS = "clocks.sm,clocks.mem,power.draw,temperature.gpu"
NAMES = ("sm_mhz", "memory_mhz", "watts", "celsius")
LIMITS = "name,driver_version,memory.total,power.limit,clocks.max.sm,clocks.max.mem,ecc.mode.current,mig.mode.current"


def nvidia_smi(*words):
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


def gpu_facts():
    """One record a GPU, in the driver's words."""
    rows = nvidia_smi(f"--query-gpu={LIMITS}", "--format=csv,noheader,nounits")
    return [dict(zip(LIMITS.split(","), row)) for row in rows]


def other_users():
    """Before this process has used the GPU: who else is there, and how busy it is."""
    apps = nvidia_smi("--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits")
    busy = nvidia_smi("--query-gpu=utilization.gpu,memory.used", "--format=csv,noheader,nounits")
    return {"processes": len(apps), "gpus": [{"busy_percent": b, "memory_mib": m} for b, m in busy]}


class Meter:
    """nvidia-smi's readings of the first GPU while it is open."""

    def __enter__(self):
        words = ["nvidia-smi", "-i", "0", f"--query-gpu={FIELDS}", "--format=csv,noheader,nounits", "-lms", "50"]
        self.rows = []
        self.program = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_):
        self.program.terminate()
        for line in self.program.communicate()[0].splitlines():
            try:
                self.rows.append([float(cell) for cell in line.split(",")])
            except ValueError:  # a line cut short, or a reading that this GPU has not
                continue

    def readings(self):
        """Medians of the second half, when the load has lasted; the first reading and the least clock too."""
        if not self.rows:
            raise Missing("nvidia-smi gave no readings")
        late = self.rows[len(self.rows) // 2 :]
        middle = {name: statistics.median(row[at] for row in late) for at, name in enumerate(NAMES)}
        return {**middle, "least_sm_mhz": min(row[0] for row in late), "readings": len(self.rows)}


def lasting(one_us, size):
    """Repeats a sampler for seconds under the meter."""
    if not shutil.which("nvidia-smi"):
        raise Missing("nvidia-smi is not there")
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


def products():
    torch = cuda()
    a, b = (torch.randn(SIDE, SIDE, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    return lasting(timed_graph([lambda: a @ b] * 8), {"flops": 2 * SIDE**3})


def copies():
    torch = cuda()
    source, target = (torch.zeros(LARGE // 4, device="cuda") for _ in range(2))
    return lasting(timed_graph([lambda: target.copy_(source)] * 16), {"bytes": 2 * LARGE})


def idle():
    """The host's and GPU's readings before any load."""
    cuda().cuda.synchronize()
    with Meter() as meter:
        time.sleep(0.6)
    return meter.readings()


LOADS = {"load.idle": idle, "load.products": products, "load.copies": copies}
