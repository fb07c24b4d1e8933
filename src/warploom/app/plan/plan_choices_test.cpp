// Images, encoders apart, exchanges of experts and shared caches as parts of a plan's search.
#include <gtest/gtest.h>

#include <set>

#include "warploom/app/emit/emit_plan.h"
#include "warploom/app/plan/make_plan.h"
#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/base/error.h"
#include "warploom/models/contains_text.h"

namespace warploom {
namespace {

PlanRequest small_plan(const std::string& model) {
  PlanRequest request;
  request.model = model;
  request.space.gpus = {"H100-SXM"};
  request.space.tensor_parallel = {1};
  request.space.max_gpus = 8;
  request.source.random = RandomPrompts{.input_len = 300, .output_len = 30};
  request.source.rate = 10;
  request.source.requests = 120;
  request.slo = {"ttft_p95_ms=2000", "tpot_p95_ms=60"};
  request.threads = 2;
  return request;
}

// Everything that was found, and that pruning changed nothing of the best.
SearchResult searched(PlanRequest request) {
  const SearchResult pruned = make_plan(request, fixed_latency()).search;
  request.exhaustive = true;
  SearchResult all = make_plan(request, fixed_latency()).search;
  EXPECT_TRUE(all.best && pruned.best);
  if (all.best && pruned.best) {
    EXPECT_TRUE(all.points[*all.best].configuration == pruned.points[*pruned.best].configuration);
    EXPECT_TRUE(all.points[*all.best].fleet == pruned.points[*pruned.best].fleet);
  }
  return all;
}

std::string refusal_of(const PlanRequest& request) {
  try {
    const PlanResult plan = make_plan(request, fixed_latency());
    if (!request.emit.empty()) (void)emit_plan(request, plan, request.emit);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(PlanChoices, EncodersApartArePaidForAndComparedWithEnginesThatEncode) {
  PlanRequest request = small_plan("Qwen3-VL-8B-Instruct");
  request.source.images = 2;
  request.source.image_size = "640x480";
  request.space.encoder_instances = {0, 1, 2};
  request.whole_nodes = true;
  const SearchResult all = searched(request);
  std::set<std::int64_t> found;
  for (const PlanPoint& point : all.points) {
    const std::int64_t encoders = point.configuration.encoders;
    found.insert(encoders);
    EXPECT_EQ(point.gpus, point.fleet.instances + encoders);
    EXPECT_EQ(point.rented.gpus(), (point.gpus + 7) / 8 * 8);  // encoders fill what engines leave of a node
  }
  EXPECT_EQ(found, (std::set<std::int64_t>{0, 1, 2}));
  // Prompts are longer by their images.
  EXPECT_NEAR(make_plan(request, fixed_latency()).load.mean_input, 300 + 2 * 300, 1);
}

TEST(PlanChoices, ImagesBehindASharedPrefixAreServedFromTheCache) {
  PlanRequest request = small_plan("Qwen3-VL-8B-Instruct");
  request.source.random->prefix_len = 2048;
  request.source.images = 1;
  request.source.image_size = "640x480";
  request.space.prefix_caching = Tried::Both;
  double with = 0, without = 0;
  const PlanResult plan = make_plan(request, open_latency_model("roofline", request.files));
  for (const PlanPoint& point : plan.search.points)
    if (point.median_least && point.fleet.instances == 1)
      (point.configuration.prefix_caching ? with : without) = point.figures.metrics.ttft.mean.value();
  EXPECT_GT(with, 0);
  EXPECT_LT(with, without);
}

TEST(PlanChoices, ExchangesOfExpertsAreSearched) {
  PlanRequest request = small_plan("Qwen3-30B-A3B");
  request.space.data_parallel = {1, 4};
  request.space.expert_parallel = Tried::On;
  request.space.moe_exchanges = {"collectives", "deepep_normal", "deepep_low_latency", "deepep", "megamoe"};
  const SearchResult all = searched(request);
  std::set<std::size_t> found;
  for (const PlanPoint& point : all.points) {
    found.insert(point.configuration.shape.exchange);
    EXPECT_EQ(point.configuration.shape.exchange > 0, point.configuration.shape.data_parallel > 1);
  }
  // `deepep` is none of vLLM's, MegaMoE asks for another GPU, and DeepEP's normal kernels wait for the host.
  EXPECT_EQ(found, (std::set<std::size_t>{0, 1, 3}));
  const PlanResult plan = make_plan(request, fixed_latency());
  for (std::size_t i = 0; i < plan.labels.size(); ++i)
    if (plan.search.points[i].configuration.shape.exchange == 3) {
      EXPECT_PRED2(contains_text, plan.labels[i].shape, "ep deepep_low_latency");
    }
}

TEST(PlanChoices, AStoreIsWeighedAgainstItsPrice) {
  PlanRequest request = small_plan("Llama-3.1-8B");
  request.source.random->prefix_len = 4096;
  request.shared_kv.store_size = 50;
  request.shared_kv.peers = KvPeers::Any;
  request.space.shared_caches = Tried::Both;
  request.kv_store_price = 0.01;
  const SearchResult all = searched(request);
  std::set<bool> found;
  for (const PlanPoint& point : all.points) {
    found.insert(point.configuration.shared_caches);
    double dollars = 0;
    for (const RentedShare& share : point.shares) dollars += share.dollars;
    EXPECT_NEAR(point.rent - dollars, point.configuration.shared_caches ? 0.5 : 0, 1e-9);
  }
  EXPECT_EQ(found, (std::set<bool>{false, true}));
  EXPECT_FALSE(all.points[*all.best].configuration.shared_caches);  // the same fleet, and dearer
  request.space.shared_caches = Tried::On;
  const PlanResult plan = make_plan(request, fixed_latency());
  EXPECT_EQ(plan.labels[*plan.search.best].shared_caches, "a store of 50 GiB and peers (any)");
}

TEST(PlanChoices, WhatNoFileStartsIsRefusedByName) {
  PlanRequest request = small_plan("Qwen3-VL-8B-Instruct");
  request.emit = "k8s";
  request.source.images = 1;
  request.space.encoder_instances = {1};
  EXPECT_PRED2(contains_text, refusal_of(request), "expected `encoder_instances` 0");
  request = small_plan("Llama-3.1-8B");
  request.emit = "vllm";
  request.shared_kv.store_size = 50;
  EXPECT_PRED2(contains_text, refusal_of(request), "expected `shared_caches` off");
  request = small_plan("Qwen3-30B-A3B");
  request.emit = "dynamo";
  request.space.feed_forward_ranks = {2};
  EXPECT_PRED2(contains_text, refusal_of(request), "num_ffn_ranks: attention and feed-forward apart");
}

TEST(PlanChoices, WhatChangesNothingIsRefused) {
  const auto refused = [](const std::string& model, void (*change)(PlanRequest & request)) {
    PlanRequest request = small_plan(model);
    change(request);
    return refusal_of(request);
  };
  EXPECT_PRED2(contains_text,
               refused("Qwen3-VL-8B-Instruct", [](PlanRequest& r) { r.space.encoder_instances = {1}; }),
               "encoder_instances changes nothing by itself");
  EXPECT_PRED2(contains_text, refused("Llama-3.1-8B", [](PlanRequest& r) { r.source.images = 1; }),
               "Llama-3.1-8B has no encoder of images");
  EXPECT_PRED2(contains_text,
               refused("Qwen3-VL-8B-Instruct",
                       [](PlanRequest& r) {
                         r.source.images = 1;
                         r.space.encoder_instances = {1};
                         r.spare_instances = 1;
                       }),
               "encoder_instances: encoders that scale or may fail are not modelled");
  EXPECT_PRED2(contains_text, refused("Llama-3.1-8B", [](PlanRequest& r) { r.kv_store_price = 1; }),
               "kv_store_price: there is no store");
  EXPECT_PRED2(contains_text,
               refused("Llama-3.1-8B", [](PlanRequest& r) { r.space.shared_caches = Tried::Both; }),
               "shared_caches changes nothing by itself");
  EXPECT_PRED2(contains_text,
               refused("Llama-3.1-8B",
                       [](PlanRequest& r) {
                         r.shared_kv.store_size = 1;
                         r.space.prefix_caching = Tried::Off;
                       }),
               "kv_store_size: prefixes are shared");
  EXPECT_PRED2(contains_text,
               refused("Llama-3.1-8B", [](PlanRequest& r) { r.space.moe_exchanges = {"deepep"}; }),
               "Llama-3.1-8B has no experts");
  EXPECT_PRED2(contains_text,
               refused("Qwen3-30B-A3B", [](PlanRequest& r) { r.space.moe_exchanges = {"deepep"}; }),
               "expected `data_parallel_sizes` above 1");
  EXPECT_PRED2(contains_text,
               refused("Qwen3-30B-A3B", [](PlanRequest& r) { r.space.moe_exchanges = {"deep_ep"}; }),
               "moe_exchanges");
}

}  // namespace
}  // namespace warploom
