#include "warploom/serving/speculation/drafting_step_pricer.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// Errors of different passes of one drafter are the same.
void add(StepCost& sum, const StepCost& cost, double times) {
  sum.p10 += cost.p10 * times;
  sum.p50 += cost.p50 * times;
  sum.p90 += cost.p90 * times;
  sum.collectives += cost.collectives * times;
}

// One token for each request that yields one, at the mean length of what it has in the cache.
StepBatch next_token(const StepBatch& batch) {
  StepBatch next;
  std::int64_t context = batch.decode_context_sum + batch.tokens();
  for (const PrefillChunk& chunk : batch.chunks) context += chunk.context;
  const std::int64_t requests = batch.decode_requests + std::ssize(batch.chunks);
  next.decode_requests = next.emitting = next.logits_rows = next.group_tokens = batch.emitting;
  next.decode_context_sum = context / std::max<std::int64_t>(1, requests) * batch.emitting;
  next.decode_context_max =
      std::max(batch.decode_context_max, std::int32_t(next.decode_context_sum / batch.emitting));
  return next;
}

}  // namespace

ModelArchitecture drafter_architecture(DraftMethod method, const ModelArchitecture& target) {
  ModelArchitecture drafter = target;
  drafter.name = fmt::format("{} of {}", name_of(method), target.name);
  LayerGroup layer = target.layers.back();
  layer.count = 1;
  if (method == DraftMethod::Mtp && target.mtp_layers == 0) {
    throw InvalidInput(
        fmt::format("speculative decoding: {} has no multi-token prediction layer, expected method eagle, "
                    "draft_model or ngram",
                    target.name));
  }
  if (method == DraftMethod::Eagle) {
    if (layer.mixture) drafter.intermediate = std::max(target.intermediate, 4 * target.hidden);
    layer.mixture = false;
    layer.schemes = {};
    drafter.mixture.reset();
  }
  if (layer.attention == AttentionKind::Linear) {
    const auto full = std::find_if(target.layers.begin(), target.layers.end(), [](const LayerGroup& group) {
      return group.attention != AttentionKind::Linear;
    });
    if (full != target.layers.end()) layer.attention = full->attention;
  }
  drafter.layers = {layer};
  drafter.mtp_layers = 0;
  return drafter;
}

ScaledOperators drafter_fusion(DraftMethod method, const ModelArchitecture& target) {
  ScaledOperators operators;
  if (method == DraftMethod::DraftModel) return operators;
  Gemm product;
  product.scheme = plain_scheme(target.dtype);
  product.n = target.hidden;
  product.k = 2 * target.hidden;
  operators.add("fusion", 1, product);
  return operators;
}

StepCost DraftingStepPricer::price(const StepBatch& batch) {
  const StepCost verifying = target_->price(batch);
  if (batch.emitting == 0) {
    // Chunks of prompts that go on still fill the drafter's cache.
    return joined_cost(verifying, drafter_->price(batch));
  }
  StepBatch first = batch;
  first.logits_rows = first.emitting;
  StepCost drafting = drafter_->price(first);
  if (steps_ > 1) {
    const StepBatch next = next_token(batch);
    for (std::int64_t i = 1; i < steps_; ++i) add(drafting, drafter_->price(next), 1.0);
  }
  return joined_cost(verifying, drafting);
}

std::vector<KernelTime> DraftingStepPricer::breakdown() const {
  std::vector<KernelTime> kernels = target_->breakdown();
  for (KernelTime kernel : drafter_->breakdown()) {
    kernel.label = "draft " + kernel.label;
    kernels.push_back(std::move(kernel));
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.time > b.time; });
  return kernels;
}

std::unique_ptr<StepPricer> DraftingStepPricer::clone() const {
  return std::make_unique<DraftingStepPricer>(target_->clone(), drafter_->clone(), steps_);
}

}  // namespace warploom
