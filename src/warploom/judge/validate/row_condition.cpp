#include "warploom/judge/validate/row_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

using Row = ConcurrencyTruth;
// What a row states in a column; monostate: nothing.
using Cell = std::variant<std::monostate, std::string, double>;
using CellTest = std::function<bool(const Cell&)>;

Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }
template <class Number>
Cell number_cell(const std::optional<Number>& value) {
  return value ? Cell(double(*value)) : Cell();
}
Cell count_cell(std::int64_t value) { return value == 0 ? Cell() : Cell(double(value)); }

struct Column {
  std::string_view name;
  Cell (*cell)(const Row&);
};
constexpr Column kColumns[] = {
    {"dump", [](const Row& r) { return text_cell(r.dump); }},
    {"image", [](const Row& r) { return text_cell(r.image); }},
    {"backend", [](const Row& r) { return text_cell(r.backend); }},
    {"backend_version", [](const Row& r) { return text_cell(r.version); }},
    {"model_path", [](const Row& r) { return text_cell(r.model); }},
    {"system", [](const Row& r) { return text_cell(r.system); }},
    {"precision", [](const Row& r) { return text_cell(r.precision); }},
    {"gemm_quant_mode", [](const Row& r) { return text_cell(r.gemm_quantization); }},
    {"moe_quant_mode", [](const Row& r) { return text_cell(r.moe_quantization); }},
    {"mode", [](const Row& r) { return text_cell(r.mode); }},
    {"wip", [](const Row& r) { return Cell(r.work_in_progress ? 1.0 : 0.0); }},
    {"concurrency", [](const Row& r) { return number_cell(r.concurrency); }},
    {"isl", [](const Row& r) { return count_cell(r.input_tokens); }},
    {"osl", [](const Row& r) { return count_cell(r.output_tokens); }},
    {"tp_size", [](const Row& r) { return number_cell(r.place.tp); }},
    {"attention_dp_size", [](const Row& r) { return number_cell(r.place.attention_dp); }},
    {"prefill_num_workers", [](const Row& r) { return number_cell(r.prefill.workers); }},
    {"prefill_tp_size", [](const Row& r) { return number_cell(r.prefill.place.tp); }},
    {"decode_num_workers", [](const Row& r) { return number_cell(r.decode.workers); }},
    {"decode_tp_size", [](const Row& r) { return number_cell(r.decode.place.tp); }},
    {"decode_attention_dp_size", [](const Row& r) { return number_cell(r.decode.place.attention_dp); }},
    {"silicon_ttft_ms", [](const Row& r) { return number_cell(r.ttft); }},
    {"silicon_tpot_ms", [](const Row& r) { return number_cell(r.tpot); }},
};

const Column& column_named(std::string_view name, std::string_view where) {
  for (const Column& column : kColumns)
    if (column.name == name) return column;
  std::vector<std::string> names{"is", "is_not"};
  for (const Column& column : kColumns) names.emplace_back(column.name);
  throw InvalidInput(fmt::format("{}: '{}' is no column that a condition can test{}", where, name,
                                 did_you_mean(name, names)));
}

Cell cell_of(const Json& value, std::string_view where) {
  if (value.is_string()) return Cell(value.get<std::string>());
  if (value.is_number()) return Cell(value.get<double>());
  throw InvalidInput(fmt::format("{}: is {}, expected a text or a number", where, value.dump()));
}

std::vector<Cell> cells_of(const Json& value, std::string_view where) {
  if (!value.is_array()) return {cell_of(value, where)};
  std::vector<Cell> cells;
  for (const Json& entry : value) cells.push_back(cell_of(entry, where));
  return cells;
}

using TextTest = bool (*)(std::string_view text, std::string_view part);

CellTest text_test(const Json& value, std::string_view where, TextTest holds) {
  std::vector<std::string> parts;
  for (const Cell& cell : cells_of(value, where)) {
    if (!std::holds_alternative<std::string>(cell))
      throw InvalidInput(fmt::format("{}: is {}, expected a text", where, value.dump()));
    parts.push_back(std::get<std::string>(cell));
  }
  return [parts, holds](const Cell& cell) {
    const auto* text = std::get_if<std::string>(&cell);
    return text != nullptr && std::any_of(parts.begin(), parts.end(),
                                          [&](const std::string& part) { return holds(*text, part); });
  };
}

CellTest number_test(const Json& value, std::string_view where, bool least) {
  if (!value.is_number())
    throw InvalidInput(fmt::format("{}: is {}, expected a number", where, value.dump()));
  return [bound = value.get<double>(), least](const Cell& cell) {
    const auto* number = std::get_if<double>(&cell);
    return number != nullptr && (least ? *number >= bound : *number <= bound);
  };
}

CellTest parse_test(const Json& document, std::string_view where);

CellTest parse_named_test(const std::string& name, const Json& value, std::string_view where) {
  const std::string here = fmt::format("{}: '{}'", where, name);
  if (name == "contains")
    return text_test(value, here, [](auto text, auto part) { return text.find(part) != text.npos; });
  if (name == "starts_with")
    return text_test(value, here, [](auto text, auto part) { return text.starts_with(part); });
  if (name == "ends_with")
    return text_test(value, here, [](auto text, auto part) { return text.ends_with(part); });
  if (name == "at_least" || name == "at_most") return number_test(value, here, name == "at_least");
  if (name == "not") return [test = parse_test(value, here)](const Cell& cell) { return !test(cell); };
  if (name == "absent" && value.is_boolean())
    return [wanted = value.get<bool>()](const Cell& cell) {
      return std::holds_alternative<std::monostate>(cell) == wanted;
    };
  throw InvalidInput(
      fmt::format("{}: is no test, expected contains, starts_with, ends_with, at_least, at_most, absent "
                  "(true or false) or "
                  "not",
                  here));
}

CellTest parse_test(const Json& document, std::string_view where) {
  if (!document.is_object())
    return [cells = cells_of(document, where)](const Cell& cell) {
      return std::find(cells.begin(), cells.end(), cell) != cells.end();
    };
  std::vector<CellTest> tests;
  for (const auto& [name, value] : document.items()) tests.push_back(parse_named_test(name, value, where));
  return [tests](const Cell& cell) {
    return std::all_of(tests.begin(), tests.end(), [&](const CellTest& test) { return test(cell); });
  };
}

RowCondition named_condition(const Json& value, bool wanted, std::string_view where,
                             const NamedConditions& sets) {
  std::vector<RowCondition> conditions;
  for (const Cell& cell : cells_of(value, where)) {
    const auto* name = std::get_if<std::string>(&cell);
    const auto found = name != nullptr ? sets.find(*name) : sets.end();
    if (found == sets.end())
      throw InvalidInput(fmt::format("{}: {} is not defined under 'sets'", where, value.dump()));
    conditions.push_back(found->second);
  }
  return [conditions, wanted](const Row& row) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](const RowCondition& condition) { return condition(row) == wanted; });
  };
}

RowCondition parse_object(const Json& document, std::string_view where, const NamedConditions& sets) {
  std::vector<RowCondition> tests;
  for (const auto& [name, value] : document.items()) {
    if (name == "is" || name == "is_not") {
      tests.push_back(named_condition(value, name == "is", where, sets));
      continue;
    }
    const Column& column = column_named(name, where);
    const CellTest test = parse_test(value, fmt::format("{}: '{}'", where, name));
    tests.emplace_back([&column, test](const Row& row) { return test(column.cell(row)); });
  }
  return [tests](const Row& row) {
    return std::all_of(tests.begin(), tests.end(), [&](const RowCondition& test) { return test(row); });
  };
}

}  // namespace

RowCondition parse_condition(const Json& document, std::string_view where, const NamedConditions& sets) {
  if (document.is_object()) return parse_object(document, where, sets);
  if (!document.is_array() || document.empty())
    throw InvalidInput(fmt::format("{}: expected a condition (an object) or a list of them", where));
  std::vector<RowCondition> any;
  for (const Json& entry : document) {
    if (!entry.is_object())
      throw InvalidInput(fmt::format("{}: is {}, expected an object", where, entry.dump()));
    any.push_back(parse_object(entry, where, sets));
  }
  return [any](const Row& row) {
    return std::any_of(any.begin(), any.end(), [&](const RowCondition& one) { return one(row); });
  };
}

NamedConditions parse_sets(const Json& document, std::string_view where) {
  NamedConditions sets;
  if (!document.contains("sets")) return sets;
  for (const auto& [name, value] : document["sets"].items())
    sets[name] = parse_condition(value, fmt::format("{}: set '{}'", where, name), sets);
  return sets;
}

}  // namespace warploom
