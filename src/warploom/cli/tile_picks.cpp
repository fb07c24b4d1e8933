#include "warploom/cli/tile_picks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/cli/command.h"
#include "warploom/report/tune_report.h"

namespace warploom {
namespace {

// Checks that a grouped GEMM of so many experts was meant.
void check_expert_rows(const TileKernel& kernel, const std::vector<std::int64_t>& rows) {
  if (kernel.kind != TileKernelKind::GroupedGemm)
    throw InvalidInput(fmt::format("tune pick: --expert-rows: the table is of a {}, expected a grouped_gemm",
                                   name_of(kernel.kind)));
  if (std::int64_t(rows.size()) != kernel.experts)
    throw InvalidInput(
        fmt::format("tune pick: --expert-rows: {} numbers, expected one for each of the table's {} "
                    "experts",
                    rows.size(), kernel.experts));
  for (const std::int64_t one : rows)
    if (one < 0) throw InvalidInput(fmt::format("tune pick: --expert-rows: {}, expected 0 or more", one));
}

std::vector<TilePick> picks_of(const AskedPicks& asked, const PickSource& source, const TileShape& shape) {
  if (!asked.expert_rows.empty()) return {source.pick_rows(asked.expert_rows, shape.n, shape.k)};
  if (asked.best > 1) return source.best(shape, asked.best);
  return {source.pick(shape)};
}

}  // namespace

void print_picks(const AskedPicks& asked, const PickSource& source) {
  if (!asked.m) check_expert_rows(*source.kernel, asked.expert_rows);
  const std::int64_t pairs =
      std::accumulate(asked.expert_rows.begin(), asked.expert_rows.end(), std::int64_t{0});
  const TileShape shape{asked.m.value_or(pairs), asked.n, asked.k};
  check_shape(shape, "tune pick");
  Json list = Json::array();
  std::string text;
  for (const TilePick& pick : picks_of(asked, source, shape)) {
    list.push_back(tile_pick_json(shape, pick));
    source.add_trust(list.back(), shape, pick);
    text += fmt::format("{}  {:.2f} us{}\n", config_text(pick.config), pick.predicted_us,
                        pick.is_default ? "  (default)" : "");
  }
  print(asked.json ? json_text(asked.best > 1 ? list : list[0]) : text);
}

// Ours begins with other letters (tuner/internal/table_layout.h).
bool is_published_table(const std::string& table) {
  char first = '\0';
  const int file = open_regular_file(table, "tune table");
  (void)!::read(file, &first, 1);
  ::close(file);
  return first == '{';
}

}  // namespace warploom
