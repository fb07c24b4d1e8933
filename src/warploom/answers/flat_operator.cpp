#include "warploom/answers/flat_operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "warploom/answers/internal/request_reading.h"
#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/kernels/operator_fields.h"
#include "warploom/kernels/operator_json.h"

namespace warploom {
namespace {

constexpr const char* kRequests = "requests";

// What `batch`, `tokens` and `context` are called in a request group.
constexpr std::array<std::pair<const char*, const char*>, 3> kAlike{
    {{"batch", "count"}, {"tokens", "query_tokens"}, {"context", "context_tokens"}}};

void take_alike_requests(Json& asked, const Operator& prototype, Json& op, std::string_view where) {
  Json group = Json::object();
  for (const auto& [name, field] : kAlike)
    if (Json value = take_key(asked, name); !value.is_null()) group[field] = std::move(value);
  if (op.contains(kRequests)) {
    if (group.empty()) return;
    throw InvalidInput(
        fmt::format("{}: requests says it all, expected no batch, tokens or context too", where));
  }
  if (group.empty())
    throw InvalidInput(fmt::format("{}: requests is missing, or batch with tokens or context", where));
  if (!group.contains("query_tokens") && !decodes(prototype))
    throw InvalidInput(fmt::format(
        "{}: tokens is missing, expected the new tokens of each request; context are those it has "
        "in the cache",
        where));
  op[kRequests] = Json::array({std::move(group)});
}

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

bool decodes(const Operator& op) {
  if (const auto* module = std::get_if<MlaModule>(&op)) return module->decode;
  const Family family = family_of(op);
  return family == Family::AttentionDecode || family == Family::MlaDecode;
}

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
  if (auto* module = std::get_if<MlaModule>(&prototype); module != nullptr && op.contains("decode"))
    module->decode = op["decode"] == Json(true);
  if (requests_of(prototype) != nullptr) take_alike_requests(asked, prototype, op, where);
  return operator_from_json(op, where);
}

PredictRequest read_predict_request(const Json& asked) {
  Json fields = asked;
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
  auto request = object_from_json<PredictRequest>(fields, "predict");
  request.op = op;
  return request;
}

}  // namespace warploom
