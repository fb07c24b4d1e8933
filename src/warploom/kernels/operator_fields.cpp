#include "warploom/kernels/operator_fields.h"

#include <variant>

#include "warploom/base/error.h"
#include "warploom/kernels/family_fields.h"
#include "warploom/kernels/operator_family.h"

namespace warploom {
namespace {

template <class List>
List& list_group(List& list) {
  return list.add("count", &RequestGroup::count, at_least_one("requests that are alike"))
      .add("query_tokens", &RequestGroup::query_tokens, at_least_one("new tokens of each"))
      .add("context_tokens", &RequestGroup::context_tokens, at_least_none("tokens already cached of each"));
}

}  // namespace

FieldTable RequestGroup::describe() {
  FieldList<RequestGroup> list("request_group");
  return list_group(list).table();
}

FieldTable MlaShape::describe() {
  return FieldList<MlaShape>("mla_shape")
      .add("heads", &MlaShape::heads, at_least_one("heads on this GPU"))
      .add("kv_lora_rank", &MlaShape::kv_lora_rank, at_least_one("width of the cached latent"))
      .add("rope_head_dim", &MlaShape::rope_head_dim, at_least_none("rotary part of a key"))
      .add("nope_head_dim", &MlaShape::nope_head_dim, at_least_one("non-rotary part of a key"))
      .add("value_head_dim", &MlaShape::value_head_dim, at_least_one("elements of one value head"))
      .table();
}

Operator default_operator(Family family) { return family_value(family).standard(family); }

const FieldTable& operator_fields(Family family) { return family_value(family).fields(); }

void* operator_object(Operator& op) {
  return std::visit([](auto& object) -> void* { return &object; }, op);
}

const void* operator_object(const Operator& op) {
  return std::visit([](const auto& object) -> const void* { return &object; }, op);
}

bool set_sizes(std::span<Operator> operators, std::string_view field, std::span<const std::int64_t> values) {
  WARPLOOM_ASSERT(operators.size() == values.size());
  return operators.empty() || family_value(operators.front()).set_sizes(operators, field, values);
}

bool set_alike_sizes(std::span<Operator> operators, std::string_view field,
                     std::span<const std::int64_t> values) {
  WARPLOOM_ASSERT(operators.size() == values.size());
  if (operators.empty()) return true;
  MemberSearch<RequestGroup> search(field);
  const auto member = list_group(search).found();
  if (member == nullptr) return false;
  return std::visit(
      [&](const auto& first) {
        using Op = std::decay_t<decltype(first)>;
        if constexpr (requires { first.requests; }) {
          for (std::size_t i = 0; i < operators.size(); ++i)
            std::get<Op>(operators[i]).requests.front().*member = values[i];
          return true;
        } else {
          return false;
        }
      },
      operators.front());
}

}  // namespace warploom
