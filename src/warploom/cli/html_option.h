// --html FILE: the answer as a page that can be passed on (web/html_report.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

class Command;

class HtmlOption {
 public:
  // Adds the option. `request`: the name of what the command asks, as answers/answer.h has it.
  HtmlOption(Command& command, std::string_view request);

  bool given() const { return !path_->empty(); }
  // Writes the page, whole or not at all, where the option was given. `asked`: the request's fields.
  void write(const Json& asked, const Json& answer) const;
  template <Described Request>
  void write_answer(const Request& request, const Json& answer) const {
    if (given()) write(write_fields(fields_of<Request>(), &request), answer);
  }
  // The same for another request of the command.
  HtmlOption of(std::string_view request) const;

 private:
  std::string request_;
  std::shared_ptr<std::string> path_;
  std::function<std::string()> line_;  // the command line that was run
};

}  // namespace warploom
