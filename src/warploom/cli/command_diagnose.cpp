#include <nlohmann/json.hpp>

#include "warploom/app/tune/diagnose.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/options.h"
#include "warploom/cli/setup_options.h"
#include "warploom/report/diagnose_report.h"

namespace warploom {

void add_diagnose_command(Command& app) {
  struct Options {
    std::string rooflines;
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
    command->add_option("--rooflines", options->rooflines,
                        "also writes a page with a roofline of each pipeline");
  }
  const HtmlOption html(*command, "diagnose");
  add_json_option(*command, options->json);
  command->callback([options, fields, html, setup] {
    DiagnoseRequest request;
    fields->apply(&request);
    request.gpu = setup.gpu();
    if (!request.source.paths.empty() && request.source.layout.empty()) request.source.layout = "warploom";
    if (setup.has_model()) {
      if (!request.workload) request.workload.emplace();
      request.workload->setup = setup.parsed();
    } else if (const std::string given = setup.first_given(); !given.empty()) {
      throw InvalidInput(given + " is of predicted kernels, expected --model too");
    } else {
      request.workload.reset();
    }
    const Diagnosis result = diagnose(request);
    if (!options->rooflines.empty()) write_file_atomically(options->rooflines, diagnosis_html(result));
    const Json document = diagnosis_json(result);
    html.write_answer(request, document);
    print(options->json ? json_text(document) : diagnosis_text(result));
  });
}

}  // namespace warploom
