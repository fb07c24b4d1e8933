#include "warploom/measurements/internal/table_corrections.h"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace warploom {
namespace {

bool names(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_published_in(const std::filesystem::path& table, std::string_view publication) {
  if (publication.empty()) return true;
  for (const std::filesystem::path& part : std::filesystem::absolute(table).parent_path().parent_path())
    if (part.string().starts_with(publication)) return true;
  return false;
}

}  // namespace

TableCorrections::TableCorrections(const RowCorrections& corrections, const Table& table,
                                   std::string_view gpu) {
  const std::string folder = std::filesystem::absolute(table.path()).parent_path().filename().string();
  for (const RowCorrection& correction : corrections) {
    if (!names(correction.tables, folder) || !is_published_in(table.path(), correction.published_in))
      continue;
    if (!correction.gpus.empty() && !names(correction.gpus, gpu)) continue;
    Concerned concerned{&correction, {}};
    for (const auto& [column, texts] : correction.where)
      if (const std::optional<std::size_t> found = table.find_column(column))
        concerned.conditions.push_back({*found, &texts});
    if (concerned.conditions.size() == correction.where.size()) concerned_.push_back(std::move(concerned));
  }
}

const RowCorrection* TableCorrections::of_row(const Table& table) const {
  for (const Concerned& concerned : concerned_)
    if (std::all_of(concerned.conditions.begin(), concerned.conditions.end(),
                    [&](const Condition& c) { return names(*c.texts, table.text(c.column)); }))
      return concerned.correction;
  return nullptr;
}

}  // namespace warploom
