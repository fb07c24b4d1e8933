#include "warploom/web/html_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/report/markup_text.h"
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

std::string plain_report(std::string_view request, const Json& answer, std::string_view command) {
  return fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><title>Warploom: {0}</title><h1>{0}</h1><p>This build has no "
      "page for charts (web/dist was missing).</p><pre>{1}\n\n{2}</pre>\n",
      markup_text(request), markup_text(command), markup_text(json_text(answer)));
}

}  // namespace

std::string html_report(std::string_view request, const Json& asked, const Json& answer,
                        std::string_view command) {
  const std::optional<std::string> page = page_text("report.html");
  if (!page) return plain_report(request, answer, command);
  const std::size_t at = page->find(kReportMark);
  WARPLOOM_ASSERT(at != std::string::npos);  // a test of web/ holds it
  const Json document{{"request", request}, {"asked", asked}, {"answer", answer}, {"command", command}};
  return page->substr(0, at) + std::string(kReportBegin) + escaped_json(document) + "</script>" +
         page->substr(at + kReportMark.size());
}

}  // namespace warploom
