#!/usr/bin/env python3
"""Every tuned file of engines' wheels against our picks, by our own model: how often theirs lies within 3 %.

against_shipped.py --warploom PROGRAM WHEEL... [--devices NAME ...] [--kernels products experts]
                   [--seconds S] [--page PAGE.md]
WHEEL: a wheel, or any archive or folder that has the engine's `configs` folders. After the rows of each
comes one of all its files together. --page: writes each table, with this command, into the page's block of
the wheel's engine.
Block-scaled fp8 products, and experts of fp8 and 16 bits whose sizes are those of a model in data/models.
For each device a table is made of what is built in (`warploom tune fit --cross-gpu`); at each token count
of a file the time of its configuration is compared with the least. Twice: with operands that were not in
L2, as an engine has them, and with the same operands again, as the engines' own tuning scripts time them.
Nothing was fitted on these files. Needs libwarploom.so (target warploom_shared)."""
import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from warploom.table import Table  # noqa: E402

NAME = re.compile(r"(?:E=(?P<e>\d+),N=(?P<en>\d+)|N=(?P<n>\d+),K=(?P<k>\d+)),device_name=(?P<device>[^,]*?)"
                  r"(?:,dtype=(?P<dtype>\w+))?(?:,block_shape=\[(?P<bn>\d+), ?(?P<bk>\d+)\])?\.json")
ALL = 100_000
NEAR = math.log(1.03)
EVERY = "all devices"


def gpus_of(program):
    """{device's name in files: canonical name}."""
    told = json.loads(subprocess.run([program, "gpus", "--json"], capture_output=True, check=True).stdout)
    known = [gpu for gpu in told["gpus"] if gpu.get("device_name")]
    return {re.sub(r"[\s/]+", "_", gpu["device_name"]): gpu["name"] for gpu in known}


def layers_of():
    """{(experts, width): {(hidden, top_k)}} of models' experts, split over any number of GPUs."""
    layers = {}
    for path in (ROOT / "data/models").glob("*.json"):
        config = json.loads(path.read_text()).get("config", {})
        config = {**config, **config.get("text_config", {})}
        experts = next((config[key] for key in ("num_experts", "n_routed_experts", "num_local_experts")
                        if isinstance(config.get(key), int)), 0)
        width = config.get("moe_intermediate_size") or config.get("intermediate_size")
        if experts < 2 or not isinstance(width, int) or "num_experts_per_tok" not in config:
            continue
        for split in (1, 2, 4, 8, 16):
            if width % split == 0:
                sizes = (config["hidden_size"], config["num_experts_per_tok"])
                layers.setdefault((experts, width // split), set()).add(sizes)
    return layers


class Tables:
    """Tables by GPU and kernel, each made once."""

    def __init__(self, program, folder):
        self.program, self.folder, self.made = program, Path(folder), {}

    def get(self, gpu, *words):
        key = (gpu, *words)
        if key not in self.made:
            path = self.folder / f"{len(self.made)}.wlt"
            fit = [self.program, "tune", "fit", "--cross-gpu", "--gpu", gpu, "--output", str(path), *words]
            told = subprocess.run(fit, capture_output=True, text=True)
            self.made[key] = Table(path) if told.returncode == 0 else None
            if told.returncode != 0:
                print(f"left out: {gpu} {' '.join(words)}: {told.stderr.strip()}", file=sys.stderr)
        return self.made[key]


def config_of(row):
    if "BLOCK_SIZE_N" not in row or row.get("SPLIT_K", 1) != 1:
        return None
    sizes = (row["BLOCK_SIZE_M"], row["BLOCK_SIZE_N"], row["BLOCK_SIZE_K"])
    return (*sizes, row.get("num_warps", 4), row.get("num_stages", 3), 1)


def losses(times_by_tokens, rows):
    """ln(time of the file's configuration / least time) for each key whose configuration the model has."""
    found, unknown = [], 0
    for tokens, row in rows.items():
        if not tokens.isdigit() or not isinstance(row, dict):
            continue
        times, config = times_by_tokens(int(tokens)), config_of(row)
        if config not in times:
            unknown += 1
            continue
        found.append(math.log(times[config] / min(times.values())))
    return found, unknown


def judged(match, rows, gpu, tables, layers, rotation):
    """(kernel, losses, unknown) of one file; None: its kernel or sizes are not modelled."""
    sizes = {name: int(match[name]) for name in ("e", "en", "n", "k", "bn", "bk") if match[name]}
    again = ["--rotation", rotation]
    blocks = ["--scale-block", str(sizes["bk"])] if "bk" in sizes else []
    if "k" in sizes:
        if match["dtype"] != "fp8_w8a8":
            return None
        table = tables.get(gpu, "--operand-bytes", "1", "--group-rows", "32", *blocks, *again)
        if table is None:
            return None
        times = lambda m: dict(table.timed(m, sizes["n"], sizes["k"], ALL))  # noqa: E731
        return "block_fp8_product", *losses(times, rows)
    if match["dtype"] not in (None, "fp8_w8a8") or (sizes["e"], sizes["en"]) not in layers:
        return None
    hidden, top_k = min(layers[sizes["e"], sizes["en"]])
    words = ["--kind", "grouped_gemm", "--experts", str(sizes["e"]), "--top-k", str(top_k), *again]
    table = tables.get(gpu, *words, *(["--operand-bytes", "1"] if match["dtype"] else []), *blocks)
    if table is None:
        return None

    def both(tokens):
        first = dict(table.timed(tokens * top_k, 2 * sizes["en"], hidden, ALL))
        second = dict(table.timed(tokens * top_k, hidden, sizes["en"], ALL))
        return {config: us + second[config] for config, us in first.items() if config in second}

    kernel = "experts_bf16" if not match["dtype"] else "experts_fp8_blocks" if blocks else "experts_fp8"
    return kernel, *losses(both, rows)


def together(found):
    """{(kernel, "all devices", rotation): ...} beside the cells of each device."""
    sums = {}
    for (kernel, _, rotation), (lost, unknown, files) in found.items():
        for key in ((kernel, EVERY, rotation), ("all kernels", EVERY, rotation)):
            cell = sums.setdefault(key, [[], 0, 0])
            cell[0], cell[1], cell[2] = cell[0] + lost, cell[1] + unknown, cell[2] + files
    return {**found, **sums}


def files_of(wheel):
    """[(name, its text)] of the tuned files of an archive or a folder."""
    if wheel.is_dir():
        return [(str(path), path.read_text()) for path in sorted(wheel.rglob("configs/**/*.json"))]
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in sorted(archive.namelist()) if "/configs/" in name]
        return [(name, archive.read(name)) for name in names]


def page_lines(wheel, devices, found):
    """The block of a page: the command and a row for each kernel and device, operands cold."""
    command = f"tools/tuned_files_truth/against_shipped.py --warploom warploom {wheel.name}"
    lines = ["```", command + (f" --devices {' '.join(devices)}" if devices else ""), "```", ""]
    lines += ["| kernel | device | files | rows | not modelled | within 3 % of ours | mean loss | p90 |",
              "|---|---|---|---|---|---|---|---|"]
    for (kernel, device, rotation), (lost, unknown, files) in sorted(found.items()):
        if rotation == "1" or not lost:
            continue
        near, mean, p90 = figures(lost)
        lines.append(f"| {kernel} | {device} | {files} | {len(lost)} | {unknown} | {100 * near:.0f} % | "
                     f"{100 * mean:.1f} % | {100 * p90:.1f} % |")
    return lines


def write_block(page, name, lines):
    """Between `<!-- shipped: NAME -->` and the next `<!-- end -->`."""
    start, end = f"<!-- shipped: {name} -->", "<!-- end -->"
    text = page.read_text()
    if start not in text:
        raise SystemExit(f"{page}: has no '{start}', expected a block for the table")
    before, rest = text.split(start, 1)
    behind = rest.split(end, 1)[1]
    page.write_text(before + "\n".join([start, *lines, end]) + behind)


def figures(lost):
    """(share within 3 %, mean, 90th percentile) of losses in ln."""
    lost = sorted(lost)
    near, mean = sum(loss <= NEAR for loss in lost) / len(lost), sum(lost) / len(lost)
    return near, mean, lost[int(0.9 * (len(lost) - 1))]


def judge(options, wheel, devices, layers, tables, end):
    """{(kernel, device, rotation): [losses, rows not modelled, files]}"""
    found, files = {}, files_of(wheel)
    for done, (name, text) in enumerate(files):
        match = NAME.fullmatch(name.rpartition("/")[2])
        if match is None or match["device"] not in devices or time.time() > end:
            continue
        if options.devices and match["device"] not in options.devices:
            continue
        if ("products" if match["k"] else "experts") not in options.kernels:
            continue
        rows = json.loads(text)
        for rotation in ("24", "1"):
            told = judged(match, rows, devices[match["device"]], tables, layers, rotation)
            if told is not None:
                kernel, lost, unknown = told
                cell = found.setdefault((kernel, match["device"], rotation), [[], 0, 0])
                cell[0] += lost
                cell[1] += unknown
                cell[2] += 1
        print(f"\r{done + 1} of {len(files)} files ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return together(found)


def print_found(wheel, found):
    for (kernel, device, rotation), (lost, unknown, files) in sorted(found.items()):
        if not lost:
            continue
        near, mean, p90 = figures(lost)
        told = "again" if rotation == "1" else "cold"
        row = (wheel.name, kernel, device, told, files, len(lost), unknown, f"{near:.3f}", f"{mean:.3f}")
        print(",".join(map(str, (*row, f"{p90:.3f}"))))


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--warploom", required=True)
    parser.add_argument("wheels", type=Path, nargs="+")
    parser.add_argument("--devices", nargs="*", help="as file names have them; without: all that are known")
    parser.add_argument("--kernels", nargs="*", default=["products", "experts"])
    parser.add_argument("--page", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after")
    options = parser.parse_args()
    devices, layers, end = gpus_of(options.warploom), layers_of(), time.time() + options.seconds
    print("wheel,kernel,device,operands,files,rows,not_modelled,within_3_percent,mean_loss,p90_loss")
    with tempfile.TemporaryDirectory() as folder:
        tables = Tables(options.warploom, folder)
        for wheel in options.wheels:
            found = judge(options, wheel, devices, layers, tables, end)
            print_found(wheel, found)
            if options.page:
                engine = re.split("[-_]", wheel.name)[0]
                write_block(options.page, engine, page_lines(wheel, options.devices, found))


if __name__ == "__main__":
    main()
