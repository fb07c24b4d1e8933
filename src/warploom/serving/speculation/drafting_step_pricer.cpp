#include "warploom/serving/speculation/drafting_step_pricer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "warploom/base/error.h"
#include "warploom/models/model_split.h"

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

// A drafter attends: its layer keeps something of each token.
bool drafts_with(const ModelArchitecture& target, const LayerGroup& group) {
  const Sharding whole;
  const LayerPlace place = place_of(target, whole);
  return std::visit(
      [&](const auto& mixer) {
        const LayerCache cache = mixer.cache(place);
        return cache.per_token + cache.bytes_per_token > 0;
      },
      group.mixer);
}

// Layers for multi-token prediction see a window alone where the target compresses (DeepSeek-V4's last entry
// of compress_ratios).
void see_the_window_alone(Mixer& mixer) {
  auto* compressed = std::get_if<CompressedLatent>(&mixer);
  if (compressed == nullptr) return;
  compressed->compress_ratio = compressed->top_k = compressed->candidates = 0;
  compressed->compressor = compressed->indexer = compressed->index_keys = false;
}

// Modules that are no copy of a layer: a dense MLP beside a mixture, attention to a window. MiMo-V2's have
// 0.33 B parameters each (its technical report); Step-3.5 and 3.7 list their modules among no experts
// (vllm/model_executor/models/mimo_v2_mtp.py, step3p5_mtp.py).
constexpr std::array<std::string_view, 5> kDenseModules{"MiMoV2FlashForCausalLM", "MiMoV2ForCausalLM",
                                                        "Step3p5ForCausalLM", "Step3p7FlashForCausalLM",
                                                        "Step3p7ForConditionalGeneration"};
bool has_dense_modules(const ModelArchitecture& target) {
  return std::find(kDenseModules.begin(), kDenseModules.end(), target.architecture) != kDenseModules.end();
}

// V4.1's `mtp.*` are stages of a DSpark drafter, which vLLM refuses as method mtp too.
constexpr std::string_view kDSparkTarget = "DeepseekV41ForCausalLM";

const LayerGroup* windowed_layer(const ModelArchitecture& target) {
  for (const LayerGroup& group : target.layers)
    if (const auto* attention = std::get_if<Attention>(&group.mixer); attention && attention->windowed())
      return &group;
  return nullptr;
}

// An EAGLE layer of a mixture has a dense MLP, as wide as the target's widest.
DenseMlp dense_beside_experts(const ModelArchitecture& target) {
  constexpr std::int64_t kUsualRatio = 4;  // of the MLP to the hidden state
  DenseMlp mlp{.intermediate = kUsualRatio * target.hidden};
  for (const LayerGroup& group : target.layers)
    if (const auto* dense = std::get_if<DenseMlp>(&group.feed_forward))
      mlp.intermediate = std::max(mlp.intermediate, dense->intermediate);
  return mlp;
}

bool is_eagle(DraftMethod method) { return method == DraftMethod::Eagle || method == DraftMethod::Eagle3; }

// draft_vocab_size of the published heads (yuhuili/EAGLE3-LLaMA3.1-Instruct-8B) and what those who train them
// take by default (sgl-project/SpecForge, configs/*eagle3.json).
constexpr std::int64_t kEagle3Vocabulary = 32000;
// Layers of the target whose states EAGLE-3 reads (vllm/model_executor/models/llama_eagle3.py, where the
// draft's config.json lists no others).
constexpr std::int64_t kEagle3States = 3;

// The first layer of an EAGLE-3 drafter reads embeddings too (llama_eagle3.py, deepseek_eagle3.py).
void read_embeddings(Mixer& mixer) {
  if (auto* attention = std::get_if<Attention>(&mixer)) attention->reads_embeddings = true;
  if (auto* latent = std::get_if<LatentAttention>(&mixer)) latent->reads_embeddings = true;
}

}  // namespace

DraftMethod drafting_method(const ServingConfig& config, const SpeculativeConfig& speculation,
                            const ModelArchitecture& target) {
  const bool own = speculation.method == DraftMethod::Eagle && config.speculative_algorithm == "EAGLE" &&
                   speculation.model.empty() && target.mtp_layers > 0;
  return own ? DraftMethod::Mtp : speculation.method;
}

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
  if (method == DraftMethod::Mtp && target.architecture == kDSparkTarget) {
    throw Unsupported(
        fmt::format("speculative decoding: the prediction layers of {} are a DSpark drafter, which is not "
                    "modelled, expected method eagle, draft_model or ngram",
                    target.name));
  }
  if (method == DraftMethod::Mtp && has_dense_modules(target)) {
    layer.feed_forward = dense_beside_experts(target);
    if (const LayerGroup* windowed = windowed_layer(target)) layer.mixer = windowed->mixer;
  }
  if (is_eagle(method)) {
    if (layer.mixture() != nullptr) layer.feed_forward = dense_beside_experts(target);
    layer.schemes = {};
  }
  if (!drafts_with(target, layer)) {
    const auto other = std::find_if(target.layers.begin(), target.layers.end(),
                                    [&](const LayerGroup& group) { return drafts_with(target, group); });
    if (other != target.layers.end()) layer.mixer = other->mixer;
  }
  see_the_window_alone(layer.mixer);
  if (method == DraftMethod::Eagle3) {
    read_embeddings(layer.mixer);
    drafter.vocabulary = std::min(target.vocabulary, kEagle3Vocabulary);
    drafter.tie_embeddings = false;
  }
  layer.lookup = NoLookup{};
  drafter.layers = {layer};
  drafter.mtp_layers = 0;
  drafter.residual.block = 0;
  return drafter;
}

DrafterFusion drafter_fusion(DraftMethod method, const ModelArchitecture& target) {
  DrafterFusion fusion;
  if (method == DraftMethod::DraftModel) return fusion;
  const bool once = method == DraftMethod::Eagle3;
  const Gemm product{.scheme = plain_scheme(target.dtype),
                     .n = target.hidden,
                     .k = (once ? kEagle3States : 2) * target.hidden};
  if (once)
    fusion.each_step.add("draft fusion", 1, product);
  else
    fusion.each_pass.add("fusion", 1, product);
  return fusion;
}

Bytes drafter_weights_beside(DraftMethod method, const ModelArchitecture& target, const Sharding& sharding) {
  if (method == DraftMethod::DraftModel) return Bytes(0);
  const bool eagle3 = method == DraftMethod::Eagle3;
  double elements = element_count(eagle3 ? kEagle3States : 2, target.hidden, target.hidden);
  if (eagle3)
    elements +=
        element_count(local_vocabulary(drafter_architecture(method, target), sharding), target.hidden);
  return Bytes(elements * bytes_per_element(target.dtype));
}

std::int64_t drafter_modules(DraftMethod method, const ModelArchitecture& target) {
  return method == DraftMethod::Mtp ? target.mtp_layers : 1;
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
    const StepBatch next = next_token(batch, contexts_);
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
