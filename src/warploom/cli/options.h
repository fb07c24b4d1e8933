// The options of a command as this module's sources see them. The library that parses command lines stands
// behind options.cpp, help.cpp, parse_failure.cpp, command_index.cpp, program.cpp and program_words.cpp
// alone: its header costs seconds to compile.
#pragma once

#include <functional>
#include <list>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warploom {

// One option of a command. Every function returns the option itself, so that calls can be chained.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option* required();
  // Help shows the variable's value as the default.
  Option* capture_default_str();
  Option* default_str(const std::string& text);
  // What help says that the option takes: FILE, INTEGER, ...
  Option* type_name(const std::string& name);
  // The heading in help; empty hides the option.
  Option* group(const std::string& heading);
  // A list may also be given as one word whose parts `separator` divides.
  Option* delimiter(char separator);
  Option* needs(Option* other);
  Option* excludes(Option* other);
  // Checks of numbers: above 0; 0 or more; within [least, most].
  Option* positive();
  Option* not_negative();
  Option* within(int least, int most);

 private:
  CLI::Option& option_;
};

// One command. It and its options are handles to build a program with: they may die once it is built.
class Command {
 public:
  // `sends_text`: what it and those below it ask goes through the text of its JSON (CommandQuestion).
  explicit Command(CLI::App& app, bool sends_text = false) : app_(app), sends_text_(sends_text) {}

  Command* add_subcommand(const std::string& name, const std::string& description);
  // So many sub-commands must be given.
  void require_subcommand(int count);
  // Whatever follows the command is another program's, --help too.
  void takes_all_words();
  // An option "--name", with other spellings after commas, or an argument "NAME", stored in `value`. T is
  // text, a number, an optional of these, or a list (options.cpp names the types). `value` outlives the
  // parsing.
  template <class T>
  Option* add_option(const std::string& names, T& value, const std::string& description = {});
  // T is std::string, a list of them, or std::int64_t.
  template <class T>
  Option* add_option_function(const std::string& names, const std::function<void(const T&)>& function,
                              const std::string& description);
  // A switch; "!--no-name" sets `value` to false.
  Option* add_flag(const std::string& names, bool& value, const std::string& description);
  Option* add_flag_callback(const std::string& names, const std::function<void()>& function,
                            const std::string& description);
  // An option that was added before.
  Option* get_option(const std::string& name);
  // What the command does once its options are read.
  void callback(const std::function<void()>& function);
  // Says, once the program runs, the whole command line for a shell.
  std::function<std::string()> line() const;
  // Whether the command has an option "--name" or an argument "NAME"; to be asked while the program lives.
  std::function<bool(const std::string& option)> knows() const;
  bool sends_text() const { return sends_text_; }
  // The heading of options that are added from now on; returns the one before.
  std::string set_default_group(const std::string& heading);

 private:
  Option* keep(CLI::Option* option) { return &options_.emplace_back(*option); }

  CLI::App& app_;
  bool sends_text_ = false;
  std::list<Option> options_;
  std::list<Command> commands_;
};

}  // namespace warploom
