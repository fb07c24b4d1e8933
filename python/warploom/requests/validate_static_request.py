"""Static batches of real engines.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from warploom.answers import StaticValidation
from warploom.session import PathText, Progress, ask, listed

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from warploom.requests.host_fields import HostFields


def validate_static(
    *,
    truth: Any,
    requests: Any,
    predictor: PathText | None = None,
    require_tier: PathText | None = None,
    expert_routing: PathText | None = None,
    host: Mapping[str, Any] | None = None,
    baselines: Sequence[PathText] | None = None,
    source: Mapping[str, Any] | None = None,
    store: PathText | None = None,
    layout: PathText | None = None,
    data: Any = None,
    families: Sequence[PathText] | None = None,
    gpus: Sequence[PathText] | None = None,
    keep_impossible: bool | None = None,
    progress: Progress = False,
    **host_fields: Unpack[HostFields],
) -> StaticValidation:
    """Static batches of real engines.

    truth: measured batches; also a frame, a table of pyarrow or a Parquet file
    requests: prompt lengths of each workload; also a frame, a table of pyarrow or a Parquet file
    predictor: a folder that `train` wrote, or roofline
    require_tier: measured: leave out rows of kernels that never were
    expert_routing: how tokens choose experts: uniform (each token at random, as random weights do),
        balanced (evenly) or power_law:ALPHA (a skew); default power_law:1.2
    host: constants of the host in place of the engine's
    baselines: also judge these, composed as published: roofline, linear, habitat, neusight, pipeweave,
        kernelsight, interpolation, or files that `train` with `method` wrote
    source: measured rows that baselines learn from
    store: a store that `import` wrote; or
    layout: layout of the files of `data`
    data: files or folders; also a frame, a table of pyarrow or a Parquet file
    families: only these families
    gpus: only these GPUs
    keep_impossible: keep rows that the rules of data/benchmarks take out: impossible, withdrawn,
        glitched; default false
    progress: True for a bar by tqdm, or a function of (done, total)
    host_fields: those of HostFields, by name: the host's constants

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "truth": truth, "requests": requests, "predictor": predictor, "require_tier": require_tier,
        "expert_routing": expert_routing, "host": host, "baselines": listed(baselines), "source":
        source, "store": store, "layout": layout, "data": listed(data), "families":
        listed(families), "gpus": listed(gpus), "keep_impossible": keep_impossible, **host_fields}
    return StaticValidation(ask("validate_static", fields, progress))
