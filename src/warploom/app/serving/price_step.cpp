#include "warploom/app/serving/price_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/price_graph.h"
#include "warploom/app/serving/required_tier.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/app/serving/step_fit.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"

namespace warploom {

FieldTable StepRequest::describe() {
  using R = StepRequest;
  return RequestFields<R>("step")
      .add("setup", &R::setup, {.doc = "model, GPU and engine"})
      .add("prefill", &R::prefill, {.doc = "BxL: B prompts of L tokens"})
      .add("decode", &R::decode, {.doc = "BxL: B requests that add a token to L cached ones"})
      .table();
}

namespace {

constexpr std::int64_t kMostTokens = 100'000'000;

StepShape shape_of(const StepRequest& request) {
  if (request.prefill.empty() && request.decode.empty()) {
    throw InvalidInput(
        "step: no batch given, expected `prefill` BxL or `decode` BxL, for example `prefill` 4x1024");
  }
  StepShape shape;
  if (!request.prefill.empty()) {
    const BatchShape batch = parse_batch_shape(request.prefill, "prefill");
    shape = StepShape::whole_prompts(batch.requests, batch.tokens);
  }
  if (!request.decode.empty()) {
    const BatchShape batch = parse_batch_shape(request.decode, "decode");
    shape.decode.push_back({batch.requests, 1, batch.tokens});
  }
  shape.logits_rows = shape.requests();
  return shape;
}

void check_batch_fits(const StepRequest& request, const ServingSetup& setup) {
  std::int64_t longest = 0, held = 0;
  const auto add = [&](const std::string& text, const char* where, std::int64_t new_tokens) {
    if (text.empty()) return;
    const BatchShape batch = parse_batch_shape(text, where);
    longest = std::max(longest, batch.tokens + new_tokens);
    held += batch.requests * (batch.tokens + new_tokens);
  };
  add(request.prefill, "prefill", 0);
  add(request.decode, "decode", 1);
  check_step_fits(setup, longest, held);
}

std::string batch_text(const StepRequest& request) {
  std::string text;
  if (!request.prefill.empty()) text = "prefill " + request.prefill;
  if (!request.decode.empty()) text += (text.empty() ? "decode " : " with decode ") + request.decode;
  return text;
}

KernelRow row_of(const PricedNode& priced) {
  const auto calls = double(priced.node.count);
  const LatencyEstimate& estimate = priced.one_call;
  return {.label = std::string(priced.node.label),
          .family = family_of(priced.node.op),
          .calls = calls,
          .p10 = estimate.p10 * calls,
          .p50 = estimate.p50 * calls,
          .p90 = estimate.p90 * calls,
          .bound = estimate.bound,
          .source = priced.source};
}

// Layer groups that differ elsewhere repeat kernels; one row holds what is alike.
void add_row(std::vector<KernelRow>& rows, const KernelRow& added) {
  const auto same = std::find_if(rows.begin(), rows.end(), [&](const KernelRow& row) {
    return row.label == added.label && row.family == added.family && row.source == added.source &&
           row.p50.value() * added.calls == added.p50.value() * row.calls;
  });
  if (same == rows.end()) {
    rows.push_back(added);
    return;
  }
  same->calls += added.calls;
  same->p10 += added.p10;
  same->p50 += added.p50;
  same->p90 += added.p90;
}

}  // namespace

BatchShape parse_batch_shape(const std::string& text, const std::string& where) {
  const auto refuse = [&]() -> InvalidInput {
    return InvalidInput(
        fmt::format("{}: '{}' is not a batch, expected REQUESTSxTOKENS, for example 4x1024", where, text));
  };
  const auto number = [&](const char* begin, const char* end) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || stop != end || value < 1 || value > kMostTokens) throw refuse();
    return value;
  };
  const std::size_t times = text.find('x');
  if (times == std::string::npos) throw refuse();
  const char* begin = text.data();
  return {number(begin, begin + times), number(begin + times + 1, begin + text.size())};
}

StepBreakdown price_step(const StepRequest& request, std::shared_ptr<const LatencyModel> latency) {
  const StepShape shape = shape_of(request);
  const ServingSetup setup = resolve_asked(request.setup, std::move(latency));
  check_batch_fits(request, setup);
  StepBreakdown step;
  step.model = setup.model.name;
  step.gpu = setup.gpu->name;
  step.engine = setup.engine_text();
  step.expert_routing = setup.expert_routing();
  step.host_profile = setup.host_profile;
  step.gpus = setup.sharding.gpus_per_replica();
  step.kv_cache_tokens = setup.kv_cache_tokens();
  step.batch = batch_text(request);
  step.tokens = shape.tokens();
  const PricedGraph graph = price_graph(setup, shape);
  for (const PricedNode& priced : graph.nodes) add_row(step.kernels, row_of(priced));
  std::stable_sort(step.kernels.begin(), step.kernels.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.p50 > b.p50; });
  std::vector<KernelTime> times;
  for (const KernelRow& row : step.kernels)
    times.push_back({.family = row.family,
                     .label = row.label,
                     .time = row.p50,
                     .calls = row.calls,
                     .source = row.source});
  check_required_tier(request.setup.require_tier, times);
  step.trust = trust_of(times);
  step.hidden = graph.hidden;
  step.in_halves = graph.in_halves;
  step.afd = graph.afd;
  step.gpu_p10 = graph.gpu.p10;
  step.gpu_p50 = graph.gpu.p50;
  step.gpu_p90 = graph.gpu.p90;
  step.host = graph.host;
  step.host_least = graph.host_least;
  step.host_most = graph.host_most;
  return step;
}

StepBreakdown price_step(const StepRequest& request) {
  return price_step(request, open_latency_model(request.setup.predictor, request.setup.files));
}

}  // namespace warploom
