// Serving features through the program: what it takes, what it says, what it refuses.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

std::vector<std::string> simulate(std::vector<std::string> more) {
  std::vector<std::string> arguments{"simulate",   "--model",       "Llama-3.1-8B", "--gpu", "h100",
                                     "--workload", "conversation",  "--requests",   "60",    "--rate",
                                     "6",          "--no-intervals"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

nlohmann::json run_json(std::vector<std::string> more) {
  more.emplace_back("--json");
  const ProgramResult result = run_warploom(simulate(more));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  return nlohmann::json::parse(result.output);
}

TEST(ServingFeatures, PrefillAndDecodeApart) {
  const auto run = run_json({"--prefill-instances", "2", "--decode-tp", "2", "--kv-transfer-path", "rdma"});
  EXPECT_EQ(run["completed"], 60);
  EXPECT_TRUE(run["disagg"].get<bool>());
  EXPECT_EQ(run["num_prefill_gpu"], 2);
  EXPECT_EQ(run["num_decode_gpu"], 2);
  EXPECT_EQ(run["decode_tp"], 2);
  EXPECT_EQ(run["kv_transfer"]["transfers"], 60);
  EXPECT_EQ(run["kv_transfer"]["path"], "rdma");
  EXPECT_EQ(run["pools"][0]["name"], "prefill");
  EXPECT_GT(run["energy_per_output_token_j"].get<double>(), 0);
  const auto pasted = run_json({"--prefill-command", "vllm serve m -tp 1", "--decode-command",
                                "vllm serve m -tp 2 --max-num-seqs 64"});
  EXPECT_EQ(pasted["decode_tp"], 2);
}

TEST(ServingFeatures, DraftsGiveSeveralTokensAStep) {
  const auto plain = run_json({});
  const auto run = run_json({"--speculative-config", R"({"method":"eagle3","num_speculative_tokens":3})",
                             "--acceptance-rates", "0.8,0.6,0.4"});
  EXPECT_NEAR(run["spec_decode_acceptance_length"].get<double>(), 2.8, 0.1);
  EXPECT_EQ(run["spec_decode_per_position_acceptance_rates"].size(), 3u);
  EXPECT_LT(run["mean_tpot_ms"].get<double>(), 0.7 * plain["mean_tpot_ms"].get<double>());
  EXPECT_LT(run["kv_blocks"].get<int>(), plain["kv_blocks"].get<int>());
}

TEST(ServingFeatures, AdaptersCostTimeAndMemory) {
  const auto plain = run_json({});
  const auto run = run_json({"--enable-lora", "--max-loras", "4", "--max-lora-rank", "32"});
  EXPECT_GT(run["mean_tpot_ms"].get<double>(), plain["mean_tpot_ms"].get<double>());
  EXPECT_LT(run["kv_blocks"].get<int>(), plain["kv_blocks"].get<int>());
}

TEST(ServingFeatures, ImagesAreEncodedBeforeThePrompt) {
  const std::string vision =
      R"({"depth":27,"hidden_size":1152,"num_heads":16,"intermediate_size":4304,"out_hidden_size":4096})";
  const auto plain = run_json({});
  const auto run =
      run_json({"--images-per-request", "2", "--image-tokens", "500", "--vision-encoder", vision});
  EXPECT_EQ(run["total_input_tokens"].get<int>(), plain["total_input_tokens"].get<int>() + 60 * 1000);
  EXPECT_GT(run["mean_ttft_ms"].get<double>(), plain["mean_ttft_ms"].get<double>());
  bool listed = false;
  for (const auto& kernel : run["kernel_time"]) listed = listed || kernel["label"] == "vision_attention";
  EXPECT_TRUE(listed);
  expect_refusal(simulate({"--images-per-request", "2"}), {"--vision-encoder"});
}

TEST(ServingFeatures, FailuresAndScaling) {
  const auto failed = run_json({"--instances", "2", "--fail-at", "0@3+2"});
  EXPECT_EQ(failed["completed"], 60);
  EXPECT_GT(failed["restarts"].get<int>(), 0);
  const auto scaled = run_json({"--max-instances", "3", "--scale-queue-depth", "1", "--scale-interval-s", "1",
                                "--instance-startup-s", "1"});
  EXPECT_EQ(scaled["completed"], 60);
}

// Engines turn such requests away, or stop their output, one by one.
TEST(ServingFeatures, LongRequestsFareAlone) {
  const auto document = run_json({"--max-model-len", "1000"});
  const int rejected = document["max_model_len"]["rejected"], cut = document["max_model_len"]["cut"];
  EXPECT_GT(rejected, 0);
  EXPECT_GT(cut, 0);
  EXPECT_EQ(document["failed"], rejected);
  EXPECT_EQ(document["completed"], 60 - rejected);
}

TEST(ServingFeatures, RefuseWhatCannotBe) {
  expect_refusal(simulate({"--speculative-config", R"({"method":"eagle3","num_speculative_tokens":3})"}),
                 {"acceptance is not stated", "--acceptance-rates", "--acceptance-length"});
  expect_refusal(simulate({"--speculative-config", "{", "--acceptance-length", "2"}), {"speculative_config"});
  expect_refusal(simulate({"--speculative-config", R"({"method":"mtp"})", "--acceptance-length", "1.5"}),
                 {"no multi-token prediction layer"});
  expect_refusal(simulate({"--hicache-ratio", "2"}), {"--hicache-ratio", "flag of sglang"});
  expect_refusal(simulate({"--kv-disk-size", "100"}), {"kv_offloading_size"});
  expect_refusal(simulate({"--fail-at", "decode:0@5"}), {"no pool 'decode'"});
  expect_refusal(simulate({"--kv-transfer-path", "rdma"}), {"between pools"});
  expect_refusal(simulate({"--decode-tp", "16", "--kv-transfer-path", "nvlink"}), {"NVLink domain"});
  expect_refusal(simulate({"--max-instances", "2", "--min-instances", "3"}), {"min_instances is 3"});
  expect_refusal(simulate({"--scheduling-policy", "lpm"}), {"--scheduling-policy", "priority"});
  expect_refusal(simulate({"--burstiness", "0"}), {"burstiness is 0"});
  expect_refusal(simulate({"--user-think-time", "2"}), {"--concurrency"});
}

// The lines of the serving issue on bad input that no other test has.
TEST(ServingFeatures, RefuseEnginesThatCannotStart) {
  expect_refusal(simulate({"--max-model-len", "1"}), {"max_model_len", "1 tokens"});
  expect_refusal(simulate({"--num-gpu-blocks-override", "4"}), {"KV blocks", "4 of the cache"});
  expect_refusal(simulate({"--tp", "7"}), {"--tp 7"});
  expect_refusal({"simulate", "--model", "Qwen3-30B-A3B", "--gpu", "h100", "--workload", "conversation",
                  "--tp", "4", "--dp", "64", "--enable-expert-parallel"},
                 {"expert"});
  expect_refusal(simulate({"--max-running-requests", "8"}), {"flag of sglang", "--max-num-seqs"});
  expect_refusal(simulate({"--max-num-sequences", "8"}), {"--max-num-seq"});
}

struct Stopped {
  int exit_status = -1;
  double cpu_seconds = 0;  // from the signal to the end
  std::string output;
};

double cpu_seconds_of(pid_t process) {
  std::string stat;
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/stat"), stat);
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string skipped;
  constexpr int kBeforeTimes = 11;
  for (int i = 0; i < kBeforeTimes; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / double(::sysconf(_SC_CLK_TCK));
}

double seconds_of(const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; }

// The signal comes while it runs.
Stopped stopped(std::vector<std::string> words) {
  const ScratchFolder scratch;
  const std::string output = scratch.path() / "output";
  words.insert(words.begin(), WARPLOOM_PROGRAM);
  std::vector<char*> given;
  for (std::string& word : words) given.push_back(word.data());
  given.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::freopen(output.c_str(), "w", stdout) == nullptr || ::freopen("/dev/null", "w", stderr) == nullptr)
      ::_exit(126);
    ::execv(given[0], given.data());
    ::_exit(127);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const double before = cpu_seconds_of(child);
  EXPECT_EQ(::kill(child, SIGINT), 0);
  int status = 0;
  rusage used{};
  EXPECT_EQ(::wait4(child, &status, 0, &used), child);
  EXPECT_TRUE(WIFEXITED(status));
  const double all = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  return {WEXITSTATUS(status), all - before, read_file(output)};
}

const std::vector<std::string> kEndless{"--model",    "Llama-3.1-8B", "--gpu",      "h100",
                                        "--workload", "conversation", "--requests", "1000000"};

std::vector<std::string> endless(const std::string& command, const std::vector<std::string>& more) {
  std::vector<std::string> words{command};
  words.insert(words.end(), kEndless.begin(), kEndless.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A second of two cores: what a machine with other work makes of it says nothing of the program.
#ifdef WARPLOOM_SANITIZED
constexpr double kMostSeconds = 20;
#else
constexpr double kMostSeconds = 2;
#endif

TEST(ServingFeatures, CtrlCEndsWhatTakesLongAndItsFirstLineSaysSo) {
  for (const auto& words :
       {endless("simulate", {"--rate", "6"}), endless("curve", {"--max-concurrencies", "4,16"}),
        endless("simulate", {"--max-concurrency", "4,16"}),
        std::vector<std::string>{"plan", "--model", "Llama-3.1-70B", "--gpus", "H100-SXM,H200,B200", "--rate",
                                 "40", "--slo", "ttft_p95_ms=800", "--workload", "conversation"}}) {
    const Stopped run = stopped(words);
    EXPECT_EQ(run.exit_status, 130) << words.front();
    EXPECT_LT(run.cpu_seconds, kMostSeconds) << words.front();
    EXPECT_NE(run.output.substr(0, run.output.find('\n')).find("STOPPED EARLY"), std::string::npos)
        << words.front() << ": " << run.output.substr(0, 300);
  }
}

TEST(ServingFeatures, CtrlCLeavesPartialResults) {
  const Stopped run = stopped(endless("simulate", {"--rate", "6", "--json"}));
  EXPECT_EQ(run.exit_status, 130);  // a gate must not take a part for the whole
  const auto document = nlohmann::json::parse(run.output);
  EXPECT_TRUE(document["partial"].get<bool>());
  EXPECT_TRUE(document["interval"].is_null());
  EXPECT_EQ(document["completed"].get<int>() + document["failed"].get<int>(), 1000000);
}

}  // namespace
}  // namespace warploom
