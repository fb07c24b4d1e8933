"""Answers as values: copied, sent to other processes, shown; and fields that take mappings."""

import concurrent.futures
import contextlib
import copy
import importlib
import io
import multiprocessing
import pickle
import sys
import unittest
import warnings

import warploom

RUN = {
    "model": "Llama-3.1-8B",
    "gpu": "H100-SXM",
    "random_input_len": 200,
    "random_output_len": 20,
    "requests": 20,
    "rate": 5,
    "intervals": False,
}
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "num_hidden_layers": 8,
    "vocab_size": 32000,
    "torch_dtype": "bfloat16",
    "max_position_embeddings": 8192,
}


def mean_ttft(rate):
    """In another process: the answer travels back."""
    return warploom.simulate(**{**RUN, "rate": rate})


class Answers(unittest.TestCase):
    def test_a_run_is_the_same_after_copying(self):
        run = warploom.simulate(**RUN)
        for other in (pickle.loads(pickle.dumps(run)), copy.copy(run), copy.deepcopy(run)):
            self.assertEqual(other, run)
            self.assertEqual(other.mean_ttft_ms, run.mean_ttft_ms)
            self.assertIs(type(other), type(run))

    def test_predictions_are_the_same_after_copying(self):
        many = warploom.predict("gemm", gpu="H200", m=[1, 64], n=64, k=64)
        for other in (pickle.loads(pickle.dumps(many)), copy.deepcopy(many)):
            self.assertEqual(list(other.p50_us), list(many.p50_us))
        one = warploom.predict("gemm", gpu="H200", m=1, n=64, k=64)
        self.assertEqual(copy.deepcopy(one).p50_us, one.p50_us)

    def test_every_row_says_what_was_taken_in_place_of_the_version(self):
        asked = {"gpu": "H100-SXM", "framework": "vllm", "n": 4096, "k": 4096}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warploom.predict("gemm", framework_version="0.1.0", m=[64, 128, 256], **asked)
            warploom.predict("gemm", m=[64, 128], **asked)
            warploom.predict("gemm", framework_version="0.1.0", m=[], **asked)
        self.assertEqual(len(caught), 1, [str(each.message) for each in caught])
        said = "^3 of 3 rows, row 0 first: `framework_version` 0.1.0: .* used"
        self.assertRegex(str(caught[0].message), said)

    def test_answers_come_back_from_a_pool_of_processes(self):
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            far = list(pool.map(mean_ttft, [2, 5]))
        self.assertEqual(far[1], warploom.simulate(**RUN))
        self.assertNotEqual(far[0].mean_ttft_ms, far[1].mean_ttft_ms)

    def test_names_of_the_command_line_are_taken(self):
        run = {"model": "Llama-3.1-8B", "gpu": "H100-SXM", "requests": 20, "rate": 5}
        own = warploom.simulate(**run, tensor_parallel_size=2, random_input_len=100, random_output_len=9)
        for lengths in ({"input_tokens": 100, "output_tokens": 9}, {"isl": 100, "osl": 9}):
            other = warploom.simulate(**run, tp=2, **lengths)
            self.assertEqual(other.mean_ttft_ms, own.mean_ttft_ms)
        with self.assertRaisesRegex((TypeError, ValueError), "'tp' and 'tensor_parallel_size' say the same"):
            warploom.simulate(**run, tp=2, tensor_parallel_size=2)

    def test_a_name_that_is_no_key_is_said(self):
        run = warploom.simulate(**RUN)
        with self.assertRaisesRegex(AttributeError, "mean_ttft_ms"):
            _ = run.ttft
        with self.assertRaises(AttributeError):
            _ = run.__wrapped__

    def test_limits_may_be_mappings(self):
        asked = {
            "model": "Llama-3.1-8B",
            "gpu_names": ["H100-SXM"],
            "tensor_parallel_sizes": [1],
            "max_gpus": 2,
            "random_input_len": 100,
            "random_output_len": 10,
            "rate": 2,
            "requests": 20,
            "fronts": False,
        }
        texts = warploom.plan(**asked, slo=["ttft_p95_ms=500", "tpot_p95_ms=50"], goodput=["ttft:500"])
        self.assertEqual(
            warploom.plan(**asked, slo={"ttft_p95_ms": 500, "tpot_p95_ms": 50}, goodput={"ttft": 500}), texts
        )

    def test_a_model_may_be_the_contents_of_its_config(self):
        own = warploom.step(model=CONFIG, gpu="H100-SXM", decode="4x100")
        self.assertEqual(own.gpu, "h100_sxm")
        self.assertGreater(warploom.Step(CONFIG, "H100-SXM").decode_ms(4, 100), 0)

    def test_a_list_where_a_run_has_one_value_leads_to_a_curve(self):
        with self.assertRaisesRegex(TypeError, r"warploom\.curve\(max_concurrencies=\[1, 2\], \.\.\.\)"):
            warploom.simulate(model="Llama-3.1-8B", gpu="H100-SXM", max_concurrency=[1, 2])
        with self.assertRaisesRegex(TypeError, r"warploom\.curve\(tp_sizes=\[1, 2\]"):
            warploom.simulate(model="Llama-3.1-8B", gpu="H100-SXM", tp=[1, 2])
        asked = {"model": "Llama-3.1-8B", "gpu": "H100-SXM", "isl": 300, "osl": 20, "requests": 4}
        advised = warploom.curve(**asked, max_concurrencies=[1, 2], tp_sizes=[1, 2])
        self.assertEqual(len(advised.points), 4)
        self.assertEqual(warploom.curve(**asked, max_concurrency=[1, 2], tp=[1, 2]), advised)

    def test_progress_is_shown_without_tqdm(self):
        shown = io.StringIO()
        hidden = sys.modules.get("tqdm.auto")
        sys.modules["tqdm.auto"] = None  # as if it were not installed
        try:
            with contextlib.redirect_stderr(shown):
                warploom.simulate(**{**RUN, "requests": 20000, "rate": 50}, progress=True)
        finally:
            del sys.modules["tqdm.auto"]
            if hidden is not None:
                sys.modules["tqdm.auto"] = hidden
        self.assertRegex(shown.getvalue(), r"\rsimulate: \d+ %")
        self.assertTrue(shown.getvalue().endswith("\r"), "the line is taken away")

    def test_what_is_listed_is_there_to_be_used(self):
        self.assertIn("predict", dir(warploom))
        for name in ("Any", "importlib", "annotations", "TYPE_CHECKING"):
            self.assertNotIn(name, dir(warploom))

    def test_an_answer_of_lists_alone_says_how_long_they_are(self):
        class Table(importlib.import_module("warploom.results").Answer):
            pass

        self.assertEqual(repr(Table({"plans": [1, 2], "named": {"a": 1}})), "Table(plans=<2>, named=<1>)")


if __name__ == "__main__":
    unittest.main()
