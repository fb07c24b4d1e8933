#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/data/import_data.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/report/import_report.h"

namespace warploom {
namespace {

struct Options {
  std::vector<std::string> paths;
  MeasurementSource source;
  std::string store;
  bool json = false;
};

}  // namespace

void add_import_command(Command& app) {
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("import", "reads measured data into a store");
  command
      ->add_option(
          "LAYOUT", options->source.layout,
          "warploom, aiconfigurator, pipeweave, vidur, neusight, kineto (PyTorch profiler) or nsight")
      ->required();
  command->add_option("PATH", options->paths, "files or folders")->required();
  command->add_option("--store", options->store, "the store's file, made when missing")->required();
  command->add_option("--family", options->source.families, "only these families");
  command->add_option("--gpu", options->source.gpus, "only these GPUs; the GPU of a profile that names none");
  add_json_option(*command, options->json);
  command->callback([options] {
    MeasurementSource source = options->source;
    source.paths.assign(options->paths.begin(), options->paths.end());
    const ImportSummary summary = import_into_store(source, options->store);
    if (options->json) {
      Json document = import_report_json(summary.report);
      document["store"] = {
          {"added", summary.added}, {"replaced", summary.replaced}, {"rows", summary.store_rows}};
      print(json_text(document));
      return;
    }
    print(import_report_text(summary.report));
    print(fmt::format("{}: {} rows added, {} replaced, {} in all\n", options->store, summary.added,
                      summary.replaced, summary.store_rows));
  });
}

}  // namespace warploom
