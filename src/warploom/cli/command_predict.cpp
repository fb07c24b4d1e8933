#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/predict/predict_operator.h"
#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/operator_options.h"
#include "warploom/cli/options.h"
#include "warploom/report/prediction_report.h"

namespace warploom {
namespace {

constexpr std::string_view kPredictRouting = "expert_routing";  // of PredictRequest

struct Options {
  std::unique_ptr<OperatorOptions> op;
  std::shared_ptr<FieldOptionValues> fields;
  bool json = false;
};

// No version was measured of a kernel that a rule prices: one rule stands for all versions.
void say_version(const PredictRequest& request, const PredictResult& result) {
  if (request.version.empty()) return;
  const std::string used = result.framework + " " + result.version;
  if (!result.by_rule && result.version == request.version) return;
  print_note(fmt::format("--framework-version {}: this kernel was not measured with it, {} is used instead",
                         request.version,
                         result.by_rule ? fmt::format("the rule '{}'", result.kernel) : used));
}

void add_family(Command& predict, Family family) {
  const std::string name(name_of(family));
  const auto options = std::make_shared<Options>();
  Command* command = predict.add_subcommand(name, "one " + name + " operator");
  options->op = std::make_unique<OperatorOptions>(*command, family);
  FieldOptionStyle style{.group_of = [](std::string_view field) {
    if (field == kPredictRouting) return std::string(kOperatorGroup);
    return std::string(field == "features" ? kOutputGroup : kModelGroup);
  }};
  if (family != Family::Moe) style.skipped = {std::string(kPredictRouting)};
  options->fields = add_request_options<PredictRequest>(*command, style);
  const HtmlOption html(*command, "predict");
  add_json_option(*command, options->json);
  command->callback([options, html] {
    PredictRequest request;
    options->fields->apply(&request);
    request.op = options->op->parsed();
    check_routing_said_once(
        [&](std::string_view field) { return options->fields->given(field) || options->op->given(field); });
    const PredictResult result = predict_operator(request);
    check_named_kernel(request, result.framework, result.kernel);
    say_version(request, result);
    const Json document = prediction_json(result);
    if (html.given()) {
      Json asked = write_fields(fields_of<PredictRequest>(), &request);
      asked["operator"] = document["operator"];
      html.write(asked, document);
    }
    print(options->json ? json_text(document) : prediction_text(result));
  });
}

}  // namespace

void add_predict_command(Command& app) {
  Command* predict = app.add_subcommand("predict", "how long one operator takes, and what limits it");
  predict->require_subcommand(1);
  for (const auto& [family, name] : EnumNames<Family>::kNames) add_family(*predict, family);
}

}  // namespace warploom
