// Rows of states, adapters and weights of few bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/models/model_catalog.h"
#include "warploom/tuned_files/adapter_launches.h"
#include "warploom/tuned_files/expert_launches.h"
#include "warploom/tuned_files/file_contents.h"
#include "warploom/tuned_files/looked_up_files.h"
#include "warploom/tuned_files/state_launches.h"
#include "warploom/tuned_files/unfiled_kernels.h"

namespace warploom {
namespace {

const GpuSpec& gpu_named(const char* name) {
  static const GpuCatalog catalog;
  return catalog.get(name);
}

std::vector<TunedFile> files_of(MoeEngine engine, const char* model, const char* gpu, const char* scheme,
                                std::int64_t rank = 0) {
  const EngineRelease release = engine_release(engine, "");
  ModelArchitecture known = load_model(model);
  if (*scheme != 0) known = quantize_linears(known, parse_enum<MatmulScheme>(scheme, "scheme"));
  return looked_up_files({.release = release,
                          .model = known,
                          .sharding = {},
                          .gpu = gpu_named(gpu),
                          .lora_rank = rank,
                          .adapters = 2});
}

std::vector<SureRow> rows_of(const TunedFile& file, MoeEngine engine, const char* gpu) {
  static const ConfigModel searches;
  return sure_rows(file, engine, gpu_named(gpu), searches);
}

const TunedFile& one_of(const std::vector<TunedFile>& files, TunedKernel kernel) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const TunedFile& file) { return file.kernel == kernel; });
  EXPECT_NE(found, files.end());
  return *found;
}

TEST(StateLaunches, MoveNoMoreThanMemoryAllowsAndGrowWithRequests) {
  const StateUpdate state{.head_dim = 64, .state = 128, .state_bytes = 4};
  const GpuSpec& gpu = gpu_named("h100_sxm");
  double before = 0;
  for (const std::int64_t pairs : {64, 1024, 16384, 65536}) {
    double least = 1e9;
    for (const KeyLaunches& launches : state_launches(state, gpu))
      for (const MoeConfig& config : launches.configs)
        least = std::min(least, state_update_us(state, config.tile, pairs, gpu, state_rules()));
    const double bytes = 2.0 * 64 * 128 * 4 * double(pairs);
    EXPECT_GT(least, 1e6 * bytes / gpu.memory_bandwidth.value()) << pairs;
    EXPECT_GT(least, before) << pairs;
    before = least;
  }
}

// Every configuration at 11 states on an H200 (tests/fixtures/tuner/engine_kernels); nothing was fitted
// on the last three.
TEST(StateLaunches, RowsComeNearTheBestThatWasTimed) {
  CsvReader csv(std::filesystem::path(WARPLOOM_SOURCE_DIR) /
                "tests/fixtures/tuner/engine_kernels/times.csv.gz");
  const std::size_t subject = csv.column("subject"), config = csv.column("config"),
                    us = csv.column("median_us");
  std::map<std::string, std::map<std::string, double>> times;
  while (csv.next())
    if (csv.cell(subject).starts_with("headdim="))
      times[std::string(csv.cell(subject))][std::string(csv.cell(config))] = csv.real(us);
  ASSERT_EQ(times.size(), 11U);
  double shares = 0, of_default = 0, worst = 1;
  for (const auto& [name, of] : times) {
    int head = 0, state = 0, heads = 0, batch = 0;
    std::array<char, 16> dtype{};
    ASSERT_EQ(std::sscanf(name.c_str(), "headdim=%d dstate=%d dtype=%15s heads=%d batch=%d", &head, &state,
                          dtype.data(), &heads, &batch),
              5);
    const StateUpdate asked{.head_dim = head, .state = state, .state_bytes = dtype[0] == 'f' ? 4 : 2};
    const TunedFile file{.kernel = TunedKernel::StateUpdate, .state = asked};
    const std::vector<SureRow> rows = rows_of(file, MoeEngine::Vllm, "h200_sxm");
    const auto nearest = std::min_element(rows.begin(), rows.end(), [&](const SureRow& a, const SureRow& b) {
      return std::abs(a.row.tokens - heads * batch) < std::abs(b.row.tokens - heads * batch);
    });
    const auto text = [](const TileConfig& tile) {
      return std::to_string(tile.tile_m) + "x" + std::to_string(tile.warps);
    };
    double best = 1e9;
    for (const auto& [_, one] : of) best = std::min(best, one);
    const double share = best / of.at(text(nearest->row.config.tile));
    shares += std::log(share) / double(times.size());
    of_default += std::log(best / of.at(text(nearest->row.engine_default.tile))) / double(times.size());
    worst = std::min(worst, share);
  }
  EXPECT_LT(std::exp(of_default), 0.76) << "what the engine loses without a file";
  EXPECT_GT(std::exp(shares), 0.96);
  EXPECT_GT(worst, 0.88);
  RecordProperty("share", std::to_string(std::exp(shares)));
  RecordProperty("worst", std::to_string(worst));
}

TEST(StateLaunches, DefaultsAreTheEnginesAndAmongWhatIsPriced) {
  const auto tile = [](std::int64_t state, const char* gpu) {
    const MoeConfig usual = default_state_launch({.head_dim = 64, .state = state}, gpu_named(gpu));
    return std::pair{usual.tile.tile_m, usual.tile.warps};
  };
  EXPECT_EQ(tile(16, "h100_sxm"), (std::pair{32, 4}));
  EXPECT_EQ(tile(64, "h100_sxm"), (std::pair{8, 4}));
  EXPECT_EQ(tile(128, "h100_sxm"), (std::pair{4, 4}));
  EXPECT_EQ(tile(256, "h100_sxm"), (std::pair{4, 8}));
  EXPECT_EQ(tile(128, "b200_sxm"), (std::pair{32, 8}));
  for (const KeyLaunches& launches : state_launches({.head_dim = 64, .state = 128}, gpu_named("l40s")))
    EXPECT_NE(std::find(launches.configs.begin(), launches.configs.end(), launches.usual),
              launches.configs.end());
}

TEST(AdapterLaunches, HaveARowForEveryNumberOfSlices) {
  const auto files = files_of(MoeEngine::Vllm, "Qwen/Qwen3-8B", "l40s", "", 32);
  ASSERT_EQ(files.size(), 3U);
  for (const TunedFile& file : files) {
    ASSERT_TRUE(file.adapters) << file.name;
    const std::vector<SureRow> rows = rows_of(file, MoeEngine::Vllm, "l40s");
    const Json contents = file_contents(file, rows);
    ASSERT_EQ(contents.size(), 1U) << "two adapters and none";
    const Json& of_adapters = contents.at("3");
    ASSERT_EQ(of_adapters.size(), std::size_t(kMostSlices)) << file.name;
    for (const auto& [slices, by_tokens] : of_adapters.items())
      for (const auto& [tokens, by_depth] : by_tokens.items())
        for (const auto& [depth, by_columns] : by_depth.items())
          for (const auto& [columns, config] : by_columns.items())
            for (const char* name : {"block_m", "block_n", "block_k", "num_warps", "num_stages", "num_ctas"})
              EXPECT_GE(config.at(name).get<int>(), 1) << file.name << " " << slices << " " << tokens;
    EXPECT_TRUE(of_adapters.at("3").contains("8192")) << "queries, keys and values";
    EXPECT_FALSE(of_adapters.at("8").contains("8192")) << "defaults alone";
  }
}

TEST(AdapterLaunches, ExpertsShareTheRowsThatTokensAreSortedBy) {
  const auto files = files_of(MoeEngine::Vllm, "Qwen/Qwen3-30B-A3B", "h100_sxm", "", 16);
  std::size_t of_experts = 0;
  for (const TunedFile& file : files) {
    if (file.kernel != TunedKernel::Lora || file.adapters->experts == 0) continue;
    ++of_experts;
    for (const SureRow& sure : rows_of(file, MoeEngine::Vllm, "h100_sxm"))
      EXPECT_EQ(sure.row.config.tile.tile_m, 64) << file.name << " " << key_text(sure);
  }
  EXPECT_EQ(of_experts, 4U);
}

TEST(AdapterLaunches, OfSglangAreNamedByRankAndKeyedByChunks) {
  EXPECT_TRUE(files_of(MoeEngine::Sglang, "Qwen/Qwen3-8B", "h200_sxm", "").empty());
  const auto files = files_of(MoeEngine::Sglang, "Qwen/Qwen3-8B", "h200_sxm", "", 64);
  std::set<std::string> names;
  for (const TunedFile& file : files) {
    EXPECT_EQ(file.kernel, TunedKernel::ChunkedLora);
    names.insert(file.name);
    const Json contents = file_contents(file, rows_of(file, MoeEngine::Sglang, "h200_sxm"));
    EXPECT_EQ(contents.size(), 4U) << file.name;
    EXPECT_EQ(contents.at("16").size(), 4U) << "BLOCK_N, BLOCK_K, num_warps, num_stages";
  }
  EXPECT_TRUE(names.contains("lora_expand,K=6144,R=64,S=3,device=NVIDIA_H200.json"));
  EXPECT_TRUE(names.contains("lora_shrink,K=4096,R=64,S=2,device=NVIDIA_H200.json"));
}

TEST(NarrowExperts, RowsBelowTheCudaKernelsReachAreTheEnginesOwn) {
  const auto files = files_of(MoeEngine::Vllm, "Qwen/Qwen3-30B-A3B", "l40s", "int4_wo");
  const TunedFile& file = one_of(files, TunedKernel::Experts);
  EXPECT_NE(file.name.find(",dtype=int4_w4a16.json"), std::string::npos);
  for (const SureRow& sure : rows_of(file, MoeEngine::Vllm, "l40s")) {
    const Json config = config_contents(file, sure.row.config);
    EXPECT_EQ(config.at("SPLIT_K"), 1);
    // 8 experts a token of 128: six rows each are 96 tokens.
    if (sure.row.tokens > 96) {
      EXPECT_TRUE(config.contains("BLOCK_SIZE_N")) << sure.row.tokens;
    } else {
      EXPECT_TRUE(sure.row.is_default) << sure.row.tokens;
      EXPECT_FALSE(config.contains("BLOCK_SIZE_N")) << sure.row.tokens;
    }
  }
}

TEST(NarrowExperts, Int8NeedsItsOwnUnitsAndNotFp8s) {
  const auto files = files_of(MoeEngine::Sglang, "Qwen/Qwen3-30B-A3B", "a100_sxm", "int8");
  const TunedFile& experts = one_of(files, TunedKernel::Experts);
  EXPECT_NE(experts.name.find(",dtype=int8_w8a8,per_channel_quant=True.json"), std::string::npos);
  EXPECT_EQ(rows_of(experts, MoeEngine::Sglang, "a100_sxm").size(), kMoeLadder.size());
  const TunedFile& product = one_of(files, TunedKernel::Int8Product);
  for (const SureRow& sure : rows_of(product, MoeEngine::Sglang, "a100_sxm"))
    EXPECT_EQ(128 % sure.row.config.tile.tile_k, 0) << sure.row.tokens;
  GpuSpec without = gpu_named("a100_sxm");
  without.tensor_rates.int8 = 0;
  EXPECT_THROW(sure_rows(product, MoeEngine::Sglang, without, ConfigModel()), InvalidInput);
}

TEST(SecondProducts, HaveTheRowsOfTheFirst) {
  const auto files = files_of(MoeEngine::Sglang, "Qwen/Qwen3-30B-A3B-FP8", "l40s", "");
  const TunedFile& first = one_of(files, TunedKernel::Experts);
  const TunedFile& second = one_of(files, TunedKernel::ExpertsDown);
  ASSERT_TRUE(second.layer);
  const auto above = rows_of(first, MoeEngine::Sglang, "l40s");
  const auto below = rows_of(second, MoeEngine::Sglang, "l40s");
  ASSERT_EQ(above.size(), below.size());
  for (std::size_t i = 0; i < above.size(); ++i) {
    EXPECT_EQ(below[i].row.config.tile.tile_m, above[i].row.config.tile.tile_m) << above[i].row.tokens;
    EXPECT_EQ(below[i].row.engine_default, above[i].row.config) << above[i].row.tokens;
  }
}

TEST(UnfiledKernels, AreNamedWithTheirReason) {
  const auto named = [](MoeEngine engine, const char* model) {
    const EngineRelease release = engine_release(engine, "");
    const ModelArchitecture known = load_model(model);
    std::string all;
    for (const UnfiledKernel& one : unfiled_kernels(
             {.release = release, .model = known, .sharding = {}, .gpu = gpu_named("h200_sxm")})) {
      EXPECT_FALSE(one.why.empty()) << one.kernel;
      all += one.kernel + ";";
    }
    return all;
  };
  EXPECT_NE(named(MoeEngine::Vllm, "Qwen/Qwen3-8B").find("kernel_unified_attention"), std::string::npos);
  EXPECT_NE(named(MoeEngine::Vllm, "nemotron-h-56b-base-8k").find("SSD"), std::string::npos);
  EXPECT_NE(named(MoeEngine::Sglang, "openai/gpt-oss-20b").find("mxfp4"), std::string::npos);
  EXPECT_EQ(named(MoeEngine::Sglang, "Qwen/Qwen3-8B").find("SSD"), std::string::npos);
}

}  // namespace
}  // namespace warploom
