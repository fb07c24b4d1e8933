#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/validate/validate_concurrency.h"
#include "warploom/app/validate/validate_serving.h"
#include "warploom/app/validate/validate_static.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/progress.h"
#include "warploom/cli/setup_options.h"
#include "warploom/report/concurrency_report.h"
#include "warploom/report/validation_report.h"

namespace warploom {
namespace {

constexpr const char* kPredictorDoc = "a folder that `train` wrote, or roofline";

void add_validate_static(Command& validate) {
  struct Options {
    ValidateStaticRequest request;
    std::string truth, requests;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = validate.add_subcommand("static", "static batches of real engines");
  command->add_option("--truth", options->truth, "measured batches")->required();
  command->add_option("--requests", options->requests, "prompt lengths of each workload")->required();
  command->add_option("--predictor", options->request.predictor, kPredictorDoc);
  options->request.host_changes = add_host_options(*command, "validate static");
  add_json_option(*command, options->json);
  command->callback([options] {
    options->request.truth = options->truth;
    options->request.requests = options->requests;
    const StaticValidation result = validate_static(options->request);
    print(options->json ? json_text(static_validation_json(result)) : static_validation_text(result));
  });
}

void add_validate_serving(Command& validate) {
  struct Options {
    ValidateServingRequest request;
    std::string run, requests;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = validate.add_subcommand("serving", "a run of a real engine, request by request");
  command->add_option("--run", options->run, "how the engine was started (JSON)")->required();
  command->add_option("--requests", options->requests, "what happened to each request (CSV)")->required();
  command->add_option("--predictor", options->request.predictor, kPredictorDoc);
  options->request.host_changes = add_host_options(*command, "validate serving");
  add_json_option(*command, options->json);
  command->callback([options] {
    options->request.run = options->run;
    options->request.requests = options->requests;
    const ServingValidation result = validate_serving(options->request);
    print(options->json ? json_text(serving_validation_json(result)) : serving_validation_text(result));
  });
}

void add_validate_concurrency(Command& validate) {
  struct Options {
    ValidateConcurrencyRequest request;
    std::string truth;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Command* command = validate.add_subcommand("concurrency", "benchmarks at fixed concurrency");
  command->add_option("--truth", options->truth, "measured benchmarks")->required();
  command->add_option("--predictor", options->request.predictor, kPredictorDoc);
  options->request.host_changes = add_host_options(*command);
  command
      ->add_option("--max-cells", options->request.max_cells, "simulate only this many rows, evenly spread")
      ->not_negative();
  command
      ->add_option("--one-in", options->request.one_in,
                   "simulate only one row in so many, chosen by a hash of its contents")
      ->positive();
  command->add_option("--seed", options->request.seed, "of the lengths")->capture_default_str();
  command->add_option("--threads", options->request.threads, "0: as many as cores")->not_negative();
  add_json_option(*command, options->json);
  command->callback([options] {
    options->request.truth = options->truth;
    Progress progress("cells");
    options->request.on_progress = [&](std::int64_t done, std::int64_t total) { progress.at(done, total); };
    const ConcurrencyValidation result = validate_concurrency(options->request);
    print(options->json ? json_text(concurrency_validation_json(result))
                        : concurrency_validation_text(result));
  });
}

}  // namespace

void add_validate_serving_runs(Command& validate) {
  add_validate_static(validate);
  add_validate_serving(validate);
  add_validate_concurrency(validate);
}

}  // namespace warploom
