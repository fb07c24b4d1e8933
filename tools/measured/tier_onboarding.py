"""Onboardings that tools/judge_tiers judges: a folder each, filled by an engine or made of recorded steps."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def onboarded_folder(work, onboarding, read_rows):
    """The folder that an onboarding filled, or one that is made in `work` of recorded steps."""
    if "folder" in onboarding:
        return ROOT / onboarding["folder"]
    folder = work / "onboarded" / onboarding["name"]
    folder.mkdir(parents=True, exist_ok=True)
    source = ROOT / onboarding["steps"]
    engine = json.loads(source.with_name(source.name + "_steps.json").read_text())
    run = {"engine": "vllm", "model": "config.json", "gpu": onboarding["gpu"]}
    run |= {"vllm_version": onboarding["vllm_version"]}
    run |= {key: engine[key] for key in ("engine_kwargs", "num_gpu_blocks", "block_size", "resolved")}
    config = json.loads((ROOT / onboarding["model"]).read_text())["config"]
    columns = "kind batch wall_ms wall_min_ms kernel_sum_ms span_ms kernels context_mean kernel_context_mean"
    rows = read_rows(source.with_name(source.name + "_steps.csv"))
    lines = [",".join([*columns.split(), "core_ms"])]
    for row in rows:
        core = float(row["wall_ms"]) - float(row["outside_ms"])
        whole = {"kernels": lambda value: str(round(float(value)))}
        cells = [whole.get(name, str)(row[name]) for name in columns.split()]
        lines.append(",".join([*cells, f"{core:.4f}"]))
    for name, text in (
        ("run.json", json.dumps(run, indent=1)),
        ("config.json", json.dumps(config)),
        ("onboard_steps.csv", "\n".join(lines) + "\n"),
    ):
        (folder / name).write_text(text)
    return folder


def sweep_of(folder):
    """Names of the files in it that hold kernels one by one."""
    return [name for name in ("sweep.csv", "sweep.csv.gz") if (folder / name).exists()]
