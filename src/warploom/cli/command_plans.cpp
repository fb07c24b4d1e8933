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
  plans.see([unwritten](const Json&, Json& document, std::string&) {
    for (const auto& [name, plan] : document.items())
      if (const std::string failure = plan.value("store_failure", std::string()); !failure.empty())
        *unwritten += fmt::format("{}experiment '{}': {}", unwritten->empty() ? "" : "; ", name, failure);
  });
  plans.stops_on_interrupt().crew(crew).then([unwritten](const std::string&) {
    if (!unwritten->empty()) throw std::runtime_error(*unwritten);  // exit status 1
  });
  plans.runs();
}

}  // namespace warploom
