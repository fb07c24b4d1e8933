// Measurements on disk: one SQLite file.
//
// Format 2: table `info` (schema = "warploom.measurements", version, created_by, a hash of each other table),
// `gpus`, `contexts`, `operators` (family and JSON of kernels/operator_json.h, once each) and `measurements`,
// which refers to them and holds at most one row for each operator, GPU, context and layout. Latency is in
// seconds. Format 1 had no hashes: it is read as it is, and becomes format 2 with the next append.
//
// append() is one transaction: a reader, or a program that died, sees all of it or none, and when it returns
// it is on the disk. A second writer waits a minute for the first. Reading and appending look at the hashes.
// Not thread-safe; open one store per thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "warploom/measurements/dataset.h"
#include "warploom/measurements/import_options.h"

namespace warploom {

class MeasurementStore {
 public:
  // create makes the file (and its folders) when it is missing; read only refuses append().
  enum class Mode { Create, ReadOnly };

  // Throws IoError when the file cannot be opened or is damaged, InvalidInput when it is no measurement
  // store, Unsupported when its version is newer than this program's.
  explicit MeasurementStore(const std::filesystem::path& path, Mode mode = Mode::Create);
  ~MeasurementStore();
  MeasurementStore(MeasurementStore&&) noexcept;
  MeasurementStore& operator=(MeasurementStore&&) noexcept;

  struct AppendReport {
    std::size_t added = 0;
    std::size_t replaced = 0;  // rows that were there for the same operator, GPU, context and layout
  };
  // 200,000 to 600,000 rows a second on one core. Throws IoError when what is there is damaged.
  AppendReport append(const Dataset& dataset);

  // Rows that the filter wants, in the order of their operators. GPU names in the filter must be canonical.
  // Throws NotFound for a GPU of the filter that the store does not hold, IoError when the store is damaged.
  Dataset load(const ImportFilter& filter = {}) const;

  std::size_t size() const;  // rows

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warploom
