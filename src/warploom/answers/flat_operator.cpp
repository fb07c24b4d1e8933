#include "warploom/answers/flat_operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "warploom/answers/internal/request_reading.h"
#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/kernels/alike_requests.h"
#include "warploom/kernels/operator_fields.h"
#include "warploom/kernels/operator_json.h"

namespace warploom {
namespace {

constexpr const char* kRequests = "requests";

// Takes `batch`, `tokens` and `context` out of `asked`; requests of `op` that are not listed are made of
// them.
void take_alike_requests(Json& asked, const Operator& prototype, Json& op, std::string_view where) {
  Json said = Json::object();
  for (const Field& field : fields_of<AlikeRequests>().fields)
    if (Json value = take_key(asked, field.name); !value.is_null()) said[field.name] = std::move(value);
  const std::string whose = fmt::format("{} {}", where, name_of(family_of(prototype)));
  const auto alike = object_from_json<AlikeRequests>(said, whose);
  if (const auto group = alike_group(prototype, alike, op.contains(kRequests), whose))
    op[kRequests] = Json::array({to_json(*group)});
}

// Whole numbers that mean something where nobody says them: no batch, no window, one rank, two inputs, and
// the heads of recurrent layers, which are one model's.
constexpr std::array<std::string_view, 15> kWithDefaults{
    "batch",           "window",          "head_dim",           "inputs",
    "tensor_parallel", "expert_parallel", "placement_nodes",    "key_heads",
    "key_dim",         "value_dim",       "value_heads",        "convolution_width",
    "state_size",      "ranks_per_node",  "tokens_per_sequence"};

// Fields of whole blocks of one model alone, and of how much any operator works on.
constexpr std::array<std::string_view, 3> kOneModels{"q_lora_rank", "index_heads", "streams"};
constexpr std::array<std::string_view, 3> kAmounts{"tokens", "rows", "sequences"};

// Whole blocks of one model have its sizes, which their documents name; how much they work on is said all the
// same.
bool is_whole_block(Family family) {
  const FieldTable& fields = operator_fields(family);
  return std::any_of(kOneModels.begin(), kOneModels.end(),
                     [&](std::string_view name) { return fields.find(name) != nullptr; });
}

bool is_size(const Field& field, const Operator& prototype) {
  if (field.name == "size_bytes") return true;
  const auto listed = [&](const auto& names) {
    return std::find(names.begin(), names.end(), field.name) != names.end();
  };
  if (field.kind != FieldKind::Integer || listed(kWithDefaults)) return false;
  if (is_whole_block(family_of(prototype)) && !listed(kAmounts)) return false;
  const FieldValue value = field.get(operator_object(prototype));
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole != nullptr && *whole != 0;  // 0 and nothing at all say that it is not known
}

// Refuses an operator of which a size is not given: no size has a default.
void check_sizes_are_given(const Json& asked, Family family, std::string_view where) {
  if (asked.contains("operator")) return;
  const Operator prototype = default_operator(family);
  std::vector<std::string> missing;
  for (const Field& field : operator_fields(family).fields)
    if (is_size(field, prototype) && (!asked.contains(field.name) || asked[field.name].is_null()))
      missing.push_back(fmt::format("`{}`", field.name));
  if (missing.empty()) return;
  throw InvalidInput(fmt::format("{} {}: {} {} missing, expected every size: they have no default", where,
                                 name_of(family), fmt::join(missing, ", "),
                                 missing.size() == 1 ? "is" : "are"));
}

}  // namespace

Operator take_operator(Json& asked, std::string_view where) {
  if (Json op = take_key(asked, "operator"); !op.is_null()) return operator_from_json(op, where);
  const Json named = take_key(asked, "family");
  if (!named.is_string())
    throw InvalidInput(
        fmt::format("{}: no operator, expected its fields with a family, for example gemm", where));
  const auto family = parse_enum<Family>(named.get<std::string>(), fmt::format("{}: family", where));
  Json op = {{"family", named}};
  for (const Field& field : operator_fields(family).fields)
    if (Json value = take_key(asked, field.name); !value.is_null()) op[field.name] = std::move(value);
  Operator prototype = default_operator(family);
  if (const Field* decode = operator_fields(family).find("decode");
      decode != nullptr && op.contains("decode"))
    decode->set(operator_object(prototype), op["decode"] == Json(true));
  if (requests_of(prototype) != nullptr) take_alike_requests(asked, prototype, op, where);
  return operator_from_json(op, where);
}

PredictRequest read_predict_request(const Json& asked) {
  Json fields = asked;
  const Json& named = asked.contains("operator") ? asked["operator"] : asked;
  check_routing_said_once([&](std::string_view field) {
    return asked.contains(field) || (named.is_object() && named.contains(field));
  });
  const Operator op = take_operator(fields, "predict");
  const FieldTable& own = fields_of<PredictRequest>();
  for (const auto& [key, value] : fields.items()) {
    if (own.find(key) != nullptr || key.starts_with('_')) continue;
    std::vector<std::string> names;
    for (const FieldTable* table : {&operator_fields(family_of(op)), &own})
      for (const Field& field : table->fields) names.push_back(field.name);
    throw InvalidInput(fmt::format("predict: '{}' is no field of {}{}; expected some of: {}", key,
                                   name_of(family_of(op)), did_you_mean(key, names), fmt::join(names, ", ")));
  }
  check_sizes_are_given(asked, family_of(op), "predict");
  auto request = object_from_json<PredictRequest>(fields, "predict");
  request.op = op;
  return request;
}

}  // namespace warploom
