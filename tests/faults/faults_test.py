#!/usr/bin/env python3
"""What was once broken from outside, tried again at the whole program (docs/reliability.md lists the rest).

WARPLOOM_PROGRAM names the built program. WARPLOOM_KILLS: how many moments a writer is killed at (8).
"""

import gzip
import json
import os
import random
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["WARPLOOM_PROGRAM"]
KILLS = int(os.environ.get("WARPLOOM_KILLS", "8"))
FOREIGN = (
    "json.exception",
    "yaml-cpp",
    "bad conversion",
    "basic_string",
    "std::",
    "filesystem error",
    "bad_alloc",
)
SIMULATE = [
    "simulate",
    "--model",
    "Qwen3-8B",
    "--gpu",
    "H200",
    "--predictor",
    "roofline",
    "--num-prompts",
    "3",
]
SIMULATE += ["--random-input-len", "30", "--random-output-len", "2", "--no-intervals"]
HEAVY = {
    "model": "Llama-3.1-8B",
    "gpu": "H100-SXM",
    "requests": 400_000,
    "random_input_len": 500,
    "random_output_len": 200,
    "request_rate": 20,
    "intervals": False,
}


def run(*words, **options):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=600, **options)


def sweep(path):
    """A made-up sweep of an H200: products that take a little longer than their bytes and their work."""
    lines = ["gpu,framework,latency_us,operator"]
    draw = random.Random(11)
    for number in range(96):
        m, n, k = 2 ** draw.randrange(12), 1024 * draw.randrange(1, 8), 1024 * draw.randrange(1, 5)
        us = 5 + m * n * k / 2.7e8 + (m * k + n * k + m * n) / 1.3e6
        scheme = ("bf16", "int8")[number % 2]
        operator = {"family": "gemm", "scheme": scheme, "m": m, "n": n, "k": k}
        cell = json.dumps(operator).replace('"', '""')
        lines.append(f'h200,warploom,{us * draw.uniform(0.98, 1.02):.3f},"{cell}"')
    path.write_text("\n".join(dict.fromkeys(lines)) + "\n")


def sweep_in(folder):
    sweep(folder / "sweep.csv")
    return folder / "sweep.csv"


class Folder(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)


class KilledWriters(Folder):
    """A folder is what it was, what it becomes, or refused; writing again gives the same bytes."""

    def step(self, predictor):
        words = ["--model", "Qwen3-30B-A3B", "--gpu", "H200", "--decode", "64x2000", "--predictor", predictor]
        return run("step", *words, "--json")

    def bytes_of(self, folder):
        return {
            path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".partial-")
        }

    def test_a_killed_calibration_is_never_taken_for_a_whole_one(self):
        data, whole, killed = self.folder / "sweep.csv", self.folder / "whole", self.folder / "killed"
        sweep(data)
        words = ["calibrate", "--gpu", "H200", "--data", data, "--threads", "1", "--output"]
        began = time.monotonic()
        self.assertEqual(run(*words, whole).returncode, 0)
        took = time.monotonic() - began
        answer, seen = self.step(whole).stdout, set()
        for kill in range(KILLS):
            child = subprocess.Popen(
                [PROGRAM, *map(str, words), killed], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            # Until it begins to write nothing is there to be torn.
            while child.poll() is None and not killed.exists():
                time.sleep(0.001)
            time.sleep(took * 0.02 * kill / KILLS)
            child.send_signal(signal.SIGKILL)
            child.wait()
            now = self.step(killed)
            if now.returncode == 0:
                self.assertEqual(now.stdout, answer)
            else:
                self.assertEqual(now.returncode, 2, now.stderr)
            seen.add(now.returncode)
            if (killed / "gemm.wlp").exists() and now.returncode == 2:
                self.assertIn("manifest.json", now.stderr)
            if kill % 2:
                for path in sorted(killed.rglob("*"), reverse=True):
                    path.rmdir() if path.is_dir() else path.unlink()
                killed.rmdir()
        self.assertEqual(run(*words, killed).returncode, 0)
        self.assertEqual(self.bytes_of(killed), self.bytes_of(whole))
        self.assertEqual([path.name for path in killed.glob(".partial-*")], [])
        self.assertIn(2, seen)

    def test_a_file_of_another_predictor_is_not_mixed_in(self):
        data, folder = self.folder / "sweep.csv", self.folder / "predictor"
        sweep(data)
        self.assertEqual(run("calibrate", "--gpu", "H200", "--data", data, "--output", folder).returncode, 0)
        other = Path(__file__).resolve().parents[2] / "data/predictor/rmsnorm.wlp"
        (folder / "gemm.wlp").write_bytes(other.read_bytes())
        refused = self.step(folder)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("gemm.wlp is not the one of its manifest.json", refused.stderr)


class Memory(Folder):
    """Endless and packed inputs are refused in little memory."""

    MOST_MB = 300

    def refused(self, *words):
        child = subprocess.Popen(
            [PROGRAM, *map(str, words)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        with child.stderr:
            said = child.stderr.read().decode()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 2, said)
        self.assertLess(used.ru_maxrss / 1024, self.MOST_MB)
        return said

    def test_devices_and_bombs(self):
        step = ("--gpu", "H200", "--decode", "1x1")
        self.assertIn("expected a regular file", self.refused("step", "--model", "/dev/zero", *step))
        bomb = self.folder / "bomb.csv.gz"
        with gzip.open(bomb, "wb", compresslevel=1) as file:
            for _ in range(400):
                file.write(bytes(1 << 20))
        simulate = ("simulate", "--model", "Qwen3-8B", "--gpu", "H200")
        self.assertIn("a row is longer than", self.refused(*simulate, "--trace", bomb))


class Outputs(Folder):
    """A device, a pipe or a link that an output names is written to, never replaced."""

    def write(self, output):
        return run(*SIMULATE, "--aiperf", output)

    def test_what_is_there_stays_what_it_is(self):
        self.assertEqual(self.write(self.folder / "plain").returncode, 0)
        expected = (self.folder / "plain").read_text()
        self.assertEqual(expected.count("\n"), 3)
        real, link, pipe = self.folder / "real", self.folder / "link", self.folder / "pipe"
        real.write_text("old")
        real.chmod(0o600)
        link.symlink_to("real")
        self.assertEqual(self.write(link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(real.read_text(), expected)
        self.assertEqual(stat.S_IMODE(real.stat().st_mode), 0o600)
        os.mkfifo(pipe)
        got = []
        reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
        reader.start()
        self.assertEqual(self.write(pipe).returncode, 0)
        reader.join()
        self.assertEqual(got, [expected])
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        self.assertIn(expected, self.write("/dev/fd/1").stdout)
        full = self.write("/dev/full")
        self.assertEqual(full.returncode, 1, full.stderr)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        self.assertEqual(
            sorted(path.name for path in self.folder.iterdir()), ["link", "pipe", "plain", "real"]
        )

    def test_a_full_device_is_said(self):
        for words in (["--help"], ["--version"], ["gpus"], []):
            with open("/dev/full", "w", encoding="utf-8") as full:
                ended = subprocess.run(
                    [PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
                )
            self.assertEqual(ended.returncode, 1, words)
            self.assertIn("standard output", ended.stderr)


class Flips(Folder):
    def test_single_bits_of_a_plans_log_change_no_answer(self):
        plan = (
            "plan --model Qwen3-8B --predictor roofline --gpus H100-SXM --tp 1 --rate 4 --requests 20 --json"
            " --input-tokens 300 --output-tokens 10 --slo ttft_p95_ms=900 --max-gpus 1 --threads 1 --store"
        ).split()
        plan.append(self.folder / "log.json")
        sound = run(*plan)
        self.assertEqual(sound.returncode, 0, sound.stderr)
        log, draw = (self.folder / "log.json").read_bytes(), random.Random(5)
        for _ in range(25):
            flipped = bytearray(log)
            flipped[draw.randrange(len(log))] ^= 1 << draw.randrange(8)
            (self.folder / "log.json").write_bytes(flipped)
            now = run(*plan)
            self.assertTrue(now.returncode == 2 or now.stdout == sound.stdout, now.stderr)


class KilledServer(Folder):
    def start(self):
        words = [PROGRAM, "web", "--port", "0", "--no-browser", "--json"]
        server = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, TMPDIR=self.folder)
        )
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.stderr.close)
        if b"{" not in server.stdout.readline():
            self.skipTest(server.stderr.read().decode())
        return server

    def test_the_next_one_removes_its_uploads(self):
        def folders():
            return [path.name for path in self.folder.glob("warploom-*")]

        first = self.start()
        left = folders()
        self.assertEqual(len(left), 1)
        first.kill()
        first.wait()
        self.assertEqual(folders(), left)
        second = self.start()
        self.assertEqual(len(folders()), 1)
        self.assertNotEqual(folders(), left)
        second.terminate()
        self.assertEqual(second.wait(timeout=60), 0)
        self.assertEqual(folders(), [])


class Server(unittest.TestCase):
    """The page's server under clients that send too much, too slowly or leave."""

    def setUp(self):
        words = [PROGRAM, "web", "--port", "0", "--no-browser", "--json", "--time-limit", "300"]
        self.server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        text = b""
        while b"}" not in text:
            line = self.server.stdout.readline()
            if not line:
                error = self.server.stderr.read().decode()
                if "cannot be loaded" in error:
                    self.skipTest(error)
                self.fail(error)
            text += line
        self.port = json.loads(text)["port"]
        self.addCleanup(self.end)

    def end(self):
        if self.server.poll() is None:
            self.server.kill()
        self.server.wait()
        self.server.stdout.close()
        self.server.stderr.close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def ask(self, method, path, body=None):
        with self.connect() as connection:
            data = b"" if body is None else json.dumps(body).encode()
            head = (
                f"{method} /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n"
            )
            connection.sendall(head.encode() + data)
            answer = b""
            while part := connection.recv(65536):
                answer += part
        return answer

    def megabytes(self):
        status = Path(f"/proc/{self.server.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

    def test_heads_without_end_take_no_memory(self):
        self.assertIn(b" 200 ", self.ask("GET", "/version"))
        before = self.megabytes()
        answer = b""
        with self.connect() as connection:
            connection.sendall(b"GET /api/v1/version HTTP/1.1\r\n")
            try:
                for _ in range(1000):
                    connection.sendall((b"X: " + b"a" * 8000 + b"\r\n") * 8)
            except OSError:
                pass
            try:
                answer = connection.recv(100)
            except OSError:
                pass
        self.assertTrue(answer.startswith(b"HTTP/1.1 431 ") or answer == b"", answer)
        self.assertLess(self.megabytes() - before, 16)
        self.assertIn(b" 200 ", self.ask("GET", "/version"))

    def test_long_names_and_many_keys_are_answered_soon(self):
        began = time.monotonic()
        self.assertIn(b" 404 ", self.ask("POST", "/answers/gpu", {"name": "a" * 900_000}))
        self.assertIn(b" 400 ", self.ask("POST", "/answers/gpu", {str(i): 1 for i in range(60_000)}))
        self.assertLess(time.monotonic() - began, 20)

    def test_memory_is_flat_after_many_requests(self):
        product = {"gpu": "H200", "family": "gemm", "m": 64, "n": 4096, "k": 4096}
        for _ in range(300):
            self.ask("POST", "/answers/predict", product)
        before = self.megabytes()
        for number in range(2000):
            self.ask("POST", "/answers/predict", {**product, "m": number + 1})
        self.assertLess(self.megabytes(), before * 1.02 + 1)

    def test_connections_take_no_more_threads_than_there_are(self):
        self.assertIn(b" 200 ", self.ask("GET", "/version"))
        before = self.megabytes()
        held = [self.connect() for _ in range(700)]
        time.sleep(1)
        self.assertLessEqual(len(os.listdir(f"/proc/{self.server.pid}/task")), 60)
        self.assertLess(self.megabytes() - before, 32)
        for connection in held:
            connection.close()
        self.assertIn(b" 200 ", self.ask("GET", "/version"))

    def test_it_ends_soon_with_answers_in_flight(self):
        for _ in range(4):
            threading.Thread(target=self.ask, args=("POST", "/answers/simulate", HEAVY), daemon=True).start()
        for _ in range(2):
            self.assertIn(b" 202 ", self.ask("POST", "/jobs/simulate", HEAVY))
        time.sleep(1.5)
        began = time.monotonic()
        self.server.send_signal(signal.SIGTERM)
        self.server.wait(timeout=60)
        self.assertLess(time.monotonic() - began, 15)


if __name__ == "__main__":
    unittest.main(verbosity=1)
