#include "warploom/hardware/gpu_catalog.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warploom {
namespace {

TEST(GpuCatalog, LoadsEveryBuiltInRecord) {
  const GpuCatalog catalog;
  EXPECT_GE(catalog.gpus().size(), 35U);
}

}  // namespace
}  // namespace warploom
