"""As sglang/srt/managers/schedule_batch.py and forward_batch_info.py, where the recorder reads them."""

import enum
from dataclasses import dataclass, replace
from typing import Optional


class ForwardMode(enum.Enum):
    EXTEND = 1
    DECODE = 2
    MIXED = 3
    IDLE = 4

    def is_extend(self):
        return self in (ForwardMode.EXTEND, ForwardMode.MIXED)

    def is_decode(self):
        return self is ForwardMode.DECODE

    def is_idle(self):
        return self is ForwardMode.IDLE


class FINISH_LENGTH:
    pass


class FINISH_ABORT:
    pass


class Req:
    def __init__(self, rid, origin_input_text, origin_input_ids, max_new_tokens):
        self.rid = rid
        self.origin_input_text, self.origin_input_ids = origin_input_text, origin_input_ids
        self.output_ids = []
        self.max_new_tokens = max_new_tokens
        self.finished_reason = None
        self.cached_tokens = 0

    def finished(self):
        return self.finished_reason is not None


@dataclass
class ScheduleBatch:
    reqs: list
    forward_mode: ForwardMode
    extend_lens: Optional[list] = None
    decoding_reqs: Optional[list] = None

    def copy(self):
        return replace(self, reqs=self.reqs[:])


@dataclass
class NextBatchPlan:
    batch_to_run: Optional[ScheduleBatch]
    running_batch: list


@dataclass
class GenerationBatchResult:
    can_run_cuda_graph: bool = False
    next_token_ids: Optional[list] = None
