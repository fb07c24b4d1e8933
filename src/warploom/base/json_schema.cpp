#include "warploom/base/json_schema.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace warploom {
namespace {

const char* type_name(FieldKind kind) {
  switch (kind) {
    case FieldKind::Boolean:
      return "boolean";
    case FieldKind::Integer:
    case FieldKind::IntegerList:
      return "integer";
    case FieldKind::Real:
    case FieldKind::RealList:
      return "number";
    case FieldKind::Text:
    case FieldKind::TextList:
      return "string";
    case FieldKind::Object:
    case FieldKind::ObjectList:
      break;
  }
  return "object";
}

bool is_list(FieldKind kind) {
  return kind == FieldKind::IntegerList || kind == FieldKind::RealList || kind == FieldKind::TextList;
}

// Doubles hold every integer up to here; a wider bound is what the type holds and says nothing.
constexpr double kExactIntegers = 9007199254740992.0;

Json number_json(double value, bool whole) {
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

void add_range(const Field& field, Json& schema) {
  const bool whole = field.kind == FieldKind::Integer || field.kind == FieldKind::IntegerList;
  const double least = std::max(field.options.min, field.held_min);
  const double most = std::min(field.options.max, field.held_max);
  if (std::abs(least) <= kExactIntegers) schema["minimum"] = number_json(least, whole);
  if (std::abs(most) <= kExactIntegers) schema["maximum"] = number_json(most, whole);
}

// The schema of one value, or of an entry of a list.
Json value_schema(const Field& field) {
  Json schema = {{"type", type_name(field.kind)}};
  if (field.options.min > -kExactIntegers || std::isfinite(field.held_min) ||
      std::isfinite(field.options.max))
    add_range(field, schema);
  if (!field.choices.empty()) schema["enum"] = field.choices;
  return schema;
}

// What an absent value is written as may stand in its place.
void allow_null(Json& schema) {
  schema["type"] = Json::array({schema["type"], "null"});
  if (schema.contains("enum")) schema["enum"].push_back(nullptr);
}

Json nested_schema(const Field& field, const void* defaults) {
  if (field.kind == FieldKind::Object && defaults != nullptr && field.size(defaults) > 0) {
    // element() takes a mutable object for reading JSON; a schema leaves it unchanged.
    return json_schema(*field.nested, field.element(const_cast<void*>(defaults), 0));
  }
  Json schema = json_schema(*field.nested, nullptr);
  if (field.kind == FieldKind::ObjectList) return {{"type", "array"}, {"items", std::move(schema)}};
  if (field.optional) allow_null(schema);
  return schema;
}

Json plain_schema(const Field& field, const void* defaults) {
  Json schema = value_schema(field);
  if (is_list(field.kind)) schema = {{"type", "array"}, {"items", std::move(schema)}};
  if (field.optional) allow_null(schema);
  if (defaults == nullptr || field.optional || field.options.required) return schema;
  const FieldTable one{.type_name = {}, .fields = {field}};
  schema["default"] = write_fields(one, defaults)[field.name];
  return schema;
}

}  // namespace

Json json_schema(const FieldTable& table, const void* defaults) {
  Json properties = Json::object(), required = Json::array();
  for (const Field& field : table.fields) {
    Json schema = field.nested == nullptr ? plain_schema(field, defaults) : nested_schema(field, defaults);
    if (!field.options.doc.empty()) schema["description"] = field.options.doc;
    if (!field.options.unit.empty()) schema["unit"] = field.options.unit;
    if (!field.options.topic.empty()) schema["group"] = field.options.topic;
    if (!field.options.owners.empty()) {
      const auto& owners = field.options.owners;
      schema["owners"] = std::vector<std::string>(owners.begin(), owners.end());
    }
    properties[field.name] = std::move(schema);
    if (field.options.required) required.push_back(field.name);
  }
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  // Keys that start with '_' are notes.
  schema["patternProperties"] = {{"^_", true}};
  schema["additionalProperties"] = false;
  return schema;
}

}  // namespace warploom
