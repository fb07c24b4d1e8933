#include "warploom/report/model_report.h"

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
std::string model_list_text(const std::vector<ModelListing>& models) {
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

Json model_list_json(const std::vector<ModelListing>& models) {
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

}  // namespace warploom
