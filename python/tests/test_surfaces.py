"""One request has one answer: of the command line, of the C interface, and of Python where its compiled
part is built.

WARPLOOM_PROGRAM and WARPLOOM_LIBRARY name the built program and library.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from c_interface import UNSUPPORTED, CInterface, Refused  # noqa: E402
from doors import ROOT, _core  # noqa: E402
from measured_requests import reading_requests, training_requests, write_inputs  # noqa: E402
from surface_requests import LLAMA, all_requests  # noqa: E402

OPTIONS = {
    "input_tokens": "--input",
    "output_tokens": "--output",
    "gpu_names": "--gpus",
    "gpus": "--gpu",
    "supported_models": "--model",
    "with_baselines": "--baselines",
    "baselines": "--baseline",
    "families": "--family",
}  # where the command line has a shorter name
GEMM = {"gpu": "H200", "family": "gemm", "m": 1, "n": 64, "k": 64}
TIMED = {  # of each run its own
    "fit_seconds", "seconds", "training_s", "training_cpu_s", "training_peak_bytes", "fit_peak_bytes",
    "answer_us",
}  # fmt: skip
PLACED = {"file", "client_layout", "path"}  # arguments without an option
NO_FIELDS = {"gpus", "gpu", "models", "schema"}  # asked by a word of the command


def words_of(command, request, fields):
    words = command.split()
    if request in NO_FIELDS:
        return words
    for name, value in fields.items():
        if name == "family":
            continue
        if name in PLACED:
            words.append(value)
            continue
        if request == "import" and name in ("layout", "paths"):
            words += [value] if isinstance(value, str) else value
            continue
        option = OPTIONS.get(name, "--" + name.replace("_", "-"))
        if isinstance(value, dict):
            words += words_of("", request, value)
        elif value is True:
            words.append(option)
        elif value is False:
            words.append("--no-" + option[2:])
        else:
            words += [option, *(str(each) for each in (value if isinstance(value, list) else [value]))]
    return words


def untimed(answer):
    """Without what differs from run to run."""
    if isinstance(answer, dict):
        return {key: untimed(value) for key, value in answer.items() if key not in TIMED}
    return [untimed(each) for each in answer] if isinstance(answer, list) else answer


def placed(value, out):
    if isinstance(value, str):
        return value.replace("@src", str(ROOT)).replace("@out", out)
    return [placed(each, out) for each in value] if isinstance(value, list) else value


class OneAnswer(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.program = os.environ["WARPLOOM_PROGRAM"]
        self.c = CInterface(os.environ["WARPLOOM_LIBRARY"])
        self.python = _core.Session() if _core else None

    def test_every_surface_says_the_same(self):
        self.compare([*all_requests(), *reading_requests()])

    def test_what_learns_says_the_same_wherever_it_can(self):
        self.compare(training_requests(), some_cannot=True)

    def compare(self, requests, some_cannot=False):
        with tempfile.TemporaryDirectory() as out:
            write_inputs(out)
            for command, request, fields in requests:
                fields = {name: placed(value, out) for name, value in fields.items()}
                words = words_of(command, request, fields)
                with self.subTest(" ".join(words)):
                    done = subprocess.run(
                        [self.program, *words, "--json"], capture_output=True, text=True, check=False
                    )
                    if some_cannot and "no training libraries" in done.stderr:
                        continue
                    self.assertEqual(done.returncode, 0, done.stderr[-500:])
                    said = untimed(json.loads(done.stdout))
                    for name, ask in self.others():
                        if request == "import":  # a store that holds the rows already says so
                            Path(fields["store"]).unlink()
                        try:
                            answer = untimed(ask(request, fields))
                        except NotImplementedError:
                            self.assertTrue(some_cannot, f"{name} cannot")
                            continue
                        self.assertTrue(answer == said, f"{name} says something else")

    def others(self):
        def by_c(request, fields):
            try:
                return self.c.answer(request, fields)
            except Refused as refused:
                raise NotImplementedError if refused.status == UNSUPPORTED else refused

        yield "C", by_c
        if self.python:
            ask = self.python.answer
            yield "Python", lambda request, fields: json.loads(ask(request, json.dumps(fields)))

    def test_every_surface_refuses_alike(self):
        for request, fields, words in (
            ("predict", {"gpu": "H100-SMX", "family": "gemm", "m": 1, "n": 1, "k": 1}, "did you mean"),
            ("simulate", {"model": "Llama-3.1-8B"}, "gpu"),
            ("step", {"model": "Llama-3.1-8B", "gpu": "H200"}, "no batch"),
            ("simulat", {}, "did you mean 'simulate'"),
            ("step", {**LLAMA, "decode": "1x1", "instances": 2}, "not modelled by `step`"),
            ("simulate", {**LLAMA, "acceptance_rates": [0.5]}, "changes nothing by itself"),
            ("simulate", {**LLAMA, "tuned": "/nonexistent.warploom.json"}, "no such file"),
            ("simulate", {**LLAMA, "schedule_policy": "lpm"}, "is a flag of sglang"),
            ("predict", {**GEMM, "predictor": "roofline", "framework": "vllm"}, "not modelled here"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                self.c.answer(request, fields)
            if self.python:
                with self.assertRaisesRegex((ValueError, FileNotFoundError), words):
                    self.python.answer(request, json.dumps(fields))


if __name__ == "__main__":
    unittest.main()
