#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/judge/commands/validate_commands.h"
#include "warploom/judge/validate/validate_ceilings.h"
#include "warploom/judge/validate/validate_kernels.h"
#include "warploom/judge/validate/validate_leave_out.h"

namespace warploom {
namespace {

constexpr const char* kLeaveOut = "leave_out";

// What is left out asks another request, about the same rows and methods.
void write_leave_out(const FieldOptionValues& values, Json& asked) {
  Json given = Json::object();
  values.write(given);
  if (given.contains(kLeaveOut)) {
    for (const char* shared : {"source", "baselines"})
      if (asked.contains(shared)) given[shared] = asked[shared];
    asked = std::move(given);
    return;
  }
  if (given.contains("only_left_out"))
    throw InvalidInput("only_left_out: names what is left out, expected `leave_out` with it");
  if (given.contains("ablate"))
    throw InvalidInput("ablate: judges what was trained without something, expected `leave_out` with it");
}

void add_validate_kernels(Command& validate) {
  Command* command = validate.add_subcommand("kernels", "a predictor against measured kernels");
  RequestCommand kernels(*command, "validate_kernels");
  kernels.add_fields<ValidateKernelsRequest>();
  const auto leave_out =
      add_request_options<LeaveOutRequest>(*command, {.skipped = {"source", "seed", "baselines"}});
  kernels.write([leave_out](Json& asked, GivenNames&) { write_leave_out(*leave_out, asked); });
  kernels.named([](const Json& asked) {
    return std::string(asked.contains(kLeaveOut) ? "validate_leave_out" : "validate_kernels");
  });
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
  kernels.html().runs();
}

void add_validate_ceilings(Command& validate) {
  Command* command = validate.add_subcommand("ceilings", "performance ceilings on shapes not learned from");
  RequestCommand ceilings(*command, "validate_ceilings");
  ceilings.add_fields<ValidateCeilingsRequest>({.skipped = {"keep_impossible"}});
  command->get_option("--cross-fit")->excludes(command->get_option("--ceilings"));
  ceilings.html().runs();
}

}  // namespace

void add_validate_command(Command& app) {
  Command* validate = app.add_subcommand("validate", "predictions against measurements");
  validate->require_subcommand(1);
  add_validate_kernels(*validate);
  add_validate_serving_runs(*validate);
  add_validate_ceilings(*validate);
}

}  // namespace warploom
