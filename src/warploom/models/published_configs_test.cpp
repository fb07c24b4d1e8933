// Every published config.json of the shared data is read, and its record of the catalogue says the same.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "warploom/base/file.h"
#include "warploom/models/hf/python_json.h"
#include "warploom/models/hf_config.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

namespace fs = std::filesystem;

fs::path published_configs() {
  const char* data = std::getenv("WARPLOOM_DATA");
  const fs::path folder =
      data != nullptr ? fs::path(data) : fs::path(WARPLOOM_SOURCE_DIR) / ".." / "shared" / "data";
  return folder / "model_configs";
}

// "owner--name_config.json" and, for some, "owner--name_hf_quant_config.json" beside it.
std::map<std::string, ModelArchitecture> read_published() {
  constexpr std::string_view kEnd = "_config.json", kQuantEnd = "_hf_quant_config.json";
  std::map<std::string, ModelArchitecture> models;
  for (const fs::directory_entry& entry : fs::directory_iterator(published_configs())) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(kEnd) || file.ends_with(kQuantEnd)) continue;
    const std::string stem = file.substr(0, file.size() - kEnd.size());
    std::string name = stem;
    name.replace(name.find("--"), 2, "/");
    const auto json = [](const fs::path& path) { return parse_python_json(read_file(path), path.string()); };
    const fs::path beside = entry.path().parent_path() / (stem + std::string(kQuantEnd));
    const Json quant = fs::exists(beside) ? json(beside) : Json();
    try {
      models.emplace(
          name, architecture_from_config(json(entry.path()), quant.is_null() ? nullptr : &quant, name, file));
    } catch (const std::exception& error) {
      ADD_FAILURE() << name << ": " << error.what();
    }
  }
  return models;
}

TEST(PublishedConfigs, AreAllRead) {
  if (!fs::exists(published_configs())) GTEST_SKIP() << "no published configs: set WARPLOOM_DATA";
  EXPECT_EQ(read_published().size(), 95u);
}

TEST(PublishedConfigs, SayWhatTheirRecordsSay) {
  if (!fs::exists(published_configs())) GTEST_SKIP() << "no published configs: set WARPLOOM_DATA";
  const ModelCatalog catalog;
  for (const auto& [name, published] : read_published()) {
    const ModelArchitecture* known = catalog.find(name);
    ASSERT_NE(known, nullptr) << name;
    EXPECT_EQ(parameter_counts(*known).total, parameter_counts(published).total) << name;
    EXPECT_EQ(weight_bytes_per_gpu(*known, {}).value(), weight_bytes_per_gpu(published, {}).value()) << name;
    const KvFootprint own = kv_footprint(*known, {}), other = kv_footprint(published, {});
    EXPECT_EQ(own.full_per_token.value(), other.full_per_token.value()) << name;
    EXPECT_EQ(own.windowed_per_token.value(), other.windowed_per_token.value()) << name;
    EXPECT_EQ(own.per_request.value(), other.per_request.value()) << name;
    const auto merged = merged_layers(*known, 0, known->layer_count());
    const auto expected = merged_layers(published, 0, published.layer_count());
    ASSERT_EQ(merged.size(), expected.size()) << name;
    for (std::size_t i = 0; i < merged.size(); ++i) {
      EXPECT_EQ(merged[i].count, expected[i].count) << name;
      EXPECT_TRUE(merged[i].alike(expected[i])) << name << " group " << i;
    }
  }
}

}  // namespace
}  // namespace warploom
