#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "warploom/app/predict/predict_operator.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/operator_options.h"
#include "warploom/cli/options.h"
#include "warploom/report/number_text.h"
#include "warploom/report/prediction_report.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

struct Options {
  std::unique_ptr<OperatorOptions> op;
  PredictRequest request;
  bool json = false;
};

std::string demand_text(const PipelineShare& share) {
  const bool bytes = share.pipeline == Bound::Dram || share.pipeline == Bound::L2 ||
                     share.pipeline == Bound::Shared || share.pipeline == Bound::Network;
  if (share.pipeline == Bound::Launch) {
    return fmt::format("{:.0f} {}", share.demand, share.demand == 1 ? "kernel" : "kernels");
  }
  if (bytes) return bytes_text(Bytes(share.demand));
  return decimal_text(share.demand, share.pipeline == Bound::SpecialFunction ? "op" : "FLOP");
}

// The parts that the family's structure has.
std::string structure_text(const StructuralPrice& price) {
  std::string text = duration_text(Seconds(price.seconds)) + " =";
  const std::pair<const char*, double> parts[] = {{"launch", price.launch},
                                                  {"passes", price.passes},
                                                  {"compute", price.compute},
                                                  {"memory", price.memory},
                                                  {"network", price.network}};
  for (const auto& [name, seconds] : parts)
    if (seconds > 0) text += fmt::format(" {} {},", name, duration_text(Seconds(seconds)));
  text.pop_back();
  if (price.tile_rows > 0) text += fmt::format("; tiles of {} x {}", price.tile_rows, price.tile_columns);
  if (price.splits > 1) text += fmt::format(", {:.0f} parts", price.splits);
  if (price.waves > 0) text += fmt::format(", {} waves", significant_text(price.waves));
  return text;
}

std::string result_text(const PredictResult& result) {
  std::string text = fmt::format("{} on {}\n", operator_text(result.op), result.gpu.title);
  if (!result.kernel.empty() || !result.framework.empty()) {
    text +=
        fmt::format("implementation  {} {}, kernel {}\n", result.framework.empty() ? "-" : result.framework,
                    result.version, result.kernel.empty() ? "-" : result.kernel);
  }
  if (!result.stands_in_for.empty())
    text += fmt::format("note            never measured on {} with {}: this kernel{} stands in\n",
                        result.gpu.name, result.stands_in_for,
                        result.scheme_priced ? fmt::format(" in {}", name_of(*result.scheme_priced)) : "");
  if (result.widened_weights) {
    text +=
        fmt::format("note            {} lacks this operand type: weights are widened, products are 16 bit\n",
                    result.gpu.name);
  }
  text += "predicted       " + estimate_text(result.estimate) + "\n";
  text += "physical bound  " + duration_text(result.estimate.physical_bound) + "\n";
  if (result.tile) {
    const LibraryTile& tile = result.tile->tile;
    text += fmt::format("cuBLAS tile     {} x {}, {} {}, {} waves (the likeliest, {})\n", tile.tile_m,
                        tile.tile_n, tile.splits, tile.splits == 1 ? "part" : "parts of k",
                        significant_text(result.tile->waves), percent_text(result.tile->chance));
  }
  text += "structure       " + structure_text(result.structure) + "\n";
  text += "roofline        " + duration_text(result.roofline.p50) + "\n\n";
  TextTable table({{"pipeline", Align::Left}, {"demand"}, {"time alone"}, {"share of predicted"}});
  for (const PipelineShare& share : result.pipelines) {
    table.add_row({std::string(name_of(share.pipeline)), demand_text(share), duration_text(share.time),
                   percent_text(share.share)});
  }
  text += table.text();
  if (result.features.empty()) return text;
  TextTable features({{"published feature", Align::Left}, {"value"}});
  for (const auto& [name, value] : result.features) features.add_row({name, fmt::format("{:.12g}", value)});
  return text + "\n" + features.text();
}

Json structure_json(const StructuralPrice& price) {
  Json document{{"time_us", price.seconds * 1e6},   {"launch_us", price.launch * 1e6},
                {"passes_us", price.passes * 1e6},  {"compute_us", price.compute * 1e6},
                {"memory_us", price.memory * 1e6},  {"network_us", price.network * 1e6},
                {"resident_share", price.resident}, {"splits", price.splits}};
  if (price.tile_rows > 0) {
    document["tile_m"] = price.tile_rows;
    document["tile_n"] = price.tile_columns;
  }
  if (price.tasks > 0) {
    document["tasks"] = price.tasks;
    document["waves"] = price.waves;
  }
  return document;
}

Json result_json(const PredictResult& result) {
  Json document = estimate_json(result.estimate);
  document["operator"] = operator_document(result.op);
  document["gpu"] = result.gpu.name;
  document["framework"] = result.framework;
  document["framework_version"] = result.version;
  document["kernel"] = result.kernel;
  document["stands_in_for"] = result.stands_in_for;
  if (result.scheme_priced) document["scheme_priced"] = name_of(*result.scheme_priced);
  document["widened_weights"] = result.widened_weights;
  document["roofline_us"] = to_microseconds(result.roofline.p50);
  if (result.tile) {
    document["cublas_tile"] = {{"tile_m", result.tile->tile.tile_m},
                               {"tile_n", result.tile->tile.tile_n},
                               {"splits", result.tile->tile.splits},
                               {"waves", result.tile->waves},
                               {"chance", result.tile->chance}};
  }
  document["structure"] = structure_json(result.structure);
  Json pipelines = Json::array();
  for (const PipelineShare& share : result.pipelines) {
    pipelines.push_back({{"pipeline", name_of(share.pipeline)},
                         {"demand", share.demand},
                         {"time_us", to_microseconds(share.time)},
                         {"share", share.share}});
  }
  document["pipelines"] = std::move(pipelines);
  if (!result.features.empty()) {
    Json features = Json::object();
    for (const auto& [name, value] : result.features) features[name] = value;
    document["published_features"] = std::move(features);
  }
  return document;
}

// Names of implementations say nothing where none was measured.
void check_measured(const PredictRequest& request, const PredictResult& result) {
  const char* named = !request.kernel.empty()      ? "--kernel"
                      : !request.framework.empty() ? "--framework"
                      : !request.version.empty()   ? "--framework-version"
                                                   : nullptr;
  if (named == nullptr || !result.framework.empty() || !result.kernel.empty()) return;
  throw InvalidInput(fmt::format("{} is not modelled here: no kernel of {} was measured, expected none{}",
                                 named, name_of(family_of(request.op)),
                                 request.predictor == "roofline" ? " or another --predictor" : ""));
}

// No version was measured for kernels that only stream: one rule stands for all versions.
void say_version(const PredictRequest& request, const PredictResult& result) {
  if (request.version.empty()) return;
  const std::string used = result.framework + " " + result.version;
  if (!result.by_rule && result.version == request.version) return;
  print_note(fmt::format("--framework-version {}: this kernel was not measured with it, {} is used instead",
                         request.version, result.by_rule ? "the rule of streaming kernels" : used));
}

void add_family(Command& predict, Family family) {
  const std::string name(name_of(family));
  const auto options = std::make_shared<Options>();
  Command* command = predict.add_subcommand(name, "one " + name + " operator");
  options->op = std::make_unique<OperatorOptions>(*command, family);
  {
    const OptionGroup group(*command, kModelGroup);
    command->add_option("--gpu", options->request.gpu, "a name, an alias, or the path of your own record")
        ->required();
    command->add_option("--predictor", options->request.predictor,
                        "a folder that `train` wrote, or roofline");
    command->add_option("--framework", options->request.framework,
                        fmt::format("{}, ...; absent: any", fmt::join(engine_names(), ", ")));
    command->add_option("--framework-version", options->request.version, "absent: the newest measured");
    command->add_option("--kernel", options->request.kernel,
                        "kernel name in the measured data; absent: the default");
  }
  const OptionGroup group(*command, kOutputGroup);
  command->add_option("--features", options->request.features,
                      "published: also show the feature vector of the published predictor PipeWeave");
  add_json_option(*command, options->json);
  command->callback([options] {
    PredictRequest request = options->request;
    request.op = options->op->parsed();
    const PredictResult result = predict_operator(request);
    check_measured(request, result);
    say_version(request, result);
    print(options->json ? json_text(result_json(result)) : result_text(result));
  });
}

}  // namespace

void add_predict_command(Command& app) {
  Command* predict = app.add_subcommand("predict", "how long one operator takes, and what limits it");
  predict->require_subcommand(1);
  for (const auto& [family, name] : EnumNames<Family>::kNames) add_family(*predict, family);
}

}  // namespace warploom
