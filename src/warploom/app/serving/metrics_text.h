// Prometheus' text format, as engines write it at /metrics.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace warploom {

// Counts of a histogram: `cumulative[bound]` samples were no more than `bound`.
struct MetricHistogram {
  std::map<double, double> cumulative;  // ends at infinity
  double sum = 0, count = 0;

  bool empty() const { return count <= 0; }
  double mean() const { return count > 0 ? sum / count : 0; }
  // As Prometheus' histogram_quantile: even within a bucket; the last bound where the quantile is above it.
  double quantile(double fraction) const;
};

// One snapshot. Samples that differ in labels alone (engines of one server, reasons of an end) are added.
struct MetricsText {
  std::string source;                    // for messages
  std::map<std::string, double> values;  // counters and gauges, by their whole name
  std::map<std::string, MetricHistogram> histograms;
  std::string model;              // the label model_name
  std::optional<double> seconds;  // when it was taken: what samples state, else the file's time

  double value(const std::string& name) const;  // 0 where it is absent
};

// Throws InvalidInput with the line on text that is not of this format, and on two models.
MetricsText parse_metrics(std::string_view text, std::string source);
// A file of at most 32 MiB. Throws what parse_metrics and read_file throw.
MetricsText read_metrics(const std::filesystem::path& path);

}  // namespace warploom
