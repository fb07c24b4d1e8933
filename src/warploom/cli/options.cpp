#include "warploom/cli/options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "warploom/cli/program_words.h"

namespace warploom {

Option* Option::required() {
  option_.required();
  return this;
}

Option* Option::capture_default_str() {
  option_.capture_default_str();
  return this;
}

Option* Option::default_str(const std::string& text) {
  option_.default_str(text);
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_.type_name(name);
  return this;
}

Option* Option::group(const std::string& heading) {
  option_.group(heading);
  return this;
}

Option* Option::delimiter(char separator) {
  option_.delimiter(separator);
  return this;
}

Option* Option::needs(Option* other) {
  option_.needs(&other->option_);
  return this;
}

Option* Option::excludes(Option* other) {
  option_.excludes(&other->option_);
  return this;
}

Option* Option::positive() {
  option_.check(CLI::PositiveNumber);
  return this;
}

Option* Option::not_negative() {
  option_.check(CLI::NonNegativeNumber);
  return this;
}

Option* Option::within(int least, int most) {
  option_.check(CLI::Range(least, most));
  return this;
}

Command* Command::add_subcommand(const std::string& name, const std::string& description) {
  return &commands_.emplace_back(*app_.add_subcommand(name, description), sends_text_);
}

void Command::takes_all_words() {
  app_.prefix_command();
  app_.set_help_flag();
}

void Command::require_subcommand(int count) { app_.require_subcommand(count); }

template <class T>
Option* Command::add_option(const std::string& names, T& value, const std::string& description) {
  return keep(app_.add_option(names, value, description));
}

template <class T>
Option* Command::add_option_function(const std::string& names, const std::function<void(const T&)>& function,
                                     const std::string& description) {
  return keep(app_.add_option_function<T>(names, function, description));
}

Option* Command::add_flag(const std::string& names, bool& value, const std::string& description) {
  return keep(app_.add_flag(names, value, description));
}

Option* Command::add_flag_callback(const std::string& names, const std::function<void()>& function,
                                   const std::string& description) {
  return keep(app_.add_flag_callback(names, function, description));
}

Option* Command::get_option(const std::string& name) { return keep(app_.get_option(name)); }

void Command::callback(const std::function<void()>& function) { app_.callback(function); }

std::function<std::string()> Command::line() const {
  return [app = &app_] { return line_of(*app); };
}

std::function<bool(const std::string&)> Command::knows() const {
  return [app = &app_](const std::string& option) { return app->get_option_no_throw(option) != nullptr; };
}

std::string Command::set_default_group(const std::string& heading) {
  std::string before = app_.option_defaults()->get_group();
  app_.option_defaults()->group(heading);
  return before;
}

// The types of values that options may have; a new one needs a line here.
#define WARPLOOM_OPTION_OF(...) \
  template Option* Command::add_option(const std::string&, __VA_ARGS__&, const std::string&)
WARPLOOM_OPTION_OF(std::string);
WARPLOOM_OPTION_OF(int);
WARPLOOM_OPTION_OF(unsigned);
WARPLOOM_OPTION_OF(std::int64_t);
WARPLOOM_OPTION_OF(std::uint64_t);
WARPLOOM_OPTION_OF(double);
WARPLOOM_OPTION_OF(std::optional<std::int64_t>);
WARPLOOM_OPTION_OF(std::optional<std::size_t>);
WARPLOOM_OPTION_OF(std::optional<double>);
WARPLOOM_OPTION_OF(std::vector<std::string>);
WARPLOOM_OPTION_OF(std::vector<int>);
WARPLOOM_OPTION_OF(std::vector<std::int64_t>);
#undef WARPLOOM_OPTION_OF

template Option* Command::add_option_function<std::string>(const std::string&,
                                                           const std::function<void(const std::string&)>&,
                                                           const std::string&);
template Option* Command::add_option_function<std::vector<std::string>>(
    const std::string&, const std::function<void(const std::vector<std::string>&)>&, const std::string&);
template Option* Command::add_option_function<std::int64_t>(const std::string&,
                                                            const std::function<void(const std::int64_t&)>&,
                                                            const std::string&);

}  // namespace warploom
