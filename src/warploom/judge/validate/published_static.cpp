#include "warploom/judge/validate/published_static.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/baselines/method_model.h"

namespace warploom {
namespace {

constexpr std::int64_t kActivationBytes = 2;  // bf16

void check_composable(const PublishedBatch& batch) {
  const ModelArchitecture& model = batch.model;
  const bool plain = std::all_of(model.layers.begin(), model.layers.end(), [&](const LayerGroup& group) {
    const auto* attention = std::get_if<Attention>(&group.mixer);
    const auto* mlp = std::get_if<DenseMlp>(&group.feed_forward);
    return attention != nullptr && !attention->windowed() && group.mixer == model.layers.front().mixer &&
           mlp != nullptr && mlp->gated && group.feed_forward == model.layers.front().feed_forward;
  });
  if (!plain)
    throw Unsupported(fmt::format(
        "{}: the published composition has full attention and a gated dense MLP alone", model.name));
}

class PublishedComposer {
 public:
  PublishedComposer(const PublishedBatch& batch, const LatencyModel& latency)
      : batch_(batch),
        model_(batch.model),
        attention_(std::get<Attention>(model_.layers.front().mixer)),
        mlp_(std::get<DenseMlp>(model_.layers.front().feed_forward)),
        latency_(latency) {}

  Seconds prefill() {
    AttentionPrefill attention{.heads = heads(), .kv_heads = kv_heads(), .head_dim = attention_.head_dim};
    std::int64_t tokens = 0;
    for (const std::int32_t prompt : batch_.prompts) {
      attention.requests.push_back({.count = 1, .query_tokens = prompt});
      tokens += prompt;
    }
    return pass(tokens, attention);
  }
  Seconds decode(std::int64_t step) {
    AttentionDecode attention{.heads = heads(), .kv_heads = kv_heads(), .head_dim = attention_.head_dim};
    for (const std::int32_t prompt : batch_.prompts)
      attention.requests.push_back({.count = 1, .query_tokens = 1, .context_tokens = prompt + step - 1});
    return pass(std::ssize(batch_.prompts), attention);
  }
  Seconds collectives, roofline;

 private:
  std::int64_t heads() const { return attention_.heads / batch_.tensor_parallel; }
  std::int64_t kv_heads() const {
    return std::max<std::int64_t>(1, attention_.kv_heads / batch_.tensor_parallel);
  }

  Seconds price(const Operator& op, double count) {
    KernelContext context = batch_.names.of(op, batch_.gpu);
    // A method without the engine's kernel answers with what it has for the operator.
    if (const auto* method = dynamic_cast<const MethodModel*>(&latency_);
        method != nullptr && !method->lacks(op, batch_.gpu, context).empty())
      context = {};
    const LatencyEstimate estimate = latency_.estimate(op, batch_.gpu, context);
    const Seconds time = estimate.p50 * count;
    if (estimate.tier == Tier::Roofline) roofline += time;
    return time;
  }

  template <class Attention>
  Seconds pass(std::int64_t tokens, const Attention& attention) {
    const auto layers = double(model_.layer_count());
    const std::int64_t tp = batch_.tensor_parallel, hidden = model_.hidden, wide = mlp_.intermediate / tp;
    const std::int64_t q = heads() * attention_.head_dim, kv = kv_heads() * attention_.head_dim;
    Seconds time = price(Gemm{.m = tokens, .n = q + 2 * kv, .k = hidden}, layers);
    time += price(Gemm{.m = tokens, .n = hidden, .k = q}, layers);
    time += price(Gemm{.m = tokens, .n = 2 * wide, .k = hidden}, layers);
    time += price(Gemm{.m = tokens, .n = hidden, .k = wide}, layers);
    time += price(Gemm{.m = std::ssize(batch_.prompts), .n = model_.vocabulary, .k = hidden}, 1);
    time += price(attention, layers);
    time += price(RmsNorm{.tokens = tokens, .width = hidden}, 2 * layers + 1);
    time += price(Activation{.tokens = tokens, .width = wide}, layers);
    return time + communication(tokens, layers);
  }

  Seconds communication(std::int64_t tokens, double layers) {
    const Bytes size(double(tokens * model_.hidden * kActivationBytes));
    Seconds time{0.0};
    if (batch_.tensor_parallel > 1)
      time +=
          price(Collective{.kind = CollectiveKind::AllReduce, .size = size, .ranks = batch_.tensor_parallel},
                2 * layers);
    if (batch_.pipeline_parallel > 1)
      time += price(Collective{.kind = CollectiveKind::SendRecv, .size = size * 2.0, .ranks = 2},
                    double(batch_.pipeline_parallel - 1));
    collectives += time;
    return time;
  }

  const PublishedBatch& batch_;
  const ModelArchitecture& model_;
  const Attention& attention_;
  const DenseMlp& mlp_;
  const LatencyModel& latency_;
};

}  // namespace

Seconds StepHost::step(Seconds gpu) const {
  return gpu + dispatch + std::max(Seconds(0.0), overlap_floor - gpu) + serial_tail;
}

PublishedBatchTime price_published_batch(const PublishedBatch& batch, const LatencyModel& latency) {
  check_composable(batch);
  PublishedComposer composer(batch, latency);
  PublishedBatchTime time;
  time.prefill = batch.prefill_host.step(composer.prefill());
  Seconds decode{0.0};
  for (std::int64_t step = 1; step < batch.output_tokens; ++step)
    decode += batch.decode_host.step(composer.decode(step));
  if (batch.output_tokens > 1) time.decode_mean = decode * (1.0 / double(batch.output_tokens - 1));
  time.total = time.prefill + decode;
  time.collectives = composer.collectives;
  time.roofline = composer.roofline;
  return time;
}

}  // namespace warploom
