#include "warploom/cli/html_option.h"

#include <nlohmann/json.hpp>

#include "warploom/base/file.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/web/html_report.h"

namespace warploom {

HtmlOption::HtmlOption(Command& command, std::string_view request)
    : request_(request), path_(std::make_shared<std::string>()), line_(command.line()) {
  const OptionGroup group(command, kOutputGroup);
  const auto keep = path_;
  command.add_option_function<std::string>(
      "--html", [keep](const std::string& path) { *keep = path; },
      "also writes a page with charts, one file");
}

void HtmlOption::write(const Json& asked, const Json& answer) const {
  if (!given()) return;
  write_file_atomically(*path_, html_report(request_, asked, answer, line_()));
}

HtmlOption HtmlOption::of(std::string_view request) const {
  HtmlOption other = *this;
  other.request_ = request;
  return other;
}

}  // namespace warploom
