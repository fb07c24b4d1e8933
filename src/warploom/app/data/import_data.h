// Use case `import`: measured data into a store.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/measurements/importers/import.h"

namespace warploom {

// What to read. Family and GPU lists empty = everything.
struct MeasurementSource {
  std::string store;                         // a store written by `import`; or
  std::string layout;                        // a layout and
  std::vector<std::filesystem::path> paths;  // its files or folders
  std::vector<std::string> families;
  std::vector<std::string> gpus;
  // For a layout: keeps rows that kernel_exclusions.json and row_corrections.json take out by default.
  bool keep_impossible = false;
  static FieldTable describe();
};

// Reads the source. Throws InvalidInput unless exactly one of store and layout is given, or where rows of a
// store are to be kept that its import took out, and what the readers throw.
ImportResult read_measurements(const MeasurementSource& source, const GpuCatalog& catalog);

struct ImportSummary {
  ImportReport report;
  std::size_t added = 0, replaced = 0;  // rows of the store
  std::size_t store_rows = 0;
};

struct ImportRequest {
  std::string layout;
  std::vector<std::filesystem::path> paths;  // files or folders
  std::filesystem::path store;               // made when missing
  std::vector<std::string> families;         // empty: everything
  std::vector<std::string> gpus;
  static FieldTable describe();
};

// Reads the files and appends their rows to the store in one transaction.
ImportSummary import_into_store(const ImportRequest& request);

}  // namespace warploom
