#include "warploom/web/html_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warploom {
namespace {

TEST(HtmlReport, HoldsTheDocumentAndNoMoreElements) {
  const Json asked{{"m", 4}}, answer{{"name", "</script><script>alert(1)</script>"}};
  const std::string page = html_report("predict", asked, answer, "warploom predict '<b>'");
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find("alert(1)"), std::string::npos);
  const std::string begin = R"(id="warploom-report">)";
  const std::size_t at = page.find(begin);
  if (at == std::string::npos) return;  // a build without a page: the document stands there as text
  const std::string text = page.substr(at + begin.size(), page.find("</script>", at) - at - begin.size());
  const Json read = Json::parse(text);
  EXPECT_EQ(read["answer"], answer);
  EXPECT_EQ(read["command"], "warploom predict '<b>'");
  EXPECT_EQ(read["asked"], asked);
  EXPECT_EQ(read["request"], "predict");
}

}  // namespace
}  // namespace warploom
