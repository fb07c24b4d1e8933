#include "warploom/measurements/internal/row_sink.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/base/measured_time.h"
#include "warploom/base/nearest_name.h"
#include "warploom/measurements/quality.h"

namespace warploom {
namespace {

constexpr std::int64_t kLargestInteger = 1'000'000'000'000'000;  // so that small multiples are one, too
constexpr std::size_t kFewestImpossible = 5;                     // fewer say little of a whole group
// Seconds. Published tables hold a few rows of 0.1 ns: below their bound, so they are left out and counted as
// impossible. What is shorter than this is no number of a clock at all.
constexpr double kLeastPublishedTime = 1e-15;

}  // namespace

std::string Table::location() const { return fmt::format("{}:{}", csv_.path().string(), csv_.line()); }

void Table::refuse(std::size_t column, std::string_view expected) const {
  throw InvalidInput(fmt::format("{} is '{}', expected {}", csv_.where(column), csv_.cell(column), expected));
}

std::int64_t Table::positive(std::size_t column) const {
  const std::int64_t value = csv_.integer(column);
  if (value < 1 || value > kLargestInteger) refuse(column, "a positive integer up to 1e15");
  return value;
}

std::int64_t Table::not_negative(std::size_t column) const {
  const std::int64_t value = csv_.integer(column);
  if (value < 0 || value > kLargestInteger) refuse(column, "an integer from 0 to 1e15");
  return value;
}

Seconds Table::latency_us(std::size_t column) const {
  return microseconds(measured_time(csv_, column, kMicroseconds, kLeastPublishedTime));
}

std::string Table::file_gpu() const {
  std::string name = path().filename().string();
  for (const std::string_view ending : {".gz", ".csv"}) {
    if (name.ends_with(ending)) name.erase(name.size() - ending.size());
  }
  return name;
}

RowSink::RowSink(Layout layout, const GpuCatalog& catalog, const ImportFilter& filter,
                 const ImportOptions& options, Dataset& dataset)
    : layout_(layout), catalog_(catalog), options_(options), dataset_(dataset) {
  for (const Family family : filter.families) wanted_families_ |= std::uint64_t(1) << int(family);
  for (const std::string& name : filter.gpus) wanted_gpus_.push_back(&catalog.get(name));
}

bool RowSink::wants_any(std::span<const Family> families) const {
  return families.empty() ||
         std::any_of(families.begin(), families.end(), [&](Family f) { return wants(f); });
}

bool RowSink::wants_gpu(const GpuSpec& gpu) const {
  return wanted_gpus_.empty() ||
         std::find(wanted_gpus_.begin(), wanted_gpus_.end(), &gpu) != wanted_gpus_.end();
}

const GpuSpec* RowSink::gpu(std::string_view name, const RowPlace& place) {
  if (last_gpu_ == nullptr || last_gpu_name_ != name) {
    last_gpu_name_ = name;
    const auto [entry, inserted] = gpu_by_name_.try_emplace(last_gpu_name_);
    if (inserted) {
      KnownGpu& known = entry->second;
      known.spec = catalog_.find(name);
      if (known.spec == nullptr) {
        known.problem = fmt::format("unknown GPU '{}'{}", name, did_you_mean(name, catalog_.names()));
      }
    }
    last_gpu_ = &entry->second;
  }
  const GpuSpec* spec = last_gpu_->spec;
  if (spec == nullptr) {
    if (layout_ == Layout::Warploom)
      throw NotFound(fmt::format("{}: {}", place.location(), last_gpu_->problem));
    skip(last_gpu_->problem, place);
    return nullptr;
  }
  if (!wants_gpu(*spec)) {
    skip_unwanted();
    return nullptr;
  }
  return spec;
}

std::uint64_t RowSink::group_key(std::uint32_t context, std::uint32_t gpu_index, Family family) {
  return std::uint64_t(context) << 32 | std::uint64_t(gpu_index) << 8 | std::uint64_t(family);
}

std::uint32_t RowSink::context_index(const KernelContext& context) {
  const auto matches = [&] {
    const std::size_t a = context.framework.size(), b = context.version.size(), c = context.kernel.size();
    const std::string_view last = last_context_;
    return last.size() == a + b + c + 2 && last.substr(0, a) == context.framework &&
           last.substr(a + 1, b) == context.version && last.substr(a + b + 2) == context.kernel;
  };
  if (last_context_.empty() || !matches()) {
    last_context_index_ = dataset_.intern_context(context);
    last_context_ = fmt::format("{}\n{}\n{}", context.framework, context.version, context.kernel);
  }
  return last_context_index_;
}

Seconds RowSink::bound_of(std::uint32_t op, std::uint32_t gpu_index, const GpuSpec& gpu) {
  if (bounds_.size() <= gpu_index) bounds_.resize(gpu_index + 1);
  std::vector<float>& bounds = bounds_[gpu_index];
  if (bounds.size() <= op) bounds.resize(std::max<std::size_t>(op + 1, bounds.size() * 2), -1.0F);
  float& bound = bounds[op];
  if (bound < 0) bound = static_cast<float>(physical_bound_ceiling(dataset_.operator_at(op), gpu).value());
  return Seconds(double(bound));
}

void RowSink::add(const Row& row, const RowPlace& place) {
  std::uint32_t op = 0;
  try {
    op = dataset_.intern_operator(row.op, "row");
  } catch (const InvalidInput& error) {
    const std::string message = fmt::format("{}: {}", place.location(), error.what());
    if (layout_ == Layout::Warploom) throw InvalidInput(message);
    leave_out("not a valid operator", message);
    return;
  }
  if (&row.gpu != last_spec_) {
    last_spec_ = &row.gpu;
    last_gpu_index_ = dataset_.intern_gpu(row.gpu.name);
  }
  const std::uint32_t context = context_index(row.context);
  GroupCount& group = groups_[group_key(context, last_gpu_index_, dataset_.operator_family(op))];
  ++group.rows;
  if (options_.physical_tolerance > 0 &&
      row.latency < bound_of(op, last_gpu_index_, row.gpu) * options_.physical_tolerance) {
    const Seconds bound = physical_bound_of(row.op, row.gpu, &routing_);
    if (row.latency < bound * options_.physical_tolerance) {
      ++group.impossible;
      leave_out(kImpossibleReason,
                fmt::format("{} ({} {}: {:.4g} us, bound {:.4g} us)", place.location(), row.context.framework,
                            row.context.kernel, to_microseconds(row.latency), to_microseconds(bound)));
      return;
    }
  }
  dataset_.add_row({.op = op,
                    .gpu = last_gpu_index_,
                    .context = context,
                    .latency = row.latency,
                    .n_samples = row.n_samples,
                    .layout = layout_,
                    .marks = row.marks},
                   "row");
  ++report_->rows_read;
  ++report_->rows_kept;
}

bool RowSink::is_in_broken_group(std::size_t row) const {
  const auto group =
      groups_.find(group_key(dataset_.context_index(row), dataset_.gpu_index(row), dataset_.family(row)));
  if (group == groups_.end() || group->second.impossible < kFewestImpossible) return false;
  return double(group->second.impossible) > options_.group_tolerance * double(group->second.rows);
}

void RowSink::leave_out(std::string_view reason, const std::string& example) {
  ++report_->rows_read;
  SkippedRows& entry = report_->skip(reason);
  if (entry.examples.size() < options_.examples) entry.examples.push_back(example);
}

void RowSink::skip(std::string_view reason, const RowPlace& place) {
  ++report_->rows_read;
  SkippedRows& entry = report_->skip(reason);
  if (entry.examples.size() < options_.examples) entry.examples.push_back(place.location());
}

void RowSink::skip_unwanted() {
  ++report_->rows_read;
  report_->skip("left out by the filter");
}

}  // namespace warploom
