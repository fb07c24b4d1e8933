// What answers for collectives across nodes, in place of the kernels that were swept.
//
// No sound row of NCCL crosses nodes: those that do (16 A100 and pairs of A100, A40 and H100 by Vidur) ran
// over networks that nobody named, at 2 to 36 GB/s a node. So a model of its own prices them
// (across_nodes.h), never below what the same buffer takes inside one node. Dispatch and combine are answered
// by a table of their kernels (exchange_table.h), inside a node too.
#pragma once

#include <optional>
#include <string_view>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// Thread-safe as `kernels` is, which must outlive it.
class NetworkKernels {
 public:
  explicit NetworkKernels(const LatencyModel& kernels);

  // Whether the question is of a collective across nodes or of a kernel that the table of exchanges has;
  // never of a row that was swept.
  bool serves(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const;
  // For a question that it serves. Tier cross_gpu, and roofline on AMD's GPUs, whose RCCL nobody tuned here;
  // measured for exchanges alone, on a GPU and over a number of ranks that have rows. Throws as LatencyModel
  // does.
  KernelAnswer answer(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const;

 private:
  KernelAnswer answer_exchange(const Collective& op, const GpuSpec& gpu, const KernelContext& context) const;
  // Nothing: no table of the kernel speaks.
  std::optional<KernelAnswer> answer_by_table(const Collective& op, const GpuSpec& gpu,
                                              std::string_view kernel) const;
  bool has_table(const Operator& op, std::string_view kernel) const;
  Seconds inside_one_node(const Collective& op, const GpuSpec& gpu) const;

  const LatencyModel& kernels_;
  const GpuCatalog gpus_;
  const GpuSpec& deep_ep_gpu_;
};

}  // namespace warploom
