#include "warploom/kernels/operator_checker.h"

#include <fmt/format.h>

#include <string>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// As 1e12.
std::string short_text(double value) {
  std::string text = fmt::format("{:.5g}", value);
  std::erase(text, '+');
  return text;
}

}  // namespace

void OperatorChecker::fail(std::string_view name, std::int64_t value, std::int64_t least,
                           std::int64_t most) const {
  throw InvalidInput(fmt::format("{}: {}: '{}' is {}, expected {} to {}", where_, family_, name, value, least,
                                 short_text(double(most))));
}

void OperatorChecker::fail(std::string_view names, double value, double most, std::string_view unit) const {
  throw InvalidInput(fmt::format("{}: {}: '{}' is {} {}, expected at most {}", where_, family_, names,
                                 short_text(value), unit, short_text(most)));
}

void OperatorChecker::fail(std::string_view rule) const {
  throw InvalidInput(fmt::format("{}: {}: {}", where_, family_, rule));
}

void OperatorChecker::fail_heads(std::int64_t heads, std::int64_t kv_heads) const {
  throw InvalidInput(fmt::format("{}: {}: 'heads' is {}, expected a multiple of 'kv_heads' = {}", where_,
                                 family_, heads, kv_heads));
}

}  // namespace warploom
