#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/app/validate/validate_kernels.h"
#include "warploom/app/validate/validate_leave_out.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/options.h"
#include "warploom/report/kernel_validation_report.h"

namespace warploom {
namespace {

struct KernelOptions {
  std::shared_ptr<FieldOptionValues> kernels, leave_out;
  std::optional<HtmlOption> html;
  bool json = false;
};

void run_leave_out(const KernelOptions& options, LeaveOutRequest request,
                   const ValidateKernelsRequest& kernels) {
  request.source = kernels.source;
  request.baselines = kernels.baselines;
  request.progress = [](std::string_view line) { print_note(line); };
  const LeaveOutResult result = validate_leave_out(request);
  const Json document = leave_out_json(result);
  options.html->of("validate_leave_out").write_answer(request, document);
  print(options.json ? json_text(document) : leave_out_text(result));
}

void run_kernels(const KernelOptions& options) {
  ValidateKernelsRequest request;
  options.kernels->apply(&request);
  LeaveOutRequest leave_out;
  options.leave_out->apply(&leave_out);
  if (!leave_out.leave_out.empty()) return run_leave_out(options, leave_out, request);
  if (!leave_out.only.empty())
    throw InvalidInput("only_left_out: names what is left out, expected `leave_out` with it");
  if (leave_out.ablate)
    throw InvalidInput("ablate: judges what was trained without something, expected `leave_out` with it");
  request.progress = [](std::string_view line) { print_note(line); };
  const ValidateKernelsResult result = validate_kernels(request);
  const Json document = kernel_validation_json(result);
  options.html->write_answer(request, document);
  print(options.json ? json_text(document) : kernel_validation_text(result));
}

void add_validate_kernels(Command& validate) {
  const auto options = std::make_shared<KernelOptions>();
  Command* command = validate.add_subcommand("kernels", "a predictor against measured kernels");
  options->kernels = add_request_options<ValidateKernelsRequest>(*command);
  options->leave_out =
      add_request_options<LeaveOutRequest>(*command, {.skipped = {"source", "seed", "baselines"}});
  const auto option = [&](const char* name) { return command->get_option(name); };
  for (const char* name : {"--baseline-data", "--baseline-exclude-gpu"})
    option(name)->needs(option("--baseline"));
  for (const char* name : {"--few-shot", "--rows-per-gpu", "--judged-rows", "--fewest-rows", "--threads",
                           "--external", "--questions"})
    option(name)->needs(option("--leave-out"));
  option("--few-shot-per")->needs(option("--few-shot"));
  // It judges what it trains itself, on rows that it chooses.
  for (const char* other :
       {"--predictor", "--require-tier", "--all-rows", "--baseline-data", "--baseline-exclude-gpu"})
    option("--leave-out")->excludes(option(other));
  options->html.emplace(*command, "validate_kernels");
  add_json_option(*command, options->json);
  command->callback([options] { run_kernels(*options); });
}

}  // namespace

void add_validate_command(Command& app) {
  Command* validate = app.add_subcommand("validate", "predictions against measurements");
  validate->require_subcommand(1);
  add_validate_kernels(*validate);
  add_validate_serving_runs(*validate);
  add_validate_ceilings(*validate);
  add_validate_tiles(*validate);
}

}  // namespace warploom
