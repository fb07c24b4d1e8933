#include "warploom/answers/flat_request.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

using FieldPath = std::vector<const Field*>;  // from the request down to the field

bool holds_fields(const Field& field, bool optional_too) {
  return field.kind == FieldKind::Object && (optional_too || !field.optional);
}

const Field* own_field(const FieldTable& table, std::string_view name) {
  for (const Field& field : table.fields)
    if (field.name == name) return &field;
  return nullptr;
}

// Level by level; all paths of the first level that has the name.
std::vector<FieldPath> paths_to(const FieldTable& table, std::string_view name, bool optional_too) {
  struct Level {
    FieldPath path;
    const FieldTable* table;
  };
  std::vector<Level> level{{{}, &table}};
  while (!level.empty()) {
    std::vector<FieldPath> found;
    std::vector<Level> next;
    for (const Level& at : level) {
      if (const Field* field = own_field(*at.table, name)) {
        found.push_back(at.path);
        found.back().push_back(field);
      }
      for (const Field& field : at.table->fields) {
        if (!holds_fields(field, optional_too)) continue;
        next.push_back({at.path, field.nested.get()});
        next.back().path.push_back(&field);
      }
    }
    if (!found.empty()) return found;
    level = std::move(next);
  }
  return {};
}

void add_names(const FieldTable& table, std::vector<std::string>& names) {
  for (const Field& field : table.fields) {
    names.push_back(field.name);
    if (holds_fields(field, true)) add_names(*field.nested, names);
  }
}

bool is_note(const std::string& key) {
  return key.starts_with('_') || key == "schema" || key == "version" || key == "created_by" ||
         key == "source";
}

void put(Json& document, const FieldPath& path, const Json& value, std::string_view where) {
  Json* at = &document;
  for (const Field* field : path) {
    if (at->is_null()) *at = Json::object();
    if (!at->is_object())
      throw InvalidInput(fmt::format("{}: '{}' belongs into an object that is given as {}", where,
                                     path.back()->name, at->type_name()));
    at = &(*at)[field->name];
  }
  if (!at->is_null() && *at != value)
    throw InvalidInput(fmt::format("{}: '{}' is given twice, expected one value", where, path.back()->name));
  *at = value;
}

// Required fields that were not given come from the nearest object around that has them.
void inherit_required(Json& document, const FieldTable& table, Json around) {
  for (const Field& field : table.fields) {
    if (field.kind == FieldKind::Object) continue;
    if (document.contains(field.name))
      around[field.name] = document[field.name];
    else if (field.options.required && around.contains(field.name))
      document[field.name] = around[field.name];
  }
  for (const Field& field : table.fields)
    if (field.kind == FieldKind::Object && document.contains(field.name) && document[field.name].is_object())
      inherit_required(document[field.name], *field.nested, around);
}

}  // namespace

Json nested_request(const Json& flat, const FieldTable& table, std::string_view where) {
  if (!flat.is_object())
    throw InvalidInput(fmt::format("{}: is {}, expected an object of fields", where, flat.type_name()));
  Json nested = Json::object();
  for (const auto& [key, value] : flat.items())
    if (own_field(table, key) != nullptr) nested[key] = value;
  for (const auto& [key, value] : flat.items()) {
    if (own_field(table, key) != nullptr || is_note(key)) continue;
    std::vector<FieldPath> paths = paths_to(table, key, false);
    if (paths.empty()) paths = paths_to(table, key, true);
    if (paths.empty()) {
      std::vector<std::string> names;
      add_names(table, names);
      throw InvalidInput(
          fmt::format("{}: '{}' is no field of {}{}", where, key, table.type_name, did_you_mean(key, names)));
    }
    for (const FieldPath& path : paths) put(nested, path, value, where);
  }
  inherit_required(nested, table, Json::object());
  return nested;
}

}  // namespace warploom
