#include "warploom/measurements/dataset.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "warploom/base/error.h"
#include "warploom/measurements/measured_row_test.h"

namespace warploom {
namespace {

TEST(Dataset, GivesBackWhatWasAdded) {
  Dataset data;
  Measurement row = decode_row(8, 1000, "h100_sxm", 12.5);
  row.n_samples = 3;
  row.layout = Layout::Aiconfigurator;
  row.marks = {.launch_bound = true, .source_test = true};
  data.add(row);
  ASSERT_EQ(data.size(), 1u);
  const Measurement back = data.measurement(0);
  EXPECT_EQ(back.gpu, "h100_sxm");
  EXPECT_EQ(back.framework, "sglang");
  EXPECT_EQ(back.version, "0.5");
  EXPECT_EQ(back.kernel, "fa3");
  EXPECT_EQ(back.latency, microseconds(12.5));
  EXPECT_EQ(back.n_samples, 3);
  EXPECT_EQ(back.layout, Layout::Aiconfigurator);
  EXPECT_EQ(back.marks, row.marks);
  EXPECT_EQ(data.family(0), Family::AttentionDecode);
  EXPECT_EQ(std::get<AttentionDecode>(data.op(0)).requests.front().context_tokens, 1000);
  EXPECT_EQ(data.shape(0), shape_hash(row.op));
}

TEST(Dataset, KeepsEqualOperatorsOnce) {
  Dataset data;
  data.add(gemm_row(16, "h100_sxm", 10));
  data.add(gemm_row(16, "a100_sxm", 20, "sglang"));
  data.add(gemm_row(32, "h100_sxm", 11));
  EXPECT_EQ(data.operator_count(), 2u);
  EXPECT_EQ(data.operator_index(0), data.operator_index(1));
  EXPECT_EQ(data.gpus(), (std::vector<std::string>{"h100_sxm", "a100_sxm"}));
  EXPECT_EQ(data.context_count(), 2u);
}

TEST(Dataset, TellsWarmAndColdOperatorsApartThoughTheirShapeIsOne) {
  Dataset data;
  Measurement warm = gemm_row(16, "h100_sxm", 10), cold = warm, fewer = warm;
  std::get<Gemm>(cold.op).residency = Residency::Cold;
  std::get<Gemm>(fewer.op).weight_copies = 2;
  data.add(warm);
  data.add(cold);
  data.add(fewer);
  EXPECT_EQ(data.operator_count(), 3u);
  EXPECT_EQ(data.shape(0), data.shape(1));
  EXPECT_EQ(data.shape(0), data.shape(2));
  EXPECT_EQ(std::get<Gemm>(data.op(1)).residency, Residency::Cold);
  EXPECT_EQ(std::get<Gemm>(data.op(2)).weight_copies, 2);
}

TEST(Dataset, RefusesBadRows) {
  Dataset data;
  EXPECT_THROW(data.add(gemm_row(0, "h100_sxm", 10)), InvalidInput);
  EXPECT_THROW(data.add(gemm_row(-4, "h100_sxm", 10)), InvalidInput);
  EXPECT_THROW(data.add(gemm_row(4, "h100_sxm", 0)), InvalidInput);
  EXPECT_THROW(data.add(gemm_row(4, "h100_sxm", -1)), InvalidInput);
  EXPECT_THROW(data.add(gemm_row(4, "h100_sxm", std::numeric_limits<double>::quiet_NaN())), InvalidInput);
  EXPECT_EQ(data.size(), 0u);
  EXPECT_THROW(data.add(gemm_row(0, "h100_sxm", 10)), InvalidInput)
      << "a refused operator must not be remembered";
}

TEST(Dataset, SubsetAndAppendKeepRows) {
  Dataset data, other;
  for (int i = 1; i <= 5; ++i) data.add(gemm_row(i, i % 2 == 0 ? "h100_sxm" : "l40s", i));
  const Dataset even =
      data.subset(data.rows_where([&](std::size_t row) { return data.gpu(row) == "h100_sxm"; }));
  ASSERT_EQ(even.size(), 2u);
  EXPECT_EQ(even.operator_count(), 2u);
  EXPECT_EQ(std::get<Gemm>(even.op(1)).m, 4);
  other.add(decode_row(1, 10, "l40s", 5));
  other.append(even);
  ASSERT_EQ(other.size(), 3u);
  EXPECT_EQ(other.gpu(2), "h100_sxm");
  EXPECT_EQ(other.latency(2), microseconds(4));
  EXPECT_EQ(other.rows_of(Family::Gemm), (std::vector<std::uint32_t>{1, 2}));
}

RC_GTEST_PROP(Marks, ComeBackFromTheirBits, ()) {
  const Marks marks{.launch_bound = *rc::gen::arbitrary<bool>(),
                    .biased = *rc::gen::arbitrary<bool>(),
                    .derived = *rc::gen::arbitrary<bool>(),
                    .source_test = *rc::gen::arbitrary<bool>()};
  RC_ASSERT(Marks::from_bits(marks.bits()) == marks);
}

}  // namespace
}  // namespace warploom
