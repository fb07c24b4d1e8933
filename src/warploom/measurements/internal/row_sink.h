// Where table readers put their rows: applies the filter and the quality checks and counts what is left out.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warploom/base/csv.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/measurements/dataset.h"
#include "warploom/measurements/import_options.h"
#include "warploom/measurements/import_report.h"

namespace warploom {

// Where a row came from, for messages.
class RowPlace {
 public:
  virtual ~RowPlace() = default;
  virtual std::string location() const = 0;  // "path:line", or whatever else finds it
};

// A CSV table with the checks that every reader needs. Errors name file, line and column.
class Table final : public RowPlace {
 public:
  explicit Table(const std::filesystem::path& path, const CsvHabits& habits = {}) : csv_(path, habits) {}

  bool next() { return csv_.next(); }
  std::size_t column(std::string_view name) const { return csv_.column(name); }
  std::optional<std::size_t> find_column(std::string_view name) const { return csv_.find_column(name); }
  std::string_view text(std::size_t column) const { return csv_.cell(column); }
  double real(std::size_t column) const { return csv_.real(column); }
  const std::filesystem::path& path() const { return csv_.path(); }
  const CsvReader& csv() const { return csv_; }

  std::int64_t positive(std::size_t column) const;      // integer >= 1
  std::int64_t not_negative(std::size_t column) const;  // integer >= 0
  Seconds latency_us(std::size_t column) const;         // > 0
  std::string location() const override;                // "path:line"
  [[noreturn]] void refuse(std::size_t column, std::string_view expected) const;
  // The GPU that the file's name states: "gemm/h100_sxm.csv.gz" -> "h100_sxm".
  std::string file_gpu() const;

 private:
  CsvReader csv_;
};

class RowSink {
 public:
  // The arguments must outlive the sink.
  RowSink(Layout layout, const GpuCatalog& catalog, const ImportFilter& filter, const ImportOptions& options,
          Dataset& dataset);

  const RowCorrections& corrections() const {
    static const RowCorrections none;
    return options_.corrections != nullptr ? *options_.corrections : none;
  }
  void start_file(FileReport& report) { report_ = &report; }
  bool wants(Family family) const {
    return wanted_families_ == 0 || (wanted_families_ >> int(family) & 1) != 0;
  }
  bool wants_any(std::span<const Family> families) const;
  bool wants_gpu(const GpuSpec& gpu) const;

  // The GPU of the current row; nullptr after counting the row when it is unknown or not wanted. The last few
  // names are remembered, so this is cheap.
  const GpuSpec* gpu(std::string_view name, const RowPlace& place);
  // The one GPU that the filter names, for files that name none; nullptr without exactly one.
  const GpuSpec* only_wanted_gpu() const { return wanted_gpus_.size() == 1 ? wanted_gpus_[0] : nullptr; }

  struct Row {
    const Operator& op;
    const GpuSpec& gpu;
    KernelContext context;
    Seconds latency;
    std::int64_t n_samples = 1;
    Marks marks = {};
  };
  // Keeps the row, or counts why not.
  void add(const Row& row, const RowPlace& place);
  void skip(std::string_view reason, const RowPlace& place);
  // Whether more of the row's group (framework, version, kernel, GPU, family) beat physics than
  // group_tolerance allows.
  bool is_in_broken_group(std::size_t row) const;
  void skip_unwanted();  // left out by the filter: no trace but the count
  // What a profile says of its kernels, longest in all first.
  void tell_kernels(std::vector<ProfiledKernel> kernels) { report_->kernels = std::move(kernels); }

 private:
  void leave_out(std::string_view reason, const std::string& example);
  std::uint32_t context_index(const KernelContext& context);
  // physical_bound_ceiling, remembered: the same operator returns for every framework and version.
  Seconds bound_of(std::uint32_t op, std::uint32_t gpu_index, const GpuSpec& gpu);

  Layout layout_;
  const GpuCatalog& catalog_;
  const ImportOptions& options_;
  Dataset& dataset_;
  FileReport* report_ = nullptr;
  std::uint64_t wanted_families_ = 0;  // bit set, 0 = all
  std::vector<const GpuSpec*> wanted_gpus_;
  struct KnownGpu {
    const GpuSpec* spec = nullptr;
    std::string problem;
  };
  std::unordered_map<std::string, KnownGpu> gpu_by_name_;
  std::vector<std::vector<float>>
      bounds_;  // seconds by GPU index and operator index, negative = not known yet
  std::string last_gpu_name_;
  const KnownGpu* last_gpu_ = nullptr;
  struct GroupCount {
    std::size_t rows = 0, impossible = 0;
  };
  static std::uint64_t group_key(std::uint32_t context, std::uint32_t gpu_index, Family family);
  std::unordered_map<std::uint64_t, GroupCount> groups_;
  RoutingCache routing_;
  const GpuSpec* last_spec_ = nullptr;
  std::uint32_t last_gpu_index_ = 0;
  std::string last_context_;
  std::uint32_t last_context_index_ = 0;
};

}  // namespace warploom
