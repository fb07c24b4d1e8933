#include <nlohmann/json.hpp>

#include "warploom/app/serving/forecast.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/setup_options.h"

namespace warploom {

void add_forecast_command(Command& app) {
  Command* command = app.add_subcommand("forecast", "what a server does at other loads, from its metrics");
  RequestCommand forecast(*command, "forecast");
  forecast.counts("loads");
  forecast.write(setup_writer(SetupOptions(*command, SetupUse::Forecast)));
  forecast.add_fields<ForecastRequest>({.skipped = {"setup"}, .group = std::string(kWorkloadGroup)});
  forecast.runs();
}

}  // namespace warploom
