#include "warploom/kernels/step_sampling.h"

#include <variant>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/rule_domain.h"

namespace warploom {
namespace {

// The steps that the line was fitted to, those that it was judged on, and their numbers of logits.
constexpr RuleDomain kFittedOn{.engine = name_of(Engine::Vllm), .release = "0.24", .gpus = {"h200_sxm"}};
constexpr RuleDomain kJudgedOn{
    .engine = name_of(Engine::Vllm), .release = "0.24", .gpus = {"h200_sxm", "h100_sxm"}};
constexpr SizeRange kLogits{102400, 256.0 * 151936};

// Least squares of relative errors over 39 decoding steps of Llama-3.1-8B, Qwen3-30B-A3B and DeepSeek-V2-Lite
// in vLLM 0.24 on an H200 (tools/engine_truth/sampling.py, which also judges the line by three other models
// there and three on an H100).
constexpr Seconds kInputsAndEnds = microseconds(47.8);
constexpr Seconds kLogit{5.29e-12};
// ln: the 80th percentile of the distance of the 74 steps that it was not fitted to; the same tool prints it.
constexpr double kSamplingError = 0.265;
// No model has fewer words, none as many experts.
constexpr std::int64_t kFewestWords = 4096;

}  // namespace

bool is_step_sampling(const Operator& op) {
  const auto* sampling = std::get_if<Sampling>(&op);
  return sampling != nullptr && sampling->vocabulary >= kFewestWords;
}

RulePrice step_sampling_price(const Operator& op, const GpuSpec& gpu, const KernelContext& context) {
  const auto& sampling = std::get<Sampling>(op);
  const double logits = double(sampling.sequences) * double(sampling.vocabulary);
  const double error = (kJudgedOn.holds(gpu, context) ? 1 : 2) * kSamplingError;
  return {.time = kInputsAndEnds + logits * kLogit,
          .low = -error,
          .high = error,
          .tier = kFittedOn.holds(gpu, context) ? Tier::Measured : Tier::CrossGpu,
          .in_step = true,
          .outside = widths_outside(kLogits, logits)};
}

}  // namespace warploom
