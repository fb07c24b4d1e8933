#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "warploom/app/plan/plan_experiments.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {

void add_plans_command(Command& app, PlanCrew* crew) {
  Command* command = app.add_subcommand("plans", "several plans from one YAML file");
  RequestCommand plans(*command, "plans");
  plans.add_fields<PlansRequest>({.positionals = {{"file", "FILE"}}});
  const auto unwritten = std::make_shared<std::string>();  // does not cost the answers
  const auto without = std::make_shared<std::string>();    // experiments for which nothing was found
  plans.see([unwritten, without](const Json&, Json& document, std::string&) {
    for (const auto& [name, plan] : document.items()) {
      if (name == "fleet" && plan.contains("median")) {
        if (plan["median"]["deployments"].empty())
          *without += fmt::format("{}all of them on one fleet", without->empty() ? "" : ", ");
        continue;
      }
      if (plan["best"].is_null() && plan["best_confident"].is_null())
        *without += fmt::format("{}'{}'", without->empty() ? "" : ", ", name);
      if (const std::string failure = plan.value("store_failure", std::string()); !failure.empty())
        *unwritten += fmt::format("{}experiment '{}': {}", unwritten->empty() ? "" : "; ", name, failure);
    }
  });
  plans.stops_on_interrupt().crew(crew).then([unwritten, without](const std::string&) {
    if (!unwritten->empty()) throw std::runtime_error(*unwritten);  // exit status 1
  });
  plans.fails([without] {
    return without->empty() ? std::string() : "no deployment that meets the limits was found for " + *without;
  });
  plans.runs();
}

}  // namespace warploom
