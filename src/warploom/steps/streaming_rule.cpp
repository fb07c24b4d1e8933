#include "warploom/steps/streaming_rule.h"

#include <algorithm>
#include <variant>

#include "warploom/kernels/work.h"
#include "warploom/steps/apply_rule.h"

namespace warploom {
namespace {

// Nothing: more than a stream.
std::optional<RuleKind> stream_kind(const Operator& op) {
  if (std::holds_alternative<RmsNorm>(op)) return RuleKind::Norms;
  if (std::holds_alternative<Activation>(op)) return RuleKind::Activations;
  if (std::holds_alternative<Rope>(op)) return RuleKind::Rotations;
  if (std::holds_alternative<KvWrite>(op)) return RuleKind::CacheWrites;
  return std::nullopt;
}

Seconds streaming_time(const StreamConstants& rule, const Operator& op, Bytes bytes, const GpuSpec& gpu) {
  const Seconds stream = bytes / (rule.share * gpu.memory_bandwidth);
  const auto* write = std::get_if<KvWrite>(&op);
  const Seconds blocks = write == nullptr ? Seconds(0.0) : double(write->tokens) * rule.per_token;
  return rule.launch + std::max(stream, blocks);
}

}  // namespace

bool only_streams(const Operator& op) { return stream_kind(op).has_value(); }

std::optional<RulePrice> streaming_price(const StepRules& rules, const Operator& op, const GpuSpec& gpu,
                                         const KernelContext& context, const LatencyEstimate& measured) {
  const RuleUse use = rules.find(*stream_kind(op), gpu, context);
  if (!use) return std::nullopt;
  const Bytes bytes = work_of(op).unique_bytes();
  const Seconds streamed = streaming_time(use.constants<StreamConstants>(), op, bytes, gpu);
  if (streamed >= measured.p50 && !use.fitted) return std::nullopt;
  // Physics alone knows of no kernel, with the rule or without.
  const Tier tier = measured.tier == Tier::Roofline ? Tier::Roofline : Tier::Measured;
  RulePrice price = price_by(use, streamed, {bytes.value()}, tier);
  price.in_step = false;
  return price;
}

}  // namespace warploom
