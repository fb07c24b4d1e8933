// Learning from searches, on small tables of two GPUs whose best configuration is known.
#include "warploom/fused_moe/config_training.h"

#include <gtest/gtest.h>

#include <fstream>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/fused_moe/profiled_configs.h"

namespace warploom {
namespace {

struct Tables {
  ScratchFolder folder;
  std::filesystem::path gains = std::filesystem::path(folder.path()) / "gains.csv";
  std::filesystem::path near_best = std::filesystem::path(folder.path()) / "near.csv";
};

// Eight layers and three token counts on each GPU: 16x64x128 is best, 16x32x64 0.5 % slower, and the default
// takes 1.25 times as long. One configuration stands near the best of a single shape.
void write_tables(const Tables& tables) {
  std::ofstream gains(tables.gains), near(tables.near_best);
  gains << "hardware,M,E,topk,H,N,best_us,median_config_us,sglang_default_us,sglang_BM,sglang_BN,sglang_BK,"
           "sglang_GM,sglang_num_warps,sglang_num_stages\n";
  near << "hardware,M,E,topk,H,N,BLOCK_SIZE_M,BLOCK_SIZE_N,BLOCK_SIZE_K,GROUP_SIZE_M,num_warps,num_stages,"
          "avg_duration_us\n";
  for (const char* gpu : {"A100", "H800"})
    for (int layer = 1; layer <= 8; ++layer)
      for (const int tokens : {1, 64, 4096}) {
        const std::string shape = std::string(gpu) + "," + std::to_string(tokens) + ",8,2," +
                                  std::to_string(512 * layer) + "," + std::to_string(256 * layer) + ",";
        gains << shape << "100,150,125,64,64,32,8,4,3\n";
        near << shape << "16,64,128,1,4,4,100\n" << shape << "16,32,64,1,4,3,100.5\n";
        if (layer == 1 && tokens == 1) near << shape << "16,16,64,1,4,2,100.9\n";
      }
  gains << "Unknown GPU,1,8,2,512,256,1,2,2,64,64,32,8,4,3\n";
}

TEST(ConfigTraining, KeepsConfigurationsThatSeveralSearchesFoundAndTheirSearches) {
  const Tables tables;
  write_tables(tables);
  const GpuCatalog catalog;
  const ConfigRows rows = read_config_rows(tables.gains, tables.near_best, catalog);
  ASSERT_EQ(rows.candidates.size(), 2U) << "one seen near the best of two shapes alone is left out";
  EXPECT_EQ(moe_config_text(rows.candidates[1]), "16x64x128/w4/s4/g1");
  ASSERT_EQ(rows.gpus.size(), 2U);
  ASSERT_EQ(rows.searches.searches.size(), 48U);
  ASSERT_EQ(rows.layers.size(), 48U);
  for (const ConfigSearch& search : rows.searches.searches)
    EXPECT_EQ(search.near_best, (std::vector<std::uint16_t>{0, 1}));
  EXPECT_EQ(rows.searches.gpus[0].name, rows.gpus[0]->name);
}

TEST(ConfigTraining, FindsTheGainOfGpusAndLayersLeftOut) {
  const Tables tables;
  write_tables(tables);
  const GpuCatalog catalog;
  const ConfigTraining training = train_configs(read_config_rows(tables.gains, tables.near_best, catalog));
  EXPECT_EQ(training.all.shapes, 48U);
  EXPECT_LT(training.all.median_points, 2) << "20 points everywhere";
  EXPECT_DOUBLE_EQ(training.hits.new_layer, 1);
  EXPECT_DOUBLE_EQ(training.hits.new_gpu, 1);
  EXPECT_EQ(training.record.searches.searches.size(), 48U);
  const ConfigModel model(training.record);
  EXPECT_EQ(model.gpus().size(), 2U);
  const GroupedProduct product{.pairs = 128, .experts = 8, .outputs = 1024, .inner = 1024};
  const std::vector<double> votes = model.votes(product, catalog.get("h200_sxm"));
  EXPECT_NEAR(votes[0], 1, 1e-9);
  EXPECT_NEAR(votes[1], 1, 1e-9);
}

TEST(ConfigTraining, RefusesTablesItCannotUse) {
  const Tables tables;
  write_tables(tables);
  const GpuCatalog catalog;
  EXPECT_THROW(read_config_rows(tables.near_best, tables.near_best, catalog), InvalidInput);
  std::ofstream(tables.gains, std::ios::app) << "A100,0,8,2,512,256,100,150,125,64,64,32,8,4,3\n";
  EXPECT_THROW(read_config_rows(tables.gains, tables.near_best, catalog), InvalidInput);
}

TEST(MoeSamples, SkipsWhatWasRefusedAndSaysWhatIsWrong) {
  const ScratchFolder folder;
  const std::filesystem::path path = std::filesystem::path(folder.path()) / "samples.csv";
  const char* const head = "tokens,bm,bn,bk,warps,stages,group,seed,rounds,median_us\n";
  std::ofstream(path) << head << "8,16,64,128,4,3,1,1,1,12.5\n8,128,256,128,8,5,1,1,1,-1\n";
  const std::vector<MoeSample> samples = read_moe_samples(path);
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(moe_config_text(samples[0].config), "16x64x128/w4/s3/g1");
  EXPECT_EQ(samples[0].tokens, 8);
  EXPECT_DOUBLE_EQ(samples[0].us, 12.5);
  std::ofstream(path) << head << "0,16,64,128,4,3,1,1,1,12.5\n";
  EXPECT_THROW(read_moe_samples(path), InvalidInput);
}

}  // namespace
}  // namespace warploom
