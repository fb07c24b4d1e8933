"""What `gpus` answers.

Written by tools/make_answer_types from answers; do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from warploom.results import Answer


GpusGpusItem = TypedDict(
    "GpusGpusItem",
    {
        "schema": "str",
        "version": "int",
        "name": "str",
        "title": "str",
        "aliases": "list[str]",
        "vendor": "str",
        "generation": "str",
        "compute_capability": "int",
        "class": "str",
        "memory_kind": "str",
        "matrix_instruction": "str",
        "sm_design": "int",
        "sm_design_year": "int",
        "process_nm": "float",
        "year": "int",
        "sm_count": "int",
        "boost_clock_mhz": "float",
        "base_clock_mhz": "float",
        "max_clock_mhz": "float",
        "largest_part": "str",
        "tensor_flop_per_clock_per_sm": "dict[str, float]",
        "supports_bf16": "bool",
        "fma_lanes_per_sm": "float",
        "special_function_lanes_per_sm": "float",
        "memory_capacity_gib": "float",
        "memory_bandwidth_gb_per_s": "float",
        "l2_capacity_mib": "float",
        "l2_bandwidth_gb_per_s": "float",
        "shared_memory_per_sm_kib": "float",
        "max_shared_memory_per_block_kib": "float",
        "shared_bytes_per_clock_per_sm": "float",
        "registers_per_sm": "int",
        "max_threads_per_sm": "int",
        "max_blocks_per_sm": "int",
        "power_limit_w": "float",
        "link_kind": "str",
        "link_bandwidth_gb_per_s": "float",
        "link_domain_size": "int",
        "link_hop_us": "float",
        "link_reduces": "bool",
        "pcie_bandwidth_gb_per_s": "float",
        "source": "str",
    },
)


class GpusDocument(TypedDict):
    gpus: list[GpusGpusItem]


class GpusFields(Answer[GpusDocument]):
    """The keys of a GpusDocument, as attributes. Those of NotRequired are not always there."""

    gpus: list[GpusGpusItem]
