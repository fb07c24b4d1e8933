#include "warploom/app/data/convert_clients.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

constexpr const char* kTrace =
    "0,0,0,,0,0\n600,0.5,1.2,Gamma,0.7,1.0\n1200,1.5,3,Weibull,0.5,0.2\n1800,0,0,,0,0\n";

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(ConvertClients, ReadsWindowsOfServeGen) {
  const ScratchFolder folder;
  folder.write("chunk-3-trace.csv", kTrace);
  folder.write("chunk-3-dataset.json",
               R"({"0": {"input_tokens": "{10: 0.5, 200: 0.5}", "output_tokens": "{5: 1.0}"},
                   "1200": {"input_tokens": "{40: 1.0}", "output_tokens": "{7: 1.0}"},
                   "1800": {"input_tokens": "{}", "output_tokens": "{}"}})");
  const ClientMix mix = servegen_clients(folder.path(), Seconds(900.0), Seconds(2000.0));
  EXPECT_EQ(mix.duration.value(), 1100);
  ASSERT_EQ(mix.clients.size(), 2u);
  const WorkloadClient &first = mix.clients[0], &second = mix.clients[1];
  EXPECT_EQ(first.tenant, "chunk-3");
  EXPECT_EQ(first.from.value(), 0);
  EXPECT_EQ(first.to.value(), 300);
  EXPECT_EQ(first.rate, 0.5);
  EXPECT_EQ(first.arrivals, ArrivalProcess::Gamma);
  EXPECT_EQ(first.shape, 0.7);
  EXPECT_EQ(first.input_tokens.mean(), 105);
  EXPECT_EQ(second.from.value(), 300);
  EXPECT_EQ(second.to.value(), 900);
  EXPECT_EQ(second.arrivals, ArrivalProcess::Weibull);
  EXPECT_EQ(second.input_tokens.mean(), 40);
  EXPECT_EQ(second.output_tokens.mean(), 7);
}

TEST(ConvertClients, SaysWhereAServeGenFileIsWrong) {
  const ScratchFolder folder;
  const auto said = [&] {
    return message_of([&] { servegen_clients(folder.path(), Seconds(0.0), Seconds(0.0)); });
  };
  EXPECT_NE(said().find("holds no requests"), std::string::npos);
  folder.write("chunk-0-dataset.json", R"({"0": {"input_tokens": "{1: 1}", "output_tokens": "{1: 1}"}})");
  folder.write("chunk-0-trace.csv", "0,1,1,Gamma,1\n");
  EXPECT_NE(said().find("chunk-0-trace.csv:1: has 5 columns"), std::string::npos);
  folder.write("chunk-0-trace.csv", "0,1,1,Gamma,1,1\n0,1,1,Gamma,1,1\n");
  EXPECT_NE(said().find("chunk-0-trace.csv:2: windows are not in order"), std::string::npos);
  folder.write("chunk-0-trace.csv", "0,fast,1,Gamma,1,1\n");
  EXPECT_NE(said().find("'fast' is no number"), std::string::npos);
  folder.write("chunk-0-trace.csv", "0,1,1,Pareto,1,1\n");
  EXPECT_NE(said().find("'Pareto'"), std::string::npos);
  folder.write("chunk-0-trace.csv", "0,1,1,Gamma,1,1\n");
  EXPECT_EQ(said(), "");
  folder.write("chunk-0-dataset.json", R"({"0": {"input_tokens": "{1; 1}", "output_tokens": "{1: 1}"}})");
  EXPECT_NE(said().find("window 0"), std::string::npos);
  folder.write("chunk-0-dataset.json", R"({"0": {"input_tokens": "{1: 1}"}})");
  EXPECT_NE(said().find("'output_tokens' is missing"), std::string::npos);
}

TEST(ConvertClients, ReadsStagesAndGroupsOfInferencePerf) {
  const ScratchFolder folder;
  folder.write("config.yml", R"(api: {type: completion, headers: {x-slo-ttft-ms: "500"}}
data:
  type: shared_prefix
  shared_prefix:
    num_groups: 2
    num_prompts_per_group: 10
    system_prompt_len: 100
    question_len: 50
    output_distribution: {min: 10, max: 90, mean: 60, std_dev: 5, total_count: 20}
load:
  type: poisson
  stages:
    - {rate: 2, duration: 30}
    - {rate: 8, duration: 10}
)");
  const ClientMix mix = inference_perf_clients(folder.path() / "config.yml");
  EXPECT_EQ(mix.duration.value(), 40);
  ASSERT_EQ(mix.clients.size(), 4u);
  EXPECT_EQ(mix.clients[0].rate, 1);
  EXPECT_EQ(mix.clients[0].prefix_tokens, 100);
  EXPECT_EQ(mix.clients[0].input_tokens.mean(), 50);
  EXPECT_EQ(mix.clients[0].output_tokens.mean(), 60);
  EXPECT_EQ(mix.clients[0].tenant, "group 0");
  EXPECT_EQ(mix.clients[3].tenant, "group 1");
  EXPECT_EQ(mix.clients[3].from.value(), 30);
  EXPECT_EQ(mix.clients[3].rate, 4);
  EXPECT_EQ(mix.slo_classes.at("requests").ttft, milliseconds(500));
}

TEST(ConvertClients, SaysWhatOfInferencePerfIsNotModelled) {
  const ScratchFolder folder;
  const auto said = [&](const char* text) {
    folder.write("config.yml", text);
    return message_of([&] { inference_perf_clients(folder.path() / "config.yml"); });
  };
  EXPECT_NE(said("data: {type: shareGPT}\n").find("'shareGPT' need a data set"), std::string::npos);
  EXPECT_NE(said("load: {type: poisson}\n").find("'data' is missing"), std::string::npos);
  const std::string data =
      "data: {type: random, input_distribution: {min: 1, max: 9, mean: 5, std_dev: 1}, output_distribution: "
      "{min: 1, max: 9, mean: 5, std_dev: 1}}\n";
  EXPECT_NE(said((data + "load: {type: concurrent, stages: []}\n").c_str()).find("'concurrent'"),
            std::string::npos);
  EXPECT_NE(said((data + "load: {type: constant, stages: []}\n").c_str()).find("stages is empty"),
            std::string::npos);
  EXPECT_NE(said((data + "load: {type: constant, stages: [{rate: -1, duration: 3}]}\n").c_str())
                .find("stage 0: 'rate'"),
            std::string::npos);
  EXPECT_NE(said("data: [\n").find("config.yml: line"), std::string::npos);
  EXPECT_EQ(said((data + "load: {type: constant, stages: [{rate: 1, duration: 3}]}\n").c_str()), "");
}

}  // namespace
}  // namespace warploom
