#include "warploom/kernels/operator/engram.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/kernels/structural_price.h"

namespace warploom {
namespace {

// Ten tokens look up n-grams of 2 and 3 tokens by two hashes, rows of 4 elements of 2 bytes.
Engram small() {
  return {
      .tokens = 10, .hidden = 8, .streams = 2, .max_ngram = 3, .heads = 2, .head_dim = 4, .table_rows = 1000};
}

TEST(Engram, CountsRowsAndProduct) {
  const Work work = work_of(small());
  EXPECT_DOUBLE_EQ(work.matrix_flop.value(), 2 * 10 * (3 * 8) * 16);
  EXPECT_DOUBLE_EQ(work.weight_bytes.value(), 2 * (3 * 8) * 16 + 10 * 4 * 4 * 2);
  EXPECT_DOUBLE_EQ(work.input_bytes.value(), 10 * 2 * 8 * 2);
}

TEST(Engram, OneOfSeveralGpusReadsItsShareOfTheRows) {
  Engram op = small();
  op.gpus = 2;
  EXPECT_DOUBLE_EQ(work_of(small()).weight_bytes.value() - work_of(op).weight_bytes.value(), 10 * 4 * 4);
}

// The collector's slope of V4.1-Flash from 4,096 to 8,192 tokens on GB200 is 0.15 us a token, host apart
// (aisimulate, dsv41_module): the price of a long batch is near it.
TEST(Engram, GrowsAsTheMeasuredSlope) {
  const GpuCatalog gpus;
  const auto seconds = [&](std::int64_t tokens) {
    const Engram op{.projections = MatmulScheme::Fp8Block, .tokens = tokens};
    const ContextKernel kernel{};
    return structural_price(op, gpus.get("GB200"), kernel, default_constants(family_of(op))).seconds;
  };
  const double slope = (seconds(8192) - seconds(4096)) / 4096;
  EXPECT_GT(slope, 0.15e-6 / 1.6);
  EXPECT_LT(slope, 0.15e-6 * 1.6);
}

TEST(Engram, RefusesSizesThatAreNone) {
  for (const auto wrong : {&Engram::tokens, &Engram::hidden, &Engram::streams, &Engram::heads,
                           &Engram::head_dim, &Engram::table_rows, &Engram::gpus}) {
    Engram op = small();
    op.*wrong = 0;
    EXPECT_THROW(check_operator(op, "test"), InvalidInput);
  }
  Engram op = small();
  op.max_ngram = 1;
  EXPECT_THROW(check_operator(op, "test"), InvalidInput);
}

}  // namespace
}  // namespace warploom
