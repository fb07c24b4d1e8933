// What the tables of the aiconfigurator layout share. Semantics: the publisher's README and collector.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "warploom/measurements/internal/table_corrections.h"
#include "warploom/measurements/internal/table_format.h"
#include "warploom_lists/aiconfigurator_tables.h"

namespace warploom {

// The columns that every table has, and the GPU that the file's name states.
struct AiconfiguratorColumns {
  explicit AiconfiguratorColumns(const Table& table, std::string_view kernel_column = "kernel_source");

  // kernel_column empty: the table has none.
  KernelContext context(const Table& table) const;

  std::size_t framework, version, latency, n_samples;
  std::optional<std::size_t> kernel;
  std::string gpu;
};

// The row that a table stands at, and the builder of the measurements that it becomes: GPU, context, latency
// and samples are the row's own but for what a table states otherwise.
struct AiconfiguratorRow {
  struct Otherwise {
    std::optional<std::string_view> kernel = {};
    std::optional<Seconds> latency = {};
    Marks marks = {};
  };

  const Table& table;
  RowSink& sink;
  const AiconfiguratorColumns& columns;
  KernelContext context;
  const GpuSpec& gpu;
  Marks marks = {};  // that a correction adds

  Seconds latency() const { return table.latency_us(columns.latency); }
  void add(const Operator& op, const Otherwise& otherwise) const;
  void add(const Operator& op) const { add(op, {}); }
};

// Calls read(row) for every row of a GPU that is wanted and that no correction withdraws.
template <class Function>
void for_each_row(Table& table, RowSink& sink, const AiconfiguratorColumns& columns, Function read) {
  std::optional<TableCorrections> corrections;
  while (table.next()) {
    const GpuSpec* gpu = sink.gpu(columns.gpu, table);
    if (gpu == nullptr) continue;
    if (!corrections) corrections.emplace(sink.corrections(), table, gpu->name);
    const RowCorrection* correction = corrections->of_row(table);
    if (correction != nullptr && correction->action == CorrectionAction::Withdraw)
      sink.skip(correction->reason, table);
    else
      read(AiconfiguratorRow{
          table, sink, columns, columns.context(table), *gpu, {.launch_bound = correction != nullptr}});
  }
}

// The publisher's dtype names. Throw InvalidInput naming the cell.
MatmulScheme aiconfigurator_scheme(const Table& table, std::size_t column);
DataType aiconfigurator_type(const Table& table, std::size_t column);

// The tables that one file aiconfigurator_X.cpp reads; the build lists the files (cmake/WarploomLists.cmake).
struct AiconfiguratorTables {
  std::vector<TableFormat> (*list)();
};
// A table by its folder, for `list`.
TableFormat aiconfigurator_table(std::string_view folder, std::vector<Family> families,
                                 void (*read)(Table&, RowSink&));

extern const AiconfiguratorTables WARPLOOM_AICONFIGURATOR_TABLES;

}  // namespace warploom
