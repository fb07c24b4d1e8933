#include "warploom/predictor/model/cell_trees.h"

#include <fmt/format.h>

#include <map>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"

namespace warploom {

namespace {

constexpr std::uint32_t kShares = 0x80000000;  // in the count: entries say whose trees they hold

}  // namespace

std::string join_cell_trees(const std::vector<CellTrees>& cells) {
  std::map<std::string_view, std::uint32_t> first;
  for (std::uint32_t i = 0; i < cells.size(); ++i) first.try_emplace(cells[i].trees, i);
  const bool shares = first.size() < cells.size();
  ByteWriter out;
  out.put(std::uint32_t(cells.size()) | (shares ? kShares : 0));
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    out.put(cells[i].cell);
    const std::uint32_t owner = first.at(cells[i].trees);
    if (shares) out.put(owner);
    if (owner == i) out.put_text(cells[i].trees);
  }
  return out.bytes();
}

std::vector<CellTreesView> split_cell_trees(std::string_view record, std::string_view where) {
  ByteReader in(record, where);
  std::vector<CellTreesView> cells;
  const auto head = in.take<std::uint32_t>();
  const bool shares = (head & kShares) != 0;
  for (std::uint32_t i = 0; i < (head & ~kShares); ++i) {
    const auto cell = in.take<std::uint32_t>();
    const std::uint32_t owner = shares ? in.take<std::uint32_t>() : i;
    if (owner > i) throw InvalidInput(fmt::format("{}: a cell shares the trees of a later one", where));
    cells.push_back({cell, owner == i ? in.take_text() : cells[owner].trees});
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
