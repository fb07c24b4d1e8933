#include "warploom/web/served_requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/answers/answer.h"
#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

// Requests nest five levels; recursion over a body must not reach the end of a thread's stack.
constexpr int kMostBodyDepth = 64;

void check_depth(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '{' || c == '[')) {
      if (++depth > kMostBodyDepth)
        throw InvalidInput(fmt::format("body: nested deeper than {} levels, expected the fields of a request",
                                       kMostBodyDepth));
    } else if (!quoted && (c == '}' || c == ']')) {
      --depth;
    }
  }
}

}  // namespace

std::vector<std::string> served_requests() {
  std::vector<std::string> served = answered_requests();
  std::erase_if(served,
                [](const std::string& name) { return answer_reach(name).access != AnswerAccess::Clients; });
  return served;
}

const AnswerReach& served_reach(std::string_view request) {
  const std::vector<std::string> known = answered_requests();
  if (std::find(known.begin(), known.end(), request) == known.end()) {
    const std::vector<std::string> served = served_requests();
    throw NotFound(fmt::format("request: '{}' is unknown{}; expected one of: {}", request,
                               did_you_mean(std::string(request), served), fmt::join(served, ", ")));
  }
  const AnswerReach& reach = answer_reach(request);
  if (reach.access != AnswerAccess::Clients)
    throw Unsupported(fmt::format(
        "request: '{}' writes files on this machine and is not answered here, expected the command line",
        request));
  return reach;
}

void check_requests(const Json& asked, std::int64_t most) {
  if (!asked.is_structured()) return;
  for (const auto& [key, value] : asked.items()) {
    if (key == "requests" && value.is_number() && value.get<double>() > double(most))
      throw InvalidInput(
          fmt::format("requests: {}, expected at most {} where clients ask", value.dump(), most));
    check_requests(value, most);
  }
}

Json parse_body(std::string_view text) {
  check_depth(text);
  return text.empty() ? Json::object() : parse_json(text, "body");
}

}  // namespace warploom
