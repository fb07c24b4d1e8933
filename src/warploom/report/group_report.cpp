#include "warploom/report/group_report.h"

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {

std::string group_text(std::span<const GroupFigures> groups) {
  if (groups.empty()) return {};
  TextTable table({{"group", Align::Left},
                   {"name", Align::Left},
                   {"requests"},
                   {"completed"},
                   {"TTFT p95 [ms]"},
                   {"TPOT p95 [ms]"},
                   {"within its limits"}});
  for (const GroupFigures& group : groups)
    table.add_row({group.kind == "slo_class" ? "class" : group.kind, group.name, count_text(group.requests),
                   count_text(group.completed), fixed_text(to_milliseconds(group.ttft.p95), 2),
                   fixed_text(to_milliseconds(group.tpot.p95), 2),
                   group.good_share ? percent_text(*group.good_share) : std::string("-")});
  return table.text() + "\n";
}

Json group_json(std::span<const GroupFigures> groups) {
  Json document = Json::object();
  for (const GroupFigures& group : groups) {
    Json& own = document[group.kind][group.name];
    own = {{"requests", group.requests},
           {"completed", group.completed},
           {"within_limits", group.good_share ? Json(*group.good_share) : Json(nullptr)}};
    const auto add = [&](const char* name, const LatencySummary& summary) {
      own[name] = {{"mean_ms", to_milliseconds(summary.mean)},
                   {"p50_ms", to_milliseconds(summary.p50)},
                   {"p90_ms", to_milliseconds(summary.p90)},
                   {"p95_ms", to_milliseconds(summary.p95)},
                   {"p99_ms", to_milliseconds(summary.p99)}};
    };
    add("ttft", group.ttft);
    add("tpot", group.tpot);
    add("e2el", group.e2el);
  }
  return document;
}

}  // namespace warploom
