#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "warploom/app/tune/moe_config.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/options.h"
#include "warploom/report/moe_config_report.h"

namespace warploom {

void add_moe_config_command(Command& app) {
  struct Options {
    MoeConfigRequest request;
    std::string engine{name_of(MoeConfigRequest().engine)}, table, samples, package, output;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("moe-config", "fused_moe files of vLLM and SGLang for a GPU");
  Option* model =
      command->add_option("--model", options->request.model, "whose experts; or --experts, --top-k, ...");
  command->add_option("--gpu", options->request.gpu, "a name (see `warploom gpus`) or the path of a record")
      ->required();
  command
      ->add_option("--engine", options->engine, fmt::format("{}", fmt::join(names_of<MoeEngine>(), " or ")))
      ->capture_default_str();
  Option* table =
      command->add_option("--table", options->table,
                          "a table of grouped_gemm that `tune fit` wrote on this GPU; without: predicted");
  const char* named = std::getenv("WARPLOOM_PACKAGE");
  options->package = named != nullptr ? named : WARPLOOM_PYTHON_FOLDER;
  command->add_option("--samples", options->samples, "times of this layer that --profile wrote on this GPU")
      ->excludes(table);
  Option* profile =
      command
          ->add_flag("--profile", options->request.profile,
                     "measure the layer on this machine's GPU into --samples first (needs torch, triton)")
          ->excludes(table);
  command->add_option("--seconds", options->request.seconds, "stop measuring after")->needs(profile);
  command->add_option("--python", options->request.python, "with torch and triton")->needs(profile);
  command->add_option("--package", options->package, "folder of the Python package warploom")->needs(profile);
  command->add_option("--output", options->output, "folder for the engine's file and its sidecar");
  const auto fields = add_fields_of<MoeLayer>(*command);
  // Sizes that the model says.
  for (const char* size : {"--experts", "--top-k", "--hidden", "--intermediate"})
    model->excludes(command->get_option(size));
  add_json_option(*command, options->json);
  command->callback([options, fields] {
    MoeConfigRequest& request = options->request;
    fields->apply(&request.layer);
    request.engine = parse_enum<MoeEngine>(options->engine, "--engine");
    request.table = options->table;
    request.samples = options->samples;
    request.package = options->package;
    request.output = options->output;
    const MoeConfigResult result = moe_config(request);
    if (options->json) {
      Json document = sidecar_json(result.table);
      for (const auto& file : result.files) document["files"].push_back(file.string());
      print(json_text(document));
      return;
    }
    print(moe_config_text(result.table));
    for (const auto& file : result.files) print(fmt::format("wrote {}\n", file.string()));
  });
}

void add_train_moe_configs_command(Command& app) {
  struct Options {
    std::string gains, near_best, output;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("train-moe-configs",
                                        "what `moe-config` knows of other GPUs' searches (maintainers)");
  command->add_option("--gains", options->gains, "best and default times by shape")->required();
  command->add_option("--near-best", options->near_best, "configurations near the best")->required();
  command->add_option("--output", options->output, "folder; without: errors on what is left out alone");
  add_json_option(*command, options->json);
  command->callback([options] {
    const ConfigTraining training = train_moe_configs(
        {.gains = options->gains, .near_best = options->near_best, .output = options->output});
    print(options->json ? json_text(config_training_json(training)) : config_training_text(training));
  });
}

}  // namespace warploom
