// Runs that were made before, so that a search that was stopped goes on where it was.
//
// Runs do not depend on the order of the search, so a log serves any search that asks the same `question`:
// the same space, workload, level and program. One JSON document; written whole or not at all.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/planner/configuration_model.h"

namespace warploom {

// One run in words that do not change with the order of a list: "0|0|0|..." of the configuration's members.
std::string run_key(const Configuration& configuration, const Fleet& fleet, const RunQuestion& question);

class LoggedRuns final : public ConfigurationModel {
 public:
  // `path` may be empty: runs are remembered, but not written. `question` is a hash of everything that runs
  // depend on; `version` the program's. Reads what is there. Throws InvalidInput on a file of another
  // question, Unsupported on one of another version, IoError where nobody may look, what the reader throws on
  // a broken one.
  LoggedRuns(const ConfigurationModel& model, std::filesystem::path path, std::uint64_t question,
             std::string version);

  Screened screen(const Configuration& configuration) const override { return model_.screen(configuration); }
  RunFigures run(const Configuration& configuration, const Fleet& fleet,
                 const RunQuestion& question) const override;
  Json take_news() const override;
  // Writes nothing: a process that cannot write must not do so while others wait for it.
  void learn(const Json& news) const override;
  Json all() const;
  // Writes what is known. Throws IoError. During a search a write that fails is tried again later.
  void write() const;
  std::size_t known() const;

 private:
  void write_locked() const;

  const ConfigurationModel& model_;
  std::filesystem::path path_;
  std::string question_, version_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, RunFigures> runs_;
  mutable std::vector<std::string> news_;  // keys of runs that were made here
  mutable std::chrono::steady_clock::time_point written_;
  mutable std::chrono::steady_clock::duration write_took_{};
};

Json run_figures_to_json(const RunFigures& figures);
RunFigures run_figures_from_json(const Json& document, std::string_view where);

}  // namespace warploom
