"""Warploom where Dynamo asks for the time of prefills and decodes.

    import warploom.seams.dynamo as seam
    seam.install()             # sessions that Dynamo's Python opens are Warploom's then

Two interfaces of github.com/ai-dynamo/dynamo, both in lib/bindings/python/src/dynamo/_internal/. AicSession
is that of aic.py: create_session(backend_name, system, model_path, tp_size, ...), with element types as at
commit 0d5e571 or without them as before. AisSession is that of ais.py, as in release 1.6.1 of
ai-dynamo-runtime: create_session(config, *, worker_type=None). Both have predict_prefill(batch_size,
effective_isl, prefix) and predict_decode(batch_size, isl, osl) in milliseconds. Dynamo's planner asks an
estimator instead, that of warploom.seams.forward_pass.

The mocker and the router of release 1.6.1 build their estimator in Rust; nothing in Python reaches it.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from warploom.seams.forward_pass import ForwardPassModel as ForwardPassModel
from warploom.seams.forward_pass import opened_step


class _Session:
    """Milliseconds of prefills and decodes of alike requests on the GPU."""

    def __init__(self, config: Any) -> None:
        self._step = opened_step(config)

    def predict_prefill(self, batch_size: int, effective_isl: int, prefix: int) -> float:
        """The time of `batch_size` prompts with `effective_isl` new tokens after `prefix` cached ones."""
        if batch_size <= 0 or effective_isl <= 0 or prefix < 0:
            raise ValueError(
                f"batch_size {batch_size}, effective_isl {effective_isl}, prefix {prefix}: expected sizes "
                "above 0, prefix not below"
            )
        return self._step.mixed((), [(effective_isl, prefix)] * batch_size).p50_us / 1000

    def predict_decode(self, batch_size: int, isl: int, osl: int) -> float:
        """The time of all steps in which `batch_size` requests produce their tokens after the first."""
        if batch_size <= 0 or isl < 0 or osl < 0:
            raise ValueError(f"batch_size {batch_size}, isl {isl}, osl {osl}: expected sizes of requests")
        return sum(self._step.decode(batch_size, isl + i).p50_us for i in range(osl - 1)) / 1000


class AicSession(_Session):
    """That of aic.py. Raises ValueError on unknown names and sizes, NotImplementedError on drafts, which
    a step does not hold, and on element types that it cannot have apart."""

    def __init__(
        self,
        backend_name: str,
        system: str,
        model_path: str,
        tp_size: int,
        backend_version: str | None = None,
        moe_tp_size: int | None = None,
        moe_ep_size: int | None = None,
        attention_dp_size: int | None = None,
        gemm_dtype: str | None = None,
        moe_dtype: str | None = None,
        fmha_dtype: str | None = None,
        kv_cache_dtype: str | None = None,
        comm_dtype: str | None = None,
        nextn: int | None = None,
        nextn_accept_rates: Sequence[float] | str | None = None,
    ) -> None:
        if isinstance(gemm_dtype, int):  # by place, as before there were element types
            nextn, gemm_dtype, moe_dtype = gemm_dtype, None, None
        super().__init__(
            {
                "backend": backend_name,
                "system": system,
                "model": model_path,
                "tp_size": tp_size,
                "backend_version": backend_version,
                "moe_ep_size": moe_ep_size,
                "attention_dp_size": attention_dp_size,
                "gemm_dtype": gemm_dtype,
                "moe_dtype": moe_dtype,
                "fmha_dtype": fmha_dtype,
                "kv_cache_dtype": kv_cache_dtype,
                "comm_dtype": comm_dtype,
                "nextn": nextn,
            }
        )


class AisSession(_Session):
    """That of ais.py: `config` is a mapping, or an object with to_dict(). Raises as AicSession."""

    def __init__(self, config: Any, *, worker_type: str | None = None) -> None:
        fields = config.to_dict() if hasattr(config, "to_dict") else dict(config)
        if worker_type is not None and fields.get("worker_type") not in (None, worker_type):
            raise ValueError(
                f"worker_type is {fields['worker_type']} in config and {worker_type} beside it"
            )
        super().__init__(fields)
        self.config = fields


SESSIONS = {"aic": AicSession, "ais": AisSession}  # by the module of dynamo._internal


def create_session(*args: Any, **kwargs: Any) -> AicSession:
    """As dynamo._internal.aic.create_session."""
    return AicSession(*args, **kwargs)


def install() -> list[str]:
    """Puts the sessions in the place of Dynamo's, in the module that is there; returns its name. Raises
    ImportError where neither is."""
    found = []
    for name, session in SESSIONS.items():
        try:
            module: Any = importlib.import_module(f"dynamo._internal.{name}")
        except ImportError:
            continue
        setattr(module, session.__name__, session)
        module.create_session = session
        found.append(name)
    if not found:
        raise ImportError("dynamo._internal has neither aic nor ais, expected one of them")
    return found
