"""Measurements of one's own from a frame into a predictor, and what that changes.

python examples/python/calibrate_from_frame.py        # needs pandas and a build that trains

The frame here is the small sweep of an H200 in the repository. Any frame with the same columns will do: gpu,
latency_us and operator (the operator as JSON, or as a dictionary) are the ones that count.
"""

# %%
import os
import tempfile
from pathlib import Path

import pandas

import warploom


def given(variable: str, stored: str) -> Path:
    """The file that an environment variable names, else one of Warploom's repository around this folder."""
    if variable in os.environ:
        return Path(os.environ[variable])
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / stored).exists():
            return folder / stored
    raise FileNotFoundError(f"no {stored} here: run this in Warploom's repository, or set {variable}")


SWEEP = given("WARPLOOM_SWEEP", "tests/fixtures/collector/h200/check/sweep.csv.gz")

frame = pandas.read_csv(SWEEP, comment="#")
print(f"{len(frame)} rows; {frame['latency_us'].median():.1f} us in the median")

# %% [markdown]
# `calibrate` fits on most shapes of the sweep and judges on the others. A predictor is a folder.

# %%
with tempfile.TemporaryDirectory() as folder:
    try:
        found = warploom.calibrate(gpu="H200", data=frame, output=folder)
    except NotImplementedError as error:
        raise SystemExit(f"nothing was calibrated: {error}") from None
    print(found.to_pandas()[["name", "rows_learned", "before.mean_error", "after.mean_error"]].to_string())
    shipped = warploom.predict("gemm", gpu="H200", m=777, n=4096, k=4096)
    own = warploom.predict("gemm", gpu="H200", m=777, n=4096, k=4096, predictor=folder)
    print(f"777 rows: {shipped.p50_us:.2f} us as shipped, {own.p50_us:.2f} us calibrated")

# %% [markdown]
# The same frame judges any predictor: here the shipped one, family by family.

# %%
judged = warploom.validate_kernels(data=frame)
for family, figures in judged.families.items():
    if figures["rows"]:
        print(f"{family:20} {figures['rows']:5} rows, mean error {100 * figures['mean_error']:.1f} %")
