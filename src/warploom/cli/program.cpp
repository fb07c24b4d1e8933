#include "warploom/cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <functional>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "warploom/app/predict/predictor_hash.h"
#include "warploom/base/file_system_words.h"
#include "warploom/base/judging.h"
#include "warploom/base/learning.h"
#include "warploom/base/write_failed.h"
#include "warploom/cli/build_commit.h"
#include "warploom/cli/command.h"
#include "warploom/cli/command_curve.h"
#include "warploom/cli/completion.h"
#include "warploom/cli/examples.h"
#include "warploom/cli/flag_names.h"
#include "warploom/cli/habits.h"
#include "warploom/cli/help.h"
#include "warploom/cli/interrupt_watch.h"
#include "warploom/cli/man_page.h"
#include "warploom/cli/options.h"
#include "warploom/cli/parse_failure.h"
#include "warploom/cli/program_words.h"
#include "warploom/cli/question.h"
#include "warploom/cli/text_width.h"

namespace warploom {
namespace {

// Text of a broken file may stand in a message: it must not span lines or reach the terminal's controls.
int report_failure(std::string_view what, int status) {
  std::string line = fmt::format("warploom: {}", what);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; },
      ' ');
  print_note(line);
  return status;
}

// What --help and --version print; a device that takes no more is a failure here too.
int print_help(const CLI::App& app, const CLI::Success& asked) {
  std::ostringstream text;
  const int status = app.exit(asked, text, text);
  try {
    print(fitted_text(text.str(), text_width()));
  } catch (const WriteFailed& error) {
    return report_failure(error.what(), 1);
  }
  return status;
}

// What adds commands under a heading, and the words that they are called by.
struct CommandAdder {
  std::string_view heading;
  std::vector<std::string_view> names;
  std::function<void(Command&)> add;
};

std::vector<CommandAdder> command_adders(const std::string& version, PlanCrew* crew) {
  constexpr std::string_view kAsk = "Predict and simulate", kLook = "Look and ask", kKnown = "What is known",
                             kTune = "Find what to tune", kLearn = "Measure, learn and judge",
                             kMaintain = "For maintainers";
  return {
      {kAsk, {"predict"}, add_predict_command},
      {kAsk, {"step"}, add_step_command},
      {kAsk, {"static"}, add_static_command},
      {kAsk, {"simulate"}, add_simulate_command},
      {kAsk, {"curve"}, add_curve_command},
      {kAsk, {"forecast"}, add_forecast_command},
      {kAsk, {"plan"}, [crew](Command& program) { add_plan_command(program, crew); }},
      {kAsk, {"plans"}, [crew](Command& program) { add_plans_command(program, crew); }},
      {kLook, {"web"}, [&version](Command& program) { add_web_command(program, version); }},
      {kLook, {"mock"}, [&version](Command& program) { add_mock_command(program, version); }},
      {kKnown, {"gpus", "gpu"}, add_gpu_commands},
      {kKnown, {"models"}, add_models_command},
      {kKnown, {"prices"}, add_prices_command},
      {kKnown, {"support"}, add_support_command},
      {kKnown, {"schema"}, add_schema_command},
      {kTune, {"diagnose"}, add_diagnose_command},
      {kTune, {"tune"}, add_tune_command},
      {kTune, {"moe-config"}, add_moe_config_command},
      {kTune, {"tuned-files"}, add_tuned_files_command},
      {kLearn, {"sweep-plan"}, add_sweep_plan_command},
      {kLearn, {"calibrate"}, add_calibrate_command},
      {kLearn, {"calibrate-host"}, add_calibrate_host_command},
      {kLearn, {"calibrate-machine"}, add_calibrate_machine_command},
      {kLearn, {"import"}, add_import_command},
      {kLearn, {"convert-clients"}, add_convert_clients_command},
      {kLearn, {"train"}, add_train_command},
      {kLearn, {"validate"}, add_validate_command},
      {kMaintain, {"train-ceilings"}, add_train_ceilings_command},
      {kMaintain, {"train-moe-configs"}, add_train_moe_configs_command},
  };
}

// All commands, or those that are added with the one named `only` where there is such a one: to fill the
// options of all takes longer than many an answer.
void add_commands(CLI::App& app, std::vector<CommandAdder> adders, Sent sent, std::string_view only) {
  const auto asked = [&](const CommandAdder& adder) {
    return std::find(adder.names.begin(), adder.names.end(), only) != adder.names.end();
  };
  if (const auto one = std::find_if(adders.begin(), adders.end(), asked); one != adders.end())
    adders = {CommandAdder(*one)};
  Command program(app, sent == Sent::AsText);
  for (const CommandAdder& adder : adders) {
    adder.add(program);
    for (const std::string_view name : adder.names)
      app.get_subcommand(std::string(name))->group(std::string(adder.heading));
  }
}

// Gives `command`, whose words are `path`, and those below it their examples.
void show_examples(CLI::App& command, const std::string& path) {
  add_examples(command, examples_of(path));
  for (CLI::App* sub : command.get_subcommands([](CLI::App*) { return true; }))
    show_examples(*sub, path + (path.empty() ? "" : " ") + sub->get_name());
}

// The commands of the line, as "predict gemm".
std::string commands_of(const std::vector<std::string>& arguments) {
  std::string names;
  for (std::size_t i = 0; i < arguments.size() && i < 2 && !arguments[i].starts_with('-'); ++i)
    names += (names.empty() ? "" : " ") + arguments[i];
  return names;
}

// "help predict gemm" asks for the help of that command, "version" for that of the program.
std::vector<std::string> asked_in_words(std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "version") arguments.front() = "--version";
  if (arguments.size() < 2 || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

// What is asked of the program itself and of no command: its version as a document, completion for a shell,
// its manual page.
std::optional<int> answer_about_itself(const CLI::App& app, const std::vector<std::string>& arguments,
                                       const std::string& version) {
  const auto has = [&](std::string_view word) {
    return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
  };
  if (arguments.size() == 2 && has("--json") && (has("--version") || has("-V"))) {
    const std::string_view commit = build_commit();
    print(json_text({{"version", version},
                     {"commit", commit.empty() ? Json(nullptr) : Json(commit)},
                     {"predictor", predictor_hash_text("")}}));
    return 0;
  }
  const bool manual = arguments == std::vector<std::string>{"man"};
  if (!manual && (arguments.empty() || arguments.front() != "completion")) return std::nullopt;
  try {
    print(manual ? man_page(app, version) : completion_script(app, arguments.size() > 1 ? arguments[1] : ""));
    return 0;
  } catch (const WriteFailed& error) {
    return report_failure(error.what(), 1);
  } catch (const Error& error) {
    return report_failure(error.what(), 2);
  }
}

}  // namespace

std::unique_ptr<CLI::App> make_program(const std::string& version, PlanCrew* crew, Sent sent,
                                       std::string_view only) {
  auto app = make_application("Predicts GPU kernels, and LLM serving from them.", "warploom");
  use_help_form(*app);
  app->set_version_flag("-V,--version", version, "the program's version");
  app->set_help_flag("-h,--help", "this text; each command has its own");
  app->require_subcommand(1);
  add_commands(*app, command_adders(version, crew), sent, only);
  show_examples(*app, "");
  return app;
}

int run_program(const std::vector<std::string>& arguments, const std::string& version, PlanCrew* crew,
                Sent sent) {
  // A newcomer's first words ask for help; several values in one option, for a curve.
  std::vector<std::string> asked = as_curve(asked_in_words(arguments));
  const auto app = make_program(version, crew, sent, asked.empty() ? "" : asked.front());
  // Help on what is no command: that word alone, which is then refused by name.
  const auto is_asked = [&asked](const CLI::App* command) { return command->check_name(asked.front()); };
  if (asked.size() > 1 && arguments.front() == "help" && !asked.front().starts_with('-') &&
      asked.front() != "completion" && asked.front() != "man" && asked.front() != "help" &&
      asked.front() != "version" && app->get_subcommands(is_asked).empty())
    asked.pop_back();
  keep_words(*app, arguments);
  const bool of_version = !asked.empty() && asked.front() == "--version";
  if (const auto status = answer_about_itself(*app, of_version ? asked : arguments, version)) return *status;
  std::string notes;
  // The first words of a newcomer.
  const bool asks = arguments.empty() || arguments == std::vector<std::string>{"help"};
  try {
    if (asks) {
      print(fitted_text(app->help(), text_width()));
      return 0;
    }
    const std::vector<std::string> words = in_own_options(*app, asked, notes);
    if (!notes.empty()) print_note(notes);
    with_file_system_words([&] { app->parse(std::vector<std::string>(words.rbegin(), words.rend())); });
  } catch (const CLI::Success& done) {
    return print_help(*app, done);
  } catch (const CLI::ParseError& error) {
    return report_failure(parse_failure_text(*app, error), 2);
  } catch (const InterruptedRun&) {
    return kStatusOfInterrupt;
  } catch (const LearningElsewhere&) {
    throw;
  } catch (const JudgingElsewhere&) {
    throw;
  } catch (const WriteFailed& error) {
    return report_failure(error.what(), 1);
  } catch (const Error& error) {
    const CLI::App& command = innermost_command(*app);
    const auto has = [&](const std::string& option) {
      return command.get_option_no_throw(option) != nullptr;
    };
    const auto given = [&](const std::string& option) {
      return has(option) && command.get_option_no_throw(option)->count() > 0;
    };
    return report_failure(as_typed(in_flags(error.what(), has, given), asked), 2);
  } catch (const std::bad_alloc&) {
    return report_failure(fmt::format("{}: not enough memory for sizes this large", commands_of(arguments)),
                          1);
  } catch (const std::length_error& error) {
    return report_failure(
        fmt::format("{}: a size beyond all memory ({})", commands_of(arguments), error.what()), 1);
  } catch (const std::exception& error) {
    return report_failure(error.what(), 1);
  }
  return 0;
}

}  // namespace warploom
