#include "warploom/app/serving/metrics_text.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/base/file.h"

namespace warploom {
namespace {

constexpr std::uint64_t kMostBytes = 32ULL << 20;

struct Sample {
  std::string name, bound, model;
  double value = 0;
  std::optional<double> seconds;
};

// Reads one line: NAME{LABEL="TEXT",...} VALUE [MILLISECONDS].
class SampleReader {
 public:
  SampleReader(std::string_view line, std::string place) : rest_(line), place_(std::move(place)) {}

  Sample read() {
    Sample sample;
    const std::size_t end = rest_.find_first_of("{ \t");
    if (end == 0 || end == std::string_view::npos) refuse("expected NAME VALUE");
    sample.name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (rest_.front() == '{') read_labels(sample);
    sample.value = number();
    skip_blanks();
    if (!rest_.empty()) sample.seconds = number() * 1e-3;
    skip_blanks();
    if (!rest_.empty()) refuse("expected the end of the line");
    return sample;
  }

 private:
  [[noreturn]] void refuse(std::string_view expected) const {
    throw InvalidInput(fmt::format("{}: is no sample of Prometheus' text format, {}", place_, expected));
  }
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  char next() {
    if (rest_.empty()) refuse("expected the end of its labels");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  std::string quoted() {
    if (next() != '"') refuse("expected a label in quotes");
    std::string text;
    for (char c = next(); c != '"'; c = next()) text += c == '\\' ? next() : c;
    return text;
  }
  void read_labels(Sample& sample) {
    next();
    while (true) {
      skip_blanks();
      std::string name;
      char c = next();
      if (c == '}') return;
      if (c == ',') continue;
      for (; c != '='; c = next()) name += c;
      std::string text = quoted();
      if (name == "le")
        sample.bound = std::move(text);
      else if (name == "model_name")
        sample.model = std::move(text);
    }
  }
  double number() {
    skip_blanks();
    const std::string word(rest_.substr(0, rest_.find_first_of(" \t")));
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0') refuse("expected a number");
    rest_.remove_prefix(word.size());
    return value;
  }

  std::string_view rest_;
  std::string place_;
};

bool drop_ending(std::string& name, std::string_view ending) {
  if (!name.ends_with(ending)) return false;
  name.resize(name.size() - ending.size());
  return true;
}

void add(MetricsText& metrics, const Sample& sample) {
  metrics.values[sample.name] += sample.value;
  std::string name = sample.name;
  if (!sample.bound.empty() && drop_ending(name, "_bucket"))
    metrics.histograms[name].cumulative[std::strtod(sample.bound.c_str(), nullptr)] += sample.value;
  if (sample.seconds) metrics.seconds = std::max(metrics.seconds.value_or(0), *sample.seconds);
  if (sample.model.empty()) return;
  if (!metrics.model.empty() && metrics.model != sample.model)
    throw InvalidInput(fmt::format("{}: holds metrics of the models {} and {}, expected one", metrics.source,
                                   metrics.model, sample.model));
  metrics.model = sample.model;
}

}  // namespace

double MetricHistogram::quantile(double fraction) const {
  const double wanted = fraction * count;
  double low = 0, below = 0;
  for (const auto& [bound, at] : cumulative) {
    if (at >= wanted && at > below)
      return std::isinf(bound) ? low : low + (bound - low) * (wanted - below) / (at - below);
    if (!std::isinf(bound)) low = bound;
    below = at;
  }
  return low;
}

double MetricsText::value(const std::string& name) const {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

MetricsText parse_metrics(std::string_view text, std::string source) {
  MetricsText metrics;
  metrics.source = std::move(source);
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view words = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.ends_with('\r')) words.remove_suffix(1);
    if (words.empty() || words.front() == '#') continue;
    add(metrics, SampleReader(words, fmt::format("{}:{}", metrics.source, line)).read());
  }
  for (auto& [name, histogram] : metrics.histograms) {
    histogram.sum = metrics.value(name + "_sum");
    histogram.count = metrics.value(name + "_count");
  }
  return metrics;
}

MetricsText read_metrics(const std::filesystem::path& path) {
  MetricsText metrics = parse_metrics(read_file(path, kMostBytes), path.string());
  if (metrics.seconds) return metrics;
  const auto written = std::filesystem::last_write_time(path);
  const auto clock = std::chrono::file_clock::to_sys(written).time_since_epoch();
  metrics.seconds = std::chrono::duration<double>(clock).count();
  return metrics;
}

}  // namespace warploom
