#include "scenario.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"

namespace warploom {

std::vector<Scenario> read_scenarios(const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/scenarios/cases" / (name + ".json");
  const nlohmann::json document = nlohmann::json::parse(read_file(path));
  std::vector<Scenario> scenarios;
  for (const nlohmann::json& entry : document.at("scenarios")) {
    Scenario scenario;
    for (const auto& [key, value] : entry.items()) {
      if (key == "name") {
        scenario.name = value;
      } else if (key == "before") {
        scenario.before = value;
      } else if (key == "files") {
        scenario.files = value;
      } else if (key == "runs") {
        scenario.runs = value;
      } else if (key == "facts") {
        scenario.facts = value;
      } else if (key == "golden") {
        scenario.golden = value;
      } else if (key != "says") {  // a word to the reader
        throw InvalidInput(path.string() + ": '" + key +
                           "' is no key of a scenario, see README.md beside it");
      }
    }
    if (scenario.name.empty() || scenario.runs.empty() || scenario.facts.empty())
      throw InvalidInput(path.string() + ": a scenario has a name, runs and facts: " + entry.dump());
    scenarios.push_back(std::move(scenario));
  }
  return scenarios;
}

}  // namespace warploom
