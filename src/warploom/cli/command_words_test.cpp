// That every line is read back as what was asked is shown by python/tests/test_web.py, which runs them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/shell_line.h"
#include "warploom/cli/command_index.h"
#include "warploom/cli/page_words.h"

namespace warploom {
namespace {

std::string line_for(const std::string& request, const std::string& asked) {
  static const CommandIndex index;
  return shell_line(command_words(index, request, parse_json(asked, "test")));
}

TEST(CommandWords, AreOptionsOfTheCommand) {
  EXPECT_EQ(line_for("predict", R"({"gpu": "H200", "family": "gemm", "m": 7, "n": 8, "k": 9})"),
            "predict gemm --gpu H200 --m 7 --n 8 --k 9");
  EXPECT_EQ(line_for("predict", R"({"gpu": "H200", "operator": {"family": "attention_prefill",
                                   "requests": [{"count": 2, "query_tokens": 10, "context_tokens": 5}]}})"),
            "predict attention_prefill --gpu H200 --requests 2x10+5");
  EXPECT_EQ(
      line_for("static", R"({"model": "m", "gpu": "g", "batch": 2, "input_tokens": 3, "output_tokens": 4})"),
      "static --model m --gpu g --batch 2 --input 3 --output 4");
  EXPECT_EQ(line_for("diagnose", R"({"model": "m", "gpu": "g", "batch": 2, "input_tokens": 3,
                                     "output_tokens": 4})"),
            "diagnose --gpu g --model m --batch 2 --input 3 --output 4");
  EXPECT_EQ(line_for("gpu", R"({"name": "H200"})"), "gpu show H200");
  EXPECT_EQ(line_for("models", "{}"), "models");
  EXPECT_EQ(line_for("tune_show", R"({"table": "t.wlt", "n": 1, "k": 2})"),
            "tune show --table t.wlt --n 1 --k 2");
  EXPECT_EQ(line_for("validate_serving", R"({"run": "r.json", "requests": "q.csv"})"),
            "validate serving --run r.json --requests q.csv");
}

TEST(CommandWords, SayListsSwitchesAndObjects) {
  EXPECT_EQ(line_for("simulate", R"({"model": "m", "gpu": "g", "enforce_eager": true,
                                    "enable_prefix_caching": false})"),
            "simulate --model m --gpu g --enforce-eager --no-enable-prefix-caching");
  EXPECT_EQ(
      line_for("simulate", R"({"model": "m", "gpu": "g", "sessions": {"turns": 3}, "details": true,
                                    "goodput": {"ttft": 500, "tpot": 12.5}})"),
      "simulate --model m --gpu g --turns 3 --sessions 100 --goodput ttft:500,tpot:12.5 --json --details");
  EXPECT_EQ(line_for("simulate", R"({"model": "m", "gpu": "g", "failures": [{"instance": 1, "at_s": 2.5,
                                    "down_s": 10}]})"),
            "simulate --model m --gpu g --fail-at 1@2.5+10");
  EXPECT_EQ(line_for("support", R"({"supported_gpus": ["a", "b c"]})"), "support --gpu a --gpu 'b c'");
}

TEST(CommandWords, LeaveOutWhatBearsOnNothing) {
  EXPECT_EQ(line_for("step", R"({"model": "m", "gpu": "g", "decode": "8x100", "max_num_seqs": 12,
                                "scheduling_policy": "priority"})"),
            "step --model m --gpu g --max-num-seqs 12 --decode 8x100");
}

TEST(CommandWords, SayWhatIsEmittedAndNoViews) {
  EXPECT_EQ(line_for("step", R"({"model": "m", "gpu": "g", "framework": "x", "decode": "1x1"})"),
            "step --model m --gpu g --framework x --decode 1x1");
  EXPECT_EQ(line_for("plan", R"({"model": "m", "gpu_names": ["g"], "emit": "k8s", "views": ["svg"]})"),
            "plan --output deployment --model m --emit k8s --gpus g");
}

TEST(CommandWords, RefuseWhatNoOptionSays) {
  EXPECT_THROW(line_for("nothing", "{}"), NotFound);
  EXPECT_THROW(line_for("simulate", "[]"), InvalidInput);
  EXPECT_THROW(line_for("simulate", R"({"model": "m", "gpu": "g", "seeed": 1})"), InvalidInput);
  EXPECT_THROW(line_for("step", R"({"model": "m", "gpu": "g", "image_tokens": 9, "decode": "1x1"})"),
               InvalidInput);
  EXPECT_THROW(line_for("gpu", "{}"), InvalidInput);
}

TEST(CommandIndex, KnowsEveryCommandByItsWords) {
  const CommandIndex index;
  EXPECT_EQ(index.command("moe_config").words(), std::vector<std::string>{"moe-config"});
  EXPECT_EQ(index.command("validate_kernels").words(), (std::vector<std::string>{"validate", "kernels"}));
  EXPECT_TRUE(index.command("predict gemm").has("--m"));
  EXPECT_FALSE(index.command("predict gemm").has("--tp"));
  EXPECT_TRUE(index.command("support").takes_words("--gpu"));
  EXPECT_THROW(index.command("validate_nothing"), NotFound);
  EXPECT_THROW(index.command(""), NotFound);
}

TEST(EngineCommandOfAPage, ReadsNoFile) {
  const CommandWords words = page_words();
  EXPECT_THROW(words.engine_command("vllm serve m --config /etc/hostname"), Unsupported);
  EXPECT_EQ(words.engine_command("vllm serve m --enforce-eager")["asked"]["enforce_eager"], true);
}

}  // namespace
}  // namespace warploom
