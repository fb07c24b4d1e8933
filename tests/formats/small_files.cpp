#include "small_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "warploom/app/tune/correction_file.h"
#include "warploom/app/tune/formula_file.h"
#include "warploom/base/byte_stream.h"
#include "warploom/base/hash.h"
#include "warploom/baselines/method_file.h"
#include "warploom/ceiling/ceiling_file.h"
#include "warploom/fused_moe/config_model.h"
#include "warploom/learning/symmetric_trees.h"
#include "warploom/predictor/model/model_file.h"
#include "warploom/predictor/tables/table_file.h"
#include "warploom/tuner/internal/table_layout.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom::formats {
namespace {

SymmetricTrees two_trees() {
  return {.slots = {0, 3},
          .cuts = {{1, 2}, {0.5F}},
          .trees = {{{{0, 1}}, 3, {-5, 7}}, {{{1, 0}, {0, 0}}, 1, {1, 2, 3, 4}}}};
}

FormulaFile small_formulas() {
  FormulaFile file{.kind = TileKernelKind::GroupedGemm, .one_byte = true, .gpu = "h200_sxm", .formulas = {}};
  for (const std::int32_t tile_m : {16, 256}) {
    KnownFormula& formula = file.formulas[{tile_m, 64, 128, 4, 3, 1}];
    formula.slots = 1 + tile_m / 128;
    for (std::size_t i = 0; i < kFitted; ++i) {
      formula.point[i] = float(i) - 8.5F;
      formula.held[i] = float(i) / 17;
    }
  }
  return file;
}

FamilyModel small_model() {
  FamilyModel model;
  model.family = Family::ReduceScatter;
  model.created_by = "warploom train";
  model.data_hash = 0x0123456789ABCDEF;
  model.seed = 7;
  model.test_fraction = 0.1;
  model.gpus = {{.name = "h200_sxm", .architecture = 90, .rows = 12}};
  model.contexts = {{"pytorch", "2.8", "nccl"}};
  LogInterval interval;
  interval.low.fill(-0.1F);
  interval.high.fill(0.2F);
  model.cells = {{.gpu = 0,
                  .context = 0,
                  .kind = 1,
                  .rows = 12,
                  .offset = 0.5F,
                  .overhead = {1e-6F, 0},
                  .interval = interval,
                  .layers = {3, 4},
                  .interval_new_layer = interval}};
  model.ensembles = {{.gpu = 0, .low = {0, 1}, .high = {2, 3}, .trees = "trees", .layer_trees = "more"}};
  ConstantsRecord constants;
  constants.values.values.fill(1);
  model.constants = {constants};
  model.interval_known = model.interval_unknown = model.interval_sibling = interval;
  return model;
}

FamilyTables small_tables() {
  FamilyTables tables;
  tables.family = Family::ReduceScatter;
  tables.created_by = "warploom train";
  tables.model_hash = hash_bytes(model_to_bytes(small_model()));
  tables.corrections = {{.weights = std::vector<float>(kMaxGuesses, 0.5F), .features = {0, 2}, .trees = ""}};
  std::vector<ResidualTable::Entry> entries;
  for (std::int64_t size : {1024, 2048, 4096})
    entries.push_back({0, {.group = 5, .at = {size, 8}, .axes = 2}, 0.25F});
  tables.residuals = ResidualTable(entries, 1);
  tables.intervals = {LogInterval{}};
  return tables;
}

baselines::PipeWeaveModel small_method() {
  using baselines::DenseNetwork;
  std::vector<DenseNetwork::InputScale> scales(11, {.low = 0, .high = 30});
  std::vector<DenseNetwork::Layer> layers{
      {.inputs = 11, .outputs = 2, .weights = std::vector<float>(22, 0.125F), .bias = {0.5F, -1}},
      {.inputs = 2, .outputs = 1, .weights = {1, -2}, .bias = {0.25F}}};
  baselines::PipeWeaveKernels kernels;
  kernels.emplace(published::PublishedKernel::GemmFp8,
                  baselines::PipeWeaveKernel{.network = {DenseNetwork(std::move(scales), std::move(layers)),
                                                         {.low = 0.01, .high = 0.9}},
                                             .gpus = {"h20", "h800"},
                                             .rows = 7});
  std::vector<baselines::CollectiveForest> forests;
  PlainTree tree;
  tree.nodes = {{.feature = 0, .value = 4096, .left = 1, .right = 2}, {.value = 10}, {.value = 20}};
  forests.emplace_back(CollectiveKind::AllReduce, "h20", encode_trees({tree}), "small");
  return {std::move(kernels), std::move(forests)};
}

baselines::KernelSightModel small_kernelsight() {
  ByteWriter learner;  // linear, with a constant alone
  learner.put_text("linear");
  for (const double bound : {-2.0, -0.1}) learner.put(bound);
  learner.put_all(std::vector<double>{-0.5, 0, 0, 0, 0, 0, 0});
  ByteReader reader(learner.bytes(), "small");
  baselines::KernelSightParts parts;
  parts.kernels.emplace(
      11, baselines::KernelSightKernel{5e-6, baselines::EfficiencyLearner::read(reader, "small")});
  for (const float size : {1.0F, 3.0F}) parts.surfaces[12].add(std::vector<float>{size, 2}, -0.25);
  parts.surfaces[12].finish();
  parts.newest[13] = 12;
  parts.usual[15] = 11;
  parts.links[14] = {2e-5, 1e-11};
  parts.families[Family::Gemm] = {baselines::LearnerKind::Linear, {"h20", "h800"}, 2};
  parts.families[Family::AllReduce] = {{}, {"h20"}, 9};
  return baselines::KernelSightModel(std::move(parts));
}

FamilyCeiling small_ceiling() {
  FamilyCeiling ceiling;
  ceiling.family = Family::RmsNorm;
  ceiling.gpus = {"a100_sxm", "h200_sxm"};
  ceiling.rows = 99;
  ceiling.data_hash = 5;
  ceiling.location_offset = -0.25F;
  ceiling.location = ceiling.spread = encode_symmetric(two_trees());
  for (std::size_t i = 0; i < ceiling.z.size(); ++i) ceiling.z[i] = float(i) / 10;
  return ceiling;
}

ConfigModelRecord small_config_model() {
  ConfigModelRecord record;
  record.rows = 3;
  record.data_hash = 77;
  record.candidates = {{.tile = {16, 32, 64, 4, 3, 1}, .group_m = 1},
                       {.tile = {64, 64, 64, 8, 2, 1}, .group_m = 8}};
  record.searches.gpus = {{"h200_sxm", Generation::Hopper, 132, 200, 233472}};
  record.searches.searches = {{.gpu = 0, .product = {64, 8, 4096, 1024}, .near_best = {0, 1}}};
  record.offset = 0.125F;
  record.trees = encode_symmetric(two_trees());
  record.residual_p10 = -0.1F;
  record.residual_p90 = 0.1F;
  return record;
}

// With formulas of narrow rows, and of narrow stores of those.
std::string small_tune_table(bool narrow_rows, bool narrow_stores) {
  WaveModel model;
  model.gpu.name = "h200_sxm";
  model.configs = {
      {.config = {128, 128, 64, 8, 3, 1}, .residual = 0.02F, .most_waves = 4, .most_iterations = 64}};
  model.median_r_squared = 0.5;
  if (narrow_rows) model.narrow = model.configs;
  if (narrow_stores) model.both = model.configs;
  const ShapeCells grid{{12, 12, 12}, {1, 1, 1}};
  const std::vector<TableCell> cells(std::size_t(row_classes_of(model.kernel.kind)));
  return table_bytes(model, {}, grid, 0, cells);
}

std::string version_of(std::uint32_t major, std::uint32_t minor) {
  return fmt::format("{}.{}", major, minor);
}

}  // namespace

std::vector<SmallFile> small_files() {
  return {
      {"predictor-" + version_of(kPredictorFileMajor, kPredictorFileMinor) + ".wlp",
       model_to_bytes(small_model())},
      {"tables-" + version_of(kTableFileMajor, kTableFileMinor) + ".wlt", tables_to_bytes(small_tables())},
      {"method-" + version_of(kMethodFileMajor, kMethodFileMinor) + ".wlb",
       method_to_bytes(small_method(), {.data_hash = 3, .seed = 42, .rows = 7})},
      {"kernelsight-" + version_of(kMethodFileMajor, kMethodFileMinor) + ".wlb",
       method_to_bytes(small_kernelsight(), {.data_hash = 3, .seed = 42, .rows = 11})},
      {"ceiling-" + version_of(kCeilingFileMajor, kCeilingFileMinor) + ".wlq",
       ceiling_to_bytes(small_ceiling())},
      {fmt::format("moe_config-{}.wlm", kConfigModelVersion), config_model_to_bytes(small_config_model())},
      {fmt::format("tune_table-{}.wlt", kWideTableMajor), small_tune_table(false, false)},
      {fmt::format("tune_table-{}.wlt", kNarrowTableMajor), small_tune_table(true, false)},
      {fmt::format("tune_table-{}.wlt", kTuneTableMajor), small_tune_table(true, true)},
      {"correction-" + version_of(kCorrectionFileMajor, kCorrectionFileMinor) + ".wlc",
       correction_to_bytes({TileKernelKind::GroupedGemm, false, true},
                           {.gpus = {"h200_sxm", "h100_sxm"}, .trees = two_trees()})},
      {"formulas-" + version_of(kFormulaFileMajor, kFormulaFileMinor) + ".wlf",
       formulas_to_bytes(small_formulas())}};
}

std::string rewritten(const std::string& name, const std::string& bytes) {
  if (name.ends_with(".wlp")) return model_to_bytes(model_from_bytes(bytes, name));
  if (name.starts_with("tables-")) {
    const FamilyModel model = small_model();
    return tables_to_bytes(tables_from_bytes(bytes, model, hash_bytes(model_to_bytes(model)), name));
  }
  if (name.ends_with(".wlt")) return std::string(RuntimeTable::from_bytes(bytes, name).bytes());
  if (name.ends_with(".wlb")) return method_to_bytes(method_from_bytes(bytes, name));
  if (name.ends_with(".wlq")) return ceiling_to_bytes(ceiling_from_bytes(bytes, name));
  if (name.ends_with(".wlm")) return config_model_to_bytes(config_model_from_bytes(bytes, name));
  if (name.ends_with(".wlc")) {
    CorrectionKind kind{TileKernelKind::GroupedGemm, false, true};
    for (const TileKernelKind one :
         {TileKernelKind::Gemm, TileKernelKind::GroupedGemm, TileKernelKind::Attention})
      for (const bool one_byte : {false, true})
        for (const bool unaligned : {false, true})
          if (const CorrectionKind other{one, one_byte, unaligned}; other.file_name() == name) kind = other;
    return correction_to_bytes(kind, correction_from_bytes(bytes, kind, name));
  }
  if (name.ends_with(".wlf")) return formulas_to_bytes(formulas_from_bytes(bytes, name));
  throw std::logic_error(name + ": no format of the program");
}

}  // namespace warploom::formats
