#include <nlohmann/json.hpp>

#include "warploom/app/predict/list_models.h"
#include "warploom/base/json.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

struct Options {
  std::string name;
  bool json = false;
};

std::string listing_text(const std::vector<ModelListing>& models) {
  TextTable table({{"model", Align::Left},
                   {"architecture", Align::Left},
                   {"layers"},
                   {"parameters"},
                   {"active"},
                   {"weights"},
                   {"KV per token"}});
  for (const ModelListing& model : models) {
    table.add_row({model.name, model.architecture, count_text(model.layers),
                   significant_text(model.parameters * 1e-9) + " B",
                   significant_text(model.active_parameters * 1e-9) + " B", gibibytes_text(model.weights),
                   bytes_text(model.kv_per_token)});
  }
  return table.text();
}

Json listing_json(const std::vector<ModelListing>& models) {
  Json list = Json::array();
  for (const ModelListing& model : models) {
    list.push_back({{"name", model.name},
                    {"aliases", model.aliases},
                    {"architecture", model.architecture},
                    {"layers", model.layers},
                    {"parameters", model.parameters},
                    {"active_parameters", model.active_parameters},
                    {"weight_bytes", model.weights.value()},
                    {"kv_bytes_per_token", model.kv_per_token.value()},
                    {"source", model.source}});
  }
  return Json{{"models", std::move(list)}};
}

}  // namespace

void add_models_command(Command& app) {
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("models", "lists the models that are known");
  command->add_option("MODEL", options->name,
                      "one model: a name, or the path of a config.json or its folder");
  add_json_option(*command, options->json);
  command->callback([options] {
    const std::vector<ModelListing> models = list_models(options->name);
    print(options->json ? json_text(listing_json(models)) : listing_text(models));
  });
}

}  // namespace warploom
