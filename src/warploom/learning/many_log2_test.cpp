#include "warploom/learning/many_log2.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "warploom/base/random.h"

namespace warploom {
namespace {

TEST(Log2All, AgreesWithTheLibrary) {
  RandomStream random(3, "logarithms");
  std::vector<float> values(4000);
  for (float& value : values) value = float(std::exp2(random.uniform(-40, 60)));
  const std::vector<float> given = values;
  log2_all(values.data(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double exact = std::log2(double(given[i]));
    EXPECT_NEAR(double(values[i]), exact, 2e-7 * std::max(1.0, std::abs(exact))) << given[i];
  }
}

TEST(Log2All, IsExactAtPowersOfTwo) {
  for (int power = -40; power <= 60; ++power) {
    std::vector<float> values(8, std::ldexp(1.0F, power));
    log2_all(values.data(), 1);
    EXPECT_EQ(values[0], float(power));
  }
}

TEST(Log2All, GivesTheSameBitsWithEveryUnit) {
  if (!has_vector_unit(VectorUnit::Avx2)) GTEST_SKIP() << "this processor has no AVX2";
  RandomStream random(5, "units");
  std::vector<float> plain(4000);
  for (float& value : plain) value = float(std::exp2(random.uniform(-40, 60)));
  std::vector<float> vectors = plain;
  log2_all(plain.data(), plain.size(), VectorUnit::Plain);
  log2_all(vectors.data(), vectors.size(), VectorUnit::Avx2);
  EXPECT_EQ(plain, vectors);
}

}  // namespace
}  // namespace warploom
