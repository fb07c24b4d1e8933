// CSV of Nsight Systems (`nsys stats --format csv`) and Nsight Compute (`ncu --csv`). They name kernels and
// their times, not the sizes of what the kernels computed, so that no row comes of them.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "warploom/base/error.h"
#include "warploom/measurements/importers/profiled_kernels.h"
#include "warploom/measurements/internal/table_format.h"

namespace warploom {
namespace {

constexpr std::string_view kNoShapes =
    "a kernel without the shape of its operator (a trace of the PyTorch profiler with record_shapes=True "
    "tells it)";

// "1,234.5" as the tools print it.
double number_in(const Table& table, std::size_t column) {
  std::string digits;
  for (const char c : table.text(column))
    if (c != ',') digits.push_back(c);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value) || value < 0)
    table.refuse(column, "a number of at least 0");
  return value;
}

double microseconds_in(const Table& table, std::size_t column, std::string_view unit) {
  static const std::map<std::string, double, std::less<>> kUnits{
      {"ns", 1e-3}, {"nsecond", 1e-3}, {"us", 1},  {"usecond", 1},
      {"ms", 1e3},  {"msecond", 1e3},  {"s", 1e6}, {"second", 1e6}};
  const auto found = kUnits.find(unit);
  if (found == kUnits.end()) table.refuse(column, fmt::format("a time, but its unit is '{}'", unit));
  return number_in(table, column) * found->second;
}

void read_kernel_sums(Table& table, RowSink& sink) {
  const std::size_t name = table.column("Name"), time = table.column("Total Time (ns)"),
                    calls = table.column("Instances");
  ProfiledKernels kernels;
  while (table.next()) {
    kernels.add(table.text(name), number_in(table, time) * 1e-3, std::size_t(table.positive(calls)), 0);
    sink.skip(kNoShapes, table);
  }
  sink.tell_kernels(kernels.by_time());
}

void read_kernel_trace(Table& table, RowSink& sink) {
  const std::size_t name = table.column("Name"), time = table.column("Duration (ns)");
  ProfiledKernels kernels;
  while (table.next()) {
    kernels.add(table.text(name), number_in(table, time) * 1e-3, 1, 0);
    sink.skip(kNoShapes, table);
  }
  sink.tell_kernels(kernels.by_time());
}

// The raw page: one line for each kernel; the line under the header holds the units.
void read_compute_raw(Table& table, RowSink& sink) {
  const std::size_t name = table.column("Kernel Name"), time = table.column("gpu__time_duration.sum");
  ProfiledKernels kernels;
  std::string unit = "ns";
  while (table.next()) {
    if (table.text(name).empty()) {
      unit = table.text(time);
      continue;
    }
    kernels.add(table.text(name), microseconds_in(table, time, unit), 1, 0);
    sink.skip(kNoShapes, table);
  }
  sink.tell_kernels(kernels.by_time());
}

// The details page: one line for each metric of each kernel.
void read_compute_details(Table& table, RowSink& sink) {
  const std::size_t name = table.column("Kernel Name"), metric = table.column("Metric Name"),
                    unit = table.column("Metric Unit"), value = table.column("Metric Value");
  ProfiledKernels kernels;
  while (table.next()) {
    if (table.text(metric) != "Duration" && table.text(metric) != "gpu__time_duration.sum") continue;
    kernels.add(table.text(name), microseconds_in(table, value, table.text(unit)), 1, 0);
    sink.skip(kNoShapes, table);
  }
  sink.tell_kernels(kernels.by_time());
}

}  // namespace

// ncu prints its remarks and the program's own output before the table, and leaves out cells of rules where a
// row is of none; nsys prints what it processes.
CsvHabits habits_of(Layout layout) {
  static constexpr std::array<std::string_view, 4> kHeaders{"\"ID\",", "ID,", "Time (%),", "Start (ns),"};
  if (layout != Layout::Nsight) return {};
  return {.headers = kHeaders, .short_rows = true};
}

const std::vector<TableFormat>& nsight_formats() {
  static const std::vector<TableFormat> formats{
      {.name = "Nsight Systems, cuda_gpu_kern_sum",
       .folder = {},
       .columns = {"Name", "Total Time (ns)", "Instances"},
       .families = {},
       .read = read_kernel_sums,
       .skip_reason = {}},
      {.name = "Nsight Systems, cuda_gpu_trace",
       .folder = {},
       .columns = {"Name", "Duration (ns)", "Start (ns)"},
       .families = {},
       .read = read_kernel_trace,
       .skip_reason = {}},
      {.name = "Nsight Compute, raw page (with gpu__time_duration.sum)",
       .folder = {},
       .columns = {"Kernel Name", "gpu__time_duration.sum"},
       .families = {},
       .read = read_compute_raw,
       .skip_reason = {}},
      {.name = "Nsight Compute, details page",
       .folder = {},
       .columns = {"Kernel Name", "Metric Name", "Metric Unit", "Metric Value"},
       .families = {},
       .read = read_compute_details,
       .skip_reason = {}}};
  return formats;
}

}  // namespace warploom
