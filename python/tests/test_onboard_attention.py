"""warploom.onboard's attention, without a GPU: a step is timed as the engine's graphs launch it."""

import sys
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from warploom.onboard.vllm_attention import Batch, attention_calls, splits_of_graph  # noqa: E402


class Array:
    """A tensor that knows its shape alone."""

    def __init__(self, *shape):
        self.shape = shape

    def view(self, *shape):
        return Array(*shape)


def config(whole=True, largest=512):
    return types.SimpleNamespace(
        compilation_config=types.SimpleNamespace(
            cudagraph_mode=types.SimpleNamespace(has_full_cudagraphs=lambda: whole),
            max_cudagraph_capture_size=largest,
        ),
        attention_config=types.SimpleNamespace(flash_attn_max_num_splits_for_cuda_graph=32),
        model_config=types.SimpleNamespace(max_model_len=10000),
    )


class AttentionTest(unittest.TestCase):
    def setUp(self):
        self.called, self.scheduled = [], []
        torch = types.SimpleNamespace(
            tensor=lambda values, **_: Array(len(values)),
            randn=lambda *shape, **_: Array(*shape),
            arange=lambda count, **_: Array(count),
            empty_like=lambda other: Array(*other.shape),
            bfloat16="bf16",
            int32="int32",
        )
        self.flash = types.SimpleNamespace(
            is_flash_attn_varlen_func_available=lambda: True,
            get_flash_attn_version=lambda: 3,
            get_scheduler_metadata=lambda **words: self.scheduled.append(words) or "schedule",
            flash_attn_varlen_func=lambda **words: self.called.append(words),
        )
        backends = types.ModuleType("vllm.v1.attention.backends")
        backends.fa_utils = self.flash
        names = ("vllm", "vllm.v1", "vllm.v1.attention")
        modules = {name: types.ModuleType(name) for name in names}
        modules |= {"torch": torch, "vllm.v1.attention.backends": backends}
        patch = mock.patch.dict(sys.modules, modules)
        patch.start()
        self.addCleanup(patch.stop)

    def call(self, batch, **words):
        calls, kernel = attention_calls(config(**words), batch, 3)
        for call in calls:
            call()
        self.assertEqual((len(self.called), kernel), (3, "vllm_flash_attn_fa3"))
        return self.called[0]

    def test_decoding_is_launched_as_its_graph_was_captured(self):
        words = self.call(Batch(64, 1, 500, 32, 8, 128))
        self.assertEqual((words["num_splits"], words["scheduler_metadata"]), (32, "schedule"))
        self.assertEqual((words["max_seqlen_q"], words["max_seqlen_k"]), (1, 10000))
        self.assertEqual(words["k"].shape, (64 * 32, 16, 8, 128))
        self.assertEqual(words["block_table"].shape, (64, 32))
        scheduled = self.scheduled[0]
        self.assertEqual((scheduled["batch_size"], scheduled["max_seqlen_k"]), (64, 500))
        self.assertEqual((scheduled["num_heads_kv"], scheduled["page_size"]), (8, 16))

    def test_prompts_of_a_graph_have_its_splits_and_their_own_length(self):
        words = self.call(Batch(1, 256, 4256, 32, 8, 128))
        self.assertEqual((words["num_splits"], words["max_seqlen_k"]), (32, 4256))
        self.assertEqual(words["q"].shape, (256, 32, 128))

    def test_above_the_largest_graph_the_kernel_chooses(self):
        words = self.call(Batch(1, 1024, 1024, 32, 8, 128))
        self.assertNotIn("num_splits", words)
        self.assertEqual(self.scheduled, [])

    def test_splits_are_bounded_where_steps_are_whole_graphs_alone(self):
        self.assertEqual(splits_of_graph(config(), 3, 512), 32)
        self.assertEqual(splits_of_graph(config(), 2, 512), 0)
        self.assertEqual(splits_of_graph(config(whole=False), 3, 16), 0)
        self.assertEqual(splits_of_graph(config(largest=None), 3, 16), 0)

    def test_an_engine_without_flash_attention_is_said(self):
        self.flash.is_flash_attn_varlen_func_available = lambda: False
        with self.assertRaisesRegex(NotImplementedError, "does not run FlashAttention"):
            attention_calls(config(), Batch(1, 1, 500, 32, 8, 128), 1)


if __name__ == "__main__":
    unittest.main()
