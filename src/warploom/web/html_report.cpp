#include "warploom/web/html_report.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/web/page_files.h"

namespace warploom {
namespace {

constexpr std::string_view kReportMark =
    R"(<script type="application/json" id="warploom-report">null</script>)";
constexpr std::string_view kReportBegin = R"(<script type="application/json" id="warploom-report">)";

// No text of the document can end the element that holds it.
std::string escaped_json(const Json& document) {
  const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

}  // namespace

std::string html_report(const HtmlReport& report) {
  const std::optional<std::string> page = page_text("report.html");
  const std::size_t at = page ? page->find(kReportMark) : std::string::npos;
  if (at == std::string::npos)
    throw Unsupported("html: this build has no page for reports (web/dist/report.html was missing)");
  const Json document{{"request", report.request},
                      {"asked", report.asked},
                      {"answer", report.answer},
                      {"command", report.command}};
  return page->substr(0, at) + std::string(kReportBegin) + escaped_json(document) + "</script>" +
         page->substr(at + kReportMark.size());
}

}  // namespace warploom
