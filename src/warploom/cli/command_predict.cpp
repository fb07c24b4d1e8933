#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/app/predict/predict_operator.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/operator_options.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {
namespace {

constexpr std::string_view kPredictRouting = "expert_routing";  // of PredictRequest

void add_family(Command& predict, Family family) {
  const std::string name(name_of(family));
  Command* command = predict.add_subcommand(name, "one " + name + " operator");
  RequestCommand asked(*command, "predict");
  const auto op = std::make_shared<const OperatorOptions>(*command, family);
  asked.write([op](Json& fields, GivenNames&) { op->write(fields); });
  FieldOptionStyle style{.group_of = [](std::string_view field) {
    if (field == kPredictRouting) return std::string(kOperatorGroup);
    return std::string(field == "features" ? kOutputGroup : kModelGroup);
  }};
  if (family != Family::Moe) style.skipped = {std::string(kPredictRouting)};
  asked.add_fields<PredictRequest>(style);
  asked.html().runs();
}

}  // namespace

void add_predict_command(Command& app) {
  Command* predict = app.add_subcommand("predict", "how long one operator takes, and what limits it");
  predict->require_subcommand(1);
  for (const auto& [family, name] : EnumNames<Family>::kNames) add_family(*predict, family);
}

}  // namespace warploom
