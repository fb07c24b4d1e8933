#include "warploom/cli/operator_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "warploom/cli/help.h"
#include "warploom/cli/options.h"

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

// Whether each request has one new token unless it says otherwise.
bool decodes(const Operator& op) {
  if (const auto* module = std::get_if<MlaModule>(&op)) return module->decode;
  const Family family = family_of(op);
  return family == Family::AttentionDecode || family == Family::MlaDecode;
}

// The options that say how large the operator is.
std::vector<std::string> sizes_of(const Operator& op) {
  std::vector<std::string> names;
  for (const Field& field : operator_fields(family_of(op)).fields)
    if (field.kind == FieldKind::Integer) names.push_back(option_name(field.name));
  return names;
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

OperatorOptions::OperatorOptions(Command& command, Family family) : defaults_(default_operator(family)) {
  const Parts parts = parts_of(defaults_);
  fields_ = add_field_options(command, operator_fields(family),
                              {.defaults = operator_object(defaults_), .group = std::string(kOperatorGroup)});
  if (parts.mla_shape != nullptr)
    mla_fields_ = add_fields_of<MlaShape>(command, {.group = std::string(kOperatorGroup)});
  if (parts.requests == nullptr) return;
  batch_ = std::make_shared<Batch>();
  const OptionGroup group(command, kOperatorGroup);
  command.add_option("--batch", batch_->requests, "alike requests");
  command.add_option("--tokens,--input", batch_->tokens, "new tokens of each; one in a decode");
  command.add_option("--context", batch_->context, "tokens that each has in the cache; default 0");
  command
      .add_option("--requests", batch_->list,
                  "in place of these three: COUNTxTOKENS[+CONTEXT],... for example 4x1024 or 32x1+2047")
      ->type_name("COUNTxTOKENS,...");
}

Operator OperatorOptions::parsed() const {
  Operator result = defaults_;
  const Parts parts = parts_of(result);
  fields_->apply(operator_object(result));
  if (parts.mla_shape != nullptr) mla_fields_->apply(parts.mla_shape);
  if (parts.requests != nullptr) {
    *parts.requests = batch_->groups(result);
  } else if (!fields_->any_given()) {
    throw InvalidInput(fmt::format("predict {}: no size is given, expected some of: {}",
                                   name_of(family_of(result)), fmt::join(sizes_of(result), ", ")));
  }
  check_operator(result, "predict");
  return result;
}

std::vector<RequestGroup> OperatorOptions::Batch::groups(const Operator& op) const {
  const std::string where = fmt::format("predict {}", name_of(family_of(op)));
  if (!list.empty()) {
    if (requests || tokens || context)
      throw InvalidInput(where + ": --requests says it all, expected no --batch, --tokens or --context too");
    return request_groups_from_text(list, "--requests");
  }
  if (!requests && !tokens && !context)
    throw InvalidInput(where + ": --requests is required, or --batch with --tokens or --context");
  if (!tokens && !decodes(op))
    throw InvalidInput(where +
                       ": --tokens is missing, expected the new tokens of each request; --context "
                       "are those it has in the cache");
  const RequestGroup group{.count = requests.value_or(1),
                           .query_tokens = tokens.value_or(1),
                           .context_tokens = context.value_or(0)};
  check(group, where + ": --batch, --tokens, --context");
  return {group};
}

}  // namespace warploom
