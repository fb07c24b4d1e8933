#include "warploom/app/price_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "warploom/app/latency_models.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::int64_t kMostTokens = 100'000'000;

StepShape shape_of(const StepRequest& request) {
  if (request.prefill.empty() && request.decode.empty()) {
    throw InvalidInput(
        "step: no batch given, expected --prefill BxL or --decode BxL, for example --prefill 4x1024");
  }
  StepShape shape;
  if (!request.prefill.empty()) {
    const BatchShape batch = parse_batch_shape(request.prefill, "--prefill");
    shape.prefill = {{batch.requests, batch.tokens, 0}};
  }
  if (!request.decode.empty()) {
    const BatchShape batch = parse_batch_shape(request.decode, "--decode");
    shape.decode = {{batch.requests, 1, batch.tokens}};
  }
  shape.logits_rows = shape.requests();
  return shape;
}

std::string batch_text(const StepRequest& request) {
  std::string text;
  if (!request.prefill.empty()) text = "prefill " + request.prefill;
  if (!request.decode.empty()) text += (text.empty() ? "decode " : " with decode ") + request.decode;
  return text;
}

KernelRow row_of(const OperatorNode& node, const LatencyEstimate& estimate) {
  const auto calls = double(node.count);
  return {.label = std::string(node.label),
          .family = family_of(node.op),
          .calls = calls,
          .p10 = estimate.p10 * calls,
          .p50 = estimate.p50 * calls,
          .p90 = estimate.p90 * calls,
          .bound = estimate.bound,
          .tier = estimate.tier,
          .extrapolated = estimate.extrapolated};
}

// Layer groups that differ elsewhere repeat kernels; one row holds what is alike.
void add_row(std::vector<KernelRow>& rows, const KernelRow& added) {
  const auto same = std::find_if(rows.begin(), rows.end(), [&](const KernelRow& row) {
    return row.label == added.label && row.family == added.family && row.tier == added.tier &&
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

void add_interval(StepBreakdown& step) {
  double below = 0, above = 0;
  for (const KernelRow& kernel : step.kernels) {
    step.gpu_p50 += kernel.p50;
    below += std::pow((kernel.p50 - kernel.p10).value(), 2);
    above += std::pow((kernel.p90 - kernel.p50).value(), 2);
  }
  step.gpu_p50 -= step.hidden;
  step.gpu_p10 = step.gpu_p50 - Seconds(std::sqrt(below));
  step.gpu_p90 = step.gpu_p50 + Seconds(std::sqrt(above));
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

StepBreakdown price_step(const StepRequest& request, const LatencyModel& latency) {
  const StepShape shape = shape_of(request);
  const ServingSetup setup = resolve_serving(request.setup, latency);
  StepBreakdown step;
  step.model = setup.model.name;
  step.gpu = setup.gpu->name;
  step.engine = setup.engine_text();
  step.gpus = setup.sharding.gpus_per_replica();
  step.kv_cache_tokens = setup.kv_cache_tokens();
  step.batch = batch_text(request);
  step.tokens = shape.tokens();
  Seconds shared(0.0), routed(0.0);
  for (const OperatorNode& node : build_operator_graph(setup.model, setup.sharding, shape, setup.graph)) {
    const KernelRow row = row_of(node, setup.latency->estimate(node.op, *setup.gpu, setup.context(node.op)));
    if (runs_beside_experts(node)) shared += row.p50;
    if (std::holds_alternative<FusedMoe>(node.op)) routed += row.p50;
    add_row(step.kernels, row);
  }
  std::stable_sort(step.kernels.begin(), step.kernels.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.p50 > b.p50; });
  step.hidden = hidden_beside_experts(shared, routed);
  add_interval(step);
  const bool launches = !request.prefill.empty() && shape.tokens() > largest_prefill_graph(setup.config);
  step.host = setup.config.host.overhead(step.gpu_p50, shape.requests(), launches);
  return step;
}

StepBreakdown price_step(const StepRequest& request) {
  const auto latency = open_latency_model(request.setup.predictor);
  return price_step(request, *latency);
}

}  // namespace warploom
