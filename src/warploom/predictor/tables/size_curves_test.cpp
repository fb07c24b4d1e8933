#include "warploom/predictor/tables/size_curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/model/model_file.h"
#include "warploom/predictor/predictor.h"

namespace warploom {
namespace {

Json small_document() {
  return Json::parse(R"({
    "schema": "warploom_size_curves", "version": 1, "interval_edges": [1000],
    "intervals": [{"kernel": "fast", "low": [-0.1, -0.2], "high": [0.05, 0.3]}],
    "curves": [
      {"gpu": "h100_sxm", "framework": "engine", "version": "1.0", "kernel": "fast", "ranks": 8,
       "bytes": [100, 1000, 3000], "us": [2, 4, 12]},
      {"gpu": "h100_sxm", "framework": "other", "version": "1.0", "kernel": "fast", "ranks": 8,
       "bytes": [100, 200], "us": [1, 2]}]})");
}

// A model of one cell, of "engine" on an H100.
FamilyModel small_model() {
  FamilyModel model;
  model.family = Family::AllReduce;
  model.gpus.push_back({"h100_sxm", 0, 0, false, 0.0F, 0.0F});
  model.contexts.push_back({"engine", "1.0", "fast"});
  CellRecord cell;
  cell.gpu = 0;
  model.cells.push_back(cell);
  return model;
}

std::string error_of(const Json& document) {
  try {
    size_curves_from_json(document, "mine.json");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return {};
}

Collective all_reduce(double bytes, std::int64_t ranks = 8) {
  return {.kind = CollectiveKind::AllReduce, .size = Bytes(bytes), .ranks = ranks};
}

TEST(SizeCurves, AreStraightBetweenMeasuredSizesAndSilentBeyond) {
  const SizeCurveFile file = size_curves_from_json(small_document(), "mine.json");
  const SizeCurves curves(file, small_model());
  EXPECT_EQ(curves.size(), 1U);  // the other engine's cell is not in the model
  const auto seconds = [&](double bytes) { return curves.answer(0, all_reduce(bytes))->seconds; };
  EXPECT_DOUBLE_EQ(seconds(100), 2e-6);
  EXPECT_DOUBLE_EQ(seconds(550), 3e-6);
  EXPECT_DOUBLE_EQ(seconds(1000), 4e-6);
  EXPECT_DOUBLE_EQ(seconds(2000), 8e-6);
  EXPECT_DOUBLE_EQ(seconds(3000), 12e-6);
  EXPECT_FALSE(curves.answer(0, all_reduce(99)));
  EXPECT_FALSE(curves.answer(0, all_reduce(3001)));
  EXPECT_FALSE(curves.answer(0, all_reduce(550, 4)));
  EXPECT_FALSE(curves.answer(1, all_reduce(550)));
}

TEST(SizeCurves, GiveTheIntervalOfTheSizesRange) {
  const SizeCurveFile file = size_curves_from_json(small_document(), "mine.json");
  const SizeCurves curves(file, small_model());
  EXPECT_EQ(curves.answer(0, all_reduce(1000))->low, -0.1);
  EXPECT_EQ(curves.answer(0, all_reduce(1000))->high, 0.05);
  EXPECT_EQ(curves.answer(0, all_reduce(1001))->low, -0.2);
  EXPECT_EQ(curves.answer(0, all_reduce(1001))->high, 0.3);
}

TEST(SizeCurves, AreOfRanksThatShareALinkDomain) {
  const SizeCurveFile file = size_curves_from_json(small_document(), "mine.json");
  const SizeCurves curves(file, small_model());
  Collective op = all_reduce(550);
  op.ranks_per_node = 8;
  EXPECT_TRUE(curves.answer(0, op));
  op.ranks_per_node = 4;
  EXPECT_FALSE(curves.answer(0, op));
}

TEST(SizeCurves, RefuseFilesThatAreNoSuch) {
  EXPECT_EQ(error_of(small_document()), "");
  Json missing = small_document(), short_times = missing, order = missing, kernel = missing, sign = missing,
       ranks = missing, zero = missing, text = missing;
  missing["curves"][1].erase("bytes");
  EXPECT_EQ(error_of(missing), "mine.json: curves[1]: 'bytes' is missing");
  short_times["curves"][0]["us"].erase(2);
  EXPECT_EQ(error_of(short_times),
            "mine.json: curves[0]: 'us': expected 3 times above 0, one for each of 'bytes'");
  order["curves"][0]["bytes"][1] = 100;
  EXPECT_EQ(error_of(order), "mine.json: curves[0]: 'bytes': expected ascending sizes above 0");
  kernel["curves"][0]["kernel"] = "slow";
  EXPECT_EQ(error_of(kernel), "mine.json: curves[0]: 'kernel': expected one that 'intervals' names");
  sign["intervals"][0]["low"][1] = 0.2;
  EXPECT_EQ(error_of(sign), "mine.json: intervals[0]: 'low': expected 2 numbers up to 0");
  ranks["curves"][0]["ranks"] = 1;
  EXPECT_EQ(error_of(ranks), "mine.json: curves[0]: 'ranks': expected an integer of at least 2");
  zero["curves"][0]["us"][0] = 0;
  EXPECT_EQ(error_of(zero), "mine.json: curves[0]: 'us': expected 3 times above 0, one for each of 'bytes'");
  text["curves"] = "none";
  EXPECT_EQ(error_of(text), "mine.json: 'curves': expected a list");
}

FamilyModel shipped_all_reduces() {
  const std::string path = std::string(WARPLOOM_SOURCE_DIR) + "/data/predictor/allreduce.wlp";
  return model_from_bytes(read_file(path), path);
}

TEST(ShippedSizeCurves, AreAllOfCellsThatTheShippedFamilyKnows) {
  const SizeCurveFile& file = shipped_size_curves();
  EXPECT_EQ(SizeCurves(file, shipped_all_reduces()).size(), file.curves.size());
  EXPECT_GT(file.curves.size(), 300U);
}

// The knots are the learned sizes: asked there as it was measured, the predictor says what was measured.
TEST(ShippedSizeCurves, AnswerForTheShippedFamilyAlone) {
  const GpuCatalog gpus;
  const Predictor shipped, trained_elsewhere({shipped_all_reduces()});
  std::size_t asked = 0, other = 0;
  for (const SizeCurve& curve : shipped_size_curves().curves) {
    const GpuSpec& gpu = gpus.get(curve.gpu);
    const KernelContext context{.framework = curve.context.framework,
                                .version = curve.context.version,
                                .kernel = curve.context.kernel,
                                .as_collected = true};
    for (std::size_t i = 0; i < curve.bytes.size(); ++i, ++asked) {
      const Operator op = all_reduce(curve.bytes[i], curve.ranks);
      const LatencyEstimate answer = shipped.estimate(op, gpu, context);
      const double expected = std::max(curve.seconds[i], answer.physical_bound.value());
      ASSERT_NEAR(answer.p50.value() / expected, 1, 1e-9)
          << curve.gpu << " " << curve.context.kernel << " " << curve.ranks << " x " << curve.bytes[i];
      ASSERT_EQ(answer.tier, Tier::Measured);
      const double without = trained_elsewhere.estimate(op, gpu, context).p50.value();
      other += std::size_t(std::abs(without / expected - 1) > 0.01);
    }
  }
  EXPECT_GT(asked, 4000U);
  EXPECT_GT(other, asked / 2);  // a family that was learned elsewhere keeps to its trees
}

// Between sizes, in a batch as alone.
TEST(ShippedSizeCurves, AnswerBatchesAsSingleQuestions) {
  const GpuCatalog gpus;
  const Predictor shipped;
  std::vector<Operator> operators;
  for (double bytes = 300; bytes < 1e9; bytes *= 1.7) operators.push_back(all_reduce(std::floor(bytes)));
  std::vector<LatencyEstimate> batch(operators.size());
  const KernelContext context{.framework = "vllm", .version = "0.31.0", .kernel = {}};
  shipped.estimate_batch(operators, gpus.get("h100_sxm"), context, batch);
  for (std::size_t i = 0; i < operators.size(); ++i)
    EXPECT_EQ(batch[i].p50.value(),
              shipped.estimate(operators[i], gpus.get("h100_sxm"), context).p50.value());
}

}  // namespace
}  // namespace warploom
