// The tables that a layout is made of.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "warploom/measurements/internal/row_sink.h"

namespace warploom {

struct TableFormat {
  std::string_view name;
  // Recognised by the folder that holds the file, when one is named, else by having all these columns.
  std::string_view folder;
  std::vector<std::string_view> columns;
  std::vector<Family> families;                         // that it may hold; empty: unknown before reading
  void (*read)(Table& table, RowSink& sink) = nullptr;  // null: the table is not read, for this reason:
  std::string_view skip_reason;
  bool file_names_gpu = false;  // one GPU per file, in its name
};

const std::vector<TableFormat>& aiconfigurator_formats();
const std::vector<TableFormat>& pipeweave_formats();
const std::vector<TableFormat>& vidur_formats();
const std::vector<TableFormat>& neusight_formats();
const std::vector<TableFormat>& warploom_formats();
const std::vector<TableFormat>& nsight_formats();
const std::vector<TableFormat>& formats_of(Layout layout);
CsvHabits habits_of(Layout layout);

// Shared by pipeweave and vidur: NCCL times by topology, collective, ranks and bytes.
TableFormat collective_format();

}  // namespace warploom
