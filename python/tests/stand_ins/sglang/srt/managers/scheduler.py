"""As sglang/srt/managers/scheduler.py: the loop with the overlap schedule, and what it calls."""

import argparse
import queue
import types
from collections import deque
from dataclasses import dataclass

from sglang.srt.managers.schedule_batch import (
    FINISH_ABORT,
    FINISH_LENGTH,
    ForwardMode,
    GenerationBatchResult,
    NextBatchPlan,
    Req,
    ScheduleBatch,
)
from sglang.srt.model_executor.model_runner import ModelRunner


@dataclass
class Message:  # TokenizedGenerateReqInput of io_struct.py
    rid: str
    input_ids: list
    max_new_tokens: int
    input_text: str


@dataclass
class ServerArgs:
    model_path: str
    requests: int = 3
    newer: bool = False
    abort: str = ""
    mixed: bool = False
    served_model_name: str = None
    tp_size: int = 1
    pp_size: int = 1
    dp_size: int = 1
    ep_size: int = 1
    disable_radix_cache: bool = True
    load_format: str = "dummy"
    schedule_policy: str = "fcfs"

    @staticmethod
    def parse(words):
        parser = argparse.ArgumentParser(prog="sglang.launch_server")
        parser.add_argument("--model-path", required=True)
        parser.add_argument("--requests", type=int, default=3)
        parser.add_argument("--abort", default="")
        parser.add_argument("--newer", action="store_true")
        parser.add_argument("--mixed", action="store_true")
        parser.add_argument("--pp-size", type=int, default=1)
        return ServerArgs(**vars(parser.parse_args(words)))


class Worker:  # TpModelWorker of tp_worker.py
    def __init__(self, server_args):
        self.model_runner = ModelRunner(server_args)

    def forward_batch_generation(self, batch):
        logits, graph = self.model_runner.forward(batch)
        return GenerationBatchResult(graph, self.model_runner.sample(logits, batch))


class Scheduler:
    def __init__(
        self, server_args, port_args, gpu_id=0, tp_rank=0, moe_ep_rank=0, pp_rank=0, dp_rank=None
    ):
        self.server_args, self.inbox = server_args, port_args
        self.attn_tp_rank = tp_rank
        self.pp_rank, self.dp_rank = pp_rank, dp_rank
        self.tp_worker = Worker(server_args)
        self.max_total_num_tokens, self.page_size = 1000, 1
        self.max_running_requests, self.max_prefill_tokens, self.chunked_prefill_size = 8, 16384, 32
        self.enable_overlap = True
        self.model_config = types.SimpleNamespace(context_len=4096)
        self.token_to_kv_pool_allocator = types.SimpleNamespace(available_size=lambda: 700)
        self.tree_cache = types.SimpleNamespace(evictable_size=lambda: 50)
        self.waiting_queue, self.running, self.chunked = deque(), [], None
        self.last_batch, self.closing = None, False

    def recv_requests(self):
        messages = []
        while True:
            try:
                messages.append(self.inbox.get(timeout=0.02))
            except queue.Empty:
                return messages

    def process_input_requests(self, recv_reqs):
        for message in recv_reqs:
            if message is not None:
                request = Req(message.rid, message.input_text, message.input_ids, message.max_new_tokens)
                self._add_request_to_queue(request)

    def _add_request_to_queue(self, req, is_retracted=False):
        self.waiting_queue.append(req)

    def next_batch(self):
        """Prompts first, the longest in parts of chunked_prefill_size; then everybody decodes."""
        self.running += [
            request
            for request in (self.last_batch.reqs if self.last_batch else [])
            if request not in self.running and request is not self.chunked
        ]
        self.running = [request for request in self.running if not request.finished()]
        reqs, lens, left = [], [], self.chunked_prefill_size
        if self.chunked is not None:
            request, self.chunked = self.chunked, None
            reqs.append(request)
            lens.append(len(request.origin_input_ids) - request.done)
            left -= lens[0]
        while self.waiting_queue and left > 0:
            request = self.waiting_queue.popleft()
            tokens = min(left, len(request.origin_input_ids))
            left -= tokens
            reqs.append(request)
            lens.append(tokens)
            if tokens < len(request.origin_input_ids):
                request.done, self.chunked = tokens, request
        if reqs and self.server_args.mixed and self.running:
            return ScheduleBatch(
                reqs + self.running, ForwardMode.MIXED, lens + [1] * len(self.running), list(self.running)
            )
        if reqs:
            return ScheduleBatch(reqs, ForwardMode.EXTEND, lens)
        return ScheduleBatch(list(self.running), ForwardMode.DECODE) if self.running else None

    def get_next_batch_to_run(self, running_batch=None, last_batch=None):
        batch = self.next_batch()
        return NextBatchPlan(batch, self.running) if self.server_args.newer else batch

    def run_batch(self, batch, pp_proxy_tensors=None):
        return self.tp_worker.forward_batch_generation(batch)

    def process_batch_result(self, batch, result):
        for request, token in zip(batch.reqs, result.next_token_ids):
            if request.finished() or request is self.chunked:
                continue
            request.output_ids.append(token)
            if request.rid == self.server_args.abort:
                request.finished_reason = FINISH_ABORT()
            elif len(request.output_ids) >= request.max_new_tokens:
                request.finished_reason = FINISH_LENGTH()

    def event_loop_overlap(self):
        results = deque()
        while True:
            messages = self.recv_requests() if not self.closing else []
            self.closing |= None in messages
            self.process_input_requests(messages)
            plan = self.get_next_batch_to_run()
            batch = plan.batch_to_run if self.server_args.newer else plan
            if batch:
                results.append((batch.copy(), self.run_batch(batch)))
            if self.last_batch:
                self.process_batch_result(*results.popleft())
            if self.closing and batch is None and self.last_batch is None:
                return
            self.last_batch = batch


def run_scheduler_process(
    server_args, port_args, gpu_id, tp_rank, moe_ep_rank, pp_rank, dp_rank, pipe_writer
):
    scheduler = Scheduler(server_args, port_args, gpu_id, tp_rank, moe_ep_rank, pp_rank, dp_rank)
    pipe_writer.send({"status": "ready"})
    scheduler.event_loop_overlap()
