#include "warploom/cli/operator_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

namespace warploom {
namespace {

std::int64_t token_count(std::string_view text, std::string_view whole, std::string_view where) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw InvalidInput(fmt::format(
        "{}: '{}' is not a request group, expected COUNTxQUERY[+CONTEXT], for example 4x1024 or 32x1+2047",
        where, whole));
  }
  return value;
}

template <class T>
concept HasRequests = requires(T op) {
  op.requests;
};
template <class T>
concept HasMlaShape = requires(T op) {
  op.shape;
};

// The parts of an operator that are no plain field.
struct Parts {
  MlaShape* mla_shape = nullptr;
  std::vector<RequestGroup>* requests = nullptr;
};

Parts parts_of(Operator& op) {
  return std::visit(
      [](auto& held) {
        using Held = std::decay_t<decltype(held)>;
        Parts result;
        if constexpr (HasMlaShape<Held>) result.mla_shape = &held.shape;
        if constexpr (HasRequests<Held>) result.requests = &held.requests;
        return result;
      },
      op);
}

}  // namespace

std::vector<RequestGroup> request_groups_from_text(std::string_view text, std::string_view where) {
  std::vector<RequestGroup> groups;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    RequestGroup group;
    std::string_view rest = part;
    if (const std::size_t times = rest.find('x'); times != std::string_view::npos) {
      group.count = token_count(rest.substr(0, times), part, where);
      rest.remove_prefix(times + 1);
    }
    if (const std::size_t plus = rest.find('+'); plus != std::string_view::npos) {
      group.context_tokens = token_count(rest.substr(plus + 1), part, where);
      rest = rest.substr(0, plus);
    }
    group.query_tokens = token_count(rest, part, where);
    if (group.count == 0 || group.query_tokens == 0) token_count("", part, where);
    groups.push_back(group);
    if (comma == std::string_view::npos) return groups;
    text.remove_prefix(comma + 1);
  }
}

OperatorOptions::OperatorOptions(CLI::App& command, Family family) : defaults_(default_operator(family)) {
  const Parts parts = parts_of(defaults_);
  fields_ = add_field_options(command, operator_fields(family));
  if (parts.mla_shape != nullptr) mla_fields_ = add_field_options(command, fields_of<MlaShape>());
  if (parts.requests != nullptr) {
    requests_ = std::make_shared<std::string>();
    command
        .add_option("--requests", *requests_,
                    "the batch: COUNTxQUERY[+CONTEXT],... for example 4x1024 or 32x1+2047")
        ->required();
  }
}

Operator OperatorOptions::parsed() const {
  Operator result = defaults_;
  const Parts parts = parts_of(result);
  fields_->apply(operator_object(result));
  if (parts.mla_shape != nullptr) mla_fields_->apply(parts.mla_shape);
  if (parts.requests != nullptr) *parts.requests = request_groups_from_text(*requests_, "--requests");
  check_operator(result, "predict");
  return result;
}

}  // namespace warploom
