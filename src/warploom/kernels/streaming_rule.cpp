#include "warploom/kernels/streaming_rule.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/rule_domain.h"
#include "warploom/kernels/work.h"

namespace warploom {
namespace {

// The 10th and 90th percentile of ln(time of a kernel / time by the rule).
struct RuleError {
  double low = 0, high = 0;
};

// A launch in a CUDA graph and the operands at a share of the memory's rate.
struct StreamRule {
  Seconds launch;
  double share;
  RuleError error;
  Seconds per_token{0.0};  // where blocks, not bytes, set the pace
};

struct StreamRules {
  // Any engine. The launch was chosen for public serving runs and holds the gap between kernels, which the
  // times of its errors do not; so no p90 lies below the rule, where theirs does. Errors over the kernels in
  // 60 steps of vLLM 0.24 on an H200, 1 to 8,192 tokens.
  StreamRule any;
  // vLLM's on kFittedOn: what Inductor writes, and reshape_and_cache, which has a block for each token. Least
  // squares of ln over 42 steps of Llama-3.1-8B in bf16 (1 to 8,192 tokens), whose residuals the errors are;
  // that 4 heads are written as slowly as 8 was seen in Qwen3-30B-A3B.
  StreamRule vllm;
};

constexpr RuleDomain kFittedOn{.engine = name_of(Engine::Vllm), .release = "0.24", .gpus = {"h200_sxm"}};
// Bytes of an operator: from next to nothing to an activation of 8,192 tokens.
constexpr SizeRange kBytes{1, 8192.0 * 3 * 14336 * 2};

constexpr Seconds kAnyLaunch = microseconds(3);
constexpr double kAnyShare = 0.8;
constexpr StreamRules kNorms{{kAnyLaunch, kAnyShare, {-0.47, 0}},
                             {microseconds(1.95), 0.97, {-0.125, 0.067}}},
    kActivations{{kAnyLaunch, kAnyShare, {-0.72, 0}}, {microseconds(1.4), 0.95, {-0.097, 0.082}}},
    kRotations{{kAnyLaunch, kAnyShare, {-0.66, 0.25}}, {microseconds(1.55), 0.55, {-0.107, 0.105}}},
    kCacheWrites{{kAnyLaunch, kAnyShare, {-0.28, 0.93}},
                 {microseconds(2.05), 0.95, {-0.160, 0.145}, microseconds(0.006)}};
// The 80th percentile of |ln(time / time by the rule)| of 211 norms and activations on eleven other GPUs,
// those that a published predictor misses most (PipeWeave's worst cases).
constexpr double kElsewhere = 0.64;

// Null: more than a stream.
const StreamRules* rules_of(const Operator& op) {
  if (std::holds_alternative<RmsNorm>(op)) return &kNorms;
  if (std::holds_alternative<Activation>(op)) return &kActivations;
  if (std::holds_alternative<Rope>(op)) return &kRotations;
  if (std::holds_alternative<KvWrite>(op)) return &kCacheWrites;
  return nullptr;
}

Seconds streaming_time(const StreamRule& rule, const Operator& op, const GpuSpec& gpu) {
  const Seconds bytes = work_of(op).unique_bytes() / (rule.share * gpu.memory_bandwidth);
  const auto* write = std::get_if<KvWrite>(&op);
  const Seconds blocks = write == nullptr ? Seconds(0.0) : double(write->tokens) * rule.per_token;
  return rule.launch + std::max(bytes, blocks);
}

}  // namespace

bool only_streams(const Operator& op) { return rules_of(op) != nullptr; }

std::optional<RulePrice> streaming_price(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                                         const LatencyEstimate& measured) {
  const bool vllm = context.framework.empty() || context.framework == kFittedOn.engine;
  const bool here = kFittedOn.holds(gpu, context);
  const StreamRule& rule = vllm ? rules_of(op)->vllm : rules_of(op)->any;
  const Seconds streamed = streaming_time(rule, op, gpu);
  if (streamed >= measured.p50 && !here) return std::nullopt;
  const double doubt = here ? 0 : kElsewhere;
  // Physics alone knows of no kernel, with the rule or without.
  const Tier tier = measured.tier == Tier::Roofline ? Tier::Roofline : here ? Tier::Measured : Tier::CrossGpu;
  return RulePrice{.time = streamed,
                   .low = -std::hypot(rule.error.low, doubt),
                   .high = std::hypot(rule.error.high, doubt),
                   .tier = tier,
                   .outside = here ? widths_outside(kBytes, work_of(op).unique_bytes().value()) : 0};
}

}  // namespace warploom
