"""Arrivals over time through a live SGLang server with dummy weights, watched by `python -m warploom.record`.

sglang_serve.py --config CONFIG.json --name HF/NAME --out DIR --plan PLAN.json [--passes N] [-- WORDS]
WORDS: further options of sglang.launch_server. --temperature, --turn: as of serve.py; servers that are up at
once need a --port each.
PLAN.json: as of serve.py. Every pass of the plan goes to one server; request ids begin with LABEL.passK.
DIR holds the recording (docs/recording.md), client.csv (when the client saw a first and a last token, on
the clock of the recording), server.log, and kernels of steps whenever an item has "profile_at".
Needs the Python of SGLang with Warploom's Python folder on PYTHONPATH; no tokeniser is used."""

import argparse
import asyncio
import csv
import json
import os
import signal
import subprocess
import sys
import time

import aiohttp
import engine_setup
from loads import Loads

FIELDS = "request_id sent_s seen_first_s seen_last_s input_tokens output_tokens client".split()


class Client(Loads):
    def __init__(self, session, vocab, label, rows, options):
        super().__init__(vocab)
        self.session, self.label, self.rows = session, label, rows
        self.url = f"http://127.0.0.1:{options.port}/generate"
        self.temperature = options.temperature

    async def request(self, k, ids, output, **extra):
        name = f"{self.label}-{k}"
        asked = {
            "rid": name,
            "input_ids": ids,
            "stream": True,
            "sampling_params": {
                "max_new_tokens": output,
                "ignore_eos": True,
                "temperature": self.temperature,
            },
        }
        sent, first = time.monotonic(), None
        async with self.session.post(self.url, json=asked) as answer:
            answer.raise_for_status()
            async for line in answer.content:
                if first is None and line.startswith(b"data:"):
                    first = time.monotonic()
        seen = (sent, first, time.monotonic())
        self.rows.append([name, *(f"{t:.6f}" for t in seen), len(ids), output, extra.get("client", "")])


async def until_ready(session, server, options):
    end = time.monotonic() + options.wait
    while time.monotonic() < end:
        if server.poll() is not None:
            sys.exit(f"the server ended with status {server.returncode}, see server.log")
        try:
            async with session.get(f"http://127.0.0.1:{options.port}/health") as answer:
                if answer.status == 200:
                    return
        except aiohttp.ClientError:
            pass
        await asyncio.sleep(0.5)
    sys.exit(f"the server was not ready in {options.wait} s, see server.log")


async def profile_steps(item, recording):
    if "profile_at" in item:
        await asyncio.sleep(item["profile_at"])
        with open(os.path.join(recording, "profile"), "w") as asked:
            asked.write(str(item.get("profile_steps", 3)))


async def measure(client, item, recording):
    begun, had = time.monotonic(), len(client.rows)
    watcher = asyncio.create_task(profile_steps(item, recording))
    await client.run(item)
    await watcher
    rows = client.rows[had:]
    ttft = sorted(float(row[2]) - float(row[1]) for row in rows)
    each = sorted((float(row[3]) - float(row[2])) / max(1, row[5] - 1) for row in rows)
    print(
        f"{client.label}: n={len(ttft)} wall={time.monotonic() - begun:.1f}s "
        f"ttft p50={ttft[len(ttft) // 2] * 1e3:.1f} mean={sum(ttft) / len(ttft) * 1e3:.1f} "
        f"tpot mean={sum(each) / len(each) * 1e3:.3f} ms",
        flush=True,
    )


async def drive(a, server, vocab, recording):
    rows = []
    # The server closes a connection that rests for 5 s (uvicorn's keep-alive), so each request has its own.
    connector = aiohttp.TCPConnector(limit=0, force_close=True)
    limits = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(timeout=limits, connector=connector, read_bufsize=1 << 24) as session:
        begun = time.monotonic()
        await until_ready(session, server, a)
        print(f"server up in {time.monotonic() - begun:.1f} s", flush=True)
        begun = time.monotonic()
        await Client(session, vocab, "warm", [], a).warm_up()
        print(f"warm-up {time.monotonic() - begun:.1f} s", flush=True)
        with engine_setup.wait_for_turn(a.turn, os.path.basename(a.out)):
            for k in range(1, a.passes + 1):
                for item in a.plan:
                    label = f"{item['label']}.pass{k}"
                    await measure(Client(session, vocab, label, rows, a), item, recording)
    return rows


def stop(server):
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("config", "name", "out", "plan"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--passes", type=int, default=2)
    a.add_argument("--port", type=int, default=30010)
    a.add_argument("--temperature", type=float, default=0.0)
    a.add_argument("--turn")
    a.add_argument("--wait", type=float, default=300, help="seconds until the server must be ready")
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    a, given = a.parse_args(words[:at]), words[at + 1 :]
    a.plan = json.loads(a.plan) if a.plan.lstrip().startswith("[") else json.load(open(a.plan))
    os.makedirs(a.out, exist_ok=True)
    folder, config = engine_setup.model_folder(a.config, os.path.basename(a.name))
    recording = os.path.join(a.out, "recording")
    command = [sys.executable, "-m", "warploom.record", "sglang", "--output", recording, "--"]
    command += ["--model-path", folder, "--served-model-name", a.name, "--load-format", "dummy"]
    command += ["--skip-tokenizer-init", "--port", str(a.port), *given]
    with open(os.path.join(a.out, "server.log"), "w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        try:
            rows = asyncio.run(drive(a, server, config.get("vocab_size", 32000), recording))
        finally:
            stop(server)
    with open(os.path.join(a.out, "client.csv"), "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(FIELDS)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
