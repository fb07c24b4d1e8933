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

MlaShape* mla_shape_of(Operator& op) {
  return std::visit(
      [](auto& held) -> MlaShape* {
        if constexpr (requires { held.shape; })
          return &held.shape;
        else
          return nullptr;
      },
      op);
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
  fields_ = add_field_options(command, operator_fields(family),
                              {.defaults = operator_object(defaults_), .group = std::string(kOperatorGroup)});
  if (mla_shape_of(defaults_) != nullptr)
    mla_fields_ = add_fields_of<MlaShape>(command, {.group = std::string(kOperatorGroup)});
  if (requests_of(defaults_) == nullptr) return;
  batch_ = std::make_shared<Batch>();
  const OptionGroup group(command, kOperatorGroup);
  const auto doc = [](std::string_view field) {
    return std::string(fields_of<AlikeRequests>().find(field)->options.doc);
  };
  command.add_option("--batch", batch_->alike.batch, doc("batch"));
  command.add_option("--tokens,--input", batch_->alike.tokens, doc("tokens"));
  command.add_option("--context", batch_->alike.context, doc("context"));
  command
      .add_option("--requests", batch_->list,
                  "in place of these three: COUNTxTOKENS[+CONTEXT],... for example 4x1024 or 32x1+2047")
      ->type_name("COUNTxTOKENS,...");
}

Operator OperatorOptions::parsed() const {
  Operator result = defaults_;
  fields_->apply(operator_object(result));
  if (MlaShape* shape = mla_shape_of(result)) mla_fields_->apply(shape);
  if (std::vector<RequestGroup>* requests = requests_of(result)) {
    *requests = batch_->groups(result);
  } else if (!fields_->any_given()) {
    throw InvalidInput(fmt::format("predict {}: no size is given, expected some of: {}",
                                   name_of(family_of(result)), fmt::join(sizes_of(result), ", ")));
  }
  check_operator(result, "predict");
  return result;
}

std::vector<RequestGroup> OperatorOptions::Batch::groups(const Operator& op) const {
  const std::string where = fmt::format("predict {}", name_of(family_of(op)));
  if (const auto group = alike_group(op, alike, !list.empty(), where)) return {*group};
  return request_groups_from_text(list, "--requests");
}

}  // namespace warploom
