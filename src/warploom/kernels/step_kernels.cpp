#include "warploom/kernels/step_kernels.h"

#include <algorithm>
#include <array>
#include <optional>

#include "warploom/kernels/decode_in_step.h"
#include "warploom/kernels/fused_quantising.h"
#include "warploom/kernels/in_step.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/roofline.h"
#include "warploom/kernels/step_sampling.h"
#include "warploom/kernels/streaming_rule.h"
#include "warploom/kernels/waiting_ranks.h"
#include "warploom/kernels/widen.h"

namespace warploom {
namespace {

bool asks_vllm(const KernelContext& context) {
  return context.framework.empty() || context.framework == name_of(Engine::Vllm);
}

// Whether a user asks for an engine's kernel, by name or not; not of a row that was swept.
bool is_of_an_engine(const KernelContext& context) {
  if (context.as_collected) return false;
  return context.framework.empty() ? context.kernel.empty() : is_engine(context.framework);
}

bool asks_streaming(const KernelContext& context) {
  if (context.kernel == kStreamingKernel) return true;
  return context.kernel.empty() && (context.framework.empty() || is_engine(context.framework));
}

// Whoever names no engine asks for a choice of tokens alone.
bool asks_sampling(const KernelContext& context) {
  if (context.kernel == kSamplingKernel) return asks_vllm(context);
  return context.kernel.empty() && !context.as_collected && context.framework == name_of(Engine::Vllm);
}

// Stands in for kernels that were never swept.
struct EngineRule {
  std::string_view name;
  bool (*is_of)(const Operator& op);
  bool (*is_asked)(const KernelContext& context);
  // Nothing: the measured kernel is the better answer.
  std::optional<RulePrice> (*price)(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                                    const LatencyEstimate& measured);
};
constexpr std::array<EngineRule, 2> kRules{
    {{kStreamingKernel, only_streams, asks_streaming, streaming_price},
     {kSamplingKernel, is_step_sampling, asks_sampling,
      [](const Operator& op, const GpuSpec& gpu, const KernelContext& context, const LatencyEstimate&) {
        return std::optional(step_sampling_price(op, gpu, context));
      }}}};

const EngineRule* find_rule(const Operator& op) {
  const auto* const rule =
      std::find_if(kRules.begin(), kRules.end(), [&](const EngineRule& each) { return each.is_of(op); });
  return rule == kRules.end() ? nullptr : rule;
}

// What the measured kernels are asked: they know no rule's name.
KernelContext without_rule(KernelContext context) {
  if (context.kernel == kStreamingKernel || context.kernel == kSamplingKernel) context.kernel = {};
  return context;
}

// The 80th percentile of |ln(attention of a step / price)| in the 42 steps of streaming_rule.cpp: engines
// batch requests of uneven lengths, split keys otherwise and serve prompts in the call of decoding requests;
// the tables do not.
constexpr double kAttentionInSteps = 0.127;

void widen_attention(const Operator& op, LatencyEstimate& answer) {
  if (!std::holds_alternative<AttentionPrefill>(op) && !std::holds_alternative<AttentionDecode>(op)) return;
  widen(answer, kAttentionInSteps);
}

}  // namespace

std::string_view rule_of(const Operator& op) {
  const EngineRule* rule = find_rule(op);
  return rule == nullptr ? std::string_view() : rule->name;
}

StepKernels::StepKernels(std::unique_ptr<const LatencyModel> kernels)
    : kernels_(std::move(kernels)),
      network_(*kernels_),
      has_rules_(dynamic_cast<const RooflineModel*>(kernels_.get()) == nullptr) {}

void StepKernels::take_quantising(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                                  LatencyEstimate& answer) const {
  if (const auto* pass = std::get_if<Quantize>(&op)) return fuse_static_quantising(*pass, gpu, answer);
  const auto* product = std::get_if<Gemm>(&op);
  if (product == nullptr) return;
  const bool known_scales = product->scheme == MatmulScheme::Fp8Static && product->batch == 1;
  if (!holds_quantising(*product) && !known_scales) return;
  const KernelContext engine{context.framework, context.version, {}};
  const Seconds pass = kernels_->estimate(Quantize{.rows = product->m, .width = product->k}, gpu, engine).p50;
  if (known_scales)
    drop_other_pass(pass, answer);
  else
    fuse_quantising(*product, gpu, context, pass, answer);
}

std::string_view StepKernels::serve(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                                    LatencyEstimate& answer) const {
  if (!has_rules_) return {};
  if (const EngineRule* rule = find_rule(op)) {
    if (!rule->is_asked(context)) return {};
    const std::optional<RulePrice> price = rule->price(op, gpu, context, answer);
    if (!price) return {};
    take_rule(*price, answer);
    return rule->name;
  }
  // Else the measured kernel answers, changed by what surrounds it.
  if (!is_of_an_engine(context)) return {};
  wait_for_ranks(op, gpu, context, answer);
  if (const auto* pass = std::get_if<Quantize>(&op); pass != nullptr && !pass->dynamic) {
    Quantize dynamic = *pass;
    dynamic.dynamic = true;
    bound_by_dynamic(kernels_->estimate(dynamic, gpu, context), answer);
  }
  if (!asks_vllm(context)) return {};
  if (decodes_in_step(op, gpu, context)) {
    price_decode_in_step(op, gpu, context, answer);
    return {};
  }
  take_quantising(op, gpu, context, answer);
  if (!has_step_rules(gpu)) return {};
  widen_attention(op, answer);
  if (runs_in_step(op, context.kernel)) price_in_step(op, gpu, context, answer);
  return {};
}

std::optional<KernelAnswer> StepKernels::across_nodes(const Operator& op, const GpuSpec& gpu,
                                                      const KernelContext& context) const {
  if (!has_rules_ || !network_.serves(op, gpu, context)) return std::nullopt;
  KernelAnswer answer = network_.answer(op, gpu, without_rule(context));
  if (is_of_an_engine(context)) wait_for_ranks(op, gpu, {}, answer.estimate);
  return answer;
}

LatencyEstimate StepKernels::estimate(const Operator& op, const GpuSpec& gpu,
                                      const KernelContext& context) const {
  if (const std::optional<KernelAnswer> across = across_nodes(op, gpu, context)) return across->estimate;
  LatencyEstimate answer = kernels_->estimate(op, gpu, without_rule(context));
  serve(op, gpu, context, answer);
  return answer;
}

void StepKernels::estimate_batch(std::span<const Operator> operators, const GpuSpec& gpu,
                                 const KernelContext& context, std::span<LatencyEstimate> results) const {
  kernels_->estimate_batch(operators, gpu, without_rule(context), results);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const std::optional<KernelAnswer> across = across_nodes(operators[i], gpu, context);
    if (across)
      results[i] = across->estimate;
    else
      serve(operators[i], gpu, context, results[i]);
  }
}

KernelAnswer StepKernels::answer(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const {
  if (std::optional<KernelAnswer> across = across_nodes(op, gpu, context)) return *across;
  KernelAnswer answer = kernels_->answer(op, gpu, without_rule(context));
  const std::string_view rule = serve(op, gpu, context, answer.estimate);
  if (rule.empty()) return answer;
  return {.estimate = answer.estimate, .implementation = {context.framework, context.version, rule}};
}

}  // namespace warploom
