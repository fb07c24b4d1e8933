#include "warploom/cli/operator_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <nlohmann/json.hpp>

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

void OperatorOptions::write(Json& asked) const {
  asked["family"] = name_of(family_of(defaults_));
  fields_->write(asked);
  if (mla_fields_ != nullptr && mla_fields_->any_given()) mla_fields_->write(asked["shape"]);
  if (batch_ == nullptr) return;
  asked.update(to_json(batch_->alike));
  if (batch_->list.empty()) return;
  for (const RequestGroup& group : request_groups_from_text(batch_->list, "--requests"))
    asked["requests"].push_back(to_json(group));
}

}  // namespace warploom
