#include "warploom/answers/flat_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

// What the command line and other tools call a field; the first that a request has is meant.
struct OtherName {
  std::string_view other;
  std::array<std::string_view, 2> fields;  // empty: no more
};
constexpr std::string_view kInputTokens = "input_tokens", kOutputTokens = "output_tokens";
constexpr std::array<OtherName, 11> kOtherNames{
    {{"tp", {"tensor_parallel_size", "tensor_parallel_sizes"}},
     {"pp", {"pipeline_parallel_size", "pipeline_parallel_sizes"}},
     {"dp", {"data_parallel_size", "data_parallel_sizes"}},
     {"gpus", {"gpu_names"}},
     {"isl", {"random_input_len", kInputTokens}},
     {"osl", {"random_output_len", kOutputTokens}},
     {"input_len", {"random_input_len", kInputTokens}},
     {"output_len", {"random_output_len", kOutputTokens}},
     {kInputTokens, {"random_input_len"}},
     {kOutputTokens, {"random_output_len"}},
     {"num_prompts", {"requests"}}}};

// Fields that the command line also takes as lists, and the list that a request has of them.
struct ListName {
  std::string_view one, several;
};
constexpr std::array<ListName, 6> kListNames{{{"max_concurrency", "max_concurrencies"},
                                              {"request_rate", "request_rates"},
                                              {"tp", "tp_sizes"},
                                              {"tensor_parallel_size", "tp_sizes"},
                                              {"quantization", "quantizations"},
                                              {"engine", "engines"}}};

bool is_list(FieldKind kind) {
  return kind == FieldKind::IntegerList || kind == FieldKind::RealList || kind == FieldKind::TextList;
}

// `given` with such names in the request's own. A request's field is never read otherwise, but for
// `output_tokens`, which beside another tool's `input_tokens` is of prompts and not of sessions.
Json in_own_names(const Json& given, const FieldTable& table, std::string_view where) {
  const auto path_of = [&](std::string_view name) {
    const std::vector<FieldPath> paths = paths_to(table, name, true);
    return paths.empty() ? FieldPath() : paths.front();
  };
  const bool lengths = given.contains(kInputTokens) && path_of(kInputTokens).empty();
  Json named = given;
  const auto rename = [&](std::string_view from, std::string_view to, Json value) {
    if (named.contains(to))
      throw InvalidInput(
          fmt::format("{}: '{}' and '{}' say the same, expected one of them", where, from, to));
    named.erase(std::string(from));
    named[to] = std::move(value);
  };
  for (const ListName& each : kListNames) {
    const auto value = given.find(each.one);
    if (value != given.end() && value->is_array() && !path_of(each.several).empty())
      rename(each.one, each.several, *value);
  }
  for (const OtherName& each : kOtherNames) {
    const auto value = named.find(each.other);
    const bool of_prompts = lengths && each.other == kOutputTokens;
    if (value == named.end() || (!path_of(each.other).empty() && !of_prompts)) continue;
    for (const std::string_view field : each.fields) {
      const FieldPath path = field.empty() ? FieldPath() : path_of(field);
      if (path.empty()) continue;
      rename(each.other, field,
             is_list(path.back()->kind) && !value->is_array() ? Json::array({*value}) : *value);
      break;
    }
  }
  return named;
}

bool has_other_name(const Json& given) {
  const auto is_several = [&](const ListName& each) {
    return given.contains(each.one) && given[each.one].is_array();
  };
  if (std::any_of(kListNames.begin(), kListNames.end(), is_several)) return true;
  return std::any_of(kOtherNames.begin(), kOtherNames.end(),
                     [&](const OtherName& each) { return given.contains(each.other); });
}

}  // namespace

Json nested_request(const Json& given, const FieldTable& table, std::string_view where) {
  if (!given.is_object())
    throw InvalidInput(fmt::format("{}: is {}, expected an object of fields", where, given.type_name()));
  const Json renamed = has_other_name(given) ? in_own_names(given, table, where) : Json();
  const Json& flat = renamed.is_null() ? given : renamed;
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
