#include "warploom/report/ceiling_training_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
Json ceiling_training_json(const TrainCeilingsResult& result) {
  Json families = Json::object(), too_few = Json::object();
  for (const TrainedCeiling& family : result.families)
    families[std::string(name_of(family.family))] = {
        {"rows", family.rows}, {"gpus", family.gpus}, {"bytes", family.bytes}};
  for (const auto& [family, rows] : result.too_few) too_few[family] = rows;
  return {{"families", std::move(families)}, {"too_few", std::move(too_few)}};
}

std::string ceiling_training_text(const TrainCeilingsResult& result) {
  TextTable table({{"family", Align::Left}, {"rows"}, {"GPUs"}, {"bytes"}});
  for (const TrainedCeiling& family : result.families)
    table.add_row({std::string(name_of(family.family)), count_text(static_cast<std::int64_t>(family.rows)),
                   count_text(static_cast<std::int64_t>(family.gpus)),
                   count_text(static_cast<std::int64_t>(family.bytes))});
  std::string text = table.text();
  for (const auto& [family, rows] : result.too_few)
    text += fmt::format("left out {}: {} rows are too few\n", family, rows);
  return text;
}

}  // namespace warploom
