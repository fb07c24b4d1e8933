#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/app/tune/tune_correction.h"
#include "warploom/app/tune/tune_cross_gpu.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/app/tune/tune_regret.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/cli/charts_option.h"
#include "warploom/cli/command.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/tile_kernel_options.h"
#include "warploom/report/run_charts.h"
#include "warploom/report/tune_report.h"

namespace warploom {
namespace {

struct FitOptions {
  std::shared_ptr<FieldOptionValues> fields, kernel;
  std::optional<HtmlOption> html;
  std::optional<ChartsOption> charts;
  std::string from_table;
  bool cross_gpu = false, json = false;
};

// Tables without samples are not corrected, and one that is scaled has its kernel from another.
void check_cross_gpu(const FitOptions& options, const TuneFitRequest& request) {
  if (!request.corrected)
    throw InvalidInput(
        "tune fit: --no-correction: a table without samples has no correction, expected --samples with it");
  const auto given = options.kernel->given_options();
  if (!options.from_table.empty() && !given.empty())
    throw InvalidInput(fmt::format("tune fit: {}: the kernel is that of --from-table, expected one of them",
                                   given.front().first));
}

TuneFitRequest fit_request(const FitOptions& options) {
  TuneFitRequest request;
  options.fields->apply(&request);
  const bool published = request.method == TuneMethod::WaveTune;
  request.kernel = tile_kernel_of(
      *options.kernel, published ? TileKernelUse::WaveTuneTable : TileKernelUse::Table, "tune fit");
  return request;
}

WaveTuneFitResult fitted_wavetune(const FitOptions& options, const TuneFitRequest& request) {
  if (options.cross_gpu || !options.from_table.empty() || request.samples.empty())
    throw InvalidInput(
        "tune fit: --method wavetune is fitted to measured times, expected --samples and neither --cross-gpu "
        "nor --from-table");
  return tune_fit_wavetune(request);
}

TuneFitResult fitted(const FitOptions& options, const TuneFitRequest& request) {
  const bool cross = options.cross_gpu || !options.from_table.empty();
  if (cross != request.samples.empty())
    throw InvalidInput("tune fit: expected either --samples, or --cross-gpu or --from-table without samples");
  if (!cross) return tune_fit(request);
  check_cross_gpu(options, request);
  return tune_fit_cross_gpu({.kernel = request.kernel,
                             .gpu = request.gpu,
                             .from_table = options.from_table,
                             .output = request.output,
                             .default_config = request.default_config});
}

void run_wavetune_fit(const FitOptions& options, const TuneFitRequest& request) {
  if (options.charts->asked())
    throw InvalidInput("tune fit: --charts draws residuals, which the published model has none of");
  const WaveTuneFitResult published = fitted_wavetune(options, request);
  for (const TileConfig& tiles : published.table.model().left_out)
    print_note(fmt::format("left out: tiles {}x{}x{} have fewer than {} anchors", tiles.tile_m, tiles.tile_n,
                           tiles.tile_k, kFewestAnchors));
  const Json document = wavetune_fit_json(published);
  options.html->write_answer(request, document);
  print(options.json ? json_text(document) : wavetune_fit_text(published));
}

void run_fit(const FitOptions& options, const TuneFitRequest& request) {
  const auto style = options.charts->style();
  const TuneFitResult result = fitted(options, request);
  for (const TileConfig& config : result.model.left_out)
    print_note(fmt::format("left out: {} has fewer than {} samples", config_text(config), kFewestSamples));
  const Json document = tune_fit_json(result);
  options.html->write_answer(request, document);
  print(options.json ? json_text(document) : tune_fit_text(result));
  if (style) print(fit_chart(result.model, *style));
}

void add_fit(Command& tune) {
  const auto options = std::make_shared<FitOptions>();
  Command* command = tune.add_subcommand("fit", "measured samples into a look-up table");
  options->fields = add_request_options<TuneFitRequest>(*command, {.skipped = {"kernel"}});
  command->get_option("--output")->required();
  Option* record = command->add_flag("--cross-gpu", options->cross_gpu,
                                     "no samples: estimate from the GPU's record (tier cross_gpu)");
  command
      ->add_option("--from-table", options->from_table,
                   "no samples: scale another GPU's table by the records (tier cross_gpu)")
      ->excludes(record);
  options->kernel = add_tile_kernel_options(*command, TileKernelUse::Table);
  options->html.emplace(*command, "tune_fit");
  add_json_option(*command, options->json);
  options->charts.emplace(*command, options->json);
  command->callback([options] {
    const TuneFitRequest request = fit_request(*options);
    request.method == TuneMethod::WaveTune ? run_wavetune_fit(*options, request) : run_fit(*options, request);
  });
}

void add_learn(Command& tune) {
  struct Options {
    std::vector<std::string> anchors, shapes;
    std::string sets;
  };
  const auto options = std::make_shared<Options>();
  Command* command =
      tune.add_subcommand("learn", "what the formula misses, from shapes off the anchors (maintainers)");
  command->add_option("--anchors", options->anchors, "CSV files that a table would be fitted on")->required();
  command->add_option("--shapes", options->shapes, "CSV files of other shapes")->required();
  command->add_option(
      "--sets", options->sets,
      "more measurements, of other kernels of this kind or other GPUs: a JSON list of objects with "
      "anchors, shapes and gpu");
  const auto fields = add_request_options<TuneLearnRequest>(*command, {.skipped = {"kernel"}});
  const auto kernel = add_tile_kernel_options(*command, TileKernelUse::Learning);
  command->callback([options, fields, kernel] {
    TuneLearnRequest request;
    fields->apply(&request);
    request.kernel = tile_kernel_of(*kernel, TileKernelUse::Learning, "tune learn");
    request.sets.push_back({.anchors = {options->anchors.begin(), options->anchors.end()},
                            .shapes = {options->shapes.begin(), options->shapes.end()},
                            .gpu = {}});
    if (!options->sets.empty())
      for (TuneLearnSet& set : read_learning_sets(options->sets)) request.sets.push_back(std::move(set));
    print(tune_learn_text(tune_learn(request)));
  });
}

void add_regret(Command& tune) {
  Command* command = tune.add_subcommand("regret", "a table's picks against exhaustive measurements");
  RequestCommand regret(*command, "tune_regret");
  regret.add_fields<TuneRegretRequest>();
  regret.html().runs();
}

}  // namespace

void add_tune_command(Command& app) {
  Command* tune = app.add_subcommand("tune", "the best configuration of a tile kernel for every shape");
  tune->require_subcommand(1);
  add_tune_table_commands(*tune);
  add_fit(*tune);
  add_learn(*tune);
  add_regret(*tune);
}

}  // namespace warploom
