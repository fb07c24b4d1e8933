// One answer as one self-contained page: web/dist/report.html with the document in it.
#pragma once

#include <string>
#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

struct HtmlReport {
  std::string_view request;  // its name, as answers/answer.h has it
  Json asked;                // its fields; null where they are not known
  Json answer;               // the document
  std::string command;       // the line that was run
};

// Throws Unsupported where the build has no page.
std::string html_report(const HtmlReport& report);

}  // namespace warploom
