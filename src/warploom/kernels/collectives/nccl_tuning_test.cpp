#include "warploom/kernels/collectives/nccl_tuning.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "warploom/base/error.h"

namespace warploom {
namespace {

Json shipped_document() {
  return read_json_file(std::string(WARPLOOM_SOURCE_DIR) + "/data/collectives/nccl.json");
}

// The numbers that were compiled in before they were data, to the bit.
TEST(NcclTuning, IsWhatWasCompiledIn) {
  const NcclTuning& tuning = nccl_tuning();
  EXPECT_EQ(tuning.ring_latency[1].network, 4.0e-6);
  EXPECT_EQ(tuning.tree_latency[1].nvlink, 1.25e-6);
  EXPECT_EQ(tuning.nvls_tree_latency.network, 20.9e-6);
  EXPECT_EQ(tuning.in_network_latency.network, 31.0e-6);
  EXPECT_EQ(tuning.in_network_arity, 0.4e-6);
  EXPECT_EQ(tuning.ll128_payload, 120.0 / 128);
  EXPECT_EQ(tuning.tree_ll_share, 1 / 3.8);
  EXPECT_EQ(tuning.ll_rate_of_more, 20.4e9);
  EXPECT_EQ(tuning.nvls_window, 16.0 * 8 * 128 * 1024);
  EXPECT_EQ(tuning.nvls_from_bytes, 512.0 * 1024);
  EXPECT_EQ(tuning.tree_correction[2][19], .7);
}

std::string error_of(const Json& document) {
  try {
    nccl_tuning_from_json(document, "mine.json");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return {};
}

TEST(NcclTuning, RefusesConstantsThatAreNoSuch) {
  EXPECT_EQ(error_of(shipped_document()), "");
  Json unit = shipped_document(), source = unit, missing = unit, unknown = unit, few = unit, text = unit;
  unit["constants"]["post_seconds"]["unit"] = "us";
  EXPECT_EQ(error_of(unit), "mine.json: constant 'post_seconds' is in 'us', expected 's'");
  source["constants"]["nic_share"].erase("source");
  EXPECT_EQ(error_of(source), "mine.json: constant 'nic_share' has no source");
  missing["constants"].erase("nvls_window");
  EXPECT_EQ(error_of(missing), "mine.json: constant 'nvls_window' is missing");
  unknown["constants"]["nic_shar"] = unknown["constants"]["nic_share"];
  EXPECT_NE(error_of(unknown).find("'nic_shar' is unknown (did you mean 'nic_share'"), std::string::npos);
  few["constants"]["ring_latency"]["value"].erase(2);
  EXPECT_EQ(error_of(few), "mine.json: constant 'ring_latency': expected a list of 3");
  text["constants"]["tree_share"]["value"] = "much";
  EXPECT_EQ(error_of(text), "mine.json: constant 'tree_share': expected a number of at least 0");
}

}  // namespace
}  // namespace warploom
