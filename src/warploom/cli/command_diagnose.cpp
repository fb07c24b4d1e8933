#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/app/tune/diagnose.h"
#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/setup_options.h"
#include "warploom/cli/view_file.h"

namespace warploom {
namespace {

// A model's own batch, or measured kernels.
void write_workload(const SetupOptions& setup, Json& asked, GivenNames& names) {
  Json given = Json::object();
  if (setup.has_model()) {
    setup.write(given);
    setup.name_fields(given, names);
    asked["gpu"] = setup.gpu();
    Json& workload = asked["workload"];
    workload["setup"] = std::move(given);
    if (!workload.contains("input_tokens") || !workload.contains("output_tokens"))
      throw InvalidInput("diagnose: --input and --output are required with --model");
    return;
  }
  if (const std::string option = setup.first_given(); !option.empty())
    throw InvalidInput(option + " is of predicted kernels, expected --model too");
  asked["gpu"] = setup.gpu();
  asked.erase("workload");
}

}  // namespace

void add_diagnose_command(Command& app) {
  Command* command = app.add_subcommand("diagnose", "which kernels are worth tuning, and why");
  RequestCommand diagnosis(*command, "diagnose");
  const SetupOptions setup(*command, SetupUse::Diagnosis);
  diagnosis.add_fields<DiagnoseRequest>({.skipped = {"gpu", "gpus", "keep_impossible", "setup", "views"},
                                         .group = std::string(kWorkloadGroup),
                                         .elsewhere = {"input_tokens", "output_tokens"}});
  diagnosis.write([setup](Json& asked, GivenNames& names) { write_workload(setup, asked, names); });
  {
    const OptionGroup group(*command, kWorkloadGroup);
    add_view_file(diagnosis, "--rooflines", std::string(kDiagnosisViews[0]),
                  "also writes a page with a roofline of each pipeline");
  }
  diagnosis.html().runs();
}

}  // namespace warploom
