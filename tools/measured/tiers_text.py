"""How tools/judge_tiers prints its answers."""

FIGURES = ("ttft", "tpot", "throughput")
STEP_FIGURES = ("mean", "median", "bias", "inside", "kernels")


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def print_steps(title, table):
    for name, row in table.items():
        figures = ", ".join(f"{key} {percent(row[key])}" for key in STEP_FIGURES)
        print(f"{title:28} {name:22} {row['steps']:4} steps: {figures}")


def print_serving(title, answer, by_run):
    for name, row in answer["figures"].items():
        shown = "; ".join(
            f"{figure} {percent(row[figure]['mean'])} (bias {percent(row[figure]['bias'])}, inside "
            f"{percent(row[figure]['inside'])})"
            for figure in FIGURES
        )
        print(f"{title:28} {name:8} {row['runs']:3} runs: {shown}")
    for row in answer["runs"] if by_run else []:
        shown = " ".join(
            f"{figure} {100 * row[figure]['error']:+6.1f} %{' ' if row[figure]['inside'] else '*'}"
            for figure in FIGURES
        )
        print(f"  {row['run']:44} {row['status']:10} {shown}")


def print_all(result, by_run):
    for hidden, tiers in result.items():
        for gpu, table in tiers.get("a", {}).get("kernels", {}).items():
            for family, row in table.items():
                shown = ", ".join(f"{key} {percent(row[key])}" for key in ("mean", "median", "inside"))
                print(f"{f'A {hidden} kernels {gpu}':36} {family:20} {row['rows']:8} rows: {shown}")
        if "steps" in tiers.get("a", {}):
            print_steps(f"A {hidden} steps", tiers["a"]["steps"])
        if "serving" in tiers.get("a", {}):
            print_serving(f"A {hidden}", tiers["a"]["serving"], by_run)
        for name, found in tiers.get("b", {}).items():
            for key, answer in found.items():
                title = f"B {hidden} {name}{' before' if key.endswith('before') else ''}"
                if key.startswith("steps"):
                    print_steps(title, answer)
                else:
                    print_serving(title, answer, by_run)
