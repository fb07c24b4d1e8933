#include "warploom/web/served_requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "warploom/answers/answer.h"
#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

// A file of plans may name stores.
constexpr std::array<std::string_view, 8> kWritingRequests{"import",          "train",     "train_ceilings",
                                                           "calibrate",       "plans",     "calibrate_host",
                                                           "convert_clients", "sweep_plan"};
constexpr std::array<std::string_view, 9> kShortRequests{"tune_show", "predict", "step",   "static", "gpus",
                                                         "gpu",       "models",  "schema", "support"};
constexpr std::array<std::string_view, 7> kWritingFields{"output", "store",   "write",  "record",
                                                         "python", "package", "profile"};
// Requests nest five levels; recursion over a body must not reach the end of a thread's stack.
constexpr int kMostBodyDepth = 64;

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

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

const std::vector<std::string>& served_requests() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> served = answered_requests();
    std::erase_if(served, [](const std::string& name) { return is_among(kWritingRequests, name); });
    return served;
  }();
  return names;
}

void check_served(std::string_view request) {
  const std::vector<std::string>& served = served_requests();
  if (std::find(served.begin(), served.end(), request) != served.end()) return;
  if (is_among(kWritingRequests, request))
    throw Unsupported(fmt::format(
        "request: '{}' writes files on this machine and is not answered here, expected the command line",
        request));
  throw NotFound(fmt::format("request: '{}' is unknown{}; expected one of: {}", request,
                             did_you_mean(std::string(request), served), fmt::join(served, ", ")));
}

bool is_short_request(std::string_view request) { return is_among(kShortRequests, request); }

void check_served_fields(std::string_view request, const Json& asked) {
  if (!asked.is_structured()) return;
  for (const auto& [key, value] : asked.items()) {
    if (key == "output" && value == "upload:new") continue;
    if (asked.is_object() && is_among(kWritingFields, key))
      throw Unsupported(fmt::format(
          "{}: '{}' writes files or starts programs on this machine and is not taken here, expected "
          "the command line",
          request, key));
    check_served_fields(request, value);
  }
}

Json parse_body(std::string_view text) {
  check_depth(text);
  return text.empty() ? Json::object() : parse_json(text, "body");
}

}  // namespace warploom
