#include "warploom/baselines/pipeweave/published_vector.h"

#include <fmt/format.h>

#include "warploom/hardware/gpu_class.h"

namespace warploom::published {

Hardware Hardware::of(const GpuSpec& gpu) {
  return {.sms = double(gpu.sm_count),
          .clock_mhz = gpu.boost_clock.value() * 1e-6,
          .dram_gb_per_s = gpu.memory_bandwidth.value() * 1e-9,
          .l2_gb_per_s = gpu.l2_bandwidth.value() * 1e-9,
          .tensor_half = gpu.tensor_rates.fp16,
          .tensor_fp8 = gpu.tensor_rates.fp8,
          .fma_lanes = gpu.fma_lanes,
          .special_lanes = gpu.special_function_lanes,
          .shared_bytes_per_clock = gpu.shared_bytes_per_clock,
          .shared_kib = gpu.shared_memory_per_sm.value() / 1024,
          .hopper = has_wgmma(gpu)};
}

double Features::theory_cycles() const {
  if (tensor) return tensor->total_cycles;
  return (fma ? fma->total_cycles : 0) + (special ? special->total_cycles : 0);
}

std::vector<double> Features::values() const {
  std::vector<double> list;
  list.reserve(15);
  for (const auto* pipe : {&tensor, &fma, &special}) {
    if (!pipe->has_value()) continue;
    for (const double value :
         {(*pipe)->total_ops, (*pipe)->total_cycles, (*pipe)->busiest_ops, (*pipe)->busiest_cycles}) {
      list.push_back(value);
    }
  }
  for (const double value :
       {memory.total_kib, memory.dram_cycles, memory.l2_cycles, memory.busiest_kib,
        memory.busiest_dram_cycles, memory.busiest_shared_cycles, memory.busiest_l2_cycles}) {
    list.push_back(value);
  }
  return list;
}

std::vector<std::string> Features::names() const {
  std::vector<std::string> list;
  const auto add = [&](const char* pipe, bool present) {
    if (!present) return;
    for (const char* what : {"total_ops", "total_cycles", "busiest_sm_ops", "busiest_sm_cycles"})
      list.push_back(fmt::format("{}_{}", pipe, what));
  };
  add("tensor", tensor.has_value());
  add("fma", fma.has_value());
  add("xu", special.has_value());
  for (const char* what : {"total_kib", "dram_cycles", "l2_cycles", "busiest_sm_kib",
                           "busiest_sm_dram_cycles", "busiest_sm_shared_cycles", "busiest_sm_l2_cycles"})
    list.push_back(fmt::format("memory_{}", what));
  return list;
}

}  // namespace warploom::published
