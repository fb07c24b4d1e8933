#include <nlohmann/json.hpp>

#include "warploom/app/predict/list_models.h"
#include "warploom/base/json.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/report/model_report.h"

namespace warploom {
namespace {

struct Options {
  std::string name;
  bool json = false;
};

}  // namespace

void add_models_command(Command& app) {
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("models", "lists the models that are known");
  command->add_option("MODEL", options->name,
                      "one model: a name, or the path of a config.json or its folder");
  add_json_option(*command, options->json);
  command->callback([options] {
    const std::vector<ModelListing> models = list_models(options->name);
    print(options->json ? json_text(model_list_json(models)) : model_list_text(models));
  });
}

}  // namespace warploom
