#include "warploom/kernels/collectives/across_nodes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/collectives/nccl_tuning.h"

namespace warploom {
namespace {

enum class Algorithm : std::size_t { Ring, Tree, NvlsTree, InNetwork, PointToPoint };
constexpr std::array<std::array<std::string_view, 2>, 5> kKernels{{{"nccl_ring", "rccl_ring"},
                                                                   {"nccl_tree", "rccl_tree"},
                                                                   {"nccl_nvls_tree", "rccl_nvls_tree"},
                                                                   {"nccl_collnet", "rccl_collnet"},
                                                                   {"nccl_p2p", "rccl_p2p"}}};

struct Candidate {
  Algorithm algorithm = Algorithm::Ring;
  double latency = 0, transfer = std::numeric_limits<double>::infinity();  // s
  double seconds() const { return latency + transfer; }
};

class AcrossModel {
 public:
  AcrossModel(const Collective& op, const GpuSpec& gpu, const NodeSpan& span, const NcclTuning& nccl)
      : nccl_(nccl),
        gpu_(gpu),
        span_(span),
        reduces_(op.kind == CollectiveKind::AllReduce),
        bytes_(op.size.value()),
        link_((has_wgmma(gpu) ? nccl_.hopper_link_share : nccl_.link_share) * span.link),
        nics_(nccl_.nic_share * span.domain_nics()),
        levels_(std::ceil(std::log2(span.domains))) {}

  Candidate collective() const {
    const bool nvls = reduces_ && span_.link_reduces && has_async_matrix_unit(gpu_);
    const bool large = nvls && bytes_ >= (span_.domains - 1) * nccl_.nvls_from_bytes;
    Candidate best;
    for (const NcclProtocol protocol : {NcclProtocol::LL, NcclProtocol::LL128, NcclProtocol::Simple}) {
      if (large && protocol != NcclProtocol::Simple) continue;
      if (protocol == NcclProtocol::LL128 && !span_.direct_link) continue;
      take(ring(protocol), best);
      if (reduces_) take(tree(protocol), best);
    }
    if (nvls) take(nvls_tree(), best);
    if (reduces_ && span_.network_reduces) take(in_network(), best);
    return best;
  }

  // A rank's own part of the buffer stays; of the others those of its domain go by the link. Without a direct
  // link all of them pass the host's bus, to the adapters too.
  Candidate exchange(bool pair) const {
    const double ranks = span_.ranks, outside = pair ? 1 : (ranks - span_.per_domain) / ranks;
    const double inside = pair ? 0 : (span_.per_domain - 1) / ranks;
    const double peers = pair ? 1 : ranks - span_.per_domain;
    const double share = pair ? nccl_.nic_share : nccl_.pair_share;
    const double linked = span_.direct_link ? inside : inside + outside;
    const NcclLatency& latency = of(nccl_.ring_latency, NcclProtocol::Simple);
    return {Algorithm::PointToPoint,
            latency.base + latency.network + 2 * span_.hop + peers * nccl_.post_seconds,
            bytes_ * std::max(outside / (share * span_.nic), linked / link_)};
  }

  // s: the bytes that each domain must send, by all of its adapters at their raw rate.
  double least(CollectiveKind kind) const {
    const double others = (span_.domains - 1) / span_.domains;
    switch (kind) {
      case CollectiveKind::AllReduce:
        return bytes_ / span_.domain_nics();
      case CollectiveKind::AllGather:
      case CollectiveKind::ReduceScatter:
        return bytes_ * others / span_.domain_nics();
      case CollectiveKind::AllToAll:
        return bytes_ * (span_.ranks - span_.per_domain) / span_.ranks / span_.nic;
      default:
        return bytes_ / span_.nic;
    }
  }

 private:
  static const NcclLatency& of(const NcclLatencies& table, NcclProtocol protocol) {
    return table[std::size_t(protocol)];
  }
  static void take(const Candidate& candidate, Candidate& best) {
    if (candidate.seconds() < best.seconds()) best = candidate;
  }
  double inside(const NcclLatency& latency) const {
    return span_.direct_link ? latency.nvlink : latency.pcie;
  }
  // Simple also waits until the adapter has flushed.
  double across(const NcclLatency& latency, NcclProtocol protocol) const {
    return latency.network + (protocol == NcclProtocol::Simple ? 2 : 1) * span_.hop;
  }
  double most_of_ll() const { return span_.domains <= 2 ? nccl_.ll_rate_of_two : nccl_.ll_rate_of_more; }

  Candidate ring(NcclProtocol protocol) const {
    const double turns = reduces_ ? 2 : 1, steps = turns * (span_.ranks - 1);
    const double crossings = turns * (span_.domains - 1);
    double rate = std::min(link_, nics_);
    if (protocol == NcclProtocol::LL) rate = std::min(nccl_.ll_payload * rate, most_of_ll());
    if (protocol == NcclProtocol::LL128)
      rate *= span_.per_domain < 2 ? nccl_.lonely_ring_ll128_share : nccl_.ring_ll128_share;
    const bool simple = protocol == NcclProtocol::Simple;
    const NcclLatency& latency = of(nccl_.ring_latency, protocol);
    const double step = std::max(inside(latency), nccl_.post_seconds * (simple ? nccl_.posts_of_simple : 1));
    const double seconds = latency.base + (steps - crossings) * step + crossings * across(latency, protocol);
    return {Algorithm::Ring, seconds * (simple && reduces_ ? nccl_.ring_plateau : 1),
            bytes_ * steps / span_.ranks / rate};
  }

  // B/s of the buffer that a tree between the domains carries.
  double between_domains() const { return nics_ / (span_.domains <= 2 ? 1 : 2); }

  Candidate tree(NcclProtocol protocol) const {
    double rate = std::min(span_.per_domain > 1 ? link_ / 2 : link_, between_domains());
    if (protocol == NcclProtocol::LL) rate = std::min(nccl_.tree_ll_share * rate, most_of_ll() / 2);
    if (protocol == NcclProtocol::LL128) rate *= nccl_.ll128_payload;
    if (protocol == NcclProtocol::Simple) rate *= nccl_.tree_share;
    const double power = std::log2(std::max(bytes_, nccl_.first_tree_size) / nccl_.first_tree_size);
    if (power < double(kTreeSizes)) rate *= nccl_.tree_correction[std::size_t(protocol)][std::size_t(power)];
    const NcclLatency& latency = of(nccl_.tree_latency, protocol);
    const double hops = (span_.per_domain - 1) * inside(latency) + levels_ * across(latency, protocol);
    return {Algorithm::Tree, latency.base + 2 * hops, bytes_ / rate};
  }

  Candidate nvls_tree() const {
    const double kept = has_wgmma(gpu_) ? nccl_.nvls_of_hopper : nccl_.nvls_of_blackwell;
    const double switches = nccl_.nvls_link_share * span_.link * kept * (nccl_.nvls_channels - 1) /
                            nccl_.nvls_channels * span_.ranks / (span_.ranks - 1);
    const double rate = std::min(switches, between_domains());
    const double window = std::min(nccl_.nvls_window, bytes_ / nccl_.least_windows);
    const NcclLatency& latency = nccl_.nvls_tree_latency;
    return {Algorithm::NvlsTree, latency.nvlink + 2 * levels_ * across(latency, NcclProtocol::Simple),
            (bytes_ + nccl_.nvls_stages * window) / rate};
  }

  Candidate in_network() const {
    const double rate = std::min(link_ / 2, nics_);
    const NcclLatency& latency = nccl_.in_network_latency;
    const double others = span_.per_domain - 1;
    return {Algorithm::InNetwork,
            2 * (std::min(1.0, others) * latency.nvlink + others * nccl_.in_network_arity) +
                across(latency, NcclProtocol::Simple),
            bytes_ / rate};
  }

  const NcclTuning& nccl_;
  const GpuSpec& gpu_;
  const NodeSpan& span_;
  bool reduces_;
  double bytes_;
  double link_, nics_;  // B/s as NCCL reaches them: of one GPU, of a domain's ranks
  double levels_;       // of a tree between the domains
};

Candidate candidate_of(const Collective& op, const AcrossModel& model) {
  if (op.kind == CollectiveKind::AllToAll) return model.exchange(false);
  if (op.kind == CollectiveKind::SendRecv) return model.exchange(true);
  return model.collective();
}

}  // namespace

bool is_network_kernel(std::string_view kernel) {
  return std::any_of(kKernels.begin(), kKernels.end(),
                     [&](const auto& names) { return kernel == names[0] || kernel == names[1]; });
}

std::optional<AcrossNodes> price_across_nodes(const Collective& op, const GpuSpec& gpu) {
  if (op.kind == CollectiveKind::Dispatch || op.kind == CollectiveKind::Combine) return std::nullopt;
  if (!crosses_nodes(op, gpu)) return std::nullopt;
  const NodeSpan span = node_span(op, gpu);
  const AcrossModel model(op, gpu, span, nccl_tuning());
  const Candidate best = candidate_of(op, model);
  return AcrossNodes{.time = Seconds(best.seconds()),
                     .latency = Seconds(best.latency),
                     .transfer = Seconds(best.transfer),
                     .least = Seconds(model.least(op.kind)),
                     .kernel = kKernels[std::size_t(best.algorithm)][gpu.vendor == Vendor::Amd ? 1 : 0]};
}

}  // namespace warploom
