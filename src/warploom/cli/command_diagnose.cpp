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
    std::string html;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("diagnose", "which kernels are worth tuning, and why");
  const SetupOptions setup(*command, SetupUse::Diagnosis);
  const auto fields = add_request_options<DiagnoseRequest>(
      *command,
      {.skipped = {"gpu", "gpus", "keep_impossible", "setup"}, .group = std::string(kWorkloadGroup)});
  {
    const OptionGroup group(*command, kWorkloadGroup);
    command->add_option("--html", options->html, "also write a page with rooflines");
  }
  add_json_option(*command, options->json);
  command->callback([options, fields, setup] {
    DiagnoseRequest request;
    fields->apply(&request);
    request.gpu = setup.gpu();
    if (setup.has_model()) {
      if (!request.workload) request.workload.emplace();
      request.workload->setup = setup.parsed();
    } else if (const std::string given = setup.first_given(); !given.empty()) {
      throw InvalidInput(given + " is of predicted kernels, expected --model too");
    } else {
      request.workload.reset();
    }
    const Diagnosis result = diagnose(request);
    if (!options->html.empty()) write_file_atomically(options->html, diagnosis_html(result));
    print(options->json ? json_text(diagnosis_json(result)) : diagnosis_text(result));
  });
}

}  // namespace warploom
