#include "warploom/kernels/alike_requests.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <variant>

#include "warploom/base/error.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/operator_limits.h"

namespace warploom {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kGroupFields{
    {{"batch", "count"}, {"tokens", "query_tokens"}, {"context", "context_tokens"}}};

}  // namespace

std::vector<RequestGroup>* requests_of(Operator& op) {
  return std::visit(
      [](auto& held) -> std::vector<RequestGroup>* {
        if constexpr (requires { held.requests; })
          return &held.requests;
        else
          return nullptr;
      },
      op);
}

bool decodes(const Operator& op) { return family_value(op).decodes(op); }

FieldTable AlikeRequests::describe() {
  const auto count = [](std::string_view doc, double least) {
    return FieldOptions{.doc = doc, .min = least, .max = double(kLargestCount)};
  };
  return FieldList<AlikeRequests>("alike_requests")
      .add("batch", &AlikeRequests::batch, count("alike requests", 1))
      .add("tokens", &AlikeRequests::tokens, count("new tokens of each; one in a decode", 1))
      .add("context", &AlikeRequests::context, count("tokens that each has in the cache; default 0", 0))
      .table();
}

std::string_view group_field(std::string_view alike) {
  for (const auto& [name, field] : kGroupFields)
    if (name == alike) return field;
  return {};
}

std::optional<RequestGroup> alike_group(const Operator& op, const AlikeRequests& alike, bool listed,
                                        std::string_view where) {
  if (listed) {
    if (!alike.any()) return std::nullopt;
    throw InvalidInput(
        fmt::format("{}: `requests` says it all, expected no `batch`, `tokens` or `context` too", where));
  }
  if (!alike.any())
    throw InvalidInput(
        fmt::format("{}: `requests` is required, or `batch` with `tokens` or `context`", where));
  if (!alike.tokens && !decodes(op))
    throw InvalidInput(
        fmt::format("{}: `tokens` is missing, expected the new tokens of each request; `context` are those "
                    "it has in the cache",
                    where));
  check(alike, where);
  return RequestGroup{.count = alike.batch.value_or(1),
                      .query_tokens = alike.tokens.value_or(1),
                      .context_tokens = alike.context.value_or(0)};
}

}  // namespace warploom
