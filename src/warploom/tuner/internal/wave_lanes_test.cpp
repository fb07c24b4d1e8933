// The same times from every width of vectors.
#include "warploom/tuner/internal/wave_lanes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/tuner/internal/wave_lanes_loop.h"

namespace warploom {
namespace {

constexpr std::size_t kRows = 1003;

// Plausible coefficients and works, some of them far out.
std::vector<std::vector<float>> drawn_columns(std::size_t count, RandomStream& draw) {
  std::vector<std::vector<float>> columns(count, std::vector<float>(whole_lanes(kRows), 1.0F));
  for (auto& column : columns)
    for (std::size_t i = 0; i < kRows; ++i) column[i] = static_cast<float>(std::exp(draw.uniform(-5, 5)));
  return columns;
}

template <std::size_t kCount>
void point(const float* (&pointers)[kCount], const std::vector<std::vector<float>>& columns) {
  for (std::size_t k = 0; k < kCount; ++k) pointers[k] = columns[k].data();
}

TEST(WaveLanes, AnyWidthGivesTheScalarTimes) {
  RandomStream draw(5, "lanes");
  const auto coefficients = drawn_columns(kCoefficientColumns, draw),
             works = drawn_columns(kWorkColumns, draw);
  WaveLanes lanes{};
  point(lanes.coefficients, coefficients);
  point(lanes.work, works);
  std::vector<float> four(whole_lanes(kRows)), widest(whole_lanes(kRows)), one_config(whole_lanes(kRows));
  lanes::times_of_configs<FourFloats>(lanes, kRows, four.data());
  times_of_configs(lanes, kRows, widest.data());
  WaveCoefficients<float> first;
  for (std::size_t i = 0; i < kRows; ++i) {
    float row[kCoefficientColumns], work_row[kWorkColumns];
    for (std::size_t k = 0; k < kCoefficientColumns; ++k) row[k] = coefficients[k][i];
    for (std::size_t k = 0; k < kWorkColumns; ++k) work_row[k] = works[k][i];
    WaveCoefficients<float> config;
    TileWork work;
    std::memcpy(static_cast<void*>(&config), row, sizeof config);
    std::memcpy(&work, work_row, sizeof work);
    if (i == 0) {
      first = config;
      times_of_works(first, lanes.work, kRows, one_config.data());
    }
    EXPECT_EQ(wave_time(config, work), four[i]) << i;
    EXPECT_EQ(four[i], widest[i]) << i;
    EXPECT_EQ(wave_time(first, work), one_config[i]) << i;
  }
}

}  // namespace
}  // namespace warploom
