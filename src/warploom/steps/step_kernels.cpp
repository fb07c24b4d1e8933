#include "warploom/steps/step_kernels.h"

#include <algorithm>
#include <variant>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/moe/mega_moe.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/kernels/roofline.h"
#include "warploom/kernels/widen.h"
#include "warploom/steps/decode_in_step.h"
#include "warploom/steps/fused_quantising.h"
#include "warploom/steps/in_step.h"
#include "warploom/steps/step_sampling.h"
#include "warploom/steps/streaming_rule.h"
#include "warploom/steps/waiting_ranks.h"

namespace warploom {
namespace {

// Whether a user asks for an engine's kernel, by name or not; not of a row that was swept.
bool is_of_an_engine(const KernelContext& context) {
  if (context.as_collected) return false;
  return context.framework.empty() ? context.kernel.empty() : is_engine(context.framework);
}

bool asks_streaming(const KernelContext& context) {
  if (context.kernel == kStreamingKernel) return true;
  return context.kernel.empty() && (context.framework.empty() || is_engine(context.framework));
}

// Whoever names no engine asks for a choice of tokens alone. `rule` is the name of the operator's.
bool asks_choice(const KernelContext& context, std::string_view rule) {
  if (context.kernel == rule) return true;
  return context.kernel.empty() && !context.as_collected && !context.framework.empty();
}

// What the measured kernels are asked: they know no rule's name.
KernelContext without_rule(KernelContext context) {
  for (const std::string_view rule : {kStreamingKernel, kSamplingKernel, kExpertChoiceKernel})
    if (context.kernel == rule) context.kernel = {};
  return context;
}

}  // namespace

std::string_view rule_of(const Operator& op) {
  if (only_streams(op)) return kStreamingKernel;
  if (is_step_sampling(op)) return kSamplingKernel;
  return is_expert_choice(op) ? kExpertChoiceKernel : std::string_view();
}

StepKernels::StepKernels(std::unique_ptr<const LatencyModel> kernels, const StepRules& rules)
    : kernels_(std::move(kernels)),
      rules_(rules),
      network_(*kernels_),
      has_rules_(dynamic_cast<const RooflineModel*>(kernels_.get()) == nullptr) {}

StepKernels::StepKernels(std::unique_ptr<const LatencyModel> kernels, std::unique_ptr<const StepRules> rules)
    : StepKernels(std::move(kernels), *rules) {
  own_rules_ = std::move(rules);
}

std::optional<RulePrice> StepKernels::replace(const Operator& op, const GpuSpec& gpu,
                                              const KernelContext& context,
                                              const LatencyEstimate& measured) const {
  if (const auto* sampling = std::get_if<Sampling>(&op)) {
    if (!asks_choice(context, rule_of(op))) return std::nullopt;
    const RuleKind kind = is_step_sampling(op) ? RuleKind::Sampling : RuleKind::ExpertChoice;
    const RuleUse rule = rules_.find_own(kind, gpu, context);
    return rule ? std::optional(step_sampling_price(rule, *sampling)) : std::nullopt;
  }
  return asks_streaming(context) ? streaming_price(rules_, op, gpu, context, measured) : std::nullopt;
}

Seconds StepKernels::pass_over_rows(const Gemm& product, const GpuSpec& gpu,
                                    const KernelContext& context) const {
  const KernelContext engine{context.framework, context.version, {}};
  return kernels_->estimate(Quantize{.rows = product.m, .width = product.k}, gpu, engine).p50;
}

std::optional<StepKernels::Passes> StepKernels::passes_over_rows(const Gemm& product, const GpuSpec& gpu,
                                                                 const KernelContext& context) const {
  const std::optional<RuleKind> kind = quantising_of(product);
  if (!kind || !has_rules_ || !is_of_an_engine(context)) return std::nullopt;
  const Seconds pass = pass_over_rows(product, gpu, context);
  const RuleUse rule = rules_.find(*kind, gpu, context);
  if (!rule) return Passes{pass, pass};
  const auto& constants = rule.constants<QuantisingConstants>();
  // Older engines launch the pass of blocks by itself, as the tables have it.
  if (*kind == RuleKind::BlockQuantising && !rule.own_release) return Passes{pass, pass};
  return Passes{held_passes(constants, pass), fused_quantising(constants, product, gpu)};
}

void StepKernels::take_quantising(const Gemm& product, const GpuSpec& gpu, const KernelContext& context,
                                  LatencyEstimate& answer) const {
  const bool known_scales = product.scheme == MatmulScheme::Fp8Static && product.batch == 1;
  const std::optional<RuleKind> kind = known_scales ? RuleKind::Quantising : quantising_of(product);
  if (!kind) return;
  const RuleUse rule = rules_.find(*kind, gpu, context);
  if (!rule || (*kind == RuleKind::BlockQuantising && !rule.own_release)) return;
  const Seconds pass = pass_over_rows(product, gpu, context);
  if (known_scales)
    drop_other_pass(rule, pass, answer);
  else
    fuse_quantising(rule, product, gpu, pass, answer);
}

void StepKernels::change(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                         LatencyEstimate& answer) const {
  wait_for_ranks(rules_, op, gpu, context, answer);
  if (const auto* pass = std::get_if<Quantize>(&op); pass != nullptr && !pass->dynamic) {
    Quantize dynamic = *pass;
    dynamic.dynamic = true;
    bound_by_dynamic(kernels_->estimate(dynamic, gpu, context), answer);
  }
  if (price_decode_in_step(rules_, op, gpu, context, answer)) return;
  if (const auto* product = std::get_if<Gemm>(&op)) take_quantising(*product, gpu, context, answer);
  if (const auto* pass = std::get_if<Quantize>(&op))
    if (const RuleUse rule = rules_.find(RuleKind::Quantising, gpu, context))
      fuse_static_quantising(rule, *pass, gpu, answer);
  if (std::holds_alternative<AttentionPrefill>(op) || std::holds_alternative<AttentionDecode>(op))
    if (const RuleUse rule = rules_.find(RuleKind::Attention, gpu, context)) widen(answer, rule.rule->high);
  price_in_step(rules_, op, gpu, context, answer);
}

std::string_view StepKernels::serve(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                                    LatencyEstimate& answer) const {
  if (!has_rules_) return {};
  if (const std::string_view rule = rule_of(op); !rule.empty()) {
    const std::optional<RulePrice> price = replace(op, gpu, context, answer);
    if (!price) return {};
    take_rule(*price, answer);
    return rule;
  }
  if (is_of_an_engine(context)) change(op, gpu, context, answer);
  return {};
}

std::optional<KernelAnswer> StepKernels::across_nodes(const Operator& op, const GpuSpec& gpu,
                                                      const KernelContext& context) const {
  if (!has_rules_ || !network_.serves(op, gpu, context)) return std::nullopt;
  KernelAnswer answer = network_.answer(op, gpu, without_rule(context));
  if (is_of_an_engine(context)) wait_for_ranks(rules_, op, gpu, {}, answer.estimate);
  return answer;
}

std::optional<KernelAnswer> StepKernels::fused_exchange(const Operator& op, const GpuSpec& gpu,
                                                        const KernelContext& context) const {
  const auto* experts = std::get_if<FusedMoe>(&op);
  if (experts == nullptr || context.kernel != kMegaMoe || context.as_collected) return std::nullopt;
  check_operator(op, "operator");
  shipped_mega_moe().check(*experts, gpu, kMegaMoe);
  KernelAnswer answer;
  LatencyEstimate& estimate = answer.estimate;
  estimate.physical_bound = physical_bound(op, gpu).time;
  if (!has_rules_) {
    estimate = kernels_->estimate(op, gpu, {});
    const Seconds exchange(mega_moe_parts(*experts, gpu).exchange);
    if (exchange > estimate.p50) estimate.bound = Bound::Network;
    for (Seconds* time : {&estimate.p10, &estimate.p50, &estimate.p90}) *time = std::max(*time, exchange);
    return answer;
  }
  const MegaMoeAnswer known = shipped_mega_moe().answer(*experts, gpu);
  const MegaMoeParts& parts = known.parts;
  estimate.bound = Bound::Launch;
  double largest = known.start;
  const auto see = [&](double part, Bound bound) {
    if (part > largest) largest = part, estimate.bound = bound;
  };
  see(parts.weights, Bound::Dram);
  see(parts.products, Bound::Tensor);
  see(parts.exchange, Bound::Network);
  answer.implementation = {.framework = known.framework, .version = known.version, .kernel = kMegaMoe};
  take_rule({.time = Seconds(known.seconds),
             .low = known.low,
             .high = known.high,
             .tier = known.measured ? Tier::Measured : Tier::CrossGpu},
            estimate);
  estimate.extrapolated = known.outside;
  return answer;
}

std::optional<KernelAnswer> StepKernels::beside_measured(const Operator& op, const GpuSpec& gpu,
                                                         const KernelContext& context) const {
  if (const std::optional<KernelAnswer> fused = fused_exchange(op, gpu, context)) return fused;
  return across_nodes(op, gpu, context);
}

LatencyEstimate StepKernels::estimate(const Operator& op, const GpuSpec& gpu,
                                      const KernelContext& context) const {
  if (const std::optional<KernelAnswer> other = beside_measured(op, gpu, context)) return other->estimate;
  LatencyEstimate answer = kernels_->estimate(op, gpu, without_rule(context));
  serve(op, gpu, context, answer);
  return answer;
}

void StepKernels::estimate_batch(std::span<const Operator> operators, const GpuSpec& gpu,
                                 const KernelContext& context, std::span<LatencyEstimate> results) const {
  kernels_->estimate_batch(operators, gpu, without_rule(context), results);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const std::optional<KernelAnswer> other = beside_measured(operators[i], gpu, context);
    if (other)
      results[i] = other->estimate;
    else
      serve(operators[i], gpu, context, results[i]);
  }
}

KernelAnswer StepKernels::answer(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const {
  if (std::optional<KernelAnswer> other = beside_measured(op, gpu, context)) return *other;
  KernelAnswer answer = kernels_->answer(op, gpu, without_rule(context));
  const std::string_view rule = serve(op, gpu, context, answer.estimate);
  if (rule.empty()) return answer;
  return {.estimate = answer.estimate, .implementation = {context.framework, context.version, rule}};
}

}  // namespace warploom
