#include "warploom/judge/report/tile_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
std::string share_text(double value) { return std::isfinite(value) ? percent_text(value) : "-"; }

}  // namespace

Json tile_validation_json(const TileValidation& result) {
  Json cells = Json::array();
  for (const TileCell& cell : result.cells) {
    Json entry = {{"learned", cell.learned},   {"scheme", cell.scheme},
                  {"layout", cell.layout},     {"sms", cell.sms},
                  {"products", cell.products}, {"timed_products", cell.timed_products}};
    for (const TileSourceErrors& source : cell.sources) {
      entry["sources"][source.source] = {{"tile", source.tile},
                                         {"tile_and_split", source.tile_and_split},
                                         {"waves", source.waves},
                                         {"regret",
                                          {{"products", source.timed},
                                           {"mean", number_or_null(source.mean_regret)},
                                           {"median", number_or_null(source.median_regret)},
                                           {"p90", number_or_null(source.p90_regret)},
                                           {"library_mean", number_or_null(source.library_regret)}}}};
    }
    cells.push_back(std::move(entry));
  }
  return {{"gpu", result.gpu},
          {"library", result.library},
          {"learned", result.learned},
          {"judged", result.judged},
          {"library_regret",
           {{"mean", number_or_null(result.library_mean_regret)},
            {"median", number_or_null(result.library_median_regret)}}},
          {"cells", std::move(cells)}};
}

std::string tile_validation_text(const TileValidation& result) {
  std::string text = fmt::format("{}, {}: learned from {} products, judged on {} others.\n\n", result.gpu,
                                 result.library, count_text(result.learned), count_text(result.judged));
  TextTable table({{"learned", Align::Left},
                   {"type", Align::Left},
                   {"SMs"},
                   {"products"},
                   {"source", Align::Left},
                   {"tile"},
                   {"tile and split"},
                   {"waves"},
                   {"timed"},
                   {"regret"},
                   {"median"},
                   {"p90"},
                   {"library's"}});
  for (const TileCell& cell : result.cells) {
    bool first = true;
    for (const TileSourceErrors& s : cell.sources) {
      table.add_row({first ? cell.learned : "", first ? cell.scheme + " " + cell.layout : "",
                     first ? (cell.sms > 0 ? std::to_string(cell.sms) : "fewer") : "",
                     first ? count_text(cell.products) : "", s.source, share_text(s.tile),
                     share_text(s.tile_and_split), share_text(s.waves), count_text(s.timed),
                     share_text(s.mean_regret), share_text(s.median_regret), share_text(s.p90_regret),
                     share_text(s.library_regret)});
      first = false;
    }
  }
  text += table.text();
  if (std::isfinite(result.library_mean_regret))
    text += fmt::format("\nThe library's first choice loses {} to the fastest timed one (median {}).\n",
                        percent_text(result.library_mean_regret), percent_text(result.library_median_regret));
  return text;
}

}  // namespace warploom
