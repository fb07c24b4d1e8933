// Whole plans: with a latency of closed form, and with the shipped predictor.
#include "warploom/app/plan/make_plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "warploom/app/emit/emit_plan.h"
#include "warploom/app/plan/check_plan.h"
#include "warploom/app/plan/plan_load.h"
#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/base/shell_line.h"
#include "warploom/planner/run_log.h"

namespace warploom {
namespace {

PlanRequest small_plan() {
  PlanRequest request;
  request.model = "Llama-3.1-8B";
  request.space.gpus = {"H100-SXM", "L40S"};
  request.space.tensor_parallel = {1, 2};
  request.space.max_gpus = 8;
  request.source.random = RandomPrompts{.input_len = 600, .output_len = 50};
  request.source.rate = 40;
  request.source.requests = 200;
  request.slo = {"ttft_p95_ms=400", "tpot_p95_ms=30"};
  request.threads = 2;
  return request;
}

// Everything that a plan says of its points.
std::string words_of_plan(const PlanResult& plan) {
  std::string text;
  for (const PlanPoint& point : plan.search.points)
    text += run_key(point.configuration, point.fleet, {}) + run_figures_to_json(point.figures).dump() +
            std::to_string(point.objective) + (point.confident ? "sure" : "median");
  return text + std::to_string(plan.search.whole_runs) + std::to_string(plan.what_ifs.size());
}

void expect_plan_refused(const PlanRequest& request, const std::string& part) {
  try {
    (void)make_plan(request, fixed_latency());
    ADD_FAILURE() << "accepted, expected an error with: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

using PlanChoice = std::pair<Configuration, Fleet>;

std::set<PlanChoice> choices(const SearchResult& search, const std::vector<std::size_t>& indices) {
  std::set<PlanChoice> set;
  for (const std::size_t i : indices) set.insert({search.points[i].configuration, search.points[i].fleet});
  return set;
}

void expect_same_plan(PlanRequest request, const std::shared_ptr<const LatencyModel>& latency,
                      std::int64_t least) {
  const SearchResult pruned = make_plan(request, latency).search;
  request.exhaustive = true;
  const SearchResult all = make_plan(request, latency).search;
  EXPECT_GE(all.candidates, least);
  ASSERT_TRUE(all.best.has_value());
  ASSERT_TRUE(pruned.best.has_value());
  EXPECT_EQ(choices(pruned, {*pruned.best}), choices(all, {*all.best}));
  ASSERT_EQ(pruned.best_confident.has_value(), all.best_confident.has_value());
  if (all.best_confident) {
    EXPECT_EQ(choices(pruned, {*pruned.best_confident}), choices(all, {*all.best_confident}));
  }
  EXPECT_EQ(choices(pruned, pruned.speed_front), choices(all, all.speed_front));
  EXPECT_EQ(choices(pruned, pruned.cost_front), choices(all, all.cost_front));
}

TEST(MakePlan, PrunedAndExhaustiveAgreeOnSimulations) {
  PlanRequest request = small_plan();
  request.space.max_num_seqs = {16, 256};
  request.space.max_num_batched_tokens = {512, 8192};
  expect_same_plan(request, fixed_latency(), 60);
}

TEST(MakePlan, PrunedAndExhaustiveAgreeOnExpertsApart) {
  PlanRequest request = small_plan();
  request.model = "Qwen3-30B-A3B";
  request.space.gpus = {"H100-SXM"};
  request.space.tensor_parallel = {1};
  request.space.data_parallel = {1, 2, 4};
  request.space.expert_parallel = Tried::On;
  request.space.feed_forward_ranks = {0, 2, 4};
  request.space.micro_batches = {2, 3};
  request.space.routing_policies = {"engine", "least_loaded"};
  expect_same_plan(request, fixed_latency(), 20);
}

TEST(MakePlan, SaysTheSameOnAnyNumberOfThreads) {
  PlanRequest request = small_plan();
  request.space.max_num_seqs = {16, 256};
  const std::string two = words_of_plan(make_plan(request, fixed_latency()));
  request.threads = 1;
  EXPECT_EQ(words_of_plan(make_plan(request, fixed_latency())), two);
}

TEST(MakePlan, GoesOnFromItsStore) {
  const ScratchFolder folder;
  PlanRequest request = small_plan();
  request.store = folder.path() / "runs.json";
  const std::string first = words_of_plan(make_plan(request, fixed_latency()));
  EXPECT_EQ(words_of_plan(make_plan(request, fixed_latency())), first);
  request.source.rate = 41;
  expect_plan_refused(request, "another question");
  Json document = read_json_file(request.store);
  document["created_by"] = "warploom 99";
  write_json_file(request.store, document);
  request.source.rate = 40;
  expect_plan_refused(request, "was written by warploom 99");
}

// A family that was learned anew, or a trace that was recorded anew, changes no name and perhaps no price
// that one looks at.
TEST(MakePlan, StoreIsOfTheBytesThatItWasMadeFrom) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "learned");
  std::filesystem::create_directories(folder.path() / "copied");
  folder.write("learned/gemm.wlp", "gemm");
  folder.write("learned/attention_decode.wlp", "attention");
  folder.write("copied/gemm.wlp", "gemm");
  folder.write("copied/attention_decode.wlp", "attention");
  PlanRequest request = small_plan();
  request.source.random.reset();
  request.source.rate = 5;
  request.source.requests.reset();
  request.source.trace =
      folder.write("trace.csv", "arrived_s,input_tokens,output_tokens\n0,300,20\n0.1,500,30\n");
  request.store = folder.path() / "runs.json";
  request.predictor = (folder.path() / "learned").string();
  (void)make_plan(request, fixed_latency());
  request.predictor = (folder.path() / "copied").string();
  (void)make_plan(request, fixed_latency());
  folder.write("copied/attention_decode.wlp", "learned anew");
  expect_plan_refused(request, "another question");
  request.predictor = (folder.path() / "learned").string();
  folder.write("trace.csv", "arrived_s,input_tokens,output_tokens\n0,300,20\n0.1,500,31\n");
  expect_plan_refused(request, "another question");
}

TEST(MakePlan, RefusesWhatCannotBeAnswered) {
  PlanRequest request = small_plan();
  request.slo.clear();
  expect_plan_refused(request, "slo: no limit is given");
  request = small_plan();
  request.space.gpus.clear();
  expect_plan_refused(request, "gpu_names: is empty");
  request = small_plan();
  request.space.gpus = {"P4"};
  expect_plan_refused(request, "`price` p4=DOLLARS_PER_HOUR");
  request = small_plan();
  request.model = "Llama-3.1-405B";
  request.space.max_gpus = 2;
  expect_plan_refused(request, "the model fits on none of them at any size allowed");
  request = small_plan();
  request.source.rate.reset();
  expect_plan_refused(request, "rate: all requests come at once");
  request = small_plan();
  request.space.speculations = {"eagle3:3"};
  expect_plan_refused(request, "acceptance_length");
  request.acceptance_length = 2;
  request.space.speculations = {"eagle3"};
  expect_plan_refused(request, "METHOD:TOKENS");
}

TEST(MakePlan, SaysWhichLimitNothingCanMeet) {
  PlanRequest request = small_plan();
  request.slo = {"ttft_p95_ms=0.01,tpot_p95_ms=1000"};
  const PlanResult plan = make_plan(request, fixed_latency());
  EXPECT_FALSE(plan.search.best.has_value());
  EXPECT_NE(plan.contradiction.find("ttft_p95_ms cannot be kept"), std::string::npos) << plan.contradiction;
}

TEST(MakePlan, SparesGrowthAndPowerCostMore) {
  const double plain = make_plan(small_plan(), fixed_latency()).search.points[0].dollars_per_hour;
  PlanRequest request = small_plan();
  request.spare_instances = 1;
  EXPECT_GT(make_plan(request, fixed_latency()).search.points[0].dollars_per_hour, plain);
  request = small_plan();
  request.growth = 8;
  EXPECT_GT(make_plan(request, fixed_latency()).search.points[0].dollars_per_hour, plain);
  request = small_plan();
  request.power_price = 0.3;
  EXPECT_GT(make_plan(request, fixed_latency()).search.points[0].dollars_per_hour, plain);
}

TEST(MakePlan, PaysForWholeNodesWhereAskedOrWhereThePriceSaysSo) {
  PlanRequest request = small_plan();
  request.space.gpus = {"H100-SXM"};
  const PlanResult plain = make_plan(request, fixed_latency());
  ASSERT_TRUE(plain.search.best.has_value());
  const PlanPoint& one = plain.search.points[*plain.search.best];
  EXPECT_EQ(one.rented, (RentedGpus{one.gpus, 0, 0})) << "rented singly on demand";
  ASSERT_LT(one.gpus, 8);
  request.whole_nodes = true;
  const PlanResult whole = make_plan(request, fixed_latency());
  ASSERT_TRUE(whole.search.best.has_value());
  const PlanPoint& node = whole.search.points[*whole.search.best];
  EXPECT_EQ(node.rented, (RentedGpus{8, 0, 1}));
  EXPECT_DOUBLE_EQ(node.dollars_per_hour, 8 * whole.prices[0].usd_per_gpu_hour);
  request.whole_nodes.reset();
  request.price_kind = PriceKind::Spot;  // which the shipped list has of nodes alone
  const PlanResult spot = make_plan(request, fixed_latency());
  EXPECT_EQ(spot.search.points[*spot.search.best].rented.nodes, 1);
  request.whole_nodes = false;
  const PlanResult single = make_plan(request, fixed_latency());
  EXPECT_EQ(single.search.points[*single.search.best].rented.nodes, 0);
}

// A pool that scales holds its node while it holds an instance.
TEST(MakePlan, PoolsThatScalePayForWholeNodes) {
  PlanRequest request = small_plan();
  request.space.gpus = {"H100-SXM"};
  request.space.tensor_parallel = {1};
  request.autoscaling.max_instances = 4;
  const PlanResult single = make_plan(request, fixed_latency());
  ASSERT_TRUE(single.search.best.has_value());
  request.whole_nodes = true;
  const PlanResult whole = make_plan(request, fixed_latency());
  ASSERT_TRUE(whole.search.best.has_value());
  const PlanPoint& node = whole.search.points[*whole.search.best];
  EXPECT_EQ(node.rented, (RentedGpus{8, 0, 1}));
  EXPECT_NEAR(node.rent, 8 * whole.prices[0].usd_per_gpu_hour, 1e-6) << "one node, held from begin to end";
  EXPECT_LT(single.search.points[*single.search.best].rent, node.rent);
}

TEST(MakePlan, RentsABaseReservedAndPeaksOnDemand) {
  PlanRequest request = small_plan();
  request.space.gpus = {"H100-SXM"};
  request.rent = {"reserved=0.5", "on_demand"};
  const PlanResult mixed = make_plan(request, fixed_latency());
  ASSERT_TRUE(mixed.search.best.has_value());
  const PlanPoint& best = mixed.search.points[*mixed.search.best];
  ASSERT_EQ(best.shares.size(), 2U);
  EXPECT_EQ(best.shares[0].fleet.instances + best.shares[1].fleet.instances, best.fleet.instances);
  EXPECT_EQ(mixed.prices.size(), 2U) << "one of each kind";
  EXPECT_NEAR(best.rent, best.shares[0].dollars + best.shares[1].dollars, 1e-9);
  request.rent.clear();
  const PlanResult plain = make_plan(request, fixed_latency());
  EXPECT_LT(best.rent, plain.search.points[*plain.search.best].rent) << "reserved GPUs are cheaper";
}

TEST(MakePlan, KeepsToThePowerAndRacksOfARoom) {
  PlanRequest request = small_plan();
  request.space.gpus = {"H100-SXM"};
  request.max_power_kw = 10.2;
  request.max_racks = 1;
  request.rack_power_kw = 40;
  const PlanResult plan = make_plan(request, fixed_latency());
  ASSERT_TRUE(plan.search.best.has_value());
  for (const PlanPoint& point : plan.search.points) {
    EXPECT_EQ(point.room->nodes, 1);
    EXPECT_EQ(point.room->racks, 1);
    EXPECT_NEAR(*point.room->power_kw, 10.2, 1e-9);
  }
  request.max_power_kw = 10;
  expect_plan_refused(request, "max_power_kw: 1 instance of 1 GPU");
}

TEST(MakePlan, RefusesWholeNodesThatNobodyKnows) {
  PlanRequest request = small_plan();
  request.space.gpus = {"RTX 4090"};
  request.whole_nodes = true;
  expect_plan_refused(request, "whole_nodes: no node of rtx_4090 is recorded");
}

TEST(MakePlan, FindsTheHighestRateOfSomeGpus) {
  PlanRequest request = small_plan();
  request.source.rate.reset();
  request.gpu_count = 2;
  const PlanResult plan = make_plan(request, fixed_latency());
  ASSERT_TRUE(plan.search.best.has_value());
  EXPECT_TRUE(plan.find_max_rate);
  EXPECT_EQ(plan.search.points[*plan.search.best].gpus, 2);
  EXPECT_GT(plan.search.points[*plan.search.best].rate, 0);
}

// The load of an audit's first example: two GPUs keep every limit for 1,000 requests and collapse after.
PlanRequest collapsing_plan() {
  PlanRequest request;
  request.model = "Llama-3.1-8B";
  request.space.gpus = {"H100-SXM"};
  request.space.tensor_parallel = {1};
  request.source.random = RandomPrompts{.input_len = 500, .output_len = 500};
  request.source.rate = 50;
  request.slo = {"ttft_p95_ms=1000", "tpot_p95_ms=40"};
  request.fronts = false;
  request.threads = 1;
  return request;
}

TEST(SteadyPlan, AFleetThatCollapsesLaterIsNoAnswer) {
  const PlanResult plan = make_plan(collapsing_plan(), open_latency_model(""));
  ASSERT_TRUE(plan.search.best.has_value());
  const PlanPoint& best = plan.search.points[*plan.search.best];
  EXPECT_GE(best.fleet.instances, 3);
  EXPECT_EQ(best.figures.length.steadiness, Steadiness::Steady);
  EXPECT_GE(best.figures.length.lives, kLeastLives);
  EXPECT_LE(best.output_tokens_per_s, best.rate * 500 * (1 + 1e-9));
  EXPECT_GT(best.output_tokens_per_s, 0.95 * 50 * 500);
  ASSERT_FALSE(plan.what_ifs.empty());
  EXPECT_FALSE(plan.what_ifs[0].meets) << "one instance fewer";
}

// Three instances use 95 % of the limit. A run that neither keeps nor misses it for certain was once the last
// word: by the draw of the load three or four were bought.
TEST(SteadyPlan, WhereTheRequestsAreCountedTheAnswerSaysThatTheyAreTooFew) {
  PlanRequest request = collapsing_plan();
  request.source.requests = 1000;
  const PlanResult plan = make_plan(request, open_latency_model(""));
  ASSERT_TRUE(plan.search.best.has_value());
  const PlanPoint& best = plan.search.points[*plan.search.best];
  EXPECT_EQ(best.figures.length.steadiness, Steadiness::TooShort);
  EXPECT_TRUE(best.figures.length.finite);
  EXPECT_EQ(best.figures.length.requests, 1000);
  EXPECT_GE(best.fleet.instances, 3) << "two serve less than the rate when saturated";
}

TEST(SteadyPlan, TheHighestRateIsServedAndTokensAreThoseThatWere) {
  PlanRequest request = collapsing_plan();
  request.source.rate.reset();
  request.gpu_count = 1;
  const PlanResult plan = make_plan(request, open_latency_model(""));
  ASSERT_TRUE(plan.search.best.has_value());
  const PlanPoint& best = plan.search.points[*plan.search.best];
  ASSERT_GT(best.saturated_rate, 0);
  EXPECT_LE(best.rate, best.saturated_rate);
  EXPECT_LT(best.rate, 20) << "all requests at once are served at 19.8 a second";
  EXPECT_DOUBLE_EQ(best.output_tokens_per_s,
                   std::min(best.rate * 500, best.figures.metrics.output_throughput));
}

TEST(SteadyPlan, AModelThatFitsNowhereGetsOneSizeThatDoes) {
  PlanRequest request = collapsing_plan();
  request.model = "Llama-3.1-405B";
  request.space.tensor_parallel = {1, 2, 4, 8};
  expect_plan_refused(request,
                      "expected sizes such as tensor_parallel 8 with pipeline_parallel 2 on H100-SXM");
}

// The mean of 200 drawn gaps is off by a fourteenth (one over the square root of their number) in most seeds.
TEST(PlanLoad, ComesAtTheRateThatWasAskedWhateverTheSeed) {
  PlanRequest request = small_plan();
  request.source.rate = 20;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    request.source.seed = seed;
    EXPECT_NEAR(arrival_rate(plan_workload(request)), 20, 1e-3) << seed;
    EXPECT_NEAR(arrival_rate(plan_workload(request, {}, 7)), 7, 1e-3) << seed;
    request.growth = 2;
    EXPECT_NEAR(arrival_rate(plan_workload(request)), 40, 1e-3) << seed;
    request.growth = 1;
  }
}

TEST(EmitPlan, WritesWhatStartsTheBest) {
  PlanRequest request = small_plan();
  request.space.max_num_seqs = {64};
  const PlanResult plan = make_plan(request, fixed_latency());
  for (const std::string format : {"vllm", "k8s", "llm-d", "dynamo"}) {
    const auto files = emit_plan(request, plan, format);
    ASSERT_EQ(files.size(), 2U) << format;
    EXPECT_NE(files[0].contents.find("--max-num-seqs"), std::string::npos) << files[0].contents;
    EXPECT_NE(files[1].contents.find("vllm bench serve --model meta-llama/Llama-3.1-8B"), std::string::npos);
  }
  EXPECT_THROW(emit_plan(request, plan, "sglang"), InvalidInput);
  EXPECT_THROW(emit_plan(request, plan, "helm"), NotFound);
}

constexpr std::string_view kSmallLlama =
    R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 1024,
        "intermediate_size": 4096, "num_attention_heads": 16, "num_key_value_heads": 8,
        "num_hidden_layers": 8, "vocab_size": 32000, "torch_dtype": "bfloat16",
        "max_position_embeddings": 8192})";

TEST(EmitPlan, QuotesWhateverTheModelIsCalled) {
  PlanRequest request = small_plan();
  request.space.gpus = {"H100-SXM"};
  request.space.tensor_parallel = {1};
  const PlanResult plan = make_plan(request, fixed_latency());
  const ScratchFolder scratch;
  for (const std::string name :
       {"m;touch pwned;", "m\ntouch pwned\nx: 'y'", "m'$(touch pwned)\"`", "$MACHINE_0`touch pwned`"}) {
    std::filesystem::create_directories(scratch.path() / name);
    scratch.write(name + "/config.json", kSmallLlama);
    const std::string model = request.model = (scratch.path() / name).string();
    for (const std::string format : {"vllm", "k8s", "llm-d", "dynamo"})
      for (const EmittedFile& file : emit_plan(request, plan, format)) {
        const bool shell = file.name.ends_with(".sh");
        // Without the model as a word of the shell, or as a scalar of YAML, nothing of it is left.
        std::string rest = file.contents;
        const auto take_out = [&](const std::string& text) {
          for (std::size_t at = 0; (at = rest.find(text)) != std::string::npos;) rest.erase(at, text.size());
        };
        for (const std::string& text : {model, "hf://" + model}) {
          std::string single;
          for (const char c : text) single += c == '\'' ? std::string("''") : std::string(1, c);
          take_out(shell ? shell_line({text}) : Json(text).dump());
          if (!shell && text.find('\n') == std::string::npos) take_out("'" + single + "'");
        }
        EXPECT_EQ(rest.find("touch pwned"), std::string::npos) << file.name << "\n" << file.contents;
      }
  }
}

TEST(CheckPlan, ComparesABenchmarkWithThePromise) {
  const PlanResult plan = make_plan(small_plan(), fixed_latency());
  const auto result = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/clients/vllm_bench.json";
  ASSERT_TRUE(std::filesystem::exists(result)) << result;
  const PlanCheck check = check_plan(plan, result);
  EXPECT_GT(check.requests, 0);
  ASSERT_EQ(check.figures.size(), 4U);
  EXPECT_EQ(check.figures[0].name, "ttft_p95_ms");
  EXPECT_GT(check.figures[0].measured, 0);
  bool kept = true;
  for (const CheckedFigure& figure : check.figures)
    kept = kept && (figure.limit <= 0 || figure.measured <= figure.limit);
  EXPECT_EQ(check.kept, kept);
  // Another load than the plan's 600 prompt and 50 output tokens: what was measured is no test of the
  // promise.
  ASSERT_GE(check.unlike.size(), 1U);
  EXPECT_EQ(check.unlike[0].find("prompt tokens in the mean"), 0U) << check.unlike[0];
}

// With the predictor of the program: thousands of candidates, all of them simulated.
TEST(ShippedPlan, PrunedAndExhaustiveAgreeOnThousandsOfCandidates) {
  PlanRequest request = small_plan();
  request.space.gpus = {"H100-SXM", "H200", "L40S"};
  request.space.tensor_parallel = {1, 2, 4};
  request.space.quantizations = {"stored", "fp8"};
  request.space.max_num_seqs = {32, 128, 512};
  request.space.max_num_batched_tokens = {1024, 8192};
  request.space.max_gpus = 32;
  request.source.requests = 100;
  expect_same_plan(request, open_latency_model(""), 2000);
}

}  // namespace
}  // namespace warploom
