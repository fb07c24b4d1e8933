// The page takes a manifest where it takes a line that starts an engine.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/cli/page_words.h"
#include "warploom/manifests/files/manifest_file.h"

namespace warploom {
namespace {

TEST(PastedManifest, IsTakenByThePageWhereALineIs) {
  const auto paste = [](const std::string& name) {
    return page_words().engine_command(
        read_file(std::string(WARPLOOM_SOURCE_DIR) + "/tests/fixtures/manifests/" + name, 1 << 20));
  };
  const Json read = paste("deployment.yaml");
  EXPECT_EQ(read["asked"]["model"], "Qwen/Qwen3-8B");
  EXPECT_EQ(read["asked"]["gpu"], "h100_sxm");
  EXPECT_EQ(read["asked"]["instances"], 4);
  EXPECT_EQ(paste("job.sbatch")["asked"]["tensor_parallel_size"], 4);
  EXPECT_THROW(paste("llm_d_values.yaml"), Unsupported);  // pools apart
  EXPECT_FALSE(looks_like_manifest("vllm serve Qwen/Qwen3-8B \\\n  --max-num-seqs 8"));
}

}  // namespace
}  // namespace warploom
