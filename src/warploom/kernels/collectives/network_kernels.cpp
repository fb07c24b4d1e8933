#include "warploom/kernels/collectives/network_kernels.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/collectives/across_nodes.h"
#include "warploom/kernels/collectives/exchange_table.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/kernels/rule_price.h"

namespace warploom {
namespace {

// ln(time / price), the 10th and the 90th percentile. Chosen in view of the published points of
// tests/fixtures/collectives, since nothing else is known: most networks are slower than NVIDIA's own.
constexpr double kFaster = -0.15, kSlower = 0.55;

// The one version of DeepEP whose rows cross nodes, and the GPU that they are of. H200's are H100's to the
// digit, so they were copied.
constexpr KernelContext kDeepEp{.framework = name_of(Engine::Sglang), .version = "0.5.6.post2", .kernel = {}};
constexpr std::string_view kDeepEpGpu = "h100_sxm", kDeepEpNormal = "deepep_normal_sms20";
constexpr double kDeepEpRanksPerNode = 8;
// ln, of another GPU's or network's price; ours, a guess.
constexpr double kOtherNetwork = 0.3;

// Bytes that one GPU sends across nodes: a token once to each other node that has some of its experts.
double bytes_across(const Collective& op, const NodeSpan& span) {
  const double top_k = std::max(1.0, double(op.top_k));
  const double tokens = op.size.value() / top_k;  // each with its bytes
  const double share = 1 / span.domains;
  return tokens * (span.domains - 1) * (1 - std::pow(1 - share, top_k));
}

bool is_exchange(const Collective& op) {
  return op.kind == CollectiveKind::Dispatch || op.kind == CollectiveKind::Combine;
}

void widen(double low, double high, LatencyEstimate& estimate) {
  estimate.p10 = std::max(estimate.p10 * std::exp(low), estimate.physical_bound);
  estimate.p10 = std::min(estimate.p10, estimate.p50);
  estimate.p90 = estimate.p90 * std::exp(high);
}

}  // namespace

NetworkKernels::NetworkKernels(const LatencyModel& kernels)
    : kernels_(kernels), gpus_(), deep_ep_gpu_(gpus_.get(kDeepEpGpu)) {}

bool NetworkKernels::serves(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const {
  return !context.as_collected && (has_table(op, context.kernel) || crosses_nodes(op, gpu));
}

bool NetworkKernels::has_table(const Operator& op, std::string_view kernel) const {
  const auto* exchange = std::get_if<Collective>(&op);
  return exchange != nullptr && !kernel.empty() && shipped_exchanges().has(kernel, exchange->kind) &&
         exchange->top_k > 0 && exchange->token_bytes.value() > 0;
}

std::optional<KernelAnswer> NetworkKernels::answer_by_table(const Collective& op, const GpuSpec& gpu,
                                                            std::string_view kernel) const {
  if (!has_table(op, kernel)) return std::nullopt;
  const std::optional<ExchangeAnswer> known = shipped_exchanges().answer(kernel, op, gpu);
  if (!known) return std::nullopt;
  Collective as_recorded = op;
  as_recorded.nic_rate.reset(), as_recorded.nics_per_node.reset(), as_recorded.oversubscription.reset();
  const NodeSpan span = node_span(op, gpu), record = node_span(as_recorded, gpu);
  const bool same =
      known->gpu_measured && known->ranks_measured && (!span.crosses() || span.nic == record.nic);
  KernelAnswer answer;
  answer.implementation = {.framework = known->framework, .version = known->version, .kernel = kernel};
  answer.estimate.physical_bound = physical_bound(op, gpu).time;
  answer.estimate.bound = Bound::Network;
  take_rule({.time = Seconds(known->seconds),
             .low = known->low,
             .high = known->high,
             .tier = gpu.vendor == Vendor::Amd ? Tier::Roofline
                     : same                    ? Tier::Measured
                                               : Tier::CrossGpu},
            answer.estimate);
  answer.estimate.extrapolated = answer.estimate.extrapolated || known->outside;
  return answer;
}

// What a node's ranks take of the same buffer alone; zero for pairs and for ranks that are alone.
Seconds NetworkKernels::inside_one_node(const Collective& op, const GpuSpec& gpu) const {
  const NodeSpan span = node_span(op, gpu);
  if (span.per_domain < 2 || op.kind == CollectiveKind::SendRecv) return Seconds(0.0);
  Collective inside{.kind = op.kind, .size = op.size, .ranks = std::int64_t(span.per_domain)};
  if (op.kind == CollectiveKind::AllToAll) inside.size = op.size * (span.per_domain / span.ranks);
  inside.size = std::max(inside.size, Bytes(1));
  return kernels_.estimate(inside, gpu).p50;
}

KernelAnswer NetworkKernels::answer(const Operator& op, const GpuSpec& gpu,
                                    const KernelContext& context) const {
  check_operator(op, "operator");
  const auto& collective = std::get<Collective>(op);
  if (std::optional<KernelAnswer> known = answer_by_table(
          collective, gpu,
          crosses_nodes(op, gpu) && is_exchange(collective) && context.kernel.empty() ? kDeepEpNormal
                                                                                      : context.kernel))
    return *known;
  const std::optional<AcrossNodes> price = price_across_nodes(collective, gpu);
  if (!price) return answer_exchange(collective, gpu, context);
  const PhysicalBound limit = physical_bound(op, gpu);
  KernelAnswer answer;
  answer.implementation = {
      .framework = gpu.vendor == Vendor::Amd ? "rccl" : "nccl", .version = {}, .kernel = price->kernel};
  answer.estimate.physical_bound = limit.time;
  answer.estimate.bound = price->transfer > price->latency ? Bound::Network : Bound::Launch;
  take_rule({.time = std::max(price->time, inside_one_node(collective, gpu)),
             .low = kFaster,
             .high = kSlower,
             .tier = gpu.vendor == Vendor::Amd ? Tier::Roofline : Tier::CrossGpu},
            answer.estimate);
  return answer;
}

KernelAnswer NetworkKernels::answer_exchange(const Collective& op, const GpuSpec& gpu,
                                             const KernelContext& context) const {
  KernelContext asked = kDeepEp;
  asked.kernel = context.kernel.starts_with("deepep_") ? context.kernel : kDeepEpNormal;
  Collective swept = op;
  swept.nic_rate.reset(), swept.nics_per_node.reset(), swept.oversubscription.reset();
  const NodeSpan here = node_span(op, gpu);
  swept.ranks_per_node = std::int64_t(here.per_domain);
  KernelAnswer answer = kernels_.answer(swept, deep_ep_gpu_, asked);
  const NodeSpan there = node_span(swept, deep_ep_gpu_);
  const bool same = gpu.name == kDeepEpGpu && here.nic == there.nic &&
                    here.per_domain == kDeepEpRanksPerNode && here.hop == there.hop;
  if (same) return answer;
  // The bytes that cross take as much longer as the adapters are slower; the rest is as it was.
  const double crossing = bytes_across(op, there) / there.nic;
  const double share = std::min(1.0, crossing / answer.estimate.p50.value());
  const double scale = 1 - share + share * there.nic / here.nic;
  LatencyEstimate& estimate = answer.estimate;
  estimate.physical_bound = physical_bound(op, gpu).time;
  estimate.p50 = std::max(estimate.p50 * scale, estimate.physical_bound);
  estimate.p10 = estimate.p10 * scale;
  estimate.p90 = std::max(estimate.p90 * scale, estimate.p50);
  widen(-kOtherNetwork, kOtherNetwork, estimate);
  estimate.tier = estimate.tier == Tier::Roofline ? Tier::Roofline : Tier::CrossGpu;
  return answer;
}

}  // namespace warploom
