#!/usr/bin/env python3
"""Every field of every request in every wrong type: answered, or refused in the program's own words.

Asked through the C interface, whose answers the command line, Python and the page give too, and of the page's
server what it alone answers. WARPLOOM_LIBRARY and WARPLOOM_PROGRAM name the built library and program. What
trains, writes or asks another program is left to the readers' own tests.
"""

import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python/tests"))
from c_interface import FAILED, CInterface, Refused  # noqa: E402

FOREIGN = ("json.exception", "yaml-cpp", "bad conversion", "basic_string", "std::", "map::at", "vector::",
           "filesystem error", "bad_alloc", "stod", "stoll")  # fmt: skip
WRONG = (
    None, True, -1, 0, 1e300, 0.5, "", "of a type", [], {}, [[1, "two", None]], {"of": "another"}, 2**64 - 1,
    "[" * 300, '{"method": 3}', '{"method": "ngram", "model": []}',
)  # fmt: skip
LLAMA = {"model": "Llama-3.1-8B", "gpu": "H200", "predictor": "roofline"}
RUN = {**LLAMA, "requests": 3, "random_input_len": 20, "random_output_len": 3, "intervals": False}
SOUND = (
    ("predict", {"gpu": "H200", "family": "gemm", "m": 64, "n": 4096, "k": 4096, "predictor": "roofline"}),
    ("predict", {"gpu": "H200", "family": "moe", "tokens": 4, "hidden": 256, "intermediate": 256,
                 "experts": 8, "top_k": 2, "predictor": "roofline"}),
    ("step", {**LLAMA, "prefill": "1x50", "decode": "4x100"}),
    ("static", {**LLAMA, "batch": 2, "input_tokens": 30, "output_tokens": 3}),
    ("diagnose", {**LLAMA, "batch": 2, "input_tokens": 30, "output_tokens": 3}),
    ("simulate", RUN),
    ("curve", {**RUN, "max_concurrencies": [1, 2]}),
    ("forecast", {**LLAMA, "metrics": "@src/tests/fixtures/forecast/later.txt", "window_s": 60,
                  "requests": 20}),
    ("plan", {"model": "Llama-3.1-8B", "predictor": "roofline", "gpu_names": ["H200"], "rate": 2,
              "requests": 5, "tensor_parallel_sizes": [1], "max_gpus": 1, "random_input_len": 20,
              "random_output_len": 3, "slo": ["ttft_p95_ms=900"], "threads": 1}),
    ("prices", {"gpus": ["H200"]}),
    ("gpu", {"name": "H200"}),
    ("models", {"name": "Qwen3-30B-A3B"}),
    ("schema", {"name": "step"}),
    ("support", {"supported_models": ["Llama-3.1-8B"]}),
    ("plans", {"file": "@src/tests/fixtures/plans/two_plans.yaml"}),
)  # fmt: skip
LISTS = {"gpu", "models", "schema"}  # have no schema
DRAFTS = '{"method": "ngram", "num_speculative_tokens": 3}'
SETUP = {**LLAMA, "config": {"engine": "vllm", "max_num_seqs": 8, "speculative_config": DRAFTS,
                             "acceptance_length": 2.0}}  # fmt: skip
ASKED = {"setup": SETUP, "source": {"workload": "conversation"}}
PRODUCT = {"gpu": "H200", "family": "gemm", "m": 64, "n": 4096, "k": 4096}
BODIES = {
    "start-command": {"asked": ASKED},
    "engine-command": {"line": "vllm serve Qwen/Qwen3-8B --max-num-seqs 3"},
    "command-line": {"request": "simulate", "asked": ASKED},
    "answers": {"questions": [{"request": "predict", "asked": PRODUCT}]},
}
# Sizes of runs that a wrong value may not make long; a huge one is refused or a long run, which is no fault.
LONG = {"requests", "sessions", "random_output_len", "output_tokens", "batch", "threads"}


def places(value, at=()):
    """Paths of all members, the document itself first."""
    yield at
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in inside:
        yield from places(member, (*at, key))


def leaves(schema):
    """Names of all fields of a request, which may be given flat."""
    found = set()
    for name, field in schema.get("properties", {}).items():
        found |= {name} | leaves(field) | leaves(field.get("items", {}))
    return found


def changed(document, at, value):
    if not at:
        return value
    document = copy.deepcopy(document)
    inner = document
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    return document


class WrongRequests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.c = CInterface(os.environ["WARPLOOM_LIBRARY"])
        held = tempfile.TemporaryDirectory()  # some fields name files that are written
        cls.addClassCleanup(held.cleanup)
        cls.addClassCleanup(os.chdir, os.getcwd())
        os.chdir(held.name)

    def fault(self, request, asked):
        """What is wrong with how a request was taken; None when nothing is. Whether it was refused."""
        try:
            self.c.answer(request, asked)
            return None, False
        except Refused as refusal:
            words = str(refusal)
            if refusal.status == FAILED or any(foreign in words for foreign in FOREIGN) or len(words) < 10:
                return words, True
            return None, True

    def test_every_field_in_every_wrong_type(self):
        counts, faults = [0, 0], []
        for request, fields in SOUND:
            asked = json.loads(json.dumps(fields).replace("@src", str(SOURCE)))
            self.c.answer(request, asked)
            known = {} if request in LISTS else self.c.answer("schema", {"name": request})
            names = sorted(leaves(known) - set(asked))
            for at in [*places(asked), *((name,) for name in names)]:
                for wrong in WRONG:
                    if at and at[-1] in LONG and wrong in (0, 1e300, 2**64 - 1):
                        continue
                    fault, refused = self.fault(request, changed(asked, at, wrong))
                    counts[refused] += 1
                    if fault:
                        faults.append(f"{request}: {at} is {wrong!r}: {fault}")
        print(f"{sum(counts)} requests, {counts[True]} refused")
        self.assertEqual(faults, [])
        self.assertGreater(counts[True], counts[False])


class WrongBodies(unittest.TestCase):
    """What the page's server alone answers: 400 or 404, never 500."""

    def setUp(self):
        words = [os.environ["WARPLOOM_PROGRAM"], "web", "--port", "0", "--no-browser", "--json"]
        self.server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end)
        text = b""
        while b"}" not in text:
            line = self.server.stdout.readline()
            if not line:
                self.skipTest(self.server.stderr.read().decode())
            text += line
        self.port = json.loads(text)["port"]

    def end(self):
        self.server.kill()
        self.server.wait()
        self.server.stdout.close()
        self.server.stderr.close()

    def post(self, path, body):
        place = f"http://localhost:{self.port}/api/v1/{path}"
        asked = urllib.request.Request(place, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read().decode()

    def test_every_member_in_every_wrong_type(self):
        faults, refused = [], 0
        for path, sound in BODIES.items():
            self.assertEqual(self.post(path, sound)[0], 200, path)
            for at in places(sound):
                for wrong in WRONG:
                    status, said = self.post(path, changed(sound, at, wrong))
                    refused += status in (400, 404)
                    if status not in (200, 400, 404, 413) or any(foreign in said for foreign in FOREIGN):
                        faults.append(f"{path}: {at} is {wrong!r}: {status} {said[:200]}")
        self.assertEqual(faults, [])
        self.assertGreater(refused, 200)


if __name__ == "__main__":
    unittest.main(verbosity=1)
