"""The functions by which vLLM and SGLang find and load their tuned files, taken out of a release's wheel.

Their sources are run as they are; what they import (torch, triton, the engine's settings) are stand-ins that
say which GPU there is and where the user's folder lies. `package` is the folder that the wheel's files were
unpacked into: loaders look there as an installed engine does.
"""
import __future__

import ast
import functools
import json
import logging
import os
import re
import sys
import types
import typing
import zipfile
from contextlib import contextmanager
from pathlib import Path

VLLM_EXPERTS = "vllm/model_executor/layers/fused_moe/fused_moe.py"
VLLM_PRODUCTS = "vllm/model_executor/layers/quantization/utils/fp8_utils.py"
VLLM_STATES = "vllm/model_executor/layers/mamba/ops/mamba_ssm.py"
VLLM_PLATFORM = "vllm/utils/platform_utils.py"
VLLM_ADAPTERS = "vllm/lora/ops/triton_ops/utils.py"
SGLANG_EXPERTS = "sglang/srt/layers/moe/moe_runner/triton_utils/fused_moe_triton_config.py"
SGLANG_PRODUCTS = "sglang/kernels/ops/gemm/fp8_kernel.py"
SGLANG_INT8 = "sglang/kernels/ops/gemm/int8_kernel.py"
SGLANG_ADAPTERS = "sglang/kernels/ops/lora/dense/lora_tuning_config.py"
SOURCES = {VLLM_EXPERTS, VLLM_PRODUCTS, VLLM_STATES, VLLM_PLATFORM, VLLM_ADAPTERS, SGLANG_EXPERTS,
           SGLANG_PRODUCTS, SGLANG_INT8, SGLANG_ADAPTERS}


def unpack(wheel, package):
    """The loaders' sources and all tuned files of a wheel, below `package`."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            tuned = "/configs/" in name or "/csgmv_configs/" in name
            if name in SOURCES or (name.endswith(".json") and tuned):
                archive.extract(name, package)


def functions(package, path, names, stand_ins):
    """The named functions and constants of a source, run beside the stand-ins."""
    source = Path(package) / path
    tree = ast.parse(source.read_text())
    kept = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            kept.append(node)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in names:
            kept.append(node)
    missing = set(names) - {getattr(node, "name", None) or node.targets[0].id for node in kept}
    if missing:
        raise LookupError(f"{path}: has no {', '.join(sorted(missing))}, expected the release's loaders")
    words = ("Any", "Dict", "List", "Optional", "Tuple")
    space = {**{word: getattr(typing, word) for word in words}, "__file__": str(source),
             "functools": functools, "cache": functools.cache, "json": json, "os": os, "re": re,
             "lru_cache": functools.lru_cache, "Path": Path, "logger": Silent("engine"), **stand_ins}
    future = __future__.annotations.compiler_flag
    exec(compile(ast.Module(kept, []), str(source), "exec", flags=future), space)
    return types.SimpleNamespace(**{name: space[name] for name in names})


class Silent(logging.Logger):
    """Engines' loggers have methods that say a thing once."""

    def __init__(self, name):
        super().__init__(name)
        self.setLevel(logging.CRITICAL + 1)
        self.info_once = self.warning_once = lambda *_, **__: None


@contextmanager
def platform_of(device):
    """`from vllm.platforms import current_platform` inside an engine's function finds this GPU."""
    modules = {"vllm": types.ModuleType("vllm"), "vllm.platforms": types.ModuleType("vllm.platforms")}
    modules["vllm.platforms"].current_platform = types.SimpleNamespace(get_device_name=lambda _: device)
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            sys.modules.pop(name) if module is None else sys.modules.__setitem__(name, module)


class Vllm:
    """Loads as vLLM does on a GPU whose driver says `device`, with VLLM_TUNED_CONFIG_FOLDER=user_folder."""

    def __init__(self, package, device, user_folder=None):
        named = functions(package, VLLM_PLATFORM, ["get_device_name_as_file_name"], {})
        with platform_of(device):
            name = named.get_device_name_as_file_name()
        settings = types.SimpleNamespace(VLLM_BATCH_INVARIANT=False, VLLM_TUNED_CONFIG_FOLDER=user_folder)
        shared = {"envs": settings, "get_device_name_as_file_name": lambda: name}
        self._experts = functions(package, VLLM_EXPERTS, ["get_config_file_name", "get_moe_configs"], shared)
        self._products = functions(package, VLLM_PRODUCTS, ["get_w8a8_block_fp8_configs"], shared)
        states = ["_CONFIGS_DIR", "get_ssm_config_file_name", "get_ssm_device_name", "_canonical_cache_dtype",
                  "get_ssm_configs"]
        self._states = functions(package, VLLM_STATES, states, shared)
        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(get_device_name=lambda: device))
        adapters = ["load_lora_op_config", "get_lora_op_configs", "_normalize_lora_config_keys"]
        self._adapters = functions(package, VLLM_ADAPTERS, adapters,
                                   {**shared, "torch": torch, "is_batch_invariant": False,
                                    "next_power_of_2": lambda size: 1 << (size - 1).bit_length()})

    def experts(self, e, n, dtype, block_n=0, block_k=0):
        return self._experts.get_moe_configs(e, n, dtype, block_n, block_k)

    def product(self, n, k, block_n, block_k):
        return self._products.get_w8a8_block_fp8_configs(n, k, block_n, block_k)

    def state_update(self, head, state, dtype):
        return self._states.get_ssm_configs(head, state, dtype)

    def adapter_file(self, kind, add_inputs=None):
        """What lies in the file of "shrink", "expand" or one of experts; None: there is none."""
        return self._adapters.load_lora_op_config(kind, add_inputs)

    def adapter(self, kind, **sizes):
        """One launch's configuration, as its kernels ask."""
        return self._adapters.get_lora_op_configs(kind, **sizes)


class Sglang:
    """Loads as SGLang does with this Triton and SGLANG_MOE_CONFIG_DIR=SGLANG_LORA_CONFIG_DIR=user_folder."""

    def __init__(self, package, device, user_folder=None, triton="3.8.0"):
        plain = types.SimpleNamespace(enable_deterministic_inference=False)
        torch = types.SimpleNamespace(_dynamo=types.SimpleNamespace(is_compiling=lambda: False))
        names = ("SGLANG_MOE_CONFIG_DIR", "SGLANG_LORA_CONFIG_DIR")
        variables = {} if user_folder is None else {name: str(user_folder) for name in names}
        system = types.SimpleNamespace(path=os.path, listdir=os.listdir, environ=variables)
        shared = {"os": system, "torch": torch, "triton": types.SimpleNamespace(__version__=triton),
                  "get_device_name": lambda: device, "_is_cuda": True, "log_info_on_rank0": lambda *_: None,
                  "get_exec": lambda: types.SimpleNamespace(deterministic=plain)}
        experts = ["get_config_file_name", "get_moe_configs"]
        self._experts = functions(package, SGLANG_EXPERTS, experts, shared)
        self._products = functions(package, SGLANG_PRODUCTS, ["get_w8a8_block_fp8_configs"], shared)
        self._int8 = functions(package, SGLANG_INT8, ["get_w8a8_block_int8_configs"], shared)
        adapters = ["get_lora_config_file_name", "get_lora_configs"]
        self._adapters = functions(package, SGLANG_ADAPTERS, adapters, shared)

    def experts(self, e, n, dtype, block_n=0, block_k=0, by_columns=False, second=False):
        return self._experts.get_moe_configs(e, n, dtype, block_n, block_k, by_columns, second)

    def product(self, n, k, block_n, block_k):
        return self._products.get_w8a8_block_fp8_configs(n, k, block_n, block_k)

    def int8_product(self, n, k, block_n, block_k):
        return self._int8.get_w8a8_block_int8_configs(n, k, block_n, block_k)

    def adapter_file(self, kind, k, rank, slices):
        return self._adapters.get_lora_configs(kind, k, rank, slices)
