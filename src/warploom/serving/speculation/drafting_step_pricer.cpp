#include "warploom/serving/speculation/drafting_step_pricer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

// One token for each request that yields one, after what it then has in the cache. Of prompts' chunks, which
// yield is not told: as many of them as are left, each at their mean.
StepBatch next_token(const StepBatch& batch, std::vector<std::int32_t>& contexts) {
  contexts.assign(batch.decode_contexts.begin(), batch.decode_contexts.end());
  if (contexts.empty() && batch.decode_requests > 0)
    contexts.assign(std::size_t(batch.decode_requests),
                    std::int32_t(batch.decode_context_sum / batch.decode_requests));
  for (std::size_t i = 0; i < contexts.size(); ++i) contexts[i] += batch.queries_of(i);
  std::int64_t prompts = 0;
  for (const PrefillChunk& chunk : batch.chunks) prompts += chunk.context + chunk.tokens;
  const std::int64_t mean = prompts / std::max<std::int64_t>(1, std::ssize(batch.chunks));
  contexts.resize(std::size_t(batch.emitting), std::int32_t(mean));
  StepBatch next;
  next.set_decode(contexts);
  next.emitting = next.logits_rows = batch.emitting;
  next.group_tokens = next.narrowest_rank_tokens = batch.emitting;  // the ranks count as one
  return next;
}

}  // namespace

const DraftMethod* drafting_method(const ServingConfig& config, const SpeculativeConfig& speculation,
                                   const ModelArchitecture& target) {
  const bool own = speculation.drafts_by("eagle") && config.speculative_algorithm == "EAGLE" &&
                   speculation.model.empty() && target.mtp_layers > 0;
  return own ? &draft_method_named("mtp") : speculation.method;
}

Drafter drafter_for(const DraftMethod& method, const ModelArchitecture& target, const DraftConfig* own) {
  WARPLOOM_ASSERT(method.drafter != nullptr);
  if (own == nullptr && method.in_blocks && !(method.bundled && target.block_drafter.states > 0))
    throw InvalidInput(
        fmt::format("speculative decoding: method {} needs a drafter for {}, expected the path of its "
                    "config.json as 'model', or one of: {}",
                    method.name, target.name, fmt::join(draft_names(), ", ")));
  return method.drafter({.target = target, .own = own});
}

StepCost DraftingStepPricer::price(const StepBatch& batch) {
  const StepCost verifying = target_->price(batch);
  if (passes_.block_queries > 0) return price_block(batch, verifying);
  if (batch.emitting == 0) {
    // Chunks of prompts that go on still fill the drafter's cache.
    return joined_cost(verifying, drafter_->price(batch));
  }
  StepBatch first = batch;
  first.logits_rows = first.emitting;
  StepCost drafting = drafter_->price(first);
  if (passes_.steps > 1) {
    const StepBatch next = next_token(batch, contexts_);
    for (std::int64_t i = 1; i < passes_.steps; ++i) add(drafting, drafter_->price(next), 1.0);
  }
  return joined_cost(verifying, drafting);
}

// Keys and values of the step's tokens are made beside the target's operators, so that chunks of prompts that
// go on need no pass.
StepCost DraftingStepPricer::price_block(const StepBatch& batch, const StepCost& verifying) {
  if (batch.emitting == 0) return verifying;
  StepBatch block = next_token(batch, contexts_);
  queries_.assign(contexts_.size(), std::int32_t(passes_.block_queries));
  block.decode_queries = queries_;
  block.draft_tokens = batch.emitting * (passes_.block_queries - 1);
  block.logits_rows = batch.emitting * passes_.steps;
  block.group_tokens = block.narrowest_rank_tokens = block.tokens();
  return joined_cost(verifying, drafter_->price(block));
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
  return std::make_unique<DraftingStepPricer>(target_->clone(), drafter_->clone(), passes_);
}

}  // namespace warploom
