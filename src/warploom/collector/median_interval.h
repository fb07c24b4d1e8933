// The median of repeated timings, how sure it is, and which timings lie apart.
#pragma once

#include <cstddef>
#include <span>

namespace warploom::collector {

struct MedianEstimate {
  double median = 0;
  // Half the width of the 95 % confidence interval of the median, over the median. From order statistics, so
  // no distribution is assumed; infinite below six samples, which cannot bound a median at 95 %.
  double relative_half_width = 0;
  std::size_t samples = 0;
  std::size_t outliers = 0;  // further from the median than kOutlierDeviations scaled absolute deviations
};

// 1.4826 medians of the absolute deviation are one standard deviation of a normal distribution.
inline constexpr double kOutlierDeviations = 5;

// Outliers count: the median stands them, and they are marked, not dropped. samples must not be empty.
// O(n log n).
MedianEstimate estimate_median(std::span<const double> samples);

}  // namespace warploom::collector
