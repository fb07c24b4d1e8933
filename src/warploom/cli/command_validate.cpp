#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/validate/validate_kernels.h"
#include "warploom/app/validate/validate_leave_out.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/report/kernel_validation_report.h"

namespace warploom {
namespace {

struct Options {
  ValidateKernelsRequest request;
  LeaveOutRequest leave_out;
  std::vector<std::string> paths, baseline_paths;
  bool json = false;
};

void run_leave_out(const Options& options) {
  LeaveOutRequest request = options.leave_out;
  request.source = options.request.source;
  request.progress = options.request.progress;
  const LeaveOutResult result = validate_leave_out(request);
  print(options.json ? json_text(leave_out_json(result)) : leave_out_text(result));
}

void add_leave_out_options(Command& command, LeaveOutRequest& request) {
  Option* out = command.add_option("--leave-out", request.leave_out,
                                   "trains without each gpu, generation or model in turn and judges that");
  command.add_option("--only-left-out", request.only, "of these GPUs, generations or folds of models alone");
  Option* few =
      command.add_option("--few-shot", request.few_shot, "shapes of a GPU left out to give back")->needs(out);
  command
      .add_option("--few-shot-per", request.few_shot_per,
                  "what --few-shot counts: family, or kind (each combination of data types by itself)")
      ->needs(few);
  command.add_option("--rows-per-gpu", request.rows_per_gpu, "of each family, for --leave-out to learn from")
      ->needs(out);
  command.add_option("--judged-rows", request.judged_rows, "of each GPU and family that is left out")
      ->needs(out);
  command
      .add_option("--fewest-rows", request.fewest_rows,
                  "of a family that a GPU must have to be left out on its own")
      ->needs(out);
  command.add_option("--threads", request.threads, "of --leave-out, 0 for all")->needs(out);
  command.add_flag("--ablate", request.ablate, "with --leave-out: also without the model's later parts");
  // It judges what it trains itself, on rows that it chooses, and no baseline.
  for (const char* other : {"--predictor", "--all-rows", "--baseline"})
    out->excludes(command.get_option(other));
}

void add_validate_kernels(Command& validate) {
  const auto options = std::make_shared<Options>();
  Command* command = validate.add_subcommand("kernels", "a predictor against measured kernels");
  MeasurementSource& source = options->request.source;
  command->add_option("--store", source.store, "a store that `import` wrote; or");
  command->add_option("--layout", source.layout, "the layout of");
  command->add_option("--data", options->paths, "files or folders");
  command->add_option("--gpu", source.gpus, "only these GPUs");
  command->add_option("--family", source.families, "only these families");
  command->add_option("--predictor", options->request.predictor, "a folder that `train` wrote, or roofline");
  command->add_flag("--all-rows", options->request.all_rows, "judge rows that training could see too");
  command->add_flag("--keep-impossible", source.keep_impossible,
                    "also judge rows that are faster than physics allows, and their groups");
  Option* baseline = command->add_option(
      "--baseline", options->request.baselines,
      "also judge these on the same rows: roofline, linear, habitat, neusight, interpolation");
  command
      ->add_option("--baseline-data", options->baseline_paths,
                   "files of the same layout that baselines learn from; absent: the shapes kept for training")
      ->needs(baseline);
  command
      ->add_option("--baseline-exclude-gpu", options->request.baseline_exclude_gpus,
                   "GPUs that baselines do not learn from")
      ->needs(baseline);
  add_leave_out_options(*command, options->leave_out);
  add_json_option(*command, options->json);
  command->callback([options] {
    ValidateKernelsRequest& request = options->request;
    request.baseline_source = request.source;
    request.baseline_source.store.clear();
    request.baseline_source.paths.assign(options->baseline_paths.begin(), options->baseline_paths.end());
    request.baseline_source.gpus.clear();
    request.source.paths.assign(options->paths.begin(), options->paths.end());
    request.progress = [](std::string_view line) { print_note(line); };
    if (!options->leave_out.leave_out.empty()) return run_leave_out(*options);
    if (!options->leave_out.only.empty())
      throw InvalidInput("--only-left-out: names what is left out, expected --leave-out with it");
    if (options->leave_out.ablate)
      throw InvalidInput("--ablate: judges what was trained without something, expected --leave-out with it");
    const ValidateKernelsResult result = validate_kernels(request);
    print(options->json ? json_text(kernel_validation_json(result)) : kernel_validation_text(result));
  });
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
