"""As sglang/launch_server.py: everything happens under __main__, the scheduler in a process spawned anew."""

import multiprocessing
import sys

from sglang.srt.managers.scheduler import Message, ServerArgs, run_scheduler_process
from sglang.srt.managers.server import Server


def requests_of(server_args):
    """The server's own question, a health check, and then --requests users' at once."""
    yield Message("w", [1] * 6, 3, "The capital city of France is")
    yield Message("HEALTH_CHECK_1", [1], 1, "")
    for i in range(server_args.requests):
        yield Message(f"r{i}", [7] * (20 + i), 4 + i, "hello")


if __name__ == "__main__":
    server_args = ServerArgs.parse(sys.argv[1:])
    multiprocessing.set_start_method("spawn", force=True)
    reader, writer = multiprocessing.Pipe(duplex=False)
    inbox = multiprocessing.Queue()
    process = multiprocessing.Process(
        target=run_scheduler_process, args=(server_args, inbox, 0, 0, 0, 0, None, writer)
    )
    process.start()
    reader.recv()
    server = Server(inbox)
    for message in requests_of(server_args):
        server._send_one_request(message, message)
    inbox.put(None)
    process.join()
    sys.exit(process.exitcode)
