#include "warploom/report/tuned_files_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/tuned_files/file_contents.h"

namespace warploom {
namespace {

std::string_view state_of(const ListedFile& listed) {
  if (!listed.rows.empty()) return listed.rows.front().is_timed ? "timed" : "predicted";
  return listed.file.ships() ? "ships" : "missing";
}

// What the rows rest on; empty where there are none.
std::string_view tier_of(const ListedFile& listed) {
  if (listed.rows.empty()) return "";
  return name_of(listed.rows.front().is_timed ? Tier::Measured : Tier::CrossGpu);
}

Json row_json(const TunedFile& file, const SureRow& sure) {
  const MoeConfigRow& row = sure.row;
  return {{"config", config_contents(file, row.config)},
          {"engine_default", config_contents(file, row.engine_default)},
          {"speedup", {{"p10", row.speedup_p10}, {"p50", row.speedup}, {"p90", row.speedup_p90}}},
          {"share_of_best", {{"p10", sure.share.p10}, {"p50", sure.share.p50}, {"p90", sure.share.p90}}}};
}

Json file_json(const ListedFile& listed) {
  const TunedFile& file = listed.file;
  Json rows = Json::object();
  for (const SureRow& sure : listed.rows) rows[key_text(sure)] = row_json(file, sure);
  return {{"kernel", name_of(file.kernel)},
          {"name", file.name},
          {"state", state_of(listed)},
          {"tier", tier_of(listed)},
          {"ships_in", file.ships_in},
          {"package_folder", file.package_folder},
          {"variable", file.variable},
          {"user_folder", file.user_folder},
          {"opened", file.opened},
          {"not_predicted", listed.not_predicted},
          {"not_timed", listed.not_timed},
          {"written", listed.written.string()},
          {"kernel_was_timed", was_ever_timed(file)},
          {"rows", std::move(rows)}};
}

std::string percent(double share) { return fixed_text(100 * share, 0); }

// Rows of a file together: the geometric mean of each quantile, and the row that is least sure.
std::string sureness_text(const std::vector<SureRow>& rows) {
  double p10 = 0, p50 = 0, p90 = 0, gain = 0;
  std::size_t changed = 0;
  for (const SureRow& sure : rows) {
    p10 += std::log(sure.share.p10) / double(rows.size());
    p50 += std::log(sure.share.p50) / double(rows.size());
    p90 += std::log(sure.share.p90) / double(rows.size());
    gain += std::log(sure.row.speedup) / double(rows.size());
    changed += sure.row.is_default ? 0 : 1;
  }
  const auto least = std::min_element(rows.begin(), rows.end(),
                                      [](const auto& a, const auto& b) { return a.share.p50 < b.share.p50; });
  return fmt::format(
      "{} of {} rows leave the default, {} x as fast over all\n    share of the best {} % ({} .. {}), least "
      "sure at key {}: {} %",
      changed, rows.size(), fixed_text(std::exp(gain), 2), percent(std::exp(p50)), percent(std::exp(p10)),
      percent(std::exp(p90)), key_text(*least), percent(least->share.p50));
}

// Whether what the rows err by was measured.
bool is_known(const ListedFile& listed) {
  return was_ever_timed(listed.file) ||
         std::all_of(listed.rows.begin(), listed.rows.end(), [](const SureRow& row) { return row.is_timed; });
}

std::string file_text(const ListedFile& listed) {
  const TunedFile& file = listed.file;
  std::string text = fmt::format("{}  {}\n", name_of(file.kernel), file.name);
  if (file.ships()) text += fmt::format("    ships in {}\n", file.ships_in);
  if (!listed.rows.empty())
    text += fmt::format("    {}{} (tier {}{}): {}\n", file.ships() ? "" : "missing; ", state_of(listed),
                        tier_of(listed),
                        is_known(listed) ? "" : "; by structure alone, what that errs by is assumed",
                        sureness_text(listed.rows));
  else if (!file.ships())
    text += fmt::format("    missing; not predicted: {}\n", listed.not_predicted);
  if (!listed.not_timed.empty()) text += fmt::format("    predicted, not timed: {}\n", listed.not_timed);
  text += fmt::format("    read when: {}\n", file.opened);
  text += file.variable.empty() ? fmt::format("    folder: {} alone\n", file.package_folder)
                                : fmt::format("    folder: {}{}{}\n", file.variable,
                                              file.user_folder.empty() ? "" : "/", file.user_folder);
  if (!listed.rows.empty() && !listed.gains())
    text += "    nothing to write: the engine's default is as good as is known\n";
  if (!listed.written.empty()) text += fmt::format("    wrote {}\n", listed.written.string());
  return text;
}

}  // namespace

std::string tuned_files_text(const TunedFilesResult& result) {
  std::size_t ships = 0, predicted = 0, timed = 0;
  std::string files;
  for (const ListedFile& listed : result.files) {
    ships += listed.file.ships() ? 1 : 0;
    predicted += state_of(listed) == "predicted" ? 1 : 0;
    timed += state_of(listed) == "timed" ? 1 : 0;
    files += file_text(listed);
  }
  std::string text = fmt::format(
      "{} {} with {} on {} (tp {}, ep {}): looks for {} tuned files, {} ship, {} predicted{}\n",
      name_of(result.engine), result.engine_version, result.model, result.gpu, result.tp, result.ep,
      result.files.size(), ships, predicted, timed > 0 ? fmt::format(", {} timed", timed) : "");
  if (!result.known_device)
    text += "no file of this release is of this device: none confirms its driver's name in the record\n";
  if (!result.without_file.empty()) files += "kernels that read no file\n";
  for (const UnfiledKernel& one : result.without_file)
    files += fmt::format("  {}: {}\n", one.kernel, one.why);
  return text + "\n" + files;
}

Json tuned_files_json(const TunedFilesResult& result) {
  Json files = Json::array();
  for (const ListedFile& listed : result.files) files.push_back(file_json(listed));
  Json without_file = Json::array();
  for (const UnfiledKernel& one : result.without_file)
    without_file.push_back({{"kernel", one.kernel}, {"why", one.why}});
  return {{"engine", name_of(result.engine)},
          {"engine_version", result.engine_version},
          {"model", result.model},
          {"gpu", result.gpu},
          {"tp", result.tp},
          {"ep", result.ep},
          {"device_confirmed", result.known_device},
          {"files", std::move(files)},
          {"without_file", std::move(without_file)}};
}

}  // namespace warploom
