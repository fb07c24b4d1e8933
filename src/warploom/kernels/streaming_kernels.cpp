#include "warploom/kernels/streaming_kernels.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/decode_in_step.h"
#include "warploom/kernels/fused_quantising.h"
#include "warploom/kernels/in_step.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/roofline.h"
#include "warploom/kernels/step_sampling.h"
#include "warploom/kernels/waiting_ranks.h"
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
  // Of any engine. The launch was chosen for public serving runs and holds the gap between kernels, which the
  // times of its errors do not; so no p90 lies below the rule, where theirs does. Errors over the kernels in
  // 60 steps of vLLM 0.24 on an H200, 1 to 8,192 tokens.
  StreamRule any;
  // Of vLLM: what Inductor writes, and reshape_and_cache, which has a block for each token. Least squares of
  // ln over 42 steps of Llama-3.1-8B in bf16 (vLLM 0.24, H200, 1 to 8,192 tokens), whose residuals the errors
  // are; that 4 heads are written as slowly as 8 was seen in Qwen3-30B-A3B.
  StreamRule vllm;
};

constexpr Seconds kAnyLaunch = microseconds(3);
constexpr double kAnyShare = 0.8;
constexpr StreamRules kNorms{{kAnyLaunch, kAnyShare, {-0.47, 0}},
                             {microseconds(1.95), 0.97, {-0.125, 0.067}}},
    kActivations{{kAnyLaunch, kAnyShare, {-0.72, 0}}, {microseconds(1.4), 0.95, {-0.097, 0.082}}},
    kRotations{{kAnyLaunch, kAnyShare, {-0.66, 0.25}}, {microseconds(1.55), 0.55, {-0.107, 0.105}}},
    kCacheWrites{{kAnyLaunch, kAnyShare, {-0.28, 0.93}},
                 {microseconds(2.05), 0.95, {-0.160, 0.145}, microseconds(0.006)}};
constexpr std::string_view kRuleGpu = "h200_sxm";
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

// As an engine runs it, rather than one kernel that somebody swept.
bool asks_an_engine(const KernelContext& context) {
  return context.kernel.empty() && (context.framework.empty() || is_engine(context.framework));
}

// Of an engine's kernel that a user asks for, by name or not; not of a row that was swept.
bool is_of_an_engine(const KernelContext& context) {
  if (context.as_collected) return false;
  return context.framework.empty() ? context.kernel.empty() : is_engine(context.framework);
}

bool asks_by_name(const KernelContext& context) { return context.kernel == kStreamingKernel; }

// What the measured kernels are asked: they know none of the rule's name.
KernelContext without_rule(KernelContext context) {
  if (asks_by_name(context)) context.kernel = {};
  return context;
}

bool asks_vllm(const KernelContext& context) {
  return context.framework.empty() || context.framework == name_of(Engine::Vllm);
}

Seconds streaming_time(const StreamRule& rule, const Operator& op, const GpuSpec& gpu) {
  const Seconds bytes = work_of(op).unique_bytes() / (rule.share * gpu.memory_bandwidth);
  const auto* write = std::get_if<KvWrite>(&op);
  const Seconds blocks = write == nullptr ? Seconds(0.0) : double(write->tokens) * rule.per_token;
  return rule.launch + std::max(bytes, blocks);
}

// The 80th percentile of |ln(attention of a step / price)| in those 42 steps: engines batch requests of
// uneven lengths, split keys otherwise and serve prompts in the call of decoding requests; the tables do not.
constexpr double kAttentionInSteps = 0.127;

void widen_attention(const Operator& op, LatencyEstimate& answer) {
  if (!std::holds_alternative<AttentionPrefill>(op) && !std::holds_alternative<AttentionDecode>(op)) return;
  const double low = std::log(answer.p10 / answer.p50), high = std::log(answer.p90 / answer.p50);
  answer.p10 = std::max(answer.p50 * std::exp(-std::hypot(low, kAttentionInSteps)), answer.physical_bound);
  answer.p90 = answer.p50 * std::exp(std::hypot(high, kAttentionInSteps));
}

// Returns whether the rule answers: where it was measured, and elsewhere where it is the faster of the two.
bool stream(const Operator& op, const GpuSpec& gpu, const KernelContext& context, LatencyEstimate& answer) {
  const bool vllm = asks_vllm(context), here = vllm && gpu.name == kRuleGpu;
  const StreamRule& rule = vllm ? rules_of(op)->vllm : rules_of(op)->any;
  const Seconds streamed = streaming_time(rule, op, gpu);
  if (streamed >= answer.p50 && !here) return false;
  const double doubt = here ? 0 : kElsewhere;
  answer.p50 = std::max(streamed, answer.physical_bound);
  answer.p10 = std::max(answer.p50 * std::exp(-std::hypot(rule.error.low, doubt)), answer.physical_bound);
  answer.p90 = answer.p50 * std::exp(std::hypot(rule.error.high, doubt));
  // Physics alone knows of no kernel, with the rule or without.
  if (answer.tier != Tier::Roofline) answer.tier = here ? Tier::Measured : Tier::CrossGpu;
  answer.extrapolated = answer.stands_in = false;
  return true;
}

}  // namespace

StreamingKernels::StreamingKernels(std::unique_ptr<const LatencyModel> kernels)
    : kernels_(std::move(kernels)),
      has_rules_(dynamic_cast<const RooflineModel*>(kernels_.get()) == nullptr) {}

void StreamingKernels::take_quantising(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                                       LatencyEstimate& answer) const {
  const auto* product = std::get_if<Gemm>(&op);
  if (product == nullptr || !holds_quantising(*product)) return;
  const KernelContext engine{context.framework, context.version, {}};
  const Quantize pass{.rows = product->m, .width = product->k};
  fuse_quantising(*product, gpu, kernels_->estimate(pass, gpu, engine).p50, answer);
}

bool StreamingKernels::serve(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                             LatencyEstimate& answer) const {
  if (!has_rules_) return false;
  if (rules_of(op) != nullptr)
    return (asks_an_engine(context) || asks_by_name(context)) && stream(op, gpu, context, answer);
  // Else the measured kernel answers, changed by what surrounds it.
  if (!is_of_an_engine(context)) return false;
  wait_for_ranks(op, context, answer);
  if (!asks_vllm(context)) return false;
  if (is_step_sampling(op) && context.kernel.empty() && !context.framework.empty()) {
    price_step_sampling(op, gpu.name == kRuleGpu, answer);
    return true;
  }
  if (decodes_in_step(op, gpu, context)) {
    price_decode_in_step(op, gpu, answer);
    return false;
  }
  take_quantising(op, gpu, context, answer);
  if (gpu.name != kRuleGpu) return false;
  widen_attention(op, answer);
  if (runs_in_step(op, context.kernel)) price_in_step(op, gpu, answer);
  return false;
}

LatencyEstimate StreamingKernels::estimate(const Operator& op, const GpuSpec& gpu,
                                           const KernelContext& context) const {
  LatencyEstimate answer = kernels_->estimate(op, gpu, without_rule(context));
  serve(op, gpu, context, answer);
  return answer;
}

void StreamingKernels::estimate_batch(std::span<const Operator> operators, const GpuSpec& gpu,
                                      const KernelContext& context,
                                      std::span<LatencyEstimate> results) const {
  kernels_->estimate_batch(operators, gpu, without_rule(context), results);
  for (std::size_t i = 0; i < operators.size(); ++i) serve(operators[i], gpu, context, results[i]);
}

KernelAnswer StreamingKernels::answer(const Operator& op, const GpuSpec& gpu,
                                      const KernelContext& context) const {
  KernelAnswer answer = kernels_->answer(op, gpu, without_rule(context));
  if (!serve(op, gpu, context, answer.estimate)) return answer;
  return {.estimate = answer.estimate,
          .implementation = {context.framework, context.version, kStreamingKernel}};
}

}  // namespace warploom
