// What --help shows: examples first, then options under headings, with what each takes and its default.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace warploom {

class Command;

// Headings of options, in the order in which help shows them. What no one names stands under the last.
inline constexpr std::string_view kOperatorGroup = "Operator";
inline constexpr std::string_view kModelGroup = "Model and GPU";
inline constexpr std::string_view kParallelGroup = "Parallelism";
inline constexpr std::string_view kPoolGroup =
    "Prefill and decode apart (--prefill-... and --decode-... stand before most options of the engine)";
inline constexpr std::string_view kFleetGroup = "Scaling and failures";
inline constexpr std::string_view kEngineGroup = "Engine";
inline constexpr std::string_view kSpeculationGroup = "Engine: speculative decoding";
inline constexpr std::string_view kMemoryGroup = "Engine: KV cache beyond the GPU, adapters";
inline constexpr std::string_view kOwnNamesGroup = "Engine: by each engine's own names";
inline constexpr std::string_view kHostGroup = "Host";
inline constexpr std::string_view kWorkloadGroup = "Workload";
inline constexpr std::string_view kSpaceGroup = "What may be chosen";
inline constexpr std::string_view kServerGroup = "Server";
inline constexpr std::string_view kOutputGroup = "Output";
inline constexpr std::string_view kGeneralGroup = "Options";

// The help of `app` and of every command added to it later has this form.
void use_help_form(CLI::App& app);

// Three lines that a newcomer can paste, shown above the options.
void add_examples(CLI::App& command, const std::vector<std::string>& lines);

// Options added to the command while one lives stand under `group`.
class OptionGroup {
 public:
  OptionGroup(Command& command, std::string_view group);
  ~OptionGroup();
  OptionGroup(const OptionGroup&) = delete;
  OptionGroup& operator=(const OptionGroup&) = delete;

 private:
  Command& command_;
  std::string previous_;
};

// What help says of a command, for who shows it in another form (man_page.h).
struct OptionWords {
  std::string names, value, text;  // "-h, --help"; "" for a switch; with the default
};
struct HelpGroup {
  std::string heading;  // "": what has no dashes
  std::vector<OptionWords> options;
};
std::vector<HelpGroup> help_groups(const CLI::App& command);
// "warploom tune pick --table FILE [options]"
std::string usage_of(const CLI::App& command, const std::string& name);

// What the value of an option of text is: FILE, FOLDER, JSON, ... "NAME" where nothing more is known.
std::string value_name(std::string_view option);

}  // namespace warploom
