"""Experts by chance for a mixture with random weights: a `worker_extension_cls` of vLLM 0.33.

    --kv worker_extension_cls=chance_routing.ChanceRouting      (with this folder on PYTHONPATH)

With random weights tokens of one prompt choose the same experts (asked_experts.py), which no trained router
does. Here the rows that a router gives out are replaced by rows of a table of random ones before the engine's
own kernel chooses among them: another part of the table at each call, so at each layer, and no kernel more or
less than before. Read by the engine's worker, which imports this file before it loads the model.
"""

import torch

ROWS = 1 << 16  # of the table; more than any step has tokens
STRIDE = 4099  # rows between the parts of two calls; a prime, so that parts do not repeat soon


class LogitTable:
    """Rows of random logits, one table for each number of experts and type."""

    def __init__(self):
        self.tables = {}
        self.calls = 0

    def like(self, logits):
        """Rows of the same shape and type: a view, so nothing runs on the GPU. The first call makes the
        table, which is before any graph is captured."""
        tokens, experts = logits.shape
        key = experts, logits.dtype, logits.device
        if key not in self.tables:
            generator = torch.Generator(device=logits.device).manual_seed(1)
            made = torch.randn(ROWS, experts, device=logits.device, generator=generator)
            self.tables[key] = made.to(logits.dtype)
        self.calls += 1
        first = self.calls * STRIDE % (ROWS - tokens)
        return self.tables[key][first : first + tokens]


def install(router_class, table):
    """Every router of this class and of those derived from it chooses by rows of `table`."""
    choose = router_class._select_experts

    def by_chance(self, hidden_states, router_logits, *more, **named):
        return choose(self, hidden_states, table.like(router_logits), *more, **named)

    router_class._select_experts = by_chance


class ChanceRouting:
    """Adds nothing to a worker: it is named so that the worker imports this file."""


try:
    from vllm.model_executor.layers.fused_moe.router.base_router import BaseRouter
except ImportError:  # read by a test, where no engine is
    pass
else:
    install(BaseRouter, LogitTable())
