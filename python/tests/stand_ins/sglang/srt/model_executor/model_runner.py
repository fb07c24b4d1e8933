"""As sglang/srt/model_executor/model_runner.py, where the recorder reads it."""

import time
import types

SECONDS = 1e-3  # of a step


class ModelRunner:
    def __init__(self, server_args):
        self.server_args = server_args
        self.graph_runner = types.SimpleNamespace(capture_bs=[1, 2, 4, 8], bs=None)

    def forward(self, forward_batch, skip_attn_backend_init=False, pp_proxy_tensors=None):
        time.sleep(SECONDS)
        graph = forward_batch.forward_mode.is_decode()
        if graph:
            requests, sizes = len(forward_batch.reqs), self.graph_runner.capture_bs
            self.graph_runner.bs = next(size for size in sizes if size >= requests)
        return "logits", graph

    def sample(self, logits_output, forward_batch):
        return [5] * len(forward_batch.reqs)
