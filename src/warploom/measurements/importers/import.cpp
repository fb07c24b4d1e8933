#include "warploom/measurements/importers/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/measurements/importers/kineto_trace.h"
#include "warploom/measurements/internal/table_format.h"
#include "warploom/measurements/quality.h"
#include "warploom/measurements/slow_rows.h"

namespace warploom {
namespace fs = std::filesystem;
namespace {

// Whether a file of a folder may be of the layout.
bool has_fitting_name(Layout layout, const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string_view ending = layout == Layout::Kineto ? ".json" : ".csv";
  return name.ends_with(ending) || name.ends_with(std::string(ending) + ".gz");
}

bool is_format(const TableFormat& format, const fs::path& path, const Table& table) {
  if (!format.folder.empty()) return fs::absolute(path).parent_path().filename() == format.folder;
  return std::all_of(format.columns.begin(), format.columns.end(),
                     [&](std::string_view name) { return table.find_column(name).has_value(); });
}

const TableFormat* find_format(Layout layout, const fs::path& path, const Table& table) {
  for (const TableFormat& format : formats_of(layout)) {
    if (is_format(format, path, table)) return &format;
  }
  return nullptr;
}

// What a wrong file would be, to say so.
std::string layout_hint(Layout layout, const fs::path& path, const Table& table) {
  for (const auto& [other, name] : EnumNames<Layout>::kNames) {
    if (other == Layout::Kineto) continue;
    if (other != layout && find_format(other, path, table) != nullptr) {
      return fmt::format("; it looks like layout '{}'", name);
    }
  }
  return "";
}

std::string expectation(Layout layout) {
  std::vector<std::string_view> names;
  for (const TableFormat& format : formats_of(layout)) {
    if (format.read != nullptr) names.push_back(format.folder.empty() ? format.name : format.folder);
  }
  if (layout == Layout::Kineto) return "traces of the PyTorch profiler, .json or .json.gz";
  if (layout == Layout::Aiconfigurator) {
    return fmt::format("<op>/<gpu>.csv or .csv.gz, the folder being one of {}", fmt::join(names, ", "));
  }
  return fmt::format("the columns of one of: {}", fmt::join(names, ", "));
}

class Importer {
 public:
  Importer(Layout layout, const GpuCatalog& catalog, const ImportFilter& filter, const ImportOptions& options)
      : layout_(layout),
        catalog_(catalog),
        options_(options),
        sink_(layout, catalog, filter, options, result_.dataset) {}

  void read_path(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) throw IoError(fmt::format("{}: no such file or folder", path.string()));
    if (fs::is_directory(path, error)) {
      read_folder(path);
      return;
    }
    read_file(path, true);
  }

  // Called once, after every path.
  ImportResult finish() {
    if (options_.physical_tolerance > 0 && options_.group_tolerance < 1) drop_broken_groups();
    drop_slow_rows();
    if (options_.merge_repeats) merge();
    return std::move(result_);
  }

 private:
  void read_folder(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && has_fitting_name(layout_, entry.path())) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    bool recognised = false;
    for (const fs::path& file : files) recognised = read_file(file, false) || recognised;
    if (!recognised) {
      throw InvalidInput(fmt::format("{}: holds no table of layout '{}', expected {}", folder.string(),
                                     name_of(layout_), expectation(layout_)));
    }
  }

  // Without opening the file: whether its place says that nothing in it is wanted.
  bool is_unwanted_by_name(const fs::path& path) const {
    const std::string folder = fs::absolute(path).parent_path().filename().string();
    for (const TableFormat& format : formats_of(layout_)) {
      if (format.folder.empty() || format.folder != folder) continue;
      if (!sink_.wants_any(format.families)) return true;
      if (!format.file_names_gpu) return false;
      const std::string name = path.filename().string();
      const GpuSpec* gpu = catalog_.find(name.substr(0, name.find(".csv")));
      return gpu != nullptr && !sink_.wants_gpu(*gpu);
    }
    return false;
  }

  // False when the file is no table of the layout.
  bool read_file(const fs::path& path, bool named_by_caller) {
    if (is_unwanted_by_name(path)) {
      ++result_.report.files_filtered_out;
      return true;
    }
    if (layout_ == Layout::Kineto) {
      read_kineto_trace(path, start_file(path, "PyTorch profiler"));
      return true;
    }
    Table table(path, habits_of(layout_));
    const TableFormat* format = find_format(layout_, path, table);
    if (format == nullptr) {
      if (named_by_caller) {
        throw InvalidInput(fmt::format("{}: is not of layout '{}', expected {}{}", path.string(),
                                       name_of(layout_), expectation(layout_),
                                       layout_hint(layout_, path, table)));
      }
      FileReport& report = result_.report.files.emplace_back();
      report.path = path;
      report.skip(fmt::format("no table of layout '{}'", name_of(layout_)), 0);
      return false;
    }
    if (!sink_.wants_any(format->families)) {
      ++result_.report.files_filtered_out;
      return true;
    }
    if (format->read == nullptr) {
      FileReport& report = result_.report.files.emplace_back();
      report.path = path;
      report.table = format->name;
      while (table.next()) ++report.rows_read;
      report.skip(format->skip_reason, report.rows_read);
      return true;
    }
    format->read(table, start_file(path, format->name));
    return true;
  }

  RowSink& start_file(const fs::path& path, std::string_view table) {
    first_rows_.push_back(result_.dataset.size());
    files_with_rows_.push_back(result_.report.files.size());
    FileReport& report = result_.report.files.emplace_back();
    report.path = path;
    report.table = table;
    sink_.start_file(report);
    return sink_;
  }

  FileReport& report_of_row(std::size_t row) {
    const auto after = std::upper_bound(first_rows_.begin(), first_rows_.end(), row);
    return result_.report.files[files_with_rows_[static_cast<std::size_t>(after - first_rows_.begin()) - 1]];
  }

  // Row numbers must still be those of reading, so this comes before merging.
  void find_broken_groups(std::vector<bool>& keep) {
    for (std::size_t row = 0; row < keep.size(); ++row) {
      if (!sink_.is_in_broken_group(row)) continue;
      keep[row] = false;
      FileReport& report = report_of_row(row);
      --report.rows_kept;
      SkippedRows& entry = report.skip(kBrokenGroupReason);
      const KernelContext context = result_.dataset.context(row);
      std::string group =
          fmt::format("{} {} {}, {} on {}", context.framework, context.version, context.kernel,
                      name_of(result_.dataset.family(row)), result_.dataset.gpu(row));
      const bool known =
          std::find(entry.examples.begin(), entry.examples.end(), group) != entry.examples.end();
      if (!known && entry.examples.size() < options_.examples) entry.examples.push_back(std::move(group));
    }
  }

  void drop_broken_groups() {
    std::vector<bool> keep(result_.dataset.size(), true);
    find_broken_groups(keep);
    drop(keep);
  }

  void drop_slow_rows() {
    const std::vector<std::uint32_t> slow = find_slow_rows(result_.dataset, options_.slow_rows);
    if (slow.empty()) return;
    std::vector<bool> keep(result_.dataset.size(), true);
    for (const std::uint32_t row : slow) {
      keep[row] = false;
      FileReport& report = report_of_row(row);
      --report.rows_kept;
      SkippedRows& entry = report.skip(kSlowRowReason);
      const KernelContext context = result_.dataset.context(row);
      if (entry.examples.size() < options_.examples)
        entry.examples.push_back(fmt::format("{} {} {} on {}: {:.4g} us", context.framework, context.version,
                                             context.kernel, result_.dataset.gpu(row),
                                             to_microseconds(result_.dataset.latency(row))));
    }
    drop(keep);
  }

  void drop(const std::vector<bool>& keep) {
    std::size_t row = 0, kept = 0;
    for (std::size_t& first : first_rows_) {
      for (; row < first; ++row) kept += keep[row] ? 1 : 0;
      first = kept;
    }
    result_.dataset.retain(keep);
  }

  void merge() {
    RepeatNoiseCounter noise;
    const auto count = [&](std::size_t row) {
      FileReport& report = report_of_row(row);
      ++report.repeats;
      --report.rows_kept;
    };
    merge_repeats(result_.dataset, count, &noise);
    result_.report.noise = noise.summary();
  }

  Layout layout_;
  const GpuCatalog& catalog_;
  const ImportOptions& options_;
  ImportResult result_;
  RowSink sink_;
  std::vector<std::size_t> first_rows_;       // of each file, ascending
  std::vector<std::size_t> files_with_rows_;  // index into report.files
};

}  // namespace

const std::vector<TableFormat>& formats_of(Layout layout) {
  switch (layout) {
    case Layout::Aiconfigurator:
      return aiconfigurator_formats();
    case Layout::Pipeweave:
      return pipeweave_formats();
    case Layout::Vidur:
      return vidur_formats();
    case Layout::Neusight:
      return neusight_formats();
    case Layout::Nsight:
      return nsight_formats();
    case Layout::Kineto: {  // no tables
      static const std::vector<TableFormat> none;
      return none;
    }
    case Layout::Warploom:
      break;
  }
  return warploom_formats();
}

ImportResult import_measurements(Layout layout, std::span<const fs::path> paths, const GpuCatalog& catalog,
                                 const ImportFilter& filter, const ImportOptions& options) {
  if (paths.empty()) throw InvalidInput("no path to import was given");
  Importer importer(layout, catalog, filter, options);
  for (const fs::path& path : paths) importer.read_path(path);
  return importer.finish();
}

}  // namespace warploom
