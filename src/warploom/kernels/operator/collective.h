// Communication: one struct, a family for each kind.
#pragma once

#include <optional>

#include "warploom/kernels/operator_base.h"

namespace warploom {

enum class CollectiveKind { AllReduce, AllGather, ReduceScatter, AllToAll, SendRecv, Dispatch, Combine };
template <>
struct EnumNames<CollectiveKind> {
  static constexpr std::array<std::pair<CollectiveKind, std::string_view>, 7> kNames{
      {{CollectiveKind::AllReduce, "allreduce"},
       {CollectiveKind::AllGather, "allgather"},
       {CollectiveKind::ReduceScatter, "reduce_scatter"},
       {CollectiveKind::AllToAll, "alltoall"},
       {CollectiveKind::SendRecv, "send_recv"},
       {CollectiveKind::Dispatch, "moe_dispatch"},
       {CollectiveKind::Combine, "moe_combine"}}};
};
// Communication between `ranks` GPUs. `size` is the buffer: per-rank input of all-reduce, all-to-all and
// send/recv; the full (gathered) buffer of all-gather and reduce-scatter, as nccl-tests prints it; the tokens
// of one rank times hidden times element size times top_k of dispatch and combine.
struct Collective {
  static constexpr std::array kNames{
      FamilyName{Family::AllReduce, "allreduce"},          FamilyName{Family::AllGather, "allgather"},
      FamilyName{Family::ReduceScatter, "reduce_scatter"}, FamilyName{Family::AllToAll, "alltoall"},
      FamilyName{Family::SendRecv, "send_recv"},           FamilyName{Family::MoeDispatch, "moe_dispatch"},
      FamilyName{Family::MoeCombine, "moe_combine"}};
  static const OperatorFamily kFamily;

  CollectiveKind kind = CollectiveKind::AllReduce;
  Bytes size{0};
  std::int64_t ranks = 2;
  std::int64_t ranks_per_node = 0;  // that share a link domain; 0: as many as the GPU's node or rack joins
  // For dispatch and combine; 0: unknown. A token travels once to each GPU that holds some of its experts, so
  // the same buffer of fewer experts a token is more traffic.
  std::int64_t top_k = 0;
  Bytes token_bytes{0};  // hidden times element size
  // The network between nodes, as NodeNetwork (hardware/node_spec.h) has it; absent: the node's record.
  std::optional<BytesPerSecond> nic_rate = std::nullopt;
  std::optional<std::int64_t> nics_per_node = std::nullopt;
  std::optional<double> oversubscription = std::nullopt;
  static FieldTable describe();
};

}  // namespace warploom
