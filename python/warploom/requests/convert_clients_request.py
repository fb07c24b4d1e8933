"""Loads that other programs describe, as clients.

Written by tools/make_python_api from the field lists of C++; do not edit.
"""
from __future__ import annotations

from warploom.answers import ConvertedClients
from warploom.session import PathText, Progress, ask


def convert_clients(
    *,
    client_layout: PathText,
    path: PathText,
    output: PathText,
    from_s: float | None = None,
    to_s: float | None = None,
    progress: Progress = False,
) -> ConvertedClients:
    """Loads that other programs describe, as clients.

    client_layout: whose files they are (servegen, inference-perf)
    path: a folder of one model of ServeGen, or the YAML of inference-perf
    output: the file of clients
    from_s: begin of the part of a ServeGen folder that is taken; default 0.0
    to_s: its end; 0: a day after the begin; default 0.0
    progress: True for a bar by tqdm, or a function of (done, total)

    Raises ValueError (a name with the nearest one, a value, a field without effect), FileNotFoundError and
    OSError (files), NotImplementedError (what is not modelled, or not in this build).
    """
    fields = {
        "client_layout": client_layout, "path": path, "output": output, "from_s": from_s, "to_s":
        to_s}
    return ConvertedClients(ask("convert_clients", fields, progress))
