// Files of the program's own formats. Half of the damaged ones get the checksum that hides the damage.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "damage.h"
#include "warploom/app/tune/correction_file.h"
#include "warploom/app/tune/formula_file.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/json.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/ceiling/ceiling_file.h"
#include "warploom/ceiling/ceiling_model.h"
#include "warploom/fused_moe/config_model.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/operator_fields.h"
#include "warploom/learning/symmetric_ensemble.h"
#include "warploom/measurements/store.h"
#include "warploom/predictor/model/model_file.h"
#include "warploom/predictor/predictor.h"
#include "warploom/predictor/tables/family_tables.h"
#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom::damage {
namespace {

const std::filesystem::path kData = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "data";

// The hash of all before stands at the end.
void mend_tail(std::string& bytes) {
  if (bytes.size() < 8) return;
  const std::uint64_t hash = hash_bytes(std::string_view(bytes).substr(0, bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &hash, 8);
}

TEST(DamagedPredictors, AreReadOrRefused) {
  GpuCatalog gpus;
  for (const auto& [name, family] :
       {std::pair{"alltoall", Family::AllToAll}, std::pair{"reduce_scatter", Family::ReduceScatter},
        std::pair{"rmsnorm", Family::RmsNorm}, std::pair{"activation", Family::Activation}}) {
    Operator op = default_operator(family);
    if (auto* collective = std::get_if<Collective>(&op)) collective->size = Bytes(1e6);
    expect_sound_or_refused({.name = name,
                             .kind = Kind::Binary,
                             .sound = read_file(kData / "predictor" / (std::string(name) + ".wlp")),
                             .read =
                                 [&](const std::string& bytes) {
                                   FamilyModel model = model_from_bytes(bytes, "predictor");
                                   std::vector<FamilyModel> models;
                                   models.push_back(std::move(model));
                                   const Predictor predictor(std::move(models), {});
                                   for (const char* gpu : {"h200_sxm", "a100_sxm", "t4", "rtx_5090"})
                                     predictor.estimate(op, gpus.load_gpu(gpu));
                                 },
                             .mend = mend_tail});
  }
}

TEST(DamagedCeilings, AreReadOrRefused) {
  GpuCatalog gpus;
  const GpuSpec& gpu = gpus.load_gpu("h200_sxm");
  const RmsNorm op{.tokens = 100};
  const KernelProfile described = profile(op, gpu);
  expect_sound_or_refused({.name = "rmsnorm.wlq",
                           .kind = Kind::Binary,
                           .sound = read_file(kData / "ceiling" / "rmsnorm.wlq"),
                           .read =
                               [&](const std::string& bytes) {
                                 std::vector<FamilyCeiling> families{ceiling_from_bytes(bytes, "ceiling")};
                                 const CeilingModel model(std::move(families));
                                 if (model.family(Family::RmsNorm) != nullptr)
                                   model.ceiling(op, gpu, described, 0.8);
                               },
                           .mend = mend_tail});
}

TEST(DamagedMoeConfigModels, AreReadOrRefused) {
  GpuCatalog gpus;
  const GpuSpec& gpu = gpus.load_gpu("h200_sxm");
  expect_sound_or_refused({.name = "fused_moe.wlm",
                           .kind = Kind::Binary,
                           .sound = read_file(kData / "moe_config" / "fused_moe.wlm"),
                           .read =
                               [&](const std::string& bytes) {
                                 const ConfigModel model(config_model_from_bytes(bytes, "configs"));
                                 const GroupedProduct product{64, 8, 4096, 4096};
                                 model.slowdown(product, {}, gpu);
                                 model.votes(product, gpu);
                               },
                           .mend = mend_tail,
                           .share = 4});
}

TEST(DamagedCorrections, AreReadOrRefused) {
  expect_sound_or_refused({.name = "gemm.wlc",
                           .kind = Kind::Binary,
                           .sound = read_file(kData / "tuner" / "gemm.wlc"),
                           .read =
                               [](const std::string& bytes) {
                                 const SymmetricEnsemble trees(
                                     correction_from_bytes(bytes, {}, "correction").trees);
                                 trees.predict(FeatureRow());
                               },
                           .mend = mend_tail});
}

TEST(DamagedFormulas, AreReadOrRefused) {
  expect_sound_or_refused({.name = "attention.wlf",
                           .kind = Kind::Binary,
                           .sound = read_file(kData / "tuner" / "attention.wlf"),
                           .read = [](const std::string& bytes) { formulas_from_bytes(bytes, "formulas"); },
                           .mend = mend_tail});
}

std::string tune_table() {
  std::vector<TileSample> samples;
  for (const std::int64_t tiles : {4, 33, 132, 264, 500, 1300})
    for (const std::int64_t loops : {4, 16, 64, 128})
      for (const std::int64_t rows : {64, 128}) {
        const TileConfig config{std::int32_t(rows), 128, 64, 4, 3, 1};
        samples.push_back({config, {rows, 128 * tiles, 64 * loops}, 2.0 + double(tiles * loops) / 100});
      }
  return std::string(RuntimeTable::build(fit_wave_model({}, {}, samples)).bytes());
}

TEST(DamagedTuneTables, AreReadOrRefused) {
  expect_sound_or_refused(
      {.name = "table.wlt",
       .kind = Kind::Binary,
       .sound = tune_table(),
       .read =
           [](const std::string& bytes) {
             const RuntimeTable table = RuntimeTable::from_bytes(bytes, "table");
             for (const TileShape& shape : {TileShape{1, 1, 1}, TileShape{4096, 4096, 4096},
                                            TileShape{2147483647, 2147483647, 2147483647}}) {
               table.pick(shape);
               table.best(shape, 3);
             }
           },
       .mend =
           [](std::string& bytes) {
             // magic, two versions, total bytes, checksum, and what it covers
             constexpr std::size_t kTotal = 16, kChecksum = 24, kChecked = 32;
             if (bytes.size() < kChecked) return;
             const std::uint64_t total = bytes.size();
             std::memcpy(bytes.data() + kTotal, &total, 8);
             const std::uint64_t hash = hash_bytes(std::string_view(bytes).substr(kChecked));
             std::memcpy(bytes.data() + kChecksum, &hash, 8);
           }});
}

TEST(DamagedStores, AreReadOrRefused) {
  const ScratchFolder folder;
  {
    Dataset data;
    for (std::int64_t m : {1, 16, 300})
      data.add({.op = Gemm{.m = m, .n = 4096, .k = 4096},
                .gpu = "h100_sxm",
                .framework = "vllm",
                .version = "1",
                .kernel = "x",
                .latency = microseconds(20)},
               "row");
    MeasurementStore(folder.path() / "sound.db").append(data);
  }
  expect_sound_or_refused({.name = "store.db",
                           .kind = Kind::Binary,
                           .sound = read_file(folder.path() / "sound.db"),
                           .read = [&](const std::string& bytes) {
                             const MeasurementStore store(folder.write("damaged.db", bytes),
                                                          MeasurementStore::Mode::ReadOnly);
                             store.load();
                             store.size();
                           }});
}

}  // namespace
}  // namespace warploom::damage
