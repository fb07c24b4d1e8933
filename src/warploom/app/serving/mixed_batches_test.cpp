// Decoding batches of unlike requests: what sums over the batch say against its requests one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/price_graph.h"

namespace warploom {
namespace {

ServingSetup setup_of(const char* model, std::int64_t tp) {
  static const std::shared_ptr<const LatencyModel> shipped = open_latency_model("");
  ServingSetupRequest request;
  request.model = model;
  request.gpu = "h100_sxm";
  request.config.tensor_parallel_size = tp;
  return resolve_serving(request, shipped, MemoryCheck::None);
}

bool is_decode_attention(Family family) {
  return family == Family::AttentionDecode || family == Family::MlaDecode;
}

// Seconds of decode attention by the operators of the step, every request as it is.
double one_by_one(const ServingSetup& setup, const std::vector<std::int32_t>& contexts) {
  StepShape shape{.logits_rows = std::ssize(contexts)};
  for (const std::int32_t context : contexts) shape.decode.push_back({1, 1, context});
  double seconds = 0;
  for (const PricedNode& priced : price_graph(setup, shape).nodes)
    if (is_decode_attention(family_of(priced.node.op)))
      seconds += priced.one_call.p50.value() * double(priced.node.count);
  return seconds;
}

// The same as a run prices it.
double by_sums(const ServingSetup& setup, const std::vector<std::int32_t>& contexts) {
  StepBatch batch;
  batch.set_decode(contexts);
  batch.emitting = batch.logits_rows = std::ssize(contexts);
  const std::unique_ptr<StepPricer> pricer = setup.pricer->clone();
  pricer->price(batch);
  double seconds = 0;
  for (const KernelTime& kernel : pricer->breakdown())
    if (is_decode_attention(kernel.family)) seconds += kernel.time.value();
  return seconds;
}

std::vector<std::int32_t> drawn_contexts(std::mt19937_64& random, int requests) {
  std::uniform_int_distribution<std::int32_t> context(200, 4000);
  std::vector<std::int32_t> contexts;
  for (int i = 0; i < requests; ++i) contexts.push_back(context(random));
  return contexts;
}

struct Errors {
  double median = 0, largest = 0;
};

Errors errors_of(const ServingSetup& setup) {
  std::mt19937_64 random(7);
  std::vector<double> errors;
  for (int i = 0; i < 30; ++i) {
    const auto contexts = drawn_contexts(random, 4 << (i % 6));
    errors.push_back(std::abs(by_sums(setup, contexts) / one_by_one(setup, contexts) - 1));
  }
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors.back()};
}

// Most of what is left is what the predictor adds for the longest request of a few, which engines do not
// show.
TEST(MixedBatches, SumsAreNearTheRequestsOneByOne) {
  struct Case {
    const char* model;
    std::int64_t tp;
  };
  for (const Case& test : {Case{"Llama-3.1-8B", 1}, Case{"gemma-3-27b-it", 1}, Case{"gpt-oss-120b", 1},
                           Case{"Llama-4-Scout-17B-16E-Instruct", 8}}) {
    const Errors errors = errors_of(setup_of(test.model, test.tp));
    SCOPED_TRACE(test.model);
    EXPECT_LT(errors.median, 0.08);
    EXPECT_LT(errors.largest, 0.25);
  }
}

// Half the requests within a window of 1,024 tokens, half far beyond it.
TEST(MixedBatches, AWindowIsNotReadForRequestsThatAreShorter) {
  const ServingSetup setup = setup_of("gemma-3-27b-it", 1);
  std::vector<std::int32_t> contexts(64, 16);
  contexts.resize(128, 8000);
  EXPECT_NEAR(by_sums(setup, contexts) / one_by_one(setup, contexts), 1, 0.05);
}

}  // namespace
}  // namespace warploom
