#include "warploom/report/support_report.h"

#include <nlohmann/json.hpp>

#include "warploom/kernels/latency_model.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

Tier tier_of_row(const SupportRow& row) {
  if (row.is_measured()) return Tier::Measured;
  return row.measured + row.cross_gpu >= row.roofline ? Tier::CrossGpu : Tier::Roofline;
}

}  // namespace

std::string support_text(std::span<const SupportRow> rows) {
  TextTable table({{"model", Align::Left},
                   {"GPU", Align::Left},
                   {"engine", Align::Left},
                   {"tp"},
                   {"measured"},
                   {"cross-GPU"},
                   {"roofline"},
                   {"tier", Align::Left},
                   {"refused", Align::Left}});
  for (const SupportRow& row : rows) {
    const bool runs = row.refused.empty();
    constexpr std::size_t kWords = 90;
    table.add_row({row.model, row.gpu, row.engine, runs ? std::to_string(row.tensor_parallel) : "-",
                   runs ? percent_text(row.measured) : "-", runs ? percent_text(row.cross_gpu) : "-",
                   runs ? percent_text(row.roofline) : "-",
                   runs ? std::string(name_of(tier_of_row(row))) : "-",
                   row.refused.size() > kWords ? row.refused.substr(0, kWords) + " ..." : row.refused});
  }
  return table.text();
}

Json support_json(std::span<const SupportRow> rows) {
  Json list = Json::array();
  for (const SupportRow& row : rows) {
    const bool runs = row.refused.empty();
    list.push_back({{"model", row.model},
                    {"gpu", row.gpu},
                    {"engine", row.engine},
                    {"tensor_parallel", runs ? Json(row.tensor_parallel) : Json(nullptr)},
                    {"measured", row.measured},
                    {"cross_gpu", row.cross_gpu},
                    {"roofline", row.roofline},
                    {"tier", runs ? Json(name_of(tier_of_row(row))) : Json(nullptr)},
                    {"refused", row.refused}});
  }
  return list;
}

}  // namespace warploom
