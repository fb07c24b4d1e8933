"""One request has one answer: of the command line, of the C interface, and of Python where its compiled
part is built.

WARPLOOM_PROGRAM and WARPLOOM_LIBRARY name the built program and library.
"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))
from surface_requests import LLAMA, all_requests  # noqa: E402

sys.path.append(str(ROOT / "python"))  # behind a built package of PYTHONPATH
try:
    from warploom import _core
except ImportError:
    _core = None

OPTIONS = {
    "input_tokens": "--input",
    "output_tokens": "--output",
    "gpu_names": "--gpus",
    "supported_models": "--model",
    "with_baselines": "--baselines",
}  # where the command line has a shorter name
GEMM = {"gpu": "H200", "family": "gemm", "m": 1, "n": 64, "k": 64}
PLACED = {"file", "client_layout", "path"}  # arguments without an option
NO_FIELDS = {"gpus", "gpu", "models", "schema"}  # asked by a word of the command


class CInterface:
    """libwarploom.so by ctypes alone."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        self._library.warploom_answer.argtypes = [
            ctypes.c_void_p,
            ctypes.c_char_p,
            ctypes.c_char_p,
            ctypes.c_void_p,
            ctypes.POINTER(ctypes.c_void_p),
            ctypes.c_char_p,
            ctypes.c_size_t,
        ]
        self._library.warploom_free_text.argtypes = [ctypes.c_void_p]
        self._session, self._message = ctypes.c_void_p(), ctypes.create_string_buffer(1000)
        assert self._library.warploom_open(None, ctypes.byref(self._session), self._message, 1000) == 0

    def answer(self, request, fields):
        text = ctypes.c_void_p()
        status = self._library.warploom_answer(
            self._session,
            request.encode(),
            json.dumps(fields).encode(),
            None,
            ctypes.byref(text),
            self._message,
            1000,
        )
        if status:
            raise ValueError(self._message.value.decode())
        found = json.loads(ctypes.string_at(text).decode())
        self._library.warploom_free_text(text)
        return found


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
        answer.pop("fit_seconds", None)
    return answer


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
        requests = all_requests()
        self.assertGreaterEqual(len(requests), 60)
        with tempfile.TemporaryDirectory() as out:
            for command, request, fields in requests:
                fields = {name: placed(value, out) for name, value in fields.items()}
                words = words_of(command, request, fields)
                with self.subTest(" ".join(words)):
                    done = subprocess.run(
                        [self.program, *words, "--json"], capture_output=True, text=True, check=False
                    )
                    self.assertEqual(done.returncode, 0, done.stderr[-500:])
                    said = untimed(json.loads(done.stdout))
                    self.assertTrue(
                        untimed(self.c.answer(request, fields)) == said, "C says something else"
                    )
                    if self.python:
                        answer = untimed(json.loads(self.python.answer(request, json.dumps(fields))))
                        self.assertTrue(answer == said, "Python says something else")

    def test_every_surface_refuses_alike(self):
        for request, fields, words in (
            ("predict", {"gpu": "H100-SMX", "family": "gemm", "m": 1}, "did you mean"),
            ("simulate", {"model": "Llama-3.1-8B"}, "gpu"),
            ("step", {"model": "Llama-3.1-8B", "gpu": "H200"}, "no batch"),
            ("simulat", {}, "did you mean 'simulate'"),
            ("step", {**LLAMA, "decode": "1x1", "instances": 2}, "not modelled by `step`"),
            ("simulate", {**LLAMA, "acceptance_rates": [0.5]}, "changes nothing by itself"),
            ("simulate", {**LLAMA, "schedule_policy": "lpm"}, "is a flag of sglang"),
            ("predict", {**GEMM, "predictor": "roofline", "framework": "vllm"}, "not modelled here"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                self.c.answer(request, fields)
            if self.python:
                with self.assertRaisesRegex(ValueError, words):
                    self.python.answer(request, json.dumps(fields))


if __name__ == "__main__":
    unittest.main()
