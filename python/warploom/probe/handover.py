"""Between tasks, threads and processes: what a wake-up takes, and the interpreter beside busy neighbours."""

from __future__ import annotations

import asyncio
import atexit
import os
import queue
import subprocess
import sys
import threading
import time
from typing import Any

from warploom.probe.python_work import REQUESTS, make_scheduling
from warploom.probe.workload import Sampler, Workload, of_modules, per_call

ECHO = "import os\nwhile True:\n    said = os.read(0, 4096)\n    if not said: break\n    os.write(1, said)\n"
SPIN = (
    "import sys\nsys.stdout.write('x')\nsys.stdout.flush()\nn = 0\nwhile True:\n    n = (n + 1) % 1000003\n"
)
ZMQ_ECHO = (
    "import sys, zmq\ns = zmq.Context().socket(zmq.PAIR)\ns.connect(sys.argv[1])\n"
    "while True: s.send(s.recv())\n"
)


def child(program: str, *words: str, **pipes: Any) -> subprocess.Popen[bytes]:
    """A Python that runs `program` and ends with this process at the latest."""
    command = [sys.executable, "-S", "-c", program, *words]
    started: subprocess.Popen[bytes] = subprocess.Popen(command, **pipes)
    atexit.register(started.kill)
    return started


def make_asyncio() -> Sampler:
    hops = 400

    async def play() -> float:
        there: asyncio.Queue[int] = asyncio.Queue()
        back: asyncio.Queue[int] = asyncio.Queue()

        async def other() -> None:
            for _ in range(hops):
                await back.put(await there.get())

        task = asyncio.ensure_future(other())
        start = time.perf_counter()
        for number in range(hops):
            await there.put(number)
            await back.get()
        took = time.perf_counter() - start
        await task
        return took / hops * 1e6

    return lambda: asyncio.run(play())


def make_threads() -> Sampler:
    there: queue.SimpleQueue[int] = queue.SimpleQueue()
    back: queue.SimpleQueue[int] = queue.SimpleQueue()

    def other() -> None:
        while True:
            back.put(there.get())

    threading.Thread(target=other, daemon=True).start()

    def hop() -> None:
        there.put(1)
        back.get()

    return per_call(hop, 200)


def make_pipe() -> Sampler:
    other = child(ECHO, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdin is not None and other.stdout is not None
    write, read = other.stdin.fileno(), other.stdout.fileno()

    def hop() -> None:
        os.write(write, b"x" * 256)
        os.read(read, 4096)

    hop()
    return per_call(hop, 200)


def make_zmq() -> Sampler:
    zmq = of_modules("zmq")
    context = zmq.Context()
    socket = context.socket(zmq.PAIR)
    port = socket.bind_to_random_port("tcp://127.0.0.1")
    other = subprocess.Popen([sys.executable, "-c", ZMQ_ECHO, f"tcp://127.0.0.1:{port}"])
    atexit.register(other.kill)

    def hop() -> None:
        socket.send(b"x" * 256)
        socket.recv()

    hop()
    return per_call(hop, 100)


def make_sleep() -> Sampler:
    return lambda: per_call(lambda: time.sleep(1e-4), 20)() - 100


def make_beside_others() -> Sampler:
    """The scheduler's pass while three other processes keep a core busy each, as clients do."""
    alone = make_scheduling()

    def sample() -> float:
        others = [child(SPIN, stdout=subprocess.PIPE) for _ in range(3)]
        try:
            for other in others:
                assert other.stdout is not None
                other.stdout.read(1)
            return sorted(alone() for _ in range(5))[2]
        finally:
            for other in others:
                other.kill()
                other.wait()

    return sample


WORK = [
    Workload("wake.asyncio", make_asyncio),
    Workload("wake.thread", make_threads),
    Workload("wake.pipe", make_pipe),
    Workload("wake.zmq", make_zmq),
    Workload("wake.sleep_late", make_sleep),
    Workload("python.beside_others", make_beside_others, samples=2, size={"requests": REQUESTS}),
]
