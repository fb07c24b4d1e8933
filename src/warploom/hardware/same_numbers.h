// Whether two records of GPUs hold the same numbers and kinds, whatever their names and sources say: what was
// worked out from one then holds for the other. A few ns each; a test holds that no field is left out.
#pragma once

#include "warploom/hardware/gpu_spec.h"

namespace warploom {

inline bool same_numbers(const TensorRates& a, const TensorRates& b) {
  return a.fp32 == b.fp32 && a.tf32 == b.tf32 && a.fp16 == b.fp16 && a.fp8 == b.fp8 && a.fp4 == b.fp4 &&
         a.int8 == b.int8;
}

inline bool same_numbers(const LargestPart& a, const LargestPart& b) {
  return a.watts == b.watts && a.sms == b.sms && a.boost_ghz == b.boost_ghz &&
         a.highest_ghz == b.highest_ghz && a.rate == b.rate;
}

inline bool same_numbers(const GpuSpec& a, const GpuSpec& b) {
  return a.vendor == b.vendor && a.generation == b.generation &&
         a.compute_capability == b.compute_capability && a.gpu_class == b.gpu_class &&
         a.memory_kind == b.memory_kind && a.matrix_instruction == b.matrix_instruction &&
         a.sm_design == b.sm_design && a.sm_design_year == b.sm_design_year && a.process_nm == b.process_nm &&
         a.year == b.year && a.sm_count == b.sm_count && a.boost_clock == b.boost_clock &&
         a.base_clock == b.base_clock && a.max_clock == b.max_clock && a.supports_bf16 == b.supports_bf16 &&
         a.fma_lanes == b.fma_lanes && a.special_function_lanes == b.special_function_lanes &&
         a.memory_capacity == b.memory_capacity && a.memory_bandwidth == b.memory_bandwidth &&
         a.l2_capacity == b.l2_capacity && a.l2_bandwidth == b.l2_bandwidth &&
         a.shared_memory_per_sm == b.shared_memory_per_sm &&
         a.max_shared_memory_per_block == b.max_shared_memory_per_block &&
         a.shared_bytes_per_clock == b.shared_bytes_per_clock && a.registers_per_sm == b.registers_per_sm &&
         a.max_threads_per_sm == b.max_threads_per_sm && a.max_blocks_per_sm == b.max_blocks_per_sm &&
         a.power_limit == b.power_limit && a.link_kind == b.link_kind &&
         a.link_bandwidth == b.link_bandwidth && a.link_domain_size == b.link_domain_size &&
         a.link_hop == b.link_hop && a.link_reduces == b.link_reduces &&
         a.pcie_bandwidth == b.pcie_bandwidth && same_numbers(a.tensor_rates, b.tensor_rates) &&
         same_numbers(a.largest, b.largest);
}

}  // namespace warploom
