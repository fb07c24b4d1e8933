#include <nlohmann/json.hpp>

#include "warploom/app/serving/price_static_batch.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/setup_options.h"
#include "warploom/report/static_report.h"

namespace warploom {

void add_static_command(Command& app) {
  struct Options {
    StaticBatchRequest request;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("static", "latency of a static batch");
  const SetupOptions setup(*command, SetupUse::StaticBatch);
  const OptionGroup group(*command, kWorkloadGroup);
  command->add_option("--batch", options->request.batch, "requests that start together")
      ->capture_default_str();
  command->add_option("--input", options->request.input_tokens, "prompt tokens of each")
      ->capture_default_str();
  command->add_option("--output", options->request.output_tokens, "tokens that each produces")
      ->capture_default_str();
  add_json_option(*command, options->json);
  command->callback([options, setup] {
    options->request.setup = setup.parsed();
    const StaticBreakdown result = price_static_batch(options->request);
    print(options->json ? json_text(static_json(result)) : static_text(result));
  });
}

}  // namespace warploom
