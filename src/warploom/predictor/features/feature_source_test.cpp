#include "warploom/predictor/features/feature_source.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/structural_price.h"
#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

// Every struct has a source, and its base is the structural time of the same operator.
TEST(FeatureSource, OfEveryFamilyLearnsOverItsStructuralTime) {
  const GpuCatalog gpus;
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    const Operator op = family_value(family).example(family);
    EXPECT_EQ(feature_source(op).place, op.index()) << name;
    EXPECT_GT(feature_source(op).trees.trees, 0) << name;
    for (const char* gpu : {"A100", "H200", "B200"}) {
      const ContextKernel kernel;
      OperatorFeatures row;
      compute_features(op, gpus.get(gpu), kernel, default_constants(family), row);
      const StructuralPrice price = structural_price(op, gpus.get(gpu), kernel, default_constants(family));
      EXPECT_DOUBLE_EQ(row.log_base, std::log(price.seconds)) << name << " on " << gpu;
      EXPECT_GT(row.count, kGpuFeatures) << name;
    }
  }
}

TEST(FeatureSource, ALayerIsNamedForExpertsAlone) {
  EXPECT_NE(layer_of(FusedMoe{}), 0u);
  EXPECT_EQ(layer_of(Gemm{}), 0u);
}

}  // namespace
}  // namespace warploom
