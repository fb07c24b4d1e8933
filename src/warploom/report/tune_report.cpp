#include "warploom/report/tune_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace warploom {
std::string tune_learn_text(const TuneLearnResult& result) {
  return fmt::format(
      "{} rows of {}: formula {:.1f} %, corrected {:.1f} % (root mean square, in the sample); {} rows "
      "without alignment\n",
      result.rows, fmt::join(result.gpus, ", "), 100 * result.before, 100 * result.after,
      result.unaligned_rows);
}

Json tune_learn_json(const TuneLearnResult& result) {
  return {{"rows", result.rows},
          {"unaligned_rows", result.unaligned_rows},
          {"gpus", result.gpus},
          {"before", result.before},
          {"after", result.after}};
}

Json tile_pick_json(const TileShape& shape, const TilePick& pick) {
  const TileConfig& c = pick.config;
  return {{"m", shape.m},
          {"n", shape.n},
          {"k", shape.k},
          {"config", config_text(c)},
          {"tile_m", c.tile_m},
          {"tile_n", c.tile_n},
          {"tile_k", c.tile_k},
          {"warps", c.warps},
          {"stages", c.stages},
          {"split_k", c.split_k},
          {"predicted_us", double(pick.predicted_us)},
          {"default", pick.is_default}};
}

std::string tune_pick_text(const TunePickResult& result) {
  std::string text;
  for (const TrustedPick& each : result.picks)
    text += fmt::format("{}  {:.2f} us{}\n", config_text(each.pick.config), each.pick.predicted_us,
                        each.pick.is_default ? "  (default)" : "");
  return text;
}

Json tune_picks_json(const TunePickResult& result) {
  Json list = Json::array();
  for (const TrustedPick& each : result.picks) {
    Json one = tile_pick_json(result.shape, each.pick);
    one["error_bound"] = each.error_bound;
    one["tier"] = name_of(each.tier);
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace warploom
