#include "warploom/predictor/model/cell_trees.h"

#include <fmt/format.h>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"

namespace warploom {

std::string join_cell_trees(const std::vector<CellTrees>& cells) {
  ByteWriter out;
  out.put(std::uint32_t(cells.size()));
  for (const CellTrees& cell : cells) {
    out.put(cell.cell);
    out.put_text(cell.trees);
  }
  return out.bytes();
}

std::vector<CellTreesView> split_cell_trees(std::string_view record, std::string_view where) {
  ByteReader in(record, where);
  std::vector<CellTreesView> cells;
  const auto count = in.take<std::uint32_t>();
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto cell = in.take<std::uint32_t>();
    cells.push_back({cell, in.take_text()});
  }
  if (!in.at_end()) throw InvalidInput(fmt::format("{}: bytes after the trees of the last cell", where));
  return cells;
}

std::string join_adaptation(const AdaptationView& parts) {
  ByteWriter out;
  out.put_text(parts.kriging);
  out.put_text(parts.trees);
  return out.bytes();
}

AdaptationView split_adaptation(std::string_view record, std::string_view where) {
  ByteReader in(record, where);
  AdaptationView parts;
  parts.kriging = in.take_text();
  parts.trees = in.take_text();
  if (!in.at_end()) throw InvalidInput(fmt::format("{}: bytes after the trees of an adapted GPU", where));
  return parts;
}

}  // namespace warploom
