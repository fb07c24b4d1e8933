#!/usr/bin/env python3
"""How near the best configuration the engine's default and rows of tuned files come, by time_kernels.py.

kernel_gains.py TIMES.csv[.gz] [--plan PLAN.json] [--profiled PROFILED.csv[.gz]] [--subjects] [--json]
                [--page PAGE.md]
Of each kind of kernel: subjects, and of the default, Warploom's predicted rows, those that ship and those of
`tuned-files --profile` (--profiled: its times of the same kernels) the geometric mean and the least share of
the best, and the gain over the default (mean, least). --plan: rows of kernel_plan.py's PLAN, as the program
predicts them now, in place of those that were timed by name; without a time there is no share.
--page writes the table into the page's block `<!-- kernels -->`."""

import argparse
import csv
import gzip
import json
import math
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import kernel_families  # noqa: E402

KINDS = ("default", "predicted", "shipped", "timed")
NOISE = 0.01  # ln: as fused_moe/measured_row.h
START, END = "<!-- kernels -->", "<!-- end -->"


def rows_of(path):
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


def subjects_of(rows):
    """{(family, subject): {configuration: (us, roles)}}"""
    found = {}
    for row in rows:
        configs = found.setdefault((row["family"], row["subject"]), {})
        configs[row["config"]] = float(row["median_us"]), [role for role in row["roles"].split("+") if role]
    return found


def named_as_subject(row):
    """(family, subject, configuration) of a row of tuned_profile.py; None: no kernel that is timed here."""
    number = {name: int(row[name]) for name in ("bytes", "experts", "top_k", "n", "k", "block_n", "tokens")}
    tiles = [row[name] for name in ("bm", "bn", "bk", "parts", "warps", "stages")]
    if row["kernel"] == "state_update":
        dtype = {4: "float32", 2: "bfloat16"}[number["bytes"]]
        where = rf"headdim={number['n']} dstate={number['k']} dtype={dtype} heads=(\d+) batch=(\d+)"
        return "state_update", where, f"{row['bm']}x{row['warps']}"
    if row["kernel"] != "lora" or row["variant"] == "expand":
        return None
    shrinks = row["variant"] == "shrink"
    rank, hidden = (number["n"], number["k"]) if shrinks else (number["k"], r"\d+")
    widths = r"[\d+]+" if shrinks else rf"{number['n']}[\d+]*"
    kind = "shrink" if shrinks else "expand"
    where = (rf"{kind} rank={rank} hidden={hidden} slices={widths} adapters={number['experts']} "
             rf"tokens={number['tokens']}")
    return f"lora_{kind}", where, "x".join(tiles)


def named_now(subjects, plan):
    """The same with the roles that a plan gives, the engine's default as it was timed."""
    for entry in plan:
        subject = getattr(kernel_families, entry["class"])(**entry["arguments"])
        configs = subjects.get((subject.family, subject.key), {})
        for config, (us, roles) in configs.items():
            kept = [role for role in roles if role == "default"]
            now = [role for role, row in entry["named"].items() if "x".join(map(str, row)) == config]
            configs[config] = us, kept + now
    return subjects


def slices_of(subject):
    found = re.search(r"slices=([\d+]+)", subject)
    return len(found.group(1).split("+")) if found else 0


def pairs_of(subject):
    found = re.search(r"heads=(\d+) batch=(\d+)", subject)
    return int(found.group(1)) * int(found.group(2)) if found else 0


def timed_picks(rows, subjects):
    """{(family, subject): (configuration, time / the default's)} by what `tuned-files --profile` timed."""
    times = {}
    for row in rows:
        told = named_as_subject(row)
        if told is None or float(row["median_us"]) <= 0:
            continue
        family, where, config = told
        for key in subjects:
            same = key[0] == family and re.fullmatch(where, key[1])
            if family == "state_update":
                same = same and pairs_of(key[1]) == int(row["tokens"])
            else:
                same = same and slices_of(key[1]) == int(row["top_k"])
            if same:
                times.setdefault(key, {})[config] = float(row["median_us"])
    picks = {}
    for key, of in times.items():
        usual = next((config for config, (_, roles) in subjects[key].items() if "default" in roles), None)
        best = min(of, key=of.get)
        if usual in of and math.log(of[usual] / of[best]) <= NOISE:
            best = usual
        if usual in of:
            picks[key] = best, of[best] / of[usual]
    return picks


def judged(subjects, picks):
    """[{"family", "subject", "best_us", kind: share}]"""
    found = []
    for key, configs in subjects.items():
        best = min(us for us, _ in configs.values())
        one = {"family": key[0], "subject": key[1], "best_us": best,
               "best": min(configs, key=lambda config: configs[config][0])}
        for config, (us, roles) in configs.items():
            for role in roles:
                one[role] = best / us
                one[f"{role}_config"] = config
        if key in picks:
            config, ratio = picks[key]
            one["timed_config"] = config
            # No candidate here: its time stands beside the default of its own run.
            one["timed"] = best / configs[config][0] if config in configs else one["default"] / ratio
        found.append(one)
    return found


def geometric(shares):
    return math.exp(sum(map(math.log, shares)) / len(shares))


def together(found):
    """{family: {"subjects", "best_us": (least, most), kind: {"subjects", "mean", "worst", "gain"}}}"""
    families = {}
    for one in found:
        families.setdefault(one["family"], []).append(one)
    told = {}
    for family, of in families.items():
        times = [one["best_us"] for one in of]
        told[family] = {"subjects": len(of), "best_us": [min(times), max(times)]}
        for kind in KINDS:
            shares = [one[kind] for one in of if kind in one]
            gains = [one[kind] / one["default"] for one in of if kind in one and "default" in one]
            if shares:
                told[family][kind] = {"subjects": len(shares), "mean": geometric(shares),
                                      "worst": min(shares),
                                      "gain": geometric(gains) if gains else None,
                                      "least_gain": min(gains) if gains else None}
    return told


def table(told):
    lines = ["| kernel | subjects | us at best | " + " | ".join(
        f"{kind}: share, worst, gain, least" for kind in KINDS) + " |", "|---" * (3 + len(KINDS)) + "|"]
    for family, one in told.items():
        low, high = one["best_us"]
        cells = [family, str(one["subjects"]), f"{low:.1f} .. {high:,.1f}"]
        for kind in KINDS:
            if kind not in one:
                cells.append("-")
                continue
            of = one[kind]
            gain = ""
            if kind != "default" and of["gain"] is not None:
                gain = f", {of['gain']:.2f} x, {of['least_gain']:.2f}"
            some = "" if of["subjects"] == one["subjects"] else f" (of {of['subjects']})"
            cells.append(f"{100 * of['mean']:.1f} %, {100 * of['worst']:.1f} %{gain}{some}")
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def write_page(page, command, lines):
    text = page.read_text()
    if START not in text:
        raise SystemExit(f"{page}: has no '{START}', expected a block for the table")
    before, rest = text.split(START, 1)
    behind = rest.split(END, 1)[1]
    page.write_text(before + "\n".join([START, "```", command, "```", "", *lines, END]) + behind)


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("times", type=Path)
    parser.add_argument("--plan", type=Path)
    parser.add_argument("--profiled", type=Path)
    parser.add_argument("--subjects", action="store_true", help="one line for each subject")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    subjects = subjects_of(rows_of(options.times))
    if options.plan:
        subjects = named_now(subjects, json.loads(options.plan.read_text()))
    picks = timed_picks(rows_of(options.profiled), subjects) if options.profiled else {}
    found = judged(subjects, picks)
    told = together(found)
    if options.json:
        print(json.dumps({"families": told, "subjects": found}, indent=1))
    elif options.subjects:
        for one in found:
            shares = " ".join(f"{kind} {one[kind + '_config']} {100 * one[kind]:.1f} %" for kind in KINDS
                              if kind in one)
            print(f"{one['subject']}: best {one['best']} {one['best_us']:.2f} us, {shares}")
    else:
        print("\n".join(table(told)))
    if options.page:
        command = f"tools/engine_truth/kernel_gains.py {options.times}"
        command += f" --plan {options.plan}" if options.plan else ""
        command += f" --profiled {options.profiled}" if options.profiled else ""
        write_page(options.page, command, table(told))


if __name__ == "__main__":
    main()
