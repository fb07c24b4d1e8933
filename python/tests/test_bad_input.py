"""What is wrong is refused with one sentence, in Python and through the C interface; nothing crashes.

PYTHONPATH holds the built package, WARPLOOM_LIBRARY names the C library.
"""

import ctypes
import json
import math
import os
import sys
import tempfile
import threading
import unittest
import warnings
from pathlib import Path

import numpy as np

import warploom
from warploom import _core
from warploom.session import listed

sys.path.insert(0, str(Path(__file__).resolve().parent))
from c_interface import BAD_INPUT, IO_ERROR, OK, SIZE, CInterface  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SIZES = {"gpu": "H200", "n": 64, "k": 64}
LLAMA = {"model": "Llama-3.1-8B", "gpu": "H100-SXM"}
TOO_LARGE = 2**80


class Python(unittest.TestCase):
    def refused(self, kind, table, call):
        for given, words in table:
            with self.subTest(str(given)), self.assertRaisesRegex(kind, words):
                with warnings.catch_warnings():
                    warnings.simplefilter("error")  # nothing is computed from what is refused
                    call(given)

    def test_sizes_of_an_operator(self):
        wrong = (
            (True, "'m' is true"),
            (-4, "'m' is -4, expected 1"),
            (0, "'m' is 0, expected 1"),
            (math.nan, "m is nan, expected a finite"),
            (math.inf, "m is inf"),
            (1.5, "'m' is 1.5, expected an integer"),
            ("64", "expected an integer"),
            (TOO_LARGE, "expected an integer"),
        )
        self.refused(ValueError, wrong, lambda m: warploom.predict("gemm", m=m, **SIZES))
        self.refused(ValueError, wrong, lambda m: warploom.Question("gemm", m=m, **SIZES))

    def test_columns_of_sizes(self):
        wrong = (
            ([[1]], "m has 2 dimensions"),
            (np.array(4), "m has 0 dimensions"),
            ([1, 1.5], "row 1: m is 1.5"),
            ([1, math.nan], "row 1: m is nan"),
            ([math.inf], "row 0: m is inf"),
            (np.array([1e30]), r"row 0: m is 1e\+30"),
            (np.array([4, 2**63 + 5], dtype=np.uint64), "row 1: m is 9223372036854775813"),
            ([TOO_LARGE], "m is of object"),
            ([True], "m is of bool"),
            (["4"], "expected whole numbers"),
            (np.array([None]), "m is of object"),
            (np.array([1j]), "m is of complex128"),
            (np.array(["2020-01-01"], dtype="datetime64[D]"), "m is of datetime64"),
            ([4, -1], "row 1.*m"),
            ([4, 10**17], "row 1.*m"),
        )
        self.refused(ValueError, wrong, lambda m: warploom.predict("gemm", m=m, **SIZES))
        self.assertEqual(len(warploom.predict("gemm", m=[], **SIZES)), 0)

    def test_names_and_what_is_no_text(self):
        for wrong, words in (
            ({"gpu": "H1000"}, "did you mean 'H100'"),
            ({"gpu": None}, "'gpu' is null"),
            ({"gpu": 5}, "'gpu' is 5"),
            ({"family": "gem"}, "gemm"),
            ({"family": None}, "with a family"),
            ({"mm": 4}, "'mm' is no field of gemm"),
            ({"threads": -1}, "threads is -1"),
            ({"threads": "two"}, "threads is 'two'"),
            ({"framework": "vlm"}, "vllm"),
            ({"scheme": ["fp8"]}, "scheme is of"),
        ):
            fields = {"family": "gemm", "m": [4], **SIZES, **wrong}
            with self.subTest(str(wrong)), self.assertRaisesRegex(ValueError, words):
                warploom.predict(fields.pop("family"), **fields)

    def test_fields_of_requests(self):
        for wrong, words, kind in (
            ({"requests": -1}, "'requests' is -1, expected at least 1", ValueError),
            ({"requests": 1.5}, "'requests' is 1.5, expected an integer", ValueError),
            ({"requests": True}, "'requests' is true", ValueError),
            ({"requests": {4}}, "requests is of set", TypeError),
            ({"rate": math.nan}, "rate is nan", ValueError),
            ({"goodput": {"ttft": math.nan}}, "goodput.ttft is nan", ValueError),
            ({"acceptance_rates": [0.5, math.inf]}, "acceptance_rates is inf", ValueError),
            ({"model": b"name"}, "model is of bytes", TypeError),
            ({"model": object()}, "model is of object", TypeError),
            ({"model": "Llama-3.1-8C"}, "did you mean 'Llama-3.1-8B'", ValueError),
            ({"engine": "vlm"}, "vllm", ValueError),
            ({"max_num_seq": 4}, "did you mean 'max_num_seqs'", ValueError),
            ({"progress": "yes"}, "progress is 'yes'", TypeError),
            ({"trace": "/none.csv"}, "/none.csv", FileNotFoundError),
            ({"gpu": "/none/gpu.json"}, "/none/gpu.json", FileNotFoundError),
            ({"model": "/none/config.json"}, "/none/config.json", FileNotFoundError),
            ({"clients": "/none.json"}, "/none.json", FileNotFoundError),
            ({"predictor": "/none"}, "/none: no such predictor", FileNotFoundError),
            ({"predictor": "rooflin"}, "roofline", ValueError),
            ({"tensor_parallel_size": 0}, "tensor_parallel_size", ValueError),
            ({"gpu_memory_utilization": 2.0}, "gpu_memory_utilization", ValueError),
        ):
            with self.subTest(str(wrong)), self.assertRaisesRegex(kind, words):
                warploom.simulate(**{**LLAMA, "requests": 5, **wrong})

    def test_names_of_fields(self):
        for call, words in (
            (lambda: warploom.step("Llama-3.1-8B", "H200"), "by name: step.model=..., gpu=..."),
            (lambda: warploom.plan(model="M", gpu_nams=["B200"]),
             "'gpu_nams' is no field of plan .*'gpu_names'"),
            (lambda: warploom.plan(model="M"), "'gpu_names' is missing, expected plan.model=..., gpu_"),
            (lambda: warploom.support(zzz=1), "'zzz' is no field of support; help"),
        ):
            with self.subTest(words), self.assertRaisesRegex(TypeError, words):
                call()
        answer = warploom.step(**LLAMA, decode="4x100")
        with self.assertRaisesRegex(KeyError, "StepAnswer has no 'nothing'; it has: model, gpu"):
            answer["nothing"]
        self.assertIsNone(answer.get("nothing"))

    def test_one_thing_for_a_list_of_one(self):
        self.assertEqual(listed("one"), ["one"])
        self.assertEqual(listed(np.array([1, 2])), [1, 2])
        self.assertEqual(listed(np.float64(2)), [2])
        self.assertEqual([listed(None), listed([]), listed((1,))], [None, [], (1,)])
        with self.assertRaisesRegex(FileNotFoundError, "none.json: no such file"):
            warploom.calibrate_host(run="/none.json", requests="/none.csv", output="/none/host.json")

    def test_files_that_are_damaged_or_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            damaged = Path(folder) / "damaged.csv"
            damaged.write_bytes(b"\x00\xff\xfe not a table\n")
            for path, words, kind in (
                (damaged, "damaged.csv", ValueError),
                (Path(folder) / "none.csv", "none.csv", FileNotFoundError),
                (Path(folder), str(folder), (ValueError, OSError)),
            ):
                with self.subTest(path.name), self.assertRaisesRegex(kind, words):
                    warploom.calibrate_host(steps=path, **LLAMA, output=Path(folder) / "host.json")
            self.assertFalse((Path(folder) / "host.json").exists())

    def test_steps(self):
        step = warploom.Step(**LLAMA)
        price = step.decode(4, 500)
        for call, words, kind in (
            (lambda: step.decode(0, 5), "requests is 0", ValueError),
            (lambda: step.decode(4, -5), "context is -5", ValueError),
            (lambda: step.decode(2**62, 5), "requests is 4611686018427387904", ValueError),
            (lambda: step.decode(1.5, 5), "requests 1.5", TypeError),
            (lambda: step.decode_ms("1", 5), "requests '1'", TypeError),
            (lambda: step.decode(TOO_LARGE, 5), "whole numbers below", TypeError),
            (lambda: step.mixed([]), "no request", ValueError),
            (lambda: step.mixed([5], [(-1, 0)]), "tokens of a prompt is -1", ValueError),
            (lambda: step.mixed([5], [(1, 0, 3)]), "pairs of tokens and context", TypeError),
            (lambda: step.mixed([math.nan]), "contexts .nan.", TypeError),
            (lambda: step.mixed(5), "contexts 5", TypeError),
            (lambda: step.prefill([10**18]), "tokens of a prompt is", ValueError),
            (lambda: step.prefill(512), "tokens 512: expected a list", TypeError),
            (lambda: step.mixed([5], "text"), "prompts 'text': expected a list", TypeError),
            (lambda: warploom.Step(**LLAMA, gpu_memory_utilization=math.nan), "is nan", ValueError),
            (lambda: warploom.Step(**LLAMA, tensor_parallel_size="two"), "expected an integer", ValueError),
            (lambda: warploom.Step(None, "H100-SXM"), "'model' is null", ValueError),
        ):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()
        self.assertEqual(step.decode(4, 500), price)  # nothing of it stays
        question = warploom.Question("gemm", m=4, **SIZES)
        before = question.us()
        for sizes, words, kind in (
            ({"m": 4.5}, "m is 4.5", TypeError),
            ({"m": "4"}, "m is '4'", TypeError),
            ({"m": TOO_LARGE}, "whole number below", TypeError),
            ({"m": -4}, "'m' is -4", ValueError),
            ({"q": 4}, "'q' is no size of gemm", ValueError),
        ):
            with self.subTest(str(sizes)), self.assertRaisesRegex(kind, words):
                question.us(**sizes)
        self.assertEqual(question.us(), before)

    def test_the_compiled_part_by_itself(self):
        session = _core.Session()
        question = _core.Question(session, json.dumps({"family": "gemm", "m": 4, **SIZES}))
        del session  # the question goes on
        self.assertGreater(question.estimate()[1], 0)
        for call, words, kind in (
            (lambda: question.estimate_columns({"m": np.array([1.5, 2])}, 2), "int64", TypeError),
            (lambda: question.estimate_columns({"m": np.arange(8)[::2]}, 4), "contiguous", TypeError),
            (
                lambda: question.estimate_columns({"m": np.array([1, 2])}, 3),
                "2 rows, expected 3",
                ValueError,
            ),
            (lambda: question.estimate_columns({}, 2**50), "", MemoryError),
            (lambda: _core.Session().answer("step", "{"), "is not valid JSON", ValueError),
            (lambda: _core.Session().answer("step", "[1]"), "expected an object", ValueError),
            (lambda: _core.Session().answer("simulat", "{}"), "did you mean 'simulate'", ValueError),
            (lambda: _core.Session().answer("step", 5), "", TypeError),
        ):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()
        for made, method, given in (
            (_core.Session, "answer", ("gpus", "{}")),
            (_core.Question, "estimate", ()),
            (_core.Step, "decode", (1, 1)),
            (_core.TuneTable, "pick", (1, 1, 1)),
        ):
            with self.subTest(made.__name__), warnings.catch_warnings(), self.assertRaises(TypeError):
                warnings.simplefilter("ignore")  # nanobind's, of an object that was never initialised
                getattr(made.__new__(made), method)(*given)

    def test_threads_on_one_handle(self):
        step, question = warploom.Step(**LLAMA), warploom.Question("gemm", m=4, **SIZES)
        expected = [(step.decode(4, size), question.us()) for size in range(1, 200)]
        wrong = []

        def ask():
            for size in range(1, 200):
                if (step.decode(4, size), question.us()) != expected[size - 1]:
                    wrong.append(size)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_handles_in_a_forked_process(self):
        step, question = warploom.Step(**LLAMA), warploom.Question("gemm", m=4, **SIZES)
        many = {"m": np.arange(1, 3000), **SIZES, "threads": 2}

        def answers():
            return [step.decode_ms(4, 500), question.us(), warploom.predict("gemm", **many).p50_us.sum()]

        here = answers()
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, Python 3.12
            child = os.fork()
        if child == 0:
            os.write(writing, json.dumps(answers()).encode())
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(json.loads(os.read(reading, 1000)), here)


class Column(ctypes.Structure):
    _fields_ = [("field", ctypes.c_char_p), ("values", ctypes.POINTER(ctypes.c_int64))]


@unittest.skipUnless(os.environ.get("WARPLOOM_LIBRARY"), "WARPLOOM_LIBRARY names no library")
class C(unittest.TestCase):
    """Each function with each of its pointers NULL in turn, and with handles that were closed."""

    @classmethod
    def setUpClass(cls):
        cls.c = CInterface(os.environ["WARPLOOM_LIBRARY"])
        cls.library = cls.c.library

    def setUp(self):
        self.message = ctypes.create_string_buffer(SIZE)
        self.into = (self.message, ctypes.c_size_t(SIZE))
        self.handle = ctypes.c_void_p()
        self.out = ctypes.byref(self.handle)
        self.numbers = (ctypes.c_int64 * 4)(1, 2, 3, 4)
        self.place = ctypes.create_string_buffer(4096)  # of any struct of results
        self.session = self.c.session
        gemm = json.dumps({"family": "gemm", "m": 4, **SIZES}).encode()
        self.question = self.opened("question", gemm)
        self.step = self.opened("step", json.dumps(LLAMA).encode())
        self.gemm = gemm

    def opened(self, kind, fields):
        handle = ctypes.c_void_p()
        function = getattr(self.library, f"warploom_{kind}_open")
        self.assertEqual(function(self.session, fields, ctypes.byref(handle), *self.into), OK, self.said())
        return handle

    def tearDown(self):
        self.library.warploom_question_close(self.question)
        self.library.warploom_step_close(self.step)

    def said(self):
        return self.message.value.decode()

    def columns(self, field=b"m", values=True):
        pointer = ctypes.cast(self.numbers, ctypes.POINTER(ctypes.c_int64))
        return (Column * 1)(Column(field, pointer if values else None))

    def calls(self):
        """{function: arguments that it takes}; a list in place of an argument: it must not be NULL."""
        one, long = ctypes.c_size_t(1), ctypes.c_int64
        return {
            "warploom_open": [b"roofline", [self.out]],
            "warploom_answer": [[self.session], [b"gpu"], [b'{"name": "H200"}'], None, [self.out]],
            "warploom_question_open": [[self.session], [self.gemm], [self.out]],
            "warploom_question_set": [[self.question], [b"m"], long(4)],
            "warploom_predict": [[self.question], [self.place]],
            "warploom_predict_rows": [
                [self.question], [self.columns()], one, ctypes.c_size_t(4), one, [self.place],
            ],
            "warploom_step_open": [[self.session], [json.dumps(LLAMA).encode()], [self.out]],
            "warploom_step_decode": [[self.step], long(4), long(500), [self.place]],
            "warploom_step_mixed": [
                [self.step], [self.numbers], ctypes.c_size_t(4), None, ctypes.c_size_t(0), [self.place],
            ],
        }  # fmt: skip

    def call(self, name, arguments, into=None):
        return getattr(self.library, name)(*arguments, *(into or self.into))

    def test_each_call_works_as_it_stands(self):
        for name, arguments in self.calls().items():
            with self.subTest(name):
                plain = [each[0] if isinstance(each, list) else each for each in arguments]
                self.assertEqual(self.call(name, plain), OK, self.said())
                self.assertEqual(self.call(name, plain, (None, ctypes.c_size_t(0))), OK)

    def test_null_is_refused_wherever_it_may_not_be(self):
        for name, arguments in self.calls().items():
            plain = [each[0] if isinstance(each, list) else each for each in arguments]
            for place, each in enumerate(arguments):
                if not isinstance(each, list):
                    continue
                with self.subTest(f"{name}, argument {place}"):
                    self.message.value = b""
                    self.handle.value = 1
                    given = [*plain[:place], None, *plain[place + 1 :]]
                    self.assertEqual(self.call(name, given), BAD_INPUT)
                    self.assertTrue(self.said())
                    self.assertEqual(self.call(name, given, (None, ctypes.c_size_t(0))), BAD_INPUT)
                    if each[0] is not self.out and self.out in plain:
                        self.assertIsNone(self.handle.value)  # nothing that could be taken for a handle

    def test_closed_handles_are_refused(self):
        session = self.c.opened()
        self.library.warploom_close(session)
        for kind in ("question", "step"):
            getattr(self.library, f"warploom_{kind}_close")(getattr(self, kind))
            getattr(self.library, f"warploom_{kind}_close")(getattr(self, kind))  # again
        self.session, kept = session, self.session
        for name, arguments in self.calls().items():
            if name == "warploom_open":
                continue
            plain = [each[0] if isinstance(each, list) else each for each in arguments]
            with self.subTest(name):
                self.assertEqual(self.call(name, plain), BAD_INPUT)
                self.assertIn("not open any more", self.said())
        self.session = kept

    def test_wrong_values_have_a_sentence(self):
        sizes = ctypes.c_size_t
        table = (
            ("warploom_question_set", [self.question, b"q", ctypes.c_int64(4)], "'q' is no size"),
            ("warploom_question_set", [self.question, b"m", ctypes.c_int64(-4)], "'m' is -4"),
            ("warploom_step_decode", [self.step, ctypes.c_int64(-1), ctypes.c_int64(5), self.place], "-1"),
            (
                "warploom_predict_rows",
                [self.question, self.columns(b"mm"), sizes(1), sizes(4), sizes(1), self.place],
                "'mm' is no size",
            ),
            (
                "warploom_predict_rows",
                [self.question, self.columns(None), sizes(1), sizes(4), sizes(1), self.place],
                "a column is NULL",
            ),
            (
                "warploom_predict_rows",
                [self.question, self.columns(b"m", False), sizes(1), sizes(4), sizes(1), self.place],
                "a column is NULL",
            ),
            (
                "warploom_answer",
                [self.session, b"simulat", b"{}", None, self.out],
                "did you mean 'simulate'",
            ),
            ("warploom_answer", [self.session, b"step", b"{", None, self.out], "is not valid JSON"),
            ("warploom_answer", [self.session, b"step", b"\xff\xfe", None, self.out], "JSON"),
            ("warploom_answer", [self.session, b"step", b'{"rate": NaN}', None, self.out], "JSON"),
            (
                "warploom_answer",
                [self.session, b"gpu", b'{"name": "H1000"}', None, self.out],
                "did you mean",
            ),
            ("warploom_open", [b"/no/such/folder", self.out], "does not exist"),
        )
        for name, arguments, words in table:
            with self.subTest(words):
                self.assertEqual(self.call(name, arguments), BAD_INPUT)
                self.assertIn(words, self.said())
                short = ctypes.create_string_buffer(b"x" * 15, 16)
                self.assertEqual(self.call(name, arguments, (short, ctypes.c_size_t(8))), BAD_INPUT)
                self.assertEqual(short.raw[7:8], b"\0")  # cut, ended, and no byte further
                self.assertEqual(short.raw[8:15], b"x" * 7)
        missing = b'{"truth": "/none.csv", "requests": "/none.csv"}'
        arguments = [self.session, b"validate_static", missing, None, self.out]
        self.assertEqual(self.call("warploom_answer", arguments), IO_ERROR)
        self.assertIn("/none.csv", self.said())

    def test_tables_of_the_tuner(self):
        with tempfile.TemporaryDirectory() as folder:
            damaged = Path(folder) / "damaged.wlt"
            damaged.write_bytes(b"no table at all")
            files = ((os.fsencode(damaged), BAD_INPUT), (b"/none.wlt", IO_ERROR), (None, BAD_INPUT))
            for path, status in files:
                self.handle.value = 1
                arguments = [path, None, None, self.out]
                self.assertEqual(self.call("warploom_tune_open", arguments), status)
                self.assertTrue(self.said())
                self.assertIsNone(self.handle.value)
        shape = (ctypes.c_int64(1),) * 3
        self.library.warploom_tune_pick(None, *shape, self.place)
        self.assertEqual(self.place.raw[:32], bytes(32))
        self.library.warploom_tune_pick(None, *shape, None)
        self.assertEqual(self.library.warploom_tune_pick_index(None, *shape), 0)
        self.assertEqual(self.library.warploom_tune_configs(None, self.place, ctypes.c_size_t(4)), 0)
        self.assertEqual(self.library.warploom_tune_best(None, *shape, self.place, ctypes.c_size_t(4)), 0)
        self.assertEqual(self.library.warploom_tune_next(None, *shape, None, self.place), 0)
        self.library.warploom_tune_close(None)
        self.library.warploom_free_text(None)

    def test_threads_on_one_session(self):
        asked = json.dumps({**LLAMA, "decode": "8x100"}).encode()
        expected = self.c.answer_text(b"step", asked)
        found = []

        def ask():
            found.extend(self.c.answer_text(b"step", asked) for _ in range(5))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 20)


if __name__ == "__main__":
    unittest.main()
