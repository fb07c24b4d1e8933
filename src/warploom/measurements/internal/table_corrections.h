// The corrections that concern one table, ready to be asked row by row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/measurements/internal/row_sink.h"
#include "warploom/measurements/row_corrections.h"

namespace warploom {

class TableCorrections {
 public:
  // For a table in <publication>/<table>/<gpu>.csv. The corrections and the table must outlive it. `gpu`:
  // canonical name.
  TableCorrections(const RowCorrections& corrections, const Table& table, std::string_view gpu);

  // The first correction of the row that the table stands at; nullptr: none. A comparison of texts for each
  // condition.
  const RowCorrection* of_row(const Table& table) const;

 private:
  struct Condition {
    std::size_t column = 0;
    const std::vector<std::string>* texts = nullptr;
  };
  struct Concerned {
    const RowCorrection* correction = nullptr;
    std::vector<Condition> conditions;
  };
  std::vector<Concerned> concerned_;
};

}  // namespace warploom
