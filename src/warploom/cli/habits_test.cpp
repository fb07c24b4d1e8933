#include "warploom/cli/habits.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "warploom/base/error.h"
#include "warploom/cli/program.h"

namespace warploom {
namespace {

using Words = std::vector<std::string>;

// The rewritten line; what was left out goes to `notes`.
std::string line_of(const Words& words, std::string* notes = nullptr) {
  static const auto program = make_program("0");
  std::string said;
  std::string line;
  for (const std::string& word : in_own_options(*program, as_curve(words), said))
    line += (line.empty() ? "" : " ") + word;
  if (notes != nullptr) *notes = said;
  return line;
}

TEST(Habits, TakesNamesOfOtherTools) {
  EXPECT_EQ(line_of({"simulate", "--isl", "100", "--osl=20"}),
            "simulate --random-input-len 100 --random-output-len 20");
  EXPECT_EQ(line_of({"plan", "--input-len", "100", "--output-len", "20"}),
            "plan --random-input-len 100 --random-output-len 20");
  EXPECT_EQ(line_of({"static", "--isl", "100", "--osl", "20", "--batch-size", "4"}),
            "static --input 100 --output 20 --batch 4");
  EXPECT_EQ(line_of({"plan", "--total-gpus", "8", "--system", "H200", "--backend", "sglang", "--ttft", "300",
                     "--tpot", "20"}),
            "plan --gpu-count 8 --gpus H200 --engines sglang --slo ttft_mean_ms=300,tpot_mean_ms=20");
  EXPECT_EQ(line_of({"simulate", "--request-count", "7"}), "simulate --num-prompts 7");
}

TEST(Habits, WhatStandsBesideABenchRulesByEitherName) {
  EXPECT_EQ(line_of({"simulate", "--from-bench", "vllm bench serve --num-prompts 50 --request-rate 4",
                     "--requests", "5", "--rate", "2"}),
            "simulate --requests 5 --rate 2");
}

TEST(Habits, ReadsLengthsByTheNamesOfPlan) {
  EXPECT_EQ(line_of({"simulate", "--input-tokens", "100", "--output-tokens", "20"}),
            "simulate --random-input-len 100 --random-output-len 20");
  EXPECT_EQ(line_of({"simulate", "--output-tokens=20", "--input-tokens=100"}),
            "simulate --random-output-len 20 --random-input-len 100");
  EXPECT_EQ(line_of({"simulate", "--sessions", "3", "--output-tokens", "20"}),
            "simulate --sessions 3 --output-tokens 20");
  EXPECT_EQ(line_of({"plan", "--input-tokens", "100", "--output-tokens", "20"}),
            "plan --input-tokens 100 --output-tokens 20");
}

TEST(Habits, RefusalsNameWhatWasTyped) {
  EXPECT_EQ(as_typed("--random-input-len: '1x' is not an integer", {"simulate", "--input-tokens", "1x"}),
            "--input-tokens: '1x' is not an integer");
  EXPECT_EQ(as_typed("--random-input-len is 0, expected at least 1", {"simulate", "--isl=0"}),
            "--isl is 0, expected at least 1");
  const std::string own = "--random-input-len: '1x' is not an integer";
  EXPECT_EQ(as_typed(own, {"simulate", "--random-input-len", "1x", "--islands", "2"}), own);
  const std::vector<std::string> buckets{"simulate", "--random-mm-bucket-config", "{(1,1)}"};
  EXPECT_EQ(as_typed("--image-size: '{(1,1)}', expected WxH", buckets),
            "--random-mm-bucket-config: '{(1,1)}', expected WxH");
  EXPECT_EQ(as_typed("--image-size changes nothing by itself, expected --images-per-request too", buckets),
            "--random-mm-bucket-config changes nothing by itself, expected --images-per-request too");
  EXPECT_EQ(as_typed("--image-tokens: --image-size says how many there are", buckets),
            "--image-tokens: --random-mm-bucket-config says how many there are");
  EXPECT_EQ(as_typed("--image-sizes, --image-size-x", buckets), "--image-sizes, --image-size-x");
  EXPECT_EQ(as_typed("--image-size: x", {"simulate", "--image-size", "x"}), "--image-size: x");
}

TEST(Habits, SaysWhichOptionLacksItsValue) {
  try {
    line_of({"simulate", "--model", "--gpu", "H100"});
    FAIL() << "expected to be refused";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "--model has no value: --gpu follows it");
  }
}

TEST(Habits, LeavesOwnOptionsAlone) {
  const Words own{"simulate",          "--model", "m",        "--concurrency", "4",
                  "--max-concurrency", "3",       "--engine", "vllm"};
  std::string line;
  for (const std::string& word : own) line += (line.empty() ? "" : " ") + word;
  EXPECT_EQ(line_of(own), line);
  EXPECT_EQ(line_of({"predict", "gemm", "--isl", "3"}), "predict gemm --isl 3");
  EXPECT_EQ(line_of({"simulate", "--nonsense", "3"}), "simulate --nonsense 3");
}

TEST(Habits, OneGpuIsAListOfIt) {
  EXPECT_EQ(line_of({"plan", "--gpu", "H200"}), "plan --gpus H200");
  EXPECT_EQ(line_of({"simulate", "--gpu", "H200"}), "simulate --gpu H200");
}

TEST(Habits, ReadsSeveralValuesOfARunAsACurve) {
  EXPECT_EQ(line_of({"simulate", "--model", "m", "--max-concurrency", "1,4,16", "--engine=vllm,sglang"}),
            "curve --model m --max-concurrencies 1,4,16 --engines=vllm,sglang");
  EXPECT_EQ(line_of({"simulate", "--tp", "1,2", "--request-rate", "3"}),
            "curve --tp-sizes 1,2 --request-rate 3");
  EXPECT_EQ(line_of({"plan", "--tp", "1,2"}), "plan --tp 1,2");
  EXPECT_EQ(line_of({"curve", "--max-concurrency", "1,4,16", "--tp", "2"}),
            "curve --max-concurrencies 1,4,16 --tp 2");
  EXPECT_EQ(line_of({"simulate", "--charts", "--tp", "1,2"}), "curve --tp-sizes 1,2");  // it is always drawn
  EXPECT_EQ(line_of({"simulate", "--charts", "--tp", "2"}), "simulate --charts --tp 2");
}

TEST(Habits, JoinsLimitsThatAreWordsOfTheirOwn) {
  EXPECT_EQ(line_of({"simulate", "--goodput", "ttft:500", "tpot:20", "--seed", "1"}),
            "simulate --goodput ttft:500,tpot:20 --seed 1");
  EXPECT_EQ(line_of({"simulate", "--goodput=ttft:500", "tpot:20"}), "simulate --goodput ttft:500,tpot:20");
  EXPECT_THROW(line_of({"simulate", "--goodput"}), InvalidInput);
}

TEST(Habits, SaysWhatChangesNothing) {
  std::string notes;
  EXPECT_EQ(line_of({"simulate", "--ignore-eos", "--percentile-metrics", "ttft,tpot", "--dataset-name",
                     "random", "--save-result"},
                    &notes),
            "simulate");
  EXPECT_EQ(notes, "without effect on the load, left out: --ignore-eos, --percentile-metrics, --save-result");
  EXPECT_THROW(line_of({"simulate", "--dataset-name", "sharegpt"}), InvalidInput);
}

TEST(Habits, ReadsTheLineOfALoadGenerator) {
  const std::string bench =
      "vllm bench serve --backend vllm --model a/b --dataset-name random --random-input-len 1000 "
      "--random-output-len 100 --num-prompts 50 --request-rate 4 --ignore-eos --base-url http://h:1 > log 2>&1";
  EXPECT_EQ(
      line_of({"simulate", "--gpu", "H100", "--from-bench", bench}),
      "simulate --gpu H100 --model a/b --random-input-len 1000 --random-output-len 100 --num-prompts 50 "
      "--request-rate 4");
  // What stands beside it rules, wherever it stands and however it is called.
  EXPECT_EQ(
      line_of({"simulate", "--from-bench=" + bench, "--model", "c", "--isl", "7", "--num-prompts=9"}),
      "simulate --model c --random-input-len 7 --num-prompts=9 --random-output-len 100 --request-rate 4");
  EXPECT_EQ(
      line_of({"simulate", "--from-bench",
               "aiperf profile -m x --isl 500 --osl 50 --concurrency 8 --request-count 40 --streaming"}),
      "simulate --random-input-len 500 --random-output-len 50 --concurrency 8 --num-prompts 40");
}

TEST(Habits, RefusesLinesThatItCannotRead) {
  EXPECT_THROW(line_of({"simulate", "--from-bench", "vllm serve m"}), InvalidInput);
  EXPECT_THROW(line_of({"simulate", "--from-bench", "vllm bench serve --dataset-name sharegpt"}),
               InvalidInput);
  EXPECT_THROW(line_of({"simulate", "--from-bench", "vllm bench serve --ramp-up-strategy linear"}),
               InvalidInput);
  EXPECT_THROW(line_of({"simulate", "--from-bench"}), InvalidInput);
  EXPECT_THROW(line_of({"simulate", "--from-bench", "vllm bench serve 'x"}), InvalidInput);
}

}  // namespace
}  // namespace warploom
