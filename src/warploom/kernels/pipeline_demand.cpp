#include "warploom/kernels/pipeline_demand.h"

namespace warploom {
namespace {

double ratio(double amount, double rate) { return amount > 0 && rate > 0 ? amount / rate : 0.0; }

}  // namespace

Bound PipelineTimes::bound() const {
  const double top = longest();
  if (top == dram) return Bound::Dram;
  if (top == tensor) return Bound::Tensor;
  if (top == network) return Bound::Network;
  if (top == fma) return Bound::Fma;
  if (top == special) return Bound::SpecialFunction;
  if (top == l2) return Bound::L2;
  return Bound::Shared;
}

PipelineTimes pipeline_times(const PipelineDemand& demand, const GpuSpec& gpu, double tensor_rate,
                             double network_bandwidth) {
  const double cycles = gpu.sm_cycles_per_second();
  return {.tensor = ratio(demand.tensor_flop, tensor_rate * cycles),
          .fma = ratio(demand.fma_flop, 2.0 * gpu.fma_lanes * cycles),
          .special = ratio(demand.special_ops, gpu.special_function_lanes * cycles),
          .shared = ratio(demand.shared_bytes, gpu.shared_bytes_per_clock * cycles),
          .l2 = ratio(demand.l2_bytes, gpu.l2_bandwidth.value()),
          .dram = ratio(demand.dram_bytes, gpu.memory_bandwidth.value()),
          .network = ratio(demand.network_bytes, network_bandwidth)};
}

}  // namespace warploom
