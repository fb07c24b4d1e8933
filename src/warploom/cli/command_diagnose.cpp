#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/tune/diagnose.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/setup_options.h"
#include "warploom/report/diagnose_report.h"

namespace warploom {

void add_diagnose_command(Command& app) {
  struct Options {
    DiagnoseRequest request;
    StaticBatchRequest workload;
    std::vector<std::string> paths;
    std::string html;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("diagnose", "which kernels are worth tuning, and why");
  const SetupOptions setup(*command, SetupUse::Diagnosis);
  const OptionGroup group(*command, kWorkloadGroup);
  MeasurementSource& source = options->request.source;
  command->add_option("--data", options->paths, "measured kernels: files or folders; or");
  command->add_option("--store", source.store, "a store that `import` wrote; or --model");
  command->add_option("--layout", source.layout, "layout of the files of --data; default warploom");
  command->add_option("--family", source.families, "of measured kernels, only these families");
  command->add_option("--batch", options->workload.batch, "with --model: requests that start together")
      ->capture_default_str();
  command->add_option("--input", options->workload.input_tokens, "prompt tokens of each")
      ->capture_default_str();
  command->add_option("--output", options->workload.output_tokens, "tokens that each produces")
      ->capture_default_str();
  command->add_option("--quantile", options->request.quantile, "of the ceiling, 0.5 to 0.99")
      ->capture_default_str();
  command->add_option("--ceilings", options->request.ceilings, "a folder that `train-ceilings` wrote");
  command->add_option("--html", options->html, "also write a page with rooflines");
  add_json_option(*command, options->json);
  command->callback([options, setup] {
    DiagnoseRequest& request = options->request;
    request.gpu = setup.gpu();
    request.source.paths.assign(options->paths.begin(), options->paths.end());
    if (!options->paths.empty() && request.source.layout.empty()) request.source.layout = "warploom";
    if (setup.has_model()) {
      options->workload.setup = setup.parsed();
      request.workload = options->workload;
    } else if (const std::string given = setup.first_given(); !given.empty()) {
      throw InvalidInput(given + " is of predicted kernels, expected --model too");
    }
    const Diagnosis result = diagnose(request);
    if (!options->html.empty()) write_file_atomically(options->html, diagnosis_html(result));
    print(options->json ? json_text(diagnosis_json(result)) : diagnosis_text(result));
  });
}

}  // namespace warploom
