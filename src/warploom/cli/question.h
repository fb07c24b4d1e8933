// What a command asks: fields in JSON, as C, Python and the page send them to answers/answer.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/answers/answer.h"
#include "warploom/base/json.h"

namespace warploom {

class Command;
class FieldRefusal;
class PlanCrew;

// The options that were given, by the field that each stands for: `place` is a pool's name, else empty.
class GivenNames {
 public:
  // `given`: options with the names of their fields.
  void add(const std::vector<std::pair<std::string, std::string>>& given, const std::string& place = {});
  // Empty where no option was given for the field.
  std::string option_of(std::string_view place, std::string_view field) const;

 private:
  struct Name {
    std::string place, field, option;
  };
  std::vector<Name> names_;
};

// How a command asks one request.
struct CommandQuestion {
  std::string request;                                      // its name, as answers/answer.h has it
  std::function<bool(const std::string& option)> has = {};  // Command::knows
  GivenNames names = {};
  std::string counted = {};     // what a line of progress counts: "requests"; empty: there is none
  bool stops = false;           // Ctrl-C ends it as it stands
  bool* interrupted = nullptr;  // set where it did; may be null
  PlanCrew* crew = nullptr;
  // Fields go through the text of their JSON, as those of C do; paths may then be no bytes but UTF-8.
  bool as_text = false;
};

// The refusal, of the option that was given for the field.
[[noreturn]] void throw_in_options(const FieldRefusal& refusal, const GivenNames& names);

// The answer's document; null in all processes of a crew but the first. Words on the way and progress go to
// standard error. Errors speak of the command's options.
Json ask(const CommandQuestion& question, const Json& asked, AnswerText* text = nullptr);

}  // namespace warploom
