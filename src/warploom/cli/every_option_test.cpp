// Every option of every command changes an answer, or is refused with the reason. The options come from the
// commands themselves; what they need to show themselves stands in tests/fixtures/options/cases.txt. What
// they ask goes through the text of its JSON, as C, Python and the page send it: each line has the same
// answer or the same refusal there.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "warploom/base/file.h"
#include "warploom/base/json.h"
#include "warploom/base/learning.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/cli/option_cases_test.h"
#include "warploom/cli/program.h"

namespace warploom {
namespace {

// What a refusal of an option that works nowhere must say.
constexpr std::string_view kRefusal = "is not modelled";
// Options that say how an answer is shown, and nothing of it; a browser is opened on a terminal alone.
constexpr std::array<std::string_view, 4> kShown{"--help", "--json", "--version", "--no-browser"};
// Keys of answers that only repeat the question.
constexpr std::array<std::string_view, 11> kRepeated{"engine",
                                                     "workload",
                                                     "request_rate",
                                                     "max_concurrency",
                                                     "layer",
                                                     "protocol",
                                                     "expert_routing",
                                                     "measured_at",
                                                     "frontend_latency_ms",
                                                     "frontend_per_token_us",
                                                     "kv_transfer_handshake_ms"};
// Keys, at any depth, of times that differ from run to run.
constexpr std::array<std::string_view, 7> kTimed{"seconds",        "fit_seconds",         "training_s",
                                                 "training_cpu_s", "training_peak_bytes", "fit_peak_bytes",
                                                 "answer_us"};

std::string text_of(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += " " + word;
  return text;
}

struct OptionAnswer {
  int status = 0;
  std::string said;     // on standard error
  std::string content;  // standard output and every file written
};

void erase_times(Json& value) {
  if (value.is_object())
    for (const std::string_view key : kTimed) value.erase(std::string(key));
  if (value.is_structured())
    for (Json& part : value) erase_times(part);
}

std::string without_repetition(const std::string& output) {
  Json document = Json::parse(output, nullptr, false);
  if (!document.is_object()) return output;
  for (const std::string_view key : kRepeated) document.erase(std::string(key));
  erase_times(document);
  return document.dump();
}

// Runs one command line; "@out" in it is a fresh folder whose files are part of the answer.
OptionAnswer run_words(Words words) {
  const ScratchFolder out;
  for (std::string& word : words) {
    word = with_inputs(word);
    if (const std::size_t at = word.find("@out"); at != std::string::npos)
      word.replace(at, 4, out.path().string());
  }
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  OptionAnswer answer;
  answer.status = run_program(words, "test", nullptr, Sent::AsText);
  answer.said = testing::internal::GetCapturedStderr();
  answer.content = without_repetition(testing::internal::GetCapturedStdout());
  // A plan that finds nothing has answered: its document says why. Its status is for scripts.
  const bool nothing_found = answer.said.find("no deployment that meets the limits") != std::string::npos;
  if (answer.status == 1 && nothing_found && !answer.content.empty()) answer.status = 0;
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out.path()))
    if (entry.is_regular_file())
      files[std::filesystem::relative(entry.path(), out.path()).string()] = read_file(entry.path());
  for (const auto& [name, content] : files)
    answer.content.append("\n").append(name).append("\n").append(content);
  const std::string folder = out.path().string();
  for (std::size_t at = 0; (at = answer.content.find(folder, at)) != std::string::npos;)
    answer.content.erase(at, folder.size());
  return answer;
}

// Base lines are run once.
const OptionAnswer& base_answer(const Words& words) {
  static std::map<Words, OptionAnswer> known;
  const auto found = known.find(words);
  return found != known.end() ? found->second : known.emplace(words, run_words(words)).first->second;
}

struct CaseCommand {
  std::string name;  // "validate kernels"
  const CLI::App* app;
};

void list_commands(const CLI::App& app, const std::string& name, std::vector<CaseCommand>& list) {
  const auto subs = app.get_subcommands([](const CLI::App*) { return true; });
  if (subs.empty()) list.push_back({name, &app});
  for (const CLI::App* sub : subs)
    list_commands(*sub, name + (name.empty() ? "" : " ") + sub->get_name(), list);
}

const std::vector<CaseCommand>& all_commands() {
  static const auto program = make_program("test");
  static const std::vector<CaseCommand> commands = [] {
    std::vector<CaseCommand> list;
    list_commands(*program, "", list);
    return list;
  }();
  return commands;
}

std::string name_of_option(const CLI::Option& option) {
  return option.get_positional() ? option.get_name(true) : "--" + option.get_lnames().front();
}

bool is_switch(const CLI::Option& option) { return option.get_expected_max() == 0; }

// The switch that takes this one back; null where there is none.
const CLI::Option* opposite(const CLI::App& app, const CLI::Option& option) {
  const std::string name = name_of_option(option);
  return is_switch(option) ? app.get_option_no_throw("--no-" + name.substr(2)) : nullptr;
}

Words without(Words words, const std::string& name, bool valued) {
  const auto at = std::find(words.begin(), words.end(), name);
  if (at != words.end()) words.erase(at, at + (valued ? 2 : 1));
  return words;
}

// One try: the base line, and the line with the option.
struct Trial {
  Words base, changed;
  std::string limit, note;
};

class OptionWalk {
 public:
  OptionWalk(const CaseCommand& command, const CLI::Option& option, const OptionCases& cases)
      : command_(command), option_(option), cases_(cases), name_(name_of_option(option)) {}

  // Empty when the option is shown to work or is refused as it should be; else what happened instead.
  std::string fault() {
    std::string seen;
    const std::vector<Trial> trials = all_trials();
    for (const Trial& trial : trials) {
      const OptionAnswer& base = base_answer(trial.base);
      if (base.status == 2 && (is_refused(base, trial.base.back()) || limits_pair(base, trial))) return "";
      if (base.status != 0) {
        seen += "\n the base line" + text_of(trial.base) + ": " + base.said;
        continue;
      }
      const OptionAnswer changed = run_words(trial.changed);
      if (settles(base, changed, trial)) return "";
      seen += "\n ~" + text_of(trial.changed) + (changed.status == 0 ? ": no change" : ": " + changed.said);
    }
    return trials.empty() ? "no value is known for it, see tests/fixtures/options"
                          : "changes nothing:" + seen;
  }

 private:
  bool settles(const OptionAnswer& base, const OptionAnswer& changed, const Trial& trial) const {
    if (name_ == "--threads") return changed.status == 0 && changed.content == base.content;
    if (!trial.note.empty()) return changed.status == 0 && changed.said.find(trial.note) != std::string::npos;
    if (changed.status == 0) return changed.content != base.content;
    if (changed.status != 2) return false;
    if (!trial.limit.empty()) return changed.said.find(trial.limit) != std::string::npos;
    return is_refused(changed, name_);
  }

  // Whether the answer says that the option works nowhere here. Of a pair of switches either may be refused.
  static bool is_refused(const OptionAnswer& answer, const std::string& name) {
    const auto says = [&](const std::string& text) { return answer.said.find(text) != std::string::npos; };
    return name.starts_with("--") && (says(name) || says(underscored(name))) && says(std::string(kRefusal));
  }

  // Whether the other switch of a pair, which the base line has, meets the limit that the case names.
  static bool limits_pair(const OptionAnswer& base, const Trial& trial) {
    return !trial.limit.empty() && trial.base.back().starts_with("--no-") &&
           base.said.find(trial.limit) != std::string::npos;
  }

  // "--moe-backend" -> "moe_backend", as configurations spell it.
  static std::string underscored(const std::string& name) {
    std::string text = name.substr(2);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
  }

  std::vector<Trial> all_trials() const {
    std::vector<Trial> trials;
    for (const OptionCase& each : cases_.cases) {
      if (each.option != name_ || !covers(each.commands, command_.name)) continue;
      const std::size_t before = trials.size();
      if (each.line != Words{"*"}) add(each.line, each.value, trials);
      for (const BaseLine& base : cases_.bases)
        if (each.line == Words{"*"} && base.options.empty() && covers(base.commands, command_.name))
          add(base.line, each.value, trials);
      for (std::size_t i = before; i < trials.size(); ++i) {
        trials[i].limit = each.limit;
        trials[i].note = each.note;
      }
    }
    if (!trials.empty()) return trials;
    for (const bool own : {true, false}) {
      for (const BaseLine& base : cases_.bases)
        if (own != base.options.empty() && covers(base.commands, command_.name) &&
            name_.starts_with(base.options))
          add_values(base.line, trials);
      if (!trials.empty()) break;
    }
    return trials;
  }

  void add_values(const Words& base, std::vector<Trial>& trials) const {
    if (is_switch(option_)) return add(base, "", trials);
    for (const OptionValue& known : cases_.values)
      if (ends_alike(known.option)) return add(base, known.value, trials);
    const std::string type = option_.get_type_name().substr(0, option_.get_type_name().find(':'));
    const bool whole = type == "INT" || type == "UINT" || type == "INTEGER";
    if (!whole && type != "FLOAT" && type != "NUMBER") return;
    for (const char* value : {"2", "3", "64", "1000"}) add(base, value, trials);
  }

  // --prefill-block-size takes the value of --block-size.
  bool ends_alike(std::string_view known) const {
    if (name_ == known) return true;
    for (const std::string_view pool : {"--prefill-", "--decode-"})
      if (name_.starts_with(pool) && "--" + name_.substr(pool.size()) == known) return true;
    return false;
  }

  void add(const Words& base, const std::string& value, std::vector<Trial>& trials) const {
    Words line = words_of(command_.name);
    if (command_.app->get_option_no_throw("--json") != nullptr) line.push_back("--json");
    if (option_.get_positional()) {  // "ONE|OTHER", each with the arguments beside it
      const std::size_t bar = value.find('|');
      Trial trial{line, line, "", ""};
      const Words one = words_of(value.substr(0, bar)), other = words_of(value.substr(bar + 1));
      trial.base.insert(trial.base.end(), one.begin(), one.end());
      trial.changed.insert(trial.changed.end(), other.begin(), other.end());
      for (Words* words : {&trial.base, &trial.changed})
        words->insert(words->end(), base.begin(), base.end());
      trials.push_back(trial);
      return;
    }
    line.insert(line.end(), base.begin(), base.end());
    Words changed = without(line, name_, !is_switch(option_));
    changed.push_back(name_);
    if (!is_switch(option_)) changed.push_back(value);
    if (const CLI::Option* other = opposite(*command_.app, option_)) {
      line = without(without(line, name_, false), name_of_option(*other), false);
      line.push_back(name_of_option(*other));
      changed = without(changed, name_of_option(*other), false);
    }
    trials.push_back({line, changed, "", ""});
  }

  const CaseCommand& command_;
  const CLI::Option& option_;
  const OptionCases& cases_;
  std::string name_;
};

// `mock` and `curve` say what serves by the options of `simulate`, from the same sources. The answer of
// `mock` is a server; `curve` makes its points as `simulate` answers them.
bool is_of_simulate(const std::string& command, const std::string& option) {
  if (command != "mock" && command != "curve") return false;
  const auto simulate = std::find_if(all_commands().begin(), all_commands().end(),
                                     [](const CaseCommand& each) { return each.name == "simulate"; });
  return simulate->app->get_option_no_throw(option) != nullptr;
}

class EveryOption : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryOption, ChangesAnAnswerOrIsRefused) {
  static const OptionCases cases = read_option_cases();
  const CaseCommand& command = all_commands()[GetParam()];
  if (covers(cases.learning, command.name) && !learning_available()) GTEST_SKIP() << "no training library";
  for (const CLI::Option* option : command.app->get_options()) {
    const std::string name = name_of_option(*option);
    const bool taken_back = name.starts_with("--no-") && !option->get_positional() &&
                            command.app->get_option_no_throw("--" + name.substr(5)) != nullptr;
    if (is_of_simulate(command.name, name)) continue;
    if (taken_back || std::find(kShown.begin(), kShown.end(), name) != kShown.end()) continue;
    const std::string fault = OptionWalk(command, *option, cases).fault();
    EXPECT_EQ(fault, "") << command.name << " " << name;
  }
}

// Commands whose names begin so are walked in a process of their own, so that ctest runs them side by side.
const std::map<std::string, Words>& groups() {
  static const std::map<std::string, Words> groups{
      {"predict", {"predict"}},
      {"step", {"step", "static", "diagnose"}},
      {"simulate", {"simulate"}},
      {"tune", {"tune", "moe-config", "tuned-files", "train-moe-configs"}},
      {"validate", {"validate"}}};
  return groups;
}

std::string group_of(const std::string& command) {
  for (const auto& [group, beginnings] : groups())
    for (const std::string& beginning : beginnings)
      if (command == beginning || command.starts_with(beginning + " ")) return group;
  return "";
}

// The commands of the group; "" has the commands of no other group.
auto commands_in(const std::string& group) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < all_commands().size(); ++i)
    if (group_of(all_commands()[i].name) == group) numbers.push_back(i);
  return testing::ValuesIn(numbers);
}

std::string name_of_test(const testing::TestParamInfo<std::size_t>& at) {
  std::string name = all_commands()[at.param].name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(OfPredict, EveryOption, commands_in("predict"), name_of_test);
INSTANTIATE_TEST_SUITE_P(OfStep, EveryOption, commands_in("step"), name_of_test);
INSTANTIATE_TEST_SUITE_P(OfSimulate, EveryOption, commands_in("simulate"), name_of_test);
INSTANTIATE_TEST_SUITE_P(OfTune, EveryOption, commands_in("tune"), name_of_test);
INSTANTIATE_TEST_SUITE_P(OfValidate, EveryOption, commands_in("validate"), name_of_test);
INSTANTIATE_TEST_SUITE_P(OfOthers, EveryOption, commands_in(""), name_of_test);

}  // namespace
}  // namespace warploom
