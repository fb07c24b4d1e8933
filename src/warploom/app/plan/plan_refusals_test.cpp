// What a plan refuses, and in which words: one field, what is wrong, what was expected.
#include "warploom/app/plan/plan_refusals.h"

#include <gtest/gtest.h>

#include "warploom/app/emit/emit_plan.h"
#include "warploom/app/plan/make_plan.h"
#include "warploom/app/plan/plan_experiments.h"
#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

PlanRequest plain_plan() {
  PlanRequest request;
  request.model = "Llama-3.1-8B";
  request.space.gpus = {"H100-SXM"};
  request.space.tensor_parallel = {1, 2};
  request.space.max_gpus = 4;
  request.source.random = RandomPrompts{.input_len = 300, .output_len = 40};
  request.source.rate = 4;
  request.source.requests = 60;
  request.slo = {"ttft_p95_ms=800"};
  request.threads = 1;
  return request;
}

struct Refused {
  const char* message;  // its beginning
  void (*change)(PlanRequest& request);
};

const Refused kRefusedPlans[] = {
    // Limits.
    {"slo: no limit is given, expected for example", [](PlanRequest& r) { r.slo.clear(); }},
    {"slo: 'ttft_p95=800' is no limit", [](PlanRequest& r) { r.slo = {"ttft_p95=800"}; }},
    {"slo: 'ttft_p95_ms=-1' has the limit '-1'", [](PlanRequest& r) { r.slo = {"ttft_p95_ms=-1"}; }},
    {"slo: ttft_p95_ms is given twice", [](PlanRequest& r) { r.slo = {"ttft_p95_ms=1,ttft_p95_ms=2"}; }},
    {"goodput: 'ttft' is no limit", [](PlanRequest& r) { r.goodput = {"ttft"}; }},
    // The load.
    {"rate: all requests come at once", [](PlanRequest& r) { r.source.rate.reset(); }},
    {"rate is -4, expected above 0", [](PlanRequest& r) { r.source.rate = -4; }},
    {"rate: is what is to be found", [](PlanRequest& r) { r.find_max_rate = true; }},
    {"find_max_rate: the load is a closed loop",
     [](PlanRequest& r) {
       r.find_max_rate = true;
       r.source.rate.reset();
       r.source.concurrency = 4;
     }},
    {"price_kind: `rent` says how each part is rented",
     [](PlanRequest& r) {
       r.price_kind = PriceKind::Spot;
       r.rent = {"reserved=0.5", "spot"};
     }},
    {"rent: reserved has no share",
     [](PlanRequest& r) {
       r.rent = {"reserved", "on_demand"};
     }},
    {"price: of h200_sxm there is no spot price, which `rent` asks for, expected `price` "
     "h200_sxm:spot=DOLLARS_PER_HOUR, a file of `prices`, or parts of `rent` that have a price (on_demand, "
     "reserved)",
     [](PlanRequest& r) {
       r.space.gpus = {"H200"};
       r.rent = {"reserved=0.6", "spot"};
     }},
    {"price: of h200_sxm there is no spot price, expected `price` h200_sxm:spot=DOLLARS_PER_HOUR, a file of "
     "`prices`, `price_kind` on_demand or `price_kind` reserved, or another `objective` than cost",
     [](PlanRequest& r) {
       r.space.gpus = {"H200"};
       r.price_kind = PriceKind::Spot;
     }},
    {"price: of v100_sxm there is no reserved price, which `rent` asks for, expected `price` "
     "v100_sxm=DOLLARS_PER_HOUR or a file of `prices`",
     [](PlanRequest& r) {
       r.space.gpus = {"V100"};
       r.rent = {"reserved=0.6", "on_demand"};
     }},
    {"rent: the shares add up to 1.2",
     [](PlanRequest& r) {
       r.rent = {"reserved=0.5", "on_demand=0.7"};
     }},
    {"max_power_kw: of l40s no node with its power is recorded",
     [](PlanRequest& r) {
       r.space.gpus = {"L40S"};
       r.max_power_kw = 10;
     }},
    {"max_racks: how many nodes of h100_sxm a rack holds", [](PlanRequest& r) { r.max_racks = 1; }},
    {"rack_power_kw is 5, and one HGX H100 8-GPU takes 10.2 kW", [](PlanRequest& r) { r.rack_power_kw = 5; }},
    // The space.
    {"gpu_names: is empty", [](PlanRequest& r) { r.space.gpus.clear(); }},
    {"GPU 'H100SMX' is not known (did you mean", [](PlanRequest& r) { r.space.gpus = {"H100SMX"}; }},
    {"model 'Lama' is not known (did you mean", [](PlanRequest& r) { r.model = "Lama"; }},
    {"tensor_parallel_sizes: is empty", [](PlanRequest& r) { r.space.tensor_parallel.clear(); }},
    {"tensor_parallel_sizes is 0",
     [](PlanRequest& r) {
       r.space.tensor_parallel = {0, 1};
     }},
    {"max_gpus is 4, and the smallest instance of the space takes 8",
     [](PlanRequest& r) { r.space.tensor_parallel = {8}; }},
    {"engines: 'foo' is not known, expected one of: vllm",
     [](PlanRequest& r) {
       r.space.engines = {"vllm", "foo"};
     }},
    {"engines: 'newest' is no version of vllm", [](PlanRequest& r) { r.space.engines = {"vllm:newest"}; }},
    {"quantizations: 'fp7' is unknown",
     [](PlanRequest& r) {
       r.space.quantizations = {"stored", "fp7"};
     }},
    {"kv_cache_dtype: 'fp7' is unknown", [](PlanRequest& r) { r.kv_cache_dtype = "fp7"; }},
    {"top: nothing is written, expected `emit` too", [](PlanRequest& r) { r.top = 3; }},
    {"speculations: 'eagle3' is no draft, expected none, METHOD:TOKENS or METHOD:TOKENS:MODEL",
     [](PlanRequest& r) { r.space.speculations = {"eagle3"}; }},
    {"speculations: 'egale:3' is no draft: speculative_config: method 'egale' is not modelled",
     [](PlanRequest& r) { r.space.speculations = {"egale:3"}; }},
    {"speculations: needs the acceptance of drafts",
     [](PlanRequest& r) { r.space.speculations = {"eagle3:3"}; }},
    {"acceptance_length: changes nothing without drafts", [](PlanRequest& r) { r.acceptance_length = 2; }},
    {"expert_routing: says how tokens choose experts", [](PlanRequest& r) { r.expert_routing = "uniform"; }},
    {"require_tier: 'cross_gpu' is no tier", [](PlanRequest& r) { r.require_tier = "cross_gpu"; }},
    {"gpu_names: nothing in the space can run (kernels never measured on this GPU)",
     [](PlanRequest& r) { r.require_tier = "measured"; }},
    {"gpu_names: the model fits on none of them at any size allowed (tensor_parallel 1, 2; at most 4 GPUs): ",
     [](PlanRequest& r) { r.model = "Llama-3.1-405B"; }},
    {"gpu_count: instances of 2 GPUs do not add up to 3 GPUs",
     [](PlanRequest& r) {
       r.space.tensor_parallel = {2};
       r.gpu_count = 3;
     }},
    {"max_gpus: 10 instances of 1 GPU (spare ones included) are more than 4 GPUs",
     [](PlanRequest& r) { r.spare_instances = 9; }},
    // Money.
    {"price: of p4 there is no on_demand price, expected `price` p4=DOLLARS_PER_HOUR",
     [](PlanRequest& r) { r.space.gpus = {"P4"}; }},
    {"price: 'H100-SXM=-3' is no price", [](PlanRequest& r) { r.price = {"H100-SXM=-3"}; }},
    {"price: h200_sxm is not among the GPUs", [](PlanRequest& r) { r.price = {"H200=3"}; }},
    {"day_price: h200_sxm is not among the GPUs", [](PlanRequest& r) { r.day_price = {"H200@8-20=3"}; }},
    {"start_hour: matters where pools scale", [](PlanRequest& r) { r.start_hour = 9; }},
    // The fleet.
    {"router_signal_interval_s: requests go to instances in turn",
     [](PlanRequest& r) { r.fleet.signal_interval = Seconds(0.1); }},
    {"unserved_share: no request is turned away", [](PlanRequest& r) { r.unserved_share = 0.1; }},
    {"max_instances: the number of instances follows the load",
     [](PlanRequest& r) {
       r.autoscaling.max_instances = 4;
       r.gpu_count = 4;
     }},
};

std::string message_of_plan(const PlanRequest& request) {
  try {
    (void)make_plan(request, fixed_latency());
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PlanRefusals, NameTheFieldWhatIsWrongAndWhatWasExpected) {
  ASSERT_EQ(message_of_plan(plain_plan()), "accepted");
  for (const Refused& one : kRefusedPlans) {
    PlanRequest request = plain_plan();
    one.change(request);
    const std::string message = message_of_plan(request);
    EXPECT_TRUE(message.starts_with(one.message)) << message << "\nexpected: " << one.message;
  }
}

// DeepSeek's own report says how many second tokens are accepted, and of no others.
TEST(PlanRefusals, DraftsOfPublishedAcceptanceNeedNoneStated) {
  PlanRequest request = plain_plan();
  const ModelArchitecture model = load_model("DeepSeek-V3");
  request.space.speculations = {"none", "mtp:1"};
  const Workload steady{.name = "steady",
                        .requests = {{SimTime(), 300, 40}, {SimTime(1'000'000'000), 300, 40}}};
  EXPECT_NO_THROW(check_plan_request(request, steady, model));
  request.space.speculations = {"mtp:1", "mtp:2"};
  try {
    check_plan_request(request, steady, model);
    ADD_FAILURE() << "mtp:2 is taken";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("none is published for mtp:2 of deepseek-ai/DeepSeek-V3"),
              std::string::npos)
        << error.what();
  }
}

TEST(PlanRefusals, ALimitThatNothingCanKeepIsNamedWithTheNearestThatCan) {
  PlanRequest request = plain_plan();
  request.slo = {"ttft_p95_ms=0.01,tpot_p95_ms=1000"};
  const PlanResult plan = make_plan(request, fixed_latency());
  EXPECT_NE(plan.contradiction.find("ttft_p95_ms cannot be kept below 0.01 ms"), std::string::npos)
      << plan.contradiction;
  ASSERT_TRUE(plan.search.nearest.has_value());
  const NearMiss& near = *plan.search.nearest;
  EXPECT_EQ(near.binding.name, "ttft_p95_ms");
  // The value that a simulated run reached can be kept.
  request.slo = {"ttft_p95_ms=" + std::to_string(near.binding.figure * 1.01) + ",tpot_p95_ms=1000"};
  EXPECT_TRUE(make_plan(request, fixed_latency()).search.best.has_value()) << near.binding.figure;
}

TEST(PlanRefusals, ALoadBeyondTheSpaceIsAnAnswerWithWhatItCanServe) {
  PlanRequest request = plain_plan();
  request.source.rate = 1e6;
  const PlanResult plan = make_plan(request, fixed_latency());
  EXPECT_FALSE(plan.search.best.has_value());
  EXPECT_NE(
      plan.contradiction.find("requests/s are more than any deployment of the space can serve: at most"),
      std::string::npos)
      << plan.contradiction;
}

TEST(PlanRefusals, AFormatIsRefusedBeforeTheSearch) {
  const PlanRequest request = plain_plan();
  EXPECT_THROW(check_emit_format(request, "helm"), NotFound);
  EXPECT_THROW(check_emit_format(request, "sglang"), InvalidInput);
  check_emit_format(request, "vllm");
  check_emit_format(request, "k8s");
  check_emit_format(request, "llm-d");
  PlanRequest other = request;
  other.space.engines = {"sglang"};
  EXPECT_THROW(check_emit_format(other, "llm-d"), InvalidInput);
  other.space.engines = {"sglang", "vllm"};
  check_emit_format(other, "llm-d");
}

TEST(PlanRefusals, ExperimentsAreRefusedBeforeTheFirstRunsAndByName) {
  const ScratchFolder folder;
  const auto said = [&](const std::string& second) {
    PlansRequest request;
    request.file = folder.write(
        "plans.yaml",
        "defaults: {model: Llama-3.1-8B, slo: [ttft_p95_ms=800], source: {rate: 5, random: "
        "{random_input_len: 300}}, space: {gpu_names: [H100-SXM]}}\nexperiments: [{name: a}, {name: b, " +
            second + "}]\n");
    try {
      check_experiments(request, read_experiments(request.file).each);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(said("growth: 2"), "accepted");
  for (const auto& [second, part] : std::vector<std::pair<std::string, std::string>>{
           {"slo: []", "experiment 'b': slo: no limit is given"},
           {"modell: x", "experiment 'b': unknown key 'modell' in plan (did you mean 'model'?)"},
           {"source: {rate: fast}", "experiment 'b': 'source': 'rate' is \"fast\", expected a number"},
           {"model: Lama", "experiment 'b': model 'Lama' is not known"},
           {"prices: nowhere.json", "experiment 'b': nowhere.json: no such file"},
           {"growth: 0", "experiment 'b': 'growth'"}}) {
    const std::string message = said(second);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace warploom
