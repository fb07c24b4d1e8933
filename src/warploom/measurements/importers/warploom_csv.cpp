#include "warploom/measurements/importers/warploom_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/json.h"
#include "warploom/base/nearest_name.h"
#include "warploom/kernels/operator_json.h"
#include "warploom/measurements/internal/table_format.h"

namespace warploom {
namespace {

const std::vector<std::string>& column_names() {
  static const std::vector<std::string> names{"gpu",        "framework", "version", "kernel",
                                              "latency_us", "n_samples", "marks",   "operator"};
  return names;
}

// What warploom-collect writes beside each row of a sweep: for people, and for whoever asks why a row is off.
const std::vector<std::string>& state_column_names() {
  static const std::vector<std::string> names{"interval", "outliers",      "sm_clock_mhz", "memory_clock_mhz",
                                              "power_w",  "temperature_c", "throttle",     "algorithm"};
  return names;
}

// The mark of a row that was timed while the device's clock was held down.
constexpr std::string_view kThrottledMark = "throttled";
constexpr std::string_view kThrottledReason = "timed while the device's clock was held down";

constexpr std::array<std::pair<std::string_view, bool Marks::*>, 4> kMarkNames{
    {{"launch_bound", &Marks::launch_bound},
     {"biased", &Marks::biased},
     {"derived", &Marks::derived},
     {"source_test", &Marks::source_test}}};

std::string marks_text(const Marks& marks) {
  std::string text;
  for (const auto& [name, member] : kMarkNames) {
    if (!(marks.*member)) continue;
    if (!text.empty()) text.push_back('+');
    text += name;
  }
  return text;
}

Marks parse_marks(const Table& table, std::size_t column) {
  Marks marks;
  std::string_view rest = table.text(column);
  while (!rest.empty()) {
    const std::size_t plus = rest.find('+');
    const std::string_view word = rest.substr(0, plus);
    const auto known =
        std::find_if(kMarkNames.begin(), kMarkNames.end(), [&](const auto& n) { return n.first == word; });
    if (known == kMarkNames.end()) {
      table.refuse(column, "names of launch_bound, biased, derived, source_test joined by '+'");
    }
    marks.*(known->second) = true;
    rest = plus == std::string_view::npos ? std::string_view{} : rest.substr(plus + 1);
  }
  return marks;
}

void read_rows(Table& table, RowSink& sink) {
  for (const std::string& name : table.csv().columns()) {
    const auto& known = column_names();
    const auto& state = state_column_names();
    if (std::find(known.begin(), known.end(), name) == known.end() &&
        std::find(state.begin(), state.end(), name) == state.end()) {
      throw InvalidInput(fmt::format("{}: unknown column '{}'{}; known are {}", table.path().string(), name,
                                     did_you_mean(name, known), fmt::join(known, ", ")));
    }
  }
  const std::size_t gpu_column = table.column("gpu"), latency = table.column("latency_us"),
                    op_column = table.column("operator");
  const auto framework = table.find_column("framework"), version = table.find_column("version"),
             kernel = table.find_column("kernel"), n_samples = table.find_column("n_samples"),
             marks = table.find_column("marks");
  const auto text = [&table](const std::optional<std::size_t>& column) {
    return column ? table.text(*column) : std::string_view{};
  };
  while (table.next()) {
    const GpuSpec* gpu = sink.gpu(table.text(gpu_column), table);
    if (gpu == nullptr) continue;
    const std::string where = table.csv().where(op_column);
    const Operator op = operator_from_json(parse_json(table.text(op_column), where), where);
    if (!sink.wants(family_of(op))) {
      sink.skip_unwanted();
      continue;
    }
    if (text(marks) == kThrottledMark) {
      sink.skip(kThrottledReason, table);
      continue;
    }
    sink.add({.op = op,
              .gpu = *gpu,
              .context = {text(framework), text(version), text(kernel)},
              .latency = table.latency_us(latency),
              .n_samples = n_samples ? table.positive(*n_samples) : 1,
              .marks = marks ? parse_marks(table, *marks) : Marks{}},
             table);
  }
}

}  // namespace

std::string warploom_csv_text(const Dataset& dataset) {
  CsvWriter writer(column_names());
  for (std::size_t row = 0; row < dataset.size(); ++row) {
    const KernelContext context = dataset.context(row);
    writer.row({dataset.gpu(row), std::string(context.framework), std::string(context.version),
                std::string(context.kernel), fmt::format("{}", to_microseconds(dataset.latency(row))),
                fmt::format("{}", dataset.n_samples(row)), marks_text(dataset.marks(row)),
                operator_to_json(dataset.op(row)).dump()});
  }
  return writer.text();
}

void write_warploom_csv(const std::filesystem::path& path, const Dataset& dataset) {
  write_file_atomically(path, warploom_csv_text(dataset));
}

const std::vector<TableFormat>& warploom_formats() {
  // One column makes it this layout, so that a misspelt other one is named.
  static const std::vector<TableFormat> formats{{.name = "measurements (gpu, latency_us, operator)",
                                                 .folder = {},
                                                 .columns = {"operator"},
                                                 .families = {},
                                                 .read = read_rows,
                                                 .skip_reason = {}}};
  return formats;
}

}  // namespace warploom
