#include "warploom/report/model_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

std::string blocks_text(const ModelListing& model) {
  TextTable table({{"kernel", Align::Left}, {"operator", Align::Left}, {"measured on", Align::Left}});
  for (const MeasuredBlock& block : model.blocks)
    table.add_row(
        {block.block, block.family,
         block.gpus.empty() ? "no GPU: structural model" : fmt::format("{}", fmt::join(block.gpus, " "))});
  return table.text();
}

Json blocks_json(const ModelListing& model) {
  Json list = Json::array();
  for (const MeasuredBlock& block : model.blocks)
    list.push_back({{"block", block.block}, {"operator", block.family}, {"measured_on", block.gpus}});
  return list;
}

}  // namespace

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
  if (models.size() != 1) return table.text();
  std::string text = table.text();
  for (const std::string& note : models.front().notes) text += note + "\n";
  return text + "\n" + blocks_text(models.front());
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
                    {"source", model.source},
                    {"notes", model.notes},
                    {"blocks", blocks_json(model)}});
  }
  return Json{{"models", std::move(list)}};
}

}  // namespace warploom
