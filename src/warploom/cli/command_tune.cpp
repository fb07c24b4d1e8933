#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/app/tune/tune_correction.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/tile_kernel_options.h"
#include "warploom/report/tune_report.h"

namespace warploom {
namespace {

struct FitOptions {
  std::shared_ptr<FieldOptionValues> kernel;
  std::string from_table;
  std::int64_t scale_block = 0;
  bool cross_gpu = false;
  bool scales() const { return cross_gpu || !from_table.empty(); }
};

// Tables without samples are not corrected, and one that is scaled has its kernel from another.
void check_cross_gpu(const FitOptions& options, const Json& asked) {
  if (asked.contains("corrected"))
    throw InvalidInput(
        "tune fit: --no-correction: a table without samples has no correction, expected --samples with it");
  const auto given = options.kernel->given_options();
  if (!options.from_table.empty() && !given.empty())
    throw InvalidInput(fmt::format("tune fit: {}: the kernel is that of --from-table, expected one of them",
                                   given.front().first));
}

// Which of the two requests the options ask.
void write_fit(const FitOptions& options, Json& asked) {
  const bool samples = asked.contains("samples");
  if (asked.value("method", "") == name_of(TuneMethod::WaveTune) && (options.scales() || !samples))
    throw InvalidInput(
        "tune fit: --method wavetune is fitted to measured times, expected --samples and neither --cross-gpu "
        "nor --from-table");
  if (options.scales() == samples)
    throw InvalidInput("tune fit: expected either --samples, or --cross-gpu or --from-table without samples");
  if (options.scales()) check_cross_gpu(options, asked);
  if (options.kernel->any_given()) options.kernel->write(asked["kernel"]);
  if (!options.scales()) return;
  asked.erase("method");
  if (!options.from_table.empty()) asked["from_table"] = options.from_table;
  if (options.scale_block > 0) asked["scale_block"] = options.scale_block;
}

void add_fit(Command& tune) {
  const auto options = std::make_shared<FitOptions>();
  Command* command = tune.add_subcommand("fit", "measured samples into a look-up table");
  RequestCommand fit(*command, "tune_fit");
  fit.add_fields<TuneFitRequest>({.skipped = {"kernel"}});
  command->get_option("--output")->required();
  Option* record =
      command->add_flag("--cross-gpu", options->cross_gpu,
                        "no samples: estimate from what is built in and the GPU's record (tier cross_gpu)");
  command
      ->add_option("--from-table", options->from_table,
                   "no samples: scale another GPU's table by the records (tier cross_gpu)")
      ->excludes(record);
  command
      ->add_option("--scale-block", options->scale_block,
                   "values of k that share a scale, as in engines' fp8 products")
      ->needs(record);
  options->kernel = add_tile_kernel_options(*command, TileKernelUse::Table);
  fit.write([options, charts = fit.charts_asked()](Json& asked, GivenNames&) {
    if (charts() && asked.value("method", "") == name_of(TuneMethod::WaveTune))
      throw InvalidInput("tune fit: --charts draws residuals, which the published model has none of");
    write_fit(*options, asked);
  });
  fit.named(
      [options](const Json&) { return std::string(options->scales() ? "tune_fit_cross_gpu" : "tune_fit"); });
  fit.html().charts().runs();
}

void add_learn(Command& tune) {
  struct Options {
    std::vector<std::string> anchors, shapes;
    std::string sets;
  };
  const auto options = std::make_shared<Options>();
  Command* command =
      tune.add_subcommand("learn", "what the formula misses, from shapes off the anchors (maintainers)");
  RequestCommand learn(*command, "tune_learn");
  command->add_option("--anchors", options->anchors, "CSV files that a table would be fitted on")->required();
  command->add_option("--shapes", options->shapes, "CSV files of other shapes")->required();
  command->add_option(
      "--sets", options->sets,
      "more measurements, of other kernels of this kind or other GPUs: a JSON list of objects with "
      "anchors, shapes and gpu");
  learn.add_fields<TuneLearnRequest>({.skipped = {"kernel", "sets"}});
  const auto kernel = add_tile_kernel_options(*command, TileKernelUse::Learning);
  learn.write([options, kernel](Json& asked, GivenNames&) {
    if (kernel->any_given()) kernel->write(asked["kernel"]);
    asked["sets"] = {{{"anchors", options->anchors}, {"shapes", options->shapes}}};
    if (options->sets.empty()) return;
    for (const TuneLearnSet& set : read_learning_sets(options->sets))
      asked["sets"].push_back(write_fields(fields_of<TuneLearnSet>(), &set));
  });
  learn.runs();
}

}  // namespace

void add_tune_command(Command& app) {
  Command* tune = app.add_subcommand("tune", "the best configuration of a tile kernel for every shape");
  tune->require_subcommand(1);
  add_tune_table_commands(*tune);
  add_fit(*tune);
  add_learn(*tune);
  add_regret_command(*tune);
}

}  // namespace warploom
