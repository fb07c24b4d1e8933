"""Times of benchmarks and of whole commands, and the machine that they were taken on."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROUNDS, FEWEST_ROUNDS = 5, 3
ENOUGH_SECONDS = 30.0  # of a whole command: fewer rounds follow when the first ones took so long
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def machine():
    """The processor and how busy it is, without the host's name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = {line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")}
    name = ", ".join(sorted(names)) or "unknown processor"
    return f"{name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before"


def run_once(program, pattern):
    options = ["--benchmark_format=json", "--benchmark_min_time=0.3", f"--benchmark_filter={pattern}"]
    command = [program, *options]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"measure: exit status {result.returncode} of: {' '.join(command)}\n{result.stderr}")
    rows = {}
    for row in json.loads(result.stdout)["benchmarks"]:
        if row.get("run_type", "iteration") == "iteration":
            time = row["real_time" if row["name"].endswith("/real_time") else "cpu_time"]
            rows[row["name"]] = (time * UNITS[row["time_unit"]], row.get("items_per_second"))
    return rows


def benchmarks(program, pattern, beside=None):
    """Medians of rounds in which the programs take turns, so that a busy moment meets both."""
    rounds, others = [], []
    for _ in range(ROUNDS):
        rounds.append(run_once(program, pattern))
        if beside:
            others.append(run_once(str(beside), pattern))
    rows = {}
    for name in rounds[0]:
        times = [row[name][0] for row in rounds]
        median = statistics.median(times)
        rates = [row[name][1] for row in rounds if row[name][1]]
        rows[name] = {
            "seconds": median,
            "items_per_second": statistics.median(rates) if rates else None,
            "spread": (max(times) - min(times)) / median,
            "beside_seconds": statistics.median([row[name][0] for row in others if name in row])
            if others and all(name in row for row in others)
            else None,
        }
    return {"rows": rows}


def whole_command(command):
    """Median CPU time of a few runs, and the largest memory of any."""
    times, most = [], 0
    for _ in range(ROUNDS):
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"measure: exit status {process.returncode} of: {' '.join(command)}")
        times.append(usage.ru_utime + usage.ru_stime)
        most = max(most, usage.ru_maxrss * 1024)
        if len(times) >= FEWEST_ROUNDS and sum(times) > ENOUGH_SECONDS:
            break
    return {"cpu_seconds": statistics.median(times), "peak_bytes": most}
