"""As sglang/srt/managers/tokenizer_manager.py, where requests leave the server's process."""

import time


class Server:
    def __init__(self, send_to_scheduler):
        self.send_to_scheduler = send_to_scheduler

    def _send_one_request(self, obj, tokenized_obj, created_time=None):
        self.send_to_scheduler.put(tokenized_obj)
        time.sleep(1e-3)

    def _send_batch_request(self, obj, tokenized_objs, created_time=None):
        for tokenized_obj in tokenized_objs:
            self.send_to_scheduler.put(tokenized_obj)
