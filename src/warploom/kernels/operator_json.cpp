#include "warploom/kernels/operator_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/kernels/operator_fields.h"

namespace warploom {

Operator operator_from_json(const Json& document, std::string_view where) {
  if (!document.is_object() || !document.contains("family") || !document["family"].is_string()) {
    throw InvalidInput(
        fmt::format("{}: an operator needs the key 'family' with the name of its kind", where));
  }
  const Family family =
      parse_enum<Family>(document["family"].get<std::string>(), fmt::format("{}: 'family'", where));
  Json fields = document;
  fields.erase("family");
  Operator op = default_operator(family);
  read_fields(fields, operator_fields(family), operator_object(op), where);
  check_operator(op, where);
  return op;
}

Json operator_to_json(const Operator& op) {
  const Family family = family_of(op);
  Json document = Json::object();
  document["family"] = std::string(name_of(family));
  document.update(write_fields(operator_fields(family), operator_object(op)));
  return document;
}

}  // namespace warploom
