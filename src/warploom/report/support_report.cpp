#include "warploom/report/support_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "warploom/kernels/latency_model.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

Tier tier_of_row(const SupportRow& row) {
  if (row.is_measured()) return Tier::Measured;
  return row.measured + row.cross_gpu >= row.roofline ? Tier::CrossGpu : Tier::Roofline;
}

constexpr std::size_t kScreen = 20;  // rows that fit a screen with what stands around them

// What runs, the most measured first, in as many rows as a screen holds.
std::vector<SupportRow> best_rows(std::span<const SupportRow> rows) {
  std::vector<SupportRow> best;
  for (const SupportRow& row : rows)
    if (row.refused.empty()) best.push_back(row);
  std::stable_sort(best.begin(), best.end(),
                   [](const SupportRow& a, const SupportRow& b) { return a.measured > b.measured; });
  if (best.size() > kScreen) best.resize(kScreen);
  return best;
}

std::string rest_text(std::span<const SupportRow> rows) {
  const auto count = [&](auto holds) { return std::count_if(rows.begin(), rows.end(), holds); };
  const auto run = count([](const SupportRow& row) { return row.refused.empty(); });
  const auto measured = count([](const SupportRow& row) { return row.is_measured(); });
  return fmt::format(
      "{} combinations: {} run, {} of them measured, {} are refused. The rest and why\n"
      "each is refused: `refused` of each row with --json, or --model M --gpu G here.\n",
      rows.size(), run, measured, std::ssize(rows) - run);
}

// Within 80 columns.
std::string brief_text(std::span<const SupportRow> rows) {
  TextTable table({{"model", Align::Left},
                   {"GPU", Align::Left},
                   {"engine", Align::Left},
                   {"tp"},
                   {"measured"},
                   {"tier", Align::Left}});
  for (const SupportRow& row : best_rows(rows))
    table.add_row({row.model, row.gpu, row.engine, std::to_string(row.tensor_parallel),
                   percent_text(row.measured), std::string(name_of(tier_of_row(row)))});
  return table.text() + rest_text(rows);
}

}  // namespace

std::string support_text(std::span<const SupportRow> rows) {
  if (rows.size() > kScreen) return brief_text(rows);
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
