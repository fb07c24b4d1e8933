#include "warploom/report/prediction_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warploom/kernels/operator_json.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {

std::string estimate_text(const LatencyEstimate& estimate) {
  return fmt::format("{}  ({} .. {}), limited by {}, tier {}{}{}", duration_text(estimate.p50),
                     duration_text(estimate.p10), duration_text(estimate.p90), name_of(estimate.bound),
                     name_of(estimate.tier),
                     estimate.stands_in      ? ", of the nearest kernel measured here"
                     : estimate.extrapolated ? ", outside the measured domain"
                                             : "",
                     estimate.in_step ? ", as inside a step of the engine" : "");
}

namespace {

std::string requests_text(const Json& groups) {
  std::vector<std::string> parts;
  for (const Json& group : groups) {
    const auto context = group.at("context_tokens").get<std::int64_t>();
    parts.push_back(fmt::format("{}x{}", group.at("count").get<std::int64_t>(),
                                group.at("query_tokens").get<std::int64_t>()));
    if (context > 0) parts.back() += fmt::format("+{}", context);
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

void add_fields(const Json& object, std::vector<std::string>& parts) {
  for (const auto& [key, value] : object.items()) {
    if (key == "family") continue;
    if (value.is_object()) {
      add_fields(value, parts);
    } else if (key == "requests") {
      parts.push_back("requests " + requests_text(value));
    } else {
      parts.push_back(key + " " + (value.is_string() ? value.get<std::string>() : value.dump()));
    }
  }
}

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

}  // namespace

std::string operator_text(const Operator& op) {
  std::vector<std::string> parts;
  add_fields(operator_to_json(op), parts);
  return fmt::format("{} ({})", name_of(family_of(op)), fmt::join(parts, ", "));
}

Json operator_document(const Operator& op) { return operator_to_json(op); }

Json estimate_json(const LatencyEstimate& estimate) {
  return {{"p10_us", to_microseconds(estimate.p10)},
          {"p50_us", to_microseconds(estimate.p50)},
          {"p90_us", to_microseconds(estimate.p90)},
          {"physical_bound_us", to_microseconds(estimate.physical_bound)},
          {"bound", name_of(estimate.bound)},
          {"tier", name_of(estimate.tier)},
          {"extrapolated", estimate.extrapolated},
          {"stands_in", estimate.stands_in},
          {"in_step", estimate.in_step}};
}

std::string prediction_text(const PredictResult& result) {
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

Json prediction_json(const PredictResult& result) {
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

}  // namespace warploom
