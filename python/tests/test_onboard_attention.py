"""warploom.onboard's attention, without a GPU: a step is timed as the engine's graphs launch it."""

import math
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from warploom.onboard.vllm_attention import Batch, attention_calls, splits_of_graph  # noqa: E402


class Array:
    """A tensor that knows its shape and how it lies in memory."""

    def __init__(self, *shape, strides=None):
        self.shape, self.ndim = shape, len(shape)
        self.strides = strides or tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))

    def view(self, *shape):
        return Array(*shape)

    def stride(self, axis):
        return self.strides[axis]

    def permute(self, *axes):
        return Array(*(self.shape[a] for a in axes), strides=tuple(self.strides[a] for a in axes))

    def transpose(self, a, b):
        axes = list(range(self.ndim))
        axes[a], axes[b] = b, a
        return self.permute(*axes)

    def split(self, size, dim):
        return [Array(*self.shape[:dim], size, strides=self.strides) for _ in range(self.shape[dim] // size)]

    def unbind(self, axis):
        kept = [each for each in range(self.ndim) if each != axis]
        return [self.permute(*kept)] * self.shape[axis]

    def __setitem__(self, _, other):
        self.held = other


def layer(*shape):
    return types.SimpleNamespace(kv_cache=Array(*shape), head_size=128)


def config(whole=True, largest=512, layers=()):
    return types.SimpleNamespace(
        cache_config=types.SimpleNamespace(block_size=16),
        compilation_config=types.SimpleNamespace(
            cudagraph_mode=types.SimpleNamespace(has_full_cudagraphs=lambda: whole),
            max_cudagraph_capture_size=largest,
            static_forward_context=dict(enumerate(layers)),
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
            zeros=lambda *shape, **_: Array(*shape),
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
        # As wide as the longest context needs; each request has its own blocks in it.
        self.assertEqual(words["block_table"].shape, (64, 625))
        self.assertEqual(words["block_table"].held.shape, (64, 32))
        scheduled = self.scheduled[0]
        self.assertEqual((scheduled["batch_size"], scheduled["max_seqlen_k"]), (64, 500))
        self.assertEqual((scheduled["num_heads_kv"], scheduled["page_size"]), (8, 16))

    def test_prompts_of_a_graph_have_its_splits_and_their_own_length(self):
        words = self.call(Batch(1, 256, 4256, 32, 8, 128))
        self.assertEqual((words["num_splits"], words["max_seqlen_k"]), (32, 4256))
        self.assertEqual(words["q"].shape, (256, 32, 128))

    def test_above_the_largest_graph_the_kernel_chooses_its_splits_before_the_layers(self):
        words = self.call(Batch(1, 1024, 1024, 32, 8, 128))
        self.assertEqual((words["num_splits"], words["scheduler_metadata"]), (0, "schedule"))
        self.assertEqual(words["max_seqlen_k"], 1024)
        self.assertEqual((self.scheduled[0]["num_splits"], self.scheduled[0]["max_seqlen_q"]), (0, 1024))

    def test_before_version_three_there_is_no_schedule(self):
        self.flash.get_flash_attn_version = lambda: 2
        calls, kernel = attention_calls(config(), Batch(1, 1, 500, 32, 8, 128), 1)
        calls[0]()
        self.assertEqual((kernel, self.scheduled), ("vllm_flash_attn_fa2", []))
        self.assertNotIn("num_splits", self.called[0])

    def test_keys_and_values_lie_as_in_the_running_model(self):
        batch = Batch(2, 1, 500, 32, 4, 128)  # 2 x 32 blocks of 16
        # vLLM 0.33: a head's tokens of a block lie together, keys beside values.
        words = self.call(batch, layers=[layer(7, 8, 16, 256)])
        self.assertEqual(words["k"].shape, (64, 16, 4, 128))
        self.assertEqual(words["k"].strides, (4 * 16 * 256, 256, 16 * 256, 1))

    def test_earlier_caches_have_a_side_of_two(self):
        words = self.call(Batch(2, 1, 500, 32, 4, 128), layers=[layer(1, 2, 3), layer(2, 70, 16, 8, 128)])
        self.assertEqual(words["v"].shape, (64, 16, 4, 128))
        self.assertEqual(words["v"].strides, (16 * 4 * 128, 4 * 128, 128, 1))

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
